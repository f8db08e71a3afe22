//! A repository file is written by others, so it cannot name programs or loosen safety.

use std::path::Path;

use orchestra_config::keys::KEYS;
use orchestra_config::{Origin, Place, Refusal, Scope, Warning};

use crate::home::Home;

fn refusals(home: &Home) -> Vec<(String, Refusal)> {
    let warnings = home.load().unwrap().warnings;
    let refusal = |warning| match warning {
        Warning::Ignored { key, refusal, .. } => (key, refusal),
        Warning::UnknownKey { .. }
        | Warning::UnknownAgent { .. }
        | Warning::MissingFile { .. }
        | Warning::StrangeLines { .. }
        | Warning::LeftOut { .. } => panic!("{warning}"),
    };
    warnings.into_iter().map(refusal).collect()
}

#[test]
fn no_setting_of_the_user_alone_is_taken() {
    let protected: Vec<_> = KEYS
        .iter()
        .filter(|key| key.scope == Scope::UserOnly)
        .collect();
    for key in &protected {
        let name = key.name.replace('*', "amp");
        let home = Home::new().repository_settings(&format!("{name} = 'sh -c evil'\n"));
        assert_eq!(refusals(&home), [(name.clone(), Refusal::UserOnly)]);
        let value = home.load().unwrap().require(&name).unwrap();
        assert_eq!(value.origin, Origin::Default, "{name}");
    }
    assert!(protected.len() >= 12);
}

#[test]
fn the_warning_names_key_line_and_way_out() {
    let home = Home::new().repository_settings("# team\n\n[agents.amp]\ncommand = 'evil'\n");
    let warnings = home.load().unwrap().warnings;
    let expected = Warning::Ignored {
        key: "agents.amp.command".into(),
        place: Place::File {
            path: home.repository_file(),
            line: 4,
        },
        refusal: Refusal::UserOnly,
        user_file: home.user_file(),
    };
    assert_eq!(warnings, [expected]);
    assert_eq!(warnings[0].code(), "config.ignored");
    assert!(
        warnings[0]
            .to_string()
            .contains("a repository has no say over it")
    );
    assert!(
        warnings[0]
            .hint()
            .unwrap()
            .contains(&home.user_file().display().to_string())
    );
}

#[test]
fn limits_can_be_tightened_but_not_loosened() {
    let table = [
        ("core.session_timeout = '1h'", true),
        ("core.session_timeout = '2h'", true),
        ("core.session_timeout = '3h'", false),
        ("core.session_timeout = 0", false),
        ("core.max_concurrent_sessions = 2", true),
        ("core.max_concurrent_sessions = 9", false),
        ("core.max_output = '1MiB'", true),
        ("core.max_output = '1TiB'", false),
        ("core.stop_grace = 0", true),
        ("git.fetch_wait = '1h'", false),
        ("evaluation.concurrency = 2", false),
    ];
    for (line, taken) in table {
        let key = line.split_once(' ').unwrap().0;
        let home = Home::new().repository_settings(line);
        let expected = if taken {
            vec![]
        } else {
            vec![(key.to_owned(), Refusal::LoosensLimit)]
        };
        assert_eq!(refusals(&home), expected, "{line}");
        let origin = home.load().unwrap().require(key).unwrap().origin;
        assert_eq!(matches!(origin, Origin::Repository(_)), taken, "{line}");
    }
}

#[test]
fn the_users_own_limit_is_the_measure() {
    let home = Home::new()
        .user("core.session_timeout = '8h'\n")
        .repository_settings("core.session_timeout = '4h'\n");
    assert_eq!(refusals(&home), []);
    let home = Home::new()
        .user("core.session_timeout = 0\n")
        .repository_settings("core.session_timeout = '9d'\n");
    assert_eq!(refusals(&home), []);
}

#[test]
fn worktrees_stay_in_the_repository() {
    for (path, taken) in [
        ("trees", true),
        ("a/b", true),
        ("/etc", false),
        ("../x", false),
        (".git/hooks", false),
        ("~/x", false),
    ] {
        let home = Home::new().repository_settings(&format!("core.worktrees_root = '{path}'\n"));
        assert_eq!(refusals(&home).is_empty(), taken, "{path}");
    }
    for (path, folder) in [
        ("/srv/trees", "/srv/trees"),
        ("/srv/./x/../trees", "/srv/trees"),
        ("./wt/../trees", "/r/trees"),
        ("../trees", "/trees"),
    ] {
        let home = Home::new().user(&format!("core.worktrees_root = '{path}'\n"));
        let settings = home.load().unwrap().settings;
        let found = settings.core.worktrees_root_of(Path::new("/r"));
        assert_eq!(found, Path::new(folder), "{path}");
    }
}

#[test]
fn values_that_could_become_options_or_paths_are_errors() {
    let lines = [
        "agents.amp.model = '--dangerously-allow-all'",
        "git.default_base_branch = '--upload-pack=x'",
        "git.branch_pattern = '-{id}'",
        "git.folder_pattern = '../../{id}'",
        "git.commit_prefix = \"a\\nb\"",
    ];
    for line in lines {
        let home = Home::new().repository_settings(line);
        assert_eq!(home.load().unwrap_err().code(), "config.invalid", "{line}");
    }
}
