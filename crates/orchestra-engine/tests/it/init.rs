//! What `init` writes, and what it allows.

use std::fs;

use orchestra_config::command_lines_in;
use orchestra_engine::Permission;
use orchestra_testkit::Sandbox;

use crate::world::engine;

#[test]
fn what_was_read_is_allowed_and_not_what_stands_in_the_file() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("repo");
    let engine = engine(&sandbox, &[]);
    let mut proposal = engine.propose_init(repository.root()).unwrap();
    repository.write(
        ".orchestra/config.toml",
        "[scripts]\ntest = \"echo stranger\"\n",
    );
    proposal.file = sandbox.path("proposed.toml");
    proposal.content = "[scripts]\ntest = \"echo mine\"\n".to_owned();
    engine.write_init(&proposal).unwrap();
    assert_eq!(
        fs::read_to_string(&proposal.file).unwrap(),
        proposal.content
    );
    let known = engine.known_repository(repository.root()).unwrap().unwrap();
    let allowed = engine.unset_commands(known.id, &[]).unwrap();
    let allowed = allowed
        .iter()
        .map(|it| (it.setting.as_str(), it.command.as_str(), it.permission));
    assert_eq!(
        allowed.collect::<Vec<_>>(),
        [("scripts.test", "echo mine", Permission::Unset)]
    );
}

#[test]
fn the_commands_of_a_file_are_found_and_nothing_else() {
    let text = "[git]\nremote = \"up\"\n[commands]\nsetup = \"npm ci\"\ntimeout = \"1m\"\n[scripts]\na = \"b 'c'\"\n";
    let found = command_lines_in("x.toml".as_ref(), text).unwrap();
    let found = found.iter().map(|(name, text)| (&**name, &**text));
    assert_eq!(
        found.collect::<Vec<_>>(),
        [("commands.setup", "npm ci"), ("scripts.a", "b 'c'")]
    );
}
