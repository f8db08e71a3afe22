//! Processes that outlive their starter, and being woken.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use orchestra_process::{CommandSpec, Exit, ProcessIdentity, run_attached, spawn_detached};
use rustix::process::{Pid, Signal, getsid, kill_process_group};

use crate::support::{alive, command, directory, eventually, example, has_children, kill, read};

#[test]
fn a_detached_child_survives_the_group_and_the_terminal_of_its_starter() {
    let directory = directory();
    let log = directory.path().join("log");
    let mut launcher = command(&example("launcher"))
        .arg(example("detached"))
        .arg(&log)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    BufReader::new(launcher.stdout.take().unwrap())
        .read_line(&mut said)
        .unwrap();
    let pid: u32 = said.trim().parse().unwrap();
    let group = Pid::from_raw(launcher.id().try_into().unwrap()).unwrap();
    kill_process_group(group, Signal::HUP).unwrap();
    kill_process_group(group, Signal::INT).unwrap();
    launcher.wait().unwrap();
    let before = lines(&log);
    assert!(
        eventually(|| lines(&log) > before + 2),
        "the child is silent"
    );
    let child = Pid::from_raw(pid.try_into().unwrap()).unwrap();
    assert_eq!(getsid(Some(child)).unwrap(), child);
    kill(pid);
}

/// In a container our session leader can be outside our pid namespace, where it has no number.
#[test]
fn a_child_detaches_though_our_session_began_outside_the_pid_namespace() {
    let directory = directory();
    let log = directory.path().join("log");
    let Some(mut unshare) = own_pid_namespace() else {
        println!("pid namespaces 0: this system does not let us have one");
        return;
    };
    let mut launcher = unshare
        .arg(example("launcher"))
        .arg(example("detached"))
        .arg(&log)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut output = BufReader::new(launcher.stdout.take().unwrap());
    output.read_line(&mut said).unwrap();
    let lives = eventually(|| lines(&log) > 1);
    kill(launcher.id());
    launcher.wait().unwrap();
    assert!(
        said.trim().parse::<u32>().is_ok(),
        "the launcher said {said:?}"
    );
    assert!(lives, "the child is silent");
}

/// A command that runs what follows in a pid namespace, where the system lets us have one. All
/// that runs in it ends with it.
fn own_pid_namespace() -> Option<Command> {
    let flags = ["--pid", "--fork", "--mount-proc", "--kill-child"];
    let unshare = |user: &[&str]| {
        let mut unshare = command(Path::new("/usr/bin/unshare"));
        unshare.args(user).args(flags);
        unshare
    };
    let users: [&[&str]; 2] = [&[], &["--map-root-user"]];
    let works = |user: &&&[&str]| {
        let tried = unshare(user).arg("true").stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    };
    users.iter().find(works).map(|user| unshare(user))
}

#[test]
fn a_detached_child_is_collected_when_it_ends() {
    let directory = directory();
    let log = File::create(directory.path().join("log")).unwrap();
    let spec = CommandSpec::new(example("detached"), directory.path());
    let pid = spawn_detached(&spec, log).unwrap();
    assert!(alive(pid));
    kill(pid);
    assert!(
        eventually(|| read(pid, "stat").is_empty()),
        "a zombie stays"
    );
}

#[test]
fn a_program_that_does_not_detach_is_an_error() {
    let directory = directory();
    let log = File::create(directory.path().join("log")).unwrap();
    let error = spawn_detached(&CommandSpec::new("/bin/true", "/"), log).unwrap_err();
    assert_eq!(error.code(), "process.not_detached");
    assert!(eventually(|| !has_children("true")));
}

#[test]
fn an_identity_is_more_than_a_number() {
    let directory = directory();
    let path = directory.path().join("log");
    let spec = CommandSpec::new(example("detached"), directory.path());
    let pid = spawn_detached(&spec, File::create(&path).unwrap()).unwrap();
    let identity = ProcessIdentity::of(pid).unwrap();
    assert!(eventually(|| lines(&path) > 0));
    let other = ProcessIdentity {
        started: identity.started + 1,
        ..identity
    };
    assert!(identity.is_alive() && !other.is_alive());
    kill(pid);
    assert!(eventually(|| !identity.is_alive()));
}

#[test]
fn an_attached_child_is_waited_for() {
    let exit = |script: &str| run_attached(&CommandSpec::new("/bin/sh", "/").args(["-c", script]));
    assert_eq!(exit("exit 5").unwrap(), Exit::Code(5));
    assert_eq!(exit("kill -9 $$").unwrap(), Exit::Signal(9));
    assert!(run_attached(&CommandSpec::new("/no/editor", "/")).is_err());
}

fn lines(log: &Path) -> usize {
    fs::read_to_string(log).unwrap().lines().count()
}
