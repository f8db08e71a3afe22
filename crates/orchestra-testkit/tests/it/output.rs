//! Odd output: broken, huge and foreign lines, floods, secrets.

use std::io::Read;
use std::process::Stdio;

use orchestra_testkit::Sandbox;
use orchestra_testkit::secrets::{PlantedSecret, SecretKind};

use crate::agent::{run, scenario};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    sandbox
}

#[test]
fn broken_and_foreign_lines_are_printed_as_they_are() {
    let sandbox = sandbox();
    let path = sandbox.scenario(
        "[[step]]\ndo = 'broken_line'\n[[step]]\ndo = 'emit_raw'\nescaped = 'caf\\xff\\0\\n'\n\
         [[step]]\ndo = 'stderr'\ntext = 'careful'\n",
    );
    let prompt = format!("scenario: {}", path.display());
    let output = sandbox
        .fake_amp()
        .args(["-x", &prompt, "--stream-json"])
        .output()
        .unwrap();
    let lines: Vec<&[u8]> = output.stdout.split(|byte| *byte == b'\n').collect();
    assert!(lines[2].starts_with(b"{\"type\":\"assistant\"") && !lines[2].ends_with(b"}"));
    assert_eq!(lines[3], b"caf\xff\0");
    assert_eq!(output.stderr, b"careful\n");
    assert!(lines[5].starts_with(b"{\"type\":\"result\",\"subtype\":\"success\""));
}

#[test]
fn a_huge_line_has_its_size() {
    let run = scenario(&sandbox(), "[[step]]\ndo = 'huge_line'\nbytes = 3000000\n");
    let longest = run.stdout.lines().map(str::len).max();
    assert_eq!(longest, Some(2_999_999), "and its line end");
    assert!(run.lines().iter().all(|line| !line.is_null()));
}

#[test]
fn a_flood_is_as_large_as_asked() {
    let sandbox = sandbox();
    let path = sandbox.scenario("[[step]]\ndo = 'flood'\nbytes = 67108864\nline_length = 512\n");
    let prompt = format!("scenario: {}", path.display());
    let mut child = sandbox
        .fake_amp()
        .args(["-x", &prompt, "--stream-json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut buffer = vec![0; 1 << 16];
    let mut total = 0;
    loop {
        match stdout.read(&mut buffer).unwrap() {
            0 => break,
            read => total += read,
        }
    }
    assert!(child.wait().unwrap().success());
    assert!((67_108_864..67_400_000).contains(&total), "{total}");
}

#[test]
fn secrets_go_where_they_are_sent() {
    let secret = PlantedSecret::generate(SecretKind::Amp, 3);
    let run = scenario(
        &sandbox(),
        "[[step]]\ndo = 'print_secret'\nkind = 'amp'\nseed = 3\n\
         [[step]]\ndo = 'print_secret'\nkind = 'amp'\nseed = 3\nto = 'tool_result'\n\
         [[step]]\ndo = 'print_secret'\nkind = 'amp'\nseed = 3\nto = 'stderr'\n\
         [[step]]\ndo = 'print_secret'\ntext = 'hunter2hunter2'\nto = 'stdout'\n",
    );
    assert_eq!(run.stdout.matches(&secret.text).count(), 2);
    assert!(secret.leaks_into(run.stderr.as_bytes()));
    assert!(run.stdout.contains("\ntoken = hunter2hunter2\n"));
}

#[test]
fn a_split_secret_is_printed_once_per_border() {
    let run = scenario(
        &sandbox(),
        "[[step]]\ndo = 'print_secret'\nkind = 'aws'\nsplit = true\nto = 'stdout'\n",
    );
    let secret = PlantedSecret::generate(SecretKind::Aws, 0);
    assert!(run.stdout.matches(&secret.text).count() >= secret.text.len());
}

#[test]
fn output_may_close_before_the_end() {
    let sandbox = sandbox();
    let done = sandbox.path("done");
    let run = scenario(
        &sandbox,
        &format!(
            "[[step]]\ndo = 'close_stdout'\n[[step]]\ndo = 'touch_file'\npath = '{}'\n",
            done.display()
        ),
    );
    assert_eq!(run.lines().len(), 2);
    assert_eq!(run.code, Some(0));
    assert!(done.exists());
}

#[test]
fn endings_without_a_result() {
    let sandbox = sandbox();
    let silent = scenario(&sandbox, "[[step]]\ndo = 'exit_without_result'\ncode = 0\n");
    assert_eq!((silent.code, silent.lines().len()), (Some(0), 2));
    let code = scenario(&sandbox, "[[step]]\ndo = 'exit'\ncode = 7\n");
    assert_eq!(code.code, Some(7));
    assert_eq!(code.result()["subtype"], "success");
    let json = sandbox.path("scenario.json");
    std::fs::write(
        &json,
        r#"{"steps":[{"do":"exit_without_result","code":3}]}"#,
    )
    .unwrap();
    assert_eq!(
        run(&sandbox, &["-x", &format!("scenario: {}", json.display())]).code,
        Some(3)
    );
}
