//! `merge`: in every form, together with the files of the base's checkout, and taken back.

use super::work::{add_remote, base_moves, change, merge, with_commit, with_commit_and};
use crate::world::World;

#[test]
fn the_base_moves_forward_with_its_files_and_back() {
    let world = World::new();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    let (repository, before) = (&world.repository, world.repository.head());
    repository.write("README.md", "changed by the user\n");
    repository.write("untracked.txt", "x\n");
    let answer = merge(&world, &made, &[]);
    assert_eq!(answer["how"], "fast_forward");
    assert_eq!(answer["session"]["status"], "completed");
    assert_eq!(answer["session"]["landed_into"], "main");
    let head = world.tree(&made).head();
    assert_eq!(
        (repository.head(), answer["commit"].clone()),
        (head.clone(), head.into())
    );
    assert_eq!(repository.read("new.txt"), "new\n");
    let status = repository.git(&["status", "--porcelain"]);
    assert_eq!(status, " M README.md\n?? untracked.txt");
    world
        .run(&["merge", "one"])
        .refuses(3, "has landed in `main` already");

    world.run(&["undo", "one"]).ok().says("undone: merge");
    assert_eq!(repository.head(), before);
    assert!(!repository.path("new.txt").exists());
    assert_eq!(repository.git(&["status", "--porcelain"]), status);
    assert_eq!(world.json(&["status", "one"])["session"]["status"], "idle");
    world.run(&["redo", "one"]).ok();
    assert_eq!(repository.read("new.txt"), "new\n");
    assert_eq!(
        world.json(&["status", "one"])["session"]["status"],
        "completed"
    );
    repository.fsck();
}

#[test]
fn what_a_base_lost_again_is_told_and_can_land_again() {
    let world = World::new();
    let before = world.repository.head();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    let other = with_commit(&world, "two", "two.txt", "two\n");
    merge(&world, &made, &[]);
    let row = || world.json(&["list"])["sessions"].clone();
    let of = |rows: &serde_json::Value, name: &str| {
        let rows = rows.as_array().unwrap().clone();
        rows.into_iter().find(|row| row["name"] == name).unwrap()
    };
    assert_eq!(of(&row(), "one")["landed_is_there"], true);
    world.run(&["status", "one"]).ok().says("landed    in main");

    world
        .repository
        .git(&["reset", "--quiet", "--hard", &before]);
    let rows = row();
    assert_eq!(of(&rows, "one")["landed_is_there"], false);
    assert_eq!(of(&rows, "one")["status"], "idle");
    assert!(of(&rows, "two")["landed_is_there"].is_null());
    world.run(&["list"]).ok().says("idle, not in main any more");
    world
        .run(&["status", "one"])
        .ok()
        .says("main does not have it any more");
    merge(&world, &made, &[]);
    assert_eq!(world.repository.read("new.txt"), "new\n");
    assert_eq!(of(&row(), "one")["status"], "completed");
    world.run(&["approve", &other.id]).ok();

    world
        .repository
        .git(&["reset", "--quiet", "--hard", &before]);
    let landed = world.json(&["land", "one", "two"]);
    assert_eq!(landed["sessions"][0]["state"], "landed");
    assert_eq!(landed["sessions"][1]["state"], "landed");
    world
        .repository
        .git(&["switch", "--quiet", "-c", "elsewhere"]);
    world.repository.git(&["branch", "--quiet", "-D", "main"]);
    assert_eq!(of(&row(), "one")["landed_is_there"], false);
    world
        .run(&["merge", "one"])
        .refuses(3, "there is no branch `main` here");
    world.repository.fsck();
}

#[test]
fn a_base_that_was_written_anew_still_has_what_landed() {
    let world = World::new();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    merge(&world, &made, &["--no-ff"]);
    let repository = &world.repository;
    repository.git(&["commit", "--quiet", "--amend", "-m", "By my words"]);
    assert_eq!(
        world.json(&["status", "one"])["session"]["status"],
        "completed"
    );
    add_remote(&world);
    repository.git(&["reset", "--quiet", "--hard", "HEAD^"]);
    assert_eq!(
        world.json(&["status", "one"])["session"]["landed_is_there"],
        true,
        "the remote has it"
    );
}

