//! Numbered steps of a database's history. Two branches that each add step 7 merge without a conflict and break the
//! database, so their numbers are compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Directories that migrations are kept in.
const DIRECTORIES: &[&str] = &["migrations", "migration", "migrate"];

/// The place of a migration in the order of its directory, as its name writes it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema, Deserialize,
)]
pub struct MigrationNumber {
    value: u64,
    digits: usize,
}

impl MigrationNumber {
    /// The number of a migration by its path: `migrations/0007_users.sql`, `db/migrate/20260102030405_users.rb`,
    /// `migrations/V7__users.sql` or `migrations/2026-01-02-030405_users/up.sql`.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        Step::of(path).map(|step| step.number)
    }

    /// The number itself.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.value
    }

    fn after(self, steps: u64) -> Self {
        Self {
            value: self.value.saturating_add(steps),
            digits: self.digits,
        }
    }
}

impl fmt::Display for MigrationNumber {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:0width$}", self.value, width = self.digits)
    }
}

/// Two branches gave the same number to different migrations of one directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct MigrationClash {
    /// The directory.
    #[schema(value_type = String)]
    #[serde(serialize_with = "crate::path_as_text")]
    pub directory: PathBuf,
    /// The numbers that both gave away.
    pub numbers: Vec<MigrationNumber>,
    /// What has these numbers in ours.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "crate::path_as_text")]
    pub ours: Vec<PathBuf>,
    /// What has these numbers in theirs.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "crate::path_as_text")]
    pub theirs: Vec<PathBuf>,
    /// New names that put all of theirs behind ours, in the order they have.
    pub proposal: Vec<Renumbering>,
}

/// A new name for a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct Renumbering {
    /// What it is called.
    #[schema(value_type = String)]
    #[serde(serialize_with = "crate::path_as_text")]
    pub from: PathBuf,
    /// What it would be called.
    #[schema(value_type = String)]
    #[serde(serialize_with = "crate::path_as_text")]
    pub to: PathBuf,
}

/// Compares the files that a branch added, theirs, with those of another one, a directory at a time.
#[must_use]
pub fn clashing_migrations<'a>(
    ours: impl IntoIterator<Item = &'a Path>,
    theirs: impl IntoIterator<Item = &'a Path>,
) -> Vec<MigrationClash> {
    let theirs = by_directory(theirs);
    if theirs.is_empty() {
        return Vec::new();
    }
    let ours = by_directory(ours);
    let both = theirs
        .iter()
        .filter_map(|(directory, theirs)| Some((*directory, ours.get(directory)?, theirs)));
    both.filter_map(|(directory, ours, theirs)| compare(directory, ours, theirs))
        .collect()
}

/// The files of each step. A step can have two: one up, one down.
type Steps<'a> = BTreeMap<MigrationNumber, Vec<Step<'a>>>;

fn by_directory<'a>(
    paths: impl IntoIterator<Item = &'a Path>,
) -> BTreeMap<Option<&'a Path>, Steps<'a>> {
    let mut directories: BTreeMap<_, Steps<'_>> = BTreeMap::new();
    for step in paths.into_iter().filter_map(Step::of) {
        let steps = directories.entry(step.entry.parent()).or_default();
        steps.entry(step.number).or_default().push(step);
    }
    directories
}

fn compare(
    directory: Option<&Path>,
    ours: &Steps<'_>,
    theirs: &Steps<'_>,
) -> Option<MigrationClash> {
    let clashes = |number: &&MigrationNumber| {
        let same = ours.iter().filter(|(other, _)| other.value == number.value);
        let taken: BTreeSet<_> = same.flat_map(|(_, steps)| names(steps)).collect();
        !taken.is_empty() && !names(&theirs[*number]).is_subset(&taken)
    };
    let numbers: Vec<_> = theirs.keys().filter(clashes).copied().collect();
    let first = *numbers.first()?;
    Some(MigrationClash {
        directory: directory.unwrap_or(Path::new("")).to_owned(),
        ours: paths_of(ours, &numbers),
        theirs: paths_of(theirs, &numbers),
        proposal: renumbered(ours, theirs, first),
        numbers,
    })
}

