//! Where work starts: local, remote, and how fresh.

use std::time::Duration;

use orchestra_git::{BaseSource, FetchFailure, FetchPolicy, Fetched, InvalidUrl, Relation};
use orchestra_testkit::TestRepository;

use crate::world::{World, branch};

const SOON: FetchPolicy = FetchPolicy::Within(Duration::from_secs(30));

/// A world whose repository is a clone of another one.
fn cloned() -> (World, TestRepository) {
    let world = World::new();
    let remote = world.sandbox.repository("remote");
    world
        .plain
        .git(&["remote", "add", "origin", remote.root().to_str().unwrap()]);
    world.plain.git(&["fetch", "--quiet", "origin"]);
    world
        .plain
        .git(&["reset", "--quiet", "--hard", "origin/main"]);
    (
        World {
            repository: world.reopened(),
            ..world
        },
        remote,
    )
}

#[test]
fn without_a_remote_the_local_branch_counts() {
    let world = World::new();
    let base = world
        .repository
        .resolve_base(&branch("main"), SOON)
        .unwrap();
    assert_eq!(
        (base.commit, base.used, base.relation),
        (world.head(), BaseSource::Local, Relation::NoRemote)
    );
    assert_eq!(
        (base.fetched, base.name),
        (Fetched::NoRemote, branch("main"))
    );
    let missing = |name| {
        world
            .repository
            .resolve_base(&branch(name), SOON)
            .unwrap_err()
    };
    assert_eq!(missing("nope").code(), "git.no_such_revision");
    assert_eq!(
        missing("nope").to_string(),
        "there is no branch called `nope`"
    );
    assert_eq!(missing("mian").hint().unwrap(), "did you mean `main`?");
}

#[test]
fn behind_its_remote_the_remote_counts() {
    let (world, remote) = cloned();
    let local = world.head();
    let newest = remote.commit("new on the remote");
    let base = world
        .repository
        .resolve_base(&branch("main"), FetchPolicy::Never)
        .unwrap();
    assert_eq!(
        (base.commit.as_str(), base.relation),
        (local.as_str(), Relation::UpToDate)
    );
    assert!(matches!(
        base.fetched,
        Fetched::Before {
            last: Some(_),
            failure: None
        }
    ));
    let base = world
        .repository
        .resolve_base(&branch("main"), SOON)
        .unwrap();
    assert_eq!(base.fetched, Fetched::Now);
    assert_eq!(
        (base.commit.as_str(), base.used, base.relation),
        (newest.as_str(), BaseSource::Remote, Relation::Behind(1))
    );
    assert_eq!(
        world.plain.git(&["rev-parse", "refs/remotes/origin/main"]),
        newest
    );
    assert_eq!(
        world.plain.head(),
        local.to_string(),
        "the local branch is not touched"
    );
    assert_eq!(
        world
            .repository
            .resolve_base(&branch("main"), SOON)
            .unwrap()
            .fetched,
        Fetched::Now
    );
    world.plain.fsck();
}

#[test]
fn ahead_or_diverged_the_local_branch_counts() {
    let (world, remote) = cloned();
    let mine = world.plain.commit("mine");
    let base = world
        .repository
        .resolve_base(&branch("main"), SOON)
        .unwrap();
    assert_eq!(
        (base.commit.as_str(), base.used, base.relation),
        (mine.as_str(), BaseSource::Local, Relation::Ahead(1))
    );
    remote.commit("one");
    remote.commit("two");
    let base = world
        .repository
        .resolve_base(&branch("main"), SOON)
        .unwrap();
    assert_eq!(
        (base.used, base.relation),
        (
            BaseSource::Local,
            Relation::Diverged {
                ahead: 1,
                behind: 2
            }
        )
    );
}

#[test]
fn a_branch_that_only_the_remote_has_is_used() {
    let (world, remote) = cloned();
    remote.git(&["checkout", "--quiet", "-b", "develop"]);
    let newest = remote.commit("develop");
    let base = world
        .repository
        .resolve_base(&branch("develop"), SOON)
        .unwrap();
    assert_eq!(
        (base.commit.as_str(), base.used, base.relation),
        (newest.as_str(), BaseSource::Remote, Relation::OnlyRemote)
    );
}

#[test]
fn a_fetch_that_fails_is_part_of_the_answer() {
    let (world, remote) = cloned();
    std::fs::rename(remote.root(), world.sandbox.path("away")).unwrap();
    let base = world
        .repository
        .resolve_base(&branch("main"), SOON)
        .unwrap();
    assert!(
        matches!(&base.fetched, Fetched::Before { last: Some(_), failure: Some(FetchFailure::Failed(text)) } if text.lines().count() == 1 && !text.contains("fatal"))
    );
    world
        .plain
        .git(&["config", "remote.origin.url", "ext::sh -c true"]);
    let base = world
        .reopened()
        .resolve_base(&branch("main"), SOON)
        .unwrap();
    let failure = Some(FetchFailure::Url(InvalidUrl::Helper));
    assert!(matches!(base.fetched, Fetched::Before { failure: found, .. } if found == failure));
    std::fs::write(world.plain.path(".git/shallow"), "").unwrap();
    world
        .plain
        .git(&["config", "remote.origin.url", "/nowhere"]);
    let base = world
        .reopened()
        .resolve_base(&branch("main"), SOON)
        .unwrap();
    assert!(matches!(
        base.fetched,
        Fetched::Before {
            failure: Some(FetchFailure::Shallow),
            ..
        }
    ));
}

#[cfg(unix)]
#[test]
fn a_silent_remote_is_not_waited_for() {
    let (world, _remote) = cloned();
    let slow = crate::open::script(&world.sandbox, "slow-ssh", "sleep 60");
    let home = world.sandbox.home();
    let mut config = std::fs::read_to_string(home.join(".gitconfig")).unwrap();
    config.push_str(&format!("[core]\n\tsshCommand = {slow}\n"));
    std::fs::write(home.join(".gitconfig"), config).unwrap();
    world
        .plain
        .git(&["config", "remote.origin.url", "ssh://git@127.0.0.1/x.git"]);
    let wait = Duration::from_millis(300);
    let base = world
        .reopened()
        .resolve_base(&branch("main"), FetchPolicy::Within(wait))
        .unwrap();
    assert!(
        matches!(base.fetched, Fetched::Before { failure: Some(FetchFailure::TimedOut(found)), .. } if found == wait)
    );
    assert_eq!(base.relation, Relation::UpToDate);
}

#[test]
fn an_odd_remote_name_is_no_remote() {
    let world = World::new();
    world
        .plain
        .git(&["config", "remote.../../x.url", "/nowhere"]);
    let base = world
        .reopened()
        .resolve_base(&branch("main"), SOON)
        .unwrap();
    assert_eq!(base.fetched, Fetched::NoRemote);
}
