//! Estimates the number of remaining probes, with a model fitted to earlier reductions.
//!
//! The size of the result is not known in advance, so the estimate has an 80 % interval. `benches/estimate.py` fits the
//! numbers and measures their error.

/// The numbers that were fitted. The logarithm of the number of remaining probes is a linear function of the following.
struct Tuning {
    constant: f64,
    /// The factors of the logarithm of the number of tokens, and of its square.
    tokens: f64,
    tokens_squared: f64,
    /// The factor of the logarithm of the number of probes so far.
    probes: f64,
    /// The factor of the number of tiers of the plan that were reached.
    tier: f64,
    /// The largest number of tokens that counts. In a larger input, most tokens are removed in a few steps.
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

/// The estimated number of remaining probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    pub probes: usize,
    /// The lower bound of the 80 % interval.
    pub least: usize,
    /// The upper bound of the 80 % interval.
    pub most: usize,
}

/// Estimates the number of remaining probes from the tokens of the current best, the probes so far, and the number of
/// tiers of the plan that were reached before the running tier.
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

/// Rounds to two digits; more digits would suggest a higher accuracy.
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
