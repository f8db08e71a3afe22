//! Commits of the engine.

use std::fs;
use std::path::PathBuf;

use orchestra_core::Timestamp;
use orchestra_git::{CommitError, CommitRequest, Identity};

use crate::world::{CommitAll, World, branch, id};

fn person(name: &str) -> Option<Identity> {
    Some(Identity {
        name: name.to_owned(),
        email: format!("{name}@example.com"),
    })
}

#[test]
fn everything_is_committed_in_two_processes() {
    let world = World::with(|plain| {
        plain.write("old", "old");
        plain.write("gone", "gone");
        plain.commit("files");
    });
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    plain.write("old", "new");
    plain.write("dir/added", "added");
    fs::remove_file(plain.path("gone")).unwrap();
    let request = CommitRequest {
        author: person("agent"),
        committer: person("engine"),
        at: Some(Timestamp::from_second(1_800_000_000).unwrap()),
        ..CommitRequest::new("amp: change things\n\n# not a comment\n")
    };
    let before = world.git.spawned();
    let prepared = worktree.prepare_commit(&request).unwrap().unwrap();
    assert_eq!(
        plain.head(),
        world.plain.head(),
        "the branch has not moved yet"
    );
    worktree.publish_commit(&prepared).unwrap();
    assert_eq!(
        world.git.spawned() - before,
        if cfg!(target_os = "linux") { 2 } else { 3 }
    );
    assert_eq!(plain.head(), prepared.commit.to_string());
    assert_eq!(
        (prepared.parent.to_string(), prepared.branch.clone()),
        (world.plain.head(), Some(branch("amp/one")))
    );
    assert_eq!(plain.git(&["status", "--porcelain"]), "");
    let shown = plain.git(&["log", "-1", "--format=%an %ae|%cn %ce|%at|%B"]);
    assert_eq!(
        shown,
        "agent agent@example.com|engine engine@example.com|1800000000|amp: change things\n\n# not a comment"
    );
    assert_eq!(
        plain.git(&["show", "--name-status", "--format="]),
        "A\tdir/added\nD\tgone\nM\told"
    );
    worktree.publish_commit(&prepared).unwrap();
    assert!(
        plain
            .git(&["reflog", "-1"])
            .contains("commit: amp: change things")
    );
    world.plain.fsck();
}

#[test]
fn nothing_changed_means_no_commit() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    assert_eq!(worktree.commit_all(&CommitRequest::new("x")).unwrap(), None);
    let paths = Some(vec![PathBuf::from("README.md")]);
    assert_eq!(
        worktree
            .commit_all(&CommitRequest {
                paths,
                ..CommitRequest::new("x")
            })
            .unwrap(),
        None
    );
    assert_eq!(world.plain_at(worktree.path()).head(), world.plain.head());
}

#[test]
fn chosen_paths_leave_the_rest_as_it_was() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    plain.write("staged", "s");
    plain.git(&["add", "staged"]);
    plain.write("dir/new", "n");
    plain.write("README.md", "changed");
    plain.write("left", "l");
    let paths = Some(vec![PathBuf::from("dir"), PathBuf::from("README.md")]);
    let committed = worktree
        .commit_all(&CommitRequest {
            paths,
            ..CommitRequest::new("some")
        })
        .unwrap()
        .unwrap();
    assert_eq!(
        committed
            .changes
            .iter()
            .map(|file| file.path.to_str().unwrap())
            .collect::<Vec<_>>(),
        ["README.md", "dir/new"]
    );
    assert_eq!(plain.git(&["status", "--porcelain"]), "A  staged\n?? left");
    let paths = Some(vec![PathBuf::from("nope"), PathBuf::from("left")]);
    let error = worktree
        .commit_all(&CommitRequest {
            paths,
            ..CommitRequest::new("x")
        })
        .unwrap_err();
    assert!(
        matches!(&error, CommitError::NoSuchPath(paths) if *paths == [PathBuf::from("nope")]),
        "{error}"
    );
    assert!(error.to_string().contains("`nope`") && error.hint().is_some());
}

