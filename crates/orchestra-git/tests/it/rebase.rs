//! Rebases that stop at a conflict in the worktree, and go on from there.

mod cut_off;

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_core::{CommitId, Timestamp};
use orchestra_git::{
    CommitStamp, Identity, RebaseError, RebaseOutcome, RebasePlan, RebaseProgress, RebaseStep,
    RebaseStop, Replay, ReplayRequest, Resolution, Worktree,
};
use orchestra_testkit::{TestRepository, hazards};

use crate::world::{World, branch, id};

const SESSION: &str = "amp/one";

/// A session with five commits, of which the second and the fourth conflict with `main`.
pub(crate) struct Conflicted {
    pub(crate) world: World,
    pub(crate) worktree: Worktree,
    pub(crate) plain: TestRepository,
    pub(crate) rebase: RebasePlan,
    pub(crate) stop: RebaseStop,
}

impl Conflicted {
    pub(crate) fn new() -> Self {
        let world = World::with(|plain| {
            for name in ["one", "two", "removed", "same"] {
                plain.write(name, "base\n");
            }
            plain.commit("files");
        });
        let worktree = world.worktree(SESSION);
        let plain = world.plain_at(worktree.path());
        plain.write("new", "session\n");
        plain.commit("amp: new");
        plain.write("one", "session\n");
        plain.write("removed", "session\n");
        plain.git(&["add", "--all"]);
        let author = "--author=Ann O'Neil <ann@example.com>";
        let message = "amp: one\n\nwith a body\n";
        let commit = ["commit", "--quiet", author, "--date=@1700000000 +0200"];
        plain.git(&[&commit[..], &["--message", message]].concat());
        plain.write("more", "session\n");
        plain.commit("amp: more");
        plain.write("two", "session\n");
        plain.commit("amp: two");
        plain.write("last", "session\n");
        let from = id(&plain.commit("amp: last"));
        world.plain.write("one", "main\n");
        world.plain.write("two", "main\n");
        world.plain.write("from-main", "main\n");
        fs::remove_file(world.plain.path("removed")).unwrap();
        let onto = id(&world.plain.commit("main goes on"));
        let rebase = RebasePlan {
            branch: branch(SESSION),
            commits: world.repository.commits_to_replay(&onto, &from).unwrap(),
            from,
            onto,
            onto_label: "main".to_owned(),
        };
        let stop = first_stop(&world, &rebase);
        Self {
            world,
            worktree,
            plain,
            rebase,
            stop,
        }
    }

    pub(crate) fn stopped() -> Self {
        let it = Self::new();
        it.stop_here().unwrap();
        it
    }

    pub(crate) fn stop_here(&self) -> Result<(), RebaseError> {
        let (rebase, stop) = (&self.rebase, &self.stop);
        self.worktree.stop_rebase(rebase, stop, &|_| {})
    }

    pub(crate) fn go_on(&self) -> Result<RebaseOutcome, RebaseError> {
        self.worktree
            .continue_rebase(&self.rebase, &stamp(), &|_| {})
    }

    pub(crate) fn resolve(&self, paths: &[&str], resolution: Resolution) {
        for path in paths {
            self.worktree.resolve(Path::new(path), resolution).unwrap();
        }
    }

    pub(crate) fn branch(&self) -> CommitId {
        id(&self.world.plain.branch_sha(SESSION))
    }

    /// The user's own git finds the branch checked out, and everything in agreement.
    pub(crate) fn assert_on_branch(&self, commit: &CommitId) {
        assert_eq!(&self.branch(), commit);
        assert_eq!(
            self.plain.git(&["symbolic-ref", "--short", "HEAD"]),
            SESSION
        );
        assert_eq!(self.plain.git(&["status", "--porcelain"]), "");
        assert!(!self.plain.git(&["status"]).contains("rebase"));
        for name in ["rebase-merge", "REBASE_HEAD", "MERGE_MSG"] {
            assert!(!self.worktree.admin_dir().join(name).exists(), "{name}");
        }
        self.world.plain.fsck();
    }

