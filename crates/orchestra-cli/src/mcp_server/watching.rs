//! Tools that look: lists, status, waiting, diffs, transcripts, checks.

use std::time::{Duration, Instant};

use orchestra_api::{DiffExcerpt, FileDiff, SessionAnswer, SessionList, TranscriptPart, Waited};
use orchestra_core::{BranchName, IterationNumber, SessionId, SessionStatus};
use orchestra_engine::{DiffWhat, ListRequest, SessionView};
use orchestra_server::{landing, wire};
use serde::Deserialize;

use super::call::{Answer, Answered, Call};
use super::tool::{Effect, Kind, SESSION, Tool, optional};
use crate::commands::status;
use crate::context::Context;
use crate::error::CliError;

/// How long nobody looks whether the client still waits.
const STEP: Duration = Duration::from_millis(500);
const USUAL_WAIT: u64 = 60;
const LONGEST_WAIT: u64 = 600;
/// Bytes of one answer.
const USUAL_ROOM: usize = 64 * 1024;
const MOST_ROOM: u64 = 1024 * 1024;
const MOST_FILES: usize = 1_000;
const USUAL_ITEMS: u64 = 50;
const MOST_ITEMS: u64 = 500;

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "sessions_list",
        about: "Sessions of the granted repositories with their status, newest first. What git said about them may be \
                older than a moment: checked_at tells.",
        effect: Effect::Looks,
        parameters: &[
            optional("mine", Kind::Flag, "Only sessions that you made"),
            optional(
                "status",
                Kind::Text,
                "Only sessions with this status, such as running or awaiting_input",
            ),
        ],
        run: list,
    },
    Tool {
        name: "session_status",
        about: "One session in detail: status, last iteration, changed files, what it waits for.",
        effect: Effect::Looks,
        parameters: &[SESSION],
        run: detail,
    },
    Tool {
        name: "session_wait",
        about: "Waits until nothing runs in a session, or until the time is over: at_rest tells which. The agent goes on \
                in any case.",
        effect: Effect::Looks,
        parameters: &[
            SESSION,
            optional(
                "timeout_seconds",
                Kind::Number(LONGEST_WAIT),
                "How long to wait at most; 60 if absent",
            ),
        ],
        run: wait,
    },
    Tool {
        name: "session_diff",
        about: "What changed in a session since its base, committed or not, with patches as far as there is room: is_cut \
                tells whether something was left out.",
        effect: Effect::Looks,
        parameters: &[
            SESSION,
            optional(
                "since_iteration",
                Kind::Number(u32::MAX as u64),
                "Only what changed since before this iteration",
            ),
            optional("names_only", Kind::Flag, "Without patches"),
            optional(
                "max_bytes",
                Kind::Number(MOST_ROOM),
                "Room for patches; 65536 if absent",
            ),
        ],
        run: diff,
    },
    Tool {
        name: "session_transcript",
        about: "What the agent of a session said and did: the newest items, or those after a position. Read on with the \
                answer's `after` as long as has_more is true.",
        effect: Effect::Looks,
        parameters: &[
            SESSION,
            optional(
                "after",
                Kind::Number(u64::MAX >> 11),
                "Items after this position; 0 for all; the newest if absent",
            ),
            optional(
                "limit",
                Kind::Number(MOST_ITEMS),
                "How many items at most; 50 if absent",
            ),
            optional(
                "max_bytes",
                Kind::Number(MOST_ROOM),
                "Room for items; 65536 if absent",
            ),
        ],
        run: transcript,
    },
    Tool {
        name: "session_check",
        about: "Whether a session may land on its base or another branch: every check with its state, reason and hint.",
        effect: Effect::Looks,
        parameters: &[
            SESSION,
            optional("into", Kind::Text, "Another branch than its base"),
        ],
        run: may_land,
    },
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    mine: bool,
    status: Option<String>,
}

fn list(call: &Call) -> Answered {
    let given: List = call.given()?;
    let status: Option<SessionStatus> = match &given.status {
        None => None,
        Some(word) => Some(word.parse().map_err(|_| {
            CliError::usage(
                format!("`{word}` is no status"),
                "idle, running, queued, awaiting_input, completed and others are",
            )
        })?),
    };
    let context = call.desk.look()?;
    context.sweep();
    let (seq, mut sessions) = (context.engine.last_seq()?, Vec::new());
    for root in &call.desk.grant().repositories {
        sessions.extend(sessions_of(&context, root, status)?);
    }
    let caller = &call.desk.grant().caller;
    sessions.retain(|view| !given.mine || view.session.made_by.as_ref() == Some(caller));
    sessions.sort_by_key(|view| std::cmp::Reverse(view.session.created_at));
    let sessions = sessions
        .iter()
        .map(|view| wire::session(&context.engine, view));
    Answer::of(&SessionList {
        seq,
        sessions: sessions.collect(),
    })
}

fn sessions_of(
    context: &Context,
    root: &std::path::Path,
    status: Option<SessionStatus>,
) -> Result<Vec<SessionView>, CliError> {
    let Some(known) = context.engine.known_repository(root)? else {
        return Ok(Vec::new());
    };
    let request = ListRequest {
        repository: Some(known.id),
        statuses: status.into_iter().collect(),
        needs_me: false,
        archived: false,
    };
    Ok(context.engine.list_sessions(&request)?.sessions)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    session: String,
}

