//! What an iteration commits, and what it records.

use serde_json::Value;

use crate::world::World;

const EDIT: &str = "
[[step]]
do = 'usage'
input_tokens = 100
output_tokens = 20
cache_read_input_tokens = 3
[[step]]
do = 'write'
path = 'src/greeting.txt'
text = 'hello amp'
[[step]]
do = 'edit'
path = 'README.md'
old = 'Sample'
new = 'Example'
[[step]]
do = 'message'
text = 'Added a greeting. It says hello.'
";

#[test]
fn one_commit_with_everything_recorded() {
    let world = World::with_scenario(EDIT);
    let made = world.session("one");
    let base = world.repository.head();
    world.run(&["iterate", "one"]).ok();
    let tree = world.tree(&made);
    let head = tree.head();
    assert_eq!(tree.git(&["rev-parse", "HEAD^"]), base);
    assert_eq!(
        tree.git(&["log", "-1", "--format=%s"]),
        "amp: Added a greeting"
    );
    let body = tree.git(&["log", "-1", "--format=%b"]);
    assert!(
        body.contains(&format!("Session: one ({})", made.id)) && body.contains("Iteration: 1"),
        "{body}"
    );
    assert_eq!(
        tree.git(&["log", "-1", "--format=%an <%ae>"]),
        "Test <test@example.com>"
    );
    assert_eq!(
        tree.git(&["diff", "--name-status", "main", "HEAD"]),
        "M\tREADME.md\nA\tsrc/greeting.txt"
    );
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    assert_eq!(world.repository.head(), base, "the main checkout stays");

    let column = |name: &str| world.iteration(&made, 1, name);
    assert!(column("outcome").unwrap().contains("succeeded"));
    assert_eq!(column("commits"), Some(format!("[\"{head}\"]")));
    assert_eq!(column("files_changed").as_deref(), Some("2"));
    assert_eq!(column("head_before"), Some(base));
    assert_eq!(column("head_after"), Some(head));
    let thread = column("thread").unwrap();
    assert!(thread.starts_with("T-"), "{thread}");
    assert!(body.contains(&thread));
    assert_eq!(world.value("SELECT thread FROM sessions"), Some(thread));
    let usage: Value = serde_json::from_str(&column("usage").unwrap()).unwrap();
    let total = usage["input_tokens"].as_u64().unwrap() + usage["output_tokens"].as_u64().unwrap();
    assert_eq!(world.threads()[0]["tokens"], total, "{usage}");
    assert!(usage["cache_read_tokens"].as_u64().unwrap() > 0, "{usage}");
    let shown = world.json(&["status", "one"]);
    let shown = &shown["session"]["last_iteration"];
    assert!(shown["duration_ms"].as_i64().unwrap() >= 0, "{shown}");
    assert_eq!(shown["outcome"], "succeeded");
    world.repository.fsck();
}

#[test]
fn events_tell_the_story() {
    let world = World::with_scenario(EDIT);
    let made = world.session_with("one", &["--script", "true"]);
    world.run(&["iterate", "one"]).ok();
    let told = world
        .value(&format!(
            "SELECT group_concat(type) FROM (SELECT type FROM events WHERE session = '{}'
             AND type NOT IN ('transcript_appended', 'session_status_changed') ORDER BY seq)",
            made.id
        ))
        .unwrap();
    assert_eq!(
        told,
        "session_created,iteration_queued,iteration_started,commit_created,script_started,script_finished,iteration_finished"
    );
}

#[test]
fn nothing_changed_is_nothing_committed() {
    let world = World::with_scenario("[[step]]\ndo = 'message'\ntext = 'All is well.'\n");
    let made = world.session("one");
    world.run(&["iterate", "one"]).ok();
    assert_eq!(world.tree(&made).head(), world.repository.head());
    assert_eq!(world.iteration(&made, 1, "commits").as_deref(), Some("[]"));
    assert_eq!(
        world.iteration(&made, 1, "files_changed").as_deref(),
        Some("0")
    );
}

#[test]
fn the_prefix_is_a_setting() {
    let world = World::with_scenario(EDIT);
    let made = world.session("one");
    world
        .orchestra(&["config", "set", "git.commit_prefix", "bot(x):"])
        .ok();
    world.run(&["iterate", "one"]).ok();
    let tree = world.tree(&made);
    assert_eq!(
        tree.git(&["log", "-1", "--format=%s"]),
        "bot(x): Added a greeting"
    );
    tree.git(&["reset", "--quiet", "--hard", "main"]);
    world
        .run(&["iterate", "one", "--set-config", "git.commit_prefix=flag:"])
        .ok();
    assert_eq!(
        tree.git(&["log", "-1", "--format=%s"]),
        "flag: Added a greeting",
        "a flag reaches the run in the background"
    );
}

