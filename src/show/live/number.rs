//! Draws the facts, the curve, the pass table and the last steps.

use super::board::{self, Left, Line as Pass, Taken};
use super::code;
use super::estimate::Estimate;
use super::look::Look;
use super::paint::{Frame, cells, clock, lines, names};
use super::palette::BOLD;
use nubbin_reduce::pass;
use nubbin_session::text;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use std::time::Duration;

/// The width of the names of facts, in cells.
const NAMES: usize = 11;
/// A text longer than this is wrapped instead of making its column wider, in cells.
const WRAPPED: usize = 53;
/// The most rows of a fact.
const ROWS: usize = 3;
/// The greatest width of the name of a pass, in cells.
const LONGEST: usize = 26;
/// The numbers of a pass.
const COLUMNS: [(&str, fn(&Pass) -> usize); 4] = [
    ("runs", |pass| pass.runs),
    ("candidates", |pass| pass.probes),
    ("accepted", |pass| pass.accepted),
    ("tokens", |pass| pass.tokens),
];
/// The columns that are left out in a narrow table, in this order.
const DROPPED: [&str; 2] = ["runs", "accepted"];

/// A row of the pass table.
struct Row<'p> {
    /// The index of the pass among all passes.
    at: usize,
    name: String,
    line: &'p Pass,
}

static NONE: Pass = Pass { name: String::new(), runs: 0, probes: 0, accepted: 0, tokens: 0 };

