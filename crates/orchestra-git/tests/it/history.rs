//! Where histories part: found without git where there are no merges, and the same as git says everywhere.

use orchestra_core::CommitId;
use orchestra_git::{BoardQuery, Repository};

use crate::world::{World, branch, id};

/// A history with a merge: `main` has it, `amp/one` and `amp/two` start above it, `amp/old` below.
fn world() -> World {
    World::with(|plain| {
        plain.commit("first");
        plain.git(&["branch", "amp/old"]);
        plain.git(&["checkout", "--quiet", "-b", "side"]);
        plain.commit("beside");
        plain.git(&["checkout", "--quiet", "main"]);
        plain.commit("second");
        plain.git(&["merge", "--quiet", "--no-ff", "-m", "merged", "side"]);
        for name in ["amp/one", "amp/two"] {
            plain.git(&["checkout", "--quiet", "-b", name, "main"]);
            for number in 0..3 {
                plain.commit(&format!("{name} {number}"));
            }
        }
        plain.git(&["checkout", "--quiet", "--orphan", "alone"]);
        plain.commit("another beginning");
        plain.git(&["checkout", "--quiet", "main"]);
        plain.commit("main goes on");
    })
}

const NAMES: [&str; 6] = ["main", "side", "amp/one", "amp/two", "amp/old", "alone"];

/// The answers about two commits, and how many processes they took.
fn asked(repository: &Repository, one: &CommitId, other: &CommitId) -> (Vec<String>, u64) {
    let before = repository.git().spawned();
    let answers = vec![
        format!("{:?}", repository.merge_base(one, other).unwrap()),
        format!("{:?}", repository.is_ancestor(one, other).unwrap()),
        format!("{:?}", repository.ahead_behind(one, other).unwrap()),
        format!("{:?}", repository.commits_to_replay(other, one).unwrap()),
    ];
    (answers, repository.git().spawned() - before)
}

#[test]
fn histories_part_where_git_says() {
    let world = world();
    let plain = &world.plain;
    for one in NAMES {
        for other in NAMES {
            let (one_id, other_id) = (id(&plain.branch_sha(one)), id(&plain.branch_sha(other)));
            let (answers, _) = asked(&world.repository, &one_id, &other_id);
            // Whoever has edited history is left to git.
            let grafts = plain.root().join(".git/info/grafts");
            std::fs::write(&grafts, "").unwrap();
            let (by_git, spawned) = asked(&world.repository, &one_id, &other_id);
            std::fs::remove_file(&grafts).unwrap();
            assert_eq!((answers, spawned), (by_git, 4), "{one} {other}");
        }
    }
}

#[test]
fn the_usual_session_needs_no_process() {
    let world = world();
    let tip = |name: &str| id(&world.plain.branch_sha(name));
    for (one, other) in [
        ("amp/one", "main"),
        ("amp/one", "amp/two"),
        ("amp/one", "amp/one"),
    ] {
        assert_eq!(
            asked(&world.repository, &tip(one), &tip(other)).1,
            0,
            "{one} {other}"
        );
    }
    let query = BoardQuery {
        branch: branch("amp/one"),
        base: branch("main"),
        remote: None,
    };
    let before = world.git.spawned();
    let rows = world.repository.board(&[query]).unwrap();
    let counts = rows[0].against_base.unwrap();
    assert_eq!((counts.ahead, counts.behind), (3, 1));
    assert_eq!(world.git.spawned(), before);
}

#[test]
fn a_cut_history_is_left_to_git() {
    let world = world();
    let shallow = world.sandbox.path("shallow");
    let url = format!("file://{}", world.plain.root().display());
    let place = shallow.to_str().unwrap();
    world
        .plain
        .git(&["clone", "--quiet", "--depth=2", &url, place]);
    let cut = world.plain_at(&shallow);
    let repository = world.git.open(&shallow).unwrap();
    let (head, before) = (id(&cut.head()), id(&cut.git(&["rev-parse", "HEAD~1"])));
    let (answers, spawned) = asked(&repository, &head, &before);
    assert_eq!(answers[2], "AheadBehind { ahead: 1, behind: 0 }");
    assert!(spawned > 0);
}