#[test]
fn a_merge_that_git_removed_for_good_is_not_there() {
    let world = World::new();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    merge(&world, &made, &["--no-ff"]);
    let is_there = || world.json(&["status", "one"])["session"]["landed_is_there"].clone();
    base_moves(&world, "later.txt", "x\n");
    assert_eq!(is_there(), true, "the base went on");
    let repository = &world.repository;
    repository.git(&["reset", "--quiet", "--hard", "HEAD~2"]);
    repository.git(&["reflog", "expire", "--expire=now", "--all"]);
    repository.git(&["gc", "--quiet", "--prune=now"]);
    assert_eq!(is_there(), false);
    merge(&world, &made, &["--no-ff"]);
    assert_eq!(is_there(), true);
}

#[test]
fn what_a_remote_has_of_the_session_does_not_keep_the_base() {
    let world = World::new();
    let before = world.repository.head();
    add_remote(&world);
    let made = with_commit(&world, "one", "new.txt", "new\n");
    world.run(&["push", "one"]).ok();
    merge(&world, &made, &[]);
    world.run(&["undo", "one"]).ok();
    assert_eq!(world.repository.head(), before);
    world.run(&["redo", "one"]).ok();
    world.repository.git(&["push", "--quiet", "origin", "main"]);
    world.run(&["undo", "one"]).refuses(3, "`origin/main` has");
    world
        .run(&["operations", "one"])
        .ok()
        .says("done, and pushed");
    assert!(world.json(&["operations", "one"])["next_undo"].is_null());
}

#[test]
fn what_landed_stays_so_when_it_is_put_onto_a_newer_base_or_lost_its_directory() {
    let world = World::new();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    merge(&world, &made, &["--squash"]);
    let base = base_moves(&world, "later.txt", "x\n");
    world.run(&["rebase", "one"]).ok();
    assert_eq!(world.tree(&made).head(), base);
    let status = || world.json(&["status", "one"])["session"]["status"].clone();
    assert_eq!(status(), "completed");
    world.run(&["undo", "one"]).ok();
    assert_eq!(status(), "completed");
    std::fs::remove_dir_all(&made.worktree).unwrap();
    assert_eq!(status(), "completed");
    world.run(&["status", "one"]).ok().says("which is gone");
}

#[test]
fn what_comes_after_it_landed_can_land_too() {
    let world = World::new();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    merge(&world, &made, &[]);
    change(&world, &made, "more.txt", "more\n", "More");
    assert_eq!(world.json(&["status", "one"])["session"]["status"], "idle");
    merge(&world, &made, &[]);
    assert_eq!(world.repository.read("more.txt"), "more\n");
}

#[test]
fn a_merge_commit_has_both_and_the_issue() {
    let world = World::new();
    let made = with_commit_and(&world, "one", "new.txt", "new\n", &["--issue", "ABC-7"]);
    let base = base_moves(&world, "other.txt", "x\n");
    let answer = merge(&world, &made, &[]);
    assert_eq!(answer["how"], "merge_commit");
    let repository = &world.repository;
    let parents = repository.git(&["log", "-1", "--format=%P"]);
    assert_eq!(parents, format!("{base} {}", world.tree(&made).head()));
    let message = repository.git(&["log", "-1", "--format=%B"]);
    assert_eq!(message.trim(), "Merge session one\n\nIssue: ABC-7");
    assert_eq!(
        repository.read("new.txt") + &repository.read("other.txt"),
        "new\nx\n"
    );
    assert_eq!(repository.git(&["status", "--porcelain"]), "");

    let made = with_commit(&world, "two", "two.txt", "x\n");
    let answer = merge(&world, &made, &["--no-ff", "-m", "By my words"]);
    assert_eq!(answer["how"], "merge_commit");
    assert_eq!(repository.git(&["log", "-1", "--format=%s"]), "By my words");
    repository.fsck();
}

