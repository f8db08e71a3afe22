//! Squashing: one commit, or one for each run; the files never change.

use orchestra_core::{CommitId, Timestamp};
use orchestra_git::{CommitStamp, Identity, Repository, RewriteError, SquashRequest, Squashed};
use orchestra_testkit::TestRepository;

use crate::world::{World, id};

pub(crate) fn stamp(name: &str, second: i64) -> CommitStamp {
    CommitStamp {
        identity: Identity {
            name: name.to_owned(),
            email: format!("{name}@example.com"),
        },
        at: Timestamp::from_second(second).unwrap(),
    }
}

fn request(base: &CommitId, head: &CommitId, message: &str) -> SquashRequest {
    SquashRequest {
        base: base.clone(),
        head: head.clone(),
        message: message.to_owned(),
        author: stamp("author", 1_800_000_000),
        committer: stamp("engine", 1_800_000_001),
        keep_others_than: None,
    }
}

fn keep_manual(base: &CommitId, head: &CommitId, message: &str) -> SquashRequest {
    SquashRequest {
        keep_others_than: Some("amp:".to_owned()),
        ..request(base, head, message)
    }
}

/// A commit of somebody, on the branch that is checked out.
fn commit_as(plain: &TestRepository, who: &str, message: &str) -> CommitId {
    plain.write(&format!("by-{who}"), message);
    plain.git(&["add", "--all"]);
    let author = format!("--author={who} <{who}@example.com>");
    plain.git(&["commit", "--quiet", &author, "--message", message]);
    id(&plain.head())
}

fn tree(plain: &TestRepository, commit: &CommitId) -> String {
    plain.git(&["rev-parse", &format!("{commit}^{{tree}}")])
}

fn log(plain: &TestRepository, base: &CommitId, head: &CommitId, format: &str) -> Vec<String> {
    let range = format!("{base}..{head}");
    let format = format!("--format={format}");
    let text = plain.git(&["log", "--reverse", &format, &range]);
    text.lines().map(str::to_owned).collect()
}

/// Squashes and checks that the files are the same.
fn squash(world: &World, repository: &Repository, request: &SquashRequest) -> Squashed {
    let squashed = repository.squash(request).unwrap();
    let plain = &world.plain;
    assert_eq!(tree(plain, &squashed.head), tree(plain, &request.head));
    plain.fsck();
    squashed
}

#[test]
fn several_commits_become_one_in_few_processes() {
    let world = World::new();
    let (plain, base) = (&world.plain, world.head());
    world.start("amp/x", &base);
    commit_as(plain, "ann", "amp: one");
    commit_as(
        plain,
        "bob",
        "amp: two\n\nCo-authored-by: Cleo <cleo@example.com>",
    );
    let head = commit_as(plain, "author", "amp: three");
    plain.git(&["checkout", "--quiet", "main"]);
    let tip = id(&plain.commit("main went on"));

    let before = world.git.spawned();
    let wish = request(&tip, &head, "feat: all of it\n\nIssue: 7");
    let squashed = world.repository.squash(&wish).unwrap();
    let spawned = world.git.spawned() - before;
    let most = if cfg!(target_os = "linux") { 0 } else { 3 };
    assert!(spawned <= most, "{spawned} processes");
    assert_eq!((squashed.squashed, &squashed.onto), (3, &base));
    assert_eq!(squashed.made, std::slice::from_ref(&squashed.head));
    assert_eq!(tree(plain, &squashed.head), tree(plain, &head));
    let shown = plain.git(&[
        "log",
        "-1",
        "--format=%P|%an|%ae|%at|%cn|%ct|%B",
        squashed.head.as_str(),
    ]);
    let people = "Co-authored-by: ann <ann@example.com>\nCo-authored-by: bob <bob@example.com>\n\
                  Co-authored-by: Cleo <cleo@example.com>";
    assert_eq!(
        shown,
        format!(
            "{base}|author|author@example.com|1800000000|engine|1800000001|\
             feat: all of it\n\nIssue: 7\n{people}"
        )
    );
    assert_eq!(
        plain.branch_sha("amp/x"),
        head.to_string(),
        "no branch moves"
    );
    plain.fsck();
}

#[test]
fn commits_of_people_are_kept_between_runs() {
    let world = World::new();
    let (plain, base) = (&world.plain, world.head());
    world.start("amp/x", &base);
    let first = commit_as(plain, "ann", "by hand, first");
    for (who, message) in [
        ("agent", "amp: one"),
        ("agent", "amp: two"),
        ("ann", "by hand, second\n\nwith a body"),
        ("agent", "amp: three"),
    ] {
        commit_as(plain, who, message);
    }
    let head = commit_as(plain, "ann", "by hand, last");
    let before = world.git.spawned();
    let wish = keep_manual(&base, &head, "feat: work\n\nbody");
    let squashed = squash(&world, &world.repository, &wish);
    assert!(world.git.spawned() - before <= 6);
    assert_eq!((squashed.squashed, squashed.made.len()), (3, 2));
    assert_eq!(
        log(plain, &base, &squashed.head, "%an: %s"),
        [
            "ann: by hand, first",
            "author: feat: work (1/2)",
            "ann: by hand, second",
            "author: feat: work (2/2)",
            "ann: by hand, last",
        ]
    );
    let range = format!("{base}..{}", squashed.head);
    let ids = plain.git(&["rev-list", "--reverse", &range]);
    assert!(ids.starts_with(first.as_str()), "it stands where it stood");
    let kept = plain.git(&["log", "-1", "--format=%cn|%ct|%b", squashed.head.as_str()]);
    let original = plain.git(&["log", "-1", "--format=%cn|%ct|%b", head.as_str()]);
    assert_eq!(kept, original);
    let run = &squashed.made[0];
    assert_eq!(
        plain
            .git(&["log", "-1", "--format=%b", run.as_str()])
            .trim(),
        "body\n\nCo-authored-by: agent <agent@example.com>"
    );
    assert_eq!(
        plain.git(&["diff", "--name-only", &format!("{run}^"), run.as_str()]),
        "by-agent"
    );
}

