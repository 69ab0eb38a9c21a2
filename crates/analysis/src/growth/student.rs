//! Student's t distribution, and mixtures of it.

/// One weighted, shifted and scaled Student distribution of a mixture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Component {
    pub weight: f64,
    pub centre: f64,
    pub scale: f64,
}

/// What is believed about a rate: components whose weights sum to 1.
#[derive(Debug, Clone)]
pub(super) struct Mixture {
    pub student: Student,
    pub components: Vec<Component>,
}

impl Mixture {
    pub fn mean(&self) -> f64 {
        self.components.iter().map(|c| c.weight * c.centre).sum()
    }

    /// Probability that the rate is at most `rate`.
    pub fn below(&self, rate: f64) -> f64 {
        let term = |c: &Component| {
            let probability = if c.scale > 0.0 {
                self.student.below((rate - c.centre) / c.scale)
            } else if rate < c.centre {
                0.0
            } else {
                1.0
            };
            c.weight * probability
        };
        self.components.iter().map(term).sum()
    }

    /// The rate with probability `p` below it: bracketed by the components' own widths, then
    /// narrowed until the digits that could be shown are settled.
    pub fn quantile(&self, p: f64) -> f64 {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for c in &self.components {
            low = low.min(c.centre - c.scale);
            high = high.max(c.centre + c.scale);
        }
        let mut width = (high - low).max(f64::MIN_POSITIVE);
        let excess = |rate: f64| self.below(rate) - p;
        let (mut at_low, mut at_high) = (excess(low), excess(high));
        while at_low > 0.0 && width.is_finite() {
            low -= width;
            width *= 2.0;
            at_low = excess(low);
        }
        while at_high < 0.0 && width.is_finite() {
            high += width;
            width *= 2.0;
            at_high = excess(high);
        }
        zero_between((low, at_low), (high, at_high), excess)
    }
}

/// Where a rising function is zero, between a point where it is not above and one where it is
/// not below (Chandrupatla's method: a step through three points where they bend little, else
/// the middle). Each evaluation of a mixture is dear; halving would need three times as many.
fn zero_between(low: (f64, f64), high: (f64, f64), value: impl Fn(f64) -> f64) -> f64 {
    /// Of the first bracket, that the answer may be off by.
    const EXACTNESS: f64 = 1.0 / (1 << 25) as f64;
    /// Enough for that by halving alone.
    const MOST_STEPS: usize = 60;
    let settled = EXACTNESS * (high.0 - low.0);
    let (mut newest, mut other, mut share) = (low, high, 0.5);
    for _ in 0..MOST_STEPS {
        let at = newest.0 + share * (other.0 - newest.0);
        let found = (at, value(at));
        let left;
        if (found.1 > 0.0) == (newest.1 > 0.0) {
            left = newest;
        } else {
            left = other;
            other = newest;
        }
        newest = found;
        let width = (other.0 - newest.0).abs();
        if width <= settled || newest.1 == 0.0 {
            break;
        }
        let along = (newest.0 - other.0) / (left.0 - other.0);
        let up = (newest.1 - other.1) / (left.1 - other.1);
        share = match up * up < along && (1.0 - up) * (1.0 - up) < 1.0 - along {
            true => {
                newest.1 / (other.1 - newest.1) * left.1 / (other.1 - left.1)
                    + (left.0 - newest.0) / (other.0 - newest.0) * newest.1 / (left.1 - newest.1)
                        * other.1
                        / (left.1 - other.1)
            }
            false => 0.5,
        };
        // Never closer to the ends than what is settled, so that both of them move.
        let least = (0.5 * settled / width).min(0.5);
        share = share.clamp(least, 1.0 - least);
    }
    match newest.1.abs() <= other.1.abs() {
        true => newest.0,
        false => other.0,
    }
}

/// Student's distribution with some number of degrees of freedom.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Student {
    degrees: f64,
    /// Logarithm of the factor in front of the tail probability; the costly part of it.
    log_front: f64,
}

impl Student {
    pub fn new(degrees: f64) -> Self {
        let half = 0.5 * degrees;
        Self {
            degrees,
            log_front: ln_gamma(half + 0.5) - ln_gamma(half) - 0.5 * std::f64::consts::PI.ln(),
        }
    }

