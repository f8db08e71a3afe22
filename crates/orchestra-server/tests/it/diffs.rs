//! What changed: files in parts, one file with its patch, every kind of change.

use serde_json::{Value, json};

use crate::files::worktree;
use crate::world::World;

const TWO_TURNS: &str = "[[step]]\ndo = \"write\"\npath = \"notes.txt\"\ntext = \"first\\n\"\n";

fn paths(page: &Value) -> Vec<&str> {
    let files = page["files"].as_array().unwrap().iter();
    files.map(|file| file["path"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn files_come_in_parts_and_patches_one_by_one() {
    let world = World::new();
    let id = world.session("login").await;
    let folder = worktree(&world, &id).await;
    for number in 0..5 {
        std::fs::write(folder.join(format!("f{number}")), "one\ntwo\n").unwrap();
    }
    let plain = world.repository.at(&folder);
    plain.git(&["mv", "README.md", "READ ME.md"]);
    let get = async |path: &str| world.get(&format!("/sessions/{id}/{path}")).await;
    let all = get("diff").await.ok();
    assert_eq!((&all["total"], &all["insertions"]), (&json!(6), &json!(10)));
    assert_eq!(all["next"], json!(null));
    let part = get("diff?limit=4").await.ok();
    assert_eq!((paths(&part).len(), &part["next"]), (4, &json!(4)));
    let rest = get("diff?limit=4&cursor=4").await.ok();
    assert_eq!((paths(&rest).len(), &rest["next"]), (2, &json!(null)));
    let beyond = get("diff?cursor=18446744073709551615").await.ok();
    assert!(paths(&beyond).is_empty());
    let one = get("diff/file?path=f3").await.ok();
    assert_eq!(
        (&one["file"]["kind"], &one["file"]["insertions"]),
        (&json!("A"), &json!(2))
    );
    let patch = one["file"]["patch"].as_str().unwrap();
    assert!(patch.contains("+one\n+two\n"), "{patch}");
    let moved = get("diff/file?path=READ%20ME.md&original=README.md")
        .await
        .ok();
    assert_eq!(moved["file"]["kind"], "R");
    assert_eq!(paths(&get("diff?what=staged").await.ok()), ["READ ME.md"]);
    assert_eq!(get("diff?what=unstaged").await.ok()["total"], 5);
    assert_eq!(
        get("diff/file?path=f1&what=staged").await.code(404),
        "diff.unchanged"
    );
}

#[tokio::test]
async fn a_large_patch_is_left_out_and_says_so() {
    let world = World::new();
    let id = world.session("login").await;
    let folder = worktree(&world, &id).await;
    std::fs::write(
        folder.join("large"),
        "line of a large file\n".repeat(80_000),
    )
    .unwrap();
    let one = world
        .get(&format!("/sessions/{id}/diff/file?path=large"))
        .await
        .ok();
    assert_eq!(
        (&one["file"]["patch_too_large"], &one["file"]["patch"]),
        (&json!(true), &json!(null))
    );
    assert_eq!(one["file"]["insertions"], 80_000);
}

#[tokio::test]
async fn iterations_and_commits_are_compared() {
    let world = World::with_scenario(TWO_TURNS);
    let id = world.session("login").await;
    world.iterate(&id).await;
    let folder = worktree(&world, &id).await;
    std::fs::write(folder.join("mine"), "mine\n").unwrap();
    let body = json!({"message": "Mine"});
    let made = world
        .post(&format!("/sessions/{id}/commits"), body)
        .await
        .ok();
    let commit = made["commit"].as_str().unwrap().to_owned();
    std::fs::write(folder.join("open"), "open\n").unwrap();
    let get = async |query: &str| world.get(&format!("/sessions/{id}/diff?{query}")).await;
    assert_eq!(paths(&get("").await.ok()), ["mine", "notes.txt", "open"]);
    assert_eq!(get("since=1").await.ok()["total"], 3);
    assert_eq!(
        paths(&get("from=base&to=iteration:1").await.ok()),
        ["notes.txt"]
    );
    assert_eq!(paths(&get("from=iteration:1&to=head").await.ok()), ["mine"]);
    assert_eq!(
        paths(&get(&format!("from={commit}&to=base")).await.ok()),
        ["mine", "notes.txt"]
    );
    let one = format!("/sessions/{id}/diff/file?path=mine&from=iteration:1&to={commit}");
    let one = world.get(&one).await.ok();
    assert!(one["file"]["patch"].as_str().unwrap().contains("+mine"));
    assert_eq!(get("since=7").await.code(404), "iteration.missing");
    for wrong in [
        "from=base",
        "from=base&to=main",
        "from=base&to=--output=x",
        "from=base&to=1111111111111111111111111111111111111111",
        "what=staged&since=1",
    ] {
        assert_eq!(get(wrong).await.code(400), "input.invalid", "{wrong}");
    }
    assert_eq!(get("what=everything").await.code(400), "request.invalid");
    assert!(!folder.join("x").exists());
}

#[tokio::test]
async fn paths_that_lead_out_are_refused() {
    let world = World::new();
    let id = world.session("login").await;
    for path in ["", "..", "../x", "/etc/passwd", "a%00b", ".git/config"] {
        let answer = world
            .get(&format!("/sessions/{id}/diff/file?path={path}"))
            .await;
        assert_eq!(answer.code(400), "file.path", "{path}");
    }
    for path in ["*", ":/", ":(top)README.md", "missing", "README.md"] {
        let answer = world
            .get(&format!("/sessions/{id}/diff/file?path={path}"))
            .await;
        assert_eq!(answer.code(404), "diff.unchanged", "{path}");
    }
}
