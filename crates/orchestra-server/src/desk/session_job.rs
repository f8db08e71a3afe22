//! Long work on one session.

use std::sync::Arc;

use orchestra_api::Job;
use orchestra_engine::{Engine, SessionView};
use serde::Serialize;

use super::{DeskParts, JobOrder, Progress};
use crate::error::ApiError;

impl DeskParts {
    /// Starts long work on the session that an id, a prefix or a name means, by the settings of its repository. What was cut
    /// off in it is put right first.
    pub(crate) async fn start_in_session<T: Serialize>(
        self: &Arc<Self>,
        operation: &'static str,
        text: String,
        work: impl FnOnce(&Engine, &SessionView, &Progress) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<Job, ApiError> {
        let id = self
            .look_at_session(text, |_, view| Ok(view.session.id.clone()))
            .await?;
        let order = JobOrder {
            operation,
            session: Some(id.clone()),
        };
        self.start_job(order, move |desk, progress| {
            desk.act_now(id.as_str(), |engine, view| work(engine, view, progress))
        })
    }

    /// Does something by the settings of the user alone, on this thread.
    pub(crate) fn act_for_user_now<T>(
        &self,
        act: impl FnOnce(&Engine) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        self.engines.act(None, act)
    }
}
