//! Agents that misbehave: the status stays true, the work is kept, the message says what happened, and the next
//! iteration works.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod acp;
mod codex;
mod command;
mod listing;
mod written;

use std::fs;
use std::path::Path;
use std::time::Duration;

use orchestra_testkit::{Sandbox, wait_until};
use serde_json::Value;

use crate::made::{Made, iterate_with, make};
use crate::oracle::{database, last_iteration};
use crate::ran::{Ran, orchestra, session};
use crate::thoroughness::is_long;

const WORK: &str = "[[step]]\ndo = 'write'\npath = 'work.txt'\ntext = \"kept\\n\"\n";
const NEXT: &str = "[[step]]\ndo = 'write'\npath = 'next.txt'\ntext = \"next\\n\"\n";

/// A way to misbehave after some work was done, and what must be said about it.
struct Case {
    name: &'static str,
    steps: &'static str,
    variables: &'static [(&'static str, &'static str)],
    exit: i32,
    outcome: &'static str,
    message: &'static str,
}

const fn case(
    name: &'static str,
    steps: &'static str,
    exit: i32,
    outcome: &'static str,
    message: &'static str,
) -> Case {
    Case {
        name,
        steps,
        variables: &[],
        exit,
        outcome,
        message,
    }
}

const IMPATIENT: &[(&str, &str)] = &[
    ("ORCHESTRA_CORE_IDLE_TIMEOUT", "4s"),
    ("ORCHESTRA_CORE_STOP_GRACE", "1s"),
];

fn endings() -> Vec<Case> {
    vec![
        Case {
            variables: IMPATIENT,
            ..case(
                "hang",
                "[[step]]\ndo = 'hang'\n",
                4,
                "silent",
                "said nothing for 4s",
            )
        },
        Case {
            variables: IMPATIENT,
            ..case(
                "deaf",
                "[[step]]\ndo = 'ignore_signals'\n[[step]]\ndo = 'hang'\n",
                4,
                "silent",
                "said nothing for 4s",
            )
        },
        case(
            "without-result",
            "[[step]]\ndo = 'exit_without_result'\n",
            4,
            "no_result",
            "no result",
        ),
        case(
            "exit-3",
            "[[step]]\ndo = 'stderr'\ntext = 'the sky fell'\n[[step]]\ndo = 'exit_without_result'\ncode = 3\n",
            4,
            "failed",
            "the sky fell",
        ),
        case(
            "error-result",
            "[[step]]\ndo = 'error'\ntext = 'the model gave up'\n",
            4,
            "failed",
            "the model gave up",
        ),
        case(
            "killed",
            "[[step]]\ndo = 'die_by_signal'\nsignal = 9\n",
            4,
            "crashed",
            "signal 9",
        ),
        case(
            "crashed",
            "[[step]]\ndo = 'die_by_signal'\nsignal = 6\n",
            4,
            "crashed",
            "signal 6",
        ),
        case(
            "closed-stdout",
            "[[step]]\ndo = 'close_stdout'\n",
            4,
            "no_result",
            "no result",
        ),
        case(
            "result-then-exit-5",
            "[[step]]\ndo = 'message'\ntext = 'All done.'\n[[step]]\ndo = 'exit'\ncode = 5\n",
            0,
            "succeeded",
            "",
        ),
    ]
}

fn odd_lines() -> Vec<Case> {
    let succeeded = |name, steps| case(name, steps, 0, "succeeded", "");
    vec![
        succeeded(
            "broken",
            "[[step]]\ndo = 'broken_line'\n[[step]]\ndo = 'emit_raw'\nescaped = '[1,2\\n{}\\nnull\\n\\n\"text\"\\n'\n",
        ),
        succeeded(
            "binary",
            "[[step]]\ndo = 'emit_raw'\nescaped = '\\xff\\xfe\\0\\0\\xc3\\x28 no text\\n\\0\\n\\x1b[31mred\\x1b[0m\\r\\n'\n",
        ),
        succeeded(
            "interleaved",
            "[[step]]\ndo = 'stderr'\ntext = 'one'\n[[step]]\ndo = 'message'\ntext = 'two'\n[[step]]\ndo = 'stderr'\ntext = 'three'\n[[step]]\ndo = 'message'\ntext = 'four'\n",
        ),
        succeeded(
            "twice",
            "[[step]]\ndo = 'emit_raw'\nescaped = '{\"type\":\"result\",\"subtype\":\"success\",\"duration_ms\":1,\"is_error\":false,\"num_turns\":1,\"result\":\"early\",\"session_id\":\"T-1\"}\\n'\n",
        ),
        succeeded(
            "huge-line",
            "[[step]]\ndo = 'huge_line'\nbytes = 50000000\n",
        ),
    ]
}

