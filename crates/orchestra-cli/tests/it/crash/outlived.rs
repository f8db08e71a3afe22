//! What outlives whom: the agent its command and terminal, the output file its runner, the repository a killed git.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use orchestra_testkit::{processes, wait_until};

use super::observed::command_line;
use crate::concurrency::world::{Made, PATIENCE, World, shown};

/// An agent that says something, gives a sign, waits for one, and goes on.
fn waiting_agent(world: &Path) -> String {
    let (here, go) = (world.join("here"), world.join("go"));
    format!(
        "[[step]]\ndo = 'message'\ntext = 'before'\n[[step]]\ndo = 'touch_file'\npath = {here:?}\n\
         [[step]]\ndo = 'wait_for_file'\npath = {go:?}\n[[step]]\ndo = 'message'\ntext = 'after'\n\
         [[step]]\ndo = 'write'\npath = 'late.txt'\ntext = \"late\\n\"\n"
    )
}

/// The agent waits; whoever started it is about to be killed.
struct Waiting {
    world: World,
    session: Made,
    signs: tempfile::TempDir,
}

impl Waiting {
    fn new() -> Self {
        let signs = tempfile::tempdir().unwrap();
        let world = World::new(&waiting_agent(signs.path()));
        let session = world.create("victim", &[]);
        Self {
            world,
            session,
            signs,
        }
    }

    /// A runner that is killed takes along what it had not read yet, so its first words must be kept.
    fn wait_until_it_works(&self) {
        let here = self.signs.path().join("here");
        wait_until("the agent works", PATIENCE, || here.exists());
        let started = "SELECT count(*) FROM transcript WHERE event LIKE '%started%'";
        wait_until("the agent's first words are kept", PATIENCE, || {
            self.world.count(started) > 0
        });
    }

    fn let_it_go_on(&self) {
        std::fs::write(self.signs.path().join("go"), "").unwrap();
    }

    /// The agent's next line arrives, and the iteration ends as if nobody had gone.
    fn assert_it_finishes(&self, killed: &str) {
        let said = "SELECT count(*) FROM transcript WHERE event LIKE '%after%'";
        assert_eq!(self.world.count(said), 0, "{killed}");
        self.let_it_go_on();
        wait_until("the next line arrives", PATIENCE, || {
            self.world.count(said) > 0
        });
        wait_until("the iteration ends", PATIENCE, || {
            self.world.column(
                "SELECT json_extract(outcome, '$.kind') FROM iterations WHERE outcome IS NOT NULL",
            ) == ["succeeded"]
        });
        let file = format!("{}:late.txt", self.session.branch);
        assert_eq!(self.world.repository.git(&["show", &file]), "late");
        self.world.wait_until_nobody_works();
        self.world.assert_whole(killed);
    }
}

#[test]
fn the_agent_goes_on_when_the_commands_whole_process_group_is_killed() {
    let waiting = Waiting::new();
    let mut command = waiting.world.session(&["iterate", "victim"]);
    command.process_group(0).stdout(Stdio::null());
    let mut cli = command.stderr(Stdio::null()).spawn().unwrap();
    waiting.wait_until_it_works();
    processes::kill_group(cli.id());
    cli.wait().unwrap();
    waiting.assert_it_finishes("process group killed");
}

#[test]
fn the_agent_goes_on_when_the_terminal_is_closed() {
    let waiting = Waiting::new();
    let iterate = waiting.world.session(&["iterate", "victim"]);
    let line = format!("exec {} session iterate victim", quoted(&iterate));
    let mut terminal = waiting.world.sandbox.command(Path::new("script"));
    terminal.args(["--quiet", "--command", &line, "/dev/null"]);
    terminal.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut terminal = terminal.spawn().unwrap();
    waiting.wait_until_it_works();
    let cli = processes::mentioning("session\0iterate\0victim")
        .into_iter()
        .filter(|pid| command_line(*pid).starts_with(&*iterate.get_program().to_string_lossy()))
        .find(|pid| is_below(*pid, terminal.id()))
        .expect("the command runs in the terminal");
    processes::kill(terminal.id());
    terminal.wait().unwrap();
    wait_until("the command noticed", PATIENCE, || !processes::alive(cli));
    waiting.assert_it_finishes("terminal closed");
}

