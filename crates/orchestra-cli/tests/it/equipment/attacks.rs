//! Toolboxes that mean harm. Nothing of them may reach an agent, and nothing may be left of them.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use orchestra_testkit::{Sandbox, processes, write_program};
use serde_json::Value;

use crate::world::World;

const MIB: u64 = 1024 * 1024;
const HONEST: &str = "#!/bin/sh\necho 'name: evil'\n";
/// A command line that no other program has.
const STAYS: &str = "86399.25";

/// What is done to a toolbox, and the words that it is refused with.
type Attack = (&'static str, fn(&Path), &'static str);

const ATTACKS: &[Attack] = &[
    (
        "a directory around it that everybody can write",
        |it| fs::set_permissions(it.parent().unwrap(), Permissions::from_mode(0o777)).unwrap(),
        "where it lies",
    ),
    (
        "a link to a file outside",
        |it| link(it, "../outside/evil", "evil"),
        "leads out",
    ),
    (
        "a link to a directory outside",
        |it| link(it, "../outside", "lib"),
        "leads out",
    ),
    (
        "a link by its whole path",
        |it| link(it, "/etc/passwd", "evil"),
        "leads out",
    ),
    ("a link by way of another", links_in_a_row, "leads out"),
    (
        "a link to a process' own file",
        |it| link(it, "/proc/self/exe", "evil"),
        "leads out",
    ),
    (
        "a file that others can write",
        |it| program(it, HONEST, 0o757),
        "others can write",
    ),
    (
        "a file that a group can write",
        |it| program(it, HONEST, 0o775),
        "others can write",
    ),
    (
        "a directory that others can write",
        open_directory,
        "others can write",
    ),
    (
        "a toolbox that others can write",
        |it| mode(it, 0o777),
        "others can write",
    ),
    (
        "a file with its owner's rights",
        |it| program(it, HONEST, 0o4755),
        "rights of its owner",
    ),
    ("a pipe", pipe, "a pipe"),
    (
        "a socket",
        |it| drop(UnixListener::bind(it.join("evil")).unwrap()),
        "a socket",
    ),
    (
        "a file that is too large",
        |it| sparse(it, "evil", 10 * MIB + 1),
        "larger than 10 MiB",
    ),
    (
        "files that are too large together",
        bomb,
        "larger than 100 MiB",
    ),
    ("ten thousand files", ten_thousand, "more than 1,000"),
    ("directories without end", deep, "too deep"),
    (
        "an ending that is not allowed",
        |it| sparse(it, "evil.exe", 1),
        "`.exe`",
    ),
    (
        "a description that takes for ever",
        |it| program(it, "#!/bin/sh\nsleep 86399.25\n", 0o755),
        "took longer",
    ),
    (
        "a description without end",
        |it| program(it, "#!/bin/sh\nexec yes name: evil\n", 0o755),
        "no end",
    ),
    ("processes that stay", forks, "left processes"),
    (
        "a path for a name",
        |it| program(it, "#!/bin/sh\necho 'name: ../../bin/evil'\n", 0o755),
        "its name must be",
    ),
    (
        "a description that fails",
        |it| program(it, "#!/bin/sh\necho 'name: evil'; exit 7\n", 0o755),
        "ended with",
    ),
    (
        "a description that is rubbish",
        |it| program(it, "#!/bin/sh\necho '{\"name\":'\n", 0o755),
        "cannot be read",
    ),
];

