//! Landing on, or going over to, a branch that is not the session's base: what the base has stays there.

use super::work::{OVERRIDES, base_moves, with_commit};
use crate::made::Made;
use crate::world::World;

/// A session from `main`, which has a commit that `release` has not.
fn from_main() -> (World, Made) {
    let world = World::new();
    world.repository.git(&["branch", "release"]);
    base_moves(&world, "main.txt", "main");
    let made = with_commit(&world, "one", "own.txt", "own");
    (world, made)
}

fn subjects(world: &World, range: &str) -> String {
    world.repository.git(&["log", "--format=%s", range])
}

#[test]
fn a_rebase_onto_another_branch_takes_only_its_own_commits() {
    let (world, made) = from_main();
    let answer = world.json(&["rebase", "one", "--onto", "release"]);
    assert_eq!(answer["state"], "finished", "{answer}");
    let range = format!("release..{}", made.branch);
    assert_eq!(subjects(&world, &range), "Change own.txt");
    assert!(!made.worktree.join("main.txt").exists());
    world
        .run(&["rebase", "one", "--onto", "release"])
        .ok()
        .says("already");
    let back = world.json(&["rebase", "one", "--onto", "main"]);
    assert_eq!(back["session"]["base_branch"], "main");
    let range = format!("main..{}", made.branch);
    assert_eq!(subjects(&world, &range), "Change own.txt");
    assert!(made.worktree.join("main.txt").exists());
}

#[test]
fn what_landed_can_go_to_another_branch_too() {
    let (world, made) = from_main();
    world.run(&["approve", "one"]).ok();
    world.run(&["merge", "one"]).ok();
    world.run(&["rebase", "one", "--onto", "release"]).ok();
    let range = format!("release..{}", made.branch);
    assert_eq!(subjects(&world, &range), "Change own.txt");
}

#[test]
fn commits_that_would_come_along_are_named_and_refused() {
    let (world, _made) = from_main();
    world.run(&["approve", "one"]).ok();
    let release = world.repository.git(&["rev-parse", "release"]);
    for mode in ["--squash", "--no-ff", "--ff-only"] {
        let words = ["merge", "one", "--into", "release", mode];
        world
            .run(&[&words, OVERRIDES].concat())
            .refuses(3, "Base changes main.txt")
            .says("rebase")
            .says("--onto release")
            .says("--override base");
    }
    world
        .run(&["check", "one", "--into", "release"])
        .ends_with(1)
        .says("1 commit(s) of `main` would come along to `release`");
    assert_eq!(world.repository.git(&["rev-parse", "release"]), release);

    let words = ["merge", "one", "--into", "release", "--override", "base"];
    let answer = world.json(&[&words, OVERRIDES].concat());
    assert_eq!(answer["overridden"][0], "base", "{answer}");
    assert!(subjects(&world, "release").contains("Base changes main.txt"));
}

/// Files must not change under an agent, neither by a merge nor by taking one back.
#[test]
fn the_branch_of_a_session_at_work_stays() {
    let world = World::with_scenario("[[step]]\ndo = 'hang'\n");
    let other = world.session("other");
    let made = with_commit(&world, "one", "own.txt", "own");
    let words = ["merge", "one", "--into", &other.branch];
    let words = [&words, OVERRIDES].concat();
    let start = || {
        world.run(&["iterate", "other", "--detach"]).ok();
    };
    start();
    world.wait_for_progress(&other, 1, "agent");
    world.run(&words).refuses(3, &other.id);
    let error = world.run(&[&words[..], &["--json"]].concat()).json();
    assert_eq!(error["error"]["code"], "session.busy");
    assert!(!other.worktree.join("own.txt").exists());
    world.run(&["stop", "other"]).ok();
    world.run(&words).ok();
    assert!(other.worktree.join("own.txt").exists());

    start();
    world.wait_for_progress(&other, 2, "agent");
    world.run(&["undo", &made.id]).refuses(3, &other.id);
    world.run(&["stop", "other"]).ok();
    world.run(&["undo", &made.id]).ok();
    assert!(!other.worktree.join("own.txt").exists());
}

#[test]
fn after_a_rebase_onto_it_only_its_own_lands() {
    let (world, _made) = from_main();
    world.run(&["rebase", "one", "--onto", "release"]).ok();
    let words = ["merge", "one", "--into", "release"];
    world.run(&[&words, OVERRIDES].concat()).ok();
    let landed = subjects(&world, "release");
    assert!(landed.starts_with("Change own.txt"), "{landed}");
    assert!(!landed.contains("main.txt"), "{landed}");
}
