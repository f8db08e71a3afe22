//! `merge`: in every form, together with the files of the base's checkout, and taken back.

use super::work::{base_moves, change, merge, with_commit, with_commit_and};
use crate::world::World;

#[test]
fn the_base_moves_forward_with_its_files_and_back() {
    let world = World::new();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    let (repository, before) = (&world.repository, world.repository.head());
    repository.write("README.md", "changed by the user\n");
    repository.write("untracked.txt", "x\n");
    let answer = merge(&world, &made, &[]);
    assert_eq!(answer["how"], "fast_forward");
    assert_eq!(answer["session"]["status"], "completed");
    assert_eq!(answer["session"]["landed_into"], "main");
    let head = world.tree(&made).head();
    assert_eq!(
        (repository.head(), answer["commit"].clone()),
        (head.clone(), head.into())
    );
    assert_eq!(repository.read("new.txt"), "new\n");
    let status = repository.git(&["status", "--porcelain"]);
    assert_eq!(status, " M README.md\n?? untracked.txt");
    world
        .run(&["merge", "one"])
        .refuses(3, "has landed in `main` already");

    world.run(&["undo", "one"]).ok().says("undone: merge");
    assert_eq!(repository.head(), before);
    assert!(!repository.path("new.txt").exists());
    assert_eq!(repository.git(&["status", "--porcelain"]), status);
    assert_eq!(world.json(&["status", "one"])["session"]["status"], "idle");
    world.run(&["redo", "one"]).ok();
    assert_eq!(repository.read("new.txt"), "new\n");
    assert_eq!(
        world.json(&["status", "one"])["session"]["status"],
        "completed"
    );
    repository.fsck();
}

#[test]
fn a_merge_commit_has_both_and_the_issue() {
    let world = World::new();
    let made = with_commit_and(&world, "one", "new.txt", "new\n", &["--issue", "ABC-7"]);
    let base = base_moves(&world, "other.txt", "x\n");
    let answer = merge(&world, &made, &[]);
    assert_eq!(answer["how"], "merge_commit");
    let repository = &world.repository;
    let parents = repository.git(&["log", "-1", "--format=%P"]);
    assert_eq!(parents, format!("{base} {}", world.tree(&made).head()));
    let message = repository.git(&["log", "-1", "--format=%B"]);
    assert_eq!(message.trim(), "Merge session one\n\nIssue: ABC-7");
    assert_eq!(
        repository.read("new.txt") + &repository.read("other.txt"),
        "new\nx\n"
    );
    assert_eq!(repository.git(&["status", "--porcelain"]), "");

    let made = with_commit(&world, "two", "two.txt", "x\n");
    let answer = merge(&world, &made, &["--no-ff", "-m", "By my words"]);
    assert_eq!(answer["how"], "merge_commit");
    assert_eq!(repository.git(&["log", "-1", "--format=%s"]), "By my words");
    repository.fsck();
}

#[test]
fn squashing_gives_one_commit_on_top() {
    let world = World::new();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    change(&world, &made, "two.txt", "two\n", "wip");
    let base = base_moves(&world, "other.txt", "x\n");
    let answer = merge(&world, &made, &["--squash", "-m", "Add both"]);
    assert_eq!(
        (&answer["how"], &answer["is_partial"]),
        (&"squash".into(), &false.into())
    );
    let repository = &world.repository;
    assert_eq!(
        repository.git(&["log", "-1", "--format=%P %s"]),
        format!("{base} Add both")
    );
    assert_eq!(repository.read("two.txt"), "two\n");
    assert_eq!(answer["session"]["status"], "completed");
}

