//! How much is measured.

use std::path::PathBuf;

/// Measures Orchestra against bare git, SQLite and serde_json
#[derive(Debug, clap::Parser)]
#[command(name = "orchestra-bench", version)]
pub(crate) struct Arguments {
    /// Three repetitions, no repository of 62,000 files, fewer sessions and rows
    #[arg(long)]
    quick: bool,
    /// Replace the figures in docs/performance.md
    #[arg(long, conflicts_with_all = ["quick", "only"])]
    pub(crate) write: bool,
    /// Only these groups: create, concurrent, together, guard, sandbox, crowd, board, cleanup, matrix, rewrite, reuse, ingest, tail, parse, memory, serve
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// The `orchestra` program to measure; by default the one beside this program
    #[arg(long)]
    pub(crate) orchestra: Option<PathBuf>,
    /// Where to make the temporary directory
    #[arg(long)]
    pub(crate) directory: Option<PathBuf>,
}

/// A kind of repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    /// The letter it has in the table.
    pub(crate) letter: &'static str,
    pub(crate) files: usize,
    /// The mean length of a file.
    pub(crate) file_bytes: usize,
}

/// Like a command-line tool.
pub(crate) const SMALL: Size = Size {
    letter: "S",
    files: 237,
    file_bytes: 13_000,
};
/// Like a web framework.
pub(crate) const MEDIUM: Size = Size {
    letter: "M",
    files: 7_000,
    file_bytes: 6_500,
};
/// Like a compiler.
pub(crate) const LARGE: Size = Size {
    letter: "L",
    files: 62_000,
    file_bytes: 3_000,
};

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) repetitions: usize,
    pub(crate) sizes: Vec<Size>,
    /// Numbers of sessions at which git processes are counted; creating is timed at the last.
    pub(crate) crowds: [usize; 3],
    /// Sessions that are listed.
    pub(crate) listed: usize,
    /// Transcript rows in the store.
    pub(crate) transcript_rows: usize,
    /// Bytes of agent output.
    pub(crate) output_bytes: usize,
    /// Bytes of dependencies.
    pub(crate) dependency_bytes: usize,
    only: Vec<String>,
}

impl Plan {
    pub(crate) fn of(arguments: &Arguments) -> Self {
        let only = arguments.only.clone();
        if arguments.quick {
            return Self {
                repetitions: 3,
                sizes: vec![SMALL, MEDIUM],
                crowds: [1, 50, 200],
                listed: 200,
                transcript_rows: 100_000,
                output_bytes: 20_000_000,
                dependency_bytes: 100_000_000,
                only,
            };
        }
        Self {
            repetitions: 10,
            sizes: vec![SMALL, MEDIUM, LARGE],
            crowds: [1, 50, 500],
            listed: 1_000,
            transcript_rows: 1_000_000,
            output_bytes: 100_000_000,
            dependency_bytes: 1_000_000_000,
            only,
        }
    }

    pub(crate) fn wants(&self, group: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|wanted| wanted == group)
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_arguments_fit_together() {
        super::Arguments::command().debug_assert();
    }
}
