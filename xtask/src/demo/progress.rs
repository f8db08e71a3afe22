//! Shows the sessions while they run: a table that redraws itself on a terminal, a line per change elsewhere.

mod listing;

use std::io::{IsTerminal, Write};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::place::Place;
use super::sessions::PLANS;
use crate::failure::Failure;
use crate::program;
use listing::Listing;

const INTERVAL: Duration = Duration::from_millis(200);

/// Follows the sessions until each of them has ended its iteration.
pub(super) fn follow(place: &Place, patience: Duration) -> Result<(), Failure> {
    let mut waits = Waits::start(place)?;
    let mut screen = Screen::new();
    let start = Instant::now();
    println!();
    loop {
        let finished = waits.all_ended()?;
        let listing = fetch(place)?;
        screen.show(&listing)?;
        if finished {
            return listing.require_work(&PLANS.map(|plan| plan.name));
        }
        if start.elapsed() > patience {
            return Err(Failure::new(format!(
                "the sessions did not end within {} seconds",
                patience.as_secs()
            )));
        }
        thread::sleep(INTERVAL);
    }
}

fn fetch(place: &Place) -> Result<Listing, Failure> {
    let text =
        program::output(
            place
                .orchestra()
                .args(["session", "list", "--json", "--no-refresh"]),
        )?;
    Listing::parse(&text)
}

/// One `session wait` per session: the product itself says when an iteration is over.
#[derive(Debug)]
struct Waits(Vec<Child>);

impl Waits {
    fn start(place: &Place) -> Result<Self, Failure> {
        let mut waits = Self(Vec::new());
        for plan in &PLANS {
            let mut command = place.orchestra();
            command.args(["session", "wait", plan.name]);
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let child = command
                .spawn()
                .map_err(|error| Failure::new("cannot wait for a session").because(error))?;
            waits.0.push(child);
        }
        Ok(waits)
    }

    /// How they ended does not matter here: a session may well fail its tests.
    fn all_ended(&mut self) -> Result<bool, Failure> {
        let mut ended = true;
        for child in &mut self.0 {
            let status = child.try_wait();
            let status =
                status.map_err(|error| Failure::new("cannot wait for a session").because(error))?;
            ended &= status.is_some();
        }
        Ok(ended)
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        for child in &mut self.0 {
            if matches!(child.try_wait(), Ok(None)) && child.kill().is_ok() {
                child.wait().ok();
            }
        }
    }
}

#[derive(Debug)]
struct Screen {
    is_terminal: bool,
    lines: Vec<String>,
}

impl Screen {
    fn new() -> Self {
        Self {
            is_terminal: std::io::stdout().is_terminal(),
            lines: Vec::new(),
        }
    }

    fn show(&mut self, listing: &Listing) -> Result<(), Failure> {
        let lines = listing.lines();
        let text = if self.is_terminal {
            redrawn(self.lines.len(), &lines)
        } else {
            changed(&self.lines, &lines)
        };
        self.lines = lines;
        let mut output = std::io::stdout().lock();
        output
            .write_all(text.as_bytes())
            .and_then(|()| output.flush())
            .map_err(|error| Failure::new("cannot print").because(error))
    }
}

/// Moves up over the lines drawn before and writes over them.
fn redrawn(before: usize, lines: &[String]) -> String {
    let up = if before > 0 {
        format!("\x1b[{before}A")
    } else {
        String::new()
    };
    let body: Vec<_> = lines
        .iter()
        .map(|line| format!("\x1b[2K{line}\n"))
        .collect();
    format!("{up}{}", body.concat())
}

fn changed(before: &[String], lines: &[String]) -> String {
    let new = lines.iter().filter(|line| !before.contains(line));
    new.map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_drawn_over() {
        let lines = ["a".to_owned(), "b".to_owned()];
        assert_eq!(redrawn(0, &lines), "\x1b[2Ka\n\x1b[2Kb\n");
        assert_eq!(redrawn(2, &lines), "\x1b[2A\x1b[2Ka\n\x1b[2Kb\n");
    }

    #[test]
    fn elsewhere_only_changes_are_printed() {
        let before = ["a idle".to_owned(), "b idle".to_owned()];
        let after = ["a running".to_owned(), "b idle".to_owned()];
        assert_eq!(changed(&before, &after), "a running\n");
        assert_eq!(changed(&after, &after), "");
    }
}
