//! What comes back is what went, byte for byte.

use std::fs;
use std::path::Path;

use orchestra_git::{RestoreRequest, RestoredBranch, TrashState};

use super::{name, picture, request, restore, trash, trash_dir};
use crate::world::{World, branch, id};

/// A worktree with one of everything.
fn with_everything(world: &World) -> orchestra_git::Worktree {
    let worktree = world.worktree("amp/x");
    let plain = world.plain_at(worktree.path());
    plain.write(".gitignore", "ignored/\n");
    plain.write("staged", "first\n");
    plain.git(&["add", "staged"]);
    plain.write("staged", "second\n");
    plain.write("ignored/.env", "SECRET=1\n");
    plain.write("new file", "untracked\n");
    plain.write("README.md", "changed\n");
    let nested = plain.path("nested");
    plain.git(&["init", "--quiet", nested.to_str().unwrap()]);
    world.plain_at(&nested).commit("inside");
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        plain.write("tool", "#!/bin/sh\n");
        fs::set_permissions(plain.path("tool"), fs::Permissions::from_mode(0o750)).unwrap();
        symlink("nowhere", plain.path("link")).unwrap();
        fs::create_dir(plain.path("empty")).unwrap();
        fs::set_permissions(plain.path("empty"), fs::Permissions::from_mode(0o711)).unwrap();
    }
    worktree
}

/// What git itself, run by a user, does while something is in the trash.
fn let_git_clean_up(world: &World, path: &Path) {
    let listed = world.plain.git(&["worktree", "list", "--porcelain"]);
    assert!(!listed.contains(path.to_str().unwrap()), "{listed}");
    world.plain.git(&["worktree", "prune", "--expire=now"]);
    world
        .plain
        .git(&["reflog", "expire", "--expire=now", "--all"]);
    world.plain.git(&["gc", "--quiet", "--prune=now"]);
    world
        .plain
        .git(&["clean", "--quiet", "-ffdx", "-e", ".worktrees"]);
    world.plain.fsck();
    let all = world.plain.git(&["log", "--all", "--oneline"]);
    assert!(!all.contains("only here"), "{all}");
}

#[test]
fn every_byte_comes_back() {
    let world = World::new();
    let worktree = with_everything(&world);
    let before = picture(&worktree);
    let status = |path: &Path| {
        let plain = world.plain_at(path);
        plain.git(&[
            "-c",
            "core.fileMode=true",
            "status",
            "--porcelain=v2",
            "--ignored",
        ])
    };
    let entry = trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    assert_eq!(entry.state, TrashState::Whole);
    assert!(!worktree.path().exists() && !worktree.admin_dir().exists());
    let_git_clean_up(&world, worktree.path());
    assert_eq!(
        fs::read_to_string(entry.directory.unwrap().join("ignored/.env")).unwrap(),
        "SECRET=1\n"
    );
    let restored = restore(&world, "one").unwrap();
    assert_eq!(restored.path, worktree.path());
    assert_eq!(restored.branch, RestoredBranch::AsItWas(branch("amp/x")));
    assert_eq!(picture(&worktree), before);
    assert_eq!(
        world.plain_at(worktree.path()).git(&["show", ":staged"]),
        "first"
    );
    assert!(status(worktree.path()).contains("1 AM"));
    assert_eq!(world.repository.trash_entries().unwrap().entries, []);
    assert!(!trash_dir(&world).join("one").exists());
    world.plain.fsck();
}