#[test]
fn a_path_may_be_written_in_every_way_that_stays_inside() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    for (path, name) in [
        (worktree.path().join("a"), "a"),
        (PathBuf::from("./dir/../b"), "b"),
        (PathBuf::from("."), "c"),
    ] {
        plain.write(name, "new\n");
        let committed = worktree.commit_all(&CommitRequest {
            paths: Some(vec![path]),
            ..CommitRequest::new("some")
        });
        let changes = committed.unwrap().unwrap().changes;
        assert_eq!(changes[0].path.to_str(), Some(name));
    }
    let error = worktree
        .commit_all(&CommitRequest {
            paths: Some(vec![PathBuf::from("../x")]),
            ..CommitRequest::new("x")
        })
        .unwrap_err();
    assert_eq!(error.code(), "git.path_outside");
}

#[test]
fn a_branch_that_moved_is_not_overwritten() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    plain.write("a", "a");
    let prepared = worktree
        .prepare_commit(&CommitRequest::new("mine"))
        .unwrap()
        .unwrap();
    let theirs = plain.commit("theirs");
    let error = worktree.publish_commit(&prepared).unwrap_err();
    assert!(
        matches!(&error, CommitError::Moved { current: Some(current), .. } if current.as_str() == theirs),
        "{error}"
    );
    assert_eq!(
        (error.code(), error.hint().is_some()),
        ("git.branch_moved", true)
    );
    assert_eq!(plain.head(), theirs);
}

#[test]
fn a_detached_head_is_moved() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    plain.git(&["checkout", "--quiet", "--detach"]);
    plain.write("a", "a");
    let prepared = worktree
        .prepare_commit(&CommitRequest::new("detached"))
        .unwrap()
        .unwrap();
    worktree.publish_commit(&prepared).unwrap();
    assert_eq!(
        (plain.head(), prepared.branch.clone()),
        (prepared.commit.to_string(), None)
    );
    assert_eq!(plain.branch_sha("amp/one"), world.plain.head());
    worktree.publish_commit(&prepared).unwrap();
    plain.write("b", "b");
    let second = worktree
        .prepare_commit(&CommitRequest::new("second"))
        .unwrap()
        .unwrap();
    plain.git(&["checkout", "--quiet", "--detach", "--force", "main"]);
    assert_eq!(
        worktree.publish_commit(&second).unwrap_err().code(),
        "git.branch_moved"
    );
    fs::write(worktree.admin_dir().join("HEAD.lock"), "").unwrap();
    let stuck = orchestra_git::Prepared {
        parent: world.head(),
        ..second
    };
    assert_eq!(
        worktree.publish_commit(&stuck).unwrap_err().code(),
        "git.failed"
    );
}

#[test]
fn operations_conflicts_and_locks_are_refused() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    plain.write("README.md", "one");
    plain.git(&["stash", "push", "--quiet"]);
    plain.write("README.md", "two");
    plain.commit("two");
    assert!(!plain.try_git(&["stash", "pop"]).status.success());
    let before = plain.git(&["ls-files", "--unmerged"]);
    let error = worktree.commit_all(&CommitRequest::new("x")).unwrap_err();
    assert_eq!(
        (error.code(), error.hint().is_some()),
        ("git.conflicts", true)
    );
    assert_eq!(plain.git(&["ls-files", "--unmerged"]), before);
    worktree.remember_files().unwrap();
    assert_eq!(plain.git(&["ls-files", "--unmerged"]), before);
    plain.git(&["checkout", "--quiet", "--force", "HEAD"]);
    fs::write(worktree.admin_dir().join("MERGE_HEAD"), plain.head()).unwrap();
    let error = worktree.commit_all(&CommitRequest::new("x")).unwrap_err();
    assert_eq!(
        (error.code(), error.hint().is_some()),
        ("git.operation_in_progress", true)
    );
    fs::remove_file(worktree.admin_dir().join("MERGE_HEAD")).unwrap();
    fs::write(worktree.admin_dir().join("index.lock"), "").unwrap();
    let error = worktree.commit_all(&CommitRequest::new("x")).unwrap_err();
    assert_eq!(
        (error.code(), error.hint().is_some()),
        ("git.index_locked", true)
    );
}

