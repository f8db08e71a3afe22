//! The tools: their names, what they take, and who may see them.

use orchestra_engine::{Allowance, Grant};
use rmcp::model::{JsonObject, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::call::{Answered, Call};
use super::{landing, removal, watching, work};

/// A tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    /// What it does, for whoever chooses among them.
    pub(super) about: &'static str,
    pub(super) effect: Effect,
    pub(super) parameters: &'static [Parameter],
    pub(super) run: fn(&Call) -> Answered,
}

/// What a tool does to sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It only looks.
    Looks,
    /// It changes something, and nothing is lost.
    Changes,
    /// Work becomes part of a base.
    Lands,
    /// Something goes.
    Removes,
}

/// One thing that a tool takes.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) need: Need,
    pub(super) about: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Required,
    Optional,
}

/// What a parameter is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Text,
    Texts,
    Flag,
    /// A whole number up to this one.
    Number(u64),
    /// One of these words.
    Choice(&'static [&'static str]),
}

pub(super) const SESSION: Parameter = Parameter {
    name: "session",
    kind: Kind::Text,
    need: Need::Required,
    about: "Id, unique prefix or name of the session",
};

pub(super) const fn required(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter {
        name,
        kind,
        need: Need::Required,
        about,
    }
}

pub(super) const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter {
        name,
        kind,
        need: Need::Optional,
        about,
    }
}

/// All of them, by what they are for.
pub(super) const ALL: [&[Tool]; 4] = [watching::TOOLS, work::TOOLS, landing::TOOLS, removal::TOOLS];

pub(super) fn find(name: &str) -> Option<&'static Tool> {
    let mut tools = ALL.into_iter().flatten();
    tools.find(|tool| tool.name == name)
}

impl Tool {
    /// Whether it is of any use to the caller.
    pub(super) fn is_listed(&self, grant: &Grant) -> bool {
        let allowance = match self.effect {
            Effect::Looks | Effect::Changes => Allowance::Granted,
            Effect::Lands => grant.landing,
            Effect::Removes => grant.deletion,
        };
        allowance == Allowance::Granted
    }

    pub(super) fn description(&self) -> rmcp::model::Tool {
        let notes = ToolAnnotations::new()
            .read_only(self.effect == Effect::Looks)
            .destructive(self.effect == Effect::Removes)
            .open_world(self.effect != Effect::Looks);
        rmcp::model::Tool::new(self.name, self.about, self.schema()).with_annotations(notes)
    }

    fn schema(&self) -> JsonObject {
        let properties: Map<String, Value> = self
            .parameters
            .iter()
            .map(|it| (it.name.to_owned(), it.schema()))
            .collect();
        let needed = self.parameters.iter();
        let needed = needed.filter(|it| it.need == Need::Required);
        let needed: Vec<_> = needed.map(|it| it.name).collect();
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Value::Object(properties));
        schema.insert("required".to_owned(), json!(needed));
        schema.insert("additionalProperties".to_owned(), json!(false));
        schema
    }
}

impl Parameter {
    fn schema(&self) -> Value {
        let about = self.about;
        match self.kind {
            Kind::Text => json!({ "type": "string", "description": about }),
            Kind::Texts => json!({
                "type": "array", "items": { "type": "string" }, "minItems": 1, "description": about
            }),
            Kind::Flag => json!({ "type": "boolean", "description": about }),
            Kind::Number(most) => json!({
                "type": "integer", "minimum": 0, "maximum": most, "description": about
            }),
            Kind::Choice(words) => {
                json!({ "type": "string", "enum": words, "description": about })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one_tool_and_says_what_it_takes() {
        let all: Vec<&Tool> = ALL.into_iter().flatten().collect();
        for tool in &all {
            let same = all.iter().filter(|other| other.name == tool.name).count();
            assert_eq!(same, 1, "{}", tool.name);
            assert!(!tool.about.is_empty());
            let schema = Value::Object(tool.schema());
            for parameter in tool.parameters {
                let about = &schema["properties"][parameter.name]["description"];
                assert!(about.as_str().is_some_and(|about| !about.is_empty()));
            }
        }
        println!("{} tools", all.len());
    }
}
