//! One name for things that cannot be merged: a file, a link and a directory.

use std::fs;
use std::os::unix::fs::symlink;

use orchestra_testkit::TestRepository;

use super::work::base_moves;
use crate::world::World;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thing {
    File,
    Link,
    Directory,
}

use Thing::{Directory, File, Link};

const PAIRS: [(Thing, Thing, &str); 6] = [
    (File, Directory, "file_directory"),
    (Directory, File, "file_directory"),
    (Link, Directory, "file_directory"),
    (Directory, Link, "file_directory"),
    (File, Link, "distinct_types"),
    (Link, File, "distinct_types"),
];

impl Thing {
    fn put(self, tree: &TestRepository) {
        match self {
            File => tree.write("thing", "a file\n"),
            Link => symlink("README.md", tree.path("thing")).unwrap(),
            Directory => {
                tree.write("thing/x", "inside\n");
                tree.write("thing/y/z", "deeper\n");
            }
        }
    }

    /// What a commit has of it.
    fn committed(self) -> &'static str {
        match self {
            File => "100644 thing",
            Link => "120000 thing",
            Directory => "100644 thing/x\n100644 thing/y/z",
        }
    }

    fn word(self) -> &'static str {
        match self {
            File => "file",
            Link => "symbolic link",
            Directory => "directory",
        }
    }
}

/// A session and its base that both made something of the name `thing`.
struct Meeting {
    world: World,
    tree: TestRepository,
}

impl Meeting {
    fn new(base: Thing, session: Thing) -> Self {
        Self::within(World::new(), base, session)
    }

    fn within(world: World, base: Thing, session: Thing) -> Self {
        let made = world.session("one");
        let tree = world.tree(&made);
        session.put(&tree);
        tree.write("more", "of the session\n");
        tree.commit("amp: thing");
        base.put(&world.repository);
        world.repository.commit("main has thing");
        Self { world, tree }
    }

    fn stopped(base: Thing, session: Thing) -> Self {
        let it = Self::new(base, session);
        let ran = it.world.run(&["rebase", "one"]).ends_with(7);
        assert!(!ran.stdout.contains('~') && !ran.stderr.contains('~'));
        it
    }

    /// Everything that people see of the worktree.
    fn state(&self) -> [String; 3] {
        let state = [
            self.tree.git(&["status", "--porcelain=v2", "--branch"]),
            self.tree.git(&["ls-files", "--stage"]),
            self.tree.git(&["ls-files", "--others", "--cached"]),
        ];
        assert!(!state.concat().contains('~'), "{state:?}");
        state
    }

    fn committed(&self) -> String {
        assert_eq!(self.tree.git(&["status", "--porcelain"]), "");
        let format = "--format=%(objectmode) %(path)";
        let files = self.tree.git(&["ls-tree", "-r", format, "HEAD"]);
        assert!(!files.contains('~') && files.contains("more"), "{files}");
        let found: Vec<_> = files
            .lines()
            .filter(|line| line.contains("thing"))
            .collect();
        found.join("\n")
    }
}

#[test]
fn it_has_its_real_name_and_its_kind_before_a_rebase_and_in_one() {
    for (base, session, kind) in PAIRS {
        let it = Meeting::new(base, session);
        for in_progress in [false, true] {
            if in_progress {
                it.world.run(&["rebase", "one"]).ends_with(7);
            }
            let answer = it.world.json(&["conflicts", "one"]);
            assert_eq!(answer["in_progress"], in_progress);
            let files = answer["conflicts"].as_array().unwrap();
            assert_eq!(files.len(), 1, "{files:?}");
            assert_eq!(
                (&files[0]["path"], &files[0]["kind"]),
                (&"thing".into(), &kind.into())
            );
            let said = it.world.run(&["conflicts", "one"]).ok();
            let ours = format!("ours (main) {}", base.word());
            said.says(&kind.replace("file_", "file/").replace('_', " "))
                .says(&ours);
        }
        it.state();
    }
}

#[test]
fn either_side_is_taken_whole_and_given_back() {
    for (base, session, _) in PAIRS {
        for (how, taken) in [("--ours", base), ("--theirs", session)] {
            let it = Meeting::stopped(base, session);
            let before = it.state();
            let answer = it.world.json(&["resolve", "one", "thing", how]);
            assert_eq!(
                answer["left"],
                serde_json::json!([]),
                "{base:?} {session:?}"
            );
            let after = it.state();
            it.world.run(&["undo", "one"]).ok();
            assert_eq!(it.state(), before, "{base:?} {session:?} {how}");
            it.world.run(&["redo", "one"]).ok();
            assert_eq!(it.state(), after);
            it.world.run(&["rebase", "one", "--continue"]).ok();
            assert_eq!(
                it.committed(),
                taken.committed(),
                "{base:?} {session:?} {how}"
            );
            it.world.repository.fsck();
        }
    }
}

#[test]
fn what_is_there_is_taken_as_edited() {
    for (base, session, _) in PAIRS {
        let it = Meeting::stopped(base, session);
        let there = match it.tree.path("thing").is_dir() {
            true => {
                it.tree.write("thing/new", "of a person\n");
                "100644 thing/new\n100644 thing/x\n100644 thing/y/z"
            }
            false => Link.committed(),
        };
        it.world.run(&["resolve", "one", "thing", "--edited"]).ok();
        it.world.run(&["rebase", "one", "--continue"]).ok();
        assert_eq!(it.committed(), there, "{base:?} {session:?}");
    }
    let it = Meeting::stopped(File, Directory);
    fs::remove_dir_all(it.tree.path("thing")).unwrap();
    it.tree.write("thing", "edited\n");
    it.world.run(&["resolve", "one", "thing", "--edited"]).ok();
    it.world.run(&["rebase", "one", "--continue"]).ok();
    assert_eq!(it.committed(), File.committed());
    assert_eq!(it.tree.read("thing"), "edited\n");
}

