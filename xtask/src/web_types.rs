//! The TypeScript types of the HTTP API, made from the OpenAPI document by openapi-typescript.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::workspace::Workspace;
use crate::{files, npm, program, web};

/// Writes them anew.
pub(crate) fn write(workspace: &Workspace) -> Result<(), Failure> {
    generate(workspace, &place(workspace))
}

/// Fails when they are not what the document says.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Failure> {
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::new("cannot make a temporary directory").because(error))?;
    let fresh = folder.path().join("schema.d.ts");
    generate(workspace, &fresh)?;
    let place = place(workspace);
    if files::read(&fresh)? == files::read(&place)? {
        return Ok(());
    }
    let stale = place.display();
    Err(Failure::new(format!("{stale} is out of date"))
        .hint("`cargo xtask reference` writes it anew"))
}

fn place(workspace: &Workspace) -> PathBuf {
    web::folder(workspace).join("src/api/generated/schema.d.ts")
}

fn generate(workspace: &Workspace, target: &Path) -> Result<(), Failure> {
    let web = web::folder(workspace);
    npm::install(&web)?;
    let mut types = npm::command(&web);
    types.args(["run", "--silent", "types", "--"]).arg(target);
    program::output(&mut types).map(drop)
}
