//! An agent that tries to get out. What it reached is looked at from outside, and the same agent without a sandbox reaches all of
//! it.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Stdio};

use orchestra_testkit::{Sandbox, processes, write_program};
use serde_json::Value;

use super::holding;
use crate::made::Made;
use crate::world::World;

/// One way out a line, in the order of [`ESCAPES`]. What can be read is put into the worktree.
const AGENT: &str = r#"#!/bin/sh
cat > /dev/null
here=$(pwd); main=$here/../..
. ./facts.sh
echo owned >> "$main/README.md"
echo '[core] sshCommand = evil' >> "$main/.git/config"
echo '#!/bin/sh' > "$main/.git/hooks/post-commit"
echo owned >> "$main/.worktrees/idle/README.md"
echo owned > "$HOME/.profile"
cat "$HOME/.ssh/id" > read-secret.txt
cat "$store" > read-store.txt
kill -TERM $victim
bash -c "exec 3<>/dev/tcp/127.0.0.1/$port && echo hello >&3"
ln -s "$main" way && echo owned > way/through-a-link.txt; rm -f way
tr '\0' '\n' < "/proc/$victim/environ" > read-process.txt
git add --all; git commit --quiet -m 'all that I could get'
true
"#;

const ESCAPES: [&str; 10] = [
    "write the main checkout",
    "write .git/config",
    "write a hook",
    "write another worktree",
    "write the home directory",
    "read a secret of the home directory",
    "read the store",
    "signal a process outside",
    "connect outside",
    "leave by a link",
];

/// A world with something behind every way out.
struct Prison {
    world: World,
    made: Made,
    victim: Child,
    listener: TcpListener,
}

impl Prison {
    fn new(isolation: &str) -> Self {
        let sandbox = Sandbox::new();
        let program = sandbox.path("agent");
        write_program(&program, AGENT);
        let sandbox = holding(sandbox)
            .with_variable("ORCHESTRA_AGENTS_SHELL_PROTOCOL", "command")
            .with_variable(
                "ORCHESTRA_AGENTS_SHELL_COMMAND",
                &*program.to_string_lossy(),
            )
            .with_variable("ORCHESTRA_AGENTS_DEFAULT", "shell")
            .with_variable("ORCHESTRA_GIT_FOLDER_PATTERN", "{slug}");
        let home = sandbox.home();
        std::fs::create_dir(home.join(".ssh")).unwrap();
        std::fs::write(home.join(".ssh/id"), "the secret of the home\n").unwrap();
        let world = World::of(sandbox);
        world.session("idle");
        let made = world.session_with("one", &["--isolation", isolation]);
        let mut sleep = world.sandbox.command(Path::new("/bin/sleep"));
        let sleep = sleep.arg("600").env("OUTSIDE", "the secret of a process");
        let victim = sleep.stdout(Stdio::null()).spawn().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let facts = format!(
            "store={}\nvictim={}\nport={}\n",
            world.sandbox.data_dir().join("orchestra.db").display(),
            victim.id(),
            listener.local_addr().unwrap().port()
        );
        std::fs::write(made.worktree.join("facts.sh"), facts).unwrap();
        Self {
            world,
            made,
            victim,
            listener,
        }
    }

    fn reads(&self, file: &str) -> Vec<u8> {
        std::fs::read(self.made.worktree.join(file)).unwrap_or_default()
    }

