//! The sample repository: a small program that counts words, with its tests and one commit.

use std::path::Path;

use super::place::Place;
use crate::failure::Failure;
use crate::{files, program};

const FILES: [(&str, &str); 6] = [
    ("README.md", include_str!("../../sample/README.md")),
    ("package.json", include_str!("../../sample/package.json")),
    ("src/main.js", include_str!("../../sample/src/main.js")),
    ("src/report.js", include_str!("../../sample/src/report.js")),
    ("src/tally.js", include_str!("../../sample/src/tally.js")),
    (
        "test/tally.test.js",
        include_str!("../../sample/test/tally.test.js"),
    ),
];

/// Writes and commits the program.
pub(super) fn create(place: &Place) -> Result<(), Failure> {
    write_program(&place.repository())?;
    git(place, &["init", "--quiet", "--initial-branch=main"])?;
    git(place, &["add", "--all"])?;
    git(
        place,
        &[
            "commit",
            "--quiet",
            "--message",
            "tally: count lines, words and characters",
        ],
    )
}

pub(super) fn write_program(directory: &Path) -> Result<(), Failure> {
    for (path, content) in FILES {
        files::write(&directory.join(path), content)?;
    }
    Ok(())
}

fn git(place: &Place, arguments: &[&str]) -> Result<(), Failure> {
    program::output(place.command("git").args(arguments))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn the_programs_own_tests_pass() {
        let directory = tempfile::tempdir().unwrap();
        write_program(directory.path()).unwrap();
        let mut node = Command::new("node");
        node.arg("--test")
            .current_dir(directory.path())
            .stdout(Stdio::null());
        program::run(&mut node).unwrap();
    }
}
