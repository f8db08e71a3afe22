//! Limits of a process tree: what holds, what is told, and by which layer.

use std::time::{Duration, Instant};

use orchestra_process::{Ended, Exit, LimitLayer, ResourceLimits, TreeLimit};

use crate::supervise::{finish, shell, start_limited};
use crate::support::{directory, read, survivors};

/// What the agent wrote, how it ended and how long that took; nothing of it is left.
fn run(script: &str, limits: &ResourceLimits) -> (String, Ended, Duration) {
    let directory = directory();
    let started = Instant::now();
    let (stdout, _, ended) = finish(&mut start_limited(&shell(script, directory.path()), limits));
    assert_eq!(survivors(directory.path()), [] as [String; 0]);
    (stdout, ended, started.elapsed())
}

#[test]
fn limits_hold_for_the_agent() {
    let limits = ResourceLimits {
        open_files: Some(100),
        processes: Some(5000),
        file_size: Some(1 << 20),
        ..ResourceLimits::default()
    };
    let script = "ulimit -c; ulimit -n; ulimit -f; exec head -c 2000000 /dev/zero > big";
    let (stdout, ended, _) = run(script, &limits);
    assert_eq!(stdout, "0\n100\n2048\n");
    assert_eq!(ended.exit, Exit::Signal(25));
    assert_eq!(ended.exceeded, None);
    let default = ResourceLimits::default();
    assert_eq!(run("ulimit -c", &default).0, "0\n");
}

/// `tail` keeps a line that does not end in memory.
#[test]
fn a_tree_that_uses_too_much_memory_is_ended_and_the_reason_told() {
    let limits = ResourceLimits {
        memory: Some(100 << 20),
        ..ResourceLimits::default()
    };
    let hungry = "for each in 1 2 3; do (head -c 60000000 /dev/zero; sleep 60) | tail & done; wait";
    let (_, ended, took) = run(hungry, &limits);
    let exceeded = ended.exceeded.unwrap();
    println!("memory: {exceeded}; ended after {took:?}");
    assert_eq!(exceeded.limit, TreeLimit::Memory);
    assert_eq!(exceeded.allowed, 100 << 20);
    assert!(exceeded.measured > exceeded.allowed && exceeded.measured < 400 << 20);
    assert_eq!((ended.exit, ended.survivors), (Exit::Signal(9), 0));
    let modest = "head -c 60000000 /dev/zero | tail | wc -c; sleep 1";
    let (stdout, ended, _) = run(modest, &limits);
    assert_eq!((stdout.trim(), ended.exceeded), ("60000000", None));
}

#[test]
fn a_tree_of_too_many_processes_is_ended_and_the_reason_told() {
    let limits = ResourceLimits {
        processes: Some(20),
        ..ResourceLimits::default()
    };
    let many = "for each in $(seq 40); do sleep 60 & done; wait";
    let (_, ended, took) = run(many, &limits);
    let exceeded = ended.exceeded.unwrap();
    println!("processes: {exceeded}; ended after {took:?}");
    assert_eq!(exceeded.limit, TreeLimit::Processes);
    assert_eq!(exceeded.allowed, 20);
    assert!((21..=41).contains(&exceeded.measured));
    let few = "for each in $(seq 10); do sleep 1 & done; wait; echo done";
    let (stdout, ended, _) = run(few, &limits);
    assert_eq!((stdout.as_str(), ended.exceeded), ("done\n", None));
}

/// Where the kernel gives no control group, a busy tree only gets a lower priority.
#[test]
fn processors_are_shared_and_never_a_reason_to_end() {
    let directory = directory();
    let limits = ResourceLimits {
        cpu_percent: Some(80),
        ..ResourceLimits::default()
    };
    let spec = shell(
        "while :; do :; done & sleep 1; nice; kill $!",
        directory.path(),
    );
    let mut supervised = start_limited(&spec, &limits);
    let layers = supervised.limit_layers();
    let (stdout, _, ended) = finish(&mut supervised);
    println!("processors: held by {:?}", layers.cpu);
    assert_eq!((ended.exit, ended.exceeded), (Exit::Code(0), None));
    match layers.cpu {
        Some(LimitLayer::Priority) => {
            assert!(stdout.trim().parse::<u32>().unwrap() >= 10, "{stdout}");
        }
        other => assert_eq!(other, Some(LimitLayer::ControlGroup)),
    }
}

#[test]
fn what_holds_each_limit_is_told() {
    let directory = directory();
    let limits = ResourceLimits {
        memory: Some(1 << 30),
        processes: Some(100),
        ..ResourceLimits::default()
    };
    let mut supervised = start_limited(&shell("exit 0", directory.path()), &limits);
    let layers = supervised.limit_layers();
    finish(&mut supervised);
    let by_tree = [Some(LimitLayer::Sampling), Some(LimitLayer::ControlGroup)];
    assert!(by_tree.contains(&layers.memory) && by_tree.contains(&layers.processes));
    assert_eq!(layers.files, Some(LimitLayer::ProcessLimits));
    assert_eq!(layers.cpu, None);
}

#[test]
fn looking_at_the_tree_costs_little() {
    let directory = directory();
    let limits = ResourceLimits {
        memory: Some(1 << 30),
        processes: Some(100),
        ..ResourceLimits::default()
    };
    let mut supervised = start_limited(&shell("sleep 3", directory.path()), &limits);
    std::thread::sleep(Duration::from_millis(2500));
    let guardian = supervised.guardian_pid().unwrap();
    let stat = read(guardian, "stat");
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    finish(&mut supervised);
    println!("a guardian that looks: {ticks} ticks of 10 ms in 2.5 s");
    assert!(ticks < 25);
}
