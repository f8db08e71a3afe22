//! Names that differ in upper and lower case only. They merge without a conflict, and on many systems one of the files then
//! takes the place of the other.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Two files that a system without a difference between upper and lower case takes for one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct CaseClash {
    /// What ours calls it.
    #[schema(value_type = String)]
    #[serde(serialize_with = "crate::path_as_text")]
    pub ours: PathBuf,
    /// What theirs calls it.
    #[schema(value_type = String)]
    #[serde(serialize_with = "crate::path_as_text")]
    pub theirs: PathBuf,
}

/// Compares the files that a branch added, theirs, with those of another one.
#[must_use]
pub fn case_clashes<'a>(
    ours: impl IntoIterator<Item = &'a Path>,
    theirs: impl IntoIterator<Item = &'a Path>,
) -> Vec<CaseClash> {
    let theirs = theirs.into_iter();
    let theirs: Vec<(String, &Path)> = theirs
        .filter_map(|path| Some((folded(path)?, path)))
        .collect();
    // Theirs are few, ours can be a whole repository.
    let wanted: HashSet<&str> = theirs.iter().map(|(name, _)| name.as_str()).collect();
    let mut known: BTreeMap<String, BTreeSet<&Path>> = BTreeMap::new();
    for path in ours {
        if let Some(name) = folded(path).filter(|name| wanted.contains(name.as_str())) {
            known.entry(name).or_default().insert(path);
        }
    }
    let clash = |(name, theirs): &(String, &Path)| {
        let ours = known.get(name)?;
        let other = ours.first().filter(|_| !ours.contains(theirs))?;
        Some(CaseClash {
            ours: (*other).to_owned(),
            theirs: (*theirs).to_owned(),
        })
    };
    theirs.iter().filter_map(clash).collect()
}

/// What is no text has no upper case.
fn folded(path: &Path) -> Option<String> {
    path.to_str().map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clashes(ours: &[&str], theirs: &[&str]) -> Vec<(String, String)> {
        let found = case_clashes(ours.iter().map(Path::new), theirs.iter().map(Path::new));
        let text = |path: &Path| path.display().to_string();
        let pair = |clash: &CaseClash| (text(&clash.ours), text(&clash.theirs));
        found.iter().map(pair).collect()
    }

    #[test]
    fn only_a_difference_in_case_is_a_clash() {
        assert_eq!(
            clashes(
                &["a", "Notes", "Docs/GRÖSSE"],
                &["NOTES", "b", "docs/größe", "a"]
            ),
            [("Notes".to_owned(), "NOTES".to_owned())]
        );
        assert_eq!(
            clashes(&["Docs/a"], &["docs/a"]),
            [("Docs/a".to_owned(), "docs/a".to_owned())]
        );
        assert_eq!(clashes(&["a"], &["a"]), []);
        assert_eq!(clashes(&["a", "A"], &["a"]), [], "both are there already");
    }
}
