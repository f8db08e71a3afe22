//! A program that supervises some commands, to be killed in tests: the stand-in for a runner.
//!
//! `holder <count> <guardian> <marker value> <directory> <program> [arguments]`

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use orchestra_process::{
    CommandSpec, Guardian, Marker, OnLoss, ProcessEvent, ResourceLimits, Supervised,
    become_session_leader, supervise,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    become_session_leader()?;
    let mut args = std::env::args_os().skip(1);
    let mut next = || args.next().ok_or("an argument is missing");
    let count: usize = next()?.to_string_lossy().parse()?;
    let program = PathBuf::from(next()?);
    let marker = next()?.to_string_lossy().into_owned();
    let (directory, agent) = (next()?, next()?);
    let guardian = Guardian {
        program,
        args: Vec::new(),
    };
    let spec = CommandSpec::new(agent, directory)
        .args(args.collect::<Vec<OsString>>())
        .env("PATH", "/usr/bin:/bin");
    let start = |index: usize| {
        let marker = Marker::new("HOLDER_RUN", format!("{marker}/{index}"));
        let limits = ResourceLimits::default();
        supervise(&guardian, &spec, &limits, &marker, OnLoss::End)
    };
    let mut running: Vec<Supervised> = (0..count).map(start).collect::<Result<_, _>>()?;
    writeln!(io::stdout(), "holder {}", std::process::id())?;
    for supervised in &running {
        let guardian_pid = supervised.guardian_pid().unwrap_or(0);
        writeln!(io::stdout(), "guardian {guardian_pid}")?;
    }
    let mut ended = 0;
    while ended < count {
        for (index, supervised) in running.iter_mut().enumerate() {
            if let Some(ProcessEvent::Exited(end)) = supervised.next(Duration::from_millis(20)) {
                let (lost, swept) = (end.guardian_lost, end.swept);
                writeln!(io::stdout(), "ended {index} lost {lost} swept {swept}")?;
                ended += 1;
            }
        }
    }
    Ok(())
}
