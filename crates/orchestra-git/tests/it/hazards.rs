//! Everything an agent can plant in a repository, and every intent on top of it: nothing planted may run.

use std::fs;
use std::time::Duration;

use orchestra_git::{
    BoardQuery, CommitRequest, DiffFormat, DiffRequest, DiffScope, FetchPolicy, Fill, HalfMade,
    Removal, StartingPoint, Worktree,
};
use orchestra_testkit::hazards;

use crate::world::{CommitAll, World, branch, id};

fn show_all(worktree: &Worktree, base: &orchestra_core::CommitId) {
    let head = worktree.head().unwrap().commit().unwrap().clone();
    let scopes = [
        DiffScope::Since(base.clone()),
        DiffScope::Staged,
        DiffScope::Unstaged,
        DiffScope::Between(base.clone(), head),
    ];
    for scope in scopes {
        for format in [
            DiffFormat::Patch,
            DiffFormat::NameOnly,
            DiffFormat::Stat,
            DiffFormat::NumStat,
        ] {
            let request = DiffRequest {
                scope: scope.clone(),
                format,
                color: true,
                paths: Vec::new(),
            };
            worktree.diff(&request, &mut |_| {}).unwrap();
        }
        worktree.diff_summary(&scope).unwrap();
    }
}

#[test]
fn nothing_planted_runs() {
    let world = World::with(|plain| {
        for name in ["a.md", "b.rs", "c.json", "d.yml", "e.toml", "f.txt"] {
            plain.write(name, "one\n");
        }
        plain.commit("files");
    });
    let remote = world.sandbox.repository("remote");
    world
        .plain
        .git(&["remote", "add", "origin", remote.root().to_str().unwrap()]);
    let base = world.head();
    let victim = world.worktree("amp/victim");
    let marker = world.sandbox.path("marker");
    let planted = hazards::plant_all(world.plain.root(), victim.path(), &marker);
    assert!(planted.len() >= 20, "{planted:?}");
    fs::remove_file(&marker).ok();

    let repository = world.git.open(world.plain.root()).unwrap();
    repository.state().unwrap();
    repository
        .resolve_base(
            &branch("main"),
            FetchPolicy::Within(Duration::from_secs(30)),
        )
        .unwrap();
    let victim = repository.worktree_at(victim.path()).unwrap();
    for name in ["a.md", "b.rs", "c.json", "d.yml", "new.md", "new.rs"] {
        fs::write(victim.path().join(name), "two\n").unwrap();
    }
    victim.status().unwrap();
    victim.ignored().unwrap();
    let checkout = repository.worktree_at(world.plain.root()).unwrap();
    checkout.ignored().unwrap();
    show_all(&victim, &base);
    let before = victim.remember_files().unwrap();
    fs::write(victim.path().join("agent.md"), "agent\n").unwrap();
    let prepared = victim
        .prepare_commit_since(&before, &CommitRequest::new("agent's part"))
        .unwrap()
        .unwrap();
    victim.publish_commit(&prepared).unwrap();
    let committed = victim
        .commit_all(&CommitRequest::new("the rest"))
        .unwrap()
        .unwrap();
    assert!(
        victim
            .commit_all(&CommitRequest::new("nothing"))
            .unwrap()
            .is_none()
    );
    fs::write(victim.path().join("a.md"), "three\n").unwrap();
    let some = CommitRequest {
        paths: Some(vec!["a.md".into()]),
        ..CommitRequest::new("some")
    };
    victim.commit_all(&some).unwrap().unwrap();
    show_all(&victim, &base);

    let head = victim.head().unwrap().commit().unwrap().clone();
    repository.log(&base, &head, 10).unwrap();
    repository
        .board(&[BoardQuery {
            branch: branch("amp/victim"),
            base: branch("main"),
            remote: None,
        }])
        .unwrap();
    repository.merge_base(&base, &head).unwrap();
    repository.is_ancestor(&base, &head).unwrap();
    let start = StartingPoint::NewBranch {
        name: branch("amp/next"),
        at: committed.commit.clone(),
    };
    let next = repository
        .register_worktree(&world.place("next"), &start)
        .unwrap();
    next.fill(&committed.commit, Fill::Fresh).unwrap();
    next.fill(&committed.commit, Fill::Again).unwrap();
    next.status().unwrap();
    repository.list_worktrees().unwrap();
    repository
        .repair_half_made(&[HalfMade {
            path: world.place("none"),
            branch: None,
        }])
        .unwrap();
    next.remove(Removal::IfClean).unwrap();
    repository
        .delete_branch(&branch("amp/next"), &committed.commit)
        .unwrap();
    victim.remove(Removal::DiscardChanges).unwrap();

    assert_eq!(
        hazards::executed(&marker),
        Vec::<String>::new(),
        "of {} traps",
        planted.len()
    );
    println!("traps planted {}, run 0", planted.len());
}

#[test]
fn plain_git_falls_into_the_traps() {
    let world = World::with(|plain| {
        plain.write("a.md", "one\n");
        plain.commit("files");
    });
    let victim = world.worktree("amp/victim");
    let marker = world.sandbox.path("marker");
    hazards::plant_all(world.plain.root(), victim.path(), &marker);
    fs::remove_file(&marker).ok();
    let plain = world.plain_at(victim.path());
    plain.write("a.md", "two\n");
    plain.try_git(&["status"]);
    plain.try_git(&["diff"]);
    plain.try_git(&["commit", "-am", "x"]);
    assert!(
        hazards::executed(&marker).len() > 3,
        "{:?}",
        hazards::executed(&marker)
    );
}

#[test]
fn planted_replacements_do_not_change_what_is_shown() {
    let world = World::new();
    let base = world.head();
    world.plain.write("evil", "x");
    let evil = world.plain.commit("evil");
    world.plain.git(&[
        "commit",
        "--quiet",
        "--allow-empty",
        "--message",
        "harmless",
    ]);
    let harmless = world.plain.head();
    world.plain.git(&["replace", &evil, &harmless]);
    let commits = world.repository.log(&base, &id(&evil), 10).unwrap();
    assert_eq!(commits[0].subject, "evil");
    assert_eq!(commits[0].files.len(), 1);
}
