//! How domain values are written into columns and read back.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use orchestra_core::Timestamp;
use rusqlite::Row;
use rusqlite::types::FromSql;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::StoreError;

pub(crate) fn millis(at: Timestamp) -> i64 {
    at.as_millisecond()
}

/// A number to compare with: one beyond what SQLite holds is also beyond every row.
pub(crate) fn bound(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Reads a column and names it in the error.
pub(crate) fn column<T: FromSql>(row: &Row<'_>, name: &'static str) -> Result<T, StoreError> {
    row.get(name).map_err(|error| unreadable(name, &error))
}

pub(crate) fn parsed<T>(row: &Row<'_>, name: &'static str) -> Result<T, StoreError>
where
    T: FromStr<Err: std::fmt::Display>,
{
    column::<String>(row, name)?
        .parse()
        .map_err(|error| unreadable(name, &error))
}

pub(crate) fn parsed_option<T>(row: &Row<'_>, name: &'static str) -> Result<Option<T>, StoreError>
where
    T: FromStr<Err: std::fmt::Display>,
{
    let text: Option<String> = column(row, name)?;
    text.map(|text| text.parse().map_err(|error| unreadable(name, &error)))
        .transpose()
}

pub(crate) fn timestamp(row: &Row<'_>, name: &'static str) -> Result<Timestamp, StoreError> {
    Timestamp::from_millisecond(column(row, name)?).map_err(|error| unreadable(name, &error))
}

pub(crate) fn timestamp_option(
    row: &Row<'_>,
    name: &'static str,
) -> Result<Option<Timestamp>, StoreError> {
    let millis: Option<i64> = column(row, name)?;
    millis
        .map(|millis| Timestamp::from_millisecond(millis).map_err(|error| unreadable(name, &error)))
        .transpose()
}

pub(crate) fn json<T: DeserializeOwned>(
    row: &Row<'_>,
    name: &'static str,
) -> Result<T, StoreError> {
    let text = row.get_ref(name)?.as_str();
    let text = text.map_err(|error| unreadable(name, &error))?;
    serde_json::from_str(text).map_err(|error| unreadable(name, &error))
}

pub(crate) fn json_option<T: DeserializeOwned>(
    row: &Row<'_>,
    name: &'static str,
) -> Result<Option<T>, StoreError> {
    let text: Option<String> = column(row, name)?;
    text.map(|text| serde_json::from_str(&text).map_err(|error| unreadable(name, &error)))
        .transpose()
}

pub(crate) fn to_json<T: Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| unreadable("json", &error))
}

pub(crate) fn path(row: &Row<'_>, name: &'static str) -> Result<PathBuf, StoreError> {
    column::<String>(row, name).map(PathBuf::from)
}

/// Paths of repositories and worktrees are checked to be UTF-8 before they reach the store.
pub(crate) fn path_text(path: &Path) -> Result<&str, StoreError> {
    path.to_str()
        .ok_or_else(|| unreadable("path", &"the path is not UTF-8"))
}

pub(crate) fn unreadable(column: &'static str, reason: &dyn std::fmt::Display) -> StoreError {
    StoreError::Unreadable {
        column,
        reason: reason.to_string(),
    }
}
