//! Changing a session's fields, putting it away, and the ways to name it.

use crate::world::World;

fn column(world: &World, id: &str, name: &str) -> Option<String> {
    world.value(&format!("SELECT {name} FROM sessions WHERE id = '{id}'"))
}

#[test]
fn each_field_can_be_set_and_cleared() {
    let world = World::new();
    let made = world.session("old");
    let fields = [
        ("notes", "notes", "ask first"),
        ("constraints", "constraints", "-no-"),
        ("issue", "issue", "12"),
        ("script", "script", "make test"),
        ("model", "model", "deep"),
    ];
    for (field, name, value) in fields {
        let set = world.run(&["set", &made.id, field, value]).ok();
        assert_eq!(set.stdout, format!("set the {field} of {}\n", made.id));
        assert_eq!(column(&world, &made.id, name).as_deref(), Some(value));
        let cleared = world.run(&["set", &made.id, field, ""]).ok();
        let told = format!("cleared the {field} of {}\n", made.id);
        assert_eq!(cleared.stdout, told);
        assert_eq!(column(&world, &made.id, name), None, "{field}");
    }
    world.run(&["set", &made.id, "timeout", "30m"]).ok();
    assert_eq!(
        column(&world, &made.id, "timeout_ms").as_deref(),
        Some("1800000")
    );
    world.run(&["set", &made.id, "timeout", ""]).ok();
    assert_eq!(column(&world, &made.id, "timeout_ms"), None);
    world.run(&["set", &made.id, "prompt", "Other"]).ok();
    world.run(&["set", &made.id, "agent", "demo"]).ok();
    world.run(&["set", &made.id, "name", "new name"]).ok();
    assert_eq!(
        column(&world, &made.id, "name").as_deref(),
        Some("new name")
    );
    assert_eq!(column(&world, &made.id, "agent").as_deref(), Some("demo"));
    assert_eq!(
        column(&world, &made.id, "branch"),
        Some(made.branch),
        "a new name does not move the branch"
    );
}

#[test]
fn whoever_sets_another_agent_is_told_that_the_conversation_ends() {
    let world = World::new();
    world.session("one");
    let ends = "the conversation with amp ends";
    for (agent, is_told) in [("amp", false), ("demo", true)] {
        let set = world.run(&["set", "one", "agent", agent]).ok();
        assert_eq!(set.stderr.contains(ends), is_told, "{set:?}");
        world.run(&["set", "one", "agent", "amp"]).ok();
        world.run(&["iterate", "one"]).ok();
    }
    let set = world.run(&["set", "one", "notes", "n"]).ok();
    assert_eq!(set.stderr, "");
}

#[test]
fn bad_values_change_nothing() {
    let world = World::new();
    let made = world.session("one");
    let other = world.session("two");
    let before = column(&world, &made.id, "name || prompt || agent");
    for (field, value, exit) in [
        ("name", "", 2),
        ("name", "a\nb", 2),
        ("name", "-x", 2),
        ("prompt", " ", 2),
        ("agent", "hal", 2),
        ("timeout", "soon", 2),
        ("model", "-x", 2),
        ("model", "a\nb", 2),
        ("issue", "1\n2", 2),
        ("colour", "red", 2),
    ] {
        world.run(&["set", &made.id, field, value]).ends_with(exit);
    }
    let error = world
        .run(&["set", &made.id, "name", "two", "--json"])
        .ends_with(3)
        .json();
    assert_eq!(error["error"]["code"], "session.name_taken");
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains(&other.id), "{message}");
    assert_eq!(column(&world, &made.id, "name || prompt || agent"), before);
}

#[test]
fn put_away_and_back() {
    let world = World::new();
    let made = world.session("away");
    world.run(&["archive", "away"]).ok().says("--undo");
    world
        .run(&["status", "away"])
        .ok()
        .says("archived")
        .says("--undo` brings it back");
    assert!(made.worktree.exists() && world.repository.has_branch(&made.branch));
    assert_eq!(
        world.json(&["list"])["sessions"].as_array().unwrap().len(),
        0
    );
    assert_eq!(
        world.json(&["list", "--all"])["sessions"][0]["name"],
        "away"
    );
    world.run(&["iterate", "away"]).ends_with(3).says("archive");
    world.run(&["archive", "away", "--undo"]).ok();
    assert_eq!(world.json(&["list"])["sessions"][0]["name"], "away");
    assert_eq!(column(&world, &made.id, "archived_at"), None);
}

