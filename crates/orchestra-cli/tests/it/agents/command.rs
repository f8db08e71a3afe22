//! Whole sessions with any command.

use std::path::PathBuf;

use orchestra_testkit::{Sandbox, wait_until, write_program};

use crate::world::{PATIENCE, World};

/// Counts how often it is run and keeps what it is told.
const AGENT: &str = r#"#!/bin/sh
number=$(cat "$0.count" 2>/dev/null || echo 0)
number=$((number + 1))
echo $number > "$0.count"
cat > "$0.$number"
case $number in
1) echo one > one.txt; echo "Working."; echo; echo "Wrote one.txt." ;;
2) echo "Which name shall I use?" ;;
3) echo three > three.txt; echo "Done." ;;
4) echo "429 Too Many Requests" >&2; exit 1 ;;
*) echo five > five.txt; sleep 600 ;;
esac
"#;

fn world() -> (World, PathBuf) {
    let sandbox = Sandbox::new();
    let program = sandbox.path("agent");
    write_program(&program, AGENT);
    let sandbox = described(sandbox, program.to_str().unwrap());
    (World::of(sandbox), program)
}

pub(super) fn described(sandbox: Sandbox, command: &str) -> Sandbox {
    sandbox
        .with_variable("ORCHESTRA_AGENTS_MINE_PROTOCOL", "command")
        .with_variable("ORCHESTRA_AGENTS_MINE_COMMAND", command)
        .with_variable("ORCHESTRA_AGENTS_DEFAULT", "mine")
        .with_variable("ORCHESTRA_AGENTS_RETRIES", "0")
}

#[test]
fn a_command_that_remembers_nothing_hears_everything_with_every_turn() {
    let (world, program) = world();
    let made = world.session("one");
    let told = |number: u32| {
        let file = format!("{}.{number}", program.display());
        std::fs::read_to_string(file).unwrap()
    };
    world.run(&["iterate", "one"]).ok().says("Wrote one.txt.");
    assert_eq!(told(1).trim(), "Greet amp");
    assert_eq!(world.tree(&made).git(&["show", "HEAD:one.txt"]), "one");
    assert_eq!(
        world.iteration(&made, 1, "summary").as_deref(),
        Some("Wrote one.txt.")
    );
    world
        .run(&["iterate", "one", "--notes", "Be quick"])
        .ends_with(6);
    world.run(&["answer", "one", "Take x"]).ok();
    let heard = told(3);
    for words in [
        "Greet amp",
        "one.txt",
        "Agent: Wrote one.txt.",
        "User: Be quick",
        "Agent: Which name shall I use?",
    ] {
        assert!(heard.contains(words), "{words} is not in {heard}");
    }
    assert!(heard.trim().ends_with("Take x"), "{heard}");
    assert_eq!(world.tree(&made).git(&["show", "HEAD:three.txt"]), "three");
    let transcript = world.run(&["transcript", "one"]).ok();
    transcript.says("Working.").says("Which name");
}

#[test]
fn its_failures_and_its_end_are_told_truly() {
    let (world, _) = world();
    let made = world.session("one");
    for words in [
        &["iterate", "one"][..],
        &["iterate", "one"],
        &["answer", "one", "x"],
    ] {
        world.run(words);
    }
    world.run(&["iterate", "one"]).says("Too Many Requests");
    let outcome = world.iteration(&made, 4, "outcome").unwrap();
    assert!(outcome.contains("blocked"), "{outcome}");
    let child = world.start(&["iterate", "one"]);
    wait_until("the command has written", PATIENCE, || {
        made.worktree.join("five.txt").exists()
    });
    world.run(&["stop", "one"]).ok();
    crate::ran::ended(child);
    let outcome = world.iteration(&made, 5, "outcome").unwrap();
    assert!(outcome.contains("stopped"), "{outcome}");
    assert_eq!(world.tree(&made).git(&["show", "HEAD:five.txt"]), "five");
    world.wait_until_quiet();
}

#[test]
fn the_prompt_can_be_a_word_of_the_command() {
    let command = "sh -c 'printf %s \"$1\" > said.txt' sh '<{prompt}>'";
    let world = World::of(described(Sandbox::new(), command));
    let prompt = "it's \"so\" $(touch evil)";
    world
        .run(&["new", "--name", "one", "--prompt", prompt])
        .ok();
    world.run(&["iterate", "one"]).ok();
    let tree = world.tree(&world.made("one"));
    assert_eq!(tree.git(&["show", "HEAD:said.txt"]), format!("<{prompt}>"));
    assert_eq!(tree.git(&["ls-files"]), "README.md\nsaid.txt");
}
