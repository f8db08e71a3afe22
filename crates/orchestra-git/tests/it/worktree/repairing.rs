//! Repairing what a killed git left, and only that.

use std::fs;

use orchestra_git::{Damage, Finding, HalfMade};

use crate::world::{World, branch};

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