#[test]
fn an_id_a_prefix_or_a_name() {
    let world = World::new();
    let made = world.session("alpha");
    for text in [made.id.as_str(), &made.id[..5], "alpha"] {
        assert_eq!(world.json(&["status", text])["session"]["id"], made.id);
    }
    let error = world
        .run(&["status", "nothing-like-it", "--json"])
        .ends_with(2)
        .json();
    assert_eq!(error["error"]["code"], "session.not_found");
    // The same name in two repositories: the one the user stands in wins, elsewhere it is ambiguous.
    let other = world.sandbox.repository("other");
    let words = ["new", "--name", "alpha", "--prompt", "x", "--repo"];
    world
        .run(&[&words[..], &[other.root().to_str().unwrap()]].concat())
        .ok();
    assert_eq!(world.json(&["status", "alpha"])["session"]["id"], made.id);
    let mut elsewhere = world.session_command(&["status", "alpha", "--json"]);
    elsewhere.current_dir(world.sandbox.home());
    let error = crate::ran::ran(elsewhere).ends_with(2).json();
    assert_eq!(error["error"]["code"], "session.ambiguous");
    assert!(
        error["error"]["message"]
            .as_str()
            .unwrap()
            .contains(&made.id)
    );
    let mut within = world.session_command(&["status", "alpha", "--json"]);
    within.current_dir(&made.worktree);
    assert_eq!(
        crate::ran::ran(within).ok().json()["session"]["id"],
        made.id,
        "a worktree is part of its repository"
    );
    let letter = shared_first_letter(&world);
    world
        .run(&["status", &letter])
        .ends_with(2)
        .says("more characters");
}

#[test]
fn a_name_is_never_the_id_of_another_session() {
    let world = World::new();
    let made = world.session("one");
    let other = world.session("two");
    let own = world.sandbox.path(&made.id);
    let path = own.to_str().unwrap();
    world.repository.add_worktree(&own, "topic");
    let before = world.outside();
    for words in [
        &["session", "new", "--name", &made.id, "--prompt", "x"][..],
        &["session", "set", "two", "name", &made.id],
        &["worktree", "adopt", path],
    ] {
        let error = world
            .orchestra(&[words, &["--json"]].concat())
            .ends_with(3)
            .json();
        assert_eq!(error["error"]["code"], "session.name_is_id", "{words:?}");
    }
    assert_eq!(world.outside(), before);
    assert_eq!(
        column(&world, &other.id, "name").as_deref(),
        Some("two"),
        "a refused name is not kept"
    );
    // A database may have such a name from before.
    let store = world.writable_store();
    let rename = "UPDATE sessions SET name = ?1 WHERE id = ?2";
    store.execute(rename, [&made.id, &other.id]).unwrap();
    world
        .run(&["status", &made.id])
        .ends_with(2)
        .says(&other.id)
        .says("rename one");
    assert_eq!(world.json(&["status", "one"])["session"]["id"], made.id);
    world.run(&["set", &other.id, "name", "two"]).ok();
    assert_eq!(world.json(&["status", &made.id])["session"]["name"], "one");
}

/// Makes sessions until two ids start with the same letter.
fn shared_first_letter(world: &World) -> String {
    for number in 0.. {
        let id = world.session(&format!("extra-{number}")).id;
        let letter = id[..1].to_owned();
        // One of another repository needs more letters, so it is not alike.
        let alike = format!(
            "SELECT count(*) FROM sessions WHERE id LIKE '{letter}%'
                 AND repository = (SELECT repository FROM sessions WHERE id = '{id}')"
        );
        if world.count(&alike) > 1 {
            return letter;
        }
    }
    unreachable!("there are more sessions than letters")
}

#[test]
fn a_text_that_is_not_kept_as_it_was_given_is_told() {
    let world = World::new();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let told =
        |what: &str| format!("what looks like a secret in the {what} is kept and sent as ***");
    let words = ["new", "--name", "x", "--prompt", "y", "--notes", secret];
    world.run(&words).ok().says(&told("notes"));
    for field in ["prompt", "notes", "constraints"] {
        world
            .run(&["set", "x", field, secret])
            .ok()
            .says(&told(field));
    }
    world
        .run(&["iterate", "x", "--notes", secret])
        .ok()
        .says(&told("notes"));
    let quiet = world.run(&["set", "x", "notes", "plain"]).ok();
    assert_eq!(quiet.stderr, "");
}
