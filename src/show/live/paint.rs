//! Draws one frame of the view, for a screen of any size.

use super::board::{Board, Setup};
use super::code::{self, Keywords};
use super::look::{Look, Pane};
use super::palette::{BOLD, Palette};
use nubbin_oracle::CommandRun;
use nubbin_reduce::Switches;
use nubbin_search::Verdict;
use nubbin_session::text;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use std::time::Duration;

/// The numbers that were tuned.
struct Tuning {
    /// The least width of a screen with two columns, in cells.
    two_columns: u16,
    /// The least width of the second column, in cells.
    least_side: u16,
    /// The greatest width of the second column, in cells.
    greatest_side: u16,
    /// The least width of the first column, in cells.
    least_code: u16,
    /// The least height of a second column that describes the running pass, in cells.
    described: u16,
    /// The least width of a full frame, in cells. A smaller screen shows only a few numbers.
    full_width: u16,
    /// The least height of a full frame, in cells.
    full_height: u16,
}

const TUNING: Tuning = Tuning {
    two_columns: 76,
    least_side: 38,
    greatest_side: 64,
    least_code: 30,
    described: 24,
    full_width: 24,
    full_height: 8,
};

/// The number of empty cells between the columns.
const GAP: u16 = 2;

/// The keys of the view, each with its effect.
const KEYS: [(&str, &str); 9] = [
    ("s", "skip the pass until an edit is accepted"),
    ("x", "turn the pass off"),
    ("Tab", "choose a pass; x turns it off or on"),
    ("space", "pause or continue (also p)"),
    ("o", "show the last output of the test"),
    ("↑ ↓", "scroll (also PgUp, PgDn, Home, End)"),
    ("Esc", "follow the changes again"),
    ("q", QUIT),
    ("?", "show or hide this list"),
];
/// The effect of the key `q`, if there is a journal.
const QUIT: &str = "end the run; --resume continues it";

/// Everything that is drawn in one frame.
pub struct Frame<'f> {
    pub board: &'f Board,
    pub setup: &'f Setup,
    pub words: &'f Keywords,
    /// The oracle's last run.
    pub heard: Option<&'f CommandRun>,
    pub switches: &'f Switches,
    pub elapsed: Duration,
    /// The number of probes that run now.
    pub under_way: usize,
    pub is_held: bool,
    pub is_ending: bool,
    pub palette: Palette,
}

/// Returns the passes of the table: first those that have run, in order, then the others.
pub fn names(board: &Board, setup: &Setup) -> Vec<String> {
    let ran = board.lines.iter().map(|line| line.name.clone());
    let is_new = |name: &&str| board.lines.iter().all(|line| line.name != *name);
    let others = setup.plan.iter().map(|(name, _)| *name).filter(is_new);
    ran.chain(others.map(str::to_owned)).collect()
}

