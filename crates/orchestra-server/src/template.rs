//! Templates: as wire types, and put together from what was given and what a session began with.

use std::collections::BTreeMap;
use std::path::Path;

use orchestra_api::{DamagedTemplate, TemplateAnswer, TemplateList, TemplateText};
use orchestra_core::Template;
use orchestra_engine::{Engine, EngineError, SameName, StoredTemplate, TemplateError};

/// The templates of the user, and those of a repository.
pub fn list(engine: &Engine, root: Option<&Path>) -> Result<TemplateList, EngineError> {
    let seq = engine.last_seq()?;
    let listing = engine.templates(root)?;
    let damaged = listing.damaged.into_iter();
    Ok(TemplateList {
        seq,
        templates: listing.templates.iter().map(wire).collect(),
        damaged: damaged
            .map(|(file, problem)| DamagedTemplate { file, problem })
            .collect(),
    })
}

pub fn answer(engine: &Engine, stored: &StoredTemplate) -> Result<TemplateAnswer, EngineError> {
    Ok(TemplateAnswer {
        seq: engine.last_seq()?,
        template: wire(stored),
    })
}

/// The text of its file.
pub fn text(engine: &Engine, stored: StoredTemplate) -> Result<TemplateText, EngineError> {
    Ok(TemplateText {
        seq: engine.last_seq()?,
        name: stored.name,
        text: stored.text,
    })
}

/// What happens to a template that has the name already.
pub fn same_name(replace: bool) -> SameName {
    match replace {
        true => SameName::Replace,
        false => SameName::Refuse,
    }
}

/// What is to be saved: what was given before what the session says. Every variable of the prompt stands in the file, so
/// that it can be described there; those that are given are its defaults.
pub fn combined(
    given: Template,
    session: Template,
    defaults: BTreeMap<String, String>,
) -> Result<Template, EngineError> {
    let mut template = Template {
        prompt: given.prompt.or(session.prompt),
        repository: given.repository.or(session.repository),
        base: given.base.or(session.base),
        script: given.script.or(session.script),
        model: given.model.or(session.model),
        agent: given.agent.or(session.agent),
        timeout: given.timeout.or(session.timeout),
        runtime: given.runtime.or(session.runtime),
        ..given
    };
    template
        .require_known(&defaults)
        .map_err(TemplateError::from)?;
    template.variables = template.all_variables();
    for (name, value) in defaults {
        template.variables.entry(name).or_default().default = Some(value);
    }
    Ok(template)
}

/// Variables that stay keep what is said about them: whoever saves a template names only their defaults.
pub(crate) fn keep_descriptions(template: &mut Template, before: &Template) {
    for (name, variable) in &mut template.variables {
        if let Some(known) = before.variables.get(name) {
            variable.description.clone_from(&known.description);
        }
    }
}

fn wire(stored: &StoredTemplate) -> orchestra_api::Template {
    let StoredTemplate {
        name,
        origin,
        file,
        template,
        unknown_keys,
        ..
    } = stored.clone();
    orchestra_api::Template::new(name, origin.name(), file, template, unknown_keys)
}
