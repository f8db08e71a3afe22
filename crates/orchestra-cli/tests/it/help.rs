//! Help, completions and man pages: the same for all three grammars, complete, and true.

use std::collections::BTreeSet;

use orchestra_testkit::{Sandbox, bin};

use crate::ran::{Ran, ran};

fn program(sandbox: &Sandbox, name: &str, words: &[&str]) -> Ran {
    let mut command = sandbox.command(&bin(name));
    command.args(words);
    ran(command)
}

fn help(sandbox: &Sandbox, name: &str, words: &[&str]) -> String {
    program(sandbox, name, &[words, &["--help"]].concat())
        .ok()
        .stdout
}

/// The commands a help text lists.
fn commands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    listed
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect()
}

/// Every command with its help, from the top.
fn all(sandbox: &Sandbox) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    while let Some(path) = open.pop() {
        let words: Vec<&str> = path.iter().map(String::as_str).collect();
        let text = help(sandbox, "orchestra", &words);
        for name in commands(&text) {
            open.push([path.clone(), vec![name]].concat());
        }
        found.push((path, text));
    }
    found.sort();
    found
}

#[test]
fn the_help_of_the_main_commands() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!("orchestra", help(&sandbox, "orchestra", &[]));
    insta::assert_snapshot!("session", help(&sandbox, "orchestra", &["session"]));
    for name in commands(&help(&sandbox, "orchestra", &["session"])) {
        let text = help(&sandbox, "orchestra", &["session", &name]);
        insta::assert_snapshot!(format!("session_{name}"), text);
    }
}

#[test]
fn the_three_grammars_are_equal() {
    let sandbox = Sandbox::new();
    let session = help(&sandbox, "orchestra", &["session"]);
    let names = commands(&session);
    assert!(names.len() >= 22, "{names:?}");
    for program in ["amp-sessions", "ampsm"] {
        let own = help(&sandbox, program, &[]);
        let mut own = commands(&own);
        own.retain(|name| name != "completions");
        assert_eq!(own, names, "{program}");
        for name in &names {
            let theirs = help(&sandbox, program, &[name]);
            let ours = help(&sandbox, "orchestra", &["session", name]);
            let usage =
                |text: &str, call: &str| text.replace(&format!("Usage: {call} "), "Usage: ");
            assert_eq!(
                usage(&theirs, program),
                usage(&ours, "orchestra session"),
                "{program} {name}"
            );
        }
    }
}

#[test]
fn every_command_says_what_it_is_for() {
    let sandbox = Sandbox::new();
    let all = all(&sandbox);
    for (path, text) in &all {
        let first = text.lines().next().unwrap_or_default();
        assert!(
            first.len() > 10 && !first.starts_with("Usage"),
            "{path:?} has no description"
        );
        let is_leaf = !text.contains("\nCommands:") && !path.iter().any(|word| word == "config");
        assert!(
            !is_leaf || text.contains("\nExample"),
            "{path:?} has no example"
        );
        for line in text
            .lines()
            .filter(|line| line.trim_start().starts_with("--"))
        {
            assert!(line.split_whitespace().count() > 1, "{path:?}: {line}");
        }
    }
    println!("commands {}", all.len());
    assert!(all.len() > 40, "{}", all.len());
}

/// Each example of a help text is a command line the program takes.
#[test]
fn examples_are_understood() {
    let sandbox = Sandbox::new();
    let mut tried = 0;
    for (path, text) in all(&sandbox) {
        let examples = text.lines().skip_while(|line| !line.starts_with("Example"));
        for line in examples.skip(1).take_while(|line| !line.is_empty()) {
            let line = line.trim_start();
            let line = line.rsplit(" | ").next().unwrap_or(line);
            let line = line.split("   ").next().unwrap_or(line);
            let line = line.split(" > ").next().unwrap_or(line);
            let mut words = split(line);
            if words.first().is_some_and(|word| word == "orchestra") {
                words.remove(0);
            } else if path.first().is_some_and(|word| word == "session") {
                words.insert(0, "session".to_owned());
            }
            words.push("--help".to_owned());
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let taken = program(&sandbox, "orchestra", &words);
            assert_eq!(taken.code, 0, "{path:?}: {line}\n{}", taken.stderr);
            tried += 1;
        }
    }
    println!("examples {tried}");
    assert!(tried > 20, "{tried}");
}

/// Words, with double quotes.
fn split(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    parts
        .flat_map(|(index, part)| {
            if index % 2 == 1 {
                vec![part.to_owned()]
            } else {
                part.split_whitespace().map(str::to_owned).collect()
            }
        })
        .collect()
}

#[test]
fn completions_for_every_shell() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        for name in ["orchestra", "amp-sessions", "ampsm"] {
            let script = program(
                &sandbox,
                "orchestra",
                &["completions", shell, "--program", name],
            )
            .ok()
            .stdout;
            for part in [name, "iterate", "needs-me", "discard"] {
                assert!(script.contains(part), "{shell} {name}: no {part}");
            }
            let own = program(&sandbox, name, &["completions", shell]).ok();
            assert_eq!(own.stdout, script, "{shell} {name}");
        }
    }
    program(&sandbox, "orchestra", &["completions", "bash", "--json"]).ends_with(2);
    program(&sandbox, "orchestra", &["completions", "tcsh"]).ends_with(2);
}

#[test]
fn man_pages_for_every_command() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("man");
    program(&sandbox, "orchestra", &["man", folder.to_str().unwrap()]).ok();
    let read = |name: &str| {
        std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    for command in commands(&help(&sandbox, "orchestra", &["session"])) {
        for start in ["orchestra-session", "amp-sessions", "ampsm"] {
            let page = read(&format!("{start}-{command}.1"));
            assert!(page.contains(".TH") && page.contains(".SH SYNOPSIS"));
        }
    }
    assert!(read("orchestra.1").contains("Exit codes"));
}

#[test]
fn documented_exit_codes_are_the_ones_used() {
    let sandbox = Sandbox::new();
    let help = help(&sandbox, "orchestra", &[]);
    let documented: BTreeSet<u8> = help
        .lines()
        .skip_while(|line| !line.starts_with("Exit codes"))
        .skip(1)
        .take_while(|line| !line.is_empty())
        .flat_map(|line| {
            line.split("  ")
                .filter_map(|part| part.split_whitespace().next()?.parse().ok())
        })
        .collect();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/error.rs");
    let source = std::fs::read_to_string(source).unwrap();
    let used = source
        .lines()
        .filter_map(|line| {
            line.strip_prefix("pub(crate) const ")?
                .split_once(": u8 = ")
        })
        .filter_map(|(_, value)| value.trim_end_matches(';').parse::<u8>().ok());
    let used: BTreeSet<u8> = used.chain([0]).collect();
    assert_eq!(documented, used);
    program(&sandbox, "ampsm", &["--version"])
        .ok()
        .says(env!("CARGO_PKG_VERSION"));
}

#[test]
fn man_pages_go_only_where_a_folder_can_be_expected() {
    let sandbox = Sandbox::new();
    let words = |place: &str| ["man".to_owned(), sandbox.path(place).display().to_string()];
    let man = |place: &str| {
        let words = words(place);
        program(&sandbox, "orchestra", &[&words[0], &words[1]])
    };
    man("pages").ok();
    man("pages").ok();
    man("missing/pages")
        .ends_with(1)
        .says("cannot write the man pages");
    assert!(!sandbox.path("missing").exists());
}
