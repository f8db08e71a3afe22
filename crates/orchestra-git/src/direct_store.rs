//! The objects of a repository for work in process, opened once and dropped when something went wrong with them.

use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::contained::contained;
use crate::objects::{ObjectError, Store};
use crate::repository::{ObjectFormat, Repository};

/// git gives this to the directories of a repository that a group shares.
const SET_GROUP_ID: u32 = 0o2000;

/// The open objects, if somebody needed them.
#[derive(Debug, Clone, Default)]
pub(crate) struct DirectStore {
    slot: Arc<Mutex<Option<Arc<Store>>>>,
}

impl DirectStore {
    fn replace(&self, store: Option<Arc<Store>>) {
        *self.slot.lock().unwrap_or_else(PoisonError::into_inner) = store;
    }

    fn current(&self) -> Option<Arc<Store>> {
        let slot = self.slot.lock();
        slot.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Repository {
    /// Does work on objects in process. `None`: it has to be left to git, because ids are not SHA-1, a group shares the files,
    /// which git gives other permissions, or the work says so or panics.
    pub(crate) fn directly<T>(&self, work: impl FnOnce(&Store) -> Option<T>) -> Option<T> {
        let objects = std::fs::metadata(self.common_dir().join("objects")).ok()?;
        let is_shared = objects.permissions().mode() & SET_GROUP_ID != 0;
        if is_shared || self.object_format() != ObjectFormat::Sha1 {
            return None;
        }
        let store = self.store().ok()?;
        let done = contained(|| work(&store));
        if done.is_none() {
            self.direct_store.replace(None);
        }
        done.flatten()
    }

    /// The objects, opened once.
    pub(crate) fn store(&self) -> Result<Arc<Store>, ObjectError> {
        if let Some(store) = self.direct_store.current() {
            return Ok(store);
        }
        let store = Arc::new(Store::open(self.common_dir())?);
        self.direct_store.replace(Some(Arc::clone(&store)));
        Ok(store)
    }
}

#[cfg(test)]
mod tests {
    use orchestra_testkit::Sandbox;

    use super::*;
    use crate::{Environment, Git};

    #[test]
    fn objects_that_made_a_library_panic_are_opened_again() {
        let sandbox = Sandbox::new();
        let plain = sandbox.repository("sample");
        let environment = Environment::from_variables(sandbox.env());
        let git = Git::find(None, environment, &sandbox.data_dir().join("git")).unwrap();
        let repository = git.open(plain.root()).unwrap();
        assert_eq!(repository.directly(|_| Some(1)), Some(1));
        let first = repository.direct_store.current().unwrap();
        assert_eq!(repository.directly(|_| None::<u32>), None);
        assert!(Arc::ptr_eq(
            &first,
            &repository.direct_store.current().unwrap()
        ));
        let panicked = repository.directly(|_| -> Option<u32> { panic!("damaged") });
        assert_eq!(panicked, None);
        assert!(repository.direct_store.current().is_none());
        assert_eq!(repository.directly(|_| Some(2)), Some(2));
    }
}
