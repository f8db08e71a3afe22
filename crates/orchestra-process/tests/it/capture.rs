//! Short children: output, input, limits.

use std::io;
use std::time::{Duration, Instant};

use orchestra_process::{
    Captured, CommandSpec, Exit, Limits, ProcessError, Stdin, capture, capture_to,
};

use crate::support::{alive, eventually};

const LIMITS: Limits = Limits {
    timeout: Duration::from_secs(20),
    max_output: 16 << 20,
};

fn shell(script: &str) -> CommandSpec {
    CommandSpec::new("/bin/sh", "/")
        .args(["-c", script])
        .env("PATH", "/usr/bin:/bin")
}

fn run(script: &str) -> Captured {
    capture(&shell(script), LIMITS).unwrap()
}

#[test]
fn collects_both_streams_and_the_exit_code() {
    let captured = run("echo out; echo err >&2; exit 3");
    assert_eq!(captured.stdout, b"out\n");
    assert_eq!(captured.stderr, b"err\n");
    assert_eq!(captured.exit, Exit::Code(3));
    assert_eq!(run("kill -9 $$").exit, Exit::Signal(9));
}

#[test]
fn the_environment_is_exactly_what_was_given() {
    let spec = CommandSpec::new("env", "/")
        .env("PATH", "/usr/bin:/bin")
        .env("ONLY", "this");
    let captured = capture(&spec, LIMITS).unwrap();
    assert_eq!(captured.stdout, b"ONLY=this\nPATH=/usr/bin:/bin\n");
}

#[test]
fn much_on_both_streams_and_on_input_does_not_block() {
    let input: Vec<u8> = (0..5_000_000_u32).map(|number| number as u8).collect();
    let spec = shell("tee /dev/stderr").stdin(Stdin::Bytes(input.clone()));
    let captured = capture(&spec, LIMITS).unwrap();
    assert_eq!(captured.stdout, input);
    assert_eq!(captured.stderr, input);
}

#[test]
fn input_that_nobody_reads_is_no_error() {
    let spec = shell("exec <&-; echo done").stdin(Stdin::Bytes(vec![b'x'; 1 << 20]));
    assert_eq!(capture(&spec, LIMITS).unwrap().stdout, b"done\n");
}

#[test]
fn the_time_limit_ends_the_whole_tree() {
    let directory = tempfile::tempdir().unwrap();
    let spec = CommandSpec::new("/bin/sh", directory.path())
        .args(["-c", "setsid sh -c 'echo $$ > a; sleep 300' & (sleep 300 & echo $! > b); echo $$ > c; sleep 300"])
        .env("PATH", "/usr/bin:/bin");
    let limits = Limits {
        timeout: Duration::from_millis(500),
        ..LIMITS
    };
    let started = Instant::now();
    let error = capture(&spec, limits).unwrap_err();
    assert!(matches!(error, ProcessError::TimedOut { .. }), "{error}");
    assert_eq!(error.code(), "process.timed_out");
    assert!(started.elapsed() < Duration::from_secs(5));
    for name in ["a", "b", "c"] {
        let pid = std::fs::read_to_string(directory.path().join(name)).unwrap();
        let pid = pid.trim().parse().unwrap();
        assert!(eventually(|| !alive(pid)), "{name} lives");
    }
}

#[test]
fn the_output_limit_ends_the_child() {
    let limits = Limits {
        max_output: 1 << 20,
        ..LIMITS
    };
    let error = capture(&shell("yes"), limits).unwrap_err();
    assert_eq!(error.code(), "process.output_too_large");
}

#[test]
fn a_sink_sees_everything_and_memory_holds_nothing() {
    let mut seen = 0_usize;
    let spec = shell("head -c 67108864 /dev/zero; echo end >&2");
    let limits = Limits {
        max_output: 100,
        ..LIMITS
    };
    let captured = capture_to(&spec, limits, &mut |piece| seen += piece.len()).unwrap();
    assert_eq!(seen, 64 << 20);
    assert_eq!(captured.stdout, b"");
    assert_eq!(captured.stderr, b"end\n");
}

#[test]
fn something_left_in_the_background_does_not_hold_up_the_answer() {
    let started = Instant::now();
    let captured = run("sleep 300 & echo $!");
    assert!(started.elapsed() < Duration::from_secs(3));
    let pid = String::from_utf8(captured.stdout).unwrap();
    let pid = pid.trim().parse().unwrap();
    assert!(eventually(|| !alive(pid)));
}

#[test]
fn a_child_that_closes_its_output_is_waited_for() {
    let captured = run("exec >&- 2>&-; sleep 0.2; exit 4");
    assert_eq!(captured.exit, Exit::Code(4));
    assert!(captured.duration >= Duration::from_millis(200));
}

#[test]
fn failures_to_start_are_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    let plain = directory.path().join("plain");
    std::fs::write(&plain, "no program").unwrap();
    let code = |spec: CommandSpec| capture(&spec, LIMITS).unwrap_err();
    let missing = code(CommandSpec::new("/no/such/program", "/"));
    assert_eq!(missing.code(), "process.program_not_found");
    assert!(missing.hint().unwrap().contains("/no/such/program"));
    let unknown = code(CommandSpec::new("no-such-name", "/").env("PATH", "/bin"));
    assert_eq!(unknown.code(), "process.program_not_found");
    let forbidden = code(CommandSpec::new(&plain, "/"));
    assert_eq!(forbidden.code(), "process.not_executable");
    let nowhere = code(CommandSpec::new("/bin/sh", "/no/such/directory"));
    assert_eq!(nowhere.code(), "process.working_directory");
    let source = std::error::Error::source(&nowhere).unwrap();
    let source = source.downcast_ref::<io::Error>().unwrap();
    assert_eq!(source.kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_short_child_is_cheap() {
    let spec = CommandSpec::new("/bin/true", "/");
    let mut best = Duration::MAX;
    for _ in 0..50 {
        best = best.min(capture(&spec, LIMITS).unwrap().duration);
    }
    println!("capture of /bin/true: best {best:?}");
    assert!(best < Duration::from_millis(50));
}
