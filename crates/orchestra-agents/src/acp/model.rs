//! The models and modes an agent offers, and how one of them is asked for.

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
    #[serde(deserialize_with = "lenient")]
    available_modes: Option<Vec<Mode>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Mode {
    id: String,
    name: String,
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

impl ConfigOption {
    /// All that can be chosen, in groups or not.
    fn choices(&self) -> impl Iterator<Item = &Choice> {
        let grouped = self.options.iter().flat_map(|choice| &choice.options);
        self.options.iter().chain(grouped)
    }
}

/// A value, or a group of values.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Choice {
    value: String,
    name: String,
    options: Vec<Self>,
}

/// What a model or a mode that was asked for comes to.
#[derive(Debug, PartialEq)]
pub(super) enum Wish {
    /// The agent is asked for it by this method.
    Ask {
        method: &'static str,
        params: Value,
        id: String,
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
        let offered = self.option_value("model", wanted);
        let (method, params, model) = if let Some((option, model)) = offered {
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
            id: model,
        }
    }

    /// How a mode is asked for, by its id or its name.
    pub(super) fn mode_wish(&self, session: &str, wanted: &str) -> Wish {
        let (method, params, mode) = if let Some(mode) = self.mode_id(wanted) {
            let params = json!({ "sessionId": session, "modeId": mode });
            ("session/set_mode", params, mode.to_owned())
        } else if let Some((option, mode)) = self.option_value("mode", wanted) {
            let params = json!({ "sessionId": session, "configId": option, "value": mode });
            ("session/set_config_option", params, mode)
        } else {
            return Wish::NotOffered;
        };
        if self.mode().as_ref() == Some(&mode) {
            return Wish::Granted;
        }
        Wish::Ask {
            method,
            params,
            id: mode,
        }
    }

    /// The ids of the modes that can be asked for.
    pub(super) fn modes(&self) -> Vec<String> {
        let told: Vec<String> = self.told_modes().map(|mode| mode.id.clone()).collect();
        match told.is_empty() {
            true => self.choices("mode"),
            false => told,
        }
    }

    fn told_modes(&self) -> impl Iterator<Item = &Mode> {
        let modes = self.modes.as_ref();
        let modes = modes.and_then(|modes| modes.available_modes.as_ref());
        modes
            .into_iter()
            .flatten()
            .filter(|mode| !mode.id.is_empty())
    }

    fn mode_id(&self, wanted: &str) -> Option<&str> {
        let mut modes = self.told_modes();
        let mode = modes.find(|mode| is_meant(wanted, &mode.id, &mode.name))?;
        Some(&mode.id)
    }

    fn choices(&self, category: &str) -> Vec<String> {
        let option = self.option(category);
        let choices = option.iter().flat_map(ConfigOption::choices);
        let values = choices.map(|choice| choice.value.clone());
        values.filter(|value| !value.is_empty()).collect()
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
    fn option_value(&self, category: &str, wanted: &str) -> Option<(String, String)> {
        let option = self.option(category)?;
        let mut choices = option.choices();
        let choice = choices.find(|choice| is_meant(wanted, &choice.value, &choice.name))?;
        Some((option.id.clone(), choice.value.clone()))
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
                id: "a/two".to_owned(),
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
                id: "y".to_owned(),
            }
        );
        assert_eq!(opened(json!({})).wish("s", ""), Wish::NotOffered);
    }

    #[test]
    fn a_mode_is_told_by_itself_or_is_an_option() {
        let own = opened(
            json!({"modes": {"currentModeId": "code", "availableModes": [
            {"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}, {"name": "odd"}]}}),
        );
        assert_eq!(
            own.mode_wish("s", "ASK"),
            Wish::Ask {
                method: "session/set_mode",
                params: json!({"sessionId": "s", "modeId": "ask"}),
                id: "ask".to_owned(),
            }
        );
        assert_eq!(own.mode_wish("s", "code"), Wish::Granted);
        assert_eq!(own.mode_wish("s", "plan"), Wish::NotOffered);
        assert_eq!(own.modes(), ["ask", "code"]);

        let option = opened(
            json!({"configOptions": [{"id": "m", "category": "mode", "type": "select",
            "currentValue": "build", "options": [{"value": "plan", "name": "Plan"}, {"value": "build", "name": "Build"}]}]}),
        );
        assert_eq!(
            option.mode_wish("s", "plan"),
            Wish::Ask {
                method: "session/set_config_option",
                params: json!({"sessionId": "s", "configId": "m", "value": "plan"}),
                id: "plan".to_owned(),
            }
        );
        assert_eq!(option.modes(), ["plan", "build"]);
        let odd = opened(json!({"modes": {"availableModes": "odd"}}));
        assert_eq!(odd.mode_wish("s", ""), Wish::NotOffered);
        assert_eq!(odd.modes(), Vec::<String>::new());
    }
}