impl Frame<'_> {
    /// Draws the frame.
    pub fn paint(&self, look: &mut Look, to: &mut ratatui::Frame<'_>) {
        let area = to.area();
        if area.width < TUNING.full_width || area.height < TUNING.full_height {
            return lines(to, area, self.few(area.width));
        }
        let note = u16::from(!self.board.notes.is_empty());
        let [head, sizes, body, notes, foot] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Min(0),
            Constraint::Length(note),
            Constraint::Length(1),
        ])
        .areas(area);
        lines(to, head, vec![self.head(head.width)]);
        lines(to, sizes, vec![self.sizes(sizes.width)]);
        if let Some(note) = self.board.notes.last() {
            let note = code::line(format!("note: {note}").as_bytes(), notes.width as usize);
            lines(to, notes, vec![Line::styled(note, self.palette.warning())]);
        }
        lines(to, foot, vec![self.foot(look, foot.width)]);
        if area.width >= TUNING.two_columns {
            self.two(look, to, body);
        } else {
            self.one(look, to, body);
        }
    }

    /// Draws two columns: the current best and the last steps; the facts, the curve and the passes.
    fn two(&self, look: &mut Look, to: &mut ratatui::Frame<'_>, area: Rect) {
        let facts = self.facts(area.height >= TUNING.described);
        let removed = (area.height / 3).clamp(3, 12);
        let height = area.height.saturating_sub(removed + 1);
        let side = self.side(look, area.width, height, self.side_width(look, &facts));
        let [left, _, right] =
            Layout::horizontal([Constraint::Min(0), Constraint::Length(GAP), Constraint::Length(side)])
                .areas(area);
        let [best, removed] = Layout::vertical([Constraint::Min(0), Constraint::Length(removed)]).areas(left);
        self.pane(look, to, best);
        self.removed(to, removed);
        let facts = self.fact_rows(&facts, right.width);
        let curve = (right.height / 4).clamp(3, 14);
        let [curve, facts_area, passes] = Layout::vertical([
            Constraint::Length(curve),
            Constraint::Length(facts.len() as u16 + 1),
            Constraint::Min(0),
        ])
        .areas(right);
        self.curve(to, curve);
        lines(to, facts_area, facts);
        self.passes(look, to, passes);
    }

    /// Returns the width of the second column: the width that its texts need, unless the lines of the first column
    /// would not fit. It changes only if something is cut.
    fn side(&self, look: &mut Look, width: u16, height: u16, wanted: usize) -> u16 {
        let all = width.saturating_sub(GAP);
        let share = (width * 2 / 5).clamp(TUNING.least_side, TUNING.greatest_side);
        let most = all.saturating_sub(TUNING.least_code).min(TUNING.greatest_side).max(share);
        let wanted = u16::try_from(wanted).unwrap_or(most).clamp(TUNING.least_side, most);
        let code = self.code_width(look, all - TUNING.least_side, height);
        let fits = |&(at, side): &(u16, u16)| at == width && side >= wanted && all - side >= code;
        if let Some((_, side)) = look.side.filter(fits) {
            return side;
        }
        let side = all.saturating_sub(code).clamp(share.min(wanted), wanted);
        look.side = Some((width, side));
        side
    }

    /// Returns the width that the large pane needs for the lines that it shows now, at most `most`.
    fn code_width(&self, look: &Look, most: u16, height: u16) -> u16 {
        let (width, height) = (most as usize - 1, height as usize);
        let longest = |text: &[u8], top: usize| {
            let rows = code::rows(text, top, width, height, self.words);
            let cells = |row: code::Row| row.parts.iter().map(|(_, part)| cells(part)).sum::<usize>();
            rows.into_iter().map(cells).max().unwrap_or(0)
        };
        let longest = match look.pane {
            Pane::Best => {
                let top = look.clone().window(&self.board.best, self.board.place, width, height);
                longest(&self.board.best, top)
            }
            Pane::Output => {
                let output = self.heard.map(written).unwrap_or_default();
                longest(&output, bottom(&output, width, height))
            }
            Pane::Help => KEYS.iter().map(|(_, what)| cells(what) + 7).max().unwrap_or(0),
        };
        u16::try_from(longest + 1).unwrap_or(most).min(most)
    }

    /// Draws one column: the parts that fit, the current best first.
    fn one(&self, look: &mut Look, to: &mut ratatui::Frame<'_>, area: Rect) {
        let most = (area.height / 3).clamp(1, 7) as usize;
        let mut facts = self.fact_rows(&self.facts(false), area.width);
        facts.truncate(most);
        let table = if look.chosen.is_some() { area.height / 2 } else { 0 };
        let curve = if area.height >= 18 && table == 0 { area.height / 5 } else { 0 };
        let removed = if area.height >= 9 && table == 0 { (area.height / 4).clamp(2, 6) } else { 0 };
        let [facts_area, curve, table, best, removed] = Layout::vertical([
            Constraint::Length(facts.len() as u16),
            Constraint::Length(curve),
            Constraint::Length(table),
            Constraint::Min(0),
            Constraint::Length(removed),
        ])
        .areas(area);
        lines(to, facts_area, facts);
        self.curve(to, curve);
        self.passes(look, to, table);
        self.pane(look, to, best);
        self.removed(to, removed);
    }

    /// Returns a few numbers, the most important first.
    fn few(&self, width: u16) -> Vec<Line<'static>> {
        let board = self.board;
        let (unit, before, now) = self.size();
        let less = text::less(before, now);
        let wide = format!("{} {unit} ({less})", text::count(now));
        let first = if wide.chars().count() <= width as usize {
            wide
        } else {
            format!("{} {less}", text::count(now))
        };
        let state = self.state();
        [
            first,
            text::counted(board.counts.probes, "candidate"),
            format!("{} {state}", clock(self.elapsed)),
            board.pass.clone(),
        ]
        .iter()
        .map(|text| Line::raw(code::line(text.as_bytes(), width as usize + 1)))
        .collect()
    }

    fn state(&self) -> &'static str {
        match (self.is_ending, self.is_held) {
            (true, _) => "ending",
            (false, true) => "paused",
            (false, false) => "running",
        }
    }

    /// Returns the unit of the objective, the size before and the size now.
    pub(super) fn size(&self) -> (&'static str, usize, usize) {
        let objective = self.setup.objective;
        (objective.name(), objective.of(self.board.before), objective.of(self.board.now))
    }

    fn head(&self, width: u16) -> Line<'static> {
        let state = self.state();
        let end = format!("{state} {}", clock(self.elapsed));
        let room = (width as usize).saturating_sub(end.len() + 2);
        let title = code::line(self.setup.title.as_bytes(), room.saturating_sub(8));
        let test = code::line(self.setup.test.as_bytes(), room.saturating_sub(10 + cells(&title)));
        let start = vec![
            Span::styled("nubbin  ", BOLD.patch(self.palette.accent())),
            Span::styled(title, BOLD),
            Span::raw("  "),
            Span::styled(test, self.palette.dim()),
        ];
        let style = match state {
            "running" => self.palette.accent(),
            _ => BOLD.add_modifier(Modifier::REVERSED),
        };
        between(
            start,
            vec![Span::styled(state, style), Span::raw(format!(" {}", clock(self.elapsed)))],
            width,
        )
    }

    fn sizes(&self, width: u16) -> Line<'static> {
        let (before, now) = (self.board.before, self.board.now);
        let mut sizes = [
            ("tokens", before.tokens, now.tokens),
            ("bytes", before.bytes, now.bytes),
            ("lines", before.lines, now.lines),
        ];
        sizes.sort_by_key(|(unit, ..)| *unit != self.setup.objective.name());
        let mut shown: Vec<Span<'_>> = Vec::new();
        let mut used = 0;
        for (i, (unit, before, now)) in sizes.into_iter().enumerate() {
            let (from, to) = (format!("{} → ", text::count(before)), text::count(now));
            let rest = format!(" {unit} ({})", text::less(before, now));
            let gap = if i == 0 { "" } else { "   " };
            used += gap.len() + cells(&from) + to.len() + rest.len();
            if used > width as usize && i > 0 {
                break;
            }
            let style = if i == 0 { BOLD } else { Style::new() };
            let dim = self.palette.dim();
            shown.extend([
                Span::raw(gap),
                Span::styled(from, dim),
                Span::styled(to, style),
                Span::styled(rest, dim),
            ]);
        }
        Line::from(shown)
    }

    pub(super) fn rule(&self, title: &str, width: u16) -> Line<'static> {
        let title = code::line(title.as_bytes(), (width as usize).saturating_sub(4));
        let rest = (width as usize).saturating_sub(cells(&title) + 3);
        let dim = self.palette.dim();
        Line::from(vec![
            Span::styled("─ ", dim),
            Span::styled(title, BOLD),
            Span::styled(format!(" {}", "─".repeat(rest)), dim),
        ])
    }

    /// Draws the large pane.
    fn pane(&self, look: &mut Look, to: &mut ratatui::Frame<'_>, area: Rect) {
        if area.height < 2 {
            return;
        }
        let (width, height) = (area.width as usize, area.height as usize - 1);
        match look.pane {
            Pane::Best => {
                let best = &self.board.best;
                let top = look.window(best, self.board.place, width - 1, height);
                let rows = code::rows(best, top, width - 1, height, self.words);
                let from =
                    if top == 0 { String::new() } else { format!(", from {}", share(top, best.len())) };
                let scrolled = if look.top.is_some() { ", scrolled" } else { "" };
                let mut shown = vec![self.rule(&format!("current best{from}{scrolled}"), area.width)];
                shown.extend(self.code(rows, Some(self.board.place)));
                lines(to, area, shown);
            }
            Pane::Output => lines(to, area, self.output(width, height)),
            Pane::Help => {
                let mut shown = vec![self.rule("keys", area.width)];
                let key = |(key, what): (&str, &str)| {
                    let what = if key == "q" && !self.setup.has_journal { "end the run" } else { what };
                    let what = code::line(what.as_bytes(), width.saturating_sub(6));
                    Line::from(vec![Span::styled(format!("{key:>5}  "), BOLD), Span::raw(what)])
                };
                shown.extend(KEYS.map(key));
                lines(to, area, shown);
            }
        }
    }

    /// Returns the lines for rows of a text. The row at `place` is marked.
    fn code(&self, rows: Vec<code::Row>, place: Option<usize>) -> Vec<Line<'static>> {
        let line = |row: code::Row| {
            let is_place = place.is_some_and(|place| row.span.contains(&place));
            let mark = if is_place {
                "▎"
            } else if row.opens {
                " "
            } else {
                "·"
            };
            let style = if is_place { self.palette.warning() } else { self.palette.dim() };
            let parts = row.parts.into_iter().map(|(kind, part)| Span::styled(part, self.palette.of(kind)));
            std::iter::once(Span::styled(mark, style)).chain(parts).collect::<Line<'_>>()
        };
        rows.into_iter().map(line).collect()
    }

    /// Returns the end of the oracle's last output.
    fn output(&self, width: usize, height: usize) -> Vec<Line<'static>> {
        let rule = |title: &str| self.rule(title, width as u16);
        let Some(run) = self.heard else { return vec![rule("oracle: no run yet")] };
        let verdict = match run.verdict {
            Verdict::Interesting => "interesting",
            Verdict::Uninteresting => "passing",
            Verdict::Unresolved(_) => "unresolved",
        };
        let mut shown = vec![rule(&format!(
            "oracle: {verdict}, {}, {}",
            text::ending(run.status),
            text::time(run.elapsed)
        ))];
        let output = written(run);
        if output.is_empty() {
            shown.push(Line::styled(" no output", self.palette.dim()));
            return shown;
        }
        let top = bottom(&output, width - 1, height);
        shown.extend(self.code(code::rows(&output, top, width - 1, height, self.words), None));
        shown
    }

    fn foot(&self, look: &Look, width: u16) -> Line<'static> {
        if let Some(told) = &look.told {
            let told = code::line(told.as_bytes(), width as usize);
            return Line::styled(told, self.palette.warning());
        }
        let pause = if self.is_held { "continue" } else { "pause" };
        let x = if look.chosen.is_some() { "off/on" } else { "off" };
        let scroll = if look.top.is_some() { ("Esc", "follow") } else { ("↑↓", "scroll") };
        let all = [
            ("q", "quit"),
            ("space", pause),
            ("s", "skip"),
            ("x", x),
            ("o", "output"),
            ("Tab", "passes"),
            scroll,
            ("?", "help"),
        ];
        let mut parts = Vec::new();
        let mut used = 0;
        for (key, what) in all {
            used += cells(key) + what.len() + 3;
            if used > width as usize + 2 {
                break;
            }
            parts.extend([Span::styled(key, BOLD), Span::styled(format!(" {what}  "), self.palette.dim())]);
        }
        Line::from(parts)
    }
}

