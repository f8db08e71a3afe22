//! `orchestra session`, `amp-sessions` and `ampsm` are the same program.

use orchestra_testkit::bin;

use crate::ran::{Ran, ran};
use crate::world::World;

fn with(world: &World, program: &str, words: &[&str]) -> Ran {
    let mut command = world.sandbox.command(&bin(program));
    if program == "orchestra" {
        command.arg("session");
    }
    command.args(words);
    ran(command)
}

#[test]
fn all_three_answer_alike() {
    let world = World::new();
    let made = world.session("one");
    world.run(&["iterate", "one"]).ok();
    let asked: [&[&str]; 7] = [
        &["list", "--json", "--no-refresh"],
        &["log", "one", "--json"],
        &["diff", "one"],
        &["transcript", "one", "--json"],
        &["status", "nobody", "--json"],
        &["config", "get", "git.commit_prefix"],
        &["queue", "--json"],
    ];
    for words in asked {
        let answers = ["orchestra", "amp-sessions", "ampsm"].map(|program| {
            let ran = with(&world, program, words);
            (ran.code, ran.stdout, ran.stderr)
        });
        assert_eq!(answers[0], answers[1], "{words:?}");
        assert_eq!(answers[0], answers[2], "{words:?}");
    }
    with(&world, "ampsm", &["iterate", "one", "--notes", "again"]).ok();
    with(
        &world,
        "amp-sessions",
        &["iterate", "one", "--notes", "third"],
    )
    .ok();
    assert_eq!(world.count("SELECT count(*) FROM iterations"), 3);
    assert!(
        world
            .iteration(&made, 3, "outcome")
            .unwrap()
            .contains("succeeded")
    );
}

#[test]
fn errors_have_a_code_a_message_and_a_hint() {
    let world = World::new();
    let made = world.session("one");
    let asked: [(&[&str], i32, &str); 7] = [
        (&["status", "nobody"], 2, "session.not_found"),
        (&["stop", "one"], 3, "session.wrong_state"),
        (&["answer", "one", "x"], 3, "session.wrong_state"),
        (&["resume", "one"], 3, "session.wrong_state"),
        (&["discard", "one"], 3, "session.wrong_state"),
        (&["run", "one", "nope"], 2, "script.missing"),
        (&["commit", "one", "-m", "x"], 3, "commit.nothing"),
    ];
    for (words, exit, code) in asked {
        let ran = world.run(&[words, &["--json"]].concat()).ends_with(exit);
        let error = &ran.json()["error"];
        assert_eq!(error["code"], code);
        assert!(
            error["message"].is_string() && error["hint"].is_string(),
            "{error}"
        );
        assert_eq!(error.as_object().unwrap().len(), 3);
        let plain = world.run(words).ends_with(exit);
        assert!(plain.stdout.is_empty(), "{}", plain.stdout);
        assert!(plain.stderr.starts_with("error: ") && plain.stderr.contains("\nhint: "));
    }
    assert_eq!(
        world.json(&["status", &made.id])["session"]["status"],
        "idle"
    );
}

#[test]
fn a_command_that_gives_the_terminal_away_has_no_json() {
    let world = World::new();
    world.session("one");
    for command in ["open", "shell"] {
        let refused = world.run(&[command, "one", "--json"]).ends_with(2).json();
        assert_eq!(refused["error"]["code"], "input.invalid");
    }
}

#[test]
fn an_editor_is_given_with_its_arguments() {
    let world = World::new();
    let made = world.session("one");
    world
        .run(&["open", "one", "--editor", "sh -c 'echo \"$0\" > edited'"])
        .ok();
    let edited = std::fs::read_to_string(made.worktree.join("edited")).unwrap();
    assert_eq!(edited.trim(), made.worktree.to_string_lossy());
    world
        .run(&["open", "one", "--editor", "'open"])
        .refuses(2, "the editor must be");
    std::fs::remove_dir_all(&made.worktree).unwrap();
    let refused = world.run(&["shell", "one"]).refuses(3, "missing");
    assert!(!refused.stderr.contains("shell in"), "{}", refused.stderr);
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_window_has_the_session_s_shell() {
    let sandbox = orchestra_testkit::Sandbox::new();
    let world = World::of(sandbox.with_variable("DISPLAY", ":77"));
    let made = world.session("one");
    let (terminal, told) = (world.sandbox.path("terminal"), world.sandbox.path("told"));
    orchestra_testkit::write_program(
        &terminal,
        &format!(
            "#!/bin/sh\nprintf '%s\\n' \"$PWD\" \"$ORCHESTRA_SESSION\" \"$@\" > {}.new\nmv {}.new {}\n",
            told.display(),
            told.display(),
            told.display()
        ),
    );
    let words = format!("{} -e", terminal.display());
    world
        .orchestra(&["config", "set", "ui.terminal", &words])
        .ok();
    world.run(&["shell", "one", "--window"]).ok();
    orchestra_testkit::wait_until("the terminal is open", crate::world::PATIENCE, || {
        told.exists()
    });
    let told = std::fs::read_to_string(told).unwrap();
    let lines: Vec<_> = told.lines().collect();
    assert_eq!(lines[0], made.worktree.to_string_lossy());
    assert_eq!(lines[1..3], [made.id.as_str(), "-e"]);
    assert!(lines[3].ends_with("orchestra"), "{told}");
    assert_eq!(lines[4..], ["session", "shell", made.id.as_str()]);
}