#[test]
fn one_run_has_no_number_and_nothing_is_refused() {
    let world = World::new();
    let (plain, base) = (&world.plain, world.head());
    world.start("amp/x", &base);
    let manual = commit_as(plain, "ann", "by hand");
    for wish in [
        keep_manual(&base, &manual, "x"),
        request(&base, &base, "x"),
        keep_manual(&base, &base, "x"),
    ] {
        let error = world.repository.squash(&wish).unwrap_err();
        assert!(matches!(error, RewriteError::NothingToSquash), "{error}");
        assert_eq!(error.code(), "git.nothing_to_squash");
        assert!(error.hint().is_some());
    }
    let head = commit_as(plain, "agent", "amp: one");
    let squashed = squash(&world, &world.repository, &keep_manual(&base, &head, "x"));
    assert_eq!(log(plain, &base, &squashed.head, "%s"), ["by hand", "x"]);
}

#[test]
fn merges_are_squashed_over_what_was_merged_or_refused() {
    let world = World::new();
    let (plain, base) = (&world.plain, world.head());
    world.start("amp/x", &base);
    commit_as(plain, "agent", "amp: one");
    plain.git(&["checkout", "--quiet", "main"]);
    let merged = commit_as(plain, "main", "main goes on");
    plain.git(&["checkout", "--quiet", "amp/x"]);
    plain.git(&["merge", "--quiet", "--no-edit", "main"]);
    let merge = id(&plain.head());
    let head = commit_as(plain, "agent", "amp: two");
    let squashed = squash(&world, &world.repository, &request(&merged, &head, "all"));
    assert_eq!(squashed.onto, merged);
    assert_eq!(
        plain.git(&[
            "diff",
            "--name-only",
            merged.as_str(),
            squashed.head.as_str()
        ]),
        "by-agent"
    );
    let wish = keep_manual(&merged, &head, "all");
    let error = world.repository.squash(&wish).unwrap_err();
    assert_eq!(error.code(), "git.merges_in_range");
    assert_eq!(
        error.to_string(),
        format!(
            "1 of the commits merge another branch, the first is {}",
            merge.short()
        )
    );
    assert!(error.hint().unwrap().contains("--keep-manual"));
}

#[test]
fn histories_that_never_met_are_refused() {
    let world = World::new();
    let (plain, base) = (&world.plain, world.head());
    plain.git(&["checkout", "--quiet", "--orphan", "other"]);
    let head = commit_as(plain, "agent", "amp: alone");
    let error = world
        .repository
        .squash(&request(&base, &head, "x"))
        .unwrap_err();
    assert_eq!(error.code(), "git.unrelated_histories");
    assert!(error.to_string().contains("no commit in common"));
    assert!(error.hint().is_some());
    let missing = id(&"1".repeat(40));
    let error = world
        .repository
        .squash(&request(&base, &missing, "x"))
        .unwrap_err();
    assert_eq!(error.code(), "git.failed");
    assert!(error.hint().is_some());
}

#[test]
fn a_tree_can_be_committed_with_any_message() {
    let world = World::new();
    let (plain, base) = (&world.plain, world.head());
    let own_tree = tree(plain, &base).parse().unwrap();
    let long = format!("subject\0\n\n{}", "x".repeat(1024 * 1024));
    let parents = [base];
    let commit = world
        .repository
        .commit_tree(
            &own_tree,
            &parents,
            long.as_bytes(),
            &stamp("author", 1),
            &stamp("engine", 2),
        )
        .unwrap();
    let raw = plain.git(&["cat-file", "commit", commit.as_str()]);
    assert!(raw.ends_with(&long.replace('\0', "")));
    plain.fsck();
}

#[test]
fn sha256_repositories_are_squashed_too() {
    let world = World::new();
    let root = world.sandbox.path("wide");
    let plain = world.plain.at(&root);
    let path = root.to_str().unwrap();
    world.plain.git(&[
        "init",
        "--quiet",
        "--object-format=sha256",
        "--initial-branch=main",
        path,
    ]);
    let base = id(&plain.commit("first"));
    commit_as(&plain, "agent", "amp: one");
    let head = commit_as(&plain, "agent", "amp: two");
    let repository = world.git.open(&root).unwrap();
    let squashed = repository.squash(&request(&base, &head, "all")).unwrap();
    assert_eq!(squashed.head.as_str().len(), 64);
    assert_eq!(tree(&plain, &squashed.head), tree(&plain, &head));
    let missing = id(&"1".repeat(64));
    let error = repository
        .commit_again(
            &missing,
            &"1".repeat(64).parse().unwrap(),
            &[],
            None,
            &stamp("a", 1),
        )
        .unwrap_err();
    assert_eq!(error.code(), "git.no_such_revision");
    plain.fsck();
}