/// Runs the misbehaving agent, then a good one in the same session.
fn check(sandbox: &Sandbox, case: &Case) {
    let name = case.name;
    let made = make(sandbox, name, &format!("{WORK}{}", case.steps));
    let mut command = sandbox.ampsm();
    command
        .args(["iterate", &made.id])
        .envs(case.variables.iter().copied());
    let told = crate::ran::ran(&mut command).ends_with(case.exit);
    let (progress, outcome, message) = last_iteration(sandbox, &made.id);
    assert_eq!(progress, "finished", "{name}");
    assert!(outcome.contains(case.outcome), "{name}: {outcome}");
    assert!(message.contains(case.message), "{name}: {message}");
    assert!(
        told.stderr.contains(case.message) || told.stdout.contains(case.message),
        "{name}: {told:?}"
    );
    let status = status_of(sandbox, &made);
    let expected = if case.exit == 0 { "idle" } else { "error" };
    assert_eq!(status, expected, "{name}");
    assert_eq!(made.tree(sandbox).git(&["show", "HEAD:work.txt"]), "kept");
    works_again(sandbox, &made, name);
}

fn status_of(sandbox: &Sandbox, made: &Made) -> String {
    let status = session(sandbox, &["status", &made.id, "--json"]).ends_with(0);
    let status: Value = status.json();
    status["session"]["status"].as_str().unwrap().to_owned()
}

fn works_again(sandbox: &Sandbox, made: &Made, name: &str) {
    iterate_with(sandbox, made, NEXT).ends_with(0);
    let tree = made.tree(sandbox);
    assert_eq!(tree.git(&["show", "HEAD:next.txt"]), "next", "{name}");
    assert_eq!(status_of(sandbox, made), "idle", "{name}");
}

fn check_all(cases: &[Case]) {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(|| check(&sandbox, case));
        }
    });
}

#[test]
fn every_ending_is_told_truly() {
    let cases = endings();
    check_all(&cases);
    println!("endings {}, work lost 0", cases.len());
}

#[test]
fn odd_lines_do_no_harm() {
    let cases = odd_lines();
    check_all(&cases);
    println!("kinds of odd output {}, work lost 0", cases.len());
}

#[test]
fn a_line_that_cannot_be_read_is_kept() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let made = make(
        &sandbox,
        "odd",
        "[[step]]\ndo = 'emit_raw'\nescaped = 'not JSON at all\\n'\n",
    );
    session(&sandbox, &["iterate", &made.id]).ends_with(0);
    let query = "SELECT count(*) FROM transcript WHERE event LIKE '%not JSON at all%'";
    let kept: i64 = database(&sandbox)
        .query_row(query, [], |row| row.get(0))
        .unwrap();
    assert_eq!(kept, 1);
    let shown = session(&sandbox, &["transcript", &made.id]).ends_with(0);
    assert!(shown.stdout.contains("not JSON at all"), "{shown:?}");
}

/// An agent that says nothing more after its result is stopped, and the turn still counts.
#[test]
fn an_agent_that_stays_after_its_result_is_sent_away() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let steps =
        format!("{WORK}[[step]]\ndo = 'ignore_signals'\n[[step]]\ndo = 'hang_after_result'\n");
    let made = make(&sandbox, "stays", &steps);
    let mut command = sandbox.ampsm();
    command
        .args(["iterate", &made.id])
        .env("ORCHESTRA_CORE_IDLE_TIMEOUT", "2s")
        .env("ORCHESTRA_CORE_STOP_GRACE", "1s");
    crate::ran::ran(&mut command).ends_with(0);
    let (_, outcome, _) = last_iteration(&sandbox, &made.id);
    assert!(outcome.contains("succeeded"), "{outcome}");
    assert_eq!(made.tree(&sandbox).git(&["show", "HEAD:work.txt"]), "kept");
}

#[test]
fn a_flood_is_cut_and_needs_little_memory() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let (bytes, limit) = if is_long() {
        (1_000_000_000_u64, "256MiB")
    } else {
        (300_000_000, "12MiB")
    };
    let steps = format!("{WORK}[[step]]\ndo = 'flood'\nbytes = {bytes}\n");
    let made = make(&sandbox, "flood", &steps);
    let mut command = sandbox.ampsm();
    command
        .args(["iterate", &made.id, "--detach"])
        .env("ORCHESTRA_CORE_MAX_OUTPUT", limit);
    crate::ran::ran(&mut command).ends_with(0);
    let peak = peak_until_over(&sandbox, &made);
    let (_, outcome, message) = last_iteration(&sandbox, &made.id);
    assert!(outcome.contains("output_limit"), "{outcome}");
    assert!(message.contains("printed more than"), "{message}");
    assert_eq!(made.tree(&sandbox).git(&["show", "HEAD:work.txt"]), "kept");
    println!("flood of {bytes} bytes, limit {limit}, peak memory of the runner {peak} kB");
    assert!(
        peak > 0 && peak < 64 * 1024,
        "the runner needed {peak} kB at its peak"
    );
    works_again(&sandbox, &made, "flood");
}