#[test]
fn changes_can_be_left_uncommitted() {
    let world = World::with_scenario(EDIT);
    let made = world.session("one");
    world.run(&["iterate", "one", "--no-commit"]).ok();
    let tree = world.tree(&made);
    assert_eq!(tree.head(), world.repository.head());
    assert_eq!(
        tree.git(&["status", "--porcelain"]),
        " M README.md\n?? src/"
    );
    tree.git(&["checkout", "--quiet", "--", "."]);
    world.run(&["iterate", "one", "--no-commit=false"]).ok();
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    assert_ne!(tree.head(), world.repository.head());
}

#[test]
fn commits_of_the_agent_itself_are_counted() {
    let world = World::with_scenario(
        "
[[step]]
do = 'write'
path = 'a.txt'
text = 'a'
[[step]]
do = 'git'
args = ['add', 'a.txt']
[[step]]
do = 'git'
args = ['commit', '--quiet', '-m', 'agent: a']
[[step]]
do = 'write'
path = 'b.txt'
text = 'b'
",
    );
    let made = world.session("one");
    world.run(&["iterate", "one"]).ok();
    let subjects = world.tree(&made).git(&["log", "--format=%s", "main.."]);
    let subjects: Vec<_> = subjects.lines().collect();
    assert_eq!(subjects.len(), 2, "{subjects:?}");
    assert_eq!(subjects[1], "agent: a");
    let commits: Vec<String> =
        serde_json::from_str(&world.iteration(&made, 1, "commits").unwrap()).unwrap();
    let log = world.tree(&made).git(&["rev-list", "--reverse", "main.."]);
    assert_eq!(commits, log.lines().collect::<Vec<_>>());
    assert_eq!(
        world.iteration(&made, 1, "files_changed").as_deref(),
        Some("2")
    );
}

#[test]
fn an_agent_that_switches_the_branch_is_told_about() {
    let world = World::with_scenario(
        "
[[step]]
do = 'git'
args = ['switch', '--quiet', '-c', 'elsewhere']
[[step]]
do = 'write'
path = 'a.txt'
text = 'a'
",
    );
    let made = world.session("one");
    let base = world.repository.head();
    world
        .run(&["iterate", "one"])
        .ends_with(4)
        .says("elsewhere");
    assert_eq!(world.repository.branch_sha(&made.branch), base);
    assert_eq!(world.repository.branch_sha("elsewhere"), base);
    assert_eq!(
        world.tree(&made).git(&["status", "--porcelain"]),
        "?? a.txt"
    );
    let message = world.iteration(&made, 1, "message").unwrap();
    assert!(message.contains("nothing was committed"), "{message}");
    let shown = &world.json(&["status", "one"])["session"];
    let last = &shown["last_iteration"];
    assert_eq!(
        (&shown["status"], &shown["needs_me"]),
        (&"error".into(), &true.into())
    );
    assert_eq!(
        (&last["outcome"], &last["cause"]),
        (&"failed".into(), &"off_branch".into())
    );
    assert_eq!(last["files_changed"], 1);
}

#[test]
fn a_branch_that_was_left_is_no_failed_script() {
    let world = World::with_scenario(
        "[[step]]\ndo = 'git'\nargs = ['switch', '--quiet', '-c', 'elsewhere']\n",
    );
    world.session("one");
    world.run(&["iterate", "one", "--no-commit"]).ok();
    let shown = world.run(&["list"]).ok();
    assert!(!shown.stdout.contains("script"), "{}", shown.stdout);
    world.run(&["list", "--needs-me"]).ok().says("one");
}

