//! One file per command: its arguments, and what it asks of the engine.

pub(crate) mod answer;
pub(crate) mod archive;
pub(crate) mod attach;
pub(crate) mod commit;
pub(crate) mod complete;
pub(crate) mod config;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod follow;
pub(crate) mod init;
pub(crate) mod iterate;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod new;
pub(crate) mod open;
pub(crate) mod overview;
pub(crate) mod queue;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod set;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod transcript;
pub(crate) mod undo;
pub(crate) mod wait;
pub(crate) mod worktree;

use crate::Done;
use crate::args::{Global, Manner, OrchestraCommand, SessionCommand, WorkCommand};
use crate::context::Context;
use crate::printer::Printer;

pub(crate) fn run_orchestra(
    global: &Global,
    printer: &Printer,
    command: Option<OrchestraCommand>,
) -> Done {
    let work = match command {
        Some(OrchestraCommand::Completions(arguments)) => {
            return complete::completions(printer, &arguments);
        }
        Some(OrchestraCommand::Man(arguments)) => return complete::man(printer, &arguments),
        Some(OrchestraCommand::Work(work)) => Some(work),
        None => None,
    };
    let manner = work.as_ref().map_or(Manner::Looks, WorkCommand::manner);
    let context = Context::open(global, printer.clone(), manner)?;
    match work {
        Some(work) => run_work(&context, work),
        None => overview::run(&context),
    }
}

fn run_work(context: &Context, command: WorkCommand) -> Done {
    match command {
        WorkCommand::Session(command) => run_session(context, command),
        WorkCommand::Init(arguments) => init::run(context, &arguments),
        WorkCommand::Worktree(command) => worktree::run(context, &command),
        WorkCommand::Queue(arguments) => queue::run(context, &arguments),
        WorkCommand::Doctor(arguments) => doctor::run(context, &arguments),
        WorkCommand::Config(command) => config::run(context, &command),
    }
}

pub(crate) fn run_session(context: &Context, command: SessionCommand) -> Done {
    match command {
        SessionCommand::New(arguments) => new::run(context, &arguments),
        SessionCommand::Iterate(arguments) => iterate::run(context, &arguments),
        SessionCommand::Attach(arguments) => attach::run(context, &arguments),
        SessionCommand::Stop(arguments) => stop::run(context, &arguments),
        SessionCommand::Wait(arguments) => wait::run(context, &arguments),
        SessionCommand::Answer(arguments) => answer::run(context, &arguments),
        SessionCommand::Queue(arguments) => queue::run(context, &arguments),
        SessionCommand::Diff(arguments) => diff::run(context, &arguments),
        SessionCommand::Commit(arguments) => commit::run(context, &arguments),
        SessionCommand::Run(arguments) => run::run(context, &arguments),
        SessionCommand::Log(arguments) => log::run(context, &arguments),
        SessionCommand::Transcript(arguments) => transcript::run(context, &arguments),
        SessionCommand::List(arguments) => list::run(context, &arguments),
        SessionCommand::Status(arguments) => status::run(context, &arguments),
        SessionCommand::Set(arguments) => set::run(context, &arguments),
        SessionCommand::Archive(arguments) => archive::run(context, &arguments),
        SessionCommand::Open(arguments) => open::run(context, &arguments),
        SessionCommand::Shell(arguments) => open::shell(context, &arguments),
        SessionCommand::Resume(arguments) => resume::run(context, &arguments),
        SessionCommand::Discard(arguments) => resume::discard(context, &arguments),
        SessionCommand::Undo(arguments) => undo::run(context, &arguments),
        SessionCommand::Redo(arguments) => undo::redo(context, &arguments),
        SessionCommand::Operations(arguments) => undo::operations(context, &arguments),
        SessionCommand::Doctor(arguments) => doctor::run(context, &arguments),
        SessionCommand::Config(command) => config::run(context, &command),
    }
}
