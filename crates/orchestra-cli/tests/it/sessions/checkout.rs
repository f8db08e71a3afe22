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
    let expected = serde_json::json!({ "kind": "branch", "name": "other" });
    assert_eq!(
        world.json(&["status", "one"])["session"]["other_checkout"],
        expected
    );
    world
        .orchestra(&["doctor"])
        .says(&format!("switch {}", made.branch));
    tree.git(&["switch", "--quiet", &made.branch]);
    let shown = world.json(&["status", "one"]);
    assert!(shown["session"]["other_checkout"].is_null());
}

#[test]
fn the_list_marks_what_is_not_on_its_branch() {
    let world = World::new();
    let (one, two, three) = (
        world.session("one"),
        world.session("two"),
        world.session("three"),
    );
    world.session("four");
    world
        .tree(&one)
        .git(&["switch", "--quiet", "-c", "topic/other"]);
    world.tree(&two).git(&["switch", "--quiet", "--detach"]);
    let reference = format!("refs/heads/{}", three.branch);
    world.repository.git(&["update-ref", "-d", &reference]);
    let head = world.repository.git(&["rev-parse", "main"]);
    let found = |name: &str| {
        let listed = world.json(&["list"]);
        let sessions = listed["sessions"].as_array().unwrap().iter();
        let mut named = sessions.filter(|session| session["name"] == name);
        named.next().unwrap()["other_checkout"].clone()
    };
    assert_eq!(
        found("one"),
        serde_json::json!({ "kind": "branch", "name": "topic/other" })
    );
    assert_eq!(
        found("two"),
        serde_json::json!({ "kind": "commit", "id": head })
    );
    assert_eq!(found("three"), serde_json::json!({ "kind": "branch_gone" }));
    assert!(found("four").is_null());
    for words in [
        &["session", "list"][..],
        &[],
        &["session", "list", "--no-refresh"],
    ] {
        world
            .orchestra(words)
            .ok()
            .says(&format!("{} (checked out: topic/other)", one.branch))
            .says(&format!("{} (checked out: {})", two.branch, &head[..10]))
            .says(&format!("{} (gone)", three.branch));
    }
    world.tree(&one).git(&["switch", "--quiet", &one.branch]);
    assert!(found("one").is_null());
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
