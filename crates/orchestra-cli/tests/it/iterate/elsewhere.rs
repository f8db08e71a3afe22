//! Agents that reach beyond the files of their session.

use crate::world::World;

#[test]
fn another_branch_in_the_main_checkout_is_told_of() {
    let world = World::with_scenario(
        "[[step]]\ndo = 'git'\nargs = ['-C', '../..', 'switch', '--quiet', '--create', 'other']\n",
    );
    let made = world.session("one");
    world.run(&["iterate", "one"]).ok();
    let message = world.iteration(&made, 1, "message").unwrap_or_default();
    let told = "the main checkout has `other` checked out now, and had `main` before the agent ran";
    assert!(message.contains(told), "{message}");
    assert_eq!(world.repository.git(&["branch", "--show-current"]), "other");
    world.run(&["iterate", "one"]).ok();
    let message = world.iteration(&made, 2, "message").unwrap_or_default();
    assert!(!message.contains("main checkout"), "{message}");
}

#[test]
fn an_agent_that_removed_its_own_directory_is_told_of() {
    let world = World::with_scenario(
        "[[step]]\ndo = 'git'\nargs = ['worktree', 'remove', '--force', '.']\n",
    );
    let made = world.session("one");
    world.run(&["iterate", "one"]).ends_with(4);
    let message = world.iteration(&made, 1, "message").unwrap_or_default();
    assert!(message.contains("is missing"), "{message}");
    assert!(message.contains("orchestra doctor"), "{message}");
    world
        .run(&["status", "one"])
        .ok()
        .says("has lost its directory");
}
