//! How much is kept, and where.

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_core::{DataKind, SessionId};

use crate::folder::paths_in;
use crate::{Engine, EngineError, backup};

/// How much there is of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Amount {
    /// Rows of the database.
    pub items: u64,
    /// Files.
    pub files: Vec<PathBuf>,
    /// Bytes of both.
    pub bytes: u64,
}

/// Something that is kept, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What it is.
    pub what: &'static str,
    /// Where it is.
    pub path: PathBuf,
    /// How large it is.
    pub bytes: u64,
}

/// Everything that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptData {
    /// The data directory.
    pub root: PathBuf,
    /// What is in it, and the database wherever it is.
    pub places: Vec<Place>,
    /// What others could read, were the directory's own permissions other ones.
    pub open_to_others: Vec<PathBuf>,
}

impl Amount {
    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items == 0 && self.files.is_empty()
    }
}

impl Engine {
    /// Everything that is kept, with its size.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn kept_data(&self) -> Result<KeptData, EngineError> {
        let database = self.store.path();
        let beside = |ending: &str| {
            let mut name = database.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        let place = |what, path: PathBuf| Place {
            what,
            bytes: size_of(&path),
            path,
        };
        let mut places = vec![
            place("database", database.to_owned()),
            place("database log", beside("-wal")),
        ];
        let backups = backup::backups(database).into_iter();
        places.extend(backups.map(|file| place("backup", file)));
        let dirs = &self.dirs;
        places.extend([
            place("output", dirs.output()),
            place("logs", dirs.logs()),
            place("snapshots", dirs.snapshots()),
            place("environments", dirs.environments()),
            place("prompts", dirs.prompts()),
            place("templates", dirs.templates()),
            place("workspaces", dirs.workspaces()),
            place("git", dirs.git()),
        ]);
        places.retain(|place| place.path.exists());
        Ok(KeptData {
            root: dirs.root().to_owned(),
            places,
            open_to_others: self.open_to_others()?,
        })
    }

    /// How much is kept of one kind of a session.
    ///
    /// # Errors
    /// If the store or a folder cannot be read.
    pub fn amount_of(&self, id: &SessionId, kind: DataKind) -> Result<Amount, EngineError> {
        let files = self.data_files(id, kind)?;
        let (items, bytes) = match kind {
            DataKind::Transcripts => self.store.read(|tx| {
                let (items, bytes) = tx.transcript_amount(id)?;
                let (questions, asked) = tx.question_amount(id)?;
                let (rows, repeated) = tx.repeated_amount(id)?;
                Ok::<_, EngineError>((items + questions + rows, bytes + asked + repeated))
            })?,
            DataKind::Logs => (0, 0),
        };
        Ok(Amount {
            items,
            bytes: bytes + files.iter().map(|file| size_of(file)).sum::<u64>(),
            files,
        })
    }

    fn data_files(&self, id: &SessionId, kind: DataKind) -> Result<Vec<PathBuf>, EngineError> {
        let mut files = paths_in(&self.dirs.output().join(id.as_str()))?;
        files.retain(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            DataKind::of_output_file(&name) == kind
        });
        let log = self.dirs.runner_log(id.as_str());
        files.extend((kind == DataKind::Logs && log.exists()).then_some(log));
        Ok(files)
    }
}

/// The bytes of a file, or of everything in a folder; what cannot be read counts nothing.
fn size_of(path: &Path) -> u64 {
    let Ok(data) = fs::symlink_metadata(path) else {
        return 0;
    };
    if !data.is_dir() {
        return data.len();
    }
    let inner = paths_in(path).unwrap_or_default();
    inner.iter().map(|path| size_of(path)).sum()
}
