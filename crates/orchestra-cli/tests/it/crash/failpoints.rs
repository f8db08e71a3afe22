//! Every failpoint of the engine: abort there, abort the recovery as well, recover, look, go on.

mod base_checkout;
mod copying;
mod environment;
mod history;
mod housekeeping;
mod sandbox;
mod servers;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;

use crate::concurrency::world::{Made, World, shown};

/// What the agent writes, and what must never be lost once it was written.
const WRITTEN: &[(&str, &str)] = &[
    ("notes/agent.txt", "the agent was here\nand wrote two lines"),
    ("name with spaces \u{e4}.txt", "unicode \u{1f980}\n"),
];
const BY_HAND: (&str, &str) = ("by-hand.txt", "a person wrote this\n");

/// Places in `new`.
const CREATE: &[&str] = &["create.reserved", "create.registered", "create.filled"];
/// Places in `new` when the worktree cannot be made.
const GIVE_UP: &[&str] = &[
    "create.giving_up",
    "create.worktree_removed",
    "create.removed",
];
/// Places in `iterate`: before the agent ran.
const BEFORE_AGENT: &[&str] = &[
    "iterate.queued",
    "runner.took_over",
    "runner.begun",
    "runner.guarded",
];
/// Places in `iterate`: after the agent ran.
const AFTER_AGENT: &[&str] = &[
    "runner.guard_due",
    "runner.agent_ended",
    "commit.prepared",
    "commit.intended",
    "commit.published",
    "script.recorded",
    "script.ended",
    "runner.script_ended",
    "runner.finishing",
    "runner.finished",
];
/// Places in `commit`.
const COMMIT: &[&str] = &["commit.prepared", "commit.intended", "commit.done"];
/// Places in `run`.
const RUN: &[&str] = &["script.recorded", "script.ended"];
/// Places in `discard`.
const DISCARD: &[&str] = &[
    "snapshot.file",
    "snapshot.taken",
    "discard.intended",
    "discard.dropping",
    "discard.done",
];
/// Places in `undo`.
const UNDO: &[&str] = &["undo.intended", "undo.restoring", "undo.done"];
/// Places in `undo` and `redo` of a commit.
const UNDO_COMMIT: &[&str] = &["undo.intended", "undo.moved", "undo.done"];
const REDO_COMMIT: &[&str] = &["redo.intended", "undo.moved", "redo.done"];
/// Places in `merge`, and in `undo` of one.
const MERGE: &[&str] = &[
    "snapshot.taken",
    "merge.intended",
    "advance.locked",
    "advance.files_written",
    "advance.moved",
    "merge.done",
];
const UNDO_MERGE: &[&str] = &[
    "undo.intended",
    "advance.locked",
    "advance.files_written",
    "advance.moved",
    "undo.done",
];
/// Places in `land`, before it merges.
const LAND: &[&str] = &["rebase.intended", "rebase.done"];
/// Places in recovery itself.
const RECOVER: &[&str] = &[
    "recover.begun",
    "recover.swept",
    "recover.restoring",
    "recover.done",
];
/// Places that every operation has.
const OPERATION: &[&str] = &["intended", "done"];

fn scenario() -> String {
    let mut text = "[[step]]\ndo = 'message'\ntext = 'Working.'\n".to_owned();
    for (path, content) in WRITTEN {
        text.push_str(&format!(
            "[[step]]\ndo = 'write'\npath = {path:?}\ntext = {content:?}\n"
        ));
    }
    text.push_str("[[step]]\ndo = 'append'\npath = 'journal.txt'\ntext = \"one more\\n\"\n");
    text.push_str("[[step]]\ndo = 'message'\ntext = 'Wrote the notes.'\n");
    text
}

