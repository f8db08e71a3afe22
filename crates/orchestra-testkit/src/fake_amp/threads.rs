//! Threads on disk, one JSON file each, so that a later process can continue them.

use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::build::Build;

/// A conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Thread {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) archived: bool,
    pub(crate) visibility: String,
    pub(crate) labels: Vec<String>,
    /// How many turns have begun.
    pub(crate) turns: usize,
    /// All tokens used so far.
    pub(crate) tokens: u64,
    pub(crate) messages: Vec<Message>,
    /// Tokens by kind, of agents that tell those of the whole thread.
    #[serde(default)]
    pub(crate) used: Used,
}

/// Tokens by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Used {
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) cache_read: u64,
    pub(crate) cache_write: u64,
}

/// Something said in a thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Message {
    pub(crate) role: String,
    pub(crate) text: String,
}

/// Why a thread cannot be used.
#[derive(Debug)]
pub(crate) enum ThreadError {
    InvalidId(String),
    Unknown(String),
    Archived,
    OpenElsewhere,
    NoLast,
    Io(io::Error),
}

impl ThreadError {
    /// The whole line for standard error.
    pub(crate) fn line(&self, build: Build) -> String {
        match self {
            Self::InvalidId(id) => format!("Error: Invalid thread ID: {id}"),
            Self::Unknown(id) if build == Build::Jan => format!("Thread {id} does not exist."),
            Self::Unknown(id) => format!("Error: Thread {id} does not exist."),
            Self::Archived => "Error: This thread is archived and cannot be continued.".to_owned(),
            Self::OpenElsewhere => {
                "Error: This thread is already open and active in another Amp".to_owned()
            }
            Self::NoLast => "Error: No thread to continue.".to_owned(),
            Self::Io(error) => format!("Error: cannot use the thread store: {error}"),
        }
    }
}

impl From<io::Error> for ThreadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The folder of threads.
pub(crate) struct Store {
    root: PathBuf,
    build: Build,
}

impl Store {
    pub(crate) fn open(home: &Path, build: Build) -> io::Result<Self> {
        let root = home.join("threads");
        fs::create_dir_all(&root)?;
        Ok(Self { root, build })
    }

    pub(crate) fn create(&self, visibility: &str) -> io::Result<Thread> {
        let thread = Thread {
            id: new_id(),
            title: "Untitled".to_owned(),
            archived: false,
            visibility: visibility.to_owned(),
            labels: Vec::new(),
            turns: 0,
            tokens: 0,
            messages: Vec::new(),
            used: Used::default(),
        };
        self.save(&thread)?;
        Ok(thread)
    }

    /// Finds a thread by id or address.
    pub(crate) fn load(&self, name: &str) -> Result<Thread, ThreadError> {
        let id = thread_id(name)?;
        match fs::read(self.file(id)) {
            Ok(bytes) => {
                serde_json::from_slice(&bytes).map_err(|error| ThreadError::Io(error.into()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(ThreadError::Unknown(id.to_owned()))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Replaces the file in one step, so that a reader never sees half of it.
    pub(crate) fn save(&self, thread: &Thread) -> io::Result<()> {
        let fresh = self
            .root
            .join(format!("{}.{}", thread.id, std::process::id()));
        fs::write(&fresh, serde_json::to_vec_pretty(thread)?)?;
        fs::rename(&fresh, self.file(&thread.id))
    }

    pub(crate) fn delete(&self, name: &str) -> Result<(), ThreadError> {
        let thread = self.load(name)?;
        Ok(fs::remove_file(self.file(&thread.id))?)
    }

    /// All threads, in the order of their ids.
    pub(crate) fn list(&self) -> io::Result<Vec<Thread>> {
        let mut threads = Vec::new();
        for entry in fs::read_dir(&self.root)? {
            let path = entry?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                threads.push(serde_json::from_slice(&fs::read(path)?)?);
            }
        }
        threads.sort_by(|left: &Thread, right| left.id.cmp(&right.id));
        Ok(threads)
    }

    /// Claims a thread for this process; only the newest build looks.
    pub(crate) fn claim(&self, thread: &Thread) -> Result<Option<File>, ThreadError> {
        if self.build < Build::New {
            return Ok(None);
        }
        let lock = File::create(self.root.join(format!("{}.lock", thread.id)))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Err(ThreadError::OpenElsewhere),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    pub(crate) fn last(&self, cwd: &Path) -> Result<Thread, ThreadError> {
        match fs::read_to_string(self.last_file(cwd)) {
            Ok(id) => self.load(&id),
            Err(_never_written) => Err(ThreadError::NoLast),
        }
    }

    pub(crate) fn remember_last(&self, cwd: &Path, thread: &Thread) -> io::Result<()> {
        fs::write(self.last_file(cwd), &thread.id)
    }

    fn file(&self, id: &str) -> PathBuf {
        self.root.join(format!("{id}.json"))
    }

    /// One for the whole machine in the older builds, one per checkout in the newest.
    fn last_file(&self, cwd: &Path) -> PathBuf {
        if self.build < Build::New {
            return self.root.join("last-thread-id");
        }
        let name: String = cwd
            .to_string_lossy()
            .chars()
            .map(|letter| {
                if letter.is_alphanumeric() {
                    letter
                } else {
                    '-'
                }
            })
            .collect();
        let tail = name.len().saturating_sub(180);
        let tail = (tail..name.len()).find(|start| name.is_char_boundary(*start));
        self.root
            .join(format!("last-{}", &name[tail.unwrap_or(0)..]))
    }
}

/// The page of a thread.
pub(crate) fn url(thread: &Thread) -> String {
    format!(
        "{}/threads/{}",
        super::knobs::server_url().trim_end_matches('/'),
        thread.id
    )
}

fn thread_id(name: &str) -> Result<&str, ThreadError> {
    let id = name
        .trim()
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let uuid = id.strip_prefix("T-").unwrap_or_default();
    let shaped = uuid.len() == 36
        && uuid.char_indices().all(|(index, letter)| match index {
            8 | 13 | 18 | 23 => letter == '-',
            _ => letter.is_ascii_hexdigit(),
        });
    shaped
        .then_some(id)
        .ok_or_else(|| ThreadError::InvalidId(name.to_owned()))
}

/// The standard library's hasher keys are the only randomness needed here.
fn new_id() -> String {
    let random = || RandomState::new().build_hasher().finish();
    let (high, low) = (random(), random());
    format!(
        "T-{:08x}-{:04x}-7{:03x}-a{:03x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        low >> 52,
        low & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_accepted_as_id_and_address() {
        let (first, second) = (new_id(), new_id());
        assert_ne!(first, second);
        assert_eq!(thread_id(&first).unwrap(), first);
        let address = format!("https://ampcode.com/threads/{first}");
        assert_eq!(thread_id(&address).unwrap(), first);
        assert!(matches!(thread_id("T-1"), Err(ThreadError::InvalidId(_))));
    }

    #[test]
    fn a_saved_thread_comes_back() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(home.path(), Build::New).unwrap();
        let thread = store.create("private").unwrap();
        assert_eq!(store.load(&thread.id).unwrap(), thread);
        assert_eq!(store.list().unwrap(), std::slice::from_ref(&thread));
        store.delete(&thread.id).unwrap();
        assert!(matches!(
            store.load(&thread.id),
            Err(ThreadError::Unknown(_))
        ));
    }
}