#[test]
fn squashing_gives_one_commit_on_top() {
    let world = World::new();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    change(&world, &made, "two.txt", "two\n", "wip");
    let base = base_moves(&world, "other.txt", "x\n");
    let answer = merge(&world, &made, &["--squash", "-m", "Add both"]);
    assert_eq!(
        (&answer["how"], &answer["is_partial"]),
        (&"squash".into(), &false.into())
    );
    let repository = &world.repository;
    assert_eq!(
        repository.git(&["log", "-1", "--format=%P %s"]),
        format!("{base} Add both")
    );
    assert_eq!(repository.read("two.txt"), "two\n");
    assert_eq!(answer["session"]["status"], "completed");
}

#[test]
fn some_commits_can_land_alone() {
    let world = World::new();
    let made = with_commit(&world, "one", "a.txt", "a\n");
    let first = world.tree(&made).head();
    change(&world, &made, "b.txt", "b\n", "Change b");
    let second = world.tree(&made).head();
    base_moves(&world, "other.txt", "x\n");
    let answer = merge(&world, &made, &["--cherry-pick", &second[..8]]);
    assert_eq!(
        (&answer["how"], &answer["is_partial"]),
        (&"cherry_pick".into(), &true.into())
    );
    assert_eq!(answer["session"]["status"], "idle");
    let repository = &world.repository;
    assert!(repository.path("b.txt").exists() && !repository.path("a.txt").exists());
    let base = repository.head();
    world
        .run(&["merge", "one", "--cherry-pick", &base])
        .refuses(2, "is not one commit of session");
    world
        .run(&[
            "merge",
            "one",
            "--cherry-pick",
            &second,
            "--override",
            "reviewed",
        ])
        .refuses(3, "has no commit that `main` does not have");
    let answer = world.json(&[
        "merge",
        "one",
        "--cherry-pick",
        &first,
        "--override",
        "reviewed",
    ]);
    assert_eq!(
        answer["session"]["status"], "completed",
        "all of it is there"
    );
    world.run(&["undo", "one"]).ok();
    world.run(&["undo", "one"]).ok();
    assert!(!repository.path("b.txt").exists());
}

#[test]
fn checks_that_fail_are_passed_over_by_name_and_that_is_recorded() {
    let world = World::new();
    with_commit(&world, "one", "new.txt", "new\n");
    let before = world.outside();
    world
        .run(&["merge", "one"])
        .refuses(3, "not ready to land: reviewed (nobody approved it)")
        .says("--override reviewed");
    let refused = world.run(&["merge", "one", "--json"]).ends_with(3).json();
    assert_eq!(refused["error"]["code"], "merge.checks");
    assert_eq!(world.outside(), before);
    assert_eq!(
        world.count("SELECT count(*) FROM operations"),
        1,
        "the commit alone"
    );
    world
        .run(&["merge", "one", "--override", "looks"])
        .refuses(2, "is not a check");
    let answer = world.json(&[
        "merge",
        "one",
        "--override",
        "reviewed",
        "--override",
        "issue",
    ]);
    assert_eq!(answer["overridden"], serde_json::json!(["reviewed"]));
    let list = world.json(&["operations", "one"]);
    assert_eq!(
        list["operations"][1]["overridden"],
        serde_json::json!(["reviewed"])
    );
}

#[test]
fn the_settings_say_what_is_required_and_a_repository_only_adds() {
    let world = World::new();
    with_commit(&world, "one", "new.txt", "new\n");
    let key = "landing.required_checks";
    world
        .orchestra(&["config", "set", key, "clean", "--repo"])
        .ok();
    world
        .run(&["merge", "one"])
        .refuses(3, "nobody approved it")
        .says("a repository may only make this stricter");
    world.orchestra(&["config", "unset", key, "--repo"]).ok();
    world.orchestra(&["config", "set", key, "clean"]).ok();
    let check = world.run(&["check", "one"]).ok();
    assert!(check.stdout.contains("warn  reviewed"), "{check:?}");
    world
        .run(&["merge", "one"])
        .ok()
        .says("landed: one in `main`");
}

