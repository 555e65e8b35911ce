//! Defines the styles of the view, with colours and without.
//!
//! Other modules decide what is drawn in these styles. The program does not know the background of the terminal. Of the
//! sixteen colours, only red and magenta can be read on black, on white and on both backgrounds of Solarized, where the
//! bright colours are shades of the background. Everything else uses bold and dim text in the terminal's own colour.

use super::code::Highlight;
use ratatui::style::{Color, Modifier, Style};
use std::ffi::OsStr;

/// The styles of the view.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    pub(super) has_colours: bool,
}

impl Palette {
    /// Makes the palette from the variable `NO_COLOR`.
    pub fn new(no_colour: Option<&OsStr>) -> Self {
        Self { has_colours: no_colour.is_none_or(OsStr::is_empty) }
    }

    pub(super) fn colour(self, colour: Color) -> Style {
        if self.has_colours { Style::new().fg(colour) } else { Style::new() }
    }

    /// Returns the style of parts that matter more.
    pub(super) fn accent(self) -> Style {
        self.colour(Color::Magenta)
    }

    /// Returns the style of parts that should be seen.
    pub(super) fn warning(self) -> Style {
        self.colour(Color::Red)
    }

    /// Returns the style of parts that matter less.
    #[expect(clippy::unused_self, reason = "all styles are the palette's")]
    pub(super) fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(super) fn of(self, kind: Highlight) -> Style {
        match kind {
            Highlight::Plain | Highlight::Call => Style::new(),
            Highlight::Keyword => BOLD,
            Highlight::Number | Highlight::Text => self.accent(),
            Highlight::Comment | Highlight::Control => self.dim(),
        }
    }

    pub(super) fn removed(self, is_last: bool) -> Style {
        let style = if is_last { self.colour(Color::Red) } else { self.dim() };
        style.add_modifier(Modifier::CROSSED_OUT)
    }
}

/// The style of bold text.
pub(super) const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
