//! Squash, rebase and conflicts on the wire.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use orchestra_api::{
    ConflictList, ConflictSides, Rebased, Resolved, SessionAnswer, SideContent, Squashed,
};
use orchestra_core::{RebaseState, SessionId};
use orchestra_engine::{
    Conflicts, Content, Engine, EngineError, RebaseDone, ResolveDone, SquashDone,
};

use crate::{base_note, wire};

/// Commits that took the place of others.
///
/// # Errors
/// If store or git fail.
pub fn squashed(
    engine: &Engine,
    id: &SessionId,
    done: &SquashDone,
) -> Result<Squashed, EngineError> {
    let SessionAnswer { seq, session } = wire::fresh_answer(engine, id)?;
    Ok(Squashed {
        seq,
        session,
        head: done.head.to_string(),
        squashed: done.squashed,
        commits: done.made.iter().map(ToString::to_string).collect(),
    })
}

/// What a rebase waits for, if it does.
///
/// # Errors
/// If store or git fail.
pub fn rebase_outcome(
    engine: &Engine,
    id: &SessionId,
    done: &RebaseDone,
) -> Result<Option<Conflicts>, EngineError> {
    match done.state {
        RebaseState::Conflicted => engine.conflicts(id).map(Some),
        RebaseState::UpToDate | RebaseState::Finished | RebaseState::Aborted => Ok(None),
    }
}

/// A rebase, or a step of it.
///
/// # Errors
/// If the store cannot be read.
pub fn rebased(
    engine: &Engine,
    id: &SessionId,
    done: &RebaseDone,
    conflicts: Option<&Conflicts>,
) -> Result<Rebased, EngineError> {
    let SessionAnswer { seq, session } = wire::answer(engine, id)?;
    let files = conflicts.map_or(&[][..], |conflicts| &conflicts.files);
    Ok(Rebased {
        seq,
        session,
        state: done.state,
        onto: done.onto_name.clone(),
        onto_commit: done.onto.to_string(),
        base_note: done.base.as_ref().and_then(base_note::note),
        dropped: done.dropped.iter().map(wire::commit_name).collect(),
        conflicts: files.iter().map(wire::conflict).collect(),
    })
}

/// What git could not decide in a session.
///
/// # Errors
/// If store or git fail.
pub fn conflict_list(
    engine: &Engine,
    id: &SessionId,
    found: Conflicts,
) -> Result<ConflictList, EngineError> {
    let SessionAnswer { seq, session } = wire::fresh_answer(engine, id)?;
    Ok(ConflictList {
        seq,
        session,
        in_progress: found.in_progress,
        onto: found.onto_name,
        onto_commit: found.onto.to_string(),
        commit: found.at.as_ref().map(wire::commit_name),
        commits_after: found.rest,
        conflicts: found.files.iter().map(wire::conflict).collect(),
        migrations: found.clashes.migrations,
        case_clashes: found.clashes.case,
    })
}

/// What each side has of a file in conflict.
///
/// # Errors
/// If the store cannot be read.
pub fn conflict_sides(
    engine: &Engine,
    id: &SessionId,
    sides: orchestra_engine::ConflictSides,
) -> Result<ConflictSides, EngineError> {
    let SessionAnswer { seq, session } = wire::answer(engine, id)?;
    let conflicts = sides.conflicts;
    Ok(ConflictSides {
        seq,
        session,
        in_progress: conflicts.in_progress,
        onto: conflicts.onto_name,
        commit: conflicts.at.as_ref().map(wire::commit_name),
        conflict: wire::conflict(&sides.file),
        base: sides.base.map(side),
        ours: sides.ours.map(side),
        theirs: sides.theirs.map(side),
        worktree: sides.worktree.map(side),
    })
}

fn side(content: Content) -> SideContent {
    let shown = |bytes: usize| SideContent {
        bytes: bytes as u64,
        text: None,
        base64: None,
        too_large: false,
    };
    match content {
        Content::TooLarge(bytes) => SideContent {
            bytes,
            too_large: true,
            ..shown(0)
        },
        Content::Whole(bytes) => match String::from_utf8(bytes) {
            Ok(text) => SideContent {
                text: Some(text.clone()),
                ..shown(text.len())
            },
            Err(error) => SideContent {
                base64: Some(BASE64_STANDARD.encode(error.as_bytes())),
                ..shown(error.as_bytes().len())
            },
        },
    }
}

/// A conflict that was decided.
///
/// # Errors
/// If the store cannot be read.
pub fn resolved(
    engine: &Engine,
    id: &SessionId,
    done: ResolveDone,
) -> Result<Resolved, EngineError> {
    let SessionAnswer { seq, session } = wire::answer(engine, id)?;
    Ok(Resolved {
        seq,
        session,
        path: done.file.path,
        command: done.command,
        left: done.left,
    })
}
