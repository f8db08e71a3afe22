//! Secrets that agents and scripts print: none is found again in anything the product keeps or shows, and none in the
//! process list. Files of the repository are never touched.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use orchestra_testkit::secrets::PlantedSecret;
use orchestra_testkit::{API_KEY, Sandbox};
use serde_json::{Value, json};

use crate::made::{Made, make};
use crate::oracle::database;
use crate::ran::{orchestra, ran, session};
use crate::thoroughness::is_long;

const COUNT: usize = 1_000;
const SINKS: [&str; 4] = ["message", "tool_result", "stdout", "stderr"];
/// A value that looks like nothing; only its variable's name tells.
const PHRASE: &str = "correct \"horse\" \\battery/ staple";
/// Long enough that no two needles and no ordinary text share it.
const START: usize = 20;

/// Finds many needles in one pass.
struct Needles {
    by_start: HashMap<Vec<u8>, Vec<Vec<u8>>>,
    /// Which pairs of bytes a needle starts with: most places are passed by with one look.
    pairs: Vec<bool>,
}

impl Needles {
    fn new<'a>(needles: impl Iterator<Item = &'a str>) -> Self {
        let mut by_start: HashMap<Vec<u8>, Vec<Vec<u8>>> = HashMap::new();
        let mut pairs = vec![false; 1 << 16];
        for needle in needles {
            let needle = needle.as_bytes();
            pairs[pair(needle)] = true;
            by_start
                .entry(needle[..START].to_vec())
                .or_default()
                .push(needle.to_vec());
        }
        Self { by_start, pairs }
    }

    fn found_in(&self, bytes: &[u8]) -> BTreeSet<String> {
        let hit = |window: &[u8], rest: &[u8]| {
            let known = self.by_start.get(window)?;
            let whole = known.iter().find(|needle| rest.starts_with(needle))?;
            Some(String::from_utf8_lossy(whole).into_owned())
        };
        let mut found = BTreeSet::new();
        for (at, window) in bytes.windows(START).enumerate() {
            if self.pairs[pair(window)] {
                found.extend(hit(window, &bytes[at..]));
            }
        }
        found
    }
}

fn pair(bytes: &[u8]) -> usize {
    usize::from(bytes[0]) << 8 | usize::from(bytes[1])
}

fn needles(secrets: &[PlantedSecret]) -> Needles {
    let escaped = json!(PHRASE).to_string();
    let known = [API_KEY, PHRASE, escaped.trim_matches('"')].map(str::to_owned);
    let planted = secrets.iter().map(|secret| secret.needle.clone());
    let all: Vec<String> = planted.chain(known).collect();
    Needles::new(all.iter().map(String::as_str))
}

fn sandbox() -> Sandbox {
    Sandbox::new()
        .with_variable("DEPLOY_PHRASE", PHRASE)
        .with_variable("ORCHESTRA_SECURITY_REDACT_VARIABLES", "DEPLOY_PHRASE")
}

/// Prints every secret whole in one place and in two pieces in another, and some in two pieces at every border.
fn scenario(secrets: &[PlantedSecret]) -> String {
    let every = if is_long() { 10 } else { 77 };
    let mut steps = Vec::new();
    for (number, secret) in secrets.iter().enumerate() {
        let sink = SINKS[number % SINKS.len()];
        steps.push(json!({ "do": "print_secret", "text": secret.text, "to": sink }));
        steps.extend(in_two_pieces(secret, number));
        if number.is_multiple_of(every) {
            let sink = SINKS[number / every % SINKS.len()];
            steps.push(
                json!({ "do": "print_secret", "text": secret.text, "to": sink, "split": true }),
            );
        }
    }
    for text in [API_KEY, PHRASE] {
        for sink in SINKS {
            steps.push(json!({ "do": "print_secret", "text": text, "to": sink }));
            steps.push(json!({ "do": "print_secret", "text": text, "to": sink, "split": true }));
        }
    }
    steps.push(
        json!({ "do": "write", "path": "token.txt", "text": format!("{}\n", secrets[0].text) }),
    );
    let last = &secrets[4].text;
    steps.push(json!({ "do": "message", "text": format!("Done with {last}.") }));
    json!({ "steps": steps }).to_string()
}

/// A raw line in two writes with a pause between, so that a reader sees the halves apart.
fn in_two_pieces(secret: &PlantedSecret, number: usize) -> [Value; 3] {
    let border = 1 + number % (secret.text.len() - 1);
    let raw = |text: &str| json!({ "do": "emit_raw", "escaped": text.replace('\n', "\\n") });
    let first = format!("raw {}", &secret.text[..border]);
    let second = format!("{} end\n", &secret.text[border..]);
    [
        raw(&first),
        json!({ "do": "sleep", "milliseconds": 1 }),
        raw(&second),
    ]
}