    fn subjects(&self) -> Vec<String> {
        let range = format!("main..{SESSION}");
        let log = self.plain.git(&["log", "--reverse", "--format=%s", &range]);
        log.lines().map(str::to_owned).collect()
    }
}

pub(crate) fn stamp() -> CommitStamp {
    CommitStamp {
        identity: Identity {
            name: "Committer".to_owned(),
            email: "committer@example.com".to_owned(),
        },
        at: Timestamp::from_second(1_767_225_600).unwrap(),
    }
}

fn first_stop(world: &World, rebase: &RebasePlan) -> RebaseStop {
    let request = ReplayRequest {
        onto: rebase.onto.clone(),
        onto_label: rebase.onto_label.clone(),
        commits: rebase.commits.clone(),
        committer: stamp(),
    };
    match world.repository.replay(&request).unwrap() {
        Replay::Conflict(stop) => stop,
        clean => panic!("{clean:?}"),
    }
}

fn paths(stop: &RebaseStop) -> Vec<PathBuf> {
    let files = stop.merge.conflicts.iter();
    files.map(|file| file.path.clone()).collect()
}

fn finished(outcome: RebaseOutcome) -> CommitId {
    match outcome {
        RebaseOutcome::Finished { head, .. } => head,
        other => panic!("{other:?}"),
    }
}

fn second_stop(outcome: RebaseOutcome) -> RebaseStop {
    match outcome {
        RebaseOutcome::Stopped(stop) => stop,
        other => panic!("{other:?}"),
    }
}

