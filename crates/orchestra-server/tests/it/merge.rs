//! Landing: check, approve, merge, land, push, pull requests.

use orchestra_testkit::TestRepository;
use serde_json::{Value, json};

use crate::world::World;

/// A session with one commit that changes a file, which somebody looked at.
async fn with_work(world: &World, name: &str, file: &str) -> String {
    let id = world.session(name).await;
    world.commit_in(&id, file, "work\n").await;
    let path = format!("/sessions/{id}/approval");
    world.put(&path, json!({})).await.ok();
    id
}

/// A remote of the repository, with its base.
fn remote(world: &World) -> TestRepository {
    let path = world.sandbox.path("remote.git");
    let text = path.to_string_lossy();
    let git = |arguments: &[&str]| world.repository.git(arguments);
    git(&["clone", "--quiet", "--bare", ".", &text]);
    git(&["remote", "add", "origin", &text]);
    git(&["fetch", "--quiet", "origin"]);
    git(&["branch", "--quiet", "--set-upstream-to=origin/main", "main"]);
    world.repository.at(&path)
}

fn settings(world: &World, text: &str) {
    world.repository.write(".orchestra/config.toml", text);
    world.repository.commit("settings");
}

async fn merge(world: &World, id: &str, body: Value) -> Value {
    let path = format!("/sessions/{id}/merge");
    world.ended(world.post(&path, body).await).await
}

#[tokio::test]
async fn a_session_is_checked_and_approved() {
    let world = World::new();
    let id = world.session("login").await;
    world.commit_in(&id, "a.txt", "work\n").await;
    let check = format!("/sessions/{id}/check");
    let report = world.get(&check).await.ok();
    assert_eq!(report["passes"], false, "{report:#}");
    assert_eq!(report["into"], "main");
    let job = merge(&world, &id, json!({})).await;
    assert_eq!(job["error"]["code"], "merge.checks", "{job:#}");
    let approval = format!("/sessions/{id}/approval");
    let approved = world.put(&approval, json!({})).await.ok();
    assert_eq!(
        approved["approval"]["commit"],
        world.head_of(&id).await,
        "{approved:#}"
    );
    assert_eq!(world.get(&check).await.ok()["passes"], true);
    let withdrawn = world.delete(&approval).await.ok();
    assert_eq!(withdrawn["approval"], Value::Null);
    assert_eq!(world.get(&check).await.ok()["passes"], false);
    let odd = world.get(&format!("{check}?into=a..b")).await;
    assert_eq!(odd.status, 400, "{odd:?}");
    let nobody = world.get("/sessions/nobody/check").await;
    assert_eq!(nobody.code(404), "session.not_found");
}

#[tokio::test]
async fn a_session_lands_with_its_steps_and_only_once() {
    let world = World::new();
    let id = with_work(&world, "login", "a.txt").await;
    let job = merge(
        &world,
        &id,
        json!({"form": "merge_commit", "message": "Land it"}),
    )
    .await;
    assert_eq!(job["state"], "succeeded", "{job:#}");
    assert_eq!(job["session_id"], id);
    let answer = &job["answer"];
    assert_eq!(answer["how"], "merge_commit");
    assert_eq!(answer["session"]["landed_into"], "main", "{answer:#}");
    let steps = job["steps"].as_array().unwrap();
    assert!(
        steps[0].as_str().unwrap().contains("landed in `main`"),
        "{steps:?}"
    );
    assert_eq!(world.repository.read("a.txt"), "work\n");
    let subject = world.repository.git(&["log", "-1", "--format=%s"]);
    assert_eq!(subject.trim(), "Land it");
    let again = merge(&world, &id, json!({})).await;
    assert_eq!(again["error"]["code"], "merge.landed", "{again:#}");
}

#[tokio::test]
async fn forms_and_checks_are_those_of_the_request() {
    let world = World::new();
    let id = world.session("login").await;
    world.commit_in(&id, "a.txt", "work\n").await;
    let first = world.head_of(&id).await;
    world.commit_in(&id, "b.txt", "more\n").await;
    world.repository.write("c.txt", "other\n");
    world.repository.commit("other");
    let over = json!(["reviewed"]);
    let picked = json!({"form": "cherry_pick", "commits": [first], "overridden": over});
    let job = merge(&world, &id, picked).await;
    assert_eq!(job["answer"]["is_partial"], true, "{job:#}");
    assert_eq!(job["answer"]["overridden"], over);
    assert!(!world.repository.path("b.txt").exists());
    let only = json!({"form": "fast_forward_only", "overridden": over});
    let job = merge(&world, &id, only).await;
    assert_eq!(job["error"]["code"], "merge.not_fast_forward", "{job:#}");
    let squash = json!({"form": "squash", "message": "All", "overridden": over});
    let job = merge(&world, &id, squash).await;
    assert_eq!(job["answer"]["how"], "squash", "{job:#}");
}

