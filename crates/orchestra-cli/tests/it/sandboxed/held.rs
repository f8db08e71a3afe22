//! What Orchestra does to an agent that runs, it does to one in a sandbox too.

use std::path::Path;

use orchestra_testkit::{Sandbox, processes, wait_until};

use super::{commits, git, held_world, holding, shell_world, write};
use crate::ran::{ended, ran, signal};
use crate::world::{PATIENCE, World};

fn hanging(more: &str) -> String {
    commits("done.txt", "done\n") + &write("half.txt", "half\n") + more + "[[step]]\ndo = 'hang'\n"
}

fn write_at(path: &Path, text: &str) -> String {
    let path = path.display();
    format!("[[step]]\ndo = 'main_checkout'\npath = '{path}'\ntext = {text:?}\n")
}

fn wait_for_half(made: &crate::made::Made) {
    wait_until("the agent has written", PATIENCE, || {
        made.worktree.join("half.txt").exists()
    });
}

#[test]
fn a_stop_reaches_the_agent_and_keeps_the_work() {
    let world = held_world(&hanging(""));
    let made = world.session("one");
    let child = world.start(&["iterate", "one"]);
    wait_for_half(&made);
    signal(&world.sandbox, "INT", child.id().into());
    ended(child).says("stopped");
    let tree = world.tree(&made);
    assert_eq!(tree.git(&["show", "HEAD:half.txt"]), "half");
    assert_eq!(
        tree.git(&["log", "-1", "--format=%s", "HEAD~1"]),
        "by the agent"
    );
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    world.wait_until_quiet();
}

#[test]
fn one_that_does_not_listen_is_killed_with_all_it_started() {
    let pids = "pids";
    let spawn = format!(
        "[[step]]\ndo = 'ignore_signals'\n[[step]]\ndo = 'spawn'\nshape = 'ignore_signals'\npid_file = '{pids}'\n"
    );
    let world = held_world(&hanging(&spawn));
    let made = world.session("one");
    let child = world.start(&["iterate", "one"]);
    wait_for_half(&made);
    wait_until("it has started another one", PATIENCE, || {
        made.worktree.join(pids).exists()
    });
    world.run(&["stop", "one", "--now"]).ok();
    ended(child);
    world.wait_until_quiet();
    let data = world.sandbox.data_dir();
    assert_eq!(
        processes::mentioning(&data.to_string_lossy()),
        [0; 0],
        "nothing is left"
    );
}

#[test]
fn a_limit_in_time_ends_it() {
    let world = held_world(&hanging(""));
    world
        .orchestra(&["config", "set", "core.session_timeout", "2s"])
        .ok();
    let made = world.session("one");
    world
        .run(&["iterate", "one"])
        .ends_with(4)
        .says("longer than 2s");
    assert_eq!(world.tree(&made).git(&["show", "HEAD:half.txt"]), "half");
    world.wait_until_quiet();
}

/// The store is out of reach in there, and its rules hold all the same.
#[test]
fn permissions_are_asked_from_inside() {
    let scenario = git(&["tag", "wanted"]) + &write("work.txt", "done\n");
    let world = held_world(&scenario);
    let made = world.session_with("one", &["--permissions", "ask"]);
    world
        .run(&["iterate", "one"])
        .ends_with(6)
        .says("wants to run `git tag wanted`");
    let workspace = world.sandbox.data_dir().join("workspaces").join(&made.id);
    let tag = || std::fs::exists(workspace.join("git/refs/tags/wanted")).unwrap();
    assert!(!tag(), "it was not done");
    world.run(&["answer", "one", "--allow"]).ok();
    assert!(tag(), "it was done");
    world
        .run(&["iterate", "one"])
        .ends_with(6)
        .says("wants to run");
    world
        .run(&["answer", "one", "--reject", "No tags"])
        .ok()
        .says("No tags");
    assert!(
        !workspace.join("ask.sock").exists(),
        "nobody is left to ask"
    );

    world.run(&["set", "one", "permissions", "rules"]).ok();
    world
        .run(&["iterate", "one"])
        .ok()
        .says("no rule of this session allows it");
}

