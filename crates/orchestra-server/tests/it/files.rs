//! Files of a worktree: listed, read and saved, never beyond it.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::world::World;

pub(crate) async fn worktree(world: &World, id: &str) -> PathBuf {
    let detail = world.get(&format!("/sessions/{id}")).await.ok();
    detail["session"]["worktree_path"].as_str().unwrap().into()
}

fn file(id: &str, path: &str) -> String {
    format!("/sessions/{id}/file?path={path}")
}

fn names(page: &Value) -> Vec<&str> {
    let entries = page["entries"].as_array().unwrap().iter();
    entries
        .map(|entry| entry["name"].as_str().unwrap())
        .collect()
}

#[cfg(unix)]
#[tokio::test]
async fn a_directory_is_listed_in_parts() {
    let world = World::new();
    let id = world.session("login").await;
    let folder = worktree(&world, &id).await;
    fs::create_dir_all(folder.join("src/deep")).unwrap();
    fs::write(folder.join("src/main.rs"), "fn main() {}\n").unwrap();
    std::os::unix::fs::symlink("/etc", folder.join("src/link")).unwrap();
    let list = async |query: &str| world.get(&format!("/sessions/{id}/directory{query}")).await;
    let top = list("").await.ok();
    assert_eq!(names(&top), ["README.md", "src"], "git's own is not shown");
    let inner = list("?path=src").await.ok();
    assert_eq!(names(&inner), ["deep", "link", "main.rs"]);
    let kinds: Vec<_> = inner["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["kind"])
        .collect();
    assert_eq!(kinds, ["directory", "link", "file"]);
    assert_eq!(inner["entries"][1]["target"], "/etc");
    assert_eq!(inner["entries"][2]["bytes"], 13);
    let first = list("?path=src&limit=2").await.ok();
    assert_eq!(
        (names(&first), &first["next"]),
        (vec!["deep", "link"], &json!("link"))
    );
    let rest = list("?path=src&limit=2&after=link").await.ok();
    assert_eq!(
        (names(&rest), &rest["next"], &rest["total"]),
        (vec!["main.rs"], &json!(null), &json!(3))
    );
    assert_eq!(list("?path=none").await.code(404), "file.not_found");
    assert_eq!(list("?path=src/link").await.code(409), "file.other_kind");
    assert_eq!(list("?path=src/main.rs").await.code(409), "file.other_kind");
    assert_eq!(list("?path=../..").await.code(400), "file.path");
    assert_eq!(list("?path=.git").await.code(400), "file.path");
}

#[tokio::test]
async fn a_file_is_read_as_text_or_bytes_within_a_size() {
    let world = World::new();
    let id = world.session("login").await;
    let folder = worktree(&world, &id).await;
    let read = world.get(&file(&id, "README.md")).await.ok();
    assert!(read["text"].as_str().unwrap().starts_with("# Sample"));
    assert_eq!(
        (&read["base64"], &read["is_too_large"]),
        (&json!(null), &json!(false))
    );
    fs::write(folder.join("bytes"), [0xff, 0, 1]).unwrap();
    let read = world.get(&file(&id, "bytes")).await.ok();
    assert_eq!(
        (&read["text"], &read["base64"]),
        (&json!(null), &json!("/wAB"))
    );
    fs::write(folder.join("large"), vec![b'x'; 1024 * 1024 + 1]).unwrap();
    let read = world.get(&file(&id, "large")).await.ok();
    assert_eq!(
        (&read["is_too_large"], &read["version"]),
        (&json!(true), &json!(null))
    );
    assert_eq!(read["bytes"], 1024 * 1024 + 1);
    let deep = "x/".repeat(3_000);
    for (path, status, code) in [
        ("none", 404, "file.not_found"),
        ("none/deep", 404, "file.not_found"),
        ("README.md/x", 409, "file.other_kind"),
        ("../sample/README.md", 400, "file.path"),
        ("/etc/passwd", 400, "file.path"),
        (".git", 400, "file.path"),
        ("", 400, "file.path"),
        (&"x".repeat(300), 400, "file.path"),
        (&deep, 400, "file.path"),
    ] {
        assert_eq!(
            world.get(&file(&id, path)).await.code(status),
            code,
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_file_is_saved_only_over_the_version_that_was_read() {
    let world = World::new();
    let id = world.session("login").await;
    let folder = worktree(&world, &id).await;
    let path = file(&id, "README.md");
    let version = world.get(&path).await.ok()["version"].clone();
    let saved = world
        .put(&path, json!({"text": "mine\n", "version": version}))
        .await
        .ok();
    assert_eq!(
        fs::read_to_string(folder.join("README.md")).unwrap(),
        "mine\n"
    );
    let detail = world.get(&format!("/sessions/{id}")).await.ok();
    assert_eq!(detail["session"]["dirty"], true, "{detail:#}");
    let again = json!({"text": "late\n", "version": version});
    assert_eq!(world.put(&path, again).await.code(409), "file.changed");
    let blind = json!({"text": "late\n"});
    assert_eq!(world.put(&path, blind).await.code(409), "file.exists");
    assert_eq!(
        fs::read_to_string(folder.join("README.md")).unwrap(),
        "mine\n"
    );
    let next = json!({"base64": "/wAB", "version": saved["version"]});
    assert_eq!(world.put(&path, next).await.ok()["base64"], "/wAB");
    let new = file(&id, "new/deep/file");
    world.put(&new, json!({"text": "new"})).await.ok();
    assert_eq!(
        fs::read_to_string(folder.join("new/deep/file")).unwrap(),
        "new"
    );
    let gone = json!({"text": "x", "version": version});
    assert_eq!(
        world.put(&file(&id, "gone"), gone).await.code(404),
        "file.not_found"
    );
    for wrong in [
        json!({}),
        json!({"text": "a", "base64": "YQ=="}),
        json!({"base64": "%"}),
    ] {
        assert_eq!(world.put(&path, wrong).await.code(400), "input.invalid");
    }
    for path in ["../out", "/tmp/out", ".git/hooks/x", "a/.git/x", ""] {
        let refused = world.put(&file(&id, path), json!({"text": "x"})).await;
        assert_eq!(refused.code(400), "file.path", "{path}");
    }
}

#[tokio::test]
async fn while_an_agent_runs_only_who_says_so_saves() {
    let world = World::with_scenario(
        "[[step]]\ndo = \"write\"\npath = \"notes.txt\"\ntext = \"agent\"\n[[step]]\ndo = \"sleep\"\nmilliseconds = 60000\n",
    );
    let id = world.session("login").await;
    let folder = worktree(&world, &id).await;
    world
        .post(&format!("/sessions/{id}/iterations"), json!({}))
        .await
        .ok();
    let deadline = std::time::Instant::now() + crate::world::PATIENCE;
    while !folder.join("notes.txt").exists() {
        assert!(
            std::time::Instant::now() < deadline,
            "the agent writes nothing"
        );
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let path = file(&id, "notes.txt");
    let version = world.get(&path).await.ok()["version"].clone();
    let body = json!({"text": "mine", "version": version});
    assert_eq!(world.put(&path, body).await.code(409), "session.busy");
    let body = json!({"text": "mine", "version": version, "while_running": true});
    world.put(&path, body).await.ok();
    assert_eq!(
        fs::read_to_string(folder.join("notes.txt")).unwrap(),
        "mine"
    );
    world
        .post(&format!("/sessions/{id}/stop"), json!({"now": true}))
        .await
        .ok();
    world.at_rest(&id).await;
}

#[tokio::test]
async fn without_a_desktop_no_window_opens_and_the_way_out_is_named() {
    let world = World::new();
    let id = world.session("login").await;
    let path = format!("/sessions/{id}/window");
    for with in ["editor", "terminal"] {
        let refused = world.post(&path, json!({"with": with})).await;
        assert_eq!(refused.code(409), "window.unavailable");
        let hint = refused.body["error"]["hint"].as_str().unwrap();
        assert!(hint.contains("orchestra session shell"), "{hint}");
    }
    let unknown = world.post(&path, json!({"with": "browser"})).await;
    assert_eq!(unknown.status.as_u16(), 400);
}
