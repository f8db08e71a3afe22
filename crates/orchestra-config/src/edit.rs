//! Changing a settings file: comments, order and layout stay, and readers see the old file or the new one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value};

use crate::check::{parse, require_key, stays_inside};
use crate::dirs;
use crate::environment::Environment;
use crate::error::ConfigError;
use crate::file::{self, Contents, Entry};
use crate::keys::{Key, Scope};
use crate::origin::Place;
use crate::raw::Raw;
use crate::typed::Typed;
use crate::warning::Refusal;
use crate::whole_file::{SameName, write_whole};

/// A settings file that can be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingsFile {
    /// The user's own.
    User(PathBuf),
    /// The one of a repository.
    Repository(PathBuf),
}

impl SettingsFile {
    /// The user's own file.
    ///
    /// # Errors
    /// If its place cannot be found; see [`dirs::user_file`].
    pub fn of_user(environment: &Environment) -> Result<Self, ConfigError> {
        dirs::user_file(environment).map(Self::User)
    }

    /// The file of the repository whose main worktree is given.
    #[must_use]
    pub fn of_repository(repository: &Path) -> Self {
        Self::Repository(dirs::repository_file(repository))
    }

    /// Where the file is, whether or not it exists.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::User(path) | Self::Repository(path) => path,
        }
    }
}

/// Sets a value, given as typed on a command line. The file and its directory are made if they are missing.
///
/// # Errors
/// If there is no such setting, the value is not valid, the file may not hold it, or it cannot be read or written.
pub fn set(file: &SettingsFile, name: &str, value: &str) -> Result<(), ConfigError> {
    let key = require_key(name)?;
    let raw = Raw::Argument(value.to_owned());
    let entry = Entry {
        name: name.to_owned(),
        key,
        raw,
        place: Place::CommandLine,
    };
    let typed = parse(&entry)?;
    check_scope(file, name, key, &typed)?;
    change(file, |document, contents| {
        refuse_table(name, contents)?;
        let path: Vec<_> = name.split('.').collect();
        insert(document.as_table_mut(), &path, typed.to_toml())
            .ok_or_else(|| ConfigError::Inconsistent { key: name.into() })?;
        Ok(true)
    })?;
    Ok(())
}

/// What a file itself says about a setting, as it would be typed.
///
/// # Errors
/// If there is no such setting, or the file cannot be read.
pub fn value_in(file: &SettingsFile, name: &str) -> Result<Option<String>, ConfigError> {
    require_key(name)?;
    let contents = file::load(file.path())?;
    let entry = contents.entries.iter().find(|entry| entry.name == name);
    Ok(entry.map(parse).transpose()?.map(|typed| typed.to_string()))
}

/// Removes a value. Says whether there was one.
///
/// # Errors
/// If there is no such setting, or the file cannot be read or written.
pub fn unset(file: &SettingsFile, name: &str) -> Result<bool, ConfigError> {
    unset_checked(file, name, || Ok(()))
}

/// The same, unless the settings do not pass the check without the value: then the file stays as it was.
///
/// # Errors
/// As [`unset`], or what the check says.
pub fn unset_checked(
    file: &SettingsFile,
    name: &str,
    check: impl FnOnce() -> Result<(), ConfigError>,
) -> Result<bool, ConfigError> {
    require_key(name)?;
    if file::read(file.path())?.is_none() {
        return Ok(false);
    }
    change_checked(file, check, |document, _| {
        let path: Vec<_> = name.split('.').collect();
        Ok(remove(document.as_table_mut(), &path))
    })
}

fn check_scope(
    file: &SettingsFile,
    name: &str,
    key: &Key,
    typed: &Typed,
) -> Result<(), ConfigError> {
    let leaves = matches!(typed, Typed::Path(path) if !stays_inside(path));
    let refusal = match file {
        SettingsFile::Repository(_) if key.scope == Scope::UserOnly => Refusal::UserOnly,
        SettingsFile::Repository(_) if leaves => Refusal::LeavesRepository,
        _ => return Ok(()),
    };
    Err(ConfigError::NotSettable {
        key: name.into(),
        refusal,
    })
}

/// Putting a value where a table stands would drop what the table holds.
fn refuse_table(name: &str, contents: &Contents) -> Result<(), ConfigError> {
    let mut entries = contents.entries.iter();
    match entries.find(|entry| entry.name == name && entry.raw == Raw::Table) {
        Some(entry) => parse(entry).map(drop),
        None => Ok(()),
    }
}