#[test]
fn a_base_of_a_remote_is_brought_forward_on_the_way() {
    let world = World::new();
    let colleague = add_remote(&world);
    let theirs = colleague.commit("theirs");
    colleague.git(&["push", "--quiet", "origin", "main"]);
    let made = with_commit(&world, "one", "new.txt", "new\n");
    let before = world.repository.head();
    let answer = merge(&world, &made, &[]);
    assert_eq!(
        (&answer["how"], &answer["from"]),
        (&"fast_forward".into(), &before.into())
    );
    let repository = &world.repository;
    assert_eq!(repository.git(&["log", "-1", "--format=%P"]), theirs);
    assert_eq!(repository.git(&["status", "--porcelain"]), "");

    repository.git(&["push", "--quiet", "origin", "main"]);
    world
        .run(&["undo", "one"])
        .refuses(3, "`origin/main` has")
        .says("git revert");
    assert_eq!(repository.read("new.txt"), "new\n");
}

#[test]
fn the_base_is_pushed_with_it_or_later() {
    let world = World::new();
    let colleague = add_remote(&world);
    let made = with_commit(&world, "one", "new.txt", "new\n");
    let answer = merge(&world, &made, &["--push"]);
    assert_eq!(answer["pushed_to"], "origin/main");
    colleague.git(&["pull", "--quiet", "origin", "main"]);
    assert_eq!(colleague.read("new.txt"), "new\n");
    world.run(&["undo", "one"]).refuses(3, "`origin/main` has");
    assert!(world.json(&["status", "one"])["pushed"].is_null());

    let made = with_commit(&world, "two", "two.txt", "x\n");
    let theirs = colleague.commit("theirs");
    colleague.git(&["push", "--quiet", "origin", "main"]);
    world.run(&["approve", "two"]).ok();
    let words = ["merge", made.id.as_str(), "--push"];
    world
        .orchestra(&["config", "set", "git.fetch_wait", "0s"])
        .ok();
    let stopped = world.run(&words).refuses(1, "theirs");
    assert!(stopped.stdout.contains("landed: two"), "{stopped:?}");
    assert!(
        !stopped.stderr.contains("--force-with-lease"),
        "{stopped:?}"
    );
    let again = format!("orchestra session merge {} --push", made.id);
    world.run(&words).refuses(3, "theirs").says(&again);
    let answer = world.run(&[&words[..], &["--json"]].concat()).ends_with(3);
    assert_eq!(answer.json()["error"]["code"], "git.push_would_lose");
    world.run(&["undo", "two"]).ok();
    world.orchestra(&["config", "unset", "git.fetch_wait"]).ok();
    let answer = world.json(&["merge", "two"]);
    let note = answer["base_note"].as_str().unwrap();
    assert!(note.contains("1 commit(s) behind its remote"), "{note}");
    assert_eq!(answer["pushed_to"], serde_json::Value::Null);
    world.run(&words).ok().says("origin/main is at");
    let shared = world.repository.at(&world.sandbox.path("shared.git"));
    assert_eq!(shared.branch_sha("main"), world.repository.head());
    let has = ["merge-base", "--is-ancestor", &theirs, "main"];
    assert!(shared.try_git(&has).status.success());
}

#[test]
fn what_was_squashed_into_the_base_elsewhere_has_landed() {
    let world = World::new();
    let colleague = add_remote(&world);
    let theirs = colleague.commit("theirs");
    colleague.git(&["push", "--quiet", "origin", "main"]);
    let made = with_commit(&world, "one", "new.txt", "new\n");
    change(&world, &made, "two.txt", "two\n", "Two");
    world
        .repository
        .git(&["push", "--quiet", "origin", &made.branch]);
    colleague.git(&["fetch", "--quiet", "origin"]);
    let branch = format!("origin/{}", made.branch);
    colleague.git(&["merge", "--quiet", "--squash", &branch]);
    colleague.git(&["commit", "--quiet", "-m", "Squashed (#12)"]);
    colleague.git(&["push", "--quiet", "origin", "main"]);
    world.repository.git(&["fetch", "--quiet", "origin"]);
    let answer = world.json(&["merge", "one"]);
    assert_eq!(answer["how"], "already_there");
    assert_eq!(answer["session"]["status"], "completed");
    assert_eq!(world.repository.head(), colleague.head());
    assert_ne!(world.repository.head(), theirs);
    assert_eq!(world.repository.read("two.txt"), "two\n");
}

