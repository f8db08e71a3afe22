//! One turn: where its steps come from and how they run.

use std::path::Path;
use std::time::Duration;

use super::build::Build;
use super::cancel::{Cancel, Halt};
use super::default_edit;
use super::faults;
use super::knobs::Knobs;
use super::permissions::Permissions;
use super::scenario::{Fault, Scenario, Step};
use super::steps::Performer;
use super::stream::Transcript;
use super::threads::{Message, Store, Thread, ThreadError};

/// What a turn will do.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) fault: Option<Fault>,
    pub(crate) permissions: Permissions,
    steps: Vec<Step>,
    pace: Duration,
}

/// How a turn ended, as far as output and exit code go.
#[derive(Debug)]
pub(crate) enum Ending {
    Success,
    SuccessThenHang,
    SuccessThenExit(u8),
    Failure {
        subtype: String,
        text: String,
    },
    /// No result line.
    Nothing(u8),
    /// Whoever asked for the turn ended it.
    Cancelled,
}

impl Ending {
    pub(crate) fn failure(text: String) -> Self {
        let subtype = "error_during_execution".to_owned();
        Self::Failure { subtype, text }
    }
}

/// Counts the turn in its thread, and decides what it does.
pub(crate) fn begin(
    knobs: &Knobs,
    build: Build,
    (store, thread): (&Store, &mut Thread),
    prompt: &str,
    cwd: &Path,
) -> Result<Plan, String> {
    let number = thread.turns;
    thread.turns += 1;
    thread.messages.push(Message {
        role: "user".to_owned(),
        text: prompt.to_owned(),
    });
    // Amp's server knows what was asked from the start, so a turn that is cut off is part of the thread.
    let saved = store.save(thread);
    saved.map_err(|error| ThreadError::Io(error).line(build))?;
    let asked = thread
        .messages
        .iter()
        .filter(|message| message.role == "user");
    let asked: Vec<&str> = asked.map(|message| message.text.as_str()).collect();
    let mut plan = plan(knobs, prompt, &asked.join("\n\n"), number, cwd)?;
    plan.fault = plan.fault.or(knob_fault(knobs)?);
    let met = plan.fault.map(|fault| format!("{fault:?}"));
    let logged = knobs.log_turn(met.as_deref().unwrap_or("none"));
    logged.map_err(|error| error.to_string())?;
    Ok(plan)
}

fn knob_fault(knobs: &Knobs) -> Result<Option<Fault>, String> {
    if knobs.is_fault_over() {
        return Ok(None);
    }
    knobs.text("fault").map(faults::from_name).transpose()
}

/// The scenario named in what the user asked in this thread so far or by the knob, else an edit that suits the prompt.
fn plan(knobs: &Knobs, prompt: &str, asked: &str, turn: usize, cwd: &Path) -> Result<Plan, String> {
    let named = scenario_line(asked).or_else(|| knobs.text("scenario"));
    let Some(path) = named else {
        return Ok(Plan {
            fault: None,
            permissions: Permissions::default(),
            steps: default_edit::steps(prompt, asked, turn, cwd),
            pace: knobs.pace(),
        });
    };
    let scenario = Scenario::load(&cwd.join(path)).map_err(|error| chain(&error))?;
    let pace = scenario.pace_ms.map_or(knobs.pace(), Duration::from_millis);
    let turn = scenario.turn(turn);
    Ok(Plan {
        fault: turn.fault,
        permissions: Permissions::default(),
        steps: turn.steps,
        pace,
    })
}

/// Runs the steps; without a step that ends the turn, it ends well.
pub(crate) fn run(
    build: Build,
    plan: &Plan,
    cwd: &Path,
    transcript: &mut Transcript,
    cancel: &Cancel,
) -> Result<Ending, Halt> {
    let mut performer = Performer::new(build, cwd, transcript, cancel).under(&plan.permissions);
    for step in &plan.steps {
        performer.settle(step)?;
        cancel.pause(plan.pace)?;
        if let Some(ending) = performer.perform(step)? {
            return Ok(ending);
        }
    }
    transcript.end_turn()?;
    Ok(Ending::Success)
}

/// The last such line wins: a follow-up stands below the prompt it follows.
fn scenario_line(prompt: &str) -> Option<&str> {
    let lines = prompt.lines().rev();
    lines
        .filter_map(|line| line.trim().strip_prefix("scenario:"))
        .map(str::trim)
        .next()
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_scenario_line_wins() {
        let prompt = "do it\nscenario: a.toml\nthen\n  scenario:  b.toml \nend";
        assert_eq!(scenario_line(prompt), Some("b.toml"));
        assert_eq!(scenario_line("write a scenario: one"), None);
    }
}
