//! Scenario steps that change files, call tools and wait.

use std::process::Stdio;
use std::time::Duration;

use orchestra_testkit::{Sandbox, wait_until};
use serde_json::Value;

use crate::agent::{Run, run, scenario, texts};

#[test]
fn file_steps_change_files() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    for name in ["edit.txt", "delete.txt", "move.txt", "folder/x.txt"] {
        repository.write(name, "old text\n");
    }
    repository.commit("files");
    let outside = sandbox.path("outside.txt");
    let run = scenario(
        &sandbox,
        &format!(
            "[[step]]\ndo = 'edit'\npath = 'edit.txt'\nold = 'old'\nnew = 'new'\n\
             [[step]]\ndo = 'create'\npath = 'made/here.txt'\ntext = 'made\\n'\n\
             [[step]]\ndo = 'append'\npath = 'edit.txt'\ntext = \"more\\n\"\n\
             [[step]]\ndo = 'delete'\npath = 'delete.txt'\n\
             [[step]]\ndo = 'delete'\npath = 'folder'\n\
             [[step]]\ndo = 'rename'\nfrom = 'move.txt'\nto = 'moved/to.txt'\n\
             [[step]]\ndo = 'mkdir'\npath = 'empty/deep'\n\
             [[step]]\ndo = 'main_checkout'\npath = '{}'\ntext = 'touched'\n",
            outside.display()
        ),
    );
    assert_eq!(run.result()["subtype"], "success");
    assert_eq!(repository.read("edit.txt"), "new text\nmore\n");
    assert_eq!(repository.read("moved/to.txt"), "old text\n");
    assert!(repository.path("made/here.txt").exists() && repository.path("empty/deep").is_dir());
    assert!(!repository.path("delete.txt").exists() && !repository.path("folder").exists());
    assert_eq!(std::fs::read_to_string(outside).unwrap(), "touched");
}

#[cfg(unix)]
#[test]
fn permissions_and_links_are_changed() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    scenario(
        &sandbox,
        "[[step]]\ndo = 'chmod'\npath = 'README.md'\nmode = '755'\n\
         [[step]]\ndo = 'symlink'\npath = 'link'\ntarget = 'README.md'\n",
    );
    let mode = repository
        .path("README.md")
        .metadata()
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o755);
    assert_eq!(
        std::fs::read_link(repository.path("link"))
            .unwrap()
            .to_string_lossy(),
        "README.md"
    );
}

#[test]
fn a_step_that_cannot_be_done_fails_the_turn() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let run = scenario(
        &sandbox,
        "[[step]]\ndo = 'edit'\npath = 'README.md'\nold = 'absent'\nnew = 'x'\n",
    );
    assert!(
        run.result()["error"]
            .as_str()
            .unwrap()
            .contains("not found")
    );
    let result = run.lines()[3]["message"]["content"][0].clone();
    assert_eq!(
        (result["type"].as_str(), result["is_error"].as_bool()),
        (Some("tool_result"), Some(true))
    );
    let late = scenario(
        &sandbox,
        "[[step]]\ndo = 'wait_for_file'\npath = 'never'\nseconds = 0\n",
    );
    assert!(
        late.result()["error"]
            .as_str()
            .unwrap()
            .contains("did not appear")
    );
}

#[test]
fn tool_calls_usage_and_git_are_reported() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    let run = scenario(
        &sandbox,
        "[[step]]\ndo = 'usage'\ninput_tokens = 7\noutput_tokens = 9\ncache_read_input_tokens = 11\n\
         [[step]]\ndo = 'message'\ntext = 'Searching.'\n\
         [[step]]\ndo = 'tool_call'\nname = 'finder'\ninput = { query = 'x' }\nresult = 'nothing'\n\
         [[step]]\ndo = 'git'\nargs = ['commit', '--allow-empty', '-m', 'by the agent']\n",
    );
    let call = run.lines()[2].clone();
    assert_eq!(call["message"]["usage"]["input_tokens"], 7);
    assert_eq!(call["message"]["usage"]["cache_read_input_tokens"], 11);
    assert_eq!(call["message"]["content"][1]["input"]["query"], "x");
    let shell = run.lines()[4]["message"]["content"][0].clone();
    assert_eq!(shell["name"], "shell_command");
    assert_eq!(
        shell["input"]["command"],
        "git commit --allow-empty -m by the agent"
    );
    assert_eq!(
        repository.git(&["log", "-1", "--format=%s"]),
        "by the agent"
    );
    assert_eq!(texts(&run), ["Searching.", "Done."]);
}

