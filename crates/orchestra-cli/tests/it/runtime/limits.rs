//! Limits of what an agent takes from the machine: it is ended, the reason is told, and its work is kept.

use orchestra_testkit::Sandbox;

use crate::world::World;

/// A world whose agent is a shell script that first leaves some work.
fn doing(script: &str, limit: (&str, &str)) -> World {
    let sandbox = Sandbox::new();
    let path = sandbox.path("agent.sh");
    std::fs::write(&path, format!("echo kept > kept.txt\n{script}\n")).unwrap();
    let command = format!("sh {}", path.display());
    let sandbox = sandbox
        .with_variable("ORCHESTRA_AGENTS_SHELL_PROTOCOL", "command")
        .with_variable("ORCHESTRA_AGENTS_SHELL_COMMAND", command)
        .with_variable("ORCHESTRA_AGENTS_DEFAULT", "shell")
        .with_variable(limit.0, limit.1);
    World::of(sandbox)
}

#[track_caller]
fn assert_ended(world: &World, cause: &str, words: &str, setting: &str) {
    let made = world.session("one");
    world
        .run(&["iterate", "one"])
        .ends_with(4)
        .says(words)
        .says(setting);
    let outcome = world.iteration(&made, 1, "outcome").unwrap();
    assert!(outcome.contains(cause), "{outcome}");
    assert_eq!(world.tree(&made).git(&["show", "HEAD:kept.txt"]), "kept");
    world.wait_until_quiet();
}

#[test]
fn an_agent_that_takes_too_much_memory_is_ended() {
    // Without an end of a line, `tail` keeps all of it until there is no more.
    let world = doing(
        "(head -c 400000000 /dev/zero; sleep 60) | tail > /dev/null",
        ("ORCHESTRA_LIMITS_MEMORY", "100MB"),
    );
    assert_ended(&world, "memory_limit", "of memory where", "limits.memory");
}

#[test]
fn an_agent_with_too_many_processes_is_ended() {
    let world = doing(
        "n=0; while [ $n -lt 40 ]; do sleep 60 & n=$((n + 1)); done; wait",
        ("ORCHESTRA_LIMITS_PROCESSES", "20"),
    );
    assert_ended(
        &world,
        "process_limit",
        "processes where 20",
        "limits.processes",
    );
}

#[test]
fn an_agent_cannot_write_a_file_that_is_too_large() {
    let world = doing(
        "head -c 3000000 /dev/zero > large.bin; echo done",
        ("ORCHESTRA_LIMITS_FILE_SIZE", "1MB"),
    );
    let made = world.session("one");
    world.run(&["iterate", "one"]);
    let size = world.tree(&made).git(&["cat-file", "-s", "HEAD:large.bin"]);
    assert_eq!(size, "1000000");
}
