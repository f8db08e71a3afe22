//! Many branches at once.

use orchestra_git::{AheadBehind, BoardQuery, CheckedOut};

use crate::world::{World, branch};

fn query(name: &str, base: &str) -> BoardQuery {
    BoardQuery {
        branch: branch(name),
        base: branch(base),
        remote: None,
    }
}

fn prepare(world: &World) {
    world.plain.git(&["branch", "amp/behind"]);
    world.plain.git(&["branch", "old"]);
    world.plain.commit("two");
    world.plain.git(&["branch", "amp/same"]);
    world.plain.git(&["checkout", "--quiet", "-b", "amp/ahead"]);
    world.plain.commit("three");
    world.plain.commit("four");
}

fn queries() -> Vec<BoardQuery> {
    vec![
        query("amp/ahead", "main"),
        query("amp/same", "main"),
        query("amp/gone", "main"),
        query("amp/behind", "main"),
        query("amp/ahead", "old"),
        query("amp/same", "no-base"),
    ]
}

fn expected() -> Vec<Option<(u64, u64)>> {
    vec![
        Some((2, 0)),
        Some((0, 0)),
        None,
        Some((0, 1)),
        Some((3, 0)),
        None,
    ]
}

fn counts(rows: &[orchestra_git::BoardRow]) -> Vec<Option<(u64, u64)>> {
    rows.iter()
        .map(|row| {
            row.against_base
                .map(|AheadBehind { ahead, behind }| (ahead, behind))
        })
        .collect()
}

#[test]
fn one_process_answers_for_all() {
    let world = World::new();
    prepare(&world);
    let before = world.git.spawned();
    let rows = world.repository.board(&queries()).unwrap();
    assert_eq!(counts(&rows), expected());
    assert_eq!(
        rows[0].head.as_ref().unwrap().as_str(),
        world.plain.branch_sha("amp/ahead")
    );
    assert_eq!(
        (rows[2].head.as_ref(), rows[5].head.is_some()),
        (None, true)
    );
    let spawned = world.git.spawned() - before;
    assert!(
        world.git.version().minor < 41 || spawned == 1,
        "{spawned} processes"
    );
    assert_eq!(world.repository.board(&[]).unwrap(), []);
}

#[test]
fn hundreds_of_branches_take_few_processes() {
    let world = World::new();
    let names = (0..300)
        .map(|number| format!("amp/{number}"))
        .collect::<Vec<_>>();
    let head = world.plain.head();
    let packed = names
        .iter()
        .map(|name| format!("{head} refs/heads/{name}\n"))
        .collect::<String>();
    std::fs::write(world.plain.path(".git/packed-refs"), packed).unwrap();
    let before = world.git.spawned();
    let rows = world
        .repository
        .board(
            &names
                .iter()
                .map(|name| query(name, "main"))
                .collect::<Vec<_>>(),
        )
        .unwrap();
    assert_eq!(
        rows.iter().filter(|row| row.against_base.is_some()).count(),
        300
    );
    assert!(world.git.version().minor < 41 || world.git.spawned() - before == 2);
}

#[cfg(unix)]
#[test]
fn an_older_git_gives_the_same_answer() {
    let world = World::new();
    prepare(&world);
    let rows = world.with_oldest_git().board(&queries()).unwrap();
    assert_eq!(counts(&rows), expected());
}

#[test]
fn a_branch_is_compared_with_the_remotes_one() {
    let world = World::new();
    prepare(&world);
    let ahead = world.plain.git(&["rev-parse", "amp/ahead"]);
    world
        .plain
        .git(&["update-ref", "refs/remotes/origin/main", &ahead]);
    let remote = BoardQuery {
        remote: Some("origin".parse().unwrap()),
        ..query("amp/same", "main")
    };
    let gone = BoardQuery {
        remote: Some("nowhere".parse().unwrap()),
        ..query("amp/same", "main")
    };
    let asked = [remote, query("amp/same", "main"), gone];
    let rows = world.repository.board(&asked).unwrap();
    assert_eq!(counts(&rows), [Some((0, 2)), Some((0, 0)), None]);
}

#[test]
fn what_worktrees_stand_on_is_read_without_git() {
    let world = World::new();
    let (one, two) = (world.worktree("amp/one"), world.worktree("amp/two"));
    let head = world.plain.git(&["rev-parse", "HEAD"]);
    world
        .plain
        .at(two.path())
        .git(&["switch", "--quiet", "--detach"]);
    let before = world.git.spawned();
    let checkouts = world.repository.checkouts().unwrap();
    assert_eq!(world.git.spawned(), before);
    let on_branch = CheckedOut::Branch("amp/one".to_owned());
    assert_eq!(checkouts.at(one.path()), Some(&on_branch));
    let on_commit = CheckedOut::Commit(head.parse().unwrap());
    assert_eq!(checkouts.at(two.path()), Some(&on_commit));
    assert_eq!(checkouts.at(world.repository.root()), None);
    // As git leaves it where another format keeps the references.
    let file = two.admin_dir().join("HEAD");
    let said = std::fs::read(&file).unwrap();
    std::fs::write(&file, "ref: refs/heads/.invalid\n").unwrap();
    let asked = world.repository.checkouts().unwrap();
    assert_eq!(world.git.spawned(), before + 1);
    assert_eq!(asked.at(one.path()), Some(&on_branch));
    std::fs::write(&file, said).unwrap();
}
