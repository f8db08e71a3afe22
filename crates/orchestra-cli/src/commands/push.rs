//! `push`: a session's branch on a remote.

use std::process::ExitCode;

use clap::Args;
use orchestra_core::PushedAs;
use orchestra_engine::{PushDone, PushSession, RemoteCommits};

use crate::Done;
use crate::context::Context;
use orchestra_server::landing;

/// Push a session's branch to a remote
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  push login
  push login --remote fork
  push login --force-with-lease    after a squash or a rebase
  push login --force-with-lease=1a2b3c4   replace what somebody else pushed, after you looked at it

The remote's branch has the same name. Commits there are never replaced without
--force-with-lease, and with it only if they are those of this session, or their changes are part
of it now (a cherry-pick): what somebody else pushed stops it. With a commit, the remote's branch is
replaced if it is at exactly that one. No hook of the repository runs. A push cannot be undone.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// The remote [default: origin, or the only one]
    #[arg(long)]
    remote: Option<String>,
    /// Replace the commits there, if they are the ones this session had, or the newest is this one
    #[arg(long, value_name = "COMMIT", num_args = 0..=1, require_equals = true)]
    force_with_lease: Option<Option<String>>,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let id = context.session(&arguments.session)?.session.id;
    let request = PushSession {
        remote: arguments.remote.clone(),
        theirs: match &arguments.force_with_lease {
            Some(Some(commit)) => RemoteCommits::ReplacedAt(commit.clone()),
            Some(None) => RemoteCommits::ReplacedIfSeen,
            None => RemoteCommits::Stay,
        },
    };
    let done = context.engine.push(&id, &request)?;
    tell(context, &done)
}

/// Answers with what was pushed.
pub(crate) fn tell(context: &Context, done: &PushDone) -> Done {
    if context.printer.json {
        let answer = landing::push_answer(&context.engine, done)?;
        context.printer.json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    context.printer.line(line(done));
    Ok(ExitCode::SUCCESS)
}

/// What was pushed, in words.
pub(crate) fn line(done: &PushDone) -> String {
    let push = &done.push;
    let place = format!("{}/{}", push.remote, push.branch);
    let commit = push.commit.short();
    match done.how {
        PushedAs::NewBranch => format!("{place} is new, at {commit}"),
        PushedAs::FastForward => format!("{place} is at {commit}"),
        PushedAs::Forced => format!("{place} is at {commit}; what it had before was replaced"),
        PushedAs::UpToDate => format!("{place} was at {commit} already"),
    }
}
