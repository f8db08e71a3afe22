//! Signals, during a turn and before it.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};
use std::time::Duration;

use orchestra_testkit::{Sandbox, wait_until};
use rustix::process::{Pid, Signal, kill_process};

use crate::agent::{Run, scenario};

fn start(sandbox: &Sandbox, steps: &str) -> Child {
    let ready = sandbox.path("ready");
    let text = format!(
        "[[step]]\ndo = 'touch_file'\npath = '{}'\n{steps}",
        ready.display()
    );
    let prompt = format!("scenario: {}", sandbox.scenario(&text).display());
    let child = sandbox
        .fake_amp()
        .args(["-x", &prompt, "--stream-json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the agent starts");
    wait_until("the turn began", Duration::from_secs(20), || ready.exists());
    child
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("the agent runs");
}

#[test]
fn interrupt_and_termination_cancel_a_turn() {
    for (signal, steps) in [
        (Signal::INT, "[[step]]\ndo = 'hang'\n"),
        (
            Signal::TERM,
            "[[step]]\ndo = 'sleep'\nmilliseconds = 60000\n",
        ),
        (
            Signal::TERM,
            "[[step]]\ndo = 'wait_for_file'\npath = 'never'\n",
        ),
        (Signal::INT, "[[step]]\ndo = 'max_tokens'\n"),
    ] {
        let sandbox = Sandbox::new();
        let child = start(&sandbox, steps);
        send(&child, signal);
        let run = Run::of(&child.wait_with_output().unwrap());
        assert_eq!(run.code, Some(0));
        assert_eq!(run.result()["error"], "User cancelled (SIGINT/SIGTERM)");
        assert_eq!(run.result()["is_error"], true);
    }
}

#[test]
fn a_hang_up_kills_without_a_result() {
    let sandbox = Sandbox::new();
    let child = start(&sandbox, "[[step]]\ndo = 'hang'\n");
    send(&child, Signal::HUP);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(1));
    assert!(!Run::of(&output).stdout.contains("\"result\""));
}

#[test]
fn a_stubborn_agent_needs_a_kill() {
    let sandbox = Sandbox::new();
    let deaf = sandbox.path("deaf");
    let steps = format!(
        "[[step]]\ndo = 'ignore_sigterm'\n[[step]]\ndo = 'touch_file'\npath = '{}'\n[[step]]\ndo = 'hang'\n",
        deaf.display()
    );
    let mut child = start(&sandbox, &steps);
    wait_until("it ignores signals", Duration::from_secs(20), || {
        deaf.exists()
    });
    send(&child, Signal::TERM);
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it goes on");
    send(&child, Signal::KILL);
    assert_eq!(child.wait().unwrap().signal(), Some(9));
}

#[test]
fn a_hang_after_the_result_ends_by_signal() {
    let sandbox = Sandbox::new();
    let mut child = start(&sandbox, "[[step]]\ndo = 'hang_after_result'\n");
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    assert!(lines.any(|line| line.unwrap().contains("\"success\"")));
    assert!(child.try_wait().unwrap().is_none());
    send(&child, Signal::TERM);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_login_prompt_dies_by_the_signal() {
    let sandbox = Sandbox::new();
    let mut child = sandbox
        .fake_amp()
        .env_remove("AMP_API_KEY")
        .args(["-x", "hi", "--stream-json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    assert_eq!(lines.by_ref().take(3).count(), 3);
    send(&child, Signal::TERM);
    assert_eq!(child.wait().unwrap().signal(), Some(15));
}

#[test]
fn it_can_die_by_its_own_hand() {
    // Those that the runtime or the agent handles itself, and one of every other kind.
    for signal in [1, 2, 6, 9, 10, 11, 13, 15, 31] {
        let sandbox = Sandbox::new();
        let path = sandbox.scenario(&format!(
            "[[step]]\ndo = 'die_by_signal'\nsignal = {signal}\n"
        ));
        let prompt = format!("scenario: {}", path.display());
        let output = sandbox
            .fake_amp()
            .args(["-x", &prompt, "--stream-json"])
            .output()
            .unwrap();
        assert_eq!(output.status.signal(), Some(signal));
    }
    let odd = scenario(
        &Sandbox::new(),
        "[[step]]\ndo = 'die_by_signal'\nsignal = 999\n",
    );
    assert_eq!(odd.result()["error"], "unknown signal 999");
    let harmless = scenario(
        &Sandbox::new(),
        "[[step]]\ndo = 'die_by_signal'\nsignal = 28\n",
    );
    let told = "the signal 28 does not end a program";
    assert_eq!(harmless.result()["error"], told);
}
