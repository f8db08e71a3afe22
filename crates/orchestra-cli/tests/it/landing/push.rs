//! `push`: what reaches the remote, and what is never replaced there.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use orchestra_testkit::TestRepository;

use crate::made::Made;
use crate::world::World;

/// A world with a remote, and a session with one commit.
fn with_remote() -> (World, TestRepository, Made) {
    let world = World::new();
    let shared = world.sandbox.path("shared.git");
    let path = shared.to_str().unwrap();
    let git = |words: &[&str]| world.repository.git(words);
    git(&["clone", "--quiet", "--bare", ".", path]);
    git(&["remote", "add", "origin", path]);
    let made = world.session("one");
    commit(&world, &made, "first");
    let shared = world.repository.at(&shared);
    (world, shared, made)
}

fn commit(world: &World, made: &Made, name: &str) -> String {
    let tree = world.tree(made);
    tree.write(&format!("{name}.txt"), name);
    world.run(&["commit", "one", "-m", name]).ok();
    tree.head()
}

#[test]
fn a_branch_is_made_on_the_remote_and_goes_on() {
    let (world, shared, made) = with_remote();
    let before = world.json(&["status", "one"]);
    assert!(before["pushed"].is_null());
    let answer = world.json(&["push", "one"]);
    assert_eq!(answer["how"], "new_branch");
    assert_eq!(answer["remote"], "origin");
    let head = world.tree(&made).head();
    assert_eq!(shared.branch_sha(&made.branch), head);
    world.run(&["status", "one"]).ok().says("up to date");
    world.run(&["push", "one"]).ok().says("already");

    let second = commit(&world, &made, "second");
    world
        .run(&["status", "one"])
        .ok()
        .says("1 commit(s) not pushed");
    world.run(&["push", "one"]).ok();
    assert_eq!(shared.branch_sha(&made.branch), second);
    let operations = world.json(&["operations", "one"]);
    let last = &operations["operations"][4];
    assert_eq!(last["kind"], "push");
    assert_eq!(last["has_snapshot"], false);
    world
        .run(&["undo", "one"])
        .ok()
        .says("undone: commit (second)");
    assert_eq!(shared.branch_sha(&made.branch), second, "it stays");
    world
        .run(&["status", "one"])
        .ok()
        .says("which has 1 commit(s) more");
}

#[test]
fn commits_are_replaced_only_with_a_lease_and_only_if_they_were_ours() {
    let (world, shared, made) = with_remote();
    let tree = world.tree(&made);
    world.run(&["push", "one"]).ok();
    tree.git(&["commit", "--quiet", "--amend", "-m", "Said better"]);
    world
        .run(&["push", "one"])
        .refuses(3, "has commits that would be lost")
        .says("--force-with-lease");
    let failed = "SELECT state FROM operations WHERE kind = 'push' ORDER BY key DESC LIMIT 1";
    assert_eq!(world.value(failed).as_deref(), Some("failed"));
    let answer = world.json(&["push", "one", "--force-with-lease"]);
    assert_eq!(answer["how"], "forced");
    assert_eq!(shared.branch_sha(&made.branch), tree.head());

    let colleague = world.sandbox.path("colleague");
    let colleague = colleague.to_str().unwrap();
    shared.git(&["clone", "--quiet", ".", colleague]);
    let colleague = world.repository.at(colleague.as_ref());
    colleague.git(&["switch", "--quiet", &made.branch]);
    colleague.write("theirs.txt", "theirs\n");
    colleague.git(&["add", "theirs.txt"]);
    let theirs = colleague.commit("Theirs");
    colleague.git(&["push", "--quiet", "origin", &made.branch]);
    tree.git(&["commit", "--quiet", "--amend", "-m", "Said best"]);
    let force = ["push", "one", "--force-with-lease"];
    world.run(&force).refuses(3, "Theirs");
    world.repository.git(&["fetch", "--quiet", "origin"]);
    world.run(&force).refuses(3, "Theirs");
    assert_eq!(shared.branch_sha(&made.branch), theirs);
    world
        .run(&["status", "one"])
        .ok()
        .says("1 commit(s) not pushed, 2 only there");

    tree.git(&["cherry-pick", &theirs]);
    let answer = world.json(&force);
    assert_eq!(answer["how"], "forced", "what was taken may be replaced");
    assert_eq!(shared.branch_sha(&made.branch), tree.head());
}

#[test]
fn what_somebody_looked_at_is_replaced_by_its_name() {
    let (world, shared, made) = with_remote();
    let tree = world.tree(&made);
    world.run(&["push", "one"]).ok();
    let ours = tree.head();
    let theirs = shared.git(&["commit-tree", "-p", &ours, "-m", "Theirs", "main^{tree}"]);
    shared.git(&["branch", "--force", &made.branch, &theirs]);
    tree.git(&["commit", "--quiet", "--amend", "-m", "Again"]);
    world
        .run(&["push", "one", "--force-with-lease"])
        .refuses(3, "Theirs")
        .says(&format!("--force-with-lease={}", &theirs[..7]));
    let force = |commit: &str| {
        let force = format!("--force-with-lease={commit}");
        world.run(&["push", "one", &force])
    };
    force("main").refuses(2, "is not the commit");
    force(&ours).refuses(3, "is not at");
    assert_eq!(shared.branch_sha(&made.branch), theirs);
    force(&theirs[..7]).ok();
    assert_eq!(shared.branch_sha(&made.branch), tree.head());
}

#[test]
fn a_branch_that_somebody_else_made_there_is_not_replaced() {
    let (world, shared, made) = with_remote();
    let main = shared.branch_sha("main");
    shared.git(&["branch", &made.branch, &main]);
    let tree = world.tree(&made);
    world.run(&["push", "one"]).ok();
    shared.git(&["branch", "--force", &made.branch, &main]);
    tree.git(&["commit", "--quiet", "--amend", "-m", "Again"]);
    world
        .run(&["push", "one", "--force-with-lease"])
        .refuses(3, "is not at");
    assert_eq!(shared.branch_sha(&made.branch), main);
}

#[test]
fn there_has_to_be_a_remote_and_the_session_has_to_be_at_rest() {
    let world = World::with_scenario("[[step]]\ndo = 'hang'\n");
    let made = world.session("one");
    world
        .run(&["push", "one"])
        .refuses(3, "the repository has no remote");
    let nowhere = world.sandbox.path("nowhere.git");
    let nowhere = nowhere.to_str().unwrap();
    world.repository.git(&["remote", "add", "origin", nowhere]);
    world
        .run(&["push", "one", "--remote", "fork"])
        .refuses(3, "no remote called `fork`");
    world
        .run(&["push", "one"])
        .refuses(1, "cannot push to `origin`");
    world.run(&["iterate", "one", "--detach"]).ok();
    world.wait_for_progress(&made, 1, "agent");
    world.run(&["push", "one"]).refuses(3, "is running");
    world.run(&["stop", "one"]).ok();
    world.wait_until_quiet();
}
