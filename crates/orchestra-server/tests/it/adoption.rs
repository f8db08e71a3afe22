//! Worktrees: listed with their sessions, adopted, forgotten.

use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn a_worktree_becomes_a_session_and_is_forgotten_once_it_is_gone() {
    let world = World::new();
    let root = world.repository.root();
    let beside = world.sandbox.path("beside");
    world.repository.add_worktree(&beside, "topic");
    let list = format!("/worktrees?path={}", root.display());
    let before = world.get(&list).await.ok();
    assert_eq!(before["worktrees"][1]["branch"], "topic");
    assert_eq!(before["worktrees"][1]["session_id"], json!(null));
    let adopted = world
        .post("/worktrees/adopt", json!({"path": beside, "base": "main"}))
        .await;
    assert_eq!(adopted.status, 201, "{adopted:?}");
    let session = &adopted.body["session"];
    assert_eq!(session["name"], "beside");
    assert_eq!(session["prompt"], "Continue the work on this branch.");
    let after = world.get(&list).await.ok();
    assert_eq!(after["worktrees"][1]["session_id"], session["id"]);
    let again = world
        .post("/worktrees/adopt", json!({"path": beside, "name": "again"}))
        .await;
    assert_eq!(again.code(409), "session.reserved");
    std::fs::remove_dir_all(&beside).unwrap();
    let order = json!({"repository": root});
    let pruned = world.post("/worktrees/prune", order.clone()).await.ok();
    assert_eq!(pruned["pruned"], json!([beside]));
    let nothing = world.post("/worktrees/prune", order).await.ok();
    assert_eq!(nothing["pruned"], json!([]));
    assert!(world.repository.has_branch("topic"));
}

#[tokio::test]
async fn what_is_no_worktree_is_refused() {
    let world = World::new();
    let main = json!({"path": world.repository.root()});
    assert_eq!(
        world.post("/worktrees/adopt", main).await.code(400),
        "input.invalid"
    );
    let nowhere = json!({"path": "/nowhere"});
    let refused = world.post("/worktrees/adopt", nowhere).await;
    assert_eq!(refused.code(404), "repository.not_found");
    let order = json!({"repository": "/nowhere"});
    let refused = world.post("/worktrees/prune", order).await;
    assert_eq!(refused.code(404), "repository.not_found");
    let beside = world.sandbox.path("beside");
    world.repository.add_worktree(&beside, "topic");
    let named = json!({"path": beside, "name": "two\nlines"});
    assert_eq!(world.post("/worktrees/adopt", named).await.status, 400);
}
