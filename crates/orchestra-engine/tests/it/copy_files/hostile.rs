//! Trees and patterns that want what is not theirs.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::FileType;

use super::{Ground, set_mode};

const SECRET: &str = "of somebody else";
/// How often something is copied while its place changes.
const ROUNDS: usize = 25;

/// A directory beside the repository that nobody may copy from or into.
pub(crate) fn outside(ground: &Ground) -> std::path::PathBuf {
    let outside = ground.sandbox.path("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("file"), SECRET).unwrap();
    outside
}

/// Makes something that is neither a file nor a directory; not everybody may make every kind.
fn make_special(path: &Path, kind: FileType) -> bool {
    let null = rustix::fs::makedev(1, 3);
    rustix::fs::mknodat(rustix::fs::CWD, path, kind, rustix::fs::Mode::RWXU, null).is_ok()
}

/// Whether any file below has this text. What comes and goes meanwhile is looked at as far as it is there.
fn has_text(directory: &Path, text: &str) -> bool {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths = entries.map(|entry| entry.path());
    paths.any(|path| match path.symlink_metadata() {
        Ok(data) if data.is_dir() => has_text(&path, text),
        Ok(data) if data.is_file() => fs::read(&path).is_ok_and(|bytes| bytes == text.as_bytes()),
        _ => false,
    })
}

#[test]
fn links_are_never_followed() {
    let ground = Ground::new();
    let outside = outside(&ground);
    ground.repository.write("data/sub/file", "ours");
    let data = ground.repository.path("data");
    for (target, name) in [
        (outside.join("file").as_path(), "file-out"),
        (outside.as_path(), "directory-out"),
        (Path::new("../../../outside"), "relative-out"),
        (Path::new("sub/../../../outside/file"), "winding-out"),
        (Path::new("../.git/config"), "into-git"),
        (Path::new("loop"), "loop"),
        (Path::new("sub/file"), "inside"),
        (Path::new("../README.md"), "to-tracked"),
        (data.join("sub").as_path(), "sub-by-path"),
        (ground.repository.path(".git").as_path(), "git-by-path"),
        (ground.sandbox.path("repo-other").as_path(), "beside"),
    ] {
        symlink(target, data.join(name)).unwrap();
    }
    symlink(&outside, ground.repository.path("whole.local")).unwrap();
    let lines = ground.copy(&[(
        "worktree.copy",
        "data,*.local,whole.local/**,data/directory-out/*",
    )]);
    let copied = [
        "data/inside",
        "data/loop",
        "data/sub-by-path",
        "data/sub/file",
        "data/to-tracked",
    ];
    assert_eq!(ground.untracked(), copied, "{lines:?}");
    assert_eq!(ground.read("data/inside"), "ours");
    let by_path = fs::canonicalize(ground.worktree.join("data/sub-by-path")).unwrap();
    assert!(by_path.starts_with(&ground.worktree), "{by_path:?}");
    assert!(!has_text(&ground.worktree, SECRET));
    let out = lines.iter().filter(|line| line.contains("leads out"));
    assert_eq!(out.count(), 8, "{lines:?}");
}

#[test]
fn repositories_and_worktrees_stay_where_they_are() {
    let ground = Ground::new();
    ground.repository.write("data/plain", "x");
    ground.repository.write("data/nested/file", "x");
    ground.repository.git(&["init", "--quiet", "data/nested"]);
    ground
        .repository
        .write("secret/linked/.git", "gitdir: elsewhere\n");
    ground.repository.write("secret/linked/file", "x");
    let lines = ground.copy(&[(
        "worktree.copy",
        "*,**,.*,data,secret/**,.worktrees,.worktrees/**",
    )]);
    assert_eq!(ground.untracked(), ["data/plain"], "{lines:?}");
    assert!(!ground.worktree.join(".worktrees").exists());
    let own = lines
        .iter()
        .filter(|line| line.contains("a repository of its own"));
    assert_eq!(own.count(), 2, "{lines:?}");
    let git = ground.repository.at(&ground.worktree);
    assert_eq!(git.git(&["rev-parse", "--show-prefix"]), "");
}

#[test]
fn only_files_are_copied() {
    let ground = Ground::new();
    ground.repository.write("data/file", "x");
    let data = ground.repository.path("data");
    assert!(make_special(&data.join("pipe"), FileType::Fifo));
    let has_device = make_special(&data.join("device"), FileType::CharacterDevice);
    let _socket = UnixListener::bind(data.join("socket")).unwrap();
    let lines = ground.copy(&[("worktree.copy", "data")]);
    assert_eq!(ground.untracked(), ["data/file"]);
    let text = lines.join("\n");
    let devices = has_device.then_some(("device", "a device"));
    for (name, kind) in [("pipe", "a pipe"), ("socket", "a socket")]
        .into_iter()
        .chain(devices)
    {
        let line = format!("left out data/{name}: it is {kind}");
        assert!(text.contains(&line), "{text}");
    }
}

#[test]
fn pipes_and_sockets_beside_other_files_are_named() {
    let ground = Ground::new();
    let path = |name: &str| ground.repository.path(name);
    assert!(make_special(&path("run.local"), FileType::Fifo));
    let _socket = UnixListener::bind(path("apps/web/x.local")).unwrap();
    assert!(make_special(&path("other"), FileType::Fifo));
    let lines = ground.copy(&[("worktree.copy", "*.local,apps/web/*.local")]);
    assert_eq!(
        lines,
        [
            "left out apps/web/x.local: it is a socket",
            "left out run.local: it is a pipe"
        ]
    );
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_copied() {
    let ground = Ground::new();
    ground.repository.write("data/closed", "x");
    ground.repository.write("data/open", "x");
    let closed = ground.repository.path("data/closed");
    set_mode(&closed, 0o000);
    if fs::read(&closed).is_ok() {
        println!("not run: this user can read everything");
        return;
    }
    let lines = ground.copy(&[("worktree.copy", "data")]);
    assert_eq!(ground.untracked(), ["data/open"]);
    assert!(lines[1].starts_with("left out data/closed: "), "{lines:?}");
}

#[test]
fn nothing_is_written_through_a_link_in_the_worktree() {
    let ground = Ground::new();
    let outside = outside(&ground);
    ground.repository.write("data/new", "x");
    ground.repository.write("apps/web/.env", "x");
    symlink(&outside, ground.worktree.join("data")).unwrap();
    fs::remove_dir_all(ground.worktree.join("apps")).unwrap();
    symlink(&outside, ground.worktree.join("apps")).unwrap();
    let lines = ground.copy(&[("worktree.copy", "data,apps/web/.env")]);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    let stopped = lines.iter().filter(|line| line.contains("is in its way"));
    assert_eq!(stopped.count(), 2, "{lines:?}");
}

#[test]
fn names_cannot_disturb_the_log() {
    let ground = Ground::new();
    ground.repository.write("a\n\u{1b}[2Jb.local", "x");
    let lines = ground.copy(&[("worktree.copy", "*.local")]);
    assert_eq!(lines.len(), 1);
    assert!(!lines[0].contains(char::is_control), "{lines:?}");
}

/// Lets a directory and a link to the one outside change places, until it is told to end. The directory is back then.
fn swap(place: &Path, outside: &Path, is_over: &AtomicBool) {
    let link = place.with_extension("link");
    symlink(outside, &link).unwrap();
    while !is_over.load(Ordering::Relaxed) {
        for _ in 0..2 {
            let exchange = rustix::fs::RenameFlags::EXCHANGE;
            let here = rustix::fs::CWD;
            rustix::fs::renameat_with(here, place, here, &link, exchange).unwrap();
        }
    }
}

/// Does the work for as long as the directory and the link take turns.
pub(crate) fn while_swapped(place: &Path, outside: &Path, work: impl FnOnce()) {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| swap(place, outside, &is_over));
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        is_over.store(true, Ordering::Relaxed);
        done.unwrap();
    });
}