#[test]
fn what_was_passed_over_is_shown() {
    let world = World::new();
    with_commit(&world, "one", "new.txt", "new\n");
    let words = ["merge", "one", "--override", "reviewed"];
    world.run(&words).ok();
    let shown = world.run(&["operations", "one"]).ok();
    for text in ["(passed over: reviewed)", "if nothing came after"] {
        assert!(shown.stdout.contains(text), "{text}: {shown:?}");
    }
    let shown = world.run(&["status", "one"]).ok();
    let text = "(passed over: reviewed)";
    assert!(shown.stdout.contains(text), "{shown:?}");
}

#[test]
fn what_is_refused_allows_no_command() {
    let world = World::new();
    let key = "commands.after_merge";
    let made = with_commit(&world, "one", "new.txt", "new\n");
    merge(&world, &made, &[]);
    world
        .orchestra(&["config", "set", key, "true", "--repo"])
        .ok();
    world
        .run(&["merge", "one", "--yes"])
        .refuses(3, "has landed");
    let list = world.orchestra(&["commands", "list"]).ok();
    assert!(list.stdout.contains("not allowed"), "{}", list.stdout);
    world.run(&["merge", "one", "--after-merge", "--yes"]).ok();
    let list = world.orchestra(&["commands", "list"]).ok();
    assert!(list.stdout.contains("yes, allowed"), "{}", list.stdout);
}

#[test]
fn what_is_set_for_after_a_merge_runs_once_it_was_allowed() {
    let world = World::new();
    let key = "commands.after_merge";
    let command =
        "echo \"$ORCHESTRA_BRANCH $ORCHESTRA_BASE\" > ../after.txt; pwd > ../where.txt; exit 3";
    world
        .orchestra(&["config", "set", key, command, "--repo"])
        .ok();
    let made = with_commit(&world, "one", "new.txt", "new\n");
    let skipped = merge(&world, &made, &[]);
    assert_eq!(skipped["after_merge"], serde_json::Value::Null);
    let after = world.repository.path("../after.txt");
    assert!(!after.exists());
    world.run(&["undo", "one"]).ok();
    world
        .run(&["merge", "one"])
        .ok()
        .says("comes from the repository's own settings file and was not run");
    world.run(&["undo", "one"]).ok();

    world
        .run(&["merge", "one", "--yes"])
        .ends_with(5)
        .says("landed: one in `main`")
        .says("the merge stays")
        .says("--after-merge");
    let told = std::fs::read_to_string(&after).unwrap();
    assert_eq!(told.trim(), format!("{} main", made.branch));
    let place = std::fs::read_to_string(world.repository.path("../where.txt")).unwrap();
    assert_eq!(place.trim(), world.repository.root().to_str().unwrap());
    std::fs::remove_file(&after).unwrap();

    world.run(&["undo", "one"]).ok();
    let answer = world.run(&["merge", "one", "--json"]).ends_with(5).json();
    assert_eq!(answer["after_merge"]["exit_code"], 3);
    assert!(after.exists(), "allowed from then on");
    world.run(&["undo", "one"]).ok();
    let other = command.replace("exit 3", "exit 4");
    world
        .orchestra(&["config", "set", key, &other, "--repo"])
        .ok();
    let answer = world.json(&["merge", "one"]);
    assert_eq!(
        answer["after_merge"],
        serde_json::Value::Null,
        "another text"
    );
    world.run(&["undo", "one"]).ok();
    world.orchestra(&["config", "unset", key, "--repo"]).ok();
    world.orchestra(&["config", "set", key, "true"]).ok();
    let answer = world.json(&["merge", "one"]);
    assert_eq!(answer["after_merge"]["state"], "passed", "the user's own");
    world.wait_until_quiet();
}

