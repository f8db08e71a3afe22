//! `config`: values with their origins, files that are edited in place, and what a repository has no say over.

use crate::ran::ran;
use crate::world::World;

fn get(world: &World, key: &str) -> (String, String) {
    let answer = world
        .orchestra(&["config", "get", key, "--json"])
        .ok()
        .json();
    let text = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
    (text("value"), text("origin"))
}

#[test]
fn later_layers_win_and_tell_where_they_are() {
    let world = World::new();
    let key = "git.commit_prefix";
    assert_eq!(get(&world, key), ("amp:".to_owned(), "default".to_owned()));
    world.orchestra(&["config", "set", key, "user:"]).ok();
    let user = world.sandbox.home().join(".config/orchestra/config.toml");
    assert_eq!(
        get(&world, key),
        ("user:".to_owned(), format!("user file {}", user.display()))
    );
    world
        .orchestra(&["config", "set", key, "repository:", "--repo"])
        .ok();
    let file = world.repository.path(".orchestra/config.toml");
    assert_eq!(
        get(&world, key),
        (
            "repository:".to_owned(),
            format!("repository file {}", file.display())
        )
    );
    let asked = ["config", "get", key, "--json"];
    let mut command = world.sandbox.orchestra();
    command
        .args(asked)
        .env("ORCHESTRA_GIT_COMMIT_PREFIX", "variable:");
    let answer = ran(command).ok().json();
    assert_eq!(answer["value"], "variable:");
    assert_eq!(
        answer["origin"],
        "environment variable ORCHESTRA_GIT_COMMIT_PREFIX"
    );
    let mut command = world.sandbox.orchestra();
    command
        .args(asked)
        .args(["--set-config", "git.commit_prefix=flag:"])
        .env("ORCHESTRA_GIT_COMMIT_PREFIX", "variable:");
    let answer = ran(command).ok().json();
    assert_eq!(
        (&answer["value"], &answer["origin"]),
        (&"flag:".into(), &"command line".into())
    );

    let unset = world.orchestra(&["config", "unset", key, "--repo"]).ok();
    let in_force = format!("{key} = \"user:\" (user file {})\n", user.display());
    assert_eq!(unset.stdout, in_force);
    assert_eq!(get(&world, key).0, "user:");
    world.orchestra(&["config", "unset", key]).ok();
    assert_eq!(get(&world, key).0, "amp:");
    world
        .orchestra(&["config", "unset", key])
        .ok()
        .says("is not set there");
}

#[test]
fn files_keep_what_people_wrote() {
    let world = World::new();
    let text =
        "# mine\n[git]\n# why\ncommit_prefix = 'x:' # here\n\n[scripts]\nlint = \"make lint\"\n";
    world.repository.write(".orchestra/config.toml", text);
    world
        .orchestra(&["config", "set", "git.commit_prefix", "y:", "--repo"])
        .ok();
    let edited = world.repository.read(".orchestra/config.toml");
    for part in ["# mine", "# why", "# here", "lint = \"make lint\"", "y:"] {
        assert!(edited.contains(part), "no `{part}` in\n{edited}");
    }
    assert!(!edited.contains("x:"));
    // Values that look like options are values.
    world
        .orchestra(&["config", "set", "git.commit_prefix", "--", "--x"])
        .ok();
}

#[test]
fn a_setting_without_effect_says_so() {
    let world = World::new();
    world
        .orchestra(&["config", "set", "evaluation.concurrency", "2"])
        .ok()
        .says("does not use it yet");
    let text = world.orchestra(&["config", "list"]).ok().stdout;
    let line = |key: &str| text.lines().find(|line| line.starts_with(key)).unwrap();
    assert!(
        line("evaluation.concurrency").ends_with("(not used yet)"),
        "{text}"
    );
    assert!(line("ui.color").ends_with("default"), "{text}");
    let listed = world.orchestra(&["config", "list", "--json"]).ok().json();
    let settings = listed["settings"].as_array().unwrap();
    let unused = |setting: &&serde_json::Value| setting["is_used"] == false;
    let unused: Vec<_> = settings.iter().filter(unused).collect();
    assert!(
        unused
            .iter()
            .any(|setting| setting["key"] == "evaluation.concurrency")
    );
    assert!(unused.iter().all(|setting| {
        let words = setting["description"].as_str().unwrap();
        words.ends_with("not used yet by this version")
    }));
}

