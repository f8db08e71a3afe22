//! Who is let in, each rule with somebody who breaks it.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use orchestra_server::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::served::Served;
use crate::world::PATIENCE;

const LIST: &str = "/api/v1/sessions";

#[tokio::test]
async fn only_the_token_lets_in() {
    let served = Served::new();
    let host = format!(
        "GET {LIST} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n",
        served.address
    );
    let token = served.token.reveal().to_owned();
    let wrong = format!("{}x", &token[..63]);
    for header in [
        String::new(),
        "Authorization: Bearer \r\n".to_owned(),
        format!("Authorization: Bearer {wrong}\r\n"),
        format!("Authorization: Basic {token}\r\n"),
        format!("Authorization: Bearer {token}\r\nAuthorization: Bearer {token}\r\n"),
        format!("Cookie: token={token}\r\n"),
    ] {
        assert_eq!(
            served.status(&format!("{host}{header}\r\n")).await,
            401,
            "{header}"
        );
    }
    let events = host.replace(LIST, "/api/v1/events");
    assert_eq!(served.status(&format!("{events}\r\n")).await, 401);
    let document = host.replace(LIST, "/api/v1/openapi.json");
    assert_eq!(served.status(&format!("{document}\r\n")).await, 401);
    let query = host.replace(LIST, &format!("{LIST}?token={token}"));
    assert_eq!(served.status(&format!("{query}\r\n")).await, 401);
    assert_eq!(
        served
            .status(&format!("{}\r\n", served.head("GET", LIST)))
            .await,
        200
    );
    let page = host.replace(LIST, "/api");
    assert_eq!(served.status(&format!("{page}\r\n")).await, 200);
    served.stop().await;
}

#[tokio::test]
async fn a_name_of_somebody_else_is_refused() {
    let served = Served::new();
    let port = served.address.port();
    let ask = |host: String| {
        let head = served.head("GET", LIST);
        let own = format!("Host: {}\r\n", served.address);
        head.replace(&own, &host) + "\r\n"
    };
    for host in [
        "Host: evil.example\r\n".to_owned(),
        format!("Host: evil.example:{port}\r\n"),
        format!("Host: 127.0.0.1.evil.example:{port}\r\n"),
        "Host: 127.0.0.1:1\r\n".to_owned(),
        "Host: \r\n".to_owned(),
        String::new(),
    ] {
        let status = served.status(&ask(host.clone())).await;
        assert!(matches!(status, 400 | 421), "{host}: {status}");
    }
    let two = format!("Host: {0}\r\nHost: {0}\r\n", served.address);
    let status = served.status(&ask(two)).await;
    assert!(matches!(status, 400 | 421), "two hosts: {status}");
    for host in [
        format!("localhost:{port}"),
        format!("[::1]:{port}"),
        format!("orchestra.test:{port}"),
    ] {
        assert_eq!(
            served.status(&ask(format!("Host: {host}\r\n"))).await,
            200,
            "{host}"
        );
    }
    served.stop().await;
}

#[tokio::test]
async fn a_page_of_another_origin_is_refused() {
    let served = Served::new();
    let port = served.address.port();
    let ask = |origin: String| format!("{}Origin: {origin}\r\n\r\n", served.head("GET", LIST));
    for origin in [
        "null".to_owned(),
        "https://evil.example".to_owned(),
        "http://127.0.0.1".to_owned(),
        format!("http://127.0.0.1:{}", port.wrapping_add(1)),
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{port}.evil.example"),
    ] {
        assert_eq!(served.status(&ask(origin.clone())).await, 403, "{origin}");
    }
    for origin in [
        format!("http://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
    ] {
        let answer = served.exchange(&ask(origin.clone())).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{origin}: {answer}");
        let allows = answer.to_lowercase().contains("access-control-");
        assert!(!allows, "no other origin is ever allowed: {answer}");
    }
    let preflight = format!(
        "{}Origin: https://evil.example\r\n\r\n",
        served.head("OPTIONS", LIST)
    );
    assert_eq!(served.status(&preflight).await, 403);
    served.stop().await;
}

#[tokio::test]
async fn a_body_must_be_json() {
    let served = Served::new();
    let body = "{\"repository\":\"/x\",\"name\":\"n\"}";
    for media_type in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json-evil",
    ] {
        let head = served.head("POST", LIST);
        let length = body.len();
        let request =
            format!("{head}Content-Type: {media_type}\r\nContent-Length: {length}\r\n\r\n{body}");
        assert_eq!(served.status(&request).await, 415, "{media_type}");
    }
    let head = served.head("POST", LIST);
    let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
    assert_eq!(served.status(&request).await, 415, "without a type");
    served.stop().await;
}

