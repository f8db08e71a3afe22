//! Status of worktrees.

use std::fs;
use std::path::PathBuf;

use orchestra_git::{ChangeKind, Status};
use orchestra_testkit::TestRepository;

use crate::world::{CommitAll, World};

fn staged(status: &Status) -> Vec<(PathBuf, ChangeKind)> {
    status
        .staged
        .iter()
        .map(|change| (change.path.clone(), change.kind))
        .collect()
}

#[test]
fn every_kind_of_change_is_seen() {
    let world = World::with(|plain| {
        for name in ["modified", "deleted", "renamed", "both"] {
            plain.write(name, &format!("{name}\nsome lines\nto recognise it by\n"));
        }
        plain.commit("files");
    });
    let worktree = world.worktree("amp/one");
    assert!(!worktree.status().unwrap().is_dirty());
    let plain = world.plain_at(worktree.path());
    plain.git(&["mv", "renamed", "moved"]);
    plain.write("both", "staged");
    plain.git(&["add", "both"]);
    plain.write("both", "unstaged");
    plain.write("modified", "new");
    fs::remove_file(plain.path("deleted")).unwrap();
    plain.write("dir/new", "new");
    let status = worktree.status().unwrap();
    assert_eq!(
        staged(&status),
        [
            ("both".into(), ChangeKind::Modified),
            ("moved".into(), ChangeKind::Renamed)
        ]
    );
    assert_eq!(status.staged[1].original, Some("renamed".into()));
    let unstaged = status
        .unstaged
        .iter()
        .map(|change| (change.path.to_str().unwrap(), change.kind))
        .collect::<Vec<_>>();
    assert_eq!(
        unstaged,
        [
            ("both", ChangeKind::Modified),
            ("deleted", ChangeKind::Deleted),
            ("modified", ChangeKind::Modified)
        ]
    );
    assert_eq!(status.untracked, [PathBuf::from("dir/new")]);
    assert_eq!(status.change_count(), 6);
    assert_eq!(status.head.commit(), Some(&world.head()));
}

#[test]
fn conflicts_are_seen_without_markers() {
    let world = World::new();
    world.plain.write("file", "base");
    world.plain.commit("base");
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    plain.git(&["rm", "--quiet", "file"]);
    plain.commit("delete");
    world.plain.write("file", "modify");
    world.plain.commit("modify");
    assert!(!plain.try_git(&["merge", "main"]).status.success());
    assert_eq!(
        worktree.status().unwrap().conflicted,
        [PathBuf::from("file")]
    );
}

#[cfg(unix)]
#[test]
fn odd_names_come_through() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    let worktree = world.worktree("amp/one");
    let mut names = [
        &b"-option"[..],
        b"a b",
        b"line\nbreak",
        b"quote\"'",
        b"\xff\xfe",
        "größe 漢".as_bytes(),
        b":(top)x",
        b"*",
    ]
    .map(|name| PathBuf::from(std::ffi::OsStr::from_bytes(name)))
    .to_vec();
    for name in &names {
        fs::write(worktree.path().join(name), "x").unwrap();
    }
    names.sort();
    let mut untracked = worktree.status().unwrap().untracked;
    untracked.sort();
    assert_eq!(untracked, names);
    let committed = worktree
        .commit_all(&orchestra_git::CommitRequest::new("odd"))
        .unwrap()
        .unwrap();
    let mut paths = committed
        .changes
        .iter()
        .map(|change| change.path.clone())
        .collect::<Vec<_>>();
    paths.sort();
    assert_eq!(paths, names);
    assert!(!worktree.status().unwrap().is_dirty());
    assert_eq!(
        world
            .plain_at(worktree.path())
            .git(&["status", "--porcelain"]),
        ""
    );
}

#[test]
fn ignored_files_stay_ignored() {
    let world = World::new();
    fs::create_dir_all(world.sandbox.home().join(".config/git")).unwrap();
    fs::write(
        world.sandbox.home().join(".config/git/ignore"),
        "*.global\n",
    )
    .unwrap();
    fs::write(world.plain.path(".git/info/exclude"), "*.private\n").unwrap();
    let worktree = world.worktree("amp/one");
    for name in ["x.global", "x.private", "x.tree", "seen"] {
        fs::write(worktree.path().join(name), "x").unwrap();
    }
    fs::write(worktree.path().join(".gitignore"), "*.tree\n").unwrap();
    let untracked = worktree.status().unwrap().untracked;
    assert_eq!(
        untracked,
        [PathBuf::from(".gitignore"), PathBuf::from("seen")]
    );
}

