//! Conflicts of every kind, decided one file at a time.

use std::fs;
use std::path::Path;

use orchestra_core::{ConflictContent, ConflictKind};
use orchestra_git::{
    ConflictedFile, Content, Resolution, ResolveError, Snapshot, SnapshotRequest, SnapshotScope,
    Worktree,
};
use orchestra_testkit::TestRepository;

use crate::world::{World, branch};

/// A worktree in the middle of a merge with `main`.
struct Merging {
    world: World,
    worktree: Worktree,
    plain: TestRepository,
}

impl Merging {
    fn new(
        base: &dyn Fn(&TestRepository),
        ours: &dyn Fn(&TestRepository),
        theirs: &dyn Fn(&TestRepository),
    ) -> Self {
        let world = World::with(|plain| {
            base(plain);
            plain.commit("base");
        });
        let worktree = world.worktree("amp/one");
        let plain = world.plain_at(worktree.path());
        ours(&plain);
        plain.commit("ours");
        theirs(&world.plain);
        world.plain.commit("theirs");
        assert!(!plain.try_git(&["merge", "main"]).status.success());
        Self {
            world,
            worktree,
            plain,
        }
    }

    /// Both sides changed `file`.
    fn text() -> Self {
        let write = |text: &'static str| move |plain: &TestRepository| plain.write("file", text);
        Self::new(&write("base\n"), &write("ours\n"), &write("theirs\n"))
    }

    fn conflict(&self, path: &str) -> ConflictedFile {
        let conflicts = self.worktree.conflicts().unwrap();
        let found = conflicts.iter().find(|file| file.path == Path::new(path));
        found.unwrap_or_else(|| panic!("{conflicts:?}")).clone()
    }

    fn resolve(&self, path: &str, resolution: Resolution<'_>) -> Result<(), ResolveError> {
        self.worktree.resolve(Path::new(path), resolution)
    }

    fn snapshot(&self) -> Snapshot {
        let request = SnapshotRequest {
            folder: &self.world.sandbox.path("kept/first"),
            scope: SnapshotScope::Worktree,
            branch: &branch("amp/one"),
            known: &self.world.head(),
        };
        self.worktree.take_snapshot(&request, &|| {}).unwrap()
    }

    /// What is staged, and whether the file on disk is like it.
    fn staged(&self, path: &str) -> String {
        assert_eq!(self.plain.git(&["diff-files", "--name-only"]), "");
        self.plain.git(&["ls-files", "--stage", "--", path])
    }
}

fn remove(name: &'static str) -> impl Fn(&TestRepository) {
    move |plain| fs::remove_file(plain.path(name)).unwrap()
}

fn write(name: &'static str, text: &'static str) -> impl Fn(&TestRepository) {
    move |plain| plain.write(name, text)
}

#[test]
fn text_is_taken_from_either_side_or_as_edited() {
    for (resolution, expected) in [
        (Resolution::Ours, "ours\n"),
        (Resolution::Theirs, "theirs\n"),
        (Resolution::Edited, "edited\n"),
    ] {
        let it = Merging::text();
        assert_eq!(it.conflict("file").kind(), ConflictKind::BothModified);
        if resolution == Resolution::Edited {
            it.plain.write("file", "edited\n");
        }
        it.resolve("file", resolution).unwrap();
        assert_eq!(it.plain.read("file"), expected);
        assert!(it.worktree.conflicts().unwrap().is_empty());
        assert!(it.staged("file").starts_with("100644"));
        it.plain.git(&["commit", "--quiet", "--no-edit"]);
        assert_eq!(it.plain.git(&["status", "--porcelain"]), "");
    }
}

#[test]
fn markers_that_are_left_are_told_with_their_lines() {
    let it = Merging::text();
    let before = it.plain.git(&["ls-files", "--stage"]);
    let error = it.resolve("file", Resolution::Edited).unwrap_err();
    let ResolveError::MarkersLeft { lines, .. } = &error else {
        panic!("{error:?}")
    };
    assert_eq!(lines, &[1, 3, 5]);
    assert_eq!(error.code(), "git.markers_left");
    assert!(error.to_string().ends_with("at lines 1, 3, 5"), "{error}");
    assert!(error.hint().is_some());
    assert_eq!(it.plain.git(&["ls-files", "--stage"]), before);
    it.plain.write("file", "x\n>>>>>>> main\n");
    let error = it.resolve("file", Resolution::Edited).unwrap_err();
    assert!(error.to_string().ends_with("at line 2"), "{error}");
}

