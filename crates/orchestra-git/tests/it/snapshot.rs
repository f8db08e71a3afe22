//! Work that is kept outside of the worktree and brought back.

#[cfg(target_os = "linux")]
mod commits;

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_core::CommitId;
use orchestra_git::{Snapshot, SnapshotError, SnapshotRequest, SnapshotScope, Worktree};
use orchestra_testkit::TestRepository;

use crate::world::{World, branch, files_below};

type Edit = fn(&TestRepository);

struct Kept {
    world: World,
    worktree: Worktree,
    plain: TestRepository,
    folder: PathBuf,
}

/// What a person sees of a worktree: files, status, index, branch, and what git is in the middle of.
type State = (Vec<(PathBuf, Vec<u8>)>, String, String, String);

impl Kept {
    fn new(prepare: impl FnOnce(&TestRepository)) -> Self {
        let world = World::with(prepare);
        let worktree = world.worktree("amp/one");
        let plain = world.plain_at(worktree.path());
        let folder = world.sandbox.path("kept/first");
        Self {
            world,
            worktree,
            plain,
            folder,
        }
    }

    fn snapshot_in(&self, folder: &Path) -> Result<Snapshot, SnapshotError> {
        let request = SnapshotRequest {
            folder,
            scope: SnapshotScope::Worktree,
            branch: &branch("amp/one"),
            known: &self.world.head(),
        };
        self.worktree.take_snapshot(&request, &|| {})
    }

    fn snapshot(&self) -> Snapshot {
        self.snapshot_in(&self.folder).unwrap()
    }

    /// Keeps and drops what is there.
    fn discard(&self) -> Snapshot {
        let status = self.worktree.status().unwrap();
        let kept = self.snapshot();
        self.worktree.drop_changes(&status, &kept, &|| {}).unwrap();
        assert_eq!(self.plain.git(&["status", "--porcelain"]), "");
        self.worktree.record_left(&kept).unwrap();
        kept
    }

    fn restore(&self, kept: &Snapshot) -> Result<(), SnapshotError> {
        let now = self.folder.with_file_name("now");
        if now.exists() {
            fs::remove_dir_all(&now).unwrap();
        }
        let now = self.snapshot_in(&now).unwrap();
        self.worktree.restore_snapshot(kept, &now, &|| {})
    }

    fn state(&self) -> State {
        (
            contents(self.worktree.path()),
            self.plain.git(&[
                "status",
                "--porcelain=v2",
                "--branch",
                "--untracked-files=all",
            ]),
            self.plain.git(&["ls-files", "--stage"]),
            format!(
                "{:?} {}",
                self.worktree.in_progress(),
                self.plain.git(&["rev-parse", "HEAD", "amp/one"])
            ),
        )
    }
}

fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = files_below(folder).into_iter();
    let files = files.filter(|path| path.is_symlink() || path.is_file());
    files
        .filter(|path| !path.ends_with(".git"))
        .map(|path| {
            let bytes = match fs::read_link(&path) {
                Ok(target) => target.to_string_lossy().into_owned().into_bytes(),
                Err(_) => fs::read(&path).unwrap(),
            };
            (path, bytes)
        })
        .collect()
}

#[test]
fn files_and_directories_that_took_each_others_place_come_back() {
    let kept = Kept::new(|plain| {
        plain.write("file", "a file");
        plain.write("folder/inside", "inside");
        plain.write(".gitattributes", "*.txt text eol=lf\n");
        plain.write("lines.txt", "one\ntwo\n");
        plain.commit("files");
    });
    let plain = &kept.plain;
    fs::remove_file(plain.path("file")).unwrap();
    plain.write("file/inside", "now a directory");
    fs::remove_dir_all(plain.path("folder")).unwrap();
    plain.write("folder", "now a file");
    plain.write("lines.txt", "one\r\nchanged\r\n");
    plain.write("only here", "intended");
    plain.git(&["add", "--intent-to-add", "only here"]);
    let before = kept.state();
    let changes = kept.discard();
    assert_eq!(plain.read("file"), "a file");
    assert!(changes.patch().exists());
    kept.restore(&changes).unwrap();
    assert_eq!(kept.state(), before);
    kept.worktree.put_back(&changes, None, &|| {}).unwrap();
    assert_eq!(kept.state(), before, "twice is harmless");
    kept.world.plain.fsck();
}

