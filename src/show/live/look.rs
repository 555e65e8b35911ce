//! Holds the part of the view that the user looks at: the window, the chosen pass and the open pane. It translates keys
//! into orders.

use super::code;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// The content of the large pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    #[default]
    Best,
    /// The last output of the oracle.
    Output,
    Help,
}

/// The order that a key gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    Nothing,
    /// Skip this pass until the current best changes.
    Skip(String),
    /// Turn this pass off or on.
    Switch(String),
    Pause,
    Quit,
}

/// The part of the view that the user looks at.
#[derive(Clone, Debug, Default)]
pub struct Look {
    pub pane: Pane,
    /// The beginning of the window on the current best, if the user has scrolled; otherwise the window follows the
    /// changes.
    pub top: Option<usize>,
    /// The index of the chosen pass in the table.
    pub chosen: Option<usize>,
    /// The position in the current best at which the window began when it was last drawn.
    pub drawn: usize,
    /// The width of the window in the last frame, in cells.
    pub width: usize,
    /// The height of the window in the last frame, in cells.
    pub height: usize,
    /// The width of the screen and of its second column in the last frame, in cells.
    pub side: Option<(u16, u16)>,
    /// A message about the last order.
    pub told: Option<String>,
}

impl Look {
    /// Returns the order that a key gives. `passes` are the passes of the table.
    pub fn key(&mut self, key: KeyEvent, best: &[u8], passes: &[String], running: &str) -> Order {
        if key.kind == KeyEventKind::Release
            || key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
        {
            return Order::Nothing;
        }
        match key.code {
            KeyCode::Char('s') => return Order::Skip(running.to_owned()),
            KeyCode::Char('x') => {
                let chosen = self.chosen.and_then(|chosen| passes.get(chosen));
                return Order::Switch(chosen.map_or(running, String::as_str).to_owned());
            }
            KeyCode::Char(' ' | 'p') => return Order::Pause,
            KeyCode::Char('q') => return Order::Quit,
            KeyCode::Char('o') => self.toggle(Pane::Output),
            KeyCode::Char('?' | 'h') => self.toggle(Pane::Help),
            KeyCode::Tab => {
                self.chosen = match self.chosen {
                    None if !passes.is_empty() => {
                        Some(passes.iter().position(|pass| pass == running).unwrap_or(0))
                    }
                    _ => None,
                }
            }
            KeyCode::Esc => (self.pane, self.chosen, self.top) = (Pane::Best, None, None),
            code => self.go(code, best, passes.len()),
        }
        Order::Nothing
    }

    fn toggle(&mut self, pane: Pane) {
        self.pane = if self.pane == pane { Pane::Best } else { pane };
    }

    /// Moves the choice of a pass, or the window.
    fn go(&mut self, code: KeyCode, best: &[u8], passes: usize) {
        if let Some(chosen) = &mut self.chosen {
            match code {
                KeyCode::Up | KeyCode::Char('k') => *chosen = chosen.saturating_sub(1),
                KeyCode::Down | KeyCode::Char('j') => *chosen = (*chosen + 1).min(passes.saturating_sub(1)),
                _ => {}
            }
            return;
        }
        let page = self.height.saturating_sub(1).max(1);
        let rows = match code {
            KeyCode::Up | KeyCode::Char('k') => -1,
            KeyCode::Down | KeyCode::Char('j') => 1,
            KeyCode::PageUp => -(page as isize),
            KeyCode::PageDown => page as isize,
            KeyCode::Home => {
                self.top = Some(0);
                return;
            }
            KeyCode::End => {
                self.top = Some(best.len());
                self.scroll(best, -(page as isize));
                return;
            }
            _ => return,
        };
        self.scroll(best, rows);
    }

    /// Moves the window by `rows`. The last row of the current best stays visible.
    fn scroll(&mut self, best: &[u8], rows: isize) {
        let mut top = self.top.unwrap_or(self.drawn).min(best.len());
        for _ in 0..rows.unsigned_abs() {
            if rows < 0 {
                top = code::row_before(best, top, self.width);
            } else {
                let next = code::row_end(best, top, self.width);
                if next >= best.len() {
                    break;
                }
                top = next;
            }
        }
        self.top = Some(top);
    }