#[test]
fn every_failpoint_of_the_engine_is_covered_here() {
    let mut in_source = BTreeSet::new();
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("../orchestra-engine/src");
    collect_failpoints(&engine, &mut in_source);
    let lists = [
        CREATE,
        GIVE_UP,
        copying::COPY,
        BEFORE_AGENT,
        AFTER_AGENT,
        COMMIT,
        RUN,
        DISCARD,
        UNDO,
        UNDO_COMMIT,
        REDO_COMMIT,
        environment::SETUP,
        environment::TEARDOWN,
        environment::DROP_FILE,
        environment::CLEAR,
        servers::START,
        servers::RUN,
        servers::TAKE_OVER,
        servers::MOVE,
        servers::RECOVER,
        servers::CLEANUP,
        housekeeping::CLEANUP,
        housekeeping::RESTORE,
        housekeeping::BRANCH,
        housekeeping::BRANCH_BACK,
        housekeeping::GC,
        housekeeping::PUSH,
        housekeeping::ARTIFACTS,
        MERGE,
        UNDO_MERGE,
        LAND,
        history::SQUASH,
        history::REBASE,
        history::TO_NEXT,
        history::TO_END,
        history::RESOLVE,
        history::REGENERATE,
        history::ITERATE,
        sandbox::HOLD,
        sandbox::FETCH,
        crate::moved::MOVE,
        RECOVER,
    ];
    let covered: BTreeSet<String> = lists.concat().into_iter().map(str::to_owned).collect();
    assert_eq!(covered, in_source);
    println!("failpoints {}, covered {}", in_source.len(), covered.len());
}

fn collect_failpoints(directory: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            collect_failpoints(&path, found);
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        for call in ["failpoints.pass(\"", "self.failpoints(\""] {
            let names = source.split(call).skip(1);
            found.extend(names.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
        }
        for rest in source.split("OperationKind::").skip(1) {
            let end = rest.find(|letter: char| !letter.is_alphanumeric()).unwrap();
            if rest[end..].starts_with([',', ')']) {
                let kind = rest[..end].to_lowercase();
                found.extend(OPERATION.iter().map(|step| format!("{kind}.{step}")));
            }
        }
    }
}

#[test]
fn creating_is_finished_or_taken_back() {
    for place in CREATE {
        let world = World::new(&scenario());
        let output = world.abort_at(
            place,
            &["new", "--name", "victim", "--prompt", "Do it", "--json"],
        );
        assert!(!output.status.success(), "{place}: {}", shown(&output));
        world.recover_twice_killed(place);
        let again = world
            .session(&["new", "--json", "--name", "victim", "--prompt", "Do it"])
            .output()
            .unwrap();
        let taken = again.status.code() == Some(3);
        assert!(
            taken || again.status.success(),
            "{place}: {}",
            shown(&again)
        );
        assert_eq!(world.count("SELECT count(*) FROM sessions"), 1, "{place}");
        let session = world.sessions().remove(0);
        world.goes_on(&session, place);
    }
    println!("failpoints in new {}, lost 0", CREATE.len());
}

#[test]
fn what_could_not_be_made_is_taken_back() {
    for place in GIVE_UP {
        let world = World::new(&scenario());
        let blob = world.repository.git(&["rev-parse", "HEAD:README.md"]);
        let object = format!(".git/objects/{}/{}", &blob[..2], &blob[2..]);
        let object = world.repository.path(&object);
        let kept = std::fs::read(&object).unwrap();
        std::fs::remove_file(&object).unwrap();
        let new = ["new", "--name", "victim", "--prompt", "Do it"];
        let output = world.abort_at(place, &new);
        assert!(!output.status.success(), "{place}: {}", shown(&output));
        std::fs::write(&object, kept).unwrap();
        assert_eq!(world.count("SELECT count(*) FROM sessions"), 1, "{place}");
        world.recover_twice_killed(place);
        assert_eq!(world.count("SELECT count(*) FROM sessions"), 0, "{place}");
        let branches = world.repository.git(&["branch", "--list"]);
        assert_eq!(branches.lines().count(), 1, "{place}: {branches}");
        let session = world.create("victim", &[]);
        world.goes_on(&session, place);
    }
    println!("failpoints in giving up {}, lost 0", GIVE_UP.len());
}

#[test]
fn what_a_person_wrote_into_a_worktree_that_was_being_made_is_kept() {
    let world = World::new(&scenario());
    world.abort_at(
        "create.filled",
        &["new", "--name", "victim", "--prompt", "Do it"],
    );
    let session = world.sessions().remove(0);
    let worktree = world.repository.at(&session.worktree);
    worktree.write("README.md", "edited by a person\n");
    worktree.write(BY_HAND.0, BY_HAND.1);
    world.recover_twice_killed("create.filled");
    assert_eq!(worktree.read("README.md"), "edited by a person\n");
    assert_eq!(worktree.read(BY_HAND.0), BY_HAND.1);
}

