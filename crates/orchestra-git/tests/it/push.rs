//! Pushes to real remotes: bare repositories on disk, and one behind a program that stands for ssh.

use std::fs;
use std::time::Duration;

use orchestra_core::{CommitId, PushedAs, RemoteName};
use orchestra_git::{PushError, PushForce, PushRequest, Pushed, RemoteTip};
use orchestra_testkit::TestRepository;

use crate::world::{World, branch, id};

/// A world with an empty bare remote.
fn with_remote() -> (World, TestRepository) {
    let world = World::new();
    let path = world.sandbox.path("remote.git");
    let text = path.to_str().unwrap();
    world.plain.git(&["init", "--quiet", "--bare", text]);
    world.plain.git(&["remote", "add", "origin", text]);
    let remote = world.plain.at(&path);
    (opened_again(world), remote)
}

fn opened_again(world: World) -> World {
    World {
        repository: world.reopened(),
        ..world
    }
}

fn request(commit: &CommitId) -> PushRequest {
    PushRequest {
        branch: branch("amp/x"),
        commit: commit.clone(),
        remote: None,
        force: PushForce::Never,
        wait: Duration::from_secs(30),
    }
}

fn push(world: &World, commit: &CommitId) -> Result<Pushed, PushError> {
    world.repository.push(&request(commit))
}

fn push_if(world: &World, commit: &CommitId, seen: Option<&CommitId>) -> Result<Pushed, PushError> {
    world.repository.push(&PushRequest {
        force: PushForce::IfStillAt(seen.cloned()),
        ..request(commit)
    })
}

fn remote_name(name: &str) -> RemoteName {
    name.parse().unwrap()
}

fn tracked(world: &World) -> Option<CommitId> {
    let (remote, branch) = (remote_name("origin"), branch("amp/x"));
    world.repository.last_seen_on(&remote, &branch).unwrap()
}

/// A commit that is not on top of the newest one.
fn other_commit(world: &World, message: &str) -> CommitId {
    let tree = world.plain.git(&["write-tree"]);
    id(&world.plain.git(&["commit-tree", "-m", message, &tree]))
}

#[test]
fn a_branch_is_made_moved_and_left_alone() {
    let (world, remote) = with_remote();
    let first = world.head();
    assert_eq!(tracked(&world), None);
    let pushed = push(&world, &first).unwrap();
    let expected = Pushed {
        remote: remote_name("origin"),
        branch: branch("amp/x"),
        commit: first.clone(),
        how: PushedAs::NewBranch,
    };
    assert_eq!(pushed, expected);
    assert_eq!(remote.branch_sha("amp/x"), first.to_string());
    assert_eq!(tracked(&world), Some(first.clone()));
    let second = id(&world.plain.commit("more"));
    assert_eq!(push(&world, &second).unwrap().how, PushedAs::FastForward);
    assert_eq!(push(&world, &second).unwrap().how, PushedAs::UpToDate);
    assert_eq!(tracked(&world), Some(second.clone()));
    let seen = Some(&first);
    let again = push_if(&world, &second, seen).unwrap();
    assert_eq!(
        again.how,
        PushedAs::UpToDate,
        "what is there needs no lease"
    );
    assert_eq!(
        remote.git(&["for-each-ref", "--format=%(refname)"]),
        "refs/heads/amp/x"
    );
    let reflog = world
        .plain
        .git(&["reflog", "show", "refs/remotes/origin/amp/x"]);
    assert!(reflog.contains("update by push"), "{reflog}");
    assert!(!world.plain.read(".git/config").contains("[branch"));
}

