//! Stores with sessions and transcript items to write and read.

use std::path::Path;

use orchestra_core::{
    AgentEvent, EventBody, IterationNumber, NewSession, Role, Session, SessionId, Timestamp,
};
use orchestra_store::{Durability, NewItem, Store, StoreError};

use crate::Outcome;
use crate::content::Writer;

/// The bytes of text in an item.
const ITEM_BYTES: usize = 1_000;

pub(super) fn open(path: &Path) -> Outcome<Store> {
    Ok(Store::open(path, "bench")?)
}

/// Adds sessions without worktrees and answers their ids.
pub(super) fn add_sessions(store: &Store, count: u64) -> Outcome<Vec<SessionId>> {
    let ids: Vec<SessionId> = (1..=count)
        .map(|number| SessionId::from_random(number.to_le_bytes()))
        .collect();
    let sessions = ids.iter().map(session).collect::<Outcome<Vec<_>>>()?;
    let written = store.write(Durability::State, Timestamp::UNIX_EPOCH, |tx| {
        let root = Path::new("/repository");
        let repository = tx.ensure_repository(root, &root.join(".git"))?;
        for session in sessions {
            tx.insert_session(&Session {
                repository: repository.id,
                ..session
            })?;
        }
        Ok::<_, StoreError>(())
    });
    written?;
    Ok(ids)
}

/// Items of about a kilobyte.
pub(super) fn items(writer: &mut Writer, count: usize) -> Vec<NewItem> {
    let item = |_| NewItem {
        at: Timestamp::UNIX_EPOCH,
        line: Some(1),
        event: AgentEvent::Message {
            role: Role::Agent,
            text: writer.text(ITEM_BYTES),
        },
    };
    (0..count).map(item).collect()
}

/// Writes one group the way a runner does: the items, and the event that tells of them.
pub(super) fn write_group(store: &Store, session: &SessionId, items: &[NewItem]) -> Outcome<()> {
    let iteration = IterationNumber(1);
    let written = store.write(Durability::Stream, Timestamp::UNIX_EPOCH, |tx| {
        if let Some((from, to)) = tx.append_transcript(session, iteration, items)? {
            let body = EventBody::TranscriptAppended {
                iteration,
                from,
                to,
            };
            tx.append_event(Some(session), &body)?;
        }
        Ok::<_, StoreError>(())
    });
    Ok(written?)
}

fn session(id: &SessionId) -> Outcome<Session> {
    let new = NewSession {
        id: id.clone(),
        repository: orchestra_core::RepositoryId(0),
        name: id.as_str().parse()?,
        prompt: "Make it faster".to_owned(),
        base_branch: "main".parse()?,
        base_commit: "a".repeat(40).parse()?,
        branch: format!("amp/{id}").parse()?,
        worktree: format!("/repository/.worktrees/{id}").into(),
        agent: "amp".to_owned(),
        created_at: Timestamp::UNIX_EPOCH,
    };
    Ok(Session {
        worktree_ready: true,
        ..Session::new(new)
    })
}
