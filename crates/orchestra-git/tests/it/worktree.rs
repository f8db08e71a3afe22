//! Making, listing, removing and repairing worktrees.

use std::fs;

use orchestra_git::{Damage, Fill, Finding, HalfMade, Removal, StartingPoint, WorktreeError};

use crate::world::{CommitAll, World, branch, files_below, id};

fn new_branch(world: &World, name: &str) -> StartingPoint {
    StartingPoint::NewBranch {
        name: branch(name),
        at: world.head(),
    }
}

#[test]
fn registering_and_filling_equals_git_worktree_add() {
    let world = World::with(|plain| {
        plain.write("a/b.txt", "b");
        plain.write("run.sh", "#!/bin/sh\n");
        make_executable(&plain.path("run.sh"));
        #[cfg(unix)]
        std::os::unix::fs::symlink("a/b.txt", plain.path("link")).unwrap();
        plain.commit("files");
    });
    let before = world.git.spawned();
    let worktree = world.worktree("amp/one");
    assert_eq!(
        world.git.spawned() - before,
        if cfg!(target_os = "linux") { 1 } else { 2 },
        "git processes to make a worktree"
    );
    assert_eq!(
        worktree.path(),
        world.place("amp/one").canonicalize().unwrap()
    );
    let plain = world.plain_at(worktree.path());
    assert_eq!(plain.git(&["status", "--porcelain"]), "");
    assert_eq!(plain.git(&["rev-parse", "--abbrev-ref", "HEAD"]), "amp/one");
    assert_eq!(plain.head(), world.plain.head());
    let reference = world.sandbox.path("reference");
    world.plain.git(&[
        "worktree",
        "add",
        "--quiet",
        "-b",
        "ref",
        reference.to_str().unwrap(),
    ]);
    let names = |root: &std::path::Path| {
        files_below(root)
            .iter()
            .map(|path| path.strip_prefix(root).unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(worktree.path()), names(&reference));
    assert!(is_executable(&worktree.path().join("run.sh")));
    world.plain.fsck();
    assert!(
        !world.plain.read(".git/config").contains("amp/one"),
        "no tracking configuration"
    );
}

#[test]
fn a_taken_branch_or_path_is_refused_and_nothing_is_left() {
    let world = World::new();
    world.worktree("amp/one");
    world.plain.git(&["branch", "topic"]);
    let before = files_below(world.plain.root());
    let register = |place: &str, start: &StartingPoint| {
        world
            .repository
            .register_worktree(&world.place(place), start)
            .unwrap_err()
    };
    let cases = [
        (
            register("x", &new_branch(&world, "amp/one")),
            "git.branch_taken",
        ),
        (
            register("x", &new_branch(&world, "amp")),
            "git.branch_blocked",
        ),
        (
            register("x", &new_branch(&world, "topic/sub")),
            "git.branch_blocked",
        ),
        (
            register("amp/one", &new_branch(&world, "two")),
            "git.path_taken",
        ),
        (
            register("amp", &new_branch(&world, "two")),
            "git.path_taken",
        ),
        (
            register("x", &StartingPoint::Existing(branch("nope"))),
            "git.no_such_branch",
        ),
        (
            register("x", &StartingPoint::Existing(branch("main"))),
            "git.branch_checked_out",
        ),
        (
            register("x", &StartingPoint::Existing(branch("amp/one"))),
            "git.branch_checked_out",
        ),
    ];
    for (error, code) in cases {
        assert_eq!(error.code(), code, "{error}");
        assert!(error.hint().is_some(), "{error}");
    }
    assert_eq!(files_below(world.plain.root()), before);
}

#[test]
fn a_failing_git_leaves_nothing_behind() {
    let world = World::new();
    let missing = StartingPoint::NewBranch {
        name: branch("amp/x"),
        at: id(&"1".repeat(40)),
    };
    let before = files_below(world.plain.root());
    let error = world
        .repository
        .register_worktree(&world.place("deep/er"), &missing)
        .unwrap_err();
    assert_eq!(error.code(), "git.failed", "{error}");
    assert_eq!(files_below(world.plain.root()), before);
    assert!(!world.plain.has_branch("amp/x"));
    world.worktree("amp/x");
}

#[cfg(unix)]
#[test]
fn a_path_that_cannot_be_made_leaves_no_branch() {
    let world = World::new();
    world.plain.write("file", "x");
    let error = world
        .repository
        .register_worktree(
            &world.plain.path("file/below"),
            &new_branch(&world, "amp/x"),
        )
        .unwrap_err();
    assert_eq!(error.code(), "git.failed", "{error}");
    assert!(!world.plain.has_branch("amp/x"));
    assert_eq!(world.repository.list_worktrees().unwrap().len(), 1);
    assert!(
        !world.plain.path(".git/worktrees").exists()
            || files_below(&world.plain.path(".git/worktrees")).is_empty()
    );
}

#[cfg(unix)]
#[test]
fn what_cannot_be_taken_back_is_said() {
    let world = World::new();
    world.plain.write("file", "x");
    // Making a branch does not need this lock, deleting one does.
    let lock = world.plain.path(".git/packed-refs.lock");
    fs::write(&lock, "").unwrap();
    let path = world.plain.path("file/below");
    let error = world
        .repository
        .register_worktree(&path, &new_branch(&world, "amp/x"))
        .unwrap_err();
    assert_eq!(error.code(), "git.worktree_left_behind", "{error}");
    assert!(error.to_string().contains("half-made"), "{error}");
    assert!(error.hint().is_some());
    assert!(world.plain.has_branch("amp/x"));
    if cfg!(target_os = "linux") {
        let clear = || world.repository.clear_stale_shared_locks().unwrap();
        assert_eq!(clear(), std::slice::from_ref(&lock));
        assert!(clear().is_empty());
        assert!(!lock.exists());
    }
}

#[test]
fn a_dangling_link_is_a_taken_path() {
    let world = World::new();
    fs::create_dir(world.plain.path(".worktrees")).unwrap();
    std::os::unix::fs::symlink("/nowhere", world.place("x")).unwrap();
    let error = world
        .repository
        .register_worktree(&world.place("x"), &new_branch(&world, "amp/x"))
        .unwrap_err();
    assert_eq!(error.code(), "git.path_taken");
}

#[test]
fn an_existing_branch_can_be_adopted() {
    let world = World::new();
    world.plain.git(&["branch", "topic"]);
    let start = StartingPoint::Existing(branch("topic"));
    let worktree = world
        .repository
        .register_worktree(&world.place("t"), &start)
        .unwrap();
    worktree.fill(&world.head(), Fill::Fresh).unwrap();
    assert_eq!(worktree.head().unwrap().branch(), Some(&branch("topic")));
    let found = world.repository.worktree_at(&world.place("t")).unwrap();
    assert_eq!(
        (found.path(), found.admin_dir()),
        (worktree.path(), worktree.admin_dir())
    );
    let error = world
        .repository
        .worktree_at(&world.place("other"))
        .unwrap_err();
    assert_eq!(
        (error.code(), error.hint().is_some()),
        ("git.not_a_worktree", true)
    );
}

#[test]
fn a_directory_that_vanished_is_named() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    fs::remove_dir_all(worktree.path()).unwrap();
    let error = worktree.status().unwrap_err();
    assert_eq!(
        (error.code(), error.hint().is_some()),
        ("git.worktree_missing", true)
    );
    let error = world
        .repository
        .register_worktree(&world.place("amp/one"), &new_branch(&world, "two"))
        .unwrap_err();
    assert_eq!(
        (error.code(), error.hint().is_some()),
        ("git.path_registered", true)
    );
    let listed = world.repository.list_worktrees().unwrap();
    assert!(listed[1].prunable.is_some());
    worktree.remove(Removal::IfClean).unwrap();
    assert_eq!(world.repository.list_worktrees().unwrap().len(), 1);
    assert!(world.plain.has_branch("amp/one"));
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_a_worktree_is_not_followed() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    fs::remove_dir_all(worktree.path()).unwrap();
    std::os::unix::fs::symlink(world.sandbox.home(), worktree.path()).unwrap();
    assert_eq!(
        worktree.status().unwrap_err().code(),
        "git.worktree_missing"
    );
}

