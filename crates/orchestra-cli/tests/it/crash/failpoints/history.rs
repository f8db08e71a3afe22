//! Squash, rebase and resolve, killed at each of their places: the same command again finishes, and no commit is lost.

use std::process::Output;

use orchestra_testkit::TestRepository;

use crate::concurrency::world::{World, shown};
use crate::made::Made;

/// Places in `squash`.
pub(super) const SQUASH: &[&str] = &[
    "snapshot.taken",
    "squash.intended",
    "squash.moved",
    "squash.done",
];
/// Places in `rebase` where every commit fits.
pub(super) const REBASE: &[&str] = &[
    "rebase.intended",
    "advance.locked",
    "advance.files_written",
    "advance.moved",
    "rebase.done",
];
/// Places in `rebase` where a commit does not fit.
const STOP: &[&str] = &[
    "snapshot.taken",
    "rebase.intended",
    "rebase.recorded",
    "rebase.head_moved",
    "rebase.files_written",
    "rebase.index_written",
    "rebase.done",
];
/// Places in `rebase --continue` and `--skip` on the way to the next conflict.
pub(super) const TO_NEXT: &[&str] = &[
    "snapshot.file",
    "rebase.intended",
    "rebase.committed",
    "rebase.recorded",
    "rebase.head_moved",
    "rebase.files_written",
    "rebase.index_written",
    "rebase.done",
];
/// Places in `rebase --continue` and `--skip` on the way to the end.
pub(super) const TO_END: &[&str] = &[
    "rebase.intended",
    "rebase.files_written",
    "rebase.branch_moved",
    "rebase.attached",
    "rebase.done",
];
/// Places in `resolve`.
pub(super) const RESOLVE: &[&str] = &["snapshot.file", "resolve.intended", "resolve.done"];
/// Places in `resolve --regenerate`.
pub(super) const REGENERATE: &[&str] = &[
    "resolve.intended",
    "resolve.base_written",
    "script.recorded",
    "script.ended",
    "resolve.done",
];
/// Places in `iterate` on a conflicted session.
pub(super) const ITERATE: &[&str] = &[
    "snapshot.taken",
    "runner.agent_ended",
    "resolve.intended",
    "resolve.done",
    "runner.edits_taken",
    "rebase.committed",
    "rebase.index_written",
    "rebase.done",
    "runner.finishing",
];

const LOCK: &str = "package-lock.json";
const AGENT: &str = "[[step]]\ndo = 'write'\npath = 'a.txt'\ntext = \"session\\n\"\n";

/// A session of three commits. On top of `main` the first has a conflict in `a.txt`, the second in a lockfile.
struct Landing {
    world: World,
    session: Made,
    tree: TestRepository,
}

impl Landing {
    fn new() -> Self {
        let world = World::new(AGENT);
        let write = |tree: &TestRepository, name: &str, word: &str| {
            tree.write(name, &format!("{word}\n"));
        };
        let main = &world.repository;
        main.write(
            ".orchestra/config.toml",
            "[scripts]\ninstall = 'echo session > package-lock.json'\n",
        );
        write(main, "a.txt", "base");
        write(main, LOCK, "base");
        main.commit("base");
        let session = world.create("victim", &[]);
        world.allow_commands();
        let tree = main.at(&session.worktree);
        for (name, subject) in [("a.txt", "amp: a"), (LOCK, "amp: lock"), ("c.txt", "c")] {
            write(&tree, name, "session");
            tree.commit(subject);
        }
        write(main, "a.txt", "main");
        write(main, LOCK, "main");
        main.commit("main moves");
        Self {
            world,
            session,
            tree,
        }
    }

    /// At its first conflict.
    fn stopped() -> Self {
        let it = Self::new();
        it.expect(&["rebase", "victim"], 7);
        it
    }

    /// At its second conflict.
    fn stopped_twice() -> Self {
        let it = Self::stopped();
        it.expect(&["resolve", "victim", "a.txt", "--theirs"], 0);
        it.expect(&["rebase", "victim", "--continue"], 7);
        it
    }

    fn run(&self, words: &[&str]) -> Output {
        self.world.session(words).output().unwrap()
    }

    #[track_caller]
    fn expect(&self, words: &[&str], code: i32) {
        let output = self.run(words);
        assert_eq!(output.status.code(), Some(code), "{}", shown(&output));
    }

