//! Threads that later processes continue, or may not.

use std::process::Stdio;
use std::time::Duration;

use orchestra_testkit::{Sandbox, wait_until};

use crate::agent::{run, texts};

const KEEP: &str = "--no-archive-after-execute";

fn sandbox(build: &str) -> Sandbox {
    let sandbox = Sandbox::new().with_knob("build", build);
    sandbox.repository("app");
    sandbox
}

#[test]
fn turns_follow_each_other() {
    let sandbox = sandbox("new");
    let path = sandbox.scenario(
        "[[turn]]\nsteps = [{ do = 'message', text = 'one' }]\n\
         [[turn]]\nsteps = [{ do = 'message', text = 'two' }]\n",
    );
    let prompt = format!("scenario: {}", path.display());
    let first = run(&sandbox, &["-x", &prompt, "--stream-json", KEEP]);
    let again = |name: &str| {
        run(
            &sandbox,
            &[
                "threads",
                "continue",
                name,
                "-x",
                &prompt,
                "--stream-json",
                KEEP,
            ],
        )
    };
    let thread = first.thread();
    let second = again(&thread);
    let third = again(&format!("https://ampcode.com/threads/{thread}"));
    assert_eq!(
        [&first, &second, &third].map(|run| texts(run)[0].clone()),
        ["one", "two", "two"]
    );
    assert_eq!((second.thread(), third.thread()), (thread.clone(), thread));
}

#[test]
fn a_turn_that_was_killed_is_part_of_its_thread() {
    let sandbox = sandbox("new");
    let ready = sandbox.path("ready");
    let path = sandbox.scenario(&format!(
        "[[turn]]\nsteps = [{{ do = 'touch_file', path = '{}' }}, {{ do = 'hang' }}]\n\
         [[turn]]\nsteps = [{{ do = 'message', text = 'two' }}]\n",
        ready.display()
    ));
    let mut child = sandbox
        .fake_amp()
        .args(["-x", &format!("scenario: {}", path.display())])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the turn began", Duration::from_secs(20), || ready.exists());
    child.kill().unwrap();
    child.wait().unwrap();
    let words = ["threads", "continue", "-x", "go on", "--stream-json"];
    assert_eq!(texts(&run(&sandbox, &words)), ["two"]);
}

#[test]
fn the_newest_build_archives_after_execution() {
    let sandbox = sandbox("new");
    let thread = run(&sandbox, &["-x", "hi", "--stream-json"]).thread();
    let refused = run(
        &sandbox,
        &[
            "threads",
            "continue",
            &thread,
            "-x",
            "more",
            "--stream-json",
        ],
    );
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    assert_eq!(
        refused.stderr,
        "Error: This thread is archived and cannot be continued.\n"
    );
    assert_eq!(run(&sandbox, &["threads", "list"]).stdout, "");
    run(&sandbox, &["threads", "archive", &thread, "--unarchive"]);
    assert_eq!(
        run(&sandbox, &["threads", "continue", &thread, "-x", "more"]).code,
        Some(0)
    );
}

#[test]
fn older_builds_keep_threads_open() {
    for build in ["jan", "feb", "may"] {
        let sandbox = sandbox(build);
        let thread = run(&sandbox, &["-x", "hi", "--stream-json"]).thread();
        let more = run(
            &sandbox,
            &[
                "threads",
                "continue",
                &thread,
                "-x",
                "more",
                "--stream-json",
            ],
        );
        assert_eq!((more.code, more.thread()), (Some(0), thread));
    }
}

#[test]
fn unknown_threads_are_refused() {
    let unknown = "T-01a1e096-925f-70dc-acbe-2c5bf1ae489f";
    let jan = run(
        &sandbox("jan"),
        &["threads", "continue", unknown, "-x", "hi"],
    );
    assert_eq!(jan.code, Some(1));
    assert!(
        jan.stderr
            .starts_with(&format!("Thread {unknown} does not exist.\n"))
    );
    let new = run(
        &sandbox("new"),
        &["threads", "continue", unknown, "-x", "hi"],
    );
    assert_eq!(
        new.stderr,
        format!("Error: Thread {unknown} does not exist.\n")
    );
    let bad = run(
        &sandbox("new"),
        &["threads", "continue", "nonsense", "-x", "hi"],
    );
    assert_eq!(
        (bad.code, bad.stderr.as_str()),
        (Some(1), "Error: Invalid thread ID: nonsense\n")
    );
    let none = run(
        &sandbox("new"),
        &["threads", "continue", "--last", "-x", "hi"],
    );
    assert_eq!(none.code, Some(1));
}

