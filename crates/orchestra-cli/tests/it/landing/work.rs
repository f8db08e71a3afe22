//! Sessions with work in them, and a base that moves on.

use orchestra_testkit::TestRepository;

use crate::made::Made;
use crate::world::World;

/// Lets everything land that git can merge.
pub(crate) const OVERRIDES: &[&str] = &[
    "--override",
    "reviewed",
    "--override",
    "clean",
    "--override",
    "messages",
];

/// A session with one commit of a person that changes one file.
pub(super) fn with_commit(world: &World, name: &str, path: &str, text: &str) -> Made {
    with_commit_and(world, name, path, text, &[])
}

/// The same, with more words for `new`.
pub(super) fn with_commit_and(
    world: &World,
    name: &str,
    path: &str,
    text: &str,
    more: &[&str],
) -> Made {
    let made = world.session_with(name, more);
    change(world, &made, path, text, &format!("Change {path}"));
    made
}

/// A session in which a person made two commits with git.
pub(super) fn with_two_commits(world: &World) -> Made {
    let made = world.session("one");
    let tree = world.tree(&made);
    for name in ["a", "b"] {
        tree.write(name, name);
        tree.commit(name);
    }
    made
}

/// Another commit in a session.
pub(super) fn change(world: &World, made: &Made, path: &str, text: &str, message: &str) {
    world.tree(made).write(path, text);
    world.run(&["commit", &made.id, "-m", message]).ok();
}

/// A commit on the base, in the main checkout.
pub(super) fn base_moves(world: &World, path: &str, text: &str) -> String {
    world.repository.write(path, text);
    world.repository.commit(&format!("Base changes {path}"))
}

/// Lands a session that was approved.
pub(super) fn merge(world: &World, made: &Made, more: &[&str]) -> serde_json::Value {
    world.run(&["approve", &made.id]).ok();
    world.json(&[&["merge", made.id.as_str()], more].concat())
}

/// A remote of the repository, and a second clone of it.
pub(super) fn add_remote(world: &World) -> TestRepository {
    let shared = world.sandbox.path("shared.git");
    let (shared, repository) = (shared.to_str().unwrap(), &world.repository);
    let root = repository.root().to_str().unwrap();
    repository.git(&["clone", "--quiet", "--bare", root, shared]);
    repository.git(&["remote", "add", "origin", shared]);
    repository.git(&["fetch", "--quiet", "origin"]);
    repository.git(&["branch", "--quiet", "--set-upstream-to=origin/main"]);
    let colleague = world.sandbox.path("colleague");
    repository.git(&["clone", "--quiet", shared, colleague.to_str().unwrap()]);
    repository.at(&colleague)
}
