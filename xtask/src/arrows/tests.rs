//! Hand-made graphs, one forbidden arrow each.

use std::collections::BTreeSet;

use super::*;

fn judged(name: &str, dependencies: &[&str]) -> Vec<String> {
    let package = Crate {
        name: name.to_owned(),
        dependencies: dependencies.iter().map(|it| (*it).to_owned()).collect(),
    };
    violations(&[package])
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn the_arrows_of_the_design_are_allowed() {
    for (name, allowed) in ARROWS {
        assert_eq!(judged(name, allowed), [""; 0]);
    }
    assert_eq!(judged("orchestra-store", &["rusqlite", "serde"]), [""; 0]);
    assert_eq!(judged("orchestra-cli", &["clap", "anstream"]), [""; 0]);
    assert_eq!(judged("orchestra-process", &["rustix"]), [""; 0]);
}

#[test]
fn each_forbidden_arrow_is_named() {
    let forbidden = [
        ("orchestra-core", "orchestra-store"),
        ("orchestra-process", "orchestra-core"),
        ("orchestra-git", "orchestra-agents"),
        ("orchestra-git", "orchestra-store"),
        ("orchestra-agents", "orchestra-git"),
        ("orchestra-store", "orchestra-process"),
        ("orchestra-store", "orchestra-engine"),
        ("orchestra-config", "orchestra-engine"),
        ("orchestra-engine", "orchestra-cli"),
        ("orchestra-engine", "orchestra-api"),
        ("orchestra-api", "orchestra-engine"),
        ("orchestra-cli", "orchestra-store"),
        ("orchestra-cli", "orchestra-git"),
        ("orchestra-cli", "orchestra-testkit"),
        ("orchestra-engine", "orchestra-testkit"),
        ("orchestra-testkit", "orchestra-engine"),
    ];
    for (from, to) in forbidden {
        assert_eq!(judged(from, &[to]), [format!("{from} -> {to}: forbidden")]);
    }
}

#[test]
fn confined_libraries_stay_where_they_belong() {
    assert_eq!(
        judged("orchestra-engine", &["rusqlite"]),
        [
            "orchestra-engine -> rusqlite: only in orchestra-store, orchestra-bench, orchestra-testkit"
        ]
    );
    assert_eq!(
        judged("orchestra-core", &["clap"]),
        [
            "orchestra-core -> clap: only in orchestra-cli, orchestra-bench, orchestra-desktop, xtask"
        ]
    );
    assert_eq!(
        judged("orchestra-git", &["signal-hook"]),
        ["orchestra-git -> signal-hook: only in orchestra-process, orchestra-testkit"]
    );
    assert_eq!(
        judged("orchestra-agents", &["tokio"]),
        [
            "orchestra-agents -> tokio: only in orchestra-bench, orchestra-cli, orchestra-desktop, orchestra-engine, orchestra-server, orchestra-testkit"
        ]
    );
    assert_eq!(
        judged("orchestra-engine", &["tauri"]),
        ["orchestra-engine -> tauri: only in orchestra-desktop"]
    );
}

#[test]
fn a_crate_without_a_place_is_refused() {
    assert_eq!(
        judged("orchestra-extra", &[]),
        ["orchestra-extra: has no place among the arrows yet"]
    );
}

#[test]
fn the_map_has_no_cycle() {
    let mut settled = BTreeSet::new();
    while settled.len() < ARROWS.len() {
        let next = ARROWS.iter().find(|(name, allowed)| {
            !settled.contains(name) && allowed.iter().all(|it| settled.contains(it))
        });
        settled.insert(next.expect("some crate depends only on settled ones").0);
    }
}

#[test]
fn the_workspace_keeps_the_rules() {
    let crates = crates(&Workspace::load().unwrap());
    let store = crates.iter().find(|it| it.name == "orchestra-store");
    assert!(store.unwrap().dependencies.contains(&"rusqlite".to_owned()));
    assert_eq!(violations(&crates), []);
}
