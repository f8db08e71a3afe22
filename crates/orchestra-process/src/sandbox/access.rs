//! Which path may be used how: the most specific rule decides.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Sandbox, SandboxError};

/// What may be done below a path, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Access {
    Hidden,
    Readable,
    /// Empty at first, gone at the end.
    Private,
    Writable,
}

/// Rules by path. A path comes after the ones it is inside of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) rules: BTreeMap<PathBuf, Access>,
}

impl Plan {
    /// The paths of a sandbox where they really are, without those that do not exist.
    pub(super) fn of(sandbox: &Sandbox) -> Result<Self, SandboxError> {
        let mut plan = Self::default();
        for (paths, access) in [
            (&sandbox.hidden, Access::Hidden),
            (&sandbox.readable, Access::Readable),
        ] {
            let real = paths.iter().filter_map(|path| fs::canonicalize(path).ok());
            real.for_each(|path| plan.add(path, access));
        }
        for path in &sandbox.writable {
            let real = fs::canonicalize(path).map_err(|source| SandboxError::Unwritable {
                path: path.clone(),
                source,
            })?;
            plan.add(real, Access::Writable);
        }
        Ok(plan)
    }

    /// The kinder rule stays.
    pub(super) fn add(&mut self, path: PathBuf, access: Access) {
        let rule = self.rules.entry(path).or_insert(access);
        *rule = access.max(*rule);
    }

    /// What may be done at a path.
    pub(super) fn access(&self, path: &Path) -> Access {
        let rule = path.ancestors().find_map(|above| self.rules.get(above));
        rule.copied().unwrap_or(Access::Readable)
    }

    /// Whether a path lies somewhere in a directory of the program's own.
    pub(super) fn is_in_private(&self, path: &Path) -> bool {
        let mut above = path.ancestors().skip(1);
        above.any(|above| self.rules.get(above) == Some(&Access::Private))
    }

    /// Whether something inside of `directory` may be used less than `access`.
    #[cfg(any(target_os = "linux", test))]
    pub(super) fn is_stricter_inside(&self, directory: &Path, access: Access) -> bool {
        let inside = self
            .rules
            .iter()
            .filter(|(path, _)| path.starts_with(directory) && path.as_path() != directory);
        inside.into_iter().any(|(_, rule)| *rule < access)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_rule_decides_and_the_kinder_of_two() {
        let mut plan = Plan::default();
        plan.add("/home/u/.data".into(), Access::Hidden);
        plan.add("/home/u/.data/work".into(), Access::Writable);
        plan.add("/home/u/.data/work".into(), Access::Readable);
        let access = |path| plan.access(Path::new(path));
        assert_eq!(access("/home/u/.data/store"), Access::Hidden);
        assert_eq!(access("/home/u/.data/work/a/b"), Access::Writable);
        assert_eq!(access("/home/u/.database"), Access::Readable);
        let stricter = |path| plan.is_stricter_inside(Path::new(path), Access::Readable);
        assert!(stricter("/home") && stricter("/"));
        assert!(!stricter("/usr") && !stricter("/home/u/.data"));
    }
}
