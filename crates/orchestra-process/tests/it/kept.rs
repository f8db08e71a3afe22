//! Agents that outlive the process which supervised them, and are taken over by another.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Stdio};
use std::time::Duration;

use orchestra_process::{Exit, Stop, Supervised, has_ended, sweep_marked, take_over};
use tempfile::TempDir;

use crate::supervise::{finish, wait_for_line};
use crate::support::{
    Helper, alive, command, directory, eventually, example, kill, marker, read, survivors,
};

/// Says a line, and another one whenever it is told to go on.
const SPEAKS: &str = "echo before; while ! test -f go; do sleep 0.02; done; echo during; touch said; while ! test -f on; do sleep 0.02; done; echo after; exit 5";
/// Has a child, and stays.
const STAYS: &str = "sleep 60 & echo before; sleep 60";

/// A process that keeps an agent, to be killed; its orphans are collected by another one.
struct Keeper {
    _nursery: Helper,
    lines: BufReader<ChildStdout>,
    directory: TempDir,
    meeting: PathBuf,
    pid: u32,
    guardian: u32,
    agent: u32,
}

impl Keeper {
    fn start(script: &str) -> Self {
        let directory = directory();
        // Longer than the address of a socket may be.
        let inner = directory.path().join("d".repeat(120));
        fs::create_dir(&inner).unwrap();
        let meeting = inner.join("meeting");
        let mut command = command(&example("nursery"));
        command
            .arg(example("keeper"))
            .arg(example("guardian"))
            .arg(&meeting)
            .args([directory.path(), directory.path()])
            .args(["/bin/sh", "-c", script])
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut nursery = Helper::start(&mut command);
        let lines = BufReader::new(nursery.0.stdout.take().unwrap());
        let mut keeper = Self {
            _nursery: nursery,
            lines,
            directory,
            meeting,
            pid: 0,
            guardian: 0,
            agent: 0,
        };
        keeper.pid = keeper.next_number();
        keeper.guardian = keeper.next_number();
        keeper.agent = keeper.next_number();
        assert_eq!(keeper.next_line(), "before\n");
        keeper
    }

    fn next_line(&mut self) -> String {
        let mut said = String::new();
        self.lines.read_line(&mut said).unwrap();
        said
    }

