//! Databases that belong to one session alone.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{SessionId, Timestamp};

/// The longest name that PostgreSQL takes; MySQL takes one more.
const LONGEST_NAME: usize = 63;

/// A database of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionDatabase {
    /// Whose it is.
    pub session: SessionId,
    /// What the repository's settings call it.
    pub name: String,
    /// What it is.
    pub kind: DatabaseKind,
    /// The file, or the name on the database server.
    pub location: String,
    /// Whether it is there.
    pub state: DatabaseState,
    /// Since when that is so.
    pub changed_at: Timestamp,
}

/// What a database is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseKind {
    /// A file.
    Sqlite,
    /// One on a PostgreSQL server.
    Postgresql,
    /// One on a MySQL or MariaDB server.
    Mysql,
}

/// Whether a database is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DatabaseState {
    /// Its name is reserved; nothing was done yet.
    Reserved,
    /// It is being made, or that was cut off.
    Creating,
    /// It is there.
    Ready,
    /// What should have made it did not come to a good end; something may be left of that.
    Failed,
    /// No setting says how it is made, so nobody can tell whether it is there.
    Unknown,
    /// It is being dropped, or that was cut off.
    Dropping,
}

/// A word that names no kind or state of databases.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not known of databases")]
pub struct UnknownDatabaseWord(String);

impl DatabaseKind {
    /// The words for the kinds.
    pub const WORDS: &'static [&'static str] = &["sqlite", "postgresql", "mysql"];

    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgresql => "postgresql",
            Self::Mysql => "mysql",
        }
    }
}

impl FromStr for DatabaseKind {
    type Err = UnknownDatabaseWord;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let all = [Self::Sqlite, Self::Postgresql, Self::Mysql];
        let found = all.into_iter().find(|kind| kind.name() == word);
        found.ok_or_else(|| UnknownDatabaseWord(word.to_owned()))
    }
}

impl DatabaseState {
    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reserved => "reserved",
            Self::Creating => "creating",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Dropping => "dropping",
        }
    }

    /// Whether something may be left on a server or a disk.
    #[must_use]
    pub fn may_exist(self) -> bool {
        match self {
            Self::Reserved => false,
            Self::Creating | Self::Ready | Self::Failed | Self::Unknown | Self::Dropping => true,
        }
    }
}

impl FromStr for DatabaseState {
    type Err = UnknownDatabaseWord;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let all = [
            Self::Reserved,
            Self::Creating,
            Self::Ready,
            Self::Failed,
            Self::Unknown,
            Self::Dropping,
        ];
        let found = all.into_iter().find(|state| state.name() == word);
        found.ok_or_else(|| UnknownDatabaseWord(word.to_owned()))
    }
}

/// A name that every database server takes without quotes.
#[must_use]
pub fn database_name(text: &str) -> String {
    let plain = |char: char| match char.is_ascii_alphanumeric() {
        true => char.to_ascii_lowercase(),
        false => '_',
    };
    let name: String = text.chars().map(plain).collect();
    let name = match name.starts_with(|char: char| char.is_ascii_digit()) {
        true => format!("s_{name}"),
        false => name,
    };
    // What tells sessions apart, their id, stands at the end.
    let start = name.len().saturating_sub(LONGEST_NAME);
    name[start..].trim_start_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_keep_their_end() {
        assert_eq!(database_name("Fix Login-ab12cd"), "fix_login_ab12cd");
        assert_eq!(database_name("7days"), "s_7days");
        assert_eq!(database_name("größe"), "gr__e");
        let long = format!("{}-x9", "a".repeat(100));
        let name = database_name(&long);
        assert!(
            name.len() <= LONGEST_NAME && name.ends_with("a_x9"),
            "{name}"
        );
    }

    #[test]
    fn every_word_reads_back() {
        for word in DatabaseKind::WORDS {
            assert_eq!(word.parse::<DatabaseKind>().unwrap().name(), *word);
        }
        let states = [
            "reserved", "creating", "ready", "failed", "unknown", "dropping",
        ];
        for word in states {
            let state: DatabaseState = word.parse().unwrap();
            assert_eq!(state.name(), word);
            assert_eq!(serde_json::to_value(state).unwrap(), word);
        }
        assert!("oracle".parse::<DatabaseKind>().is_err());
        assert!("gone".parse::<DatabaseState>().is_err());
    }

    #[test]
    fn only_a_reserved_name_leaves_nothing() {
        assert!(!DatabaseState::Reserved.may_exist());
        for state in [
            DatabaseState::Creating,
            DatabaseState::Ready,
            DatabaseState::Failed,
            DatabaseState::Unknown,
            DatabaseState::Dropping,
        ] {
            assert!(state.may_exist());
        }
    }
}