#[test]
fn a_script_that_floods_is_cut_and_said_to_have_flooded() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let made = make(&sandbox, "noisy", WORK);
    session(&sandbox, &["set", &made.id, "script", "yes"]).ends_with(0);
    let mut command = sandbox.ampsm();
    command
        .args(["run", &made.id, "--json"])
        .env("ORCHESTRA_CORE_MAX_OUTPUT", "1MiB");
    let told = crate::ran::ran(&mut command).ends_with(5);
    assert_eq!(told.json()["script_run"]["state"], "output_limit");
    let query = "SELECT result FROM script_runs";
    let result: String = database(&sandbox)
        .query_row(query, [], |row| row.get(0))
        .unwrap();
    assert!(result.contains("output_limit"), "{result}");
}

/// The most memory the runner had while the iteration went on, in kB.
fn peak_until_over(sandbox: &Sandbox, made: &Made) -> u64 {
    let database = database(sandbox);
    let query = "SELECT runner, outcome FROM iterations WHERE session = ?1";
    let mut peak = 0;
    let limit = Duration::from_secs(if is_long() { 900 } else { 120 });
    wait_until("the flood is over", limit, || {
        let (runner, outcome): (Option<String>, Option<String>) = database
            .query_row(query, [&made.id], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        let runner: Value = serde_json::from_str(&runner.unwrap_or_default()).unwrap_or_default();
        peak = peak.max(peak_memory(&runner["pid"]).unwrap_or(0));
        outcome.is_some()
    });
    peak
}

fn peak_memory(pid: &Value) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn an_agent_that_cannot_be_started_is_refused_before_anything_is_queued() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let made = make(&sandbox, "none", NEXT);
    let plain = sandbox.path("plain-file");
    fs::write(&plain, "#!/bin/sh\n").unwrap();
    for program in [Path::new("/nonexistent/amp"), &plain] {
        let mut command = sandbox.ampsm();
        command
            .args(["iterate", &made.id])
            .env("ORCHESTRA_AGENTS_AMP_COMMAND", program);
        let refused = crate::ran::ran(&mut command).refuses(4, &program.to_string_lossy());
        let is_there = program == plain;
        let why = ["was not found", "is not executable"][usize::from(is_there)];
        assert!(refused.stderr.contains(why), "{refused:?}");
    }
    let count: i64 = database(&sandbox)
        .query_row("SELECT count(*) FROM iterations", [], |row| row.get(0))
        .unwrap();
    assert_eq!(count, 0);
    assert_eq!(status_of(&sandbox, &made), "idle");
    works_again(&sandbox, &made, "none");
}

#[test]
fn an_agent_that_is_not_logged_in_is_refused_before_anything_is_queued() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let made = make(&sandbox, "none", NEXT);
    let mut command = sandbox.ampsm();
    command
        .args(["iterate", &made.id])
        .env_remove("AMP_API_KEY");
    crate::ran::ran(&mut command).refuses(4, "logged in");
    works_again(&sandbox, &made, "none");
}

#[test]
fn an_edit_of_the_main_checkout_stays_out_of_the_session() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    let head = repository.head();
    let outside = repository.path("outside.txt");
    let steps = format!(
        "{WORK}[[step]]\ndo = 'main_checkout'\npath = '{}'\ntext = 'out'\n",
        outside.display()
    );
    let made = make(&sandbox, "outside", &steps);
    session(&sandbox, &["iterate", &made.id]).ends_with(0);
    let files = made
        .tree(&sandbox)
        .git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert_eq!(files, "README.md\nwork.txt");
    assert_eq!(repository.git(&["status", "--porcelain"]), "?? outside.txt");
    assert_eq!(repository.head(), head);
    works_again(&sandbox, &made, "outside");
}

/// Runs a scenario in a session that has work of an earlier iteration.
fn after_first_work(sandbox: &Sandbox, scenario: impl FnOnce(&Made) -> String) -> (Made, Ran) {
    let made = make(sandbox, "session", WORK);
    session(sandbox, &["iterate", &made.id]).ends_with(0);
    let told = iterate_with(sandbox, &made, &scenario(&made));
    (made, told)
}

