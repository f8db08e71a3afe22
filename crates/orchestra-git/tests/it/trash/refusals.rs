//! What does not go into the trash or come out of it, and what is left of a worktree.

use std::fs;
use std::path::Path;

use orchestra_git::{RestoredBranch, TrashState};

use super::{name, picture, request, restore, trash, trash_dir};
use crate::world::{World, branch, files_below};

#[test]
fn only_worktrees_of_the_repository_go() {
    let world = World::new();
    let refused = |path: &Path| {
        let error = trash(&world, path, &request("one", "main")).unwrap_err();
        assert!(error.hint().is_some(), "{error}");
        assert!(!trash_dir(&world).exists(), "{error}");
        error.code()
    };
    assert_eq!(refused(world.plain.root()), "git.main_checkout");
    assert_eq!(refused(&world.place("nothing")), "git.not_a_worktree");
    assert_eq!(refused(Path::new("/")), "git.not_a_worktree");
    let other = world.sandbox.repository("other");
    assert_eq!(refused(other.root()), "git.not_a_worktree");
    let foreign = world.sandbox.path("foreign");
    other.git(&["worktree", "add", "--quiet", foreign.to_str().unwrap()]);
    assert_eq!(refused(&foreign), "git.not_a_worktree");
    let worktree = world.worktree("amp/x");
    world.plain.git(&[
        "worktree",
        "lock",
        "--reason",
        "mine",
        worktree.path().to_str().unwrap(),
    ]);
    assert_eq!(refused(worktree.path()), "git.worktree_locked");
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_worktree_is_not_followed() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    let away = world.sandbox.path("away");
    fs::rename(worktree.path(), &away).unwrap();
    std::os::unix::fs::symlink(&away, worktree.path()).unwrap();
    let error = trash(&world, worktree.path(), &request("one", "amp/x")).unwrap_err();
    assert_eq!(error.code(), "git.worktree_missing");
    assert!(away.join("README.md").exists());
}

#[test]
fn a_worktree_whose_directory_is_gone_can_go_and_come_back() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    fs::remove_dir_all(worktree.path()).unwrap();
    let entry = trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    assert_eq!((entry.state, &entry.directory), (TrashState::Whole, &None));
    assert!(!worktree.admin_dir().exists());
    fs::create_dir_all(worktree.path()).unwrap();
    assert_eq!(restore(&world, "one").unwrap_err().code(), "git.path_taken");
    fs::remove_dir(worktree.path()).unwrap();
    restore(&world, "one").unwrap();
    assert!(worktree.admin_dir().exists());
    trash(&world, worktree.path(), &request("two", "amp/x")).unwrap();
    world.repository.delete_from_trash(&name("two")).unwrap();
}

#[test]
fn a_directory_that_git_forgot_can_go_and_come_back() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    fs::remove_dir_all(worktree.admin_dir()).unwrap();
    fs::remove_dir(world.repository.common_dir().join("worktrees")).unwrap();
    let before = files_below(worktree.path());
    let entry = trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    assert_eq!(entry.state, TrashState::Whole);
    assert_eq!(entry.record.admin_folder, None);
    assert_eq!(entry.record.commit, Some(world.head()));
    assert_eq!(
        trash(&world, worktree.path(), &request("one", "amp/x")).unwrap(),
        entry
    );
    assert_eq!(restore(&world, "one").unwrap().branch, RestoredBranch::None);
    assert_eq!(files_below(worktree.path()), before);
}