#[test]
fn color_is_a_setting() {
    let world = World::new();
    world.session("colored");
    let has_color = |words: &[&str], no_color: bool| {
        let mut command = world.sandbox.orchestra();
        command.args(words);
        if no_color {
            command.env("NO_COLOR", "1");
        }
        ran(command).ok().stdout.contains('\u{1b}')
    };
    let list = &["session", "list"][..];
    assert!(!has_color(list, false), "a pipe has no colour");
    world
        .orchestra(&["config", "set", "ui.color", "always"])
        .ok();
    for words in [list, &["--help"]] {
        assert!(
            has_color(words, false) && has_color(words, true),
            "{words:?}"
        );
    }
    world
        .orchestra(&["config", "set", "ui.color", "never"])
        .ok();
    assert!(!has_color(list, false) && !has_color(&["--help"], false));
    let once = ["session", "list", "--set-config", "ui.color=always"];
    assert!(has_color(&once, false), "an option outranks the file");
}

#[test]
fn list_path_and_schema() {
    let world = World::new();
    let listed = world.orchestra(&["config", "list", "--json"]).ok().json();
    let settings = listed["settings"].as_array().unwrap();
    assert!(settings.len() > 25);
    for section in [
        "core.",
        "git.",
        "agents.",
        "ui.",
        "evaluation.",
        "security.",
    ] {
        assert!(
            settings
                .iter()
                .any(|setting| setting["key"].as_str().unwrap().starts_with(section)),
            "{section}"
        );
    }
    assert!(
        settings
            .iter()
            .all(|setting| !setting["description"].as_str().unwrap().is_empty())
    );
    let text = world.orchestra(&["config", "list"]).ok().stdout;
    assert!(text.contains("core.max_concurrent_sessions") && text.contains("default"));
    let paths = world.orchestra(&["config", "path", "--json"]).ok().json();
    assert_eq!(
        paths["repository"],
        world
            .repository
            .path(".orchestra/config.toml")
            .to_str()
            .unwrap()
    );
    let mut outside = world.sandbox.orchestra();
    outside
        .args(["config", "path", "--json"])
        .current_dir(world.sandbox.home());
    assert!(ran(outside).ok().json()["repository"].is_null());
    let schema = world.orchestra(&["config", "schema"]).ok().json();
    assert!(schema["$schema"].is_string());
    let core = &schema["properties"]["core"]["properties"];
    assert!(core["max_concurrent_sessions"].is_object(), "{schema}");
}

#[test]
fn mistakes_are_refused_or_told() {
    let world = World::new();
    let file = world.sandbox.home().join(".config/orchestra/config.toml");
    world
        .orchestra(&["config", "set", "git.comit_prefix", "x"])
        .ends_with(2)
        .says("did you mean `git.commit_prefix`?");
    for (key, value) in [
        ("core.max_concurrent_sessions", "zero"),
        ("core.max_concurrent_sessions", "0"),
        ("core.session_timeout", "soon"),
        ("git.human_changes", "eat"),
        ("git.branch_pattern", "a..b"),
    ] {
        world.orchestra(&["config", "set", key, value]).ends_with(2);
    }
    world.orchestra(&["config", "get", "no.such"]).ends_with(2);
    assert!(!file.exists());
    let mut outside = world.sandbox.orchestra();
    outside
        .args(["config", "set", "git.commit_prefix", "x", "--repo"])
        .current_dir(world.sandbox.home());
    ran(outside).ends_with(2).says("not in a git repository");
    world
        .run(&["list", "--set-config", "core.nonsense=1"])
        .ends_with(2);
    world
        .run(&["list", "--set-config", "nonsense"])
        .ends_with(2);
}

#[test]
fn unknown_keys_are_warned_about_with_the_nearest() {
    let world = World::new();
    world
        .repository
        .write(".orchestra/config.toml", "[git]\ncomit_prefix = \"x\"\n");
    let listed = world.run(&["list"]).ok();
    assert!(
        listed.stderr.contains("git.comit_prefix") && listed.stderr.contains("git.commit_prefix"),
        "{}",
        listed.stderr
    );
    let answer = world.orchestra(&["config", "list", "--json"]).ok();
    assert_eq!(answer.json()["warnings"].as_array().unwrap().len(), 1);
}