#[test]
fn filling_never_overwrites_unless_it_is_a_second_try() {
    let world = World::new();
    let worktree = world
        .repository
        .register_worktree(&world.place("x"), &new_branch(&world, "amp/x"))
        .unwrap();
    fs::write(worktree.path().join("README.md"), "mine").unwrap();
    assert_eq!(
        worktree
            .fill(&world.head(), Fill::Fresh)
            .unwrap_err()
            .code(),
        "git.failed"
    );
    assert_eq!(
        fs::read_to_string(worktree.path().join("README.md")).unwrap(),
        "mine"
    );
    worktree.fill(&world.head(), Fill::Again).unwrap();
    assert!(!worktree.status().unwrap().is_dirty());
}

#[test]
fn the_list_says_what_git_says() {
    let world = World::new();
    let one = world.worktree("amp/one");
    let two = world.worktree("amp/two");
    world
        .plain_at(two.path())
        .git(&["checkout", "--quiet", "--detach"]);
    world.plain.git(&[
        "worktree",
        "lock",
        "--reason",
        "a reason",
        one.path().to_str().unwrap(),
    ]);
    let listed = world.repository.list_worktrees().unwrap();
    assert_eq!(listed.len(), 3);
    assert_eq!(
        (listed[0].branch.as_deref(), &listed[0].admin_dir),
        (Some("main"), &None)
    );
    let find = |path: &std::path::Path| listed.iter().find(|entry| entry.path == path).unwrap();
    assert_eq!(find(one.path()).locked.as_deref(), Some("a reason"));
    assert_eq!(find(one.path()).admin_dir.as_deref(), Some(one.admin_dir()));
    assert!(find(two.path()).is_detached && find(two.path()).branch.is_none());
    assert_eq!(find(two.path()).head, Some(world.head()));
}

