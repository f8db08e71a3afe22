//! The commits of a session: squash, rebase, conflicts, resolve.

use serde_json::{Value, json};

use crate::world::World;

/// A session whose only file differs from what the base has of it.
async fn in_conflict(world: &World) -> String {
    world.repository.write("file.txt", "base\n");
    world.repository.commit("base");
    let id = world.session("login").await;
    world.commit_in(&id, "file.txt", "session\n").await;
    world.repository.write("file.txt", "moved on\n");
    world.repository.commit("base moves on");
    id
}

async fn rebase(world: &World, id: &str) -> Value {
    let path = format!("/sessions/{id}/rebase");
    world.finished(world.post(&path, json!({})).await).await
}

#[tokio::test]
async fn commits_are_squashed() {
    let world = World::new();
    let id = world.session("login").await;
    let path = format!("/sessions/{id}/squash");
    let nothing = world.post(&path, json!({"message": "One"})).await;
    assert_eq!(nothing.code(409), "session.no_commits");
    world.commit_in(&id, "a.txt", "a\n").await;
    world.commit_in(&id, "b.txt", "b\n").await;
    let done = world.post(&path, json!({"message": "One"})).await.ok();
    assert_eq!(done["squashed"], 2);
    assert_eq!(done["session"]["ahead"], 1, "{done:#}");
    for odd in [" ", "a\0b"] {
        let refused = world.post(&path, json!({"message": odd})).await;
        assert_eq!(refused.code(400), "input.invalid");
    }
}

#[tokio::test]
async fn a_rebase_that_fits_is_done() {
    let world = World::new();
    let id = world.session("login").await;
    world.commit_in(&id, "a.txt", "a\n").await;
    world.repository.write("b.txt", "b\n");
    world.repository.commit("other");
    let foretold = world.get(&format!("/sessions/{id}/conflicts")).await.ok();
    assert_eq!(foretold["in_progress"], false);
    assert_eq!(foretold["conflicts"], json!([]));
    let done = rebase(&world, &id).await;
    assert_eq!(done["state"], "finished");
    assert_eq!(rebase(&world, &id).await["state"], "up_to_date");
    let path = format!("/sessions/{id}/rebase");
    let odd = world.post(&path, json!({"onto": "a..b"})).await;
    assert_eq!(odd.status, 400, "{odd:?}");
    let step = world.post(&format!("{path}/continue"), json!({})).await;
    let job = world.ended(step).await;
    assert_eq!(job["error"]["code"], "session.not_conflicted", "{job:#}");
    let step = world.post(&format!("{path}/jump"), json!({})).await;
    assert_eq!(step.code(400), "request.invalid");
    let nobody = world.post("/sessions/nobody/rebase", json!({})).await;
    assert_eq!(nobody.code(404), "session.not_found");
}

#[tokio::test]
async fn a_conflict_is_shown_side_by_side_and_decided_with_content() {
    let world = World::new();
    let id = in_conflict(&world).await;
    let sides = format!("/sessions/{id}/conflicts/sides?path=file.txt");
    let foretold = world.get(&sides).await.ok();
    assert_eq!(foretold["in_progress"], false);
    assert_eq!(foretold["worktree"], Value::Null);
    let done = rebase(&world, &id).await;
    assert_eq!(done["state"], "conflicted", "{done:#}");
    assert_eq!(done["conflicts"][0]["kind"], "both_modified");
    let list = world.get(&format!("/sessions/{id}/conflicts")).await.ok();
    assert_eq!(list["in_progress"], true);
    assert_eq!(list["conflicts"][0]["class"], "ordinary", "{list:#}");
    let shown = world.get(&sides).await.ok();
    for (side, text) in [
        ("base", "base\n"),
        ("ours", "moved on\n"),
        ("theirs", "session\n"),
    ] {
        assert_eq!(shown[side]["text"], text, "{shown:#}");
        assert_eq!(shown[side]["bytes"], text.len());
    }
    let edited = shown["worktree"]["text"].as_str().unwrap();
    assert!(edited.contains("<<<<<<<"), "{edited}");
    let resolve = format!("/sessions/{id}/conflicts/resolve");
    let with =
        |with: &str, content: Value| json!({"path": "file.txt", "with": with, "content": content});
    let marked = world.post(&resolve, with("edited", json!(edited))).await;
    assert_eq!(marked.code(409), "git.markers_left");
    let odd = world.post(&resolve, with("ours", json!("x"))).await;
    assert_eq!(odd.code(400), "input.invalid");
    let done = world.post(&resolve, with("edited", json!("both\n"))).await;
    assert_eq!(done.ok()["left"], json!([]));
    let again = world.post(&resolve, with("theirs", Value::Null)).await;
    assert_eq!(again.code(400), "git.not_conflicted");
    let path = format!("/sessions/{id}/rebase/continue");
    let done = world.finished(world.post(&path, json!({})).await).await;
    assert_eq!(done["state"], "finished");
    assert_eq!(world.read_in(&id, "file.txt").await, "both\n");
}

