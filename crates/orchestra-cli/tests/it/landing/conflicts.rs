//! `conflicts`: before a rebase and in the middle of one.

use orchestra_testkit::TestRepository;

use super::stopped::Stopped;
use super::work::with_commit;
use crate::world::World;

#[test]
fn a_rebase_is_foretold_in_memory() {
    let it = Stopped::before(World::new());
    let (refs, state) = (it.tree.git(&["for-each-ref"]), it.state());
    let answer = it.world.json(&["conflicts", "one"]);
    assert_eq!(answer["in_progress"], false);
    assert_eq!(answer["commit"]["subject"], "amp: change a");
    assert_eq!(answer["commits_after"], 2);
    assert_eq!(answer["conflicts"][0]["path"], "a.txt");
    assert_eq!((it.tree.git(&["for-each-ref"]), it.state()), (refs, state));
    it.run(&["conflicts", "one"])
        .ok()
        .says("would stop at")
        .says("ours (main)");
    it.world
        .repository
        .git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    it.run(&["conflicts", "one"])
        .ok()
        .says("no conflicts with main");
}

#[test]
fn every_kind_is_told_with_its_way_out() {
    let world = World::new();
    let write = |tree: &TestRepository, word: &str| {
        for name in ["text", "gone", "changed", "pkg/package-lock.json"] {
            tree.write(name, &format!("{word}\n"));
        }
        std::fs::write(tree.path("binary"), [word.as_bytes(), b"\0\xff"].concat()).unwrap();
    };
    write(&world.repository, "base");
    world.repository.commit("base");
    let made = world.session("one");
    let tree = world.tree(&made);
    write(&tree, "session");
    std::fs::remove_file(tree.path("changed")).unwrap();
    tree.write("db/migrate/0007_users.sql", "users");
    tree.commit("amp: all of it");
    write(&world.repository, "main");
    std::fs::remove_file(world.repository.path("gone")).unwrap();
    world.repository.write("db/migrate/0007_roles.sql", "roles");
    world.repository.commit("main moves");

    for in_progress in [false, true] {
        if in_progress {
            world.run(&["rebase", "one"]).ends_with(7);
        }
        let answer = world.json(&["conflicts", "one"]);
        assert_eq!(answer["in_progress"], in_progress);
        let files = answer["conflicts"].as_array().unwrap();
        let told: Vec<_> = files
            .iter()
            .map(|file| {
                let word = |name: &str| file[name].as_str().unwrap_or("-").to_owned();
                let words = ["path", "kind", "content", "class"].map(word);
                words.join(" ")
            })
            .collect();
        assert_eq!(
            told,
            [
                "binary both_modified binary ordinary",
                "changed deleted_by_them text ordinary",
                "gone deleted_by_us text ordinary",
                "pkg/package-lock.json both_modified text lockfile",
                "text both_modified text ordinary",
            ]
        );
        assert_eq!(files[3]["install_command"], "npm install");
        assert!(files[2]["ours"].is_null() && files[2]["theirs"]["object"].is_string());
        let clash = &answer["migrations"][0];
        assert_eq!(clash["proposal"][0]["to"], "db/migrate/0008_users.sql");
    }
    world
        .run(&["conflicts", "one"])
        .ok()
        .says("deleted by us")
        .says("binary")
        .says("which --regenerate does")
        .says("proposed: db/migrate/0007_users.sql -> db/migrate/0008_users.sql")
        .says("--skip, --abort");
}

#[test]
fn a_base_that_was_renamed_can_be_named_again() {
    let world = World::new();
    with_commit(&world, "one", "new.txt", "x\n");
    world.repository.git(&["branch", "-m", "main", "trunk"]);
    for command in ["rebase", "conflicts"] {
        world
            .run(&[command, "one"])
            .refuses(3, "there is no branch `main` any more")
            .says("base <branch>");
    }
    world.run(&["set", "one", "base", "trunk"]).ok();
    world.run(&["rebase", "one"]).ok();
}
