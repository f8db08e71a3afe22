//! What a session may use, held against what it has used: by earlier iterations, and by this one so far.

use orchestra_agents::Features;
use orchestra_core::{AgentProtocol, Budget, Cost, CostSource, Iteration, Session, Usage};
use orchestra_store::Tx;

use super::reported::add_cost;
use super::{IterationRun, Reported};
use crate::agent::ReadyAgent;
use crate::prices::Prices;
use crate::runtime::RuntimeError;
use crate::{Engine, EngineError};

/// Watches over the budget during a turn.
pub(super) struct BudgetWatch {
    budget: Budget,
    prices: Prices,
    before: Spent,
    agent: ReadyAgent,
    /// The model that a file of the agent's own tells, where its output does not.
    recorded_model: Option<String>,
}

/// What was used, as far as that is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Spent {
    cost: Option<Cost>,
    usage: Option<Usage>,
    /// Whether tokens were used of which nobody knows the price.
    has_unpriced: bool,
}

impl Spent {
    fn plus(self, cost: Option<Cost>, usage: Option<Usage>) -> Self {
        Self {
            has_unpriced: self.has_unpriced || (usage.is_some() && cost.is_none()),
            cost: add_cost(self.cost, cost),
            usage: match (self.usage, usage) {
                (Some(one), Some(other)) => Some(one.plus(other)),
                (one, other) => one.or(other),
            },
        }
    }
}

/// A budget, and what was used of it as far as that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetUse {
    /// What all iterations together may use.
    pub budget: Budget,
    /// What they cost so far.
    pub cost: Option<Cost>,
    /// The tokens they used so far.
    pub usage: Option<Usage>,
}

impl Engine {
    /// The budget of a session, and what was used of it; `None` if it has none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn budget_use(&self, session: &Session) -> Result<Option<BudgetUse>, EngineError> {
        let Some(budget) = self.budget_of(session) else {
            return Ok(None);
        };
        let Spent { cost, usage, .. } = self.spent_by(session, |_| true)?;
        Ok(Some(BudgetUse {
            budget,
            cost,
            usage,
        }))
    }

    /// Refuses a session that has used everything it may use.
    pub(crate) fn require_budget(&self, session: &Session) -> Result<(), EngineError> {
        let Some(budget) = self.budget_of(session) else {
            return Ok(());
        };
        let (id, spent) = (session.id.clone(), self.spent_by(session, |_| true)?);
        if budget.micro_usd.is_some() && spent.has_unpriced {
            return Err(RuntimeError::Uncountable {
                session: id,
                problem: "nobody knows what it has cost so far".to_owned(),
            }
            .into());
        }
        match budget.exceeded(spent.cost, spent.usage) {
            None => Ok(()),
            Some(problem) => Err(RuntimeError::BudgetSpent {
                session: id,
                problem,
            }
            .into()),
        }
    }

    /// What to tell of a session whose budget may not hold as one expects.
    pub(crate) fn budget_warnings(&self, session: &Session) -> Vec<String> {
        let late = self.late_warning(session);
        late.into_iter()
            .chain(self.uncounted_warning(session))
            .collect()
    }

    /// Some agents tell what a turn used only when it is over, and nobody can stop them before.
    fn late_warning(&self, session: &Session) -> Option<String> {
        self.budget_of(session)?;
        let agent = self.agent_named(&session.agent).ok()?;
        let is_late = matches!(agent.protocol(), AgentProtocol::Codex | AgentProtocol::Acp);
        is_late.then(|| {
            format!(
                "`{}` tells what it used when a turn is over: one turn can go beyond the budget, and only the next is refused",
                session.agent
            )
        })
    }

    /// Dollars of an agent that does not tell them, and whose price nobody has told.
    fn uncounted_warning(&self, session: &Session) -> Option<String> {
        let name = &session.agent;
        let agent = self.agent_named(name).ok()?;
        self.budget_of(session)?.micro_usd?;
        let (prices, none) = (self.prices(), Usage::default());
        let model = self.model_of(session);
        let is_priced = prices.estimate_of_agent(name, none).is_some()
            || model.is_some_and(|model| prices.estimate(&model, none).is_some());
        let tells = agent.abilities(&Features::default()).cost == Some(CostSource::Reported);
        (!is_priced && !tells).then(|| {
            format!(
                "`{name}` does not tell what it costs; if it does not tell its model either, it is stopped at its first message: \
                 a line with `{name}` in agents.price_file says what its tokens cost, and a budget in tokens always holds"
            )
        })
    }

    /// What a session has cost so far, in millionths of a dollar; `None` if nobody knows.
    pub(crate) fn cost_in(
        &self,
        tx: &Tx<'_>,
        session: &Session,
    ) -> Result<Option<u64>, EngineError> {
        let spent = self.spent_in(tx, session, |_| true)?;
        let cost = spent.cost.map_or(0, |cost| cost.micro_usd);
        Ok((!spent.has_unpriced).then_some(cost))
    }

    fn spent_by(
        &self,
        session: &Session,
        counts: impl Fn(&Iteration) -> bool,
    ) -> Result<Spent, EngineError> {
        self.store.read(|tx| self.spent_in(tx, session, counts))
    }

    fn spent_in(
        &self,
        tx: &Tx<'_>,
        session: &Session,
        counts: impl Fn(&Iteration) -> bool,
    ) -> Result<Spent, EngineError> {
        let iterations = tx.iterations(&session.id)?;
        let counted = iterations.iter().filter(|iteration| counts(iteration));
        let prices = self.prices();
        let cost = |iteration: &Iteration| {
            let by_agent = || prices.estimate_of_agent(&session.agent, iteration.usage?);
            iteration.cost.or_else(by_agent)
        };
        Ok(counted.fold(Spent::default(), |sum, iteration| {
            sum.plus(cost(iteration), iteration.usage)
        }))
    }
}

