//! The script after an iteration: it marks the iteration, and the agent hears of a failure.

use std::io::{BufRead, BufReader, Read};

use crate::world::World;

#[test]
fn a_passing_script_marks_the_iteration() {
    let world = World::new();
    let made = world.session_with("one", &["--script", "test -f README.md && echo fine"]);
    world.run(&["iterate", "one"]).ok().says("script passed");
    assert_eq!(
        world.iteration(&made, 1, "script_passed").as_deref(),
        Some("1")
    );
    let result = world.value("SELECT result FROM script_runs").unwrap();
    assert!(
        result.contains("exited") && result.contains('0'),
        "{result}"
    );
    assert_eq!(
        world.json(&["list", "--needs-me"])["sessions"][0]["name"],
        serde_json::Value::Null
    );
    world
        .run(&["list", "--needs-me"])
        .ok()
        .says("no session needs you");
}

#[test]
fn a_script_is_announced_and_shown_while_it_runs() {
    let world = World::new();
    let go = world.sandbox.path("go");
    let script = format!(
        "echo early-words; while ! test -f '{}'; do sleep 0.05; done; echo late-words >&2",
        go.display()
    );
    world.session_with("one", &["--script", &script]);
    let mut child = world.start(&["iterate", "one"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "early-words"));
    std::fs::write(go, "").unwrap();
    assert!(lines.any(|line| line.unwrap() == "late-words"));
    let mut narration = String::new();
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_to_string(&mut narration).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(narration.contains(&format!("$ {script}\n")), "{narration}");
}

#[test]
fn a_failing_script_is_told_to_the_agent() {
    let world = World::new();
    let script = "echo out-words; echo err-words >&2; test -f fixed";
    let made = world.session_with("one", &["--script", script]);
    world
        .run(&["iterate", "one"])
        .ends_with(5)
        .says("script failed");
    assert_eq!(
        world.iteration(&made, 1, "script_passed").as_deref(),
        Some("0")
    );
    let outcome = world.iteration(&made, 1, "outcome").unwrap();
    assert!(
        outcome.contains("succeeded"),
        "the agent did its work: {outcome}"
    );
    assert_eq!(
        world.json(&["list", "--needs-me"])["sessions"][0]["name"],
        "one"
    );
    world.run(&["wait", "one"]).ends_with(5);

    world.tree(&made).write("fixed", "");
    world.run(&["iterate", "one"]).ok();
    let threads = world.threads();
    let messages = threads[0]["messages"].to_string();
    for part in [script, "exited with 1", "out-words", "err-words"] {
        assert!(messages.contains(part), "no `{part}` in {messages}");
    }
    world.run(&["iterate", "one"]).ok();
    let turns = messages.matches("exited with 1").count();
    let messages = world.threads()[0]["messages"].to_string();
    assert_eq!(
        messages.matches("exited with 1").count(),
        turns,
        "told once"
    );
}

#[test]
fn a_script_that_was_ended_is_told_with_the_signal_or_the_limit() {
    let world = World::new();
    world.session_with("one", &["--script", "kill -9 $$"]);
    world
        .run(&["iterate", "one"])
        .ends_with(5)
        .says("the script was ended by signal 9");
    world
        .run(&["run", "one"])
        .ends_with(5)
        .says("kill -9 $$ (signal 9)");
    world
        .run(&["log", "one"])
        .ok()
        .says("failed (was ended by signal 9)");
    world.run(&["set", "one", "script", "sleep 60"]).ok();
    world
        .run(&["iterate", "one", "--set-config", "evaluation.timeout=1s"])
        .ends_with(5)
        .says("the script timed out: it took longer than 1s");
}

#[test]
fn a_failure_is_not_told_once_it_is_out_of_date() {
    let world = World::new();
    let made = world.session_with("one", &["--script", "echo red-words; test -f fixed"]);
    world.run(&["iterate", "one"]).ends_with(5);
    world.tree(&made).write("fixed", "");
    world.run(&["run", "one"]).ok();
    std::fs::remove_file(made.worktree.join("fixed")).unwrap();
    world.run(&["iterate", "one"]).ends_with(5);
    world.run(&["set", "one", "script", "true"]).ok();
    world.run(&["iterate", "one"]).ok();
    let messages = world.threads()[0]["messages"].to_string();
    assert!(!messages.contains("red-words"), "{messages}");
    world
        .run(&["set", "one", "script", "echo by-hand; false"])
        .ok();
    world.run(&["run", "one"]).ends_with(5);
    world.run(&["iterate", "one"]).ends_with(5);
    let messages = world.threads()[0]["messages"].to_string();
    assert!(messages.contains("by-hand"), "{messages}");
}

#[test]
fn a_failure_needs_nobody_once_it_is_out_of_date() {
    let world = World::new();
    let made = world.session_with("one", &["--script", "test -f fixed"]);
    let says = |expected: bool| {
        let listed = world.run(&["list"]).ok();
        assert_eq!(
            listed.stdout.contains("script failed"),
            expected,
            "{listed:?}"
        );
        let needs = &world.json(&["status", "one"])["session"]["needs_me"];
        assert_eq!(needs, expected);
        let overview = world.orchestra(&[]).ok();
        assert_eq!(overview.stdout.contains("its script failed"), expected);
    };
    world.run(&["iterate", "one"]).ends_with(5);
    says(true);
    world.tree(&made).write("fixed", "");
    world.run(&["run", "one"]).ok();
    says(false);
    world.run(&["set", "one", "script", "false"]).ok();
    says(false);
    world.run(&["run", "one"]).ends_with(5);
    says(true);
    world.run(&["set", "one", "script", ""]).ok();
    says(false);
}

#[test]
fn a_script_sees_the_commit_and_its_session() {
    let world = World::new();
    let note = world.sandbox.path("note");
    let script = format!(
        "echo \"$ORCHESTRA_SESSION $(git rev-list --count main..HEAD) ${{AMP_API_KEY-none}}\" > '{}'",
        note.display()
    );
    let made = world.session_with("one", &["--script", &script]);
    world.run(&["iterate", "one"]).ok();
    assert_eq!(
        std::fs::read_to_string(note).unwrap().trim(),
        format!("{} 1 none", made.id)
    );
}
