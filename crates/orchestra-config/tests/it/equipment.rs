//! Toolboxes and MCP servers: what is read of them, and what is refused.

use orchestra_config::{McpReach, Told};

use crate::home::Home;

const SERVERS: &str = "
[mcp.issues]
command = ['npx', '-y', 'issue-server']
env = ['LOG=a=b, c']
secret_env = ['TOKEN=keyring:issues/me']
tools = ['find']

[mcp.search]
url = 'https://search.example/mcp'
headers = ['X-Team: core: one']
auth = 'env:SEARCH'
";

fn secret(place: &str, before: &'static str) -> Told {
    let place = place.parse().unwrap();
    Told::Secret { place, before }
}

#[test]
fn a_server_is_a_program_or_an_address() {
    let settings = Home::new().user(SERVERS).load().unwrap().settings;
    let issues = &settings.mcp["issues"];
    let (name, told) = ("LOG".to_owned(), Told::Plain("a=b, c".to_owned()));
    let expected = McpReach::Program {
        command: ["npx", "-y", "issue-server"].map(str::to_owned).to_vec(),
        env: vec![
            (name, told),
            ("TOKEN".to_owned(), secret("keyring:issues/me", "")),
        ],
    };
    assert_eq!(issues.reached, Some(expected));
    assert_eq!(issues.tools, Some(vec!["find".to_owned()]));
    let search = &settings.mcp["search"];
    let team = ("X-Team".to_owned(), Told::Plain("core: one".to_owned()));
    let expected = McpReach::Address {
        url: "https://search.example/mcp".to_owned(),
        headers: vec![
            team,
            ("Authorization".to_owned(), secret("env:SEARCH", "Bearer ")),
        ],
    };
    assert_eq!(search.reached, Some(expected));
    assert_eq!(search.tools, None);
}

/// Also those that are not used: a server that is a program has no headers.
#[test]
fn the_places_of_all_secrets_are_known() {
    let text = "environments.staging.token = 'file:~/token'\n\
                [mcp.one]\ncommand = ['one']\nsecret_env = ['A=env:A', 'B=file:/b']\nauth = 'file:~/unused'\n\
                [mcp.two]\nurl = 'https://two.example'\nsecret_headers = ['X-Key: keyring:two/me']\n";
    let settings = Home::new().user(text).load().unwrap().settings;
    let places = settings.secret_places.iter().map(ToString::to_string);
    let mut places: Vec<_> = places.collect();
    places.sort();
    let expected = [
        "env:A",
        "file:/b",
        "file:~/token",
        "file:~/unused",
        "keyring:two/me",
    ];
    assert_eq!(places, expected);
}

#[test]
fn what_could_be_a_secret_is_refused_without_being_shown() {
    for wrong in [
        "mcp.a.secret_env = ['TOKEN=the-token-itself']",
        "mcp.a.secret_headers = ['X-Key: the-token-itself']",
        "mcp.a.auth = 'the-token-itself'",
        "mcp.a.env = ['the-token-itself']",
        "mcp.a.headers = ['the-token-itself']",
        "runtime.tool_extensions = ['.sh']",
    ] {
        let error = Home::new().user(wrong).load().unwrap_err();
        let text = error.to_string();
        assert!(!text.contains("the-token-itself"), "{text}");
    }
}

#[test]
fn a_repository_names_what_the_user_described() {
    let home = Home::new()
        .user("toolboxes.mine = ['/tools/a', '~/b']\n")
        .repository_settings("runtime.toolboxes = ['mine']\ntoolboxes.theirs = ['/evil']\n");
    let loaded = home.load().unwrap();
    assert_eq!(loaded.settings.equipment.toolboxes, ["mine"]);
    let names: Vec<_> = loaded.settings.toolboxes.keys().collect();
    assert_eq!(names, ["mine"]);
    assert!(loaded.settings.toolboxes["mine"][1].is_absolute());
    assert_eq!(loaded.warnings.len(), 1);
}
