//! Which files decided the configuration: those that git named, and those that an include would bring in.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Entry;

/// The files that decide.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// git read values from them.
    pub(crate) read: BTreeSet<PathBuf>,
    /// An include names them; they may be missing.
    pub(crate) included: BTreeSet<PathBuf>,
}

/// Where values come from; `None` where something else decides too, or it cannot be told.
pub(super) fn sources(entries: &[Entry], dir: &Path, home: Option<&Path>) -> Option<Sources> {
    let mut sources = Sources::default();
    for entry in entries {
        let Some(origin) = &entry.origin else {
            continue;
        };
        let origin = dir.join(origin);
        if entry.key.starts_with("includeif.onbranch:") {
            return None;
        }
        if is_include(&entry.key) {
            let file = included(&entry.value, &origin, home)?;
            sources.included.insert(file);
        }
        sources.read.insert(origin);
    }
    Some(sources)
}

fn is_include(key: &str) -> bool {
    key == "include.path" || (key.starts_with("includeif.") && key.ends_with(".path"))
}

/// A path in an include: from the home directory, or from where the file is that has it.
fn included(value: &str, origin: &Path, home: Option<&Path>) -> Option<PathBuf> {
    if let Some(rest) = value.strip_prefix("~/") {
        return Some(home?.join(rest));
    }
    if value.starts_with(['~', '%']) {
        return None;
    }
    Some(origin.parent()?.join(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::Scope;

    fn found(pairs: &[(&str, &str)]) -> Option<Vec<String>> {
        let entry = |(key, value): &(&str, &str)| Entry {
            scope: Scope::User,
            origin: Some(".git/config".into()),
            key: (*key).to_owned(),
            value: (*value).to_owned(),
        };
        let entries: Vec<_> = pairs.iter().map(entry).collect();
        let files = sources(&entries, Path::new("/r"), Some(Path::new("/h")))?;
        let text = |file: &PathBuf| file.display().to_string();
        Some(files.read.iter().chain(&files.included).map(text).collect())
    }

    #[test]
    fn includes_count_wherever_they_are() {
        let own = "/r/.git/config";
        assert_eq!(found(&[("a.b", "c")]).unwrap(), [own]);
        let more = found(&[
            ("include.path", "more"),
            ("includeif.gitdir:/r/.path", "~/x"),
        ]);
        assert_eq!(more.unwrap(), [own, "/h/x", "/r/.git/more"]);
    }

    #[test]
    fn what_else_decides_cannot_be_watched() {
        for pair in [
            ("includeif.onbranch:main.path", "/x"),
            ("include.path", "~user/x"),
            ("include.path", "%(prefix)/x"),
        ] {
            assert_eq!(found(&[pair]), None, "{pair:?}");
        }
    }
}