#[test]
fn nobody_known_is_said() {
    let world = World::new();
    fs::write(world.sandbox.home().join(".gitconfig"), "").unwrap();
    let repository = world.reopened();
    let start = orchestra_git::StartingPoint::NewBranch {
        name: branch("amp/x"),
        at: world.head(),
    };
    let worktree = repository
        .register_worktree(&world.place("x"), &start)
        .unwrap();
    worktree
        .fill(&world.head(), orchestra_git::Fill::Fresh)
        .unwrap();
    fs::write(worktree.path().join("a"), "a").unwrap();
    let error = worktree.commit_all(&CommitRequest::new("x")).unwrap_err();
    assert_eq!(
        (error.code(), error.hint().is_some()),
        ("git.identity_unknown", true)
    );
    let request = CommitRequest {
        author: person("agent"),
        ..CommitRequest::new("x")
    };
    assert!(worktree.commit_all(&request).unwrap().is_some());
}

#[test]
fn nested_repositories_are_left_out_and_named() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    plain.git(&["init", "--quiet", "nested"]);
    plain.write("nested/file", "inside");
    plain.write("file", "outside");
    let committed = worktree
        .commit_all(&CommitRequest::new("no commit inside yet"))
        .unwrap()
        .unwrap();
    assert_eq!(
        (committed.left_out, committed.changes.len()),
        (vec![PathBuf::from("nested/")], 1)
    );
    world.plain_at(&plain.path("nested")).commit("inside");
    plain.write("file", "changed");
    let committed = worktree
        .commit_all(&CommitRequest::new("with a commit inside"))
        .unwrap()
        .unwrap();
    assert_eq!((committed.left_out.len(), committed.changes.len()), (1, 1));
    assert_eq!(plain.git(&["status", "--porcelain"]), "?? nested/");
    assert_eq!(plain.read("nested/file"), "inside");
}

#[test]
fn a_moved_submodule_is_committed() {
    let world = World::new();
    let module = world.sandbox.repository("module");
    let url = module.root().to_str().unwrap().to_owned();
    world.plain.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        &url,
        "sub",
    ]);
    world.plain.commit("submodule");
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    plain.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "update",
        "--init",
    ]);
    assert!(!worktree.status().unwrap().is_dirty());
    assert_eq!(
        worktree.commit_all(&CommitRequest::new("nothing")).unwrap(),
        None
    );
    let inside = world.plain_at(&plain.path("sub"));
    inside.write("x", "x");
    let moved = inside.commit("in the module");
    plain.write("file", "f");
    let committed = worktree
        .commit_all(&CommitRequest::new("both"))
        .unwrap()
        .unwrap();
    assert_eq!((committed.changes.len(), committed.left_out.len()), (2, 0));
    assert_eq!(plain.git(&["rev-parse", "HEAD:sub"]), moved);
}

#[test]
fn changes_of_a_person_are_kept_out() {
    let world = World::with(|plain| {
        for name in ["human", "agent", "both", "dir"] {
            plain.write(name, name);
        }
        plain.commit("files");
    });
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    plain.write("human", "edited by a person");
    plain.write("staged", "by a person");
    plain.git(&["add", "staged"]);
    plain.write("untracked", "by a person");
    let before = worktree.remember_files().unwrap();
    assert_eq!(
        worktree
            .prepare_commit_since(&before, &CommitRequest::new("nothing"))
            .unwrap(),
        None
    );
    plain.write("agent", "edited by the agent");
    plain.write("new", "by the agent");
    fs::remove_file(plain.path("dir")).unwrap();
    plain.write("dir/file", "a directory now");
    let changed = worktree.changes_since(&before).unwrap();
    let changed: Vec<_> = changed.iter().map(|change| change.path.clone()).collect();
    assert_eq!(
        changed,
        ["agent", "dir", "dir/file", "new"].map(PathBuf::from),
        "not what a person did"
    );
    let prepared = worktree
        .prepare_commit_since(&before, &CommitRequest::new("agent"))
        .unwrap()
        .unwrap();
    worktree.publish_commit(&prepared).unwrap();
    assert_eq!(
        plain.git(&["show", "--name-status", "--no-renames", "--format="]),
        "M\tagent\nD\tdir\nA\tdir/file\nA\tnew"
    );
    assert_eq!(
        plain.git(&["status", "--porcelain"]),
        " M human\nA  staged\n?? untracked"
    );
    assert_eq!(plain.read("human"), "edited by a person");
    world.plain.fsck();
}

