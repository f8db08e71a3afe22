//! The hidden modes: runner, guardian, the way into a sandbox and the generated reference. They are looked for before anything
//! else, so that a guardian stays small.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use orchestra_config::{DataDirs, Environment};
use orchestra_core::IterationNumber;
use orchestra_engine::{
    Clock, Engine, EngineError, GC_MODE, GUARDIAN_MODE, Gc, HookAnswer, HookCall, OpenOptions,
    PERMISSION_AT, PERMISSION_MODE, RUN_ITERATION, RUN_SCRIPT, RUNNER_MODE, SANDBOX_MODE,
    TAKE_OVER_SERVER, ask_hook_at, become_session_leader, chain, guardian_main, sandbox_main,
    serve_gate, serve_toolbox,
};

use crate::logging::{Destination, Log};
use crate::reference;

/// Runs a hidden mode if the arguments ask for one.
pub(crate) fn run(arguments: &[OsString]) -> Option<ExitCode> {
    let mode = arguments.get(1)?;
    if mode == GUARDIAN_MODE {
        return Some(guardian_main());
    }
    if mode == SANDBOX_MODE {
        return Some(sandbox_main(&arguments[2..]));
    }
    if mode == RUNNER_MODE {
        return Some(runner(&arguments[2..]));
    }
    if mode == PERMISSION_MODE {
        return Some(permission(&arguments[2..]));
    }
    if mode == GC_MODE {
        return Some(end(keep_house(&arguments[2..])));
    }
    if mode == MCP
        && let Some(code) = serve(&arguments[2..])
    {
        return Some(code);
    }
    if mode == REFERENCE_MODE {
        return Some(end(write_reference(arguments.get(2))));
    }
    None
}

/// The command that agents start to get tools; what a person can ask of it has a grammar.
const MCP: &str = "mcp";

/// Serves the tools of a session, or some of another server's, on standard input and output.
fn serve(arguments: &[OsString]) -> Option<ExitCode> {
    let environment = Environment::of_process();
    let served = match arguments {
        [what, tools] if what == "toolbox" => {
            own_program().map(|program| serve_toolbox(Path::new(tools), program, &environment))
        }
        [what, file, name] if what == "gate" => own_program().map(|program| {
            let name = name.to_string_lossy();
            serve_gate(Path::new(file), &name, program, &environment)
        }),
        _ => return None,
    };
    let served = served.and_then(|served| served.map_err(EngineError::from));
    Some(end(served.map_err(|error| chain::text(&error))))
}

/// The hidden argument that writes the generated pages of the documentation.
const REFERENCE_MODE: &str = "__reference";

fn write_reference(directory: Option<&OsString>) -> Result<(), String> {
    let directory = directory.ok_or("name the directory to write to")?;
    reference::write(Path::new(directory)).map_err(|error| error.to_string())
}

/// An agent waits ten seconds for the hook; whoever starts it needs some of them.
const HOOK_PATIENCE: Duration = Duration::from_secs(8);
/// What is not begun by then could be done after the agent was told that it was not.
const HOOK_WORK: Duration = Duration::from_secs(7);
/// Larger arguments are nothing that a person could decide about.
const LARGEST_INPUT: u64 = 8 * 1024 * 1024;
/// Whatever goes wrong, an agent that gets another code than 0 and 1 does not use the tool. With 1 it would wait for somebody
/// at a terminal.
const REJECTED: u8 = 2;

/// The hook that an agent asks before it uses a tool.
fn permission(arguments: &[OsString]) -> ExitCode {
    let words: Vec<String> = arguments
        .iter()
        .filter_map(|word| word.to_str().map(str::to_owned))
        .collect();
    let (done, answered) = mpsc::channel();
    // A store that somebody keeps locked must not keep the agent: the thread ends with the process.
    thread::spawn(move || done.send(ask_hook(&words)).ok());
    let answer = answered.recv_timeout(HOOK_PATIENCE);
    let reason = match answer {
        Ok(Ok(HookAnswer::Allow)) => return ExitCode::SUCCESS,
        Ok(Ok(HookAnswer::Reject(reason)) | Err(reason)) => reason,
        Err(_) => "it could not be told in time whether this is allowed; try again".to_owned(),
    };
    #[expect(clippy::print_stderr, reason = "the agent reads the reason there")]
    {
        eprintln!("{reason}");
    }
    ExitCode::from(REJECTED)
}

fn ask_hook(words: &[String]) -> Result<HookAnswer, String> {
    let until = Instant::now() + HOOK_WORK;
    let environment = Environment::of_process();
    let tool = environment.find(TOOL_NAME).and_then(|name| name.to_str());
    let tool = tool.ok_or("the tool has no name")?.to_owned();
    let mut input = Vec::new();
    let mut stdin = std::io::stdin().take(LARGEST_INPUT);
    stdin
        .read_to_end(&mut input)
        .map_err(|error| error.to_string())?;
    let untold = |error: String| format!("it cannot be told whether this is allowed: {error}");
    let (session, number, flags) = match words {
        [at, door] if at == PERMISSION_AT => {
            return ask_hook_at(Path::new(door), &tool, &input).map_err(untold);
        }
        [session, number, flags @ ..] => (session, number, flags),
        _ => return Err("the hook takes a session and an iteration".to_owned()),
    };
    let id = session.parse().map_err(|error| format!("{error}"))?;
    let number = number.parse().map_err(|error| format!("{error}"))?;
    let flags = flags.iter().filter_map(|flag| flag.split_once('='));
    let flags = flags.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let call = HookCall {
        tool: &tool,
        input: &input,
        until,
    };
    let answer = open_for(environment, flags.collect(), &id)
        .and_then(|engine| engine.answer_hook(&id, IterationNumber(number), &call));
    answer.map_err(|error| untold(chain::text(&error)))
}

/// The variable in which the agent names the tool.
const TOOL_NAME: &str = "AGENT_TOOL_NAME";

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
