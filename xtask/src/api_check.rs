//! Schemathesis against a real server: whatever the document allows is asked for, and every answer is compared with it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::failure::Failure;
use crate::workspace::{Profile, Workspace};
use crate::{files, program};

const VERSION: &str = "4.32.5";
/// Requests for each operation: by default, and with `--long`.
const EXAMPLES: [&str; 2] = ["4", "100"];

/// Requests about a session reach one.
const CONFIGURATION: &str = "[parameters]\n\"path.session\" = \"sample\"\n";

/// Starts a server of its own over a sample repository and asks it everything.
pub(crate) fn run(workspace: &Workspace, long: bool) -> Result<(), Failure> {
    let tool = install(workspace)?;
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::new("cannot make a temporary directory").because(error))?;
    let home = folder.path().join("home");
    let repository = sample(folder.path())?;
    let orchestra = |words: &[&str]| {
        let mut command = Command::new(workspace.binary(Profile::Debug, "orchestra"));
        hermetic(&mut command, &home)
            .current_dir(&repository)
            .args(words);
        command
    };
    let new = [
        "session", "new", "--name", "sample", "--prompt", "Do it", "--agent", "demo",
    ];
    program::output(&mut orchestra(&new))?;
    let token = program::output(&mut orchestra(&["serve", "--token"]))?;
    files::write(&folder.path().join("schemathesis.toml"), CONFIGURATION)?;
    let (server, url) = start(orchestra(&["serve", "--port", "0", "--json"]))?;
    let mut check = Command::new(tool);
    check
        .current_dir(folder.path())
        .args(["run", &format!("{url}/api/v1/openapi.json"), "--url", &url])
        .args(["--header", &format!("Authorization: Bearer {}", token.trim())])
        .args(["--checks", "not_a_server_error,response_schema_conformance,status_code_conformance,content_type_conformance"])
        .args(["--max-examples", EXAMPLES[usize::from(long)]])
        .args(["--phases", "examples,fuzzing", "--seed", "1", "--generation-database", "none"])
        // A stream has no end to wait for.
        .args(["--exclude-path", "/api/v1/events"]);
    let checked = program::run(&mut check);
    end(server)?;
    checked
        .map_err(|failure| failure.hint("the failing request is printed above as a curl command"))
}

/// A line of JSON says where it is.
fn start(mut command: Command) -> Result<(Child, String), Failure> {
    let broken = |why: &str| Failure::new(format!("the server does not start: {why}"));
    let mut server = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| broken(&error.to_string()))?;
    let output = server.stdout.take().ok_or_else(|| broken("no output"))?;
    let mut line = String::new();
    BufReader::new(output)
        .read_line(&mut line)
        .map_err(|error| broken(&error.to_string()))?;
    let told: serde_json::Value =
        serde_json::from_str(&line).map_err(|_| broken("it does not say where it is"))?;
    let url = told["url"]
        .as_str()
        .ok_or_else(|| broken("it has no address"))?;
    Ok((server, url.to_owned()))
}

/// One that ended by itself has failed.
fn end(mut server: Child) -> Result<(), Failure> {
    let ended = server.try_wait();
    let goes_on = matches!(ended, Ok(None));
    // It may have ended in this moment.
    server.kill().ok();
    server.wait().ok();
    match goes_on {
        true => Ok(()),
        false => Err(Failure::new("the server ended while it was asked")),
    }
}

fn sample(folder: &Path) -> Result<PathBuf, Failure> {
    let (home, repository) = (folder.join("home"), folder.join("sample"));
    for directory in [&home, &repository] {
        std::fs::create_dir_all(directory)
            .map_err(|error| Failure::new("cannot make the sample repository").because(error))?;
    }
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        hermetic(&mut command, &home)
            .current_dir(&repository)
            .args(words);
        program::output(&mut command).map(drop)
    };
    git(&["config", "--global", "user.name", "Sample"])?;
    git(&["config", "--global", "user.email", "sample@example.com"])?;
    git(&["init", "--quiet", "--initial-branch", "main"])?;
    git(&["commit", "--quiet", "--allow-empty", "--message", "Begin"])?;
    Ok(repository)
}

/// Nothing of the user's is read or changed.
fn hermetic<'a>(command: &'a mut Command, home: &Path) -> &'a mut Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    command
        .env_clear()
        .env("PATH", path)
        .env("HOME", home)
        .env("ORCHESTRA_HOME", home.join("data"))
}

/// The program, installed below the target directory once.
fn install(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let folder = workspace
        .target()
        .join("tools")
        .join(format!("schemathesis-{VERSION}"));
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let tool = programs.join("schemathesis");
    if tool.exists() {
        return Ok(tool);
    }
    let made = program::output(
        Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(&folder),
    );
    made.map_err(|failure| failure.hint("install Python 3.10 or newer with its venv module"))?;
    let mut pip = Command::new(programs.join("python"));
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    program::output(pip.arg(format!("schemathesis=={VERSION}")))?;
    Ok(tool)
}
