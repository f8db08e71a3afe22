//! Taking the files of several toolboxes into one directory.

#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod open;
#[cfg(unix)]
mod place;
#[cfg(unix)]
mod take;
#[cfg(unix)]
mod walk;

#[cfg(not(unix))]
pub(super) use elsewhere::gather;

#[cfg(unix)]
use std::collections::HashMap;
#[cfg(unix)]
use std::path::{Path, PathBuf};

use super::manifest::{RefusedFile, ShadowedFile, TakenFile};

/// What came of it.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) files: Vec<TakenFile>,
    pub(super) shadowed: Vec<ShadowedFile>,
    pub(super) refused: Vec<RefusedFile>,
}

/// Takes the files of toolboxes into an empty directory, the first of a name winning.
#[cfg(unix)]
pub(super) fn gather(toolboxes: &[PathBuf], into: &Path, rules: &super::rules::Rules) -> Gathered {
    let mut gathering = Gathering {
        rules,
        into,
        taken: HashMap::new(),
        bytes: 0,
        looked_at: 0,
        gathered: Gathered::default(),
    };
    for toolbox in toolboxes {
        if let Err(why) = gathering.take_toolbox(toolbox) {
            gathering.refuse(toolbox.clone(), why);
        }
    }
    gathering.gathered
}

#[cfg(unix)]
struct Gathering<'a> {
    rules: &'a super::rules::Rules,
    into: &'a Path,
    /// Which toolbox has which name.
    taken: HashMap<PathBuf, PathBuf>,
    bytes: u64,
    looked_at: usize,
    gathered: Gathered,
}

#[cfg(all(test, unix))]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;
    use crate::toolbox::rules::Rules;

    const STRANGER: &str = "a secret of somebody else";
    const ROUNDS: usize = 300;

    fn rules() -> Rules {
        Rules {
            extensions: Vec::new(),
            forbidden: Vec::new(),
            home: None,
        }
    }

    /// Puts a file, and then a link to a stranger, in the same places, over and over.
    fn swap(toolbox: &Path, outside: &Path, is_over: &AtomicBool) {
        let (own, held) = (toolbox.join("tool"), toolbox.join(".held"));
        let (lib, kept) = (toolbox.join("lib"), toolbox.join(".kept"));
        while !is_over.load(Ordering::Relaxed) {
            fs::rename(&own, &held).unwrap();
            symlink(outside.join("secret"), &own).unwrap();
            fs::rename(&lib, &kept).unwrap();
            symlink(outside, &lib).unwrap();
            fs::remove_file(&own).unwrap();
            fs::rename(&held, &own).unwrap();
            fs::remove_file(&lib).unwrap();
            fs::rename(&kept, &lib).unwrap();
        }
    }

    fn contents(directory: &Path) -> Vec<String> {
        let mut texts = Vec::new();
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            match path.symlink_metadata().unwrap() {
                facts if facts.is_dir() => texts.extend(contents(&path)),
                facts => {
                    assert!(facts.is_file(), "{}", path.display());
                    texts.push(fs::read_to_string(&path).unwrap());
                }
            }
        }
        texts
    }

    #[test]
    fn a_toolbox_that_changes_meanwhile_lets_no_stranger_in() {
        let place = tempfile::tempdir().unwrap();
        let (toolbox, outside) = (place.path().join("tools"), place.path().join("outside"));
        fs::create_dir_all(toolbox.join("lib")).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("secret"), STRANGER).unwrap();
        fs::write(toolbox.join("lib/secret"), "our own").unwrap();
        fs::write(toolbox.join("tool"), "our own").unwrap();
        let is_over = AtomicBool::new(false);
        let taken = thread::scope(|scope| {
            scope.spawn(|| swap(&toolbox, &outside, &is_over));
            let taken: Vec<String> = (0..ROUNDS)
                .flat_map(|round| {
                    let into = place.path().join(format!("into{round}"));
                    fs::create_dir(&into).unwrap();
                    gather(std::slice::from_ref(&toolbox), &into, &rules());
                    contents(&into)
                })
                .collect();
            is_over.store(true, Ordering::Relaxed);
            taken
        });
        let strangers = taken.iter().filter(|text| *text != "our own").count();
        println!(
            "toolbox looks {ROUNDS}, files {}, strangers {strangers}",
            taken.len()
        );
        assert!(!taken.is_empty());
        assert_eq!(strangers, 0);
    }
}
