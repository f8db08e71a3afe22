//! Folders of a repository that are kept out of its status: what that hides besides, now that the folders are used differently.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use orchestra_core::Session;
use orchestra_git::Repository;

use super::{Diagnosis, Health};
use crate::artifacts::FOLDER;
use crate::{Engine, EngineError};

impl Engine {
    pub(super) fn check_folders(
        &self,
        repository: &Repository,
        sessions: &[Session],
        fix: bool,
    ) -> Result<Vec<Diagnosis>, EngineError> {
        let root = repository.root();
        let name = format!("repository {}", root.display());
        let (in_use, artifacts) = (
            self.config().core.worktrees_root_of(root),
            root.join(FOLDER),
        );
        let mut checks = Vec::new();
        for folder in folders_of(sessions).chain([artifacts.clone()]) {
            if repository.has_exclude_line(&folder) {
                checks.push(check_line(&name, repository, &folder, fix)?);
            }
            let is_former = folder != in_use && folder != artifacts;
            if is_former && repository.hides_other_files(&folder)? {
                checks.push(check_list(&name, repository, &folder, fix)?);
            }
        }
        Ok(checks)
    }
}

fn folders_of(sessions: &[Session]) -> impl Iterator<Item = PathBuf> {
    let parents = sessions
        .iter()
        .filter_map(|session| session.worktree.parent());
    let folders: BTreeSet<PathBuf> = parents.map(Path::to_owned).collect();
    folders.into_iter()
}

/// The folder's own list takes the place of the line, unless the folder has other files by now.
fn check_line(
    name: &str,
    repository: &Repository,
    folder: &Path,
    fix: bool,
) -> Result<Diagnosis, EngineError> {
    let shown = folder.file_name().unwrap_or_default().to_string_lossy();
    let detail = format!(
        ".git/info/exclude hides folders called `{shown}` in the worktrees of sessions too"
    );
    if !fix {
        let check = Diagnosis::new(name, Health::Bad, detail);
        return Ok(check.hint("`orchestra doctor --fix` removes the line"));
    }
    if folder.is_dir() && repository.find_unsuitable(folder)?.is_none() {
        repository.keep_out_of_status(folder)?;
    } else {
        repository.remove_exclude_line(folder)?;
    }
    let detail = format!("{detail}: removed the line");
    Ok(Diagnosis::new(name, Health::Fixed, detail))
}

fn check_list(
    name: &str,
    repository: &Repository,
    folder: &Path,
    fix: bool,
) -> Result<Diagnosis, EngineError> {
    let list = folder.join(".gitignore");
    let list = list.display();
    if !fix {
        let detail = format!("{list} was made for worktrees and hides other files now");
        let check = Diagnosis::new(name, Health::Bad, detail);
        return Ok(check.hint("`orchestra doctor --fix` removes it"));
    }
    repository.show_in_status(folder)?;
    let detail = format!("removed {list}, which was made for worktrees and hid other files");
    Ok(Diagnosis::new(name, Health::Fixed, detail))
}
