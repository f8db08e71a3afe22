//! What the agent does without a scenario.

use orchestra_testkit::Sandbox;

use crate::agent::run;

#[test]
fn it_edits_a_fitting_file_and_says_so() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    repository.write("src/lib.rs", "pub fn one() -> u32 {\n    1\n}\n");
    repository.commit("code");
    let run = run(
        &sandbox,
        &["-x", "Add a function that adds numbers", "--stream-json"],
    );
    assert_eq!(repository.git(&["diff", "--name-only"]), "src/lib.rs");
    assert!(
        repository
            .read("src/lib.rs")
            .contains("pub fn add_function_that_adds_numbers()")
    );
    let tools: Vec<String> = run
        .lines()
        .iter()
        .filter_map(|line| Some(line["message"]["content"][1]["name"].as_str()?.to_owned()))
        .collect();
    assert_eq!(tools, ["Read", "apply_patch"]);
    assert_eq!(run.result()["subtype"], "success");
}

#[test]
fn different_prompts_touch_different_files() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    repository.write("tests/one.py", "def test_one():\n    assert True\n");
    repository.write("one.py", "def one():\n    return 1\n");
    repository.commit("code");
    for prompt in [
        "Add a test for one",
        "Add a function two",
        "Document the usage",
    ] {
        run(&sandbox, &["-x", prompt, "--stream-json"]);
    }
    let changed = repository.git(&["diff", "--name-only"]);
    assert_eq!(
        changed.lines().collect::<Vec<_>>(),
        ["README.md", "one.py", "tests/one.py"]
    );
}

#[test]
fn it_asks_when_told_to_and_goes_on_when_answered() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    let flags = ["--stream-json", "--no-archive-after-execute"];
    let asked = run(
        &sandbox,
        &[&["-x", "Rename things, but ask me first"], &flags[..]].concat(),
    );
    assert!(asked.result()["result"].as_str().unwrap().ends_with('?'));
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
    run(
        &sandbox,
        &[
            "threads",
            "continue",
            &asked.thread(),
            "-x",
            "call it amp in README.md",
            "--stream-json",
        ],
    );
    assert_eq!(repository.git(&["diff", "--name-only"]), "README.md");
}

#[test]
fn a_demo_needs_no_key() {
    let sandbox = Sandbox::new().with_knob("signed-in", "true");
    sandbox.repository("app");
    let output = sandbox
        .fake_amp()
        .env_remove("AMP_API_KEY")
        .args(["-x", "improve README.md"])
        .output()
        .unwrap();
    assert!(output.status.success());
}