#[test]
fn commits_made_elsewhere_are_counted_apart_and_come_back() {
    let cases = [
        ("['switch', '--quiet', '-c', 'elsewhere']", "elsewhere"),
        ("['switch', '--quiet', '--detach']", ""),
    ];
    for (switch, branch) in cases {
        let world = World::with_scenario(&format!(
            "
[[step]]
do = 'git'
args = {switch}
[[step]]
do = 'write'
path = 'a.txt'
text = 'a'
[[step]]
do = 'git'
args = ['add', 'a.txt']
[[step]]
do = 'git'
args = ['commit', '--quiet', '-m', 'agent: a']
"
        ));
        let made = world.session("one");
        world
            .run(&["iterate", "one"])
            .ends_with(4)
            .says("1 commit(s) there");
        let last = &world.json(&["status", "one"])["session"]["last_iteration"];
        assert_eq!(last["commits"], serde_json::json!([]), "as git has it");
        assert_eq!(last["off_branch"]["commits"], 1);
        assert_eq!(
            last["off_branch"]["branch"].as_str().unwrap_or_default(),
            branch
        );
        let needs = world.orchestra(&[]).ok().stdout;
        let command = needs.lines().find(|line| line.contains("git -C")).unwrap();
        let mut shell = world.sandbox.command(std::path::Path::new("/bin/sh"));
        shell.args(["-c", command.trim()]);
        crate::ran::ran(shell).ok();
        let log = world.tree(&made).git(&["log", "--format=%s", "main.."]);
        assert_eq!(log, "agent: a");
        let head = world.tree(&made).git(&["symbolic-ref", "--short", "HEAD"]);
        assert_eq!(head, made.branch);
    }
}

#[test]
fn what_is_left_uncommitted_is_counted_and_named() {
    let world = World::with_scenario(EDIT);
    let made = world.session("one");
    world.tree(&made).write("by-hand.txt", "x");
    world.run(&["iterate", "one", "--no-commit"]).ok();
    assert_eq!(
        world.iteration(&made, 1, "files_changed").as_deref(),
        Some("2"),
        "what a person had left is not the agent's"
    );
    world
        .run(&["commit", "one", "-m", "x", "README.md"])
        .ok()
        .says("not committed: by-hand.txt, src/greeting.txt");
}

#[test]
fn a_merge_in_progress_is_refused_before_the_agent_runs() {
    let world = World::with_scenario(EDIT);
    let made = world.session("one");
    let tree = world.tree(&made);
    tree.git(&["switch", "--quiet", "-c", "other"]);
    tree.write("README.md", "theirs");
    tree.git(&["commit", "--quiet", "-am", "theirs"]);
    tree.git(&["switch", "--quiet", &made.branch]);
    tree.write("README.md", "ours");
    tree.git(&["commit", "--quiet", "-am", "ours"]);
    assert!(
        !tree
            .try_git(&["merge", "--quiet", "other"])
            .status
            .success()
    );
    world
        .run(&["iterate", "one"])
        .ends_with(3)
        .says("git merge --abort");
    assert_eq!(world.count("SELECT count(*) FROM iterations"), 0);
}

#[test]
fn a_session_can_be_made_and_run_in_one_command() {
    let world = World::with_scenario(EDIT);
    let said = world
        .run(&["new", "--name", "one", "--prompt", "Greet", "--run"])
        .ok();
    assert!(said.stdout.contains("Added a greeting"), "{}", said.stdout);
    let made = world.made("one");
    assert_eq!(
        world.tree(&made).git(&["rev-list", "--count", "main.."]),
        "1"
    );
    let report = said.stdout.find(&made.branch).unwrap();
    assert!(report < said.stdout.find("Added a greeting").unwrap());
    world
        .run(&["new", "--name", "two", "--prompt", "x", "--run", "--detach"])
        .ok()
        .says("runs in the background")
        .says("session attach");
    world.run(&["wait", "two"]).ok();
    let made = world.made("two");
    assert_eq!(
        world.tree(&made).git(&["rev-list", "--count", "main.."]),
        "1"
    );
    world.wait_until_quiet();
}

#[test]
fn a_session_made_and_run_is_followed_line_by_line() {
    let world = World::with_scenario(EDIT);
    let new = |name: &str, more: &[&str]| -> Vec<Value> {
        let words = [
            "new", "--name", name, "--prompt", "Greet", "--run", "--json",
        ];
        let ran = world.run(&[&words, more].concat()).ok();
        let lines = ran.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let followed = new("one", &[]);
    let made = world.made("one");
    assert_eq!(followed[0]["session"]["id"], made.id.as_str());
    let said = |value: &Value| value.to_string().contains("Added a greeting");
    assert!(followed.iter().any(said), "{followed:?}");
    let last = followed.last().unwrap();
    assert_eq!(last["iteration"]["number"], 1);
    assert_eq!(last["iteration"]["commits"].as_array().unwrap().len(), 1);
    let started = new("two", &["--detach"]);
    assert_eq!(started.len(), 2, "{started:?}");
    assert_eq!(started[0]["session"]["name"], "two");
    assert_eq!(started[1]["iteration"]["number"], 1);
    world.run(&["wait", "two"]).ok();
    world.wait_until_quiet();
}
