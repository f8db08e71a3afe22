//! Systems on which nobody can tell who may write a file, or replace it meanwhile.

use std::path::{Path, PathBuf};

use super::Gathered;
use crate::toolbox::manifest::RefusedFile;
use crate::toolbox::rules::Rules;

pub(in crate::toolbox) fn gather(toolboxes: &[PathBuf], _into: &Path, _rules: &Rules) -> Gathered {
    let refused = toolboxes.iter().map(|path| RefusedFile {
        path: path.clone(),
        why: "this system has no toolboxes: nobody can tell who may change them".to_owned(),
    });
    Gathered {
        refused: refused.collect(),
        ..Gathered::default()
    }
}
