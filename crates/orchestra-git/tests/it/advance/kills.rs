//! Processes that are killed in the middle of an advance, and what is made of it afterwards.

use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use orchestra_git::{Advance, AdvanceEnd, AdvanceStep, Git};
use orchestra_testkit::TestRepository;

use super::Moving;
use crate::world::{branch, id};

const DEADLINE: Duration = Duration::from_secs(20);

fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < DEADLINE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Git processes with this word on their command line that work somewhere below `dir`.
fn git_processes(dir: &Path, word: &str) -> Vec<u32> {
    let pids = fs::read_dir("/proc").unwrap();
    pids.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| {
            let inside = fs::read_link(format!("/proc/{pid}/cwd"));
            let said = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            inside.is_ok_and(|cwd| cwd.starts_with(dir))
                && String::from_utf8_lossy(&said).contains(word)
        })
        .collect()
}

/// The process may have ended by itself meanwhile.
fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).ok();
}

fn locks(moving: &Moving) -> Vec<bool> {
    ["refs/heads/main.lock", "HEAD.lock", "index.lock"]
        .map(|name| moving.world.repository.common_dir().join(name).exists())
        .to_vec()
}

/// Not a test by itself: what [`Victim`] starts and kills. It does nothing when it is not told what to do.
#[test]
#[expect(clippy::disallowed_methods, reason = "what the test told its child")]
fn victim() {
    let Some(told) = std::env::var_os("ORCHESTRA_TEST_VICTIM") else {
        return;
    };
    let told = told.into_string().unwrap();
    let parts: Vec<_> = told.split('\n').collect();
    let [root, private, home, from, to, step] = parts.as_slice() else {
        panic!("{told}")
    };
    let path = std::env::var_os("PATH").unwrap();
    let variables = [("HOME".into(), home.into()), ("PATH".into(), path)];
    let environment = orchestra_git::Environment::from_variables(variables);
    let git = Git::find(None, environment, Path::new(private)).unwrap();
    let advance = Advance {
        branch: branch("main"),
        from: id(from),
        to: id(to),
        why: "merge next".to_owned(),
    };
    let reached = |now: AdvanceStep| {
        if format!("{now:?}") == *step {
            println!("reached");
            std::io::stdout().flush().unwrap();
            std::thread::sleep(DEADLINE);
        }
    };
    let repository = git.open(Path::new(root)).unwrap();
    println!("begins");
    std::io::stdout().flush().unwrap();
    repository.advance(&advance, &reached).unwrap();
}

