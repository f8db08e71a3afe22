//! Whatever an agent starts, however it tries to escape: nothing survives the end of its iteration.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests fail and report like the tests they help"
)]

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use orchestra_testkit::fake_amp::scenario::SpawnShape;
use orchestra_testkit::{API_KEY, processes, wait_until};

use crate::concurrency::world::{PATIENCE, World, shown};

/// After the runner is gone, its guardian has this long.
const GUARDIAN_TIME: Duration = Duration::from_secs(10);

/// An agent that starts one process of every shape, and where they wrote their numbers.
struct Menagerie {
    world: World,
    pid_files: Vec<(SpawnShape, PathBuf)>,
    ready: PathBuf,
    _signs: tempfile::TempDir,
}

impl Menagerie {
    /// Starts the agent; `last` is what it does after everything was started.
    fn start(last: &str) -> Self {
        let signs = tempfile::tempdir().unwrap();
        let files = SpawnShape::ALL.map(|shape| (shape, signs.path().join(shape.name())));
        let ready = signs.path().join("ready");
        let world = World::new(&scenario(&files, &ready, last));
        world.create("victim", &[]);
        Self {
            world,
            pid_files: files.to_vec(),
            ready,
            _signs: signs,
        }
    }

    /// Starts the iteration and waits until all processes live.
    fn begin(&self) {
        self.world.succeed(&["iterate", "victim", "--detach"]);
        wait_until("all shapes were started", PATIENCE, || self.ready.exists());
        let alive = self.survivors(SpawnShape::ALL.as_slice()).len();
        assert!(alive >= SpawnShape::ALL.len(), "only {alive} are alive");
    }

    fn survivors(&self, shapes: &[SpawnShape]) -> Vec<(&'static str, u32)> {
        let files = self.pid_files.iter();
        files
            .filter(|(shape, _)| shapes.contains(shape))
            .flat_map(|(shape, file)| {
                let alive = processes::survivors(file);
                alive.into_iter().map(|pid| (shape.name(), pid))
            })
            .collect()
    }

    fn assert_none(&self, shapes: &[SpawnShape], when: &str) {
        let survivors = self.survivors(shapes);
        assert!(survivors.is_empty(), "{when}: {survivors:?}");
        println!("{when}: shapes {}, survivors 0", shapes.len());
    }
}

impl Drop for Menagerie {
    /// A test that fails leaves nothing behind either.
    fn drop(&mut self) {
        for (_, pid) in self.survivors(SpawnShape::ALL.as_slice()) {
            processes::kill(pid);
        }
    }
}

fn scenario(files: &[(SpawnShape, PathBuf)], ready: &Path, last: &str) -> String {
    let spawns: String = files
        .iter()
        .map(|(shape, file)| {
            let name = shape.name();
            format!("[[step]]\ndo = 'spawn'\nshape = '{name}'\nseconds = 90\npid_file = {file:?}\n")
        })
        .collect();
    format!("{spawns}[[step]]\ndo = 'touch_file'\npath = {ready:?}\n[[step]]\n{last}\n")
}

#[test]
fn nothing_survives_a_stop() {
    let menagerie = Menagerie::start("do = 'hang'");
    menagerie.begin();
    menagerie.world.succeed(&["stop", "victim"]);
    menagerie.assert_none(&SpawnShape::ALL, "after stop");
}

#[test]
fn nothing_survives_an_agent_that_does_not_want_to_stop() {
    let menagerie = Menagerie::start("do = 'ignore_signals'\n[[step]]\ndo = 'hang'");
    menagerie.begin();
    menagerie.world.succeed(&["stop", "victim", "--now"]);
    menagerie.assert_none(&SpawnShape::ALL, "after stop --now");
}

#[test]
fn nothing_survives_the_normal_end_of_an_iteration() {
    let menagerie = Menagerie::start("do = 'message'\ntext = 'Done.'");
    menagerie.world.succeed(&["iterate", "victim"]);
    let started = menagerie
        .pid_files
        .iter()
        .filter(|(_, file)| !processes::recorded(file).is_empty());
    assert_eq!(started.count(), SpawnShape::ALL.len());
    menagerie.assert_none(&SpawnShape::ALL, "after the normal end");
}

#[test]
fn nothing_survives_a_killed_runner_though_nobody_looks() {
    let menagerie = Menagerie::start("do = 'hang'");
    menagerie.begin();
    let killed = Instant::now();
    menagerie
        .world
        .runners()
        .into_iter()
        .for_each(processes::kill);
    wait_until("the guardian has ended all", GUARDIAN_TIME, || {
        menagerie.survivors(&SpawnShape::ALL).is_empty()
    });
    println!("all gone after {:?}", killed.elapsed());
    menagerie.assert_none(&SpawnShape::ALL, "after kill -9 of the runner");
}