/// Reads, edits and replaces a file; the edit says whether anything changed.
fn change(
    file: &SettingsFile,
    edit: impl FnOnce(&mut DocumentMut, &Contents) -> Result<bool, ConfigError>,
) -> Result<bool, ConfigError> {
    change_checked(file, || Ok(()), edit)
}

/// The same; what does not pass the check is taken back before anybody else can change the file.
fn change_checked(
    file: &SettingsFile,
    check: impl FnOnce() -> Result<(), ConfigError>,
    edit: impl FnOnce(&mut DocumentMut, &Contents) -> Result<bool, ConfigError>,
) -> Result<bool, ConfigError> {
    let unwritable = |source| ConfigError::Unwritable {
        file: file.path().into(),
        source,
    };
    let target = writable_target(file).map_err(unwritable)?;
    let directory = target.parent().unwrap_or(Path::new("."));
    dirs::create_private(directory).map_err(unwritable)?;
    let turn = platform::take_turn(directory).map_err(unwritable)?;
    let text = file::read(&target)?.unwrap_or_default();
    let contents = file::parse(&target, &text)?;
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error| file::syntax_error(&target, &text, &error))?;
    let changed = edit(&mut document, &contents)?;
    if changed {
        let write = |text: &str| write_whole(&target, text, SameName::Replace).map_err(unwritable);
        write(&document.to_string())?;
        if let Err(refusal) = check() {
            write(&text)?;
            return Err(refusal);
        }
    }
    drop(turn);
    Ok(changed)
}

/// The file behind a link, so that a linked user file stays one. In a repository a link could point anywhere.
fn writable_target(file: &SettingsFile) -> io::Result<PathBuf> {
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink());
    match file {
        SettingsFile::User(path) if is_link(path) => fs::canonicalize(path),
        SettingsFile::Repository(path) if is_link(path) || path.parent().is_some_and(is_link) => {
            Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "it is reached through a symbolic link",
            ))
        }
        SettingsFile::User(path) | SettingsFile::Repository(path) => Ok(path.clone()),
    }
}

/// `None` if a part of the path is no table, which parsing the file has ruled out.
fn insert(root: &mut Table, path: &[&str], value: Value) -> Option<()> {
    let (last, parents) = path.split_last()?;
    let mut table: &mut dyn TableLike = root;
    let mut inline = false;
    for parent in parents {
        let item = table.entry(parent).or_insert_with(|| new_table(inline));
        inline = item.is_inline_table();
        table = item.as_table_like_mut()?;
    }
    match table.get_mut(last) {
        Some(item) => replace_value(item, value),
        None => drop(table.insert(last, Item::Value(value))),
    }
    Some(())
}

fn new_table(inline: bool) -> Item {
    if inline {
        return Item::Value(InlineTable::new().into());
    }
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}

/// Keeps the space and the comment around the old value.
fn replace_value(item: &mut Item, mut value: Value) {
    if let Some(old) = item.as_value() {
        *value.decor_mut() = old.decor().clone();
    }
    *item = Item::Value(value);
}

/// Tables that are empty without it go too.
fn remove(table: &mut dyn TableLike, path: &[&str]) -> bool {
    let [first, rest @ ..] = path else {
        return false;
    };
    if rest.is_empty() {
        return table.remove(first).is_some();
    }
    let Some(inner) = table.get_mut(first).and_then(Item::as_table_like_mut) else {
        return false;
    };
    let is_removed = remove(inner, rest);
    let is_empty = inner.is_empty();
    if is_removed && is_empty && !table.get(first).is_some_and(has_comment) {
        table.remove(first);
    }
    is_removed
}

/// Whether somebody wrote something above a table, which would go with it.
fn has_comment(item: &Item) -> bool {
    let above = item.as_table().and_then(|table| table.decor().prefix());
    above.is_some_and(|above| above.as_str().is_none_or(|text| text.contains('#')))
}

#[cfg(unix)]
mod platform {
    use super::{File, Path, io};

    /// Two changes at once would lose one of them, so they take turns by a lock on the directory.
    pub(super) fn take_turn(directory: &Path) -> io::Result<File> {
        let handle = File::open(directory)?;
        handle.lock()?;
        Ok(handle)
    }
}

#[cfg(not(unix))]
mod platform {
    use super::{File, Path, io};

    /// Directories cannot be locked there, so a lock file stands in.
    pub(super) fn take_turn(directory: &Path) -> io::Result<File> {
        let handle = File::options()
            .create(true)
            .append(true)
            .open(directory.join(".lock"))?;
        handle.lock()?;
        Ok(handle)
    }
}
