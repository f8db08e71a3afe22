//! One file per command: its arguments, and what it asks of the engine.

pub(crate) mod afterwards;
pub(crate) mod agents;
pub(crate) mod allowed;
pub(crate) mod answer;
pub(crate) mod approve;
pub(crate) mod archive;
pub(crate) mod artifacts;
pub(crate) mod attach;
pub(crate) mod check;
pub(crate) mod cleanup;
pub(crate) mod commit;
pub(crate) mod complete;
pub(crate) mod config;
pub(crate) mod conflicts;
pub(crate) mod data;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod env;
pub(crate) mod export;
pub(crate) mod follow;
pub(crate) mod forget;
pub(crate) mod gc;
pub(crate) mod guard;
pub(crate) mod init;
pub(crate) mod iterate;
pub(crate) mod land;
pub(crate) mod leases;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod matrix;
pub(crate) mod mcp;
pub(crate) mod merge;
pub(crate) mod new;
pub(crate) mod open;
pub(crate) mod overview;
pub(crate) mod pr;
pub(crate) mod project_commands;
pub(crate) mod push;
pub(crate) mod queue;
pub(crate) mod rebase;
pub(crate) mod resolve;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod sandbox;
pub(crate) mod serve;
mod server;
pub(crate) mod set;
pub(crate) mod setup;
pub(crate) mod slash;
pub(crate) mod squash;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod template;
pub(crate) mod toolbox;
pub(crate) mod transcript;
pub(crate) mod trash;
pub(crate) mod undo;
pub(crate) mod wait;
pub(crate) mod worktree;

use crate::Done;
use crate::args::{Global, Manner, OrchestraCommand, SessionCommand, SessionsCommand, WorkCommand};
use crate::context::Context;
use crate::error::CliError;
use crate::printer::Printer;

pub(crate) fn run_orchestra(
    global: &Global,
    printer: &Printer,
    command: Option<OrchestraCommand>,
) -> Done {
    let work = match command {
        Some(OrchestraCommand::Completions(arguments)) => {
            return complete::completions(printer, &arguments, "orchestra");
        }
        Some(OrchestraCommand::Man(arguments)) => return complete::man(printer, &arguments),
        Some(OrchestraCommand::Work(work)) => Some(work),
        None => None,
    };
    match work {
        Some(work) => run_work(global, printer, work),
        None => overview::run(&open_swept(global, printer, Manner::Looks)?),
    }
}

/// The programs `amp-sessions` and `ampsm`, by their name.
pub(crate) fn run_sessions(
    global: &Global,
    printer: &Printer,
    command: SessionsCommand,
    program: &str,
) -> Done {
    match command {
        SessionsCommand::Session(command) => run_session(global, printer, command),
        SessionsCommand::Completions(arguments) => {
            complete::completions(printer, &arguments, program)
        }
    }
}

/// For commands that name no session: what was cut off in one is put right before they look. The others do so when they
/// find their session.
fn open_swept(global: &Global, printer: &Printer, manner: Manner) -> Result<Context, CliError> {
    let context = Context::open(global, printer.clone(), manner)?;
    context.sweep();
    Ok(context)
}

fn run_work(global: &Global, printer: &Printer, command: WorkCommand) -> Done {
    let manner = command.manner();
    let open = || Context::open(global, printer.clone(), manner);
    let swept = || open_swept(global, printer, manner);
    match command {
        WorkCommand::Session(command) => run_session(global, printer, command),
        WorkCommand::Init(arguments) => init::run(&swept()?, &arguments),
        WorkCommand::Template(command) => template::run(&swept()?, &command),
        WorkCommand::Worktree(command) => worktree::run(&swept()?, &command),
        WorkCommand::Trash(command) => trash::run(&swept()?, &command),
        WorkCommand::Gc(arguments) => gc::run(&open()?, arguments),
        WorkCommand::Queue(arguments) => queue::run(&swept()?, &arguments),
        WorkCommand::Env(command) => env::run(&swept()?, &command),
        WorkCommand::Toolbox(command) => toolbox::run(&open()?, &command),
        WorkCommand::Mcp(command) => mcp::run(&open()?, &command),
        WorkCommand::Sandbox(command) => sandbox::run(&open()?, &command),
        WorkCommand::Leases(arguments) => leases::run(&swept()?, &arguments),
        WorkCommand::Agents(command) => agents::run(&open()?, &command),
        WorkCommand::Commands(command) => project_commands::run(&swept()?, &command),
        WorkCommand::Data(command) => data::run(&open()?, &command),
        WorkCommand::Slash(command) => slash::run(&open()?, &command),
        WorkCommand::Conflicts(arguments) => matrix::run(&swept()?, &arguments),
        WorkCommand::Serve(arguments) => serve::run(&swept()?, &arguments),
        WorkCommand::Ui(arguments) => serve::ui(&swept()?, &arguments),
        WorkCommand::Doctor(arguments) => doctor::run(global, printer, &arguments),
        WorkCommand::Config(command) => config::run(printer, &command, open),
    }
}

