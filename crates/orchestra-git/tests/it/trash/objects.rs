//! Objects that only a worktree in the trash leads to.

use orchestra_core::TrashedBranch;
use orchestra_git::{BranchFate, RestoreRequest, RestoredBranch, TrashRequest};

use super::{name, request, restore, trash, trash_dir};
use crate::world::{World, branch, id};

fn collect_garbage(world: &World) {
    world
        .plain
        .git(&["reflog", "expire", "--expire=now", "--all"]);
    world.plain.git(&["gc", "--quiet", "--prune=now"]);
}

#[test]
fn an_unchanged_worktree_needs_no_git_and_no_pack() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    let plain = world.plain_at(worktree.path());
    plain.write("file", "x\n");
    plain.commit("amp: work");
    plain.git(&["commit", "--quiet", "--amend", "--message", "amp: better"]);
    let spawned = world.git.spawned();
    trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    let has_pack = trash_dir(&world).join("one/objects.pack").exists();
    assert_eq!(has_pack, !cfg!(target_os = "linux"));
    if cfg!(target_os = "linux") {
        assert_eq!(world.git.spawned(), spawned);
    }
    restore(&world, "one").unwrap();
    assert_eq!(plain.git(&["status", "--porcelain"]), "");
}

#[test]
fn commits_that_only_head_or_its_history_knows_survive() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    let plain = world.plain_at(worktree.path());
    plain.git(&["checkout", "--quiet", "--detach"]);
    plain.write("aside", "one\n");
    let left = plain.commit("left behind");
    plain.git(&["reset", "--quiet", "--hard", "HEAD^"]);
    plain.write("aside", "two\n");
    let detached = plain.commit("detached");
    plain.git(&["update-ref", "refs/worktree/mine", &left]);
    trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    collect_garbage(&world);
    for commit in [&left, &detached] {
        assert!(!world.repository.commit_exists(&id(commit)).unwrap());
    }
    assert_eq!(restore(&world, "one").unwrap().branch, RestoredBranch::None);
    assert_eq!(
        (plain.head(), plain.read("aside")),
        (detached, "two\n".to_owned())
    );
    assert_eq!(plain.git(&["show", &format!("{left}:aside")]), "one");
    assert_eq!(plain.git(&["rev-parse", "refs/worktree/mine"]), left);
    collect_garbage(&world);
    world.plain.fsck();
}

#[test]
fn a_branch_that_was_deleted_is_made_again() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    let plain = world.plain_at(worktree.path());
    plain.write("file", "first\n");
    let first = plain.commit("amp: first");
    plain.write("file", "second\n");
    plain.git(&["add", "--all"]);
    plain.git(&["commit", "--quiet", "--amend", "--message", "amp: second"]);
    let tip = plain.head();
    let mut request = request("one", "amp/x");
    request.branch_fate = BranchFate::MayGo;
    trash(&world, worktree.path(), &request).unwrap();
    world
        .repository
        .delete_branch(&branch("amp/x"), &id(&tip))
        .unwrap();
    collect_garbage(&world);
    assert!(!world.repository.commit_exists(&id(&tip)).unwrap());
    let restored = restore(&world, "one").unwrap();
    assert_eq!(restored.branch, RestoredBranch::MadeAgain(branch("amp/x")));
    assert_eq!(plain.git(&["status", "--porcelain"]), "");
    assert_eq!(plain.head(), tip);
    assert_eq!(plain.git(&["show", &format!("{first}:file")]), "first");
    world.plain.fsck();
}

#[test]
fn a_deleted_branch_that_was_not_checked_out_is_made_again_too() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    let plain = world.plain_at(worktree.path());
    plain.write("file", "x\n");
    let commit = id(&plain.commit("amp: work"));
    plain.git(&["checkout", "--quiet", "-b", "other", "main"]);
    let mut request = request("one", "amp/x");
    request.branch_fate = BranchFate::MayGo;
    trash(&world, worktree.path(), &request).unwrap();
    let deleted = TrashedBranch {
        name: branch("amp/x"),
        commit,
    };
    let deletion = world
        .repository
        .delete_branch(&deleted.name, &deleted.commit);
    deletion.unwrap();
    collect_garbage(&world);
    let request = RestoreRequest {
        name: &name("one"),
        home: None,
        deleted: Some(&deleted),
    };
    let restored = world.repository.restore_from_trash(&request, &|_| {});
    let restored = restored.unwrap();
    assert_eq!(restored.branch, RestoredBranch::AsItWas(branch("other")));
    let again = RestoredBranch::MadeAgain(branch("amp/x"));
    assert_eq!(restored.deleted, Some(again));
    assert_eq!(plain.git(&["show", "amp/x:file"]), "x", "with its commits");
}

#[test]
fn a_branch_that_moved_meanwhile_is_left_where_it_is() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    let now = id(&world.plain.commit("more"));
    world
        .plain
        .git(&["update-ref", "refs/heads/amp/x", now.as_str()]);
    let name = branch("amp/x");
    let moved = RestoredBranch::Moved { name, now };
    assert_eq!(restore(&world, "one").unwrap().branch, moved);
}

