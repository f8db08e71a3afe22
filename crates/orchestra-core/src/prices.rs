//! What tokens cost, by model. A model that is not in the table costs nobody knows what, never nothing.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::usage::{Cost, CostSource, Usage};

/// The table that ships with the product; `cargo xtask prices` makes it.
const SHIPPED: &str = include_str!("../data/prices.tsv");

static SHIPPED_TABLE: LazyLock<PriceTable> = LazyLock::new(|| PriceTable::parse(SHIPPED).0);

/// Prices of models.
#[derive(Debug, Clone, Default)]
pub struct PriceTable {
    prices: HashMap<String, Price>,
}

/// What one token of each kind costs, in billionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Price {
    input: u64,
    output: u64,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
}

impl PriceTable {
    /// The table that ships with the product.
    #[must_use]
    pub fn shipped() -> &'static Self {
        &SHIPPED_TABLE
    }

    /// Reads lines of a model and its prices in dollars per million tokens, apart by tabs or spaces: input, output, cache read,
    /// cache write; `-` where there is none. Answers the numbers of lines that are not of that kind, too.
    #[must_use]
    pub fn parse(text: &str) -> (Self, Vec<usize>) {
        let mut table = Self::default();
        let mut unreadable = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match row(line) {
                Some((model, price)) => {
                    table.prices.insert(model.to_lowercase(), price);
                }
                None => unreadable.push(index + 1),
            }
        }
        (table, unreadable)
    }

    /// What a model's tokens come to. `None` if its price is not known.
    #[must_use]
    pub fn estimate(&self, model: &str, usage: Usage) -> Option<Cost> {
        let price = self.find(model)?;
        let parts = [
            (usage.input_tokens, price.input),
            (usage.output_tokens, price.output),
            // Without a price of its own, it is input like any other.
            (
                usage.cache_read_tokens,
                price.cache_read.unwrap_or(price.input),
            ),
            (
                usage.cache_write_tokens,
                price.cache_write.unwrap_or(price.input),
            ),
        ];
        let nanos = parts.into_iter().fold(0_u64, |sum, (tokens, each)| {
            sum.saturating_add(tokens.saturating_mul(each))
        });
        Some(Cost {
            micro_usd: nanos.saturating_add(500) / 1_000,
            source: CostSource::Estimated,
        })
    }

    /// By the whole name, without the provider before it, or without the date after it.
    fn find(&self, model: &str) -> Option<Price> {
        let model = model.to_lowercase();
        let bare = model.rsplit('/').next().unwrap_or(&model);
        let candidates = [model.as_str(), bare, without_date(bare)];
        candidates
            .iter()
            .find_map(|name| self.prices.get(*name))
            .copied()
    }
}

fn row(line: &str) -> Option<(&str, Price)> {
    let mut words = line.split_whitespace();
    let model = words.next()?;
    let prices: Vec<Option<u64>> = words.map(nanos).collect::<Option<_>>()?;
    let [input, output, cache_read, cache_write] = prices[..] else {
        return None;
    };
    let price = Price {
        input: input?,
        output: output?,
        cache_read,
        cache_write,
    };
    Some((model, price))
}

/// Dollars per million tokens, as billionths of a dollar per token. `-` is no price.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to fit"
)]
fn nanos(word: &str) -> Option<Option<u64>> {
    const MOST: f64 = 1_000_000.0;
    if word == "-" {
        return Some(None);
    }
    let dollars: f64 = word.parse().ok()?;
    let fits = (0.0..=MOST).contains(&dollars);
    fits.then(|| Some((dollars * 1_000.0).round() as u64))
}

/// `claude-opus-4-5-20251101` and `gpt-5-2025-08-07` are other names of `claude-opus-4-5` and `gpt-5`.
fn without_date(model: &str) -> &str {
    let is_date = |end: &str| {
        let digits = end.bytes().filter(u8::is_ascii_digit).count();
        digits == 8
            && end
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'-')
    };
    let ends = model.match_indices(['-', '@']);
    let cut = ends.map(|(at, _)| at).find(|at| is_date(&model[at + 1..]));
    cut.map_or(model, |at| &model[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    const USAGE: Usage = Usage {
        input_tokens: 1_000,
        output_tokens: 200,
        cache_read_tokens: 10_000,
        cache_write_tokens: 400,
    };

    fn table() -> PriceTable {
        let (table, unreadable) = PriceTable::parse(
            "# dollars\nmodel-a\t3\t15\t0.3\t3.75\n\nmodel-b 1 2 - -\nrubbish\nmodel-c 1 x - -\nmodel-d -1 2 - -\n",
        );
        assert_eq!(unreadable, [5, 6, 7]);
        table
    }

    #[test]
    fn every_kind_of_token_has_its_price() {
        let cost = table().estimate("model-a", USAGE).unwrap();
        assert_eq!(cost.source, CostSource::Estimated);
        assert_eq!(cost.micro_usd, 3_000 + 3_000 + 3_000 + 1_500);
        let plain = table().estimate("model-b", USAGE).unwrap();
        assert_eq!(plain.micro_usd, 1_000 + 400 + 10_000 + 400);
    }

    #[test]
    fn a_model_goes_by_several_names() {
        let table = table();
        for name in [
            "anthropic/Model-A",
            "model-a-20251101",
            "model-a@20251101",
            "model-a-2025-11-01",
        ] {
            assert!(table.estimate(name, USAGE).is_some(), "{name}");
        }
        for name in ["model", "model-a-2", "smart", ""] {
            assert_eq!(table.estimate(name, USAGE), None, "{name}");
        }
    }

    #[test]
    fn a_nonsense_number_of_tokens_is_no_overflow() {
        let usage = Usage {
            input_tokens: u64::MAX,
            ..USAGE
        };
        assert!(table().estimate("model-a", usage).is_some());
    }

    #[test]
    fn the_table_that_ships_can_be_read() {
        let (table, unreadable) = PriceTable::parse(SHIPPED);
        assert!(unreadable.is_empty(), "{unreadable:?}");
        assert!(table.prices.len() > 100);
        assert!(
            PriceTable::shipped()
                .estimate("claude-opus-4-5", USAGE)
                .is_some()
        );
    }
}
