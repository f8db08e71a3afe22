//! The scenarios are played on the sample, so that neither can change without the other.

use std::fs;
use std::process::{Command, Stdio};

use orchestra_testkit::fake_amp::scenario::{Scenario, Step};

use super::*;
use crate::demo::sample;

#[test]
fn the_scenario_has_a_line_of_its_own() {
    let text = prompt(&PLANS[0], Path::new("/demo/a.toml"));
    assert_eq!(text.lines().last(), Some("scenario: /demo/a.toml"));
}

#[test]
fn the_tests_of_the_sample_pass_or_fail_as_planned() {
    for plan in &PLANS {
        let directory = tempfile::tempdir().unwrap();
        let repository = directory.path().join("tally");
        sample::write_program(&repository).unwrap();
        let scenario = directory.path().join("scenario.toml");
        fs::write(&scenario, plan.scenario).unwrap();
        let scenario = Scenario::load(&scenario).unwrap();
        play(&scenario.turn(0).steps, &repository);
        assert_eq!(
            script_passes(&repository),
            plan.name != FAILS_FIRST,
            "{}",
            plan.name
        );
        if plan.name == FAILS_FIRST {
            play(&scenario.turn(1).steps, &repository);
            assert!(script_passes(&repository), "{}", plan.name);
        }
    }
}

fn play(steps: &[Step], repository: &Path) {
    for step in steps {
        match step {
            Step::Edit { path, old, new } => {
                let path = repository.join(path);
                let text = fs::read_to_string(&path).unwrap();
                assert!(text.contains(old), "{} has no {old:?}", path.display());
                fs::write(path, text.replacen(old, new, 1)).unwrap();
            }
            Step::Append { path, text } => {
                let path = repository.join(path);
                let before = fs::read_to_string(&path).unwrap();
                fs::write(path, before + text).unwrap();
            }
            Step::Write { path, text } => fs::write(repository.join(path), text).unwrap(),
            Step::Message { .. } | Step::ToolCall { .. } | Step::Usage { .. } => {}
            other => panic!("the sample does not need {other:?}"),
        }
    }
}

fn script_passes(repository: &Path) -> bool {
    let mut words = SCRIPT.split(' ');
    let mut command = Command::new(words.next().unwrap());
    command.args(words).current_dir(repository);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    program::status(&mut command).unwrap().success()
}
