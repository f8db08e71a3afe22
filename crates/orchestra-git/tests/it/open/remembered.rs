//! A repository that was opened just now is not asked about again, unless something that decides is different.

use std::fs;
use std::path::Path;
use std::time::Duration;

use orchestra_git::Repository;
use orchestra_testkit::wait_until;

use crate::world::World;

const PATIENCE: Duration = Duration::from_secs(60);

/// Opens it, and says how many processes that took.
fn opened(world: &World, path: &Path) -> (Repository, u64) {
    let before = world.git.spawned();
    let repository = world.git.open(path).unwrap();
    (repository, world.git.spawned() - before)
}

/// Opens it until it is remembered: a file that was changed just now may change again without another time.
fn settle(world: &World, path: &Path) {
    wait_until("the repository is remembered", PATIENCE, || {
        opened(world, path).1 == 0
    });
}

fn name(repository: &Repository) -> String {
    repository.configuration().identity().unwrap().name.clone()
}

#[test]
fn a_change_of_configuration_is_seen_at_once() {
    let world = World::new();
    let (root, home) = (world.plain.root(), world.sandbox.home());
    fs::write(home.join("more"), "").unwrap();
    let including = "[include]\n\tpath = ~/more\n\tpath = absent\n";
    let config = root.join(".git/config");
    let before = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{before}{including}")).unwrap();
    settle(&world, root);
    assert_eq!(opened(&world, root).0.root(), root.canonicalize().unwrap());
    let named = |name: &str| format!("[user]\n\tname = {name}\n");
    let places = [
        (home.join(".gitconfig"), "Global"),
        (home.join(".config/git/config"), "Settings"),
        (home.join("more"), "Included"),
        (root.join(".git/absent"), "Appeared"),
    ];
    for (place, who) in places {
        settle(&world, root);
        let text = fs::read_to_string(&place).unwrap_or_default();
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(&place, format!("{text}{}", named(who))).unwrap();
        let (repository, asked) = opened(&world, root);
        assert_eq!(asked, 2, "{who}");
        // The user's other file has a name too, and the last word.
        assert!(who == "Settings" || name(&repository) == who, "{who}");
    }
}

#[test]
fn what_is_not_there_any_more_is_an_error_at_once() {
    let world = World::new();
    let root = world.plain.root().to_owned();
    settle(&world, &root);
    let away = root.with_file_name("away");
    fs::rename(root.join(".git/objects"), &away).unwrap();
    let code = || world.git.open(&root).unwrap_err().code();
    assert_eq!(code(), "git.broken_repository");
    fs::rename(&away, root.join(".git/objects")).unwrap();
    settle(&world, &root);
    fs::rename(root.join(".git"), &away).unwrap();
    assert_eq!(code(), "git.not_a_repository");
    fs::rename(&away, root.join(".git")).unwrap();
    settle(&world, &root);
    fs::remove_dir_all(&root).unwrap();
    assert_eq!(code(), "git.no_such_directory");
}

#[test]
fn a_condition_on_the_branch_is_asked_each_time() {
    let world = World::new();
    let root = world.plain.root();
    let config = root.join(".git/config");
    let before = fs::read_to_string(&config).unwrap();
    let condition = "[includeIf \"onbranch:other\"]\n\tpath = named\n";
    fs::write(&config, format!("{before}{condition}")).unwrap();
    fs::write(root.join(".git/named"), "[user]\n\tname = Other\n").unwrap();
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!(opened(&world, root).1, 2);
    assert_eq!(opened(&world, root).1, 2);
    world.plain.git(&["checkout", "--quiet", "-b", "other"]);
    assert_eq!(name(&opened(&world, root).0), "Other");
}

#[test]
fn worktrees_are_remembered_by_their_own_directory() {
    let world = World::new();
    let worktree = world.worktree("amp/one");
    settle(&world, worktree.path());
    settle(&world, world.plain.root());
    assert!(opened(&world, worktree.path()).0.is_linked_worktree());
    assert!(!opened(&world, world.plain.root()).0.is_linked_worktree());
    worktree
        .remove(orchestra_git::Removal::DiscardChanges)
        .unwrap();
    assert!(world.git.open(worktree.path()).is_err());
}
