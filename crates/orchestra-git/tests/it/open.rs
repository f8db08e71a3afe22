//! Opening repositories and saying what they are like.

#[cfg(target_os = "linux")]
mod remembered;

use std::fs;

use orchestra_git::{Git, GitError, GitVersion, Head, InProgress, ObjectFormat, OpenError};
use orchestra_testkit::Sandbox;

use crate::world::{CommitAll, World, branch, environment, git};

#[test]
fn a_repository_is_found_from_below() {
    let world = World::with(|plain| plain.write("a/b/c.txt", "x"));
    let repository = world.git.open(&world.plain.root().join("a/b")).unwrap();
    let root = world.plain.root().canonicalize().unwrap();
    assert_eq!(repository.root(), root);
    assert_eq!(
        (repository.git_dir(), repository.common_dir()),
        (&*root.join(".git"), &*root.join(".git"))
    );
    assert!(!repository.is_linked_worktree());
    assert_eq!(repository.object_format(), ObjectFormat::Sha1);
    assert!(repository.git().version() >= GitVersion::MINIMUM);
}

#[test]
fn a_linked_worktree_knows_its_repository() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    let repository = world.git.open(worktree.path()).unwrap();
    assert!(repository.is_linked_worktree());
    assert_eq!(repository.common_dir(), world.repository.common_dir());
    assert_eq!(
        repository.state().unwrap().head.branch(),
        Some(&branch("amp/one"))
    );
    let main = repository.worktree_at(world.plain.root()).unwrap();
    assert_eq!(main.head().unwrap().branch(), Some(&branch("main")));
    assert_eq!(repository.root(), worktree.path());
}

#[test]
fn what_cannot_be_opened_says_why() {
    let sandbox = Sandbox::new();
    let git = git(&sandbox);
    let plain = sandbox.repository("sample");
    let bare = sandbox.path("bare.git");
    plain.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    fs::create_dir(sandbox.path("empty")).unwrap();
    let code = |path: &str| git.open(&sandbox.path(path)).unwrap_err();
    let cases = [
        ("empty", "git.not_a_repository"),
        ("nowhere", "git.no_such_directory"),
        ("home/.gitconfig", "git.no_such_directory"),
        ("bare.git", "git.bare_repository"),
        ("repositories/sample/.git", "git.inside_git_directory"),
    ];
    for (path, expected) in cases {
        let error = code(path);
        assert_eq!(error.code(), expected, "{path}: {error}");
        assert!(error.hint().is_some(), "{path}");
    }
    fs::write(plain.path(".git/HEAD"), "nonsense").unwrap();
    let error = code("repositories/sample");
    assert!(matches!(error, OpenError::Broken { .. }), "{error}");
    assert!(error.hint().is_some() && std::error::Error::source(&error).is_some());
}

#[test]
fn states_are_told_apart() {
    let world = World::new();
    let state = world.repository.state().unwrap();
    assert_eq!(
        state.head,
        Head::Branch {
            name: branch("main"),
            commit: world.head()
        }
    );
    assert!(state.has_commits && state.in_progress.is_none());
    assert!(
        !state.has_submodules
            && !state.has_lfs
            && !state.is_sparse
            && !state.is_shallow
            && !state.is_partial_clone
    );
    world.plain.git(&["checkout", "--quiet", "--detach"]);
    assert_eq!(
        world.repository.state().unwrap().head,
        Head::Detached(world.head())
    );
    world.plain.write(".gitmodules", "");
    world.plain.write(".gitattributes", "*.bin filter=lfs\n");
    let state = world.repository.state().unwrap();
    assert!(state.has_submodules && state.has_lfs);
    assert_eq!(state.head.branch(), None);
}

#[test]
fn a_rebase_in_progress_is_seen() {
    let world = World::new();
    world.plain.git(&["checkout", "--quiet", "-b", "other"]);
    world.plain.write("README.md", "other");
    world.plain.commit("other");
    world.plain.git(&["checkout", "--quiet", "main"]);
    world.plain.write("README.md", "mine");
    world.plain.commit("mine");
    assert!(!world.plain.try_git(&["rebase", "other"]).status.success());
    assert_eq!(
        world.repository.state().unwrap().in_progress,
        Some(InProgress::Rebase)
    );
}

