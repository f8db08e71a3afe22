//! What agents are told of toolboxes and MCP servers, each in its own form, and that it works.

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_testkit::{Sandbox, bin, small_mcp, wait_until, write_program};
use serde_json::{Value, json};

use super::make_toolbox;
use super::round_trip::{Answers, talk};
use crate::world::{PATIENCE, World};

const SECRET: &str = "secret-of-the-small-server";

/// What one agent was given, while it holds its turn.
struct Given<'w> {
    world: &'w World,
    got: PathBuf,
    arguments: Vec<String>,
}

impl Given<'_> {
    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.got.join(name)).unwrap_or_default()
    }

    /// The file behind an option.
    fn config(&self) -> Value {
        let place = self.arguments.iter().position(|it| it == "--mcp-config");
        let path = &self.arguments[place.expect("a file") + 1];
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    }

    /// A server as a map has it.
    fn of_map(&self, server: &Value, call: &Value) -> Answers {
        let words = [&server["command"]].into_iter();
        let words = words.chain(server["args"].as_array().unwrap());
        let words: Vec<_> = words.map(|it| it.as_str().unwrap().to_owned()).collect();
        let env = server["env"].as_object().into_iter().flatten();
        let env: Vec<_> = env
            .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
            .collect();
        talk(&self.world.sandbox, &words, &env, call)
    }

    /// A value that Codex is told; what the product writes there is JSON too.
    fn of_codex(&self, server: &str) -> Value {
        let value = |field: &str| {
            let start = format!("mcp_servers.{server}.{field}=");
            let found = self.arguments.iter().find_map(|it| it.strip_prefix(&start));
            serde_json::from_str(found.unwrap_or("null")).unwrap()
        };
        let (command, args): (Value, Value) = (value("command"), value("args"));
        json!({ "command": command, "args": args })
    }

    /// The servers in the request that opens the conversation.
    fn of_acp(&self) -> Vec<Value> {
        let sent = self.file("stdin");
        let mut lines = sent
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let opened = lines.find(|it| it["method"] == "session/new").unwrap();
        let servers = opened["params"]["mcpServers"].as_array().unwrap().clone();
        let as_map = |mut server: Value| {
            let env = server["env"].as_array().unwrap().iter();
            let env = env.map(|it| (it["name"].as_str().unwrap().to_owned(), it["value"].clone()));
            server["env"] = Value::Object(env.collect());
            server
        };
        servers.into_iter().map(as_map).collect()
    }
}

/// An agent that writes down what it was given and waits until it was looked at.
fn waiting_agent(sandbox: &Sandbox, got: &Path) -> PathBuf {
    let agent = sandbox.path("agent.sh");
    let script = format!(
        "#!/bin/sh
case \"$*\" in *--version*|*--help*) exec {command} \"$@\";; esac
cd {got} || exit 9
printf '%s\\n' \"$@\" > arguments
printf '%s' \"$AMP_TOOLBOX\" > toolbox
tr '\\0' '\\n' < /proc/$$/cmdline > cmdline
cd - > /dev/null
look() {{
  touch {got}/ready
  while [ ! -e {got}/go ]; do sleep 0.05; done
}}
case \"$*\" in
  *acp*) while read -r line; do
    printf '%s\\n' \"$line\" >> {got}/stdin
    case \"$line\" in *session/prompt*) look;; esac
    printf '%s\\n' \"$line\"
  done | {command} \"$@\";;
  *) look; exec {command} \"$@\";;
esac
",
        command = sandbox.agent_command(),
        got = got.display(),
    );
    write_program(&agent, &script);
    agent
}

/// A world with a toolbox and two servers, one of them with a secret and an allowed tool.
fn world(build: &str) -> (World, PathBuf, PathBuf) {
    let sandbox = Sandbox::new();
    let scenario = format!(
        "[[step]]\ndo = 'print_secret'\ntext = '{SECRET}'\n[[step]]\ndo = 'message'\ntext = 'Done.'\n"
    );
    let scenario = sandbox.scenario(&scenario);
    let sandbox = sandbox
        .with_knob("scenario", &scenario.to_string_lossy())
        .with_knob("build", build)
        .with_variable("SMALL_SECRET", SECRET)
        .with_variable("CODEX_API_KEY", "placeholder-key-for-tests")
        .with_variable("ANTHROPIC_API_KEY", "placeholder-key-for-tests");
    let got = sandbox.path("got");
    fs::create_dir_all(&got).unwrap();
    let agent = waiting_agent(&sandbox, &got);
    let tools = sandbox.path("tools");
    make_toolbox(&tools, "Hello");
    let small = bin("small-mcp");
    let variable = small_mcp::VARIABLE;
    let folder = sandbox.home().join(".config/orchestra");
    fs::create_dir_all(&folder).unwrap();
    let settings = format!(
        "runtime.toolboxes = ['mine']
runtime.mcp = ['whole', 'part']
toolboxes.mine = ['{tools}']
[mcp.whole]
command = ['{small}']
secret_env = ['{variable}=env:SMALL_SECRET']
[mcp.part]
command = ['{small}']
env = ['{variable}=for everybody']
tools = ['echo']
",
        tools = tools.display(),
        small = small.display(),
    );
    fs::write(folder.join("config.toml"), settings).unwrap();
    (World::of(sandbox), got, agent)
}

