//! What is written in process equals what git writes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use orchestra_git::{Fill, Worktree};
use orchestra_testkit::TestRepository;

use super::{fill, registered};
use crate::world::{World, files_below};

/// Everything about a tree that git keeps: content, executable bit, target of a link.
#[derive(Debug, PartialEq, Eq)]
enum Node {
    Directory,
    File { content: Vec<u8>, mode: u32 },
    Link(PathBuf),
}

fn nodes(root: &Path) -> BTreeMap<PathBuf, Node> {
    let paths = files_below(root).into_iter();
    let paths = paths.filter(|path| *path != root.join(".git"));
    paths
        .map(|path| {
            let metadata = path.symlink_metadata().unwrap();
            let node = if metadata.is_dir() {
                Node::Directory
            } else if metadata.is_symlink() {
                Node::Link(fs::read_link(&path).unwrap())
            } else {
                Node::File {
                    content: fs::read(&path).unwrap(),
                    mode: metadata.permissions().mode(),
                }
            };
            (path.strip_prefix(root).unwrap().to_owned(), node)
        })
        .collect()
}

/// Bytes that say where and when a file was written: all of the system's facts but user, group and size.
fn without_places_and_times(mut index: Vec<u8>) -> Vec<u8> {
    let count = u32::from_be_bytes(index[8..12].try_into().unwrap());
    let mut at = 12;
    for _ in 0..count {
        index[at..at + 24].fill(0);
        let name = index[at + 62..].iter().position(|byte| *byte == 0).unwrap();
        at += (62 + name + 8) & !7;
    }
    let end = index.len() - 20;
    index.truncate(end);
    index
}

fn index_of(worktree: &Worktree) -> Vec<u8> {
    without_places_and_times(fs::read(worktree.admin_dir().join("index")).unwrap())
}

/// What `ls-files --debug` must print for a file if git is to believe it unchanged.
fn facts(path: &Path) -> String {
    let metadata = path.symlink_metadata().unwrap();
    let low = |number: u64| number & 0xffff_ffff;
    format!(
        "  ctime: {}:{}\n  mtime: {}:{}\n  dev: {}\tino: {}\n  uid: {}\tgid: {}\n  size: {}\tflags: 0",
        metadata.ctime(),
        metadata.ctime_nsec(),
        metadata.mtime(),
        metadata.mtime_nsec(),
        low(metadata.dev()),
        low(metadata.ino()),
        metadata.uid(),
        metadata.gid(),
        low(metadata.size()),
    )
}

fn require_parity(world: &World) {
    let (ours, gits) = (registered(world, "ours"), registered(world, "gits"));
    let (processes, result) = fill(world, &ours, &world.head());
    result.unwrap();
    assert_eq!(processes, 0, "written in process");
    gits.fill(&world.head(), Fill::Again).unwrap();
    assert_eq!(nodes(ours.path()), nodes(gits.path()));
    assert_eq!(index_of(&ours), index_of(&gits));
    let plain = world.plain_at(ours.path());
    let listed = plain
        .git_command()
        .args(["ls-files", "-z"])
        .output()
        .unwrap();
    let debug = plain
        .git_command()
        .args(["ls-files", "-z", "--debug"])
        .output()
        .unwrap();
    let debug = String::from_utf8_lossy(&debug.stdout).into_owned();
    for name in listed
        .stdout
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
    {
        let facts = facts(&ours.path().join(OsStr::from_bytes(name)));
        assert!(debug.contains(&facts), "{facts}\nin {debug}");
    }
    plain.git(&["diff-files", "--quiet"]);
    plain.git(&["diff-index", "--quiet", "--cached", "HEAD"]);
    assert_eq!(plain.git(&["status", "--porcelain"]), "");
    assert_eq!(
        plain.git(&["write-tree"]),
        plain.git(&["rev-parse", "HEAD^{tree}"])
    );
    assert!(!ours.admin_dir().join("index.lock").exists());
    world.plain.fsck();
}

