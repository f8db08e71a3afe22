//! What an agent reported about its turn: the conversation, the model, the tokens and what they cost.

use orchestra_core::{AgentEvent, Cost, Iteration, IterationNumber, Session, Usage};

use crate::prices::Prices;
use crate::{Engine, EngineError};

/// What is known so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reported {
    pub(crate) thread: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) usage: Option<Usage>,
    pub(crate) cost: Option<Cost>,
    pub(crate) counting: Counting,
}

/// What the tokens that an agent tells are those of.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Counting {
    /// One message each.
    #[default]
    Messages,
    /// The whole thread.
    Thread {
        /// What earlier turns of the thread used.
        before: Usage,
    },
}

impl Engine {
    /// How the tokens of an iteration are counted. A turn that was cut off told none, so the next one has to answer for it.
    pub(crate) fn counting(
        &self,
        session: &Session,
        iteration: IterationNumber,
    ) -> Result<Counting, EngineError> {
        if !self.agent_named(&session.agent)?.counts_whole_thread() {
            return Ok(Counting::Messages);
        }
        let iterations = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.iterations(&session.id)?))?;
        let earlier = iterations.into_iter().filter(|earlier| {
            earlier.number < iteration
                && earlier.thread.is_some()
                && earlier.thread == session.thread
        });
        let used = earlier.filter_map(|earlier| earlier.usage);
        let before = used.fold(Usage::default(), Usage::plus);
        Ok(Counting::Thread { before })
    }
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
                    self.usage = Some(match self.counting {
                        Counting::Messages => self.usage.unwrap_or_default().plus(*usage),
                        Counting::Thread { before } => usage.beyond(before),
                    });
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

    fn tokens(input_tokens: u64) -> Usage {
        Usage {
            input_tokens,
            ..Usage::default()
        }
    }

    #[test]
    fn tokens_of_a_whole_thread_are_not_counted_again() {
        let told = |counting, counts: &[u64]| {
            let mut reported = Reported {
                counting,
                ..Reported::default()
            };
            for count in counts {
                let usage = tokens(*count);
                reported.learn(&AgentEvent::Usage { usage, cost: None });
            }
            reported.usage.map(|usage| usage.input_tokens)
        };
        assert_eq!(told(Counting::Messages, &[5, 7]), Some(12));
        let before = tokens(100);
        assert_eq!(told(Counting::Thread { before }, &[130, 150]), Some(50));
        assert_eq!(told(Counting::Thread { before }, &[]), None);
    }
}