#[test]
fn what_the_runner_had_no_time_to_store_is_read_from_the_output_file() {
    let text = "[[step]]\ndo = 'flood'\nbytes = 200000\nline_length = 500\n[[step]]\ndo = 'hang'\n";
    let world = World::new(text);
    let session = world.create("victim", &[]);
    world.succeed(&["iterate", "victim", "--detach"]);
    let output = world.output_file(&session, 1);
    let size = || std::fs::metadata(&output).map_or(0, |metadata| metadata.len());
    wait_until("the agent has written much", PATIENCE, || size() > 150_000);
    for runner in world.runners() {
        processes::kill(runner);
    }
    world.wait_until_nobody_works();
    // As if the runner had died before any row was written, and in the middle of a line.
    let store = world.store();
    store
        .execute("DELETE FROM transcript WHERE line > 3", [])
        .unwrap();
    let bytes = std::fs::read(&output).unwrap();
    std::fs::write(&output, &bytes[..bytes.len() - 100]).unwrap();
    world.heal();
    world.assert_whole("runner killed");
    let lines = world.count("SELECT count(DISTINCT line) FROM transcript WHERE line IS NOT NULL");
    assert!(lines > 100, "{lines}");
    println!("lines in the output file and in the store: {lines}");
}

#[test]
fn an_interrupted_conversation_is_continued() {
    let waiting = Waiting::new();
    let world = &waiting.world;
    world.succeed(&["iterate", "victim", "--detach"]);
    waiting.wait_until_it_works();
    for runner in world.runners() {
        processes::kill(runner);
    }
    world.wait_until_nobody_works();
    let claims_clean = "SELECT count(*) FROM git_facts WHERE dirty = 0";
    assert_eq!(world.count(claims_clean), 0, "nobody looked since");
    waiting.let_it_go_on();
    world.succeed(&["resume", "victim"]);
    let threads = world.column("SELECT DISTINCT thread FROM iterations");
    assert_eq!(threads.len(), 1, "{threads:?}");
    let asked = world.column("SELECT input FROM iterations WHERE number = 2");
    assert!(asked[0].contains("interrupted"), "{asked:?}");
}

#[test]
fn what_a_killed_git_left_is_removed() {
    let world = World::new("[[step]]\ndo = 'write'\npath = 'a.txt'\ntext = 'a'\n");
    let session = world.create("victim", &[]);
    let other = world.create("other", &[]);
    let admin = |made: &Made| {
        let path = world
            .repository
            .at(&made.worktree)
            .git(&["rev-parse", "--git-dir"]);
        std::path::PathBuf::from(path)
    };
    std::fs::write(admin(&session).join("index.lock"), "").unwrap();
    std::fs::write(admin(&other).join("HEAD.lock"), "").unwrap();
    let branch = format!("refs/heads/{}.lock", session.branch);
    std::fs::write(world.repository.path(".git").join(branch), "").unwrap();
    let seen = world.sandbox.orchestra().arg("doctor").output().unwrap();
    assert_eq!(seen.status.code(), Some(1), "{}", shown(&seen));
    world.heal();
    world.assert_whole("stale locks");
    world.succeed(&["iterate", "victim"]);
    world.succeed(&["iterate", "other"]);
    assert_eq!(
        world
            .repository
            .at(&session.worktree)
            .git(&["status", "--short"]),
        ""
    );
}

#[test]
#[cfg(debug_assertions)]
fn a_half_made_worktree_is_finished_though_git_was_killed_while_it_wrote_the_files() {
    let world = World::new("[[step]]\ndo = 'write'\npath = 'a.txt'\ntext = 'a'\n");
    let mut new = world.session(&["new", "--name", "victim", "--prompt", "Do it"]);
    let output = new
        .env("ORCHESTRA_FAILPOINT", "create.registered")
        .output()
        .unwrap();
    assert!(!output.status.success());
    let session = world.sessions().remove(0);
    let worktree = world.repository.at(&session.worktree);
    let admin = std::path::PathBuf::from(worktree.git(&["rev-parse", "--git-dir"]));
    std::fs::write(admin.join("index.lock"), "half").unwrap();
    worktree.write("README.md", "# Sam");
    world.heal();
    world.assert_whole("half-made worktree");
    assert_eq!(worktree.git(&["status", "--short"]), "");
    world.succeed(&["iterate", "victim"]);
}

fn quoted(command: &Command) -> String {
    format!("'{}'", command.get_program().to_string_lossy())
}

fn is_below(pid: u32, ancestor: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let parent = stat
        .rsplit(')')
        .next()
        .and_then(|rest| rest.split_whitespace().nth(1));
    match parent.and_then(|parent| parent.parse().ok()) {
        Some(parent) if parent == ancestor => true,
        Some(0 | 1) | None => false,
        Some(parent) => is_below(parent, ancestor),
    }
}
