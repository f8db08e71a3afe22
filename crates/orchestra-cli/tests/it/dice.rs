//! Chance that is the same in every run.

/// Numbers that look like chance.
#[derive(Debug, Clone)]
pub(crate) struct Dice {
    state: u64,
}

impl Dice {
    /// Other seeds give other numbers.
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            state: 0x9e37_79b9_7f4a_7c15 ^ seed,
        }
    }

    /// The next number, below a limit.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state % limit.max(1) as u64) as usize
    }

    /// One of several.
    pub(crate) fn one_of<T: Copy>(&mut self, several: &[T]) -> T {
        several[self.below(several.len())]
    }
}
