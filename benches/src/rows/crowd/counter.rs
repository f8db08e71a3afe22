//! A git in front of the real one that counts how often it is started.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::product::Product;
use crate::world::World;

#[derive(Debug)]
pub(super) struct Counter {
    directory: PathBuf,
    path: OsString,
}

impl Counter {
    pub(super) fn new(world: &World) -> Outcome<Self> {
        let known = world.environment().iter().find(|(name, _)| name == "PATH");
        let (_, path) = known.ok_or("there is no PATH")?;
        let git = std::env::split_paths(path)
            .map(|directory| directory.join("git"))
            .find(|program| program.is_file())
            .ok_or("git is not on the PATH")?;
        let directory = world.path("counter");
        fs::create_dir_all(&directory)?;
        write_program(&directory.join("git"), &git)?;
        let directories = std::iter::once(directory.clone()).chain(std::env::split_paths(path));
        let path = std::env::join_paths(directories)?;
        Ok(Self { directory, path })
    }

    /// Runs a command of the product and answers how many git processes it started.
    pub(super) fn count(
        &self,
        product: &Product,
        world: &World,
        arguments: &[&str],
    ) -> Outcome<u64> {
        let log = self.directory.join("log");
        fs::write(&log, "")?;
        let mut command = product.command(world, arguments);
        let output = command.env("PATH", &self.path).output()?;
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr);
            return Err(format!("orchestra {}: {}", arguments.join(" "), words.trim()).into());
        }
        Ok(u64::try_from(fs::read_to_string(&log)?.lines().count())?)
    }
}

#[cfg(unix)]
fn write_program(program: &Path, git: &Path) -> Outcome<()> {
    use std::os::unix::fs::PermissionsExt;
    let git = git.display();
    let text = format!("#!/bin/sh\necho \"$1\" >> \"${{0%/*}}/log\"\nexec '{git}' \"$@\"\n");
    fs::write(program, text)?;
    Ok(fs::set_permissions(
        program,
        fs::Permissions::from_mode(0o755),
    )?)
}

#[cfg(not(unix))]
fn write_program(_program: &Path, _git: &Path) -> Outcome<()> {
    Err("git processes of commands are counted on Unix only".into())
}