#[tokio::test]
async fn what_does_not_go_together_is_refused_at_once() {
    let world = World::new();
    let id = with_work(&world, "login", "a.txt").await;
    let path = format!("/sessions/{id}/merge");
    for body in [
        json!({"form": "cherry_pick"}),
        json!({"commits": ["abc"]}),
        json!({"form": "cherry_pick", "commits": ["abc"], "push": true}),
        json!({"form": "fast_forward_only", "message": "x"}),
        json!({"after_merge": true, "into": "main"}),
        json!({"into": "a..b"}),
        json!({"form": "squash", "message": "a\0b"}),
        json!({"form": "octopus"}),
        json!({"overridden": ["luck"]}),
        json!({"surprise": true}),
    ] {
        let refused = world.post(&path, body.clone()).await;
        assert_eq!(refused.status, 400, "{body}: {refused:?}");
    }
    let jobs = world.get("/jobs").await.ok();
    assert_eq!(jobs["jobs"], json!([]));
}

#[tokio::test]
async fn what_follows_a_merge_needs_consent_and_is_run_again() {
    let world = World::new();
    settings(
        &world,
        "[commands]\nafter_merge = \"echo x >> ran; test -e ok\"\n",
    );
    let id = with_work(&world, "login", "a.txt").await;
    let job = merge(&world, &id, json!({})).await;
    assert_eq!(job["answer"]["after_merge"], Value::Null, "{job:#}");
    let said = job["steps"][0].as_str().unwrap();
    assert!(said.contains("is not allowed yet"), "{said}");
    let again = json!({"after_merge": true});
    let job = merge(&world, &id, again).await;
    assert_eq!(job["error"]["code"], "command.not_allowed", "{job:#}");
    let again = json!({"after_merge": true, "allow_commands": true});
    let job = merge(&world, &id, again.clone()).await;
    assert_eq!(job["state"], "succeeded", "{job:#}");
    assert_eq!(job["answer"]["error"]["code"], "script.failed");
    world.repository.write("ok", "");
    let job = merge(&world, &id, again).await;
    assert_eq!(job["answer"].get("error"), None, "{job:#}");
    assert_eq!(world.repository.read("ran").lines().count(), 2);
}

#[tokio::test]
async fn a_base_is_pushed_with_the_merge_or_later() {
    let world = World::new();
    let remote = remote(&world);
    let id = with_work(&world, "login", "a.txt").await;
    merge(&world, &id, json!({})).await;
    assert_ne!(remote.branch_sha("main"), world.repository.head());
    let job = merge(&world, &id, json!({"push": true})).await;
    assert_eq!(job["answer"]["pushed_to"], "origin/main", "{job:#}");
    assert_eq!(remote.branch_sha("main"), world.repository.head());
}

#[tokio::test]
async fn a_branch_is_pushed_and_never_over_others_work() {
    let world = World::new();
    let remote = remote(&world);
    let id = with_work(&world, "login", "a.txt").await;
    let path = format!("/sessions/{id}/push");
    let done = world.finished(world.post(&path, json!({})).await).await;
    assert_eq!(done["how"], "new_branch", "{done:#}");
    let branch = done["branch"].as_str().unwrap();
    assert_eq!(remote.branch_sha(branch), world.head_of(&id).await);
    let squash = json!({"message": "Another"});
    let squashed = world.post(&format!("/sessions/{id}/squash"), squash).await;
    squashed.ok();
    let job = world.ended(world.post(&path, json!({})).await).await;
    assert_eq!(job["state"], "failed", "{job:#}");
    let force = json!({"force_with_lease": true});
    let done = world.finished(world.post(&path, force).await).await;
    assert_eq!(done["how"], "forced", "{done:#}");
    let nowhere = json!({"remote": "nowhere"});
    let job = world.ended(world.post(&path, nowhere).await).await;
    assert_eq!(job["state"], "failed", "{job:#}");
    let other = json!({"expected_commit": "0123456789012345678901234567890123456789"});
    let job = world.ended(world.post(&path, other).await).await;
    assert_ne!(job["answer"]["how"], "forced", "{job:#}");
}

