//! The server: how soon it answers, what it takes, and how fast it tells what agents say.

mod client;

use std::fs;
use std::io::BufRead;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;

use self::client::{Client, Server};
use super::memory::field;
use crate::plan::SMALL;
use crate::product::{Product, missing};
use crate::sampling::{Sample, processor_share, samples, timed};
use crate::table::{Figure, Measured, Reference, Row};
use crate::world::World;
use crate::{Bench, Outcome};

const LIST: &str = "/api/v1/sessions?limit=1000";
const READY_MS: f64 = 150.0;
const IDLE_MB: f64 = 60.0;
const BUSY_MB: f64 = 150.0;
const TOLD_MS: f64 = 50.0;
const SESSIONS: usize = 50;
const STREAMING: usize = 20;
/// Sessions whose lines are timed.
const TIMED: usize = 16;
const LINES: usize = 60;
/// An agent that says what time it is, in Amp's words.
const AGENT: &str = r#"#!/bin/sh
say() { printf '{"type":"assistant","message":{"type":"message","role":"assistant","content":[{"type":"text","text":"%s"}]},"session_id":"T-0"}\n' "$1"; }
printf '{"type":"system","subtype":"init","cwd":"/","session_id":"T-0","tools":[],"mcp_servers":[]}\n'
count=0
while [ $count -lt 60 ]; do say "$(date +%s%3N)"; count=$((count + 1)); sleep 0.15; done
printf '{"type":"result","subtype":"success","is_error":false,"result":"done","duration_ms":1,"num_turns":1,"session_id":"T-0"}\n'
"#;

pub(super) fn measure(bench: &Bench) -> Outcome<Vec<Row>> {
    let product = bench.product.as_ref().ok_or_else(missing)?;
    let mut rows = alone(bench, product)?;
    rows.extend(crowd(bench, product)?);
    rows.extend(streaming(bench, product)?);
    Ok(rows)
}

/// A server over an empty store.
fn alone(bench: &Bench, product: &Product) -> Outcome<Vec<Row>> {
    let world = World::generate(bench, "serve", SMALL)?;
    let mut ready = || Ok(Server::start(product, &world)?.ready);
    let [ready] = samples(bench.plan.repetitions, [&mut ready])?;
    let server = Server::start(product, &world)?;
    std::thread::sleep(Duration::from_secs(2));
    let mut resident = Sample::default();
    resident.push(megabytes(server.pid())?);
    let ready = Measured::new(Figure::Millis, &ready);
    let resident = Measured::new(Figure::Megabytes, &resident);
    Ok(vec![
        Row::limited(
            "serve",
            "from the start of a server to its first answer",
            &ready,
            READY_MS,
        ),
        Row::limited(
            "serve",
            "a server nobody asks, resident",
            &resident,
            IDLE_MB,
        ),
    ])
}

/// The list of many sessions, against a handler that answers the same bytes.
fn crowd(bench: &Bench, product: &Product) -> Outcome<Vec<Row>> {
    let world = World::generate(bench, "serve-crowd", SMALL)?;
    let engine = world.engine()?;
    let sessions = bench.plan.listed;
    for _ in 0..sessions {
        world.create(&engine)?;
    }
    let server = Server::start(product, &world)?;
    let bytes = server.client.get(LIST)?;
    let floor = bare(bytes)?;
    let mut ours = || Ok(timed(|| server.client.get(LIST))?.0);
    let mut theirs = || Ok(timed(|| floor.get("/"))?.0);
    let [ours, theirs] = samples(bench.plan.repetitions, [&mut ours, &mut theirs])?;
    let idle = processor_share(server.pid(), Duration::from_secs(5))?;
    let millis = |sample| Measured::new(Figure::Millis, sample);
    let against = Reference::new("a bare axum handler with the same bytes", millis(&theirs));
    let mut share = Sample::default();
    share.push(idle * 100.0);
    let share = Measured::new(Figure::Percent, &share);
    Ok(vec![
        Row::compared(
            "serve",
            format!("list of {sessions} sessions"),
            &millis(&ours),
            &against,
        ),
        Row::limited(
            "serve",
            format!("a server nobody asks, {sessions} sessions, of a core"),
            &share,
            1.0,
        ),
    ])
}

/// Serves until this program ends.
fn bare(bytes: Vec<u8>) -> Outcome<Client> {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?.to_string();
    let bytes: Arc<[u8]> = bytes.into();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let answer = move || {
                let bytes = bytes.to_vec();
                async move { ([(CONTENT_TYPE, "application/json")], bytes) }
            };
            let listener = tokio::net::TcpListener::from_std(listener)?;
            axum::serve(listener, Router::new().route("/", get(answer))).await
        })
    });
    Ok(Client::at(address))
}

