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
    assert_eq!(
        found("three"),
        serde_json::json!({ "kind": "branch_gone", "last": head })
    );
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

#[test]
fn a_branch_that_was_renamed_is_found_with_its_work() {
    let world = World::new();
    let made = world.session("one");
    let tree = world.tree(&made);
    tree.write("work.txt", "by hand\n");
    world.run(&["commit", "one", "-m", "By hand"]).ok();
    let head = tree.head();
    tree.git(&["branch", "--move", "fix/login"]);
    let take = format!("orchestra session set {} branch fix/login", made.id);
    world
        .run(&["status", "one"])
        .ok()
        .says("is called `fix/login` now")
        .says(&take)
        .says(&format!("branch -m fix/login {}", made.branch));
    world.run(&["list"]).ok().says("(renamed: fix/login)");
    for words in [
        &["squash", "one", "-m", "x"][..],
        &["merge", "one"],
        &["rebase", "one"],
        &["commit", "one", "-m", "x"],
        &["push", "one"],
        &["iterate", "one"],
    ] {
        world
            .run(words)
            .refuses(3, "is called `fix/login` now")
            .says(&take);
    }
    world
        .run(&["set", "one", "branch", "main"])
        .refuses(3, "that is the branch it lands on");
    world
        .run(&["set", "one", "branch", "fix/login"])
        .ok()
        .says("set the branch");
    let shown = world.json(&["status", "one"]);
    assert_eq!(shown["session"]["branch_name"], "fix/login");
    assert!(shown["session"]["other_checkout"].is_null());
    world.run(&["undo", "one"]).ok().says("undone: commit");
    world.run(&["redo", "one"]).ok();
    assert_eq!(world.tree(&made).head(), head);
    world
        .run(&["set", "one", "branch", "nowhere"])
        .refuses(3, "no branch called");
    world.repository.git(&["branch", "other", "fix/login"]);
    world
        .run(&["set", "one", "branch", "other"])
        .refuses(3, "its own branch is still there");
}

#[test]
fn a_branch_that_is_gone_is_made_again_where_it_was() {
    let world = World::new();
    let made = world.session("one");
    let tree = world.tree(&made);
    tree.write("work.txt", "by hand\n");
    tree.git(&["add", "work.txt"]);
    tree.git(&["commit", "--quiet", "-m", "With git"]);
    let head = tree.head();
    world.run(&["list"]).ok();
    tree.git(&["switch", "--quiet", "--detach", "main"]);
    world
        .repository
        .git(&["branch", "--quiet", "-D", &made.branch]);
    let again = format!("branch {} {head}", made.branch);
    world.run(&["status", "one"]).ok().says(&again);
    world.run(&["merge", "one"]).refuses(3, &again);
    world.repository.git(&["branch", "kept", &head]);
    world
        .run(&["status", "one"])
        .ok()
        .says("is called `kept` now");
}