#[test]
fn a_file_without_a_conflict_is_told() {
    let it = Merging::text();
    let error = it.resolve("README.md", Resolution::Ours).unwrap_err();
    assert_eq!(error.code(), "git.not_conflicted");
    assert!(error.hint().unwrap().contains("file"));
    it.resolve("file", Resolution::Ours).unwrap();
    let error = it.resolve("file", Resolution::Ours).unwrap_err();
    assert!(error.hint().unwrap().contains("every conflict"));
}

#[test]
fn a_file_that_one_side_deleted_stays_or_goes() {
    for (resolution, stays) in [
        (Resolution::Ours, true),
        (Resolution::Theirs, false),
        (Resolution::Edited, true),
    ] {
        let it = Merging::new(
            &write("folder/file", "base\n"),
            &write("folder/file", "ours\n"),
            &remove("folder/file"),
        );
        assert_eq!(
            it.conflict("folder/file").kind(),
            ConflictKind::DeletedByThem
        );
        it.resolve("folder/file", resolution).unwrap();
        assert_eq!(it.plain.path("folder").exists(), stays);
        assert_eq!(!it.staged("folder/file").is_empty(), stays);
    }
    for (resolution, stays) in [(Resolution::Ours, false), (Resolution::Theirs, true)] {
        let it = Merging::new(
            &write("file", "base\n"),
            &remove("file"),
            &write("file", "theirs\n"),
        );
        assert_eq!(it.conflict("file").kind(), ConflictKind::DeletedByUs);
        it.resolve("file", resolution).unwrap();
        assert_eq!(it.plain.path("file").exists(), stays);
        assert_eq!(!it.staged("file").is_empty(), stays);
    }
    let it = Merging::text();
    fs::remove_file(it.plain.path("file")).unwrap();
    it.resolve("file", Resolution::Edited).unwrap();
    assert_eq!(it.staged("file"), "");
}

#[cfg(unix)]
#[test]
fn links_and_modes_are_taken_as_they_are() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let link = |target: &'static str| {
        move |plain: &TestRepository| {
            fs::remove_file(plain.path("link")).ok();
            symlink(target, plain.path("link")).unwrap();
        }
    };
    for (resolution, expected) in [(Resolution::Ours, "two"), (Resolution::Theirs, "three")] {
        let it = Merging::new(&link("one"), &link("two"), &link("three"));
        assert_eq!(it.conflict("link").content(), ConflictContent::Symlink);
        it.resolve("link", resolution).unwrap();
        let target = fs::read_link(it.plain.path("link")).unwrap();
        assert_eq!(target, Path::new(expected));
        assert!(it.staged("link").starts_with("120000"));
    }
    let it = Merging::new(&link("one"), &link("two"), &link("three"));
    it.resolve("link", Resolution::Edited).unwrap();
    assert!(it.staged("link").starts_with("120000"));

    let run = |plain: &TestRepository| {
        plain.write("file", "ours\n");
        fs::set_permissions(plain.path("file"), fs::Permissions::from_mode(0o755)).unwrap();
    };
    let it = Merging::new(&|_| {}, &run, &write("file", "theirs\n"));
    assert_eq!(it.conflict("file").kind(), ConflictKind::BothAdded);
    it.resolve("file", Resolution::Theirs).unwrap();
    assert!(it.staged("file").starts_with("100644"));
    let it = Merging::new(&|_| {}, &run, &write("file", "theirs\n"));
    it.resolve("file", Resolution::Ours).unwrap();
    assert!(it.staged("file").starts_with("100755"));
}

