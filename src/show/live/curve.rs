//! Draws the size over the number of probes with braille dots.

/// The greatest number of points that are kept. If it is exceeded, every second point is removed.
const MOST: usize = 4096;

/// The sizes, each with the number of probes at that time.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    points: Vec<(usize, usize)>,
    stride: usize,
    skipped: usize,
}

impl Curve {
    /// Adds a size.
    pub fn add(&mut self, probes: usize, size: usize) {
        self.skipped += 1;
        if self.skipped < self.stride {
            return;
        }
        self.skipped = 0;
        self.points.push((probes, size));
        if self.points.len() > MOST {
            let mut odd = false;
            self.points.retain(|_| {
                odd = !odd;
                odd
            });
            self.stride = (2 * self.stride).max(2);
        }
    }

    /// Returns the curve up to `probes`, where the size is `now`, in cells of two by four dots, with a logarithmic
    /// scale for the size.
    pub fn rows(&self, probes: usize, now: usize, width: usize, height: usize) -> Vec<String> {
        let (across, down) = (2 * width, 4 * height);
        let points = || self.points.iter().copied().chain([(probes, now)]);
        let highest = points().map(|(_, size)| size).max().unwrap_or(now);
        let lowest = points().map(|(_, size)| size).min().unwrap_or(now);
        let log = |size: usize| (1.0 + size as f64).ln();
        let range = (log(highest) - log(lowest)).max(f64::MIN_POSITIVE);
        let level = |size: usize| {
            let share = (log(highest) - log(size)) / range;
            ((share * (down.saturating_sub(1)) as f64).round() as usize).min(down.saturating_sub(1))
        };
        let mut cells = vec![vec![0_u8; width]; height];
        let mut at = points().peekable();
        let mut size = at.peek().map_or(now, |point| point.1);
        let mut last = None;
        for x in 0..across {
            let until = x * probes / (across - 1);
            while let Some(point) = at.next_if(|point| point.0 <= until) {
                size = point.1;
            }
            if x + 1 == across {
                size = now;
            }
            let y = level(size);
            let from = last.map_or(y, |last: usize| if last < y { last + 1 } else { y });
            for y in from.min(y)..=y {
                cells[y / 4][x / 2] |= dot(x % 2, y % 4);
            }
            last = Some(y);
        }
        let row = |row: Vec<u8>| row.into_iter().map(braille).collect();
        cells.into_iter().map(row).collect()
    }
}

/// Returns the bit of a dot in a braille character.
fn dot(x: usize, y: usize) -> u8 {
    const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
    DOTS[x][y]
}

fn braille(dots: u8) -> char {
    if dots == 0 { ' ' } else { char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' ') }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_falls_from_left_to_right_on_a_logarithmic_scale() {
        let mut curve = Curve::default();
        for (probes, size) in [(0, 1000), (1, 100), (2, 10), (3, 1)] {
            curve.add(probes, size);
        }
        let rows = curve.rows(4, 1, 2, 2);
        assert_eq!(rows, ["⢱ ", " ⢣"].map(ToOwned::to_owned).to_vec(), "{rows:?}");
    }

    #[test]
    fn a_curve_keeps_a_limited_number_of_points_and_both_ends() {
        let mut curve = Curve::default();
        for i in 0..100_000 {
            curve.add(i, 100_000 - i);
        }
        assert!(curve.points.len() <= MOST);
        assert_eq!(curve.points.first(), Some(&(0, 100_000)));
        let rows = curve.rows(100_000, 0, 10, 3);
        assert_eq!((rows.len(), rows[0].chars().count()), (3, 10));
        assert_ne!(rows[2].chars().last(), Some(' '));
        assert_eq!(Curve::default().rows(0, 0, 0, 0), Vec::<String>::new());
        assert_eq!(Curve::default().rows(0, 5, 1, 1).len(), 1);
    }
}
