//! Why an agent cannot be used.

use orchestra_core::PermissionPolicy;

/// Why an agent cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// No agent has this name.
    #[error("there is no agent called `{name}`")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// Its program was not found.
    #[error("the program `{program}` of the agent `{agent}` was not found")]
    Missing {
        /// The agent.
        agent: String,
        /// The program looked for.
        program: String,
    },
    /// Its program is a file that may not be run.
    #[error("the program `{program}` of the agent `{agent}` is not executable")]
    NotExecutable {
        /// The agent.
        agent: String,
        /// The file.
        program: String,
    },
    /// It has no login.
    #[error("the agent `{agent}` is not logged in")]
    NotLoggedIn {
        /// The agent.
        agent: String,
        /// How a user logs in.
        hint: &'static str,
    },
    /// It cannot be made to ask before it uses a tool.
    #[error(
        "the agent `{agent}` asks nobody before it uses a tool, and the permissions of the session are `{policy}`"
    )]
    AsksNobody {
        /// The agent.
        agent: String,
        /// What the session says.
        policy: PermissionPolicy,
        /// The session.
        session: String,
    },
}

impl AgentError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "agent.unknown",
            Self::Missing { .. } => "agent.missing",
            Self::NotExecutable { .. } => "agent.not_executable",
            Self::NotLoggedIn { .. } => "agent.not_logged_in",
            Self::AsksNobody { .. } => "agent.asks_nobody",
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { name, known } => unknown_hint(name, known),
            Self::Missing { agent, .. } => format!(
                "install it, or say where it is: orchestra config set agents.{agent}.command /path/to/program; \
                 `--agent demo` works without installing anything"
            ),
            Self::NotExecutable { program, .. } => {
                format!("let it be run: chmod +x '{program}'")
            }
            Self::NotLoggedIn { hint, .. } => (*hint).to_owned(),
            Self::AsksNobody { session, .. } => format!(
                "let it do as it likes with `orchestra session set {session} permissions allow`, or use another agent or build"
            ),
        })
    }
}

/// Names that share less are no help.
const ALIKE: f64 = 0.5;

fn unknown_hint(wanted: &str, names: &[String]) -> String {
    let likeness =
        |name: &&String| strsim::normalized_damerau_levenshtein(&wanted.to_lowercase(), name);
    let nearest = names
        .iter()
        .max_by(|left, right| likeness(left).total_cmp(&likeness(right)))
        .filter(|name| likeness(name) >= ALIKE);
    let known = format!("the agents are: {}", names.join(", "));
    match nearest {
        Some(name) => format!("did you mean `{name}`? {known}"),
        None => known,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered() {
        let hint = |name: &str| {
            let known = ["amp", "codex", "demo"].map(str::to_owned).to_vec();
            let name = name.to_owned();
            AgentError::Unknown { name, known }.hint().unwrap()
        };
        for (wanted, meant) in [("apm", "amp"), ("Demo", "demo"), ("codx", "codex")] {
            let hint = hint(wanted);
            assert!(
                hint.starts_with(&format!("did you mean `{meant}`?")),
                "{hint}"
            );
        }
        assert_eq!(hint("hal"), "the agents are: amp, codex, demo");
    }
}
