//! A provider that is overloaded: the turn waits, goes on by itself, and a fleet does not hammer.

use orchestra_testkit::{Sandbox, wait_until};

use crate::made::Made;
use crate::ran::ended;
use crate::world::{PATIENCE, World};

/// A first turn that is refused half-way with these words, and a second that does the rest.
fn refused_once(words: &str) -> World {
    of_scenario(Sandbox::new(), words)
}

fn of_scenario(sandbox: Sandbox, words: &str) -> World {
    let scenario = sandbox.scenario(&format!(
        "
[[turn]]
steps = [
    {{ do = 'usage', input_tokens = 10, output_tokens = 100 }},
    {{ do = 'write', path = 'half.txt', text = 'half' }},
    {{ do = 'error', text = '{words}' }},
]
[[turn]]
steps = [
    {{ do = 'usage', input_tokens = 20, output_tokens = 3000 }},
    {{ do = 'write', path = 'rest.txt', text = 'rest' }},
]
"
    ));
    World::of(sandbox.with_knob("scenario", &scenario.to_string_lossy()))
}

fn start(world: &World, name: &str) -> Made {
    let made = world.session(name);
    world.run(&["iterate", name, "--detach"]).ok();
    wait_until_parked(world, &made);
    made
}

fn wait_until_parked(world: &World, made: &Made) {
    let parked = format!(
        "SELECT count(*) FROM iterations WHERE session = '{}' AND parked IS NOT NULL",
        made.id
    );
    wait_until("it waits", PATIENCE, || world.count(&parked) == 1);
}

fn status(world: &World, name: &str) -> String {
    let answer = world.json(&["status", name]);
    answer["session"]["status"].as_str().unwrap().to_owned()
}

#[test]
fn a_refused_turn_tells_until_when_it_waits() {
    let world = refused_once("Rate limit reached, retry after 600");
    let made = start(&world, "one");
    let shown = world.json(&["status", "one"]);
    let (session, iteration) = (&shown["session"], &shown["session"]["last_iteration"]);
    assert_eq!(session["status"], "blocked", "{session}");
    assert_eq!(session["needs_me"], false, "{session}");
    assert_eq!(iteration["state"], "blocked", "{iteration}");
    assert_eq!(iteration["parked"]["retry"], 1, "{iteration}");
    assert_eq!(iteration["parked"]["retries"], 5, "{iteration}");
    let until = iteration["parked"]["until"].as_str().unwrap();
    assert!(!until.contains('.'), "whole seconds: {until}");
    let said = world.run(&["status", "one"]).ok().says("Rate limit");
    assert!(said.stdout.contains("retry 1 of 5"), "{}", said.stdout);
    for command in ["list", "queue"] {
        world.run(&[command]).ok().says("blocked until ");
    }
    world
        .run(&["iterate", "one"])
        .refuses(3, "it goes on when the agent's provider answers")
        .says("session stop");
    for words in [&["answer", "one", "Yes"], &["answer", "one", "--allow"]] {
        world
            .run(words)
            .refuses(3, "it goes on when the agent's provider answers");
    }
    assert!(made.worktree.join("half.txt").exists());
    world
        .run(&["wait", "one", "--timeout", "1s"])
        .says("retry 1 of 5");
    world.run(&["stop", "one"]).ok();
    world.wait_until_quiet();
}

#[test]
fn a_refused_turn_goes_on_by_itself() {
    let world = refused_once("Rate limit reached, retry after 1");
    let made = world.session("one");
    let said = world.run(&["iterate", "one"]).ok().says("retry 1 of 5");
    let told = format!("{}{}", said.stdout, said.stderr);
    assert_eq!(told.matches("Rate limit").count(), 1, "{told}");
    world.run(&["transcript", "one"]).ok().says("Blocked until");
    assert_eq!(status(&world, "one"), "idle");
    let tree = world.tree(&made);
    assert_eq!(tree.git(&["show", "HEAD:half.txt"]), "half");
    assert_eq!(tree.git(&["show", "HEAD:rest.txt"]), "rest");
    assert_both_attempts(&world, &made);
    world.wait_until_quiet();
}

