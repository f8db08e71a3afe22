//! Finding the files that are wanted, from open directory to open directory. Ignored directories are entered only by a
//! pattern that speaks of their path: a name at any depth does not mean all dependencies.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};

use orchestra_core::FileGlob;
use orchestra_git::Ignored;

use crate::EngineError;
use crate::copy_files::{Directory, Kind, is_env_file, names_env_file};

/// More files are a pattern that means something else.
const MOST_FILES: usize = 1_000;
const NOT_NAMED: &str = "files with secrets are collected only where a pattern names them";

/// What is looked for, and what was in the way.
pub(super) struct Search<'a> {
    wanted: &'a [FileGlob],
    ignored: BTreeSet<PathBuf>,
    files: usize,
    pub(super) left_out: Vec<(PathBuf, String)>,
}

/// What is taken in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Whatever a pattern matches.
    Matching,
    /// Only what a pattern names by its path.
    Named,
    /// All of it: a pattern matched the directory.
    Everything,
}

impl<'a> Search<'a> {
    pub(super) fn new(wanted: &'a [FileGlob], ignored: Vec<Ignored>) -> Self {
        let directories = ignored.into_iter().filter(|ignored| ignored.is_directory);
        Self {
            wanted,
            ignored: directories.map(|ignored| ignored.path).collect(),
            files: 0,
            left_out: Vec::new(),
        }
    }

    /// Takes every file that is wanted, and answers how many there were. A file that cannot be taken is left out.
    pub(super) fn run(
        &mut self,
        top: &Path,
        mut take: impl FnMut(File, &Path) -> Result<(), EngineError>,
    ) -> Result<usize, EngineError> {
        let opened = Directory::open(top)
            .map_err(|source| EngineError::io(format!("read {}", top.display()), source))?;
        self.look(&opened, Path::new(""), Reach::Matching, &mut take);
        if self.files > MOST_FILES {
            let why = format!("only the first {MOST_FILES} files are collected");
            self.left_out.push((PathBuf::from("..."), why));
        }
        Ok(self.files.min(MOST_FILES))
    }

    fn look(
        &mut self,
        directory: &Directory,
        at: &Path,
        reach: Reach,
        take: &mut impl FnMut(File, &Path) -> Result<(), EngineError>,
    ) {
        let names = match directory.names() {
            Ok(names) => names,
            Err(error) => return self.leave_out(at, error.to_string()),
        };
        for name in names.into_iter().filter(|name| !is_git(name)) {
            let path = at.join(&name);
            match directory.kind(&name) {
                Ok(Some(Kind::Directory)) => self.enter(directory, &name, &path, reach, take),
                Ok(Some(Kind::File)) if self.wants(&path, reach) => {
                    self.collect(directory, &name, &path, take);
                }
                Ok(Some(Kind::File)) if self.is_unnamed(&path, reach) => {
                    self.leave_out(&path, NOT_NAMED.to_owned());
                }
                Ok(Some(Kind::Link)) if self.wants(&path, reach) => {
                    self.leave_out(&path, "it is a link".to_owned());
                }
                Ok(Some(Kind::Special(what))) if self.wants(&path, reach) => {
                    self.leave_out(&path, format!("it is {what}"));
                }
                Ok(_) => {}
                Err(error) => self.leave_out(&path, error.to_string()),
            }
        }
    }

    fn enter(
        &mut self,
        parent: &Directory,
        name: &OsStr,
        path: &Path,
        reach: Reach,
        take: &mut impl FnMut(File, &Path) -> Result<(), EngineError>,
    ) {
        let Some(inner) = self.reach_into(path, reach) else {
            return;
        };
        match parent.child(name) {
            // A repository of its own has its own artifacts.
            Ok(child) if matches!(child.kind(OsStr::new(".git")), Ok(None)) => {
                self.look(&child, path, inner, take);
            }
            Ok(_) => {}
            Err(error) => self.leave_out(path, error.to_string()),
        }
    }

    /// What is taken inside a directory; `None` if nothing is.
    fn reach_into(&self, path: &Path, reach: Reach) -> Option<Reach> {
        if reach == Reach::Everything || self.matches(path, reach) {
            return Some(Reach::Everything);
        }
        if reach == Reach::Matching && !self.ignored.contains(path) {
            return Some(Reach::Matching);
        }
        let is_meant = self.wanted.iter().any(|glob| glob.reaches_into(path));
        is_meant.then_some(Reach::Named)
    }

    /// Files that usually have secrets must be named.
    fn wants(&self, path: &Path, reach: Reach) -> bool {
        match is_env_file(path) {
            true => self.wanted.iter().any(|glob| names_env_file(glob, path)),
            false => self.is_meant(path, reach),
        }
    }

    /// Whether it usually has secrets and is wanted by a pattern that does not name it.
    fn is_unnamed(&self, path: &Path, reach: Reach) -> bool {
        is_env_file(path) && self.is_meant(path, reach)
    }

