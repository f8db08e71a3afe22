//! The models an agent offers, and how one of them is asked for.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::lenient::lenient;

/// The answer to a request that opens a session.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Opened {
    pub(super) session_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    modes: Option<Modes>,
    #[serde(deserialize_with = "lenient")]
    models: Option<Models>,
    config_options: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Modes {
    current_mode_id: Option<String>,
}

/// How agents told their models before they were an option among others.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Models {
    available_models: Vec<Model>,
    current_model_id: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Model {
    model_id: String,
    name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ConfigOption {
    id: String,
    category: Option<String>,
    current_value: Value,
    options: Vec<Choice>,
}

/// A value, or a group of values.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Choice {
    value: String,
    name: String,
    options: Vec<Self>,
}

/// What a model that was asked for comes to.
#[derive(Debug, PartialEq)]
pub(super) enum Wish {
    /// The agent is asked for it by this method.
    Ask {
        method: &'static str,
        params: Value,
        model: String,
    },
    /// It is the one already.
    Granted,
    /// The agent does not offer it.
    NotOffered,
}

impl Opened {
    pub(super) fn mode(&self) -> Option<String> {
        let told = self.modes.as_ref();
        let told = told.and_then(|modes| modes.current_mode_id.clone());
        told.or_else(|| self.current("mode"))
    }

    /// The model the session has.
    pub(super) fn model(&self) -> Option<String> {
        let told = self.current("model");
        told.or_else(|| self.models.as_ref()?.current_model_id.clone())
    }

    /// How a model is asked for, by its id or its name.
    pub(super) fn wish(&self, session: &str, wanted: &str) -> Wish {
        let (method, params, model) = if let Some((option, model)) = self.option_value(wanted) {
            let params = json!({ "sessionId": session, "configId": option, "value": model });
            ("session/set_config_option", params, model)
        } else if let Some(model) = self.model_id(wanted) {
            let params = json!({ "sessionId": session, "modelId": model });
            ("session/set_model", params, model.to_owned())
        } else {
            return Wish::NotOffered;
        };
        if self.model().as_ref() == Some(&model) {
            return Wish::Granted;
        }
        Wish::Ask {
            method,
            params,
            model,
        }
    }

    fn current(&self, category: &str) -> Option<String> {
        let option = self.option(category)?;
        option.current_value.as_str().map(str::to_owned)
    }

    /// Options that are no choice among words are of no interest.
    fn option(&self, category: &str) -> Option<ConfigOption> {
        let options = self.config_options.as_array()?.iter();
        let options = options.filter_map(|option| ConfigOption::deserialize(option).ok());
        let mut options: Vec<ConfigOption> = options.collect();
        let by_category = options
            .iter()
            .position(|option| option.category.as_deref() == Some(category));
        let index = by_category.or_else(|| options.iter().position(|option| option.id == category));
        Some(options.swap_remove(index?))
    }

    /// The option and its value.
    fn option_value(&self, wanted: &str) -> Option<(String, String)> {
        let option = self.option("model")?;
        let grouped = option.options.iter().flat_map(|choice| &choice.options);
        let mut choices = option.options.iter().chain(grouped);
        let choice = choices.find(|choice| is_meant(wanted, &choice.value, &choice.name))?;
        let value = choice.value.clone();
        Some((option.id, value))
    }

    fn model_id(&self, wanted: &str) -> Option<&str> {
        let mut models = self.models.as_ref()?.available_models.iter();
        let model = models.find(|model| is_meant(wanted, &model.model_id, &model.name))?;
        Some(&model.model_id)
    }
}

fn is_meant(wanted: &str, id: &str, name: &str) -> bool {
    !id.is_empty() && (wanted == id || wanted.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(value: Value) -> Opened {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_model_is_an_option_or_of_the_older_kind() {
        let new = opened(json!({"sessionId": "s", "configOptions": [
            {"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": "code", "options": []},
            {"id": "m", "name": "Model", "category": "model", "type": "select", "currentValue": "a/one",
             "options": [{"group": "a", "name": "A", "options": [{"value": "a/one", "name": "One"}, {"value": "a/two", "name": "Two"}]}]},
            {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": true},
            {"id": 7, "options": "odd"},
        ]}));
        assert_eq!(new.model().as_deref(), Some("a/one"));
        assert_eq!(new.mode().as_deref(), Some("code"));
        assert_eq!(
            new.wish("s", "two"),
            Wish::Ask {
                method: "session/set_config_option",
                params: json!({"sessionId": "s", "configId": "m", "value": "a/two"}),
                model: "a/two".to_owned(),
            }
        );
        assert_eq!(new.wish("s", "a/one"), Wish::Granted);
        assert_eq!(new.wish("s", "a/three"), Wish::NotOffered);

        let old = opened(json!({"models": {"currentModelId": "x",
            "availableModels": [{"modelId": "x", "name": "X"}, {"modelId": "y", "name": "Y"}]}}));
        assert_eq!(
            old.wish("s", "y"),
            Wish::Ask {
                method: "session/set_model",
                params: json!({"sessionId": "s", "modelId": "y"}),
                model: "y".to_owned(),
            }
        );
        assert_eq!(opened(json!({})).wish("s", ""), Wish::NotOffered);
    }
}