/// Another process that does the advance.
struct Victim {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Victim {
    /// It stops after `step`.
    #[expect(clippy::disallowed_methods, reason = "the test starts itself again")]
    fn start(moving: &Moving, step: &str) -> Self {
        let path = |path: &Path| path.to_str().unwrap().to_owned();
        let told = [
            path(moving.world.repository.root()),
            path(&moving.world.sandbox.path("victim")),
            path(&moving.world.sandbox.home()),
            moving.advance.from.to_string(),
            moving.advance.to.to_string(),
            step.to_owned(),
        ];
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "advance::kills::victim", "--nocapture"])
            .env("ORCHESTRA_TEST_VICTIM", told.join("\n"))
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    fn wait_for(&mut self, word: &str) {
        let said = self.lines.any(|line| line.unwrap().ends_with(word));
        assert!(said, "the victim says that it {word}");
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn killed_after(moving: &Moving, step: AdvanceStep) {
    let mut victim = Victim::start(moving, &format!("{step:?}"));
    victim.wait_for("reached");
    victim.kill();
}

#[test]
fn our_own_death_at_any_step_is_made_good() {
    use AdvanceStep::{FilesWritten, Locked, Moved};
    for (step, settled) in [
        (Locked, AdvanceEnd::Old),
        (FilesWritten, AdvanceEnd::Old),
        (Moved, AdvanceEnd::New),
    ] {
        for moving in [Moving::new(), Moving::new().beside()] {
            killed_after(&moving, step);
            made_good(&moving, &settled);
        }
    }
}

fn made_good(moving: &Moving, settled: &AdvanceEnd) {
    if moving.world.plain.root() == moving.world.repository.root() {
        eventually("git gives up its locks", || locks(moving) == [false; 3]);
    }
    moving.world.plain.write("untouched", "mine\n");
    moving.world.plain.write("loose", "mine\n");
    for _ in 0..2 {
        let found = moving.world.repository.finish_advance(&moving.advance);
        assert_eq!(found.unwrap(), *settled);
        let status = moving.world.plain.git(&["status", "--porcelain"]);
        assert_eq!(status, " M untouched\n?? loose");
    }
    moving
        .world
        .plain
        .git(&["checkout", "--quiet", "untouched"]);
    fs::remove_file(moving.world.plain.path("loose")).unwrap();
    let expected = match settled {
        AdvanceEnd::New => &moving.advance.to,
        _ => &moving.advance.from,
    };
    moving.assert_at(expected);
    if *settled == AdvanceEnd::Old {
        moving.go().unwrap();
    }
    moving.assert_at(&moving.advance.to);
}

#[test]
fn the_death_of_the_git_that_holds_the_locks_is_made_good() {
    for step in [AdvanceStep::Locked, AdvanceStep::FilesWritten] {
        let moving = Moving::new();
        let common_dir = moving.world.repository.common_dir();
        let result = moving.world.repository.advance(&moving.advance, &|now| {
            if now == step {
                let holders = git_processes(common_dir, "update-ref");
                assert_eq!(holders.len(), 1);
                kill(holders[0]);
            }
        });
        assert_eq!(result.unwrap_err().code(), "git.failed");
        moving.assert_at(&moving.advance.from);
        assert_eq!(locks(&moving), [true, true, false]);
        let again = moving.go().unwrap_err();
        assert_eq!(again.code(), "git.branch_locked");
        let settled = moving.world.repository.finish_advance(&moving.advance);
        assert_eq!(settled.unwrap(), AdvanceEnd::Old);
        assert_eq!(locks(&moving), [false; 3]);
        moving.go().unwrap();
        moving.assert_at(&moving.advance.to);
    }
}

#[test]
fn a_lock_that_holds_another_commit_is_not_ours() {
    let moving = Moving::new();
    let text = format!("{}\n", moving.advance.from);
    moving.world.plain.write(".git/refs/heads/main.lock", &text);
    let settled = moving.world.repository.finish_advance(&moving.advance);
    assert_eq!(settled.unwrap(), AdvanceEnd::Old);
    assert_eq!(locks(&moving), [true, false, false]);
}

/// git is killed while the user's own filter still makes the content of the second of three files.
#[test]
fn the_death_of_the_git_that_writes_files_is_made_good() {
    let moving = Moving::with(
        &|plain| {
            for name in ["a", "b", "c"] {
                plain.write(name, "old\n");
            }
            plain.write(".gitattributes", "b filter=lfs\n");
        },
        &|plain| {
            for name in ["a", "b", "c"] {
                plain.write(name, "new\n");
            }
        },
    );
    let world = &moving.world;
    let (started, go) = (world.sandbox.path("started"), world.sandbox.path("go"));
    let smudge = format!(
        "echo $PPID >'{}'; while [ ! -e '{}' ]; do sleep 0.01; done; cat",
        started.display(),
        go.display()
    );
    let config = |key: &str, value: &str| world.plain.git(&["config", "--global", key, value]);
    config("filter.lfs.clean", "cat");
    config("filter.lfs.smudge", &smudge);
    config("filter.lfs.required", "true");
    let repository = world.reopened();
    let result = std::thread::scope(|scope| {
        let advance = scope.spawn(|| repository.advance(&moving.advance, &|_| {}));
        eventually("the filter runs", || {
            fs::read_to_string(&started).is_ok_and(|text| text.ends_with('\n'))
        });
        kill(
            fs::read_to_string(&started)
                .unwrap()
                .trim()
                .parse()
                .unwrap(),
        );
        fs::write(&go, "").unwrap();
        advance.join().unwrap()
    });
    let error = result.unwrap_err();
    assert_eq!(error.code(), "git.checkout_half_changed", "{error:?}");
    assert_eq!(world.plain.read("a"), "new\n");
    assert_eq!(locks(&moving), [false, false, true]);
    let settled = repository.finish_advance(&moving.advance);
    assert_eq!(settled.unwrap(), AdvanceEnd::Old);
    moving.assert_at(&moving.advance.from);
    repository.advance(&moving.advance, &|_| {}).unwrap();
    moving.assert_at(&moving.advance.to);
}

/// Every file in another condition: written, not yet, missing, cut off, and changed by somebody since.
#[test]
fn files_are_all_old_or_all_new_and_nothing_of_the_users_is_lost() {
    let names = ["changed", "cut", "empty", "mine", "missing", "written"];
    for settled in [AdvanceEnd::Old, AdvanceEnd::New] {
        let moving = Moving::with(
            &|plain| {
                names
                    .iter()
                    .for_each(|name| plain.write(name, "old text\n"));
                plain.write("gone", "old text\n");
                plain.write("leaves", "old text\n");
            },
            &|plain| {
                names
                    .iter()
                    .for_each(|name| plain.write(name, "new text\n"));
                plain.write("arrives", "new text\n");
                plain.write("comes", "new text\n");
                fs::remove_file(plain.path("gone")).unwrap();
                fs::remove_file(plain.path("leaves")).unwrap();
            },
        );
        let plain = &moving.world.plain;
        if settled == AdvanceEnd::New {
            let to = moving.advance.to.as_str();
            plain.git(&["update-ref", "refs/heads/main", to]);
        }
        plain.write("cut", "new te");
        plain.write("empty", "");
        plain.write("mine", "mine\n");
        plain.write("written", "new text\n");
        plain.write("comes", "new text\n");
        fs::remove_file(plain.path("missing")).unwrap();
        fs::remove_file(plain.path("leaves")).unwrap();
        for _ in 0..2 {
            let found = moving.world.repository.finish_advance(&moving.advance);
            assert_eq!(found.unwrap(), settled);
            assert_eq!(plain.git(&["status", "--porcelain"]), " M mine");
            assert_eq!(plain.read("mine"), "mine\n");
        }
        plain.git(&["checkout", "--quiet", "mine"]);
        moving.assert_at(match settled {
            AdvanceEnd::New => &moving.advance.to,
            _ => &moving.advance.from,
        });
    }
}

/// Spread over the time that an advance takes here and now, without a source of randomness.
fn delay(round: u64, whole: Duration) -> Duration {
    let part = round.wrapping_mul(2_654_435_761) % 1_000;
    whole.mul_f64(part as f64 / 1_000.0)
}

/// How long an advance takes that nobody kills. The way back is the next one.
fn measured(moving: &mut Moving) -> Duration {
    let mut victim = Victim::start(moving, "none");
    victim.wait_for("begins");
    let start = Instant::now();
    assert!(victim.child.wait().unwrap().success());
    let whole = start.elapsed();
    moving.assert_at(&moving.advance.to);
    moving.turn_round();
    whole
}

#[test]
fn deaths_at_any_moment_are_made_good() {
    const KILLS: u64 = 24;
    let names: Vec<_> = (0..200).map(|number| format!("folder/{number}")).collect();
    let write = |text: &'static str| {
        let names = names.clone();
        move |plain: &TestRepository| names.iter().for_each(|name| plain.write(name, text))
    };
    let moving = || Moving::with(&write("old\n"), &write("new\n"));
    for moving in [moving(), moving().beside()] {
        let (whole, moved) = killed_and_made_good(moving, KILLS);
        assert!(moved < KILLS, "every kill came too late");
        println!("kills {KILLS} within {whole:?}, moved {moved}");
    }
}

/// How long an advance takes there, and how many of the kills came after the branch had moved.
fn killed_and_made_good(mut moving: Moving, kills: u64) -> (Duration, u64) {
    let whole = measured(&mut moving);
    let mut moved = 0;
    for round in 0..kills {
        let mut victim = Victim::start(&moving, "none");
        victim.wait_for("begins");
        std::thread::sleep(delay(round, whole));
        victim.kill();
        if round % 2 == 0 {
            let root = moving.world.repository.root();
            git_processes(root, "").into_iter().for_each(kill);
        }
        let settled = moving.world.repository.finish_advance(&moving.advance);
        if settled.unwrap() == AdvanceEnd::Old {
            moving.assert_at(&moving.advance.from);
            continue;
        }
        moving.assert_at(&moving.advance.to);
        moved += 1;
        moving.turn_round();
    }
    (whole, moved)
}
