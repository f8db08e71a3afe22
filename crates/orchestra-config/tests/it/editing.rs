//! Changing a settings file by command.

use std::fs;

use orchestra_config::{SettingsFile, set, unset};
use proptest::prelude::*;

use crate::home::{Home, write};

const COMMENTED: &str = "\
# my settings
[git]            # about git
commit_prefix = \"x:\"   # short

# the agents
agents.amp = { model = \"m\" } # inline
";

fn user(home: &Home) -> SettingsFile {
    SettingsFile::of_user(&home.environment()).unwrap()
}

#[test]
fn comments_order_and_layout_stay() {
    let text = "# mine\nui.color = 'never' # dull\n\n[core]   # limits\n# few\nmax_concurrent_sessions = 2   # two\nidle_timeout = \"1m\"\n";
    let home = Home::new().user(text);
    set(&user(&home), "core.max_concurrent_sessions", "3").unwrap();
    set(&user(&home), "ui.color", "always").unwrap();
    set(&user(&home), "agents.amp.command", "amp --x 'a b'").unwrap();
    set(&user(&home), "core.session_timeout", "90m").unwrap();
    let expected = "# mine\nui.color = \"always\" # dull\n\n[core]   # limits\n# few\nmax_concurrent_sessions = 3   # two\nidle_timeout = \"1m\"\nsession_timeout = \"90m\"\n\n[agents.amp]\ncommand = [\"amp\", \"--x\", \"a b\"]\n";
    assert_eq!(fs::read_to_string(home.user_file()).unwrap(), expected);
    assert!(unset(&user(&home), "core.idle_timeout").unwrap());
    assert!(!unset(&user(&home), "core.idle_timeout").unwrap());
    assert!(!unset(&user(&home), "scripts.test").unwrap());
    assert_eq!(
        fs::read_to_string(home.user_file()).unwrap(),
        expected.replace("idle_timeout = \"1m\"\n", "")
    );
}

#[test]
fn removing_from_a_file_that_does_not_exist_makes_nothing() {
    let home = Home::new();
    assert!(!unset(&user(&home), "ui.color").unwrap());
    assert!(!home.path().exists());
}

#[test]
fn inline_tables_stay_inline() {
    let text = COMMENTED.replace("# the agents\nagents.amp", "# the agents\n[agents]\namp");
    let home = Home::new().user(&text);
    set(&user(&home), "agents.amp.command", "amp").unwrap();
    set(&user(&home), "git.commit_prefix", "").unwrap();
    let agent = home.load().unwrap().settings.agents.named["amp"].clone();
    assert_eq!(
        (agent.command.unwrap(), agent.model.unwrap()),
        (vec!["amp".to_owned()], "m".to_owned())
    );
    let written = fs::read_to_string(home.user_file()).unwrap();
    assert!(
        written.contains("amp = { model = \"m\" , command = [\"amp\"] } # inline"),
        "{written}"
    );
    assert!(
        written.contains("commit_prefix = \"\"   # short"),
        "{written}"
    );
}

#[test]
fn a_nested_table_of_an_inline_table_is_inline() {
    let home = Home::new().user("agents = { default = 'amp' }\n");
    set(&user(&home), "agents.amp.model", "m").unwrap();
    assert_eq!(
        home.load().unwrap().settings.agents.named["amp"]
            .model
            .as_deref(),
        Some("m")
    );
}

#[test]
fn what_is_refused_leaves_the_file_as_it_was() {
    let text = "[core]\nmax_output = '1MiB'\n[agents.default]\nx = 1\n";
    let home = Home::new().user(text).repository_settings("");
    let repository = SettingsFile::of_repository(&home.repository());
    let table = [
        (user(&home), "core.max_output", "lots", "config.invalid"),
        (user(&home), "core.max_outpt", "1MiB", "config.unknown_key"),
        (user(&home), "core", "1MiB", "config.unknown_key"),
        (user(&home), "agents.default", "amp", "config.invalid"),
        (
            repository.clone(),
            "agents.amp.command",
            "evil",
            "config.not_settable",
        ),
        (
            repository.clone(),
            "core.worktrees_root",
            "../x",
            "config.not_settable",
        ),
    ];
    for (file, key, value, code) in table {
        let error = set(&file, key, value).unwrap_err();
        assert_eq!(error.code(), code, "{key}");
        assert!(error.hint().is_some(), "{key}");
    }
    assert_eq!(fs::read_to_string(home.user_file()).unwrap(), text);
    assert_eq!(fs::read_to_string(home.repository_file()).unwrap(), "");
    let broken = Home::new().user("[core\n");
    assert_eq!(
        set(&user(&broken), "ui.color", "never").unwrap_err().code(),
        "config.syntax"
    );
    assert_eq!(
        unset(&user(&home), "core.max_outpt").unwrap_err().code(),
        "config.unknown_key"
    );
}

#[test]
fn a_repository_file_can_be_made_and_is_then_loaded() {
    let home = Home::new();
    fs::create_dir_all(home.repository()).unwrap();
    let file = SettingsFile::of_repository(&home.repository());
    set(&file, "scripts.test", "cargo test").unwrap();
    set(&file, "core.max_concurrent_sessions", "2").unwrap();
    set(&file, "git.auto_cleanup_worktrees", "true").unwrap();
    let text = fs::read_to_string(file.path()).unwrap();
    assert_eq!(
        text,
        "[scripts]\ntest = \"cargo test\"\n\n[core]\nmax_concurrent_sessions = 2\n\n[git]\nauto_cleanup_worktrees = true\n"
    );
    assert_eq!(home.load().unwrap().settings.scripts["test"], "cargo test");
}

#[test]
fn changes_at_the_same_time_are_all_kept() {
    let home = Home::new();
    let file = user(&home);
    std::thread::scope(|scope| {
        for number in 0..16 {
            let file = &file;
            scope.spawn(move || set(file, &format!("scripts.s{number}"), "x").unwrap());
        }
    });
    assert_eq!(home.load().unwrap().settings.scripts.len(), 16);
    let names: Vec<_> = fs::read_dir(file.path().parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(
        names.iter().filter(|name| *name != ".lock").count(),
        1,
        "{names:?}"
    );
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_new_file_is_private_and_an_old_one_keeps_its_permissions() {
        let home = Home::new();
        set(&user(&home), "ui.color", "never").unwrap();
        assert_eq!(mode(&home.user_file()), 0o600);
        assert_eq!(mode(home.user_file().parent().unwrap()), 0o700);
        fs::set_permissions(home.user_file(), fs::Permissions::from_mode(0o640)).unwrap();
        set(&user(&home), "ui.color", "always").unwrap();
        assert_eq!(mode(&home.user_file()), 0o640);
    }

    #[test]
    fn a_linked_user_file_stays_linked() {
        let home = Home::new();
        let target = home.path().join("dotfiles/orchestra.toml");
        write(&target, "# linked\n");
        fs::create_dir_all(home.user_file().parent().unwrap()).unwrap();
        symlink(&target, home.user_file()).unwrap();
        set(&user(&home), "ui.color", "never").unwrap();
        assert!(fs::symlink_metadata(home.user_file()).unwrap().is_symlink());
        assert!(
            fs::read_to_string(&target)
                .unwrap()
                .contains("color = \"never\"")
        );
    }

    #[test]
    fn a_link_in_a_repository_is_not_followed() {
        let home = Home::new();
        let target = home.path().join("precious.toml");
        write(&target, "");
        for link in [home.repository_file(), home.repository().join(".orchestra")] {
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(&target, &link).unwrap();
            let error = set(
                &SettingsFile::of_repository(&home.repository()),
                "scripts.a",
                "x",
            )
            .unwrap_err();
            assert_eq!(error.code(), "config.unwritable");
            fs::remove_dir_all(home.repository()).unwrap();
        }
        assert_eq!(fs::read_to_string(&target).unwrap(), "");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_set_is_what_is_loaded(command in "[^\0]{1,40}", prefix in "[^\\p{Cc}]{0,20}") {
        prop_assume!(!command.trim().is_empty());
        let home = Home::new();
        set(&user(&home), "scripts.test", &command).unwrap();
        set(&user(&home), "git.commit_prefix", &prefix).unwrap();
        let settings = home.load().unwrap().settings;
        prop_assert_eq!(&settings.scripts["test"], &command);
        prop_assert_eq!(settings.git.commit_prefix, prefix);
    }
}