/// One conversation, one transcript and one sum.
fn assert_both_attempts(world: &World, made: &Made) {
    let threads = world.threads();
    assert_eq!(threads.len(), 1, "{threads:?}");
    assert_eq!(threads[0]["turns"], 2);
    let told = threads[0]["messages"].to_string();
    assert!(told.contains("Go on with what is left"), "{told}");
    assert_eq!(told.matches("Greet amp").count(), 2, "{told}");
    let number = |sql: &str| world.count(sql);
    let started = "FROM transcript WHERE event ->> 'kind' = 'started'";
    assert_eq!(number(&format!("SELECT count(*) {started}")), 2);
    assert_eq!(number(&format!("SELECT count(DISTINCT line) {started}")), 2);
    let reported = "SELECT sum(event -> 'usage' ->> 'output_tokens') FROM transcript";
    let usage = world.iteration(made, 1, "usage ->> 'output_tokens'");
    assert_eq!(usage, world.value(reported));
    assert!(number(reported) >= 3_100);
    let lines = std::fs::read_to_string(output_of(world, made)).unwrap();
    let ends = 2;
    let kept = usize::try_from(number("SELECT max(line) FROM transcript")).unwrap();
    assert!(lines.lines().count() + ends >= kept, "{kept}");
    let second =
        "SELECT count(*) FROM attempts WHERE after_line < (SELECT max(line) FROM transcript)";
    assert_eq!(number(second), 1, "one began after the first");
    for event in ["iteration_parked", "iteration_resumed"] {
        let sql = format!("SELECT count(*) FROM events WHERE body ->> 'type' = '{event}'");
        assert_eq!(number(&sql), 1, "{event}");
    }
}

fn output_of(world: &World, made: &Made) -> std::path::PathBuf {
    let folder = world.sandbox.data_dir().join("output");
    folder.join(&made.id).join("1.jsonl")
}

/// A world with one slot: the turn of session `one` was refused, and session `other` has the slot until [`let_go`].
fn held_back(settings: &[(&str, &str)]) -> (World, Made) {
    let sandbox = Sandbox::new().with_variable("ORCHESTRA_CORE_MAX_CONCURRENT_SESSIONS", "1");
    let file = |action: &str, name: &str| {
        let path = sandbox.path(name);
        format!("{{ do = '{action}', path = '{}' }}", path.display())
    };
    let (begun, refuse) = (file("touch_file", "begun"), file("wait_for_file", "refuse"));
    let (held, go) = (file("touch_file", "held"), file("wait_for_file", "go"));
    let first = sandbox.scenario(&format!(
        "
[[turn]]
steps = [
    {{ do = 'write', path = 'half.txt', text = 'half' }}, {begun}, {refuse},
    {{ do = 'error', text = 'Rate limit reached, retry after 2' }},
]
[[turn]]
steps = [
    {{ do = 'git', args = ['tag', 'wanted'] }},
    {{ do = 'write', path = 'rest.txt', text = 'rest' }},
]
"
    ));
    let other = sandbox.scenario(&format!("[[turn]]\nsteps = [{held}, {go}]\n"));
    let world = World::of(sandbox.with_knob("scenario", &first.to_string_lossy()));
    add_second_agent(&world);
    for (key, value) in settings {
        world.orchestra(&["config", "set", key, value]).ok();
    }
    let made = world.session("one");
    world.session_with("other", &["--agent", "second"]);
    let prompt = format!("Hold it\nscenario: {}", other.display());
    world.run(&["set", "other", "prompt", &prompt]).ok();
    hold_back(&world);
    (world, made)
}

/// An agent with a provider of its own.
fn add_second_agent(world: &World) {
    let command = world.sandbox.agent_command();
    for (key, value) in [("protocol", "amp"), ("command", &command)] {
        let key = format!("agents.second.{key}");
        world.orchestra(&["config", "set", &key, value]).ok();
    }
}