#[test]
fn commits_of_the_remote_are_replaced_only_where_they_were_seen() {
    let (world, remote) = with_remote();
    let first = world.head();
    assert_eq!(
        push_if(&world, &first, None).unwrap().how,
        PushedAs::NewBranch
    );
    let squashed = other_commit(&world, "squashed");
    assert_eq!(
        push(&world, &squashed).unwrap_err().code(),
        "git.push_would_lose"
    );
    assert_eq!(remote.branch_sha("amp/x"), first.to_string());
    let pushed = push_if(&world, &squashed, Some(&first)).unwrap();
    assert_eq!(pushed.how, PushedAs::Forced);
    assert_eq!(remote.branch_sha("amp/x"), squashed.to_string());
    let error = push_if(&world, &first, None).unwrap_err();
    assert!(
        error.to_string().contains("is not absent any more"),
        "{error}"
    );
    remote.git(&["update-ref", "-d", "refs/heads/amp/x"]);
    let error = push_if(&world, &first, Some(&squashed)).unwrap_err();
    let PushError::RemoteMoved { tip, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(tip, &RemoteTip::default());
}

#[test]
fn a_foreign_commit_stops_a_push_and_is_told() {
    let (world, remote) = with_remote();
    let first = world.head();
    push(&world, &first).unwrap();
    let theirs = world.sandbox.path("theirs");
    let (address, place) = (remote.root().to_str().unwrap(), theirs.to_str().unwrap());
    world
        .plain
        .git(&["clone", "--quiet", "--branch=amp/x", address, place]);
    let theirs = world.plain.at(&theirs);
    theirs.commit("one of theirs");
    let newest = id(&theirs.commit("theirs \u{1b}[2J"));
    theirs.git(&["push", "--quiet", "origin", "amp/x"]);
    let mine = id(&world.plain.commit("mine"));
    let error = push(&world, &mine).unwrap_err();
    let text = error.to_string();
    let expected = format!("has commits that would be lost: {} theirs", newest.short());
    assert!(
        text.contains(&expected) && text.ends_with("(Test) and 1 more"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'), "{text:?}");
    assert!(error.hint().unwrap().contains("git log origin/amp/x"));
    assert_eq!(tracked(&world), Some(newest.clone()), "it can be looked at");
    let error = push_if(&world, &mine, Some(&first)).unwrap_err();
    assert_eq!(error.code(), "git.remote_moved");
    let text = error.to_string();
    assert!(
        text.contains(&format!("is not at {} any more", first.short())),
        "{text}"
    );
    assert!(error.hint().unwrap().contains("somebody else pushed"));
    assert_eq!(remote.branch_sha("amp/x"), newest.to_string());
    let tip = RemoteTip {
        commit: Some(newest.clone()),
        foreign: Vec::new(),
    };
    let known = PushError::WouldLose {
        remote: remote_name("origin"),
        branch: branch("amp/x"),
        tip,
    };
    assert!(
        known
            .to_string()
            .ends_with(&format!("it is at {}", newest.short()))
    );
}

#[test]
fn what_a_remote_refuses_is_told() {
    let (world, remote) = with_remote();
    let first = world.head();
    push(&world, &first).unwrap();
    remote.git(&["config", "receive.denyNonFastForwards", "true"]);
    let other = other_commit(&world, "other");
    let error = push_if(&world, &other, Some(&first)).unwrap_err();
    assert_eq!(error.code(), "git.push_rejected");
    assert!(
        error
            .to_string()
            .starts_with("`origin` refused the push: non-fast-forward: "),
        "{error}"
    );
    assert!(error.hint().is_some());
    assert_eq!(tracked(&world), Some(first));
}

#[test]
fn the_remote_is_the_one_that_people_expect() {
    let (world, remote) = with_remote();
    let commit = world.head();
    let fork = world.sandbox.path("fork.git");
    world
        .plain
        .git(&["init", "--quiet", "--bare", fork.to_str().unwrap()]);
    world
        .plain
        .git(&["remote", "add", "fork", fork.to_str().unwrap()]);
    // An agent can write these, so they do not count.
    world
        .plain
        .git(&["config", "branch.amp/x.pushRemote", "fork"]);
    world.plain.git(&["config", "remote.pushDefault", "fork"]);
    let world = opened_again(world);
    assert_eq!(push(&world, &commit).unwrap().remote, remote_name("origin"));
    let to_fork = PushRequest {
        remote: Some("fork".to_owned()),
        ..request(&commit)
    };
    assert_eq!(
        world.repository.push(&to_fork).unwrap().how,
        PushedAs::NewBranch
    );
    assert_eq!(
        world.plain.at(&fork).branch_sha("amp/x"),
        commit.to_string()
    );
    let missing = PushRequest {
        remote: Some("gone".to_owned()),
        ..request(&commit)
    };
    let error = world.repository.push(&missing).unwrap_err();
    assert_eq!(error.to_string(), "there is no remote called `gone`");
    assert!(error.hint().unwrap().ends_with("fork, origin"));
    world.plain.git(&["remote", "rename", "origin", "upstream"]);
    let world = opened_again(world);
    let error = push(&world, &commit).unwrap_err();
    assert_eq!(error.code(), "git.no_remote");
    assert!(error.to_string().contains("several remotes"), "{error}");
    world.plain.git(&["remote", "remove", "fork"]);
    let world = opened_again(world);
    assert_eq!(
        push(&world, &commit).unwrap().remote,
        remote_name("upstream")
    );
    assert_eq!(remote.branch_sha("amp/x"), commit.to_string());
    let error = push(&World::new(), &commit).unwrap_err();
    assert_eq!(error.to_string(), "the repository has no remote");
    assert!(error.hint().unwrap().contains("git remote add"));
}

#[test]
fn an_address_of_its_own_for_pushing_is_used() {
    let (world, remote) = with_remote();
    let target = world.sandbox.path("target.git");
    world
        .plain
        .git(&["init", "--quiet", "--bare", target.to_str().unwrap()]);
    world
        .plain
        .git(&["config", "remote.origin.pushurl", target.to_str().unwrap()]);
    let world = opened_again(world);
    let commit = world.head();
    push(&world, &commit).unwrap();
    assert!(world.plain.at(&target).has_branch("amp/x"));
    assert!(!remote.has_branch("amp/x"));
    let error = push(&world, &other_commit(&world, "other")).unwrap_err();
    let PushError::WouldLose { tip, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(tip, RemoteTip::default(), "it is fetched from elsewhere");
}

#[test]
fn what_cannot_be_reached_is_told_without_passwords() {
    let (world, remote) = with_remote();
    let commit = world.head();
    fs::rename(remote.root(), world.sandbox.path("away")).unwrap();
    let error = push(&world, &commit).unwrap_err();
    assert_eq!(error.code(), "git.push_failed");
    assert!(
        error.to_string().starts_with("cannot push to `origin`: "),
        "{error}"
    );
    assert!(error.hint().is_some());
    for (address, code) in [
        ("https://me:hunter2@localhost/x", "contains a password"),
        ("ext::sh -c true", "names a helper program"),
    ] {
        world.plain.git(&["config", "remote.origin.url", address]);
        let error = world.reopened().push(&request(&commit)).unwrap_err();
        assert_eq!(error.code(), "git.remote_address");
        assert!(error.to_string().contains(code), "{error}");
        assert!(!error.to_string().contains("hunter2") && error.hint().is_some());
    }
    // Nothing listens there, so git says which address it tried.
    let address = "https://hunter2@127.0.0.1:9/x.git";
    world.plain.git(&["config", "remote.origin.url", address]);
    let error = world.reopened().push(&request(&commit)).unwrap_err();
    assert_eq!(error.code(), "git.push_failed", "{error}");
    assert!(
        !format!("{error} {error:?}").contains("hunter2"),
        "{error:?}"
    );
    let missing = id(&"a".repeat(40));
    assert_eq!(
        push(&world, &missing).unwrap_err().code(),
        "git.push_failed"
    );
}

#[cfg(unix)]
mod programs {
    use super::*;
    use crate::open::script;

    /// Writes into the user's own git configuration.
    fn configure_user(world: &World, text: &str) {
        let file = world.sandbox.home().join(".gitconfig");
        let config = fs::read_to_string(&file).unwrap_or_default();
        fs::write(file, config + text).unwrap();
    }

    #[test]
    fn no_hook_runs_on_either_side() {
        let (world, remote) = with_remote();
        let trace = world.sandbox.path("trace");
        let hook = script(
            &world.sandbox,
            "hook",
            &format!("echo ran >> '{}'", trace.display()),
        );
        let hooks = world.sandbox.path("hooks");
        let places = [
            world.plain.path(".git/hooks"),
            remote.path("hooks"),
            hooks.clone(),
        ];
        for place in places {
            fs::create_dir_all(&place).unwrap();
            for name in [
                "pre-push",
                "pre-receive",
                "update",
                "post-receive",
                "post-update",
                "reference-transaction",
            ] {
                fs::copy(&hook, place.join(name)).unwrap();
            }
        }
        remote.git(&["config", "core.alternateRefsCommand", &hook]);
        remote.git(&["config", "core.fsmonitor", &hook]);
        remote.git(&["config", "gc.recentObjectsHook", &hook]);
        world.plain.git(&["config", "core.sshCommand", &hook]);
        world
            .plain
            .git(&["config", "remote.origin.receivepack", &hook]);
        configure_user(
            &world,
            &format!("[core]\n\thooksPath = {}\n", hooks.display()),
        );
        let world = opened_again(world);
        assert_eq!(
            push(&world, &world.head()).unwrap().how,
            PushedAs::NewBranch
        );
        assert!(!trace.exists(), "a hook ran");
    }

    #[test]
    fn a_remote_behind_ssh_gets_the_push() {
        let (world, remote) = with_remote();
        // What ssh would do on the other side: run the command it is given last.
        let ssh = script(
            &world.sandbox,
            "ssh",
            "for last; do :; done\nexec sh -c \"$last\"",
        );
        configure_user(
            &world,
            &format!(
                "[core]\n\tsshCommand = {ssh}\n[push]\n\tfollowTags = true\n\tgpgSign = false\n"
            ),
        );
        let address = format!("ssh://git@127.0.0.1{}", remote.root().display());
        world.plain.git(&["config", "remote.origin.url", &address]);
        world
            .plain
            .git(&["tag", "--annotate", "--message=one", "v1"]);
        let world = opened_again(world);
        let first = world.head();
        assert_eq!(push(&world, &first).unwrap().how, PushedAs::NewBranch);
        assert_eq!(remote.git(&["tag", "--list"]), "", "no tag goes along");
        let reject = "echo 'no pushes on Fridays' >&2; exit 1";
        let hook = script(&world.sandbox, "reject", reject);
        fs::create_dir_all(remote.path("hooks")).unwrap();
        fs::copy(hook, remote.path("hooks/pre-receive")).unwrap();
        let second = id(&world.plain.commit("more"));
        let error = push(&world, &second).unwrap_err();
        let told = "`origin` refused the push: pre-receive hook declined: no pushes on Fridays";
        assert_eq!(error.to_string(), told);
    }

    #[test]
    fn a_remote_without_an_answer_is_not_waited_for() {
        let (world, _remote) = with_remote();
        let slow = script(&world.sandbox, "slow-ssh", "sleep 60");
        configure_user(&world, &format!("[core]\n\tsshCommand = {slow}\n"));
        world
            .plain
            .git(&["config", "remote.origin.url", "ssh://git@127.0.0.1/x.git"]);
        let request = PushRequest {
            wait: Duration::from_millis(300),
            ..request(&world.head())
        };
        let error = world.reopened().push(&request).unwrap_err();
        assert_eq!(error.code(), "git.push_timed_out");
        assert!(error.hint().unwrap().contains("not repeated"));
        assert_eq!(error.to_string(), "the remote did not answer within 0.3 s");
    }
}

#[test]
fn a_lock_that_a_killed_process_left_does_not_stop_a_push() {
    let (world, _remote) = with_remote();
    let head = world.head();
    let lock = world.plain.path(".git/refs/remotes/origin/amp/x.lock");
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    fs::write(&lock, "").unwrap();
    push(&world, &head).unwrap();
    assert_eq!(tracked(&world), Some(head));
    assert!(!lock.exists());
}