/// What the steps are called. The files of one step differ only behind a full stop: `7_users.up.sql`, `7_users.down.sql`.
fn names<'a>(steps: &[Step<'a>]) -> BTreeSet<&'a str> {
    let name = |step: &Step<'a>| step.entry.file_name()?.to_str()?.split('.').next();
    steps.iter().filter_map(name).collect()
}

fn paths_of(steps: &Steps<'_>, numbers: &[MigrationNumber]) -> Vec<PathBuf> {
    let is_one = |number: &MigrationNumber| numbers.iter().any(|one| one.value == number.value);
    let found = steps.iter().filter(|(number, _)| is_one(number));
    found
        .flat_map(|(_, files)| files.iter().map(|file| file.path.to_owned()))
        .collect()
}

/// Everything of theirs from the first clash on moves behind the last one of ours, so that their own order stays.
fn renumbered(ours: &Steps<'_>, theirs: &Steps<'_>, first: MigrationNumber) -> Vec<Renumbering> {
    let last = ours.keys().next_back().map_or(0, |last| last.value);
    let start = MigrationNumber {
        value: last,
        digits: first.digits,
    };
    let later = theirs.range(first..).zip(1..);
    later
        .flat_map(|((_, files), place)| files.iter().map(move |file| (file, start.after(place))))
        .map(|(file, number)| Renumbering {
            from: file.path.to_owned(),
            to: file.renamed(number),
        })
        .filter(|renumbering| renumbering.from != renumbering.to)
        .collect()
}

/// A file of a migration: either the numbered file itself, or something in a numbered directory.
#[derive(Debug, Clone)]
struct Step<'a> {
    path: &'a Path,
    /// The numbered entry of the migrations directory.
    entry: &'a Path,
    number: MigrationNumber,
    /// How much of the entry's name is the number, and what comes before it.
    before: &'a str,
    written: &'a str,
}

impl<'a> Step<'a> {
    fn of(path: &'a Path) -> Option<Self> {
        let entry = path.ancestors().find(|entry| is_in_migrations(entry))?;
        let name = entry.file_name()?.to_str()?;
        let digits = name.strip_prefix('V').unwrap_or(name);
        let before = &name[..name.len() - digits.len()];
        let written = &digits[..number_length(digits)?];
        let plain: String = written.chars().filter(char::is_ascii_digit).collect();
        let number = MigrationNumber {
            value: plain.parse().ok()?,
            digits: plain.len(),
        };
        Some(Self {
            path,
            entry,
            number,
            before,
            written,
        })
    }

    fn renamed(&self, number: MigrationNumber) -> PathBuf {
        let name = self.entry.to_string_lossy();
        let directory = self.entry.parent().unwrap_or(Path::new(""));
        let name = name.rsplit('/').next().unwrap_or(&name);
        let rest = &name[self.before.len() + self.written.len()..];
        let entry = directory.join(format!("{}{number}{rest}", self.before));
        match self.path.strip_prefix(self.entry) {
            Ok(inside) if inside != Path::new("") => entry.join(inside),
            _ => entry,
        }
    }
}

fn is_in_migrations(entry: &Path) -> bool {
    let parent = entry
        .parent()
        .and_then(|parent| parent.components().next_back());
    let Some(Component::Normal(name)) = parent else {
        return false;
    };
    DIRECTORIES.iter().any(|known| name == *known)
}

