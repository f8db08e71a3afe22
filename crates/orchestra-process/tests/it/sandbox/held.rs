//! A program in a sandbox is supervised like any other: output, stop, limits, sweeping, and what it costs.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{ChildStdout, Stdio};
use std::time::{Duration, Instant};

use orchestra_process::{
    Bounds, Exit, Network, OnLoss, ProcessError, ResourceLimits, Sandbox, SandboxLayer,
    SandboxLayers, Stdin, Stop, StopSignal, TreeLimit, supervise_within, sweep_marked,
};
use rustix::process::Signal;

use super::world::{BOTH, World, layers};
use crate::supervise::{finish, wait_for_line};
use crate::support::{Helper, agent, command, eventually, example, guardian, kill, shape, signal};

const GRACE: Duration = Duration::from_secs(10);

/// Every combination of layers that this machine has.
fn every() -> Vec<SandboxLayers> {
    let alone = [&BOTH[..1], &BOTH[1..], &BOTH[..]];
    alone.into_iter().filter_map(layers).collect()
}

fn open(sandbox: Sandbox) -> Sandbox {
    Sandbox {
        network: Network::Open,
        ..sandbox
    }
}

#[test]
fn output_input_and_exit_code_come_through() {
    for layers in every() {
        let world = World::new();
        let spec = world
            .shell("cat; echo made > made; echo \"$HOLDER_RUN\" >&2; pwd; exit 7")
            .stdin(Stdin::Bytes(b"given\n".to_vec()));
        let mut supervised = world.start(&spec, world.sandbox(layers));
        let (stdout, stderr, ended) = finish(&mut supervised);
        let workspace = world.path("workspace");
        assert_eq!(stdout, format!("given\n{}\n", workspace.display()));
        assert_eq!(stderr.trim(), world.marker().value);
        assert_eq!(ended.exit, Exit::Code(7));
        assert_eq!(
            fs::read_to_string(workspace.join("made")).unwrap(),
            "made\n"
        );
        assert!(eventually(|| world.left().is_empty()), "{:?}", world.left());
    }
}

#[test]
fn files_are_as_the_sandbox_says() {
    for layers in every() {
        let world = World::new();
        let has_own_files = layers.bubblewrap.is_some();
        let script = "for file in cache/a main/a home/.bashrc /etc/hostname; do \
            (echo x >> ../$file || echo x >> $file) 2>/dev/null && echo \"$file written\"; done; \
            for file in home/.ssh/id home/.netrc data/store.db home/.bashrc; do \
            cat ../$file >/dev/null 2>&1 && echo \"$file read\"; done; \
            echo x > /dev/null && echo null; \
            echo x > /tmp/orchestra-process-own 2>/dev/null && echo own; true";
        let (stdout, ..) = finish(&mut world.start(&world.shell(script), world.sandbox(layers)));
        let own = if has_own_files { "own\n" } else { "" };
        let expected = format!("cache/a written\nhome/.bashrc read\nnull\n{own}");
        assert_eq!(stdout, expected);
        assert!(!Path::new("/tmp/orchestra-process-own").exists());
        assert_eq!(
            fs::read_to_string(world.path("home/.bashrc")).unwrap(),
            "secret\n"
        );
    }
}

#[test]
fn a_polite_stop_reaches_the_program_itself() {
    for layers in every() {
        let world = World::new();
        let script = "trap 'echo asked; exit 3' INT; echo ready; while :; do sleep 0.05; done";
        let mut supervised = world.start(&world.shell(script), world.sandbox(layers));
        assert_eq!(wait_for_line(&mut supervised), "ready\n");
        let signal = StopSignal::Interrupt;
        supervised.stop(Stop::Graceful {
            signal,
            grace: GRACE,
        });
        let (stdout, _, ended) = finish(&mut supervised);
        assert_eq!((stdout.as_str(), ended.exit), ("asked\n", Exit::Code(3)));
        assert!(eventually(|| world.left().is_empty()), "{:?}", world.left());
    }
}

#[test]
fn one_that_does_not_listen_is_killed_with_all_that_left_its_session() {
    for layers in every() {
        for name in ["daemon", "double-fork", "ignores-signals", "own-subreaper"] {
            let world = World::new();
            let spec =
                agent(&shape(), &world.path("workspace")).args([name.into(), world.path("cache")]);
            let mut supervised = world.start(&spec, world.sandbox(layers.clone()));
            let count = || fs::read_dir(world.path("cache")).unwrap().count();
            assert!(eventually(|| count() >= 2), "{name} does not start");
            let (signal, grace) = (StopSignal::Terminate, Duration::from_millis(100));
            supervised.stop(Stop::Graceful { signal, grace });
            let (.., ended) = finish(&mut supervised);
            assert_eq!(ended.survivors, 0);
            assert!(
                eventually(|| world.left().is_empty()),
                "{name}: {:?}",
                world.left()
            );
        }
    }
}