#[test]
fn the_excludes_file_of_the_users_settings_counts() {
    let world = World::new();
    let home = world.sandbox.home();
    fs::write(home.join("my-ignore"), "*.junk\n").unwrap();
    let mut config = fs::read_to_string(home.join(".gitconfig")).unwrap();
    config.push_str("[core]\n\texcludesFile = ~/my-ignore\n");
    fs::write(home.join(".gitconfig"), config).unwrap();
    let worktree = world.reopened().worktree_at(world.plain.root()).unwrap();
    fs::write(worktree.path().join("x.junk"), "x").unwrap();
    assert!(!worktree.status().unwrap().is_dirty());
}

#[test]
fn a_split_index_is_understood() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    plain.git(&["update-index", "--split-index"]);
    plain.write("new", "x");
    plain.write("README.md", "changed");
    assert_eq!(worktree.status().unwrap().change_count(), 2);
    let committed = worktree
        .commit_all(&orchestra_git::CommitRequest::new("split"))
        .unwrap()
        .unwrap();
    assert_eq!(committed.changes.len(), 2);
    assert_eq!(plain.git(&["status", "--porcelain"]), "");
}

/// One thing done to a clean worktree.
type Deed = (&'static str, fn(&TestRepository));

const DEEDS: [Deed; 17] = [
    ("nothing", |_| {}),
    ("an edit", |plain| plain.write("src/a", "other")),
    ("an edit of the same length", |plain| {
        plain.write("src/a", "A")
    }),
    ("an edit with its old time", |plain| {
        let path = plain.path("src/a");
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        plain.write("src/a", "A");
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(time).unwrap();
    }),
    ("written again as it was", |plain| plain.write("src/a", "a")),
    ("a new file", |plain| plain.write("src/new", "new")),
    ("a new file with an odd name", |plain| {
        plain.write(":(exclude)out", "new");
    }),
    ("a new file deep down", |plain| {
        plain.write("x/y/new", "new")
    }),
    ("an empty directory", |plain| {
        fs::create_dir(plain.path("empty")).unwrap();
    }),
    ("ignored files", |plain| {
        plain.write("out/deep/file", "built")
    }),
    ("ignored and new files", |plain| {
        plain.write("out/file", "built");
        plain.write("new", "new");
    }),
    ("a lost file", |plain| {
        fs::remove_file(plain.path("src/a")).unwrap();
    }),
    ("a link for a file", |plain| {
        fs::remove_file(plain.path("src/a")).unwrap();
        std::os::unix::fs::symlink("b", plain.path("src/a")).unwrap();
    }),
    ("the right to run", |plain| {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(plain.path("src/a"), fs::Permissions::from_mode(0o755)).unwrap();
    }),
    ("a staged edit", |plain| {
        plain.write("src/a", "other");
        plain.git(&["add", "-A"]);
    }),
    ("a staged edit of a file that was put back", |plain| {
        plain.write("src/a", "other");
        plain.git(&["add", "-A"]);
        plain.write("src/a", "a");
    }),
    ("a file that shall be added", |plain| {
        plain.write("new", "new");
        plain.git(&["add", "--intent-to-add", "new"]);
    }),
];

#[test]
fn whether_anything_changed_is_what_git_says() {
    let world = World::with(|plain| {
        plain.write("src/a", "a");
        plain.write("src/b", "b");
        plain.write("src-b/c", "c");
        plain.write("top", "top");
        plain.write(".gitignore", "out/\n");
        plain.commit("files");
    });
    for (number, (what, deed)) in DEEDS.into_iter().enumerate() {
        let worktree = world.worktree(&format!("amp/{number}"));
        let plain = world.plain_at(worktree.path());
        deed(&plain);
        let by_git = !plain.git(&["status", "--porcelain"]).is_empty();
        assert_eq!(worktree.is_dirty().unwrap(), by_git, "{what}");
    }
}

#[cfg(target_os = "linux")]
mod many;
#[cfg(target_os = "linux")]
mod remembered;

#[cfg(target_os = "linux")]
#[test]
fn git_is_not_asked_when_nothing_changed() {
    let world = World::with(|plain| {
        plain.write("src/a", "a");
        plain.write(".gitignore", "out/\n");
        plain.commit("files");
    });
    let worktree = world.worktree("amp/one");
    let asked = || {
        let before = world.git.spawned();
        assert!(!worktree.is_dirty().unwrap());
        world.git.spawned() - before
    };
    assert_eq!(asked(), 0);
    world.plain_at(worktree.path()).write("out/file", "built");
    assert_eq!(asked(), 1);
}

#[test]
fn a_damaged_index_is_no_certainty() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    let path = worktree.admin_dir().join("index");
    let good = fs::read(&path).unwrap();
    for length in [0, 11, 12, 40, good.len() / 2] {
        fs::write(&path, &good[..length]).unwrap();
        assert!(
            worktree.is_dirty().is_err() || worktree.is_dirty().unwrap(),
            "cut to {length} bytes"
        );
    }
}
