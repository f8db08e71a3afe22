//! The grammar: every command of the product, with its help.

use clap::{Args, Parser, Subcommand};

use crate::commands::{
    agents, answer, approve, archive, artifacts, attach, check, cleanup, commit, complete, config,
    conflicts, data, diff, doctor, env, export, forget, gc, guard, init, iterate, land, leases,
    list, log, matrix, mcp, merge, new, open, pr, project_commands, push, queue, rebase, resolve,
    resume, run, sandbox, serve, set, setup, slash, squash, status, stop, template, toolbox,
    transcript, trash, undo, wait, worktree,
};

/// Run coding agents in parallel, each on its own branch in its own git worktree.
#[derive(Debug, Parser)]
#[command(name = "orchestra", version, after_help = EXAMPLES, disable_help_subcommand = true)]
pub(crate) struct Orchestra {
    #[command(flatten)]
    pub(crate) global: Global,
    /// Without a command: the sessions of the current repository and what needs you.
    #[command(subcommand)]
    pub(crate) command: Option<OrchestraCommand>,
}

/// Run coding agents in parallel, each on its own branch in its own git worktree.
#[derive(Debug, Parser)]
#[command(version, after_help = SESSION_EXAMPLES, disable_help_subcommand = true)]
pub(crate) struct Sessions {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: SessionsCommand,
}

const EXAMPLES: &str = "\
Examples:
  orchestra init                               look at this repository and propose settings
  orchestra session new --name login --prompt \"Fix the login form\" --run
  orchestra session list --needs-me            what waits for you
  orchestra doctor --fix                       put right what a crash left

Exit codes:
  0 done   1 failed   2 usage   3 refused, nothing changed   4 the agent failed
  5 the script failed   6 the agent waits for an answer   7 conflicts   130 stopped

`amp-sessions` and `ampsm` are short for `orchestra session`.";

const SESSION_EXAMPLES: &str = "\
Examples:
  new --name login --prompt \"Fix the login form\" --script \"npm test\" --run
  iterate login --notes \"Also handle an empty password\"
  diff login --stat
  list --needs-me

A session is named by its id, a unique prefix of it, or its name; one of another repository by
at least four letters of its id.

Exit codes:
  0 done   1 failed   2 usage   3 refused, nothing changed   4 the agent failed
  5 the script failed   6 the agent waits for an answer   7 conflicts   130 stopped";

/// Options every command takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Answer in JSON on stdout.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Override a setting for this command.
    #[arg(long = "set-config", value_name = "KEY=VALUE", global = true, value_parser = key_value)]
    pub(crate) overrides: Vec<(String, String)>,
}

pub(crate) fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

#[derive(Debug, Subcommand)]
pub(crate) enum OrchestraCommand {
    #[command(flatten)]
    Work(WorkCommand),
    /// Print completions for a shell
    Completions(complete::Completions),
    /// Write man pages into a directory
    Man(complete::Man),
}

/// What `amp-sessions` and `ampsm` can do: the session commands, and what a program on its own has.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    #[command(flatten)]
    Session(SessionCommand),
    /// Print completions for a shell
    Completions(complete::Completions),
}

