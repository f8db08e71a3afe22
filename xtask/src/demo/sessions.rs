//! The demo's three sessions: what they are asked, and the commands that start them.

use std::path::Path;

use super::place::Place;
use crate::failure::Failure;
use crate::{files, program};

/// The script that judges each iteration: the sample's own tests.
const SCRIPT: &str = "node --test";

/// The session whose first try fails its tests; its second one repairs them.
pub(super) const FAILS_FIRST: &str = "empty-file";
/// The session that lands.
pub(super) const LANDS: &str = "longest-word";
/// A session that passes at once.
pub(super) const PASSES: &str = "json-output";

/// A session and what the scripted agent does in it.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) name: &'static str,
    prompt: &'static str,
    scenario: &'static str,
}

pub(super) const PLANS: [Plan; 3] = [
    Plan {
        name: LANDS,
        prompt: "Report the length of the longest word as well, with a test.",
        scenario: include_str!("../../sample/scenarios/longest-word.toml"),
    },
    Plan {
        name: PASSES,
        prompt: "Add a --json option that prints one object per file. Document it in the README.",
        scenario: include_str!("../../sample/scenarios/json-output.toml"),
    },
    Plan {
        name: FAILS_FIRST,
        prompt: "An empty file has no lines, but tally says 1. Fix it, with a test.",
        scenario: include_str!("../../sample/scenarios/empty-file.toml"),
    },
];

/// Makes the sessions, each with its branch and worktree.
pub(super) fn create(place: &Place) -> Result<(), Failure> {
    for plan in &PLANS {
        let scenario = place.scenarios().join(format!("{}.toml", plan.name));
        files::write(&scenario, plan.scenario)?;
        let mut command = place.orchestra();
        command.args(["session", "new", "--repo", ".", "--agent", "demo"]);
        command.args(["--name", plan.name, "--script", SCRIPT]);
        command.args(["--prompt", &prompt(plan, &scenario)]);
        program::output(&mut command)?;
        println!("new session  {:<14} {}", plan.name, plan.prompt);
    }
    Ok(())
}

/// Starts all of them; none waits for another.
pub(super) fn start(place: &Place) -> Result<(), Failure> {
    for plan in &PLANS {
        let mut command = place.orchestra();
        program::output(command.args(["session", "iterate", plan.name, "--detach"]))?;
    }
    Ok(())
}

/// The scripted agent reads its scenario's path from the prompt.
fn prompt(plan: &Plan, scenario: &Path) -> String {
    format!("{}\n\nscenario: {}", plan.prompt, scenario.display())
}

#[cfg(test)]
mod tests;