#[cfg(unix)]
#[test]
fn a_link_in_the_commit_leads_nobody_out_of_the_worktree() {
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("victim");
    fs::write(&victim, "outside").unwrap();
    let kept = Kept::new(|plain| {
        std::os::unix::fs::symlink(outside.path(), plain.path("door")).unwrap();
        plain.commit("a link");
    });
    fs::remove_file(kept.plain.path("door")).unwrap();
    kept.plain.write("door/victim", "inside");
    let before = kept.state();
    let changes = kept.discard();
    assert!(kept.plain.path("door").is_symlink());
    assert_eq!(fs::read_to_string(&victim).unwrap(), "outside");
    kept.restore(&changes).unwrap();
    assert_eq!(kept.state(), before);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "outside");
}

#[cfg(unix)]
#[test]
fn nor_does_a_link_that_took_the_place_of_a_directory() {
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("file");
    fs::write(&victim, "outside").unwrap();
    let kept = Kept::new(|plain| {
        plain.write("folder/file", "committed");
        plain.commit("a folder");
    });
    fs::remove_dir_all(kept.plain.path("folder")).unwrap();
    std::os::unix::fs::symlink(outside.path(), kept.plain.path("folder")).unwrap();
    let before = kept.state();
    let changes = kept.discard();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "outside");
    assert_eq!(kept.plain.read("folder/file"), "committed");
    kept.restore(&changes).unwrap();
    assert_eq!(kept.state(), before);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "outside");
    assert_eq!(files_below(outside.path()).len(), 1);
}

#[test]
fn a_file_that_was_being_brought_back_is_not_in_the_way() {
    let kept = Kept::new(|_| {});
    kept.plain.write("new", "all of the new file");
    let before = kept.state();
    let changes = kept.discard();
    kept.plain.write(".orchestra-first.unfinished", "all of");
    kept.restore(&changes).unwrap();
    assert_eq!(kept.state(), before);
}

#[test]
fn an_ignored_file_is_not_overwritten() {
    let kept = Kept::new(|plain| {
        plain.write(".gitignore", "*.log\n");
        plain.commit("ignore");
    });
    kept.plain.write(".gitignore", "");
    kept.plain.write("build.log", "the agent's");
    let changes = kept.discard();
    kept.plain.write("build.log", "made since");
    let refused = kept.restore(&changes).unwrap_err();
    assert!(
        matches!(&refused, SnapshotError::InTheWay(paths) if *paths == [PathBuf::from("build.log")]),
        "{refused}"
    );
    assert!(refused.to_string().contains("`build.log`") && refused.hint().is_some());
    assert_eq!(kept.plain.read("build.log"), "made since");
    assert_eq!(kept.plain.git(&["status", "--porcelain"]), "");
}

#[test]
fn what_was_staged_since_is_not_lost() {
    let kept = Kept::new(|_| {});
    let plain = &kept.plain;
    plain.write("README.md", "the agent's");
    plain.git(&["add", "README.md"]);
    let with_changes = kept.state();
    let changes = kept.discard();
    let committed = plain.read("README.md");
    plain.write("README.md", "only in the index");
    plain.git(&["add", "README.md"]);
    plain.write("README.md", &committed);
    let before = kept.state();
    let refused = kept.restore(&changes).unwrap_err();
    assert_eq!(refused.code(), "git.staged_in_the_way");
    assert!(refused.to_string().contains("`README.md`"), "{refused}");
    assert!(refused.hint().unwrap().contains("git restore --staged"));
    assert_eq!(kept.state(), before);
    plain.git(&["rm", "--force", "--quiet", "--cached", "README.md"]);
    assert!(kept.restore(&changes).is_err(), "nor what was taken out");
    plain.git(&["reset", "--quiet"]);
    kept.restore(&changes).unwrap();
    assert_eq!(kept.state(), with_changes);
}

#[test]
fn what_is_staged_in_two_files_comes_back() {
    let kept = Kept::new(|_| {});
    let plain = &kept.plain;
    plain.git(&["update-index", "--split-index"]);
    plain.write("README.md", "staged");
    plain.git(&["add", "README.md"]);
    plain.write("README.md", "not staged");
    let before = kept.state();
    let changes = kept.discard();
    kept.restore(&changes).unwrap();
    assert_eq!(kept.state(), before);
}

