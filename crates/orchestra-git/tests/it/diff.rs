//! Diffs as text and as records.

use std::fs;
use std::path::PathBuf;

use orchestra_git::{
    ChangeKind, DiffFile, DiffFormat, DiffRequest, DiffScope, FilePatch, Patch, Worktree,
};

use crate::world::{World, id};

fn text(worktree: &Worktree, scope: DiffScope, format: DiffFormat) -> String {
    let request = DiffRequest {
        scope,
        format,
        color: false,
        paths: Vec::new(),
    };
    request_text(worktree, &request)
}

fn request_text(worktree: &Worktree, request: &DiffRequest) -> String {
    let mut bytes = Vec::new();
    worktree
        .diff(request, &mut |chunk| bytes.extend_from_slice(chunk))
        .unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn every_scope_shows_its_part() {
    let world = World::with(|plain| {
        plain.write("file", "1\n2\n3\n");
        plain.commit("file");
    });
    let base = world.head();
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    plain.write("committed", "c\n");
    let head = id(&plain.commit("one"));
    plain.write("file", "1\n2\nstaged\n");
    plain.git(&["add", "file"]);
    plain.write("file", "1\n2\nunstaged\n");
    plain.write("new", "n\n");
    let index = fs::read(worktree.admin_dir().join("index")).unwrap();
    let names = |scope| text(&worktree, scope, DiffFormat::NameOnly);
    assert_eq!(
        names(DiffScope::Since(base.clone())),
        "committed\nfile\nnew\n"
    );
    assert_eq!(names(DiffScope::Since(head.clone())), "file\nnew\n");
    assert_eq!(names(DiffScope::Staged), "file\n");
    assert_eq!(names(DiffScope::Unstaged), "file\nnew\n");
    assert_eq!(names(DiffScope::Between(base.clone(), head)), "committed\n");
    let patch = text(&worktree, DiffScope::Unstaged, DiffFormat::Patch);
    assert!(
        patch.contains("-staged\n+unstaged\n") && patch.contains("new file mode 100644"),
        "{patch}"
    );
    assert!(
        text(&worktree, DiffScope::Staged, DiffFormat::Stat)
            .contains("1 file changed, 1 insertion(+), 1 deletion(-)")
    );
    assert_eq!(
        text(&worktree, DiffScope::Unstaged, DiffFormat::NumStat),
        "1\t1\tfile\n1\t0\tnew\n"
    );
    let request = DiffRequest {
        scope: DiffScope::Since(base),
        format: DiffFormat::Patch,
        color: true,
        paths: vec!["new".into()],
    };
    let coloured = request_text(&worktree, &request);
    assert!(
        coloured.contains("\u{1b}[") && coloured.contains("new") && !coloured.contains("committed")
    );
    assert_eq!(
        fs::read(worktree.admin_dir().join("index")).unwrap(),
        index,
        "the index is untouched"
    );
}

#[test]
fn records_have_kinds_and_counts() {
    let world = World::with(|plain| {
        plain.write("keep", "1\n2\n3\n4\n5\n6\n");
        plain.write("gone", "x\n");
        plain.commit("files");
    });
    let base = world.head();
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    plain.git(&["mv", "keep", "moved"]);
    plain.write("moved", "1\n2\n3\n4\n5\nsix\n");
    fs::remove_file(plain.path("gone")).unwrap();
    fs::write(plain.path("binary"), [0, 1, 2, 0]).unwrap();
    let changes = worktree.diff_summary(&DiffScope::Since(base)).unwrap();
    let found = |name: &str| {
        changes
            .iter()
            .find(|change| change.path.to_str() == Some(name))
            .unwrap()
    };
    assert_eq!(changes.len(), 3);
    assert!(found("binary").is_binary() && found("binary").kind == ChangeKind::Added);
    assert_eq!(
        (found("gone").kind, found("gone").deletions),
        (ChangeKind::Deleted, Some(1))
    );
    assert_eq!(
        (found("moved").kind, found("moved").original.clone()),
        (ChangeKind::Renamed, Some(PathBuf::from("keep")))
    );
    assert_eq!(
        (found("moved").insertions, found("moved").deletions),
        (Some(1), Some(1))
    );
}

#[test]
fn conflicts_and_missing_commits_do_not_confuse() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    plain.write("README.md", "one\n");
    plain.git(&["stash", "push", "--quiet"]);
    plain.write("README.md", "two\n");
    let base = id(&plain.commit("two"));
    assert!(!plain.try_git(&["stash", "pop"]).status.success());
    let changes = worktree.diff_summary(&DiffScope::Since(base)).unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].path, PathBuf::from("README.md"));
    let missing = DiffScope::Since(id(&"1".repeat(40)));
    assert_eq!(
        worktree.diff_summary(&missing).unwrap_err().code(),
        "git.failed"
    );
    let request = DiffRequest {
        scope: missing,
        format: DiffFormat::Patch,
        color: false,
        paths: Vec::new(),
    };
    assert_eq!(
        worktree.diff(&request, &mut |_| {}).unwrap_err().code(),
        "git.failed"
    );
}