#[test]
fn only_the_last_message_ends_the_turn() {
    let sandbox = Sandbox::new();
    let run = scenario(
        &sandbox,
        "[[step]]\ndo = 'message'\ntext = 'one'\n[[step]]\ndo = 'message'\ntext = 'two'\n\
         [[step]]\ndo = 'ask'\ntext = 'Which one?'\n[[step]]\ndo = 'error'\ntext = 'never reached'\n",
    );
    let reasons: Vec<Value> = run
        .lines()
        .iter()
        .filter(|line| line["type"] == "assistant")
        .map(|line| line["message"]["stop_reason"].clone())
        .collect();
    assert_eq!(reasons, [Value::Null, Value::Null, "end_turn".into()]);
    assert_eq!(run.result()["result"], "Which one?");
    assert_eq!(run.result()["num_turns"], 3);
}

#[test]
fn files_synchronise_with_whoever_watches() {
    let sandbox = Sandbox::new();
    let (here, go) = (sandbox.path("here"), sandbox.path("go"));
    let path = sandbox.scenario(&format!(
        "[[step]]\ndo = 'message'\ntext = 'waiting'\n[[step]]\ndo = 'touch_file'\npath = '{}'\n\
         [[step]]\ndo = 'wait_for_file'\npath = '{}'\n",
        here.display(),
        go.display()
    ));
    let mut child = sandbox
        .fake_amp()
        .args([
            "-x",
            &format!("scenario: {}", path.display()),
            "--stream-json",
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("the agent is there", Duration::from_secs(20), || {
        here.exists()
    });
    assert!(child.try_wait().unwrap().is_none());
    std::fs::write(go, "").unwrap();
    let run = Run::of(&child.wait_with_output().unwrap());
    assert_eq!(texts(&run), ["waiting", "Done."]);
}

#[test]
fn the_environment_is_written_down() {
    let sandbox = Sandbox::new().with_variable("EXTRA", "seen");
    let path = sandbox.path("environment.json");
    scenario(
        &sandbox,
        &format!("[[step]]\ndo = 'print_env'\npath = '{}'\n", path.display()),
    );
    let written: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(written["EXTRA"], "seen");
    assert!(written.get("CARGO_MANIFEST_DIR").is_none());
}

#[test]
fn a_knob_names_the_scenario_too() {
    let sandbox = Sandbox::new();
    let path = sandbox.scenario("pace_ms = 0\n[[step]]\ndo = 'message'\ntext = 'by knob'\n");
    let by_option = run(
        &sandbox,
        &["--fake-scenario", &path.to_string_lossy(), "-x", "hi"],
    );
    assert_eq!(by_option.stdout, "by knob\n");
    let output = sandbox
        .fake_amp()
        .env("FAKE_AMP_SCENARIO", &path)
        .args(["-x", "hi"])
        .output()
        .unwrap();
    assert_eq!(output.stdout, b"by knob\n");
}

#[test]
fn an_inherited_directory_leads_the_agent_astray() {
    let sandbox = Sandbox::new();
    let (first, second) = (sandbox.repository("first"), sandbox.repository("second"));
    let output = sandbox
        .fake_amp()
        .env("AMP_PWD", second.root())
        .args(["-x", "improve README.md"])
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!(first.git(&["status", "--porcelain"]), "");
    assert_eq!(second.git(&["diff", "--name-only"]), "README.md");
}