#[test]
fn a_repository_without_commits_has_no_commit() {
    let sandbox = Sandbox::new();
    let plain = sandbox.repository("sample");
    plain.git(&["checkout", "--quiet", "--orphan", "fresh"]);
    let repository = git(&sandbox).open(plain.root()).unwrap();
    let state = repository.state().unwrap();
    assert_eq!(state.head, Head::Unborn("fresh".to_owned()));
    assert!(!state.has_commits && state.head.commit().is_none());
    let worktree = repository.worktree_at(plain.root()).unwrap();
    let error = worktree.status().unwrap_err();
    assert_eq!(error.code(), "git.no_such_revision");
    assert!(error.hint().is_some());
}

#[test]
fn sha256_repositories_and_reftables_work() {
    let sandbox = Sandbox::new();
    let git = git(&sandbox);
    let plain = sandbox.repository("sample");
    for (name, option) in [
        ("sha256", "--object-format=sha256"),
        ("reftable", "--ref-format=reftable"),
    ] {
        let path = sandbox.path(name);
        if !plain
            .try_git(&["init", "--quiet", option, path.to_str().unwrap()])
            .status
            .success()
        {
            continue;
        }
        let plain = plain.at(&path);
        plain.write("a", "1");
        let first = plain.commit("first").parse().unwrap();
        let repository = git.open(&path).unwrap();
        let start = orchestra_git::StartingPoint::NewBranch {
            name: branch("amp/x"),
            at: first,
        };
        let worktree = repository
            .register_worktree(&path.join(".worktrees/x"), &start)
            .unwrap();
        worktree
            .fill(
                worktree.head().unwrap().commit().unwrap(),
                orchestra_git::Fill::Fresh,
            )
            .unwrap();
        std::fs::write(worktree.path().join("b"), "2").unwrap();
        let committed = worktree
            .commit_all(&orchestra_git::CommitRequest::new("two"))
            .unwrap()
            .unwrap();
        assert_eq!(
            plain.branch_sha("amp/x"),
            committed.commit.to_string(),
            "{name}"
        );
        assert!(!worktree.status().unwrap().is_dirty());
        assert_eq!(worktree.head().unwrap().branch(), Some(&branch("amp/x")));
        plain
            .at(worktree.path())
            .git(&["checkout", "--quiet", "--detach"]);
        assert_eq!(worktree.head().unwrap(), Head::Detached(committed.commit));
        plain.fsck();
    }
}

#[test]
fn a_root_with_odd_characters_can_be_worked_in() {
    let sandbox = Sandbox::new();
    let git = git(&sandbox);
    let plain = sandbox.repository("odd 'name\" with\nline ümlaut");
    let repository = git.open(plain.root()).unwrap();
    assert_eq!(repository.root(), plain.root().canonicalize().unwrap());
    let at = plain.head().parse().unwrap();
    let start = orchestra_git::StartingPoint::NewBranch {
        name: branch("amp/x"),
        at,
    };
    let worktree = repository
        .register_worktree(&plain.path("w t\nx"), &start)
        .unwrap();
    worktree
        .fill(&plain.head().parse().unwrap(), orchestra_git::Fill::Fresh)
        .unwrap();
    assert!(!worktree.status().unwrap().is_dirty());
    let listed = repository.list_worktrees().unwrap();
    assert_eq!(listed[1].path, worktree.path());
    assert_eq!(listed[1].admin_dir.as_deref(), Some(worktree.admin_dir()));
}

#[test]
fn a_missing_or_old_git_is_refused() {
    let sandbox = Sandbox::new();
    let environment = environment(&sandbox);
    let find = |program: &str| {
        Git::find(
            Some(program.as_ref()),
            environment.clone(),
            &sandbox.path("private"),
        )
    };
    let error = find("no-such-git").unwrap_err();
    assert_eq!(error.code(), "git.program_missing");
    assert!(error.hint().is_some());
    let old = script(&sandbox, "old-git", "echo git version 2.30.1");
    let error = find(&old).unwrap_err();
    assert!(matches!(error, GitError::VersionTooOld { .. }), "{error}");
    assert_eq!(
        (error.code(), error.hint().is_some()),
        ("git.version_too_old", true)
    );
    let strange = script(&sandbox, "strange-git", "echo hello");
    assert_eq!(find(&strange).unwrap_err().code(), "git.unreadable_answer");
    let broken = script(&sandbox, "broken-git", "exit 3");
    assert_eq!(find(&broken).unwrap_err().code(), "git.failed");
}