/// Files of every kind.
fn add_everything(plain: &TestRepository) {
    for (name, text) in [
        ("a", "a file before a directory in the order of trees"),
        ("a.b", "between"),
        ("a0", "after"),
        ("a-dir/x", "x"),
        ("a-dir.txt", "beside"),
        ("bb/x", "long name"),
        ("b/x", "short name"),
        ("empty", ""),
        ("crlf.txt", "one\r\ntwo\r\n"),
        ("with space/and\nbreak", "odd"),
        ("größe/ünïcode", "text"),
        (".github/workflows/ci.yml", "on: push\n"),
        (".gitignore", "/.worktrees\n*.o\n"),
        (
            ".gitattributes",
            "# filter=none\n* text=auto\n*.sh text eol=lf\n*.png binary\n",
        ),
        ("1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/deep", "deep"),
    ] {
        plain.write(name, text);
    }
    fs::write(
        plain.root().join(OsStr::from_bytes(b"not-\xff-utf8")),
        "bytes",
    )
    .unwrap();
    fs::write(
        plain.path("big.bin"),
        (0..3_000_000_u32)
            .map(|n| (n.wrapping_mul(n) >> 7) as u8)
            .collect::<Vec<_>>(),
    )
    .unwrap();
    plain.write("run.sh", "#!/bin/sh\n");
    fs::set_permissions(plain.path("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("a-dir/x", plain.path("link")).unwrap();
    symlink("a-dir", plain.path("b/link-to-directory")).unwrap();
    symlink("/nowhere/at/all", plain.path("dangling")).unwrap();
    plain.commit("everything");
}

/// So many files that several threads share them, and one directory has more than one share.
fn add_many(plain: &TestRepository) {
    for number in 0..400 {
        plain.write(
            &format!("flat/file-{number}"),
            &format!("content {number}\n"),
        );
        plain.write(
            &format!("part-{}/unit-{number}/file", number % 20),
            "same\n",
        );
    }
    plain.commit("many");
}

#[test]
fn files_of_every_kind_from_loose_objects() {
    require_parity(&World::with(add_everything));
}

#[test]
fn files_of_every_kind_from_a_pack() {
    let world = World::with(|plain| {
        add_everything(plain);
        for round in 0..5 {
            let text = (0..2000)
                .map(|line| format!("line {line} of {round}\n"))
                .collect::<String>();
            plain.write("grows.txt", &text);
            plain.commit("another version");
        }
        plain.git(&["gc", "--quiet", "--aggressive", "--prune=now"]);
        assert!(!plain.path(".git/objects/b").exists());
    });
    require_parity(&world);
}

#[test]
fn many_files_from_several_packs() {
    let world = World::with(|plain| {
        add_many(plain);
        plain.git(&["repack", "-d", "--quiet"]);
        add_everything(plain);
        plain.git(&["repack", "-d", "--quiet"]);
        plain.git(&["multi-pack-index", "write"]);
    });
    require_parity(&world);
}

#[test]
fn objects_of_another_repository() {
    let world = World::with(|plain| {
        add_many(plain);
        let (lender, root) = (plain.path("../lender"), plain.root().to_owned());
        plain.git(&[
            "clone",
            "--quiet",
            "--bare",
            root.to_str().unwrap(),
            lender.to_str().unwrap(),
        ]);
        fs::write(
            plain.path(".git/objects/info/alternates"),
            "../../../lender/objects\n",
        )
        .unwrap();
        for entry in fs::read_dir(plain.path(".git/objects")).unwrap() {
            let path = entry.unwrap().path();
            if !path.ends_with("info") {
                fs::remove_dir_all(path).unwrap();
            }
        }
        plain.write("own", "own\n");
        plain.commit("an object of its own");
    });
    require_parity(&world);
}

#[test]
fn a_replaced_object_is_not_used() {
    let world = World::with(add_many);
    let evil = super::store(&world.plain, "blob", b"evil\n");
    let blob = world.plain.git(&["rev-parse", "HEAD:flat/file-1"]);
    world.plain.git(&["replace", &blob, &evil]);
    let ours = registered(&world, "ours");
    assert_eq!(fill(&world, &ours, &world.head()).0, 0);
    let text = fs::read_to_string(ours.path().join("flat/file-1")).unwrap();
    assert_eq!(text, "content 1\n");
}
