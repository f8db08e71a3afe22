//! A repository: where its parts are, and which configuration applies.

mod error;
#[cfg(target_os = "linux")]
mod remembered;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub use error::OpenError;
#[cfg(target_os = "linux")]
pub(crate) use remembered::Openings;

use crate::call::{Answer, Call};
use crate::configuration::{Configuration, Sources};
#[cfg(target_os = "linux")]
use crate::direct_store::DirectStore;
use crate::error::{AtPath, GitError};
use crate::program::Git;
use crate::shadow::Shadow;

/// How object ids are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectFormat {
    /// 40 hex digits.
    Sha1,
    /// 64 hex digits.
    Sha256,
}

impl ObjectFormat {
    /// Length of a raw id in bytes.
    pub(crate) fn id_len(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }

    /// The id that stands for no object.
    pub(crate) fn zero_id(self) -> String {
        "0".repeat(self.id_len() * 2)
    }
}

/// A repository a person works on.
#[derive(Debug, Clone)]
pub struct Repository {
    git: Git,
    opened: Arc<Opened>,
    objects: Arc<Mutex<Option<Arc<Shadow>>>>,
    #[cfg(target_os = "linux")]
    pub(crate) direct_store: DirectStore,
}

/// What git said when it was opened.
#[derive(Debug)]
struct Opened {
    root: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    object_format: ObjectFormat,
    configuration: Configuration,
}

impl Git {
    /// Opens the repository that contains `path`.
    ///
    /// # Errors
    /// If there is none, or it cannot be worked on; the error says the way out.
    pub fn open(&self, path: &Path) -> Result<Repository, OpenError> {
        let dir = path
            .canonicalize()
            .map_err(|_| OpenError::NoSuchDirectory(path.to_owned()))?;
        if !dir.is_dir() {
            return Err(OpenError::NoSuchDirectory(path.to_owned()));
        }
        #[cfg(target_os = "linux")]
        if let Some(opened) = self.openings().find(&dir) {
            return Ok(self.repository(opened));
        }
        self.ask_for(&dir)
    }

    /// Makes an empty repository, with its directory.
    ///
    /// # Errors
    /// If git fails, or the directory cannot be made.
    pub fn make_repository(&self, path: &Path) -> Result<(), GitError> {
        std::fs::create_dir_all(path).at(path)?;
        // Hooks and the like of the user's templates have no place in it.
        let call = Call::new("init", path).args(["--quiet", "--template="]);
        self.run(&call)?.require_success()?;
        Ok(())
    }

    fn ask_for(&self, dir: &Path) -> Result<Repository, OpenError> {
        #[cfg(target_os = "linux")]
        let asked_at = crate::racy::seconds_now();
        let call = Call::new("rev-parse", dir)
            .args([
                "--is-bare-repository",
                "--is-inside-work-tree",
                "--show-object-format",
                "--show-toplevel",
            ])
            .with_users_configuration();
        let answer = self.run(&call)?;
        let found = Discovered::read(&answer.stdout);
        if !answer.is_success() {
            return Err(self.refusal(dir, found.as_ref(), &answer));
        }
        let found = found.ok_or_else(|| answer.unreadable("too few lines"))?;
        let (opened, sources) = self.load(&found)?;
        #[cfg(target_os = "linux")]
        if let Some(sources) = sources {
            self.remember(&opened, sources, asked_at);
        }
        Ok(self.repository(opened))
    }

    /// What applies in a repository, and the files that say so.
    fn load(&self, found: &Discovered) -> Result<(Arc<Opened>, Option<Sources>), OpenError> {
        let root = found.root.canonicalize().at(&found.root)?;
        let git_dir = git_dir_of(&root)?;
        let common_dir = common_dir_of(&git_dir)?;
        let loaded = Configuration::load(self, &root)?;
        let opened = Opened {
            root,
            git_dir,
            common_dir,
            object_format: found.object_format,
            configuration: loaded.configuration,
        };
        Ok((Arc::new(opened), loaded.sources))
    }

    fn repository(&self, opened: Arc<Opened>) -> Repository {
        Repository {
            git: self.clone(),
            opened,
            objects: Arc::default(),
            #[cfg(target_os = "linux")]
            direct_store: DirectStore::default(),
        }
    }

    fn refusal(&self, dir: &Path, found: Option<&Discovered>, answer: &Answer) -> OpenError {
        let Some(marker) = dir
            .ancestors()
            .map(|dir| dir.join(".git"))
            .find(|marker| marker.exists())
        else {
            return match found {
                Some(found) if found.is_bare => OpenError::Bare(dir.to_owned()),
                Some(_) => OpenError::InsideGitDirectory(dir.to_owned()),
                None => OpenError::NotARepository(dir.to_owned()),
            };
        };
        match found {
            Some(found) if found.is_bare => OpenError::Bare(dir.to_owned()),
            Some(_) => OpenError::InsideGitDirectory(dir.to_owned()),
            None if belongs_to_somebody_else(&marker, self.private_dir()) => {
                OpenError::Unsafe(marker.parent().unwrap_or(dir).to_owned())
            }
            None => OpenError::Broken {
                path: dir.to_owned(),
                source: answer.failure(),
            },
        }
    }
}

