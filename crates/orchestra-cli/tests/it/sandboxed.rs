//! Sessions whose agents work in a sandbox: what they commit arrives, and nothing else of them gets out.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod check;
mod crash;
mod equipped;
mod escapes;
mod held;
mod hidden;
mod kept;
mod network;
mod refused;
mod sockets;
mod work;

use std::path::PathBuf;

use orchestra_testkit::{Sandbox, write_program};

use crate::world::World;

/// Where sessions work in a sandbox, and the scripted agent has what it needs there.
pub(crate) fn holding(sandbox: Sandbox) -> Sandbox {
    let own = sandbox.path("fake-amp");
    std::fs::create_dir_all(&own).unwrap();
    sandbox
        .with_variable("ORCHESTRA_SECURITY_ISOLATION", "sandbox")
        .with_variable("ORCHESTRA_SECURITY_SANDBOX_WRITABLE", own)
}

/// A world in which the agent follows a scenario in a sandbox.
fn held_world(scenario: &str) -> World {
    let sandbox = Sandbox::new();
    let path = sandbox.scenario(scenario);
    let sandbox = sandbox.with_knob("scenario", &path.to_string_lossy());
    World::of(holding(sandbox))
}

/// A world in which the agent is a shell script, and what it is told of is at `$0`'s side.
fn shell_world(script: &str) -> (World, PathBuf) {
    let sandbox = Sandbox::new();
    let program = sandbox.path("agent");
    write_program(&program, &format!("#!/bin/sh\n{script}"));
    let command = program.to_string_lossy().into_owned();
    let sandbox = holding(sandbox)
        .with_variable("ORCHESTRA_AGENTS_SHELL_PROTOCOL", "command")
        .with_variable("ORCHESTRA_AGENTS_SHELL_COMMAND", command)
        .with_variable("ORCHESTRA_AGENTS_DEFAULT", "shell")
        .with_variable("ORCHESTRA_AGENTS_RETRIES", "0");
    (World::of(sandbox), program)
}

fn git(words: &[&str]) -> String {
    format!("[[step]]\ndo = 'git'\nargs = {words:?}\n")
}

fn write(path: &str, text: &str) -> String {
    format!("[[step]]\ndo = 'write'\npath = '{path}'\ntext = {text:?}\n")
}

/// An agent that commits a file itself.
fn commits(path: &str, text: &str) -> String {
    let words = ["commit", "--quiet", "-m", "by the agent"];
    [write(path, text), git(&["add", "--all"]), git(&words)].concat()
}
