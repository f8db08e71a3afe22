//! `fake-amp`: a program that speaks Amp's command line and does what a scenario says.
//!
//! `fake-amp exec --json` speaks as Codex does, `fake-amp -p --output-format stream-json --verbose` as Claude Code does.
//!
//! It needs no network and no account. Without a scenario it makes a small edit that suits the prompt, which is what
//! the demo agent shows to users.
//!
//! `fake-amp acp` does the same over the Agent Client Protocol.
//!
//! # Knobs
//! Each is an option `--fake-<name> <value>` or an environment variable `FAKE_AMP_<NAME>`; the option wins.
//!
//! | name | meaning | default |
//! |---|---|---|
//! | `build` | which build of Amp to imitate: `jan`, `feb`, `may`, `new` | `new` |
//! | `scenario` | the scenario file, TOML or JSON; a prompt line `scenario: <path>` wins | none |
//! | `home` | where threads are kept | `fake-amp` in `$XDG_DATA_HOME` or `$HOME/.local/share` |
//! | `pace-ms` | the pause before each step | 150 |
//! | `login-seconds` | how long the login prompt waits | 306 |
//! | `signed-in` | `true`: no `AMP_API_KEY` is needed | `false` |
//! | `fault` | fail as Amp does: see [`scenario::Fault`] | none |

mod acp;
mod build;
mod cancel;
mod cli;
mod default_edit;
mod dialect;
mod execute;
mod faults;
mod flags;
mod knobs;
mod login;
mod permissions;
pub mod scenario;
mod shapes;
mod spawn;
mod steps;
mod stream;
mod template;
mod terminal;
mod thread_commands;
mod threads;
mod turn;

use std::process::ExitCode;

use cli::{Command, Invocation};
use dialect::Dialect;
use knobs::Knobs;

/// Runs the agent with the process's own arguments and environment.
pub fn run() -> ExitCode {
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    if arguments.first().is_some_and(|first| first == spawn::CHILD) {
        return spawn::child_main(&arguments[1..]);
    }
    let (knobs, arguments) = match understand(arguments) {
        Ok(understood) => understood,
        Err(message) => return terminal::fail(build::Build::New, &message),
    };
    let build = match knobs.build() {
        Ok(build) => build,
        Err(message) => return terminal::fail(build::Build::New, &message),
    };
    match cli::parse(build, &arguments) {
        Ok(invocation) => dispatch(&knobs, &invocation),
        Err(message) => terminal::fail(build, &message),
    }
}

/// Takes out what is meant for the scripted agent itself, and turns other agents' words into Amp's.
fn understand(arguments: Vec<String>) -> Result<(Knobs, Vec<String>), String> {
    let (mut knobs, arguments) = Knobs::collect(arguments)?;
    let (dialect, arguments) = dialect::as_amp(arguments)?;
    knobs.set("dialect", dialect.name());
    if dialect != Dialect::Amp {
        // The other agents have other keys.
        knobs.set("signed-in", "true");
    }
    Ok((knobs, arguments))
}

fn dispatch(knobs: &Knobs, invocation: &Invocation) -> ExitCode {
    match &invocation.command {
        Command::Version => terminal::answer(build::version_text(invocation.build)),
        Command::Help => terminal::answer(&flags::help(invocation.build)),
        Command::Acp => acp::run(knobs),
        Command::Execute { thread } => execute::run(knobs, invocation, thread),
        Command::Threads(command) => thread_commands::run(knobs, invocation, command),
    }
}
