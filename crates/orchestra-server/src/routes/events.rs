//! The event stream: server-sent events from the log, from any place in it.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use orchestra_api::{EventList, FactsTold, StreamBegin};
use orchestra_core::{Event, SessionId};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, answer};
use crate::desk::Desk;
use crate::error::ApiError;
use crate::extract::{Query, within};
use crate::feed::{Message, PAGE};

/// How often a quiet stream shows that it is there.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
const LAST_EVENT_ID: &str = "last-event-id";

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(stream_events))
        .routes(routes!(list_events))
}

/// Which events are told.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// Only events after this number. Without it and without `Last-Event-ID`, only those that come from now on.
    after: Option<u64>,
    /// Only events of this session: id, unique prefix or name.
    session: Option<String>,
    /// Only events of these types, such as `iteration_finished`, with commas between.
    types: Option<String>,
}

impl Wanted {
    /// The same, with the session by its id.
    async fn of_known_session(self, desk: &Desk) -> Result<Self, ApiError> {
        let Some(session) = self.session else {
            return Ok(self);
        };
        let id = desk.look_at_session(session, |_, view| Ok(view.session.id.to_string()));
        Ok(Self {
            session: Some(id.await?),
            ..self
        })
    }

    fn fits(&self, event: &Event) -> bool {
        let of_session =
            |id: &SessionId| self.session.as_deref().is_none_or(|it| it == id.as_str());
        let is_type = |types: &String| types.split(',').any(|it| it.trim() == event.body.name());
        let fits_session = match &event.session {
            Some(id) => of_session(id),
            None => self.session.is_none(),
        };
        fits_session && self.types.as_ref().is_none_or(is_type)
    }
}

/// What a client that comes back has seen: epoch and number.
fn place(id: &HeaderValue) -> Result<(String, u64), ApiError> {
    let parts = id.to_str().ok().and_then(|id| id.rsplit_once('-'));
    let place = parts.and_then(|(epoch, seq)| Some((epoch.to_owned(), seq.parse().ok()?)));
    place.ok_or_else(|| {
        ApiError::invalid(
            "`Last-Event-ID` is no id of an event",
            "send the id of the last event that came, or none",
        )
    })
}

/// Follow the log
///
/// A stream of server-sent events. Each event of the log has the id `<epoch>-<seq>`, its type as its name, and is sent as
/// `list_events` shows it; a client that comes back with `Last-Event-ID` misses nothing. The first message is `begin`, with
/// epoch and number. If the store has another epoch than the given id, `begin` says so with `is_reset`: what was known before
/// is to be read again. Beside the log, and without an id: `job` when long work changes, `facts` when git was asked about sessions.
#[utoipa::path(
    get, path = "/events", tag = "events", params(Wanted),
    responses((status = 200, description = "The stream", content_type = "text/event-stream", body = String), crate::document::Failures),
)]
async fn stream_events(
    State(desk): State<Desk>,
    Query(wanted): Query<Wanted>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Sent, Infallible>>>, ApiError> {
    let came_with = headers.get(LAST_EVENT_ID).map(place).transpose()?;
    let wanted = wanted.of_known_session(&desk).await?;
    // Whoever listens before looking misses nothing in between.
    let live = desk.feed.subscribe();
    let (epoch, now) = desk
        .look(|engine| Ok((engine.epoch()?, engine.last_seq()?)))
        .await?;
    let is_reset = came_with.as_ref().is_some_and(|(known, _)| *known != epoch);
    let told = came_with.filter(|_| !is_reset);
    let after = told.map(|(_, seq)| seq).or(wanted.after).unwrap_or(now);
    let begin = StreamBegin {
        epoch: epoch.clone(),
        seq: after,
        is_reset,
    };
    let mut listener = Listener {
        desk,
        wanted,
        epoch,
        last: after,
        live,
        is_behind: after != now,
        waiting: VecDeque::new(),
    };
    listener.waiting.push_back(named("begin", &begin));
    let messages = stream::unfold(listener, |mut listener| async move {
        let message = listener.next().await?;
        Some((Ok(message), listener))
    });
    Ok(Sse::new(messages).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// One stream. It holds a page of messages at most, however slow its reader is.
struct Listener {
    desk: Desk,
    wanted: Wanted,
    epoch: String,
    /// The newest event that was looked at.
    last: u64,
    live: Receiver<Message>,
    /// Whether the log has to be read before what comes in can be told.
    is_behind: bool,
    waiting: VecDeque<Sent>,
}

impl Listener {
    async fn next(&mut self) -> Option<Sent> {
        loop {
            if let Some(message) = self.waiting.pop_front() {
                return Some(message);
            }
            if self.is_behind {
                self.catch_up().await?;
                continue;
            }
            let feed = self.desk.feed.clone();
            tokio::select! {
                () = feed.closed() => return None,
                message = self.live.recv() => match message {
                    Ok(message) => self.take(&message),
                    Err(RecvError::Lagged(_)) => self.is_behind = true,
                    Err(RecvError::Closed) => return None,
                },
            }
        }
    }

    /// The next page of the log. A store that cannot be read ends the stream: the client comes back.
    async fn catch_up(&mut self) -> Option<()> {
        let last = self.last;
        let read = self
            .desk
            .look(move |engine| Ok(engine.log_after(last, PAGE)?));
        let events = read.await.ok()?;
        self.is_behind = !events.is_empty();
        self.tell(&events);
        Some(())
    }

    fn take(&mut self, message: &Message) {
        match message {
            Message::Events(events) => self.tell(events),
            Message::Job(job) => {
                let id = job.session_id.as_ref().map(SessionId::as_str);
                if self.wanted.session.is_none() || self.wanted.session.as_deref() == id {
                    self.waiting.push_back(named("job", job.as_ref()));
                }
            }
            Message::Facts(sessions) => self.waiting.push_back(named(
                "facts",
                &FactsTold {
                    session_ids: sessions.to_vec(),
                },
            )),
        }
    }

    fn tell(&mut self, events: &[Event]) {
        let new = events.iter().filter(|event| event.seq > self.last);
        for event in new {
            if self.wanted.fits(event) {
                let id = format!("{}-{}", self.epoch, event.seq);
                self.waiting
                    .push_back(named(event.body.name(), event).id(id));
            }
        }
        self.last = self.last.max(events.last().map_or(0, |event| event.seq));
    }
}

fn named(name: &str, body: &impl Serialize) -> Sent {
    // Every message is made of text, numbers and lists.
    let sent = Sent::default().event(name);
    match serde_json::to_string(body) {
        Ok(body) => sent.data(body),
        Err(error) => sent.data(error.to_string()),
    }
}

/// Which part of the log is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Part {
    /// Only events after this number.
    #[serde(default)]
    after: u64,
    /// At most this many.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
}

/// Read a part of the log
#[utoipa::path(
    get, path = "/log", tag = "events", params(Part),
    responses((status = 200, body = EventList), crate::document::Failures),
)]
async fn list_events(State(desk): State<Desk>, Query(part): Query<Part>) -> Answer<EventList> {
    let limit = within("limit", part.limit, PAGE, 1..=PAGE)?;
    let read = desk.look(move |engine| {
        Ok(EventList {
            epoch: engine.epoch()?,
            seq: engine.last_seq()?,
            events: engine.log_after(part.after, limit)?,
        })
    });
    answer(read.await?)
}
