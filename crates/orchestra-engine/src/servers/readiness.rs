//! When a server can be used: a line says so, or its port answers. Looked at while it runs, by what runs it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use orchestra_core::{EventBody, ScriptRun, ServerFacts};
use orchestra_process::{Listener, Marker, listener};
use orchestra_store::Tx;
use regex::bytes::Regex;

use crate::output::{Line, read_lines};
use crate::script::OWN_WORDS;
use crate::{Engine, EngineError};

/// How often the port is asked, and once the server is late.
const ASKED_EVERY: Duration = Duration::from_millis(100);
const ASKED_LATE: Duration = Duration::from_secs(1);
/// A server that says nothing of itself is taken for ready when it has not died by then.
const ALIVE_FOR: Duration = Duration::from_millis(500);
/// How long a server on this machine may take to answer.
const ANSWER: Duration = Duration::from_millis(50);

/// Colours and other orders to a terminal, which stand between the words of a line.
static ORDERS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\x1b\[[0-9;?]*[A-Za-z]").expect("a regular expression"));

/// Whether a server can be used yet.
pub(crate) struct Readiness<'a> {
    engine: &'a Engine,
    run: &'a ScriptRun,
    marker: Marker,
    sign: Sign,
    started: Instant,
    within: Duration,
    asked: Option<Instant>,
    is_seen: bool,
    known: Known,
}

/// What says that a server can be used.
enum Sign {
    /// A line that it prints.
    Line(Regex),
    /// It answers on its port.
    Port(u16),
    /// That it runs: nothing else is known of it.
    Running,
}

/// What was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Nothing,
    Late,
    Ready,
}

impl Known {
    fn of(facts: &ServerFacts) -> Self {
        match (facts.ready_at, facts.late_at) {
            (Some(_), _) => Self::Ready,
            (None, Some(_)) => Self::Late,
            (None, None) => Self::Nothing,
        }
    }
}

impl<'a> Readiness<'a> {
    /// `None` if a run is no server.
    pub(crate) fn of(engine: &'a Engine, run: &'a ScriptRun) -> Result<Option<Self>, EngineError> {
        let Some(facts) = &run.server else {
            return Ok(None);
        };
        let settings = engine.config().servers.get(&run.script);
        Ok(Some(Self {
            engine,
            run,
            marker: engine.marker_of_run(run)?,
            sign: sign(settings.and_then(|it| it.ready.as_deref()), facts)?,
            started: Instant::now(),
            // Settings that are gone by now leave nothing to wait for.
            within: settings.map_or(Duration::ZERO, |it| it.ready_within),
            asked: None,
            is_seen: false,
            known: Known::of(facts),
        }))
    }