fn detail(call: &Call) -> Answered {
    let given: Named = call.given()?;
    let (_, view) = call.session(&given.session)?;
    let context = call.desk.look()?;
    Answer::of(&status::answer(&context, view.session.id.as_str())?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wait {
    session: String,
    timeout_seconds: Option<u64>,
}

fn wait(call: &Call) -> Answered {
    let given: Wait = call.given()?;
    let longest = given.timeout_seconds.unwrap_or(USUAL_WAIT);
    let longest = Duration::from_secs(longest.min(LONGEST_WAIT));
    let (context, view) = call.session(&given.session)?;
    let id = &view.session.id;
    let at_rest = until_at_rest(call, &context, id, longest)?;
    let SessionAnswer { seq, session } = wire::answer(&context.engine, id)?;
    Answer::of(&Waited {
        seq,
        session,
        at_rest,
    })
}

/// Waits as long as somebody waits for the answer. Whether nothing runs then, or only waits for an answer itself.
pub(super) fn until_at_rest(
    call: &Call,
    context: &Context,
    id: &SessionId,
    longest: Duration,
) -> Result<bool, CliError> {
    let begun = Instant::now();
    loop {
        let left = longest.saturating_sub(begun.elapsed());
        let is_at_rest = context
            .engine
            .wait_until_at_rest(id, Some(left.min(STEP)))?;
        let view = context.engine.session(id)?;
        if is_at_rest || view.waits_while_running() {
            return Ok(true);
        }
        if left <= STEP || call.is_over() {
            return Ok(false);
        }
        call.tell(format!("{id} is {}", view.status));
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Diff {
    session: String,
    since_iteration: Option<u32>,
    #[serde(default)]
    names_only: bool,
    max_bytes: Option<usize>,
}

fn diff(call: &Call) -> Answered {
    let given: Diff = call.given()?;
    let (context, view) = call.session(&given.session)?;
    let id = &view.session.id;
    let what = match given.since_iteration {
        Some(number) => DiffWhat::SinceIteration(IterationNumber(number)),
        None => DiffWhat::SinceBase,
    };
    let files: Vec<FileDiff> = match given.names_only {
        true => {
            let changes = context.engine.diff_summary(id, &what)?;
            let changes = changes.iter().map(wire::file_change);
            changes.map(FileDiff::without_patch).collect()
        }
        false => {
            let patches = context.engine.diff_patches(id, &what)?;
            patches.iter().map(wire::file_patch).collect()
        }
    };
    let SessionAnswer { seq, session } = wire::answer(&context.engine, id)?;
    let room = given.max_bytes.unwrap_or(USUAL_ROOM);
    let excerpt = DiffExcerpt {
        seq,
        session,
        files,
        is_cut: false,
        files_left_out: 0,
    };
    Answer::of(&cut(excerpt, room.min(MOST_ROOM as usize)))
}

/// Patches come whole or not at all: half of one would be misread.
fn cut(mut excerpt: DiffExcerpt, mut room: usize) -> DiffExcerpt {
    excerpt.files_left_out = excerpt.files.len().saturating_sub(MOST_FILES);
    excerpt.files.truncate(MOST_FILES);
    for file in &mut excerpt.files {
        let size = file.patch.as_ref().map_or(0, String::len);
        if size > room {
            file.patch = None;
            file.patch_too_large = true;
        } else {
            room -= size;
        }
    }
    let has_gap = excerpt.files.iter().any(|file| file.patch_too_large);
    excerpt.is_cut = has_gap || excerpt.files_left_out > 0;
    excerpt
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Transcript {
    session: String,
    after: Option<u64>,
    limit: Option<u64>,
    max_bytes: Option<usize>,
}

fn transcript(call: &Call) -> Answered {
    let given: Transcript = call.given()?;
    let (context, view) = call.session(&given.session)?;
    let id = view.session.id;
    let limit = given.limit.unwrap_or(USUAL_ITEMS).clamp(1, MOST_ITEMS);
    let last = context.engine.last_position(&id)?;
    let after = given.after.unwrap_or_else(|| last.saturating_sub(limit));
    // Positions of the store are signed, and nothing is beyond the last one anyway.
    let after = after.min(last);
    let items = context.engine.transcript_after(&id, after, limit as u32)?;
    let mut part = TranscriptPart {
        session_id: id,
        items: Vec::new(),
        too_large: Vec::new(),
        after,
        last,
        has_more: false,
    };
    let whole = given.max_bytes.unwrap_or(USUAL_ROOM);
    let whole = whole.min(MOST_ROOM as usize);
    let mut room = whole;
    for item in items {
        let size = serde_json::to_vec(&item).map_or(usize::MAX, |text| text.len());
        if size > whole {
            part.too_large.push(item.position);
        } else if size > room {
            break;
        } else {
            room -= size;
        }
        part.after = item.position;
        if size <= whole {
            part.items.push(item);
        }
    }
    part.has_more = part.after < part.last;
    Answer::of(&part)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Check {
    session: String,
    into: Option<String>,
}

fn may_land(call: &Call) -> Answered {
    let given: Check = call.given()?;
    let into = given.into.as_deref().map(branch).transpose()?;
    let (context, view) = call.session(&given.session)?;
    let report = context.engine.check(&view.session.id, into.as_ref())?;
    Answer::of(&landing::check_answer(&context.engine, &report)?)
}

/// A branch by its name, which can be nothing else.
pub(super) fn branch(name: &str) -> Result<BranchName, CliError> {
    name.parse()
        .map_err(|error| CliError::usage(format!("{error}"), "take the name of a branch"))
}
