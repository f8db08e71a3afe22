//! `pr`: open a pull request with a command of the user's choice.

use std::path::PathBuf;

use clap::Args;
use orchestra_engine::{Consent, PULL_REQUEST, PullRequestText, SessionView};

use super::{allowed, run};
use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use crate::render::script_log::ShownLog;
use orchestra_server::wire;

/// Push a session and open a pull request for it, with the command in commands.pr
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pr login
  pr login --title \"Fix the login form\" --body-file text.md

The command runs in the main checkout and gets ORCHESTRA_BRANCH, ORCHESTRA_BASE, ORCHESTRA_TITLE, ORCHESTRA_BODY_FILE and
ORCHESTRA_REPOSITORY. docs/examples/pr-with-gh.sh is one for GitHub. The branch is pushed first.")]
pub(crate) struct Arguments {
    /// Id, unique prefix or name
    session: String,
    /// The title [default: the session's name]
    #[arg(long, allow_hyphen_values = true)]
    title: Option<String>,
    /// A file with the text [default: the prompt, the commits and the issue]
    #[arg(long, value_name = "FILE")]
    body_file: Option<PathBuf>,
    /// Allow the command if it comes from the repository's own settings file
    #[arg(long, short)]
    yes: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    context.in_session(&arguments.session, |context, view| {
        open(context, arguments, view)
    })
}

fn open(context: &Context, arguments: &Arguments, view: &SessionView) -> Done {
    let repository = &view.repository;
    let consent = Consent::given_if(arguments.yes);
    let command = allowed::require_command(context, repository, PULL_REQUEST, consent)?;
    let text = PullRequestText {
        title: arguments.title.clone(),
        body: arguments
            .body_file
            .as_ref()
            .map(|path| read(context, path))
            .transpose()?,
    };
    let id = &view.session.id;
    let done = context.engine.open_pull_request(id, &command, &text)?;
    if context.printer.json {
        context.printer.json(&wire::script(&context.engine, &done)?);
    } else {
        ShownLog::new(context, &done).show_new(context)?;
        run::tell(context, &done);
    }
    Ok(run::exit_code(&done))
}

fn read(context: &Context, path: &std::path::Path) -> Result<String, CliError> {
    std::fs::read_to_string(context.path(path))
        .map_err(|source| CliError::io(&format!("read {}", path.display()), &source))
}
