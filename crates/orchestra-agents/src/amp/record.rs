//! What Amp keeps of a conversation on this machine, as far as it tells the model.

use serde::Deserialize;

#[derive(Deserialize)]
struct Record {
    #[serde(default)]
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    model: Option<String>,
}

/// The model of the last answer.
pub(super) fn model(record: &[u8]) -> Option<String> {
    let record: Record = serde_json::from_slice(record).ok()?;
    let models = record.messages.into_iter().rev();
    models
        .filter_map(|message| message.usage?.model)
        .find(|model| !model.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_of_the_last_answer_counts() {
        let record = br#"{"id":"T-1","messages":[
            {"role":"assistant","usage":{"model":"model-a","inputTokens":1}},
            {"role":"assistant","usage":{"model":"model-b"}},
            {"role":"user"},
            {"role":"assistant","usage":{"model":null}}]}"#;
        assert_eq!(model(record).as_deref(), Some("model-b"));
        for other in [
            &b"{}"[..],
            b"[]",
            b"\xff",
            br#"{"messages":[{"usage":{}}]}"#,
        ] {
            assert_eq!(model(other), None);
        }
    }
}
