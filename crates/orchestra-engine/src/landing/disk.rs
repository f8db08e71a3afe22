//! The disk space of sessions, and a limit for all of them.

use std::time::{Duration, Instant};

use orchestra_config::OverQuota;
use orchestra_core::{DiskFacts, Session};
use orchestra_git::disk_use;

use crate::view::{ListRequest, SessionView};
use crate::{Engine, EngineError};

/// What was counted counts as now for so long, where a new session has to fit in.
const FRESH: Duration = Duration::from_secs(10 * 60);
/// How long a new session may wait for the rest to be counted.
const PATIENCE: Duration = Duration::from_secs(2);

/// The space that all worktrees take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskSum {
    /// What was counted.
    pub bytes: u64,
    /// Whether every worktree was counted.
    pub is_complete: bool,
}

/// There is no space for a new session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the worktrees of sessions take {}{} of the {} that core.disk_quota allows",
    if used.is_complete { "" } else { "at least " },
    size_in_words(used.bytes),
    size_in_words(*quota)
)]
pub struct DiskError {
    /// What they take.
    pub used: DiskSum,
    /// The limit.
    pub quota: u64,
}

impl DiskError {
    /// A stable code for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        "disk.over_quota"
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> String {
        "`orchestra gc --regenerable` removes what can be made again; `orchestra session list --all --disk` shows where the rest is: clean sessions up, then free their space with `orchestra trash empty`".to_owned()
    }
}

impl Engine {
    /// Counts the space of worktrees until the time is over, those that were counted longest ago first, and remembers it.
    ///
    /// # Errors
    /// If the store fails.
    pub fn refresh_disk_use(
        &self,
        sessions: &mut [SessionView],
        longest: Duration,
    ) -> Result<(), EngineError> {
        let deadline = Instant::now() + longest;
        let mut order: Vec<usize> = (0..sessions.len()).collect();
        order.sort_by_key(|index| sessions[*index].disk.map(|facts| facts.checked_at));
        let mut counted = Vec::new();
        for index in order {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let view = &mut sessions[index];
            if let Some(facts) = self.count(&view.session, left) {
                view.disk = Some(facts);
                counted.push((view.session.id.clone(), facts));
            }
        }
        self.write_stream(|tx| {
            for (id, facts) in &counted {
                tx.put_disk_use(id, facts)?;
            }
            Ok(())
        })
    }

    /// Refuses a new session when the quota is used up, or answers with a warning, as the settings say.
    pub(crate) fn require_disk_space(&self) -> Result<Option<String>, EngineError> {
        let settings = &self.config().core;
        let Some(quota) = settings.disk_quota else {
            return Ok(None);
        };
        let used = self.disk_sum()?;
        let over = DiskError { used, quota };
        match settings.over_quota {
            _ if used.bytes < quota => Ok(None),
            OverQuota::Warn => Ok(Some(format!("{over}; {}", over.hint()))),
            OverQuota::Refuse => Err(over.into()),
        }
    }

    fn disk_sum(&self) -> Result<DiskSum, EngineError> {
        let everything = ListRequest {
            archived: true,
            ..ListRequest::default()
        };
        let mut sessions = self.list_sessions(&everything)?.sessions;
        sessions.retain(|view| view.session.worktree_deleted_at.is_none());
        let now = self.now();
        let is_fresh = |view: &SessionView| {
            let age = view.disk.map(|facts| now.duration_since(facts.checked_at));
            age.is_some_and(|age| age.unsigned_abs() < FRESH)
        };
        let (mut known, mut stale): (Vec<_>, Vec<_>) = sessions.into_iter().partition(is_fresh);
        self.refresh_disk_use(&mut stale, PATIENCE)?;
        known.append(&mut stale);
        Ok(DiskSum {
            bytes: known
                .iter()
                .filter_map(|view| view.disk)
                .map(|it| it.own_bytes)
                .sum(),
            is_complete: known.iter().all(|view| view.disk.is_some()),
        })
    }

    /// `None` if it cannot be counted completely: a part would be a guess.
    fn count(&self, session: &Session, within: Duration) -> Option<DiskFacts> {
        let directory = match &session.trash {
            None => session.worktree.clone(),
            Some(entry) => {
                let repository = self.repository_of(session).ok()?;
                repository.find_in_trash(entry).ok()??.directory?
            }
        };
        let counted = disk_use(&directory, within).ok()?;
        counted.is_complete.then(|| DiskFacts {
            own_bytes: counted.own_bytes,
            shared_bytes: counted.shared_bytes,
            is_sharing_known: counted.is_sharing_known,
            checked_at: self.now(),
        })
    }
}

/// A size in the unit people would use, with one digit behind the point.
#[must_use]
pub fn size_in_words(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut tenths = bytes.saturating_mul(10) / 1024;
    let mut units = UNITS.iter();
    let mut unit = units.next().unwrap_or(&"KiB");
    for larger in units {
        if tenths < 10_240 {
            break;
        }
        (tenths, unit) = (tenths / 1024, larger);
    }
    match tenths {
        0..10 => format!("{bytes} B"),
        10..1_000 => format!("{}.{} {unit}", tenths / 10, tenths % 10),
        _ => format!("{} {unit}", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_use_one_unit() {
        let cases = [
            (0, "0 B"),
            (1_000, "1000 B"),
            (1_024, "1.0 KiB"),
            (1_536, "1.5 KiB"),
            (200 * 1_024, "200 KiB"),
            (5 * 1_024 * 1_024, "5.0 MiB"),
            (3 << 30, "3.0 GiB"),
            (7 << 40, "7.0 TiB"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(size_in_words(bytes), expected);
        }
    }
}
