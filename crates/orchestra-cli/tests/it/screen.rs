//! What agents, people and files name and say reaches the terminal as text, whatever it contains.

use crate::ran::{Ran, ran};
use crate::world::World;

/// Clears the screen, writes to the clipboard, rings, moves up, turns the text around; twice in the one-byte forms.
const EVIL: &str = "\u{1b}[2J\u{1b}]52;c;eA==\u{7}\u{1b}[1A\u{202e}\u{9b}2J\u{8}";

const SCENARIO: &str = r#"
[[turn]]
steps = [
    { do = "write", path = "evil\u001b[2J\u0007.txt", text = "one \u001b[2J two\n" },
    { do = "message", text = "EVIL said" },
    { do = "tool_call", name = "Bash", input = { cmd = "EVIL" }, result = "EVIL" },
    { do = "ask", text = "Which EVIL?" },
]

[[turn]]
steps = [{ do = "error", text = "EVIL failed" }]
"#;

fn evil_world() -> World {
    let escaped = EVIL
        .chars()
        .map(|char| format!("\\u{:04X}", u32::from(char)))
        .collect::<String>();
    World::with_scenario(&SCENARIO.replace("EVIL", &escaped))
}

/// A command whose answer is coloured as on a terminal; a pipe would hide escapes.
fn colored(world: &World, words: &[&str]) -> Ran {
    let mut command = world.sandbox.orchestra();
    command
        .args(words)
        .args(["--set-config", "ui.color=always"]);
    ran(command)
}

/// The characters a terminal would obey, apart from our own colours.
fn obeyed(text: &str) -> Vec<char> {
    let mut plain = String::new();
    let mut parts = text.split("\u{1b}[");
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let rest = part.trim_start_matches(|char: char| char.is_ascii_digit() || char == ';');
        match rest.strip_prefix('m') {
            Some(rest) => plain.push_str(rest),
            None => plain.push_str(&format!("\u{1b}[{part}")),
        }
    }
    plain
        .chars()
        .filter(|char| (char.is_control() && !"\n\t".contains(*char)) || *char == '\u{202e}')
        .collect()
}

#[track_caller]
fn assert_harmless(words: &[&str], ran: &Ran) {
    for text in [&ran.stdout, &ran.stderr] {
        let found = obeyed(text);
        assert!(found.is_empty(), "{words:?}: {found:?} in\n{text:?}");
    }
}

#[test]
fn no_field_can_steer_a_terminal() {
    let world = evil_world();
    let script = format!("false '{EVIL}'");
    let evil = |what: &str| format!("{what} {EVIL}\nsecond line");
    let (prompt, notes, rules) = (evil("prompt"), evil("notes"), evil("constraints"));
    let mut new = vec!["session", "new", "--name", "evil"];
    new.extend(["--prompt", &prompt, "--notes", &notes]);
    new.extend(["--constraints", &rules, "--script", &script]);
    assert_harmless(&["new"], &colored(&world, &new).ok());
    let iterate = colored(&world, &["session", "iterate", "evil"]);
    assert_harmless(&["iterate"], &iterate);
    assert!(iterate.stdout.contains("said"), "{}", iterate.stdout);
    // No command takes such words for these; a database may have them all the same.
    let fields = "UPDATE sessions SET issue = ?1, model = ?1";
    world.writable_store().execute(fields, [EVIL]).unwrap();
    let look: [&[&str]; 8] = [
        &[],
        &["session", "list"],
        &["session", "status", "evil"],
        &["session", "log", "evil"],
        &["session", "transcript", "evil"],
        &["session", "run", "evil", "--detach"],
        &["worktree", "list"],
        &["doctor"],
    ];
    for words in look {
        assert_harmless(words, &colored(&world, words));
    }
    world.run(&["wait", "evil"]);
    world.run(&["set", "evil", "model", ""]).ok();
    let answer = colored(&world, &["session", "answer", "evil", "this one"]);
    assert_harmless(&["answer"], &answer);
    let wrong = colored(&world, &["session", "status", EVIL]).ends_with(2);
    assert_harmless(&["status"], &wrong);
    for words in look {
        assert_harmless(words, &colored(&world, words));
        if words.first() != Some(&"doctor") {
            let json = [words, &["--json"]].concat();
            assert_harmless(&json, &colored(&world, &json));
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_diff_is_as_it_is_in_a_pipe_and_harmless_on_a_terminal() {
    let world = World::new();
    let made = world.session("diff");
    std::fs::write(made.worktree.join("evil.txt"), format!("{EVIL}\n")).unwrap();
    let piped = world.run(&["diff", "diff"]).ok();
    assert!(piped.stdout.contains(EVIL), "{:?}", piped.stdout);
    let shown = on_terminal(&world, "session diff diff");
    assert!(shown.stdout.contains("evil.txt"), "{:?}", shown.stdout);
    let found: Vec<_> = obeyed(&shown.stdout)
        .into_iter()
        .filter(|char| *char != '\r')
        .collect();
    assert!(found.is_empty(), "{found:?} in {:?}", shown.stdout);
}

#[test]
fn a_prompt_that_would_fill_the_screen_is_cut() {
    let world = World::new();
    let prompt = "y".repeat(1_000);
    world
        .run(&["new", "--name", "one", "--prompt", &prompt])
        .ok();
    let shown = world.run(&["status", "one"]).ok().stdout;
    assert!(!shown.contains(&"y".repeat(400)), "{shown}");
    assert!(shown.contains("(`--json` has all)"), "{shown}");
    assert_eq!(world.json(&["status", "one"])["session"]["prompt"], prompt);
}

#[cfg(target_os = "linux")]
#[test]
fn the_table_fills_in_on_a_terminal_of_unknown_size() {
    let world = World::new();
    let made = world.session("table");
    std::fs::write(made.worktree.join("new.txt"), "new\n").unwrap();
    // `script` makes a terminal of no size when its own input is no terminal.
    let shown = on_terminal(&world, "session list").ok().stdout;
    let rows: Vec<_> = shown
        .lines()
        .filter(|line| line.contains("table"))
        .collect();
    assert!(
        rows.len() == 2
            && rows[0].contains(" no")
            && !rows[0].contains(" yes ")
            && rows[1].contains(" yes "),
        "{shown:?}"
    );
}

/// Runs the program on a terminal of its own.
#[cfg(target_os = "linux")]
fn on_terminal(world: &World, words: &str) -> Ran {
    let orchestra = orchestra_testkit::bin("orchestra");
    let line = format!("exec '{}' {words}", orchestra.display());
    let mut terminal = world.sandbox.command(std::path::Path::new("script"));
    terminal
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .env("TERM", "xterm-256color");
    ran(terminal)
}
