//! Templates: what new sessions begin with.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use orchestra_testkit::Sandbox;
use serde_json::{Value, json};

use crate::ran::Ran;
use crate::world::World;

const PROMPT: &str = "Fix {{component}} in {{place}}";

fn template(world: &World, words: &[&str]) -> Ran {
    world.orchestra(&[&["template"], words].concat())
}

fn file(world: &World, name: &str) -> PathBuf {
    world
        .sandbox
        .data_dir()
        .join(format!("templates/{name}.toml"))
}

fn saved(world: &World) {
    let words = ["save", "fix", "--prompt", PROMPT, "--var", "place=src"];
    let more = ["--script", "true", "--agent", "demo", "--timeout", "30m"];
    template(world, &[&words[..], &more[..]].concat())
        .ok()
        .says("new --template fix --name ... --var component=...");
}

fn listed(world: &World) -> Vec<Value> {
    let listing = template(world, &["list", "--json"]).ok().json();
    listing["templates"].as_array().unwrap().clone()
}

#[test]
fn a_session_begins_with_what_its_template_says() {
    let world = World::new();
    saved(&world);
    world
        .run(&[
            "new",
            "--name",
            "one",
            "--template",
            "fix",
            "--var",
            "component=Button",
        ])
        .ok();
    let one = world.json(&["status", "one"])["session"].clone();
    assert_eq!(one["prompt"], "Fix Button in src");
    assert_eq!(
        (&one["script_command"], &one["agent"]),
        (&"true".into(), &"demo".into())
    );
    assert_eq!(one["timeout_ms"], 1_800_000);
    let flags = [
        "--prompt",
        "Other",
        "--script",
        "false",
        "--timeout",
        "1m",
        "--agent",
        "amp",
    ];
    let words = ["new", "--name", "two", "--template", "fix"];
    world.run(&[&words[..], &flags[..]].concat()).ok();
    let two = world.json(&["status", "two"])["session"].clone();
    assert_eq!(two["prompt"], "Other");
    assert_eq!(
        (&two["script_command"], &two["agent"]),
        (&"false".into(), &"amp".into())
    );
    assert_eq!(two["timeout_ms"], 60_000);
}

#[test]
fn a_template_says_how_the_agent_is_run() {
    let world = World::new();
    let tools = world.sandbox.path("tools");
    fs::create_dir(&tools).unwrap();
    let set = |key: &str, value: &str| world.orchestra(&["config", "set", key, value]).ok();
    set("environments.staging.kind", "development");
    set("mcp.issues.command", "true");
    let directory = tools.to_str().unwrap();
    let runtime = [
        "--env",
        "staging",
        "--mode",
        "rush",
        "--budget",
        "2.50",
        "--isolation",
        "none",
        "--toolbox",
        directory,
        "--mcp",
        "issues",
    ];
    template(
        &world,
        &[&["save", "all", "--prompt", "Go"], &runtime[..]].concat(),
    )
    .ok();
    let new = |name: &str, more: &[&str]| {
        let made = world.run(&[&["new", "--name", name], more].concat()).ok();
        let status = world.json(&["status", name])["session"]["runtime"].clone();
        (made.stderr, status)
    };
    let (said, one) = new("one", &["--template", "all"]);
    assert!(!said.contains("template"), "{said}");
    let (_, by_options) = new("two", &[&["--prompt", "Go"], &runtime[..]].concat());
    assert_eq!(one, by_options);
    assert_eq!(one["toolboxes"], json!([directory]));
    let (_, other) = new(
        "three",
        &["--template", "all", "--mode", "smart", "--toolbox", "none"],
    );
    assert_eq!(
        (&other["mode"], &other["toolboxes"]),
        (&json!("smart"), &json!(["none"]))
    );
    assert_eq!(other["budget"], one["budget"]);
    template(&world, &["save", "again", "--from", "one"]).ok();
    let (_, again) = new("four", &["--template", "again"]);
    assert_eq!(again, one);
    template(&world, &["show", "all"])
        .ok()
        .says("rush")
        .says("$2.50");
}

#[test]
fn what_cannot_be_filled_in_is_refused_before_anything_is_made() {
    let world = World::new();
    saved(&world);
    let before = world.outside();
    let new = |more: &[&str]| world.run(&[&["new", "--name", "x"], more].concat());
    new(&["--template", "fix"]).refuses(2, "there is no value for `component`");
    new(&["--template", "fix", "--var", "colour=red"]).refuses(2, "there is no variable `colour`");
    new(&["--template", "other"]).refuses(2, "there are fix");
    new(&["--template", "../fix"]).ends_with(2);
    new(&["--prompt", "x", "--var", "a=b"]).ends_with(2);
    assert_eq!(world.outside(), before);
}

