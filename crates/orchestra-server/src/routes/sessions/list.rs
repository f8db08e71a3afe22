//! The list: filtered, in an order, a page at a time. It comes from the store alone; git is not asked.

use std::cmp::Ordering;
use std::path::PathBuf;

use axum::extract::State;
use orchestra_api::SessionPage;
use orchestra_core::{RepositoryId, SessionStatus};
use orchestra_engine::{Engine, ListRequest, SessionView, main_checkout_of};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::answer::{Answer, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Query, within};
use crate::wire;

const USUAL: usize = 100;
const MOST: usize = 1_000;
/// A repository without sessions has none to list.
const NO_REPOSITORY: RepositoryId = RepositoryId(-1);

/// Which sessions, and in which order.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// Only those of this repository, by a directory in it.
    #[param(value_type = Option<String>)]
    repository: Option<PathBuf>,
    /// Only those with one of these statuses, with commas between.
    status: Option<String>,
    /// Only those of this agent.
    agent: Option<String>,
    /// Only those whose id, name, prompt, branch or issue has this text.
    text: Option<String>,
    /// Only those that cannot go on without you.
    #[serde(default)]
    needs_me: bool,
    /// Also those that were put away.
    #[serde(default)]
    archived: bool,
    /// The order.
    #[serde(default)]
    #[param(inline)]
    sort: Sort,
    /// At most this many.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// Where the last page ended: its `next`.
    cursor: Option<String>,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Sort {
    /// Newest first.
    #[default]
    Created,
    /// Those that ran last first.
    LastRun,
    /// By name.
    Name,
    /// Those that need the user first, then newest first.
    Attention,
}

/// List sessions
#[utoipa::path(
    get, path = "/sessions", tag = "sessions", params(Wanted),
    responses((status = 200, body = SessionPage), Failures),
)]
pub(super) async fn list_sessions(
    State(desk): State<Desk>,
    Query(wanted): Query<Wanted>,
) -> Answer<SessionPage> {
    answer(desk.look(move |engine| page(engine, &wanted)).await?)
}

fn page(engine: &Engine, wanted: &Wanted) -> Result<SessionPage, ApiError> {
    let listing = engine.list_sessions(&request(engine, wanted)?)?;
    let mut found = listing.sessions;
    found.retain(|view| wanted.fits(view));
    found.sort_by(|one, other| wanted.sort.compare(one, other));
    let total = found.len();
    let first = match &wanted.cursor {
        Some(cursor) => after(&found, cursor)?,
        None => 0,
    };
    let limit = within("limit", wanted.limit, USUAL, 1..=MOST)?;
    let shown = &found[first..total.min(first + limit)];
    let is_last = first + shown.len() >= total;
    Ok(SessionPage {
        seq: listing.seq,
        total,
        next: shown
            .last()
            .filter(|_| !is_last)
            .map(|view| view.session.id.to_string()),
        sessions: shown
            .iter()
            .map(|view| wire::session(engine, view))
            .collect(),
    })
}

fn request(engine: &Engine, wanted: &Wanted) -> Result<ListRequest, ApiError> {
    let repository = match &wanted.repository {
        None => None,
        Some(path) => {
            let root = main_checkout_of(path).unwrap_or_else(|| path.clone());
            let known = engine.known_repository(&root)?;
            Some(known.map_or(NO_REPOSITORY, |known| known.id))
        }
    };
    Ok(ListRequest {
        repository,
        statuses: statuses(wanted.status.as_deref())?,
        needs_me: wanted.needs_me,
        archived: wanted.archived,
    })
}

fn statuses(text: Option<&str>) -> Result<Vec<SessionStatus>, ApiError> {
    let words = text.unwrap_or_default().split(',').map(str::trim);
    let words = words.filter(|word| !word.is_empty());
    let read: Result<_, _> = words.map(str::parse::<SessionStatus>).collect();
    read.map_err(|error| {
        let known: Vec<_> = SessionStatus::ALL.iter().map(|it| it.name()).collect();
        ApiError::invalid(
            error.to_string(),
            format!("the statuses are {}", known.join(", ")),
        )
    })
}

/// The place behind a session. One that the filter does not show any more cannot be gone on from.
fn after(found: &[SessionView], cursor: &str) -> Result<usize, ApiError> {
    let place = found
        .iter()
        .position(|view| view.session.id.as_str() == cursor);
    place.map(|place| place + 1).ok_or_else(|| {
        ApiError::new(
            axum::http::StatusCode::CONFLICT,
            "cursor.gone",
            "the session that the last page ended with is not in this list any more",
            "begin again without a cursor",
        )
    })
}

impl Wanted {
    fn fits(&self, view: &SessionView) -> bool {
        let session = &view.session;
        let is_agent = |agent: &String| *agent == session.agent;
        let has_text = |text: &String| {
            let text = text.to_lowercase();
            let issue = session.issue.as_deref().unwrap_or_default();
            [
                session.id.as_str(),
                session.name.as_str(),
                &session.prompt,
                session.branch.as_str(),
                issue,
            ]
            .iter()
            .any(|place| place.to_lowercase().contains(&text))
        };
        self.agent.as_ref().is_none_or(is_agent) && self.text.as_ref().is_none_or(has_text)
    }
}

impl Sort {
    /// Equal ones are told apart by their id, so that pages do not overlap.
    fn compare(self, one: &SessionView, other: &SessionView) -> Ordering {
        let newest = || other.session.created_at.cmp(&one.session.created_at);
        let by = match self {
            Self::Created => newest(),
            Self::LastRun => other
                .session
                .last_run
                .cmp(&one.session.last_run)
                .then_with(newest),
            Self::Name => one.session.name.as_str().cmp(other.session.name.as_str()),
            Self::Attention => other.needs_user().cmp(&one.needs_user()).then_with(newest),
        };
        by.then_with(|| one.session.id.as_str().cmp(other.session.id.as_str()))
    }
}