#[test]
fn a_repository_cannot_choose_programs() {
    let world = World::new();
    let marker = world.sandbox.path("marker");
    world.repository.write(
        ".orchestra/config.toml",
        &format!(
            "[agents.amp]\ncommand = [\"touch\", \"{0}\"]\nenv = [\"SECRET\"]\n[ui]\neditor = \"touch {0}\"\n\
             [core]\nmax_concurrent_sessions = 500\ndatabase_path = \"{0}\"\nworktrees_root = \"../../outside\"\n",
            marker.display()
        ),
    );
    let said = world
        .run(&["new", "--name", "one", "--prompt", "x", "--run"])
        .ok();
    for key in [
        "agents.amp.command",
        "agents.amp.env",
        "ui.editor",
        "core.max_concurrent_sessions",
        "core.database_path",
        "core.worktrees_root",
    ] {
        assert!(
            said.stderr.contains(key),
            "no word on {key}:\n{}",
            said.stderr
        );
    }
    assert!(!marker.exists());
    assert_eq!(get(&world, "core.max_concurrent_sessions").0, "8");
    assert!(
        world
            .made("one")
            .worktree
            .starts_with(world.repository.path(".worktrees"))
    );
    assert!(
        world
            .orchestra(&["config", "set", "agents.amp.command", "x", "--repo"])
            .code
            != 0,
        "what would be ignored is not written"
    );
}

#[test]
fn what_is_set_is_answered_with_what_is_in_force() {
    let world = World::new();
    let key = "git.commit_prefix";
    let user = world.sandbox.home().join(".config/orchestra/config.toml");
    let set = world.orchestra(&["config", "set", key, "bot: "]).ok();
    let in_force = format!("{key} = \"bot: \" (user file {})\n", user.display());
    assert_eq!((set.stdout, set.stderr), (in_force, String::new()));
    let number = ["config", "set", "core.max_concurrent_sessions", "4"];
    let number = world.orchestra(&number).ok().stdout;
    assert!(
        number.starts_with("core.max_concurrent_sessions = 4 ("),
        "{number}"
    );

    let mut hidden = world.sandbox.orchestra();
    hidden
        .args(["config", "set", key, "x:", "--json"])
        .env("ORCHESTRA_GIT_COMMIT_PREFIX", "variable:");
    let hidden = ran(hidden).ok();
    assert_eq!(hidden.json()["value"], "variable:");
    assert!(hidden.stderr.contains("comes first"), "{}", hidden.stderr);

    let unset = ["config", "unset", "agents.amp.model"];
    let unset = world.orchestra(&unset).ok().stdout;
    assert_eq!(unset, "agents.amp.model not set (default)\n");
    let unset = ["config", "unset", key, "--json"];
    let unset = world.orchestra(&unset).ok().json();
    assert_eq!(
        (&unset["value"], &unset["origin"]),
        (&"amp:".into(), &"default".into())
    );
}

#[test]
fn the_files_are_named_though_one_of_them_is_broken() {
    let world = World::new();
    world.repository.write(".orchestra/config.toml", "[[[\n");
    world
        .orchestra(&["config", "path"])
        .ok()
        .says(".orchestra/config.toml");
    world.orchestra(&["config", "list"]).ends_with(2);
}

#[test]
fn a_setting_leaves_no_empty_table_behind() {
    let world = World::new();
    let file = world.repository.path(".orchestra/config.toml");
    let read = || std::fs::read_to_string(&file).unwrap();
    let unset = ["config", "unset", "git.commit_prefix", "--repo"];
    let set = ["config", "set", "git.commit_prefix", "x:", "--repo"];
    world.orchestra(&set).ok();
    world.orchestra(&unset).ok();
    assert!(!read().contains("[git]"), "{}", read());
    std::fs::write(&file, "# ours\n[git]\ncommit_prefix = \"x:\"\n").unwrap();
    world.orchestra(&unset).ok();
    assert!(read().contains("# ours"), "{}", read());
}

#[test]
fn a_setting_that_clashes_with_another_is_not_written() {
    let world = World::new();
    world
        .orchestra(&["config", "set", "ports.api", "2", "--repo"])
        .ok();
    let before = world.repository.read(".orchestra/config.toml");
    world
        .orchestra(&["config", "set", "ports.api_2", "1", "--repo"])
        .refuses(2, "`ports.api` and `ports.api_2` would both set");
    assert_eq!(world.repository.read(".orchestra/config.toml"), before);
}

#[test]
fn settings_of_an_agent_that_does_not_exist_are_told() {
    let world = World::new();
    world
        .orchestra(&["config", "set", "agents.foo.command", "x"])
        .ok();
    world
        .orchestra(&["queue"])
        .ok()
        .says("there is no agent for `agents.foo.command`")
        .says("amp, claude, codex, demo, opencode");
    let checked = world.orchestra(&["doctor"]).stdout;
    assert!(checked.contains("agents.foo.command"), "{checked}");
}
