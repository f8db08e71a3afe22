//! Amp's own failures: which text, on which stream, with which exit code, in which build.

use super::build::Build;
use super::knobs;
use super::scenario::Fault;

pub(crate) const NO_KEY: &str = "Invalid or missing API key. Run 'amp login' to authenticate.";

/// How a fault shows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Before any output: standard error only, exit code 1.
    BeforeOutput(String),
    /// After init and the prompt: an error result, perhaps words on standard error, and the exit code.
    Result {
        error: String,
        stderr: Option<String>,
        code: u8,
    },
    /// After init and the prompt: standard error only, exit code 1.
    NoResult(String),
}

/// The name in scenario files and in the `fault` knob.
pub(crate) fn from_name(name: &str) -> Result<Fault, String> {
    serde_json::from_value(name.into()).map_err(|_unknown| format!("unknown fault '{name}'"))
}

pub(crate) fn shape(fault: Fault, build: Build) -> Shape {
    match fault {
        Fault::Overloaded if build == Build::Feb => {
            reached("Model Provider Overloaded Try again in a few seconds.")
        }
        Fault::Overloaded => reached("Model provider overloaded. Try again in a few seconds."),
        Fault::PaymentRequired => reached(
            r#"402 {"type":"error","error":{"type":"invalid_request_error","message":"Payment required"}}"#,
        ),
        Fault::ApprovalRequired => approval(build),
        Fault::WebSocket => Shape::BeforeOutput(
            "WebSocket connection failed. Check your connection or proxy settings and retry."
                .to_owned(),
        ),
        _ if build.connects_late() => late(fault),
        _ => Shape::BeforeOutput(early(fault)),
    }
}

/// The server was reached, so the exit code says nothing.
fn reached(error: &str) -> Shape {
    Shape::Result {
        error: error.to_owned(),
        stderr: None,
        code: 0,
    }
}

fn approval(build: Build) -> Shape {
    let tool = build.shell_tool();
    if build == Build::New {
        return Shape::NoResult(format!(
            "The {tool} tool tried to run a command that isn't allowlisted"
        ));
    }
    reached(&format!(
        "The following tools require user approval, which is not supported in stream JSON mode: {tool}"
    ))
}

fn late(fault: Fault) -> Shape {
    let (error, stderr) = match fault {
        Fault::Offline => (
            "Connection error.",
            "Cannot reach Amp servers. Are you offline?",
        ),
        Fault::Unauthorized => same("Unauthorized. Check your access token."),
        Fault::NotFound => same("404 not found"),
        Fault::ServerError => same("500 {}"),
        _ => same("request ended without sending any chunks"),
    };
    Shape::Result {
        error: error.to_owned(),
        stderr: Some(stderr.to_owned()),
        code: 1,
    }
}

fn same(text: &str) -> (&str, &str) {
    (text, text)
}

fn early(fault: Fault) -> String {
    match fault {
        Fault::Offline => {
            format!(
                "Couldn't connect to the Amp server at {}.",
                knobs::server_url()
            )
        }
        Fault::Unauthorized => NO_KEY.to_owned(),
        Fault::NotFound => "API request for getUserInfo failed: 404".to_owned(),
        Fault::ServerError => "Amp server returned an error. Try again in a moment.".to_owned(),
        _ => "TypeError: undefined is not an object".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offline_has_a_result_only_in_the_older_builds() {
        assert!(matches!(
            shape(Fault::Offline, Build::Jan),
            Shape::Result { code: 1, .. }
        ));
        assert!(matches!(
            shape(Fault::Offline, Build::May),
            Shape::BeforeOutput(_)
        ));
    }

    #[test]
    fn an_overloaded_provider_exits_well() {
        for build in [Build::Jan, Build::Feb, Build::May, Build::New] {
            assert!(matches!(
                shape(Fault::Overloaded, build),
                Shape::Result { code: 0, .. }
            ));
        }
    }

    #[test]
    fn names_are_those_of_scenario_files() {
        assert_eq!(from_name("payment_required"), Ok(Fault::PaymentRequired));
        assert!(from_name("flood").is_err());
    }
}
