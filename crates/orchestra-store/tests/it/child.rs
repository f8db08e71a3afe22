//! The test program run again as another process, to do one thing with a store.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const JOB: &str = "ORCHESTRA_STORE_TEST_JOB";
const DATABASE: &str = "ORCHESTRA_STORE_TEST_DATABASE";

/// A command that runs `job` on `database`. The job is looked up in [`do_job`].
pub(crate) fn command(job: &str, database: &Path) -> Command {
    with_program(&std::env::current_exe().unwrap(), job, database)
}

/// The same through another copy of the program.
pub(crate) fn with_program(program: &Path, job: &str, database: &Path) -> Command {
    let mut command = new_command(program);
    command.args(arguments());
    set_job(&mut command, job, database);
    command
}

/// The same by way of a shell line, in which `"$@"` is the program with its arguments.
#[cfg(unix)]
pub(crate) fn through_shell(line: &str, job: &str, database: &Path) -> Command {
    let mut command = new_command(Path::new("sh"));
    command.args(["-c", line, "sh"]);
    command.arg(std::env::current_exe().unwrap());
    command.args(arguments());
    set_job(&mut command, job, database);
    command
}

fn arguments() -> [&'static str; 3] {
    ["child::do_job", "--exact", "--nocapture"]
}

#[expect(
    clippy::disallowed_methods,
    reason = "the store knows nothing of processes; its tests need a second one"
)]
fn new_command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null());
    command
}

fn set_job(command: &mut Command, job: &str, database: &Path) {
    command.env(JOB, job).env(DATABASE, database);
}

/// Runs a job to its end and answers what it said.
pub(crate) fn run(mut command: Command) -> Vec<String> {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let answers = text.lines().filter_map(|line| line.split_once("answer: "));
    answers.map(|(_, answer)| answer.to_owned()).collect()
}

/// Starts a job that goes on until it is killed.
pub(crate) fn start(mut command: Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::inherit());
    command.spawn().unwrap()
}

/// Tells the process that started this one.
#[expect(
    clippy::print_stdout,
    reason = "standard output is how this process answers"
)]
pub(crate) fn answer(text: &str) {
    println!("\nanswer: {text}");
}

/// Does what the environment asks for; in an ordinary test run that is nothing.
#[test]
fn do_job() {
    let Some(job) = variable(JOB) else { return };
    let database = PathBuf::from(variable(DATABASE).unwrap());
    match job.to_str().unwrap() {
        "append" => crate::concurrency::append_here(&database),
        "write until killed" => crate::crash::write_until_killed(&database),
        "fill" => crate::refusals::fill(&database),
        "open without rights" => crate::refusals::open_without_rights(&database),
        "open and close" => crate::concurrency::open_and_close(&database),
        other => panic!("no job is called {other}"),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the environment is how a test talks to its second process"
)]
pub(crate) fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name)
}
