//! `new`: create a session.

mod from_template;
mod runtime;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use orchestra_api::SessionAnswer;
use orchestra_config::quantity::parse_duration;
use orchestra_core::{BranchName, PermissionPolicy, SessionName, SetupState, visible_line};
use orchestra_engine::{
    Consent, CreateSession, Created, EngineError, SessionView, StartIteration, chain,
    main_checkout_of,
};

use self::from_template::{Chosen, FromTemplate};
pub(crate) use self::runtime::{RuntimeArguments, toolbox_wish};
use super::{allowed, iterate, run as script, setup, slash};
use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use crate::printer::{BOLD, DIM};
use crate::render::{screen, summary};
use orchestra_server::{base_note, wire};

/// Create a session: a branch, a worktree and a prompt
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  new --name login --prompt \"Fix the login form\"
  new --name login --prompt @task.md --script \"npm test\" --run
  echo \"Fix the login form\" | orchestra session new --name login --prompt -
  new --name login --prompt \"Fix the login form\" --wait-setup
  new --name upgrade --prompt \"Upgrade the packages\" --permissions ask
  new --name try --prompt \"Try the new server\" --env development --budget 0.50
  new --name review --branch feature/login --prompt \"Review this branch\"
  new --name button --template fix-component --var component=Button

With --run --json: one value per line: the session, then as `iterate --json`.")]
pub(crate) struct Arguments {
    /// A directory in the repository [default: the template's, or where you are]
    #[arg(long, value_name = "PATH")]
    repo: Option<PathBuf>,
    #[command(flatten)]
    template: FromTemplate,
    /// The branch to start from and land on [default: setting git.default_base_branch]
    #[arg(long, value_name = "BRANCH")]
    base: Option<BranchName>,
    /// The session's name, unique within the repository
    #[arg(long, short)]
    name: SessionName,
    /// What the agent should do: text, a slash command of your own, `@file`, or `-` for stdin; opens your editor if absent
    #[arg(long, short, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// A command to run after each iteration; its exit code marks the iteration passed or failed
    #[arg(long, value_name = "COMMAND", allow_hyphen_values = true)]
    script: Option<String>,
    /// The model, as the agent names it
    #[arg(long)]
    model: Option<String>,
    /// The agent; `orchestra agents list` shows those there are [default: setting agents.default]
    #[arg(long)]
    agent: Option<String>,
    /// The issue it belongs to, for branch and folder patterns
    #[arg(long)]
    issue: Option<String>,
    /// What you want to remember; the agent is told too
    #[arg(long, allow_hyphen_values = true)]
    notes: Option<String>,
    /// What the agent must keep to
    #[arg(long, allow_hyphen_values = true)]
    constraints: Option<String>,
    /// Work on a branch that exists
    #[arg(long, value_name = "BRANCH")]
    branch: Option<BranchName>,
    /// How long one iteration may take, such as 30m; 0: no limit [default: setting core.session_timeout]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
    /// What happens when the agent wants to use a tool: allow, rules or ask [default: setting agents.permissions]
    #[arg(long, value_name = "POLICY")]
    permissions: Option<PermissionPolicy>,
    #[command(flatten)]
    runtime: RuntimeArguments,
    /// Start the first iteration and follow it
    #[arg(long)]
    run: bool,
    /// Wait until its set-up is over, and show it
    #[arg(long)]
    wait_setup: bool,
    /// Allow the commands of its set-up and the script of its template if they come from the repository's own files
    #[arg(long, short)]
    yes: bool,
    /// With --run: do not follow it
    #[arg(long, requires = "run")]
    detach: bool,
}

pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| "expected a time such as 90s, 30m or 2h".to_owned())
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let template = arguments.template.find(context, arguments.repo.as_ref())?;
    let named = template.as_ref().and_then(Chosen::repository);
    let repository = arguments.repo.clone().or(named);
    let repository = context.path(&repository.unwrap_or_else(|| PathBuf::from(".")));
    let act = |context: &Context| create(context, arguments, template.as_ref(), &repository);
    match main_checkout_of(&repository) {
        Some(root) => context.in_repository(&root, act),
        None => act(context),
    }
}