#[test]
fn the_worktrees_directory_is_kept_out_of_status() {
    let old = "*.log\n/.worktrees/\n";
    let world = World::with(|plain| fs::write(plain.path(".git/info/exclude"), old).unwrap());
    let dir = world.plain.path(".worktrees");
    assert!(world.repository.keep_out_of_status(&dir).unwrap());
    assert!(!world.repository.keep_out_of_status(&dir).unwrap());
    assert_eq!(world.plain.read(".git/info/exclude"), "*.log\n");
    let outside = world.sandbox.path("outside");
    assert!(!world.repository.keep_out_of_status(&outside).unwrap());
    assert!(!outside.exists());
    let made = world.worktree("amp/one");
    assert_eq!(world.plain.git(&["status", "--porcelain"]), "");
    world.plain.git(&["clean", "--quiet", "-fdx"]);
    assert!(made.path().join("README.md").exists());
    assert!(world.repository.keep_out_of_status(&dir).unwrap());
    assert_eq!(world.plain.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_list_of_ours_outside_the_checkout_hides_no_file_of_it() {
    let world = World::new();
    let inside = world.plain.path("inside");
    assert!(world.repository.keep_out_of_status(&inside).unwrap());
    let outside = world.sandbox.path("outside");
    fs::create_dir_all(outside.join("tree")).unwrap();
    fs::copy(inside.join(".gitignore"), outside.join(".gitignore")).unwrap();
    fs::write(outside.join("tree/.git"), "gitdir: elsewhere\n").unwrap();
    fs::write(outside.join("notes.txt"), "mine").unwrap();
    assert!(!world.repository.hides_other_files(&outside).unwrap());
}

#[test]
fn a_list_that_is_there_stays() {
    let world = World::new();
    let (dir, list) = (world.plain.path("kept"), "kept/.gitignore");
    for theirs in ["*\n!.gitignore\n", "*.log\n"] {
        world.plain.write(list, theirs);
        world.repository.keep_out_of_status(&dir).unwrap();
        assert_eq!(world.plain.read(list), theirs);
    }
    world.plain.write(list, "");
    assert!(world.repository.keep_out_of_status(&dir).unwrap());
    assert_eq!(world.plain.git(&["status", "--porcelain"]), "");
}

#[test]
fn shadows_of_killed_processes_are_swept() {
    let world = World::new();
    world.repository.commit_exists(&world.head()).unwrap();
    let shadows = world.sandbox.data_dir().join("git/shadow");
    fs::create_dir_all(shadows.join("4194303-left/refs")).unwrap();
    assert_eq!(world.git.leftovers().unwrap().len(), 1);
    assert_eq!(world.git.sweep_leftovers().unwrap().len(), 1);
    assert!(!shadows.join("4194303-left").exists());
    assert_eq!(fs::read_dir(&shadows).unwrap().count(), 1);
    world.repository.commit_exists(&world.head()).unwrap();
}

#[test]
fn identity_follows_the_users_conditional_includes() {
    let sandbox = Sandbox::new();
    let plain = sandbox.repository("sample");
    let home = sandbox.home();
    fs::write(home.join("work"), "[user]\n\temail = work@example.com\n").unwrap();
    let mut config = fs::read_to_string(home.join(".gitconfig")).unwrap();
    config.push_str("[includeIf \"gitdir:**/sample/\"]\n\tpath = work\n");
    fs::write(home.join(".gitconfig"), config).unwrap();
    let repository = git(&sandbox).open(plain.root()).unwrap();
    let identity = repository.configuration().identity().unwrap();
    assert_eq!(
        (identity.name.as_str(), identity.email.as_str()),
        ("Test", "work@example.com")
    );
}

#[cfg(unix)]
pub(crate) fn script(sandbox: &Sandbox, name: &str, body: &str) -> String {
    let path = sandbox.path(name);
    orchestra_testkit::write_program(&path, &format!("#!/bin/sh\n{body}\n"));
    path.to_str().unwrap().to_owned()
}