/// Creates the session with the prompt on standard input, as a careful user would.
fn create(sandbox: &Sandbox, prompt: &str, script: &str) -> Made {
    let mut child = sandbox
        .ampsm()
        .args([
            "new", "--json", "--name", "leaky", "--prompt", "-", "--script", script,
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(prompt.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let created: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(!created["warnings"].as_array().unwrap().is_empty());
    Made::from_json(&created["session"])
}

/// A script that prints the same secrets in pieces of 37 bytes.
fn noisy_script(sandbox: &Sandbox, secrets: &[PlantedSecret]) -> String {
    let texts = sandbox.path("texts");
    let all: Vec<&str> = secrets.iter().map(|secret| secret.text.as_str()).collect();
    fs::write(&texts, format!("{}\n{API_KEY}\n", all.join("\n"))).unwrap();
    let texts = texts.display();
    format!("dd if='{texts}' bs=37 status=none; cat '{texts}' >&2; false")
}

#[test]
fn a_thousand_secrets_are_printed_and_none_is_kept() {
    let sandbox = sandbox().with_variable("ORCHESTRA_LOG", "trace");
    let repository = sandbox.repository("app");
    let secrets = PlantedSecret::many(COUNT, 5_000);
    let needles = needles(&secrets);
    let path = sandbox.path("scenarios/secrets.json");
    fs::write(&path, scenario(&secrets)).unwrap();
    let prompt = format!("Use {}\nscenario: {}", secrets[1].text, path.display());
    let made = create(&sandbox, &prompt, &noisy_script(&sandbox, &secrets));

    let (told, listed) = watch_processes(&needles, || {
        ran(sandbox.ampsm().args(["iterate", &made.id])).ends_with(5)
    });
    assert_eq!(
        needles.found_in(told.stdout.as_bytes()),
        BTreeSet::new(),
        "shown"
    );
    assert_eq!(
        needles.found_in(told.stderr.as_bytes()),
        BTreeSet::new(),
        "narrated"
    );
    assert_eq!(listed, BTreeSet::new(), "in the process list");
    // The next run is told about the failed script and continues the thread.
    fs::write(&path, r#"{"steps":[{"do":"message","text":"Done."}]}"#).unwrap();
    session(&sandbox, &["iterate", &made.id]).ends_with(5);
    assert_eq!(everything_shown(&sandbox, &made, &needles), BTreeSet::new());
    assert_eq!(everything_kept(&sandbox, &needles), BTreeSet::new());
    let hidden = hidden_in_transcript(&sandbox);
    assert!(hidden > COUNT, "only {hidden} places were made unreadable");

    let tree = made.tree(&sandbox);
    assert_eq!(tree.git(&["show", "HEAD:token.txt"]), secrets[0].text);
    assert_eq!(
        needles.found_in(tree.git(&["log", "--format=%B"]).as_bytes()),
        BTreeSet::new(),
        "in a commit message"
    );
    repository.fsck();
    println!("secrets {COUNT}, found 0, made unreadable in {hidden} places");
}

fn everything_shown(sandbox: &Sandbox, made: &Made, needles: &Needles) -> BTreeSet<String> {
    let id = made.id.as_str();
    let commands: [&[&str]; 6] = [
        &["transcript", id],
        &["transcript", id, "--json"],
        &["log", id, "--json"],
        &["status", id, "--json"],
        &["status", id],
        &["list", "--json"],
    ];
    let shown = |words: &&[&str]| {
        let answer = session(sandbox, words).ends_with(0);
        let mut found = needles.found_in(answer.stdout.as_bytes());
        found.extend(needles.found_in(answer.stderr.as_bytes()));
        found
    };
    commands.iter().flat_map(shown).collect()
}

/// Every file of the data directory, and every text of the database, which could be spread over pages.
fn everything_kept(sandbox: &Sandbox, needles: &Needles) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![sandbox.data_dir()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files += 1;
                // The write-ahead log goes away with its last user.
                let leaks = needles.found_in(&fs::read(&path).unwrap_or_default());
                let place = path.display();
                found.extend(leaks.into_iter().map(|leak| format!("{place}: {leak}")));
            }
        }
    }
    assert!(files >= 3, "only {files} files were looked at");
    found.extend(needles.found_in(every_text(sandbox).as_bytes()));
    found
}

fn every_text(sandbox: &Sandbox) -> String {
    let database = database(sandbox);
    let mut tables = database
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
        .unwrap();
    let tables: Vec<String> = tables
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let mut text = String::new();
    for table in tables {
        let mut rows = database.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = rows.column_count();
        let mut rows = rows.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            for column in 0..columns {
                if let Ok(value) = row.get::<_, String>(column) {
                    text.push_str(&value);
                    text.push('\n');
                }
            }
        }
    }
    text
}

