//! Agents under a guardian: output, input, stop, limits, secrets.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use orchestra_process::{
    CommandSpec, Ended, Exit, Guardian, Limits, Marker, OnLoss, ProcessError, ProcessEvent,
    ResourceLimits, Stdin, Stop, StopSignal, Supervised, capture, supervise,
};
use rustix::process::Signal;

use crate::support::{
    Holder, agent, alive, directory, eventually, guardian, has_children, kill, marker, pids, read,
    shape, signal, survivors,
};

const LONG: Duration = Duration::from_secs(20);

pub(crate) fn shell(script: &str, directory: &Path) -> CommandSpec {
    agent(Path::new("/bin/sh"), directory).args(["-c", script])
}

fn start(spec: &CommandSpec) -> Supervised {
    start_limited(spec, &ResourceLimits::default())
}

pub(crate) fn start_limited(spec: &CommandSpec, limits: &ResourceLimits) -> Supervised {
    let marker = marker(&spec.cwd);
    supervise(&guardian(), spec, limits, &marker, OnLoss::End).unwrap()
}

/// Everything an agent wrote, and how it ended.
pub(crate) fn finish(supervised: &mut Supervised) -> (String, String, Ended) {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    loop {
        match supervised.next(LONG) {
            Some(ProcessEvent::Stdout(bytes)) => stdout.extend(bytes),
            Some(ProcessEvent::Stderr(bytes)) => stderr.extend(bytes),
            Some(ProcessEvent::Exited(ended)) => {
                let text = |bytes| String::from_utf8(bytes).unwrap();
                return (text(stdout), text(stderr), ended);
            }
            None => panic!("the agent does not end"),
        }
    }
}

fn run(script: &str, limits: &ResourceLimits) -> (String, String, Ended) {
    let directory = directory();
    finish(&mut start_limited(&shell(script, directory.path()), limits))
}

pub(crate) fn wait_for_line(supervised: &mut Supervised) -> String {
    match supervised.next(LONG) {
        Some(ProcessEvent::Stdout(bytes)) => String::from_utf8(bytes).unwrap(),
        other => panic!("no line but {other:?}"),
    }
}

#[test]
fn both_streams_and_the_exit_arrive_and_then_nothing() {
    let directory = directory();
    let mut supervised = start(&shell("echo out; echo err >&2; exit 3", directory.path()));
    let (stdout, stderr, ended) = finish(&mut supervised);
    assert_eq!((stdout.as_str(), stderr.as_str()), ("out\n", "err\n"));
    assert_eq!(ended.exit, Exit::Code(3));
    assert_eq!(
        (ended.swept, ended.survivors, ended.guardian_lost),
        (0, 0, false)
    );
    assert_eq!(supervised.next(Duration::ZERO), None);
    assert_eq!(supervised.guardian_pid(), None);
}

#[test]
fn an_agent_that_dies_by_signal_is_told_as_such() {
    let (_, _, ended) = run("kill -SEGV $$", &ResourceLimits::default());
    assert_eq!(ended.exit, Exit::Signal(11));
}

#[test]
fn the_environment_is_exact_and_there_is_no_terminal() {
    let script = "env; tty; (: </dev/tty) 2>&1 | grep -c 'No such device'";
    let directory = directory();
    let (stdout, _, _) = finish(&mut start(&shell(script, directory.path())));
    let mut lines: Vec<&str> = stdout.lines().collect();
    lines.sort_unstable();
    let marker = format!("HOLDER_RUN={}", directory.path().display());
    let pwd = format!("PWD={}", directory.path().display());
    assert_eq!(
        lines,
        ["1", &marker, "PATH=/usr/bin:/bin", &pwd, "not a tty"]
    );
}

#[test]
fn five_megabytes_of_input_are_read_while_output_flows() {
    let directory = directory();
    let input: Vec<u8> = (0..5_000_000_u32)
        .map(|number| (number % 90) as u8 + 33)
        .collect();
    let spec = agent(Path::new("/bin/cat"), directory.path()).stdin(Stdin::Bytes(input.clone()));
    let (stdout, _, ended) = finish(&mut start(&spec));
    assert!(stdout.as_bytes() == input);
    assert_eq!(ended.exit, Exit::Code(0));
}