/// A process that holds a program in a sandbox, since one that loses a guardian ends what it does not know.
fn holder(world: &World, layers: &SandboxLayers) -> (Helper, BufReader<ChildStdout>, u32) {
    let mut command = command(&example("sandboxed"));
    command
        .args(["hold".into(), example("guardian"), world.path("workspace")])
        .arg(world.marker().value)
        .args(layers.landlock.map(|_| "landlock"))
        .args(layers.bubblewrap.as_ref().map(|_| "bubblewrap"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut holder = Helper::start(&mut command);
    let mut lines = BufReader::new(holder.0.stdout.take().unwrap());
    let guardian = line(&mut lines);
    let guardian = guardian.trim().strip_prefix("guardian ").unwrap();
    let guardian = guardian.parse().unwrap();
    assert_eq!(line(&mut lines), "ready\n");
    (holder, lines, guardian)
}

fn line(lines: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    line
}

#[test]
fn a_guardian_that_is_killed_takes_the_sandbox_along() {
    for layers in every() {
        let world = World::new();
        let (_holder, mut lines, guardian) = holder(&world, &layers);
        kill(guardian);
        assert_eq!(line(&mut lines), "lost true\n");
        assert!(eventually(|| world.left().is_empty()), "{:?}", world.left());
    }
}

#[test]
fn leftovers_are_found_by_their_marker() {
    for layers in every() {
        let world = World::new();
        let (holder, _lines, _) = holder(&world, &layers);
        signal(holder.pid(), Signal::STOP);
        let swept = sweep_marked(&world.marker());
        assert!(swept.killed >= 4, "{swept:?}");
        assert_eq!(swept.survivors, 0);
        drop(holder);
        assert!(eventually(|| world.left().is_empty()), "{:?}", world.left());
    }
}

#[test]
fn limits_hold_in_a_sandbox() {
    for layers in every() {
        let world = World::new();
        let limits = ResourceLimits {
            memory: Some(100 << 20),
            open_files: Some(99),
            ..ResourceLimits::default()
        };
        let hungry = "ulimit -n; for each in 1 2 3; do (head -c 60000000 /dev/zero; sleep 60) | tail & done; wait";
        let spec = world.shell(hungry);
        let mut supervised = world.start_limited(&spec, world.sandbox(layers), limits);
        let (stdout, _, ended) = finish(&mut supervised);
        assert_eq!(stdout, "99\n");
        assert_eq!(ended.exceeded.unwrap().limit, TreeLimit::Memory);
        assert_eq!(ended.survivors, 0);
        assert!(eventually(|| world.left().is_empty()), "{:?}", world.left());
    }
}

#[test]
fn what_cannot_be_held_is_not_started() {
    let world = World::new();
    let refused = |sandbox: Sandbox, program: &str| {
        let spec = agent(Path::new(program), &world.path("workspace"));
        let bounds = Bounds {
            limits: ResourceLimits::default(),
            sandbox: Some(sandbox),
        };
        let marker = world.marker();
        let error = supervise_within(&guardian(), &spec, &bounds, &marker, OnLoss::End);
        error.unwrap_err()
    };
    let nothing = refused(world.sandbox(SandboxLayers::default()), "/bin/true");
    assert_eq!(nothing.code(), "sandbox.no_layer");
    let old = SandboxLayers {
        landlock: Some(3),
        ..SandboxLayers::default()
    };
    let network = refused(world.sandbox(old.clone()), "/bin/true");
    assert_eq!(network.code(), "sandbox.network_not_held");
    let mut nowhere = open(world.sandbox(old.clone()));
    nowhere.writable.push(world.path("nowhere"));
    assert_eq!(refused(nowhere, "/bin/true").code(), "sandbox.unwritable");
    let missing = refused(open(world.sandbox(old)), "/no/such/program");
    assert!(matches!(missing, ProcessError::ProgramNotFound { .. }));
    let without = SandboxLayers::present(Some("/nowhere".as_ref()));
    let error = without.require(&[SandboxLayer::Bubblewrap]).unwrap_err();
    assert_eq!(error.code(), "sandbox.missing_layer");
}

fn time(world: &World, sandbox: Option<&Sandbox>) -> Duration {
    let bounds = Bounds {
        limits: ResourceLimits::default(),
        sandbox: sandbox.cloned(),
    };
    let (spec, marker) = (world.shell("exit 0"), world.marker());
    let started = Instant::now();
    let supervised = supervise_within(&guardian(), &spec, &bounds, &marker, OnLoss::End);
    finish(&mut supervised.unwrap());
    started.elapsed()
}

/// Each run with a sandbox is next to one without. Tests beside this one slow down both, and bubblewrap more than most, so the
/// quickest runs decide.
#[test]
fn a_sandbox_costs_less_than_fifty_milliseconds() {
    const COUNT: usize = 31;
    let world = World::new();
    for layers in every() {
        let names = layers.names();
        let sandbox = world.sandbox(layers);
        let pairs = (0..COUNT).map(|_| (time(&world, None), time(&world, Some(&sandbox))));
        let (mut plain, mut held): (Vec<_>, Vec<_>) = pairs.unzip();
        plain.sort();
        held.sort();
        let overhead = |at: usize| held[at].saturating_sub(plain[at]);
        let (quickest, median) = (overhead(0), overhead(COUNT / 2));
        println!("{names:?}: median of {COUNT} spawns {median:?} more, quickest {quickest:?} more");
        assert!(quickest < Duration::from_millis(50));
    }
}
