//! How much an agent may use: money, tokens, or both.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::text_schema::text_schema;
use crate::{Cost, Usage};

const MICRO_PER_DOLLAR: u64 = 1_000_000;
const DECIMALS: usize = 6;

/// What may be used; written `$2.50`, `500000tokens`, or both with a comma between.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Budget {
    /// Millionths of a US dollar.
    pub micro_usd: Option<u64>,
    /// Tokens of every kind.
    pub tokens: Option<u64>,
}

text_schema!(Budget);

impl Budget {
    /// What was used beyond it, in words; `None` while it holds. What is not known cannot be held against it.
    #[must_use]
    pub fn exceeded(&self, cost: Option<Cost>, usage: Option<Usage>) -> Option<String> {
        let money = self.micro_usd.zip(cost.map(|cost| cost.micro_usd));
        if let Some((most, spent)) = money.filter(|(most, spent)| spent >= most) {
            return Some(format!(
                "it has cost {}, and {} were allowed",
                dollars(spent),
                dollars(most)
            ));
        }
        let tokens = self.tokens.zip(usage.map(Usage::total));
        let (most, used) = tokens.filter(|(most, used)| used >= most)?;
        Some(format!(
            "it has used {used} tokens, and {most} were allowed"
        ))
    }
}

/// Millionths of a dollar as dollars, with as many decimals as are needed, at least two.
#[must_use]
pub fn dollars(micro: u64) -> String {
    let (whole, rest) = (micro / MICRO_PER_DOLLAR, micro % MICRO_PER_DOLLAR);
    let rest = format!("{rest:0DECIMALS$}");
    let needed = rest.trim_end_matches('0').len().max(2);
    format!("${whole}.{}", rest.get(..needed).unwrap_or(&rest))
}

impl fmt::Display for Budget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let money = self.micro_usd.map(dollars);
        let tokens = self.tokens.map(|tokens| format!("{tokens}tokens"));
        let parts: Vec<String> = [money, tokens].into_iter().flatten().collect();
        formatter.write_str(&parts.join(","))
    }
}

impl From<Budget> for String {
    fn from(budget: Budget) -> Self {
        budget.to_string()
    }
}

impl TryFrom<String> for Budget {
    type Error = InvalidBudget;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// A text that is no budget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no budget; write `2.50` or `$2.50` for dollars, `500000tokens`, or both with a comma between"
)]
pub struct InvalidBudget(String);

impl FromStr for Budget {
    type Err = InvalidBudget;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidBudget(text.to_owned());
        let mut budget = Self::default();
        for part in text.split(',').map(str::trim) {
            let (slot, amount) = match tokens(part) {
                Some(tokens) => (&mut budget.tokens, Some(tokens)),
                None => (&mut budget.micro_usd, money(part)),
            };
            let amount = amount.filter(|amount| *amount > 0).ok_or_else(invalid)?;
            if slot.replace(amount).is_some() {
                return Err(invalid());
            }
        }
        Ok(budget)
    }
}

fn tokens(part: &str) -> Option<u64> {
    let number = part.strip_suffix("tokens")?.trim_end();
    let (number, times) = match (number.strip_suffix('k'), number.strip_suffix('M')) {
        (Some(thousands), _) => (thousands, 1_000),
        (_, Some(millions)) => (millions, 1_000_000),
        (None, None) => (number, 1),
    };
    number.parse::<u64>().ok()?.checked_mul(times)
}

fn money(part: &str) -> Option<u64> {
    let number = part.strip_prefix('$').unwrap_or(part);
    let number = number.strip_suffix("usd").unwrap_or(number).trim();
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    if !is_number(whole) || !is_number(decimals) || decimals.len() > DECIMALS {
        return None;
    }
    let fraction: u64 = format!("{decimals:0<DECIMALS$}").parse().ok()?;
    let whole: u64 = whole.parse().ok()?;
    whole.checked_mul(MICRO_PER_DOLLAR)?.checked_add(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CostSource;

    fn budget(text: &str) -> Budget {
        text.parse().unwrap()
    }

    #[test]
    fn money_and_tokens_are_read_and_written_back() {
        let table = [
            ("2.50", "$2.50"),
            ("$0.01", "$0.01"),
            ("3usd", "$3.00"),
            ("0.000001", "$0.000001"),
            ("500000tokens", "500000tokens"),
            ("200k tokens", "200000tokens"),
            ("2Mtokens, $5", "$5.00,2000000tokens"),
        ];
        for (text, shown) in table {
            assert_eq!(budget(text).to_string(), shown);
            assert_eq!(budget(shown), budget(text));
        }
    }

    #[test]
    fn rubbish_is_refused() {
        for text in [
            "",
            "0",
            "$0",
            "-1",
            "1.",
            ".5",
            "1.2345678",
            "many",
            "1,2",
            "1tokens,2tokens",
            "99999999999999999999",
            "1e3",
            "0tokens",
            "tokens",
        ] {
            assert!(text.parse::<Budget>().is_err(), "{text}");
        }
    }

    #[test]
    fn only_what_is_known_is_held_against_it() {
        let cost = |micro_usd| {
            Some(Cost {
                micro_usd,
                source: CostSource::Estimated,
            })
        };
        let usage = |output_tokens| {
            Some(Usage {
                output_tokens,
                ..Usage::default()
            })
        };
        let both = budget("$0.01,100tokens");
        assert_eq!(both.exceeded(None, None), None);
        assert_eq!(both.exceeded(cost(9_999), usage(99)), None);
        let money = both.exceeded(cost(10_000), None).unwrap();
        assert_eq!(money, "it has cost $0.01, and $0.01 were allowed");
        let tokens = both.exceeded(None, usage(120)).unwrap();
        assert_eq!(tokens, "it has used 120 tokens, and 100 were allowed");
    }
}
