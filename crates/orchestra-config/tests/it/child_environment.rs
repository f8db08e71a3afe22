//! What programs see of the environment, and which values are secrets.

use std::collections::BTreeMap;
use std::ffi::OsString;

use orchestra_config::{Environment, Sources, child_env, load, settings::Settings};
use orchestra_core::AgentProtocol;

const INHERITED: &[(&str, &str)] = &[
    ("PATH", "/bin"),
    ("HOME", "/h"),
    ("USERPROFILE", "/h"),
    ("USER", "u"),
    ("LANG", "de_DE.UTF-8"),
    ("LC_TIME", "de"),
    ("XDG_CONFIG_HOME", "/c"),
    ("XDG_SESSION_TOKEN", "xdg-secret-value"),
    ("TERM", "xterm"),
    ("GIT_DIR", "/evil"),
    ("GITHUB_TOKEN", "ghp_0123456789"),
    ("NPM_TOKEN", "npm_0123456789"),
    ("SSH_AUTH_SOCK", "/run/ssh"),
    ("LD_PRELOAD", "/evil.so"),
    ("AMP_API_KEY", "sgamp-0123456789"),
    ("AMP_URL", "http://127.0.0.1:1"),
    ("OPENAI_API_KEY", "sk-0123456789"),
    ("CODEX_HOME", "/h/.codex"),
    ("ANTHROPIC_AUTH_TOKEN", "ant-0123456789"),
    ("AMP_PWD", "/elsewhere"),
    ("AMP_THREAD_ID", "T-1"),
    ("AGENT", "amp"),
    ("CLAUDECODE", "1"),
    ("HTTPS_PROXY", "http://proxy"),
    ("ORCHESTRA_HOME", "/data"),
    ("ORCHESTRA_CONFIG", "/nonexistent/config.toml"),
    ("EXTRA", "extra"),
];

fn inherited() -> Environment {
    INHERITED.iter().copied().collect()
}

fn settings(flags: &[(&str, &str)]) -> Settings {
    let flags = flags
        .iter()
        .map(|(key, value)| ((*key).into(), (*value).into()))
        .collect();
    load(&Sources {
        environment: inherited(),
        repository: None,
        flags,
    })
    .unwrap()
    .settings
}

fn names(variables: &BTreeMap<OsString, OsString>) -> Vec<&str> {
    let ours = |name: &&str| !cfg!(windows) || *name != "USERPROFILE";
    variables
        .keys()
        .map(|name| name.to_str().unwrap())
        .filter(ours)
        .collect()
}

const BASE: [&str; 7] = [
    "HOME",
    "LANG",
    "LC_TIME",
    "PATH",
    "TERM",
    "USER",
    "XDG_CONFIG_HOME",
];

#[test]
fn children_start_from_an_allow_list() {
    assert_eq!(names(&child_env::base_environment(&inherited())), BASE);
    assert_eq!(
        names(&child_env::script_environment(&inherited(), &settings(&[]))),
        BASE
    );
}

