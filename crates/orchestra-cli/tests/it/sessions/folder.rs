//! Folders that are kept out of the status of the main checkout, and of nothing else.

use std::fs;

use crate::world::World;

const WRITES_CODE: &str = "[[step]]\ndo = 'write'\npath = 'src/lib.rs'\ntext = \"code\\n\"\n";
const IN_SRC: [&str; 2] = ["--set-config", "core.worktrees_root=src"];

#[test]
fn a_folder_of_the_same_name_in_a_session_is_committed_and_lands() {
    let world = World::with_scenario(WRITES_CODE);
    let made = world.session_with("code", &IN_SRC);
    assert_eq!(made.worktree, world.repository.path("src").join(&made.id));
    assert_eq!(world.repository.git(&["status", "--porcelain"]), "");
    world.run(&["iterate", "code"]).ok();
    let committed = world.tree(&made);
    let names = committed.git(&["diff", "--name-only", "main", "HEAD"]);
    assert_eq!(names, "src/lib.rs");
    world.run(&["approve", "code"]).ok();
    world.run(&["merge", "code"]).ok();
    assert_eq!(world.repository.read("src/lib.rs"), "code\n");
    let another = ["new", "--name", "b", "--prompt", "c", IN_SRC[0], IN_SRC[1]];
    world.run(&another).ends_with(2).says("src/lib.rs");
}

#[test]
fn what_hides_other_files_is_found_and_removed() {
    let world = World::new();
    let made = world.session_with("old", &IN_SRC);
    world
        .repository
        .write(".git/info/exclude", "*.log\n/src/\n/artifacts/\n");
    fs::remove_file(world.repository.path("src/.gitignore")).unwrap();
    let seen = world.orchestra(&["doctor"]).ends_with(1);
    seen.says("folders called `src`")
        .says("folders called `artifacts`");
    world.orchestra(&["doctor", "--fix"]).ok();
    assert_eq!(world.repository.read(".git/info/exclude"), "*.log\n");
    assert_eq!(world.repository.git(&["status", "--porcelain"]), "");
    world.run(&["cleanup", &made.id, "--yes"]).ok();
    world.repository.write("src/mine.rs", "mine\n");
    let seen = world.orchestra(&["doctor"]).ends_with(1);
    seen.says("hides other files");
    world.orchestra(&["doctor", "--fix"]).ok();
    assert_eq!(world.repository.git(&["status", "--porcelain"]), "?? src/");
    world.orchestra(&["doctor"]).ok();
}
