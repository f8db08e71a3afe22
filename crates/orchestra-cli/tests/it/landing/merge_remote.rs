//! `merge` where the base has a remote: asking it first, and pushing.

use super::work::{add_remote, change, merge, with_commit};
use crate::world::World;

#[test]
fn what_a_remote_has_of_the_session_does_not_keep_the_base() {
    let world = World::new();
    let before = world.repository.head();
    add_remote(&world);
    let made = with_commit(&world, "one", "new.txt", "new\n");
    world.run(&["push", "one"]).ok();
    merge(&world, &made, &[]);
    world.run(&["undo", "one"]).ok();
    assert_eq!(world.repository.head(), before);
    world.run(&["redo", "one"]).ok();
    world.repository.git(&["push", "--quiet", "origin", "main"]);
    world.run(&["undo", "one"]).refuses(3, "`origin/main` has");
    world
        .run(&["operations", "one"])
        .ok()
        .says("done, and pushed");
    assert!(world.json(&["operations", "one"])["next_undo"].is_null());
}

#[test]
fn a_base_of_a_remote_is_brought_forward_on_the_way() {
    let world = World::new();
    let colleague = add_remote(&world);
    let theirs = colleague.commit("theirs");
    colleague.git(&["push", "--quiet", "origin", "main"]);
    let made = with_commit(&world, "one", "new.txt", "new\n");
    let before = world.repository.head();
    let answer = merge(&world, &made, &[]);
    assert_eq!(
        (&answer["how"], &answer["from"]),
        (&"fast_forward".into(), &before.into())
    );
    let repository = &world.repository;
    assert_eq!(repository.git(&["log", "-1", "--format=%P"]), theirs);
    assert_eq!(repository.git(&["status", "--porcelain"]), "");

    repository.git(&["push", "--quiet", "origin", "main"]);
    world
        .run(&["undo", "one"])
        .refuses(3, "`origin/main` has")
        .says("git revert");
    assert_eq!(repository.read("new.txt"), "new\n");
}

#[test]
fn the_base_is_pushed_with_it_or_later() {
    let world = World::new();
    let colleague = add_remote(&world);
    let made = with_commit(&world, "one", "new.txt", "new\n");
    let answer = merge(&world, &made, &["--push"]);
    assert_eq!(answer["pushed_to"], "origin/main");
    colleague.git(&["pull", "--quiet", "origin", "main"]);
    assert_eq!(colleague.read("new.txt"), "new\n");
    world.run(&["undo", "one"]).refuses(3, "`origin/main` has");
    assert!(world.json(&["status", "one"])["pushed"].is_null());

    let made = with_commit(&world, "two", "two.txt", "x\n");
    let theirs = colleague.commit("theirs");
    colleague.git(&["push", "--quiet", "origin", "main"]);
    world.run(&["approve", "two"]).ok();
    let words = ["merge", made.id.as_str(), "--push"];
    world
        .orchestra(&["config", "set", "git.fetch_wait", "0s"])
        .ok();
    let stopped = world.run(&words).refuses(1, "theirs");
    assert!(stopped.stdout.contains("landed: two"), "{stopped:?}");
    assert!(
        !stopped.stderr.contains("--force-with-lease"),
        "{stopped:?}"
    );
    let again = format!("orchestra session merge {} --push", made.id);
    world.run(&words).refuses(3, "theirs").says(&again);
    let answer = world.run(&[&words[..], &["--json"]].concat()).ends_with(3);
    assert_eq!(answer.json()["error"]["code"], "git.push_would_lose");
    world.run(&["undo", "two"]).ok();
    world.orchestra(&["config", "unset", "git.fetch_wait"]).ok();
    let answer = world.json(&["merge", "two"]);
    let note = answer["base_note"].as_str().unwrap();
    assert!(note.contains("1 commit(s) behind its remote"), "{note}");
    assert_eq!(answer["pushed_to"], serde_json::Value::Null);
    world.run(&words).ok().says("origin/main is at");
    let shared = world.repository.at(&world.sandbox.path("shared.git"));
    assert_eq!(shared.branch_sha("main"), world.repository.head());
    let has = ["merge-base", "--is-ancestor", &theirs, "main"];
    assert!(shared.try_git(&has).status.success());
}

#[test]
fn what_was_squashed_into_the_base_elsewhere_has_landed() {
    let world = World::new();
    let colleague = add_remote(&world);
    let theirs = colleague.commit("theirs");
    colleague.git(&["push", "--quiet", "origin", "main"]);
    let made = with_commit(&world, "one", "new.txt", "new\n");
    change(&world, &made, "two.txt", "two\n", "Two");
    world
        .repository
        .git(&["push", "--quiet", "origin", &made.branch]);
    colleague.git(&["fetch", "--quiet", "origin"]);
    let branch = format!("origin/{}", made.branch);
    colleague.git(&["merge", "--quiet", "--squash", &branch]);
    colleague.git(&["commit", "--quiet", "-m", "Squashed (#12)"]);
    colleague.git(&["push", "--quiet", "origin", "main"]);
    world.repository.git(&["fetch", "--quiet", "origin"]);
    let answer = world.json(&["merge", "one"]);
    assert_eq!(answer["how"], "already_there");
    assert_eq!(answer["session"]["status"], "completed");
    assert_eq!(world.repository.head(), colleague.head());
    assert_ne!(world.repository.head(), theirs);
    assert_eq!(world.repository.read("two.txt"), "two\n");
}

#[test]
fn the_remote_is_asked_first_and_what_it_says_is_told() {
    let world = World::new();
    let colleague = add_remote(&world);
    let made = with_commit(&world, "one", "new.txt", "new\n");
    world.run(&["approve", "one"]).ok();
    let theirs = colleague.commit("theirs");
    colleague.git(&["push", "--quiet", "origin", "main"]);
    let behind = "your main is 1 commit(s) behind its remote; the remote's is used";
    world.run(&["check", "one"]).ok().says(behind);
    world.run(&["merge", "one"]).ok().says(behind);
    let has = ["merge-base", "--is-ancestor", &theirs, "main"];
    assert!(world.repository.try_git(&has).status.success());
    world.run(&["undo", "one"]).ok();

    world.repository.commit("ours");
    let apart = "your main and its remote have diverged (1 ahead, 1 behind); yours is used";
    let ran = world.run(&["merge", "one"]).ok().says(apart);
    assert!(ran.stdout.contains("landed: one"), "{ran:?}");
    let has = ["merge-base", "--is-ancestor", &theirs, "main"];
    assert!(!world.repository.try_git(&has).status.success());
    world.run(&["undo", "one"]).ok();

    std::fs::remove_dir_all(world.sandbox.path("shared.git")).unwrap();
    let answer = world.json(&["merge", made.id.as_str()]);
    let note = answer["base_note"].as_str().unwrap();
    assert!(note.contains("the remote could not be asked ("), "{note}");
    assert!(note.contains("last fetched"), "{note}");
    world.repository.fsck();
}
