//! The shadow: a small private git directory through which git looks at files an agent could have written.
//!
//! It has our own configuration, no hooks and no references. It borrows the real object store, the worktree's real index and
//! the rules about ignored files. So no filter, driver, hook, monitor, include or alias of a repository can run: git never
//! reads the repository's configuration.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use orchestra_core::CommitId;
use tempfile::TempDir;

use crate::byte_path::to_bytes;
use crate::call::Call;
use crate::configuration::sparse_values;
use crate::error::{AtPath, GitError};
use crate::program::Git;
use crate::repository::{ObjectFormat, Repository};
use crate::worktree::Worktree;

const DIRECTORY: &str = "shadow";

/// A private git directory, removed when dropped.
#[derive(Debug)]
pub(crate) struct Shadow {
    dir: TempDir,
    cwd: PathBuf,
    index: PathBuf,
    env: Vec<(&'static str, OsString)>,
    config: Vec<(String, String)>,
}

impl Shadow {
    /// For commands on commits alone: no worktree, no index.
    pub(crate) fn of_objects(repository: &Repository) -> Result<Self, GitError> {
        let dir = new_directory(repository, Kind::Bare)?;
        write(dir.path(), "HEAD", b"ref: refs/heads/none\n")?;
        copy_if_present(repository.common_dir(), dir.path(), "shallow")?;
        let (cwd, index) = (dir.path().to_owned(), dir.path().join("index"));
        let env = vec![(
            "GIT_OBJECT_DIRECTORY",
            repository.common_dir().join("objects").into(),
        )];
        Ok(Self {
            dir,
            cwd,
            index,
            env,
            config: repository.configuration().values().collect(),
        })
    }

    /// For merges that only have to be tried: what git writes is gone with the shadow.
    pub(crate) fn of_borrowed_objects(repository: &Repository) -> Result<Self, GitError> {
        let mut shadow = Self::of_objects(repository)?;
        let info = shadow.dir.path().join("objects").join("info");
        std::fs::create_dir_all(&info).at(&info)?;
        let lender = repository.common_dir().join("objects");
        write(&info, "alternates", &quoted_line(&lender))?;
        shadow.env.clear();
        Ok(shadow)
    }

    /// For commands on the files of a worktree, standing on `head`.
    pub(crate) fn of_worktree(worktree: &Worktree, head: &CommitId) -> Result<Self, GitError> {
        worktree.require_directory()?;
        let repository = worktree.repository();
        let dir = new_directory(repository, Kind::WithFiles)?;
        write(dir.path(), "HEAD", format!("{head}\n").as_bytes())?;
        make_dir(&dir.path().join("info"))?;
        for name in ["shallow", "info/exclude", "info/attributes"] {
            copy_if_present(repository.common_dir(), dir.path(), name)?;
        }
        copy_shared_indexes(worktree.admin_dir(), dir.path())?;
        let env = vec![
            (
                "GIT_OBJECT_DIRECTORY",
                repository.common_dir().join("objects").into(),
            ),
            ("GIT_WORK_TREE", worktree.path().into()),
        ];
        let config = worktree_values(worktree, dir.path())?;
        Ok(Self {
            dir,
            cwd: worktree.path().to_owned(),
            index: worktree.index_path(),
            env,
            config,
        })
    }

    /// Lets git work on a copy of the index, so that the real one stays as it is.
    pub(crate) fn with_copied_index(mut self, worktree: &Worktree) -> Result<Self, GitError> {
        let copy = self.dir.path().join("index");
        let index = worktree.index_path();
        if index.exists() {
            copy_with_time(&index, &copy).at(&index)?;
        }
        self.index = copy;
        Ok(self)
    }

    /// Lets git read an index that is kept in a folder, in one or two files.
    pub(crate) fn with_index_in(mut self, folder: &Path) -> Result<Self, GitError> {
        copy_shared_indexes(folder, self.dir.path())?;
        self.index = folder.join("index");
        Ok(self)
    }

    /// Lets git work on an index of its own that starts empty.
    pub(crate) fn with_empty_index(mut self) -> Self {
        self.index = self.dir.path().join("empty-index");
        self
    }

    pub(crate) fn call(&self, command: &str) -> Call {
        let call = Call::new(command, &self.cwd).config(self.config.iter().cloned());
        let call = call
            .env("GIT_DIR", self.dir.path())
            .env("GIT_INDEX_FILE", &self.index);
        self.env
            .iter()
            .fold(call, |call, (name, value)| call.env(name, value))
    }

    /// The index that git works on.
    pub(crate) fn index(&self) -> &Path {
        &self.index
    }

    /// The commit the shadow stands on now.
    pub(crate) fn head(&self) -> Result<CommitId, GitError> {
        self.reference("HEAD")
    }

    /// The commit a reference of the shadow's own points at.
    pub(crate) fn reference(&self, full_name: &str) -> Result<CommitId, GitError> {
        let path = self.dir.path().join(full_name);
        let text = std::fs::read_to_string(&path).at(&path)?;
        text.trim_end()
            .parse()
            .map_err(|_| GitError::io(&path, std::io::ErrorKind::InvalidData.into()))
    }