/// Runs one turn of an agent and looks at it while it waits.
fn turn(build: &str, agent: &str, more: &[(&str, &str)], look: impl FnOnce(&Given<'_>)) {
    let (world, got, program) = world(build);
    let suffix = if agent == "fake" { " acp" } else { "" };
    let command = format!("agents.{agent}.command={}{suffix}", program.display());
    let mut words = vec!["--set-config".to_owned(), command];
    for (key, value) in more {
        words.extend(["--set-config".to_owned(), format!("{key}={value}")]);
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let new = [
        &[
            "new", "--name", "one", "--prompt", "Greet", "--agent", agent,
        ],
        &words[..],
    ];
    world.run(&new.concat()).ok();
    let child = world.start(&[&["iterate", "one"], &words[..]].concat());
    wait_until("the agent to be there", PATIENCE, || {
        got.join("ready").exists()
    });
    let arguments = fs::read_to_string(got.join("arguments")).unwrap();
    let given = Given {
        world: &world,
        got: got.clone(),
        arguments: arguments.lines().map(str::to_owned).collect(),
    };
    look(&given);
    let cmdline = given.file("cmdline");
    assert!(!cmdline.contains(SECRET), "{cmdline}");
    fs::write(got.join("go"), "").unwrap();
    crate::ran::ended(child).ok();
    keeps_no_secret(&world);
    let resolved = world.value("SELECT body FROM events WHERE type = 'toolbox_resolved'");
    let resolved = resolved.unwrap();
    assert!(
        resolved.contains("greet") && resolved.contains("\"files\":2"),
        "{resolved}"
    );
    removes_tools(&world);
}

/// Neither the store nor any file beside it.
fn keeps_no_secret(world: &World) {
    let mut folders = vec![world.sandbox.data_dir()];
    let mut looked_at = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains(SECRET), "{}", path.display());
            looked_at += 1;
        }
    }
    assert!(looked_at > 3);
}

fn removes_tools(world: &World) {
    let made = world.made("one");
    let folder = world.sandbox.data_dir().join("toolboxes").join(&made.id);
    assert!(folder.join("tools/greet").exists());
    world.run(&["cleanup", "one", "--yes"]).ok();
    assert!(!folder.exists(), "its tools go with its worktree");
}

fn greet() -> Value {
    json!({ "name": "greet", "arguments": { "who": "you" } })
}

fn echo() -> Value {
    json!({ "name": "echo", "arguments": {} })
}

fn text(answers: &Answers) -> &str {
    let text = answers.called["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("{}", answers.called))
}

/// The three servers, and all of them at work.
fn all_work(given: &Given<'_>, server: impl Fn(&str) -> Value) {
    let served = given.of_map(&server("toolbox"), &greet());
    assert_eq!(served.tools, ["greet"]);
    assert_eq!(served.server, "orchestra");
    assert_eq!(text(&served), "Hello you");
    let whole = given.of_map(&server("whole"), &echo());
    assert_eq!(whole.tools, ["echo", "erase"]);
    assert_eq!(text(&whole), format!("echo: {SECRET}"));
    let part = given.of_map(&server("part"), &echo());
    assert_eq!(part.tools, ["echo"]);
    assert_eq!(
        part.server, "orchestra",
        "the gate is not the server behind it"
    );
    assert_eq!(text(&part), "echo: for everybody");
    let erase = json!({ "name": "erase", "arguments": {} });
    let refused = given.of_map(&server("part"), &erase);
    assert!(refused.called["error"].is_object(), "{}", refused.called);
}

#[test]
fn an_amp_that_looks_for_toolboxes_is_told_where() {
    turn("may", "amp", &[], |given| {
        let toolbox = PathBuf::from(given.file("toolbox"));
        assert!(toolbox.join("greet").exists(), "{toolbox:?}");
        let config = given.config();
        assert!(config["toolbox"].is_null(), "{config}");
        let whole = given.of_map(&config["whole"], &echo());
        assert_eq!(text(&whole), format!("echo: {SECRET}"));
    });
}

#[test]
fn an_amp_that_does_not_gets_them_served() {
    turn("new", "amp", &[], |given| {
        assert_eq!(given.file("toolbox"), "");
        let config = given.config();
        all_work(given, |name| config[name].clone());
    });
}

#[test]
fn claude_code_gets_them_served() {
    turn("new", "claude", &[], |given| {
        let config = given.config();
        all_work(given, |name| config["mcpServers"][name].clone());
    });
}

#[test]
fn codex_gets_them_served() {
    turn("new", "codex", &[], |given| {
        all_work(given, |name| given.of_codex(name));
    });
}

#[test]
fn an_agent_of_the_protocol_gets_them_served() {
    turn("new", "fake", &[("agents.fake.protocol", "acp")], |given| {
        let servers = given.of_acp();
        all_work(given, |name| {
            let found = servers.iter().find(|server| server["name"] == name);
            found.unwrap().clone()
        });
    });
}

#[test]
fn what_an_agent_gets_is_shown_without_secrets() {
    let (world, ..) = world("new");
    world.session("one");
    let shown = world.orchestra(&["env", "show", "one", "--json"]).ok();
    assert!(!shown.stdout.contains(SECRET));
    let shown = shown.json();
    assert_eq!(shown["toolboxes"], json!([world.sandbox.path("tools")]));
    let servers = shown["mcp_servers"].as_array().unwrap();
    let names: Vec<_> = servers
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["whole", "part", "toolbox"]);
    assert_eq!(servers[0]["values"][0]["value"], "***");
    assert_eq!(servers[1]["tools"], json!(["echo"]));
    let text = world.orchestra(&["env", "show", "one"]).ok();
    text.says("toolbox")
        .says("only echo")
        .says("SMALL_MCP_VALUE=***");
}
