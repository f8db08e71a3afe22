//! Tools that remove something, for those to whom that is granted.

use orchestra_api::{Discarded, Forgotten, SessionAnswer};
use orchestra_engine::{Act, BranchChoice, Cleanup, Consent, DatabaseChoice, Teardown};
use orchestra_server::{housekeeping, wire};
use serde::Deserialize;

use super::call::{Answer, Answered, Call};
use super::tool::{Effect, Kind, SESSION, Tool, optional};

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "session_cleanup",
        about: "Moves a session's worktree into the trash, from where the user can bring it back for a while.",
        effect: Effect::Removes,
        parameters: &[
            SESSION,
            optional(
                "delete_branch",
                Kind::Flag,
                "Delete the branch too; the trash keeps its commits",
            ),
            optional(
                "even_unlanded",
                Kind::Flag,
                "Also if the work is not part of the base",
            ),
            optional(
                "even_dirty",
                Kind::Flag,
                "Also if something is not committed",
            ),
        ],
        run: clean_up,
    },
    Tool {
        name: "session_discard",
        about: "Throws away what an interrupted run left uncommitted; the user can bring it back.",
        effect: Effect::Removes,
        parameters: &[SESSION],
        run: discard,
    },
    Tool {
        name: "session_forget",
        about: "Removes the records of a session whose worktree and branch are both gone. Not while you have a budget: \
                what it cost counts.",
        effect: Effect::Removes,
        parameters: &[SESSION],
        run: forget,
    },
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CleanUp {
    session: String,
    #[serde(default)]
    delete_branch: bool,
    #[serde(default)]
    even_unlanded: bool,
    #[serde(default)]
    even_dirty: bool,
}

fn clean_up(call: &Call) -> Answered {
    let given: CleanUp = call.given()?;
    call.act(&given.session, Act::Delete, |context, view| {
        let request = Cleanup {
            databases: DatabaseChoice::Keep,
            teardown: Teardown::Run,
            branch: match given.delete_branch {
                true => BranchChoice::Delete,
                false => BranchChoice::Keep,
            },
            unlanded: Consent::given_if(given.even_unlanded),
            dirty: Consent::given_if(given.even_dirty),
        };
        let cleaned = context.engine.cleanup(&view.session.id, request)?;
        Answer::of(&housekeeping::cleaned(&context.engine, &cleaned)?)
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    session: String,
}

fn discard(call: &Call) -> Answered {
    let given: Named = call.given()?;
    call.act(&given.session, Act::Delete, |context, view| {
        let done = context.engine.discard(&view.session.id)?;
        let SessionAnswer { seq, session } = wire::answer(&context.engine, &view.session.id)?;
        Answer::of(&Discarded {
            seq,
            session,
            files: done.files,
            patch: done.patch,
        })
    })
}

fn forget(call: &Call) -> Answered {
    let given: Named = call.given()?;
    call.act(&given.session, Act::Forget, |context, view| {
        let forgotten = context.engine.forget_session(&view.session.id)?;
        Answer::of(&Forgotten {
            seq: context.engine.last_seq()?,
            id: forgotten.session.id,
            name: forgotten.session.name.to_string(),
            left: forgotten.left,
            databases: forgotten.databases.into_iter().map(Into::into).collect(),
        })
    })
}
