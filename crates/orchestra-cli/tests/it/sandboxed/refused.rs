//! What is missing is refused with a way out, or told; never left out silently.

use std::ffi::OsString;
use std::os::unix::fs::symlink;

use orchestra_testkit::Sandbox;

use super::{held_world, holding, write};
use crate::ran::{Ran, ran};
use crate::world::World;

/// Programs of this machine, but for bubblewrap.
fn without_bubblewrap(world: &World) -> OsString {
    let folder = world.sandbox.path("programs");
    std::fs::create_dir_all(&folder).unwrap();
    let path = world.sandbox.env();
    let path = path
        .iter()
        .find(|(name, _)| name == "PATH")
        .unwrap()
        .1
        .clone();
    for directory in std::env::split_paths(&path) {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name != "bwrap" {
                // The first one counts.
                symlink(entry.path(), folder.join(name)).ok();
            }
        }
    }
    folder.into_os_string()
}

fn run_without(world: &World, words: &[&str]) -> Ran {
    let mut command = world.sandbox.orchestra();
    command.args(words).env("PATH", without_bubblewrap(world));
    ran(command)
}

#[test]
fn a_missing_layer_is_refused_everywhere() {
    let world = World::of(Sandbox::new());
    world.session("one");
    let before = world.outside();
    let missing = "no working bubblewrap";
    let new = ["session", "new", "--name", "two", "--prompt", "x"];
    let held = [&new[..], &["--isolation", "sandbox"]].concat();
    run_without(&world, &held)
        .refuses(3, missing)
        .says("install bubblewrap");
    assert_eq!(world.outside(), before, "nothing was made");
    let set = ["session", "set", "one", "isolation", "sandbox"];
    run_without(&world, &set).refuses(3, missing);
    world
        .orchestra(&["config", "set", "security.isolation", "sandbox"])
        .ok();
    run_without(&world, &["session", "iterate", "one"]).refuses(3, missing);
    assert_eq!(world.count("SELECT count(*) FROM iterations"), 0);
    run_without(&world, &["env", "show", "one"]).refuses(3, missing);

    let doctor = run_without(&world, &["doctor"]).ends_with(1);
    let doctor = doctor.says("no working bubblewrap, and sessions are to run in a sandbox");
    doctor.says("install bubblewrap");
    world
        .orchestra(&["config", "set", "security.isolation", "guard"])
        .ok();
    run_without(&world, &["doctor"])
        .ok()
        .says("no working bubblewrap: sessions cannot run in a sandbox");
    let check = run_without(&world, &["sandbox", "check", "--json"])
        .ends_with(1)
        .json();
    assert_eq!(check["holds"], false);
    assert_eq!(check["missing"][0]["layer"], "bubblewrap");
}

/// An iteration that waits until bubblewrap is gone is not run without it.
#[test]
fn an_iteration_is_not_run_without_what_was_there_before() {
    let world = held_world(&write("a.txt", "a\n"));
    let made = world.session("one");
    world.run(&["iterate", "one"]).ok();
    let refused = run_without(&world, &["session", "iterate", "one"]);
    refused.refuses(3, "no working bubblewrap");
    assert_eq!(
        world
            .tree(&made)
            .git(&["rev-list", "--count", "main..HEAD"]),
        "1"
    );
}

#[test]
fn a_repository_that_cannot_be_borrowed_from_is_refused() {
    let world = held_world(&write("a.txt", "a\n"));
    world.session("one");
    std::fs::create_dir(world.repository.path(".git/lfs")).unwrap();
    world
        .run(&["iterate", "one"])
        .ends_with(4)
        .says("the repository keeps files with Git LFS")
        .says("choose another isolation, such as `guard`");
    assert_eq!(world.threads().len(), 0, "no agent was started");
    world.run(&["set", "one", "isolation", "guard"]).ok();
    world.run(&["iterate", "one"]).ok();
}

#[test]
fn isolation_is_set_for_one_session_and_for_all() {
    let world = World::of(holding(Sandbox::new()));
    world.session_with("free", &["--isolation", "none"]);
    world.session("held");
    let isolation = |name: &str| world.json(&["status", name])["isolation"].clone();
    assert_eq!(isolation("free"), "none");
    assert_eq!(isolation("held"), "sandbox");
    world.run(&["set", "free", "isolation", "sandbox"]).ok();
    assert_eq!(isolation("free"), "sandbox");
    let shown = world
        .orchestra(&["env", "show", "held", "--json"])
        .ok()
        .json();
    assert_eq!(shown["sandbox"]["network"][0], "ampcode.com");
    assert!(shown["sandbox"]["last"].is_null());
    world.run(&["iterate", "held"]).ok();
    let shown = world
        .orchestra(&["env", "show", "held", "--json"])
        .ok()
        .json();
    assert_eq!(
        shown["sandbox"]["last"]["escapes"]
            .as_array()
            .unwrap()
            .len(),
        10
    );
    world
        .orchestra(&["env", "show", "held"])
        .ok()
        .says("ways out stopped");
    world
        .run(&["set", "held", "isolation", "jail"])
        .ends_with(2)
        .says("none, guard and sandbox");
}
