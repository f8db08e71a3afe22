//! What the reader can try when the demo has ended, as commands to copy.

use super::place::Place;
use super::sessions::{FAILS_FIRST, PASSES};

pub(super) fn text(place: &Place) -> String {
    let commands = [
        (
            format!("orchestra session diff {PASSES}"),
            "what the agent changed",
        ),
        (
            format!("orchestra session log {PASSES}"),
            "its commits, iterations and test runs",
        ),
        (
            format!("orchestra session transcript {FAILS_FIRST}"),
            "what the agent said and did",
        ),
        (
            "orchestra conflicts".to_owned(),
            "which sessions would meet",
        ),
        (
            format!("orchestra session approve {PASSES}"),
            "say that you have read it",
        ),
        (
            format!("orchestra session land {PASSES} {FAILS_FIRST} --override reviewed"),
            "land both, tested one on top of the other",
        ),
        (
            format!("orchestra session undo {FAILS_FIRST}"),
            "and take the last one back",
        ),
        ("orchestra".to_owned(), "all sessions and what needs you"),
    ];
    let commands: Vec<_> = commands
        .iter()
        .map(|(command, what)| format!("  {command:<70}  # {what}\n"))
        .collect();
    format!(
        "try next, in a shell that looks at the demo only:\n{}\n{}\nwhen you are done:\n  {}",
        environment(place),
        commands.concat(),
        removal(place)
    )
}

#[cfg(not(windows))]
fn environment(place: &Place) -> String {
    let mut lines: Vec<_> = place
        .variables()
        .iter()
        .map(|(name, value)| format!("  export {name}=\"{}\"\n", value.display()))
        .collect();
    lines.push("  unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME\n".to_owned());
    lines.push(format!(
        "  export PATH=\"{}:$PATH\"\n",
        place.binaries().display()
    ));
    lines.push(format!("  cd \"{}\"\n", place.repository().display()));
    lines.concat()
}

#[cfg(windows)]
fn environment(place: &Place) -> String {
    let mut lines: Vec<_> = place
        .variables()
        .iter()
        .map(|(name, value)| format!("  $env:{name} = \"{}\"\n", value.display()))
        .collect();
    lines.push(format!(
        "  $env:PATH = \"{};$env:PATH\"\n",
        place.binaries().display()
    ));
    lines.push(format!("  cd \"{}\"\n", place.repository().display()));
    lines.concat()
}

#[cfg(not(windows))]
fn removal(place: &Place) -> String {
    format!("rm -rf \"{}\"", place.root().display())
}

#[cfg(windows)]
fn removal(place: &Place) -> String {
    format!("Remove-Item -Recurse -Force \"{}\"", place.root().display())
}
