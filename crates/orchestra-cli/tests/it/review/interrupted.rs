//! After the runner was killed: status tells, and the user resumes, commits or discards.

use std::path::{Path, PathBuf};

use orchestra_testkit::{Sandbox, processes, wait_until};

use crate::made::Made;
use crate::ran::signal;
use crate::world::{PATIENCE, World};

const WORK: &str = "
steps = [
  { do = 'edit', path = 'README.md', old = 'Sample', new = 'Changed' },
  { do = 'delete', path = 'old.txt' },
  { do = 'rename', from = 'name.txt', to = 'sub/renamed.txt' },
  { do = 'write', path = 'new dir/new file.txt', text = 'no newline at the end' },
  { do = 'write', path = 'tool.sh', text = \"#!/bin/sh\\n\" },
  { do = 'chmod', path = 'tool.sh', mode = '755' },
  { do = 'chmod', path = 'plain.txt', mode = '755' },
  { do = 'symlink', path = 'link', target = 'README.md' },
  { do = 'write', path = 'added.txt', text = 'added' },
  { do = 'git', args = ['add', 'added.txt'] },
  { do = 'git', args = ['rm', '--quiet', '--cached', 'untracked.txt'] },
  { do = 'append', path = 'untracked.txt', text = 'more' },
  { do = 'touch_file', path = 'last' },
  { do = 'hang' },
]
";

/// A session whose runner was killed in the middle of an iteration.
fn interrupted() -> (World, Made) {
    interrupted_in(World::with_scenario(WORK))
}

fn interrupted_in(world: World) -> (World, Made) {
    for (name, text) in [
        ("old.txt", "old\n"),
        ("name.txt", "name\n"),
        ("plain.txt", "plain\n"),
        ("untracked.txt", "taken out of the index\n"),
    ] {
        world.repository.write(name, text);
    }
    std::fs::write(world.repository.path("blob.bin"), [0, 159, 146, 150, 0, 1]).unwrap();
    world.repository.commit("files");
    let made = world.session("one");
    world.run(&["iterate", "one", "--detach"]).ok();
    wait_until("the agent did its work", PATIENCE, || {
        made.worktree.join("last").exists()
    });
    std::fs::write(made.worktree.join("blob.bin"), [0, 1, 2, 255, 0]).unwrap();
    wait_until("the agent's first words are kept", PATIENCE, || {
        world.count("SELECT count(*) FROM transcript WHERE event LIKE '%started%'") > 0
    });
    let runner = world.runner(&made, 1);
    signal(&world.sandbox, "KILL", runner.into());
    wait_until("the runner is gone", PATIENCE, || !processes::alive(runner));
    let status = world.json(&["status", "one"]);
    assert_eq!(status["session"]["status"], "interrupted");
    assert_eq!(status["session"]["needs_me"], true);
    world.wait_until_quiet();
    (world, made)
}

/// Every file of a worktree with its kind, permission and content.
fn content(folder: &Path) -> Vec<(PathBuf, String, Vec<u8>)> {
    use std::os::unix::fs::PermissionsExt;
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            if path == folder.join(".git") {
                continue;
            }
            if kind.is_dir() {
                folders.push(path);
                continue;
            }
            let (kind, bytes) = if kind.is_symlink() {
                let target = std::fs::read_link(&path).unwrap();
                (
                    "link".to_owned(),
                    target.to_string_lossy().into_owned().into_bytes(),
                )
            } else {
                let mode = entry.metadata().unwrap().permissions().mode() & 0o100;
                (format!("{mode:o}"), std::fs::read(&path).unwrap())
            };
            found.push((path.strip_prefix(folder).unwrap().to_owned(), kind, bytes));
        }
    }
    found.sort();
    found
}

/// What git says about every file, staged or not, and the staged content itself.
fn git_state(tree: &orchestra_testkit::TestRepository) -> [String; 3] {
    [
        tree.git(&["status", "--porcelain=v2", "--untracked-files=all"]),
        tree.git(&["ls-files", "--stage"]),
        tree.git(&["diff", "--cached", "--binary"]),
    ]
}

