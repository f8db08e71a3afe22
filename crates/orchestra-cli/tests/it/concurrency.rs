//! Many at once: creating, iterating, and never waiting for each other.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail like the tests they help"
)]

pub(crate) mod world;

use std::collections::BTreeSet;
use std::process::{Child, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use orchestra_testkit::wait_until;
use world::{Made, PATIENCE, World, shown};

use crate::ran::Ran;

const EDIT: &str = "[[step]]\ndo = 'append'\npath = 'journal.txt'\ntext = \"entry\\n\"\n\
                    [[step]]\ndo = 'message'\ntext = 'Done.'\n";

#[test]
fn sixteen_processes_create_at_once() {
    let world = World::new(EDIT);
    let outputs = world.all_at_once((0..16).map(|number| {
        let name = format!("made-{number}");
        vec!["new", "--json", "--prompt", "Do it", "--name"]
            .into_iter()
            .map(str::to_owned)
            .chain([name])
            .collect()
    }));
    for output in &outputs {
        assert!(output.status.success(), "{}", shown(output));
    }
    let made: Vec<_> = outputs
        .iter()
        .map(|output| Made::from_json(&Ran::from(output.clone()).json()["session"]))
        .collect();
    let distinct = |field: fn(&Made) -> String| made.iter().map(field).collect::<BTreeSet<_>>();
    assert_eq!(distinct(|made| made.id.clone()).len(), 16);
    assert_eq!(distinct(|made| made.branch.clone()).len(), 16);
    assert_eq!(
        distinct(|made| made.worktree.display().to_string()).len(),
        16
    );
    for made in &made {
        let worktree = world.repository.at(&made.worktree);
        assert_eq!(worktree.git(&["status", "--porcelain"]), "");
        assert_eq!(worktree.head(), world.repository.head());
    }
    assert_eq!(world.sessions().len(), 16);
    world.assert_whole("16 at once");
    println!("new at once 16, succeeded 16");
}

#[test]
fn of_sixteen_with_one_name_one_wins() {
    let world = World::new(EDIT);
    let same = ["new", "--json", "--prompt", "Do it", "--name", "same"].map(str::to_owned);
    let outputs = world.all_at_once((0..16).map(|_| same.to_vec()));
    let (won, lost): (Vec<_>, Vec<_>) = outputs
        .into_iter()
        .partition(|output| output.status.success());
    assert_eq!(won.len(), 1);
    for output in &lost {
        assert_eq!(output.status.code(), Some(3), "{}", shown(output));
        assert!(
            shown(output).contains("session.name_taken"),
            "{}",
            shown(output)
        );
    }
    assert_eq!(world.sessions().len(), 1);
    world.assert_whole("16 with one name");
    println!("new with one name 16, succeeded 1, refused {}", lost.len());
}

#[test]
fn eight_sessions_iterate_at_once() {
    let world = World::new(EDIT);
    let sessions: Vec<_> = (0..8)
        .map(|number| world.create(&format!("made-{number}"), &[]))
        .collect();
    let orders = sessions.iter();
    let outputs =
        world.all_at_once(orders.map(|made| ["iterate", &made.id].map(str::to_owned).to_vec()));
    for output in &outputs {
        assert!(output.status.success(), "{}", shown(output));
    }
    for session in &sessions {
        let range = format!("main..{}", session.branch);
        assert_eq!(world.repository.git(&["rev-list", "--count", &range]), "1");
        let journal = format!("{}:journal.txt", session.branch);
        assert_eq!(world.repository.git(&["show", &journal]), "entry");
    }
    world.assert_whole("8 iterate at once");
    println!("iterate at once 8, succeeded 8");
}

/// The benchmarks compare closely; here even a loaded machine stays far below what waiting for each other would cost.
#[test]
fn eight_at_once_take_about_as_long_as_one() {
    let wait = Duration::from_secs(3);
    let world = World::new(&format!(
        "[[step]]\ndo = 'sleep'\nmilliseconds = {}\n{EDIT}",
        wait.as_millis()
    ));
    let sessions: Vec<_> = (0..8)
        .map(|number| world.create(&format!("made-{number}"), &[]))
        .collect();
    let alone = world.timed_iterate(&sessions[0]);
    let together: Vec<Duration> = std::thread::scope(|scope| {
        let started: Vec<_> = sessions
            .iter()
            .map(|made| scope.spawn(|| world.timed_iterate(made)))
            .collect();
        started.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let mean = together.iter().sum::<Duration>() / 8;
    println!("iterate alone {alone:?}, 8 at once {mean:?} each");
    assert!(alone >= wait, "{alone:?}");
    assert!(mean < alone * 2, "alone {alone:?}, together {together:?}");
}

#[test]
fn of_two_iterates_of_one_session_one_is_refused() {
    let go_on = tempfile::tempdir().unwrap();
    let go = go_on.path().join("go");
    let world = World::new(&format!(
        "[[step]]\ndo = 'wait_for_file'\npath = {go:?}\n{EDIT}"
    ));
    world.create("shared", &[]);
    let rounds = 4;
    for round in 1..=rounds {
        let order = || world.start(&["iterate", "shared", "--json"]);
        let mut children = [order(), order()];
        wait_until("one is refused", PATIENCE, || {
            children
                .iter_mut()
                .any(|child| child.try_wait().unwrap().is_some())
        });
        std::fs::write(&go, "").unwrap();
        let outputs = children.map(|child| child.wait_with_output().unwrap());
        let refused: Vec<_> = outputs.iter().filter(|it| !it.status.success()).collect();
        assert_eq!(refused.len(), 1, "round {round}");
        assert_eq!(refused[0].status.code(), Some(3), "{}", shown(refused[0]));
        assert!(
            shown(refused[0]).contains("session.busy"),
            "{}",
            shown(refused[0])
        );
        assert_eq!(world.count("SELECT count(*) FROM iterations"), round);
        std::fs::remove_file(&go).unwrap();
    }
    println!("pairs {rounds}, refused {rounds}");
}

#[test]
fn sessions_do_not_wait_for_one_that_runs() {
    let go_on = tempfile::tempdir().unwrap();
    let go = go_on.path().join("go");
    let world = World::new(&format!(
        "[[turn]]\nsteps = [{{ do = 'wait_for_file', path = {go:?} }}]\n"
    ));
    let quick = world.sandbox.scenario(EDIT);
    world.create("slow", &[]);
    world.succeed(&["iterate", "slow", "--detach"]);
    let running = "SELECT count(*) FROM iterations WHERE outcome IS NULL";
    let other = world.create("other", &["--script", "true"]);
    let agent = world.sandbox.agent_command();
    let agent = format!("{agent} --fake-scenario {}", quick.display());
    let iterate = world
        .session(&["iterate", "other"])
        .env("ORCHESTRA_AGENTS_AMP_COMMAND", agent)
        .output()
        .unwrap();
    assert!(iterate.status.success(), "{}", shown(&iterate));
    std::fs::write(other.worktree.join("by-hand.txt"), "by hand").unwrap();
    world.succeed(&["commit", "other", "--message", "By hand"]);
    for arguments in [
        &["run", "other"][..],
        &["diff", "other", "--stat"],
        &["log", "other"],
        &["status", "slow"],
        &["diff", "slow"],
        &["list"],
        &["set", "slow", "notes", "seen"],
    ] {
        world.succeed(arguments);
    }
    assert_eq!(world.count(running), 1, "the slow one ran all the time");
    std::fs::write(&go, "").unwrap();
    world.succeed(&["wait", "slow"]);
    world.assert_whole("after waiting for nobody");
}

#[test]
fn whoever_only_looks_is_never_in_the_way() {
    let world = World::new(EDIT);
    let session = world.create("watched", &[]);
    let over = AtomicBool::new(false);
    let rounds = 8;
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    world.succeed(&["list", "--json"]);
                    world.succeed(&["status", "watched", "--json"]);
                }
            });
        }
        for round in 0..rounds {
            let output = world.session(&["iterate", "watched"]).output().unwrap();
            let failed = !output.status.success();
            over.store(failed || round + 1 == rounds, Ordering::Relaxed);
            assert!(!failed, "round {round}: {}", shown(&output));
        }
    });
    let range = format!("main..{}", session.branch);
    let commits = world.repository.git(&["rev-list", "--count", &range]);
    assert_eq!(commits, rounds.to_string());
}

impl World {
    /// How long one iteration takes, the command included.
    fn timed_iterate(&self, made: &Made) -> Duration {
        let start = Instant::now();
        self.succeed(&["iterate", &made.id]);
        start.elapsed()
    }

    /// Starts `orchestra session ...` and goes on.
    fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.session(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Starts all before any is waited for.
    fn all_at_once(&self, orders: impl Iterator<Item = Vec<String>>) -> Vec<Output> {
        let start = |order: Vec<String>| {
            let words: Vec<&str> = order.iter().map(String::as_str).collect();
            self.start(&words)
        };
        let children: Vec<_> = orders.map(start).collect();
        children
            .into_iter()
            .map(|child| child.wait_with_output().unwrap())
            .collect()
    }
}