    fn next_number(&mut self) -> u32 {
        let said = self.next_line();
        said.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn kill(&self) {
        kill(self.pid);
        assert!(eventually(|| !alive(self.pid)));
    }

    fn tell(&self, name: &str) {
        fs::write(self.path().join(name), "").unwrap();
    }

    fn take_over(&self) -> Option<Supervised> {
        take_over(&self.meeting, &marker(self.path())).unwrap()
    }

    fn is_held(&self) -> bool {
        let held = File::open(self.meeting.with_extension("held")).unwrap();
        held.try_lock_shared().is_err()
    }

    fn assert_gone(&self) {
        assert!(
            eventually(|| survivors(self.path()).is_empty()),
            "{:?}",
            survivors(self.path())
        );
        assert!(eventually(|| !self.is_held()));
    }
}

#[test]
fn what_was_said_before_during_and_after_the_gap_arrives_in_order() {
    let keeper = Keeper::start(SPEAKS);
    keeper.kill();
    keeper.tell("go");
    assert!(eventually(|| keeper.path().join("said").exists()));
    assert!(alive(keeper.agent) && keeper.is_held());
    let mut taken = keeper.take_over().unwrap();
    assert_eq!(taken.pid(), keeper.agent);
    assert_eq!(wait_for_line(&mut taken), "during\n");
    keeper.tell("on");
    let (stdout, _, ended) = finish(&mut taken);
    assert_eq!((stdout.as_str(), ended.exit), ("after\n", Exit::Code(5)));
    assert!(!ended.guardian_lost);
    keeper.assert_gone();
    assert!(!keeper.meeting.exists());
    assert!(keeper.take_over().is_none());
}

#[test]
fn one_that_ends_while_nobody_looks_is_told_with_its_last_words() {
    let keeper = Keeper::start(SPEAKS);
    keeper.kill();
    keeper.tell("go");
    keeper.tell("on");
    assert!(eventually(|| !alive(keeper.agent)));
    assert!(alive(keeper.guardian) && keeper.is_held());
    assert!(eventually(|| has_ended(&keeper.meeting)));
    let (stdout, _, ended) = finish(&mut keeper.take_over().unwrap());
    assert_eq!(stdout, "during\nafter\n");
    assert_eq!(ended.exit, Exit::Code(5));
    keeper.assert_gone();
    assert!(!has_ended(&keeper.meeting));
}

#[test]
fn only_one_follows_at_a_time() {
    let keeper = Keeper::start(STAYS);
    let busy = take_over(&keeper.meeting, &marker(keeper.path())).unwrap_err();
    assert_eq!(busy.code(), "process.already_followed");
    keeper.kill();
    let mut taken = keeper.take_over().unwrap();
    assert!(take_over(&keeper.meeting, &marker(keeper.path())).is_err());
    taken.stop(Stop::Kill);
    let (_, _, ended) = finish(&mut taken);
    assert_eq!((ended.exit, ended.survivors), (Exit::Signal(9), 0));
    keeper.assert_gone();
}

#[test]
fn whoever_took_over_ends_it_by_dropping_it() {
    let keeper = Keeper::start(STAYS);
    keeper.kill();
    drop(keeper.take_over().unwrap());
    keeper.assert_gone();
}

#[test]
fn one_that_is_let_go_waits_for_the_next() {
    let keeper = Keeper::start(SPEAKS);
    keeper.kill();
    keeper.take_over().unwrap().let_go();
    keeper.tell("go");
    let mut taken = keeper.take_over().unwrap();
    assert_eq!(wait_for_line(&mut taken), "during\n");
    taken.stop(Stop::Kill);
    finish(&mut taken);
    keeper.assert_gone();
}

#[test]
fn a_guardian_that_is_lost_while_it_waits_leaves_nothing_to_take_over() {
    let keeper = Keeper::start(STAYS);
    keeper.kill();
    kill(keeper.guardian);
    assert!(eventually(|| !keeper.is_held()));
    assert!(keeper.take_over().is_none());
    assert!(alive(keeper.agent));
    assert_eq!(sweep_marked(&marker(keeper.path())).survivors, 0);
    keeper.assert_gone();
}

#[test]
fn a_guardian_that_is_lost_later_is_noticed() {
    let keeper = Keeper::start(STAYS);
    keeper.kill();
    let mut taken = keeper.take_over().unwrap();
    kill(keeper.guardian);
    let (_, _, ended) = finish(&mut taken);
    assert!(ended.guardian_lost);
    assert_eq!(ended.survivors, 0);
    keeper.assert_gone();
}

#[test]
fn nothing_is_kept_that_nobody_could_find() {
    let keeper = Keeper::start(STAYS);
    fs::remove_file(&keeper.meeting).unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert!(alive(keeper.agent), "somebody follows it");
    keeper.kill();
    keeper.assert_gone();
}

#[test]
fn an_agent_that_says_much_to_nobody_goes_on() {
    let script = "echo before; while ! test -f go; do sleep 0.02; done; head -c 600000 /dev/zero; touch said; sleep 60";
    let keeper = Keeper::start(script);
    keeper.kill();
    keeper.tell("go");
    assert!(eventually(|| keeper.path().join("said").exists()));
    let status = || read(keeper.guardian, "status");
    assert!(status().contains("Threads:\t1\n"));
    let line = |name: &str| {
        let status = status();
        let line = status.lines().find(|line| line.starts_with(name));
        line.unwrap_or_default().to_owned()
    };
    println!(
        "a guardian left alone: {}; {}",
        line("VmRSS"),
        line("RssAnon")
    );
    let mut taken = keeper.take_over().unwrap();
    taken.stop(Stop::Kill);
    assert_eq!(finish(&mut taken).0.len(), 600_000);
    keeper.assert_gone();
}
