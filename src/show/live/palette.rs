//! Defines the styles of the view, with colours and without.
//!
//! The background of the terminal is not known. Of the sixteen colours, only red and magenta are readable on black, on
//! white and on both backgrounds of Solarized, where the bright colours are shades of the background. Everything else is
//! bold or dim text in the default colour of the terminal.

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

    /// Returns the style of important parts.
    pub(super) fn accent(self) -> Style {
        self.colour(Color::Magenta)
    }

    /// Returns the style of warnings.
    pub(super) fn warning(self) -> Style {
        self.colour(Color::Red)
    }

    /// Returns the style of less important parts.
    #[expect(clippy::unused_self, reason = "all styles belong to the palette")]
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