#[test]
fn a_taken_path_or_branch_is_told() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    let before = picture(&worktree);
    trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    let path = worktree.path().to_str().unwrap();
    let refused = |code: &str, hint: &str| {
        let error = restore(&world, "one").unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.hint().unwrap().contains(hint), "{:?}", error.hint());
    };
    fs::write(worktree.path(), "mine").unwrap();
    refused("git.path_taken", "away");
    fs::remove_file(worktree.path()).unwrap();
    world
        .plain
        .git(&["worktree", "add", "--quiet", "-b", "new", path]);
    fs::rename(worktree.path(), world.sandbox.path("moved")).unwrap();
    refused("git.path_registered", "prune");
    world.plain.git(&["worktree", "prune"]);
    world.plain.git(&["checkout", "--quiet", "amp/x"]);
    refused("git.branch_checked_out", "git switch --detach");
    world.plain.git(&["checkout", "--quiet", "main"]);
    world.plain.git(&["branch", "--quiet", "-D", "amp/x"]);
    world.plain.git(&["branch", "amp", "main"]);
    refused("git.branch_blocked", "rename `amp`");
    world.plain.git(&["branch", "--quiet", "-D", "amp"]);
    restore(&world, "one").unwrap();
    assert_eq!(picture(&worktree), before);
}

#[test]
fn a_branch_in_a_rebase_is_not_checked_out_twice() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    let plain = world.plain_at(worktree.path());
    plain.write("README.md", "mine\n");
    plain.commit("mine");
    world.plain.write("README.md", "theirs\n");
    world
        .plain
        .git(&["commit", "--quiet", "--all", "--message", "theirs"]);
    assert!(!plain.try_git(&["rebase", "main"]).status.success());
    trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    world.plain.git(&["checkout", "--quiet", "amp/x"]);
    assert_eq!(
        restore(&world, "one").unwrap_err().code(),
        "git.branch_checked_out"
    );
    world.plain.git(&["checkout", "--quiet", "main"]);
    let branch = RestoredBranch::AsItWas(branch("amp/x"));
    assert_eq!(restore(&world, "one").unwrap().branch, branch);
}

#[test]
fn git_gets_another_folder_if_the_old_name_is_taken() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    world.plain_at(worktree.path()).write("new", "untracked\n");
    trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    for place in ["elsewhere/x", "further/x"] {
        let path = world.sandbox.path(place);
        world.plain.git(&[
            "worktree",
            "add",
            "--quiet",
            "--detach",
            path.to_str().unwrap(),
        ]);
    }
    // What was left by somebody who was cut off, or put there by an agent, is not written to.
    let outside = world.sandbox.path("outside");
    fs::write(&outside, "mine").unwrap();
    #[cfg(unix)]
    {
        let directory = trash_dir(&world).join("one/worktree");
        std::os::unix::fs::symlink(&outside, directory.join(".git.orchestra-new")).unwrap();
    }
    restore(&world, "one").unwrap();
    let found = world.repository.worktree_at(worktree.path()).unwrap();
    assert!(found.admin_dir().ends_with("worktrees/x2"), "{found:?}");
    let plain = world.plain_at(worktree.path());
    assert_eq!(plain.git(&["status", "--porcelain"]), "?? new");
    assert_eq!(fs::read_to_string(outside).unwrap(), "mine");
    world.plain.git(&["worktree", "prune"]);
    assert_eq!(world.repository.list_worktrees().unwrap().len(), 4);
}

#[test]
fn a_worktree_without_its_marker_comes_back_without_it() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    fs::remove_file(worktree.path().join(".git")).unwrap();
    let before = picture(&worktree);
    trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    restore(&world, "one").unwrap();
    assert_eq!(picture(&worktree), before);
}

#[test]
fn submodules_need_the_old_folder() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    fs::create_dir_all(worktree.admin_dir().join("modules/sub")).unwrap();
    trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
    let other = world.sandbox.path("elsewhere/x");
    world.plain.git(&[
        "worktree",
        "add",
        "--quiet",
        "--detach",
        other.to_str().unwrap(),
    ]);
    let error = restore(&world, "one").unwrap_err();
    assert_eq!(error.code(), "git.trash_admin_taken");
    assert!(error.hint().unwrap().contains("worktrees/x/gitdir"));
    world
        .plain
        .git(&["worktree", "remove", other.to_str().unwrap()]);
    restore(&world, "one").unwrap();
    assert!(worktree.admin_dir().join("modules/sub").exists());
}

