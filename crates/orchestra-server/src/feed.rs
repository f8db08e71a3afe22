//! What happens, for everybody who listens: one thread follows the log of the store and tells all streams. Nobody is
//! waited for: who falls behind reads the log again.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use orchestra_api::Job;
use orchestra_core::{Event, SessionId};
use orchestra_engine::{Engine, EngineError, chain};
use tokio::sync::{broadcast, watch};

use crate::desk::Engines;
use crate::error::ApiError;

/// Messages that are kept for those who listen.
const KEPT: usize = 256;
/// Events that are read at once.
pub(crate) const PAGE: u32 = 500;
/// How long the thread waits for a change before it looks whether it is still wanted.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long it waits after a failure.
const PAUSE: Duration = Duration::from_secs(1);

/// One thing that streams tell.
#[derive(Debug, Clone)]
pub(crate) enum Message {
    /// New events of the log, in order.
    Events(Arc<[Event]>),
    /// Long work changed.
    Job(Arc<Job>),
    /// Git was asked about these sessions.
    Facts(Arc<[SessionId]>),
}

/// Where streams listen.
#[derive(Debug, Clone)]
pub(crate) struct Feed {
    messages: broadcast::Sender<Message>,
    /// Held by the feed alone, so that the thread sees when nobody has it any more.
    alive: Arc<()>,
    /// Streams end when the server does.
    is_closed: watch::Sender<bool>,
}

impl Feed {
    /// Starts the thread.
    pub(crate) fn start(engines: &Engines) -> Result<Self, ApiError> {
        let engine = engines.open(None)?;
        let last = engine.last_seq()?;
        let feed = Self {
            messages: broadcast::channel(KEPT).0,
            alive: Arc::new(()),
            is_closed: watch::channel(false).0,
        };
        let (messages, alive) = (feed.messages.clone(), Arc::downgrade(&feed.alive));
        let follow = move || {
            let mut follower = Follower {
                engine,
                messages,
                last,
            };
            while alive.upgrade().is_some() {
                if let Err(error) = follower.step() {
                    tracing::warn!(error = %chain::text(&error), "the log cannot be followed");
                    thread::sleep(PAUSE);
                }
            }
        };
        let thread = thread::Builder::new().name("feed".to_owned());
        thread.spawn(follow).map_err(|_| ApiError::broken_off())?;
        Ok(feed)
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Message> {
        self.messages.subscribe()
    }

    /// Ends all streams, those that come too.
    pub(crate) fn close(&self) {
        self.is_closed.send_replace(true);
    }

    /// Returns once the streams are to end.
    pub(crate) async fn closed(&self) {
        // The feed outlives whoever waits for it.
        self.is_closed.subscribe().wait_for(|it| *it).await.ok();
    }

    /// Whether anybody listens.
    pub(crate) fn has_listeners(&self) -> bool {
        self.messages.receiver_count() > 0
    }

    /// How many listen.
    pub(crate) fn listeners(&self) -> usize {
        self.messages.receiver_count()
    }

    pub(crate) fn tell(&self, message: Message) {
        // Nobody listening is no failure.
        self.messages.send(message).ok();
    }
}

struct Follower {
    engine: Engine,
    messages: broadcast::Sender<Message>,
    last: u64,
}

impl Follower {
    /// Waits for a change and tells what is new.
    fn step(&mut self) -> Result<(), EngineError> {
        let version = self.engine.data_version()?;
        loop {
            let events = self.engine.log_after(self.last, PAGE)?;
            let Some(newest) = events.last() else { break };
            self.last = newest.seq;
            self.messages.send(Message::Events(events.into())).ok();
        }
        self.engine.wait_for_change(version, PATIENCE)?;
        Ok(())
    }
}
