//! What is measured, one module per group.

mod board;
mod cleanup;
mod concurrent;
mod create;
mod crowd;
mod guard;
mod ingest;
mod matrix;
mod memory;
mod parse;
mod reuse;
mod rewrite;
mod sandbox;
mod serve;
mod tail;
mod together;
mod transcript;

use crate::table::Row;
use crate::{Bench, Outcome};

/// Rows that are measured together.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) measure: fn(&Bench) -> Outcome<Vec<Row>>,
}

/// Every group, in the order of the table.
pub(crate) const GROUPS: &[Group] = &[
    Group {
        name: "create",
        title: "creating sessions",
        measure: create::measure,
    },
    Group {
        name: "concurrent",
        title: "creating many sessions at once",
        measure: concurrent::measure,
    },
    Group {
        name: "together",
        title: "iterating many sessions at once",
        measure: together::measure,
    },
    Group {
        name: "guard",
        title: "looking around while agents run",
        measure: guard::measure,
    },
    Group {
        name: "sandbox",
        title: "holding agents in a sandbox",
        measure: sandbox::measure,
    },
    Group {
        name: "crowd",
        title: "a repository with many sessions",
        measure: crowd::measure,
    },
    Group {
        name: "board",
        title: "refreshing a board",
        measure: board::measure,
    },
    Group {
        name: "cleanup",
        title: "cleaning up sessions",
        measure: cleanup::measure,
    },
    Group {
        name: "matrix",
        title: "conflicts between sessions",
        measure: matrix::measure,
    },
    Group {
        name: "rewrite",
        title: "squashing and rebasing sessions",
        measure: rewrite::measure,
    },
    Group {
        name: "reuse",
        title: "sharing dependencies with new worktrees",
        measure: reuse::measure,
    },
    Group {
        name: "ingest",
        title: "writing transcripts",
        measure: ingest::measure,
    },
    Group {
        name: "tail",
        title: "reading the end of a transcript",
        measure: tail::measure,
    },
    Group {
        name: "parse",
        title: "decoding agent output",
        measure: parse::measure,
    },
    Group {
        name: "memory",
        title: "memory of a running session",
        measure: memory::measure,
    },
    Group {
        name: "serve",
        title: "serving the HTTP API",
        measure: serve::measure,
    },
];
