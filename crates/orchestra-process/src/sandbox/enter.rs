//! The last steps into a sandbox, by the process that then becomes the program.

use std::ffi::OsString;
use std::process::ExitCode;

/// What a program does that was started with [`SANDBOX_MODE`](super::SANDBOX_MODE), with the words after it. It comes back only
/// if the program could not be started.
#[cfg(unix)]
pub fn sandbox_main(words: &[OsString]) -> ExitCode {
    use std::io::Write;
    let done = match words.split_first() {
        Some((mode, rest)) if mode == super::words::ENTER => inside::enter(rest),
        Some((mode, rest)) if mode == super::forward::BEGIN => super::forward::begin(rest),
        Some((mode, rest)) if mode == super::forward::CARRY => super::forward::carry(rest),
        Some((mode, _)) if mode == super::probe::MODE => super::probe::run_inside(),
        _ => Err(std::io::ErrorKind::InvalidInput.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell if this cannot be written.
            writeln!(std::io::stderr(), "cannot enter the sandbox: {error}").ok();
            ExitCode::from(NOT_ENTERED)
        }
    }
}

#[cfg(not(unix))]
pub fn sandbox_main(_words: &[OsString]) -> ExitCode {
    ExitCode::FAILURE
}

/// The code of a process that could not become the program.
#[cfg(unix)]
const NOT_ENTERED: u8 = 125;

#[cfg(unix)]
mod inside {
    use std::ffi::OsString;
    use std::io;
    use std::net::{Ipv4Addr, TcpListener};
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::Stdio;

    use crate::children;
    use crate::sandbox::forward;
    use crate::sandbox::proxy::proxy_variables;
    use crate::sandbox::words::{Entry, Inside};
    use crate::spec::CommandSpec;

    pub(super) fn enter(words: &[OsString]) -> io::Result<()> {
        let entry = Entry::from_words(words).ok_or(io::ErrorKind::InvalidInput)?;
        let proxy = match &entry.network {
            Inside::Nothing | Inside::NoTcp => None,
            Inside::ProxyPort(port) => Some(*port),
            Inside::ProxySocket {
                socket,
                local_ports,
            } => {
                for port in local_ports {
                    carry_to(socket, *port, Some(*port))?;
                }
                Some(carry_to(socket, 0, None)?)
            }
        };
        hold(&entry)?;
        become_program(&entry.command, proxy)
    }

    /// Before the process is held, so that the program cannot end what carries for it. Answers the port that is listened at.
    fn carry_to(socket: &Path, at: u16, outside: Option<u16>) -> io::Result<u16> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, at))?;
        let port = listener.local_addr()?.port();
        forward::start(listener, socket, outside)?;
        Ok(port)
    }

    #[cfg(target_os = "linux")]
    fn hold(entry: &Entry) -> io::Result<()> {
        match entry.landlock {
            Some(number) => {
                crate::sandbox::landlock::restrict(number, &entry.plan, &entry.network)?;
                crate::sandbox::capabilities::give_up()
            }
            None => Ok(()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn hold(entry: &Entry) -> io::Result<()> {
        match entry.landlock {
            Some(_) => Err(io::ErrorKind::Unsupported.into()),
            None => Ok(()),
        }
    }

    fn become_program(command: &[OsString], proxy: Option<u16>) -> io::Result<()> {
        let (program, args) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        #[expect(
            clippy::disallowed_methods,
            reason = "the program gets exactly the environment that this process was given for it"
        )]
        let environment = std::env::vars_os();
        let spec = CommandSpec::new(program, std::env::current_dir()?)
            .args(args)
            .envs(environment)
            .envs(proxy.map(proxy_variables).into_iter().flatten());
        let mut command = children::command(&spec).map_err(io::Error::other)?;
        let error = command.stdin(Stdio::inherit()).exec();
        let program = program.display();
        Err(io::Error::new(error.kind(), format!("{program}: {error}")))
    }
}