#[test]
fn of_a_submodule_only_the_link_is_decided() {
    let link = |commit: &'static str| {
        move |plain: &TestRepository| {
            let entry = format!("160000,{},sub", commit.repeat(40));
            plain.git(&["update-index", "--add", "--cacheinfo", &entry]);
            fs::create_dir_all(plain.path("sub")).unwrap();
            plain.git(&["commit", "--quiet", "--message", "link"]);
            fs::create_dir_all(plain.path("sub/.git")).unwrap();
        }
    };
    let world = World::with(|plain| link("1")(plain));
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    for (plain, digit) in [(&plain, "2"), (&world.plain, "3")] {
        let entry = format!("160000,{},sub", digit.repeat(40));
        plain.git(&["update-index", "--cacheinfo", &entry]);
        plain.git(&["commit", "--quiet", "--message", "link"]);
    }
    plain.try_git(&["merge", "main"]);
    plain.write("sub/work", "mine\n");
    let conflicts = worktree.conflicts().unwrap();
    assert_eq!(conflicts[0].content(), ConflictContent::Submodule);
    let error = worktree
        .resolve(Path::new("sub"), Resolution::Edited)
        .unwrap_err();
    assert_eq!(error.code(), "git.submodule");
    assert!(error.hint().unwrap().contains("--ours or --theirs"));
    worktree
        .resolve(Path::new("sub"), Resolution::Theirs)
        .unwrap();
    let staged = plain.git(&["ls-files", "--stage", "sub"]);
    assert!(staged.contains(&"3".repeat(40)), "{staged}");
    assert_eq!(plain.read("sub/work"), "mine\n");
}

#[test]
fn a_directory_in_the_way_is_not_removed() {
    let it = Merging::text();
    fs::remove_file(it.plain.path("file")).unwrap();
    it.plain.write("file/below", "mine\n");
    let error = it.resolve("file", Resolution::Theirs).unwrap_err();
    assert_eq!(error.code(), "git.changes_in_the_way");
    assert!(error.to_string().contains("file/below") && error.hint().is_some());
    assert_eq!(it.plain.read("file/below"), "mine\n");
    assert_eq!(it.worktree.conflicts().unwrap().len(), 1);
    let error = it.resolve("file", Resolution::Edited).unwrap_err();
    assert_eq!(error.code(), "git.failed");
    assert!(error.hint().is_some());
    it.world.plain.fsck();
}

#[test]
fn a_branch_without_commits_has_no_conflicts_to_ask_for() {
    let it = Merging::text();
    it.plain.git(&["symbolic-ref", "HEAD", "refs/heads/none"]);
    assert_eq!(
        it.worktree.conflicts().unwrap_err().code(),
        "git.no_such_revision"
    );
}

#[test]
fn what_was_edited_since_is_decided_and_the_rest_is_left() {
    let all = ["edited", "half", "same", "gone", "kept", "became"];
    let write_all = |text: &'static str| {
        move |plain: &TestRepository| all.iter().for_each(|name| plain.write(name, text))
    };
    let it = Merging::new(
        &write_all("base\n"),
        &write_all("ours\n"),
        &write_all("theirs\n"),
    );
    let kept = it.snapshot();
    assert!(it.worktree.decided_since(&kept).unwrap().is_empty());
    assert!(it.worktree.is_index_as_kept(&kept).unwrap());
    assert!(it.worktree.is_as_kept(&kept).unwrap());
    assert!(it.worktree.resolve_changed_since(&kept).unwrap().is_empty());
    it.plain.write("edited", "both\n");
    it.plain.write("half", "x\n>>>>>>> main\n");
    assert!(!it.worktree.is_as_kept(&kept).unwrap());
    fs::remove_file(it.plain.path("gone")).unwrap();
    fs::remove_file(it.plain.path("became")).unwrap();
    it.plain.write("became/a", "directory\n");
    it.plain.git(&["add", "kept"]);
    assert!(!it.worktree.is_index_as_kept(&kept).unwrap());
    let decided = it.worktree.resolve_changed_since(&kept).unwrap();
    assert_eq!(decided, [Path::new("edited"), Path::new("gone")]);
    let left = it.worktree.conflicts().unwrap();
    let left: Vec<_> = left.iter().map(|file| file.path.as_path()).collect();
    assert_eq!(
        left,
        [Path::new("became"), Path::new("half"), Path::new("same")]
    );
    assert_eq!(it.plain.git(&["show", ":edited"]), "both");
}

