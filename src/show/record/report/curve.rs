//! Draws the size of the best over probes or over time, as a picture.
//!
//! It writes SVG; the page chooses the colours.

use crate::show::record::chronicle::Point;
use nubbin_session::text;
use std::fmt::Write;

/// The width of the picture, in its own units.
const WIDTH: f64 = 480.0;
/// The height of the picture.
const HEIGHT: f64 = 250.0;
/// The least room on the left, for the numbers beside the axis.
const LEFT: f64 = 50.0;
/// The room for each character of the longest number on the left, in the letters of a narrow page.
const CHARACTER: f64 = 8.4;
/// The room at the bottom, for the numbers and the name of the axis.
const BOTTOM: f64 = 38.0;
/// The room at the top.
const TOP: f64 = 26.0;
/// The room on the right.
const RIGHT: f64 = 14.0;
/// The greatest number of points that are drawn.
const POINTS: usize = 1500;

/// The quantity on the horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    Probes,
    Time,
}

/// Returns the picture of these points, which come in order.
pub fn curve(points: &[Point], over: Over) -> String {
    let along = |point: &Point| match over {
        Over::Probes => point.probes as f64,
        Over::Time => point.seconds,
    };
    let size = |point: &Point| point.size.tokens.max(1) as f64;
    let far = points.iter().map(along).fold(0.0, f64::max).max(if over == Over::Probes { 1.0 } else { 1e-3 });
    let high = points.iter().map(size).fold(1.0, f64::max);
    let low = points.iter().map(size).fold(high, f64::min);
    let (low, high) = (decade(low).0, decade(high).1.max(10.0 * decade(low).0));
    let left = LEFT.max(CHARACTER * text::count(high as usize).len() as f64 + 8.0);
    let x = |value: f64| left + (WIDTH - left - RIGHT) * value / far;
    let y = |value: f64| {
        let share = (value / low).ln() / (high / low).ln();
        HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share
    };
    let name = if over == Over::Probes { "probes" } else { "time" };
    let title = format!("Tokens of the best over {name}, on a logarithmic scale");
    let mut svg = format!(
        r#"<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}"><title>{title}</title>"#
    );
    let mut value = low;
    while value <= high * 1.001 {
        let at = y(value);
        let label = text::count(value as usize);
        let _ = write!(
            svg,
            r#"<path class="grid" d="M{left} {at:.1}H{}"/><text x="{}" y="{:.1}" text-anchor="end">{label}</text>"#,
            WIDTH - RIGHT,
            left - 6.0,
            at + 4.0
        );
        value *= 10.0;
    }
    let step = nice(far / 4.0);
    let mut value = 0.0;
    while value <= far {
        let label = if over == Over::Probes { text::count(value as usize) } else { duration(value) };
        let _ = write!(
            svg,
            r#"<text x="{:.1}" y="{}" text-anchor="middle">{label}</text>"#,
            x(value),
            HEIGHT - BOTTOM + 15.0
        );
        value += step;
    }
    let _ = write!(
        svg,
        r#"<text class="axis" x="{}" y="{}" text-anchor="end">{name}</text><text class="axis" x="4" y="12">tokens</text>"#,
        WIDTH - RIGHT,
        HEIGHT - 5.0
    );
    let at = |point: &Point| (x(along(point)), y(size(point)));
    let path = path(points, &at);
    let base = HEIGHT - BOTTOM;
    let _ =
        write!(svg, r#"<path class="area" d="{path}V{base}H{left}Z"/><path class="line" d="{path}"/></svg>"#);
    svg
}

/// Returns the line through these points: the size stays until a step makes it smaller.
fn path(points: &[Point], at: &dyn Fn(&Point) -> (f64, f64)) -> String {
    let skip = points.len().div_ceil(POINTS).max(1);
    let shown = points.iter().enumerate().filter(|(at, _)| at % skip == 0 || at + 1 == points.len());
    let mut path = String::new();
    for (number, (_, point)) in shown.enumerate() {
        let (x, y) = at(point);
        let _ = if number == 0 { write!(path, "M{x:.1} {y:.1}") } else { write!(path, "H{x:.1}V{y:.1}") };
    }
    path
}

/// Returns the powers of ten around a number.
fn decade(value: f64) -> (f64, f64) {
    let power = value.max(1.0).log10();
    (10f64.powf((power + 1e-9).floor()), 10f64.powf((power - 1e-9).ceil()))
}

/// Returns a round number of about this size.
fn nice(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= value).unwrap_or(10.0);
    let step = factor * power;
    if value >= 1.0 { step.round() } else { step }
}

fn duration(seconds: f64) -> String {
    match seconds {
        0.0 => "0".to_owned(),
        s if s < 1.0 => format!("{:.0} ms", s * 1000.0),
        s if s < 120.0 => format!("{} s", (s * 10.0).round() / 10.0),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_reduce::event::Size;

    #[test]
    fn a_curve_goes_down_from_left_to_right_and_ends_at_the_last_point() {
        let point =
            |probes, tokens| Point { probes, seconds: 0.1, size: Size { tokens, bytes: 0, lines: 0 } };
        let svg = curve(&[point(0, 1000), point(50, 100), point(100, 10)], Over::Probes);
        assert!(svg.contains(r#"class="line" d="M50.0 26.0H258.0V119.0H466.0V212.0""#), "{svg}");
        assert!(svg.contains(">1,000</text>") && svg.contains(">100</text>"), "{svg}");
        // A longer number has more room: `10,000,000` with 15 units for each letter.
        let svg = curve(&[point(0, 2_000_000), point(100, 10)], Over::Probes);
        assert!(svg.contains(r#"<text x="86" y="30.0" text-anchor="end">10,000,000</text>"#), "{svg}");
        assert!(!curve(&[], Over::Time).contains("NaN"));
        assert!(!curve(&[point(0, 1)], Over::Time).contains("NaN"));
    }

    #[test]
    fn steps_of_an_axis_are_round() {
        assert_eq!((nice(26.0), nice(1.0), nice(3.0)), (50.0, 1.0, 5.0));
        assert!((nice(0.03) - 0.05).abs() < 1e-9);
    }
}
