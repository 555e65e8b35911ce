//! Draws the size of the current best over candidates or over time.
//!
//! The curve is an SVG image that a style sheet stretches to the width of the page. The labels are HTML next to it, so
//! that their size does not depend on that width.

use crate::show::record::chronicle::Point;
use nubbin_session::text;
use std::fmt::Write;

/// The width and the height of the image, in its own units.
const SIDE: f64 = 1000.0;
/// The greatest number of points that are drawn.
const POINTS: usize = 1500;
/// The least distance between two labels on the vertical axis, as a part of its length.
const APART: f64 = 0.09;
/// The most labels on the horizontal axis, without the first.
const LABELS: f64 = 7.0;

/// The quantity on the horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    Candidates,
    Time,
}

/// A range of values on an axis, and its positions between 0 and 1.
#[derive(Clone, Copy, Debug)]
struct Axis {
    from: f64,
    to: f64,
    is_logarithmic: bool,
}

impl Axis {
    fn at(&self, value: f64) -> f64 {
        let scaled = |value: f64| if self.is_logarithmic { value.ln() } else { value };
        (scaled(value) - scaled(self.from)) / (scaled(self.to) - scaled(self.from))
    }
}

/// Returns the curve through these points, which are in order.
pub fn curve(points: &[Point], over: Over) -> String {
    let along = |point: &Point| match over {
        Over::Candidates => point.probes as f64,
        Over::Time => point.seconds,
    };
    let size = |point: &Point| point.size.tokens.max(1) as f64;
    let least = if over == Over::Candidates { 1.0 } else { 1e-3 };
    let from = points.first().map_or(0.0, along);
    let to = points.iter().map(along).fold(from + least, f64::max);
    let across = Axis { from, to, is_logarithmic: false };
    let high = points.iter().map(size).fold(1.0, f64::max);
    let low = points.iter().map(size).fold(high, f64::min);
    let up = Axis { from: low, to: high.max(low + 1.0), is_logarithmic: true };
    let name = if over == Over::Candidates { "candidates" } else { "time" };
    let title = format!("Tokens of the current best over {name}, on a logarithmic scale");
    let sizes = sizes(up);
    let (mut grid, mut labels) = (String::new(), String::new());
    for &value in &sizes {
        let top = 1.0 - up.at(value);
        let _ = write!(grid, "M0 {:.1}H{SIDE}", SIDE * top);
        let label = text::count(value as usize);
        let _ = write!(labels, r#"<span class="up" style="top:{:.1}%">{label}</span>"#, 100.0 * top);
    }
    let (unit, least, suffix) = unit(over, to - from);
    for value in steps(across, unit, least) {
        let label = if over == Over::Candidates {
            text::count(value as usize)
        } else {
            format!("{}{suffix}", (value / unit * 10.0).round() / 10.0)
        };
        let left = 100.0 * across.at(value);
        let _ = write!(labels, r#"<span class="across" style="left:{left:.1}%">{label}</span>"#);
    }
    let at = |point: &Point| (SIDE * across.at(along(point)), SIDE * (1.0 - up.at(size(point))));
    let path = path(points, &at);
    let widest = sizes.iter().map(|size| text::count(*size as usize).len()).max().unwrap_or(1);
    format!(
        r#"<figcaption>tokens, logarithmic scale</figcaption><div class="plot" style="--margin:{widest}ch"><svg viewBox="0 0 {SIDE} {SIDE}" preserveAspectRatio="none" role="img" aria-label="{title}"><title>{title}</title><path class="grid" d="{grid}"/><path class="area" d="{path}V{SIDE}H0Z"/><path class="line" d="{path}"/></svg>{labels}<span class="axis">{name}</span></div>"#
    )
}

/// Returns the line through these points. The size stays the same until a step makes it smaller.
fn path(points: &[Point], at: &dyn Fn(&Point) -> (f64, f64)) -> String {
    let skip = points.len().div_ceil(POINTS).max(1);
    let shown = points.iter().enumerate().filter(|(at, _)| at % skip == 0 || at + 1 == points.len());
    let mut path = String::new();
    for (number, (_, point)) in shown.enumerate() {
        let (x, y) = at(point);
        let _ = if number == 0 { write!(path, "M{x:.1} {y:.1}") } else { write!(path, "H{x:.1}V{y:.1}") };
    }
    if path.is_empty() { format!("M0 {SIDE}") } else { path }
}

/// Returns the labeled sizes: both ends of the axis, and round numbers that are not too close to another label.
fn sizes(axis: Axis) -> Vec<f64> {
    let mut sizes = vec![axis.to, axis.from];
    for factors in [&[1.0][..], &[2.0, 5.0]] {
        let mut power = 10f64.powf(axis.from.log10().floor());
        while power <= axis.to {
            for value in factors.iter().map(|factor| factor * power) {
                let is_apart = |other: &f64| (axis.at(value) - axis.at(*other)).abs() >= APART;
                if value > axis.from && value < axis.to && sizes.iter().all(is_apart) {
                    sizes.push(value);
                }
            }
            power *= 10.0;
        }
    }
    sizes.sort_by(|one, other| other.total_cmp(one));
    sizes
}

/// Returns the unit of an axis of this length, the least step in this unit, and its symbol.
fn unit(over: Over, length: f64) -> (f64, f64, &'static str) {
    match (over, length) {
        (Over::Candidates, _) => (1.0, 1.0, ""),
        (Over::Time, ..1.0) => (1e-3, 1.0, " ms"),
        (Over::Time, ..120.0) => (1.0, 0.1, " s"),
        (Over::Time, ..7200.0) => (60.0, 0.1, " min"),
        (Over::Time, _) => (3600.0, 0.1, " h"),
    }
}

/// Returns the labeled values of a linear axis: multiples of a round number of units.
fn steps(axis: Axis, unit: f64, least: f64) -> Vec<f64> {
    let step = unit * nice((axis.to - axis.from) / unit / LABELS).max(least);
    let first = (axis.from / step - 1e-9).ceil();
    (0..).map(|at| (first + f64::from(at)) * step).take_while(|value| *value <= axis.to).collect()
}

/// Returns the next round number.
fn nice(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= value).unwrap_or(10.0);
    let step = factor * power;
    if value >= 1.0 { step.round() } else { step }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_reduce::event::Size;

    fn point(probes: usize, tokens: usize) -> Point {
        Point { probes, seconds: 0.1, size: Size { tokens, bytes: 0, lines: 0 } }
    }

    #[test]
    fn a_curve_spans_the_image_from_its_first_to_its_last_point() {
        let svg = curve(&[point(7, 1000), point(57, 100), point(107, 10)], Over::Candidates);
        assert!(svg.contains(r#"class="line" d="M0.0 0.0H500.0V500.0H1000.0V1000.0""#), "{svg}");
        for label in ["1,000</span>", "100</span>", "10</span>", "left:13.0%\">20</span>"] {
            assert!(svg.contains(label), "{label}: {svg}");
        }
        for points in [&[][..], &[point(0, 1)], &[point(3, 0), point(3, 0)]] {
            for over in [Over::Candidates, Over::Time] {
                let svg = curve(points, over);
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }

    #[test]
    fn the_axes_fit_the_data() {
        let axis = |from, to, is_logarithmic| Axis { from, to, is_logarithmic };
        assert_eq!(sizes(axis(57.0, 1234.0, true)), [1234.0, 500.0, 200.0, 100.0, 57.0]);
        assert_eq!(sizes(axis(9.0, 12.0, true)), [12.0, 10.0, 9.0]);
        assert_eq!(sizes(axis(1.0, 2.0, true)), [2.0, 1.0]);
        assert_eq!(steps(axis(7.0, 107.0, false), 1.0, 1.0), [20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(steps(axis(3.0, 5.0, false), 1.0, 1.0), [3.0, 4.0, 5.0]);
        assert_eq!(steps(axis(0.0, 450.0, false), 60.0, 0.1), [0.0, 120.0, 240.0, 360.0]);
        assert_eq!(unit(Over::Time, 450.0), (60.0, 0.1, " min"));
    }

    #[test]
    fn steps_of_an_axis_are_round() {
        assert_eq!((nice(26.0), nice(1.0), nice(3.0)), (50.0, 1.0, 5.0));
        assert!((nice(0.03) - 0.05).abs() < 1e-9);
    }
}
