//! What became of branches when a worktree went into the trash or came back.

use orchestra_api::{RestoredBranch as Row, RestoredBranchState as State};
use orchestra_engine::{Passage, RestoredBranch};

use crate::context::Context;

/// Tells what is not as it was.
pub(crate) fn tell(context: &Context, passage: &Passage) {
    for branch in &passage.restored {
        if let RestoredBranch::MadeAgain(name) = branch {
            context
                .printer
                .note(format!("the branch `{name}` is there again"));
        }
    }
    for warning in passage.warnings() {
        context.printer.warn(warning);
    }
}

/// The branches that came back, as wire types.
pub(crate) fn rows(passage: &Passage) -> Vec<Row> {
    passage.restored.iter().filter_map(row).collect()
}

fn row(branch: &RestoredBranch) -> Option<Row> {
    let (name, state, commit) = match branch {
        RestoredBranch::None => return None,
        RestoredBranch::AsItWas(name) => (name, State::AsItWas, None),
        RestoredBranch::MadeAgain(name) => (name, State::MadeAgain, None),
        RestoredBranch::Lost { name, at } => (name, State::Lost, Some(at)),
        RestoredBranch::Moved { name, now } => (name, State::Moved, Some(now)),
    };
    Some(Row {
        name: name.to_string(),
        state,
        commit: commit.map(ToString::to_string),
    })
}
