//! Every variable that the agent of a session would get, and where each comes from.

use std::collections::BTreeMap;
use std::ffi::OsString;

use orchestra_config::child_env::{self, Variables};
use orchestra_core::Session;
use orchestra_core::redact::REPLACEMENT;
use orchestra_process::{Marker, proxy_variables};

use super::{ShownSandbox, ShownVariable};
use crate::sandbox::{HeldTurn, is_carried};
use crate::{Engine, EngineError};

/// Stands for a port that is not chosen yet.
const ITS_PORT: &str = "(a free port)";

/// What the run of an agent adds to the variables of its command.
pub(super) struct Added<'a> {
    /// What the session has for itself.
    pub(super) own: &'a Variables,
    /// The mark on everything the agent starts.
    pub(super) mark: Marker,
    pub(super) sandbox: Option<&'a ShownSandbox>,
}

impl Added<'_> {
    /// What whoever starts the agent sets last, with where it comes from.
    fn last(&self) -> Vec<(OsString, OsString, &'static str)> {
        let mark = (self.mark.name.clone(), self.mark.value.clone());
        let mut last = vec![(mark.0.into(), mark.1.into(), "the mark of its run")];
        let Some(sandbox) = self.sandbox else {
            return last;
        };
        let held = HeldTurn::VARIABLES.map(|(name, value)| (name, value.to_owned()));
        let proxy = is_carried(&sandbox.network).then(|| proxy_variables(ITS_PORT));
        let all = held.into_iter().chain(proxy.into_iter().flatten());
        last.extend(all.map(|(name, value)| (name.into(), value.into(), "its sandbox")));
        last
    }
}

impl Engine {
    /// The variables of a command and what its run adds. The engine is that of the session's environment, the other one the
    /// user's.
    pub(super) fn shown_variables(
        &self,
        users: &Self,
        session: &Session,
        mut variables: Variables,
        added: &Added<'_>,
    ) -> Result<Vec<ShownVariable>, EngineError> {
        let mut sources = BTreeMap::new();
        for (name, value, source) in added.last() {
            sources.insert(name.clone(), source.to_owned());
            variables.insert(name, value);
        }
        for (names, source) in users.sources(self, session, added.own)? {
            for name in names.into_keys() {
                sources.entry(name).or_insert_with(|| source.clone());
            }
        }
        let shown = variables.iter().map(|(name, value)| {
            let is_secret = name.to_str().is_some_and(child_env::looks_secret);
            let source = sources.get(name).cloned();
            ShownVariable {
                name: name.to_string_lossy().into_owned(),
                value: match is_secret {
                    true => REPLACEMENT.to_owned(),
                    false => self.shown_text(value),
                },
                source: source.unwrap_or_else(|| "what this agent always gets".to_owned()),
            }
        });
        Ok(shown.collect())
    }

    /// Where variables come from, the first that has one counting.
    fn sources(
        &self,
        placed: &Self,
        session: &Session,
        own: &Variables,
    ) -> Result<Vec<(Variables, String)>, EngineError> {
        let (name, settings) = self.environment_named(session.runtime.environment.as_deref())?;
        let agent = self.agent_named(&session.agent)?;
        let environment = &placed.environment;
        let is_secret = |name: &OsString| name.to_str().is_some_and(child_env::looks_secret);
        let (tokens, urls): (Variables, Variables) = (placed.place.variables.clone().into_iter())
            .partition(|(variable, _)| is_secret(variable));
        let token = settings.token.as_ref().map(ToString::to_string);
        let path = (!settings.path.is_empty()).then(|| {
            let path = OsString::from(orchestra_config::variables::PATH);
            Variables::from([(path, OsString::new())])
        });
        let described = self.config().agents.named.get(&session.agent);
        let by_name = described.map(|agent| agent.env.as_slice());
        let by_name = child_env::named(environment, by_name.unwrap_or_default());
        // What nobody set there is the agent's own.
        let mut login = placed.agent_variables(&agent);
        login.retain(|name, value| {
            let set = environment.iter().find(|(known, _)| *known == name);
            set.is_some_and(|(_, known)| known == value)
        });
        Ok(vec![
            (
                tokens,
                format!("environments.{name}.token ({})", token.unwrap_or_default()),
            ),
            (urls, format!("environments.{name}.url")),
            (own.clone(), "what the session has for itself".to_owned()),
            (
                path.unwrap_or_default(),
                format!("environments.{name}.path, then your environment"),
            ),
            (
                child_env::base_environment(environment),
                "your environment".to_owned(),
            ),
            (
                child_env::script_environment(environment, self.config()),
                "your environment, by security.pass_env".to_owned(),
            ),
            (
                by_name,
                format!("your environment, by agents.{}.env", session.agent),
            ),
            (
                login,
                format!(
                    "your environment, for agents that speak as {}",
                    agent.protocol()
                ),
            ),
        ])
    }
}
