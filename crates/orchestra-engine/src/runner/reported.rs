//! What an agent reported about its turn: the conversation, the model, the tokens and what they cost.

use orchestra_core::usage::CostSource;
use orchestra_core::{AgentEvent, Cost, Iteration, IterationNumber, Session, Usage};

use super::IterationRun;
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
        let earlier = self.earlier_on_thread(session, iteration)?.into_iter();
        let used = earlier.filter_map(|earlier| earlier.usage);
        let before = used.fold(Usage::default(), Usage::plus);
        Ok(Counting::Thread { before })
    }

    /// The iterations before this one that belong to the conversation that it continues.
    fn earlier_on_thread(
        &self,
        session: &Session,
        iteration: IterationNumber,
    ) -> Result<Vec<Iteration>, EngineError> {
        let mut iterations = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.iterations(&session.id)?))?;
        iterations.retain(|earlier| {
            earlier.number < iteration
                && earlier.thread.is_some()
                && earlier.thread == session.thread
        });
        Ok(iterations)
    }
}

impl IterationRun<'_> {
    /// What the conversation has cost so far. An attempt that the provider refused counts too.
    pub(super) fn spent_before(&self) -> Result<Option<u64>, EngineError> {
        let (session, number) = (&self.session, self.iteration.number);
        let earlier = self.engine.earlier_on_thread(session, number)?;
        let earlier = earlier.into_iter().filter_map(|earlier| earlier.cost);
        Ok(told(earlier.chain(self.attempts.reported.cost)))
    }
}

/// The sum of what the agent told, in millionths of a dollar; `None` if a part is only an estimate.
fn told(costs: impl IntoIterator<Item = Cost>) -> Option<u64> {
    costs
        .into_iter()
        .try_fold(0_u64, |sum, cost| match cost.source {
            CostSource::Reported => Some(sum.saturating_add(cost.micro_usd)),
            CostSource::Estimated => None,
        })
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
        iteration.cost = self.cost_so_far(prices);
    }

    /// What it has cost so far: as the agent told, else as the model's tokens cost.
    pub(crate) fn cost_so_far(&self, prices: &Prices) -> Option<Cost> {
        self.cost.or_else(|| {
            let model = self.model.as_deref()?;
            prices.estimate(model, self.usage?)
        })
    }
}

/// Two costs together; one that is not known adds nothing.
pub(super) fn add_cost(sum: Option<Cost>, more: Option<Cost>) -> Option<Cost> {
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

    #[test]
    fn an_estimate_is_no_part_of_what_was_told() {
        let cost = |micro_usd, source| Cost { micro_usd, source };
        let (seven, eight) = (cost(7, CostSource::Reported), cost(8, CostSource::Reported));
        assert_eq!(told([]), Some(0));
        assert_eq!(told([seven, eight]), Some(15));
        assert_eq!(told([seven, cost(1, CostSource::Estimated)]), None);
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