#[test]
fn some_commits_can_land_alone() {
    let world = World::new();
    let made = with_commit(&world, "one", "a.txt", "a\n");
    let first = world.tree(&made).head();
    change(&world, &made, "b.txt", "b\n", "Change b");
    let second = world.tree(&made).head();
    base_moves(&world, "other.txt", "x\n");
    let answer = merge(&world, &made, &["--cherry-pick", &second[..8]]);
    assert_eq!(
        (&answer["how"], &answer["is_partial"]),
        (&"cherry_pick".into(), &true.into())
    );
    assert_eq!(answer["session"]["status"], "idle");
    let repository = &world.repository;
    assert!(repository.path("b.txt").exists() && !repository.path("a.txt").exists());
    let base = repository.head();
    world
        .run(&["merge", "one", "--cherry-pick", &base])
        .refuses(2, "is not one commit of session");
    world
        .run(&[
            "merge",
            "one",
            "--cherry-pick",
            &second,
            "--override",
            "reviewed",
        ])
        .refuses(3, "has no commit that `main` does not have");
    let answer = world.json(&[
        "merge",
        "one",
        "--cherry-pick",
        &first,
        "--override",
        "reviewed",
    ]);
    assert_eq!(
        answer["session"]["status"], "completed",
        "all of it is there"
    );
    world.run(&["undo", "one"]).ok();
    world.run(&["undo", "one"]).ok();
    assert!(!repository.path("b.txt").exists());
}

#[test]
fn checks_that_fail_are_passed_over_by_name_and_that_is_recorded() {
    let world = World::new();
    with_commit(&world, "one", "new.txt", "new\n");
    let before = world.outside();
    world
        .run(&["merge", "one"])
        .refuses(3, "not ready to land: reviewed (nobody approved it)")
        .says("--override reviewed");
    let refused = world.run(&["merge", "one", "--json"]).ends_with(3).json();
    assert_eq!(refused["error"]["code"], "merge.checks");
    assert_eq!(world.outside(), before);
    assert_eq!(
        world.count("SELECT count(*) FROM operations"),
        1,
        "the commit alone"
    );
    world
        .run(&["merge", "one", "--override", "looks"])
        .refuses(2, "is not a check");
    let answer = world.json(&[
        "merge",
        "one",
        "--override",
        "reviewed",
        "--override",
        "issue",
    ]);
    assert_eq!(answer["overridden"], serde_json::json!(["reviewed"]));
    let list = world.json(&["operations", "one"]);
    assert_eq!(
        list["operations"][1]["overridden"],
        serde_json::json!(["reviewed"])
    );
}

#[test]
fn the_settings_say_what_is_required_and_a_repository_only_adds() {
    let world = World::new();
    with_commit(&world, "one", "new.txt", "new\n");
    let key = "landing.required_checks";
    world
        .orchestra(&["config", "set", key, "clean", "--repo"])
        .ok();
    world
        .run(&["merge", "one"])
        .refuses(3, "nobody approved it")
        .says("a repository may only make this stricter");
    world.orchestra(&["config", "unset", key, "--repo"]).ok();
    world.orchestra(&["config", "set", key, "clean"]).ok();
    let check = world.run(&["check", "one"]).ok();
    assert!(check.stdout.contains("warn  reviewed"), "{check:?}");
    world
        .run(&["merge", "one"])
        .ok()
        .says("landed: one in `main`");
}

#[test]
fn what_was_passed_over_is_shown() {
    let world = World::new();
    with_commit(&world, "one", "new.txt", "new\n");
    let words = ["merge", "one", "--override", "reviewed"];
    world.run(&words).ok();
    let shown = world.run(&["operations", "one"]).ok();
    for text in ["(passed over: reviewed)", "if nothing came after"] {
        assert!(shown.stdout.contains(text), "{text}: {shown:?}");
    }
    let shown = world.run(&["status", "one"]).ok();
    let text = "(passed over: reviewed)";
    assert!(shown.stdout.contains(text), "{shown:?}");
}

#[test]
fn merges_at_the_same_moment_all_land() {
    let world = World::new();
    let names = ["one", "two", "three", "four"];
    for name in names {
        with_commit(&world, name, &format!("{name}.txt"), "x\n");
        world.run(&["approve", name]).ok();
    }
    let children: Vec<_> = names.map(|name| world.start(&["merge", name])).into();
    for child in children {
        crate::ran::ended(child).ok();
    }
    for name in names {
        assert_eq!(world.repository.read(&format!("{name}.txt")), "x\n");
    }
    assert_eq!(world.repository.git(&["status", "--porcelain"]), "");
    let failed = "SELECT count(*) FROM operations WHERE state = 'failed'";
    assert_eq!(world.count(failed), 0);
    world.repository.fsck();
}