fn create(
    context: &Context,
    arguments: &Arguments,
    template: Option<&Chosen>,
    repository: &Path,
) -> Done {
    let created = make(context, arguments, template, repository)?;
    let id = &created.view.session.id;
    // In JSON, the answer is the session as it is then.
    if context.printer.json && arguments.wait_setup {
        setup::wait(context, id)?;
    }
    report(context, &created, arguments.run)?;
    if arguments.wait_setup || arguments.run {
        setup::wait(context, id)?;
    }
    if !arguments.run {
        return end(context, &created, arguments.wait_setup);
    }
    let iteration = context
        .engine
        .start_iteration(id, &StartIteration::default())?;
    iterate::started(context, &iteration, arguments.detach)
}

/// Makes the session, after everything that can be asked or refused before.
fn make(
    context: &Context,
    arguments: &Arguments,
    template: Option<&Chosen>,
    repository: &Path,
) -> Result<Created, CliError> {
    let consent = Consent::given_if(arguments.yes);
    let given_prompt = prompt(context, arguments, template)?;
    let (wanted, warnings) = match template {
        Some(template) => template.complete(context, given(arguments, repository), consent)?,
        None => (given(arguments, repository), Vec::new()),
    };
    if arguments.run {
        let environment = wanted.runtime.environment.as_deref();
        context
            .engine
            .check_agent(wanted.agent.as_deref(), environment)?;
        context.engine.check_identity(repository)?;
    }
    let (prompt, is_typed) = match given_prompt {
        Some(prompt) => (prompt, false),
        None => (type_prompt(context, &wanted)?, true),
    };
    ask_for_setup(context, repository, consent)?;
    let created = context.engine.create_session(&CreateSession {
        prompt: prompt.clone(),
        ..wanted
    });
    let mut created = match created {
        Err(error) if is_typed => return Err(kept(context, error, &prompt)),
        created => created?,
    };
    created.warnings.extend(warnings);
    Ok(created)
}

/// What the arguments say, without the prompt.
fn given(arguments: &Arguments, repository: &Path) -> CreateSession {
    CreateSession {
        repository: repository.to_owned(),
        base: arguments.base.clone(),
        name: arguments.name.clone(),
        prompt: String::new(),
        notes: arguments.notes.clone(),
        constraints: arguments.constraints.clone(),
        issue: arguments.issue.clone(),
        script: arguments.script.clone(),
        model: arguments.model.clone(),
        agent: arguments.agent.clone(),
        branch: arguments.branch.clone(),
        timeout: arguments.timeout,
        permissions: arguments.permissions,
        runtime: arguments.runtime.wishes(),
    }
}

/// The prompt that was given, else the template's; `None`: somebody must write one.
fn prompt(
    context: &Context,
    arguments: &Arguments,
    template: Option<&Chosen>,
) -> Result<Option<String>, CliError> {
    match (&arguments.prompt, template) {
        (Some(given), _) if given.starts_with('/') => Ok(Some(slash::prompt(context, given)?)),
        (Some(given), _) => Ok(Some(read_prompt(context, given)?)),
        (None, Some(template)) => template.prompt(),
        (None, None) => Ok(None),
    }
}

/// How the set-up went is part of the answer only for whoever waited for it.
fn end(context: &Context, created: &Created, waited: bool) -> Done {
    let before = &created.view;
    if !waited || before.setup == SetupState::None {
        return Ok(ExitCode::SUCCESS);
    }
    let now = context.engine.session(&before.session.id)?;
    if before.setup == SetupState::Running && !context.printer.json {
        let run = now.setup_run.as_ref();
        run.inspect(|run| script::tell(context, run));
        setup::tell(context, &now);
    }
    Ok(setup::exit_code(&now))
}

/// Before anything is made, so that the set-up can begin with it.
fn ask_for_setup(context: &Context, repository: &Path, consent: Consent) -> Result<(), CliError> {
    let Some(root) = main_checkout_of(repository) else {
        return Ok(());
    };
    let known = context.engine.known_repository(&root)?;
    let known = known.map(|repository| repository.id);
    let commands = context.engine.setup_commands(known)?;
    allowed::ask(context, &root, commands, consent)?;
    Ok(())
}

