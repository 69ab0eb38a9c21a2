//! What became of a number: how much it changed, and what share of all change that is.

/// A number before and after.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pair {
    pub before: i64,
    pub after: i64,
}

impl Pair {
    pub fn new(before: i64, after: i64) -> Pair {
        Pair { before, after }
    }

    pub(crate) fn add(&mut self, more: Pair) {
        self.before = self.before.saturating_add(more.before);
        self.after = self.after.saturating_add(more.after);
    }

    pub fn delta(self) -> i128 {
        i128::from(self.after) - i128::from(self.before)
    }
}

/// Runs of different length are compared by what one event did: numbers are divided
/// by these. Who is larger is still decided without rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    before_events: u64,
    after_events: u64,
}

impl Scale {
    /// Numbers as they are.
    pub const ABSOLUTE: Scale = Scale {
        before_events: 1,
        after_events: 1,
    };

    /// `None` where a side has no events.
    pub fn per_event(before_events: u64, after_events: u64) -> Option<Scale> {
        (before_events > 0 && after_events > 0).then_some(Scale {
            before_events,
            after_events,
        })
    }

    /// The change, times the events of both sides: a whole number.
    pub fn weigh(self, pair: Pair) -> i128 {
        let times = |value: i64, events: u64| i128::from(value).saturating_mul(i128::from(events));
        times(pair.after, self.before_events).saturating_sub(times(pair.before, self.after_events))
    }

    pub fn before(self, pair: Pair) -> f64 {
        pair.before as f64 / self.before_events as f64
    }

    pub fn after(self, pair: Pair) -> f64 {
        pair.after as f64 / self.after_events as f64
    }

    pub fn delta(self, pair: Pair) -> f64 {
        self.unweigh(self.weigh(pair))
    }

    /// From [`Scale::weigh`] back to the unit of the numbers.
    pub fn unweigh(self, weight: i128) -> f64 {
        weight as f64 / (self.before_events as f64 * self.after_events as f64)
    }

    /// `None` for what did not change. What is the same to the byte in runs of different
    /// length was made once a run: divided by events it would seem to have changed.
    pub fn class(self, pair: Pair) -> Option<Class> {
        if pair.before == pair.after {
            return None;
        }
        match (self.weigh(pair), pair) {
            (0, _) => None,
            (1.., Pair { before: 0, .. }) => Some(Class::New),
            (1.., _) => Some(Class::Grown),
            (
                _,
                Pair {
                    before: 1..,
                    after: 0,
                },
            ) => Some(Class::Gone),
            _ => Some(Class::Shrunk),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    New,
    Grown,
    Shrunk,
    Gone,
}

impl Class {
    pub const ALL: [Class; 4] = [Class::New, Class::Grown, Class::Shrunk, Class::Gone];

    pub fn name(self) -> &'static str {
        match self {
            Class::New => "new",
            Class::Grown => "grown",
            Class::Shrunk => "shrunk",
            Class::Gone => "gone",
        }
    }

    pub fn is_more(self) -> bool {
        matches!(self, Class::New | Class::Grown)
    }
}

/// One line of a comparison: a node or a label, and its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparedRow {
    /// Index of the node or label.
    pub id: u32,
    pub pair: Pair,
    pub class: Class,
    /// [`Scale::weigh`] of the pair.
    pub weight: i128,
}

/// All that changed, and what shares are of.
///
/// Growth and fall are kept apart: a hundred more here and a hundred less there are no
/// change of the whole, but they are two things that happened. A row that grew has a
/// share of all growth, a row that fell a share of all fall.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sums {
    pub before: i128,
    pub after: i128,
    /// Sums of the weights above zero, and of those below, without their sign.
    pub growth: i128,
    pub fall: i128,
    /// Rows of each class, in the order of [`Class::ALL`].
    pub rows: [u64; 4],
    pub unchanged: u64,
}

impl Sums {
    /// The rows that changed, the greatest growth first, and the sums over all.
    pub fn of(pairs: impl Iterator<Item = (u32, Pair)>, scale: Scale) -> (Vec<ComparedRow>, Sums) {
        let mut sums = Sums::default();
        let mut rows = Vec::new();
        for (id, pair) in pairs {
            if pair == Pair::default() {
                continue;
            }
            sums.before += i128::from(pair.before);
            sums.after += i128::from(pair.after);
            let Some(class) = scale.class(pair) else {
                sums.unchanged += 1;
                continue;
            };
            let weight = scale.weigh(pair);
            let side = if weight > 0 {
                &mut sums.growth
            } else {
                &mut sums.fall
            };
            *side = side.saturating_add(weight.saturating_abs());
            sums.rows[class as usize] += 1;
            rows.push(ComparedRow {
                id,
                pair,
                class,
                weight,
            });
        }
        rows.sort_unstable_by_key(|row| (std::cmp::Reverse(row.weight), row.id));
        (rows, sums)
    }

    pub fn count(&self, class: Class) -> u64 {
        self.rows[class as usize]
    }

    /// The net change, as [`Scale::weigh`] gives it.
    pub fn net(&self) -> i128 {
        self.growth.saturating_sub(self.fall)
    }

    /// The part of all growth, or of all fall, that a row of this weight is.
    pub fn share(&self, weight: i128) -> f64 {
        let whole = if weight > 0 { self.growth } else { self.fall };
        if whole == 0 {
            return 0.0;
        }
        weight.saturating_abs() as f64 / whole as f64
    }
}
