//! Repositories: those that are known, one that is looked at, and its settings file.

use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn sessions_make_a_repository_known_and_are_counted() {
    let world = World::new();
    assert_eq!(
        world.get("/repositories").await.ok()["repositories"],
        json!([])
    );
    let id = world.session("login").await;
    world.session("other").await;
    world
        .put(&format!("/sessions/{id}/archived"), json!({}))
        .await
        .ok();
    let listed = world.get("/repositories").await.ok();
    let [row] = listed["repositories"].as_array().unwrap().as_slice() else {
        panic!("{listed:#}");
    };
    assert_eq!(row["root"], json!(world.repository.root()));
    assert_eq!(row["exists"], true);
    assert_eq!(row["sessions"], 2);
    assert_eq!(row["archived_sessions"], 1);
}

#[tokio::test]
async fn a_base_says_how_far_behind_its_remote_it_is() {
    let world = World::new();
    let root = world.repository.root().to_owned();
    let upstream = world.sandbox.path("upstream.git");
    let there = upstream.to_string_lossy().into_owned();
    world.repository.git(&["init", "--bare", "--quiet", &there]);
    world.repository.git(&["remote", "add", "origin", &there]);
    world.repository.write("more.txt", "more");
    world.repository.commit("More");
    world.repository.git(&["push", "--quiet", "origin", "main"]);
    world
        .repository
        .git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    world.repository.git(&["branch", "topic"]);
    let inside = root.join("src");
    std::fs::create_dir_all(&inside).unwrap();
    let path = format!("/repository?path={}", inside.display());
    let look = world.get(&path).await.ok();
    assert_eq!(look["root"], json!(root));
    assert_eq!(look["known"], json!(null));
    assert_eq!(look["moved_from"], json!(null));
    assert_eq!(look["current_branch"], "main");
    assert_eq!(look["default_base"], "main");
    assert_eq!(look["bases"][0]["name"], "main");
    assert_eq!(look["bases"][0]["behind"], 1);
    assert_eq!(look["bases"][0]["is_remote"], true);
    assert_eq!(look["branches"], json!(["topic"]));
    world.session("login").await;
    let look = world.get(&path).await.ok();
    assert_eq!(look["known"]["sessions"], 1);
    assert_eq!(look["branches"], json!(["topic"]));
}

#[tokio::test]
async fn a_repository_that_was_moved_is_recognised() {
    let world = World::new();
    world.session("login").await;
    let (from, to) = (world.repository.root(), world.sandbox.path("elsewhere"));
    std::fs::rename(from, &to).unwrap();
    let look = world
        .get(&format!("/repository?path={}", to.display()))
        .await
        .ok();
    assert_eq!(look["moved_from"], json!(from));
    let listed = world.get("/repositories").await.ok();
    assert_eq!(listed["repositories"][0]["exists"], false);
}

#[tokio::test]
async fn a_directory_without_a_repository_is_refused() {
    let world = World::new();
    for path in ["/repository?path=/nowhere", "/repository?path="] {
        assert_eq!(world.get(path).await.code(404), "repository.not_found");
    }
    assert_eq!(world.get("/repository").await.code(400), "request.invalid");
}

#[tokio::test]
async fn a_settings_file_is_proposed_and_written_once() {
    let world = World::new();
    world.repository.write("Makefile", "test:\n\ttrue\n");
    let root = world.repository.root();
    let path = format!("/repository/settings-file?path={}", root.display());
    let proposed = world.get(&path).await.ok();
    assert_eq!(proposed["exists"], false);
    assert_eq!(proposed["test"]["command"], "make test");
    let file = std::path::PathBuf::from(proposed["file"].as_str().unwrap());
    assert!(!file.exists());
    let order = json!({"repository": root});
    let written = world.post("/repository/settings-file", order.clone()).await;
    assert_eq!(written.status, 201, "{written:?}");
    let content = std::fs::read_to_string(&file).unwrap();
    assert_eq!(proposed["content"], content);
    let commands = world
        .get(&format!("/commands?path={}", root.display()))
        .await
        .ok();
    assert_eq!(commands["commands"][0]["permission"], "allowed");
    let again = world.post("/repository/settings-file", order).await;
    assert_eq!(again.code(409), "settings_file.exists");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), content);
}
