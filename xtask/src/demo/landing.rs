//! The end of the demo: one session lands, another one meets it, and the agent resolves the conflict.

use super::place::Place;
use super::sessions::{FAILS_FIRST, LANDS};
use crate::failure::Failure;
use crate::program;

/// What `rebase` ends with when a commit does not fit.
const CONFLICTS: i32 = 7;

/// Shows each command as a person would type it, and what it answers.
pub(super) fn play(place: &Place) -> Result<(), Failure> {
    println!("\n{LANDS} is good; it lands.");
    show(place, &["approve", LANDS], 0)?;
    show(place, &["merge", LANDS], 0)?;
    println!("\n{FAILS_FIRST} failed its tests; the agent looks again.");
    let notes = ["--notes", "Make all tests pass."];
    show(place, &[&["iterate", FAILS_FIRST], &notes[..]].concat(), 0)?;
    println!("\nBoth added a test at the same place.");
    show(place, &["rebase", FAILS_FIRST, "--onto", "main"], CONFLICTS)?;
    show(place, &["conflicts", FAILS_FIRST], 0)?;
    show(place, &["iterate", FAILS_FIRST], 0)
}

fn show(place: &Place, words: &[&str], expected: i32) -> Result<(), Failure> {
    let mut command = place.orchestra();
    command.arg("session").args(words);
    println!("\n$ {}", program::line(&command));
    let status = program::status(&mut command)?;
    if status.code() == Some(expected) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "`{}` ended with {status}",
        program::line(&command)
    )))
}
