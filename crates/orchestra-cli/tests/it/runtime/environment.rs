//! Environments: what the agent gets, from where, and what is refused.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use orchestra_testkit::Sandbox;
use serde_json::Value;

use crate::ran::ran;
use crate::world::World;

const TOKEN: &str = "token-of-the-staging-server";

/// A world whose user has an environment of their own, with a token in a file.
fn with_staging(scenario: &str) -> World {
    let sandbox = Sandbox::new();
    let path = sandbox.scenario(scenario);
    let sandbox = sandbox.with_knob("scenario", &path.to_string_lossy());
    let token = sandbox.home().join("staging-token");
    fs::write(&token, format!("{TOKEN}\n")).unwrap();
    fs::set_permissions(&token, Permissions::from_mode(0o600)).unwrap();
    let folder = sandbox.home().join(".config/orchestra");
    fs::create_dir_all(&folder).unwrap();
    let settings = "
[environments.staging]
kind = 'development'
url = 'http://127.0.0.1:9/'
token = 'file:~/staging-token'
path = ['~/staging-bin']
modes = ['rush', 'smart']
";
    fs::write(folder.join("config.toml"), settings).unwrap();
    World::of(sandbox)
}

fn variable(shown: &Value, name: &str) -> (String, String) {
    let variables = shown["variables"].as_array().unwrap();
    let found = variables.iter().find(|variable| variable["name"] == name);
    let found = found.unwrap_or_else(|| panic!("no {name} in {shown}"));
    let text = |key: &str| found[key].as_str().unwrap().to_owned();
    (text("value"), text("source"))
}

#[test]
fn what_an_agent_gets_is_shown_with_its_sources() {
    let world = with_staging("");
    world.session_with("one", &["--env", "staging", "--mode", "rush"]);
    let shown = world.orchestra(&["env", "show", "one", "--json"]).ok();
    assert!(!shown.stdout.contains(TOKEN), "{}", shown.stdout);
    let shown = shown.json();
    assert_eq!(shown["environment"], "staging");
    let (token, source) = variable(&shown, "AMP_API_KEY");
    assert_eq!(token, "***");
    assert_eq!(source, "environments.staging.token (file:~/staging-token)");
    let (url, source) = variable(&shown, "AMP_URL");
    assert_eq!(url, "http://127.0.0.1:9/");
    assert_eq!(source, "environments.staging.url");
    let (path, source) = variable(&shown, "PATH");
    let first = world.sandbox.home().join("staging-bin");
    assert!(path.starts_with(&*first.to_string_lossy()), "{path}");
    assert!(source.starts_with("environments.staging.path"), "{source}");
    let (_, source) = variable(&shown, "HOME");
    assert_eq!(source, "your environment");
    let command = shown["command"].as_array().unwrap();
    let mode = command.iter().position(|word| word == "--mode").unwrap();
    assert_eq!(command[mode + 1], "rush");
    let text = world.orchestra(&["env", "show", "one"]).ok();
    text.says("AMP_API_KEY=***").says("file:~/staging-token");
}

#[test]
fn a_session_with_a_token_of_its_environment_begins_at_once() {
    let world = with_staging("");
    let new = |words: &[&str]| {
        let start = ["new", "--prompt", "Greet", "--name"];
        let mut command = world.session_command(&[&start[..], words].concat());
        command.env_remove("AMP_API_KEY");
        ran(command)
    };
    let made = new(&["one", "--env", "staging"]).ok();
    assert!(!made.stderr.contains("not logged in"), "{}", made.stderr);
    new(&["two", "--env", "staging", "--run"]).ok();
    new(&["three"]).ok().says("not logged in");
    new(&["four", "--run"]).refuses(4, "not logged in");
}

/// Everything that an agent has in its environment, as it says itself.
fn got(world: &World, name: &str, more: &[&str]) -> BTreeMap<String, String> {
    let file = world.sandbox.path("got");
    let agent = world.sandbox.path("agent.sh");
    let script = format!(
        "env -0 > {}\nexec {} \"$@\"\n",
        file.display(),
        world.sandbox.agent_command()
    );
    fs::write(&agent, script).unwrap();
    let command = format!("environments.staging.command=sh {}", agent.display());
    let words = ["iterate", name, "--set-config", &command];
    world.run(&[&words[..], more].concat()).ok();
    let text = fs::read_to_string(file).unwrap();
    let variables = text.split('\0').filter_map(|line| line.split_once('='));
    variables
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[test]
fn what_is_shown_is_what_an_agent_gets() {
    // What the shell adds that wraps the agent here.
    const OF_SHELL: [&str; 4] = ["_", "PWD", "OLDPWD", "SHLVL"];
    for agent in ["amp", "demo"] {
        let world = with_staging("");
        let set = format!("environments.staging.agent={agent}");
        let more = ["--set-config", &set];
        world.session_with(
            "one",
            &[&["--env", "staging", "--agent", agent], &more[..]].concat(),
        );
        let shown = world.orchestra(&[&["env", "show", "one", "--json"], &more[..]].concat());
        let shown = shown.ok().json();
        let mut got = got(&world, "one", &more);
        got.retain(|name, _| !OF_SHELL.contains(&name.as_str()));
        let names = shown["variables"].as_array().unwrap().iter();
        let names: Vec<_> = names.map(|it| it["name"].as_str().unwrap()).collect();
        assert_eq!(names, got.keys().collect::<Vec<_>>(), "{agent}");
        for (name, value) in &got {
            let (said, _) = variable(&shown, name);
            assert!(said == *value || said == "***", "{agent}: {name}={said}");
        }
        assert_eq!(got["AMP_API_KEY"], TOKEN, "{agent}");
        assert!(
            variable(&shown, "AMP_API_KEY")
                .1
                .starts_with("environments.staging.token")
        );
        assert_eq!(variable(&shown, "ORCHESTRA_RUN").1, "the mark of its run");
    }
    let world = World::new();
    world.session_with("one", &["--agent", "demo"]);
    let shown = world.orchestra(&["env", "show", "one", "--json"]).ok();
    let (_, source) = variable(&shown.json(), "AMP_API_KEY");
    assert_eq!(source, "what this agent always gets");
}

#[test]
fn the_token_reaches_the_agent_and_nothing_else() {
    let world = with_staging(&format!(
        "[[step]]\ndo = 'print_secret'\ntext = '{TOKEN}'\n"
    ));
    let got = world.sandbox.path("got");
    let agent = world.sandbox.path("agent.sh");
    let script = format!(
        "test \"$AMP_API_KEY\" = {TOKEN} && echo yes > {}\nexec {} \"$@\"\n",
        got.display(),
        world.sandbox.agent_command()
    );
    fs::write(&agent, script).unwrap();
    let made = world.session_with("one", &["--env", "staging"]);
    let command = format!("environments.staging.command=sh {}", agent.display());
    world
        .run(&["iterate", "one", "--set-config", &command])
        .ok();
    assert_eq!(fs::read_to_string(got).unwrap(), "yes\n");
    for place in ["transcript", "log", "status"] {
        let said = world.run(&[place, "one", "--json"]).ok();
        assert!(!said.stdout.contains(TOKEN), "{place}: {}", said.stdout);
    }
    let kept = world.sandbox.data_dir().join("output").join(&made.id);
    for file in fs::read_dir(kept).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&text);
        assert!(!text.contains(TOKEN), "{}", path.display());
    }
}

