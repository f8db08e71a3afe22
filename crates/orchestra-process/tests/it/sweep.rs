//! Finding processes by marker and by directory.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;

use orchestra_process::{
    Marker, Use, processes_using, processes_using_each, processes_with_marker_prefix, sweep_marked,
};

use crate::support::{
    Helper, alive, command, directory, eventually, kill, marker, shape, survivors,
};

fn start(name: &str, directory: &Path, marker: &Marker) -> Helper {
    let mut command = command(&shape());
    command
        .arg(name)
        .arg(directory)
        .env(&marker.name, &marker.value)
        .current_dir("/")
        .stdin(Stdio::null())
        .process_group(0);
    Helper::start(&mut command)
}

#[test]
fn a_sweep_ends_whole_trees_with_exactly_the_marker() {
    let (directory, spared_directory) = (directory(), directory());
    let ours = marker(directory.path());
    let longer = Marker::new(&ours.name, format!("{}0", ours.value));
    let spared = start("leaf", spared_directory.path(), &longer);
    let _swept = start("own-subreaper", directory.path(), &ours);
    let _cleared = start("no-environment", directory.path(), &ours);
    let leaf = format!(" leaf {}", directory.path().display());
    let leaves = || {
        survivors(directory.path())
            .iter()
            .filter(|it| it.contains(&leaf))
            .count()
    };
    assert!(eventually(|| leaves() == 3));
    let listed = processes_with_marker_prefix(&ours.name, &ours.value);
    assert!(
        listed
            .iter()
            .any(|it| it.marker == longer && it.identity.pid == spared.pid())
    );
    assert!(
        listed
            .iter()
            .any(|it| it.marker == ours && it.command.contains("own-subreaper"))
    );
    let result = sweep_marked(&ours);
    assert!(
        result.killed >= 5 && result.found == result.killed,
        "{result:?}"
    );
    assert_eq!(result.survivors, 0);
    assert!(alive(spared.pid()));
    assert_eq!(sweep_marked(&ours).found, 0);
    assert_eq!(sweep_marked(&longer).killed, 1);
    for left in survivors(directory.path()) {
        // An orphan without environment is beyond a sweep: only a guardian knows whose it was.
        let pid = left.split(':').next().unwrap().parse().unwrap();
        kill(pid);
    }
}

#[test]
fn who_uses_a_directory_is_told_with_the_reason() {
    let (used, pids) = (directory(), directory());
    let idle = Marker::new("IDLE", "1");
    std::fs::write(used.path().join("open"), "").unwrap();
    std::fs::create_dir(used.path().join("below")).unwrap();
    let sleep = || {
        let mut sleep = command(Path::new("/bin/sleep"));
        sleep.arg("60").current_dir("/");
        sleep
    };
    let inside = Helper::start(sleep().current_dir(used.path().join("below")));
    let open = File::open(used.path().join("open")).unwrap();
    let reads = Helper::start(sleep().stdin(open));
    let own_sleep = used.path().join("sleep");
    std::fs::copy("/bin/sleep", &own_sleep).unwrap();
    let runs = Helper::start(command(&own_sleep).arg("60").current_dir("/"));
    let elsewhere = start("leaf", pids.path(), &idle);
    let using = processes_using(used.path()).unwrap();
    let find = |process: &Helper| using.iter().find(|it| it.pid == process.pid());
    let root = used.path().canonicalize().unwrap();
    let why = |process: &Helper| find(process).unwrap().why.clone();
    assert_eq!(why(&inside), Use::WorkingDirectory(root.join("below")));
    assert_eq!(why(&reads), Use::OpenFile(root.join("open")));
    assert_eq!(why(&runs), Use::Program(root.join("sleep")));
    assert!(find(&inside).unwrap().command.contains("sleep 60"));
    assert!(find(&elsewhere).is_none());
    assert!(processes_using(Path::new("/no/such/directory")).is_err());
    let below = used.path().join("below");
    let each = processes_using_each(&[pids.path(), &below, used.path()]).unwrap();
    let pids_of = |number: usize| each[number].iter().map(|it| it.pid).collect::<Vec<_>>();
    assert_eq!(pids_of(1), [inside.pid()]);
    assert_eq!(each[2], using);
    assert!(!pids_of(0).contains(&inside.pid()));
}
