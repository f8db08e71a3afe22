//! Git processes that are killed at any moment, and the repair afterwards.

use std::fs;
use std::time::Duration;

use orchestra_git::{Fill, Finding, HalfMade, StartingPoint};

use crate::world::{World, branch};

const KILLS: u64 = 40;

/// Spread over the time that registering takes, without a source of randomness.
fn delay(round: u64) -> Duration {
    Duration::from_micros(round.wrapping_mul(2_654_435_761) % 9_000)
}

#[test]
fn killed_registrations_are_repaired() {
    let world = World::new();
    let mut damaged = 0;
    for round in 0..KILLS {
        let name = format!("amp/kill-{round}");
        let place = world.place(&name);
        let mut child = world.plain.git_command();
        child
            .args(["worktree", "add", "--quiet", "--no-checkout", "-b", &name])
            .arg(&place)
            .arg(world.plain.head());
        // As the engine runs it: git is at home in the shared directory.
        child
            .current_dir(world.repository.common_dir())
            .env("GIT_DIR", world.repository.common_dir());
        let mut child = child.stderr(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(delay(round));
        child.kill().unwrap();
        child.wait().unwrap();
        let known = [HalfMade {
            path: place.clone(),
            branch: Some((branch(&name), world.head())),
        }];
        let findings = world.repository.repair_half_made(&known).unwrap();
        damaged += usize::from(
            findings
                .iter()
                .any(|finding| matches!(finding, Finding::RemovedRegistration(_))),
        );
        assert_eq!(
            world.repository.repair_half_made(&known).unwrap(),
            [],
            "a second repair finds nothing"
        );
        let listed = world.repository.list_worktrees().unwrap();
        assert!(
            listed
                .iter()
                .all(|entry| entry.locked.is_none() && entry.prunable.is_none()),
            "{listed:?}"
        );
        assert_eq!(
            world.plain.has_branch(&name),
            place.exists(),
            "branch and directory are both there or both gone"
        );
    }
    world.plain.fsck();
    world.worktree("amp/after");
    println!("kills {KILLS}, half-made {damaged}, left over 0");
}

/// In the order in which a registration makes them, after the branch: what is there when it is cut off is a beginning of it.
const PARTS: [&str; 9] = [
    "",
    "locked",
    "PLACE",
    "gitdir",
    "MARKER",
    "commondir",
    "refs",
    "logs",
    "HEAD",
];

#[test]
fn a_registration_that_is_cut_off_anywhere_is_taken_away() {
    let world = World::new();
    for made in 0..=PARTS.len() {
        let name = format!("cut-{made}");
        let place = world.place(&name);
        let at = (branch(&name), world.head());
        let start = StartingPoint::NewBranch {
            name: at.0.clone(),
            at: at.1.clone(),
        };
        let worktree = world.repository.register_worktree(&place, &start).unwrap();
        let admin_dir = worktree.admin_dir().to_owned();
        fs::write(admin_dir.join("locked"), "initializing").unwrap();
        for part in PARTS[made..].iter().rev() {
            let path = match *part {
                "PLACE" => place.clone(),
                "MARKER" => place.join(".git"),
                part => admin_dir.join(part),
            };
            match path.is_dir() {
                true => fs::remove_dir_all(path).unwrap(),
                false => fs::remove_file(path).unwrap(),
            }
        }
        let known = [HalfMade {
            path: place.clone(),
            branch: Some(at),
        }];
        world.repository.repair_half_made(&known).unwrap();
        assert!(!place.exists() && !admin_dir.exists(), "{name}");
        assert!(!world.plain.has_branch(&name), "{name}");
        world.repository.register_worktree(&place, &start).unwrap();
    }
    world.plain.git(&["worktree", "list"]);
    world.plain.fsck();
}

#[test]
fn a_killed_fill_is_done_again() {
    let world = World::with(|plain| {
        for number in 0..20 {
            plain.write(&format!("file-{number}"), "content\n");
        }
        plain.commit("files");
    });
    let start = StartingPoint::NewBranch {
        name: branch("amp/x"),
        at: world.head(),
    };
    let worktree = world
        .repository
        .register_worktree(&world.place("x"), &start)
        .unwrap();
    fs::write(worktree.path().join("file-3"), "cont").unwrap();
    fs::write(worktree.admin_dir().join("index.lock"), "partial").unwrap();
    assert_eq!(
        worktree
            .fill(&world.head(), Fill::Again)
            .unwrap_err()
            .code(),
        "git.failed"
    );
    if cfg!(target_os = "linux") {
        assert_eq!(worktree.clear_stale_locks().unwrap().len(), 1);
        worktree.fill(&world.head(), Fill::Again).unwrap();
        assert!(!worktree.status().unwrap().is_dirty());
        assert_eq!(
            world
                .plain_at(worktree.path())
                .git(&["status", "--porcelain"]),
            ""
        );
    }
}