/// Commands that need the data directory; the others only speak of the program itself and must not make one.
#[derive(Debug, Subcommand)]
pub(crate) enum WorkCommand {
    /// Work with sessions
    #[command(subcommand, visible_alias = "s", after_help = SESSION_EXAMPLES)]
    Session(SessionCommand),
    /// Look at this repository and propose its settings file
    Init(init::Arguments),
    /// Save, list and share what new sessions can begin with
    #[command(subcommand)]
    Template(template::Command),
    /// List, adopt and prune worktrees of a repository
    #[command(subcommand)]
    Worktree(worktree::Command),
    /// Worktrees that were cleaned up: list, restore and delete them
    #[command(subcommand)]
    Trash(trash::Command),
    /// Delete what is kept longer than the settings say, and finish what was cut off
    Gc(gc::Arguments),
    /// What waits or runs: iterations and scripts
    Queue(queue::Arguments),
    /// Ports and databases that belong to sessions
    Leases(leases::Arguments),
    /// Environments in which agents find their servers, and what the agent of a session gets
    #[command(subcommand)]
    Env(env::Command),
    /// Toolboxes: which tools agents get of them
    #[command(subcommand)]
    Toolbox(toolbox::Command),
    /// MCP servers: which there are, and whether they answer
    #[command(subcommand)]
    Mcp(mcp::Command),
    /// What this machine has to hold agents
    #[command(subcommand)]
    Sandbox(sandbox::Command),
    /// Agents: which there are, what they can do, and whether they work
    #[command(subcommand)]
    Agents(agents::Command),
    /// Commands of the settings: which there are, and which may run
    #[command(subcommand)]
    Commands(project_commands::Command),
    /// What is kept of sessions' runs: show, export and remove it
    #[command(subcommand)]
    Data(data::Command),
    /// Slash commands: which there are, and how they are used
    #[command(subcommand)]
    Slash(slash::Command),
    /// Which sessions conflict with each other or with their base
    Conflicts(matrix::Arguments),
    /// Show the web UI in a browser
    Ui(serve::UiArguments),
    /// Serve the web UI and the HTTP API
    Serve(serve::Arguments),
    /// Check everything sessions depend on, and repair what is ours
    Doctor(doctor::Arguments),
    /// Show and change settings
    #[command(subcommand)]
    Config(config::Command),
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// Create a session: a branch, a worktree and a prompt
    New(Box<new::Arguments>),
    /// Run the agent once: run, commit, script
    Iterate(iterate::Arguments),
    /// Follow what runs in a session
    Attach(attach::Arguments),
    /// Stop what runs in a session; the work is kept
    Stop(stop::Arguments),
    /// Wait until nothing runs in a session
    Wait(wait::Arguments),
    /// Answer the agent's question
    Answer(answer::Arguments),
    /// What waits or runs: iterations and scripts
    Queue(queue::Arguments),
    /// What changed in a session
    Diff(diff::Arguments),
    /// Commit changes you made in a session's worktree
    Commit(commit::Arguments),
    /// Run a script in a session's worktree
    Run(run::Arguments),
    /// Make a session's worktree ready
    Setup(setup::Arguments),
    /// Collect reports and other files of a session
    Artifacts(artifacts::Arguments),
    /// Commits, iterations and script runs of a session
    Log(log::Arguments),
    /// What the agent said and did
    Transcript(transcript::Arguments),
    /// What changed outside of a session's worktree while its agent ran
    Guard(guard::Arguments),
    /// List sessions
    #[command(visible_alias = "ls")]
    List(list::Arguments),
    /// One session in detail
    Status(status::Arguments),
    /// Change a field of a session
    Set(set::Arguments),
    /// Put a session away; its branch and worktree stay
    Archive(archive::Arguments),
    /// Forget a session of which nothing is left
    Forget(forget::Arguments),
    /// Open a session's worktree in an editor
    Open(open::Arguments),
    /// Open a shell in a session's worktree
    Shell(open::ShellArguments),
    /// Go on after an interruption, or try now what waits for its provider
    Resume(resume::Arguments),
    /// Throw away what an interrupted run left uncommitted; --undo brings it back
    Discard(resume::DiscardArguments),
    /// Whether a session may land
    Check(check::Arguments),
    /// Say that you looked at the work of a session and want it to land
    Approve(approve::Arguments),
    /// Land a session: its work becomes part of its base
    Merge(Box<merge::Arguments>),
    /// Land several sessions one after another
    Land(land::Arguments),
    /// Push a session and open a pull request for it, with the command in commands.pr
    Pr(pr::Arguments),
    /// Push a session's branch to a remote
    Push(push::Arguments),
    /// Move a session's worktree into the trash
    Cleanup(cleanup::Arguments),
    /// Worktrees that were cleaned up: list, restore and delete them
    #[command(subcommand)]
    Trash(trash::Command),
    /// Delete what is kept longer than the settings say, and finish what was cut off
    Gc(gc::Arguments),
    /// Slash commands: which there are, and how they are used
    #[command(subcommand)]
    Slash(slash::Command),
    /// Make one commit of a session's commits
    Squash(squash::Arguments),
    /// Put a session's commits onto its base
    Rebase(rebase::Arguments),
    /// What git could not decide in a session
    Conflicts(conflicts::Arguments),
    /// Decide a conflict in one file
    Resolve(resolve::Arguments),
    /// Write a session's work as one patch that `git am` takes
    Export(export::Arguments),
    /// Take back the last operation on a session
    Undo(undo::Arguments),
    /// Do again what was undone last
    Redo(undo::RedoArguments),
    /// What was done to a session, and what can be undone
    Operations(undo::OperationsArguments),
    /// Check everything sessions depend on, and repair what is ours
    Doctor(doctor::Arguments),
    /// Show and change settings
    #[command(subcommand)]
    Config(config::Command),
}

/// What stands in the way of a command, and what does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// It acts by the settings, so all of them must be readable.
    Acts,
    /// It looks or ends work, which a broken settings file of a repository must not prevent.
    Looks,
    /// It acts, and goes on for a long time: what goes wrong inside is told.
    Serves,
}

impl WorkCommand {
    pub(crate) fn manner(&self) -> Manner {
        match self {
            Self::Session(command) => command.manner(),
            Self::Queue(_)
            | Self::Env(_)
            | Self::Toolbox(_)
            | Self::Mcp(_)
            | Self::Leases(_)
            | Self::Slash(_)
            | Self::Conflicts(_)
            | Self::Doctor(_) => Manner::Looks,
            Self::Init(_)
            | Self::Template(_)
            | Self::Worktree(_)
            | Self::Trash(_)
            | Self::Gc(_)
            | Self::Data(_)
            | Self::Ui(_)
            | Self::Agents(_)
            | Self::Sandbox(_)
            | Self::Commands(_)
            | Self::Config(_) => Manner::Acts,
            Self::Serve(_) => Manner::Serves,
        }
    }
}

impl SessionCommand {
    pub(crate) fn manner(&self) -> Manner {
        match self {
            Self::Attach(_)
            | Self::Stop(_)
            | Self::Wait(_)
            | Self::Queue(_)
            | Self::Diff(_)
            | Self::Log(_)
            | Self::Transcript(_)
            | Self::Guard(_)
            | Self::List(_)
            | Self::Status(_)
            | Self::Operations(_)
            | Self::Conflicts(_)
            | Self::Export(_)
            | Self::Archive(_)
            | Self::Forget(_)
            | Self::Slash(_)
            | Self::Doctor(_) => Manner::Looks,
            Self::New(_)
            | Self::Iterate(_)
            | Self::Answer(_)
            | Self::Commit(_)
            | Self::Run(_)
            | Self::Setup(_)
            | Self::Artifacts(_)
            | Self::Set(_)
            | Self::Open(_)
            | Self::Shell(_)
            | Self::Resume(_)
            | Self::Check(_)
            | Self::Approve(_)
            | Self::Merge(_)
            | Self::Land(_)
            | Self::Pr(_)
            | Self::Discard(_)
            | Self::Push(_)
            | Self::Cleanup(_)
            | Self::Trash(_)
            | Self::Gc(_)
            | Self::Squash(_)
            | Self::Rebase(_)
            | Self::Resolve(_)
            | Self::Undo(_)
            | Self::Redo(_)
            | Self::Config(_) => Manner::Acts,
        }
    }
}