/// Everything but what the markers call the two sides.
fn without_labels(text: &str) -> String {
    let plain = |line: &str| match line.get(..7) {
        Some(sign @ ("<<<<<<<" | ">>>>>>>")) => sign.to_owned(),
        _ => line.to_owned(),
    };
    text.lines().map(plain).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_left_is_what_git_itself_leaves() {
    let it = Conflicted::stopped();
    let twin_place = it.world.sandbox.path("twin");
    let add = ["worktree", "add", "--quiet", "-b", "twin"];
    let place = twin_place.to_str().unwrap();
    it.world
        .plain
        .git(&[&add[..], &[place, it.rebase.from.as_str()]].concat());
    let twin = it.world.plain_at(&twin_place);
    assert!(!twin.try_git(&["rebase", "main"]).status.success());
    for question in [
        &["ls-files", "--stage"][..],
        &["status", "--porcelain"],
        &["rev-parse", "REBASE_HEAD", "ORIG_HEAD", "HEAD^{tree}"],
        &["log", "--format=%s %an %ad", "main..HEAD"],
        &["diff", "--name-status", "HEAD"],
    ] {
        assert_eq!(it.plain.git(question), twin.git(question), "{question:?}");
    }
    for name in ["one", "two", "removed", "from-main", "new"] {
        let (ours, gits) = (it.plain.read(name), twin.read(name));
        assert_eq!(without_labels(&ours), without_labels(&gits), "{name}");
    }
    let gits = PathBuf::from(twin.git(&["rev-parse", "--absolute-git-dir"]));
    let ours = it.worktree.admin_dir();
    for name in [
        "onto",
        "orig-head",
        "git-rebase-todo",
        "done",
        "msgnum",
        "end",
        "stopped-sha",
        "author-script",
        "interactive",
    ] {
        let read = |dir: &Path| fs::read_to_string(dir.join("rebase-merge").join(name)).unwrap();
        assert_eq!(read(ours), read(&gits), "{name}");
    }
    let message = |dir: &Path| fs::read_to_string(dir.join("MERGE_MSG")).unwrap();
    assert_eq!(message(ours), message(&gits));
    let said = it.plain.git(&["status"]);
    assert!(said.contains(&format!("branch '{SESSION}' on")), "{said}");
    assert!(said.contains("deleted by us:   removed"), "{said}");
}

#[test]
fn the_users_own_git_can_go_on() {
    let it = Conflicted::stopped();
    let edited = ["-c", "core.editor=true", "rebase", "--continue"];
    it.plain.write("one", "both\n");
    it.plain.git(&["add", "one", "removed"]);
    assert!(!it.plain.try_git(&edited).status.success());
    it.plain.write("two", "both\n");
    it.plain.git(&["add", "two"]);
    it.plain.git(&edited);
    let head = it.branch();
    it.assert_on_branch(&head);
    let expected = ["amp: new", "amp: one", "amp: more", "amp: two", "amp: last"];
    assert_eq!(it.subjects(), expected);
    let author = it
        .plain
        .git(&["log", "-1", "--format=%an %ad", "--date=raw", "HEAD~3"]);
    assert_eq!(author, "Ann O'Neil 1700000000 +0200");
    let progress = it.worktree.rebase_progress(&it.rebase).unwrap();
    assert_eq!(progress, RebaseProgress::Finished(head.clone()));
    assert_eq!(finished(it.go_on().unwrap()), head);
    let error = it.worktree.abort_rebase(&it.rebase).unwrap_err();
    assert_eq!(error.code(), "git.rebase_finished");
    assert!(error.hint().is_some());
}

#[test]
fn the_users_own_git_can_skip_and_give_up() {
    let it = Conflicted::stopped();
    assert!(!it.plain.try_git(&["rebase", "--skip"]).status.success());
    assert_eq!(
        it.plain.git(&["diff", "--name-only", "--diff-filter=U"]),
        "two"
    );
    it.plain.git(&["rebase", "--abort"]);
    it.assert_on_branch(&it.rebase.from);
    let progress = it.worktree.rebase_progress(&it.rebase).unwrap();
    assert_eq!(progress, RebaseProgress::Aborted);
    assert_eq!(it.go_on().unwrap(), RebaseOutcome::Aborted);
    it.worktree.abort_rebase(&it.rebase).unwrap();
    it.plain.commit("more work");
    let progress = it.worktree.rebase_progress(&it.rebase).unwrap();
    assert_eq!(progress, RebaseProgress::Aborted);
}

#[test]
fn we_go_on_by_ourselves_through_a_second_conflict() {
    let it = Conflicted::stopped();
    it.plain.write("loose", "mine\n");
    let error = it.go_on().unwrap_err();
    let RebaseError::Unresolved(left) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(left, &[PathBuf::from("one"), PathBuf::from("removed")]);
    it.plain.write("one", "both\n");
    it.resolve(&["one"], Resolution::Edited);
    it.resolve(&["removed"], Resolution::Ours);
    it.plain
        .write("from-main", "changed without being staged\n");
    let stop = second_stop(it.go_on().unwrap());
    assert_eq!(paths(&stop), [PathBuf::from("two")]);
    assert_eq!(stop.rest.len(), 1);
    assert_eq!(it.branch(), it.rebase.from, "the branch waits");
    let progress = it.worktree.rebase_progress(&it.rebase).unwrap();
    let RebaseProgress::Stopped(stopped) = progress else {
        panic!("{progress:?}")
    };
    assert_eq!((stopped.at, stopped.rest), (Some(stop.at), stop.rest));
    assert!(stopped.is_whole);
    it.resolve(&["two"], Resolution::Theirs);
    let head = finished(it.go_on().unwrap());
    fs::remove_file(it.plain.path("loose")).unwrap();
    it.assert_on_branch(&head);
    let expected = ["amp: new", "amp: one", "amp: more", "amp: two", "amp: last"];
    assert_eq!(it.subjects(), expected);
    assert_eq!(it.plain.read("one"), "both\n");
    assert_eq!(it.plain.read("two"), "session\n");
    assert!(!it.plain.path("removed").exists());
    let who = it.plain.git(&[
        "log",
        "-1",
        "--format=%an|%ad|%cn|%b",
        "--date=raw",
        "HEAD~3",
    ]);
    assert_eq!(who, "Ann O'Neil|1700000000 +0200|Committer|with a body");
    let log = it.plain.git(&["reflog", "-1", "--format=%gs", SESSION]);
    assert!(log.starts_with("rebase (finish)"), "{log}");
}

#[test]
fn we_skip_by_ourselves() {
    let it = Conflicted::stopped();
    it.plain.write("one", "half resolved\n");
    let skip = || it.worktree.skip_rebase(&it.rebase, &stamp(), &|_| {});
    second_stop(skip().unwrap());
    let head = finished(skip().unwrap());
    it.assert_on_branch(&head);
    assert_eq!(it.subjects(), ["amp: new", "amp: more", "amp: last"]);
    assert_eq!(it.plain.read("one"), "main\n");
    assert_eq!(finished(skip().unwrap()), head);
}

#[test]
fn we_give_up_by_ourselves() {
    let it = Conflicted::stopped();
    it.plain.write("one", "half resolved\n");
    it.plain.write("loose", "mine\n");
    it.resolve(&["one"], Resolution::Edited);
    for _ in 0..2 {
        it.worktree.abort_rebase(&it.rebase).unwrap();
        assert_eq!(it.plain.git(&["status", "--porcelain"]), "?? loose");
    }
    fs::remove_file(it.plain.path("loose")).unwrap();
    it.assert_on_branch(&it.rebase.from);
    assert_eq!(it.plain.read("one"), "session\n");
    assert!(!it.plain.path("from-main").exists());
}

#[test]
fn progress_made_with_git_is_taken_over() {
    let it = Conflicted::stopped();
    it.plain.write("one", "both\n");
    it.plain.git(&["add", "one", "removed"]);
    it.plain
        .try_git(&["-c", "core.editor=true", "rebase", "--continue"]);
    it.plain.write("two", "both\n");
    it.plain.git(&["add", "two"]);
    it.plain
        .git(&["commit", "--quiet", "--message", "in my own words"]);
    let head = finished(it.go_on().unwrap());
    it.assert_on_branch(&head);
    let expected = [
        "amp: new",
        "amp: one",
        "amp: more",
        "in my own words",
        "amp: last",
    ];
    assert_eq!(it.subjects(), expected);
}

#[test]
fn a_resolution_that_changes_nothing_makes_no_commit() {
    let it = Conflicted::stopped();
    it.resolve(&["one", "removed"], Resolution::Ours);
    second_stop(it.go_on().unwrap());
    it.resolve(&["two"], Resolution::Ours);
    let head = finished(it.go_on().unwrap());
    it.assert_on_branch(&head);
    assert_eq!(it.subjects(), ["amp: new", "amp: more", "amp: last"]);
}

#[test]
fn planted_steps_never_run() {
    let it = Conflicted::stopped();
    let marker = it.world.sandbox.path("ran");
    let todo = it.worktree.admin_dir().join("rebase-merge/git-rebase-todo");
    let steps = fs::read_to_string(&todo).unwrap();
    let planted = format!("exec touch '{}'\n{steps}", marker.display());
    fs::write(&todo, planted).unwrap();
    it.resolve(&["one", "removed"], Resolution::Theirs);
    let before = it.plain.git(&["status", "--porcelain"]);
    let skipped = it.worktree.skip_rebase(&it.rebase, &stamp(), &|_| {});
    for error in [it.go_on().unwrap_err(), skipped.unwrap_err()] {
        assert!(matches!(error, RebaseError::UnexpectedStep { line: 1, .. }));
        assert!(error.hint().unwrap().contains("nothing of it was run"));
    }
    assert_eq!(it.plain.git(&["status", "--porcelain"]), before);
    it.worktree.abort_rebase(&it.rebase).unwrap();
    it.assert_on_branch(&it.rebase.from);
    assert!(!marker.exists());
}

#[test]
fn nothing_of_the_repository_runs() {
    let it = Conflicted::new();
    let marker = it.world.sandbox.path("marker");
    hazards::plant_all(it.world.plain.root(), it.worktree.path(), &marker);
    // A rebase wants nothing staged. The user's own git falls into traps here.
    let unstage = ["update-index", "--force-remove", "trap-module"];
    it.plain.git(&unstage);
    fs::remove_file(&marker).ok();
    let repository = it.world.reopened();
    let worktree = repository.worktree_at(it.worktree.path()).unwrap();
    let step = |_: RebaseStep| {};
    worktree.stop_rebase(&it.rebase, &it.stop, &step).unwrap();
    let one = |path: &str, how| worktree.resolve(Path::new(path), how).unwrap();
    fs::write(it.plain.path("one"), "both\n").unwrap();
    one("one", Resolution::Edited);
    one("removed", Resolution::Theirs);
    let outcome = worktree.continue_rebase(&it.rebase, &stamp(), &step);
    second_stop(outcome.unwrap());
    one("two", Resolution::Ours);
    worktree.abort_rebase(&it.rebase).unwrap();
    worktree.stop_rebase(&it.rebase, &it.stop, &step).unwrap();
    for _ in 0..2 {
        worktree.skip_rebase(&it.rebase, &stamp(), &step).unwrap();
    }
    let progress = worktree.rebase_progress(&it.rebase).unwrap();
    assert!(matches!(progress, RebaseProgress::Finished(_)));
    assert_eq!(hazards::executed(&marker), Vec::<String>::new());
}

#[test]
fn conflicts_appear_where_a_sparse_checkout_leaves_files_out() {
    let it = Conflicted::new();
    it.plain
        .git(&["sparse-checkout", "set", "--no-cone", "/same"]);
    assert!(!it.plain.path("one").exists());
    it.stop_here().unwrap();
    assert!(it.plain.read("one").contains("<<<<<<<"));
    assert_eq!(it.plain.read("removed"), "session\n");
    assert!(!it.plain.path("from-main").exists());
    it.worktree.abort_rebase(&it.rebase).unwrap();
    it.assert_on_branch(&it.rebase.from);
}

#[test]
fn files_that_cannot_be_written_put_everything_back() {
    let it = Conflicted::new();
    let config = |key: &str, value: &str| it.plain.git(&["config", "--global", key, value]);
    config("filter.lfs.clean", "cat");
    config("filter.lfs.smudge", "false");
    config("filter.lfs.required", "true");
    it.world
        .plain
        .write(".git/info/attributes", "from-main filter=lfs\n");
    let repository = it.world.reopened();
    let worktree = repository.worktree_at(it.worktree.path()).unwrap();
    let error = worktree.stop_rebase(&it.rebase, &it.stop, &|_| {});
    assert_eq!(error.unwrap_err().code(), "git.failed");
    it.assert_on_branch(&it.rebase.from);
}

#[test]
fn another_rebase_is_not_ours() {
    let it = Conflicted::stopped();
    let other = RebasePlan {
        from: it.rebase.onto.clone(),
        ..it.rebase.clone()
    };
    for error in [
        it.worktree.rebase_progress(&other).unwrap_err(),
        it.worktree.abort_rebase(&other).unwrap_err(),
    ] {
        assert_eq!(error.code(), "git.another_rebase");
        assert!(error.hint().is_some());
    }
    it.worktree.abort_rebase(&it.rebase).unwrap();
    it.plain.try_git(&["rebase", "--apply", "main"]);
    let error = it.worktree.rebase_progress(&it.rebase).unwrap_err();
    assert_eq!(error.code(), "git.another_rebase");
}

#[test]
fn a_worktree_that_is_not_ready_is_left_alone() {
    type Case<'a> = (&'a str, &'a dyn Fn(&Conflicted));
    let cases: [Case<'_>; 7] = [
        ("git.worktree_dirty", &|it| it.plain.write("same", "mine\n")),
        ("git.worktree_dirty", &|it| {
            it.plain.write("same", "mine\n");
            it.plain.git(&["add", "same"]);
        }),
        ("git.branch_moved", &|it| {
            it.plain.commit("more");
        }),
        ("git.head_moved", &|it| {
            it.plain.git(&["switch", "--quiet", "--detach"]);
        }),
        ("git.operation_in_progress", &|it| {
            it.plain.try_git(&["merge", "main"]);
        }),
        ("git.changes_in_the_way", &|it| {
            it.plain.write("from-main", "mine\n");
        }),
        ("git.changes_in_the_way", &|it| {
            it.world.plain.write(".git/info/exclude", "from-main\n");
            it.plain.write("from-main", "mine\n");
        }),
    ];
    for (code, prepare) in cases {
        let it = Conflicted::new();
        prepare(&it);
        let before = (it.branch(), it.plain.git(&["status"]));
        let error = it.stop_here().unwrap_err();
        assert_eq!(error.code(), code);
        assert!(error.hint().is_some() && !error.to_string().is_empty());
        assert_eq!((it.branch(), it.plain.git(&["status"])), before, "{code}");
    }
}

#[test]
fn a_branch_or_head_that_moved_stops_us() {
    let it = Conflicted::stopped();
    it.resolve(&["one", "removed"], Resolution::Ours);
    second_stop(it.go_on().unwrap());
    it.resolve(&["two"], Resolution::Ours);
    let full_name = format!("refs/heads/{SESSION}");
    it.plain
        .git(&["update-ref", &full_name, it.rebase.onto.as_str()]);
    assert_eq!(it.go_on().unwrap_err().code(), "git.branch_moved");
    let error = it.worktree.abort_rebase(&it.rebase).unwrap_err();
    assert_eq!(error.code(), "git.branch_moved");
    it.plain
        .git(&["update-ref", &full_name, it.rebase.from.as_str()]);
    it.plain.git(&["symbolic-ref", "HEAD", &full_name]);
    let error = it.go_on().unwrap_err();
    assert_eq!(error.code(), "git.head_moved");
    assert!(error.hint().unwrap().contains("main"));
    it.worktree.abort_rebase(&it.rebase).unwrap();
    it.assert_on_branch(&it.rebase.from);
    it.plain.git(&["switch", "--quiet", "--detach"]);
    it.plain.git(&["branch", "--delete", "--force", SESSION]);
    let error = it.worktree.rebase_progress(&it.rebase).unwrap_err();
    assert!(matches!(
        error,
        RebaseError::BranchMoved { current: None, .. }
    ));
}

#[test]
fn changes_without_a_commit_they_belong_to_are_told() {
    let it = Conflicted::stopped();
    it.resolve(&["one", "removed"], Resolution::Theirs);
    fs::remove_file(it.worktree.admin_dir().join("rebase-merge/stopped-sha")).unwrap();
    let error = it.go_on().unwrap_err();
    assert_eq!(error.code(), "git.no_commit_in_progress");
    assert!(error.hint().is_some());
}

#[test]
fn giving_up_does_not_overwrite_what_git_does_not_track() {
    let it = Conflicted::stopped();
    it.world.plain.write(".git/info/exclude", "removed\n");
    it.resolve(&["removed"], Resolution::Ours);
    it.plain.write("removed", "mine\n");
    let error = it.worktree.abort_rebase(&it.rebase).unwrap_err();
    assert_eq!(error.code(), "git.changes_in_the_way");
    assert_eq!(it.plain.read("removed"), "mine\n");
    fs::remove_file(it.plain.path("removed")).unwrap();
    it.worktree.abort_rebase(&it.rebase).unwrap();
    it.assert_on_branch(&it.rebase.from);
}

#[test]
fn a_stop_that_was_cut_off_at_its_very_end_is_completed() {
    let it = Conflicted::stopped();
    let record = it.worktree.admin_dir().join("rebase-merge");
    let (kept, marker) = (record.join("kept"), record.join("orchestra-going-on"));
    it.plain.write("one", "both\n");
    it.resolve(&["one"], Resolution::Edited);
    it.resolve(&["removed"], Resolution::Ours);
    let keep = |step| {
        if step == RebaseStep::IndexWritten {
            fs::copy(&marker, &kept).unwrap();
        }
    };
    let stopped = it.worktree.continue_rebase(&it.rebase, &stamp(), &keep);
    second_stop(stopped.unwrap());
    fs::rename(&kept, &marker).unwrap();
    it.worktree.complete_stop().unwrap();
    it.resolve(&["two"], Resolution::Theirs);
    let head = finished(it.go_on().unwrap());
    it.assert_on_branch(&head);
    assert_eq!(it.plain.read("one"), "both\n");
}
