//! Journeys through the page in a real browser, over a real server, real git and scripted agents.

use std::path::PathBuf;

use crate::failure::Failure;
use crate::workspace::{Profile, Workspace};
use crate::{npm, program, web};

/// Where Debian's package puts it. Another one can be named in `ORCHESTRA_CHROMIUM`.
const CHROMIUM: &str = "/usr/bin/chromium";

/// Runs the journeys with the debug binaries and the page as its sources are now.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let chromium = chromium();
    if !chromium.exists() {
        let failure = Failure::new(format!("there is no Chromium at {}", chromium.display()));
        let hint = "install it, or name it in ORCHESTRA_CHROMIUM";
        return Err(failure.hint(hint));
    }
    web::build(workspace)?;
    let folder = workspace.root().join("e2e");
    npm::install(&folder)?;
    npm::run(&folder, "lint")?;
    let mut journeys = npm::command(&folder);
    journeys
        .args(["run", "--silent", "test"])
        .env("ORCHESTRA_BIN", workspace.binaries(Profile::Debug));
    program::run(&mut journeys)
}

fn chromium() -> PathBuf {
    let named = std::env::var_os("ORCHESTRA_CHROMIUM");
    named.map_or_else(|| CHROMIUM.into(), PathBuf::from)
}
