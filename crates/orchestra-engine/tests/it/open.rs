//! Opening a session in the user's own programs.

use std::fs;
use std::path::Path;

use orchestra_testkit::Sandbox;

use crate::world::{engine, script, session};

/// A program that notes where it was started, for which session, and with which arguments.
const NOTES: &str = r#"printf '%s\n' "$PWD" "$ORCHESTRA_SESSION" "$@" > "$(dirname "$0")/noted""#;

fn noted(sandbox: &Sandbox) -> Vec<String> {
    let text = fs::read_to_string(sandbox.path("noted")).unwrap();
    fs::remove_file(sandbox.path("noted")).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[test]
fn an_editor_gets_the_directory_of_the_session() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let editor = text(&script(&sandbox, "editor", NOTES));
    let engine = engine(&sandbox, &[("ui.editor", &format!("{editor} --wait"))]);
    let (id, worktree) = session(&engine, repository.root(), "first");
    let exit = engine.open_editor(&id, None).unwrap();
    assert!(exit.is_success());
    let place = text(&worktree);
    assert_eq!(
        noted(&sandbox),
        [&place, id.as_str(), "--wait", &place].map(str::to_owned)
    );
    engine.open_editor(&id, Some(&editor)).unwrap();
    assert_eq!(
        noted(&sandbox),
        [&place, id.as_str(), &place].map(str::to_owned)
    );
    let file = sandbox.path("prompt.md");
    engine.edit_file(&file).unwrap();
    let expected = [text(&sandbox.path("")), String::new(), "--wait".to_owned()];
    let mut told = noted(&sandbox);
    assert_eq!(told.pop(), Some(text(&file)));
    assert_eq!(
        told[0].trim_end_matches('/'),
        expected[0].trim_end_matches('/')
    );
    assert_eq!(told[1..], expected[1..]);
}

#[test]
fn a_shell_starts_in_the_directory_of_the_session() {
    let sandbox = Sandbox::new();
    let shell = script(&sandbox, "shell", NOTES);
    let sandbox = sandbox.with_variable("SHELL", shell);
    let repository = sandbox.repository("repo");
    let engine = engine(&sandbox, &[]);
    let (id, worktree) = session(&engine, repository.root(), "first");
    engine.open_shell(&id).unwrap();
    assert_eq!(noted(&sandbox), [text(&worktree), id.to_string()]);
    fs::remove_dir_all(&worktree).unwrap();
    for error in [
        engine.open_shell(&id).unwrap_err(),
        engine.open_editor(&id, None).unwrap_err(),
    ] {
        assert_eq!(error.code(), "worktree.missing");
        assert!(error.hint().is_some());
    }
}

#[test]
fn an_editor_that_is_not_there_is_told() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let engine = engine(&sandbox, &[]);
    let (id, _) = session(&engine, repository.root(), "first");
    let error = engine.open_editor(&id, Some("no-such-editor")).unwrap_err();
    assert!(error.to_string().contains("no-such-editor"), "{error}");
    assert!(error.hint().is_some());
}