#[test]
fn nothing_survives_a_killed_guardian() {
    let menagerie = Menagerie::start("do = 'hang'");
    menagerie.begin();
    menagerie
        .world
        .guardians()
        .into_iter()
        .for_each(processes::kill);
    let ended = menagerie
        .world
        .session(&["wait", "victim"])
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(4), "{}", shown(&ended));
    menagerie.assert_none(&SpawnShape::ALL, "after kill -9 of the guardian");
}

/// An orphan that emptied its environment cannot be told from any other process once guardian and runner are both gone.
#[test]
fn the_doctor_ends_what_a_killed_runner_and_guardian_left() {
    let menagerie = Menagerie::start("do = 'hang'");
    menagerie.begin();
    let world = &menagerie.world;
    let victims = [world.guardians(), world.runners()].concat();
    assert_eq!(victims.len(), 2);
    victims.into_iter().for_each(processes::kill);
    world.heal();
    let findable: Vec<_> = SpawnShape::ALL
        .into_iter()
        .filter(|shape| *shape != SpawnShape::CleanEnv)
        .collect();
    menagerie.assert_none(&findable, "after kill -9 of both and doctor --fix");
    world.assert_quiet("after doctor --fix");
}

/// Stopped processes too: whoever ended them may have died between stopping and killing them.
#[test]
fn whoever_lists_first_ends_what_a_killed_runner_and_guardian_left() {
    let menagerie = Menagerie::start("do = 'hang'");
    menagerie.begin();
    let world = &menagerie.world;
    let victims = [world.guardians(), world.runners()].concat();
    for (_, pid) in menagerie.survivors(&SpawnShape::ALL) {
        let mut stop = world.sandbox.command(Path::new("kill"));
        stop.args(["-STOP", &pid.to_string()]);
        // Some shapes replace themselves, so one may be gone already.
        stop.stderr(Stdio::null()).status().unwrap();
    }
    victims.into_iter().for_each(processes::kill);
    world.succeed(&["list"]);
    let findable: Vec<_> = SpawnShape::ALL
        .into_iter()
        .filter(|shape| *shape != SpawnShape::CleanEnv)
        .collect();
    menagerie.assert_none(&findable, "after kill -9 of both and list");
    world.assert_quiet("after list");
}

#[test]
fn scripts_leave_nothing_behind_either() {
    let world = World::new("[[step]]\ndo = 'message'\ntext = 'Done.'");
    let pids = world.sandbox.path("pids");
    let left = |flags: &str| format!("{flags} sh -c 'echo $$ >> {}; sleep 90' &", pids.display());
    let script = format!(
        "{} {} {} wait",
        left("setsid"),
        left("nohup"),
        left("env -i PATH=/bin:/usr/bin setsid -f")
    );
    world.create("victim", &["--script", &script]);
    world.succeed(&["run", "victim", "--detach"]);
    wait_until("the script's processes live", PATIENCE, || {
        processes::survivors(&pids).len() == 3
    });
    world.succeed(&["stop", "victim"]);
    processes::wait_for_none(&pids, PATIENCE);
    world.wait_until_nobody_works();
    println!("after stop of a script: processes 3, survivors 0");
}

#[test]
fn runner_and_guardian_show_no_secret() {
    let menagerie = Menagerie::start("do = 'hang'");
    let world = &menagerie.world;
    world.succeed(&[
        "iterate",
        "victim",
        "--detach",
        "--notes",
        "a private remark",
    ]);
    wait_until("all shapes were started", PATIENCE, || {
        menagerie.ready.exists()
    });
    let (runners, guardians) = (world.runners(), world.guardians());
    assert_eq!((runners.len(), guardians.len()), (1, 1));
    for pid in [runners, guardians.clone()].concat() {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap();
        for secret in [API_KEY, "a private remark", "Do it"] {
            assert!(!contains(&line, secret), "{secret} in a command line");
        }
    }
    let environment = std::fs::read(format!("/proc/{}/environ", guardians[0])).unwrap();
    let names: Vec<_> = environment
        .split(|byte| *byte == 0)
        .filter(|variable| !variable.is_empty())
        .map(|variable| String::from_utf8_lossy(variable).into_owned())
        .collect();
    assert_eq!(names.len(), 1, "the guardian has {names:?}");
    assert!(names[0].starts_with("ORCHESTRA_RUN="), "{names:?}");
    world.succeed(&["stop", "victim", "--now"]);
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}