#[cfg(unix)]
#[test]
fn a_refusal_changes_nothing() {
    let obstacles = [
        ("dir", Some("/nowhere")),
        ("dir", None),
        ("new.log/ignored.log", None),
        ("folder/ignored.log", None),
    ];
    for (name, link) in obstacles {
        let kept = Kept::new(|plain| {
            plain.write(".gitignore", "dir\n*.log\n");
            plain.write("folder/inside", "inside");
            plain.commit("files");
        });
        let plain = &kept.plain;
        plain.write(".gitignore", "");
        plain.write("README.md", "changed");
        plain.write("dir/new", "new");
        fs::remove_dir_all(plain.path("folder")).unwrap();
        plain.write("folder", "now a file");
        plain.write("new.log", "new");
        let changes = kept.discard();
        match link {
            Some(target) => std::os::unix::fs::symlink(target, plain.path(name)).unwrap(),
            None => plain.write(name, "made since"),
        }
        let before = kept.state();
        let refused = kept.restore(&changes).unwrap_err();
        assert!(
            matches!(&refused, SnapshotError::InTheWay(paths) if *paths == [PathBuf::from(name)]),
            "{name}: {refused}"
        );
        assert_eq!(kept.state(), before, "{name}");
        assert!(!kept.worktree.admin_dir().join("index.lock").exists());
    }
}

#[test]
fn what_changed_while_it_was_kept_is_not_dropped() {
    let changes: [(&str, Edit); 5] = [
        ("new", |plain| plain.write("new", "written once more")),
        ("README.md", |plain| plain.write("README.md", "once more")),
        ("staged", |plain| {
            plain.write("staged", "once more");
            plain.git(&["add", "staged"]);
            plain.write("staged", "on disk");
        }),
        ("newer", |plain| plain.write("newer", "newer")),
        ("another commit", |plain| {
            plain.git(&[
                "commit",
                "--quiet",
                "--allow-empty",
                "-m",
                "empty",
                "--only",
            ]);
        }),
    ];
    for (name, change) in changes {
        let kept = Kept::new(|_| {});
        let plain = &kept.plain;
        plain.write("README.md", "changed");
        plain.write("staged", "in the index");
        plain.git(&["add", "staged"]);
        plain.write("staged", "on disk");
        plain.write("new", "new");
        let status = kept.worktree.status().unwrap();
        let copies = kept.snapshot();
        change(plain);
        let before = kept.state();
        let dropped = kept.worktree.drop_changes(&status, &copies, &|| {});
        let refused = dropped.unwrap_err();
        assert_eq!(refused.code(), "git.changed_meanwhile", "{name}");
        let named = refused.to_string().contains(&format!(": `{name}`"));
        assert_eq!(named, name != "another commit", "{refused}");
        assert!(refused.hint().is_some());
        assert_eq!(kept.state(), before, "{name}");
    }
}

#[test]
fn an_empty_directory_gives_way() {
    let kept = Kept::new(|_| {});
    kept.plain.write("new", "new");
    let before = kept.state();
    let changes = kept.discard();
    fs::create_dir_all(kept.plain.path("new/empty")).unwrap();
    kept.restore(&changes).unwrap();
    assert_eq!(kept.state(), before);
}

#[test]
fn a_commit_made_since_is_respected() {
    let kept = Kept::new(|_| {});
    kept.plain.write("new", "new");
    let changes = kept.discard();
    kept.plain.write("other", "other");
    kept.plain.commit("meanwhile");
    let refused = kept.restore(&changes).unwrap_err();
    assert_eq!(refused.code(), "git.head_moved");
    assert!(refused.hint().unwrap().contains("changes.patch"));
    assert!(!kept.plain.path("new").exists());
}

/// A merge or a rebase that stopped at a conflict, with more changes beside it.
fn stopped(command: &[&str]) -> Kept {
    let kept = Kept::new(|plain| {
        plain.write("both", "start\n");
        plain.write("gone", "start\n");
        plain.write("tool", "#!/bin/sh\n");
        plain.commit("start");
    });
    let plain = &kept.plain;
    let start = plain.head();
    plain.write("both", "theirs\n");
    plain.write("clean", "theirs\n");
    fs::remove_file(plain.path("gone")).unwrap();
    plain.commit("theirs");
    plain.git(&["branch", "theirs"]);
    plain.git(&["reset", "--quiet", "--hard", &start]);
    plain.write("both", "ours\n");
    plain.write("gone", "ours\n");
    plain.commit("ours");
    plain.write("more", "more\n");
    plain.commit("more");
    assert!(!plain.try_git(command).status.success());
    plain.write("new", "untracked\n");
    kept
}