#[test]
fn discard_keeps_a_patch_that_brings_the_files_back() {
    let (world, made) = interrupted();
    let tree = world.tree(&made);
    let before = content(&made.worktree);
    assert!(before.len() >= 9, "{before:?}");
    let answer = world.json(&["discard", "one"]);
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    assert_eq!(tree.read("old.txt"), "old\n");
    assert!(
        !made.worktree.join("new dir").exists(),
        "no empty folder is left"
    );
    assert_eq!(world.json(&["status", "one"])["session"]["status"], "idle");
    world
        .run(&["log", "one"])
        .ok()
        .says("#1 interrupted, discarded");
    let patch = answer["patch"].as_str().unwrap();
    tree.git(&["apply", patch]);
    assert_eq!(content(&made.worktree), before);
    println!("files {}, lost 0", before.len());
    world.run(&["discard", "one"]).ends_with(3);
}

/// An interrupted session whose agent only listens in its second turn.
fn interrupted_before_a_quiet_turn() -> (World, Made) {
    let sandbox = Sandbox::new();
    let scenario = sandbox.scenario(
        "[[turn]]\nsteps = [{ do = 'touch_file', path = 'last' }, { do = 'hang' }]\n\
         [[turn]]\nsteps = [{ do = 'message', text = 'I see.' }]\n",
    );
    interrupted_in(World::of(
        sandbox.with_knob("scenario", &scenario.to_string_lossy()),
    ))
}

/// Whether the agent hears in its next turn that its work is gone.
fn hears_of_a_discard(world: &World) -> bool {
    world.run(&["iterate", "one"]).ok();
    let messages = world.threads()[0]["messages"].to_string();
    messages.contains("was thrown away")
}

#[test]
fn the_agent_hears_that_its_work_was_thrown_away() {
    let (world, _) = interrupted_before_a_quiet_turn();
    world.run(&["discard", "one"]).ok();
    assert!(hears_of_a_discard(&world));
}

#[test]
fn also_if_bringing_it_back_was_refused() {
    let (world, made) = interrupted_before_a_quiet_turn();
    world.run(&["discard", "one"]).ok();
    let tree = world.tree(&made);
    tree.write("last", "somebody's own");
    world.run(&["discard", "one", "--undo"]).ends_with(3);
    std::fs::remove_file(made.worktree.join("last")).unwrap();
    assert!(hears_of_a_discard(&world));
}

#[test]
fn but_not_if_it_was_brought_back() {
    let (world, _) = interrupted_before_a_quiet_turn();
    world.run(&["discard", "one"]).ok();
    world.run(&["discard", "one", "--undo"]).ok();
    assert!(!hears_of_a_discard(&world));
}

// Release builds have no failpoints.
#[cfg(debug_assertions)]
#[test]
fn nor_if_the_discard_was_cut_off_and_did_not_last() {
    let (world, made) = interrupted_before_a_quiet_turn();
    let mut discard = world.session_command(&["discard", "one"]);
    discard.env("ORCHESTRA_FAILPOINT", "discard.done");
    assert!(!discard.output().unwrap().status.success());
    world.run(&["status", "one"]).ok();
    assert!(made.worktree.join("last").exists());
    world
        .run(&["discard", "one", "--undo"])
        .ends_with(3)
        .says("nothing of it was discarded");
    assert!(!hears_of_a_discard(&world));
}

#[test]
fn a_discard_can_be_undone_byte_for_byte() {
    let (world, made) = interrupted();
    let tree = world.tree(&made);
    tree.write("README.md", "staged like this\r\n");
    tree.git(&["add", "README.md"]);
    tree.write("README.md", "and not staged like that");
    let (files, state) = (content(&made.worktree), git_state(&tree));
    world.run(&["discard", "one"]).ok().says("--undo");
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    tree.git(&["gc", "--quiet", "--prune=now"]);

    tree.write("README.md", "somebody's own words");
    world
        .run(&["discard", "one", "--undo"])
        .ends_with(3)
        .says("README.md");
    assert_eq!(tree.read("README.md"), "somebody's own words");
    tree.git(&["add", "README.md"]);
    tree.git(&["restore", "--worktree", "--source=HEAD", "README.md"]);
    world
        .run(&["discard", "one", "--undo"])
        .ends_with(3)
        .says("git restore --staged");
    let staged = tree.git(&["show", ":README.md"]);
    assert_eq!(staged, "somebody's own words");
    tree.git(&["restore", "--staged", "README.md"]);

    world.run(&["discard", "one", "--undo"]).ok();
    assert_eq!(content(&made.worktree), files);
    assert_eq!(git_state(&tree), state);
    let status = world.json(&["status", "one"]);
    assert_eq!(status["session"]["status"], "interrupted");
    world.run(&["commit", "one", "-m", "Keep it"]).ok();
    world.run(&["log", "one"]).ok().says("#1 interrupted, kept");
    world
        .run(&["discard", "one", "--undo"])
        .ends_with(3)
        .says("nothing of it was discarded last");
    assert_eq!(content(&made.worktree), files);
    world.repository.fsck();
}

