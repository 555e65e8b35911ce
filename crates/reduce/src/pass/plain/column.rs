//! Proposes columns: one field of all lines.
//!
//! ```text
//! a,b,c        a,c
//! 1,2,3   ->   1,3
//! ```

use super::super::{Builder, CandidateFilter, Proposal, Snapshot};
use super::count;
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span};
use std::collections::BTreeMap;

struct Tuning {
    /// The maximum number of whitespace-separated columns; later fields of lines seldom belong together.
    blank: usize,
    /// The minimum number of lines with columns; in shorter texts, fields are tried as tokens.
    lines: usize,
}

const TUNING: Tuning = Tuning { blank: 4, lines: 4 };

const SEPARATORS: [u8; 4] = *b",;\t|";

/// Proposes each column of a table, if at least half of the lines have the same number of fields, and the first
/// whitespace-separated fields of all lines.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let source = &snapshot.source;
    let count = count(source);
    let lines = count.as_ref().map_or_else(|| lines(source), |count| count.lines.clone());
    let lines: Vec<Span> = lines.into_iter().map(|line| without_end(source, line)).collect();
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Touch).scattered().following(count);
    if lines.len() < TUNING.lines {
        return builder.build();
    }
    for separator in SEPARATORS {
        let rows: Vec<Vec<Span>> = lines.iter().map(|&line| fields(source, line, separator)).collect();
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for row in &rows {
            *counts.entry(row.len()).or_default() += 1;
        }
        let Some((&most, &rows_alike)) = counts.iter().max_by_key(|&(_, count)| count) else { continue };
        if most > 1 && rows_alike > 1 && 2 * rows_alike >= lines.len() {
            let table: Vec<&Vec<Span>> = rows.iter().filter(|row| row.len() == most).collect();
            for column in 0..most {
                builder.delta(table.iter().map(|row| Edit::delete(without_field(row, column))));
            }
            builder.close(GroupKind::Set, None);
        }
    }
    let rows: Vec<Vec<Span>> = lines.iter().map(|&line| words(source, line)).collect();
    for column in 0..TUNING.blank {
        let edits: Vec<Edit> =
            rows.iter().filter_map(|row| row.get(column)).map(|field| Edit::delete(*field)).collect();
        if edits.len() > 1 {
            builder.delta(edits);
        }
    }
    builder.close(GroupKind::Set, None);
    builder.build()
}

/// Returns the lines of a text that are not blank.
fn lines(source: &[u8]) -> Vec<Span> {
    let mut at = 0;
    let lines = source.split_inclusive(|&byte| byte == b'\n').map(|line| {
        at += line.len() as u32;
        Span::new(at - line.len() as u32, at)
    });
    lines.filter(|line| !line.of(source).trim_ascii().is_empty()).collect()
}

/// Returns a line without trailing whitespace.
fn without_end(source: &[u8], line: Span) -> Span {
    Span::new(line.start, line.start + line.of(source).trim_ascii_end().len() as u32)
}

/// Returns the fields of a line. Separators in double quotes are ignored.
fn fields(source: &[u8], line: Span, separator: u8) -> Vec<Span> {
    let mut is_quoted = false;
    let mut at = line.start;
    let fields = line.of(source).split(|&byte| {
        is_quoted ^= byte == b'"';
        byte == separator && !is_quoted
    });
    let fields = fields.map(|field| {
        let start = at;
        at += field.len() as u32 + 1;
        Span::new(start, at - 1)
    });
    fields.collect()
}

/// Returns the span of a field with the separator before it, or after it for the first field.
fn without_field(row: &[Span], column: usize) -> Span {
    match column {
        0 => Span::new(row[0].start, row[1].start),
        _ => Span::new(row[column - 1].end, row[column].end),
    }
}

/// Returns the whitespace-separated fields of a line, each with the whitespace after it.
fn words(source: &[u8], line: Span) -> Vec<Span> {
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t');
    let mut at = line.start;
    let fields = line.of(source).chunk_by(|&a, &b| !is_blank(a) || is_blank(b));
    let fields = fields.map(|field| {
        at += field.len() as u32;
        Span::new(at - field.len() as u32, at)
    });
    fields.filter(|field| !field.of(source).trim_ascii().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pass::plain::tests::results_of;

    fn results(source: &str) -> Vec<String> {
        results_of(propose, source)
    }

    #[test]
    fn a_column_of_a_table_goes_with_its_separator() {
        let found = results("a,\"b,c\",d\n1,2,3\n1\n2\n,,\n,,\n");
        let expected = ["\"b,c\",d|2,3|1|2|,|,|", "a,d|1,3|1|2|,|,|", "a,\"b,c\"|1,2|1|2|,|,|"];
        assert_eq!(found[..3], expected);
    }

    #[test]
    fn the_first_fields_of_all_lines_go() {
        assert_eq!(
            results("10:00 x\n10:01  y z\na\nb\nc\nd\n")[..2],
            ["x|y z|||||", "10:00 |10:01  z|a|b|c|d|"]
        );
    }

    #[test]
    fn only_lines_that_a_number_counts_have_columns() {
        assert_eq!(
            results(&format!("p 6\n{}", "1 0\n".repeat(6))),
            [format!("p 6|{}", "0|".repeat(6)), format!("p 6|{}", "1 |".repeat(6))]
        );
    }

    #[test]
    fn few_lines_have_no_columns() {
        assert_eq!(results("a,b c\n\nc,d\n"), [""; 0]);
    }
}