    /// Probability of a value up to `t`.
    pub fn below(&self, t: f64) -> f64 {
        let tail = 0.5 * self.beyond(t * t);
        if t > 0.0 { 1.0 - tail } else { tail }
    }

    /// The value that is not exceeded with probability `p`.
    pub fn quantile(&self, p: f64) -> f64 {
        let standard = Component {
            weight: 1.0,
            centre: 0.0,
            scale: 1.0,
        };
        let mixture = Mixture {
            student: *self,
            components: vec![standard],
        };
        mixture.quantile(p)
    }

    /// Probability that the square of a value exceeds `square`: the regularised incomplete beta
    /// function of degrees / 2 and 1 / 2 at x = degrees / (degrees + square).
    fn beyond(&self, square: f64) -> f64 {
        if square <= 0.0 {
            return 1.0;
        }
        let (a, b) = (0.5 * self.degrees, 0.5);
        let x = self.degrees / (self.degrees + square);
        let rest = square / (self.degrees + square);
        let front = (self.log_front + a * x.ln() + b * rest.ln()).exp();
        // The fraction converges fast only on one side of the mean; the other is its complement.
        if x < (a + 1.0) / (a + b + 2.0) {
            front * beta_fraction(a, b, x) / a
        } else {
            1.0 - front * beta_fraction(b, a, rest) / b
        }
    }
}

/// The continued fraction of the incomplete beta function, evaluated from the front (Lentz).
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in 1..200 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away(1.0 + even * d);
        c = away(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away(1.0 + odd * d);
        c = away(1.0 + odd / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-10 {
            break;
        }
    }
    fraction
}

/// Logarithm of the gamma function for positive arguments: Stirling's series after shifting the
/// argument above 8, where five terms are exact to twelve digits.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    let mut shift = 0.0;
    let mut z = x;
    while z < 8.0 {
        shift += z.ln();
        z += 1.0;
    }
    let w = 1.0 / (z * z);
    let series =
        (1.0 / 12.0 - w * (1.0 / 360.0 - w * (1.0 / 1260.0 - w * (1.0 / 1680.0 - w / 1188.0)))) / z;
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_printed_tables() {
        for (p, degrees, table) in [
            (0.975, 1.0, 12.706),
            (0.975, 4.0, 2.776),
            (0.975, 30.0, 2.042),
            (0.995, 8.0, 3.355),
            (0.95, 120.0, 1.658),
        ] {
            let found = Student::new(degrees).quantile(p);
            assert!((found - table).abs() < 6e-4, "{p} {degrees}: {found}");
        }
    }

    #[test]
    fn a_quantile_has_its_probability_below_it_wherever_the_components_lie() {
        let part = |weight, centre, scale| Component {
            weight,
            centre,
            scale,
        };
        let mixtures = [
            vec![part(1.0, 0.0, 1.0)],
            vec![part(0.5, -1e6, 1e-3), part(0.5, 1e6, 1e-3)],
            vec![part(0.9999, 18_832.0, 0.5), part(0.0001, 18_000.0, 400.0)],
            vec![part(0.7, -3.0, 10.0), part(0.3, 40.0, 0.1)],
        ];
        for components in mixtures {
            for degrees in [2.0, 7.0, 31.0] {
                let mixture = Mixture {
                    student: Student::new(degrees),
                    components: components.clone(),
                };
                for p in [0.005, 0.025, 0.5, 0.975, 0.995] {
                    let found = mixture.quantile(p);
                    let width = components.iter().fold(1e-6, |most: f64, part| {
                        most.max(part.scale).max((part.centre - found).abs())
                    });
                    let near = 1e-6 * width;
                    assert!(
                        mixture.below(found - near) <= p,
                        "{p} {found} {components:?}"
                    );
                    assert!(
                        mixture.below(found + near) >= p,
                        "{p} {found} {components:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_mixture_lies_between_its_components() {
        let part = |centre| Component {
            weight: 0.5,
            centre,
            scale: 1.0,
        };
        let mixture = Mixture {
            student: Student::new(10.0),
            components: vec![part(-1.0), part(1.0)],
        };
        assert!((mixture.below(0.0) - 0.5).abs() < 1e-9);
        assert!((mixture.quantile(0.5)).abs() < 1e-4);
        assert_eq!(mixture.mean(), 0.0);
        assert!(mixture.quantile(0.975) > Student::new(10.0).quantile(0.975));
    }
}
