//! Searching transcripts: what is found, page by page, and how long it takes.

use std::time::{Duration, Instant};

use orchestra_core::{AgentEvent, IterationNumber, SessionId};
use orchestra_store::{NewItem, SEARCH_STEP, Store, TranscriptHits, TranscriptSearch};

use crate::fixture::{Sandbox, add_session, id, message, read, write};

const FIRST: IterationNumber = IterationNumber(1);
/// More than a page may take on a machine that has other things to do.
const LONG: Duration = Duration::from_secs(60);

fn search(
    store: &Store,
    session: &SessionId,
    text: &str,
    after: u64,
    limit: usize,
) -> TranscriptHits {
    let search = TranscriptSearch {
        text,
        after,
        limit,
        longest: LONG,
    };
    read(store, |tx| tx.search_transcript(session, &search))
}

fn positions(hits: &TranscriptHits) -> Vec<u64> {
    hits.hits.iter().map(|hit| hit.position).collect()
}

#[test]
fn what_people_see_is_found_and_nothing_else() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let (session, other) = (add_session(&store, "bbbbbb"), add_session(&store, "cccccc"));
    let call = NewItem {
        event: AgentEvent::ToolCall {
            id: "call".to_owned(),
            name: "edit_file".to_owned(),
            input: serde_json::json!({"path": "src/\u{fc}ber.rs", "lines": [{"new": "say \"hi\""}]}),
        },
        ..message("")
    };
    write(&store, |tx| {
        tx.append_transcript(&session, FIRST, &[message("Find the needle here"), call])?;
        tx.append_transcript(&session, FIRST, &[message("100% of C:\\dir\nnext")])?;
        tx.append_transcript(&other, FIRST, &[message("needle elsewhere")])
    });
    let found = |text: &str| positions(&search(&store, &session, text, 0, 10));
    assert_eq!(found("NEEDLE"), [1]);
    assert_eq!(found("\u{fc}ber"), [2]);
    assert_eq!(found("say \"hi\""), [2]);
    assert_eq!(found("edit_file"), [2]);
    assert_eq!(found("100%"), [3]);
    assert_eq!(found("0_"), Vec::<u64>::new());
    assert_eq!(found("C:\\dir\nnext"), [3]);
    for name_in_json in ["\"kind\"", "message", "tool_call", "lines"] {
        assert_eq!(found(name_in_json), Vec::<u64>::new(), "{name_in_json}");
    }
    let hits = search(&store, &session, "needle", 0, 10);
    let hit = &hits.hits[0];
    assert_eq!(
        (hit.snippet.as_str(), hit.begin, hit.length),
        ("Find the needle here", 9, 6)
    );
    assert_eq!((hits.searched, hits.is_end), (3, true));
    let nobody = search(&store, &id("dddddd"), "needle", 0, 10);
    assert_eq!(
        (nobody.hits.len(), nobody.searched, nobody.is_end),
        (0, 0, true)
    );
}

#[test]
fn pages_of_hits_follow_one_another() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let items: Vec<_> = (1..=9)
        .map(|number| message(if number % 2 == 0 { "even" } else { "odd" }))
        .collect();
    write(&store, |tx| tx.append_transcript(&session, FIRST, &items));
    let page = search(&store, &session, "odd", 0, 2);
    assert_eq!(
        (positions(&page), page.searched, page.is_end),
        (vec![1, 3], 3, false)
    );
    let page = search(&store, &session, "odd", 3, 2);
    assert_eq!((positions(&page), page.is_end), (vec![5, 7], false));
    let page = search(&store, &session, "odd", 7, 2);
    assert_eq!(
        (positions(&page), page.searched, page.is_end),
        (vec![9], 9, true)
    );
    let beyond = search(&store, &session, "odd", u64::MAX, 2);
    assert_eq!((beyond.hits.len(), beyond.is_end), (0, true));
}

/// A page that is out of time says how far it came: no answer takes longer than one step after that, however long a
/// transcript is. All of a million items is a matter of seconds even here, where SQLite is built without optimisation.
#[test]
fn a_million_items_are_searched_in_steps() {
    const ITEMS: u64 = 1_000_000;
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let session = add_session(&store, "k7m2qd");
    let fill = format!(
        "INSERT INTO transcript (session, position, iteration, at, line, event)
         WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {ITEMS})
         SELECT 'k7m2qd', n, 1, 700, n, json_object('kind', 'message', 'role', 'agent', 'text',
             'item ' || n || ' says what most items say, and ' || iif(n % 250000 = 0, 'the needle', 'nothing else'))
         FROM numbers"
    );
    sandbox.sqlite().execute_batch(&fill).unwrap();
    let hurried = TranscriptSearch {
        text: "needle",
        after: 0,
        limit: 10,
        longest: Duration::ZERO,
    };
    let page = read(&store, |tx| tx.search_transcript(&session, &hurried));
    assert_eq!(
        (page.hits.len(), page.searched, page.is_end),
        (0, SEARCH_STEP, false)
    );
    let begun = Instant::now();
    let all = search(&store, &session, "needle", 0, 10);
    let took = begun.elapsed();
    assert_eq!(positions(&all), [250_000, 500_000, 750_000, 1_000_000]);
    assert!(all.is_end);
    println!("{ITEMS} items searched in {took:?}");
    assert!(took < Duration::from_secs(30), "{took:?}");
    let first = Instant::now();
    let frequent = search(&store, &session, "MOST ITEMS", 0, 50);
    assert_eq!(frequent.hits.len(), 50);
    assert!(
        first.elapsed() < Duration::from_secs(2),
        "{:?}",
        first.elapsed()
    );
}
