//! What was copied and what was not, as lines for people.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use orchestra_core::{and_more, visible_line};

use super::left_out::LeftOut;

/// More lines about what was left out would hide the others.
const MOST_LEFT_OUT: usize = 20;

/// One line about what a worktree got, or did not get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyLine {
    /// What happened.
    pub text: String,
    /// Whether the user may want to do something about it.
    pub is_warning: bool,
}

impl fmt::Display for CopyLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.is_warning { "warning: " } else { "" };
        write!(formatter, "{mark}{}", self.text)
    }
}

#[derive(Debug, Default)]
pub(super) struct Log {
    lines: Vec<CopyLine>,
    left_out: BTreeMap<PathBuf, LeftOut>,
    brought: BTreeSet<PathBuf>,
}

impl Log {
    pub(super) fn say(&mut self, text: String) {
        self.lines.push(CopyLine {
            text,
            is_warning: false,
        });
    }

    pub(super) fn warn(&mut self, text: String) {
        self.lines.push(CopyLine {
            text,
            is_warning: true,
        });
    }

    /// Several settings can mean the same path: the first reason is told, and none for what came by another one.
    pub(super) fn leave_out(&mut self, path: &Path, why: LeftOut) {
        if !self.brought.contains(path) {
            self.left_out.entry(path.to_owned()).or_insert(why);
        }
    }

    /// Notes that a path is there now.
    pub(super) fn bring(&mut self, path: &Path) {
        self.left_out.remove(path);
        self.brought.insert(path.to_owned());
    }

    /// Takes over what somebody else left out.
    pub(super) fn absorb(&mut self, other: Self) {
        for (path, why) in other.left_out {
            self.leave_out(&path, why);
        }
    }

    /// Everything in order; what was left out comes last.
    pub(super) fn into_lines(self) -> Vec<CopyLine> {
        let Self {
            mut lines,
            left_out,
            ..
        } = self;
        let more = and_more(left_out.len(), MOST_LEFT_OUT);
        let shown = left_out.iter().take(MOST_LEFT_OUT);
        lines.extend(shown.map(|(path, why)| CopyLine {
            text: format!("left out {}: {why}", name(path)),
            is_warning: why.is_warning(),
        }));
        lines.extend(more.map(|more| CopyLine {
            text: format!("{more} left out"),
            is_warning: left_out.iter().any(|(_, why)| why.is_warning()),
        }));
        lines
    }
}

/// A path that stays on its line, whatever its name is.
pub(super) fn name(path: &Path) -> String {
    visible_line(&path.to_string_lossy())
}