    fn is_meant(&self, path: &Path, reach: Reach) -> bool {
        reach == Reach::Everything || self.matches(path, reach)
    }

    fn matches(&self, path: &Path, reach: Reach) -> bool {
        let parent = path.parent().unwrap_or(Path::new(""));
        let is_meant = |glob: &&FileGlob| reach != Reach::Named || glob.reaches_into(parent);
        let mut meant = self.wanted.iter().filter(is_meant);
        meant.any(|glob| glob.matches(path))
    }

    fn collect(
        &mut self,
        directory: &Directory,
        name: &OsStr,
        path: &Path,
        take: &mut impl FnMut(File, &Path) -> Result<(), EngineError>,
    ) {
        self.files += 1;
        if self.files > MOST_FILES {
            return;
        }
        let opened = directory.file(name);
        let taken = opened.map_err(|source| EngineError::io("open it", source));
        if let Err(error) = taken.and_then(|file| take(file, path)) {
            self.files -= 1;
            self.leave_out(path, crate::chain::text(&error));
        }
    }

    fn leave_out(&mut self, path: &Path, why: String) {
        self.left_out.push((path.to_owned(), why));
    }
}

fn is_git(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(".git")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn found(patterns: &[&str], ignored: &[&str], files: &[&str]) -> Vec<String> {
        searched(patterns, ignored, files).0
    }

    /// What was taken, and what was left out.
    fn searched(
        patterns: &[&str],
        ignored: &[&str],
        files: &[&str],
    ) -> (Vec<String>, Vec<(PathBuf, String)>) {
        let top = tempfile::tempdir().unwrap();
        for file in files {
            let path = top.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let wanted: Vec<FileGlob> = patterns.iter().map(|text| text.parse().unwrap()).collect();
        let ignored = ignored.iter().map(|path| Ignored {
            path: PathBuf::from(path),
            is_directory: true,
        });
        let mut search = Search::new(&wanted, ignored.collect());
        let mut taken = Vec::new();
        let take = |_: File, path: &Path| {
            taken.push(path.to_string_lossy().into_owned());
            Ok(())
        };
        search.run(top.path(), take).unwrap();
        (taken, search.left_out)
    }

    #[test]
    fn patterns_find_files_but_not_those_of_dependencies() {
        let files = [
            "a.xml",
            "deep/er/a.xml",
            "deps/a.xml",
            "deps/out/b.xml",
            "out/c.txt",
            ".git/a.xml",
        ];
        for (patterns, expected) in [
            (&["a.xml"][..], &["a.xml", "deep/er/a.xml"][..]),
            (&["deep/*.xml"], &[]),
            (&["deps/a.xml"], &["deps/a.xml"]),
            (
                &["deps/out/*", "a.xml"],
                &["a.xml", "deep/er/a.xml", "deps/out/b.xml"],
            ),
            (&["out"], &["out/c.txt"]),
            (&["deps/out/"], &["deps/out/b.xml"]),
            (&["**/c.txt"], &["out/c.txt"]),
        ] {
            assert_eq!(found(patterns, &["deps"], &files), expected, "{patterns:?}");
        }
    }

    #[test]
    fn files_with_secrets_must_be_named() {
        let files = ["out/.env", "out/.env.local", "out/x"];
        assert_eq!(found(&["out"], &[], &files), ["out/x"]);
        assert_eq!(found(&["out/*"], &[], &files), ["out/x"]);
        assert_eq!(
            found(&["out/.env*"], &[], &files),
            ["out/.env", "out/.env.local"]
        );
        assert_eq!(found(&["out/{.env,x}"], &[], &files), ["out/.env", "out/x"]);
        assert_eq!(found(&["*.LOCAL"], &[], &["out/.ENV.LOCAL"]), [""; 0]);
        assert_eq!(found(&[".ENV"], &[], &["out/.ENV"]), ["out/.ENV"]);
        let left_out = |patterns: &[&str]| -> Vec<String> {
            let (_, left_out) = searched(patterns, &[], &files);
            let name = |(path, why): (PathBuf, String)| format!("{}: {why}", path.display());
            left_out.into_iter().map(name).collect()
        };
        let unnamed = [".env", ".env.local"].map(|name| format!("out/{name}: {NOT_NAMED}"));
        assert_eq!(left_out(&["out"]), unnamed);
        assert_eq!(left_out(&["out", ".env"]), unnamed[1..]);
        assert_eq!(left_out(&["x"]), [""; 0]);
    }

    #[test]
    fn git_and_repositories_of_their_own_are_left_alone() {
        let files = ["inner/.git", "inner/a.xml", "a.xml", ".git"];
        assert_eq!(found(&["*"], &[], &files), ["a.xml"]);
        assert_eq!(found(&["a.xml"], &[], &files), ["a.xml"]);
        assert_eq!(found(&["inner"], &[], &files), Vec::<String>::new());
    }
}