#[test]
fn the_agent_inherits_nothing_but_its_streams() {
    let directory = directory();
    let spec = agent(Path::new("/bin/ls"), directory.path()).arg("/proc/self/fd");
    let limits = Limits {
        timeout: LONG,
        max_output: 1 << 20,
    };
    let usual = capture(&spec, limits).unwrap().stdout;
    let (stdout, _, _) = finish(&mut start(&spec.stdin(Stdin::Bytes(b"x".to_vec()))));
    assert_eq!(stdout.as_bytes(), usual);
}

#[test]
fn a_stopped_agent_hears_a_graceful_stop() {
    let directory = directory();
    let script = "trap 'exit 6' TERM; echo ready; kill -STOP $$; while :; do sleep 0.02; done";
    let mut supervised = start(&shell(script, directory.path()));
    wait_for_line(&mut supervised);
    assert!(eventually(
        || read(supervised.pid(), "status").contains("(stopped)")
    ));
    let signal = StopSignal::Terminate;
    supervised.stop(Stop::Graceful {
        signal,
        grace: LONG,
    });
    assert_eq!(finish(&mut supervised).2.exit, Exit::Code(6));
}

#[test]
fn input_that_nobody_reads_is_no_problem() {
    let directory = directory();
    let spec = shell("exec <&-; echo done", directory.path());
    let (stdout, _, ended) = finish(&mut start(&spec.stdin(Stdin::Bytes(vec![0; 1 << 20]))));
    assert_eq!((stdout.as_str(), ended.exit), ("done\n", Exit::Code(0)));
}

#[test]
fn an_agent_is_sent_more_while_it_runs() {
    let directory = directory();
    let spec = shell(
        "while read line; do echo \"heard $line\"; done; echo end",
        directory.path(),
    );
    let mut supervised = start(&spec.stdin(Stdin::Open(b"one\n".to_vec())));
    assert_eq!(wait_for_line(&mut supervised), "heard one\n");
    supervised.send(b"two\n");
    assert_eq!(wait_for_line(&mut supervised), "heard two\n");
    supervised.send(b"three\n");
    supervised.close_input();
    let (stdout, _, ended) = finish(&mut supervised);
    assert_eq!(stdout, "heard three\nend\n");
    assert_eq!(ended.exit, Exit::Code(0));
}

#[test]
fn what_is_sent_to_an_agent_that_reads_no_more_is_no_problem() {
    let directory = directory();
    let spec = shell("exec <&-; echo closed; sleep 0.2", directory.path());
    let mut supervised = start(&spec.stdin(Stdin::Open(Vec::new())));
    assert_eq!(wait_for_line(&mut supervised), "closed\n");
    supervised.send(&vec![b'x'; 1 << 20]);
    assert_eq!(finish(&mut supervised).2.exit, Exit::Code(0));
}

#[test]
fn much_output_needs_little_memory() {
    let directory = directory();
    let mut supervised = start(&shell("head -c 67108864 /dev/zero", directory.path()));
    let guardian = supervised.guardian_pid().unwrap();
    let memory = |pid: u32| {
        let status = read(pid, "status");
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        line.map_or(0, |line| {
            line.split_whitespace().nth(1).unwrap().parse().unwrap()
        })
    };
    let before: u64 = memory(std::process::id());
    let (mut seen, mut most, mut guardian_most) = (0, before, 0);
    while let Some(ProcessEvent::Stdout(bytes)) = supervised.next(LONG) {
        if seen % (1 << 20) < bytes.len() {
            most = most.max(memory(std::process::id()));
            guardian_most = guardian_most.max(memory(guardian));
        }
        seen += bytes.len();
    }
    println!(
        "64 MiB of output: {} KiB more here, guardian {guardian_most} KiB",
        most - before
    );
    assert_eq!(seen, 64 << 20);
    assert!(most - before < 16 << 10);
    assert!(guardian_most < 8 << 10);
}

