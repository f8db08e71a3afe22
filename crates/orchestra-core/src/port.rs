//! Ports: blocks of them are leased to sessions, so that no two sessions meet on one.

use std::fmt;
use std::str::FromStr;

use crate::{SessionId, Timestamp};

/// The lowest port that needs no privilege.
const LOWEST: u16 = 1024;

/// A block of ports that a session has for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortLease {
    /// Whose they are.
    pub session: SessionId,
    /// What the repository's settings call the block.
    pub name: String,
    /// The first port.
    pub first: u16,
    /// How many there are.
    pub count: u16,
    /// Since when.
    pub leased_at: Timestamp,
}

/// The ports that may be leased, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortRange {
    first: u16,
    last: u16,
}

/// Why a range is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a range of ports such as 20000-29999, from {LOWEST} on")]
pub struct InvalidPortRange(String);

impl PortLease {
    /// The ports, in order.
    pub fn ports(&self) -> impl Iterator<Item = u16> + use<> {
        let first = self.first;
        (0..self.count).map(move |offset| first.saturating_add(offset))
    }
}

impl PortRange {
    /// How many ports it has.
    #[must_use]
    pub fn size(self) -> u32 {
        u32::from(self.last - self.first) + 1
    }

    /// The first port of a block in which all are free, looked for from a place on and once around.
    pub fn find_block(
        self,
        count: u16,
        from: u32,
        mut is_free: impl FnMut(u16) -> bool,
    ) -> Option<u16> {
        let starts = self.size().checked_sub(u32::from(count))? + 1;
        let mut tried = 0;
        while tried < starts {
            let place = (from + tried) % starts;
            let start = self.port(place);
            match (0..count).rev().find(|offset| !is_free(start + offset)) {
                None => return Some(start),
                // Every start up to the one behind the taken port would meet it again.
                Some(taken) => tried += (u32::from(taken) + 1).min(starts - place),
            }
        }
        None
    }

    fn port(self, offset: u32) -> u16 {
        let offset = u16::try_from(offset).unwrap_or(u16::MAX);
        self.first.saturating_add(offset)
    }
}

impl FromStr for PortRange {
    type Err = InvalidPortRange;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = text.split_once('-').and_then(|(first, last)| {
            let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            (LOWEST <= first && first <= last).then_some(Self { first, last })
        });
        parsed.ok_or_else(|| InvalidPortRange(text.to_owned()))
    }
}

impl fmt::Display for PortRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}", self.first, self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> PortRange {
        text.parse().unwrap()
    }

    #[test]
    fn ranges_are_read_or_refused() {
        assert_eq!(range("20000-29999").size(), 10_000);
        assert_eq!(range("1024 - 1024").to_string(), "1024-1024");
        for bad in ["", "80-90", "2000", "3000-2000", "2000-70000", "a-b"] {
            assert!(bad.parse::<PortRange>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_block_is_looked_for_once_around() {
        let all = range("3000-3009");
        assert_eq!(all.find_block(3, 0, |_| true), Some(3000));
        assert_eq!(all.find_block(3, 6, |_| true), Some(3006));
        assert_eq!(all.find_block(3, 0, |port| port != 3001), Some(3002));
        assert_eq!(all.find_block(3, 6, |port| port < 3006), Some(3000));
        assert_eq!(all.find_block(10, 5, |_| true), Some(3000));
        assert_eq!(all.find_block(11, 0, |_| true), None);
        assert_eq!(all.find_block(1, 3, |_| false), None);
        assert_eq!(all.find_block(2, 0, |port| port % 2 == 0), None);
    }

    #[test]
    fn a_block_is_found_wherever_it_is() {
        let all = range("3000-3009");
        for from in 0..20 {
            for place in 3000..3008 {
                let found = all.find_block(3, from, |port| (place..place + 3).contains(&port));
                assert_eq!(found, Some(place), "from {from}");
            }
        }
    }
}