    /// The command dies at the place, and recovery dies too, and then all is whole.
    #[track_caller]
    fn cut_off(&self, place: &str, words: &[&str]) {
        let output = self.world.abort_at(place, words);
        assert_eq!(output.status.code(), None, "{place}: {}", shown(&output));
        self.world.recover_twice_killed(place);
    }

    fn is_conflicted(&self) -> bool {
        let sql = "SELECT count(*) FROM sessions WHERE rebase IS NOT NULL";
        self.world.count(sql) == 1
    }

    fn conflicts(&self) -> String {
        self.tree.git(&["diff", "--name-only", "--diff-filter=U"])
    }

    /// Resolves for the session and goes on until the rebase is finished.
    fn finish(&self, place: &str) {
        for _ in 0..10 {
            if !self.is_conflicted() && self.behind() == "0" {
                return self.assert_finished(place);
            }
            if self.is_conflicted() {
                for path in self.conflicts().lines() {
                    self.expect(&["resolve", "victim", path, "--theirs"], 0);
                }
                self.run(&["rebase", "victim", "--continue"]);
            } else {
                self.run(&["rebase", "victim"]);
            }
        }
        panic!("{place}: it does not come to an end");
    }

    fn behind(&self) -> String {
        let range = format!("{}..main", self.session.branch);
        self.tree.git(&["rev-list", "--count", &range])
    }

    fn assert_finished(&self, place: &str) {
        for path in ["a.txt", LOCK, "c.txt"] {
            assert_eq!(self.tree.read(path), "session\n", "{place}: {path}");
        }
        let subjects = self.tree.git(&["log", "--format=%s", "main..HEAD"]);
        assert_eq!(subjects, "c\namp: lock\namp: a", "{place}");
        assert_eq!(self.tree.git(&["status", "--porcelain"]), "", "{place}");
        self.world.assert_whole(place);
    }

    fn state(&self) -> [String; 3] {
        [
            self.tree.git(&["status", "--porcelain=v2", "--branch"]),
            self.tree.git(&["ls-files", "--stage"]),
            self.tree.read("a.txt"),
        ]
    }
}

#[test]
fn a_squash_takes_place_or_does_not() {
    for place in SQUASH {
        let it = Landing::new();
        let squash = ["squash", "victim", "--message", "All"];
        let files = it.tree.git(&["rev-parse", "HEAD^{tree}"]);
        it.cut_off(place, &squash);
        it.expect(&squash, 0);
        let all = it.tree.git(&["log", "--format=%s", "main..HEAD"]);
        assert_eq!(all, "All", "{place}");
        assert_eq!(it.tree.git(&["rev-parse", "HEAD^{tree}"]), files, "{place}");
        it.expect(&["undo", "victim"], 0);
        assert_eq!(it.world.commits(&it.session), 3, "{place}");
    }
}

#[test]
fn a_rebase_that_fits_is_whole_or_not_there() {
    for place in REBASE {
        let it = Landing::new();
        it.world
            .repository
            .git(&["reset", "--quiet", "--hard", "HEAD~1"]);
        it.world.repository.write("main.txt", "main");
        it.world.repository.commit("main moves elsewhere");
        it.tree.write("c.txt", "uncommitted");
        it.cut_off(place, &["rebase", "victim"]);
        it.expect(&["rebase", "victim"], 0);
        assert_eq!(
            it.tree.git(&["status", "--porcelain"]),
            " M c.txt",
            "{place}"
        );
        assert_eq!(it.tree.read("c.txt"), "uncommitted", "{place}");
        assert_eq!(it.tree.read("main.txt"), "main", "{place}");
        let undo = place.replace("rebase.", "undo.");
        it.cut_off(&undo, &["undo", "victim"]);
        it.expect(&["undo", "victim"], 0);
        assert!(!it.tree.path("main.txt").exists(), "{undo}");
        assert_eq!(
            it.tree.git(&["status", "--porcelain"]),
            " M c.txt",
            "{undo}"
        );
    }
}