#[test]
fn a_mode_that_is_not_allowed_is_refused_with_the_list() {
    let world = with_staging("");
    let new = |words: &[&str]| {
        let start = ["new", "--name", "one", "--prompt", "Greet"];
        world.run(&[&start[..], words].concat())
    };
    new(&["--env", "staging", "--mode", "bolt"])
        .refuses(
            3,
            "the mode `bolt` is not allowed in the environment `staging`",
        )
        .says("rush, smart");
    new(&["--env", "ci", "--mode", "bolt"])
        .refuses(3, "`ci`")
        .says("default");
    new(&["--env", "nowhere"])
        .refuses(2, "there is no environment `nowhere`")
        .says("staging");
    // Amp's model is chosen by its mode.
    new(&["--env", "ci", "--model", "bolt"]).refuses(3, "`bolt`");
    assert_eq!(world.count("SELECT count(*) FROM sessions"), 0);
    for no_word in ["--mode=a\nb", "--mode=--yolo x", "--mode=--yolo", "--mode="] {
        new(&[no_word]).refuses(2, "the mode must be one word");
    }
    assert_eq!(world.count("SELECT count(*) FROM sessions"), 0);
    new(&["--mode", "anything-at-all"]).ok();
    world
        .run(&["set", "one", "mode", "a\u{1b}b"])
        .refuses(2, "the mode must be one word");
    world
        .run(&["set", "one", "env", "staging"])
        .refuses(3, "anything-at-all");
    world.run(&["set", "one", "mode", ""]).ok();
    world.run(&["set", "one", "env", "staging"]).ok();
    let status = world.json(&["status", "one"]);
    assert_eq!(status["session"]["runtime"]["environment"], "staging");
}

#[test]
fn a_token_that_others_can_read_is_refused_before_anything_runs() {
    let world = with_staging("");
    world.session_with("one", &["--env", "staging"]);
    let token = world.sandbox.home().join("staging-token");
    fs::set_permissions(&token, Permissions::from_mode(0o644)).unwrap();
    world
        .run(&["iterate", "one"])
        .refuses(3, "others can read it")
        .says("chmod 600");
    assert_eq!(world.count("SELECT count(*) FROM iterations"), 0);
}

#[test]
fn environments_are_listed() {
    let world = with_staging("");
    let listed = world.orchestra(&["env", "list", "--json"]).ok().json();
    let names: Vec<_> = listed["environments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, ["ci", "development", "production", "staging"]);
    world
        .orchestra(&["env", "list"])
        .ok()
        .says("production (default)")
        .says("file:~/staging-token");
}

#[test]
fn the_entry_point_of_an_environment_is_run() {
    let sandbox = Sandbox::new();
    let command = sandbox.agent_command();
    let sandbox = sandbox
        .with_variable("ORCHESTRA_AGENTS_AMP_COMMAND", "amp-that-is-not-there")
        .with_variable("ORCHESTRA_ENVIRONMENTS_DEVELOPMENT_COMMAND", command);
    let world = World::of(sandbox);
    world.session("one");
    world
        .run(&["iterate", "one"])
        .refuses(4, "amp-that-is-not-there");
    world.run(&["set", "one", "env", "development"]).ok();
    world.run(&["iterate", "one"]).ok();
}

#[test]
fn a_token_in_the_place_of_its_place_is_not_printed() {
    let world = with_staging("");
    for (key, value) in [
        ("environments.ci.token", TOKEN),
        (
            "environments.ci.url",
            "https://me:token-of-the-staging-server@host/",
        ),
    ] {
        let set = world.orchestra(&["config", "set", key, value]);
        let set = set.refuses(2, "not shown");
        assert!(!set.stderr.contains(TOKEN), "{}", set.stderr);
        let given = format!("{key}={value}");
        let used = world.orchestra(&["env", "list", "--set-config", &given]);
        assert!(!used.stderr.contains(TOKEN), "{}", used.stderr);
    }
}
