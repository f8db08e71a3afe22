//! A program that supervises a command which is to outlive it, to be killed in tests: the stand-in
//! for the runner of a server.
//!
//! `keeper <guardian> <meeting> <marker value> <directory> <program> [arguments]`

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use orchestra_process::{
    CommandSpec, Guardian, Marker, Meeting, OnLoss, ProcessEvent, ResourceLimits,
    become_session_leader, supervise,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    become_session_leader()?;
    let mut args = std::env::args_os().skip(1);
    let mut next = || args.next().ok_or("an argument is missing");
    let guardian = Guardian {
        program: PathBuf::from(next()?),
        args: Vec::new(),
    };
    let place = PathBuf::from(next()?);
    let marker = Marker::new("HOLDER_RUN", next()?.to_string_lossy());
    let (directory, program) = (next()?, next()?);
    let spec = CommandSpec::new(program, directory)
        .args(args.collect::<Vec<OsString>>())
        .env("PATH", "/usr/bin:/bin");
    let held = File::create(place.with_extension("held"))?;
    held.try_lock()?;
    let kept = OnLoss::Keep(Meeting { place, held });
    let limits = ResourceLimits::default();
    let mut supervised = supervise(&guardian, &spec, &limits, &marker, kept)?;
    let mut out = io::stdout();
    writeln!(out, "keeper {}", std::process::id())?;
    writeln!(out, "guardian {}", supervised.guardian_pid().unwrap_or(0))?;
    writeln!(out, "agent {}", supervised.pid())?;
    loop {
        match supervised.next(Duration::from_secs(60)) {
            Some(ProcessEvent::Stdout(bytes)) => out.write_all(&bytes)?,
            Some(ProcessEvent::Exited(_)) => return Ok(()),
            Some(ProcessEvent::Stderr(_)) | None => {}
        }
    }
}
