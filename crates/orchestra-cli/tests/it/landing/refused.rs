//! Merges that are refused. Nothing is changed then, and the message tells the way out.

use super::work::{add_remote, base_moves, change, with_commit};
use crate::made::Made;
use crate::world::World;

/// Refuses with this code and leaves every branch, the base's checkout and the operations as they were.
fn refuses(world: &World, made: &Made, more: &[&str], code: &str, text: &str) {
    let words = [&["merge", made.id.as_str()], more].concat();
    let look = || {
        let status = world.repository.git(&["status", "--porcelain=v2"]);
        (
            world.outside(),
            status,
            world.count("SELECT count(*) FROM operations"),
        )
    };
    let before = look();
    let error = world.run(&[&words[..], &["--json"]].concat()).json();
    assert_eq!(error["error"]["code"], code, "{error}");
    let exit = match code {
        "merge.own_branch" => 2,
        "merge.conflicts" => 7,
        _ => 3,
    };
    world.run(&words).refuses(exit, text);
    assert_eq!(look(), before);
}

fn approved(world: &World, name: &str, path: &str) -> Made {
    let made = with_commit(world, name, path, "of the session\n");
    world.run(&["approve", name]).ok();
    made
}

#[test]
fn conflicts_are_named() {
    let world = World::new();
    let made = approved(&world, "one", "README.md");
    base_moves(&world, "README.md", "of the base\n");
    for more in [
        &[][..],
        &["--squash"],
        &["--no-ff"],
        &["--override", "base"],
    ] {
        refuses(
            &world,
            &made,
            more,
            "merge.conflicts",
            "conflicts with `main` in `README.md`",
        );
    }
    refuses(
        &world,
        &made,
        &["--ff-only"],
        "merge.not_fast_forward",
        "`main` has 1 commit(s)",
    );
    world
        .run(&["merge", "one"])
        .ends_with(7)
        .says("orchestra session rebase");
}

#[test]
fn conflicts_that_are_no_lines_of_text_are_named_as_what_they_are() {
    let world = World::new();
    let repository = &world.repository;
    let binary = with_commit(&world, "binary", "logo.png", "\0of the session");
    let deleted = with_commit(&world, "deleted", "README.md", "of the session\n");
    base_moves(&world, "logo.png", "\0of the base");
    repository.git(&["rm", "--quiet", "README.md"]);
    repository.commit("Without README.md");
    let cases = [
        (&binary, "in `logo.png` (binary"),
        (&deleted, "in `README.md` (deleted in the base)"),
    ];
    for (made, text) in cases {
        world.run(&["approve", &made.id]).ok();
        refuses(&world, made, &[], "merge.conflicts", text);
    }
    let land = world.run(&["land", "binary"]).ends_with(7);
    assert!(land.stderr.contains("(binary"), "{land:?}");
}

#[cfg(unix)]
#[test]
fn a_mode_that_both_sides_chose_differently_is_a_conflict() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let made = approved(&world, "one", "run.sh");
    let repository = &world.repository;
    repository.write("run.sh", "of the session\n");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(repository.path("run.sh"), mode).unwrap();
    repository.commit("The same, to be run");
    let text = "in `run.sh` (mode: it can be run on one side only)";
    refuses(&world, &made, &[], "merge.conflicts", text);
}

#[test]
fn submodules_at_different_commits_are_a_conflict() {
    fn point(tree: &orchestra_testkit::TestRepository, digit: &str) {
        let entry = format!("160000,{},module", digit.repeat(40));
        std::fs::create_dir_all(tree.path("module")).unwrap();
        tree.git(&["update-index", "--add", "--cacheinfo", &entry]);
        tree.git(&["commit", "--quiet", "--message", "Point"]);
    }
    let world = World::new();
    point(&world.repository, "1");
    let made = world.session("one");
    point(&world.tree(&made), "2");
    point(&world.repository, "3");
    world.run(&["approve", "one"]).ok();
    let text = "in `module` (submodule: each side has another commit of it)";
    refuses(&world, &made, &[], "merge.conflicts", text);
}