/// Digits up to an underscore, dash or full stop, or a date and a time with dashes. `1.2` is no single number.
fn number_length(name: &str) -> Option<usize> {
    const DATE_AND_TIME: &str = "0000-00-00-000000";
    let shape: String = name
        .chars()
        .take(DATE_AND_TIME.len())
        .map(|char| if char.is_ascii_digit() { '0' } else { char })
        .collect();
    if shape == DATE_AND_TIME {
        return Some(DATE_AND_TIME.len());
    }
    let length = name.bytes().take_while(u8::is_ascii_digit).count();
    let mut rest = name[length..].chars();
    match (length, rest.next(), rest.next()) {
        (0, ..) => None,
        (_, Some('.'), Some(next)) if next.is_ascii_digit() => None,
        (_, Some('_' | '-' | '.') | None, _) => Some(length),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(path: &str) -> Option<String> {
        MigrationNumber::of(Path::new(path)).map(|number| number.to_string())
    }

    fn clashes(ours: &[&str], theirs: &[&str]) -> Vec<MigrationClash> {
        clashing_migrations(ours.iter().map(Path::new), theirs.iter().map(Path::new))
    }

    #[test]
    fn numbers_are_read_from_names() {
        let table = [
            ("db/migrations/0007_users.sql", Some("0007")),
            ("db/migrate/20260102030405_users.rb", Some("20260102030405")),
            ("src/main/resources/db/migration/V7__users.sql", Some("7")),
            (
                "migrations/2026-01-02-030405_users/up.sql",
                Some("20260102030405"),
            ),
            (
                "prisma/migrations/20260102_init/migration.sql",
                Some("20260102"),
            ),
            ("migrations/0007-2fa.sql", Some("0007")),
            ("migrations/7.sql", Some("7")),
            ("migrations/7", Some("7")),
            ("migrations/V1.2__x.sql", None),
            ("migrations/users.sql", None),
            ("migrations/7users.sql", None),
            ("migrations/99999999999999999999_x.sql", None),
            ("src/0007_users.sql", None),
            ("0007_users.sql", None),
        ];
        for (path, expected) in table {
            assert_eq!(number(path).as_deref(), expected, "{path}");
        }
        let path = Path::new("migrations/0042_x.sql");
        assert_eq!(
            MigrationNumber::of(path).map(MigrationNumber::value),
            Some(42)
        );
    }

    #[test]
    fn theirs_move_behind_ours_in_their_own_order() {
        let found = clashes(
            &["m/migrations/0007_a.sql", "m/migrations/0008_b.sql"],
            &[
                "m/migrations/0006_w.sql",
                "m/migrations/0007_x.up.sql",
                "m/migrations/0007_x.down.sql",
                "m/migrations/0009_y.sql",
                "src/lib.rs",
            ],
        );
        let [clash] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(clash.directory, Path::new("m/migrations"));
        assert_eq!(clash.numbers.len(), 1);
        assert_eq!(clash.ours, [PathBuf::from("m/migrations/0007_a.sql")]);
        assert_eq!(clash.theirs.len(), 2);
        let proposal: Vec<_> = clash
            .proposal
            .iter()
            .map(|one| (one.from.to_str().unwrap(), one.to.to_str().unwrap()))
            .collect();
        assert_eq!(
            proposal,
            [
                ("m/migrations/0007_x.up.sql", "m/migrations/0009_x.up.sql"),
                (
                    "m/migrations/0007_x.down.sql",
                    "m/migrations/0009_x.down.sql"
                ),
                ("m/migrations/0009_y.sql", "m/migrations/0010_y.sql"),
            ]
        );
    }

    #[test]
    fn a_numbered_directory_moves_with_what_is_in_it() {
        let found = clashes(&["migrations/7_a/up.sql"], &["migrations/07_x/up.sql"]);
        assert_eq!(found[0].proposal[0].to, Path::new("migrations/08_x/up.sql"));
        assert_eq!(found[0].ours, [PathBuf::from("migrations/7_a/up.sql")]);
    }

    #[test]
    fn different_numbers_directories_and_the_same_file_do_not_clash() {
        assert_eq!(clashes(&["migrations/1_a"], &["migrations/2_b"]), []);
        assert_eq!(clashes(&["a/migrations/1_a"], &["b/migrations/1_b"]), []);
        assert_eq!(clashes(&["migrations/1_a"], &["migrations/1_a"]), []);
        assert_eq!(clashes(&["migrations/V1__a"], &["migrations/users"]), []);
    }

    #[test]
    fn the_other_half_of_a_step_that_is_there_does_not_clash() {
        let there = ["migrations/0007_a.up.sql", "migrations/0007_b.sql"];
        assert_eq!(clashes(&there, &["migrations/0007_a.down.sql"]), []);
        assert_eq!(clashes(&there, &["migrations/0007_c.sql"]).len(), 1);
        let dated = ["migrations/2026-01-02-030405_users/up.sql"];
        let other = ["migrations/2026-01-02-030405_users/down.sql"];
        assert_eq!(clashes(&dated, &other), []);
    }
}
