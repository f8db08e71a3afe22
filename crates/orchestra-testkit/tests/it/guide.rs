//! The guide tells everything a scenario can say: somebody with only the program has nowhere else to look.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::Path;

use orchestra_testkit::fake_amp::scenario::{Scenario, SpawnShape};

fn guide() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/scripted-agent.md");
    std::fs::read_to_string(path).unwrap()
}

/// The words in backquotes.
fn quoted(text: &str) -> BTreeSet<String> {
    let parts = text.split('`').skip(1).step_by(2);
    parts.map(str::to_owned).collect()
}

/// What is expected where something unknown stands; only the reader itself knows all of it. A step without fields expects
/// none, and does not mind.
fn expected(scenario: &str) -> BTreeSet<String> {
    let Err(error) = toml::from_str::<Scenario>(scenario) else {
        return BTreeSet::new();
    };
    let listed = error.message().split_once("expected");
    quoted(listed.map_or("", |(_, listed)| listed))
}

fn row(guide: &str, step: &str) -> String {
    let beginning = format!("| `{step}` |");
    let row = guide.lines().find(|line| line.starts_with(&beginning));
    row.unwrap_or_else(|| panic!("no row for `{step}`"))
        .to_owned()
}

#[test]
fn every_step_and_field_is_in_the_guide() {
    let guide = guide();
    let steps = expected("[[step]]\ndo = 'nothing of the kind'\n");
    assert!(steps.len() > 30, "{steps:?}");
    for step in steps {
        let row = row(&guide, &step);
        let fields = expected(&format!(
            "[[step]]\ndo = '{step}'\nnothing_of_the_kind = 1\n"
        ));
        let told = quoted(row.split('|').nth(2).unwrap());
        assert_eq!(told, fields, "{step}");
    }
    let words = quoted(&guide);
    let faults = expected("[[turn]]\nfault = 'none of them'\n");
    let shapes = SpawnShape::ALL.map(|shape| shape.name().to_owned());
    for word in faults.iter().chain(&shapes) {
        assert!(words.contains(word), "{word}");
    }
}

#[test]
fn its_examples_can_be_read() {
    let guide = guide();
    let mut examples = 0;
    for block in guide.split("```toml\n").skip(1) {
        let example = block.split("```").next().unwrap();
        toml::from_str::<Scenario>(example).unwrap();
        examples += 1;
    }
    assert!(examples > 0);
}