#[test]
fn a_worktree_in_a_worktree_is_not_carried_off() {
    let world = World::new();
    let worktree = world.worktree("amp/x");
    let inner = worktree.path().join("inner");
    let text = inner.to_str().unwrap();
    world
        .plain
        .git(&["worktree", "add", "--quiet", "--detach", text]);
    let error = trash(&world, worktree.path(), &request("one", "amp/x")).unwrap_err();
    assert_eq!(error.code(), "git.trash_has_worktrees");
    assert!(error.hint().unwrap().contains("git worktree move"));
    world.plain.git(&["worktree", "remove", text]);
    trash(&world, worktree.path(), &request("one", "amp/x")).unwrap();
}

#[test]
fn a_name_is_used_once() {
    let world = World::new();
    let (one, two) = (world.worktree("amp/x"), world.worktree("amp/y"));
    trash(&world, one.path(), &request("one", "amp/x")).unwrap();
    let error = trash(&world, two.path(), &request("one", "amp/y")).unwrap_err();
    assert_eq!(error.code(), "git.trash_name_taken");
    assert!(error.hint().is_some() && two.path().exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_is_no_text_is_told() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    let path = world
        .sandbox
        .path("")
        .join(std::ffi::OsStr::from_bytes(b"\xff"));
    let start = orchestra_git::StartingPoint::NewBranch {
        name: branch("amp/x"),
        at: world.head(),
    };
    let worktree = world.repository.register_worktree(&path, &start).unwrap();
    let error = trash(&world, &path, &request("one", "amp/x")).unwrap_err();
    assert_eq!(error.code(), "git.io");
    assert!(worktree.path().exists() && worktree.admin_dir().exists());
    let listing = world.repository.trash_entries().unwrap();
    assert_eq!((listing.entries.len(), listing.damaged.len()), (0, 0));
}

#[test]
fn a_trash_that_cannot_be_read_is_told() {
    let world = World::new();
    fs::create_dir(world.repository.common_dir().join("orchestra")).unwrap();
    fs::write(trash_dir(&world), "in the way").unwrap();
    let error = world.repository.trash_entries().unwrap_err();
    assert_eq!(error.code(), "git.io");
    let worktree = world.worktree("amp/x");
    assert!(trash(&world, worktree.path(), &request("one", "amp/x")).is_err());
    assert!(worktree.path().exists() && worktree.admin_dir().exists());
}

#[test]
fn damage_is_told() {
    let world = World::new();
    let (one, two) = (world.worktree("amp/x"), world.worktree("amp/y"));
    trash(&world, one.path(), &request("one", "amp/x")).unwrap();
    trash(&world, two.path(), &request("two", "amp/y")).unwrap();
    let dir = trash_dir(&world);
    fs::create_dir(dir.join("only-made")).unwrap();
    fs::create_dir(dir.join("not a name")).unwrap();
    fs::create_dir_all(dir.join("no-record/worktree")).unwrap();
    fs::write(dir.join("one/entry.json"), "{").unwrap();
    let listing = world.repository.trash_entries().unwrap();
    assert_eq!(listing.entries.len(), 1);
    assert_eq!(listing.damaged, [dir.join("no-record"), dir.join("one")]);
    let error = restore(&world, "one").unwrap_err();
    assert_eq!(error.code(), "git.trash_damaged");
    assert!(error.hint().unwrap().contains("trash/one"));
    fs::rename(dir.join("two/admin"), dir.join("admin")).unwrap();
    let error = restore(&world, "two").unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("git's folder for the worktree is gone"),
        "{error}"
    );
    fs::rename(dir.join("admin"), dir.join("two/admin")).unwrap();
    fs::remove_dir_all(dir.join("two/worktree")).unwrap();
    let error = restore(&world, "two").unwrap_err();
    assert!(
        error.to_string().ends_with("the worktree is gone"),
        "{error}"
    );
}
