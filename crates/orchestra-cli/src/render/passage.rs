//! What became of branches when a worktree went into the trash or came back.

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