#[tokio::test]
async fn a_pull_request_is_opened_with_the_command_that_was_allowed() {
    let world = World::new();
    settings(
        &world,
        "[commands]\npr = 'cat \"$ORCHESTRA_BODY_FILE\" > ../said; echo \"$ORCHESTRA_TITLE\" >> ../said'\n",
    );
    let remote = remote(&world);
    let id = with_work(&world, "login", "a.txt").await;
    let path = format!("/sessions/{id}/pull-request");
    let odd = world.post(&path, json!({"title": "a\0b"})).await;
    assert_eq!(odd.code(400), "input.invalid");
    let body = |allow: bool| json!({"title": "Title", "body": "Text\n", "allow_commands": allow});
    let job = world.ended(world.post(&path, body(false)).await).await;
    assert_eq!(job["error"]["code"], "command.not_allowed", "{job:#}");
    let done = world.finished(world.post(&path, body(true)).await).await;
    assert_eq!(done["script_run"]["exit_code"], 0, "{done:#}");
    let said = world.repository.root().join("../said");
    assert_eq!(std::fs::read_to_string(said).unwrap(), "Text\nTitle\n");
    let branch = done["session"]["branch_name"].as_str().unwrap();
    assert!(remote.has_branch(branch));
}

#[tokio::test]
async fn a_pull_request_needs_a_command() {
    let world = World::new();
    let id = with_work(&world, "login", "a.txt").await;
    let path = format!("/sessions/{id}/pull-request");
    let job = world.ended(world.post(&path, json!({})).await).await;
    assert_eq!(job["error"]["code"], "command.missing", "{job:#}");
}

#[tokio::test]
async fn sessions_land_in_the_order_they_need() {
    let world = World::new();
    let one = with_work(&world, "one", "a.txt").await;
    let two = with_work(&world, "two", "b.txt").await;
    let body = json!({
        "sessions": [one, "two"],
        "depends_on": [{"later": "one", "earlier": two}],
    });
    let job = world.ended(world.post("/land", body).await).await;
    let answer = &job["answer"];
    assert_eq!(answer["complete"], true, "{job:#}");
    assert_eq!(answer["sessions"][0]["session_id"], two);
    assert_eq!(answer["sessions"][1]["session_id"], one);
    assert!(job["steps"].as_array().unwrap().len() >= 3, "{job:#}");
    assert_eq!(world.repository.read("a.txt"), "work\n");
}

#[tokio::test]
async fn landing_stops_at_a_script_that_fails() {
    let world = World::new();
    settings(&world, "[scripts]\ntest = \"test ! -e b.txt\"\n");
    let one = with_work(&world, "one", "a.txt").await;
    let two = with_work(&world, "two", "b.txt").await;
    let three = with_work(&world, "three", "c.txt").await;
    let body = json!({"sessions": [one, two, three], "allow_commands": true});
    let job = world.ended(world.post("/land", body).await).await;
    let states: Vec<_> = job["answer"]["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["landed", "failed", "waiting"], "{job:#}");
    assert_eq!(job["answer"]["error"]["code"], "script.failed");
}

#[tokio::test]
async fn landing_refuses_what_makes_no_sense() {
    let world = World::new();
    let one = with_work(&world, "one", "a.txt").await;
    for (body, status) in [
        (json!({"sessions": []}), 400),
        (json!({}), 400),
        (json!({"sessions": ["nobody"]}), 404),
        (
            json!({"sessions": [one], "depends_on": [{"earlier": "nobody"}]}),
            404,
        ),
        (json!({"sessions": [one], "form": "cherry_pick"}), 400),
    ] {
        let refused = world.post("/land", body.clone()).await;
        assert_eq!(refused.status, status, "{body}: {refused:?}");
    }
    let two = world.session("two").await;
    let circle = json!({"sessions": [one, two], "depends_on": [
        {"later": one, "earlier": two}, {"later": two, "earlier": one},
    ]});
    let job = world.ended(world.post("/land", circle).await).await;
    assert_eq!(job["error"]["code"], "land.circle", "{job:#}");
}

#[tokio::test]
async fn sessions_in_each_others_way_are_found() {
    let world = World::new();
    let root = world.repository.root().to_string_lossy().into_owned();
    let path = format!("/conflicts?repository={root}");
    assert_eq!(world.get(&path).await.code(404), "repository.no_sessions");
    let one = world.session("one").await;
    let two = world.session("two").await;
    world.commit_in(&one, "same.txt", "one\n").await;
    world.commit_in(&two, "same.txt", "two\n").await;
    let matrix = world.get(&path).await.ok();
    assert_eq!(matrix["sessions"].as_array().unwrap().len(), 2);
    let pairs = matrix["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 3, "{matrix:#}");
    assert_eq!(pairs[2]["files"], json!(["same.txt"]));
    let nowhere = world.get("/conflicts?repository=/nowhere").await;
    assert_eq!(nowhere.code(404), "repository.not_found");
    world.get("/conflicts").await.code(400);
}
