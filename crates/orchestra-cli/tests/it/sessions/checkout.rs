//! A directory that has something else than the session's branch checked out.

use crate::world::World;

#[test]
fn another_branch_is_told_with_the_way_back() {
    let world = World::new();
    let made = world.session("one");
    let tree = world.tree(&made);
    tree.git(&["switch", "--quiet", "-c", "other"]);
    let shown = world.run(&["status", "one"]).ok();
    assert!(
        shown.stdout.contains("`other` is checked out"),
        "{}",
        shown.stdout
    );
    let detail = world.json(&["status", "one"]);
    let other = detail["other_checkout"].as_str().unwrap();
    assert!(other.contains(&made.branch), "{other}");
    world
        .orchestra(&["doctor"])
        .says(&format!("switch {}", made.branch));
    tree.git(&["switch", "--quiet", &made.branch]);
    assert!(world.json(&["status", "one"])["other_checkout"].is_null());
}

#[test]
fn a_branch_that_is_gone_can_be_had_again() {
    let world = World::new();
    let made = world.session("one");
    world.run(&["iterate", "one"]).ok();
    let head = world.repository.branch_sha(&made.branch);
    let reference = format!("refs/heads/{}", made.branch);
    world.repository.git(&["update-ref", "-d", &reference]);
    let shown = world.run(&["status", "one"]).ok();
    assert!(shown.stdout.contains("is gone"), "{}", shown.stdout);
    assert!(shown.stderr.contains(&head), "{}", shown.stderr);
    world.repository.git(&["branch", &made.branch, &head]);
    world.run(&["iterate", "one"]).ok();
}
