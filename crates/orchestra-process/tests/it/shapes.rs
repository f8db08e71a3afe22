//! Every shape of process tree that agents make: none may survive.

use std::fs;
use std::path::Path;
use std::time::Duration;

use orchestra_process::{
    Ended, Marker, OnLoss, ProcessEvent, ResourceLimits, Stop, StopSignal, supervise, sweep_marked,
};
use rustix::process::Signal;

use crate::support::{
    Holder, MARKER, agent, directory, eventually, guardian, has_heartbeat, kill, marker, shape,
    signal, survivors,
};

/// A shape, and how many processes it has at least once it is complete.
const SHAPES: [(&str, usize); 15] = [
    ("plain", 2),
    ("session", 2),
    ("group", 2),
    ("double-fork", 3),
    ("ignores-signals", 3),
    ("nohup", 3),
    ("closed-stdio", 3),
    ("fork-loop", 100),
    ("respawns", 5),
    ("background", 4),
    ("stopped", 2),
    ("no-environment", 4),
    ("own-subreaper", 5),
    ("daemon", 4),
    ("hops", 2),
];

#[test]
fn nothing_survives_a_kill() {
    let counts = each_shape(|name, count| {
        let ended = run_and_stop(name, count, Stop::Kill);
        assert!(!ended.guardian_lost, "{name}");
        assert_eq!(ended.survivors, 0, "{name}");
    });
    println!("kill: {counts}");
}

#[test]
fn nothing_survives_a_graceful_stop() {
    let grace = Duration::from_millis(200);
    let counts = each_shape(|name, count| {
        let signal = StopSignal::Terminate;
        let ended = run_and_stop(name, count, Stop::Graceful { signal, grace });
        assert_eq!(ended.survivors, 0, "{name}");
    });
    println!("graceful stop: {counts}");
}

#[test]
fn nothing_survives_the_loss_of_the_supervising_process() {
    let counts = each_shape(|name, count| {
        let directory = directory();
        let holder = Holder::start(name, directory.path());
        complete(name, count, directory.path());
        kill(holder.pid);
        assert_gone(name, directory.path());
    });
    println!("kill -9 of the supervising process: {counts}");
}

#[test]
fn nothing_survives_the_loss_of_the_guardian() {
    let counts = each_shape(|name, count| {
        let directory = directory();
        let mut holder = Holder::start(name, directory.path());
        complete(name, count, directory.path());
        kill(holder.guardians[0]);
        let said = holder.last_words();
        assert!(said.starts_with("ended 0 lost true"), "{name}: {said}");
        assert_gone(name, directory.path());
    });
    println!("kill -9 of the guardian: {counts}");
}

/// Shapes that clear their environment are beyond a sweep by marker, which is why there is a
/// guardian; this is for the case that it died together with the supervising process.
#[test]
fn a_sweep_ends_what_is_left_when_both_are_lost() {
    let mut count = 0;
    for (name, processes) in SHAPES {
        if ["no-environment", "daemon"].contains(&name) {
            continue;
        }
        let directory = directory();
        let holder = Holder::start(name, directory.path());
        complete(name, processes, directory.path());
        signal(holder.pid, Signal::STOP);
        kill(holder.guardians[0]);
        kill(holder.pid);
        let run = format!("{}/0", directory.path().display());
        let swept = sweep_marked(&Marker::new(MARKER, run));
        assert_eq!(swept.survivors, 0, "{name}: {swept:?}");
        assert_gone(name, directory.path());
        count += 1;
    }
    println!("both killed, then swept: shapes {count}, survivors 0");
}

/// What was checked, in words for the test output.
fn each_shape(check: impl Fn(&str, usize)) -> String {
    for (name, count) in SHAPES {
        check(name, count);
    }
    format!("shapes {}, survivors 0", SHAPES.len())
}

fn run_and_stop(name: &str, count: usize, how: Stop) -> Ended {
    let directory = directory();
    let spec = agent(&shape(), directory.path()).args([name.as_ref(), directory.path()]);
    let limits = ResourceLimits::default();
    let marker = marker(directory.path());
    let mut supervised = supervise(&guardian(), &spec, &limits, &marker, OnLoss::End).unwrap();
    complete(name, count, directory.path());
    supervised.stop(how);
    let ended = loop {
        match supervised.next(Duration::from_secs(20)) {
            Some(ProcessEvent::Exited(ended)) => break ended,
            Some(_) => {}
            None => panic!("{name} does not end"),
        }
    };
    assert_eq!(survivors(directory.path()), [] as [String; 0], "{name}");
    assert!(name != "hops" || !has_heartbeat(directory.path()));
    ended
}

fn complete(name: &str, count: usize, directory: &Path) {
    let files = || fs::read_dir(directory).unwrap().count();
    assert!(
        eventually(|| files() >= count),
        "{name} has only {}",
        files()
    );
}

fn assert_gone(name: &str, directory: &Path) {
    assert!(
        eventually(|| survivors(directory).is_empty()),
        "{name} left {:?}",
        survivors(directory)
    );
    assert!(
        name != "hops" || !has_heartbeat(directory),
        "{name} goes on"
    );
}