fn hold_back(world: &World) {
    let path = |name: &str| world.sandbox.path(name);
    world.run(&["iterate", "one", "--detach"]).ok();
    wait_until("the turn began", PATIENCE, || path("begun").exists());
    world.run(&["iterate", "other", "--detach"]).ok();
    std::fs::write(path("refuse"), "").unwrap();
    wait_until("the slot is taken", PATIENCE, || path("held").exists());
}

fn let_go(world: &World) {
    std::fs::write(world.sandbox.path("go"), "").unwrap();
    world.run(&["wait", "one"]).ok();
    world.run(&["wait", "other"]).ok();
}

#[test]
fn what_a_person_does_meanwhile_is_no_work_of_the_agents() {
    let (world, made) = held_back(&[]);
    std::fs::write(made.worktree.join("mine.txt"), "mine").unwrap();
    world.run(&["set", "one", "permissions", "rules"]).ok();
    world.run(&["set", "one", "prompt", "Greet somebody"]).ok();
    let_go(&world);
    let tree = world.tree(&made);
    let own = ["show", "--format=%s", "--name-only", "HEAD~1"];
    assert_eq!(
        tree.git(&own),
        "manual: changes made while iteration 1 waited\n\nmine.txt"
    );
    let work = ["show", "--format=", "--name-only", "HEAD"];
    assert_eq!(tree.git(&work), "half.txt\nrest.txt");
    assert_eq!(tree.git(&["tag", "--list", "wanted"]), "", "no rule allows");
    let told = format!("{:?}", world.threads());
    assert!(told.contains("Greet somebody"), "{told}");
    world.wait_until_quiet();
}

#[test]
fn what_a_person_does_meanwhile_stays_out_if_it_should() {
    let (world, made) = held_back(&[("git.human_changes", "keep")]);
    std::fs::write(made.worktree.join("mine.txt"), "mine").unwrap();
    std::fs::write(made.worktree.join("half.txt"), "half, and more").unwrap();
    let_go(&world);
    let tree = world.tree(&made);
    let work = ["show", "--format=", "--name-only", "HEAD"];
    assert_eq!(tree.git(&work), "half.txt\nrest.txt");
    assert_eq!(tree.git(&["status", "--porcelain"]), "?? mine.txt");
    let body = tree.git(&["show", "--no-patch", "--format=%b", "HEAD"]);
    assert!(body.contains("half.txt"), "both changed it: {body}");
    assert!(!body.contains("mine.txt"), "{body}");
    world.wait_until_quiet();
}

#[test]
fn a_session_that_waits_can_be_stopped_and_has_no_slot() {
    let sandbox = Sandbox::new().with_variable("ORCHESTRA_CORE_MAX_CONCURRENT_SESSIONS", "1");
    let world = of_scenario(sandbox, "Rate limit reached, retry after 600");
    let made = start(&world, "one");
    world.session_with("other", &["--agent", "demo"]);
    world.run(&["iterate", "other"]).ok();
    let second = start(&world, "second");
    let waited = "is stopped: it waited for the agent's provider";
    let stopped = world.run(&["stop", "second"]).ok().says(waited);
    assert!(stopped.stdout.contains("not started"), "{stopped:?}");
    assert_eq!(world.iteration(&second, 1, "started_at"), None);
    let stopped = world.run(&["stop", "one"]).ok().says(waited);
    assert!(stopped.stdout.contains("its work is kept"), "{stopped:?}");
    let outcome = world.iteration(&made, 1, "outcome").unwrap();
    assert!(outcome.contains("stopped"), "{outcome}");
    assert_eq!(status(&world, "one"), "idle");
    assert_eq!(world.tree(&made).git(&["show", "HEAD:half.txt"]), "half");
    world.wait_until_quiet();
}

#[test]
fn a_wait_can_be_cut_short() {
    let world = refused_once("Rate limit reached, retry after 600");
    let made = start(&world, "one");
    world
        .run(&["iterate", "one"])
        .refuses(3, "it goes on when")
        .says("session resume");
    let resumed = world.run(&["resume", "one"]).ok();
    assert!(!resumed.stdout.contains("Rate limit"), "{resumed:?}");
    assert_eq!(world.tree(&made).git(&["show", "HEAD:rest.txt"]), "rest");
    assert_eq!(world.threads().len(), 1, "the conversation goes on");
    assert_eq!(world.count("SELECT count(*) FROM agent_pauses"), 0);
    world.run(&["resume", "one"]).refuses(3, "not interrupted");
}