fn run_session(global: &Global, printer: &Printer, command: SessionCommand) -> Done {
    let manner = command.manner();
    let done = match run_session_command(global, printer, command) {
        Err(CliError {
            finished: Some(operation),
            ..
        }) => {
            let context = Context::open(global, printer.clone(), manner)?;
            undo::finished_before(&context, &operation)
        }
        done => done,
    };
    if manner == Manner::Acts {
        gc::start_if_due(global);
    }
    done
}

fn run_session_command(global: &Global, printer: &Printer, command: SessionCommand) -> Done {
    let manner = command.manner();
    let open = || Context::open(global, printer.clone(), manner);
    let swept = || open_swept(global, printer, manner);
    match command {
        SessionCommand::New(arguments) => new::run(&swept()?, &arguments),
        SessionCommand::Iterate(arguments) => iterate::run(&open()?, &arguments),
        SessionCommand::Attach(arguments) => attach::run(&open()?, &arguments),
        SessionCommand::Stop(arguments) => stop::run(&open()?, &arguments),
        SessionCommand::Wait(arguments) => wait::run(&open()?, &arguments),
        SessionCommand::Answer(arguments) => answer::run(&open()?, &arguments),
        SessionCommand::Queue(arguments) => queue::run(&swept()?, &arguments),
        SessionCommand::Diff(arguments) => diff::run(&open()?, &arguments),
        SessionCommand::Commit(arguments) => commit::run(&open()?, &arguments),
        SessionCommand::Run(arguments) => run::run(&open()?, &arguments),
        SessionCommand::Setup(arguments) => setup::run(&open()?, &arguments),
        SessionCommand::Artifacts(arguments) => artifacts::run(&open()?, &arguments),
        SessionCommand::Log(arguments) => log::run(&open()?, &arguments),
        SessionCommand::Transcript(arguments) => transcript::run(&open()?, &arguments),
        SessionCommand::Guard(arguments) => guard::run(&open()?, &arguments),
        SessionCommand::List(arguments) => list::run(&swept()?, &arguments),
        SessionCommand::Status(arguments) => status::run(&open()?, &arguments),
        SessionCommand::Set(arguments) => set::run(&open()?, &arguments),
        SessionCommand::Archive(arguments) => archive::run(&open()?, &arguments),
        SessionCommand::Forget(arguments) => forget::run(&open()?, &arguments),
        SessionCommand::Open(arguments) => open::run(&open()?, &arguments),
        SessionCommand::Shell(arguments) => open::shell(&open()?, &arguments),
        SessionCommand::Resume(arguments) => resume::run(&open()?, &arguments),
        SessionCommand::Discard(arguments) => resume::discard(&open()?, &arguments),
        SessionCommand::Push(arguments) => push::run(&open()?, &arguments),
        SessionCommand::Cleanup(arguments) => cleanup::run(&open()?, &arguments),
        SessionCommand::Trash(command) => trash::run(&swept()?, &command),
        SessionCommand::Gc(arguments) => gc::run(&open()?, arguments),
        SessionCommand::Slash(command) => slash::run(&open()?, &command),
        SessionCommand::Check(arguments) => check::run(&open()?, &arguments),
        SessionCommand::Approve(arguments) => approve::run(&open()?, &arguments),
        SessionCommand::Merge(arguments) => merge::run(&open()?, &arguments),
        SessionCommand::Land(arguments) => land::run(&open()?, &arguments),
        SessionCommand::Pr(arguments) => pr::run(&open()?, &arguments),
        SessionCommand::Squash(arguments) => squash::run(&open()?, &arguments),
        SessionCommand::Rebase(arguments) => rebase::run(&open()?, &arguments),
        SessionCommand::Conflicts(arguments) => conflicts::run(&open()?, &arguments),
        SessionCommand::Resolve(arguments) => resolve::run(&open()?, &arguments),
        SessionCommand::Export(arguments) => export::run(&open()?, &arguments),
        SessionCommand::Undo(arguments) => undo::run(&open()?, &arguments),
        SessionCommand::Redo(arguments) => undo::redo(&open()?, &arguments),
        SessionCommand::Operations(arguments) => undo::operations(&open()?, &arguments),
        SessionCommand::Doctor(arguments) => doctor::run(global, printer, &arguments),
        SessionCommand::Config(command) => config::run(printer, &command, open),
    }
}
