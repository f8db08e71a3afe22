//! Cleanups, the trash and housekeeping.

use serde_json::{Value, json};

use crate::world::World;

fn codes(plan: &Value) -> Vec<&str> {
    let obstacles = plan["obstacles"].as_array().unwrap().iter();
    obstacles.map(|it| it["code"].as_str().unwrap()).collect()
}

async fn clean_up(world: &World, id: &str, body: Value) -> Value {
    let path = format!("/sessions/{id}/cleanup");
    world.ended(world.post(&path, body).await).await
}

#[tokio::test]
async fn a_plan_says_what_stands_in_the_way() {
    let world = World::new();
    let id = world.session("login").await;
    world.commit_in(&id, "a.txt", "a\n").await;
    let worktree = world.worktree(&id).await;
    std::fs::write(worktree.join("b.txt"), "b\n").unwrap();
    let path = format!("/sessions/{id}/cleanup");
    let plan = world.get(&path).await.ok();
    assert_eq!(plan["is_possible"], false, "{plan:#}");
    assert_eq!(codes(&plan), ["cleanup.unlanded", "cleanup.dirty"]);
    assert_eq!(plan["dry_run"], true);
    assert_eq!(plan["uncommitted"], 1);
    let job = clean_up(&world, &id, json!({})).await;
    assert_eq!(job["error"]["code"], "cleanup.unlanded", "{job:#}");
    let agreed = "even_unlanded=true&even_dirty=true&delete_branch=true";
    let plan = world.get(&format!("{path}?{agreed}")).await.ok();
    assert_eq!(codes(&plan), [""; 0], "{plan:#}");
    assert_eq!(plan["is_possible"], true);
    assert_eq!(plan["branch_deleted"], true);
    assert!(worktree.exists());
    world.get(&format!("{path}?even=true")).await.code(400);
    let nobody = world.get("/sessions/nobody/cleanup").await;
    assert_eq!(nobody.code(404), "session.not_found");
}

#[tokio::test]
async fn a_worktree_goes_into_the_trash_and_comes_back() {
    let world = World::new();
    let id = world.session("login").await;
    world.commit_in(&id, "a.txt", "a\n").await;
    let worktree = world.worktree(&id).await;
    let body = json!({"even_unlanded": true, "delete_branch": true});
    let job = clean_up(&world, &id, body).await;
    assert_eq!(job["state"], "succeeded", "{job:#}");
    assert_eq!(job["answer"]["branch_deleted"], true);
    assert!(!worktree.exists());
    let plan = world.get(&format!("/sessions/{id}/cleanup")).await.ok();
    assert_eq!(plan["is_done"], true, "{plan:#}");
    let list = world.get("/trash").await.ok();
    assert_eq!(list["trash"][0]["name"], job["answer"]["trash"]);
    let none = world.get("/trash?repository=/nowhere").await.ok();
    assert_eq!(none["trash"], json!([]));
    let back = world.post("/trash/restore", json!({"what": id})).await.ok();
    assert_eq!(back["branches"][0]["state"], "made_again", "{back:#}");
    assert!(worktree.join("a.txt").exists());
    let again = world.post("/trash/restore", json!({"what": id})).await;
    assert_eq!(again.status, 409, "{again:?}");
    let nobody = world.post("/trash/restore", json!({"what": "../x"})).await;
    assert_eq!(nobody.code(404), "session.not_found");
}