#[test]
fn the_version_of_the_base_is_written_and_the_conflict_stays() {
    let it = Merging::text();
    let kept = it.snapshot();
    let before = it.plain.read("file");
    it.worktree.write_ours(Path::new("file")).unwrap();
    assert_eq!(it.plain.read("file"), "ours\n");
    assert!(it.worktree.is_index_as_kept(&kept).unwrap());
    it.worktree.restore_file(&kept, Path::new("file")).unwrap();
    assert_eq!(it.plain.read("file"), before);
    let error = it.worktree.write_ours(Path::new("none")).unwrap_err();
    assert_eq!(error.code(), "git.not_conflicted");
    assert_eq!(it.conflict("file").kind(), ConflictKind::BothModified);
}

#[test]
fn a_version_that_is_no_file_is_written_by_removing_it() {
    let it = Merging::new(
        &write("file", "base\n"),
        &remove("file"),
        &write("file", "theirs\n"),
    );
    it.worktree.write_ours(Path::new("file")).unwrap();
    assert!(!it.plain.path("file").exists());
    assert_eq!(it.conflict("file").kind(), ConflictKind::DeletedByUs);
}

#[test]
fn content_that_is_given_is_written_and_staged() {
    let it = Merging::text();
    let markers = b"<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n";
    let error = it.resolve("file", Resolution::Given(Some(markers)));
    assert!(matches!(
        error,
        Err(ResolveError::MarkersLeft { ref lines, .. }) if *lines == [1, 3, 5]
    ));
    assert_eq!(it.conflict("file").kind(), ConflictKind::BothModified);
    it.resolve("file", Resolution::Given(Some(b"both\n")))
        .unwrap();
    assert_eq!(it.plain.read("file"), "both\n");
    assert!(it.staged("file").contains(" 0\t"));
    assert_eq!(it.plain.git(&["show", ":file"]).trim(), "both");
}

#[test]
fn a_file_in_conflict_can_be_deleted() {
    let it = Merging::text();
    it.resolve("file", Resolution::Given(None)).unwrap();
    assert!(!it.plain.path("file").exists());
    assert_eq!(it.staged("file"), "");
    assert!(it.worktree.conflicts().unwrap().is_empty());
}

#[cfg(unix)]
#[test]
fn what_is_given_is_not_written_through_a_link() {
    let it = Merging::new(
        &write("dir/file", "base\n"),
        &write("dir/file", "ours\n"),
        &write("dir/file", "theirs\n"),
    );
    let outside = it.world.sandbox.path("outside");
    fs::create_dir(&outside).unwrap();
    fs::remove_dir_all(it.plain.path("dir")).unwrap();
    std::os::unix::fs::symlink(&outside, it.plain.path("dir")).unwrap();
    let error = it.resolve("dir/file", Resolution::Given(Some(b"both\n")));
    assert!(matches!(error, Err(ResolveError::InTheWay(_))), "{error:?}");
    assert!(!outside.join("file").exists());
}

#[cfg(unix)]
#[test]
fn a_file_that_is_given_can_be_run_as_before() {
    use std::os::unix::fs::PermissionsExt;
    let run = |text: &'static str| {
        move |plain: &TestRepository| {
            plain.write("tool", text);
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(plain.path("tool"), mode).unwrap();
        }
    };
    let it = Merging::new(&run("base\n"), &run("ours\n"), &run("theirs\n"));
    fs::remove_file(it.plain.path("tool")).unwrap();
    it.resolve("tool", Resolution::Given(Some(b"both\n")))
        .unwrap();
    assert!(it.staged("tool").starts_with("100755 "));
}

#[test]
fn the_content_of_versions_is_read_up_to_a_size() {
    let it = Merging::text();
    let file = it.conflict("file");
    let objects: Vec<_> = [file.base, file.ours, file.theirs]
        .into_iter()
        .flatten()
        .map(|stage| stage.object)
        .collect();
    let contents = it.world.repository.contents(&objects, 5).unwrap();
    let whole = |text: &str| Content::Whole(text.as_bytes().to_vec());
    assert_eq!(
        contents,
        [whole("base\n"), whole("ours\n"), Content::TooLarge(7)]
    );
    let missing = "0123456789012345678901234567890123456789".parse().unwrap();
    assert!(it.world.repository.contents(&[missing], 5).is_err());
}