fn program(toolbox: &Path, text: &str, permissions: u32) {
    write_program(&toolbox.join("evil"), text);
    mode(&toolbox.join("evil"), permissions);
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn link(toolbox: &Path, to: &str, name: &str) {
    symlink(to, toolbox.join(name)).unwrap();
}

fn links_in_a_row(toolbox: &Path) {
    fs::create_dir(toolbox.join("lib")).unwrap();
    symlink("../../outside", toolbox.join("lib/way")).unwrap();
    symlink("lib/way/evil", toolbox.join("evil")).unwrap();
}

fn open_directory(toolbox: &Path) {
    fs::create_dir(toolbox.join("lib")).unwrap();
    write_program(&toolbox.join("lib/evil"), HONEST);
    mode(&toolbox.join("lib"), 0o777);
    symlink("lib/evil", toolbox.join("evil")).unwrap();
}

fn pipe(toolbox: &Path) {
    let made = rustix::fs::mkfifoat(rustix::fs::CWD, toolbox.join("evil"), 0o755.into());
    made.unwrap();
}

fn sparse(toolbox: &Path, name: &str, size: u64) {
    let file = File::create(toolbox.join(name)).unwrap();
    file.set_len(size).unwrap();
    mode(&toolbox.join(name), 0o644);
}

fn bomb(toolbox: &Path) {
    for number in 0..11 {
        sparse(toolbox, &format!("part{number:02}"), 10 * MIB);
    }
}

fn ten_thousand(toolbox: &Path) {
    for number in 0..10_000 {
        sparse(toolbox, &format!("file{number}"), 0);
    }
}

fn deep(toolbox: &Path) {
    fs::create_dir_all(toolbox.join("a/b/c/d/e/f/g/h/i/j")).unwrap();
}

fn forks(toolbox: &Path) {
    let script =
        "#!/bin/sh\nsetsid sleep 86399.25 > /dev/null 2>&1 &\necho 'name: evil'\nsleep 0.2\n";
    program(toolbox, script, 0o755);
}

/// Whether nothing of an attack is taken and the user is told so; else what was said instead.
fn refused(world: &World, toolbox: &Path, words: &str) -> Result<(), Value> {
    let path = toolbox.to_string_lossy();
    let looked = world.orchestra(&["toolbox", "list", "--toolbox", &path, "--json"]);
    let looked = looked.ok().json();
    let why = |it: &Value| it["why"].as_str().unwrap().contains(words);
    let is_told = looked["refused"].as_array().unwrap().iter().any(why);
    // What is good beside it stays, unless nothing of the toolbox can be trusted.
    let tools = looked["tools"].as_array().unwrap().iter();
    let is_clean = tools.into_iter().all(|tool| tool["name"] == "good");
    match is_told && is_clean {
        true => Ok(()),
        false => Err(looked),
    }
}

fn world() -> World {
    let sandbox = Sandbox::new();
    World::of(sandbox.with_variable("ORCHESTRA_RUNTIME_DESCRIBE_TIMEOUT", "3s"))
}

#[test]
fn toolbox_attacks_are_refused() {
    let world = world();
    let mut held = 0;
    for (number, (name, attack, words)) in ATTACKS.iter().enumerate() {
        let around = world.sandbox.path(&format!("attack{number}"));
        let toolbox = around.join("tools");
        fs::create_dir_all(&toolbox).unwrap();
        fs::create_dir_all(around.join("outside")).unwrap();
        write_program(&around.join("outside/evil"), HONEST);
        write_program(&toolbox.join("good"), "#!/bin/sh\necho 'name: good'\n");
        attack(&toolbox);
        match refused(&world, &toolbox, words) {
            Ok(()) => held += 1,
            Err(looked) => println!("not refused: {name}: {looked}"),
        }
    }
    let count = ATTACKS.len();
    println!("toolbox attacks {count}, refused {held}");
    assert_eq!(held, count);
    assert_eq!(processes::mentioning(STAYS), [0; 0]);
}

#[test]
fn nothing_lies_where_no_toolbox_may() {
    let world = world();
    let repository = world.sandbox.path("x/.git/tools");
    let own = world.sandbox.data_dir().join("tools");
    let keys = world.sandbox.home().join(".ssh");
    for place in [&repository, &own, &keys] {
        fs::create_dir_all(place).unwrap();
        write_program(&place.join("evil"), HONEST);
        refused(&world, place, "where no toolbox may").unwrap();
    }
    let by_link = world.sandbox.path("innocent");
    symlink(&keys, &by_link).unwrap();
    refused(&world, &by_link, "where no toolbox may").unwrap();
    refused(&world, &world.sandbox.home(), "no directory for tools").unwrap();
    refused(&world, Path::new("/"), "no directory for tools").unwrap();
    refused(&world, Path::new("/proc/self/fd"), "where no toolbox may").unwrap();
}
