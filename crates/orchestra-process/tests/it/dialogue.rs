//! Children that are talked with.

use std::time::{Duration, Instant};

use orchestra_process::{CommandSpec, Dialogue, Exit, ProcessError, Reply};

use crate::support::{alive, directory, eventually, kill, survivors};

const PATIENCE: Duration = Duration::from_secs(20);

fn shell(script: &str) -> CommandSpec {
    CommandSpec::new("/bin/sh", "/")
        .args(["-c", script])
        .env("PATH", "/usr/bin:/bin")
}

fn line(text: &str) -> Reply {
    Reply::Line(text.as_bytes().to_vec())
}

#[test]
fn lines_go_both_ways_until_the_input_is_closed() {
    let mut dialogue = Dialogue::start(&shell(
        "while read word; do echo \"heard $word\"; done; echo bye; echo why >&2; exit 3",
    ))
    .unwrap();
    for word in ["one", "two"] {
        dialogue.say(word).unwrap();
        assert_eq!(
            dialogue.hear(PATIENCE).unwrap(),
            line(&format!("heard {word}"))
        );
    }
    let farewell = dialogue.end().unwrap();
    assert_eq!(farewell.exit, Exit::Code(3));
    assert_eq!(farewell.stderr, b"why\n");
}

#[test]
fn a_child_that_ends_early_says_why() {
    let mut dialogue = Dialogue::start(&shell("echo wrong >&2; exit 128")).unwrap();
    assert_eq!(dialogue.hear(PATIENCE).unwrap(), Reply::End);
    assert!(eventually(|| !alive(dialogue.pid())));
    for _ in 0..3 {
        dialogue.say("anybody there?").unwrap();
    }
    let farewell = dialogue.end().unwrap();
    assert_eq!(
        (farewell.exit, farewell.stderr.as_slice()),
        (Exit::Code(128), &b"wrong\n"[..])
    );
}

#[test]
fn silence_has_a_limit() {
    let mut dialogue = Dialogue::start(&shell("read word")).unwrap();
    let error = dialogue.hear(Duration::from_millis(50)).unwrap_err();
    assert!(
        matches!(error, ProcessError::TimedOut { .. }),
        "{error:?} {}",
        error.code()
    );
}

#[test]
fn a_long_complaint_blocks_nobody() {
    let script = "head -c 1000000 /dev/zero >&2; echo done; read word";
    let mut dialogue = Dialogue::start(&shell(script)).unwrap();
    assert_eq!(dialogue.hear(PATIENCE).unwrap(), line("done"));
    assert_eq!(dialogue.end().unwrap().stderr.len(), 64 * 1024);
}

#[test]
fn nothing_is_left_when_it_is_dropped() {
    let inside = directory();
    let script = format!(
        "cd '{}'; setsid sleep 500 & sleep 500 <&1 & echo started; exec sleep 500",
        inside.path().display()
    );
    let mut dialogue = Dialogue::start(&shell(&script)).unwrap();
    assert_eq!(dialogue.hear(PATIENCE).unwrap(), line("started"));
    let pid = dialogue.pid();
    let before = Instant::now();
    drop(dialogue);
    assert!(before.elapsed() < PATIENCE);
    assert!(!alive(pid));
    assert!(eventually(|| survivors(inside.path()).is_empty()));
}

#[test]
fn a_program_that_is_not_there_is_told() {
    let spec = CommandSpec::new("no-such-program", "/").env("PATH", "/usr/bin");
    let error = Dialogue::start(&spec).unwrap_err();
    assert_eq!(error.code(), "process.program_not_found");
}

#[test]
fn what_a_child_leaves_behind_holds_nobody_up() {
    let mut dialogue = Dialogue::start(&shell("sleep 4 & echo $!; exit 0")).unwrap();
    let Reply::Line(pid) = dialogue.hear(PATIENCE).unwrap() else {
        panic!("the child says the number of what it leaves");
    };
    let pid = String::from_utf8(pid).unwrap().parse().unwrap();
    let farewell = dialogue.end().unwrap();
    assert_eq!(farewell.exit, Exit::Code(0));
    assert!(alive(pid));
    kill(pid);
}