#[test]
fn a_template_is_a_private_file_that_is_shown_exported_imported_and_deleted() {
    let world = World::new();
    saved(&world);
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(file(&world, "fix")), 0o600);
    assert_eq!(mode(world.sandbox.data_dir().join("templates")), 0o700);
    template(&world, &["save", "fix", "--prompt", "x"]).refuses(3, "--replace");
    template(&world, &["save", "empty"]).refuses(2, "would be empty");
    template(&world, &["save", "x", "--prompt", "x", "--agent", "nobody"]).ends_with(2);
    let shown = template(&world, &["show", "fix", "--json"]).ok().json();
    let shown = &shown["template"];
    assert_eq!(
        (&shown["prompt"], &shown["origin"]),
        (&PROMPT.into(), &"user".into())
    );
    assert_eq!(shown["variables"][1]["default"], "src");
    template(&world, &["show", "fix"])
        .ok()
        .says("component")
        .says("[default: src]");
    let text = template(&world, &["export", "fix"]).ok().stdout;
    assert_eq!(text, fs::read_to_string(file(&world, "fix")).unwrap());
    template(&world, &["export", "fix", "copy.toml"]).ok();
    template(&world, &["export", "fix", "copy.toml"]).refuses(3, "exists already");
    template(&world, &["import", "copy.toml", "--yes"]).ok();
    template(&world, &["import", "copy.toml", "--yes"])
        .refuses(3, "there is a template `copy` already");
    let replace = ["--name", "fix", "--replace", "--yes"];
    template(&world, &[&["import", "copy.toml"], &replace[..]].concat()).ok();
    assert_eq!(listed(&world).len(), 2);
    template(&world, &["delete", "fix"]).refuses(3, "--yes");
    template(&world, &["delete", "fix", "--yes"]).ok();
    template(&world, &["delete", "fix", "--yes"]).refuses(2, "there is no template `fix`");
    assert_eq!(listed(&world)[0]["name"], "copy");
    let told = "SELECT group_concat(type) FROM (SELECT type FROM events WHERE type LIKE 'template%' ORDER BY seq)";
    assert_eq!(
        world.value(told).unwrap(),
        "template_saved,template_saved,template_saved,template_deleted"
    );
}

#[test]
fn a_script_that_somebody_else_wrote_is_shown_before_it_is_saved() {
    let world = World::new();
    let text = "prompt = 'Theirs'\nscript = \"\"\"true # harmless\ntouch pwned\"\"\"\n";
    world.repository.write("theirs.toml", text);
    let refused = template(&world, &["import", "theirs.toml"]).refuses(3, "--yes");
    refused.says("true # harmless\n           touch pwned");
    assert!(!file(&world, "theirs").exists());
    template(&world, &["import", "theirs.toml", "--yes"]).ok();
    assert_eq!(fs::read_to_string(file(&world, "theirs")).unwrap(), text);
    world.repository.write("plain.toml", "prompt = 'Theirs'\n");
    template(&world, &["import", "plain.toml"]).ok();
}

#[test]
fn a_file_that_is_no_template_is_named_itself() {
    let world = World::new();
    world
        .repository
        .write("bad.toml", "prompt = 'x'\nbase = 3\n");
    let path = world.repository.path("bad.toml");
    let told = format!("{}, line 2, is not a template", path.display());
    let words = ["import", "bad.toml", "--name", "good"];
    template(&world, &words).refuses(2, &told);
    assert!(!file(&world, "good").exists());
}

