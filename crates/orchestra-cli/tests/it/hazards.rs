//! Everything that can be planted in a repository, and every command on top of it: nothing planted runs, and what the
//! user configured for all repositories still works.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use orchestra_testkit::{Sandbox, TestRepository, hazards, wait_until};
use serde_json::Value;

use crate::made::{Made, iterate_with, make};
use crate::oracle::database;
use crate::ran::{orchestra, session};

const NAMES: [&str; 6] = ["a.md", "b.rs", "c.json", "d.yml", "e.toml", "f.txt"];

/// A repository with a file for every trap to fall upon, and a remote to fetch from.
fn repository(sandbox: &Sandbox) -> TestRepository {
    let repository = sandbox.repository("app");
    for name in NAMES {
        repository.write(name, "one\n");
    }
    repository.write(
        ".orchestra/config.toml",
        "[scripts]\ntest = \"true\"\nlint = \"cat a.md\"\n",
    );
    repository.commit("files");
    orchestra(sandbox, &["commands", "allow", "--all"]).ends_with(0);
    let remote = sandbox.path("remote.git");
    repository.git(&["clone", "--quiet", "--bare", ".", remote.to_str().unwrap()]);
    repository.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    repository
}

/// An agent that changes every kind of file and runs no git itself.
fn busy_agent(text: &str) -> String {
    let write =
        |name: &&str| format!("[[step]]\ndo = 'write'\npath = '{name}'\ntext = \"{text}\\n\"\n");
    let mut steps: String = NAMES.iter().map(write).collect();
    for name in ["new.md", "new.rs"] {
        steps.push_str(&write(&name));
    }
    steps
}

/// Every command that looks at or changes a session.
fn every_command(sandbox: &Sandbox, made: &Made) {
    let id = made.id.as_str();
    let on_session: [&[&str]; 16] = [
        &["diff", id],
        &["diff", id, "--stat"],
        &["diff", id, "--name-only"],
        &["diff", id, "--staged"],
        &["diff", id, "--unstaged"],
        &["diff", id, "--json"],
        &["log", id],
        &["log", id, "--json"],
        &["status", id],
        &["status", id, "--json"],
        &["list", "--all"],
        &["list", "--refresh"],
        &["transcript", id],
        &["run", id],
        &["run", id, "lint"],
        &["queue"],
    ];
    for words in on_session {
        session(sandbox, words).ends_with(0);
    }
    for words in [
        &[][..],
        &["worktree", "list"],
        &["worktree", "prune"],
        &["doctor"],
        &["doctor", "--fix"],
        &["init"],
    ] {
        let answer = orchestra(sandbox, words);
        assert!(matches!(answer.code, 0 | 1), "{words:?}: {answer:?}");
    }
}

fn clean(marker: &Path) {
    fs::remove_file(marker).ok();
}

#[track_caller]
fn nothing_ran(marker: &Path, when: &str) {
    assert_eq!(hazards::executed(marker), Vec::<String>::new(), "{when}");
}

#[test]
fn nothing_planted_runs() {
    let sandbox = Sandbox::new();
    let repository = repository(&sandbox);
    let marker = sandbox.path("marker");
    let made = make(&sandbox, "victim", &busy_agent("two"));
    let rebasing = rebase_in_progress(&sandbox, &repository);
    let adopted = sandbox.path("by-hand");
    repository.add_worktree(&adopted, "by-hand");
    let mut planted = hazards::plant_all(repository.root(), &made.worktree, &marker);
    assert!(hazards::plant(
        "rebase.todo",
        repository.root(),
        &rebasing.worktree,
        &marker
    ));
    planted.push("rebase.todo");
    assert_eq!(planted.len(), hazards::names().len());
    clean(&marker);

    every_command(&sandbox, &made);
    nothing_ran(&marker, "before the agent ran");
    session(&sandbox, &["iterate", &made.id]).ends_with(0);
    every_command(&sandbox, &made);
    nothing_ran(&marker, "after an iteration");

    change_by_hand(&made, "three\n");
    every_command(&sandbox, &made);
    session(&sandbox, &["commit", &made.id, "-m", "only one", "a.md"]).ends_with(0);
    session(&sandbox, &["commit", &made.id, "-m", "the rest"]).ends_with(0);
    nothing_ran(&marker, "after commits");

    change_by_hand(&made, "four\n");
    iterate_with(&sandbox, &made, &busy_agent("five")).ends_with(0);
    nothing_ran(&marker, "after changes of a person");

    interrupted(&sandbox, &made);
    every_command(&sandbox, &made);
    session(&sandbox, &["discard", &made.id]).ends_with(0);
    interrupted(&sandbox, &made);
    session(&sandbox, &["resume", &made.id]).ends_with(0);
    nothing_ran(&marker, "after interruptions");

    every_command(&sandbox, &rebasing);
    session(&sandbox, &["iterate", &rebasing.id, "--no-commit"]).ends_with(0);
    session(&sandbox, &["iterate", &rebasing.id]).ends_with(3);
    nothing_ran(&marker, "in a rebase");

    make(&sandbox, "second", &busy_agent("x"));
    let adopted = adopted.to_str().unwrap();
    orchestra(&sandbox, &["worktree", "adopt", adopted, "--name", "mine"]).ends_with(0);
    session(&sandbox, &["diff", "mine"]).ends_with(0);
    nothing_ran(&marker, "after new and adopt");
    println!(
        "hazards {} (with {} hooks), executed 0",
        planted.len(),
        hazards::HOOKS.len()
    );
}