#[test]
fn a_wait_that_is_cut_short_too_early_goes_on() {
    let world = overloaded("5", "10m");
    let made = start(&world, "one");
    start(&world, "other");
    let answer = world.json(&["resume", "other", "--detach"]);
    assert_eq!(answer["iteration"]["number"], 1, "{answer}");
    wait_until("it was refused again", PATIENCE, || strikes(&world) == 2);
    wait_until_parked(&world, &made);
    std::fs::write(world.sandbox.path("fine"), "").unwrap();
    world
        .run(&["resume", "one", "--detach"])
        .ok()
        .says("is tried now");
    world.run(&["wait", "one"]).ok();
    world.run(&["resume", "other"]).ok();
    assert_eq!(turns(&world), (4, 2), "one try for each time");
    world.wait_until_quiet();
}

#[test]
fn a_session_whose_runner_is_killed_while_it_waits_is_interrupted() {
    let world = refused_once("Rate limit reached, retry after 600");
    let made = start(&world, "one");
    let pid = world.runner(&made, 1);
    crate::ran::signal(&world.sandbox, "KILL", pid.into());
    wait_until("the runner is gone", PATIENCE, || {
        !orchestra_testkit::processes::alive(pid)
    });
    assert_eq!(status(&world, "one"), "interrupted");
    lift_pause(&world);
    world.run(&["resume", "one"]).ok();
    let tree = world.tree(&made);
    assert_eq!(tree.git(&["show", "HEAD:half.txt"]), "half");
    assert_eq!(tree.git(&["show", "HEAD:rest.txt"]), "rest");
    assert_eq!(world.threads().len(), 1, "the conversation goes on");
}

/// As if a session with the same agent had got an answer.
fn lift_pause(world: &World) {
    let store = world.writable_store();
    store.execute("DELETE FROM agent_pauses", []).unwrap();
}

#[test]
fn only_the_time_of_the_agent_counts_for_the_limit() {
    let sandbox = Sandbox::new().with_variable("ORCHESTRA_CORE_SESSION_TIMEOUT", "5s");
    let prompt = |milliseconds: u32, wait: u32| {
        let sleep = format!("{{ do = 'sleep', milliseconds = {milliseconds} }}");
        let refuse = format!("{{ do = 'error', text = 'Rate limit, retry after {wait}' }}");
        let path = sandbox.scenario(&format!(
            "[[turn]]\nsteps = [{sleep}, {refuse}]\n[[turn]]\nsteps = [{sleep}]\n"
        ));
        format!("Do it\nscenario: {}", path.display())
    };
    let prompts = [prompt(0, 5), prompt(3_000, 600)];
    let world = World::of(sandbox);
    add_second_agent(&world);
    let sessions = [("short", "amp"), ("long", "second")];
    for ((name, agent), prompt) in sessions.iter().zip(&prompts) {
        world.session_with(name, &["--agent", agent]);
        world.run(&["set", name, "prompt", prompt]).ok();
        world.run(&["iterate", name, "--detach"]).ok();
    }
    wait_until_parked(&world, &world.made("long"));
    world
        .run(&["resume", "long"])
        .ends_with(4)
        .says("core.session_timeout");
    world.run(&["wait", "short"]).ok();
    world.wait_until_quiet();
}

/// A world whose provider is overloaded until the file `fine` is there, and the log of turns.
fn overloaded(retries: &str, retry_after: &str) -> World {
    let sandbox = Sandbox::new();
    let (fine, log) = (sandbox.path("fine"), sandbox.path("turns"));
    let sandbox = sandbox
        .with_knob("fault", "overloaded")
        .with_knob("fault-until", &fine.to_string_lossy())
        .with_knob("turn-log", &log.to_string_lossy())
        .with_variable("ORCHESTRA_AGENTS_RETRIES", retries)
        .with_variable("ORCHESTRA_AGENTS_RETRY_AFTER", retry_after);
    World::of(sandbox)
}