#[test]
fn an_agent_that_ends_first_takes_its_children_with_it() {
    let directory = directory();
    let spec = agent(&shape(), directory.path()).args(["ends-first".as_ref(), directory.path()]);
    let started = Instant::now();
    let (_, _, ended) = finish(&mut start(&spec));
    assert_eq!((ended.exit, ended.swept), (Exit::Code(0), 1));
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(survivors(directory.path()), [] as [String; 0]);
}

#[test]
fn a_graceful_stop_lets_the_agent_say_goodbye() {
    for (signal, name) in [
        (StopSignal::Terminate, "TERM"),
        (StopSignal::Interrupt, "INT"),
    ] {
        let directory = directory();
        let script =
            format!("trap 'echo bye; exit 7' {name}; echo ready; while :; do sleep 0.02; done");
        let mut supervised = start(&shell(&script, directory.path()));
        assert_eq!(wait_for_line(&mut supervised), "ready\n");
        let asked = Instant::now();
        supervised.stop(Stop::Graceful {
            signal,
            grace: LONG,
        });
        let (stdout, _, ended) = finish(&mut supervised);
        assert_eq!((stdout.as_str(), ended.exit), ("bye\n", Exit::Code(7)));
        assert!(asked.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn an_agent_that_ignores_the_request_is_killed_after_the_grace() {
    let directory = directory();
    let script = "trap '' TERM; echo ready; while :; do sleep 0.05; done";
    let mut supervised = start(&shell(script, directory.path()));
    wait_for_line(&mut supervised);
    let asked = Instant::now();
    let (signal, grace) = (StopSignal::Terminate, Duration::from_millis(300));
    supervised.stop(Stop::Graceful { signal, grace });
    let (_, _, ended) = finish(&mut supervised);
    assert_eq!(ended.exit, Exit::Signal(9));
    assert!(asked.elapsed() >= grace && asked.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_second_stop_does_not_wait_for_the_grace_of_the_first() {
    let directory = directory();
    let mut supervised = start(&shell(
        "trap '' INT; echo ready; sleep 60",
        directory.path(),
    ));
    wait_for_line(&mut supervised);
    let stopper = supervised.stopper();
    let asked = Instant::now();
    let other = thread::spawn(move || {
        stopper.stop(Stop::Graceful {
            signal: StopSignal::Interrupt,
            grace: LONG,
        });
        thread::sleep(Duration::from_millis(100));
        stopper.stop(Stop::Kill);
    });
    let (_, _, ended) = finish(&mut supervised);
    other.join().unwrap();
    assert_eq!(ended.exit, Exit::Signal(9));
    assert!(asked.elapsed() < Duration::from_secs(5));
    supervised.stop(Stop::Kill);
}

#[test]
fn dropping_it_ends_the_tree_even_while_a_stopper_is_held() {
    let directory = directory();
    let mut supervised = start(&shell("sleep 60 & echo ready; sleep 60", directory.path()));
    wait_for_line(&mut supervised);
    let (agent, stopper) = (supervised.pid(), supervised.stopper());
    assert!(alive(agent));
    drop(supervised);
    assert!(eventually(|| survivors(directory.path()).is_empty()));
    stopper.stop(Stop::Kill);
}

#[test]
fn a_guardian_that_is_told_to_end_ends_the_tree_first() {
    let directory = directory();
    let mut supervised = start(&shell("sleep 60 & echo ready; sleep 60", directory.path()));
    wait_for_line(&mut supervised);
    signal(supervised.guardian_pid().unwrap(), Signal::TERM);
    let (_, _, ended) = finish(&mut supervised);
    assert_eq!(ended.exit, Exit::Signal(9));
    assert!(ended.swept >= 1 && !ended.guardian_lost);
}

#[test]
fn a_lost_guardian_costs_only_its_own_tree() {
    let directory = directory();
    let mut holder = Holder::start_several(3, "no-environment", directory.path());
    let trees = || {
        survivors(directory.path())
            .iter()
            .filter(|it| it.contains(" leaf "))
            .count()
    };
    assert!(eventually(|| trees() == 3));
    kill(holder.guardians[1]);
    assert!(holder.last_words().starts_with("ended 1 lost true"));
    assert_eq!(trees(), 2);
    assert!(alive(holder.guardians[0]) && alive(holder.guardians[2]));
    kill(holder.pid);
    assert!(eventually(|| survivors(directory.path()).is_empty()));
}

#[test]
fn secrets_are_not_in_the_process_table() {
    let directory = directory();
    let (in_env, in_input) = ("env-secret-7f3a9c", "input-secret-51bd20");
    let spec = shell("echo ready; sleep 60", directory.path())
        .env("API_KEY", in_env)
        .stdin(Stdin::Bytes(in_input.into()));
    let mut supervised = start(&spec);
    wait_for_line(&mut supervised);
    let guardian = supervised.guardian_pid().unwrap();
    for pid in pids() {
        let words = read(pid, "cmdline");
        assert!(
            !words.contains(in_env) && !words.contains(in_input),
            "{pid}"
        );
    }
    let environment = read(guardian, "environ");
    assert_eq!(
        environment,
        format!("HOLDER_RUN={}\0", directory.path().display())
    );
    assert_eq!(read(guardian, "cmdline").matches('\0').count(), 1);
    assert!(read(supervised.pid(), "environ").contains(in_env));
}

#[test]
fn failures_to_start_are_told_apart_and_leave_no_guardian() {
    let directory = directory();
    let fail = |guardian: &Guardian, spec: &CommandSpec| -> ProcessError {
        let marker = Marker::new("HOLDER_RUN", directory.path().to_string_lossy());
        let limits = ResourceLimits::default();
        supervise(guardian, spec, &limits, &marker, OnLoss::End).unwrap_err()
    };
    let good = guardian();
    let missing = fail(&good, &agent(Path::new("no-such-agent"), directory.path()));
    assert_eq!(missing.code(), "process.program_not_found");
    let forbidden = fail(&good, &agent(Path::new("/etc/passwd"), directory.path()));
    assert_eq!(forbidden.code(), "process.not_executable");
    let nowhere = fail(
        &good,
        &agent(Path::new("/bin/sh"), Path::new("/no/such/directory")),
    );
    assert_eq!(nowhere.code(), "process.working_directory");
    let no_guardian = Guardian {
        program: "/no/such/guardian".into(),
        args: Vec::new(),
    };
    let spec = agent(Path::new("/bin/true"), directory.path());
    assert_eq!(
        fail(&no_guardian, &spec).code(),
        "process.program_not_found"
    );
    let wrong_guardian = Guardian {
        program: "/bin/true".into(),
        args: Vec::new(),
    };
    assert_eq!(
        fail(&wrong_guardian, &spec).code(),
        "process.guardian_failed"
    );
    assert!(eventually(|| survivors(directory.path()).is_empty()));
    assert!(eventually(|| !has_children("true")));
}

#[test]
fn a_guardian_is_small_and_quick() {
    let directory = directory();
    let spec = agent(Path::new("/bin/true"), directory.path());
    let mut best = Duration::MAX;
    for _ in 0..20 {
        let started = Instant::now();
        finish(&mut start(&spec));
        best = best.min(started.elapsed());
    }
    let idle = start(&shell("echo ready; sleep 60", directory.path()));
    let status = read(idle.guardian_pid().unwrap(), "status");
    let line = |name: &str| {
        status
            .lines()
            .find(|it| it.starts_with(name))
            .unwrap()
            .to_owned()
    };
    println!(
        "guarded /bin/true: best {best:?}; {}; {}",
        line("VmRSS"),
        line("RssAnon")
    );
    assert!(line("Threads").ends_with("\t1"));
    assert!(best < Duration::from_millis(200));
}