/// What the agent itself puts into the repository's configuration while it works.
#[test]
fn nothing_the_agent_plants_runs() {
    let sandbox = Sandbox::new();
    let repository = repository(&sandbox);
    let marker = sandbox.path("marker");
    let trap = |name: &str| {
        let path = sandbox.path(&format!("trap-{name}"));
        let text = format!(
            "#!/bin/sh\necho '{name}' >> '{}'\nexec cat\n",
            marker.display()
        );
        (path.display().to_string(), text)
    };
    let (monitor, monitor_text) = trap("fsmonitor");
    let (filter, filter_text) = trap("filter");
    let hook = repository.path(".git/hooks/post-index-change");
    let hook = hook.display();
    let config = repository.path(".git/config");
    let config = config.display();
    let steps = format!(
        "{}[[step]]\ndo = 'main_checkout'\npath = '{monitor}'\ntext = \"\"\"{monitor_text}\"\"\"\n\
         [[step]]\ndo = 'chmod'\npath = '{monitor}'\nmode = '755'\n\
         [[step]]\ndo = 'main_checkout'\npath = '{filter}'\ntext = \"\"\"{filter_text}\"\"\"\n\
         [[step]]\ndo = 'chmod'\npath = '{filter}'\nmode = '755'\n\
         [[step]]\ndo = 'main_checkout'\npath = '{hook}'\ntext = \"\"\"{monitor_text}\"\"\"\n\
         [[step]]\ndo = 'chmod'\npath = '{hook}'\nmode = '755'\n\
         [[step]]\ndo = 'write'\npath = '.gitattributes'\ntext = \"* filter=trap diff=trap merge=trap\\n\"\n\
         [[step]]\ndo = 'append'\npath = '{config}'\ntext = \"\"\"[core]\\n\\tfsmonitor = {monitor}\\n\
         [filter \\\"trap\\\"]\\n\\tclean = {filter}\\n\\tsmudge = {filter}\\n[diff \\\"trap\\\"]\\n\\ttextconv = {filter}\\n\"\"\"\n",
        busy_agent("two")
    );
    let made = make(&sandbox, "planter", &steps);
    session(&sandbox, &["iterate", &made.id]).ends_with(0);
    assert!(
        fs::read_to_string(repository.path(".git/config"))
            .unwrap()
            .contains("fsmonitor")
    );
    every_command(&sandbox, &made);
    iterate_with(&sandbox, &made, &busy_agent("three")).ends_with(0);
    make(&sandbox, "another", &busy_agent("x"));
    nothing_ran(&marker, "after the agent planted");
    repository.git(&["status"]);
    assert!(
        !hazards::executed(&marker).is_empty(),
        "plain git falls into the traps"
    );
}

fn change_by_hand(made: &Made, text: &str) {
    for name in NAMES {
        fs::write(made.worktree.join(name), text).unwrap();
    }
}

/// A session whose worktree is in the middle of a rebase with a conflict.
fn rebase_in_progress(sandbox: &Sandbox, repository: &TestRepository) -> Made {
    let made = make(sandbox, "rebasing", &busy_agent("two"));
    let tree = made.tree(sandbox);
    tree.write("a.md", "theirs\n");
    tree.commit("theirs");
    repository.write("a.md", "ours\n");
    repository.commit("ours");
    assert!(!tree.try_git(&["rebase", "main"]).status.success());
    made
}

