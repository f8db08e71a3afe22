//! What must be covered, and whether it is.

use std::collections::BTreeMap;

use super::lcov::Lines;

/// The crates that are measured.
pub(super) const CRATES: [&str; 4] = [
    "orchestra-core",
    "orchestra-git",
    "orchestra-store",
    "orchestra-engine",
];
const PERCENT_OF_A_CRATE: usize = 90;
/// Code that makes, repairs and removes worktrees can destroy work, so each line of it is tested.
const PERCENT_OF_WORKTREES: usize = 100;
const WORKTREES: &str = "crates/orchestra-git/src/worktree";

/// A goal and what was measured for it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reached {
    name: String,
    minimum_percent: usize,
    covered: usize,
    total: usize,
    /// Files with the lines that never ran, as ranges.
    missed: Vec<String>,
}

impl Reached {
    /// Nothing measured is not success.
    pub(super) fn is_met(&self) -> bool {
        self.total > 0 && self.covered * 100 >= self.minimum_percent * self.total
    }

    fn row(&self) -> String {
        let percent = self.covered as f64 * 100.0 / self.total.max(1) as f64;
        let verdict = if self.is_met() { "ok" } else { "UNDER" };
        let measured = format!("{}/{}", self.covered, self.total);
        format!(
            "{:<60} {measured:>11} {percent:>6.1} %  goal {:>3} %  {verdict}",
            self.name, self.minimum_percent
        )
    }
}

/// Judges each crate as a whole, and each file of the worktree code by itself.
pub(super) fn judge(lines: &Lines) -> Vec<Reached> {
    let crates = CRATES.iter().map(|name| {
        let folder = format!("crates/{name}/src/");
        let files = lines.iter().filter(|(path, _)| path.starts_with(&folder));
        reached(name, PERCENT_OF_A_CRATE, files)
    });
    let worktrees = lines.iter().filter(|(path, _)| is_worktree_code(path));
    let worktrees =
        worktrees.map(|file| reached(file.0, PERCENT_OF_WORKTREES, std::iter::once(file)));
    crates.chain(worktrees).collect()
}

/// One row a goal; under a goal that is missed, the lines that never ran.
pub(super) fn summary(results: &[Reached]) -> String {
    let mut text = String::new();
    for result in results {
        text.push_str(&format!("{}\n", result.row()));
        if !result.is_met() {
            for missed in &result.missed {
                text.push_str(&format!("    {missed}\n"));
            }
        }
    }
    text
}

/// `worktree*.rs` and everything in folders of such a name.
fn is_worktree_code(path: &str) -> bool {
    let Some(rest) = path.strip_prefix(WORKTREES) else {
        return false;
    };
    rest.ends_with(".rs") && (!rest.contains('/') || rest.starts_with('/'))
}

fn reached<'a>(
    name: &str,
    minimum_percent: usize,
    files: impl Iterator<Item = (&'a String, &'a BTreeMap<u32, u64>)>,
) -> Reached {
    let mut result = Reached {
        name: name.to_owned(),
        minimum_percent,
        covered: 0,
        total: 0,
        missed: Vec::new(),
    };
    for (path, lines) in files {
        let missed: Vec<u32> = never_run(lines);
        result.total += lines.len();
        result.covered += lines.len() - missed.len();
        if !missed.is_empty() {
            result.missed.push(format!("{path}: {}", ranges(&missed)));
        }
    }
    result
}

fn never_run(lines: &BTreeMap<u32, u64>) -> Vec<u32> {
    let unused = lines.iter().filter(|(_, hits)| **hits == 0);
    unused.map(|(line, _)| *line).collect()
}

fn ranges(sorted: &[u32]) -> String {
    let runs = sorted.chunk_by(|left, right| left + 1 == *right);
    let texts: Vec<_> = runs
        .map(|run| match run {
            [first, .., last] => format!("{first}-{last}"),
            _ => run.iter().map(u32::to_string).collect(),
        })
        .collect();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, covered: u32, missed: u32) -> (String, BTreeMap<u32, u64>) {
        let hits = |line| u64::from(line <= covered);
        let lines = (1..=covered + missed).map(|line| (line, hits(line)));
        (path.to_owned(), lines.collect())
    }

    fn names_under_goal(
        files: impl IntoIterator<Item = (String, BTreeMap<u32, u64>)>,
    ) -> Vec<String> {
        let results = judge(&files.into_iter().collect());
        let under = results.into_iter().filter(|result| !result.is_met());
        under.map(|result| result.name).collect()
    }

    fn well_covered() -> Vec<(String, BTreeMap<u32, u64>)> {
        let path = |name: &&str| format!("crates/{name}/src/lib.rs");
        CRATES.iter().map(|name| file(&path(name), 9, 1)).collect()
    }

    #[test]
    fn ninety_percent_of_a_crate_is_enough() {
        assert_eq!(names_under_goal(well_covered()), [""; 0]);
        let mut files = well_covered();
        files.push(file("crates/orchestra-store/src/rows.rs", 89, 11));
        assert_eq!(names_under_goal(files), ["orchestra-store"]);
    }

    #[test]
    fn a_crate_that_was_not_measured_is_under_its_goal() {
        let files = well_covered().into_iter().skip(1);
        assert_eq!(names_under_goal(files), ["orchestra-core"]);
    }

    #[test]
    fn worktree_code_needs_every_line() {
        for path in ["worktree.rs", "worktree_list.rs", "worktree/add.rs"] {
            let path = format!("crates/orchestra-git/src/{path}");
            let mut files = well_covered();
            files.push(file(&path, 99, 1));
            assert_eq!(names_under_goal(files), [path]);
        }
        assert!(!is_worktree_code("crates/orchestra-git/src/status.rs"));
        assert!(!is_worktree_code("crates/orchestra-git/src/worktree.sql"));
    }

    #[test]
    fn the_summary_names_lines_that_never_ran() {
        let lines = Lines::from([file("crates/orchestra-core/src/a.rs", 1, 2)]);
        let results = judge(&lines);
        let row = "orchestra-core                                                       1/3   33.3 %  goal  90 %  UNDER\n";
        assert_eq!(
            summary(&results[..1]),
            format!("{row}    crates/orchestra-core/src/a.rs: 2-3\n")
        );
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10]), "1-3, 7, 9-10");
    }
}
