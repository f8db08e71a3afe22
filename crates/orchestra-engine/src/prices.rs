//! What tokens cost: the user's own prices, then those that ship with the product.

use std::path::Path;

use orchestra_core::{Cost, PriceTable, Usage};

use crate::Engine;

/// A larger file is no table of prices.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// The prices that count.
#[derive(Debug, Default)]
pub(crate) struct Prices {
    own: PriceTable,
}

impl Prices {
    /// What a model's tokens come to, if its price is known.
    pub(crate) fn estimate(&self, model: &str, usage: Usage) -> Option<Cost> {
        let own = self.own.estimate(model, usage);
        own.or_else(|| PriceTable::shipped().estimate(model, usage))
    }

    /// What tokens come to by the price that the user gave an agent as a whole, whatever model it uses.
    pub(crate) fn estimate_of_agent(&self, agent: &str, usage: Usage) -> Option<Cost> {
        self.own.estimate(agent, usage)
    }
}

impl Engine {
    /// The prices that count now. A file of the user's that cannot be read is told in the log, and the others count.
    pub(crate) fn prices(&self) -> Prices {
        let Some(path) = &self.config().agents.price_file else {
            return Prices::default();
        };
        let text = match read(path) {
            Ok(text) => text,
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "cannot read the prices");
                return Prices::default();
            }
        };
        // Lines that are no prices are told where settings are.
        let (own, _) = PriceTable::parse(&text);
        Prices { own }
    }
}

/// The lines of a file that are no prices, counted from 1.
pub(crate) fn strange_lines(path: &Path) -> Vec<usize> {
    read(path).map_or_else(|_| Vec::new(), |text| PriceTable::parse(&text).1)
}

fn read(path: &Path) -> std::io::Result<String> {
    let facts = std::fs::metadata(path)?;
    if !facts.is_file() || facts.len() > MOST_BYTES {
        return Err(std::io::ErrorKind::InvalidInput.into());
    }
    let bytes = std::fs::read(path)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
