//! `set <session> base`: another branch to land on, without moving any commit.

use super::stopped::Stopped;
use super::work::{base_moves, change, merge, with_commit};
use crate::made::Made;
use crate::world::World;

/// A session from `main`, and a branch `develop` that went on from there.
fn beside_develop() -> (World, Made) {
    let world = World::new();
    let made = with_commit(&world, "one", "own.txt", "own");
    world
        .repository
        .git(&["switch", "--quiet", "--create", "develop"]);
    base_moves(&world, "develop.txt", "x");
    world.repository.git(&["switch", "--quiet", "main"]);
    (world, made)
}

fn base_of(world: &World) -> serde_json::Value {
    world.json(&["status", "one"])["session"]["base_branch"].clone()
}

#[test]
fn it_lands_there_and_nothing_moves_before() {
    let (world, made) = beside_develop();
    let (head, main) = (world.tree(&made).head(), world.repository.head());
    let set = world.run(&["set", "one", "base", "develop"]).ok();
    assert_eq!(set.stdout, format!("set the base of {}\n", made.id));
    let session = &world.json(&["status", "one"])["session"];
    assert_eq!(session["base_branch"], "develop");
    assert_eq!(
        (&session["ahead"], &session["behind"]),
        (&1.into(), &1.into())
    );
    assert_eq!(world.tree(&made).head(), head);
    let told = "SELECT body ->> 'field' FROM events WHERE type = 'session_changed'";
    assert_eq!(world.value(told).as_deref(), Some("base"));

    let answer = merge(&world, &made, &[]);
    assert_eq!(answer["into"], "develop", "{answer}");
    let landed = world.repository.git(&["ls-tree", "--name-only", "develop"]);
    assert!(landed.contains("own.txt"), "{landed}");
    assert_eq!(world.repository.head(), main);
}

#[test]
fn a_rebase_goes_onto_it_with_its_own_commits_alone() {
    let (world, made) = beside_develop();
    world.run(&["set", "one", "base", "develop"]).ok();
    world.run(&["rebase", "one"]).ok();
    assert_eq!(world.tree(&made).read("develop.txt"), "x");
    let range = format!("develop..{}", made.branch);
    let subjects = world.repository.git(&["log", "--format=%s", &range]);
    assert_eq!(subjects, "Change own.txt");
}

#[test]
fn commits_of_the_former_base_do_not_come_along() {
    let world = World::new();
    world.repository.git(&["branch", "release"]);
    base_moves(&world, "main.txt", "main");
    with_commit(&world, "one", "own.txt", "own");
    world
        .run(&["set", "one", "base", "release"])
        .refuses(3, "--onto release");
    assert_eq!(base_of(&world), "main");
}

#[test]
fn a_base_that_was_renamed_is_taken() {
    let (world, made) = beside_develop();
    world.repository.git(&["branch", "-m", "main", "trunk"]);
    let named = format!("set {} base <branch>", made.id);
    world.run(&["rebase", "one"]).refuses(3, &named);
    world.run(&["set", "one", "base", "trunk"]).ok();
    world.run(&["rebase", "one"]).ok().says("trunk");
}

#[test]
fn what_is_no_base_is_refused() {
    let (world, made) = beside_develop();
    for (branch, exit) in [("", 2), ("-x", 2), ("nothing", 3), (&made.branch, 2)] {
        let words = ["set", "one", "base", branch];
        world.run(&words).ends_with(exit);
    }
    assert_eq!(base_of(&world), "main");
}

#[test]
fn a_rebase_that_waits_keeps_its_base() {
    let Stopped { world, made, .. } = Stopped::new();
    world.repository.git(&["branch", "develop"]);
    let words = ["set", &made.id, "base", "develop"];
    world.run(&words).refuses(3, "--continue");
    world.run(&["rebase", &made.id, "--abort"]).ok();
    world.run(&words).ok();
}

#[test]
fn a_session_at_work_keeps_its_base() {
    let world = World::with_scenario("[[step]]\ndo = 'hang'\n");
    world.repository.git(&["branch", "develop"]);
    let made = world.session("one");
    world.run(&["iterate", "one", "--detach"]).ok();
    world.wait_for_progress(&made, 1, "agent");
    let words = ["set", "one", "base", "develop"];
    let error = world.run(&[&words[..], &["--json"]].concat()).json();
    assert_eq!(error["error"]["code"], "session.busy", "{error}");
    world.run(&["stop", "one"]).ok();
    world.run(&words).ok();
}

#[test]
fn undoing_what_was_done_before_leaves_the_chosen_base() {
    let (world, made) = beside_develop();
    change(&world, &made, "own.txt", "more", "More");
    let head = world.tree(&made).head();
    world.run(&["squash", "one", "-m", "All of it"]).ok();
    world.run(&["set", "one", "base", "develop"]).ok();
    world.run(&["undo", "one"]).ok();
    assert_eq!(
        (world.tree(&made).head(), base_of(&world)),
        (head, "develop".into())
    );
    world.run(&["redo", "one"]).ok();
    assert_eq!(base_of(&world), "develop");
}