#[test]
fn removing_keeps_what_is_not_committed() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    fs::write(worktree.path().join("new.txt"), "work").unwrap();
    let error = worktree.remove(Removal::IfClean).unwrap_err();
    assert!(
        matches!(&error, WorktreeError::Dirty { changes: 1, .. }),
        "{error}"
    );
    assert_eq!(error.code(), "git.worktree_dirty");
    assert!(error.hint().is_some() && worktree.path().join("new.txt").exists());
    world
        .plain
        .git(&["worktree", "lock", worktree.path().to_str().unwrap()]);
    let error = worktree.remove(Removal::DiscardChanges).unwrap_err();
    assert_eq!(
        (error.code(), error.hint().is_some()),
        ("git.worktree_locked", true)
    );
    world
        .plain
        .git(&["worktree", "unlock", worktree.path().to_str().unwrap()]);
    worktree.remove(Removal::DiscardChanges).unwrap();
    assert!(!worktree.path().exists() && !worktree.admin_dir().exists());
    assert!(world.plain.has_branch("amp/one"));
    let error = world
        .repository
        .opened_worktree()
        .remove(Removal::DiscardChanges)
        .unwrap_err();
    assert_eq!(
        (error.code(), error.hint().is_some()),
        ("git.main_checkout", true)
    );
    let clean = world.worktree("amp/two");
    clean.remove(Removal::IfClean).unwrap();
    assert_eq!(world.plain.git(&["worktree", "list"]).lines().count(), 1);
    world.plain.fsck();
}