#[tokio::test]
async fn a_conflict_is_decided_for_a_side_or_without_a_file() {
    for (with, expected) in [
        ("ours", Some("moved on\n")),
        ("theirs", Some("session\n")),
        ("delete", None),
    ] {
        let world = World::new();
        let id = in_conflict(&world).await;
        rebase(&world, &id).await;
        let body = json!({"path": "file.txt", "with": with});
        let path = format!("/sessions/{id}/conflicts/resolve");
        world.post(&path, body).await.ok();
        let file = world.worktree(&id).await.join("file.txt");
        assert_eq!(
            std::fs::read_to_string(file).ok().as_deref(),
            expected,
            "{with}"
        );
    }
}

#[tokio::test]
async fn paths_that_have_no_conflict_are_refused() {
    let world = World::new();
    let id = in_conflict(&world).await;
    rebase(&world, &id).await;
    for path in [
        "../file.txt",
        "/etc/passwd",
        "",
        ".git/config",
        "file.txt/x",
    ] {
        let sides = world
            .get(&format!("/sessions/{id}/conflicts/sides?path={path}"))
            .await;
        assert_eq!(sides.status, 400, "{path}: {sides:?}");
        let body = json!({"path": path, "with": "edited", "content": "x"});
        let path = format!("/sessions/{id}/conflicts/resolve");
        let refused = world.post(&path, body).await;
        assert_eq!(refused.status, 400, "{refused:?}");
    }
}

#[tokio::test]
async fn a_rebase_is_given_up_or_goes_on_without_a_commit() {
    let world = World::new();
    let id = in_conflict(&world).await;
    let before = world.head_of(&id).await;
    rebase(&world, &id).await;
    let step = |step: &str| format!("/sessions/{id}/rebase/{step}");
    let early = world.post(&step("continue"), json!({})).await;
    let job = world.ended(early).await;
    assert_eq!(job["state"], "failed", "{job:#}");
    let done = world.post(&step("abort"), json!({})).await;
    assert_eq!(world.finished(done).await["state"], "aborted");
    assert_eq!(world.head_of(&id).await, before);
    rebase(&world, &id).await;
    let done = world.post(&step("skip"), json!({})).await;
    let done = world.finished(done).await;
    assert_eq!(done["state"], "finished");
    assert_eq!(done["session"]["ahead"], 0, "{done:#}");
}

#[tokio::test]
async fn only_a_lockfile_is_made_again() {
    let world = World::new();
    let id = in_conflict(&world).await;
    rebase(&world, &id).await;
    let path = format!("/sessions/{id}/conflicts/regenerate");
    let started = world.post(&path, json!({"path": "file.txt"})).await;
    let job = world.ended(started).await;
    assert_eq!(job["operation"], "regenerate_lockfile");
    assert_eq!(job["state"], "failed", "{job:#}");
}

#[tokio::test]
async fn a_lockfile_is_made_again_by_the_script_that_was_allowed() {
    let world = World::new();
    world.repository.write(
        ".orchestra/config.toml",
        "[scripts]\ninstall = \"echo made > package-lock.json\"\n",
    );
    world.repository.write("package-lock.json", "base\n");
    world.repository.commit("base");
    let id = world.session("login").await;
    world.commit_in(&id, "package-lock.json", "session\n").await;
    world.repository.write("package-lock.json", "moved on\n");
    world.repository.commit("base moves on");
    let done = rebase(&world, &id).await;
    assert_eq!(done["conflicts"][0]["class"], "lockfile", "{done:#}");
    let path = format!("/sessions/{id}/conflicts/regenerate");
    let body = |allow: bool| json!({"path": "package-lock.json", "allow_commands": allow});
    let job = world.ended(world.post(&path, body(false)).await).await;
    assert_eq!(job["error"]["code"], "command.not_allowed", "{job:#}");
    world.finished(world.post(&path, body(true)).await).await;
    assert_eq!(world.read_in(&id, "package-lock.json").await, "made\n");
}
