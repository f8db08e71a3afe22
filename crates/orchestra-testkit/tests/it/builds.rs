//! What differs between builds.

use orchestra_testkit::Sandbox;

use crate::agent::{run, run_with};

fn sandbox(build: &str) -> Sandbox {
    let sandbox = Sandbox::new().with_knob("build", build);
    sandbox.repository("app");
    sandbox
}

#[test]
fn versions_begin_with_the_build_number() {
    let numbers = [
        ("jan", "1767830505"),
        ("feb", "1770734955"),
        ("may", "1777897475"),
        ("new", "1790142911"),
    ];
    for (build, number) in numbers {
        let version = run(&sandbox(build), &["--version"]);
        assert!(
            version.stdout.starts_with(&format!("0.0.{number}-g")),
            "{version:?}"
        );
        assert_eq!(version.code, Some(0));
    }
    assert!(
        run(&sandbox("may"), &["version"])
            .stdout
            .starts_with("0.0.")
    );
}

#[test]
fn help_shows_what_the_build_knows() {
    let help = |build| run(&sandbox(build), &["--help"]).stdout;
    assert!(help("may").contains("--dangerously-allow-all"));
    assert!(
        !help("new").contains("--dangerously-allow-all"),
        "hidden, but accepted"
    );
    assert!(help("new").contains("--no-archive-after-execute"));
    assert!(!help("may").contains("--no-archive-after-execute"));
    assert!(!help("jan").contains("--stream-json-thinking"));
    assert_eq!(
        run(&sandbox("new"), &["-x", "hi", "--dangerously-allow-all"]).code,
        Some(0)
    );
}

#[test]
fn unknown_options_are_refused() {
    let jan = run(&sandbox("jan"), &["-x", "hi", "--no-archive-after-execute"]);
    assert_eq!((jan.code, jan.stdout.as_str()), (Some(1), ""));
    assert!(
        jan.stderr
            .starts_with("Error: error: unknown option '--no-archive-after-execute'\n")
    );
    assert!(jan.stderr.contains('\u{1b}'), "older builds leave escapes");
    let new = run(&sandbox("new"), &["--x"]);
    assert_eq!(new.stderr, "Error: error: unknown option '--x'\n");
}

#[test]
fn init_says_what_the_build_says() {
    let init = |build: &str, extra: &[&str]| {
        let arguments = [&["-x", "hi", "--stream-json"], extra].concat();
        run(&sandbox(build), &arguments).lines()[0].clone()
    };
    assert!(init("jan", &[]).get("agent_mode").is_none());
    assert_eq!(init("new", &[])["agent_mode"], "medium");
    assert_eq!(init("new", &["-m", "high"])["agent_mode"], "high");
    assert_eq!(
        init("may", &["--effort", "high"])["reasoning_effort"],
        "high"
    );
    let servers =
        init("new", &["--mcp-config", r#"{"srv":{"command":"x"}}"#])["mcp_servers"].clone();
    assert_eq!(servers[0]["name"], "srv");
}

#[test]
fn options_that_do_not_fit_together_are_refused() {
    let new = sandbox("new");
    let refused: &[&[&str]] = &[
        &["--stream-json"],
        &["-x", "hi", "--stream-json-input"],
        &["-x", "hi", "--stream-json", "--stream-json-input"],
        &["--execute", "--stream-json", "message"],
        &[
            "-x",
            "hi",
            "--mcp-config",
            r#"{"mcpServers":{"srv":{"command":"x"}}}"#,
        ],
        &["-x", "hi", "--mcp-config", "/does/not/exist.json"],
        &["-x", "hi", "--mode"],
        &["threads", "fork", "T-01a1e096-925f-70dc-acbe-2c5bf1ae489f"],
    ];
    for arguments in refused {
        let run = run_with(&new, arguments, "");
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(1), ""),
            "{arguments:?}"
        );
        assert!(run.stderr.starts_with("Error: "), "{run:?}");
    }
    let late = run(&new, &["--execute", "--stream-json", "message"]);
    assert!(
        late.stderr
            .starts_with("Error: User message must be provided")
    );
}

#[test]
fn january_allows_streams_only_in_smart_mode() {
    let jan = sandbox("jan");
    let rush = run(&jan, &["-x", "hi", "--stream-json", "-m", "rush"]);
    assert!(
        rush.stderr
            .starts_with("Error: Stream JSON mode is not permitted with 'rush' mode.\n")
    );
    let free = run(&jan, &["-x", "hi", "-m", "free"]);
    assert!(
        free.stderr
            .starts_with("Error: Execute mode is not permitted with --mode 'free'\n")
    );
    assert_eq!((rush.code, free.code), (Some(1), Some(1)));
}

#[test]
fn thinking_is_shown_on_request() {
    let new = sandbox("new");
    let path = new.scenario("[[step]]\ndo = 'thinking'\ntext = 'hm'\n");
    let prompt = format!("scenario: {}", path.display());
    let shown = run(&new, &["-x", &prompt, "--stream-json-thinking"]);
    assert_eq!(shown.lines()[2]["message"]["content"][0]["thinking"], "hm");
    let hidden = run(&new, &["-x", &prompt, "--stream-json"]);
    assert!(!hidden.stdout.contains("thinking"));
}

#[test]
fn a_log_file_is_written_where_asked() {
    let new = sandbox("new");
    let log = new.path("cli.log");
    run(&new, &["-x", "hi", "--log-file", &log.to_string_lossy()]);
    assert!(std::fs::read_to_string(log).unwrap().starts_with('{'));
}