#[test]
fn what_git_is_in_the_middle_of_comes_back() {
    for command in [["merge", "theirs"], ["rebase", "theirs"]] {
        let kept = stopped(&command);
        let plain = &kept.plain;
        let before = kept.state();
        assert!(
            before.1.contains("u UU") && before.1.contains("u UD") || before.1.contains("u DU")
        );
        let snapshot = kept.snapshot();
        plain.git(&[command[0], "--abort"]);
        fs::remove_file(plain.path("new")).unwrap();
        kept.worktree.record_left(&snapshot).unwrap();
        plain.write("unrelated", "made since");
        kept.restore(&snapshot).unwrap();
        assert_eq!(plain.read("unrelated"), "made since");
        fs::remove_file(plain.path("unrelated")).unwrap();
        assert_eq!(kept.state(), before, "{command:?}");
        plain.write("both", "resolved\n");
        plain.git(&["add", "--all"]);
        plain.git(&["-c", "core.editor=true", command[0], "--continue"]);
        assert_eq!(kept.worktree.in_progress(), None);
        kept.world.plain.fsck();
    }
}

#[test]
fn a_rebase_that_is_over_can_be_taken_back_to_its_middle() {
    let kept = stopped(&["rebase", "theirs"]);
    let plain = &kept.plain;
    let before = kept.state();
    let snapshot = kept.snapshot();
    fs::remove_file(plain.path("new")).unwrap();
    plain.write("both", "resolved\n");
    plain.git(&["add", "--all"]);
    plain.git(&["-c", "core.editor=true", "rebase", "--continue"]);
    kept.worktree.record_left(&snapshot).unwrap();
    kept.restore(&snapshot).unwrap();
    assert_eq!(kept.state(), before);
    plain.git(&["rebase", "--abort"]);
    kept.world.plain.fsck();
}

#[test]
fn objects_that_only_a_snapshot_knows_survive() {
    let kept = stopped(&["rebase", "theirs"]);
    let plain = &kept.plain;
    let before = kept.state();
    let snapshot = kept.snapshot();
    plain.git(&["rebase", "--abort"]);
    fs::remove_file(plain.path("new")).unwrap();
    plain.git(&["reset", "--quiet", "--hard", "main"]);
    plain.git(&["branch", "--quiet", "-D", "theirs"]);
    kept.worktree.record_left(&snapshot).unwrap();
    plain.git(&["reflog", "expire", "--expire=now", "--all"]);
    fs::remove_file(kept.worktree.admin_dir().join("ORIG_HEAD")).unwrap();
    plain.git(&["gc", "--quiet", "--prune=now"]);
    kept.restore(&snapshot).unwrap();
    assert_eq!(kept.state(), before);
    kept.world.plain.fsck();
}

/// Cuts bringing back off after each step in turn, and returns.
#[test]
fn what_is_cut_off_can_be_put_back() {
    let mut steps = 0;
    loop {
        let kept = stopped(&["rebase", "theirs"]);
        let plain = &kept.plain;
        let snapshot = kept.snapshot();
        plain.git(&["rebase", "--abort"]);
        fs::remove_file(plain.path("new")).unwrap();
        plain.write("more", "changed since\n");
        plain.write("since", "since\n");
        kept.worktree.record_left(&snapshot).unwrap();
        let before = kept.state();
        let now = kept
            .snapshot_in(&kept.folder.with_file_name("now"))
            .unwrap();
        let left = std::cell::Cell::new(steps);
        let cut = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            kept.worktree.restore_snapshot(&snapshot, &now, &|| {
                assert_ne!(left.get(), 0, "cut off here");
                left.set(left.get() - 1);
            })
        }));
        if let Ok(restored) = cut {
            restored.unwrap();
            break;
        }
        let again = kept.worktree.put_back(&now, Some(&snapshot), &|| {});
        again.unwrap();
        assert_eq!(kept.state(), before, "after step {steps}");
        kept.world.plain.fsck();
        steps += 1;
    }
    assert!(steps > 5, "{steps} steps");
}

