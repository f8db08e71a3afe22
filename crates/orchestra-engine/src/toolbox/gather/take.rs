//! Whether a file is taken, and taking it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::open::{Checked, Root};
use super::walk::{Listing, list};
use super::{Gathering, place};
use crate::toolbox::manifest::{RefusedFile, ShadowedFile, Stamp, TakenFile};
use crate::toolbox::rules::{LARGEST_FILE, LARGEST_TOTAL, MOST_FILES};

const LEADS_OUT: &str = "it is a link to something that is not part of the toolbox";

impl Gathering<'_> {
    pub(super) fn refuse(&mut self, path: PathBuf, why: String) {
        self.gathered.refused.push(RefusedFile { path, why });
    }

    pub(super) fn take_toolbox(&mut self, toolbox: &Path) -> Result<(), String> {
        let real = toolbox.canonicalize().map_err(|error| error.to_string())?;
        if let Some(why) = self.rules.objection_to_directory(&real) {
            return Err(why.to_owned());
        }
        let root = Root::open(&real)?;
        let listing = list(&root, MOST_FILES - self.looked_at)?;
        self.looked_at += listing.looked_at;
        let Listing {
            files,
            links,
            refused,
            ..
        } = listing;
        for (path, why) in refused {
            self.refuse(toolbox.join(path), why);
        }
        let mut stamps = HashSet::new();
        for path in files {
            match root.open_file(&path) {
                Ok(file) => stamps.extend(self.consider(toolbox, path, &file)),
                Err(why) => self.refuse(toolbox.join(path), why),
            }
        }
        for path in links {
            match root.open_link(&path) {
                Ok(file) if stamps.contains(&file.stamp) => {
                    self.consider(toolbox, path, &file);
                }
                Ok(_) => self.refuse(toolbox.join(path), LEADS_OUT.to_owned()),
                Err(why) => self.refuse(toolbox.join(path), why),
            }
        }
        Ok(())
    }

    /// Takes an opened file, if nothing speaks against it.
    fn consider(&mut self, toolbox: &Path, path: PathBuf, file: &Checked) -> Option<Stamp> {
        if let Some(by) = self.taken.get(&path) {
            let (path, by) = (toolbox.join(&path), by.clone());
            self.gathered.shadowed.push(ShadowedFile { path, by });
            return Some(file.stamp);
        }
        let objection = self.rules.objection_to_name(&path);
        if let Some(why) = objection.or_else(|| self.too_large(file.stamp.size)) {
            self.refuse(toolbox.join(&path), why);
            return None;
        }
        if let Err(error) = place::place(self.into, &path, file) {
            self.refuse(toolbox.join(&path), error.to_string());
            return None;
        }
        self.bytes += file.stamp.size;
        self.taken.insert(path.clone(), toolbox.to_owned());
        self.gathered.files.push(TakenFile {
            is_tool: file.is_executable && path.components().count() == 1,
            path,
            toolbox: toolbox.to_owned(),
            stamp: file.stamp,
        });
        Some(file.stamp)
    }

    fn too_large(&self, size: u64) -> Option<String> {
        if size > LARGEST_FILE {
            return Some("it is larger than 10 MiB".to_owned());
        }
        let is_over = self.bytes + size > LARGEST_TOTAL;
        is_over.then(|| "with it, the toolboxes would be larger than 100 MiB".to_owned())
    }
}
