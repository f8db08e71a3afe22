//! Repositories that an agent makes inside its worktree.

use crate::world::World;

const NESTED: &str = "
[[step]]
do = 'write'
path = 'own.txt'
text = 'own'
[[step]]
do = 'git'
args = ['init', '--quiet', 'vendored']
[[step]]
do = 'write'
path = 'vendored/file.txt'
text = 'theirs'
[[step]]
do = 'git'
args = ['-C', 'vendored', 'add', '.']
[[step]]
do = 'git'
args = ['-C', 'vendored', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'first']
[[step]]
do = 'message'
text = 'Vendored it.'
";

#[test]
fn a_nested_repository_is_kept_out_of_the_commit_and_named() {
    let world = World::with_scenario(NESTED);
    let made = world.session("one");
    world.run(&["iterate", "one"]).ok();
    let tree = world.tree(&made);
    let committed = tree.git(&["show", "--name-only", "--format=", "HEAD"]);
    assert_eq!(committed.trim(), "own.txt");
    assert!(made.worktree.join("vendored/.git").is_dir());
    let message = world.iteration(&made, 1, "message").unwrap_or_default();
    assert!(message.contains("vendored"), "{message}");
}

const ONLY_NESTED: &str = "
[[step]]
do = 'git'
args = ['init', '--quiet', 'inner']
[[step]]
do = 'write'
path = 'inner/file.txt'
text = 'all of it'
[[step]]
do = 'message'
text = 'Wrote it.'
";

#[test]
fn work_in_a_nested_repository_alone_is_named() {
    let world = World::with_scenario(ONLY_NESTED);
    let made = world.session("one");
    world
        .run(&["iterate", "one"])
        .ok()
        .says("not committed: inner/");
    assert_eq!(world.tree(&made).head(), world.repository.head());
}

#[test]
fn a_commit_of_nothing_but_a_nested_repository_names_it() {
    let world = World::with_scenario(ONLY_NESTED);
    world.session("one");
    world.run(&["iterate", "one"]).ok();
    world
        .run(&["commit", "one", "-m", "Keep it"])
        .refuses(3, "no changes to commit")
        .says("`inner/` is a repository of its own");
}
