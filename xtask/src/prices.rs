//! `cargo xtask prices`: makes the table of prices anew from the list that the litellm project keeps.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Deserialize;

use crate::failure::Failure;
use crate::files;
use crate::workspace::Workspace;

/// Providers whose models the agents use. Resellers have other prices for the same names.
const PROVIDERS: [&str; 9] = [
    "anthropic",
    "deepseek",
    "gemini",
    "mistral",
    "moonshot",
    "openai",
    "vertex_ai-language-models",
    "xai",
    "zai",
];
const PER_MILLION: f64 = 1_000_000.0;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// `model_prices_and_context_window_backup.json` out of a release of litellm
    list: PathBuf,
    /// Where the list is from, such as "litellm 1.108.4 (MIT)"
    #[arg(long)]
    source: String,
}

/// What is taken from an entry; the list has much more.
#[derive(Debug, Deserialize)]
struct Entry {
    #[serde(default)]
    mode: String,
    #[serde(default)]
    litellm_provider: String,
    #[serde(default)]
    input_cost_per_token: Option<f64>,
    #[serde(default)]
    output_cost_per_token: Option<f64>,
    #[serde(default)]
    cache_read_input_token_cost: Option<f64>,
    #[serde(default)]
    cache_creation_input_token_cost: Option<f64>,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode, Failure> {
    let table = table(&files::read(&options.list)?, &options.source)
        .map_err(|error| Failure::new("this is not the list of litellm").because(error))?;
    let path = workspace
        .root()
        .join("crates/orchestra-core/data/prices.tsv");
    files::write(&path, table)?;
    println!("{} is current", path.display());
    Ok(ExitCode::SUCCESS)
}

fn table(list: &str, source: &str) -> Result<String, serde_json::Error> {
    let list: BTreeMap<String, serde_json::Value> = serde_json::from_str(list)?;
    let entries = list.into_iter().filter_map(|(name, entry)| {
        let entry: Entry = serde_json::from_value(entry).ok()?;
        Some((name, line(&entry)?))
    });
    let mut lines = BTreeMap::new();
    for (name, line) in entries {
        let model = name.rsplit('/').next().unwrap_or(&name).to_owned();
        lines.entry(model).or_insert(line);
    }
    let mut table = format!(
        "# Dollars per million tokens: input, output, cache read, cache write; - where there is none.\n\
         # Prices for short prompts, from {source}.\n"
    );
    for (model, line) in lines {
        table.push_str(&format!("{model}\t{line}\n"));
    }
    Ok(table)
}

/// The prices of a model that one of the providers sells; `None` for anything else.
fn line(entry: &Entry) -> Option<String> {
    let is_chat = ["chat", "responses"].contains(&entry.mode.as_str());
    if !is_chat || !PROVIDERS.contains(&entry.litellm_provider.as_str()) {
        return None;
    }
    let sold = |price: Option<f64>| price.filter(|price| *price > 0.0).map(dollars);
    let or_none = |price: Option<f64>| sold(price).unwrap_or_else(|| "-".to_owned());
    Some(format!(
        "{}\t{}\t{}\t{}",
        sold(entry.input_cost_per_token)?,
        sold(entry.output_cost_per_token)?,
        or_none(entry.cache_read_input_token_cost),
        or_none(entry.cache_creation_input_token_cost),
    ))
}

/// Without what counting in binary adds.
fn dollars(per_token: f64) -> String {
    let exact = format!("{:.4}", per_token * PER_MILLION);
    exact.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_models_of_providers_are_taken() {
        let list = r#"{
            "sample_spec": {"mode": "one of chat, embedding"},
            "model-a": {"mode": "chat", "litellm_provider": "anthropic", "input_cost_per_token": 1e-07, "output_cost_per_token": 1.5e-05, "cache_read_input_token_cost": 9.999999999999999e-08},
            "gemini/model-b": {"mode": "chat", "litellm_provider": "gemini", "input_cost_per_token": 2e-06, "output_cost_per_token": 1e-05},
            "model-c": {"mode": "embedding", "litellm_provider": "openai", "input_cost_per_token": 1, "output_cost_per_token": 1},
            "model-d": {"mode": "chat", "litellm_provider": "reseller", "input_cost_per_token": 1, "output_cost_per_token": 1},
            "model-e": {"mode": "chat", "litellm_provider": "openai", "input_cost_per_token": 0, "output_cost_per_token": 0}
        }"#;
        let table = table(list, "a test").unwrap();
        let lines: Vec<_> = table
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        assert_eq!(lines, ["model-a\t0.1\t15\t0.1\t-", "model-b\t2\t10\t-\t-"]);
    }
}
