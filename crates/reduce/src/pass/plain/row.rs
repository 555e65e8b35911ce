//! Proposes to replace all lines of a long text by the same line. If only the number of lines matters, few different
//! candidates remain then.

use super::super::{Builder, CandidateFilter, Proposal, Snapshot};
use super::count;
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span};

struct Tuning {
    /// The minimum number of lines.
    lines: usize,
    /// The number of parts, each of which is also proposed alone.
    parts: usize,
}

const TUNING: Tuning = Tuning { lines: 64, parts: 8 };

/// Proposes to replace all lines, all lines except the first, or the lines of one part by the shortest line.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let source = &snapshot.source;
    let count = count(source);
    let mut lines: Vec<Span> = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive(|&byte| byte == b'\n') {
        let span = Span::new(at, at + line.trim_ascii_end().len() as u32);
        at += line.len() as u32;
        lines.extend((!span.is_empty()).then_some(span));
    }
    if let Some(count) = &count {
        lines.retain(|line| count.lines.iter().any(|counted| counted.contains(*line)));
    }
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Touch).scattered().following(count);
    if lines.len() < TUNING.lines {
        return builder.build();
    }
    let shortest = lines[1..].iter().min_by_key(|line| line.len()).map_or(&[][..], |line| line.of(source));
    let edits = |lines: &[Span]| -> Vec<Edit> {
        let longer = lines.iter().filter(|line| line.len() as usize > shortest.len());
        longer.map(|line| Edit::replace(*line, shortest)).collect()
    };
    for lines in [&lines[..], &lines[1..]] {
        builder.delta(edits(lines));
    }
    builder.close(GroupKind::Choice, None);
    for lines in lines[1..].chunks(lines.len().div_ceil(TUNING.parts)) {
        builder.delta(edits(lines));
    }
    builder.close(GroupKind::Set, None);
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pass::plain::tests::results_of;

    #[test]
    fn all_lines_become_the_shortest_one_with_the_first_or_without() {
        let source = format!("name,age\n{}z,1\n", "abc,20\n".repeat(63));
        let results = results_of(propose, &source);
        assert_eq!(results[0], "z,1|".repeat(65));
        assert_eq!(results[1], format!("name,age|{}", "z,1|".repeat(64)));
        assert_eq!(results.len(), 2 + TUNING.parts);
    }

    #[test]
    fn few_lines_stay_as_they_are() {
        assert_eq!(results_of(propose, &"abc\nd\n".repeat(31)), [""; 0]);
    }
}
