//! Uncommitted changes that are kept outside of the worktree and brought back.

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_git::{KeepError, KeptChanges, Worktree};
use orchestra_testkit::TestRepository;

use crate::world::{World, files_below};

type Edit = fn(&TestRepository);

struct Kept {
    world: World,
    worktree: Worktree,
    plain: TestRepository,
    folder: PathBuf,
}

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

    /// Keeps and drops what is there.
    fn discard(&self) -> KeptChanges {
        let status = self.worktree.status().unwrap();
        let kept = self
            .worktree
            .keep_changes(&status, &self.folder, &|| {})
            .unwrap();
        self.worktree.drop_changes(&status, &kept, &|| {}).unwrap();
        assert_eq!(self.plain.git(&["status", "--porcelain"]), "");
        kept
    }

    fn restore(&self, changes: &KeptChanges) -> Result<(), KeepError> {
        self.worktree.restore_changes(changes, &|| {})
    }

    fn state(&self) -> (Vec<(PathBuf, Vec<u8>)>, String, String) {
        (
            contents(self.worktree.path()),
            self.plain
                .git(&["status", "--porcelain=v2", "--untracked-files=all"]),
            self.plain.git(&["ls-files", "--stage"]),
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
    kept.restore(&changes).unwrap();
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
        matches!(&refused, KeepError::InTheWay(paths) if *paths == [PathBuf::from("build.log")]),
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
            matches!(&refused, KeepError::InTheWay(paths) if *paths == [PathBuf::from(name)]),
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
        let copies = kept.worktree.keep_changes(&status, &kept.folder, &|| {});
        change(plain);
        let before = kept.state();
        let dropped = kept
            .worktree
            .drop_changes(&status, &copies.unwrap(), &|| {});
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

#[test]
fn a_merge_in_progress_is_left_alone() {
    let kept = Kept::new(|_| {});
    let plain = &kept.plain;
    let start = plain.head();
    plain.write("README.md", "theirs");
    let theirs = plain.commit("theirs");
    plain.git(&["reset", "--quiet", "--hard", &start]);
    plain.write("README.md", "ours");
    plain.commit("ours");
    assert!(!plain.try_git(&["merge", &theirs]).status.success());
    let status = kept.worktree.status().unwrap();
    let refused = kept.worktree.keep_changes(&status, &kept.folder, &|| {});
    let refused = refused.unwrap_err();
    assert_eq!(refused.code(), "git.operation_in_progress");
    assert!(refused.hint().unwrap().contains("git merge"));
    assert!(!kept.folder.exists());

    let nothing = KeptChanges::in_folder(&kept.folder);
    let refused = kept.restore(&nothing).unwrap_err();
    assert_eq!(refused.code(), "git.operation_in_progress");

    // Conflicts without the merge that made them can be kept.
    fs::remove_file(kept.worktree.admin_dir().join("MERGE_HEAD")).unwrap();
    let before = kept.state();
    assert!(before.1.contains("u UU"), "{}", before.1);
    let changes = kept.discard();
    kept.restore(&changes).unwrap();
    assert_eq!(kept.state(), before);
}

#[test]
fn what_is_not_whole_is_not_used() {
    let kept = Kept::new(|_| {});
    kept.plain.write("new", "new");
    let status = kept.worktree.status().unwrap();
    fs::create_dir_all(kept.folder.parent().unwrap()).unwrap();
    fs::write(&kept.folder, "a file where the folder should be").unwrap();
    assert!(
        kept.worktree
            .keep_changes(&status, &kept.folder, &|| {})
            .is_err()
    );
    assert!(kept.plain.path("new").exists());
    let beside = fs::read_dir(kept.folder.parent().unwrap()).unwrap();
    assert_eq!(beside.count(), 1, "nothing half-made is left");
    fs::remove_file(&kept.folder).unwrap();
    let changes = kept.discard();
    for name in ["paths", "head"] {
        fs::remove_file(kept.folder.join(name)).unwrap();
        let refused = kept.restore(&changes).unwrap_err();
        assert_eq!(refused.code(), "git.kept_damaged");
        assert!(refused.hint().unwrap().contains("files"));
    }
}
