//! What agents said and did: parts of a transcript, searching in it, and every line that was written.

use std::time::Duration;

use axum::extract::State;
use orchestra_api::{OutputPage, TranscriptHit, TranscriptHits, TranscriptPage};
use orchestra_core::{IterationNumber, SessionId, TranscriptItem};
use orchestra_engine::{Engine, OutputPlace, TranscriptSearch};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Path, Query, within};
use crate::wire;

const USUAL: u32 = 200;
const MOST: u32 = 1_000;
const USUAL_HITS: usize = 50;
const MOST_HITS: usize = 500;
/// How long one answer searches.
const LONGEST_SEARCH: Duration = Duration::from_millis(400);
const USUAL_BYTES: usize = 256 * 1024;
const MOST_BYTES: usize = 4 * 1024 * 1024;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(get_transcript))
        .routes(routes!(search_transcript))
        .routes(routes!(get_output))
}

/// Which part of a transcript. At most one of `after`, `before` and `around`; without one, the newest items.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Part {
    /// The first items after this position; 0: from the beginning.
    after: Option<u64>,
    /// The last items before this position.
    before: Option<u64>,
    /// Items before and after this position, and the one there.
    around: Option<u64>,
    /// Only those of this iteration.
    iteration: Option<u32>,
    /// At most this many items.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

/// Read a part of what the agent said and did
#[utoipa::path(
    get, path = "/sessions/{session}/transcript", tag = "transcript",
    params(("session" = String, Path, description = "Id, unique prefix or name"), Part),
    responses((status = 200, body = TranscriptPage), Failures),
)]
async fn get_transcript(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Query(part): Query<Part>,
) -> Answer<TranscriptPage> {
    let look = desk.look_at_session(session, move |engine, view| {
        page(engine, &view.session.id, &part)
    });
    answer(look.await?)
}

fn page(engine: &Engine, id: &SessionId, part: &Part) -> Result<TranscriptPage, ApiError> {
    let seq = engine.last_seq()?;
    let (begin, end) = bounds(engine, id, part.iteration)?;
    let limit = within("limit", part.limit, USUAL, 1..=MOST)?;
    let after = |position: u64, limit| engine.transcript_after(id, position.max(begin), limit);
    let before = |position: u64, limit| {
        let position = position.min(end.saturating_add(1));
        engine.transcript_before(id, position, limit)
    };
    let mut items: Vec<TranscriptItem> = match (part.after, part.before, part.around) {
        (None, None, None) => before(u64::MAX, limit)?,
        (Some(position), None, None) => after(position, limit)?,
        (None, Some(position), None) => before(position, limit)?,
        (None, None, Some(position)) => {
            let mut items = before(position, limit / 2)?;
            let rest = limit - limit / 2;
            items.extend(after(position.saturating_sub(1), rest)?);
            items
        }
        _ => {
            return Err(ApiError::invalid(
                "a part is asked for in several ways",
                "give one of `after`, `before` and `around`",
            ));
        }
    };
    items.retain(|item| item.position > begin && item.position <= end);
    Ok(TranscriptPage {
        seq,
        session_id: id.clone(),
        begin,
        end,
        items,
    })
}

/// The positions of an iteration, or of all: after the first, up to the second.
fn bounds(engine: &Engine, id: &SessionId, iteration: Option<u32>) -> Result<(u64, u64), ApiError> {
    let last = engine.last_position(id)?;
    let Some(number) = iteration else {
        return Ok((0, last));
    };
    engine.iteration(id, IterationNumber(number))?;
    let begin = engine.position_before(id, IterationNumber(number))?;
    let next = IterationNumber(number.saturating_add(1));
    Ok((begin, engine.position_before(id, next)?))
}

/// What is searched for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Searched {
    /// The text. Letters from a to z fit in either case.
    text: String,
    /// Only items after this position: the `next` of the last answer.
    #[serde(default)]
    after: u64,
    /// At most this many hits.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
}

/// Search what the agent said and did
///
/// A long transcript is searched in parts: as long as `next` is there, the search goes on with it.
#[utoipa::path(
    get, path = "/sessions/{session}/transcript/search", tag = "transcript",
    params(("session" = String, Path, description = "Id, unique prefix or name"), Searched),
    responses((status = 200, body = TranscriptHits), Failures),
)]
async fn search_transcript(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Query(searched): Query<Searched>,
) -> Answer<TranscriptHits> {
    let look = desk.look_at_session(session, move |engine, view| {
        let search = TranscriptSearch {
            text: &searched.text,
            after: searched.after,
            limit: within("limit", searched.limit, USUAL_HITS, 1..=MOST_HITS)?,
            longest: LONGEST_SEARCH,
        };
        let found = engine.search_transcript(&view.session.id, &search)?;
        Ok(TranscriptHits {
            session_id: view.session.id.clone(),
            next: (!found.is_end).then_some(found.searched),
            hits: found.hits.into_iter().map(hit).collect(),
        })
    });
    answer(look.await?)
}

fn hit(hit: orchestra_engine::TranscriptHit) -> TranscriptHit {
    TranscriptHit {
        position: hit.position,
        iteration: hit.iteration.0,
        at: hit.at,
        snippet: hit.snippet,
        begin: hit.begin,
        length: hit.length,
    }
}

/// Which part of an agent's output.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct OutputPart {
    /// Where it begins: the `next` of the last answer.
    from: Option<String>,
    /// No line is begun after this many bytes.
    #[param(minimum = 1, maximum = 4194304)]
    bytes: Option<usize>,
}

/// Read every line that the agent of an iteration wrote
#[utoipa::path(
    get, path = "/sessions/{session}/iterations/{iteration}/output", tag = "transcript",
    params(
        ("session" = String, Path, description = "Id, unique prefix or name"),
        ("iteration" = u32, Path, description = "Its number"),
        OutputPart,
    ),
    responses((status = 200, body = OutputPage), Failures),
)]
async fn get_output(
    State(desk): State<Desk>,
    Path((session, number)): Path<(String, u32)>,
    Query(part): Query<OutputPart>,
) -> Answer<OutputPage> {
    let look = desk.look_at_session(session, move |engine, view| {
        let (id, number) = (&view.session.id, IterationNumber(number));
        engine.iteration(id, number)?;
        let mut place = place(number, part.from.as_deref())?;
        let bytes = within("bytes", part.bytes, USUAL_BYTES, 1..=MOST_BYTES)?;
        let mut lines = Vec::new();
        engine.read_output_within(id, &mut place, bytes, &mut |piece| {
            lines.push(wire::output(number, piece));
        })?;
        Ok(OutputPage {
            session_id: id.clone(),
            lines,
            next: place.to_string(),
        })
    });
    answer(look.await?)
}

fn place(number: IterationNumber, from: Option<&str>) -> Result<OutputPlace, ApiError> {
    let place: OutputPlace = match from {
        Some(text) => text.parse()?,
        None => OutputPlace::start_of(number),
    };
    match place.iteration() == number {
        true => Ok(place),
        false => Err(ApiError::invalid(
            "this place is in the output of another iteration",
            "give back what the last answer ended with",
        )),
    }
}
