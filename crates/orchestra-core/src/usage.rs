//! Tokens and money of an agent run.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Tokens an agent reported. Amp reports them per message, so they are summed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct Usage {
    /// Tokens sent to the model that no cache served.
    pub input_tokens: u64,
    /// Tokens the model wrote.
    pub output_tokens: u64,
    /// Tokens served from the provider's prompt cache.
    pub cache_read_tokens: u64,
    /// Tokens written to the provider's prompt cache.
    pub cache_write_tokens: u64,
}

impl Usage {
    /// Adds what another message used. Saturates: a nonsense number from an agent must not end a run.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cache_read_tokens: self
                .cache_read_tokens
                .saturating_add(other.cache_read_tokens),
            cache_write_tokens: self
                .cache_write_tokens
                .saturating_add(other.cache_write_tokens),
        }
    }

    /// What is left of this when another part of it is taken away; never less than nothing.
    #[must_use]
    pub const fn beyond(self, known: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_sub(known.input_tokens),
            output_tokens: self.output_tokens.saturating_sub(known.output_tokens),
            cache_read_tokens: self
                .cache_read_tokens
                .saturating_sub(known.cache_read_tokens),
            cache_write_tokens: self
                .cache_write_tokens
                .saturating_sub(known.cache_write_tokens),
        }
    }

    /// All tokens together.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.input_tokens
            .saturating_add(self.output_tokens)
            .saturating_add(self.cache_read_tokens)
            .saturating_add(self.cache_write_tokens)
    }
}

/// Money spent, in millionths of a dollar, and where the number comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct Cost {
    /// Millionths of a US dollar.
    pub micro_usd: u64,
    /// Who said so.
    pub source: CostSource,
}

impl Cost {
    /// A cost that an agent told in dollars. A number that cannot be money is not known.
    #[must_use]
    pub fn reported(dollars: f64) -> Option<Self> {
        let micro_usd = (dollars * 1e6).round();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range was checked"
        )]
        (0.0..1e15).contains(&micro_usd).then_some(Self {
            micro_usd: micro_usd as u64,
            source: CostSource::Reported,
        })
    }
}

/// Where a cost comes from. A cost nobody knows is absent, never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostSource {
    /// The agent reported it.
    Reported,
    /// Computed from tokens and a price table.
    Estimated,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_money_is_a_cost() {
        let micro = |dollars| Cost::reported(dollars).map(|cost| cost.micro_usd);
        assert_eq!(micro(0.045), Some(45_000));
        assert_eq!(micro(0.0), Some(0));
        for nonsense in [-1.0, 1e300, f64::INFINITY, f64::NAN] {
            assert_eq!(micro(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn usage_adds_up_and_saturates() {
        let one = Usage {
            input_tokens: 1,
            output_tokens: 2,
            cache_read_tokens: 3,
            cache_write_tokens: 4,
        };
        assert_eq!(one.plus(one).total(), 20);
        let huge = Usage {
            input_tokens: u64::MAX,
            ..Usage::default()
        };
        assert_eq!(huge.plus(one).input_tokens, u64::MAX);
        assert_eq!(huge.plus(one).total(), u64::MAX);
        assert_eq!(one.plus(one).beyond(one), one);
        assert_eq!(one.beyond(huge).input_tokens, 0);
    }
}