#[test]
fn a_session_becomes_a_template() {
    let world = World::new();
    world.session_with("one", &["--script", "make test", "--agent", "demo"]);
    template(
        &world,
        &[
            "save",
            "again",
            "--from",
            "one",
            "--description",
            "Once more",
        ],
    )
    .ok();
    let text = fs::read_to_string(file(&world, "again")).unwrap();
    let root = world.repository.root().to_string_lossy().into_owned();
    for part in ["Greet amp", "make test", "demo", "Once more", &root, "main"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let elsewhere = world.sandbox.home();
    let mut command = world.session_command(&["new", "--name", "two", "--template", "again"]);
    command.current_dir(elsewhere);
    crate::ran::ran(command).ok();
    assert!(
        world
            .made("two")
            .worktree
            .starts_with(world.repository.root())
    );
}

#[test]
fn templates_of_the_repository_are_only_read_and_their_script_needs_a_person() {
    let world = World::new();
    let theirs = "prompt = 'Theirs'\nscript = 'touch pwned'\nmode = 'smart'\nrepository = '/nowhere'\nisolation = 'none'\nenv = 'ci'\nbudget = '9'\ntoolbox = '/tmp'\ncolour = 'red'\n";
    world
        .repository
        .write(".orchestra/templates/fix.toml", theirs);
    world
        .repository
        .write(".orchestra/templates/broken.toml", "prompt = ");
    let outside = world.sandbox.path("outside.toml");
    fs::write(&outside, "prompt = 'secret'\n").unwrap();
    let link = world.repository.path(".orchestra/templates/link.toml");
    std::os::unix::fs::symlink(&outside, link).unwrap();
    let listing = template(&world, &["list"]).ok();
    assert!(listing.stdout.contains("Theirs") && !listing.stdout.contains("secret"));
    listing
        .says("broken.toml")
        .says("leads out of the repository");
    template(&world, &["edit", "fix"]).refuses(3, "is part of the repository");
    template(&world, &["delete", "fix", "--yes"]).refuses(3, "is part of the repository");
    let made = world
        .run(&["new", "--name", "one", "--template", "fix"])
        .ok();
    for part in [
        "orchestra commands allow templates.fix.script",
        "`repository`",
        "`isolation`",
        "`env`",
        "`budget`",
        "`toolbox`",
        "`colour`",
    ] {
        assert!(made.stderr.contains(part), "{part}: {}", made.stderr);
    }
    let one = world.json(&["status", "one"])["session"].clone();
    assert_eq!(
        (&one["prompt"], &one["script_command"]),
        (&"Theirs".into(), &Value::Null)
    );
    assert_eq!(one["runtime"], json!({ "mode": "smart" }));
    template(&world, &["save", "fix", "--prompt", "Mine"]).ok();
    world
        .run(&["new", "--name", "two", "--template", "fix"])
        .ok();
    assert_eq!(world.json(&["status", "two"])["session"]["prompt"], "Mine");
    template(&world, &["list"])
        .ok()
        .says("repository (yours is used)");
}

#[test]
fn a_script_of_the_repository_is_allowed_once() {
    let world = World::new();
    let path = ".orchestra/templates/fix.toml";
    let text = "prompt = 'Theirs'\nscript = 'test -f README.md'\n";
    world.repository.write(path, text);
    let script = |name: &str, more: &[&str]| {
        let words = ["new", "--name", name, "--template", "fix"];
        let ran = world.run(&[&words[..], more].concat()).ok();
        let told = ran.stderr.contains("templates.fix.script");
        let status = world.json(&["status", name]);
        (status["session"]["script_command"].clone(), told)
    };
    let theirs = Value::from("test -f README.md");
    assert_eq!(script("one", &[]), (Value::Null, true));
    assert_eq!(script("two", &["--yes"]), (theirs.clone(), false));
    assert_eq!(script("three", &[]), (theirs.clone(), false));
    let listed = world.orchestra(&["commands", "list", "--json"]).ok().json();
    assert_eq!(listed["commands"][0]["setting"], "templates.fix.script");
    let forget = ["commands", "forget", "templates.fix.script"];
    world.orchestra(&forget).ok().says("forgotten");
    assert_eq!(script("four", &[]), (Value::Null, true));
    world.orchestra(&["commands", "allow", "--all"]).ok();
    assert_eq!(script("five", &[]), (theirs, false));
    world
        .repository
        .write(path, &text.replace("test", "true || test"));
    assert_eq!(script("six", &[]), (Value::Null, true), "another text");
}

#[test]
fn an_editor_changes_a_template_and_loses_nothing() {
    let edit = |text: &str| {
        let sandbox = Sandbox::new();
        let editor = format!("sh -c 'printf \"%s\" \"$0\" > \"$1\"' '{text}'");
        let world = World::of(sandbox.with_variable("EDITOR", editor));
        saved(&world);
        let ran = template(&world, &["edit", "fix"]);
        (world, ran)
    };
    let (world, ran) = edit("prompt = \"New {{x}}\"");
    ran.ok().says("--var x=...");
    assert_eq!(
        fs::read_to_string(file(&world, "fix")).unwrap(),
        "prompt = \"New {{x}}\""
    );
    let (world, ran) = edit("prompt = 3");
    let ran = ran.ends_with(2).says("your text is kept");
    let kept = ran.stderr.split('\'').nth(1).unwrap();
    assert_eq!(fs::read_to_string(kept).unwrap(), "prompt = 3");
    assert!(
        fs::read_to_string(file(&world, "fix"))
            .unwrap()
            .contains(PROMPT)
    );
}

#[test]
fn secrets_are_not_kept_in_templates() {
    let world = World::new();
    let key = format!("sk-ant-api03-{}", "a1B2".repeat(20));
    template(&world, &["save", "fix", "--prompt", &format!("Use {key}")])
        .ok()
        .says("looks like a secret");
    assert!(
        !fs::read_to_string(file(&world, "fix"))
            .unwrap()
            .contains(&key)
    );
    template(
        &world,
        &[
            "save",
            "run",
            "--prompt",
            "x",
            "--script",
            &format!("curl {key}"),
        ],
    )
    .ends_with(2)
    .says("the script contains what looks like a secret");
}
