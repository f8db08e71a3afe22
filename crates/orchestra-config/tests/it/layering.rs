//! A later layer wins, and each value says where it comes from.

use std::path::Path;
use std::time::Duration;

use orchestra_config::{HumanChanges, Origin};

use crate::home::Home;

const KEY: &str = "git.commit_prefix";

#[test]
fn the_last_layer_that_has_a_value_wins() {
    for layers in 0..=4 {
        let mut home = Home::new();
        let mut expected = ("amp:", Origin::Default);
        if layers >= 1 {
            home = home.user("[git]\ncommit_prefix = 'user:'\n");
            expected = ("user:", Origin::User(home.user_file()));
        }
        if layers >= 2 {
            home = home.repository_settings("git.commit_prefix = 'repository:'\n");
            expected = ("repository:", Origin::Repository(home.repository_file()));
        }
        if layers >= 3 {
            home = home.variable("ORCHESTRA_GIT_COMMIT_PREFIX", "variable:");
            expected = (
                "variable:",
                Origin::Environment("ORCHESTRA_GIT_COMMIT_PREFIX".into()),
            );
        }
        if layers >= 4 {
            home = home.flag(KEY, "flag:");
            expected = ("flag:", Origin::Flag);
        }
        let resolved = home.load().unwrap();
        let value = resolved.require(KEY).unwrap();
        assert_eq!(
            (value.value.as_deref(), value.origin),
            (Some(expected.0), expected.1)
        );
        assert_eq!(resolved.settings.git.commit_prefix, expected.0);
        assert_eq!(resolved.warnings, []);
    }
}

#[test]
fn the_defaults_are_those_of_the_product() {
    let home = Home::new();
    let settings = home.load().unwrap().settings;
    let data = home.path().join(if cfg!(windows) {
        r"AppData\Local"
    } else {
        ".local/share"
    });
    assert_eq!(
        settings.core.database_path,
        data.join("orchestra").join("orchestra.db")
    );
    assert_eq!(
        settings.core.worktrees_root_of(Path::new("/r")),
        Path::new("/r/.worktrees")
    );
    assert_eq!(settings.core.max_concurrent_sessions, 8);
    assert_eq!(settings.core.session_timeout, Some(Duration::from_hours(2)));
    assert_eq!(settings.core.idle_timeout, Some(Duration::from_mins(15)));
    assert_eq!(settings.core.max_output, 256 << 20);
    assert_eq!(settings.core.stop_grace, Duration::from_secs(10));
    assert_eq!(settings.git.default_base_branch.as_str(), "main");
    assert_eq!(settings.git.branch_pattern.0, "amp/{slug}/{timestamp}");
    assert_eq!(settings.git.folder_pattern.0, "{id}");
    assert_eq!(settings.git.human_changes, HumanChanges::Commit);
    assert!(!settings.git.auto_cleanup_worktrees);
    assert_eq!(settings.agents.default, "amp");
    assert!(settings.agents.named.is_empty() && settings.scripts.is_empty());
    assert!(settings.ui.notifications && settings.ui.editor.is_none());
}

