//! Estimates how many probes are left, by the course of earlier reductions.
//!
//! Nobody knows how small a result will be before it is there, so the estimate comes with the interval that held four of five
//! cases. `benches/estimate.py` fits the numbers and tells how good they are.

/// The numbers that were fitted: the logarithm of the probes that are left is a linear function of these.
struct Tuning {
    constant: f64,
    /// By the logarithm of the number of tokens, and by its square.
    tokens: f64,
    tokens_squared: f64,
    /// By the logarithm of the number of probes so far.
    probes: f64,
    /// By the number of tiers of the plan that were reached.
    tier: f64,
    /// More tokens count as so many: where there are more, most of them go in a few steps.
    most_tokens: f64,
    /// The interval, as factors of the estimate.
    interval: (f64, f64),
}

const TUNING: Tuning = Tuning {
    constant: 0.552,
    tokens: 0.794,
    tokens_squared: -0.039,
    probes: 0.408,
    tier: -0.129,
    most_tokens: 4000.0,
    interval: (0.4, 2.5),
};

/// The number of probes that are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    pub probes: usize,
    /// In four of five cases it was at least so many,
    pub least: usize,
    /// and at most so many.
    pub most: usize,
}

/// Estimates the probes that are left, by the tokens of the best, the probes so far and the tiers of the plan that were
/// reached before the running one.
pub fn left(tokens: usize, probes: usize, tiers: usize) -> Estimate {
    let tokens = (tokens.max(1) as f64).min(TUNING.most_tokens).ln();
    let exponent = TUNING.constant
        + TUNING.tokens * tokens
        + TUNING.tokens_squared * tokens * tokens
        + TUNING.probes * (probes.max(1) as f64).ln()
        + TUNING.tier * tiers as f64;
    let probes = exponent.exp();
    let (least, most) = TUNING.interval;
    Estimate { probes: rounded(probes), least: rounded(probes * least), most: rounded(probes * most) }
}

/// Rounds to two digits: more would pretend to be exact.
fn rounded(number: f64) -> usize {
    let unit = 10_f64.powf((number.max(1.0).log10().floor() - 1.0).max(0.0));
    ((number / unit).round() * unit) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_tokens_and_later_tiers_leave_fewer_probes() {
        let at = |tokens, probes, tiers| left(tokens, probes, tiers).probes;
        assert!(at(10_000, 50, 0) > at(1_000, 50, 0) && at(1_000, 50, 0) > at(40, 50, 0));
        assert!(at(40, 200, 0) > at(40, 200, 9));
    }

    #[test]
    fn an_estimate_lies_in_its_interval_and_has_two_digits() {
        assert_eq!(left(1_000, 100, 0), Estimate { probes: 430, least: 170, most: 1_100 });
        assert_eq!((rounded(0.2), rounded(7.4), rounded(123.0), rounded(98_760.0)), (0, 7, 120, 99_000));
    }
}