#[test]
fn an_agent_that_deletes_its_worktree_loses_no_commit() {
    let removals: [fn(&Made) -> String; 2] = [
        |made| {
            format!(
                "[[step]]\ndo = 'delete'\npath = '{}'\n",
                made.worktree.display()
            )
        },
        |_made| "[[step]]\ndo = 'git'\nargs = ['worktree', 'remove', '--force', '.']\n".to_owned(),
    ];
    for removal in removals {
        let sandbox = Sandbox::new();
        let repository = sandbox.repository("app");
        let (made, told) = after_first_work(&sandbox, removal);
        told.ends_with(4);
        let (_, outcome, message) = last_iteration(&sandbox, &made.id);
        assert!(outcome.contains("other"), "{outcome}");
        assert!(message.contains("director"), "{message}");
        assert_eq!(
            repository.git(&["show", &format!("{}:work.txt", made.branch)]),
            "kept"
        );
        session(&sandbox, &["iterate", &made.id]).refuses(3, "missing");
        for words in [["status", &made.id], ["log", &made.id], ["list", "--all"]] {
            session(&sandbox, &words).ends_with(0);
        }
        orchestra(&sandbox, &["worktree", "prune"]).ends_with(0);
        session(&sandbox, &["archive", &made.id]).ends_with(0);
        repository.fsck();
    }
}

#[test]
fn an_agent_that_changes_branch_is_told_of_and_nothing_lands_elsewhere() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    let steps = "[[step]]\ndo = 'git'\nargs = ['checkout', '-q', '-B', 'other']\n[[step]]\ndo = 'write'\npath = 'aside.txt'\ntext = \"aside\\n\"\n";
    let (made, told) = after_first_work(&sandbox, |_made| steps.to_owned());
    let told = told.ends_with(4);
    assert!(told.stderr.contains("`other`"), "{}", told.stderr);
    let branch = repository.branch_sha(&made.branch);
    assert_eq!(
        repository.branch_sha("other"),
        branch,
        "nothing was committed"
    );
    let tree = made.tree(&sandbox);
    assert_eq!(tree.read("aside.txt"), "aside\n");
    iterate_with(&sandbox, &made, NEXT).refuses(3, "`other`");
    assert_eq!(
        repository.branch_sha("other"),
        branch,
        "what is on the other branch is not ours to change"
    );
    tree.git(&["checkout", "-q", &made.branch]);
    works_again(&sandbox, &made, "changed branch");
    assert_eq!(tree.git(&["show", "HEAD:aside.txt"]), "aside");
    let subjects = tree.git(&["log", "--format=%s"]);
    assert!(
        !subjects.contains("manual:"),
        "no person did it: {subjects}"
    );
}

#[test]
fn commits_an_agent_throws_away_can_be_had_again() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let steps = "[[step]]\ndo = 'git'\nargs = ['reset', '-q', '--hard', 'HEAD~1']\n";
    let (made, told) = after_first_work(&sandbox, |_made| steps.to_owned());
    let told = told.ends_with(0);
    let tree = made.tree(&sandbox);
    assert_eq!(tree.git(&["ls-files"]), "README.md");
    let query = "SELECT head_after FROM iterations WHERE number = 1";
    let lost: String = database(&sandbox)
        .query_row(query, [], |row| row.get(0))
        .unwrap();
    assert!(told.stderr.contains(&lost[..7]), "{}", told.stderr);
    works_again(&sandbox, &made, "reset");
    tree.git(&["cherry-pick", &lost]);
    assert_eq!(tree.read("work.txt"), "kept\n");
}

#[test]
fn settings_an_agent_plants_in_git_do_not_run() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let marker = sandbox.path("marker");
    let script = sandbox.path("poison");
    let text = format!("#!/bin/sh\ntouch '{}'\nexec cat\n", marker.display());
    orchestra_testkit::write_program(&script, &text);
    let mut steps = String::new();
    for key in ["core.fsmonitor", "filter.poison.clean", "diff.external"] {
        steps.push_str(&format!(
            "[[step]]\ndo = 'git'\nargs = ['config', '{key}', '{}']\n",
            script.display()
        ));
    }
    steps.push_str("[[step]]\ndo = 'write'\npath = '.gitattributes'\ntext = '* filter=poison'\n");
    let made = make(&sandbox, "poison", &format!("{WORK}{steps}"));
    session(&sandbox, &["iterate", &made.id]).ends_with(0);
    session(&sandbox, &["diff", &made.id]).ends_with(0);
    iterate_with(&sandbox, &made, NEXT).ends_with(0);
    assert!(!marker.exists(), "a planted setting was run");
}