impl Repository {
    /// The git program this repository is worked on with.
    #[must_use]
    pub fn git(&self) -> &Git {
        &self.git
    }

    /// The top directory of the checkout that was opened.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.opened.root
    }

    /// The data of the checkout that was opened.
    #[must_use]
    pub fn git_dir(&self) -> &Path {
        &self.opened.git_dir
    }

    /// The data that all worktrees share.
    #[must_use]
    pub fn common_dir(&self) -> &Path {
        &self.opened.common_dir
    }

    /// Whether the checkout that was opened is a linked worktree.
    #[must_use]
    pub fn is_linked_worktree(&self) -> bool {
        self.opened.git_dir != self.opened.common_dir
    }

    /// How ids are made.
    #[must_use]
    pub fn object_format(&self) -> ObjectFormat {
        self.opened.object_format
    }

    /// The configuration read when it was opened.
    #[must_use]
    pub fn configuration(&self) -> &Configuration {
        &self.opened.configuration
    }

    /// A call on the real repository. Only for commands that touch neither files of a worktree nor drivers for them.
    pub(crate) fn call(&self, command: &str) -> Call {
        Call::new(command, self.common_dir()).env("GIT_DIR", self.common_dir())
    }

    /// The shadow for commands on commits alone, made once.
    pub(crate) fn objects(&self) -> Result<Arc<Shadow>, GitError> {
        let mut slot = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shadow) = &*slot {
            return Ok(Arc::clone(shadow));
        }
        let shadow = Arc::new(Shadow::of_objects(self)?);
        *slot = Some(Arc::clone(&shadow));
        Ok(shadow)
    }

    /// Lets git know who the user is, for the reflog.
    pub(crate) fn with_identity(&self, call: Call) -> Call {
        let values = self.configuration().identity().map(|identity| {
            let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
            [
                pair("user.name", &identity.name),
                pair("user.email", &identity.email),
            ]
        });
        call.config(values.into_iter().flatten())
    }
}

/// Follows a `.git` directory or file.
pub(crate) fn git_dir_of(root: &Path) -> Result<PathBuf, GitError> {
    let marker = root.join(".git");
    if marker.is_dir() {
        return marker.canonicalize().at(&marker);
    }
    let content = std::fs::read(&marker).at(&marker)?;
    let target = content
        .strip_prefix(b"gitdir: ")
        .map(crate::byte_path::trimmed_path);
    let target =
        target.ok_or_else(|| GitError::io(&marker, std::io::ErrorKind::InvalidData.into()))?;
    root.join(target).canonicalize().at(&marker)
}

fn common_dir_of(git_dir: &Path) -> Result<PathBuf, GitError> {
    let file = git_dir.join("commondir");
    match std::fs::read(&file) {
        Ok(content) => git_dir
            .join(crate::byte_path::trimmed_path(&content))
            .canonicalize()
            .at(&file),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(git_dir.to_owned()),
        Err(error) => Err(GitError::io(&file, error)),
    }
}

/// What `rev-parse` printed, as far as it came. The path is last because it may contain line breaks.
#[derive(Debug, PartialEq, Eq)]
struct Discovered {
    is_bare: bool,
    object_format: ObjectFormat,
    root: PathBuf,
}

impl Discovered {
    fn read(stdout: &[u8]) -> Option<Self> {
        let mut parts = stdout.splitn(4, |byte| *byte == b'\n');
        let is_bare = parts.next()? == b"true";
        parts.next()?;
        let object_format = match parts.next()? {
            b"sha256" => ObjectFormat::Sha256,
            _ => ObjectFormat::Sha1,
        };
        let rest = parts.next().unwrap_or_default();
        let root = crate::byte_path::from_bytes(rest.strip_suffix(b"\n").unwrap_or(rest));
        Some(Self {
            is_bare,
            object_format,
            root,
        })
    }
}

#[cfg(unix)]
fn belongs_to_somebody_else(marker: &Path, ours: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &Path| std::fs::metadata(path).map(|metadata| metadata.uid()).ok();
    owner(marker) != owner(ours) || marker.parent().is_some_and(|dir| owner(dir) != owner(ours))
}

#[cfg(not(unix))]
fn belongs_to_somebody_else(_marker: &Path, _ours: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_may_contain_line_breaks() {
        let found = Discovered::read(b"false\ntrue\nsha256\n/a\nb\n").unwrap();
        assert_eq!(
            found,
            Discovered {
                is_bare: false,
                object_format: ObjectFormat::Sha256,
                root: "/a\nb".into()
            }
        );
    }

    #[test]
    fn a_cut_answer_still_says_bare() {
        assert!(Discovered::read(b"true\nfalse\nsha1\n").unwrap().is_bare);
        assert_eq!(Discovered::read(b""), None);
    }
}
