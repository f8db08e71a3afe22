use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::sync::Barrier;

use orchestra_testkit::{Sandbox, TestRepository};

use super::*;
use crate::reference::Moved;
use crate::worktree::Worktree;
use crate::{Environment, Git};

const WHY: &str = "orchestra: a test";

/// A repository whose `main` has one commit more than the branch `topic`, which a worktree has.
struct World {
    plain: TestRepository,
    repository: Repository,
    worktree: Worktree,
    first: CommitId,
    second: CommitId,
    _sandbox: Sandbox,
}

impl World {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let plain = sandbox.repository("sample");
        let first = plain.head().parse().unwrap();
        let place = sandbox.path("beside").to_str().unwrap().to_owned();
        plain.git(&["worktree", "add", "-q", "-b", "topic", &place]);
        plain.git(&["branch", "free"]);
        let second = plain.commit("second").parse().unwrap();
        let environment = Environment::from_variables(sandbox.env());
        let git = Git::find(None, environment, &sandbox.data_dir().join("git")).unwrap();
        let repository = git.open(plain.root()).unwrap();
        let worktree = repository.worktree_at(place.as_ref()).unwrap();
        Self {
            plain,
            repository,
            worktree,
            first,
            second,
            _sandbox: sandbox,
        }
    }

    fn forward<'a>(&'a self, full_name: &'a str) -> RefMove<'a> {
        RefMove {
            full_name,
            from: Some(&self.first),
            to: &self.second,
            why: WHY,
        }
    }

    fn lock(&self, full_name: &str) -> Option<BranchLock> {
        let change = self.forward(full_name);
        BranchLock::take(&self.repository, self.worktree.admin_dir(), &change)
    }

    /// Every file of git's about references, with the times taken out.
    fn references(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let top = self.repository.common_dir();
        let mut waiting = vec![top.to_owned()];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(top).unwrap().to_owned();
                let text = name.to_str().unwrap();
                if path.is_dir() && !text.starts_with("objects") && text != "hooks" {
                    waiting.push(path);
                } else if ["refs", "logs", "HEAD", "packed"]
                    .iter()
                    .any(|part| text.contains(part))
                {
                    found.insert(name, without_times(&fs::read_to_string(path).unwrap()));
                }
            }
        }
        found
    }
}

