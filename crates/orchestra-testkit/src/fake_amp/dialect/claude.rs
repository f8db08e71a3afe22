//! The stream of Claude Code: Amp's, with more fields.

use serde_json::{Value, json};

use super::super::scenario::Fault;
use super::super::shapes::Line;
use super::super::threads::Used;

const MODEL: &str = "claude-scripted";
/// What a token costs, so that there is something to report.
const USD_PER_TOKEN: f64 = 0.000_001;

pub(super) fn line(line: &Line<'_>, number: u32, used: &Used) -> Value {
    let mut value = serde_json::to_value(line).unwrap_or_default();
    let thread = value["session_id"].as_str().unwrap_or_default();
    value["session_id"] = thread.trim_start_matches("T-").into();
    value["uuid"] = "00000000-0000-4000-8000-000000000000".into();
    match line {
        Line::System { .. } => {
            value["model"] = MODEL.into();
            value["permissionMode"] = "bypassPermissions".into();
        }
        Line::Assistant { .. } => {
            value["message"]["id"] = format!("msg_{number}").into();
            value["message"]["model"] = MODEL.into();
        }
        Line::Result { error, .. } => {
            value["usage"] = json!({
                "input_tokens": used.input,
                "cache_creation_input_tokens": used.cache_write,
                "cache_read_input_tokens": used.cache_read,
                "output_tokens": used.output,
            });
            #[expect(clippy::cast_precision_loss, reason = "a made-up price")]
            let tokens = (used.input + used.output) as f64;
            value["total_cost_usd"] = (tokens * USD_PER_TOKEN).into();
            value["permission_denials"] = json!([]);
            if let (Some(error), Value::Object(fields)) = (error, &mut value) {
                fields.remove("error");
                fields.insert("errors".to_owned(), json!([error]));
            }
        }
        Line::User { .. } => {}
    }
    value
}

pub(super) const fn fault(fault: Fault) -> &'static str {
    match fault {
        Fault::Overloaded => {
            "API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}"
        }
        Fault::Unauthorized => "Invalid API key · Please run /login",
        Fault::PaymentRequired => "Credit balance is too low",
        Fault::Offline | Fault::WebSocket => "API Error: Connection error.",
        Fault::NotFound | Fault::ServerError | Fault::EmptyReply | Fault::ApprovalRequired => {
            "API Error: 500 Internal server error"
        }
    }
}
