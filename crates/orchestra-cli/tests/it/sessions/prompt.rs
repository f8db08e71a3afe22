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
