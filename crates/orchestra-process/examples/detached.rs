//! A program that detaches and then appends a line to its log until it is killed.

use std::io::{self, Write};
use std::time::Duration;

use orchestra_process::{WakeUps, become_session_leader};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    become_session_leader()?;
    let mut wake_ups = WakeUps::listen()?;
    for number in 0..600 {
        let woken = wake_ups.wait(Duration::from_millis(100))?;
        writeln!(io::stdout(), "line {number} woken {woken}")?;
    }
    Ok(())
}