    /// Which ways out were possible.
    fn escaped(&mut self) -> Vec<&'static str> {
        let main = &self.world.repository;
        let home = self.world.sandbox.home();
        let contains = |bytes: Vec<u8>, text: &str| String::from_utf8_lossy(&bytes).contains(text);
        let is_dead = !matches!(self.victim.try_wait(), Ok(None));
        let possible = [
            main.read("README.md").contains("owned"),
            main.read(".git/config").contains("evil"),
            main.path(".git/hooks/post-commit").exists(),
            main.read(".worktrees/idle/README.md").contains("owned"),
            home.join(".profile").exists(),
            contains(self.reads("read-secret.txt"), "the secret of the home"),
            contains(self.reads("read-store.txt"), "SQLite format 3"),
            is_dead || contains(self.reads("read-process.txt"), "the secret of a process"),
            self.listener.accept().is_ok(),
            main.path("through-a-link.txt").exists(),
        ];
        let named = ESCAPES.into_iter().zip(possible);
        named.filter(|(_, it)| *it).map(|(name, _)| name).collect()
    }
}

impl Drop for Prison {
    fn drop(&mut self) {
        processes::kill(self.victim.id());
        self.victim.wait().ok();
    }
}

#[test]
fn ten_of_ten_ways_out_are_stopped() {
    let mut free = Prison::new("none");
    free.world.run(&["iterate", "one"]).ok();
    assert_eq!(
        free.escaped(),
        ESCAPES,
        "without a sandbox all are possible"
    );

    let mut prison = Prison::new("sandbox");
    prison.world.run(&["iterate", "one"]).ok();
    let escaped = prison.escaped();
    println!(
        "escapes {}, stopped {}",
        ESCAPES.len(),
        ESCAPES.len() - escaped.len()
    );
    assert_eq!(escaped, [""; 0]);
    let tree = prison.world.tree(&prison.made);
    let subject = tree.git(&["log", "-1", "--format=%s", &prison.made.branch]);
    assert_eq!(subject, "all that I could get", "and it could work");
    prison.world.repository.fsck();
}

/// What is said of the sandbox comes from trying it.
#[test]
fn the_record_of_an_iteration_comes_from_the_probe() {
    let prison = Prison::new("sandbox");
    let world = &prison.world;
    world.run(&["iterate", "one"]).ok();
    let record = || world.json(&["guard", "one"])["isolation"].clone();
    let first = record();
    assert_eq!(first["held"], "sandbox");
    let escapes = first["sandbox"]["escapes"].as_array().unwrap();
    assert_eq!(escapes.len(), 10);
    let is_stopped = |escape: &&Value| escape["end"] == "stopped";
    assert_eq!(escapes.iter().filter(is_stopped).count(), 10, "{escapes:?}");
    assert_eq!(first["sandbox"]["network"], serde_json::json!(["off"]));
    let transcript = world.run(&["transcript", "one"]).ok();
    transcript.says("nobody knows which hosts it needs");
    world
        .run(&["guard", "one"])
        .ok()
        .says("10 of 10 ways out were stopped");
    world
        .run(&["status", "one"])
        .ok()
        .says("10 of 10 ways out stopped, tried ");

    world.run(&["iterate", "one"]).ok();
    assert_eq!(
        record()["sandbox"]["tried_at"],
        first["sandbox"]["tried_at"],
        "once a day"
    );
    std::fs::write(world.sandbox.home().join(".netrc"), "another secret").unwrap();
    world.run(&["iterate", "one"]).ok();
    assert_ne!(
        record()["sandbox"]["tried_at"],
        first["sandbox"]["tried_at"],
        "it is another one"
    );
}

/// One that does not hold is not used: here somebody gives the agent the directory of the store.
#[test]
fn a_sandbox_that_does_not_hold_is_refused() {
    let sandbox = Sandbox::new();
    let data = sandbox.data_dir();
    let sandbox = holding(sandbox).with_variable("ORCHESTRA_SECURITY_SANDBOX_WRITABLE", data);
    let world = World::of(sandbox);
    let made = world.session("one");
    world
        .run(&["iterate", "one"])
        .ends_with(4)
        .says("does not hold: it was possible to read the store or write beside it, by a file beside it")
        .says("isolation guard");
    assert_eq!(world.threads().len(), 0, "no agent was started");
    assert_eq!(world.iteration(&made, 1, "thread"), None);
}