#[test]
fn what_git_does_not_track_in_the_directory_keeps_the_file_away() {
    let it = Meeting::stopped(File, Directory);
    it.tree.write("thing/mine", "precious\n");
    it.world
        .run(&["resolve", "one", "thing", "--ours"])
        .refuses(3, "`thing/mine` is in the way");
    assert_eq!(it.tree.read("thing/mine"), "precious\n");
    it.world.run(&["resolve", "one", "thing", "--theirs"]).ok();
    it.world.run(&["rebase", "one", "--continue"]).ok();
    assert_eq!(it.tree.read("thing/mine"), "precious\n");
}

#[test]
fn a_directory_that_was_edited_since_the_base_has_the_file_is_one_decision() {
    let world = World::new();
    base_moves(&world, "thing/x", "base\n");
    let made = world.session("one");
    let tree = world.tree(&made);
    tree.write("thing/x", "session\n");
    tree.commit("amp: x");
    tree.write("thing/new", "session\n");
    tree.commit("amp: new");
    fs::remove_dir_all(world.repository.path("thing")).unwrap();
    File.put(&world.repository);
    world.repository.commit("main has a file");
    world.run(&["rebase", "one"]).ends_with(7).says("thing");
    let answer = world.json(&["resolve", "one", "thing", "--ours"]);
    assert_eq!(answer["left"], serde_json::json!([]));
    world.run(&["rebase", "one", "--continue"]).ends_with(7);
    world.run(&["resolve", "one", "thing", "--theirs"]).ok();
    world.run(&["rebase", "one", "--continue"]).ok();
    assert_eq!(tree.git(&["ls-files", "thing"]), "thing/new");
}

#[test]
fn giving_up_and_skipping_leave_no_other_name() {
    for (base, session, _) in PAIRS {
        let it = Meeting::stopped(base, session);
        it.world.run(&["rebase", "one", "--abort"]).ok();
        assert_eq!(it.committed(), session.committed());
        it.world.run(&["rebase", "one"]).ends_with(7);
        it.world.run(&["rebase", "one", "--skip"]).ok();
        assert_eq!(it.tree.git(&["status", "--porcelain"]), "");
        it.state();
    }
}

#[test]
fn giving_up_after_a_decision_brings_the_sessions_side_back() {
    for (base, session, _) in PAIRS {
        for how in ["--ours", "--theirs"] {
            let it = Meeting::stopped(base, session);
            it.world.run(&["resolve", "one", "thing", how]).ok();
            it.world.run(&["rebase", "one", "--abort"]).ok();
            assert_eq!(it.committed(), session.committed(), "{base:?} {how}");
        }
    }
}

/// What the base made of it is no obstacle to what was there before.
#[test]
fn giving_up_turns_a_directory_of_the_base_into_a_file_again_and_back() {
    for (before, after) in [(File, Directory), (Directory, File)] {
        let world = World::new();
        before.put(&world.repository);
        world.repository.commit("thing");
        let made = world.session("one");
        let tree = world.tree(&made);
        tree.write("README.md", "session\n");
        tree.write("more", "of the session\n");
        tree.commit("amp: readme");
        world.repository.git(&["rm", "-rq", "thing"]);
        after.put(&world.repository);
        world.repository.write("README.md", "main\n");
        world.repository.commit("main has another thing");
        world.run(&["rebase", "one"]).ends_with(7);
        world.run(&["rebase", "one", "--abort"]).ok();
        let it = Meeting { world, tree };
        assert_eq!(it.committed(), before.committed());
    }
}

#[test]
fn check_merge_and_the_matrix_name_it_too() {
    for (base, session, _) in PAIRS {
        let it = Meeting::new(base, session);
        let what = format!(
            "`thing` (a {} in the base, a {} in the session)",
            base.word(),
            session.word()
        );
        it.world.run(&["approve", "one"]).ok();
        it.world.run(&["check", "one"]).says(&what);
        it.world.run(&["merge", "one"]).says(&what);
        let matrix = it.world.orchestra(&["conflicts", "--json"]).ok().json();
        assert_eq!(matrix["pairs"][0]["files"], serde_json::json!(["thing"]));
    }
}

#[test]
fn the_agent_is_told_how_to_see_what_is_not_in_the_worktree() {
    let scenario = "[[step]]\ndo = 'message'\ntext = 'I did nothing.'\n";
    for (base, session, told) in [
        (File, Directory, "`git show :2:thing` shows the file"),
        (Directory, File, "`git show :3:thing` shows the file"),
        (File, Link, "`git show :3:thing` show both"),
    ] {
        let it = Meeting::within(World::with_scenario(scenario), base, session);
        it.world.run(&["rebase", "one"]).ends_with(7);
        it.world.run(&["iterate", "one"]).ends_with(7).says("thing");
        let prompt = it.world.threads()[0].to_string();
        assert!(prompt.contains(told), "{prompt}");
        it.world.wait_until_quiet();
    }
}
