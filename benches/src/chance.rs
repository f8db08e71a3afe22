//! Random numbers that are good enough to shuffle and to fill files.

use crate::Outcome;

/// A SplitMix64 generator.
#[derive(Debug, Clone)]
pub(crate) struct Chance(u64);

impl Chance {
    /// Always the same numbers for the same seed.
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// Other numbers every time.
    pub(crate) fn fresh() -> Outcome<Self> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes)?;
        Ok(Self(u64::from_le_bytes(bytes)))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which is not zero.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        usize::try_from(self.next() % limit).unwrap_or(0)
    }

    /// A length around `mean`: many short ones and a few long ones, as files are.
    pub(crate) fn length(&mut self, mean: usize) -> usize {
        let unit = ((self.next() >> 11) as f64 + 1.0) / (1_u64 << 53) as f64;
        let factor = (-unit.ln()).min(20.0);
        let length = (factor * mean as f64) as usize;
        length.max(16)
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_and_a_shuffle_keeps_everything() {
        assert_eq!(Chance::seeded(7).next(), Chance::seeded(7).next());
        let mut items: Vec<u32> = (0..50).collect();
        Chance::seeded(7).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn lengths_have_their_mean() {
        let mut chance = Chance::seeded(1);
        let sum: usize = (0..10_000).map(|_| chance.length(3_000)).sum();
        assert!((2_800..3_200).contains(&(sum / 10_000)), "{sum}");
    }
}