#[test]
fn a_rebase_that_stops_is_at_its_conflict_or_not_there() {
    for place in STOP {
        let it = Landing::new();
        let before = it.state();
        it.cut_off(place, &["rebase", "victim"]);
        if !it.is_conflicted() {
            assert_eq!(it.state(), before, "{place}");
        }
        it.expect(&["rebase", "victim"], 7);
        it.finish(place);
    }
}

#[test]
fn going_on_is_cut_off_anywhere() {
    for place in TO_NEXT {
        let it = Landing::stopped();
        it.expect(&["resolve", "victim", "a.txt", "--theirs"], 0);
        it.cut_off(place, &["rebase", "victim", "--continue"]);
        it.expect(&["rebase", "victim", "--continue"], 7);
        it.finish(place);
    }
    for place in TO_END.iter().chain(&["rebase.committed"]) {
        let it = Landing::stopped_twice();
        it.expect(&["resolve", "victim", LOCK, "--theirs"], 0);
        it.cut_off(place, &["rebase", "victim", "--continue"]);
        it.expect(&["rebase", "victim", "--continue"], 0);
        it.finish(place);
    }
}

#[test]
fn leaving_out_a_commit_is_cut_off_anywhere() {
    let to_next = TO_NEXT.iter().filter(|place| **place != "rebase.committed");
    for place in to_next {
        let it = Landing::stopped();
        it.cut_off(place, &["rebase", "victim", "--skip"]);
        it.expect(&["rebase", "victim", "--skip"], 7);
        assert_eq!(it.conflicts(), LOCK, "{place}");
        it.expect(&["rebase", "victim", "--skip"], 0);
        assert_eq!(it.tree.read("a.txt"), "main\n", "{place}");
        assert_eq!(it.tree.git(&["log", "--format=%s", "main..HEAD"]), "c");
    }
    for place in TO_END {
        let it = Landing::stopped_twice();
        it.cut_off(place, &["rebase", "victim", "--skip"]);
        it.expect(&["rebase", "victim", "--skip"], 0);
        let subjects = it.tree.git(&["log", "--format=%s", "main..HEAD"]);
        assert_eq!(subjects, "c\namp: a", "{place}");
    }
}

#[test]
fn giving_up_is_cut_off_anywhere() {
    for place in ["snapshot.taken", "rebase.intended", "rebase.done"] {
        let it = Landing::new();
        let before = it.state();
        it.expect(&["rebase", "victim"], 7);
        it.cut_off(place, &["rebase", "victim", "--abort"]);
        it.expect(&["rebase", "victim", "--abort"], 0);
        assert_eq!(it.state(), before, "{place}");
        it.finish(place);
    }
}

#[test]
fn a_conflict_is_decided_or_still_there() {
    for place in RESOLVE {
        let it = Landing::stopped();
        let resolve = ["resolve", "victim", "a.txt", "--theirs"];
        it.cut_off(place, &resolve);
        it.expect(&resolve, 0);
        it.finish(place);
    }
    for place in REGENERATE {
        let it = Landing::stopped_twice();
        it.cut_off(place, &["resolve", "victim", LOCK, "--regenerate"]);
        it.expect(&["resolve", "victim", LOCK, "--regenerate"], 0);
        it.finish(place);
    }
}

#[test]
fn an_agent_that_resolves_is_cut_off_anywhere() {
    for place in ITERATE {
        let it = Landing::stopped();
        it.world.abort_at(place, &["iterate", "victim", "--detach"]);
        it.world.wait_until_nobody_works();
        it.world.recover_twice_killed(place);
        assert!(it.is_conflicted(), "{place}");
        it.finish(place);
    }
}

#[test]
fn a_conflict_is_undone_and_brought_back_whole_or_not_at_all() {
    for place in ["undo.intended", "undo.restoring", "undo.done"] {
        let it = Landing::new();
        let before = it.state();
        it.expect(&["rebase", "victim"], 7);
        it.cut_off(place, &["undo", "victim"]);
        if it.is_conflicted() {
            it.expect(&["undo", "victim"], 0);
        }
        assert_eq!(it.state(), before, "{place}");
        it.finish(place);
        let after = it.state();
        it.cut_off(place, &["undo", "victim"]);
        if !it.is_conflicted() {
            assert_eq!(it.state(), after, "{place}");
            it.expect(&["undo", "victim"], 0);
        }
        assert!(it.is_conflicted(), "{place}");
        it.finish(place);
    }
}
