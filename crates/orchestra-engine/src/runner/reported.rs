//! What an agent reported about its turn: the conversation, the model, the tokens and what they cost.

use orchestra_core::{AgentEvent, Cost, Iteration, Usage};

use crate::prices::Prices;

/// What is known so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reported {
    pub(crate) thread: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) usage: Option<Usage>,
    pub(crate) cost: Option<Cost>,
}

impl Reported {
    /// Takes in one event.
    pub(crate) fn learn(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::Started { thread, model, .. } => {
                self.thread = thread.clone().or(self.thread.take());
                self.model = model.clone().or(self.model.take());
            }
            AgentEvent::Usage { usage, cost } => {
                // An agent may tell a cost without tokens: those stay unknown.
                if *usage != Usage::default() {
                    self.usage = Some(self.usage.unwrap_or_default().plus(*usage));
                }
                self.cost = add_cost(self.cost, *cost);
            }
            _ => {}
        }
    }

    /// Writes it into the iteration. A cost that nobody told is estimated from what the model's tokens cost, if that is known.
    pub(crate) fn fill_in(&self, iteration: &mut Iteration, prices: &Prices) {
        iteration.thread.clone_from(&self.thread);
        iteration.model.clone_from(&self.model);
        iteration.usage = self.usage;
        iteration.cost = self.cost.or_else(|| {
            let model = self.model.as_deref()?;
            prices.estimate(model, self.usage?)
        });
    }
}

fn add_cost(sum: Option<Cost>, more: Option<Cost>) -> Option<Cost> {
    match (sum, more) {
        (Some(sum), Some(more)) => Some(Cost {
            micro_usd: sum.micro_usd.saturating_add(more.micro_usd),
            ..sum
        }),
        (sum, more) => sum.or(more),
    }
}

#[cfg(test)]
mod tests {
    use orchestra_core::usage::CostSource;

    use super::*;

    #[test]
    fn a_cost_alone_tells_nothing_of_tokens() {
        let mut reported = Reported::default();
        let cost = Some(Cost {
            micro_usd: 7,
            source: CostSource::Reported,
        });
        reported.learn(&AgentEvent::Usage {
            usage: Usage::default(),
            cost,
        });
        assert_eq!((reported.usage, reported.cost), (None, cost));
    }
}