#[test]
fn an_iteration_that_dies_before_its_agent_ran_is_interrupted() {
    for place in BEFORE_AGENT {
        let world = World::new(&scenario());
        let session = world.create("victim", &["--script", "test -s journal.txt"]);
        world.abort_at(place, &["iterate", "victim", "--detach"]);
        world.wait_until_nobody_works();
        world.recover_twice_killed(place);
        assert_eq!(world.outcomes(), ["interrupted"], "{place}");
        world.goes_on(&session, place);
    }
    println!("failpoints before the agent {}, lost 0", BEFORE_AGENT.len());
}

#[test]
fn an_iteration_that_dies_after_its_agent_ran_keeps_what_it_wrote() {
    for place in AFTER_AGENT {
        let world = World::new(&scenario());
        let session = world.create("victim", &["--script", "test -s journal.txt"]);
        let output = world.abort_at(place, &["iterate", "victim", "--detach"]);
        assert!(output.status.success(), "{place}: {}", shown(&output));
        world.wait_until_nobody_works();
        world.assert_written(&session, place);
        world.recover_twice_killed(place);
        world.assert_written(&session, place);
        assert_eq!(world.count("SELECT count(*) FROM iterations"), 1, "{place}");
        let recorded = "SELECT json_array_length(commits) FROM iterations WHERE thread IS NOT NULL";
        let made = i64::try_from(world.commits(&session)).unwrap();
        assert_eq!(world.count(recorded), made, "{place}: recorded commits");
        world.goes_on(&session, place);
        let journal = world.repository.at(&session.worktree).read("journal.txt");
        assert_eq!(journal.lines().count(), 2, "{place}");
    }
    println!("failpoints after the agent {}, lost 0", AFTER_AGENT.len());
}

#[test]
fn a_commit_by_hand_is_made_or_its_changes_stay() {
    for place in COMMIT {
        let world = World::new(&scenario());
        let session = world.create("victim", &[]);
        let worktree = world.repository.at(&session.worktree);
        worktree.write(BY_HAND.0, BY_HAND.1);
        let commit = ["commit", "victim", "--message", "By hand"];
        let output = world.abort_at(place, &commit);
        assert!(!output.status.success(), "{place}");
        world.recover_twice_killed(place);
        assert_eq!(worktree.read(BY_HAND.0), BY_HAND.1, "{place}");
        world.succeed(&commit);
        assert_eq!(world.commits(&session), 1, "{place}");
        assert_eq!(worktree.git(&["status", "--porcelain"]), "", "{place}");
        world.succeed(&["undo", "victim"]);
        assert_eq!(world.commits(&session), 0, "{place}");
        world.succeed(&["redo", "victim"]);
        assert_eq!(world.commits(&session), 1, "{place}");
        world.goes_on(&session, place);
    }
    println!("failpoints in commit {}, lost 0", COMMIT.len());
}

#[test]
fn a_script_run_that_dies_is_closed() {
    for place in RUN {
        let world = World::new(&scenario());
        let session = world.create("victim", &["--script", "echo ran; sleep 0.1"]);
        let output = world.abort_at(place, &["run", "victim", "--detach"]);
        assert!(output.status.success(), "{place}: {}", shown(&output));
        world.wait_until_nobody_works();
        world.recover_twice_killed(place);
        assert_eq!(world.count("SELECT count(*) FROM script_runs"), 1);
        world.goes_on(&session, place);
    }
    println!("failpoints in run {}, lost 0", RUN.len());
}

#[test]
fn a_discard_that_was_cut_off_leaves_the_work_in_the_worktree() {
    for place in DISCARD {
        let (world, session) = world_with_interrupted_work();
        let output = world.abort_at(place, &["discard", "victim"]);
        assert!(!output.status.success(), "{place}");
        world.recover_twice_killed(place);
        world.assert_written(&session, place);
        world.goes_on(&session, place);
    }
    println!("failpoints in discard {}, lost 0", DISCARD.len());
}