#[test]
fn a_directory_that_becomes_a_link_meanwhile_is_not_left_for_it() {
    let ground = Ground::new();
    let outside = outside(&ground);
    fs::create_dir(outside.join("deep")).unwrap();
    for number in 0..20 {
        let file = format!("deep/file-{number}");
        ground.repository.write(&format!("data/sub/{file}"), "ours");
        fs::write(outside.join(file), SECRET).unwrap();
    }
    let mut copied = 0;
    while_swapped(&ground.repository.path("data/sub"), &outside, || {
        for _ in 0..ROUNDS {
            ground.copy(&[("worktree.copy", "data,data/sub/deep/file-1*")]);
            assert!(!has_text(&ground.worktree.join("data"), SECRET));
            copied += usize::from(has_text(&ground.worktree.join("data"), "ours"));
            fs::remove_dir_all(ground.worktree.join("data")).ok();
        }
    });
    println!("copies from a place that changed {ROUNDS}, with files {copied}, from outside 0");
}

#[test]
fn a_worktree_whose_directory_becomes_a_link_meanwhile_is_not_left_for_it() {
    let ground = Ground::new();
    let outside = outside(&ground);
    fs::create_dir_all(ground.worktree.join("data/sub")).unwrap();
    while_swapped(&ground.worktree.join("data/sub"), &outside, || {
        for round in 0..ROUNDS {
            for number in 0..10 {
                let path = format!("data/sub/file-{round}-{number}");
                ground.repository.write(&path, "ours");
            }
            ground.copy(&[("worktree.copy", "data")]);
        }
    });
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert!(!has_text(&outside, "ours"));
    let copied = fs::read_dir(ground.worktree.join("data/sub"))
        .unwrap()
        .count();
    println!("copies to a place that changed {ROUNDS}, files {copied}, outside 0");
}
