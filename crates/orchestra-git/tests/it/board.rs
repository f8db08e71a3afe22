//! Many branches at once.

use orchestra_git::{AheadBehind, BoardQuery, CheckedOut, Repository};

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

/// As many branches as asked for, each one commit ahead of `main`, which is one ahead of them.
fn crowd(world: &World, count: usize) -> Vec<BoardQuery> {
    let plain = &world.plain;
    let start = plain.head();
    let tree = plain.git(&["rev-parse", "HEAD^{tree}"]);
    plain.commit("the base goes on");
    let query = |number: usize| {
        let name = format!("amp/{number}");
        let text = format!("work {number}");
        let commit = plain.git(&["commit-tree", &tree, "-p", &start, "-m", &text]);
        plain.git(&["update-ref", &format!("refs/heads/{name}"), &commit]);
        query(&name, "main")
    };
    (0..count).map(query).collect()
}

fn count_processes(repository: &Repository, queries: &[BoardQuery]) -> u64 {
    let before = repository.git().spawned();
    let rows = repository.board(queries).unwrap();
    assert_eq!(counts(&rows), vec![Some((1, 1)); queries.len()]);
    repository.git().spawned() - before
}

#[test]
fn the_number_of_branches_does_not_matter() {
    let world = World::new();
    let queries = crowd(&world, 60);
    let few = count_processes(&world.repository, &queries[..2]);
    assert_eq!(count_processes(&world.repository, &queries), few);
    assert!(few <= 2, "{few} processes");
}

#[cfg(unix)]
#[test]
fn an_older_git_gives_the_same_answer() {
    let world = World::new();
    prepare(&world);
    let rows = world.with_oldest_git().board(&queries()).unwrap();
    assert_eq!(counts(&rows), expected());
}

#[cfg(unix)]
#[test]
fn an_older_git_is_not_asked_branch_by_branch() {
    let world = World::new();
    let queries = crowd(&world, 60);
    let older = world.with_oldest_git();
    assert_eq!(count_processes(&older, &queries[..2]), 2);
    assert_eq!(count_processes(&older, &queries), 2);
}

#[cfg(unix)]
#[test]
fn an_older_git_compares_histories_that_share_nothing() {
    let world = World::new();
    prepare(&world);
    let tree = world.plain.git(&["rev-parse", "HEAD^{tree}"]);
    let alone = world.plain.git(&["commit-tree", &tree, "-m", "alone"]);
    world.plain.git(&["update-ref", "refs/heads/alone", &alone]);
    let asked = [query("alone", "main"), query("amp/ahead", "main")];
    let expected = counts(&world.repository.board(&asked).unwrap());
    let rows = world.with_oldest_git().board(&asked).unwrap();
    assert_eq!(counts(&rows), expected);
    assert_eq!(expected[0].map(|(ahead, _)| ahead), Some(1));
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