#[test]
fn and_its_undoing_can_be_asked_for_again() {
    for place in UNDO {
        let (world, session) = world_with_interrupted_work();
        world.succeed(&["discard", "victim"]);
        let output = world.abort_at(place, &["undo", "victim"]);
        assert!(!output.status.success(), "{place}");
        world.recover_twice_killed(place);
        world.succeed(&["undo", "victim"]);
        world.assert_written(&session, place);
        world.goes_on(&session, place);
    }
    println!("failpoints in undo {}, lost 0", UNDO.len());
}

#[test]
fn a_commit_is_undone_and_done_again_whole_or_not_at_all() {
    for (command, places) in [("undo", UNDO_COMMIT), ("redo", REDO_COMMIT)] {
        for place in places {
            let world = World::new(&scenario());
            let session = world.create("victim", &[]);
            let worktree = world.repository.at(&session.worktree);
            worktree.write(BY_HAND.0, BY_HAND.1);
            worktree.git(&["add", BY_HAND.0]);
            worktree.write(BY_HAND.0, "and more\n");
            let state = || worktree.git(&["status", "--porcelain=v2", "--branch"]);
            let before = state();
            world.succeed(&["commit", "victim", "--message", "By hand"]);
            let after = state();
            if command == "redo" {
                world.succeed(&["undo", "victim"]);
            }
            let (from, to) = match command {
                "undo" => (&after, &before),
                _ => (&before, &after),
            };
            let output = world.abort_at(place, &[command, "victim"]);
            assert!(!output.status.success(), "{place}");
            world.recover_twice_killed(place);
            assert!([from, to].contains(&&state()), "{command} {place}");
            world.succeed(&[command, "victim"]);
            assert_eq!(state(), *to, "{command} {place}");
            assert_eq!(worktree.read(BY_HAND.0), "and more\n", "{command} {place}");
        }
    }
    println!(
        "failpoints in undo and redo of a commit {}, lost 0",
        UNDO_COMMIT.len() + REDO_COMMIT.len()
    );
}

/// A session with a commit by hand, and a base that moved on; how the main checkout looks before and after the merge.
fn world_with_mergeable_work() -> (World, Made) {
    let world = World::new(&scenario());
    let session = world.create("victim", &[]);
    let worktree = world.repository.at(&session.worktree);
    worktree.write(BY_HAND.0, BY_HAND.1);
    worktree.write("README.md", "changed\n");
    world.succeed(&["commit", "victim", "--message", "By hand"]);
    world.repository.write("base.txt", "base\n");
    world.repository.commit("The base moves on");
    world.succeed(&["approve", "victim"]);
    (world, session)
}

#[test]
fn a_merge_is_made_and_taken_back_whole_or_not_at_all() {
    let read = |world: &World| world.repository.path(BY_HAND.0).exists();
    for place in MERGE {
        let (world, _session) = world_with_mergeable_work();
        let output = world.abort_at(place, &["merge", "victim"]);
        assert!(!output.status.success(), "{place}");
        world.recover_twice_killed(place);
        world.succeed(&["merge", "victim"]);
        assert_eq!(world.repository.read(BY_HAND.0), BY_HAND.1, "{place}");
        assert_eq!(world.repository.read("README.md"), "changed\n", "{place}");
        let merges = world
            .repository
            .git(&["rev-list", "--count", "--merges", "main"]);
        assert_eq!(merges, "1", "{place}");
        let landed = "SELECT count(*) FROM sessions WHERE landed_into = 'main'";
        assert_eq!(world.count(landed), 1, "{place}");
        world.assert_whole(place);
    }
    for place in UNDO_MERGE {
        let (world, session) = world_with_mergeable_work();
        let before = world.repository.head();
        world.succeed(&["merge", "victim"]);
        let output = world.abort_at(place, &["undo", "victim"]);
        assert!(!output.status.success(), "{place}");
        world.recover_twice_killed(place);
        world.succeed(&["undo", "victim"]);
        assert_eq!(world.commits(&session), 1, "{place}: one step back");
        assert_eq!(world.repository.head(), before, "{place}");
        assert!(!read(&world), "{place}");
        world.succeed(&["redo", "victim"]);
        assert_eq!(world.repository.read(BY_HAND.0), BY_HAND.1, "{place}");
        world.assert_whole(place);
    }
    println!(
        "failpoints in merge and its undo {}, lost 0",
        MERGE.len() + UNDO_MERGE.len()
    );
}

