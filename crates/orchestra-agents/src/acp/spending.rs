//! What a turn cost. Agents tell the cost of the whole conversation, and the tokens of the turn with its answer.

use orchestra_core::usage::CostSource;
use orchestra_core::{AgentEvent, Cost, Usage};

use super::wire::TokenCounts;

/// The cost of the conversation, before the turn and now, in millionths of a dollar.
#[derive(Debug, Default)]
pub(super) struct Spending {
    before: Option<u64>,
    now: Option<u64>,
}

impl Spending {
    /// A conversation that begins has cost nothing.
    pub(super) fn begin(&mut self) {
        self.before = Some(0);
    }

    /// What the conversation had cost before this turn.
    pub(super) fn learn_before(&mut self, micro_usd: Option<u64>) {
        self.before = micro_usd.or(self.before);
    }

    pub(super) fn learn(&mut self, micro_usd: Option<u64>) {
        self.now = micro_usd.or(self.now);
    }

    /// What the turn used, as far as it is known. A cost without a beginning is not, nor one that shrank.
    pub(super) fn of_turn(&self, tokens: Option<&TokenCounts>) -> Option<AgentEvent> {
        let cost = self.now.zip(self.before).and_then(|(now, before)| {
            Some(Cost {
                micro_usd: now.checked_sub(before)?,
                source: CostSource::Reported,
            })
        });
        let usage = tokens.map(usage);
        (cost.is_some() || usage.is_some()).then(|| AgentEvent::Usage {
            usage: usage.unwrap_or_default(),
            cost,
        })
    }
}

fn usage(tokens: &TokenCounts) -> Usage {
    let read = tokens.cached_read_tokens.unwrap_or(0);
    let written = tokens.cached_write_tokens.unwrap_or(0);
    let thought = tokens.thought_tokens.unwrap_or(0);
    let all = [tokens.input_tokens, tokens.output_tokens, read, written];
    let all = all.into_iter().fold(thought, u64::saturating_add);
    // Some agents count thoughts as output already; the sum tells.
    let thought = if tokens.total_tokens >= all {
        thought
    } else {
        0
    };
    Usage {
        input_tokens: tokens.input_tokens,
        output_tokens: tokens.output_tokens.saturating_add(thought),
        cache_read_tokens: read,
        cache_write_tokens: written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(spending: &Spending) -> Option<u64> {
        match spending.of_turn(None) {
            Some(AgentEvent::Usage { cost, .. }) => cost.map(|cost| cost.micro_usd),
            _ => None,
        }
    }

    #[test]
    fn the_cost_of_a_turn_is_what_the_conversation_cost_more() {
        let mut first = Spending::default();
        first.begin();
        first.learn(Some(30));
        first.learn(None);
        assert_eq!(cost(&first), Some(30));
        let mut later = Spending::default();
        later.learn(Some(50));
        assert_eq!(cost(&later), None, "nobody knows what it was before");
        later.learn_before(Some(30));
        assert_eq!(cost(&later), Some(20));
        later.learn_before(Some(60));
        assert_eq!(cost(&later), None, "the agent began to count anew");
    }

    #[test]
    fn thoughts_are_counted_once() {
        let tokens = |total_tokens| TokenCounts {
            total_tokens,
            input_tokens: 10,
            output_tokens: 5,
            thought_tokens: Some(3),
            cached_read_tokens: Some(100),
            cached_write_tokens: None,
        };
        assert_eq!(usage(&tokens(118)).output_tokens, 8);
        assert_eq!(usage(&tokens(115)).output_tokens, 5);
        assert_eq!(usage(&tokens(115)).total(), 115);
    }
}