    /// Gives the shadow a reference of its own.
    pub(crate) fn write_reference(
        &self,
        full_name: &str,
        commit: &CommitId,
    ) -> Result<(), GitError> {
        let path = self.dir.path().join(full_name);
        let parent = path.parent().unwrap_or(&path);
        std::fs::create_dir_all(parent).at(parent)?;
        std::fs::write(&path, format!("{commit}\n")).at(&path)
    }
}

impl Git {
    /// Removes shadows that killed processes left behind, and says how many.
    ///
    /// # Errors
    /// If the private directory cannot be read.
    pub fn sweep_leftovers(&self) -> Result<Vec<PathBuf>, GitError> {
        let left = self.leftovers()?;
        for dir in &left {
            std::fs::remove_dir_all(dir).at(dir)?;
        }
        Ok(left)
    }

    /// Where private directories are made.
    pub(crate) fn private_directories(&self) -> Result<PathBuf, GitError> {
        self.private_subdir(DIRECTORY)
    }

    /// Private directories that killed processes left.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn leftovers(&self) -> Result<Vec<PathBuf>, GitError> {
        let dir = self.private_directories()?;
        let mut left = Vec::new();
        for entry in std::fs::read_dir(&dir).at(&dir)? {
            let entry = entry.at(&dir)?;
            if is_left_over(&entry.file_name().to_string_lossy()) {
                left.push(entry.path());
            }
        }
        Ok(left)
    }
}

/// The name starts with the process id of its maker.
fn is_left_over(name: &str) -> bool {
    let maker = name
        .split('-')
        .next()
        .and_then(|pid| pid.parse::<u32>().ok());
    maker.is_some_and(|pid| orchestra_process::ProcessIdentity::of(pid).is_none())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bare,
    WithFiles,
}

fn new_directory(repository: &Repository, kind: Kind) -> Result<TempDir, GitError> {
    let parent = repository.git().private_subdir(DIRECTORY)?;
    let prefix = format!("{}-", std::process::id());
    let dir = tempfile::Builder::new()
        .prefix(&prefix)
        .tempdir_in(&parent)
        .at(&parent)?;
    make_dir(&dir.path().join("refs"))?;
    write(
        dir.path(),
        "config",
        config_text(repository.object_format(), kind).as_bytes(),
    )?;
    Ok(dir)
}

fn config_text(format: ObjectFormat, kind: Kind) -> String {
    let bare = kind == Kind::Bare;
    let (version, extension) = match format {
        ObjectFormat::Sha1 => (0, ""),
        ObjectFormat::Sha256 => (1, "[extensions]\n\tobjectFormat = sha256\n"),
    };
    format!("[core]\n\trepositoryFormatVersion = {version}\n\tbare = {bare}\n{extension}")
}

/// Values for files: the repository's, the worktree's own sparse rules, and where large files are kept.
fn worktree_values(worktree: &Worktree, shadow: &Path) -> Result<Vec<(String, String)>, GitError> {
    let repository = worktree.repository();
    let mut values = repository.configuration().values().collect::<Vec<_>>();
    let own = worktree.admin_dir().join("config.worktree");
    if own.exists() {
        values.extend(sparse_values(repository.git(), &own)?);
    }
    copy_if_present(worktree.admin_dir(), shadow, "info/sparse-checkout")?;
    let storage = repository.common_dir().join("lfs");
    values.push((
        "lfs.storage".to_owned(),
        storage.to_string_lossy().into_owned(),
    ));
    Ok(values)
}

/// A path as a line of git's list of lenders, where it may have any character.
pub(crate) fn quoted_line(path: &Path) -> Vec<u8> {
    let mut line = vec![b'"'];
    for byte in to_bytes(path) {
        match byte {
            b'"' | b'\\' => line.extend([b'\\', byte]),
            b'\n' => line.extend(b"\\n"),
            _ => line.push(byte),
        }
    }
    line.extend(b"\"\n");
    line
}

/// A split index is in two files; the second one is looked for next to the configuration.
fn copy_shared_indexes(admin_dir: &Path, shadow: &Path) -> Result<(), GitError> {
    for shared in shared_indexes(admin_dir)? {
        let name = shared.file_name().unwrap_or_default();
        std::fs::copy(&shared, shadow.join(name)).at(&shared)?;
    }
    Ok(())
}

/// The second files of split indexes in a directory.
pub(crate) fn shared_indexes(directory: &Path) -> Result<Vec<PathBuf>, GitError> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).at(directory)? {
        let entry = entry.at(directory)?;
        let name = entry.file_name();
        if name.to_string_lossy().starts_with("sharedindex.") {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// git compares the time of the index with the times of files to find changes made right after it was written.
pub(crate) fn copy_with_time(from: &Path, to: &Path) -> std::io::Result<()> {
    let modified = std::fs::metadata(from)?.modified()?;
    std::fs::copy(from, to)?;
    std::fs::File::options()
        .write(true)
        .open(to)?
        .set_modified(modified)
}

pub(crate) fn copy_if_present(from: &Path, to: &Path, name: &str) -> Result<(), GitError> {
    let source = from.join(name);
    match std::fs::read(&source) {
        Ok(bytes) => write(to, name, &bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(GitError::io(&source, error)),
    }
}

fn write(dir: &Path, name: &str, bytes: &[u8]) -> Result<(), GitError> {
    let path = dir.join(name);
    std::fs::write(&path, bytes).at(&path)
}

fn make_dir(path: &Path) -> Result<(), GitError> {
    std::fs::create_dir(path).at(path)
}
