//! Decoding agent output to events, against serde_json into an owned tagged enum, which is the usual way (B15).

use orchestra_agents::Agent;
use serde::Deserialize;

use crate::content::Writer;
use crate::sampling::{samples, timed};
use crate::table::{Figure, Measured, Reference, Row};
use crate::{Bench, Outcome};

/// Amp's lines as one would write them down first.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(dead_code, reason = "filling the fields is what is timed")]
enum Line {
    User {
        message: Message,
        parent_tool_use_id: Option<String>,
        session_id: String,
    },
    Assistant {
        message: Message,
        parent_tool_use_id: Option<String>,
        session_id: String,
    },
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "filling the fields is what is timed")]
struct Message {
    role: String,
    content: Vec<Block>,
    usage: Option<Usage>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(dead_code, reason = "filling the fields is what is timed")]
enum Block {
    Text {
        text: String,
    },
    Thinking {
        thinking: String,
    },
    ToolUse {
        id: String,
        name: String,
        input: serde_json::Value,
    },
    ToolResult {
        tool_use_id: String,
        content: String,
        is_error: bool,
    },
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "filling the fields is what is timed")]
struct Usage {
    input_tokens: u64,
    output_tokens: u64,
    cache_read_input_tokens: u64,
    cache_creation_input_tokens: u64,
}

pub(super) fn measure(bench: &Bench) -> Outcome<Vec<Row>> {
    let output = Writer::seeded(15).agent_output(bench.plan.output_bytes);
    let amp = Agent::built_in("amp").ok_or("there is no Amp")?;
    let mut ours = || {
        let mut decoder = amp.reader();
        megabytes_per_second(&output, |line| Ok(decoder.line(line).len()))
    };
    let mut usual = || {
        megabytes_per_second(&output, |line| {
            let line = std::hint::black_box(serde_json::from_slice::<Line>(line)?);
            Ok(usize::from(matches!(
                line,
                Line::User { .. } | Line::Assistant { .. }
            )))
        })
    };
    let [ours, usual] = samples(bench.plan.repetitions, [&mut ours, &mut usual])?;
    let rate = |sample| Measured::new(Figure::MegabytesPerSecond, sample);
    let against = Reference::new("serde_json, owned tagged enum", rate(&usual));
    let what = format!(
        "agent output to events, {} MB",
        bench.plan.output_bytes / 1_000_000
    );
    Ok(vec![Row::faster("B15", what, &rate(&ours), &against, 1.0)])
}

/// Decodes every line; each must give something.
fn megabytes_per_second(
    output: &[u8],
    mut decode: impl FnMut(&[u8]) -> Outcome<usize>,
) -> Outcome<f64> {
    let (millis, ()) = timed(|| {
        let lines = output.split(|byte| *byte == b'\n');
        for line in lines.filter(|line| !line.is_empty()) {
            if std::hint::black_box(decode(line)?) == 0 {
                return Err("a line gave nothing".into());
            }
        }
        Ok(())
    })?;
    Ok(f64::from(u32::try_from(output.len())?) / 1_000.0 / millis)
}
