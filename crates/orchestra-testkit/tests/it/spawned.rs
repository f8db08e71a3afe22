//! Processes that outlive the agent.

use std::collections::BTreeSet;
use std::time::Duration;

use orchestra_testkit::fake_amp::scenario::SpawnShape;
use orchestra_testkit::{Sandbox, processes, wait_until};
use rustix::process::{Pid, Signal, kill_process};

use crate::agent::scenario;

fn spawn(sandbox: &Sandbox, shape: SpawnShape, seconds: u32) -> std::path::PathBuf {
    let pids = sandbox.path("pids");
    let run = scenario(
        sandbox,
        &format!(
            "[[step]]\ndo = 'spawn'\nshape = '{}'\nseconds = {seconds}\npid_file = '{}'\n",
            shape.name(),
            pids.display()
        ),
    );
    assert_eq!(run.result()["subtype"], "success", "{run:?}");
    pids
}

/// Ends what this test started, by id. One that was just being born shows up a moment later.
fn end(pids: &std::path::Path) {
    let mut calm = 0;
    wait_until("the processes have gone", Duration::from_secs(20), || {
        let survivors = processes::survivors(pids);
        calm = if survivors.is_empty() { calm + 1 } else { 0 };
        survivors.into_iter().for_each(kill);
        calm > 20
    });
}

fn kill(pid: u32) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    // One that ended meanwhile needs no killing.
    kill_process(pid.expect("recorded ids are valid"), Signal::KILL).ok();
}

#[test]
fn every_shape_survives_its_agent() {
    let mut survived = BTreeSet::new();
    for shape in SpawnShape::ALL {
        // A shape that holds the agent's output would keep the test's pipe open for its whole life.
        if shape == SpawnShape::HoldsStdout {
            continue;
        }
        let sandbox = Sandbox::new();
        sandbox.repository("app");
        let pids = spawn(&sandbox, shape, 30);
        wait_until(shape.name(), Duration::from_secs(5), || {
            !processes::survivors(&pids).is_empty()
        });
        survived.insert(shape.name());
        end(&pids);
    }
    assert_eq!(survived.len(), SpawnShape::ALL.len() - 1);
    println!("shapes that outlived their agent: {}", survived.len());
}

#[test]
fn a_held_output_stays_open_after_the_agent() {
    let sandbox = Sandbox::new();
    sandbox.repository("app");
    let begin = std::time::Instant::now();
    let pids = spawn(&sandbox, SpawnShape::HoldsStdout, 2);
    assert!(
        begin.elapsed() >= Duration::from_millis(1_500),
        "the pipe ended with the holder"
    );
    processes::wait_for_none(&pids, Duration::from_secs(20));
}

#[test]
fn a_loop_and_a_respawner_go_on_by_themselves() {
    for shape in [SpawnShape::ForkLoop, SpawnShape::Respawn] {
        let sandbox = Sandbox::new();
        sandbox.repository("app");
        let pids = spawn(&sandbox, shape, 2);
        if shape == SpawnShape::Respawn {
            wait_until("the worker runs", Duration::from_secs(10), || {
                processes::recorded(&pids).len() >= 2
            });
            let worker = processes::recorded(&pids)[1];
            kill(worker);
        }
        wait_until(shape.name(), Duration::from_secs(10), || {
            processes::recorded(&pids).len() >= 3
        });
        processes::wait_for_none(&pids, Duration::from_secs(30));
    }
}

#[test]
fn a_clean_environment_hides_the_marker() {
    let mark = format!("spawned-test-{}", std::process::id());
    let sandbox = Sandbox::new().with_variable("TRACE_MARK", &mark);
    sandbox.repository("app");
    let marked = || processes::with_variable("TRACE_MARK", &mark);
    let hidden = spawn(&sandbox, SpawnShape::CleanEnv, 30);
    // Between fork and exec a child still shows its parent's environment.
    wait_until("the marker is hidden", Duration::from_secs(10), || {
        marked().is_empty()
    });
    end(&hidden);
    let shown = spawn(&sandbox, SpawnShape::Setsid, 30);
    wait_until(
        "only the marked process is left",
        Duration::from_secs(10),
        || marked() == processes::survivors(&shown),
    );
    let found = marked();
    assert_eq!(processes::mentioning(&shown.to_string_lossy()), found);
    end(&shown);
}
