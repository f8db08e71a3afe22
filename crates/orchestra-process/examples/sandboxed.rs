//! A program that builds sandboxes around others, and one to be held in them.
//!
//! `sandboxed ask <host:port>` asks through the proxy of its environment and prints the answer; `sandboxed connect <address>`
//! connects by itself; `sandboxed alone` talks with itself over loopback. `sandboxed hold <guardian> <workspace> <marker value>
//! <layers>` supervises a program in a sandbox, to be killed in tests.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;

use orchestra_process::{
    Bounds, CommandSpec, Guardian, Marker, Network, OnLoss, ProcessEvent, SANDBOX_MODE, Sandbox,
    SandboxLayers, become_session_leader, sandbox_main, supervise_within,
};

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    if args.get(1).is_some_and(|mode| mode == SANDBOX_MODE) {
        return sandbox_main(&args[2..]);
    }
    let words: Vec<&str> = args.iter().skip(1).filter_map(|it| it.to_str()).collect();
    let done = match words.as_slice() {
        ["ask", host] => ask(host),
        ["connect", address] => TcpStream::connect(address).map(|_| "connected".to_owned()),
        ["alone"] => talk_with_itself(),
        ["hold", guardian, workspace, marker, layers @ ..] => {
            hold(guardian, workspace, marker, layers).map_err(io::Error::other)
        }
        _ => Err(io::ErrorKind::InvalidInput.into()),
    };
    let said = done.unwrap_or_else(|error| format!("failed: {:?}", error.kind()));
    match writeln!(io::stdout(), "{said}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn ask(host: &str) -> io::Result<String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "a program of the test, not of the product"
    )]
    let proxy = std::env::var("http_proxy").map_err(io::Error::other)?;
    let mut proxy = TcpStream::connect(proxy.trim_start_matches("http://"))?;
    write!(proxy, "GET http://{host}/ HTTP/1.1\r\n\r\n")?;
    let mut answer = String::new();
    proxy.read_to_string(&mut answer)?;
    Ok(answer)
}

fn talk_with_itself() -> io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut here = TcpStream::connect(listener.local_addr()?)?;
    let (mut there, _) = listener.accept()?;
    here.write_all(b"hello")?;
    let mut heard = [0; 5];
    there.read_exact(&mut heard)?;
    Ok(String::from_utf8_lossy(&heard).into_owned())
}

fn hold(
    guardian: &str,
    workspace: &str,
    marker: &str,
    layers: &[&str],
) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    become_session_leader()?;
    let mut present = SandboxLayers::present(Some("/usr/bin:/bin".as_ref()));
    present.landlock = present.landlock.filter(|_| layers.contains(&"landlock"));
    present.bubblewrap = present
        .bubblewrap
        .filter(|_| layers.contains(&"bubblewrap"));
    let sandbox = Sandbox {
        writable: vec![workspace.into()],
        hidden: Vec::new(),
        readable: Vec::new(),
        replaced: Vec::new(),
        network: Network::Off,
        layers: present,
        helper: std::env::current_exe()?,
    };
    let bounds = Bounds {
        sandbox: Some(sandbox),
        ..Bounds::default()
    };
    let guardian = Guardian {
        program: guardian.into(),
        args: Vec::new(),
    };
    let spec = CommandSpec::new("/bin/sh", workspace)
        .args(["-c", "setsid sleep 61 & echo ready; sleep 61"])
        .env("PATH", "/usr/bin:/bin");
    let marker = Marker::new("HOLDER_RUN", marker);
    let mut held = supervise_within(&guardian, &spec, &bounds, &marker, OnLoss::End)?;
    writeln!(
        io::stdout(),
        "guardian {}",
        held.guardian_pid().unwrap_or(0)
    )?;
    loop {
        match held.next(std::time::Duration::from_secs(60)) {
            Some(ProcessEvent::Stdout(bytes)) => io::stdout().write_all(&bytes)?,
            Some(ProcessEvent::Stderr(_)) => {}
            Some(ProcessEvent::Exited(ended)) => {
                return Ok(format!("lost {}", ended.guardian_lost));
            }
            None => return Ok("nothing happens".to_owned()),
        }
    }
}
