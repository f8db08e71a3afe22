//! What a toolbox may have, and where it may lie.

use std::path::{Component, Path, PathBuf};

use orchestra_config::Settings;

/// Bytes of one file.
pub(crate) const LARGEST_FILE: u64 = 10 * 1024 * 1024;
/// Bytes of all files of a session together.
pub(crate) const LARGEST_TOTAL: u64 = 100 * 1024 * 1024;
/// Files of a session, and everything else that lies in its toolboxes.
pub(crate) const MOST_FILES: usize = 1_000;
/// Directories below each other.
pub(crate) const DEEPEST: usize = 8;

/// Directories that nobody's tools are in.
const NEVER: [&str; 4] = [".git", ".ssh", ".gnupg", ".aws"];

/// What holds for all toolboxes.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    pub(super) extensions: Vec<String>,
    pub(super) forbidden: Vec<PathBuf>,
    pub(super) home: Option<PathBuf>,
}

impl Rules {
    /// The user's rules; what this product keeps is no toolbox either, but for what it put together itself.
    pub(crate) fn of(settings: &Settings, data: &Path, home: Option<&Path>) -> Self {
        let mut forbidden = settings.equipment.forbidden_paths.clone();
        forbidden.push(data.to_owned());
        // A link in a path must not lead past a rule.
        let real = forbidden.iter().filter_map(|path| path.canonicalize().ok());
        let real: Vec<PathBuf> = real.collect();
        forbidden.extend(real);
        Self {
            extensions: settings.equipment.tool_extensions.clone(),
            forbidden,
            home: home.and_then(|home| home.canonicalize().ok()),
        }
    }

    /// Why a directory, without links in its path, can be no toolbox.
    pub(crate) fn objection_to_directory(&self, directory: &Path) -> Option<&'static str> {
        let is_never = |part: Component<'_>| NEVER.iter().any(|name| part.as_os_str() == *name);
        let is_below = |forbidden: &PathBuf| directory.starts_with(forbidden);
        if directory.parent().is_none() || Some(directory) == self.home.as_deref() {
            return Some("it is no directory for tools");
        }
        let is_forbidden =
            self.forbidden.iter().any(is_below) || directory.components().any(is_never);
        is_forbidden.then_some("it lies where no toolbox may")
    }

    /// Why a file cannot be part of a toolbox, by its name.
    pub(crate) fn objection_to_name(&self, file: &Path) -> Option<String> {
        let Some(name) = file.to_str() else {
            return Some("its name is no text".to_owned());
        };
        if name.contains(char::is_control) {
            return Some("its name has control characters".to_owned());
        }
        let ending = file.extension()?.to_str()?.to_lowercase();
        let is_allowed = self.extensions.contains(&ending);
        (!is_allowed).then(|| format!("`.{ending}` is no ending of runtime.tool_extensions"))
    }
}