#[test]
fn a_change_that_was_committed_by_the_agent_itself_is_not_committed_again() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    let before = worktree.remember_files().unwrap();
    plain.write("a", "a");
    plain.commit("by the agent");
    assert_eq!(
        worktree
            .prepare_commit_since(&before, &CommitRequest::new("x"))
            .unwrap(),
        None
    );
    assert_eq!(
        worktree.prepare_commit(&CommitRequest::new("x")).unwrap(),
        None
    );
}

#[test]
fn line_endings_and_filters_of_the_user_apply() {
    let world = World::new();
    let home = world.sandbox.home();
    let mut config = fs::read_to_string(home.join(".gitconfig")).unwrap();
    config.push_str("[filter \"lfs\"]\n\tclean = \"sed 's/^/pointer:/'\"\n\tsmudge = \"sed 's/^pointer://'\"\n\trequired = true\n");
    fs::write(home.join(".gitconfig"), config).unwrap();
    world.plain.git(&["config", "core.autocrlf", "input"]);
    let repository = world.reopened();
    let start = orchestra_git::StartingPoint::NewBranch {
        name: branch("amp/x"),
        at: world.head(),
    };
    let worktree = repository
        .register_worktree(&world.place("x"), &start)
        .unwrap();
    worktree
        .fill(&world.head(), orchestra_git::Fill::Fresh)
        .unwrap();
    fs::write(worktree.path().join(".gitattributes"), "*.bin filter=lfs\n").unwrap();
    fs::write(worktree.path().join("large.bin"), "content\n").unwrap();
    fs::write(worktree.path().join("dos.txt"), "a\r\nb\r\n").unwrap();
    let committed = worktree
        .commit_all(&CommitRequest::new("x"))
        .unwrap()
        .unwrap();
    let plain = world.plain_at(worktree.path());
    assert_eq!(
        plain.git(&[
            "cat-file",
            "blob",
            &format!("{}:large.bin", committed.commit)
        ]),
        "pointer:content"
    );
    assert_eq!(
        plain.git(&["cat-file", "blob", &format!("{}:dos.txt", committed.commit)]),
        "a\nb"
    );
    let start = orchestra_git::StartingPoint::NewBranch {
        name: branch("amp/y"),
        at: committed.commit.clone(),
    };
    let second = repository
        .register_worktree(&world.place("y"), &start)
        .unwrap();
    second
        .fill(&committed.commit, orchestra_git::Fill::Fresh)
        .unwrap();
    assert_eq!(
        fs::read_to_string(second.path().join("large.bin")).unwrap(),
        "content\n"
    );
    assert!(!second.status().unwrap().is_dirty());
}

#[test]
fn other_index_versions_are_read() {
    let world = World::with(|plain| {
        for number in 0..40 {
            plain.write(&format!("dir/sub/file-{number}"), "x");
        }
        plain.commit("files");
    });
    let worktree = world.worktree("amp/one");
    let plain = world.plain_at(worktree.path());
    for version in ["2", "3", "4"] {
        plain.git(&["update-index", "--index-version", version]);
        plain.write("file", version);
        let before = world.git.spawned();
        assert!(
            worktree
                .prepare_commit(&CommitRequest::new("x"))
                .unwrap()
                .is_some_and(|prepared| prepared.left_out.is_empty())
        );
        assert_eq!(world.git.spawned() - before, 2, "version {version}");
        plain.git(&[
            "update-index",
            "--add",
            "--cacheinfo",
            &format!("160000,{},dir/link", plain.head()),
        ]);
        plain.write("file", &format!("{version} again"));
        let before = world.git.spawned();
        worktree.prepare_commit(&CommitRequest::new("x")).unwrap();
        assert_eq!(
            world.git.spawned() - before,
            3,
            "the link is seen in version {version}"
        );
        plain.git(&["reset", "--quiet"]);
    }
}

#[test]
fn a_missing_parent_fails_clearly() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    fs::write(worktree.path().join("a"), "a").unwrap();
    fs::write(
        world.repository.common_dir().join("refs/heads/amp/one"),
        format!("{}\n", id(&"1".repeat(40))),
    )
    .unwrap();
    assert_eq!(
        worktree
            .commit_all(&CommitRequest::new("x"))
            .unwrap_err()
            .code(),
        "git.failed"
    );
}
