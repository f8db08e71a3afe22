//! `list`, `status` and the overview: filters, and every promised field.

use orchestra_core::Timestamp;
use orchestra_testkit::Sandbox;
use serde_json::Value;

use crate::world::World;

/// What a session has at least, on the wire.
const FIELDS: &[&str] = &[
    "id",
    "name",
    "prompt",
    "notes",
    "issue",
    "repo_root",
    "base_branch",
    "branch_name",
    "worktree_path",
    "status",
    "agent",
    "model",
    "script_command",
    "created_at",
    "last_run",
    "head",
    "ahead",
    "behind",
    "dirty",
    "checked_at",
];

fn names(answer: &Value) -> Vec<&str> {
    let mut names: Vec<_> = answer["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| session["name"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn a_session_has_all_its_fields() {
    let world = World::new();
    let made = world.session("fields");
    let listed = world.json(&["list"]);
    let status = world.json(&["status", "fields"]);
    for session in [&listed["sessions"][0], &status["session"]] {
        let fields = session.as_object().unwrap();
        for field in FIELDS {
            assert!(fields.contains_key(*field), "{field} is missing");
        }
    }
    assert!(listed["seq"].as_u64().unwrap() > 0 && status["seq"].as_u64().unwrap() > 0);
    let session = &listed["sessions"][0];
    assert_eq!(
        session["repo_root"],
        world.repository.root().to_str().unwrap()
    );
    assert_eq!(session["branch_name"], made.branch.as_str());
    assert_eq!(session["worktree_path"], made.worktree.to_str().unwrap());
    assert_eq!(session["status"], "idle");
    assert_eq!(session["head"], world.repository.head());
    assert_eq!(
        (&session["ahead"], &session["dirty"]),
        (&0.into(), &false.into())
    );
    assert_eq!(session["last_run"], Value::Null);
    assert!(session["created_at"].as_str().unwrap().ends_with('Z'));
}

fn checked_at(session: &serde_json::Value) -> Timestamp {
    let text = session["checked_at"].as_str();
    text.expect("git was asked").parse().unwrap()
}

#[test]
fn what_git_says_is_never_old_without_saying_so() {
    let world = World::new();
    let made = world.session("fresh");
    world.tree(&made).write("new.txt", "x\n");
    world.repository.commit("main moves");
    let known = &world.json(&["list", "--no-refresh"])["sessions"][0];
    assert_eq!(
        (&known["dirty"], &known["behind"]),
        (&false.into(), &0.into())
    );
    for words in [&["session", "list", "--json"][..], &["--json"]] {
        let session = &world.orchestra(words).ok().json()["sessions"][0];
        assert_eq!(session["dirty"], true, "{words:?}");
        assert_eq!(session["behind"], 1, "{words:?}");
        assert!(checked_at(session) > checked_at(known));
    }
    let table = world.run(&["list"]).ok().stdout;
    assert!(
        table.contains(" yes ") && !table.contains(" ago"),
        "{table}"
    );
    let (store, five_minutes) = (world.writable_store(), 5 * 60 * 1_000);
    store
        .execute(
            "UPDATE git_facts SET checked_at = checked_at - ?1",
            [five_minutes],
        )
        .unwrap();
    let table = world.run(&["list", "--no-refresh"]).ok().stdout;
    assert!(table.contains("yes, 5 min ago"), "{table}");
}

#[test]
fn git_is_asked_again_on_request() {
    let world = World::new();
    let made = world.session("fresh");
    let tree = world.tree(&made);
    tree.write("new.txt", "x\n");
    world.repository.commit("main moves");
    let session = &world.json(&["list", "--refresh"])["sessions"][0];
    assert_eq!(session["dirty"], true);
    assert_eq!(
        (&session["ahead"], &session["behind"]),
        (&0.into(), &1.into())
    );
    let head = tree.commit("by hand");
    let session = &world.json(&["status", "fresh"])["session"];
    assert_eq!(session["head"], head);
    assert_eq!(
        (&session["ahead"], &session["dirty"]),
        (&1.into(), &false.into())
    );
}

#[test]
fn filters() {
    let world = World::with_scenario("[[step]]\ndo = 'ask'\ntext = 'Which one?'\n");
    world.session("quiet");
    world.session("asks");
    world.run(&["iterate", "asks"]).ends_with(6);
    world.session("away");
    world.run(&["archive", "away"]).ok();
    let other = world.sandbox.repository("other");
    let other = other.root().to_str().unwrap();
    let words = ["new", "--name", "elsewhere", "--prompt", "x", "--repo"];
    world.run(&[&words[..], &[other]].concat()).ok();

    assert_eq!(names(&world.json(&["list"])), ["asks", "quiet"]);
    assert_eq!(names(&world.json(&["ls"])), ["asks", "quiet"]);
    assert_eq!(names(&world.json(&["list", "--needs-me"])), ["asks"]);
    assert_eq!(names(&world.json(&["list", "--status", "idle"])), ["quiet"]);
    assert_eq!(
        names(&world.json(&["list", "--status", "idle", "--status", "awaiting_input"])),
        ["asks", "quiet"]
    );
    assert_eq!(
        names(&world.json(&["list", "--all"])),
        ["asks", "away", "elsewhere", "quiet"]
    );
    assert_eq!(
        names(&world.json(&["list", "--repo", other])),
        ["elsewhere"]
    );
    world.run(&["list", "--repo", "/"]).ends_with(3);
    world
        .run(&["list", "--status", "sleeping"])
        .ends_with(2)
        .says("idle");

    let text = world.run(&["list"]).ok();
    assert!(text.stdout.contains("asks") && !text.stdout.contains("away"));
    let overview = world.orchestra(&[]).ok();
    assert!(overview.stdout.contains("Needs you"), "{}", overview.stdout);
    assert!(
        overview.stdout.contains("Which one?"),
        "{}",
        overview.stdout
    );
    assert!(overview.stdout.contains("orchestra session answer"));
    assert_eq!(
        names(&world.orchestra(&["--json"]).ok().json()),
        ["asks", "quiet"]
    );
}

#[test]
fn nothing_to_list_says_what_to_do() {
    let world = World::new();
    for ran in [world.run(&["list"]), world.orchestra(&[])] {
        assert!(ran.ok().stderr.contains("orchestra session new"));
    }
    // A repository without sessions does not show those of others.
    world.session("here");
    let other = world.sandbox.repository("other");
    let mut command = world.session_command(&["list", "--json"]);
    command.current_dir(other.root());
    let listed = crate::ran::ran(command).ok().json();
    assert_eq!(names(&listed), Vec::<&str>::new());
}

#[test]
fn status_says_what_a_person_wants_to_know() {
    let world = World::new();
    let made = world.session_with("told", &["--issue", "9", "--script", "true"]);
    world.run(&["iterate", "told"]).ok();
    let said = world.run(&["status", "told"]).ok().stdout;
    for part in [
        made.id.as_str(),
        "told",
        "idle",
        made.branch.as_str(),
        made.worktree.to_str().unwrap(),
        "1 ahead, 0 behind main, clean",
        "succeeded",
        "script passed",
        "since the base",
    ] {
        assert!(said.contains(part), "no `{part}` in\n{said}");
    }
    assert!(!said.contains('\u{1b}'), "no colours in a pipe");
}

#[test]
fn what_blocks_or_fails_says_why_and_what_helps() {
    let cases = [
        (
            "overloaded",
            "blocked",
            "is blocked: ",
            "wait until the provider",
        ),
        ("unauthorized", "error", "failed: ", "amp login"),
        ("payment_required", "error", "failed: ", "add credit"),
    ];
    for (fault, status, what, helps) in cases {
        let sandbox = Sandbox::new().with_knob("fault", fault);
        let world = World::of(sandbox.with_variable("ORCHESTRA_AGENTS_RETRIES", "0"));
        world.session("one");
        world.run(&["iterate", "one"]).ends_with(4).says(helps);
        let listed = world.json(&["list", "--needs-me"]);
        assert_eq!(listed["sessions"][0]["status"], status, "{fault}");
        let overview = world.orchestra(&[]).ok().says(what).says(helps);
        assert!(overview.stdout.contains("session iterate"), "{fault}");
    }
}

#[test]
fn sessions_of_several_repositories_can_be_told_apart() {
    let world = World::new();
    world.session("same");
    let listed = world.run(&["list", "--all"]).ok();
    assert!(!listed.stdout.contains("REPOSITORY"), "{}", listed.stdout);
    let other = world.sandbox.repository("other");
    let root = other.root().to_string_lossy().into_owned();
    world
        .run(&["new", "--repo", &root, "--name", "same", "--prompt", "x"])
        .ok();
    let listed = world.run(&["list", "--all"]).ok().says("REPOSITORY");
    for place in ["sample", "other"] {
        let ends = |line: &&str| line.trim_end().ends_with(place);
        assert_eq!(listed.stdout.lines().filter(ends).count(), 1, "{listed:?}");
    }
    let mut outside = world.session_command(&["status", "same"]);
    outside.current_dir(world.sandbox.home());
    crate::ran::ran(outside)
        .refuses(2, "matches 2 sessions")
        .says(&format!("same in {root}"));
    world
        .run(&["list", "--repo", "/"])
        .refuses(3, "not in a git repository");
}

#[test]
#[cfg(target_os = "linux")]
fn an_answer_that_cannot_be_written_is_a_failure() {
    let world = World::new();
    let made = world.session("one");
    world.tree(&made).write("README.md", "changed\n");
    let full = || std::fs::File::create("/dev/full").unwrap();
    for words in [
        &["list", "--json"][..],
        &["list"],
        &["list", "--help"],
        &["diff", "one"],
        &["diff", "one", "--stat"],
        &["diff", "one", "--json"],
    ] {
        let mut command = world.session_command(words);
        let ran = command.stdout(full()).output().unwrap();
        assert_eq!(ran.status.code(), Some(1), "{words:?}");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(said.contains("cannot write the answer"), "{said}");
    }
}

#[test]
#[cfg(debug_assertions)]
fn a_session_whose_making_was_cut_off_is_put_right_by_looking() {
    for point in ["create.reserved", "create.registered"] {
        let world = World::new();
        let mut new = world.session_command(&["new", "--name", "cut", "--prompt", "Do it"]);
        new.env("ORCHESTRA_FAILPOINT", point);
        assert!(!new.output().unwrap().status.success());
        world.orchestra(&[]).ok();
        let listed = world.json(&["list"]);
        for session in listed["sessions"].as_array().unwrap() {
            assert_eq!(session["status"], "idle", "{point}");
            assert_ne!(session["dirty"], true, "{point}");
        }
        let open = "SELECT count(*) FROM intents WHERE closed_at IS NULL";
        assert_eq!(world.count(open), 0, "{point}");
    }
}
