//! The event stream: nothing is missed, nobody holds anybody up.

use std::time::Duration;

use orchestra_server::Limits;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;

use crate::served::Served;
use crate::world::PATIENCE;

/// One message of a stream.
#[derive(Debug)]
struct Message {
    name: String,
    id: Option<String>,
    data: Value,
}

struct Listening(Lines<BufReader<TcpStream>>);

impl Listening {
    async fn at(served: &Served, query: &str, last: Option<&str>) -> Self {
        let mut stream = served.connect().await;
        let mut head = served.head("GET", &format!("/api/v1/events{query}"));
        if let Some(last) = last {
            head.push_str(&format!("Last-Event-ID: {last}\r\n"));
        }
        stream
            .write_all(format!("{head}\r\n").as_bytes())
            .await
            .unwrap();
        Self(BufReader::new(stream).lines())
    }

    /// Messages until the server closed the stream.
    async fn rest(&mut self) -> u64 {
        let mut count = 0;
        let read = async {
            while let Ok(Some(line)) = self.0.next_line().await {
                count += u64::from(line.starts_with("id: "));
            }
        };
        let closed = tokio::time::timeout(PATIENCE, read).await;
        closed.expect("the stream is closed");
        count
    }

    async fn next(&mut self) -> Message {
        let read = async {
            let mut message = Message {
                name: String::new(),
                id: None,
                data: Value::Null,
            };
            loop {
                let line = self
                    .0
                    .next_line()
                    .await
                    .unwrap()
                    .expect("the stream goes on");
                if let Some(name) = line.strip_prefix("event: ") {
                    message.name = name.to_owned();
                } else if let Some(id) = line.strip_prefix("id: ") {
                    message.id = Some(id.to_owned());
                } else if let Some(data) = line.strip_prefix("data: ") {
                    message.data = serde_json::from_str(data).unwrap();
                } else if line.is_empty() && !message.name.is_empty() {
                    return message;
                }
            }
        };
        tokio::time::timeout(PATIENCE, read)
            .await
            .expect("a message")
    }
}

#[tokio::test]
async fn a_stream_tells_what_happens_and_goes_on_where_it_ended() {
    let served = Served::new();
    let mut stream = Listening::at(&served, "", None).await;
    assert_eq!(stream.next().await.name, "begin");
    let id = served.world.session("login").await;
    let first = stream.next().await;
    assert_eq!(first.name, "session_created");
    assert_eq!(first.data["session"], id);
    drop(stream);
    served.world.session("other").await;
    let mut again = Listening::at(&served, "", first.id.as_deref()).await;
    let begin = again.next().await;
    assert_eq!(begin.data["is_reset"], false);
    assert_eq!(begin.data["seq"], first.data["seq"]);
    let mut last = first.data["seq"].as_u64().unwrap();
    loop {
        let message = again.next().await;
        let seq = message.data["seq"].as_u64().unwrap();
        assert_eq!(seq, last + 1, "no event is missed or told twice");
        last = seq;
        if message.name == "session_created" {
            break;
        }
    }
    served.stop().await;
}

#[tokio::test]
async fn another_log_is_told() {
    let served = Served::new();
    let mut stream = Listening::at(&served, "", Some("another-7")).await;
    let begin = stream.next().await;
    assert_eq!(begin.data["is_reset"], true);
    served.stop().await;
}

#[tokio::test]
async fn streams_are_filtered() {
    let served = Served::new();
    let one = served.world.session("one").await;
    let two = served.world.session("two").await;
    let query = format!("?after=0&session={two}&types=session_changed,session_archived");
    let mut stream = Listening::at(&served, &query, None).await;
    assert_eq!(stream.next().await.name, "begin");
    for id in [&one, &two] {
        let path = format!("/sessions/{id}/fields/notes");
        served.world.put(&path, json!({"value": "x"})).await.ok();
    }
    let told = stream.next().await;
    assert_eq!(told.name, "session_changed");
    assert_eq!(told.data["session"], two);
    served.stop().await;
}

/// Events that are more than the buffers of a connection and of the feed hold.
const MANY: u64 = 60_000;

fn append_many(served: &Served) -> u64 {
    let store = served.world.sandbox.data_dir().join("orchestra.db");
    let store = rusqlite::Connection::open(store).unwrap();
    let append = format!(
        "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {MANY})
         INSERT INTO events (at, session, type, body)
         SELECT 0, NULL, 'session_changed', '{{\"type\":\"session_changed\",\"field\":\"' || n || '\"}}' FROM numbers"
    );
    store.execute_batch(&append).unwrap();
    let newest = "SELECT max(seq) FROM events";
    store.query_row(newest, [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn one_that_does_not_read_is_dropped_and_another_misses_nothing() {
    let limits = Limits {
        stalled: Duration::from_millis(300),
        ..Limits::default()
    };
    let served = Served::with(limits);
    let mut stuck = Listening::at(&served, "?after=0", None).await;
    assert_eq!(stuck.next().await.name, "begin");
    let newest = append_many(&served);
    let mut stream = Listening::at(&served, "?after=0", None).await;
    stream.next().await;
    let mut told = 0;
    while told < newest {
        let seq = stream.next().await.data["seq"].as_u64().unwrap();
        assert_eq!(seq, told + 1, "no event is missed or told twice");
        told = seq;
    }
    let got = stuck.rest().await;
    println!("events {newest}, told {told}; to one that did not read {got}, then dropped");
    assert!(got < newest, "{got} of {newest}");
    served.stop().await;
}

#[tokio::test]
async fn a_commit_by_hand_is_noticed_while_somebody_listens() {
    let served = Served::new();
    let id = served.world.session("login").await;
    let detail = served.world.get(&format!("/sessions/{id}")).await.ok();
    let worktree = detail["session"]["worktree_path"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut stream = Listening::at(&served, "", None).await;
    stream.next().await;
    // The first look at a repository is no news to somebody who has just asked.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let git = |words: &[&str]| {
        let mut command = served.world.sandbox.command("git".as_ref());
        let done = command.current_dir(&worktree).args(words).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["commit", "--allow-empty", "-m", "By hand"]);
    loop {
        let message = stream.next().await;
        if message.name == "facts" {
            assert_eq!(message.data["session_ids"], json!([id]));
            break;
        }
    }
    let listed = served.world.get("/sessions").await.ok();
    assert_eq!(listed["sessions"][0]["ahead"], 1);
    served.stop().await;
}