impl IterationRun<'_> {
    /// A watch over the session's budget, if it has one.
    pub(super) fn watch_budget(
        &self,
        agent: &ReadyAgent,
    ) -> Result<Option<BudgetWatch>, EngineError> {
        let Some(budget) = self.engine.budget_of(&self.session) else {
            return Ok(None);
        };
        let number = self.iteration.number;
        let before = |iteration: &Iteration| iteration.number < number;
        Ok(Some(BudgetWatch {
            budget,
            prices: self.engine.prices(),
            before: self.engine.spent_by(&self.session, before)?,
            agent: agent.clone(),
            recorded_model: None,
        }))
    }
}

impl BudgetWatch {
    /// Why the agent has to end, in words: it has used more than it may, or nobody can say whether it has.
    pub(super) fn exceeded(&mut self, reported: &Reported) -> Option<String> {
        let usage = reported.usage?;
        let cost = self.cost(reported, usage);
        if self.budget.micro_usd.is_some() && cost.is_none() {
            return Some(format!(
                "nobody knows what {} costs, so a budget in dollars cannot be held",
                reported.model.as_deref().unwrap_or("its model")
            ));
        }
        let spent = self.before.plus(cost, Some(usage));
        self.budget.exceeded(spent.cost, spent.usage)
    }

    fn cost(&mut self, reported: &Reported, usage: Usage) -> Option<Cost> {
        let told = reported.cost_so_far(&self.prices);
        told.or_else(|| {
            let model = self.find_model(reported);
            model.and_then(|model| self.prices.estimate(&model, usage))
        })
        .or_else(|| {
            self.prices
                .estimate_of_agent(self.agent.agent.name(), usage)
        })
    }

    fn find_model(&mut self, reported: &Reported) -> Option<String> {
        if self.recorded_model.is_none() && reported.model.is_none() {
            let thread = reported.thread.as_deref()?;
            self.recorded_model = self.agent.recorded_model(thread);
        }
        self.recorded_model.clone()
    }
}
