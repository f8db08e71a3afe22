//! A copy of the store, taken while others use it.

use std::ffi::c_int;
use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use crate::StoreError;

/// Copies to a file beside the target first, so that the target is a whole copy or what it was before.
pub(crate) fn backup(source: &Connection, target: &Path) -> Result<(), StoreError> {
    let open = |source: std::io::Error| StoreError::Open {
        path: target.to_owned(),
        source: Box::new(source),
    };
    let partial = target.with_extension(format!("{}.partial", std::process::id()));
    let like = Path::new(source.path().unwrap_or_default());
    create_like(like, &partial).map_err(open)?;
    let done = copy(source, &partial)
        .map_err(|error| error.about(target))
        .and_then(|()| fs::rename(&partial, target).map_err(open));
    if done.is_err()
        && let Err(error) = fs::remove_file(&partial)
    {
        tracing::warn!(path = %partial.display(), %error, "a half-made copy stays behind");
    }
    done
}

/// The copy holds the same prompts and answers, so it is as private as the original from its first byte.
fn create_like(original: &Path, copy: &Path) -> std::io::Result<()> {
    let permissions = fs::metadata(original)?.permissions();
    fs::File::create(copy)?.set_permissions(permissions)
}

/// One step takes every page from one moment; smaller steps would begin anew whenever somebody writes in between.
fn copy(source: &Connection, partial: &Path) -> Result<(), StoreError> {
    let mut copy = Connection::open(partial)?;
    rusqlite::backup::Backup::new(source, &mut copy)?.run_to_completion(
        c_int::MAX,
        Duration::from_millis(10),
        None,
    )?;
    copy.close().map_err(|(_, error)| error)?;
    Ok(())
}
