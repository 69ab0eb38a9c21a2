//! How the rate of growth may go over a run.
//!
//! ```text
//!   slowing   rate(t) ∝ (1 + ξ x t)^(-1/ξ)         t from 0 to 1 over the run
//!     ξ = 0     exp(-x t)        each new key is as likely as any other: a cache that fills up
//!     0 < ξ < 1                  some keys are rarer: fills up, with a long tail
//!     ξ = 1     1 / (1 + x t)    logarithmic growth, without end
//!     ξ = 2     1 / √(1 + 2 x t) growth as the square root, without end
//!   step      one rate up to some part, another from there on: warm-up and then a leak
//!   constant  one rate
//! ```
//!
//! The first is the generalised Pareto family of what is known of excesses: where the rate falls at
//! all, `ξ` alone says whether the sum of what is to come is finite.

/// A member of the slowing family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slowing {
    /// How much the clock of the run is of the time in which the rate first falls by e.
    pub speed: f64,
    pub tail: f64,
}

const TAILS: [f64; 12] = [0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0, 3.0];
const FINE_TAILS: i32 = 40;
const SPEEDS: usize = 48;
/// Speeds that are tried between two of the grid, where the best is.
const BETWEEN: i32 = 12;
const SLOWEST: f64 = 0.02;
const FASTEST: f64 = 500.0;

impl Slowing {
    /// The members that are tried.
    pub fn grid() -> impl Iterator<Item = Slowing> {
        let speeds = (0..SPEEDS).map(move |place| SLOWEST * Self::ratio().powi(place as i32));
        speeds.flat_map(|speed| TAILS.map(|tail| Slowing { speed, tail }))
    }

    /// Members between this one and the next of the grid on either side.
    pub fn neighbours(self) -> impl Iterator<Item = Slowing> {
        let places = (-BETWEEN..=BETWEEN).filter(|place| *place != 0);
        places.map(move |place| Slowing {
            speed: self.speed * Self::ratio().powf(f64::from(place) / f64::from(BETWEEN)),
            ..self
        })
    }

    /// Tails between which no end is missed.
    pub fn fine_tails() -> impl Iterator<Item = f64> {
        let bounded = (0..FINE_TAILS).map(|place| f64::from(place) / f64::from(FINE_TAILS));
        bounded.chain(TAILS.into_iter().filter(|tail| *tail >= 1.0))
    }

    fn ratio() -> f64 {
        (FASTEST / SLOWEST).powf(1.0 / (SPEEDS - 1) as f64)
    }

    /// The rate at a share of the run, in units of the rate at its begin.
    pub fn rate(self, at: f64) -> f64 {
        match self.tail == 0.0 {
            true => (-self.speed * at).exp(),
            false => (1.0 + self.tail * self.speed * at).powf(-1.0 / self.tail),
        }
    }

    /// What is added up to a share of the run, in the same units.
    pub fn added(self, to: f64) -> f64 {
        let Slowing { speed, tail } = self;
        if tail == 0.0 {
            -(-speed * to).exp_m1() / speed
        } else if tail == 1.0 {
            (speed * to).ln_1p() / speed
        } else {
            let grown = ((1.0 - 1.0 / tail) * (tail * speed * to).ln_1p()).exp_m1();
            grown / (speed * (tail - 1.0))
        }
    }

    /// What the run added of all that will ever be added; zero where that has no end.
    pub fn full(self) -> f64 {
        match self.tail < 1.0 {
            true => self.added(1.0) * self.speed * (1.0 - self.tail),
            false => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_the_sum_of_the_rate() {
        for tail in TAILS {
            for speed in [0.02, 1.0, 30.0] {
                let slowing = Slowing { speed, tail };
                let steps = 20_000;
                let middles = (0..steps).map(|step| (f64::from(step) + 0.5) / f64::from(steps));
                let sum: f64 = middles.map(|at| slowing.rate(at)).sum::<f64>() / f64::from(steps);
                let added = slowing.added(1.0);
                assert!((sum - added).abs() < 1e-4 * added, "{slowing:?}");
            }
        }
    }

    #[test]
    fn only_a_thin_tail_ends() {
        let full = |tail| Slowing { speed: 2.0, tail }.full();
        assert!((full(0.0) - (1.0 - (-2.0_f64).exp())).abs() < 1e-12);
        assert!(full(0.8) > 0.0 && full(0.8) < full(0.0));
        assert_eq!((full(1.0), full(2.0)), (0.0, 0.0));
    }
}
