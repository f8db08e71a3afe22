//! Ten escapes and one commit, with both layers, with each alone, and with a sandbox that holds nothing.

use orchestra_process::{
    Escape, Network, Outcome, Probe, ProbeRecord, Sandbox, SandboxLayer, probe,
};

use super::world::{BOTH, World, layers};
use crate::support::{eventually, guardian};

#[expect(clippy::print_stdout, reason = "a test says what it counted")]
fn tried(world: &World, sandbox: &Sandbox) -> ProbeRecord {
    let record = probe(&Probe {
        guardian: &guardian(),
        sandbox,
        targets: &world.targets(),
        marker: &world.marker(),
    })
    .unwrap();
    for attempt in &record.attempts {
        println!("{:?}: {:?}", attempt.escape, attempt.outcome);
    }
    println!(
        "layers {:?}: escapes {}, stopped {}, {} ms",
        record.layers,
        record.tried(),
        record.stopped(),
        record.milliseconds
    );
    assert!(eventually(|| world.left().is_empty()), "{:?}", world.left());
    record
}

fn succeeded(record: &ProbeRecord) -> Vec<Escape> {
    let attempts = record.attempts.iter();
    let open = attempts.filter(|it| matches!(it.outcome, Outcome::Succeeded { .. }));
    open.map(|attempt| attempt.escape).collect()
}

#[test]
fn both_layers_stop_ten_of_ten_and_a_commit_works() {
    let Some(layers) = layers(&BOTH) else { return };
    let world = World::new();
    let record = tried(&world, &world.sandbox(layers));
    println!("escapes {}, stopped {}", record.tried(), record.stopped());
    assert_eq!(record.commit_failure, None);
    assert_eq!((record.tried(), record.stopped()), (10, 10));
    assert!(record.holds());
    assert!(record.reaches_late_sockets, "nothing stops that yet");
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<ProbeRecord>(&text).unwrap(), record);
    assert!(text.contains(r#"{"escape":"main_checkout","outcome":{"stopped":{"by":"#));
}

#[test]
fn bubblewrap_alone_stops_ten_of_ten() {
    let Some(layers) = layers(&[SandboxLayer::Bubblewrap]) else {
        return;
    };
    let world = World::new();
    let record = tried(&world, &world.sandbox(layers));
    assert_eq!(record.commit_failure, None);
    assert_eq!(succeeded(&record), []);
    assert_eq!(record.tried(), 10);
}

/// The kernel's rules up to version 6 do not know sockets that have a path.
#[test]
fn landlock_alone_stops_nine_of_ten() {
    let Some(layers) = layers(&[SandboxLayer::Landlock]) else {
        return;
    };
    println!("Landlock here: version {:?}", layers.landlock);
    let knows_signals = layers.landlock >= Some(6);
    let world = World::new();
    let mut sandbox = world.sandbox(layers.clone());
    if layers.landlock < Some(4) {
        sandbox.network = Network::Open;
    }
    let record = tried(&world, &sandbox);
    assert_eq!(record.commit_failure, None);
    let expected = match knows_signals {
        true => vec![Escape::Connection],
        false => vec![Escape::Signal, Escape::Connection],
    };
    assert_eq!(succeeded(&record), expected);
    let connection = &record.attempts[8].outcome;
    let how = if layers.landlock >= Some(4) {
        "a socket"
    } else {
        "a port"
    };
    assert_eq!(
        *connection,
        Outcome::Succeeded {
            how: how.to_owned()
        }
    );
    assert!(!record.holds());
}

/// A probe that finds nothing open would prove nothing.
#[test]
fn a_sandbox_that_holds_little_is_found_out() {
    let Some(layers) = layers(&[SandboxLayer::Landlock]) else {
        return;
    };
    let world = World::new();
    let sandbox = Sandbox {
        writable: vec![world.path("")],
        hidden: Vec::new(),
        network: Network::Open,
        ..world.sandbox(layers)
    };
    let record = tried(&world, &sandbox);
    let open = succeeded(&record);
    for escape in Escape::ALL {
        let is_held = [Escape::Signal, Escape::ProcessMemory].contains(&escape);
        assert!(is_held || open.contains(&escape), "{escape:?}");
    }
    assert!(!record.holds());
}

#[test]
fn what_is_not_there_is_not_counted() {
    let Some(layers) = layers(&BOTH) else { return };
    let world = World::new();
    let mut targets = world.targets();
    targets.other_worktree = Some(world.path("gone"));
    targets.secrets = vec![world.path("home/.gnupg")];
    let record = probe(&Probe {
        guardian: &guardian(),
        sandbox: &world.sandbox(layers),
        targets: &targets,
        marker: &world.marker(),
    })
    .unwrap();
    assert_eq!((record.tried(), record.stopped()), (8, 8));
}