impl Frame<'_> {
    /// Returns the facts with their names, the most important first. The pass is described if there is room.
    pub(super) fn facts(&self, has_room: bool) -> Vec<(&'static str, String)> {
        let board = self.board;
        let counts = board.counts;
        let rate = board
            .rate()
            .map_or_else(|| text::rate(counts.probes, self.elapsed), |rate| format!("{}/s", round(rate)));
        let candidates = text::count(counts.probes);
        let mut facts = vec![(
            "candidates",
            if counts.probes == 0 { candidates } else { format!("{candidates}, {rate}") },
        )];
        let (pass, about) = self.running();
        facts.push(("pass", if has_room && !about.is_empty() { format!("{pass}: {about}") } else { pass }));
        if board.taken > 0 {
            let ago = match counts.probes.saturating_sub(board.found_at) {
                0 => "the latest candidate".to_owned(),
                since => format!("last one {} ago", text::counted(since, "candidate")),
            };
            facts.push(("accepted", ago));
        }
        facts.extend(self.left().map(|left| ("left", left)));
        let without_run = [
            (counts.cached, "cached"),
            (counts.alike, "same up to whitespace"),
            (counts.rejected, "unparsable"),
        ];
        let without_run: Vec<String> = without_run
            .into_iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, what)| format!("{} {what}", text::count(number)))
            .collect();
        if !without_run.is_empty() {
            facts.push(("not run", without_run.join(", ")));
        }
        let jobs = text::counted(self.setup.jobs, "job");
        facts.push(("workers", format!("{jobs}, {} running", self.under_way.min(self.setup.jobs))));
        if let Some((part, runs)) = board.flaky {
            facts.push(("flaky", text::share(part, runs)));
        }
        facts.push(("result", self.setup.place.clone()));
        facts
    }

    /// Returns the facts in rows of this width.
    pub(super) fn fact_rows(&self, facts: &[(&'static str, String)], width: u16) -> Vec<Line<'static>> {
        let width = (width as usize).saturating_sub(NAMES);
        let fact = |(name, fact): &(&'static str, String)| {
            let name = *name;
            wrapped(fact, width, ROWS).into_iter().enumerate().map(move |(row, part)| {
                let name = if row == 0 { name } else { "" };
                Line::from(vec![Span::styled(format!("{name:NAMES$}"), self.palette.dim()), Span::raw(part)])
            })
        };
        facts.iter().flat_map(fact).collect()
    }

    /// Returns the width that the facts and the pass table need.
    pub(super) fn side_width(&self, look: &Look, facts: &[(&'static str, String)]) -> usize {
        let fact = |(_, fact): &(&str, String)| NAMES + cells(fact).min(WRAPPED);
        let rows = self.rows(look);
        let numbers: usize = widths(&rows).into_iter().map(|(_, width, _)| width).sum();
        facts.iter().map(fact).max().unwrap_or(0).max(name_width(&rows) + numbers)
    }

    /// Returns the running pass and its description.
    pub(super) fn running(&self) -> (String, &'static str) {
        let pass = &self.board.pass;
        match pass::by_name(board::bare(pass)) {
            _ if pass.is_empty() => ("none yet".to_owned(), ""),
            Some(known) => (pass.clone(), known.about),
            _ if board::bare(pass) == "sweep" => (pass.clone(), "the proof"),
            None => (pass.clone(), ""),
        }
    }

    /// Returns the number of remaining candidates and the remaining time, if they are known.
    pub(super) fn left(&self) -> Option<String> {
        let rate = self.board.rate().filter(|rate| *rate > 0.0);
        let time = |probes: usize| {
            let seconds = rate.map(|rate| (probes as f64 / rate).min(1e7));
            seconds.map_or(String::new(), |seconds| format!(", {}", clock(Duration::from_secs_f64(seconds))))
        };
        let shown = |bound: &str, probes: usize| {
            format!("{bound} {}{}", text::counted(probes, "candidate"), time(probes))
        };
        Some(match self.board.left(self.setup)? {
            Left::AtMost(probes) => shown("at most", probes),
            Left::AtLeast(probes) => shown("at least", probes),
            Left::About(Estimate { probes, least, most }) => {
                let about = text::counted(probes, "candidate");
                let [least, most] = [least, most].map(text::count);
                format!("about {about} ({least}–{most}){}", time(probes))
            }
        })
    }

    pub(super) fn curve(&self, to: &mut ratatui::Frame<'_>, area: Rect) {
        if area.height < 3 {
            return;
        }
        let (unit, before, now) = self.size();
        let title = format!("{unit} over candidates, log scale");
        let mut shown = vec![self.rule(&title, area.width)];
        let (high, low) = (text::count(before.max(now)), text::count(now));
        let margin = high.len().max(low.len());
        let (width, height) = ((area.width as usize).saturating_sub(margin + 1), area.height as usize - 2);
        let rows = self.board.curve.rows(self.board.counts.probes, now, width, height);
        let last = rows.len().saturating_sub(1);
        for (i, row) in rows.into_iter().enumerate() {
            let label = if i == 0 {
                &high
            } else if i == last {
                &low
            } else {
                ""
            };
            shown.push(Line::from(vec![
                Span::styled(format!("{label:>margin$} "), self.palette.dim()),
                Span::styled(row, self.palette.accent()),
            ]));
        }
        lines(to, area, shown);
    }

    /// Returns the rows of the pass table. Passes without candidates are left out unless the user chooses a pass.
    fn rows(&self, look: &Look) -> Vec<Row<'_>> {
        let running = board::bare(&self.board.pass);
        let row = |(at, name): (usize, String)| {
            let line = self.board.lines.iter().find(|line| line.name == name).unwrap_or(&NONE);
            Row { at, name, line }
        };
        let is_shown = |row: &Row<'_>| {
            let Pass { probes, accepted, tokens, .. } = *row.line;
            look.chosen.is_some()
                || probes + accepted + tokens > 0
                || row.name == running
                || self.switches.is_off(&row.name)
        };
        names(self.board, self.setup).into_iter().enumerate().map(row).filter(is_shown).collect()
    }

    /// Draws the pass table.
    pub(super) fn passes(&self, look: &Look, to: &mut ratatui::Frame<'_>, area: Rect) {
        if area.height < 3 {
            return;
        }
        let width = area.width as usize;
        let rows = self.rows(look);
        let mut columns = widths(&rows);
        let mut names = name_width(&rows);
        let numbers =
            |columns: &[(&str, usize, _)]| columns.iter().map(|(_, width, _)| *width).sum::<usize>();
        for dropped in DROPPED {
            if names + numbers(&columns) > width {
                columns.retain(|(title, ..)| *title != dropped);
            }
        }
        names = names.min(width.saturating_sub(numbers(&columns)).max(8));
        let name = |mark: &str, name: &str| {
            let room = names - 2;
            let name = if cells(name) > room { code::line(name.as_bytes(), room) } else { name.to_owned() };
            format!("{mark} {name:room$}")
        };
        let head: String = columns.iter().map(|(title, width, _)| format!("{title:>width$}")).collect();
        let head = Line::styled(name(" ", "pass") + &head, self.palette.dim());
        let running = board::bare(&self.board.pass);
        let room = area.height as usize - 2;
        let seen = rows.iter().position(|row| match look.chosen {
            Some(chosen) => row.at == chosen,
            None => row.name == running,
        });
        let from = (seen.unwrap_or(0) + 1).saturating_sub(room);
        let mut shown = vec![self.rule("passes", area.width), head];
        for row in rows.iter().skip(from).take(room) {
            let is_running = row.name == running;
            let mut style = if is_running {
                BOLD.patch(self.palette.accent())
            } else if row.line.tokens == 0 {
                self.palette.dim()
            } else {
                Style::new()
            };
            let mut text = name(if is_running { "▸" } else { " " }, &row.name);
            if self.switches.is_off(&row.name) {
                text += " off";
                style = self.palette.warning();
            } else {
                text.extend(
                    columns.iter().map(|(_, width, of)| format!("{:>width$}", text::count(of(row.line)))),
                );
            }
            if look.chosen == Some(row.at) {
                text = format!("{text:width$}");
                style = style.add_modifier(Modifier::REVERSED);
            }
            shown.push(Line::styled(text, style));
        }
        lines(to, area, shown);
    }

    /// Draws the last steps, the latest first.
    pub(super) fn removed(&self, to: &mut ratatui::Frame<'_>, area: Rect) {
        if area.height < 2 {
            return;
        }
        let title = format!("removed in {}", text::counted(self.board.taken, "step"));
        let mut shown = vec![self.rule(&title, area.width)];
        let width = area.width as usize;
        let steps = || self.board.steps.iter().rev().take(area.height as usize - 1);
        let names =
            steps().map(|step| cells(&step.pass)).max().unwrap_or(0).min((width / 4).clamp(10, LONGEST));
        shown.extend(steps().enumerate().map(|(i, step)| self.step(step, i == 0, names, width)));
        lines(to, area, shown);
    }

    fn step(&self, step: &Taken, is_last: bool, names: usize, width: usize) -> Line<'static> {
        let gain = if step.tokens > 0 {
            format!("{:>8}  ", format!("-{}", text::count(step.tokens)))
        } else {
            format!("{:>8}  ", format!("-{} B", text::count(step.bytes)))
        };
        let pass = &step.pass;
        let pass = if cells(pass) > names { code::line(pass.as_bytes(), names) } else { pass.clone() };
        let room = width.saturating_sub(names + cells(&gain));
        let new = code::line(&step.new, room / 2);
        let old =
            code::line(&step.old, room.saturating_sub(if new.is_empty() { 0 } else { cells(&new) + 3 }));
        let mut parts = vec![
            Span::styled(format!("{pass:names$}"), self.palette.dim()),
            Span::styled(gain, if is_last { BOLD } else { self.palette.dim() }),
            Span::styled(old, self.palette.removed(is_last)),
        ];
        if !new.is_empty() {
            parts.extend([Span::styled(" → ", self.palette.dim()), Span::styled(new, self.palette.accent())]);
        }
        Line::from(parts)
    }
}

/// Returns the columns of the pass table, each with its title, its width and its numbers.
fn widths(rows: &[Row<'_>]) -> Vec<(&'static str, usize, fn(&Pass) -> usize)> {
    let width = |(title, of): (&'static str, fn(&Pass) -> usize)| {
        let longest = rows.iter().map(|row| text::count(of(row.line)).len()).max().unwrap_or(0);
        (title, longest.max(title.len()) + 2, of)
    };
    COLUMNS.into_iter().map(width).collect()
}

/// Returns the width of the names in the pass table, with the mark of the running pass.
fn name_width(rows: &[Row<'_>]) -> usize {
    rows.iter().map(|row| cells(&row.name)).max().unwrap_or(0).clamp(4, LONGEST) + 2
}

/// Splits a text into at most `most` rows of `width` cells, between words if possible.
fn wrapped(text: &str, width: usize, most: usize) -> Vec<String> {
    let text = code::line(text.as_bytes(), usize::MAX - 1);
    let mut rest = text.as_str();
    let mut rows = Vec::new();
    while cells(rest) > width && rows.len() + 1 < most {
        let mut used = 0;
        let fits = |&(_, char): &(usize, char)| {
            used += cells(char.encode_utf8(&mut [0; 4]));
            used <= width
        };
        let end = rest.char_indices().take_while(fits).last().map_or(0, |(at, char)| at + char.len_utf8());
        let is_between = rest[end..].starts_with(' ');
        let end = rest[..end].rfind(' ').filter(|_| !is_between).unwrap_or(end);
        if end == 0 {
            break;
        }
        let (row, next) = rest.split_at(end);
        rows.push(row.trim_end().to_owned());
        rest = next.trim_start();
    }
    rows.push(if cells(rest) > width { code::line(rest.as_bytes(), width) } else { rest.to_owned() });
    rows
}

fn round(rate: f64) -> String {
    if rate < 10.0 { format!("{rate:.1}") } else { text::count(rate.round() as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_wrapped_between_words() {
        assert_eq!(wrapped("about 15 candidates (6–37), 0:37", 32, 2), ["about 15 candidates (6–37), 0:37"]);
        assert_eq!(wrapped("60 cached, 28 same", 10, 3), ["60 cached,", "28 same"]);
        assert_eq!(wrapped("/a/long/path/x.c", 8, 2), ["/a/long/", "path/x.c"]);
        assert_eq!(wrapped("one two three four", 8, 2), ["one two", "three f…"]);
        assert_eq!(wrapped("漢字", 1, 3), ["…"]);
        assert_eq!(wrapped("", 0, 3), [""]);
    }
}