#[test]
fn a_thread_is_open_in_one_place() {
    let sandbox = sandbox("new");
    let ready = sandbox.path("ready");
    let go = sandbox.path("go");
    let path = sandbox.scenario(&format!(
        "[[turn]]\nsteps = [{{ do = 'message', text = 'hi' }}]\n[[turn]]\n\
         steps = [{{ do = 'touch_file', path = '{}' }}, {{ do = 'wait_for_file', path = '{}' }}]\n",
        ready.display(),
        go.display()
    ));
    let prompt = format!("scenario: {}", path.display());
    let thread = run(&sandbox, &["-x", &prompt, "--stream-json", KEEP]).thread();
    let arguments = [
        "threads",
        "continue",
        &thread,
        "-x",
        &prompt,
        "--stream-json",
    ];
    let mut child = sandbox
        .fake_amp()
        .args(arguments)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the turn began", Duration::from_secs(20), || ready.exists());
    let refused = run(&sandbox, &arguments);
    std::fs::write(go, "").unwrap();
    assert_eq!(
        refused.stderr,
        "Error: This thread is already open and active in another Amp\n"
    );
    assert!(child.wait().unwrap().success());
}

#[test]
fn thread_commands_answer() {
    let new = sandbox("new");
    let url = run(&new, &["threads", "new", "--visibility", "workspace"]).stdout;
    assert!(url.starts_with("https://ampcode.com/threads/T-"), "{url}");
    let id = url.trim().rsplit('/').next().unwrap().to_owned();
    run(
        &new,
        &[
            "threads",
            "continue",
            &id,
            "-x",
            "improve README.md",
            "-l",
            "demo",
            "--title",
            "A title",
        ],
    );
    let listed: serde_json::Value =
        serde_json::from_str(&run(&new, &["threads", "list", "--json"]).stdout).unwrap();
    assert_eq!(listed[0]["id"], id.as_str());
    assert_eq!(
        (listed[0]["title"].as_str(), listed[0]["labels"][0].as_str()),
        (Some("A title"), Some("demo"))
    );
    assert!(run(&new, &["threads", "list"]).stdout.contains(&id));
    assert!(
        run(&new, &["threads", "markdown", &id])
            .stdout
            .contains("improve README.md")
    );
    let exported: serde_json::Value =
        serde_json::from_str(&run(&new, &["threads", "export", &id]).stdout).unwrap();
    assert_eq!(exported["messages"][0]["role"], "user");
    assert!(
        run(&new, &["threads", "usage", &id])
            .stdout
            .contains("Tokens: ")
    );
    assert_eq!(
        run(&new, &["threads", "share", &id, "--visibility", "private"]).code,
        Some(0)
    );
    assert_eq!(run(&new, &["threads", "delete", &id]).code, Some(0));
    assert_eq!(run(&new, &["threads", "markdown", &id]).code, Some(1));
}

#[test]
fn january_prints_bare_ids_and_forks() {
    let jan = sandbox("jan");
    let id = run(&jan, &["threads", "new"]).stdout;
    assert!(id.starts_with("T-") && id.ends_with('\n'));
    let forked = run(&jan, &["threads", "fork", id.trim()]);
    assert!(forked.stdout.starts_with("T-") && forked.stdout != id);
    let export = run(&jan, &["threads", "export", id.trim()]);
    assert!(
        export
            .stderr
            .starts_with("Error: error: unknown command 'export'")
    );
    let last = run(&jan, &["threads", "continue", "-x", "hi"]);
    assert_eq!(
        last.code,
        Some(1),
        "a thread that was never executed is not the last one"
    );
}
