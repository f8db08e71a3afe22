//! A program that detaches and then appends a line to its log until it is killed.

use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use orchestra_process::become_session_leader;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    become_session_leader()?;
    for number in 0..600 {
        thread::sleep(Duration::from_millis(100));
        writeln!(io::stdout(), "line {number}")?;
    }
    Ok(())
}
