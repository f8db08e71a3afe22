//! Which ignored files are wanted: the patterns of the settings and of the file `.worktreeinclude`.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use orchestra_core::{FileGlob, InvalidFileGlob, visible_line};

/// Patterns in their order; the last one that speaks of a path decides.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    rules: Vec<Rule>,
}

/// What the patterns say of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is wanted.
    Take,
    /// It is not wanted, even if the directory it is in is.
    Refuse,
    /// Nothing of its own.
    Silent,
}

#[derive(Debug)]
struct Rule {
    glob: FileGlob,
    takes: bool,
    /// Where it is written.
    place: String,
}

/// Which patterns matched anything, by their position.
#[derive(Debug, Default)]
pub(super) struct Matched(BTreeSet<usize>);

impl Wanted {
    /// Adds one pattern that is written at a place. One that begins with `!` takes back what others want.
    pub(super) fn add(&mut self, pattern: &str, place: &str) -> Result<(), InvalidFileGlob> {
        let (text, takes) = match pattern.strip_prefix('!') {
            Some(rest) => (rest, false),
            None => (pattern, true),
        };
        let glob = text.parse()?;
        let place = place.to_owned();
        self.rules.push(Rule { glob, takes, place });
        Ok(())
    }

    /// Notes which patterns match a path.
    pub(super) fn note(&self, path: &Path, matched: &mut Matched) {
        for (position, rule) in self.rules.iter().enumerate() {
            if !matched.0.contains(&position) && rule.glob.matches(path) {
                matched.0.insert(position);
            }
        }
    }

    /// The patterns that want something and matched nothing, each with its place. What is inside of a directory that was taken
    /// as a whole was not looked at, so patterns that speak of it are not among them.
    pub(super) fn idle(&self, matched: &Matched, taken: &[PathBuf]) -> Vec<String> {
        let is_idle = |(position, rule): &(usize, &Rule)| {
            let may_be_inside = taken.iter().any(|path| rule.glob.reaches_into(path));
            rule.takes && !matched.0.contains(position) && !may_be_inside
        };
        let idle = self.rules.iter().enumerate().filter(is_idle);
        idle.map(|(_, rule)| format!("{}: `{}`", rule.place, visible_line(rule.glob.as_str())))
            .collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.rules.iter().any(|rule| rule.takes)
    }

    /// What is said of a path below the top of the repository.
    pub(super) fn verdict(&self, path: &Path) -> Verdict {
        self.decide(|rule| rule.glob.matches(path))
    }

    /// Whether a path is not wanted even if the directory it is in is. Mostly no pattern says such a thing, which saves to match
    /// every file of a large directory.
    pub(super) fn refuses(&self, path: &Path) -> bool {
        !self.rules.iter().all(|rule| rule.takes) && self.verdict(path) == Verdict::Refuse
    }

    /// What is said of a file with secrets, which must be meant by whoever wrote the pattern: `*` does not.
    pub(super) fn verdict_on_env_file(&self, path: &Path) -> Verdict {
        self.decide(|rule| match rule.takes {
            true => names_env_file(&rule.glob, path),
            false => rule.glob.matches(path),
        })
    }

    /// Whether something inside a directory may be wanted that itself is not.
    pub(super) fn reaches_into(&self, directory: &Path) -> bool {
        let mut taking = self.rules.iter().filter(|rule| rule.takes);
        taking.any(|rule| rule.glob.reaches_into(directory))
    }

    /// The directories in which patterns look for names, where they say them without signs that stand for others.
    pub(super) fn directories(&self) -> BTreeSet<PathBuf> {
        let taking = self.rules.iter().filter(|rule| rule.takes);
        let patterns = taking.map(|rule| Path::new(rule.glob.as_str().trim_matches('/')));
        let parents = patterns.filter_map(Path::parent);
        let is_plain = |path: &&Path| !path.to_string_lossy().contains(['*', '?', '[', '{']);
        parents.filter(is_plain).map(Path::to_owned).collect()
    }