/// Kills the runner in the middle of an iteration that has changed files.
fn interrupted(sandbox: &Sandbox, made: &Made) {
    let ready = sandbox.path("run/ready");
    fs::remove_file(&ready).ok();
    let steps = format!(
        "{}[[step]]\ndo = 'touch_file'\npath = '{}'\n[[step]]\ndo = 'hang'\n",
        busy_agent("cut off"),
        ready.display()
    );
    let path = sandbox.scenario(&steps);
    let notes = format!("scenario: {}", path.display());
    session(
        sandbox,
        &["iterate", &made.id, "--detach", "--notes", &notes],
    )
    .ends_with(0);
    wait_until("the agent has worked", Duration::from_secs(60), || {
        ready.exists()
    });
    let runner: String = database(sandbox)
        .query_row(
            "SELECT runner FROM iterations WHERE session = ?1 ORDER BY number DESC LIMIT 1",
            [&made.id],
            |row| row.get(0),
        )
        .unwrap();
    let runner: Value = serde_json::from_str(&runner).unwrap();
    let killed = sandbox
        .command(Path::new("sh"))
        .args(["-c", &format!("kill -9 {}", runner["pid"])])
        .status()
        .unwrap();
    assert!(killed.success());
    wait_until("the interruption is seen", Duration::from_secs(60), || {
        let status = session(sandbox, &["status", &made.id, "--json"])
            .ends_with(0)
            .json();
        status["session"]["status"] == "interrupted"
    });
    // What it was told stays what it is told when it resumes, so it must be able to end then.
    fs::write(&path, busy_agent("resumed")).unwrap();
}

/// A stand-in for `git lfs`: clean keeps the content aside and prints a pointer, smudge brings it back.
const LARGE_FILES: &str = r#"#!/bin/sh
store="$(dirname "$0")/store"
mkdir -p "$store"
case "$1" in
clean)
    cat > "$store/incoming"
    id=$(cksum < "$store/incoming" | cut -d' ' -f1)
    size=$(wc -c < "$store/incoming")
    mv "$store/incoming" "$store/$id"
    printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %s\n' "$id" "$size"
    ;;
smudge)
    id=$(sed -n 's/^oid sha256://p')
    cat "$store/$id"
    ;;
esac
"#;

#[test]
fn what_the_user_configured_everywhere_still_works() {
    let sandbox = Sandbox::new();
    let program = sandbox.home().join("bin/large-files");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    orchestra_testkit::write_program(&program, LARGE_FILES);
    let program = program.display();
    let config = format!(
        "[user]\n\tname = Ada Lovelace\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n\
         [core]\n\texcludesFile = ~/.junk\n\
         [filter \"lfs\"]\n\tclean = {program} clean %f\n\tsmudge = {program} smudge %f\n\trequired = true\n"
    );
    fs::write(sandbox.home().join(".gitconfig"), config).unwrap();
    fs::write(sandbox.home().join(".junk"), "*.swp\n.DS_Store\n").unwrap();
    let repository = sandbox.repository("app");
    repository.write(
        ".gitattributes",
        "*.bin filter=lfs diff=lfs merge=lfs -text\n",
    );
    repository.write("old.bin", "old large content\n");
    repository.commit("large file");
    let steps = "[[step]]\ndo = 'write'\npath = 'new.bin'\ntext = \"new large content\\n\"\n\
                 [[step]]\ndo = 'write'\npath = '.DS_Store'\ntext = 'junk'\n\
                 [[step]]\ndo = 'write'\npath = 'notes.txt.swp'\ntext = 'junk'\n\
                 [[step]]\ndo = 'write'\npath = 'notes.txt'\ntext = 'notes'\n";
    let made = make(&sandbox, "own", steps);
    let tree = made.tree(&sandbox);
    assert_eq!(tree.read("old.bin"), "old large content\n");
    session(&sandbox, &["iterate", &made.id]).ends_with(0);

    let committed = tree.git(&["show", "HEAD:new.bin"]);
    assert!(
        committed.starts_with("version https://git-lfs"),
        "{committed}"
    );
    let changed = tree.git(&["show", "--name-only", "--format=%an <%ae>|%cn", "HEAD"]);
    assert_eq!(
        changed,
        "Ada Lovelace <ada@example.com>|Ada Lovelace\n\nnew.bin\nnotes.txt"
    );
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    let shown = session(&sandbox, &["status", &made.id, "--json"]).ends_with(0);
    assert_eq!(shown.json()["session"]["dirty"], false);

    tree.write("second.bin", "by hand\n");
    session(&sandbox, &["commit", &made.id, "-m", "By hand"]).ends_with(0);
    let committed = tree.git(&["show", "HEAD:second.bin"]);
    assert!(
        committed.starts_with("version https://git-lfs"),
        "{committed}"
    );
}