#[test]
fn files_come_back_even_if_somebody_threw_the_commits_away() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    let plain = world.plain_at(worktree.path());
    plain.write("file", "x\n");
    let at = id(&plain.commit("amp: work"));
    trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    world.plain.git(&["branch", "--quiet", "-D", "amp/x"]);
    collect_garbage(&world);
    let name = branch("amp/x");
    let restored = restore(&world, "one").unwrap().branch;
    if cfg!(target_os = "linux") {
        assert_eq!(restored, RestoredBranch::Lost { name, at });
    } else {
        assert_eq!(restored, RestoredBranch::MadeAgain(name));
    }
    assert_eq!(plain.read("file"), "x\n");
}

#[test]
fn a_branch_without_commits_stays_without_them() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    let plain = world.plain_at(worktree.path());
    plain.git(&["checkout", "--quiet", "--orphan", "new"]);
    plain.write("staged", "only in the index\n");
    plain.git(&["add", "--all"]);
    trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    assert_eq!(restore(&world, "one").unwrap().branch, RestoredBranch::None);
    trash(&world, worktree.path(), &request("two", "new")).unwrap();
    collect_garbage(&world);
    assert_eq!(restore(&world, "two").unwrap().branch, RestoredBranch::None);
    assert_eq!(plain.git(&["symbolic-ref", "HEAD"]), "refs/heads/new");
    assert_eq!(plain.git(&["show", ":staged"]), "only in the index");
}

#[test]
fn a_branch_that_was_deleted_before_comes_back_where_it_was_last() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    let plain = world.plain_at(worktree.path());
    plain.write("file", "x\n");
    let tip = id(&plain.commit("work"));
    plain.git(&["update-ref", "-d", "refs/heads/amp/x"]);
    std::fs::remove_dir_all(worktree.admin_dir().join("logs")).unwrap();
    let request = TrashRequest {
        last_head: Some(tip.clone()),
        ..request("one", "amp/x")
    };
    trash(&world, worktree.path(), &request).unwrap();
    collect_garbage(&world);
    assert!(!world.repository.commit_exists(&tip).unwrap());
    let restored = restore(&world, "one").unwrap();
    assert_eq!(restored.branch, RestoredBranch::MadeAgain(branch("amp/x")));
    assert_eq!(plain.head(), tip.as_str());
    assert_eq!(plain.git(&["status", "--porcelain"]), "");
}

#[test]
fn another_branch_than_the_sessions_comes_back_too() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    let plain = world.plain_at(worktree.path());
    plain.git(&["checkout", "--quiet", "-b", "other"]);
    plain.write("file", "x\n");
    let tip = plain.commit("elsewhere");
    trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    let restored = restore(&world, "one").unwrap();
    assert_eq!(restored.branch, RestoredBranch::AsItWas(branch("other")));
    trash(&world, worktree.path(), &request("two", "amp/x")).unwrap();
    world.plain.git(&["update-ref", "-d", "refs/heads/other"]);
    collect_garbage(&world);
    assert!(!world.repository.commit_exists(&id(&tip)).unwrap());
    let restored = restore(&world, "two").unwrap();
    assert_eq!(restored.branch, RestoredBranch::MadeAgain(branch("other")));
    assert_eq!(plain.head(), tip);
}

#[test]
fn references_that_are_no_text_are_kept_too() {
    let world = World::new();
    let root = world.sandbox.path("tables");
    let init = [
        "init",
        "--quiet",
        "--ref-format=reftable",
        "--initial-branch=main",
    ];
    let made = world
        .plain
        .try_git(&[&init[..], &[root.to_str().unwrap()]].concat());
    if !made.status.success() {
        println!("this git knows no other form of references");
        return;
    }
    let plain = world.plain_at(&root);
    plain.commit("first");
    let repository = world.git.open(&root).unwrap();
    let world = World {
        repository,
        plain,
        ..world
    };
    let worktree = world.worktree("amp/x");
    let plain = world.plain_at(worktree.path());
    plain.write("file", "x\n");
    let tip = id(&plain.commit("amp: work"));
    let mut request = request("one", "amp/x");
    request.branch_fate = BranchFate::MayGo;
    trash(&world, worktree.path(), &request).unwrap();
    let name = branch("amp/x");
    world.repository.delete_branch(&name, &tip).unwrap();
    collect_garbage(&world);
    assert!(!world.repository.commit_exists(&tip).unwrap());
    let restored = restore(&world, "one").unwrap();
    assert_eq!(restored.branch, RestoredBranch::MadeAgain(name));
    assert_eq!(plain.git(&["status", "--porcelain"]), "");
    world.plain.fsck();
}

#[test]
fn ids_of_sha256_repositories_are_kept_too() {
    let world = World::new();
    let root = world.sandbox.path("long");
    let arguments = [
        "init",
        "--quiet",
        "--object-format=sha256",
        "--initial-branch=main",
    ];
    world
        .plain
        .git(&[&arguments[..], &[root.to_str().unwrap()]].concat());
    let plain = world.plain_at(&root);
    plain.commit("first");
    let world = World {
        repository: world.git.open(&root).unwrap(),
        plain,
        ..world
    };
    let worktree = world.worktree("amp/x");
    let plain = world.plain_at(worktree.path());
    plain.git(&["checkout", "--quiet", "--detach"]);
    plain.write("file", "x\n");
    let detached = plain.commit("detached");
    trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    collect_garbage(&world);
    assert!(!world.repository.commit_exists(&id(&detached)).unwrap());
    restore(&world, "one").unwrap();
    assert_eq!(plain.head(), detached);
    world.plain.fsck();
}
