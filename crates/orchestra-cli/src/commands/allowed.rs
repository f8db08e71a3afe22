//! Commands of a repository's own settings file: the user is shown the texts and asked before they run the first time.

use std::path::Path;

use orchestra_core::{Repository, visible_line};
use orchestra_engine::{CommandError, Consent, EngineError, Permission, ProjectCommand};

use crate::ask::{self, Preset};
use crate::context::Context;
use crate::error::CliError;

/// Asks once for all that are not allowed, and gives them back with what the user said. Nobody can be asked: they stay as they are.
pub(crate) fn ask(
    context: &Context,
    root: &Path,
    commands: Vec<ProjectCommand>,
    consent: Consent,
) -> Result<Vec<ProjectCommand>, CliError> {
    if !is_agreed(context, &commands, consent)? {
        return Ok(commands);
    }
    context.engine.allow_commands(root, &commands)?;
    Ok(as_allowed(commands))
}

/// The same for commands that may not come to run because something is refused before: each is recorded when it runs.
pub(crate) fn ask_until_run(
    context: &Context,
    repository: &Repository,
    commands: Vec<ProjectCommand>,
    consent: Consent,
) -> Result<Vec<ProjectCommand>, CliError> {
    if !is_agreed(context, &commands, consent)? {
        return Ok(commands);
    }
    context.engine.consent_to(repository.id, &commands)?;
    Ok(as_allowed(commands))
}

/// Whether there is anything to allow, and the user does.
fn is_agreed(
    context: &Context,
    commands: &[ProjectCommand],
    consent: Consent,
) -> Result<bool, CliError> {
    let not_allowed = commands.iter().filter(|it| !it.is_allowed());
    let not_allowed: Vec<&ProjectCommand> = not_allowed.collect();
    Ok(!not_allowed.is_empty() && (consent == Consent::Given || confirm(context, &not_allowed)?))
}

fn as_allowed(commands: Vec<ProjectCommand>) -> Vec<ProjectCommand> {
    let allowed = |command: ProjectCommand| match command.is_allowed() {
        true => command,
        false => ProjectCommand {
            permission: Permission::Allowed,
            ..command
        },
    };
    commands.into_iter().map(allowed).collect()
}

/// The command of a setting if there is one and it may run; the user is told if it may not.
pub(crate) fn command(
    context: &Context,
    repository: &Repository,
    setting: &str,
    consent: Consent,
) -> Result<Option<ProjectCommand>, CliError> {
    let found = find(context, repository, setting, consent)?;
    if let Some(command) = found.as_ref().filter(|it| !it.is_allowed()) {
        warn_of_not_allowed(context, command);
    }
    Ok(found.filter(ProjectCommand::is_allowed))
}

/// The command of a setting that somebody asked for by name, so it has to be there and may run.
pub(crate) fn require_command(
    context: &Context,
    repository: &Repository,
    setting: &str,
    consent: Consent,
) -> Result<ProjectCommand, CliError> {
    let found = find(context, repository, setting, consent)?;
    match found {
        Some(command) if command.is_allowed() => Ok(command),
        Some(command) => Err(refusal(context, command)),
        None => {
            let setting = setting.to_owned();
            Err(EngineError::from(CommandError::NotSet { setting }).into())
        }
    }
}

/// What is told of a command that may not run.
pub(crate) fn refusal(context: &Context, command: ProjectCommand) -> CliError {
    let refused = CommandError::NotAllowed {
        setting: command.setting,
        command: context.engine.redact(&command.command),
    };
    EngineError::from(refused).into()
}

/// The command of a setting if there is one, after the user was asked. It is recorded when it runs.
fn find(
    context: &Context,
    repository: &Repository,
    setting: &str,
    consent: Consent,
) -> Result<Option<ProjectCommand>, CliError> {
    let id = Some(repository.id);
    let set = context.engine.project_command(id, setting)?;
    let set = set.into_iter().collect();
    let asked = ask_until_run(context, repository, set, consent)?;
    Ok(asked.into_iter().next())
}

/// Says that it was not run, and how it is allowed.
fn warn_of_not_allowed(context: &Context, command: &ProjectCommand) {
    let shown = in_one_line(&context.engine.redact(&command.command));
    context.printer.warn(format!(
        "`{}` comes from the repository's own settings file and was not run: {shown}; with --yes it is allowed from then on",
        command.setting
    ));
}

fn confirm(context: &Context, commands: &[&ProjectCommand]) -> Result<bool, CliError> {
    let lines: Vec<String> = commands
        .iter()
        .map(|it| every_line(&it.setting, &context.engine.redact(&it.command)))
        .collect();
    let question = format!(
        "The repository's own files want to run:\n{}\nAllow this from now on?",
        lines.join("\n")
    );
    let answer = ask::yes_or_no(&context.printer, &question, Preset::No)?;
    Ok(answer == Some(true))
}

/// A command with its line breaks: one that hides behind a remark must not look like a part of it.
pub(crate) fn every_line(setting: &str, command: &str) -> String {
    let indent = format!("\n{}", " ".repeat(setting.chars().count() + 5));
    let lines: Vec<String> = command.trim_end().lines().map(visible_line).collect();
    format!("  {setting}   {}", lines.join(&indent))
}

/// The same where it has to stay on one line.
pub(crate) fn in_one_line(command: &str) -> String {
    let lines: Vec<String> = command.trim_end().lines().map(visible_line).collect();
    lines.join(" ⏎ ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_on_a_line_of_its_own_is_shown_so() {
        let shown = every_line("scripts.test", "npm test # as ever\necho more\n");
        let expected = "  scripts.test   npm test # as ever\n                 echo more";
        assert_eq!(shown, expected);
        let shown = in_one_line("npm test # as ever\necho more\n");
        assert_eq!(shown, "npm test # as ever ⏎ echo more");
    }
}