#[test]
fn landing_goes_on_where_it_was_cut_off() {
    for place in [LAND, MERGE].concat() {
        let (world, session) = world_with_mergeable_work();
        let output = world.abort_at(place, &["land", "victim"]);
        assert!(!output.status.success(), "{place}");
        world.recover_twice_killed(place);
        world.succeed(&["land", "victim"]);
        assert_eq!(world.repository.read(BY_HAND.0), BY_HAND.1, "{place}");
        assert_eq!(
            world.repository.head(),
            world.repository.branch_sha(&session.branch)
        );
        world.assert_whole(place);
    }
    println!("failpoints in land {}, lost 0", LAND.len() + MERGE.len());
}

#[test]
fn a_discard_whose_directory_is_gone_too_keeps_nobody_waiting() {
    let (world, session) = world_with_interrupted_work();
    world.abort_at("discard.intended", &["discard", "victim"]);
    std::fs::remove_dir_all(&session.worktree).unwrap();
    world.succeed(&["status", "victim"]);
    let told = world.column("SELECT body ->> 'what' FROM events WHERE type = 'recovered'");
    assert!(
        told.iter().any(|what| what.contains("is kept in")),
        "{told:?}"
    );
}

/// A session whose agent was cut off after it had written its files.
fn world_with_interrupted_work() -> (World, Made) {
    let world = World::new(&scenario());
    let session = world.create("victim", &[]);
    world.abort_at("runner.agent_ended", &["iterate", "victim", "--detach"]);
    world.wait_until_nobody_works();
    world.heal();
    (world, session)
}

impl World {
    /// Runs a command that dies at a place, or whose runner does.
    fn abort_at(&self, place: &str, arguments: &[&str]) -> Output {
        let mut command = self.session(arguments);
        command.env("ORCHESTRA_FAILPOINT", place);
        command.output().unwrap()
    }

    /// Recovery dies at each of its own places.
    fn kill_recovery(&self) {
        for place in [RECOVER, housekeeping::RESTORE].concat() {
            let mut doctor = self.sandbox.orchestra();
            doctor.args(["doctor", "--fix"]);
            doctor.env("ORCHESTRA_FAILPOINT", place).output().unwrap();
        }
    }

    /// Recovery dies first. Then it must succeed, and all must be whole.
    fn recover_twice_killed(&self, when: &str) {
        self.kill_recovery();
        self.heal();
        self.assert_whole(when);
        self.assert_quiet(when);
    }

    /// The session and a new one both work.
    fn goes_on(&self, session: &Made, when: &str) {
        let fresh = self.create("fresh", &[]);
        self.succeed(&["iterate", &session.id]);
        self.succeed(&["iterate", &fresh.id]);
        for session in [session, &fresh] {
            self.assert_written(session, when);
            assert!(self.commits(session) >= 1, "{when}: nothing was committed");
            let worktree = self.repository.at(&session.worktree);
            assert_eq!(worktree.git(&["status", "--porcelain"]), "", "{when}");
        }
        self.wait_until_nobody_works();
        self.assert_whole(&format!("{when}, after going on"));
    }

    fn assert_written(&self, session: &Made, when: &str) {
        for (path, content) in WRITTEN {
            let found = std::fs::read_to_string(session.worktree.join(path));
            assert_eq!(found.ok().as_deref(), Some(*content), "{when}: {path}");
        }
    }

    /// Commits on the session's branch that are not on `main`.
    fn commits(&self, session: &Made) -> usize {
        let range = format!("main..{}", session.branch);
        let count = self.repository.git(&["rev-list", "--count", &range]);
        count.parse().unwrap()
    }

    fn outcomes(&self) -> Vec<String> {
        self.column("SELECT json_extract(outcome, '$.kind') FROM iterations ORDER BY key")
    }
}
