//! Transcripts: parts by position, searching, and every line of the output.

use serde_json::Value;

use crate::world::World;

const TALKS: &str = "[[step]]\ndo = \"message\"\ntext = \"I look for the Needle now\"\n[[step]]\ndo = \"message\"\ntext = \"done with it\"\n";

fn positions(page: &Value, of: &str) -> Vec<u64> {
    let items = page[of].as_array().unwrap().iter();
    items
        .map(|item| item["position"].as_u64().unwrap())
        .collect()
}

#[tokio::test]
async fn parts_are_read_by_position() {
    let world = World::with_scenario(TALKS);
    let id = world.session("login").await;
    world.iterate(&id).await;
    world.iterate(&id).await;
    let get = async |query: &str| {
        world
            .get(&format!("/sessions/{id}/transcript?{query}"))
            .await
    };
    let all = get("after=0").await.ok();
    let end = all["end"].as_u64().unwrap();
    assert_eq!(positions(&all, "items"), (1..=end).collect::<Vec<_>>());
    assert!(end >= 6, "{all:#}");
    assert_eq!(
        positions(&get("limit=2").await.ok(), "items"),
        [end - 1, end]
    );
    assert_eq!(
        positions(&get("after=2&limit=2").await.ok(), "items"),
        [3, 4]
    );
    assert_eq!(positions(&get("before=3").await.ok(), "items"), [1, 2]);
    assert_eq!(
        positions(&get("around=4&limit=4").await.ok(), "items"),
        [2, 3, 4, 5]
    );
    assert_eq!(
        positions(&get("around=1&limit=4").await.ok(), "items"),
        [1, 2]
    );
    let second = get("iteration=2&after=0").await.ok();
    let begin = second["begin"].as_u64().unwrap();
    assert_eq!(
        positions(&second, "items"),
        (begin + 1..=end).collect::<Vec<_>>()
    );
    let first = get("iteration=1").await.ok();
    assert_eq!(positions(&first, "items").last(), Some(&begin));
    assert!(positions(&get("after=18446744073709551615").await.ok(), "items").is_empty());
    assert_eq!(get("after=1&before=9").await.code(400), "input.invalid");
    assert_eq!(get("after=-1").await.code(400), "request.invalid");
    assert_eq!(get("iteration=9").await.code(404), "iteration.missing");
}

#[tokio::test]
async fn a_text_is_found_with_its_place() {
    let world = World::with_scenario(TALKS);
    let id = world.session("login").await;
    world.iterate(&id).await;
    let search = async |query: &str| {
        let path = format!("/sessions/{id}/transcript/search?{query}");
        world.get(&path).await
    };
    let found = search("text=needle").await.ok();
    let hit = &found["hits"][0];
    let (begin, length) = (
        hit["begin"].as_u64().unwrap(),
        hit["length"].as_u64().unwrap(),
    );
    let snippet = hit["snippet"].as_str().unwrap().chars();
    let shown: String = snippet.skip(begin as usize).take(length as usize).collect();
    assert_eq!(shown, "Needle", "{found:#}");
    assert_eq!(
        (found["next"].is_null(), &hit["iteration"]),
        (true, &1.into())
    );
    let position = hit["position"].as_u64().unwrap();
    let around = format!("/sessions/{id}/transcript?around={position}&limit=1");
    let around = world.get(&around).await.ok();
    assert!(
        around["items"][0]["event"]["text"]
            .as_str()
            .unwrap()
            .contains("Needle")
    );
    let after = search(&format!("text=needle&after={position}")).await.ok();
    assert!(
        after["hits"]
            .as_array()
            .unwrap()
            .iter()
            .all(|it| it["position"].as_u64() > Some(position))
    );
    assert_eq!(search("text=").await.code(400), "input.invalid");
    assert_eq!(
        search(&format!("text={}", "x".repeat(1_001)))
            .await
            .code(400),
        "input.invalid"
    );
}

#[tokio::test]
async fn every_line_of_the_output_comes_back_as_the_command_line_prints_it() {
    let world = World::with_scenario(TALKS);
    let id = world.session("login").await;
    world.iterate(&id).await;
    let base = format!("/sessions/{id}/iterations/1/output");
    let (mut lines, mut from, mut pages) = (Vec::new(), String::new(), 0);
    loop {
        let page = world.get(&format!("{base}?bytes=50{from}")).await.ok();
        let part = page["lines"].as_array().unwrap();
        if part.is_empty() {
            break;
        }
        lines.extend(part.iter().cloned());
        from = format!("&from={}", page["next"].as_str().unwrap());
        pages += 1;
    }
    assert!(pages > 2, "{lines:#?}");
    let printed = world
        .sandbox
        .orchestra()
        .args(["session", "transcript", &id, "--json"])
        .output()
        .unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    let printed = printed
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let printed: Vec<_> = printed.filter(|line| line["stream"].is_string()).collect();
    assert_eq!(lines, printed);
    for (query, status) in [("?from=x", 400), ("?from=2.0.0.0.0.0.0", 400)] {
        assert_eq!(
            world.get(&format!("{base}{query}")).await.status,
            status,
            "{query}"
        );
    }
    let far = world
        .get(&format!("{base}?from=1.9223372036854775807.0.0.0.0.0"))
        .await;
    assert!(
        far.ok()["lines"]
            .as_array()
            .unwrap()
            .iter()
            .all(|it| it["stream"] == "stderr")
    );
    let missing = world
        .get(&format!("/sessions/{id}/iterations/9/output"))
        .await;
    assert_eq!(missing.code(404), "iteration.missing");
}
