//! Engines by repository. Whoever only looks gets one that was kept, until a settings file changes: opening one reads
//! settings and the store's schema. Whoever acts gets a new one, because an engine remembers what the user agreed to.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use orchestra_config::{repository_file, user_file};
use orchestra_core::Timestamp;
use orchestra_engine::{Engine, OpenOptions};

use crate::error::ApiError;

/// Engines that are kept for one repository.
const KEPT: usize = 4;
/// Repositories whose engines are kept.
const KEPT_REPOSITORIES: usize = 32;

pub(crate) struct Engines {
    options: OpenOptions,
    kept: Mutex<HashMap<Option<PathBuf>, Vec<Kept>>>,
}

struct Kept {
    engine: Engine,
    settings: Stamp,
}

/// When the settings files were written last: what another stamp was made from is read again.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp([Option<(SystemTime, u64)>; 2]);

impl Engines {
    pub(crate) fn new(options: OpenOptions) -> Self {
        Self {
            options,
            kept: Mutex::default(),
        }
    }

    /// Looks at something with the settings of a repository, or of the user alone. Mistakes in settings are left out.
    pub(crate) fn look<T>(
        &self,
        root: Option<&Path>,
        look: impl FnOnce(&Engine) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let kept = self.take(root)?;
        let done = look(&kept.engine);
        self.give_back(root, kept);
        done
    }

    /// Does something by the settings, so all of them must be readable.
    pub(crate) fn act<T>(
        &self,
        root: Option<&Path>,
        act: impl FnOnce(&Engine) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        act(&Engine::open(self.options(root))?)
    }

    /// An engine of one's own, to look.
    pub(crate) fn open(&self, root: Option<&Path>) -> Result<Engine, ApiError> {
        Ok(Engine::open_to_look(self.options(root))?)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.options.clock.now()
    }

    pub(super) fn options(&self, root: Option<&Path>) -> OpenOptions {
        OpenOptions {
            repository: root.map(Path::to_owned),
            ..self.options.clone()
        }
    }

    fn take(&self, root: Option<&Path>) -> Result<Kept, ApiError> {
        let settings = self.stamp(root);
        let known = self
            .lock()
            .get_mut(&root.map(Path::to_owned))
            .and_then(Vec::pop);
        match known.filter(|kept| kept.settings == settings) {
            Some(kept) => Ok(kept),
            None => Ok(Kept {
                engine: self.open(root)?,
                settings,
            }),
        }
    }

    fn give_back(&self, root: Option<&Path>, kept: Kept) {
        let mut all = self.lock();
        if all.len() >= KEPT_REPOSITORIES {
            all.clear();
        }
        let same = all.entry(root.map(Path::to_owned)).or_default();
        same.retain(|other| other.settings == kept.settings);
        if same.len() < KEPT {
            same.push(kept);
        }
    }

    fn stamp(&self, root: Option<&Path>) -> Stamp {
        let written = |path: PathBuf| {
            let metadata = path.metadata().ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        };
        let user = user_file(&self.options.environment).ok();
        Stamp([
            user.and_then(written),
            root.map(repository_file).and_then(written),
        ])
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Option<PathBuf>, Vec<Kept>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
