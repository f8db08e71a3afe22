//! Whole sessions with agents that are not Amp, played by the scripted agent.

use orchestra_testkit::{Sandbox, wait_until};

use crate::made::Made;
use crate::world::{PATIENCE, World};

/// How an agent is made to be the default one, and the variable that it is logged in by.
const AGENTS: [(&str, &str); 2] = [("codex", "CODEX_API_KEY"), ("claude", "ANTHROPIC_API_KEY")];

const TURNS: &str = "
[[turn]]
steps = [{ do = 'write', path = 'one.txt', text = 'one' }, { do = 'message', text = 'Wrote one.txt.' }]
[[turn]]
steps = [{ do = 'ask', text = 'Which name shall I use?' }]
[[turn]]
steps = [{ do = 'git', args = ['status'] }, { do = 'write', path = 'three.txt', text = 'three' }]
[[turn]]
fault = 'overloaded'
[[turn]]
steps = [{ do = 'write', path = 'five.txt', text = 'five' }, { do = 'hang' }]
";

fn world(agent: &str, key: &str) -> World {
    let sandbox = Sandbox::new();
    let scenario = sandbox.scenario(TURNS);
    let sandbox = sandbox.with_knob("scenario", &scenario.to_string_lossy());
    let command = sandbox.agent_command();
    let variable = format!("ORCHESTRA_AGENTS_{}_COMMAND", agent.to_uppercase());
    let sandbox = sandbox
        .with_variable(&variable, command)
        .with_variable("ORCHESTRA_AGENTS_DEFAULT", agent)
        .with_variable("ORCHESTRA_AGENTS_RETRIES", "0")
        .with_variable(key, "placeholder-key-for-tests");
    World::of(sandbox)
}

fn has(world: &World, made: &Made, number: u32, column: &str, words: &str) {
    let value = world.iteration(made, number, column).unwrap_or_default();
    assert!(value.contains(words), "{column} of {number}: {value}");
}

#[test]
fn a_whole_session_runs_on_one_thread() {
    for (agent, key) in AGENTS {
        let world = world(agent, key);
        let made = world.session("one");
        world.run(&["iterate", "one"]).ok().says("Wrote one.txt.");
        assert_eq!(world.tree(&made).git(&["show", "HEAD:one.txt"]), "one");
        world.run(&["iterate", "one"]).ends_with(6);
        has(&world, &made, 2, "summary", "Which name");
        world.run(&["answer", "one", "Take x"]).ok();
        assert_eq!(world.tree(&made).git(&["show", "HEAD:three.txt"]), "three");
        let thread = world.iteration(&made, 1, "thread").expect("a thread");
        has(&world, &made, 3, "thread", &thread);
        // Every message of the scripted agent is told to have 40 tokens.
        has(&world, &made, 1, "usage", "\"output_tokens\":80");
        has(&world, &made, 2, "usage", "\"output_tokens\":40");
        match agent {
            "claude" => has(&world, &made, 2, "cost", "reported"),
            _ => assert_eq!(world.iteration(&made, 2, "cost"), None),
        }
        let transcript = world.run(&["transcript", "one"]).ok().stdout;
        for words in ["Wrote one.txt.", "Which name", "git status"] {
            assert!(transcript.contains(words), "{agent}: {transcript}");
        }
    }
}

#[test]
fn overload_and_stop_are_told_truly() {
    for (agent, key) in AGENTS {
        let world = world(agent, key);
        world
            .orchestra(&["config", "set", "agents.retries", "0"])
            .ok();
        let made = world.session("one");
        for words in [
            &["iterate", "one"][..],
            &["iterate", "one"],
            &["answer", "one", "x"],
        ] {
            world.run(words);
        }
        world.run(&["iterate", "one"]).says("takes requests again");
        has(&world, &made, 4, "outcome", "blocked");
        let child = world.start(&["iterate", "one"]);
        wait_until("the agent has written", PATIENCE, || {
            made.worktree.join("five.txt").exists()
        });
        world.run(&["stop", "one"]).ok();
        crate::ran::ended(child);
        has(&world, &made, 5, "outcome", "stopped");
        assert_eq!(world.tree(&made).git(&["show", "HEAD:five.txt"]), "five");
        world.wait_until_quiet();
    }
}

#[test]
fn an_agent_without_a_login_is_refused() {
    for (agent, key) in AGENTS {
        let world = world(agent, key);
        world.session("one");
        let mut command = world.session_command(&["iterate", "one"]);
        command.env_remove(key);
        crate::ran::ran(command)
            .refuses(4, "is not logged in")
            .says(key);
    }
}

#[test]
fn an_agent_sees_its_own_key_only() {
    let (agent, key) = AGENTS[0];
    let world = world(agent, key);
    let print = "[[step]]\ndo = 'print_env'\npath = '../environment.json'\n";
    let path = world.sandbox.scenario(print);
    let prompt = format!("scenario: {}", path.display());
    world
        .run(&["new", "--name", "one", "--prompt", &prompt])
        .ok();
    let made = world.made("one");
    let mut command = world.session_command(&["iterate", "one"]);
    command.env("ANTHROPIC_API_KEY", "placeholder-of-another");
    crate::ran::ran(command).ok();
    let seen = std::fs::read_to_string(made.worktree.join("../environment.json")).unwrap();
    assert!(seen.contains(key), "{seen}");
    for other in ["AMP_API_KEY", "ANTHROPIC_API_KEY"] {
        assert!(!seen.contains(other), "{seen}");
    }
}