#[test]
fn a_rebase_with_a_conflict_comes_back_and_goes_on() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    let plain = world.plain_at(worktree.path());
    plain.write("README.md", "mine\n");
    plain.commit("mine");
    plain.write("later", "only here\n");
    plain.commit("only here, later");
    world.plain.write("README.md", "theirs\n");
    world
        .plain
        .git(&["commit", "--quiet", "--all", "--message", "theirs"]);
    assert!(!plain.try_git(&["rebase", "main"]).status.success());
    plain.write("README.md", "half\n");
    let (before, unmerged) = (picture(&worktree), plain.git(&["ls-files", "-u"]));
    assert!(!unmerged.is_empty());
    // The branch still has the commits; make the rebase the only one that knows them.
    let tip = plain.branch_sha("amp/x");
    trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    world.plain.git(&["update-ref", "refs/heads/amp/x", "main"]);
    let_git_clean_up(&world, worktree.path());
    assert!(!world.repository.commit_exists(&id(&tip)).unwrap());
    world.plain.git(&["update-ref", "-d", "refs/heads/amp/x"]);
    let restored = restore(&world, "one").unwrap();
    assert_eq!(restored.branch, RestoredBranch::MadeAgain(branch("amp/x")));
    assert_eq!(picture(&worktree), before);
    assert_eq!(plain.git(&["ls-files", "-u"]), unmerged);
    assert_eq!(plain.branch_sha("amp/x"), tip);
    plain.write("README.md", "both\n");
    plain.git(&["add", "README.md"]);
    plain.git(&["-c", "core.editor=true", "rebase", "--continue"]);
    assert_eq!(plain.read("later"), "only here\n");
    world.plain.fsck();
}

#[test]
fn a_user_who_looks_into_the_trash_understands() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    trash(
        &world,
        worktree.path(),
        &request("k7m2qd-fix-login", "amp/x"),
    )
    .unwrap();
    let readme = fs::read_to_string(trash_dir(&world).join("README.txt")).unwrap();
    assert!(readme.contains("orchestra trash restore"), "{readme}");
    let record = fs::read_to_string(trash_dir(&world).join("k7m2qd-fix-login/entry.json")).unwrap();
    let facts = [
        "\"session\": \"k7m2qd\"",
        "\"session_name\": \"fix-login\"",
        "\"branch\": \"amp/x\"",
        &format!("\"commit\": \"{}\"", world.head()),
        &format!("\"path\": \"{}\"", worktree.path().display()),
        "\"admin_folder\": \"x\"",
        "\"trashed_at\": \"2026-11-15T20:30:00Z\"",
        "\"why\": \"it was cleaned up\"",
    ];
    for fact in facts {
        assert!(record.contains(fact), "{fact} is not in {record}");
    }
}

#[test]
fn entries_are_listed_oldest_first() {
    let world = World::new();
    assert_eq!(world.repository.trash_entries().unwrap().entries, []);
    for (entry, of, at) in [
        ("b", "amp/b", "2026-11-15T20:30:00Z"),
        ("a", "amp/a", "2026-11-16T00:00:00Z"),
    ] {
        let worktree = world.worktree(of);
        let mut request = request(entry, of);
        request.at = at.parse().unwrap();
        trash(&world, worktree.path(), &request).unwrap();
    }
    let listing = world.repository.trash_entries().unwrap();
    let names: Vec<_> = listing
        .entries
        .iter()
        .map(|entry| entry.name.as_str())
        .collect();
    assert_eq!(names, ["b", "a"]);
    assert_eq!(listing.damaged.len(), 0);
    let found = world.repository.find_in_trash(&name("a")).unwrap().unwrap();
    assert_eq!(found, listing.entries[1]);
    assert_eq!(found.record.branch, branch("amp/a"));
}

#[test]
fn a_worktree_comes_back_beside_a_repository_that_was_moved() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    let plain = world.plain_at(worktree.path());
    plain.write("file", "x\n");
    plain.git(&["add", "--all"]);
    let inside = worktree.path().strip_prefix(world.plain.root()).unwrap();
    trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    let place = world.sandbox.path("moved here");
    std::fs::rename(world.plain.root(), &place).unwrap();
    let home = place.join(inside);
    let repository = world.git.open(&place).unwrap();
    let request = RestoreRequest {
        name: &name("one"),
        home: Some(&home),
        deleted: None,
    };
    let restored = repository.restore_from_trash(&request, &|_| {}).unwrap();
    assert_eq!(restored.path, home);
    assert!(!worktree.path().exists());
    let plain = world.plain_at(&home);
    assert_eq!(plain.git(&["status", "--porcelain"]), "A  file");
    assert_eq!(plain.git(&["symbolic-ref", "HEAD"]), "refs/heads/amp/x");
    let listed = plain.git(&["worktree", "list", "--porcelain"]);
    assert!(listed.contains(home.to_str().unwrap()), "{listed}");
    assert!(!listed.contains("prunable"), "{listed}");
}
