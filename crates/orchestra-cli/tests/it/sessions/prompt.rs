//! Where a prompt can come from.

use std::io::Write;
use std::process::Stdio;

use crate::ran::{ended, ran};
use crate::world::World;

fn prompt_of(world: &World, name: &str) -> Option<String> {
    world.value(&format!(
        "SELECT prompt FROM sessions WHERE name = '{name}'"
    ))
}

#[test]
fn text_a_file_and_standard_input() {
    let world = World::new();
    world
        .run(&["new", "--name", "text", "--prompt", "-- do - this"])
        .ok();
    assert_eq!(prompt_of(&world, "text").unwrap(), "-- do - this");
    world.repository.write("task.md", "From a file\n\nTwo\n");
    world
        .run(&["new", "--name", "file", "--prompt", "@task.md"])
        .ok();
    assert_eq!(prompt_of(&world, "file").unwrap(), "From a file\n\nTwo\n");
    let mut command = world.session_command(&["new", "--name", "stdin", "--prompt", "-"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all("Grüße von stdin\n".as_bytes()).unwrap();
    drop(input);
    ended(child).ok();
    assert_eq!(prompt_of(&world, "stdin").unwrap(), "Grüße von stdin\n");
}

#[test]
fn an_empty_or_unreadable_prompt_is_refused() {
    let world = World::new();
    world.repository.write("empty.md", " \n\n");
    let before = world.outside();
    for prompt in ["", "  \n", "@empty.md", "-"] {
        world
            .run(&["new", "--name", "x", "--prompt", prompt])
            .ends_with(2)
            .says("the prompt is empty");
    }
    world
        .run(&["new", "--name", "x"])
        .ends_with(2)
        .says("--prompt @file");
    world
        .run(&["new", "--name", "x", "--prompt", "@missing.md"])
        .ends_with(2)
        .says("missing.md");
    assert_eq!(world.outside(), before);
}

#[test]
fn a_binary_prompt_file_is_refused() {
    let world = World::new();
    std::fs::write(world.repository.path("blob"), [0xff, 0xfe, 0x00]).unwrap();
    let before = world.outside();
    let command = world.session_command(&["new", "--name", "x", "--prompt", "@blob", "--json"]);
    let error = ran(command).ends_with(2).json();
    assert!(error["error"]["hint"].is_string(), "{error}");
    assert_eq!(world.outside(), before);
}

/// Runs `new` on a terminal of its own with an editor that is a shell script.
#[cfg(target_os = "linux")]
fn typed(world: &World, editor: &str, words: &str) -> crate::ran::Ran {
    let program = world.sandbox.path("editor.sh");
    orchestra_testkit::write_program(&program, &format!("#!/bin/sh\n{editor}\n"));
    let line = format!(
        "'{}' session new {words} --set-config ui.editor='{}'",
        orchestra_testkit::bin("orchestra").display(),
        program.display()
    );
    let mut command = world.sandbox.command("script".as_ref());
    command.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    command.current_dir(world.repository.root());
    ran(command)
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_is_typed_for_a_session_that_cannot_be_made() {
    let world = World::new();
    world.session("taken");
    let opened = world.sandbox.path("opened");
    let editor = format!("touch '{}'", opened.display());
    let cases = [
        ("--name taken", 3, "already has a session"),
        ("--name x --base nope", 3, "no branch called"),
        ("--name x --agent nope", 2, "nope"),
        ("--name x --branch nope", 3, "no branch called"),
    ];
    for (words, code, message) in cases {
        typed(&world, &editor, words).ends_with(code).says(message);
        assert!(!opened.exists(), "{words}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn what_was_typed_is_private_and_kept_if_the_session_cannot_be_made() {
    let world = World::new();
    let seen = world.sandbox.path("seen");
    let orchestra = orchestra_testkit::bin("orchestra");
    // Somebody takes the name meanwhile.
    let editor = format!(
        "stat -c %a \"$(dirname \"$1\")/..\" > '{}'; echo 'Typed by hand' > \"$1\"\n'{}' session new --repo '{}' --name x --prompt other",
        seen.display(),
        orchestra.display(),
        world.repository.root().display()
    );
    typed(&world, &editor, "--name x").ends_with(3).says("kept");
    assert_eq!(std::fs::read_to_string(seen).unwrap().trim(), "700");
    let kept = world.sandbox.data_dir().join("prompts");
    let kept: Vec<_> = std::fs::read_dir(kept).unwrap().collect();
    let kept = kept[0].as_ref().unwrap().path();
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "Typed by hand");
    let editing = world.sandbox.data_dir().join("editing");
    assert_eq!(std::fs::read_dir(&editing).unwrap().count(), 0);

    typed(&world, "exit 3", "--name y")
        .ends_with(2)
        .says("the editor ended with exit code 3");
    std::fs::create_dir(editing.join("1-1-abandoned")).unwrap();
    typed(&world, "echo 'Typed' > \"$1\"", "--name y").ends_with(0);
    assert_eq!(prompt_of(&world, "y").unwrap(), "Typed");
    assert_eq!(std::fs::read_dir(&editing).unwrap().count(), 0);
}