#[test]
fn an_agent_gets_no_credentials_but_its_own() {
    let settings = settings(&[]);
    let own = |protocol| {
        let variables = child_env::agent_environment(&inherited(), &settings, "mine", protocol);
        let names = names(&variables).into_iter();
        let names = names.filter(|name| !BASE.contains(name));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(own(Some(AgentProtocol::Amp)), ["AMP_API_KEY", "AMP_URL"]);
    assert_eq!(
        own(Some(AgentProtocol::Codex)),
        ["CODEX_HOME", "OPENAI_API_KEY"]
    );
    assert_eq!(own(Some(AgentProtocol::Claude)), ["ANTHROPIC_AUTH_TOKEN"]);
    for protocol in [None, Some(AgentProtocol::Acp), Some(AgentProtocol::Command)] {
        assert_eq!(own(protocol), [""; 0]);
    }
}

#[test]
fn configured_names_are_passed_on() {
    let settings = settings(&[
        ("security.pass_env", "EXTRA,NOT_SET"),
        ("agents.codex.env", "NPM_TOKEN"),
    ]);
    let script = child_env::script_environment(&inherited(), &settings);
    assert!(names(&script).contains(&"EXTRA") && !names(&script).contains(&"NOT_SET"));
    let codex =
        child_env::agent_environment(&inherited(), &settings, "codex", Some(AgentProtocol::Codex));
    assert_eq!(
        codex["NPM_TOKEN".as_ref() as &std::ffi::OsStr],
        "npm_0123456789"
    );
    let amp =
        child_env::agent_environment(&inherited(), &settings, "amp", Some(AgentProtocol::Amp));
    assert!(!names(&amp).contains(&"NPM_TOKEN"));
}

#[test]
fn dangerous_names_are_not_passed_on_even_when_a_setting_names_them() {
    let mut settings = settings(&[]);
    settings.security.pass_env = INHERITED
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    let script = child_env::script_environment(&inherited(), &settings);
    let forbidden = [
        "GIT_DIR",
        "GITHUB_TOKEN",
        "SSH_AUTH_SOCK",
        "LD_PRELOAD",
        "AMP_PWD",
        "AMP_THREAD_ID",
        "AGENT",
        "CLAUDECODE",
        "ORCHESTRA_HOME",
    ];
    for name in forbidden {
        assert!(!names(&script).contains(&name), "{name}");
        let flags = vec![("security.pass_env".to_owned(), name.to_owned())];
        let sources = Sources {
            environment: inherited(),
            repository: None,
            flags,
        };
        assert_eq!(
            load(&sources).unwrap_err().code(),
            "config.invalid",
            "{name}"
        );
    }
}

#[test]
fn git_speaks_one_language_and_gets_credentials_only_for_the_network() {
    let git = child_env::git_environment(&inherited());
    assert_eq!(
        names(&git),
        ["HOME", "LANG", "LC_ALL", "PATH", "XDG_CONFIG_HOME"]
    );
    assert_eq!(git["LC_ALL".as_ref() as &std::ffi::OsStr], "C");
    let network = child_env::git_network_environment(&inherited());
    let more: Vec<_> = names(&network)
        .into_iter()
        .filter(|name| !names(&git).contains(name))
        .collect();
    assert_eq!(more, ["HTTPS_PROXY", "SSH_AUTH_SOCK"]);
}

#[test]
fn secrets_are_known_by_the_names_of_their_variables() {
    let environment: Environment = [
        ("HOME", "/home/somebody"),
        ("USERPROFILE", "/home/somebody"),
        ("my_api_key", "key-0123456789"),
        ("DB_PASSWORD", " password-with-space\n"),
        ("AWS_CREDENTIALS_FILE", "/home/somebody"),
        ("A_TOKEN", "short"),
        ("ANOTHER_SECRET", "key-0123456789"),
        ("PLAIN", "plain-0123456789"),
        ("HARMLESS", "harmless-0123456789"),
        ("EMPTY_KEY", ""),
    ]
    .into_iter()
    .collect();
    let settings = settings(&[("security.redact_variables", "PLAIN")]);
    let secrets = child_env::secrets(&environment, &settings);
    let values: Vec<_> = secrets.iter().map(|secret| secret.expose()).collect();
    assert_eq!(
        values,
        ["password-with-space", "plain-0123456789", "key-0123456789"]
    );
    assert!(!format!("{secrets:?}").contains("0123456789"));
}

#[test]
fn a_repository_cannot_lead_programs_elsewhere() {
    for name in [
        "PATH",
        "NODE_OPTIONS",
        "npm_config_script_shell",
        "PIP_INDEX_URL",
        "CC",
        "RUSTFLAGS",
        "CARGO_HOME",
        "PSQLRC",
        "NODE_EXTRA_CA_CERTS",
        "ANTHROPIC_BASE_URL",
        "HTTPS_PROXY",
        "_JAVA_OPTIONS",
        "GIT_DIR",
        "GCONV_PATH",
        "COREPACK_NPM_REGISTRY",
        "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER",
        "MY_LINKER",
        "LUA_INIT_5_4",
        "PYTEST_ADDOPTS",
        "PYTEST_PLUGINS",
        "CMAKE_TOOLCHAIN_FILE",
        "CODEX_HOME",
        "DOCKER_HOST",
        "SBT_OPTS",
        "CATALINA_OPTS",
        "HOSTALIASES",
        "SUDO_ASKPASS",
    ] {
        assert!(!child_env::may_be_chosen(name), "{name}");
    }
    for name in [
        "API_URL",
        "NODE_ENV",
        "RUST_LOG",
        "CARGO_TARGET_DIR",
        "DOCKER_BUILDKIT",
    ] {
        assert!(child_env::may_be_chosen(name), "{name}");
    }
}