#[test]
fn what_somebody_changed_after_a_crash_is_not_overwritten() {
    let kept = Kept::new(|_| {});
    kept.plain.write("README.md", "the agent's");
    let snapshot = kept.snapshot();
    kept.plain.write("README.md", "somebody's");
    let refused = kept.worktree.put_back(&snapshot, None, &|| {}).unwrap_err();
    assert_eq!(refused.code(), "git.changes_in_the_way");
    assert_eq!(kept.plain.read("README.md"), "somebody's");
}

#[test]
fn commits_and_index_alone_can_be_kept() {
    let kept = Kept::new(|_| {});
    let plain = &kept.plain;
    plain.write("README.md", "staged");
    plain.git(&["add", "README.md"]);
    plain.write("README.md", "on disk");
    let before = kept.state();
    let (branch, known) = (branch("amp/one"), kept.world.head());
    let request = SnapshotRequest {
        folder: &kept.folder,
        scope: SnapshotScope::Index,
        branch: &branch,
        known: &known,
    };
    let snapshot = kept.worktree.take_snapshot(&request, &|| {}).unwrap();
    assert_eq!(
        snapshot.branch().unwrap(),
        (branch.clone(), Some(known.clone()))
    );
    plain.git(&["add", "README.md"]);
    kept.worktree.record_left(&snapshot).unwrap();
    assert!(kept.worktree.is_index_as_left(&snapshot).unwrap());
    kept.worktree.restore_index(&snapshot).unwrap();
    assert!(!kept.worktree.is_index_as_left(&snapshot).unwrap());
    assert_eq!(kept.state(), before);
    let lost: CommitId = plain.commit("lost").parse().unwrap();
    let folder = kept.folder.with_file_name("commits");
    let repository = kept.worktree.repository();
    let snapshot = repository
        .keep_commits(&folder, std::slice::from_ref(&lost), &known)
        .unwrap();
    plain.git(&["reset", "--quiet", "--hard", known.as_str()]);
    fs::remove_file(kept.worktree.admin_dir().join("ORIG_HEAD")).unwrap();
    plain.git(&["reflog", "expire", "--expire=now", "--all"]);
    plain.git(&["gc", "--quiet", "--prune=now"]);
    assert!(!repository.commit_exists(&lost).unwrap());
    repository.restore_commits(&snapshot).unwrap();
    assert!(repository.commit_exists(&lost).unwrap());
    kept.world.plain.fsck();
}

#[test]
fn what_is_not_whole_is_not_used() {
    let kept = Kept::new(|_| {});
    kept.plain.write("new", "new");
    fs::create_dir_all(kept.folder.parent().unwrap()).unwrap();
    fs::write(&kept.folder, "a file where the folder should be").unwrap();
    assert!(kept.snapshot_in(&kept.folder).is_err());
    assert!(kept.plain.path("new").exists());
    let beside = fs::read_dir(kept.folder.parent().unwrap()).unwrap();
    assert_eq!(beside.count(), 1, "nothing half-made is left");
    fs::remove_file(&kept.folder).unwrap();
    let changes = kept.discard();
    for name in ["paths", "head", "branch", "commit", "left"] {
        let (file, aside) = (kept.folder.join(name), kept.folder.join("aside"));
        fs::rename(&file, &aside).unwrap();
        let refused = kept.restore(&changes).unwrap_err();
        fs::rename(&aside, &file).unwrap();
        assert_eq!(refused.code(), "git.snapshot_damaged", "{name}");
        assert!(refused.hint().unwrap().contains("files"));
    }
}

#[test]
fn files_that_a_restore_removed_are_put_back_though_head_has_them() {
    let it = Kept::new(|_| {});
    it.plain.write("newer", "newer\n");
    let newer = it.plain.commit("newer");
    let target = it.snapshot();
    it.plain.git(&["switch", "--quiet", "--detach", "HEAD~1"]);
    let other = it
        .snapshot_in(&it.world.sandbox.path("kept/other"))
        .unwrap();
    it.plain.git(&["switch", "--quiet", "amp/one"]);
    assert_eq!(it.plain.head(), newer);
    // Bringing the other one back was cut off after its first step.
    fs::remove_file(it.plain.path("newer")).unwrap();
    it.worktree.put_back(&target, Some(&other), &|| {}).unwrap();
    assert_eq!(it.plain.read("newer"), "newer\n");
    assert_eq!(it.plain.git(&["status", "--porcelain"]), "");
}