#[test]
fn agents_and_scripts_have_names_the_user_chooses() {
    let home = Home::new()
        .user("[agents]\ndefault = 'claude-code'\n[agents.amp]\ncommand = \"amp --x 'a b'\"\nenv = ['PROXY']\n[agents.claude-code]\ncommand = ['claude']\n")
        .repository_settings("[agents.amp]\nmodel = 'm-1'\n[scripts]\ntest = 'cargo test && echo ok'\n'test:unit' = 'x'\n")
        .variable("ORCHESTRA_AGENTS_CLAUDE_CODE_MODEL", "m-2")
        .variable("ORCHESTRA_SCRIPTS_TEST_UNIT", "y")
        .flag("scripts.dev", "npm start");
    let resolved = home.load().unwrap();
    let agents = &resolved.settings.agents;
    assert_eq!(agents.default, "claude-code");
    assert_eq!(
        agents.named["amp"].command.as_deref().unwrap(),
        ["amp", "--x", "a b"]
    );
    assert_eq!(agents.named["amp"].model.as_deref(), Some("m-1"));
    assert_eq!(agents.named["amp"].env, ["PROXY"]);
    assert_eq!(agents.named["claude-code"].model.as_deref(), Some("m-2"));
    let scripts: Vec<_> = resolved
        .settings
        .scripts
        .iter()
        .map(|(name, command)| (name.as_str(), command.as_str()))
        .collect();
    assert_eq!(
        scripts,
        [
            ("dev", "npm start"),
            ("test", "cargo test && echo ok"),
            ("test:unit", "y")
        ]
    );
    let keys: Vec<_> = resolved
        .values
        .iter()
        .map(|value| value.key.as_str())
        .filter(|key| key.starts_with("agents") && key.split('.').count() == 3)
        .collect();
    assert_eq!(
        keys,
        [
            "agents.amp.command",
            "agents.claude-code.command",
            "agents.amp.model",
            "agents.claude-code.model",
            "agents.amp.env"
        ]
    );
}

#[test]
fn the_editor_is_the_users_usual_one_unless_set() {
    let home = Home::new()
        .variable("EDITOR", "vi")
        .variable("VISUAL", "code --wait");
    let value = home.load().unwrap().require("ui.editor").unwrap();
    assert_eq!(
        (value.value.as_deref(), value.origin),
        (Some("code --wait"), Origin::Environment("VISUAL".into()))
    );
    let home = home.user("ui.editor = 'hx'\n");
    assert_eq!(home.load().unwrap().settings.ui.editor.unwrap(), ["hx"]);
    let home = Home::new().variable("EDITOR", "'open quote");
    assert_eq!(home.load().unwrap().settings.ui.editor, None);
}

#[test]
fn zero_means_no_limit_and_an_empty_variable_means_not_set() {
    let home = Home::new()
        .user("[core]\nsession_timeout = 0\nidle_timeout = '0'\n")
        .variable("ORCHESTRA_GIT_COMMIT_PREFIX", "")
        .flag("git.trash_retention", "0");
    let settings = home.load().unwrap().settings;
    assert_eq!(
        (settings.core.session_timeout, settings.core.idle_timeout),
        (None, None)
    );
    assert_eq!(settings.git.commit_prefix, "amp:");
    assert_eq!(settings.git.trash_retention, Duration::ZERO);
}

#[test]
fn a_tilde_stands_for_the_home_directory() {
    let home = Home::new().user("core.database_path = '~/x/y.db'\n");
    assert_eq!(
        home.load().unwrap().settings.core.database_path,
        home.path().join("x/y.db")
    );
}

#[test]
fn a_setting_nobody_set_can_be_asked_for() {
    let resolved = Home::new().load().unwrap();
    for key in ["agents.amp.command", "scripts.test", "ui.editor"] {
        let value = resolved.require(key).unwrap();
        assert_eq!(
            (value.value, value.origin),
            (None, Origin::Default),
            "{key}"
        );
    }
    let error = resolved.require("core.max_output_size").unwrap_err();
    assert_eq!(error.code(), "config.unknown_key");
    assert_eq!(error.hint().unwrap(), "did you mean `core.max_output`?");
}

#[test]
fn a_table_without_any_key_is_a_statement() {
    let home = Home::new()
        .user("[servers.types]\n[databases.own]\n[agents.idle]\n")
        .repository_settings(
            "[servers.dev]\n[databases.main]\nkind = 'mysql'\n[servers.types]\nready = 'up'\n",
        );
    let settings = home.load().unwrap().settings;
    let servers: Vec<_> = settings.servers.iter().collect();
    assert_eq!((servers[0].0.as_str(), &servers[0].1.port), ("dev", &None));
    assert_eq!(
        (servers[1].0.as_str(), servers[1].1.ready.as_deref()),
        ("types", Some("up"))
    );
    let names: Vec<_> = settings.databases.keys().collect();
    assert_eq!(names, ["main", "own"]);
    assert!(settings.agents.named.is_empty());
}