#[test]
fn a_worktree_that_lies_about_itself_can_be_removed() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    fs::write(worktree.path().join(".git"), "gitdir: /somewhere/else\n").unwrap();
    assert!(!worktree.status().unwrap().is_dirty());
    worktree.remove(Removal::IfClean).unwrap();
    assert_eq!(world.plain.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn planted_damage_is_repaired_and_only_ours() {
    let world = World::new();
    let kept = world.worktree("amp/kept");
    let half_made = [
        ("broken", "commondir", ""),
        ("early", "locked", "initializing"),
    ]
    .map(|(name, file, content)| (world.worktree(&format!("amp/{name}")), file, content));
    for (worktree, file, content) in half_made {
        for entry in fs::read_dir(worktree.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().unwrap() != ".git" {
                fs::remove_file(path).unwrap();
            }
        }
        fs::write(worktree.admin_dir().join(file), content).unwrap();
    }
    let nameless = world.plain.path(".git/worktrees/nameless");
    fs::create_dir_all(&nameless).unwrap();
    let foreign = world.plain.path(".git/worktrees/foreign");
    fs::create_dir_all(&foreign).unwrap();
    assert!(
        !world.plain.try_git(&["worktree", "list"]).status.success(),
        "the damage is real"
    );
    for name in ["amp/broken", "amp/early"] {
        let error = world
            .repository
            .worktree_at(&world.place(name))
            .unwrap_err();
        assert_eq!(error.code(), "git.not_a_worktree");
    }
    let known = ["amp/broken", "amp/early", "nameless", "amp/kept", "never"].map(|name| HalfMade {
        path: world.place(name),
        branch: Some((branch(name), world.head())),
    });
    let damage = world.repository.damaged_registrations(&known).unwrap();
    let is_foreign =
        |found: &&Damage| matches!(found, Damage::Foreign(path) if path.ends_with("foreign"));
    assert_eq!(damage.len(), 4, "{damage:?}");
    assert_eq!(damage.iter().filter(is_foreign).count(), 1, "{damage:?}");
    let findings = world.repository.repair_half_made(&known).unwrap();
    assert!(
        findings.contains(&Finding::Foreign(foreign.canonicalize().unwrap())),
        "{findings:?}"
    );
    assert!(
        findings.contains(&Finding::RemovedRegistration(
            world
                .plain
                .root()
                .canonicalize()
                .unwrap()
                .join(".git/worktrees/nameless")
        ))
    );
    for name in ["amp/broken", "amp/early"] {
        assert!(
            findings.contains(&Finding::RemovedDirectory(world.place(name))),
            "{findings:?}"
        );
        assert!(
            findings.contains(&Finding::RemovedBranch(branch(name))),
            "{findings:?}"
        );
        assert!(!world.plain.has_branch(name));
    }
    assert!(kept.path().join("README.md").exists() && world.plain.has_branch("amp/kept"));
    fs::remove_dir(&foreign).unwrap();
    assert_eq!(world.repository.list_worktrees().unwrap().len(), 2);
    assert_eq!(world.repository.repair_half_made(&known).unwrap(), []);
    world.plain.fsck();
    world.worktree("amp/broken");
}

#[test]
fn repair_keeps_files_and_branches_with_work() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    fs::write(worktree.path().join("work.txt"), "x").unwrap();
    fs::write(worktree.admin_dir().join("gitdir"), "").unwrap();
    let start = world.head();
    world.plain.git(&[
        "update-ref",
        "refs/heads/amp/one",
        &world
            .plain
            .git(&["commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "x"]),
    ]);
    let known = [HalfMade {
        path: world.place("amp/one"),
        branch: Some((branch("amp/one"), start)),
    }];
    let findings = world.repository.repair_half_made(&known).unwrap();
    assert!(
        findings.contains(&Finding::KeptDirectory(world.place("amp/one"))),
        "{findings:?}"
    );
    assert!(world.plain.has_branch("amp/one"));
    assert!(world.place("amp/one").join("work.txt").exists());
    let nothing = [HalfMade {
        path: world.place("none"),
        branch: None,
    }];
    assert_eq!(world.repository.repair_half_made(&nothing).unwrap(), []);
}

#[test]
fn stale_locks_of_a_worktree_are_cleared() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    assert_eq!(worktree.locks().unwrap(), []);
    let locks = [
        worktree.admin_dir().join("index.lock"),
        worktree.admin_dir().join("HEAD.lock"),
        world
            .repository
            .common_dir()
            .join("refs/heads/amp/one.lock"),
    ];
    for lock in &locks {
        fs::write(lock, "").unwrap();
    }
    fs::write(world.repository.common_dir().join("packed-refs.lock"), "").unwrap();
    assert_eq!(world.repository.shared_locks().unwrap().len(), 1);
    if cfg!(target_os = "linux") {
        assert_eq!(worktree.clear_stale_locks().unwrap(), locks);
        assert!(!locks[0].exists());
        assert!(
            world
                .repository
                .common_dir()
                .join("packed-refs.lock")
                .exists()
        );
    }
}

#[test]
fn a_sparse_checkout_stays_sparse() {
    let world = World::with(|plain| {
        plain.write("in/a.txt", "a");
        plain.write("out/b.txt", "b");
        plain.commit("two directories");
        plain.git(&["sparse-checkout", "set", "--cone", "in"]);
    });
    assert!(world.repository.state().unwrap().is_sparse);
    let worktree = world.worktree("amp/one");
    assert!(worktree.path().join("in/a.txt").exists() && !worktree.path().join("out").exists());
    assert!(!worktree.status().unwrap().is_dirty());
    fs::write(worktree.path().join("in/a.txt"), "changed").unwrap();
    let committed = worktree
        .commit_all(&orchestra_git::CommitRequest::new("change"))
        .unwrap()
        .unwrap();
    assert_eq!(committed.changes.len(), 1);
}

#[test]
fn damage_to_gits_own_folders_is_an_error_not_a_guess() {
    let world = World::new();
    world.plain.write(".git/worktrees", "a file");
    let error = world
        .repository
        .register_worktree(&world.place("x"), &new_branch(&world, "amp/x"))
        .unwrap_err();
    assert_eq!(error.code(), "git.io");
    assert!(error.hint().is_some());
    fs::remove_file(world.plain.path(".git/worktrees")).unwrap();
    let worktree = world.worktree("amp/x");
    fs::write(world.plain.path(".git/worktrees/stray"), "not a folder").unwrap();
    assert_eq!(world.repository.list_worktrees().unwrap().len(), 2);
    fs::remove_dir_all(worktree.path()).unwrap();
    fs::write(worktree.path(), "a file").unwrap();
    let error = worktree.remove(Removal::DiscardChanges).unwrap_err();
    assert_eq!(error.code(), "git.io");
    assert!(worktree.admin_dir().exists());
}

#[cfg(unix)]
#[test]
fn a_worktree_that_is_not_what_was_asked_for_is_taken_back() {
    let world = World::new();
    let body = format!(
        "git \"$@\" || exit\ncase \"$1 $2\" in 'worktree add') for head in \"$GIT_DIR\"/worktrees/*/HEAD; do echo {} > \"$head\"; done;; esac",
        world.plain.head()
    );
    let program = crate::open::script(&world.sandbox, "strange-git", &body);
    let environment = crate::world::environment(&world.sandbox);
    let git = orchestra_git::Git::find(
        Some(program.as_ref()),
        environment,
        &world.sandbox.path("private"),
    )
    .unwrap();
    let repository = git.open(world.plain.root()).unwrap();
    fs::create_dir_all(world.place("kept")).unwrap();
    let before = files_below(world.plain.root());
    let error = repository
        .register_worktree(&world.place("kept/deep/x"), &new_branch(&world, "amp/x"))
        .unwrap_err();
    assert_eq!(error.code(), "git.unreadable_answer");
    let left = files_below(world.plain.root());
    let is_new = |path: &&std::path::PathBuf| !before.contains(path) && path.is_file();
    let new = left.iter().filter(is_new).collect::<Vec<_>>();
    assert!(
        new.iter()
            .all(|path| path.ends_with("logs/refs/heads/amp/x")),
        "{new:?}"
    );
    assert!(!world.plain.has_branch("amp/x") && !world.place("kept/deep").exists());
    world.worktree("amp/x");
}

#[cfg(unix)]
fn make_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_path: &std::path::Path) {}

#[cfg(unix)]
fn is_executable(path: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_path: &std::path::Path) -> bool {
    true
}