    /// Takes what the server printed to somebody who is gone and could not say what came of it.
    pub(crate) fn recall(&mut self, log: &Path) {
        let is_open = self.known != Known::Ready && matches!(self.sign, Sign::Line(_));
        let mut hear = |line: Line<'_>| {
            if !is_ours(&line) {
                self.hear(&line);
            }
        };
        if is_open && let Err(error) = read_lines(log, &mut hear) {
            tracing::warn!(%error, "cannot read what the server said");
        }
    }

    /// Takes a line that the server printed.
    pub(crate) fn hear(&mut self, line: &Line<'_>) {
        if let (Sign::Line(pattern), Line::Whole(line)) = (&self.sign, line) {
            self.is_seen |= pattern.is_match(&ORDERS.replace_all(line, b""));
        }
    }

    /// Looks whether it can be used, and records what became of it. What cannot be recorded is tried again the next time.
    pub(crate) fn look(&mut self) {
        if self.known == Known::Ready {
            return;
        }
        let is_ready = self.is_ready();
        let can_be_late = self.known == Known::Nothing && !matches!(self.sign, Sign::Running);
        let is_late = can_be_late && self.started.elapsed() > self.within;
        let recorded = match (is_ready, is_late) {
            (true, _) => self.record(Known::Ready),
            (false, true) => self.record(Known::Late),
            (false, false) => return,
        };
        if let Err(error) = recorded {
            tracing::warn!(code = error.code(), %error, "cannot record how the server stands");
        }
    }

    /// Whether nobody waits for it any more: it is ready, or late.
    pub(crate) fn is_settled(&self) -> bool {
        self.known != Known::Nothing
    }

    fn is_ready(&mut self) -> bool {
        match self.sign {
            Sign::Running => self.started.elapsed() >= ALIVE_FOR,
            Sign::Line(_) => self.is_seen,
            Sign::Port(port) => {
                let every = match self.known {
                    Known::Late => ASKED_LATE,
                    Known::Nothing | Known::Ready => ASKED_EVERY,
                };
                let is_due = self.asked.is_none_or(|at| at.elapsed() >= every);
                if is_due && !self.is_seen {
                    self.asked = Some(Instant::now());
                    self.is_seen = answers(port) && self.is_own(port);
                }
                self.is_seen
            }
        }
    }

    /// A program that took the port first answers too. Where nobody says who it is, it has to be the server.
    fn is_own(&self, port: u16) -> bool {
        match listener(port, &self.marker) {
            Listener::Marked | Listener::Untold => true,
            Listener::Stranger => false,
        }
    }

    fn record(&mut self, known: Known) -> Result<(), EngineError> {
        self.engine.write_stream(|tx| match known {
            Known::Ready => self.tell_ready(tx),
            Known::Late => self.tell_late(tx),
            Known::Nothing => Ok(()),
        })?;
        self.known = known;
        self.engine.failpoints.pass("server.readiness_recorded");
        Ok(())
    }

    fn tell_ready(&self, tx: &Tx<'_>) -> Result<(), EngineError> {
        tx.set_server_ready(self.run.key)?;
        let body = EventBody::ServerReady {
            run: self.run.key,
            script: self.run.script.clone(),
            url: self.run.server.as_ref().and_then(|facts| facts.url.clone()),
        };
        tx.append_event(Some(&self.run.session), &body)?;
        Ok(())
    }

    fn tell_late(&self, tx: &Tx<'_>) -> Result<(), EngineError> {
        tx.set_server_late(self.run.key)?;
        let body = EventBody::ServerLate {
            run: self.run.key,
            script: self.run.script.clone(),
        };
        tx.append_event(Some(&self.run.session), &body)?;
        Ok(())
    }
}

/// Whether a line of a server's log is not the server's.
fn is_ours(line: &Line<'_>) -> bool {
    matches!(line, Line::Whole(text) if text.starts_with(OWN_WORDS.as_bytes()))
}

fn sign(pattern: Option<&str>, facts: &ServerFacts) -> Result<Sign, EngineError> {
    match (pattern, facts.port) {
        (Some(pattern), _) => {
            let pattern = Regex::new(pattern).map_err(|error| EngineError::Invalid {
                problem: format!("`{pattern}` is not a regular expression: {error}"),
                way_out: Some("change servers.<name>.ready in the settings".to_owned()),
            })?;
            Ok(Sign::Line(pattern))
        }
        (None, Some(port)) => Ok(Sign::Port(port)),
        (None, None) => Ok(Sign::Running),
    }
}

/// Whether somebody takes connections on a port of this machine.
fn answers(port: u16) -> bool {
    let local = [
        IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(Ipv6Addr::LOCALHOST),
    ];
    local
        .into_iter()
        .any(|address| TcpStream::connect_timeout(&SocketAddr::new(address, port), ANSWER).is_ok())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_port_answers_while_somebody_listens_on_either_address() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(answers(port));
        drop(listener);
        assert!(!answers(port));
        if let Ok(listener) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)) {
            assert!(answers(listener.local_addr().unwrap().port()));
        }
    }

    #[test]
    fn colours_do_not_hide_a_line() {
        let pattern = Regex::new("ready in [0-9]+ ms").unwrap();
        let line = b"\x1b[32mready\x1b[39m in \x1b[1m312\x1b[22m ms";
        assert!(pattern.is_match(&ORDERS.replace_all(line, b"")));
    }
}