/// Many sessions, of which some stream.
fn streaming(bench: &Bench, product: &Product) -> Outcome<Vec<Row>> {
    let mut world = World::generate(bench, "serve-streaming", SMALL)?;
    let agent = world.path("agent.sh");
    fs::write(&agent, AGENT)?;
    world.set(
        "ORCHESTRA_AGENTS_AMP_COMMAND",
        format!("sh '{}'", agent.display()),
    );
    world.set("ORCHESTRA_CORE_MAX_CONCURRENT_SESSIONS", "64");
    world.set("AMP_API_KEY", "placeholder-key-for-benchmarks");
    let engine = world.engine()?;
    let mut ids = Vec::new();
    for _ in 0..SESSIONS {
        ids.push(world.create(&engine)?.1.view.session.id.to_string());
    }
    let server = Server::start(product, &world)?;
    let told = follow(product, &world, &server, &ids[..TIMED])?;
    let mut late = told;
    late.sort_by(f64::total_cmp);
    let at = |part: usize| {
        late.get(late.len() * part / 100)
            .copied()
            .unwrap_or(f64::MAX)
    };
    let (mut half, mut most) = (Sample::default(), Sample::default());
    half.push(at(50));
    most.push(at(99));
    for id in &ids[..STREAMING] {
        product.run(&world, &["session", "iterate", id, "--detach"])?;
    }
    let listening = server.client.stream("/api/v1/events")?;
    std::thread::sleep(Duration::from_secs(3));
    let mut resident = Sample::default();
    resident.push(megabytes(server.pid())?);
    drop(listening);
    for id in &ids[..STREAMING] {
        product.run(&world, &["session", "wait", id])?;
    }
    let millis = |sample| Measured::new(Figure::Millis, sample);
    let resident = Measured::new(Figure::Megabytes, &resident);
    let what = format!("from an agent's line to a subscriber, {TIMED} sessions streaming");
    Ok(vec![
        Row::sampled(
            "serve",
            format!("{what}, half of {}", late.len()),
            &millis(&half),
        ),
        Row::limited(
            "serve",
            format!("{what}, 99 of 100"),
            &millis(&most),
            TOLD_MS,
        ),
        Row::limited(
            "serve",
            format!("a server with {SESSIONS} sessions, {STREAMING} streaming, resident"),
            &resident,
            BUSY_MB,
        ),
    ])
}

/// Milliseconds from when agents said something to when it was told.
fn follow(product: &Product, world: &World, server: &Server, ids: &[String]) -> Outcome<Vec<f64>> {
    let stream = server
        .client
        .stream("/api/v1/events?types=transcript_appended,iteration_finished")?;
    for id in ids {
        product.run(world, &["session", "iterate", id, "--detach"])?;
    }
    let mut heard = Vec::new();
    let mut finished = 0;
    let deadline = Instant::now() + Duration::from_secs(120);
    for line in stream.lines() {
        let line = line?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64() * 1_000.0;
        let Some(data) = line.strip_prefix("data: ") else {
            continue;
        };
        let event: serde_json::Value = serde_json::from_str(data)?;
        match event["body"]["type"].as_str() {
            Some("transcript_appended") => heard.push((now, event)),
            Some("iteration_finished") => finished += 1,
            _ => {}
        }
        if finished == ids.len() || Instant::now() > deadline {
            break;
        }
    }
    delays(world, &heard)
}

/// What the agents said is the time at which they did.
fn delays(world: &World, heard: &[(f64, serde_json::Value)]) -> Outcome<Vec<f64>> {
    let engine = world.engine()?;
    let mut delays = Vec::new();
    for (now, event) in heard {
        let session = event["session"].as_str().unwrap_or_default().parse()?;
        let (from, to) = (&event["body"]["from"], &event["body"]["to"]);
        let (from, to) = (from.as_u64().unwrap_or(1), to.as_u64().unwrap_or(0));
        let count = u32::try_from((to + 1).saturating_sub(from))?;
        for item in engine.transcript_after(&session, from - 1, count)? {
            if let orchestra_core::AgentEvent::Message { text, .. } = &item.event
                && let Ok(said) = text.trim().parse::<f64>()
            {
                delays.push(now - said);
            }
        }
    }
    if delays.len() < LINES {
        return Err(format!("only {} lines were told", delays.len()).into());
    }
    Ok(delays)
}

fn megabytes(pid: u32) -> Outcome<f64> {
    let kilobytes = field(pid, "status", "VmRSS:").ok_or("the kernel does not tell")?;
    Ok(f64::from(u32::try_from(kilobytes)?) * 1_024.0 / 1_000_000.0)
}
