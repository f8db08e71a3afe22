//! Pauses of agents whose provider is overloaded.

use orchestra_core::AgentPause;

use crate::fixture::{Sandbox, at, read, write};

#[test]
fn the_pause_of_an_agent_comes_back_until_it_is_lifted() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let pause = |strikes| AgentPause {
        until: at(60),
        since: at(50),
        strikes,
        why: "overloaded".to_owned(),
    };
    for strikes in [1, 2] {
        write(&store, |tx| tx.put_agent_pause("amp", &pause(strikes)));
        let found = read(&store, |tx| tx.agent_pause("amp"));
        assert_eq!(found, Some(pause(strikes)));
    }
    assert_eq!(read(&store, |tx| tx.agent_pause("codex")), None);
    write(&store, |tx| tx.lift_agent_pause("amp"));
    assert_eq!(read(&store, |tx| tx.agent_pause("amp")), None);
}
