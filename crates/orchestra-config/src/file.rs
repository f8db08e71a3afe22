//! Settings files: reading them safely and finding each value with its line.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use toml_edit::{Document, Item, TableLike};

use crate::error::ConfigError;
use crate::keys::{self, Key};
use crate::origin::Place;
use crate::raw::Raw;

const MAX_BYTES: u64 = 1 << 20;

/// What a settings file holds.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) entries: Vec<Entry>,
    pub(crate) unknown: Vec<Unknown>,
    /// Tables with names that the user chose, such as `servers.dev`, also those without any key.
    pub(crate) tables: Vec<String>,
}

/// A value of a known setting.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) key: &'static Key,
    pub(crate) raw: Raw,
    pub(crate) place: Place,
}

/// A name that no setting has.
#[derive(Debug)]
pub(crate) struct Unknown {
    pub(crate) name: String,
    pub(crate) nearest: Option<String>,
    pub(crate) place: Place,
}

/// Reads and parses a file; one that does not exist is empty.
pub(crate) fn load(file: &Path) -> Result<Contents, ConfigError> {
    match read(file)? {
        Some(text) => parse(file, &text),
        None => Ok(Contents::default()),
    }
}

/// Whether a file that cannot be understood may name a setting all the same; one that cannot be read may.
pub(crate) fn may_name(file: &Path, setting: &str) -> bool {
    read(file).map_or(true, |text| text.is_some_and(|text| text.contains(setting)))
}

/// The text of a file, or nothing if it does not exist. Never waits on a pipe or reads without end.
pub(crate) fn read(file: &Path) -> Result<Option<String>, ConfigError> {
    match read_bounded(file) {
        Ok(text) => Ok(Some(text)),
        Err(source) if is_absent(&source) => Ok(None),
        Err(source) => Err(ConfigError::Unreadable {
            file: file.into(),
            source,
        }),
    }
}

/// The error for text that is not TOML. The text itself stays out of the message.
pub(crate) fn syntax_error(file: &Path, text: &str, error: &toml_edit::TomlError) -> ConfigError {
    let start = error.span().map_or(0, |span| span.start);
    let place = Place::File {
        path: file.into(),
        line: line_of(text, start),
    };
    ConfigError::Syntax {
        place,
        message: error.message().replace('\n', ", "),
    }
}

fn read_bounded(file: &Path) -> io::Result<String> {
    let metadata = std::fs::metadata(file)?;
    if !metadata.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    let mut text = String::new();
    File::open(file)?
        .take(MAX_BYTES + 1)
        .read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "it is larger than 1 MiB",
        ));
    }
    Ok(text)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Finds every value and every unknown name.
pub(crate) fn parse(file: &Path, text: &str) -> Result<Contents, ConfigError> {
    let document = Document::parse(text).map_err(|error| syntax_error(file, text, &error))?;
    let mut walk = Walk {
        file,
        text,
        contents: Contents::default(),
    };
    walk.table(&[], document.as_table())?;
    Ok(walk.contents)
}

struct Walk<'a> {
    file: &'a Path,
    text: &'a str,
    contents: Contents,
}

impl Walk<'_> {
    fn table(&mut self, path: &[&str], table: &dyn TableLike) -> Result<(), ConfigError> {
        for (name, item) in table.iter() {
            let start = table
                .key(name)
                .and_then(toml_edit::Key::span)
                .or_else(|| item.span());
            let line = line_of(self.text, start.map_or(0, |span| span.start));
            let place = Place::File {
                path: self.file.into(),
                line,
            };
            self.item(&[path, &[name]].concat(), item, place)?;
        }
        Ok(())
    }

    fn item(&mut self, path: &[&str], item: &Item, place: Place) -> Result<(), ConfigError> {
        let name = path.join(".");
        if let Some(key) = keys::find(path) {
            self.contents.entries.push(Entry {
                name,
                key,
                raw: Raw::of_item(item),
                place,
            });
        } else if !keys::is_section(path) {
            let nearest = keys::nearest(path, item.is_table_like());
            self.contents.unknown.push(Unknown {
                name,
                nearest,
                place,
            });
        } else if let Some(table) = item.as_table_like() {
            if keys::is_chosen_table(path) {
                self.contents.tables.push(name);
            }
            self.table(path, table)?;
        } else {
            let found = Raw::of_item(item).shown();
            return Err(ConfigError::Invalid {
                key: name,
                place,
                expected: "a table".into(),
                found,
            });
        }
        Ok(())
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()
        .iter()
        .take(offset)
        .filter(|byte| **byte == b'\n')
        .count()
        + 1
}
