//! What was done to a session: operations, undo, redo; and its work as a patch.

use serde_json::{Value, json};

use crate::world::World;

async fn squashed(world: &World) -> String {
    let id = world.session("login").await;
    world.commit_in(&id, "a.txt", "a\n").await;
    world.commit_in(&id, "b.txt", "b\n").await;
    let body = json!({"message": "One"});
    let path = format!("/sessions/{id}/squash");
    world.post(&path, body).await.ok();
    id
}

async fn act(world: &World, id: &str, what: &str) -> Value {
    let path = format!("/sessions/{id}/{what}");
    world.ended(world.post(&path, json!({})).await).await
}

#[tokio::test]
async fn an_operation_is_undone_and_done_again() {
    let world = World::new();
    let id = squashed(&world).await;
    let after = world.head_of(&id).await;
    let path = format!("/sessions/{id}/operations");
    let list = world.get(&path).await.ok();
    let rows = list["operations"].as_array().unwrap();
    let squash = rows.last().unwrap();
    assert_eq!(squash["kind"], "squash", "{list:#}");
    assert_eq!(list["next_undo"], squash["id"]);
    assert_eq!(list["next_redo"], Value::Null);
    let job = act(&world, &id, "undo").await;
    assert_eq!(job["answer"]["operation"]["kind"], "squash", "{job:#}");
    assert_ne!(world.head_of(&id).await, after);
    assert_eq!(world.get(&path).await.ok()["next_redo"], squash["id"]);
    let job = act(&world, &id, "redo").await;
    assert_eq!(job["state"], "succeeded", "{job:#}");
    assert_eq!(world.head_of(&id).await, after);
    let job = act(&world, &id, "redo").await;
    assert_eq!(job["state"], "failed", "{job:#}");
    let few = world.get(&format!("{path}?limit=1")).await.ok();
    assert_eq!(few["operations"].as_array().unwrap().len(), 1);
    assert_eq!(few["operations"][0]["kind"], "redo", "{few:#}");
    world.get(&format!("{path}?limit=x")).await.code(400);
}

#[tokio::test]
async fn nothing_is_undone_where_nothing_was_done() {
    let world = World::new();
    let id = world.session("login").await;
    let job = act(&world, &id, "undo").await;
    assert_eq!(job["state"], "failed", "{job:#}");
    let nobody = world.post("/sessions/nobody/undo", json!({})).await;
    assert_eq!(nobody.code(404), "session.not_found");
}

#[tokio::test]
async fn the_work_is_a_patch_that_git_takes() {
    let world = World::new();
    let id = world.session("login").await;
    let path = format!("/sessions/{id}/export");
    assert_eq!(world.get(&path).await.code(409), "session.no_commits");
    let download = format!("/sessions/{id}/export.patch");
    assert_eq!(world.get(&download).await.code(409), "session.no_commits");
    world.commit_in(&id, "a.txt", "a\n").await;
    world.commit_in(&id, "b.txt", "b\n").await;
    let shown = world.get(&format!("{path}?message=Both")).await.ok();
    assert_eq!(shown["commits"], 2);
    assert_eq!(shown["subject"], "Both");
    for odd in [&path, &download] {
        let refused = world.get(&format!("{odd}?message=a%00b")).await;
        assert_eq!(refused.code(400), "input.invalid");
    }
    let patch = shown["patch"].as_str().unwrap();
    assert!(patch.contains("+++ b/b.txt"), "{patch}");
    let file = world.download(&format!("{download}?message=Both")).await;
    assert_eq!(file.headers["content-type"], "text/x-patch");
    let name = format!("attachment; filename=\"{id}.patch\"");
    assert_eq!(file.headers["content-disposition"], name.as_str());
    world
        .repository
        .git_with_input(&["am", "--quiet"], &file.bytes);
    assert_eq!(world.repository.read("b.txt"), "b\n");
    let subject = world.repository.git(&["log", "-1", "--format=%s"]);
    assert_eq!(subject.trim(), "Both");
}

#[tokio::test]
async fn a_large_patch_is_a_file_only() {
    let world = World::new();
    let id = world.session("login").await;
    let line = "a line of a large file\n";
    let text = line.repeat(5 * 1024 * 1024 / line.len());
    world.commit_in(&id, "large.txt", &text).await;
    let shown = world.get(&format!("/sessions/{id}/export")).await;
    assert_eq!(shown.code(409), "export.too_large");
    let file = world
        .download(&format!("/sessions/{id}/export.patch"))
        .await;
    let lines = file.bytes.split(|byte| *byte == b'\n');
    let added = lines.filter(|it| it.strip_prefix(b"+") == Some(line.trim_end().as_bytes()));
    assert_eq!(added.count(), text.lines().count());
}