/// How many turns were started, and how many of them were refused.
fn turns(world: &World) -> (usize, usize) {
    let log = std::fs::read_to_string(world.sandbox.path("turns")).unwrap_or_default();
    let refused = log.lines().filter(|line| *line == "Overloaded").count();
    (log.lines().count(), refused)
}

#[test]
fn a_turn_is_tried_only_so_often() {
    let world = overloaded("2", "100ms");
    let made = world.session("one");
    world
        .run(&["iterate", "one"])
        .ends_with(4)
        .says("tried 3 times");
    assert_eq!(turns(&world), (3, 3));
    let outcome = world.iteration(&made, 1, "outcome").unwrap();
    assert!(outcome.contains("blocked"), "{outcome}");
    assert_eq!(status(&world, "one"), "blocked");
    let listed = world.json(&["list", "--needs-me"]);
    assert_eq!(listed["sessions"][0]["name"], "one");
    assert_eq!(world.threads().len(), 1);
}

#[test]
fn a_fleet_does_not_hammer() {
    const SESSIONS: usize = 16;
    const AT_ONCE: usize = 8;
    let world = overloaded("50", "400ms");
    let names: Vec<String> = (0..SESSIONS).map(|number| format!("s{number}")).collect();
    let made: Vec<Made> = names.iter().map(|name| world.session(name)).collect();
    let started: Vec<_> = names
        .iter()
        .map(|name| world.start(&["iterate", name, "--detach"]))
        .collect();
    for start in started {
        ended(start).ok();
    }
    for made in &made {
        wait_until_parked(&world, made);
    }
    wait_until("it was tried again", PATIENCE, || strikes(&world) >= 4);
    std::fs::write(world.sandbox.path("fine"), "").unwrap();
    let strikes = strikes_until_lifted(&world);
    for name in &names {
        world.run(&["wait", name]).ok();
    }
    let (started, refused) = turns(&world);
    println!("sessions {SESSIONS}, starts {started}, overloaded {refused}, strikes {strikes}");
    assert_eq!(started, SESSIONS + refused, "each did its work once");
    // Those that ran already when the first was refused, and one for every pause after that.
    assert!(refused <= AT_ONCE + strikes, "{refused} turns were refused");
    assert_eq!(world.count("SELECT count(*) FROM agent_pauses"), 0);
    world.wait_until_quiet();
}

/// Each session would learn the same from its own retries, one pause after the other, for hours.
#[test]
fn a_fleet_gives_up_together() {
    const SESSIONS: usize = 6;
    const RETRIES: usize = 2;
    let world = overloaded("2", "300ms");
    let names: Vec<String> = (0..SESSIONS).map(|number| format!("s{number}")).collect();
    for name in &names {
        world.session(name);
        world.run(&["iterate", name, "--detach"]).ok();
    }
    for name in &names {
        world.run(&["wait", name]).ends_with(4);
        assert_eq!(status(&world, name), "blocked");
    }
    let (started, refused) = turns(&world);
    println!("sessions {SESSIONS}, retries {RETRIES}, overloaded {refused}");
    assert_eq!(started, refused);
    // Each may have begun before the first was refused; after that, one tries for every pause. A session that began to wait
    // after the first retry sees as many of its own.
    assert!(
        refused <= SESSIONS + 2 * RETRIES,
        "{refused} turns were refused"
    );
    world.wait_until_quiet();
}

/// How often in a row the provider refused before it answered. A pause is longer than it takes to look.
fn strikes_until_lifted(world: &World) -> usize {
    let mut most = 0;
    wait_until("the pause is lifted", PATIENCE, || {
        let strikes = strikes(world);
        most = most.max(strikes);
        strikes == 0
    });
    most
}

fn strikes(world: &World) -> usize {
    let strikes = world.count("SELECT coalesce(max(strikes), 0) FROM agent_pauses");
    usize::try_from(strikes).unwrap()
}