#[test]
fn nested_repositories_are_not_shown_as_files() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    plain.git(&["init", "--quiet", "nested"]);
    plain.write("nested/file", "x");
    assert_eq!(
        text(&worktree, DiffScope::Unstaged, DiffFormat::NameOnly),
        ""
    );
    plain.write("file", "x");
    assert_eq!(
        text(&worktree, DiffScope::Unstaged, DiffFormat::NameOnly),
        "file\n"
    );
}

fn patch_of(found: Option<FilePatch>) -> (ChangeKind, String) {
    let found = found.unwrap();
    let Patch::Whole(bytes) = found.patch else {
        panic!("the patch is small");
    };
    (found.change.kind, String::from_utf8(bytes).unwrap())
}

fn file(path: &str, original: Option<&str>) -> DiffFile {
    DiffFile {
        path: path.into(),
        original: original.map(Into::into),
    }
}

#[test]
fn one_file_is_shown_alone() {
    let world = World::with(|plain| {
        plain.write("keep", "1\n2\n3\n4\n5\n6\n");
        plain.write("folder/one", "1\n");
        plain.commit("files");
    });
    let base = world.head();
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    plain.git(&["mv", "keep", "moved"]);
    plain.write("moved", "1\n2\n3\n4\n5\nsix\n");
    plain.write("folder/one", "2\n");
    plain.write("new *", "n\n");
    plain.write("new other", "n\n");
    let of = |path: &str, original: Option<&str>| {
        let scope = DiffScope::Since(base.clone());
        worktree.diff_file(&scope, &file(path, original)).unwrap()
    };
    let (kind, patch) = patch_of(of("moved", Some("keep")));
    assert_eq!(kind, ChangeKind::Renamed);
    assert!(
        patch.contains("rename from keep") && patch.contains("-6\n+six\n"),
        "{patch}"
    );
    assert_eq!(patch_of(of("moved", None)).0, ChangeKind::Added);
    let (_, patch) = patch_of(of("new *", None));
    assert_eq!(
        patch.matches("diff --git").count(),
        1,
        "a path is no pattern"
    );
    for unchanged in ["README.md", "folder", "missing"] {
        assert_eq!(of(unchanged, None), None, "{unchanged}");
    }
}

#[test]
fn one_file_is_shown_between_two_commits() {
    let world = World::new();
    let base = world.head();
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    plain.write("file", "1\n");
    let first = id(&plain.commit("one"));
    plain.write("file", "2\n");
    let second = id(&plain.commit("two"));
    plain.write("file", "3\n");
    let repository = worktree.repository();
    let between = |from, to| {
        repository
            .file_between(from, to, &file("file", None))
            .unwrap()
    };
    let (_, patch) = patch_of(between(&first, &second));
    assert!(patch.contains("-1\n+2\n"), "{patch}");
    assert_eq!(patch_of(between(&second, &base)).0, ChangeKind::Deleted);
    assert_eq!(between(&first, &first), None);
    let missing = id(&"1".repeat(40));
    let error = repository.file_between(&missing, &base, &file("file", None));
    assert_eq!(error.unwrap_err().code(), "git.failed");
}
