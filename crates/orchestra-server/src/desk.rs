//! What all requests share: engines, long work, and the feed of events.

mod engines;
mod jobs;
mod repository_job;
mod session_job;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use orchestra_core::Timestamp;
use orchestra_engine::{Engine, OpenOptions, SessionView};
use tokio::sync::Semaphore;

pub(crate) use self::engines::Engines;
pub(crate) use self::jobs::{JobOrder, Jobs, Progress};
use crate::error::ApiError;
use crate::feed::Feed;
use crate::watch;

/// Requests that work with an engine at once; the others wait for their turn.
const AT_ONCE: usize = 16;

/// What handlers work with, the same for every face that has a router.
pub(crate) type Desk = Arc<DeskParts>;

pub(crate) struct DeskParts {
    engines: Engines,
    turns: Arc<Semaphore>,
    pub(crate) jobs: Jobs,
    pub(crate) feed: Feed,
    /// Tells this server from the one before.
    name: String,
    started: (Timestamp, Instant),
    /// Counts requests, for whoever waits until nobody asks any more.
    pub(crate) asked: AtomicU64,
}

impl DeskParts {
    pub(crate) fn open(options: OpenOptions) -> Result<Desk, ApiError> {
        let engines = Engines::new(options);
        // Whoever looks later finds a store that is there.
        engines.act(None, |_| Ok(()))?;
        let feed = Feed::start(&engines)?;
        let started = (engines.now(), Instant::now());
        let watching = engines.open(None)?;
        let desk = Arc::new(Self {
            engines,
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            jobs: Jobs::telling(feed.clone()),
            feed,
            name: random_name()?,
            started,
            asked: AtomicU64::new(0),
        });
        watch::start(Arc::downgrade(&desk), watching)?;
        Ok(desk)
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) const fn started_at(&self) -> Timestamp {
        self.started.0
    }

    /// For how long it is there, whatever becomes of the clock.
    pub(crate) fn uptime_ms(&self) -> u64 {
        u64::try_from(self.started.1.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Looks at something with the settings of the user alone.
    pub(crate) async fn look<T, Look>(self: &Arc<Self>, look: Look) -> Result<T, ApiError>
    where
        T: Send + 'static,
        Look: FnOnce(&Engine) -> Result<T, ApiError> + Send + 'static,
    {
        self.turn(move |desk| desk.engines.look(None, look)).await
    }

    /// Looks at something with the settings of the repository that a directory belongs to.
    pub(crate) async fn look_in_repository<T, Look>(
        self: &Arc<Self>,
        path: Option<PathBuf>,
        look: Look,
    ) -> Result<T, ApiError>
    where
        T: Send + 'static,
        Look: FnOnce(&Engine, Option<&Path>) -> Result<T, ApiError> + Send + 'static,
    {
        self.turn(move |desk| {
            let root = path.as_deref().map(require_checkout).transpose()?;
            desk.engines
                .look(root.as_deref(), |engine| look(engine, root.as_deref()))
        })
        .await
    }

    /// Looks at the session that an id, a prefix or a name means, with the settings of its repository.
    pub(crate) async fn look_at_session<T, Look>(
        self: &Arc<Self>,
        text: String,
        look: Look,
    ) -> Result<T, ApiError>
    where
        T: Send + 'static,
        Look: FnOnce(&Engine, &SessionView) -> Result<T, ApiError> + Send + 'static,
    {
        self.turn(move |desk| {
            let root = desk.root_of(&text)?;
            desk.engines.look(Some(&root), |engine| {
                look(engine, &engine.find_session(&text, None)?)
            })
        })
        .await
    }

    /// Does something by the settings of the repository that a directory belongs to, or of the user alone.
    pub(crate) async fn act_in_repository<T, Act>(
        self: &Arc<Self>,
        path: Option<PathBuf>,
        act: Act,
    ) -> Result<T, ApiError>
    where
        T: Send + 'static,
        Act: FnOnce(&Engine, Option<&Path>) -> Result<T, ApiError> + Send + 'static,
    {
        self.turn(move |desk| {
            let root = path.as_deref().map(require_checkout).transpose()?;
            desk.engines
                .act(root.as_deref(), |engine| act(engine, root.as_deref()))
        })
        .await
    }

    /// Does something to the session that an id, a prefix or a name means, by the settings of its repository. What was cut
    /// off in it is put right first.
    pub(crate) async fn act_in_session<T, Act>(
        self: &Arc<Self>,
        text: String,
        act: Act,
    ) -> Result<T, ApiError>
    where
        T: Send + 'static,
        Act: FnOnce(&Engine, &SessionView) -> Result<T, ApiError> + Send + 'static,
    {
        self.turn(move |desk| desk.act_now(&text, act)).await
    }

    /// The same on this thread, for long work, which waits for nobody's turn.
    pub(crate) fn act_now<T>(
        &self,
        text: &str,
        act: impl FnOnce(&Engine, &SessionView) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let root = self.root_of(text)?;
        self.engines.act(Some(&root), |engine| {
            let found = engine.find_session(text, None)?;
            engine.recover_session(&found.session.id)?;
            act(engine, &engine.session(&found.session.id)?)
        })
    }

    fn root_of(&self, text: &str) -> Result<PathBuf, ApiError> {
        self.engines.look(None, |engine| {
            Ok(engine.find_session(text, None)?.repository.root)
        })
    }

    /// Works away from the threads that answer, when it is this request's turn.
    async fn turn<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let desk = Arc::clone(self);
        let work = tokio::task::spawn_blocking(move || {
            // Given back when the work is over, however that ends.
            let _turn = turn;
            work(&desk)
        });
        work.await.unwrap_or_else(|_| Err(ApiError::broken_off()))
    }
}

/// Sixteen hex digits.
pub(crate) fn random_name() -> Result<String, ApiError> {
    let mut bytes = [0_u8; 8];
    getrandom::fill(&mut bytes).map_err(|_| ApiError::broken_off())?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The main checkout that a directory belongs to.
fn require_checkout(path: &Path) -> Result<PathBuf, ApiError> {
    orchestra_engine::main_checkout_of(path).ok_or_else(|| {
        ApiError::not_found(
            "repository.not_found",
            format!("{} is in no git repository", path.display()),
            "name a directory of a repository by its whole path",
        )
    })
}
