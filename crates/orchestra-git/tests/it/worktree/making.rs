//! Making worktrees: with a new branch or one that exists, all or nothing.

use std::fs;

use orchestra_git::{Fill, StartingPoint};

use super::new_branch;
use crate::world::{CommitAll, World, branch, files_below, id, left_to_git};

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
        if cfg!(target_os = "linux") { 0 } else { 2 },
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
    world.plain.add_worktree(&reference, "ref");
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

/// Contents and permissions of what git knows about one worktree. Times, and what the reflog says of the beginning, differ.
#[cfg(unix)]
fn registration(world: &World, name: &str) -> Vec<(String, u32, String)> {
    use std::os::unix::fs::PermissionsExt;
    let admin_dir = world.plain.path(".git/worktrees").join(name);
    let marker = world.place(name).join(".git");
    let logs = world.plain.path(".git/logs/refs/heads").join(name);
    let branch = world.plain.path(".git/refs/heads").join(name);
    let mut files = files_below(&admin_dir);
    files.extend([marker, logs, branch]);
    let told = files.iter().map(|path| {
        let mode = path.metadata().unwrap().permissions().mode();
        let content = match path.is_file() {
            true => fs::read_to_string(path).unwrap(),
            false => String::new(),
        };
        let content = match path.to_str().unwrap().contains("/logs/") {
            true => content.split(" <").next().unwrap().to_owned(),
            false => content,
        };
        let path = path.strip_prefix(world.plain.root()).unwrap();
        let root = world.plain.root().canonicalize().unwrap();
        let content = content.replace(root.to_str().unwrap(), "ROOT");
        (path.display().to_string(), mode, content)
    });
    told.collect()
}

#[cfg(unix)]
#[test]
fn a_registration_has_the_files_of_git() {
    let (ours, gits) = (World::new(), World::new());
    let start = new_branch(&ours, "one");
    ours.repository
        .register_worktree(&ours.place("one"), &start)
        .unwrap();
    let place = gits.place("one");
    let add = ["worktree", "add", "--quiet", "--no-checkout", "--no-track"];
    let (place, head) = (place.to_str().unwrap(), gits.plain.head());
    gits.plain
        .git(&[add.as_slice(), &["-b", "one", place, &head]].concat());
    assert_eq!(registration(&ours, "one"), registration(&gits, "one"));
    let listed = ours.plain.git(&["worktree", "list", "--porcelain"]);
    assert!(!listed.contains("prunable") && !listed.contains("locked"));
    ours.plain.fsck();
}

#[test]
fn unusual_registrations_are_left_to_git() {
    type Prepare = fn(&orchestra_testkit::TestRepository);
    let cases: [(&str, &str, Prepare); 3] = [
        ("own settings", "one", |plain| {
            plain.git(&["config", "extensions.worktreeConfig", "true"]);
        }),
        ("a name that git changes", "o.ne.lock", |_| {}),
        ("a name that is taken", "one", |plain| {
            let other = plain.root().join("elsewhere/one");
            plain.git(&["worktree", "add", "-q", "-b", "x", other.to_str().unwrap()]);
        }),
    ];
    for (case, name, prepare) in cases {
        let world = World::with(prepare);
        let before = world.git.spawned();
        let start = new_branch(&world, "amp/one");
        let worktree = world
            .repository
            .register_worktree(&world.place(name), &start)
            .unwrap();
        assert_eq!(world.git.spawned() - before, 1, "{case}");
        let head = world.plain_at(worktree.path()).head();
        assert_eq!(head, world.plain.head(), "{case}");
    }
}

#[cfg(unix)]
#[test]
fn a_worktree_that_is_not_what_was_asked_for_is_taken_back() {
    let world = World::with(left_to_git);
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
