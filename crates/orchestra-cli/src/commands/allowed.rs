//! Commands of a repository's own settings file: the user is shown the text and asked before it runs the first time.

use orchestra_core::{Repository, visible_line};
use orchestra_engine::{CommandMoment, EngineError, MergeError, RepositoryCommand};

use crate::ask::{self, Preset};
use crate::context::Context;
use crate::error::CliError;

/// The command for a moment if there is one and it may run; the user is told if it may not.
pub(crate) fn command(
    context: &Context,
    repository: &Repository,
    moment: CommandMoment,
    yes: bool,
) -> Result<Option<RepositoryCommand>, CliError> {
    let Some(mut command) = context.engine.repository_command(repository, moment)? else {
        return Ok(None);
    };
    if command.is_allowed {
        return Ok(Some(command));
    }
    if !yes && !confirm(context, &command)? {
        context.printer.warn(format!(
            "`{}` comes from the repository's own settings file and was not run: {}; with --yes it is allowed from then on",
            moment.setting(),
            visible_line(&command.command)
        ));
        return Ok(None);
    }
    context.engine.allow_command(repository, &command)?;
    command.is_allowed = true;
    Ok(Some(command))
}

/// The command for a moment that somebody asked for by name, so it has to be there and may run.
pub(crate) fn require_command(
    context: &Context,
    repository: &Repository,
    moment: CommandMoment,
    yes: bool,
) -> Result<RepositoryCommand, CliError> {
    let name = moment.setting().to_owned();
    let Some(set) = context.engine.repository_command(repository, moment)? else {
        return Err(EngineError::from(MergeError::NoCommand { name }).into());
    };
    let allowed = command(context, repository, moment, yes)?;
    allowed.ok_or_else(|| {
        let command = context.engine.redact(&set.command);
        EngineError::from(MergeError::CommandNotAllowed { name, command }).into()
    })
}

fn confirm(context: &Context, command: &RepositoryCommand) -> Result<bool, CliError> {
    let question = format!(
        "`{}` comes from the repository's own settings file:\n  {}\nAllow this command from now on?",
        command.moment.setting(),
        visible_line(&command.command)
    );
    let answer = ask::yes_or_no(&context.printer, &question, Preset::No)?;
    Ok(answer == Some(true))
}
