//! The hidden modes: runner, guardian and the generated reference. They are looked for before anything else, so that a
//! guardian stays small.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use orchestra_config::{DataDirs, Environment};
use orchestra_core::IterationNumber;
use orchestra_engine::{
    Clock, Engine, EngineError, GC_MODE, GUARDIAN_MODE, Gc, OpenOptions, RUN_ITERATION, RUN_SCRIPT,
    RUNNER_MODE, TAKE_OVER_SERVER, become_session_leader, chain, guardian_main,
};

use crate::logging::{Destination, Log};
use crate::reference;

/// Runs a hidden mode if the arguments ask for one.
pub(crate) fn run(arguments: &[OsString]) -> Option<ExitCode> {
    let mode = arguments.get(1)?;
    if mode == GUARDIAN_MODE {
        return Some(guardian_main());
    }
    if mode == RUNNER_MODE {
        return Some(runner(&arguments[2..]));
    }
    if mode == GC_MODE {
        return Some(end(keep_house(&arguments[2..])));
    }
    if mode == REFERENCE_MODE {
        return Some(end(write_reference(arguments.get(2))));
    }
    None
}

/// The hidden argument that writes the generated pages of the documentation.
const REFERENCE_MODE: &str = "__reference";

fn write_reference(directory: Option<&OsString>) -> Result<(), String> {
    let directory = directory.ok_or("name the directory to write to")?;
    reference::write(Path::new(directory)).map_err(|error| error.to_string())
}

fn runner(arguments: &[OsString]) -> ExitCode {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let [kind, session, number, flags @ ..] = words.as_slice() else {
        return end(Err("a runner takes three words and settings".to_owned()));
    };
    let order = Order {
        kind,
        session,
        number,
        flags,
    };
    end(run_in_background(&order))
}

/// What a runner is started for.
struct Order<'a> {
    kind: &'a str,
    session: &'a str,
    number: &'a str,
    flags: &'a [&'a str],
}

fn run_in_background(order: &Order<'_>) -> Result<(), String> {
    become_session_leader().map_err(|error| chain::text(&error))?;
    let environment = Environment::of_process();
    let dirs = DataDirs::of(&environment).map_err(|error| chain::text(&error))?;
    let destination = Destination::File(dirs.runner_log(order.session));
    let log = Log::start(&environment, &destination).map_err(|error| chain::text(&error))?;
    std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    run_order(environment, &log, order).map_err(|message| log.redact(&message))
}

/// The housekeeping in the background: what it did is in its log.
fn keep_house(arguments: &[OsString]) -> Result<(), String> {
    become_session_leader().map_err(|error| chain::text(&error))?;
    let environment = Environment::of_process();
    let dirs = DataDirs::of(&environment).map_err(|error| chain::text(&error))?;
    let log = Log::start(&environment, &Destination::File(dirs.gc_log()))
        .map_err(|error| chain::text(&error))?;
    let flags = arguments
        .iter()
        .filter_map(|flag| flag.to_str()?.split_once('='));
    let options = OpenOptions {
        environment,
        repository: None,
        flags: flags
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
        program: own_program().map_err(|error| chain::text(&error))?,
        clock: Clock::System,
    };
    let engine = Engine::open(options).map_err(|error| chain::text(&error))?;
    log.learn(engine.redactor());
    match engine.gc(Gc::Do) {
        Ok(report) => {
            tracing::info!(
                deleted = report.deleted.len(),
                cleaned = report.cleaned.len(),
                snapshots = report.snapshots,
                prompts = report.prompts,
                freed_bytes = report.freed_bytes,
                problems = ?report.problems,
                "housekeeping is done"
            );
            Ok(())
        }
        Err(error) => Err(log.redact(&chain::text(&error))),
    }
}

fn own_program() -> Result<PathBuf, EngineError> {
    std::env::current_exe().map_err(|source| EngineError::Io {
        action: "find this program".to_owned(),
        source,
    })
}

fn end(done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            #[expect(clippy::print_stderr, reason = "a hidden mode's stderr is a log")]
            {
                eprintln!("{message}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run_order(environment: Environment, log: &Log, order: &Order<'_>) -> Result<(), String> {
    let flags = order.flags.iter().filter_map(|flag| flag.split_once('='));
    let flags = flags
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    let id = order.session.parse().map_err(|error| format!("{error}"))?;
    let number: i64 = order.number.parse().map_err(|error| format!("{error}"))?;
    let engine = open_for(environment, flags, &id).map_err(|error| chain::text(&error))?;
    log.learn(engine.redactor());
    let done = match order.kind {
        RUN_ITERATION => engine.run_iteration(
            &id,
            IterationNumber(u32::try_from(number).unwrap_or_default()),
        ),
        RUN_SCRIPT => engine.run_script(&id, number),
        TAKE_OVER_SERVER => engine.take_over_server(&id, number),
        other => return Err(format!("a runner does not know `{other}`")),
    };
    done.map_err(|error| chain::text(&error))
}

/// Opens the engine with the settings of the session's repository.
fn open_for(
    environment: Environment,
    flags: Vec<(String, String)>,
    id: &orchestra_core::SessionId,
) -> Result<Engine, EngineError> {
    let options = OpenOptions {
        environment,
        repository: None,
        flags,
        program: own_program()?,
        clock: Clock::System,
    };
    let engine = Engine::open(options.clone())?;
    let root = engine.session(id)?.repository.root;
    drop(engine);
    Engine::open(OpenOptions {
        repository: Some(root),
        ..options
    })
}
