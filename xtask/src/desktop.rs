//! `cargo xtask desktop`: the desktop app and its installers; and journeys through it on a screen of their own.

use std::path::Path;
use std::process::ExitCode;

use crate::failure::Failure;
use crate::workspace::{Profile, Workspace};
use crate::{files, npm, program, web};

/// The program that comes with the app.
const SIDECAR: &str = "orchestra";
/// What a release adds, if it can be updated.
const UPDATER: &str = "updater.conf.json";
/// How files end that people install, or that updates are made of.
const INSTALLERS: [&str; 8] = [
    ".deb",
    ".rpm",
    ".AppImage",
    ".dmg",
    ".msi",
    ".exe",
    ".tar.gz",
    ".sig",
];

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The kinds of installers, such as deb,rpm; those that this system can make if not given
    #[arg(long, default_value = USUAL)]
    bundles: String,
}

const USUAL: &str = if cfg!(target_os = "linux") {
    "deb,rpm"
} else if cfg!(target_os = "macos") {
    "app,dmg"
} else {
    "nsis"
};

/// Builds the installers and tells how large they are.
pub(crate) fn bundle(workspace: &Workspace, options: &Options) -> Result<ExitCode, Failure> {
    web::build(workspace)?;
    let mut cargo = workspace.cargo(["build", "--release", "--bin", SIDECAR]);
    program::run(cargo.args(["--package", "orchestra-cli"]))?;
    let folder = workspace.root().join("apps").join("desktop");
    let program = workspace.binary(Profile::Release, SIDECAR);
    let named = format!("{SIDECAR}-{}{}", host()?, std::env::consts::EXE_SUFFIX);
    files::create_directory(&folder.join("binaries"))?;
    files::copy(&program, &folder.join("binaries").join(named))?;
    npm::install(&folder)?;
    let mut tauri = npm::command(&folder);
    tauri.args([
        "run",
        "--silent",
        "bundle",
        "--",
        "--bundles",
        &options.bundles,
    ]);
    if folder.join(UPDATER).exists() {
        tauri.args(["--config", UPDATER]);
    }
    program::run(&mut tauri)?;
    gather(
        &workspace.binaries(Profile::Release).join("bundle"),
        &workspace.target().join("dist").join("desktop"),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Puts the installers into one folder, which is made anew.
fn gather(bundles: &Path, folder: &Path) -> Result<(), Failure> {
    files::remove_directory(folder)?;
    files::create_directory(folder)?;
    for file in files::list(bundles)? {
        let Some(name) = file.file_name().and_then(|it| it.to_str()) else {
            continue;
        };
        if !INSTALLERS.iter().any(|ending| name.ends_with(ending)) {
            continue;
        }
        let installer = folder.join(name);
        files::copy(&bundles.join(&file), &installer)?;
        if let Ok(found) = installer.metadata() {
            let megabytes = found.len() as f64 / 1e6;
            println!("{megabytes:>7.2} MB  {}", installer.display());
        }
    }
    Ok(())
}

/// Runs the journeys with the debug binaries, on Linux: there a window can be driven without a screen.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Failure> {
    if !cfg!(target_os = "linux") {
        println!("journeys through the desktop app are made on Linux only");
        return Ok(());
    }
    let folder = workspace.root().join("e2e");
    npm::install(&folder)?;
    let mut journeys = npm::command(&folder);
    journeys
        .args(["run", "--silent", "desktop"])
        .env("ORCHESTRA_BIN", workspace.binaries(Profile::Debug));
    program::run(&mut journeys)
}

/// The name that Rust has for this system.
fn host() -> Result<String, Failure> {
    let told = program::output(std::process::Command::new("rustc").arg("-vV"))?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| Failure::new("rustc does not say what it builds for"))
}