    /// Returns the beginning of the window, which shows `place` or the part that the user has scrolled to. The window
    /// moves only if necessary.
    pub fn window(&mut self, best: &[u8], place: usize, width: usize, height: usize) -> usize {
        (self.width, self.height) = (width, height);
        let start = match self.top {
            Some(top) => code::row_start(best, top, width),
            None => self.follow(best, place, width, height),
        };
        self.drawn = start;
        start
    }

    fn follow(&self, best: &[u8], place: usize, width: usize, height: usize) -> usize {
        let row = code::row_start(best, place, width);
        let up = |from: usize, rows: usize| (0..rows).fold(from, |at, _| code::row_before(best, at, width));
        // If there is text above the window, no row below the end of the text is shown.
        let lowest = up(code::row_start(best, best.len().saturating_sub(1), width), height.saturating_sub(1));
        let drawn = code::row_start(best, self.drawn.min(lowest), width);
        let last = up(row, height.saturating_sub(1));
        if drawn <= row && drawn >= last { drawn } else { up(row, height / 3).min(lowest) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(look: &mut Look, code: KeyCode) -> Order {
        let passes = ["delete-nodes", "hoist", "delete-tokens"].map(str::to_owned);
        let best = "line\n".repeat(100);
        look.key(KeyEvent::new(code, KeyModifiers::NONE), best.as_bytes(), &passes, "hoist")
    }

    #[test]
    fn keys_become_orders() {
        let mut look = Look::default();
        assert_eq!(key(&mut look, KeyCode::Char('s')), Order::Skip("hoist".to_owned()));
        assert_eq!(key(&mut look, KeyCode::Char('x')), Order::Switch("hoist".to_owned()));
        assert_eq!(key(&mut look, KeyCode::Char(' ')), Order::Pause);
        assert_eq!(key(&mut look, KeyCode::Char('p')), Order::Pause);
        assert_eq!(key(&mut look, KeyCode::Char('q')), Order::Quit);
        assert_eq!(key(&mut look, KeyCode::Char('o')), Order::Nothing);
        assert_eq!(look.pane, Pane::Output);
        key(&mut look, KeyCode::Char('?'));
        assert_eq!(look.pane, Pane::Help);
        key(&mut look, KeyCode::Esc);
        assert_eq!(look.pane, Pane::Best);
    }

    #[test]
    fn a_pass_is_chosen_in_the_table() {
        let mut look = Look::default();
        key(&mut look, KeyCode::Tab);
        assert_eq!(look.chosen, Some(1));
        for _ in 0..5 {
            key(&mut look, KeyCode::Down);
        }
        assert_eq!(key(&mut look, KeyCode::Char('x')), Order::Switch("delete-tokens".to_owned()));
        key(&mut look, KeyCode::Tab);
        assert_eq!(look.chosen, None);
    }

    #[test]
    fn the_window_scrolls_and_follows() {
        let best = "line\n".repeat(100);
        let best = best.as_bytes();
        let mut look = Look::default();
        assert_eq!(look.window(best, 0, 20, 10), 0);
        // The place is still in the window, so the window stays.
        assert_eq!(look.window(best, 40, 20, 10), 0);
        let moved = look.window(best, 200, 20, 10);
        assert!(moved <= 200 && 200 < moved + 50, "{moved}");
        key(&mut look, KeyCode::Home);
        assert_eq!(look.window(best, 200, 20, 10), 0);
        key(&mut look, KeyCode::PageDown);
        assert_eq!(look.window(best, 200, 20, 10), 45);
        key(&mut look, KeyCode::Up);
        assert_eq!(look.window(best, 200, 20, 10), 40);
        for _ in 0..200 {
            key(&mut look, KeyCode::Down);
        }
        assert_eq!(look.window(best, 200, 20, 10), 495);
        key(&mut look, KeyCode::Esc);
        assert_eq!(look.top, None);
        // The current best is smaller than before.
        assert_eq!(look.window(b"x\n", 0, 20, 10), 0);
        look.top = Some(400);
        assert!(look.window(b"x\n", 0, 20, 10) <= 2);
    }
}