#[tokio::test]
async fn no_body_is_needed_to_say_nothing() {
    let served = Served::new();
    let nothing = format!(
        "{}Content-Length: 0\r\n\r\n",
        served.head("POST", "/api/v1/gc")
    );
    assert_eq!(served.status(&nothing).await, 202);
    let lacking = format!("{}Content-Length: 0\r\n\r\n", served.head("POST", LIST));
    assert_eq!(served.status(&lacking).await, 400);
    served.stop().await;
}

#[tokio::test]
async fn what_is_too_large_is_refused() {
    let served = Served::new();
    let json = "Content-Type: application/json\r\n";
    let body = format!("{{\"name\":\"{}\"}}", "x".repeat(1024 * 1024));
    let head = served.head("POST", LIST);
    let told = format!("{head}{json}Content-Length: {}\r\n\r\n{body}", body.len());
    assert_eq!(served.status(&told).await, 413);
    let chunk = "x".repeat(64 * 1024);
    let chunks = format!("10000\r\n{chunk}\r\n").repeat(17);
    let chunked = format!("{head}{json}Transfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n");
    assert_eq!(served.status(&chunked).await, 413);
    let long = format!(
        "{}X-Long: {}\r\n\r\n",
        served.head("GET", LIST),
        "x".repeat(32 * 1024)
    );
    assert_eq!(served.status(&long).await, 431);
    served.stop().await;
}

#[tokio::test]
async fn who_sends_slowly_keeps_nobody_out() {
    let limits = Limits {
        connections: 8,
        ..Limits::default()
    };
    let served = Served::with(limits);
    let mut slow = Vec::new();
    for begun in ["", "GET / HT"].repeat(4) {
        let mut stream = served.connect().await;
        stream.write_all(begun.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    let begun = Instant::now();
    let request = format!("{}\r\n", served.head("GET", LIST));
    let asked = served.status(&request);
    let status = tokio::time::timeout(PATIENCE, asked)
        .await
        .expect("a place gets free");
    assert_eq!(status, 200);
    assert!(
        begun.elapsed() < limits.head / 2,
        "it waited {:?}",
        begun.elapsed()
    );
    for mut stream in slow {
        let mut rest = Vec::new();
        let ended = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
        ended.expect("the connection is closed").ok();
    }
    served.stop().await;
}

#[tokio::test]
async fn a_head_that_does_not_end_is_not_waited_for() {
    let limits = Limits {
        head: Duration::from_millis(300),
        ..Limits::default()
    };
    let served = Served::with(limits);
    let mut stream = served.connect().await;
    stream.write_all(b"GET / HT").await.unwrap();
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
    ended.expect("the connection is closed").ok();
    served.stop().await;
}

#[tokio::test]
async fn who_listens_keeps_the_server_until_a_time_after() {
    let longest = Duration::from_secs(1);
    let served = Served::listening(Limits::default(), Some(longest));
    let mut stream = served.connect().await;
    let head = served.head("GET", "/api/v1/events");
    let request = format!("{head}\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    tokio::time::sleep(longest * 5 / 2).await;
    assert!(!served.has_ended());
    drop(stream);
    let left = Instant::now();
    while !served.has_ended() {
        assert!(left.elapsed() < PATIENCE, "nobody is there");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(left.elapsed() > longest / 2, "{:?}", left.elapsed());
}

#[tokio::test]
async fn two_hundred_clients_are_answered() {
    let served = Served::new();
    let mut streams = Vec::new();
    for _ in 0..180 {
        let mut stream = served.connect().await;
        let head = served.head("GET", "/api/v1/events");
        stream
            .write_all(format!("{head}\r\n").as_bytes())
            .await
            .unwrap();
        streams.push(stream);
    }
    let request = format!("{}\r\n", served.head("GET", LIST));
    let answers = join_all((0..200).map(|_| served.status(&request))).await;
    let answered = answers.iter().filter(|status| **status == 200).count();
    println!("streams 180, clients 200, answered {answered}");
    assert_eq!(answered, 200);
    drop(streams);
    served.stop().await;
}

#[tokio::test]
async fn rubbish_is_answered_or_closed() {
    let served = Served::new();
    for bytes in [
        "\r\n\r\n",
        "GET\r\n\r\n",
        "\0\0\0\0\r\n\r\n",
        "GET / HTTP/9\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let answer = served.exchange(bytes).await;
        assert!(!answer.contains("500"), "{bytes:?}: {answer}");
    }
    for path in [
        "/api/v1/sessions/%00",
        "/api/v1/sessions/%ff",
        "/api/v1/sessions/..%2f..%2fetc",
        "/api/v1/../../etc/passwd",
        "/api/v1/",
    ] {
        let status = served
            .status(&format!("{}\r\n", served.head("GET", path)))
            .await;
        assert!((400..500).contains(&status), "{path}: {status}");
    }
    served.stop().await;
}
