//! What `package.json` says about a repository.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// What the script `test` says that `npm init` writes.
const PLACEHOLDER: &str = "no test specified";

/// What `package.json` says; nothing, if there is none that can be read.
#[derive(Debug, Default)]
pub(super) struct PackageJson(Value);

impl PackageJson {
    pub(super) fn read(root: &Path) -> Self {
        let bytes = fs::read(root.join("package.json")).ok();
        let value = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self(value.unwrap_or_default())
    }

    /// `"packageManager": "pnpm@9.1.0"`.
    pub(super) fn manager(&self) -> Option<&str> {
        let declared = self.0.get("packageManager")?.as_str()?;
        declared.split('@').next()
    }

    pub(super) fn has_script(&self, name: &str) -> bool {
        self.script(name).is_some()
    }

    /// Whether it has a script `test` that tests something: `npm init` writes one that only fails.
    pub(super) fn has_tests(&self) -> bool {
        let test = self.script("test");
        test.is_some_and(|script| !script.trim().is_empty() && !script.contains(PLACEHOLDER))
    }

    fn script(&self, name: &str) -> Option<&str> {
        self.0.get("scripts")?.get(name)?.as_str()
    }
}
