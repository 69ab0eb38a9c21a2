//! How two numbers of one counter become one: of two stacks, two threads, two processes.

/// Most counters add up. The largest block of two stacks is that of the one or of the other, and
/// never the sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Merge {
    Sum,
    Max,
}

impl Merge {
    /// Sums beyond 64 bits stay at the highest.
    pub fn join(self, one: u64, other: u64) -> u64 {
        match self {
            Merge::Sum => one.saturating_add(other),
            Merge::Max => one.max(other),
        }
    }

    /// Joins one more number to what others came to.
    pub fn include(self, into: &mut u64, more: u64) {
        *into = self.join(*into, more);
    }

    /// Zero of no number at all.
    pub fn all(self, values: impl IntoIterator<Item = u64>) -> u64 {
        let values = values.into_iter();
        values.fold(0, |one, other| self.join(one, other))
    }
}

#[cfg(test)]
mod tests {
    use super::Merge;

    #[test]
    fn sums_add_and_maxima_do_not() {
        assert_eq!(Merge::Sum.all([3, 40, 5]), 48);
        assert_eq!(Merge::Max.all([3, 40, 5]), 40);
        assert_eq!(Merge::Sum.all([u64::MAX, 1]), u64::MAX);
        assert_eq!([Merge::Sum, Merge::Max].map(|it| it.all([])), [0, 0]);
        let mut largest = 7;
        Merge::Max.include(&mut largest, 6);
        assert_eq!(largest, 7);
    }
}