/// Returns the output of a run, without whitespace at its end.
fn written(run: &CommandRun) -> Vec<u8> {
    [&run.stdout[..], &run.stderr[..]].concat().trim_ascii_end().to_vec()
}

/// Returns the beginning of the last rows of a text, as many as fit.
fn bottom(text: &[u8], width: usize, height: usize) -> usize {
    let last = code::row_start(text, text.len().saturating_sub(1), width);
    (1..height).fold(last, |at, _| code::row_before(text, at, width))
}

/// Draws the lines that fit, from the top.
pub(super) fn lines(to: &mut ratatui::Frame<'_>, area: Rect, shown: Vec<Line<'static>>) {
    for (line, row) in shown.into_iter().zip(area.rows()) {
        to.render_widget(line, row);
    }
}

/// Returns a line with one part at each end.
fn between(mut start: Vec<Span<'static>>, end: Vec<Span<'static>>, width: u16) -> Line<'static> {
    let used: usize = start.iter().chain(&end).map(Span::width).sum();
    start.push(Span::raw(" ".repeat((width as usize).saturating_sub(used))));
    start.extend(end);
    Line::from(start)
}

pub(super) fn cells(text: &str) -> usize {
    Span::raw(text).width()
}

/// Returns the position of a window in a text, in percent.
fn share(at: usize, all: usize) -> String {
    format!("{:.0} %", 100.0 * at as f64 / all.max(1) as f64)
}

/// Returns a time as `H:MM:SS` or `M:SS`.
pub(super) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests;
