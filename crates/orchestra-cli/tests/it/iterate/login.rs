//! An agent that is not logged in: refused before the run, ended at once during it.

use std::time::{Duration, Instant};

use orchestra_testkit::{Sandbox, write_program};

use crate::ran::ran;
use crate::world::World;

#[test]
fn a_missing_login_is_noticed_before_the_run() {
    let world = World::new();
    let made = world.session("one");
    let mut command = world.session_command(&["iterate", "one", "--json"]);
    command.env_remove("AMP_API_KEY");
    let error = ran(command).ends_with(4).json();
    assert_eq!(error["error"]["code"], "agent.not_logged_in");
    assert!(
        error["error"]["hint"].as_str().unwrap().contains("login"),
        "{error}"
    );
    assert_eq!(world.count("SELECT count(*) FROM iterations"), 0);
    assert_eq!(
        world.json(&["status", &made.id])["session"]["status"],
        "idle"
    );
    world.wait_until_quiet();
}

#[test]
fn a_login_prompt_ends_the_run_and_its_link_is_not_kept() {
    // The program drops the key before the agent sees it, so that the agent prompts although one is set.
    let sandbox = Sandbox::new();
    let agent = sandbox.agent_command();
    let wrapper = sandbox.path("amp-without-key");
    write_program(
        &wrapper,
        &format!("#!/bin/sh\nunset AMP_API_KEY\nexec {agent} \"$@\"\n"),
    );
    let wrapper = wrapper.to_string_lossy().into_owned();
    let world = World::of(sandbox.with_variable("ORCHESTRA_AGENTS_AMP_COMMAND", wrapper));
    let made = world.session("one");
    let start = Instant::now();
    world
        .run(&["iterate", "one"])
        .ends_with(4)
        .says("logged in");
    assert!(
        start.elapsed() < Duration::from_secs(45),
        "{:?}",
        start.elapsed()
    );
    let outcome = world.iteration(&made, 1, "outcome").unwrap();
    assert!(outcome.contains("not_logged_in"), "{outcome}");
    assert_eq!(
        files_with(&world.sandbox.data_dir(), b"cli-login"),
        Vec::<String>::new()
    );
    assert_eq!(
        files_with(&world.sandbox.data_dir(), b"not-a-token"),
        Vec::<String>::new()
    );
    world.wait_until_quiet();
}

fn files_with(folder: &std::path::Path, needle: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, needle));
        } else {
            let bytes = std::fs::read(&path).unwrap_or_default();
            if bytes.windows(needle.len()).any(|window| window == needle) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}
