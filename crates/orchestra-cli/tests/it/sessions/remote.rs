//! Where a session starts when the base has a remote: the remote if it is ahead, else what is here, and said so.

use crate::world::World;
use orchestra_testkit::TestRepository;

/// A world whose repository has a remote, and a second clone of that.
fn with_remote() -> (World, TestRepository) {
    let world = World::new();
    let shared = world.sandbox.path("shared.git");
    let shared = shared.to_str().unwrap();
    let root = world.repository.root().to_str().unwrap();
    world
        .repository
        .git(&["clone", "--quiet", "--bare", root, shared]);
    world.repository.git(&["remote", "add", "origin", shared]);
    world.repository.git(&["fetch", "--quiet", "origin"]);
    world
        .repository
        .git(&["branch", "--quiet", "--set-upstream-to=origin/main"]);
    let colleague = world.sandbox.path("colleague");
    world
        .repository
        .git(&["clone", "--quiet", shared, colleague.to_str().unwrap()]);
    let colleague = world.repository.at(&colleague);
    (world, colleague)
}

fn start_of(world: &World, name: &str) -> (String, String) {
    let said = world.run(&["new", "--name", name, "--prompt", "x"]).ok();
    (world.tree(&world.made(name)).head(), said.stderr)
}

#[test]
fn behind_ahead_and_diverged() {
    let (world, colleague) = with_remote();
    let head = world.repository.head();
    let (start, said) = start_of(&world, "equal");
    assert!(start == head && !said.contains("remote"), "{said}");
    let theirs = colleague.commit("theirs");
    colleague.git(&["push", "--quiet", "origin", "main"]);
    let (start, said) = start_of(&world, "behind");
    assert_eq!(start, theirs);
    assert!(said.contains("1 commit(s) behind"), "{said}");
    assert_eq!(world.repository.head(), head, "the user's main stays");
    let shown = &world.json(&["status", "behind"])["session"];
    assert_eq!((&shown["ahead"], &shown["behind"]), (&0.into(), &0.into()));
    assert_eq!(shown["base_remote"], "origin");
    world
        .run(&["status", "behind"])
        .ok()
        .says("0 ahead, 0 behind origin/main");
    let listed = world.json(&["list", "--refresh"]);
    let listed = listed["sessions"].as_array().unwrap().iter();
    let behind = listed.clone().find(|row| row["name"] == "behind").unwrap();
    assert_eq!(behind["ahead"], 0, "against what it started from");
    let ours = world.repository.commit("ours");
    let (start, said) = start_of(&world, "diverged");
    assert_eq!(start, ours);
    assert!(said.contains("diverged (1 ahead, 1 behind)"), "{said}");
    world.repository.git(&["rebase", "--quiet", "origin/main"]);
    let (start, said) = start_of(&world, "ahead");
    assert_eq!(start, world.repository.head());
    assert!(said.contains("1 commit(s) ahead"), "{said}");
}

#[test]
fn a_branch_that_exists_starts_where_it_is_whatever_the_remote_has() {
    let (world, colleague) = with_remote();
    world.repository.git(&["switch", "--quiet", "-c", "feat"]);
    let head = world.repository.commit("feat");
    world.repository.git(&["switch", "--quiet", "main"]);
    colleague.commit("theirs");
    colleague.git(&["push", "--quiet", "origin", "main"]);
    let words = ["new", "--name", "f", "--prompt", "x", "--branch", "feat"];
    let said = world.run(&words).ok();
    let line = said.stdout.lines().find(|line| line.contains("branch"));
    let line = line.unwrap();
    assert!(line.contains(&format!("feat at {}", &head[..7])), "{line}");
    assert!(line.ends_with(", lands on main"), "{line}");
    assert!(!said.stderr.contains("remote"), "{}", said.stderr);
}

#[test]
fn a_base_only_the_remote_has() {
    let (world, colleague) = with_remote();
    colleague.git(&["switch", "--quiet", "-c", "release"]);
    let release = colleague.commit("release");
    colleague.git(&["push", "--quiet", "origin", "release"]);
    world
        .run(&["new", "--name", "r", "--prompt", "x", "--base", "release"])
        .ok()
        .says("only on the remote");
    let made = world.made("r");
    assert_eq!(world.tree(&made).head(), release);
    let tracking = world
        .repository
        .try_git(&["config", &format!("branch.{}.remote", made.branch)]);
    assert!(!tracking.status.success(), "no tracking is configured");
}

#[test]
fn a_remote_that_is_gone_is_told() {
    let (world, _colleague) = with_remote();
    std::fs::remove_dir_all(world.sandbox.path("shared.git")).unwrap();
    let (start, said) = start_of(&world, "offline");
    assert_eq!(start, world.repository.head());
    assert!(said.contains("the remote could not be asked"), "{said}");
    assert!(said.contains("last fetched just now"), "{said}");
    assert!(!said.contains("fatal") && said.lines().any(|line| line.contains("shared.git")));
}

#[test]
fn the_age_of_the_last_fetch_is_told() {
    let (world, _colleague) = with_remote();
    start_of(&world, "fetched");
    std::fs::remove_dir_all(world.sandbox.path("shared.git")).unwrap();
    let traces = [
        ".git/orchestra/fetched/refs%remotes%origin%main",
        ".git/FETCH_HEAD",
        ".git/refs/remotes/origin/main",
        ".git/logs/refs/remotes/origin/main",
    ];
    let mut aged = 0;
    for trace in traces.map(|trace| world.repository.path(trace)) {
        let Ok(file) = std::fs::File::options().append(true).open(trace) else {
            continue;
        };
        let now = file.metadata().unwrap().modified().unwrap();
        let days = std::time::Duration::from_secs(3 * 24 * 60 * 60);
        file.set_modified(now - days).unwrap();
        aged += 1;
    }
    assert!(aged > 1, "a fetch leaves traces");
    let (_, said) = start_of(&world, "offline");
    assert!(said.contains("last fetched 3 d ago"), "{said}");
}
