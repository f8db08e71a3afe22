//! Every way in which Amp itself fails.

use orchestra_testkit::Sandbox;

use crate::agent::{Run, run, scenario};

fn fault(build: &str, fault: &str) -> Run {
    let sandbox = Sandbox::new()
        .with_knob("build", build)
        .with_knob("fault", fault);
    sandbox.repository("app");
    run(&sandbox, &["-x", "hi", "--stream-json"])
}

#[test]
fn older_builds_report_connection_faults_in_a_result() {
    let offline = fault("jan", "offline");
    assert_eq!(offline.code, Some(1));
    assert_eq!(offline.lines().len(), 3, "init, prompt, result");
    assert_eq!(offline.result()["error"], "Connection error.");
    assert_eq!(offline.result()["num_turns"], 0);
    assert!(
        offline
            .stderr
            .starts_with("Error: Cannot reach Amp servers. Are you offline?\n")
    );
    let denied = fault("jan", "unauthorized");
    assert_eq!(
        denied.result()["error"],
        "Unauthorized. Check your access token."
    );
    assert_eq!(denied.code, Some(1));
}

#[test]
fn newer_builds_print_nothing_but_an_error() {
    let cases = [
        (
            "offline",
            "Error: Couldn't connect to the Amp server at https://ampcode.com/.\n",
        ),
        (
            "unauthorized",
            "Error: Invalid or missing API key. Run 'amp login' to authenticate.\n",
        ),
        (
            "not_found",
            "Error: API request for getUserInfo failed: 404\n",
        ),
        (
            "server_error",
            "Error: Amp server returned an error. Try again in a moment.\n",
        ),
        (
            "web_socket",
            "Error: WebSocket connection failed. Check your connection or proxy settings and retry.\n",
        ),
    ];
    for (name, stderr) in cases {
        let run = fault("new", name);
        assert_eq!(
            (run.code, run.stdout.as_str(), run.stderr.as_str()),
            (Some(1), "", stderr)
        );
    }
}

#[test]
fn an_overloaded_provider_exits_with_zero() {
    for (build, text) in [
        (
            "jan",
            "Model provider overloaded. Try again in a few seconds.",
        ),
        (
            "feb",
            "Model Provider Overloaded Try again in a few seconds.",
        ),
        (
            "new",
            "Model provider overloaded. Try again in a few seconds.",
        ),
    ] {
        let run = fault(build, "overloaded");
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        assert_eq!(run.result()["subtype"], "error_during_execution");
        assert_eq!(run.result()["error"], text);
    }
    let sandbox = Sandbox::new().with_knob("fault", "overloaded");
    let plain = run(&sandbox, &["-x", "hi"]);
    assert_eq!((plain.code, plain.stdout.as_str()), (Some(0), ""));
    assert!(plain.stderr.starts_with("Error: Model provider overloaded"));
}

#[test]
fn other_faults_have_their_shapes() {
    let payment = fault("new", "payment_required");
    assert!(
        payment.result()["error"]
            .as_str()
            .unwrap()
            .starts_with("402 {")
    );
    let jan = fault("jan", "approval_required");
    assert!(
        jan.result()["error"]
            .as_str()
            .unwrap()
            .ends_with("not supported in stream JSON mode: Bash")
    );
    assert_eq!(jan.code, Some(0));
    let new = fault("new", "approval_required");
    assert_eq!(new.code, Some(1));
    assert_eq!(new.lines().len(), 2, "no result line");
}

#[test]
fn a_missing_key_waits_at_a_prompt() {
    let sandbox = Sandbox::new().with_knob("login-seconds", "0");
    let output = sandbox
        .fake_amp()
        .env_remove("AMP_API_KEY")
        .args(["-x", "hi", "--stream-json"])
        .output();
    let run = Run::of(&output.unwrap());
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], "No API key found. Starting login flow...");
    assert!(lines[1].starts_with("https://ampcode.com/"));
    assert_eq!(lines[2], "When prompted, paste your code here:");
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (Some(1), "Login failed: Login timed out\n")
    );
    let listed = sandbox
        .fake_amp()
        .env_remove("AMP_API_KEY")
        .args(["threads", "list"])
        .output()
        .unwrap();
    assert!(
        Run::of(&listed)
            .stderr
            .starts_with("Error: Invalid or missing API key.")
    );
}

#[test]
fn a_turn_may_fail_by_scenario() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let faulty = scenario(&sandbox, "[[turn]]\nfault = 'offline'\n");
    assert_eq!((faulty.code, faulty.stdout.as_str()), (Some(1), ""));
    let error = scenario(
        &sandbox,
        "[[step]]\ndo = 'error'\ntext = 'boom'\nsubtype = 'error_max_turns'\n",
    );
    assert_eq!(error.result()["subtype"], "error_max_turns");
    assert_eq!(
        (error.result()["error"].as_str(), error.code),
        (Some("boom"), Some(0))
    );
}

#[test]
fn a_bad_scenario_says_where() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let typo = scenario(&sandbox, "[[step]]\ndo = 'mesage'\n");
    assert_eq!((typo.code, typo.stdout.as_str()), (Some(1), ""));
    assert!(
        typo.stderr.contains("invalid scenario") && typo.stderr.contains("mesage"),
        "{typo:?}"
    );
    let missing = run(&sandbox, &["-x", "scenario: none.toml"]);
    assert!(
        missing.stderr.contains("cannot read scenario"),
        "{missing:?}"
    );
}

#[test]
fn a_closed_output_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let path = sandbox.scenario("[[step]]\ndo = 'flood'\nbytes = 4000000\n");
    let prompt = format!("scenario: {}", path.display());
    let mut child = sandbox
        .fake_amp()
        .args(["-x", &prompt, "--stream-json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let run = Run::of(&child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(1));
    assert_eq!(run.stderr, "Error: Unexpected error inside Amp CLI.\n");
}
