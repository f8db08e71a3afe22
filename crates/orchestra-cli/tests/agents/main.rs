//! Whole sessions with agents from npm, as users have them, against scripted model providers on loopback.
//!
//! `cargo xtask test-agents` installs the agents and runs this; it is no part of the default test command. What an agent changed is
//! judged by git, what it left running by the processes of the machine.

mod cases;
mod installed;
mod world;

/// The same cases for every agent.
macro_rules! agents {
    ($($module:ident: $agent:ident;)*) => {$(
        mod $module {
            use crate::installed::Installed::$agent as AGENT;
            use crate::cases;

            #[test]
            fn iterates_and_asks_on_one_thread() {
                cases::iterates_and_asks_on_one_thread(AGENT);
            }

            #[test]
            fn tells_its_model_and_what_a_turn_cost() {
                cases::tells_its_model_and_what_a_turn_cost(AGENT);
            }

            #[test]
            fn is_stopped_with_all_it_started() {
                cases::is_stopped_with_all_it_started(AGENT);
            }

            #[test]
            fn is_blocked_while_its_provider_is_overloaded() {
                cases::is_blocked_while_its_provider_is_overloaded(AGENT);
            }

            #[test]
            fn tells_why_its_provider_refuses() {
                cases::tells_why_its_provider_refuses(AGENT);
            }

            #[test]
            fn explains_a_thread_that_is_gone() {
                cases::explains_a_thread_that_is_gone(AGENT);
            }

            #[test]
            fn survives_a_short_overload() {
                cases::survives_a_short_overload(AGENT);
            }

            #[test]
            fn is_ended_when_its_provider_says_nothing() {
                cases::is_ended_when_its_provider_says_nothing(AGENT);
            }

            #[test]
            fn is_ended_when_every_connection_breaks() {
                cases::is_ended_when_every_connection_breaks(AGENT);
            }
        }
    )*};
}

agents! {
    amp: Amp;
    codex: Codex;
    opencode: Opencode;
}

/// What only some agents can.
mod permissions {
    mod amp {
        use crate::cases::permissions;
        use crate::installed::Installed::Amp;

        #[test]
        fn end_the_turn_with_a_question() {
            permissions::end_the_turn_with_a_question(Amp);
        }
    }

    mod codex {
        use crate::cases::permissions;
        use crate::installed::Installed::Codex;

        #[test]
        fn are_missed_before_it_starts() {
            permissions::are_missed_before_it_starts(Codex);
        }
    }

    mod opencode {
        use crate::cases::permissions;
        use crate::installed::Installed::Opencode;

        #[test]
        fn are_waited_for_in_the_turn() {
            permissions::are_waited_for_in_the_turn(Opencode);
        }
    }
}

/// opencode is left out: each of its turns goes on for most of a minute before it gives up.
mod fleets {
    mod amp {
        use crate::cases;
        use crate::installed::Installed::Amp;

        #[test]
        fn spare_an_overloaded_provider() {
            cases::fleet_spares_an_overloaded_provider(Amp, 1);
        }
    }

    mod codex {
        use crate::cases;
        use crate::installed::Installed::Codex;

        #[test]
        fn spare_an_overloaded_provider() {
            cases::fleet_spares_an_overloaded_provider(Codex, 9);
        }
    }
}