    fn decide(&self, speaks: impl Fn(&Rule) -> bool) -> Verdict {
        match self.rules.iter().rev().find(|rule| speaks(rule)) {
            Some(rule) if rule.takes => Verdict::Take,
            Some(_) => Verdict::Refuse,
            None => Verdict::Silent,
        }
    }
}

/// Whether a file usually has secrets in variables: `.env`, `.env.local`, `.envrc`.
pub(crate) fn is_env_file(path: &Path) -> bool {
    after_env(path).is_some()
}

/// Whether a pattern matches an env file because whoever wrote it meant such files.
pub(crate) fn names_env_file(glob: &FileGlob, path: &Path) -> bool {
    glob.matches(path) && !glob.matches(&disguised(path))
}

fn after_env(path: &Path) -> Option<&[u8]> {
    let name = path.file_name().map(OsStr::as_encoded_bytes)?;
    let (start, rest) = name.split_at_checked(4)?;
    start.eq_ignore_ascii_case(b".env").then_some(rest)
}

/// The same path without what makes it an env file. A pattern that matches both did not mean env files.
fn disguised(path: &Path) -> PathBuf {
    let rest = after_env(path).map(String::from_utf8_lossy);
    path.with_file_name(format!(".\u{1}\u{1}\u{1}{}", rest.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(patterns: &[&str]) -> Wanted {
        let mut wanted = Wanted::default();
        for pattern in patterns {
            wanted.add(pattern, "worktree.copy").unwrap();
        }
        wanted
    }

    #[test]
    fn the_last_pattern_that_speaks_decides() {
        let rules = wanted(&["data/**", "!*.key", "data/public.key"]);
        for (path, verdict) in [
            ("data/a.db", Verdict::Take),
            ("data/a.key", Verdict::Refuse),
            ("data/public.key", Verdict::Take),
            ("other", Verdict::Silent),
        ] {
            assert_eq!(rules.verdict(Path::new(path)), verdict, "{path}");
        }
        assert!(rules.reaches_into(Path::new("data")));
        assert!(!wanted(&["!data/x"]).reaches_into(Path::new("data")));
        assert!(wanted(&["!data/x"]).is_empty());
    }

    #[test]
    fn patterns_that_match_nothing_are_known() {
        let rules = wanted(&[".env", "data", "data/a.db", "logs/*", "!*.key"]);
        let mut matched = Matched::default();
        for path in ["data", "other/.env"] {
            rules.note(Path::new(path), &mut matched);
        }
        let idle = rules.idle(&matched, &[PathBuf::from("data")]);
        assert_eq!(idle, ["worktree.copy: `logs/*`"]);
    }

    #[test]
    fn env_files_must_be_named() {
        let table = [
            (".env", ".env", true),
            (".env", "apps/web/.env", true),
            (".env*", ".env.local", true),
            ("apps/*/.env.*", "apps/web/.env.test", true),
            ("{.env,.npmrc}", ".env", true),
            ("**/.env", "apps/.env", true),
            ("*", ".env", false),
            (".*", ".env", false),
            ("**", "apps/.env", false),
            ("apps/**", "apps/.env", false),
            ("*.local", ".env.local", false),
            (".????", ".envr", false),
            ("[.]*", ".env", false),
        ];
        for (pattern, path, takes) in table {
            let verdict = wanted(&[pattern]).verdict_on_env_file(Path::new(path));
            assert_eq!(verdict == Verdict::Take, takes, "{pattern} {path}");
        }
        let taken_back = wanted(&[".env*", "!*.local"]);
        let verdict = taken_back.verdict_on_env_file(Path::new(".env.local"));
        assert_eq!(verdict, Verdict::Refuse);
    }

    #[test]
    fn env_files_are_told_by_their_name() {
        for (path, expected) in [
            (".env", true),
            ("a/.ENV.local", true),
            (".envrc", true),
            ("env", false),
            (".en", false),
            (".env/bin/python", false),
        ] {
            assert_eq!(is_env_file(Path::new(path)), expected, "{path}");
        }
    }
}
