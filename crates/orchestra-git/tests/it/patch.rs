//! Patches for mail, and ids of changes.

use std::io::Write;
use std::process::Stdio;

use orchestra_core::CommitId;

use crate::world::{World, id};

fn mail(world: &World, commit: &CommitId) -> Vec<u8> {
    let mut text = Vec::new();
    let sink = &mut |chunk: &[u8]| text.extend_from_slice(chunk);
    world.repository.mail_patch(commit, sink).unwrap();
    text
}

#[test]
fn git_am_takes_the_mail() {
    let world = World::with(|plain| {
        plain.write("moved", "some\nlines\nof\ntext\n");
        plain.commit("files");
    });
    let (plain, base) = (&world.plain, world.head());
    plain.git(&["config", "diff.noprefix", "true"]);
    plain.git(&["config", "format.attach", "true"]);
    plain.write("a", "no line end");
    plain.write("bytes", "\0\u{1}\u{2}");
    plain.git(&["mv", "moved", "place"]);
    plain.commit("größe: a subject\n\nFrom here\nto there");
    let head = id(&plain.head());
    let text = mail(&world, &head);
    assert_eq!(text, mail(&world, &head));

    plain.git(&["checkout", "--quiet", "-b", "mailed", base.as_str()]);
    let mut am = plain
        .git_command()
        .args(["-c", "diff.noprefix=false", "am", "--quiet", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    am.stdin.take().unwrap().write_all(&text).unwrap();
    assert!(am.wait().unwrap().success());
    let shown = |commit: &str| plain.git(&["log", "-1", "--format=%T%n%an <%ae> %at%n%B", commit]);
    assert_eq!(shown("mailed"), shown(head.as_str()));
}

#[test]
fn ids_follow_the_change_and_not_its_place() {
    let world = World::new();
    let (plain, base) = (&world.plain, world.head());
    let commit = |path: &str, text: &str| {
        plain.write(path, text);
        id(&plain.commit(path))
    };
    let repository = &world.repository;
    let one = commit("a", "\0one");
    world.start("elsewhere", &base);
    let other = commit("b", "more");
    let picked = commit("a", "\0one");
    world.start("different", &base);
    let different = commit("a", "\0two");
    let wanted = repository.patch_id(&base, &one).unwrap();
    assert!(wanted.is_some());
    assert_eq!(repository.patch_id(&other, &picked).unwrap(), wanted);
    assert_ne!(repository.patch_id(&base, &different).unwrap(), wanted);
    assert_ne!(repository.patch_id(&base, &picked).unwrap(), wanted);
    assert_eq!(repository.patch_id(&base, &base).unwrap(), None);
    let missing = id(&"1".repeat(40));
    repository.patch_id(&base, &missing).unwrap_err();
    repository.mail_patch(&missing, &mut |_| {}).unwrap_err();
}

#[cfg(unix)]
#[test]
fn ids_know_modes() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let (plain, base) = (&world.plain, world.head());
    let chmod = |name: &str| {
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(plain.path(name), mode).unwrap();
    };
    chmod("README.md");
    let mode = id(&plain.commit("mode"));
    world.start("plain", &base);
    plain.write("x", "x\n");
    let file = id(&plain.commit("file"));
    chmod("x");
    plain.git(&["add", "x"]);
    plain.git(&["commit", "--quiet", "--amend", "--no-edit"]);
    let executable = id(&plain.head());
    let repository = &world.repository;
    assert!(repository.patch_id(&base, &mode).unwrap().is_some());
    assert_ne!(
        repository.patch_id(&base, &file).unwrap(),
        repository.patch_id(&base, &executable).unwrap()
    );
}

#[test]
fn exact_ids_know_white_space_and_not_the_place() {
    let world = World::with(|plain| {
        plain.write("code.py", "def a():\n    one()\n\n\n\n\n\n\n\n\nlast\n");
        plain.commit("files");
    });
    let (plain, base) = (&world.plain, world.head());
    let commit = |text: &str| {
        plain.write("code.py", text);
        id(&plain.commit("change"))
    };
    let changed = "def a():\n    one()\n    two()\n\n\n\n\n\n\n\n\nlast\n";
    let one = commit(changed);
    world.start("indented", &base);
    let indented = commit("def a():\n    one()\ntwo()\n\n\n\n\n\n\n\n\nlast\n");
    world.start("elsewhere", &base);
    plain.write("other", "x\n");
    let other = commit("def a():\n    one()\n\n\n\n\n\n\n\n\nlast and more\n");
    let moved = commit(&changed.replace("last", "last and more"));

    let repository = &world.repository;
    let wanted = repository.exact_patch_id(&base, &one).unwrap();
    assert!(wanted.is_some());
    assert_eq!(repository.exact_patch_id(&other, &moved).unwrap(), wanted);
    assert_eq!(
        repository.patch_id(&base, &indented).unwrap(),
        repository.patch_id(&base, &one).unwrap(),
        "git's own id leaves out white space"
    );
    assert_ne!(repository.exact_patch_id(&base, &indented).unwrap(), wanted);
    assert_eq!(repository.exact_patch_id(&base, &base).unwrap(), None);
    let missing = id(&"1".repeat(40));
    repository.exact_patch_id(&base, &missing).unwrap_err();
}