fn without_times(text: &str) -> String {
    let is_time = |word: &&str| word.len() == 10 && word.parse::<u64>().is_ok();
    let words = text.split(' ');
    let words = words.map(|word| if is_time(&word) { "TIME" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

fn mode_of(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode()
}

#[test]
fn branches_move_as_git_moves_them() {
    let (ours, gits) = (World::new(), World::new());
    assert_eq!(ours.references(), gits.references());
    let moves = [
        (ours.worktree.admin_dir().to_owned(), "refs/heads/topic"),
        (ours.worktree.admin_dir().to_owned(), "refs/heads/free"),
        (ours.repository.common_dir().to_owned(), "refs/heads/main"),
    ];
    for (git_dir, name) in moves {
        let change = match name {
            "refs/heads/main" => RefMove {
                from: Some(&ours.second),
                to: &ours.first,
                ..ours.forward(name)
            },
            _ => ours.forward(name),
        };
        let lock = BranchLock::take(&ours.repository, &git_dir, &change).unwrap();
        lock.commit().unwrap();
        let place = match name {
            "refs/heads/main" => gits.plain.root(),
            _ => gits.worktree.path(),
        };
        let (to, from) = (change.to.as_str(), change.from.unwrap().as_str());
        let update = ["update-ref", "--no-deref", "--create-reflog", "-m", WHY];
        let arguments = [update.as_slice(), &[name, to, from]].concat();
        gits.plain.at(place).git(&arguments);
        assert_eq!(ours.references(), gits.references(), "{name}");
        let file = |world: &World| mode_of(&world.repository.common_dir().join(name));
        assert_eq!(file(&ours), file(&gits), "{name}");
    }
    ours.plain.fsck();
}

/// The making of a branch.
fn making<'a>(world: &'a World, full_name: &'a str) -> RefMove<'a> {
    RefMove {
        from: None,
        ..world.forward(full_name)
    }
}

#[test]
fn branches_are_made_as_git_makes_them() {
    let (ours, gits) = (World::new(), World::new());
    for name in ["refs/heads/new", "refs/heads/amp/new/one"] {
        let git_dir = ours.repository.common_dir();
        let lock = BranchLock::take(&ours.repository, git_dir, &making(&ours, name)).unwrap();
        lock.commit().unwrap();
        let update = ["update-ref", "--no-deref", "--create-reflog", "-m", WHY];
        let (to, nothing) = (gits.second.as_str(), "0".repeat(40));
        gits.plain
            .git(&[update.as_slice(), &[name, to, &nothing]].concat());
        assert_eq!(ours.references(), gits.references(), "{name}");
        let file = |world: &World| mode_of(&world.repository.common_dir().join(name));
        assert_eq!(file(&ours), file(&gits), "{name}");
    }
    ours.plain.fsck();
}

#[test]
fn a_branch_that_cannot_be_made_is_left_to_git() {
    let world = World::new();
    world.plain.git(&["branch", "packed"]);
    world.plain.git(&["branch", "amp"]);
    world.plain.git(&["pack-refs", "--all"]);
    world.plain.git(&["branch", "deep/er"]);
    let empty = world.repository.common_dir().join("refs/heads/empty");
    fs::create_dir(empty).unwrap();
    world
        .plain
        .git(&["symbolic-ref", "HEAD", "refs/heads/unborn"]);
    for name in ["free", "packed", "amp/x", "deep", "empty", "unborn", "a..b"] {
        let full_name = format!("refs/heads/{name}");
        let change = making(&world, &full_name);
        let lock = BranchLock::take(&world.repository, world.repository.common_dir(), &change);
        assert!(lock.is_none(), "{name}");
        assert!(world.worktree.locks().unwrap().is_empty(), "{name}");
    }
}

#[test]
fn what_is_left_of_a_branch_that_was_not_made_is_taken_away() {
    let world = World::new();
    let name = "refs/heads/amp/new";
    let before = world.references();
    let take = || {
        let change = making(&world, name);
        BranchLock::take(&world.repository, world.repository.common_dir(), &change)
    };
    let file = world
        .repository
        .common_dir()
        .join("refs/heads/amp/new.lock");
    let kept = file.with_extension("kept");
    let lock = take().unwrap();
    clear_half_made(&world.repository, name).unwrap();
    assert!(file.exists(), "somebody holds it");
    fs::hard_link(&file, &kept).unwrap();
    drop(lock);
    fs::rename(&kept, &file).unwrap();
    clear_half_made(&world.repository, name).unwrap();
    assert_eq!(world.references(), before);
    let log = world.repository.common_dir().join("logs").join(name);
    fs::write(&log, "of a branch\nthat was there\n").unwrap();
    fs::write(&file, "").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o1644)).unwrap();
    clear_half_made(&world.repository, name).unwrap();
    assert!(log.exists() && !file.exists());
    take().unwrap().commit().unwrap();
    assert_eq!(world.plain.branch_sha("amp/new"), world.second.as_str());
}

#[test]
fn git_waits_and_others_see_that_somebody_is_there() {
    let world = World::new();
    let before = world.references();
    let lock = world.lock("refs/heads/topic").unwrap();
    let update = ["update-ref", "refs/heads/topic", world.second.as_str()];
    assert!(!world.plain.try_git(&update).status.success());
    let locks = world.worktree.locks().unwrap();
    assert_eq!(locks.len(), 2, "{locks:?}");
    assert!(locks.iter().all(|lock| lock.in_use), "{locks:?}");
    assert!(world.worktree.clear_stale_locks().unwrap().is_empty());
    assert!(world.lock("refs/heads/topic").is_none());
    drop(lock);
    assert_eq!(world.references(), before);
    world.plain.git(&update);
}

/// What is there when a process is killed after it locked a branch and its `HEAD`.
fn leave_locks(world: &World) -> [PathBuf; 2] {
    let names = [
        world.repository.common_dir().join("refs/heads/topic.lock"),
        world.worktree.admin_dir().join("HEAD.lock"),
    ];
    let lock = world.lock("refs/heads/topic").unwrap();
    let kept = names.each_ref().map(|name| name.with_extension("kept"));
    for (name, kept) in names.iter().zip(&kept) {
        fs::hard_link(name, kept).unwrap();
    }
    drop(lock);
    for (name, kept) in names.iter().zip(&kept) {
        fs::rename(kept, name).unwrap();
    }
    names
}

#[test]
fn what_a_killed_process_left_is_in_nobodys_way() {
    let world = World::new();
    let names = leave_locks(&world);
    world.lock("refs/heads/topic").unwrap().commit().unwrap();
    assert_eq!(world.plain.branch_sha("topic"), world.second.as_str());
    assert!(names.iter().all(|name| !name.exists()));
    // Killed after the branch moved, and before the other lock was removed.
    let branch = world.repository.common_dir().join("refs/heads/topic");
    fs::hard_link(&branch, &names[1]).unwrap();
    let back = RefMove {
        from: Some(&world.second),
        to: &world.first,
        ..world.forward("refs/heads/topic")
    };
    assert_eq!(world.worktree.move_reference(&back).unwrap(), Moved::Yes);
    // A lock of git's stays, whatever it holds.
    fs::write(&names[0], format!("{}\n", world.second)).unwrap();
    assert!(world.lock("refs/heads/topic").is_none());
    assert!(names[0].exists());
}

#[test]
fn a_cut_off_move_is_cleared_for_git_too() {
    let world = World::new();
    let (branch, to) = (&"topic".parse().unwrap(), &world.second);
    let cleared = || world.repository.clear_locks_of_cut_off_move(branch, to);
    let lock = world.lock("refs/heads/topic").unwrap();
    assert!(cleared().unwrap().is_empty());
    drop(lock);
    leave_locks(&world);
    assert_eq!(cleared().unwrap().len(), 2);
    world
        .plain
        .git(&["update-ref", "refs/heads/topic", to.as_str()]);
}

#[test]
fn one_of_many_writers_wins() {
    let world = World::new();
    let commits: Vec<CommitId> = (0..8)
        .map(|number| world.plain.commit(&format!("{number}")).parse().unwrap())
        .collect();
    let barrier = Barrier::new(commits.len());
    let won = std::thread::scope(|scope| {
        let writers = commits.iter().map(|to| {
            let change = RefMove {
                to,
                ..world.forward("refs/heads/topic")
            };
            let (worktree, barrier) = (&world.worktree, &barrier);
            scope.spawn(move || {
                barrier.wait();
                let moved = worktree.move_reference(&change);
                (moved.ok() == Some(Moved::Yes)).then_some(to)
            })
        });
        let writers: Vec<_> = writers.collect();
        let won = writers.into_iter().filter_map(|it| it.join().unwrap());
        won.collect::<Vec<_>>()
    });
    assert_eq!(won.len(), 1);
    assert_eq!(world.plain.branch_sha("topic"), won[0].as_str());
    assert!(world.worktree.locks().unwrap().is_empty());
    let log = world.plain.git(&["reflog", "topic"]);
    assert_eq!(log.matches(WHY).count(), 1, "{log}");
}

#[test]
fn the_unusual_is_left_to_git() {
    type Change = fn(&World);
    let cases: [(&str, Change); 6] = [
        ("packed", |world| {
            world.plain.git(&["pack-refs", "--all"]);
        }),
        ("moved", |world| {
            world.plain.git(&["branch", "-f", "free", "main"]);
        }),
        ("symbolic", |world| {
            let link = ["symbolic-ref", "refs/heads/free", "refs/heads/topic"];
            world.plain.git(&link);
        }),
        ("locked", |world| {
            let lock = world.repository.common_dir().join("refs/heads/free.lock");
            fs::write(lock, "").unwrap();
        }),
        ("without a reflog", |world| {
            let log = world.repository.common_dir().join("logs/refs/heads/free");
            fs::remove_file(log).unwrap();
        }),
        ("gone", |world| {
            world.plain.git(&["branch", "-D", "free"]);
        }),
    ];
    for (name, change) in cases {
        let world = World::new();
        change(&world);
        let before = world.references();
        assert!(world.lock("refs/heads/free").is_none(), "{name}");
        assert_eq!(world.references(), before, "{name}");
    }
    let world = World::new();
    assert!(world.lock("HEAD").is_none());
    let missing = "1".repeat(40).parse().unwrap();
    let change = RefMove {
        to: &missing,
        ..world.forward("refs/heads/free")
    };
    assert!(BranchLock::take(&world.repository, world.worktree.admin_dir(), &change).is_none());
}

#[test]
fn what_git_would_change_is_left_to_it() {
    let identity = |name: &str, email: &str| Identity {
        name: name.to_owned(),
        email: email.to_owned(),
    };
    assert!(is_plain(&identity("A. U. Thor 2", "a@example.com")));
    for (name, email) in [
        ("", "a@b"),
        ("A", ""),
        ("A <", "a@b"),
        ("A\tB", "a@b"),
        ("Jr.", "a@b"),
        ("'A", "a@b"),
        ("A", "a@b "),
    ] {
        assert!(!is_plain(&identity(name, email)), "{name:?} {email:?}");
    }
    assert!(is_one_line("commit: one two"));
    for text in ["", " a", "a ", "a  b", "a\tb", "a\nb"] {
        assert!(!is_one_line(text), "{text:?}");
    }
}