/// What configures an agent can make it start programs when it is run without a sandbox.
#[test]
fn its_own_directories_can_be_written_and_its_settings_cannot() {
    let sandbox = Sandbox::new();
    let home = sandbox.home();
    for folder in [".config/amp", ".local/share/amp", ".claude"] {
        std::fs::create_dir_all(home.join(folder)).unwrap();
    }
    for file in [".config/amp/settings.json", ".claude/secrets.json"] {
        std::fs::write(home.join(file), "as it was").unwrap();
    }
    let (own, settings) = (
        home.join(".local/share/amp/new"),
        home.join(".config/amp/settings.json"),
    );
    let scenario = [
        write_at(&own, "written\n"),
        write_at(&settings, "taken over\n"),
    ];
    let path = sandbox.scenario(&scenario.concat());
    let sandbox = holding(sandbox.with_knob("scenario", &path.to_string_lossy()));
    let world = World::of(sandbox);
    world.session("one");
    let refused = "Read-only file system";
    world.run(&["iterate", "one"]).ends_with(4).says(refused);
    assert_eq!(std::fs::read_to_string(own).unwrap(), "written\n");
    assert_eq!(std::fs::read_to_string(settings).unwrap(), "as it was");
}

/// The same where settings lie among what the agent has to write.
#[test]
fn settings_among_its_own_files_cannot_be_written() {
    let script = "case $1 in --version|--help) exit;; esac\n\
        echo taken over > $HOME/.claude/settings.json; mv $HOME/.claude/new $HOME/.claude/settings.json\n\
        mkdir -p $HOME/.claude/projects; echo talk > $HOME/.claude/projects/talk; echo {} > $HOME/.claude.json";
    let (world, program) = shell_world(script);
    let home = world.sandbox.home();
    std::fs::create_dir(home.join(".claude")).unwrap();
    std::fs::write(home.join(".claude/new"), "taken over").unwrap();
    std::fs::write(home.join(".claude/settings.json"), "as it was").unwrap();
    std::fs::write(home.join(".claude.json"), "old").unwrap();
    let sets = [
        ("agents.other.protocol", "claude"),
        ("agents.other.command", program.to_str().unwrap()),
    ];
    for (key, value) in sets {
        world.orchestra(&["config", "set", key, value]).ok();
    }
    world.session_with("one", &["--agent", "other"]);
    let mut iterate = world.session_command(&["iterate", "one"]);
    ran(iterate.env("ANTHROPIC_API_KEY", "placeholder")).ends_with(4);
    let read = |name: &str| std::fs::read_to_string(home.join(name)).unwrap();
    assert_eq!(read(".claude/settings.json"), "as it was");
    assert_eq!(read(".claude/projects/talk"), "talk\n");
    assert_eq!(read(".claude.json"), "{}\n");
}

/// A link that an agent leaves in its own directory shows the next turn nothing that is hidden.
#[test]
fn a_link_does_not_lead_the_next_turn_out() {
    let script = "case $1 in --version|--help) exit;; esac\n\
        cat $HOME/.claude/commands/id > stolen.txt 2>/dev/null\n\
        ln -s $HOME/.ssh $HOME/.claude/commands 2>/dev/null; true";
    let (world, program) = shell_world(script);
    let home = world.sandbox.home();
    std::fs::create_dir(home.join(".ssh")).unwrap();
    std::fs::write(home.join(".ssh/id"), "the secret").unwrap();
    let other = ["agents.other.protocol", "agents.other.command"];
    for (key, value) in other.into_iter().zip(["claude", program.to_str().unwrap()]) {
        world.orchestra(&["config", "set", key, value]).ok();
    }
    let made = world.session_with("one", &["--agent", "other"]);
    for _ in 0..2 {
        let mut iterate = world.session_command(&["iterate", "one"]);
        ran(iterate.env("ANTHROPIC_API_KEY", "placeholder")).ends_with(4);
    }
    assert!(home.join(".claude/commands").is_symlink());
    let stolen = std::fs::read_to_string(made.worktree.join("stolen.txt"));
    assert_eq!(stolen.unwrap(), "");
}