fn hidden_in_transcript(sandbox: &Sandbox) -> usize {
    every_text(sandbox).matches("***").count()
}

/// Runs something while the command lines of all processes are looked at again and again.
fn watch_processes<T>(needles: &Needles, run: impl FnOnce() -> T) -> (T, BTreeSet<String>) {
    let over = AtomicBool::new(false);
    let found = Mutex::new(BTreeSet::new());
    let answer = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                for line in command_lines() {
                    found.lock().unwrap().extend(needles.found_in(&line));
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let answer = run();
        over.store(true, Ordering::Relaxed);
        answer
    });
    (answer, found.into_inner().unwrap())
}

fn command_lines() -> Vec<Vec<u8>> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let read = |entry: fs::DirEntry| fs::read(entry.path().join("cmdline")).ok();
    entries.filter_map(read).collect()
}

/// Amp writes a log of its own, where it likes to quote what it read.
#[test]
fn the_log_of_the_agent_keeps_no_secret() {
    let sandbox = sandbox();
    sandbox.repository("app");
    let secrets = PlantedSecret::many(26, 9_000);
    let needles = needles(&secrets);
    let texts: Vec<&str> = secrets.iter().map(|secret| secret.text.as_str()).collect();
    let said = sandbox.path("said");
    fs::write(&said, format!("{}\n{API_KEY}\n", texts.join("\n"))).unwrap();
    let wrapper = sandbox.path("amp");
    let text = format!(
        "#!/bin/sh\nfor word; do [ \"$last\" = --log-file ] && log=$word; last=$word; done\n\
         {} \"$@\"\ncode=$?\n[ -n \"$log\" ] && cat '{}' >> \"$log\"\nexit $code\n",
        sandbox.agent_command(),
        said.display()
    );
    orchestra_testkit::write_program(&wrapper, &text);
    let made = make(
        &sandbox,
        "logs",
        "[[step]]\ndo = 'message'\ntext = 'Done.'\n",
    );
    let mut command = sandbox.ampsm();
    command
        .args(["iterate", &made.id])
        .env("ORCHESTRA_AGENTS_AMP_COMMAND", &wrapper);
    ran(&mut command).ends_with(0);
    let log = sandbox
        .data_dir()
        .join(format!("output/{}/1.agent.log", made.id));
    let kept = fs::read_to_string(log).unwrap();
    assert!(
        kept.contains("Starting Amp CLI") && kept.contains("***"),
        "{kept}"
    );
    assert_eq!(everything_kept(&sandbox, &needles), BTreeSet::new());
}

/// A script must be run as it is, so it cannot be kept without what is in it.
#[test]
fn a_secret_in_a_script_is_refused() {
    let sandbox = sandbox();
    sandbox.repository("app");
    let secret = PlantedSecret::many(1, 7).remove(0);
    let script = format!("deploy --token {}", secret.text);
    let needles = needles(std::slice::from_ref(&secret));
    let words = ["new", "--name", "n", "--prompt", "p", "--script", &script];
    let told = session(&sandbox, &words).refuses(2, "secret");
    assert_eq!(needles.found_in(told.stderr.as_bytes()), BTreeSet::new());
    let made = make(&sandbox, "good", "[[step]]\ndo = 'message'\ntext = 'x'\n");
    session(&sandbox, &["set", &made.id, "script", &script]).refuses(2, "secret");
    assert_eq!(everything_kept(&sandbox, &needles), BTreeSet::new());
}

/// A script of the user may quote a header; what runs is what the file says, what is kept is not. One of the repository is kept
/// word for word when it is allowed, so it is not.
#[test]
fn a_script_runs_as_written_even_if_its_record_is_made_unreadable() {
    let sandbox = sandbox();
    let repository = sandbox.repository("app");
    let secret = PlantedSecret::many(1, 8).remove(0);
    let script = format!("printf '%s' '{}' > written", secret.text);
    repository.write(
        ".orchestra/config.toml",
        &format!("[scripts]\ntest = {}\n", json!(script)),
    );
    let made = make(&sandbox, "runs", "[[step]]\ndo = 'message'\ntext = 'x'\n");
    session(&sandbox, &["run", &made.id]).refuses(3, "is not allowed yet");
    session(&sandbox, &["run", &made.id, "--yes"]).refuses(3, "looks like a secret");
    fs::remove_file(repository.path(".orchestra/config.toml")).unwrap();
    orchestra(&sandbox, &["config", "set", "scripts.test", &script]).ends_with(0);
    session(&sandbox, &["run", &made.id]).ends_with(0);
    assert_eq!(
        fs::read_to_string(made.worktree.join("written")).unwrap(),
        secret.text
    );
    let needles = needles(std::slice::from_ref(&secret));
    assert_eq!(everything_kept(&sandbox, &needles), BTreeSet::new());
}
