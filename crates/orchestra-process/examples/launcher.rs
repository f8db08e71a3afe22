//! A program that starts a detached one and waits to be killed: the stand-in for a face.
//!
//! `launcher <program> <log>`

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use orchestra_process::{CommandSpec, spawn_detached};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let program = args.next().ok_or("the program is missing")?;
    let log = File::create(args.next().ok_or("the log is missing")?)?;
    let pid = spawn_detached(&CommandSpec::new(program, "/"), log)?;
    writeln!(io::stdout(), "{pid}")?;
    thread::sleep(Duration::from_secs(60));
    Ok(())
}