/// Says what was made before the agent starts: if that fails, the session is there all the same.
fn report(context: &Context, created: &Created, runs: bool) -> Result<(), CliError> {
    let is_adopted = created.view.session.branch_adopted;
    let note = base_note::note(&created.base).filter(|_| !is_adopted);
    if context.printer.json {
        let SessionAnswer { seq, session } =
            wire::answer(&context.engine, &created.view.session.id)?;
        let answer = orchestra_api::Created {
            seq,
            session,
            base_note: note,
            warnings: created.warnings.clone(),
        };
        match runs {
            true => context.printer.json_line(&answer),
            false => context.printer.json(&answer),
        }
    } else {
        show(context, created, note, runs);
    }
    Ok(())
}

fn show(context: &Context, created: &Created, note: Option<String>, runs: bool) {
    let session = &created.view.session;
    for warning in &created.warnings {
        context.printer.warn(warning);
    }
    context.printer.line(format!(
        "{BOLD}{}{BOLD:#}  {}",
        session.id,
        visible_line(session.name.as_str())
    ));
    context.printer.line(format!(
        "  branch    {}",
        summary::branch_line(&created.view)
    ));
    context
        .printer
        .line(format!("  worktree  {}", screen::path(&session.worktree)));
    if let Some(note) = note {
        let note = visible_line(&note);
        context.printer.note(format!("  {DIM}{note}{DIM:#}"));
    }
    setup::tell(context, &created.view);
    if !runs {
        context.printer.note(next_steps(&created.view));
    }
}

/// An agent cannot begin in a session whose set-up nobody has allowed.
fn next_steps(view: &SessionView) -> String {
    let id = &view.session.id;
    let first = match view.setup {
        SetupState::NotAllowed => format!(
            "  orchestra commands list              what its set-up would run\n  orchestra session setup {id} --yes   allow that, and do it\n"
        ),
        _ => String::new(),
    };
    format!(
        "\nNext:\n{first}  orchestra session iterate {id}     run the agent\n  orchestra session open {id}        look at the files\n  orchestra session status {id}"
    )
}

pub(super) fn read_prompt(context: &Context, given: &str) -> Result<String, CliError> {
    if given == "-" {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        read.map_err(|error| {
            CliError::usage(
                format!("cannot read the prompt from stdin: {error}"),
                "`--prompt -` takes text in UTF-8",
            )
        })?;
        return Ok(text);
    }
    let Some(file) = given.strip_prefix('@') else {
        return Ok(given.to_owned());
    };
    std::fs::read_to_string(context.path(file.as_ref())).map_err(|error| {
        CliError::usage(
            format!("cannot read the prompt from {file}: {error}"),
            "`@` stands before the path of a text file",
        )
    })
}

const TEMPLATE: &str = "\n# What should the agent do? Lines that start with # are left out.\n# An empty prompt creates nothing.\n";

/// Lets the user write the prompt in an editor, as `git commit` does. What can be refused is refused before.
fn type_prompt(context: &Context, wanted: &CreateSession) -> Result<String, CliError> {
    if !context.printer.can_ask() {
        return Err(CliError::usage(
            "there is no prompt",
            "say what the agent should do: --prompt \"...\", --prompt @file or --prompt -",
        ));
    }
    context.engine.check_new_session(wanted)?;
    let text = context.engine.write_prompt(TEMPLATE)?;
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    Ok(kept.join("\n").trim().to_owned())
}

/// What was typed is not lost with a session that could not be made.
fn kept(context: &Context, error: EngineError, prompt: &str) -> CliError {
    let mut error = CliError::from(error);
    if prompt.is_empty() {
        return error;
    }
    let kept = match context.engine.keep_prompt(prompt) {
        Ok(file) => format!("your prompt is kept: --prompt '@{}'", file.display()),
        Err(failure) => format!("your prompt could not be kept: {}", chain::text(&failure)),
    };
    error.hint = Some(match error.hint {
        Some(hint) => format!("{hint}\n{kept}"),
        None => kept,
    });
    error
}