#[test]
fn a_checkout_that_is_dirty_busy_or_locked_stays() {
    let world = World::new();
    let made = approved(&world, "one", "README.md");
    let repository = &world.repository;
    repository.write("README.md", "of the user\n");
    refuses(&world, &made, &[], "git.checkout_dirty", "README.md");
    assert_eq!(repository.read("README.md"), "of the user\n");
    repository.git(&["checkout", "--quiet", "--", "."]);

    std::fs::write(repository.path(".git/index.lock"), "").unwrap();
    refuses(&world, &made, &[], "git.branch_busy", "the index is locked");
    std::fs::remove_file(repository.path(".git/index.lock")).unwrap();

    repository.git(&["switch", "--quiet", "-c", "side"]);
    base_moves(&world, "README.md", "of the side\n");
    repository.git(&["switch", "--quiet", "main"]);
    base_moves(&world, "README.md", "of the base\n");
    let other = approved(&world, "two", "two.txt");
    let base = repository.head();
    assert!(!repository.try_git(&["rebase", "side"]).status.success());
    refuses(
        &world,
        &other,
        &[],
        "git.branch_busy",
        "a rebase is in progress",
    );
    repository.git(&["rebase", "--abort"]);
    assert_eq!(repository.head(), base);
}

#[test]
fn a_base_that_is_checked_out_nowhere_moves_alone() {
    let world = World::new();
    let made = approved(&world, "one", "new.txt");
    let repository = &world.repository;
    repository.git(&["checkout", "--quiet", "--detach"]);
    let answer = world.json(&["merge", "one"]);
    assert_eq!(answer["checkout"], serde_json::Value::Null);
    assert_eq!(repository.branch_sha("main"), world.tree(&made).head());
    assert!(!repository.path("new.txt").exists());
    world.run(&["undo", "one"]).ok();
    assert_eq!(repository.branch_sha("main"), repository.head());
}

#[test]
fn a_base_that_is_checked_out_twice_is_refused() {
    let world = World::new();
    let made = approved(&world, "one", "new.txt");
    let second = world.sandbox.path("second");
    let add = [
        "worktree",
        "add",
        "--quiet",
        "--force",
        second.to_str().unwrap(),
        "main",
    ];
    world.repository.git(&add);
    refuses(
        &world,
        &made,
        &[],
        "git.branch_checked_out_twice",
        "more than once",
    );
}

#[test]
fn a_base_that_was_renamed_protected_or_diverged() {
    let world = World::new();
    let colleague = add_remote(&world);
    colleague.commit("theirs");
    colleague.git(&["push", "--quiet", "origin", "main"]);
    let made = approved(&world, "one", "new.txt");
    refuses(
        &world,
        &made,
        &["--into", &made.branch],
        "merge.own_branch",
        "itself",
    );
    refuses(
        &world,
        &made,
        &["--into", "nowhere"],
        "merge.no_branch",
        "no branch `nowhere` here",
    );
    world.repository.commit("ours");
    refuses(
        &world,
        &made,
        &[],
        "merge.diverged",
        "have diverged: 1 commit(s) here, 1 there",
    );
    world
        .repository
        .git(&["reset", "--quiet", "--hard", "HEAD~1"]);

    let protect = ["config", "set", "git.protected_branches", "release/*,ma*"];
    world.orchestra(&[&protect[..], &["--repo"]].concat()).ok();
    refuses(
        &world,
        &made,
        &[],
        "merge.protected",
        "`main` is protected by git.protected_branches (`ma*`)",
    );
    world
        .orchestra(&["config", "unset", "git.protected_branches", "--repo"])
        .ok();

    world
        .repository
        .git(&["branch", "--quiet", "-m", "main", "trunk"]);
    refuses(&world, &made, &[], "merge.no_branch", "only at `origin`");
    let answer = world.json(&["merge", "one", "--into", "trunk"]);
    assert_eq!(answer["into"], "trunk");
    assert_eq!(answer["session"]["landed_into"], "trunk");
    assert_eq!(world.repository.read("new.txt"), "of the session\n");
}

#[test]
fn a_session_without_work_or_at_work_is_refused() {
    let world = World::new();
    let empty = world.session("empty");
    refuses(
        &world,
        &empty,
        &[],
        "merge.nothing",
        "has no commit that `main` does not have",
    );
    let made = approved(&world, "one", "new.txt");
    world.run(&["set", "one", "script", "sleep 60"]).ok();
    world.run(&["run", "one", "--detach"]).ok();
    world.run(&["merge", "one"]).refuses(3, "is evaluating");
    world.run(&["stop", "one", "--now"]).ok();
    world.run(&["set", "one", "script", ""]).ok();
    change(&world, &made, "new.txt", "more\n", "More");
    refuses(&world, &made, &[], "merge.checks", "it has changed since");
    world.tree(&made).git(&["switch", "--quiet", "--detach"]);
    let branch = made.branch.clone();
    world.repository.git(&["branch", "--quiet", "-D", &branch]);
    world.run(&["merge", "one"]).refuses(3, &branch);
}
