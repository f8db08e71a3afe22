//! `resolve`: one file at a time.

use orchestra_testkit::TestRepository;

use super::stopped::Stopped;
use crate::world::World;

#[test]
fn a_file_is_decided_each_way_and_brought_back() {
    for (how, expected) in [
        ("--ours", "one\nmain\nthree\n"),
        ("--theirs", "one\nsession\nthree\n"),
        ("--edited", "one\nboth\nthree\n"),
    ] {
        let it = Stopped::new();
        let before = it.state();
        if how == "--edited" {
            it.run(&["resolve", "one", "a.txt", how])
                .refuses(3, "conflict markers are left in `a.txt` at lines 2, 4, 6");
            it.tree.write("a.txt", expected);
        }
        let answer = it.world.json(&["resolve", "one", "./a.txt", how]);
        assert_eq!(answer["path"], "a.txt");
        assert_eq!(answer["left"], serde_json::json!([]));
        assert_eq!(it.tree.read("a.txt"), expected);
        it.run(&["undo", "one"]).ok();
        if how != "--edited" {
            assert_eq!(it.state(), before, "{how}");
        }
        it.run(&["redo", "one"]).ok();
        let absolute = it.made.worktree.join("a.txt");
        it.run(&["resolve", "one", absolute.to_str().unwrap(), how])
            .refuses(2, "has no conflict");
        it.run(&["rebase", "one", "--continue"]).ends_with(7);
        it.run(&["resolve", "one", "b.txt", "--theirs"]).ok();
        it.run(&["rebase", "one", "--continue"]).ok();
        assert_eq!(it.tree.read("a.txt"), expected);
        it.world.repository.fsck();
    }
}

#[test]
fn what_was_edited_elsewhere_stays_when_it_is_undone() {
    let world = World::new();
    let write = |tree: &TestRepository, word: &str| {
        tree.write("a.txt", &format!("{word}\n"));
        tree.write("b.txt", &format!("{word}\n"));
        tree.commit(word);
    };
    write(&world.repository, "base");
    let made = world.session("one");
    let tree = world.tree(&made);
    write(&tree, "session");
    write(&world.repository, "main");
    tree.write("notes.txt", "before\n");
    world.run(&["rebase", "one"]).ends_with(7);
    let conflict = tree.read("a.txt");
    world.run(&["resolve", "one", "a.txt", "--theirs"]).ok();
    tree.write("b.txt", "half done\n");
    tree.write("notes.txt", "since\n");
    world.run(&["undo", "one"]).ok();
    assert_eq!(tree.read("a.txt"), conflict);
    assert_eq!(tree.read("b.txt"), "half done\n");
    assert_eq!(tree.read("notes.txt"), "since\n");
    world.run(&["redo", "one"]).ok();
    assert_eq!(tree.read("a.txt"), "session\n");
    assert_eq!(tree.read("b.txt"), "half done\n");
    tree.write("a.txt", "edited since\n");
    world.run(&["undo", "one"]).refuses(3, "`a.txt`");
}

#[test]
fn a_commit_of_which_nothing_is_left_is_named() {
    let it = Stopped::new();
    let at = it.tree.git(&["rev-parse", "REBASE_HEAD"]);
    it.run(&["resolve", "one", "a.txt", "--ours"]).ok();
    it.run(&["rebase", "one", "--continue"])
        .ends_with(7)
        .says(&format!("{} amp: change a", &at[..10]));
    it.run(&["resolve", "one", "b.txt", "--ours"]).ok();
    let answer = it.world.json(&["rebase", "one", "--continue"]);
    assert_eq!(answer["dropped"][0]["subject"], "change b");
    assert_eq!(it.subjects(), ["amp: add c"]);

    let it = Stopped::new();
    it.tree.write("a.txt", "by hand\n");
    it.tree
        .git(&["commit", "--quiet", "--all", "-m", "By hand"]);
    let ran = it.run(&["rebase", "one", "--continue"]).ends_with(7);
    assert!(!ran.stderr.contains("left out"), "{}", ran.stderr);
}

#[test]
fn only_a_conflict_can_be_resolved() {
    let it = Stopped::before(World::new());
    it.run(&["resolve", "one", "a.txt", "--ours"])
        .refuses(3, "no rebase of session");
    it.run(&["rebase", "one"]).ends_with(7);
    it.run(&["resolve", "one", "a.txt"]).ends_with(2);
    it.run(&["resolve", "one", "a.txt", "--ours", "--theirs"])
        .ends_with(2);
    it.run(&["resolve", "one", "a.txt", "--regenerate"])
        .refuses(2, "is not a lockfile");
    assert_eq!(
        it.world
            .count("SELECT count(*) FROM operations WHERE kind = 'resolve'"),
        0
    );
}

#[test]
fn a_lockfile_is_written_again_by_a_script_run() {
    let world = World::new();
    let lock = "pkg/package-lock.json";
    world.repository.write(lock, "base\n");
    world.repository.commit("base");
    let made = world.session("one");
    let tree = world.tree(&made);
    tree.write(lock, "session\n");
    tree.commit("amp: lock");
    world.repository.write(lock, "main\n");
    world.repository.commit("main moves");
    world.run(&["rebase", "one"]).ends_with(7);
    let before = tree.read(lock);
    let script = |command: &str| {
        let text = format!("[scripts]\ninstall = {command:?}\n");
        world.repository.write(".orchestra/config.toml", &text);
        let words = ["resolve", "one", lock, "--regenerate", "--json"];
        let refused = world.run(&words).ends_with(3).json();
        assert_eq!(refused["error"]["code"], "command.not_allowed");
        assert_eq!(tree.read(lock), before, "nothing is done");
        world.run(&[&words[..], &["--yes"]].concat())
    };
    let failed = script("echo no; exit 3").ends_with(1).json();
    assert_eq!(failed["error"]["code"], "resolve.install_failed");
    assert_eq!(tree.read(lock), before, "the file is as it was");
    let done =
        script("cat pkg/package-lock.json > seen && echo regenerated > pkg/package-lock.json")
            .ok()
            .json();
    assert_eq!(done["left"], serde_json::json!([]));
    assert_eq!(tree.read("seen"), "main\n", "it starts from the base's");
    assert_eq!(tree.git(&["show", &format!(":{lock}")]), "regenerated");
    assert_eq!(
        world.count("SELECT count(*) FROM script_runs WHERE script = 'install'"),
        2
    );
    world.run(&["undo", "one"]).ok();
    assert_eq!(tree.read(lock), before);
    world.run(&["redo", "one"]).ok();
    world.run(&["rebase", "one", "--continue"]).ok();
    assert_eq!(tree.git(&["show", &format!("HEAD:{lock}")]), "regenerated");
    world.wait_until_quiet();
}
