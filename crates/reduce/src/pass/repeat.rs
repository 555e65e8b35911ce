//! Finds text that repeats many times in a row, so that the number of repeats can be bisected.

use nubbin_syntax::edit::Span;

struct Tuning {
    /// The minimum number of repeats in a row.
    least: usize,
    /// The maximum length of a repeat in bytes, unless it is a line.
    longest: usize,
    /// The maximum size in bytes of a text that is searched for repeats other than lines.
    size: usize,
}

const TUNING: Tuning = Tuning { least: 64, longest: 32, size: 1 << 22 };

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Repeat {
    /// All repeats together.
    span: Span,
    /// The length of one repeat.
    period: u32,
}

/// Replaces the units between the first and the last of many equal repeats: half of these repeats become one unit, half
/// of the rest another, and so on. The units must be sorted and disjoint. Returns whether any were replaced.
pub(super) fn thin(source: &[u8], units: Vec<Span>) -> (Vec<Span>, bool) {
    if units.len() < TUNING.least {
        return (units, false);
    }
    let mut repeats = repeats(source).into_iter().peekable();
    if repeats.peek().is_none() {
        return (units, false);
    }
    let mut thinned: Vec<Span> = Vec::new();
    let mut is_thinned = false;
    let mut units = units.into_iter().peekable();
    for Repeat { span, period } in repeats {
        let inner = Span::new(span.start + period, span.end - period);
        while let Some(unit) = units.next_if(|unit| unit.start < inner.start) {
            thinned.push(unit);
        }
        let from = thinned.len();
        let mut count = 0;
        while let Some(unit) = units.next_if(|unit| unit.end <= inner.end) {
            count += 1;
            thinned.push(unit);
        }
        if count >= TUNING.least {
            thinned.truncate(from);
            thinned.extend(halves((inner.len() / period) as usize).map(|(start, end)| {
                Span::new(inner.start + start as u32 * period, inner.start + end as u32 * period)
            }));
            is_thinned = true;
        }
    }
    thinned.extend(units);
    (thinned, is_thinned)
}

/// Halves a number of equal items, then the second half, and so on. Returns the start and the end of each part.
fn halves(count: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        at += (count - at).div_ceil(2);
        (start < count).then_some((start, at))
    })
}

/// Replaces equal units of a list in the same way. Returns the ranges of units that become one unit each.
pub(super) fn thin_equal(source: &[u8], units: &[Span]) -> Vec<std::ops::Range<usize>> {
    let mut ranges = Vec::with_capacity(units.len());
    let mut from = 0;
    for equal in units.chunk_by(|left, right| left.of(source) == right.of(source)) {
        let end = from + equal.len();
        if equal.len() < TUNING.least {
            ranges.extend((from..end).map(|i| i..i + 1));
        } else {
            ranges.push(from..from + 1);
            ranges.extend(halves(equal.len() - 2).map(|(start, end)| from + 1 + start..from + 1 + end));
            ranges.push(end - 1..end);
        }
        from = end;
    }
    ranges
}

/// Returns the repeats in a text, sorted and disjoint.
fn repeats(source: &[u8]) -> Vec<Repeat> {
    let mut found: Vec<Repeat> = equal_lines(source);
    if source.len() <= TUNING.size {
        for period in 1..=TUNING.longest.min(source.len() / TUNING.least) {
            periodic(source, period, &mut found);
        }
    }
    found.sort_unstable_by_key(|repeat| repeat.span);
    found
}

/// Adds the parts of a text that repeat with this period.
fn periodic(source: &[u8], period: usize, found: &mut Vec<Repeat>) {
    let mut equal = 0;
    for at in 0..=source.len() - period {
        if at + period < source.len() && source[at] == source[at + period] {
            equal += 1;
            continue;
        }
        let count = (equal + period) / period;
        if count >= TUNING.least {
            let start = at - equal;
            let span = Span::new(start as u32, (start + count * period) as u32);
            if found.iter().all(|known| known.span.end <= span.start || span.end <= known.span.start) {
                found.push(Repeat { span, period: period as u32 });
            }
        }
        equal = 0;
    }
}

/// Returns the lines that are equal many times in a row.
fn equal_lines(source: &[u8]) -> Vec<Repeat> {
    let mut lines = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive(|&byte| byte == b'\n') {
        lines.push(Span::new(at, at + line.len() as u32));
        at += line.len() as u32;
    }
    let runs = lines.chunk_by(|left, right| left.of(source) == right.of(source));
    let runs = runs.filter(|run| run.len() >= TUNING.least);
    runs.map(|run| Repeat { span: Span::new(run[0].start, run[run.len() - 1].end), period: run[0].len() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(source: &[u8]) -> Vec<Span> {
        (0..source.len() as u32).map(|at| Span::new(at, at + 1)).collect()
    }

    fn shown(source: &str) -> Vec<u32> {
        thin(source.as_bytes(), bytes(source.as_bytes())).0.into_iter().map(Span::len).collect()
    }

    #[test]
    fn repeats_become_halves_but_for_the_first_and_the_last() {
        let source = format!("a{}b", "xyz".repeat(66));
        assert_eq!(shown(&source), [1, 1, 1, 1, 96, 48, 24, 12, 6, 3, 3, 1, 1, 1, 1]);
        let lines = "a somewhat long line that is the same many times\n".repeat(70);
        assert_eq!(shown(&lines).len(), 2 * 49 + 7);
    }

    #[test]
    fn what_is_thinned_is_still_the_whole_text() {
        for source in ["ab".repeat(200), format!("{}{}", "-".repeat(90), "(x)\n".repeat(99)), "q".repeat(64)]
        {
            let (units, _) = thin(source.as_bytes(), bytes(source.as_bytes()));
            let parts: Vec<&[u8]> = units.iter().map(|unit| unit.of(source.as_bytes())).collect();
            assert_eq!(parts.concat(), source.as_bytes());
        }
    }

    #[test]
    fn few_repeats_stay_as_they_are() {
        let source = "ab".repeat(63);
        assert_eq!(thin(source.as_bytes(), bytes(source.as_bytes())), (bytes(source.as_bytes()), false));
    }

    #[test]
    fn equal_members_become_halves_too() {
        let source = "x".repeat(70);
        let ranges = thin_equal(source.as_bytes(), &bytes(source.as_bytes()));
        let lengths: Vec<usize> = ranges.iter().map(ExactSizeIterator::len).collect();
        assert_eq!(lengths, [1, 34, 17, 9, 4, 2, 1, 1, 1]);
    }
}
