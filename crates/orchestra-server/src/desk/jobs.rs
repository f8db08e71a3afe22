//! Long work: what somebody asked for and does not wait for. It has a thread of its own, and is remembered for a while
//! after its end.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use orchestra_api::{Job, JobState};
use orchestra_core::{SessionId, Timestamp};
use serde::Serialize;
use tokio::sync::watch;

use super::{DeskParts, random_name};
use crate::error::ApiError;
use crate::feed::{Feed, Message};

/// Jobs that are remembered once they are over.
const REMEMBERED: usize = 256;
/// Steps that are kept of one job.
const STEPS: usize = 200;

/// The jobs of this server.
pub(crate) struct Jobs {
    known: Mutex<VecDeque<Job>>,
    /// Counts changes, for whoever waits for one.
    changes: watch::Sender<u64>,
    feed: Feed,
}

/// What a job is to do.
pub(crate) struct JobOrder {
    /// The operation, as the document names it.
    pub(crate) operation: &'static str,
    /// The session it is about.
    pub(crate) session: Option<SessionId>,
}

/// Where long work says what it is at.
pub(crate) struct Progress {
    desk: Arc<DeskParts>,
    id: String,
}

impl Progress {
    pub(crate) fn step(&self, what: impl Into<String>) {
        self.desk.jobs.change(&self.id, |job| {
            if job.steps.len() < STEPS {
                job.steps.push(what.into());
            }
        });
    }
}

impl Jobs {
    /// None yet; changes are told to whoever listens.
    pub(crate) fn telling(feed: Feed) -> Self {
        Self {
            known: Mutex::default(),
            changes: watch::channel(0).0,
            feed,
        }
    }

    /// All that are known, newest first.
    pub(crate) fn all(&self) -> Vec<Job> {
        self.lock().iter().rev().cloned().collect()
    }

    pub(crate) fn find(&self, id: &str) -> Option<Job> {
        self.lock().iter().find(|job| job.id == id).cloned()
    }

    /// The job once it is over, or as it is when the time is.
    pub(crate) async fn wait(&self, id: &str, longest: Duration) -> Option<Job> {
        let mut changes = self.changes.subscribe();
        let over = async {
            while self
                .find(id)
                .is_some_and(|job| job.state == JobState::Running)
            {
                if changes.changed().await.is_err() {
                    break;
                }
            }
        };
        // Either way the job is told as it is now.
        tokio::time::timeout(longest, over).await.ok();
        self.find(id)
    }

    /// Waits until no job runs, or the time is over. Whether none does.
    pub(crate) async fn wait_for_all(&self, longest: Duration) -> bool {
        let mut changes = self.changes.subscribe();
        let runs = || self.lock().iter().any(|job| job.state == JobState::Running);
        let over = async { while runs() && changes.changed().await.is_ok() {} };
        tokio::time::timeout(longest, over).await.is_ok()
    }

    pub(crate) fn any_runs(&self) -> bool {
        self.lock().iter().any(|job| job.state == JobState::Running)
    }

    fn add(&self, job: Job) {
        let mut known = self.lock();
        while known.len() >= REMEMBERED {
            let over = known.iter().position(|job| job.state != JobState::Running);
            match over {
                Some(index) => known.remove(index),
                None => break,
            };
        }
        known.push_back(job.clone());
        drop(known);
        self.tell(job);
    }

    fn change(&self, id: &str, change: impl FnOnce(&mut Job)) {
        let changed = self.lock().iter_mut().find(|job| job.id == id).map(|job| {
            change(job);
            job.version += 1;
            job.clone()
        });
        if let Some(job) = changed {
            self.tell(job);
        }
    }

    fn tell(&self, job: Job) {
        self.changes.send_modify(|count| *count += 1);
        self.feed.tell(Message::Job(Arc::new(job)));
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Job>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DeskParts {
    /// Starts long work and answers at once with what is known of it.
    pub(crate) fn start_job<T: Serialize>(
        self: &Arc<Self>,
        order: JobOrder,
        work: impl FnOnce(&Self, &Progress) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<Job, ApiError> {
        let job = Job {
            id: random_name()?,
            operation: order.operation.to_owned(),
            session_id: order.session,
            state: JobState::Running,
            steps: Vec::new(),
            version: 0,
            answer: None,
            error: None,
            started_at: self.now(),
            finished_at: None,
        };
        self.jobs.add(job.clone());
        let desk = Arc::clone(self);
        let id = job.id.clone();
        tokio::task::spawn_blocking(move || {
            let progress = Progress {
                desk: Arc::clone(&desk),
                id: id.clone(),
            };
            let work = || {
                let answer = work(&desk, &progress)?;
                serde_json::to_value(answer).map_err(|error| not_tellable(&error))
            };
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            let done = done.unwrap_or_else(|_| Err(ApiError::broken_off()));
            desk.end_job(&id, done);
        });
        Ok(job)
    }

    fn end_job(&self, id: &str, done: Result<serde_json::Value, ApiError>) {
        let finished_at = Some(self.now());
        self.jobs.change(id, |job| {
            job.finished_at = finished_at;
            match done {
                Ok(answer) => {
                    job.state = JobState::Succeeded;
                    job.answer = Some(answer);
                }
                Err(error) => {
                    job.state = JobState::Failed;
                    job.error = Some(error.body);
                }
            }
        });
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.engines.now()
    }
}

fn not_tellable(error: &serde_json::Error) -> ApiError {
    tracing::error!(%error, "an answer cannot be written");
    ApiError::broken_off()
}
