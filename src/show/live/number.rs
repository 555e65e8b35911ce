//! Prepares the numbers of a frame: facts, the curve, the passes, and the last steps.
//!
//! It does not decide their places on the screen.

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

impl Frame<'_> {
    /// Returns the numbers, each with its name; the most important first.
    pub(super) fn facts(&self, width: u16) -> Vec<Line<'static>> {
        let board = self.board;
        let counts = board.counts;
        let rate = board
            .rate()
            .map_or_else(|| text::rate(counts.probes, self.elapsed), |rate| format!("{}/s", round(rate)));
        let mut facts = vec![("probes", format!("{}, {rate}", text::count(counts.probes)))];
        facts.push(("pass", self.running()));
        let since = counts.probes.saturating_sub(board.found_at);
        facts.push(("last find", format!("{} ago", text::counted(since, "probe"))));
        facts.push(("left", self.left()));
        let cache =
            [(counts.cached, "known"), (counts.alike, "but for blanks"), (counts.rejected, "not parsed")];
        let cache = cache.map(|(number, what)| format!("{} {what}", text::count(number))).join(", ");
        facts.push(("no probe", cache));
        let jobs =
            if self.setup.jobs == 1 { "1 job".to_owned() } else { format!("{} jobs", self.setup.jobs) };
        facts.push(("workers", format!("{jobs}, {} under way", self.under_way.min(self.setup.jobs))));
        if let Some((part, runs)) = board.flaky {
            facts.push(("flaky", text::share(part, runs)));
        }
        facts.push(("result", self.setup.place.clone()));
        let fact = |(name, fact): (&str, String)| {
            let fact = code::line(fact.as_bytes(), (width as usize).saturating_sub(10));
            Line::from(vec![Span::styled(format!("{name:10}"), self.palette.dim()), Span::raw(fact)])
        };
        facts.into_iter().map(fact).collect()
    }

    /// Returns the running pass, and the progress in the plan.
    pub(super) fn running(&self) -> String {
        let pass = &self.board.pass;
        match pass::by_name(board::bare(pass)) {
            _ if pass.is_empty() => "none yet".to_owned(),
            Some(known) => format!("{pass}: {}", known.about),
            _ if board::bare(pass) == "sweep" => format!("{pass}: the proof"),
            None => pass.clone(),
        }
    }

    /// Describes the work that is left, as far as it is known.
    pub(super) fn left(&self) -> String {
        let rate = self.board.rate().filter(|rate| *rate > 0.0);
        let time = |probes: usize| {
            let seconds = rate.map(|rate| (probes as f64 / rate).min(1e7));
            seconds.map_or(String::new(), |seconds| format!(", {}", clock(Duration::from_secs_f64(seconds))))
        };
        match self.board.left(self.setup) {
            None => "not known yet".to_owned(),
            Some(Left::AtMost(probes)) => {
                format!("at most {}{}", text::counted(probes, "probe"), time(probes))
            }
            Some(Left::AtLeast(probes)) => {
                format!("at least {}{}", text::counted(probes, "probe"), time(probes))
            }
            Some(Left::About(Estimate { probes, least, most })) => {
                let [about, least, most] = [probes, least, most].map(text::count);
                format!("about {about} probes{} ({least}–{most})", time(probes))
            }
        }
    }

    pub(super) fn curve(&self, to: &mut ratatui::Frame<'_>, area: Rect) {
        if area.height < 3 {
            return;
        }
        let (unit, before, now) = self.size();
        let title = format!("{unit} over probes, log");
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

    /// Draws the pass table.
    pub(super) fn passes(&self, look: &Look, to: &mut ratatui::Frame<'_>, area: Rect) {
        if area.height < 3 {
            return;
        }
        let width = area.width as usize;
        let name_width = width.saturating_sub(27).clamp(6, 24);
        let columns = |name: &str, columns: [String; 4]| {
            let [runs, probes, accepted, tokens] = columns;
            let name: String = name.chars().take(name_width).collect();
            format!("{name:name_width$}{runs:>5}{probes:>8}{accepted:>6}{tokens:>8}")
        };
        let head = columns("pass", ["runs", "probes", "kept", "tokens"].map(str::to_owned));
        let names = names(self.board, self.setup);
        let room = area.height as usize - 2;
        let running = board::bare(&self.board.pass);
        let shown = look.chosen.or_else(|| names.iter().position(|name| name == running)).unwrap_or(0);
        let from = (shown + 1).saturating_sub(room);
        let mut rows = vec![self.rule("passes", area.width), Line::styled(head, self.palette.dim())];
        let none = Pass::default();
        for (i, name) in names.iter().enumerate().skip(from).take(room) {
            let line = self.board.lines.iter().find(|line| line.name == *name).unwrap_or(&none);
            let numbers = [line.runs, line.probes, line.accepted, line.tokens].map(text::count);
            let mut row = columns(name, numbers);
            let mut style = if name == running {
                BOLD.patch(self.palette.accent())
            } else if line.runs == 0 || line.tokens == 0 {
                self.palette.dim()
            } else {
                Style::new()
            };
            if self.switches.is_off(name) {
                row = format!("{name:name_width$} off");
                style = self.palette.warning();
            }
            if look.chosen == Some(i) {
                row = format!("{row:width$}");
                style = style.add_modifier(Modifier::REVERSED);
            }
            rows.push(Line::styled(row, style));
        }
        lines(to, area, rows);
    }

    /// Draws the last removals, the latest first.
    pub(super) fn removed(&self, to: &mut ratatui::Frame<'_>, area: Rect) {
        if area.height < 2 {
            return;
        }
        let mut shown =
            vec![self.rule(&format!("removed in {}", text::counted(self.board.taken, "step")), area.width)];
        let steps = self.board.steps.iter().rev().take(area.height as usize - 1);
        shown.extend(steps.enumerate().map(|(i, step)| self.step(step, i == 0, area.width as usize)));
        lines(to, area, shown);
    }

    pub(super) fn step(&self, step: &Taken, is_last: bool, width: usize) -> Line<'static> {
        let gain = if step.tokens > 0 {
            format!("{:>9} ", format!("-{}", text::count(step.tokens)))
        } else {
            format!("{:>9} ", format!("-{} B", text::count(step.bytes)))
        };
        let name_width = (width / 4).clamp(10, 24);
        let pass: String = step.pass.chars().take(name_width).collect();
        let room = width.saturating_sub(name_width + 11);
        let new = code::line(&step.new, room / 2);
        let old =
            code::line(&step.old, room.saturating_sub(if new.is_empty() { 0 } else { cells(&new) + 3 }));
        let mut parts = vec![
            Span::styled(format!("{pass:name_width$} "), self.palette.dim()),
            Span::styled(gain, if is_last { BOLD } else { self.palette.dim() }),
            Span::styled(old, self.palette.removed(is_last)),
        ];
        if !new.is_empty() {
            parts.extend([Span::styled(" → ", self.palette.dim()), Span::styled(new, self.palette.accent())]);
        }
        Line::from(parts)
    }
}

fn round(rate: f64) -> String {
    if rate < 10.0 { format!("{rate:.1}") } else { text::count(rate.round() as usize) }
}