#[test]
fn the_remote_is_asked_first_and_what_it_says_is_told() {
    let world = World::new();
    let colleague = add_remote(&world);
    let made = with_commit(&world, "one", "new.txt", "new\n");
    world.run(&["approve", "one"]).ok();
    let theirs = colleague.commit("theirs");
    colleague.git(&["push", "--quiet", "origin", "main"]);
    let behind = "your main is 1 commit(s) behind its remote; the remote's is used";
    world.run(&["check", "one"]).ok().says(behind);
    world.run(&["merge", "one"]).ok().says(behind);
    let has = ["merge-base", "--is-ancestor", &theirs, "main"];
    assert!(world.repository.try_git(&has).status.success());
    world.run(&["undo", "one"]).ok();

    world.repository.commit("ours");
    let apart = "your main and its remote have diverged (1 ahead, 1 behind); yours is used";
    let ran = world.run(&["merge", "one"]).ok().says(apart);
    assert!(ran.stdout.contains("landed: one"), "{ran:?}");
    let has = ["merge-base", "--is-ancestor", &theirs, "main"];
    assert!(!world.repository.try_git(&has).status.success());
    world.run(&["undo", "one"]).ok();

    std::fs::remove_dir_all(world.sandbox.path("shared.git")).unwrap();
    let answer = world.json(&["merge", made.id.as_str()]);
    let note = answer["base_note"].as_str().unwrap();
    assert!(note.contains("the remote could not be asked ("), "{note}");
    assert!(note.contains("last fetched"), "{note}");
    world.repository.fsck();
}

#[test]
fn merges_at_the_same_moment_all_land() {
    let world = World::new();
    let names = ["one", "two", "three", "four"];
    for name in names {
        with_commit(&world, name, &format!("{name}.txt"), "x\n");
        world.run(&["approve", name]).ok();
    }
    let children: Vec<_> = names.map(|name| world.start(&["merge", name])).into();
    for child in children {
        crate::ran::ended(child).ok();
    }
    for name in names {
        assert_eq!(world.repository.read(&format!("{name}.txt")), "x\n");
    }
    assert_eq!(world.repository.git(&["status", "--porcelain"]), "");
    let failed = "SELECT count(*) FROM operations WHERE state = 'failed'";
    assert_eq!(world.count(failed), 0);
    world.repository.fsck();
}

#[test]
fn what_failed_after_a_merge_can_be_done_again() {
    let world = World::new();
    let colleague = add_remote(&world);
    for (key, value) in [
        ("commands.after_merge", "test -e ../ready.txt"),
        ("git.auto_cleanup_worktrees", "true"),
    ] {
        world.orchestra(&["config", "set", key, value]).ok();
    }
    world
        .run(&["merge", "one", "--after-merge"])
        .refuses(2, "no session matches");
    let made = with_commit(&world, "one", "new.txt", "new\n");
    world
        .run(&["merge", "one", "--after-merge"])
        .refuses(3, "it has not landed");
    world.run(&["approve", "one"]).ok();
    let words = ["merge", "one", "--push", "--json"];
    let answer = world.run(&words).ends_with(5).json();
    assert_eq!(answer["after_merge"]["state"], "failed");
    assert_eq!(answer["error"]["code"], "script.failed");
    assert_eq!(answer["pushed_to"], serde_json::Value::Null);
    assert!(made.worktree.exists(), "what comes after it waits");
    world
        .run(&["merge", "one", "--after-merge"])
        .ends_with(5)
        .says("the merge stays");
    let slow = ["commands.after_merge=sleep 600", "commands.timeout=300ms"];
    let slow = ["--set-config", slow[0], "--set-config", slow[1]];
    world
        .run(&[&["merge", "one", "--after-merge"][..], &slow].concat())
        .ends_with(5)
        .says("`commands.after_merge` failed: it took longer than 300ms")
        .says("`commands.timeout` says how long it may take");

    std::fs::write(world.repository.path("../ready.txt"), "").unwrap();
    let words = ["merge", "one", "--after-merge", "--push", "--json"];
    let answer = world.run(&words).ok().json();
    assert_eq!(answer["after_merge"]["state"], "passed");
    assert!(answer.get("error").is_none(), "{answer}");
    assert_eq!(answer["pushed_to"], "origin/main");
    assert!(answer["trash"].is_string(), "{answer}");
    assert!(!made.worktree.exists());
    colleague.git(&["pull", "--quiet", "origin", "main"]);
    assert_eq!(colleague.read("new.txt"), "new\n");
    world
        .orchestra(&["config", "unset", "commands.after_merge"])
        .ok();
    world
        .run(&["merge", "one", "--after-merge"])
        .refuses(3, "no command is set for `commands.after_merge`");
    world.wait_until_quiet();
}
