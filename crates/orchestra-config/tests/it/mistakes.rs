//! Typing errors: what is wrong, where, and what would be right.

use orchestra_config::{ConfigError, Place, Warning};

use crate::home::{Home, write};

#[test]
fn unknown_keys_warn_with_line_and_nearest() {
    let text = "tilte = 1\n[core]\nmax_concurent_sessions = 3\n\n[agents.amp]\ncomand = 'x'\n[gti]\na = 1\nb = 2\n[scripts]\n'a b' = 'x'\n";
    let home = Home::new().user(text);
    let warnings = home.load().unwrap().warnings;
    let found: Vec<_> = warnings.iter().map(described).collect();
    let expected = [
        ("tilte", 1, None),
        (
            "core.max_concurent_sessions",
            3,
            Some("core.max_concurrent_sessions"),
        ),
        ("agents.amp.comand", 6, Some("agents.amp.command")),
        ("gti", 7, Some("git")),
        ("scripts.a b", 11, None),
    ];
    assert_eq!(found, expected);
    assert_eq!(warnings[3].hint().unwrap(), "did you mean `git`?");
    assert!(warnings[3].to_string().ends_with("config.toml:7)"));
}

fn described(warning: &Warning) -> (&str, usize, Option<&str>) {
    match warning {
        Warning::UnknownKey {
            key,
            place: Place::File { line, .. },
            nearest,
        } => (key, *line, nearest.as_deref()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn unknown_variables_warn_only_if_they_look_like_ours() {
    let home = Home::new()
        .variable("ORCHESTRA_CORE_MAX_OUTPTU", "1MiB")
        .variable("ORCHESTRA_GIT_SOMETHING_ELSE", "1")
        .variable("ORCHESTRA_OF_ANOTHER_PRODUCT", "1")
        .variable("ORCHESTRA_LOG", "debug");
    let warnings: Vec<_> = home
        .load()
        .unwrap()
        .warnings
        .iter()
        .map(|warning| (warning.to_string(), warning.hint()))
        .collect();
    assert_eq!(warnings.len(), 2);
    assert_eq!(
        warnings[0].0,
        "the environment variable ORCHESTRA_CORE_MAX_OUTPTU sets nothing"
    );
    assert_eq!(
        warnings[0].1.as_deref(),
        Some("did you mean `ORCHESTRA_CORE_MAX_OUTPUT`?")
    );
    assert!(warnings[1].0.contains("ORCHESTRA_GIT_SOMETHING_ELSE"));
}

#[test]
fn a_wrong_value_says_where_and_what_is_expected() {
    let table = [
        (
            "[core]\n\nmax_output = true\n",
            3,
            "core.max_output",
            "a size such as 64KiB, 10MiB or 1GB",
            "true",
        ),
        (
            "[git]\nhuman_changes = 'stash'\n",
            2,
            "git.human_changes",
            "one of commit, keep",
            "\"stash\"",
        ),
        (
            "core.session_timeout = '2 hours'\n",
            1,
            "core.session_timeout",
            "a duration such as 500ms, 30s, 15m, 2h or 14d, or 0 for none",
            "\"2 hours\"",
        ),
        (
            "core.max_concurrent_sessions = '8'\n",
            1,
            "core.max_concurrent_sessions",
            "a whole number from 1 to 1000",
            "\"8\"",
        ),
        (
            "worktree.hostname = 'http://{id}.localhost'\n",
            1,
            "worktree.hostname",
            "a host name of letters, digits and `-`, with `.` between its parts and any of {slug}, {id}, {issue}, {compose_project}",
            "\"http://{id}.localhost\"",
        ),
        ("git = 1\n", 1, "git", "a table", "1"),
        ("[[agents]]\nx = 1\n", 1, "agents", "a table", "a table"),
        (
            "security.pass_env = ['GIT_DIR']\n",
            1,
            "security.pass_env",
            "",
            "one with \"GIT_DIR\"",
        ),
        (
            "[agents.default]\nx = 1\n",
            1,
            "agents.default",
            "a name of letters, digits, `-`, `_` and `:`",
            "a table",
        ),
    ];
    for (text, at, setting, right, wrong) in table {
        let home = Home::new().user(text);
        let error = home.load().unwrap_err();
        assert_eq!(error.code(), "config.invalid");
        assert!(
            error.hint().unwrap().contains(&format!("line {at} of")),
            "{text}"
        );
        let ConfigError::Invalid {
            key,
            place,
            expected,
            found,
        } = error
        else {
            panic!("{error:?}")
        };
        assert_eq!(
            place,
            Place::File {
                path: home.user_file(),
                line: at
            },
            "{text}"
        );
        assert_eq!((key.as_str(), found.as_str()), (setting, wrong));
        assert!(expected == right || right.is_empty(), "{expected}");
    }
}

#[test]
fn a_wrong_variable_or_option_is_named() {
    let error = Home::new()
        .variable("ORCHESTRA_UI_COLOR", "green")
        .load()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`ui.color` in the environment variable ORCHESTRA_UI_COLOR must be one of auto, always, never, not \"green\""
    );
    assert_eq!(error.hint().unwrap(), "change or unset ORCHESTRA_UI_COLOR");
    let error = Home::new().flag("ui.color", "green").load().unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("`ui.color` in the command line must be")
    );
    let error = Home::new().flag("ui.colour", "never").load().unwrap_err();
    assert_eq!(
        (error.code(), error.hint().unwrap().as_str()),
        ("config.unknown_key", "did you mean `ui.color`?")
    );
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_utf8_is_refused() {
    use std::os::unix::ffi::OsStringExt;
    let value = std::ffi::OsString::from_vec(vec![b'a', 0xff]);
    let error = Home::new()
        .variable("ORCHESTRA_UI_COLOR", value)
        .load()
        .unwrap_err();
    assert!(error.to_string().ends_with("not text that is not UTF-8"));
}

#[test]
fn broken_toml_is_an_error_with_a_line_and_without_the_text() {
    let home = Home::new().user("[core]\nmax_output = \"hunter2-hunter2\n");
    let error = home.load().unwrap_err();
    assert_eq!(error.code(), "config.syntax");
    assert!(
        error
            .to_string()
            .contains("config.toml:2 is not valid TOML"),
        "{error}"
    );
    assert!(!error.to_string().contains("hunter2"), "{error}");
}

#[test]
fn files_that_are_not_small_text_files_are_unreadable() {
    let home = Home::new();
    std::fs::create_dir_all(home.repository_file()).unwrap();
    assert_eq!(home.load().unwrap_err().code(), "config.unreadable");
    let home = Home::new();
    write(&home.repository_file(), &"#".repeat((1 << 20) + 1));
    assert_eq!(home.load().unwrap_err().code(), "config.unreadable");
    let home = Home::new();
    write(&home.repository_file(), "");
    std::fs::write(home.repository_file(), [0xff, 0xfe]).unwrap();
    assert_eq!(home.load().unwrap_err().code(), "config.unreadable");
}

#[cfg(target_os = "linux")]
#[test]
fn a_link_to_an_endless_file_does_not_hang() {
    let home = Home::new();
    std::fs::create_dir_all(home.repository_file().parent().unwrap()).unwrap();
    std::os::unix::fs::symlink("/dev/zero", home.repository_file()).unwrap();
    let error = home.load().unwrap_err();
    assert_eq!(error.code(), "config.unreadable");
    assert!(error.hint().is_some());
}

#[test]
fn of_a_list_only_the_entry_that_is_wrong_is_named() {
    let text = "[worktree]\ncopy = ['.env', 'data/*.db', '../outside']\n";
    let error = Home::new().user(text).load().unwrap_err().to_string();
    assert!(error.ends_with("not one with \"../outside\""), "{error}");
    let text = "[worktree]\ncopy = ['.env', 3]\n";
    let error = Home::new().user(text).load().unwrap_err().to_string();
    assert!(error.ends_with("not a list of more than text"), "{error}");
}

#[test]
fn two_settings_never_set_the_same_variable() {
    let table = [
        (
            "[ports]\napi = 2\napi_2 = 1\n",
            "`ports.api` and `ports.api_2`",
            "ORCHESTRA_PORT_API_2",
        ),
        (
            "[ports]\nWeb = 1\nweb = 1\n",
            "`ports.Web` and `ports.web`",
            "ORCHESTRA_PORT_WEB",
        ),
        (
            "[ports]\na-b = 1\na_b = 1\n",
            "`ports.a-b` and `ports.a_b`",
            "ORCHESTRA_PORT_A_B",
        ),
        (
            "[databases.main]\n[databases.url_main]\n",
            "`databases.main` and `databases.url_main`",
            "ORCHESTRA_DATABASE_URL_MAIN",
        ),
        (
            "[ports]\nx = 1\n[worktree.variables]\nPORT = '1'\n",
            "`ports.x` and `worktree.variables.PORT`",
            "PORT",
        ),
        (
            "[databases.main]\n[worktree.variables]\nDATABASE_URL = 'x'\n",
            "`databases.main` and `worktree.variables.DATABASE_URL`",
            "DATABASE_URL",
        ),
        (
            "[worktree.variables]\nCOMPOSE_PROJECT_NAME = 'x'\n",
            "Orchestra itself and `worktree.variables.COMPOSE_PROJECT_NAME`",
            "COMPOSE_PROJECT_NAME",
        ),
    ];
    for (text, both, variable) in table {
        let error = Home::new().repository_settings(text).load().unwrap_err();
        let message = format!("{both} would both set the variable {variable}");
        assert_eq!((error.code(), error.to_string()), ("config.clash", message));
        assert!(error.hint().unwrap().contains("another name"));
    }
}

#[test]
fn names_that_only_look_alike_are_taken() {
    let text = "[ports]\napi = 2\napi_3 = 1\n[databases.a]\n[databases.b]\n\
        [worktree.variables]\nPORT = '1'\nDATABASE_URL = 'x'\n";
    Home::new().repository_settings(text).load().unwrap();
}

#[test]
fn an_address_that_two_sessions_can_share_is_refused() {
    let settings = |lines: &str| format!("[databases.main]\nkind = 'postgresql'\n{lines}\n");
    let load = |text: &str| Home::new().repository_settings(text).load();
    for url in [
        "postgresql://localhost/app",
        "postgresql://{hostname}/app",
        "x:{repository}",
        "x://h/app_{slug}",
        "x://h/app_{issue}",
        "x:{branch}",
    ] {
        let error = load(&settings(&format!("url = '{url}'"))).unwrap_err();
        let found = (error.code(), error.to_string());
        let message = "`databases.main.url` could be the same for two sessions".to_owned();
        assert_eq!(found, ("config.shared_address", message), "{url}");
        assert!(error.hint().unwrap().contains("{location}"));
    }
    for url in [
        "x://h/{location}",
        "x://h/app_{id}",
        "x://h:{port.db}/app",
        "x:{slug}_{id}",
    ] {
        load(&settings(&format!("url = '{url}'"))).unwrap();
    }
    let in_worktree = "[databases.main]\nlocation = 'data/dev.db'\nurl = 'file:./dev.db'\n";
    load(in_worktree).unwrap();
    for empty in ["location = ''", "url = ' '"] {
        assert_eq!(load(&settings(empty)).unwrap_err().code(), "config.invalid");
    }
}