#[test]
fn only_what_was_discarded_can_be_brought_back() {
    let world = World::new();
    world.session("one");
    world
        .run(&["discard", "one", "--undo"])
        .ends_with(3)
        .says("nothing of it was discarded");
}

#[test]
fn resume_goes_on_in_the_same_conversation() {
    let sandbox = Sandbox::new();
    let go = sandbox.path("go");
    let scenario = sandbox.scenario(&format!(
        "steps = [{{ do = 'write', path = 'added.txt', text = 'added' }}, {{ do = 'touch_file', path = 'last' }},\n\
         {{ do = 'wait_for_file', path = '{}' }}, {{ do = 'write', path = 'finished.txt', text = 'x' }}]\n",
        go.display()
    ));
    let world = World::of(sandbox.with_knob("scenario", &scenario.to_string_lossy()));
    let (world, made) = interrupted_in(world);
    std::fs::write(go, "").unwrap();
    world.run(&["resume", "one"]).ok();
    let thread = world.iteration(&made, 1, "thread");
    assert!(thread.is_some());
    assert_eq!(thread, world.iteration(&made, 2, "thread"));
    assert_eq!(world.threads().len(), 1, "one conversation");
    let tree = world.tree(&made);
    assert_eq!(tree.git(&["status", "--porcelain"]), "");
    assert_eq!(tree.git(&["show", "HEAD:added.txt"]), "added");
    assert_eq!(tree.git(&["show", "HEAD:finished.txt"]), "x");
    let subjects = tree.git(&["log", "--format=%s"]);
    assert!(
        !subjects.contains("manual:"),
        "the agent's own work: {subjects}"
    );
    assert_eq!(world.json(&["status", "one"])["session"]["status"], "idle");
}

#[test]
fn or_the_work_is_committed() {
    let (world, made) = interrupted();
    let before = content(&made.worktree);
    world.run(&["commit", "one", "-m", "Keep it"]).ok();
    assert_eq!(content(&made.worktree), before);
    assert_eq!(world.tree(&made).git(&["status", "--porcelain"]), "");
    assert_eq!(world.json(&["status", "one"])["session"]["status"], "idle");
    world.run(&["resume", "one"]).ends_with(3);
}

#[test]
fn only_what_is_there_is_offered_to_be_committed() {
    let (world, made) = interrupted();
    world
        .run(&["status", "one"])
        .ok()
        .says("| commit")
        .says("| discard");
    let tree = world.tree(&made);
    tree.git(&["add", "--all"]);
    tree.git(&["commit", "--quiet", "-m", "By hand"]);
    for shown in [world.run(&["status", "one"]), world.orchestra(&[])] {
        let said = format!("{}{}", shown.stdout, shown.stderr);
        let offer = format!("session resume {id} | discard {id}", id = made.id);
        assert!(said.contains(&offer), "{said}");
    }
    world.run(&["discard", "one"]).ok().says("nothing was left");
    assert_eq!(world.json(&["status", "one"])["session"]["status"], "idle");
}

#[test]
fn a_nested_repository_that_stays_is_not_counted_as_discarded() {
    let (world, made) = interrupted();
    let inner = made.worktree.join("inner");
    world
        .repository
        .git(&["init", "--quiet", inner.to_str().unwrap()]);
    std::fs::write(inner.join("file"), "theirs").unwrap();
    let with = world.json(&["discard", "one"]);
    world.run(&["discard", "one", "--undo"]).ok();
    world
        .run(&["discard", "one"])
        .ok()
        .says("inner/ is a repository of its own and stays");
    world.run(&["discard", "one", "--undo"]).ok();
    assert!(inner.join("file").exists());
    std::fs::remove_dir_all(&inner).unwrap();
    let without = world.json(&["discard", "one"]);
    assert_eq!(with["files"], without["files"]);
}