#[tokio::test]
async fn what_runs_is_stopped_only_if_that_is_wanted() {
    let world = World::with_scenario("[[step]]\ndo = \"sleep\"\nmilliseconds = 60000\n");
    let id = world.session("login").await;
    world
        .post(&format!("/sessions/{id}/iterations"), json!({}))
        .await
        .ok();
    let path = format!("/sessions/{id}/cleanup");
    let plan = world.get(&path).await.ok();
    assert!(codes(&plan).contains(&"session.busy"), "{plan:#}");
    let plan = world.get(&format!("{path}?stop=true")).await.ok();
    assert_eq!(plan["stops_work"], true, "{plan:#}");
    let job = clean_up(&world, &id, json!({})).await;
    assert_eq!(job["state"], "failed", "{job:#}");
    let body = json!({"stop": true, "even_dirty": true, "even_unlanded": true});
    let job = clean_up(&world, &id, body).await;
    assert_eq!(job["state"], "succeeded", "{job:#}");
    assert_eq!(job["steps"][0], "what ran was stopped; its work is kept");
}

#[tokio::test]
async fn a_teardown_runs_once_it_is_allowed() {
    let world = World::new();
    let settings = "[commands]\nteardown = \"touch ../torn-down\"\n";
    world.repository.write(".orchestra/config.toml", settings);
    world.repository.commit("settings");
    let id = world.session("login").await;
    let path = format!("/sessions/{id}/cleanup");
    let plan = world.get(&path).await.ok();
    assert_eq!(codes(&plan), ["command.not_allowed"], "{plan:#}");
    assert_eq!(plan["teardown"]["command"], "touch ../torn-down");
    let plan = world.get(&format!("{path}?allow_commands=true")).await.ok();
    assert_eq!(plan["is_possible"], true, "{plan:#}");
    let job = clean_up(&world, &id, json!({})).await;
    assert_eq!(job["error"]["code"], "command.not_allowed", "{job:#}");
    let worktree = world.worktree(&id).await;
    let mark = worktree.with_file_name("torn-down");
    let job = clean_up(&world, &id, json!({"allow_commands": true})).await;
    assert_eq!(job["state"], "succeeded", "{job:#}");
    assert!(mark.exists(), "{}", mark.display());
}

#[tokio::test]
async fn the_trash_is_emptied_for_good() {
    let world = World::new();
    let id = world.session("login").await;
    clean_up(&world, &id, json!({})).await;
    let empty = async |body: Value| {
        let started = world.post("/trash/empty", body).await;
        world.finished(started).await
    };
    let foretold = empty(json!({"dry_run": true})).await;
    assert_eq!(foretold["deleted"].as_array().unwrap().len(), 1);
    let young = empty(json!({"older_than": "7d"})).await;
    assert_eq!(young["deleted"], json!([]));
    let other = empty(json!({"repository": "/nowhere"})).await;
    assert_eq!(other["deleted"], json!([]));
    assert_eq!(
        world.get("/trash").await.ok()["trash"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let done = empty(json!({"repository": world.repository.root()})).await;
    assert_eq!(done["deleted"].as_array().unwrap().len(), 1);
    assert_eq!(world.get("/trash").await.ok()["trash"], json!([]));
    let odd = world
        .post("/trash/empty", json!({"older_than": "long"}))
        .await;
    assert_eq!(odd.status, 400, "{odd:?}");
}

#[tokio::test]
async fn house_is_kept() {
    let world = World::new();
    world.repository.write(".gitignore", "node_modules\n");
    world.repository.commit("ignore");
    let id = world.session("login").await;
    let modules = world.worktree(&id).await.join("node_modules");
    std::fs::create_dir(&modules).unwrap();
    std::fs::write(modules.join("x"), "x").unwrap();
    let keep = async |body: Value| world.finished(world.post("/gc", body).await).await;
    let foretold = keep(json!({"dry_run": true, "regenerable": true})).await;
    assert_eq!(foretold["dry_run"], true);
    assert_eq!(foretold["regenerable"][0]["removed"], false, "{foretold:#}");
    keep(json!({})).await;
    assert!(modules.exists());
    let done = keep(json!({"regenerable": true, "delete_databases": true})).await;
    assert_eq!(done["regenerable"][0]["removed"], true, "{done:#}");
    assert_eq!(done["problems"], json!([]));
    assert!(!modules.exists());
    world.post("/gc", json!({"fast": true})).await.code(400);
}
