//! Decides how progress is shown: the option, and its default.

use clap::{Args, ValueEnum};
use nubbin_session::voice::Voice;
use std::io::IsTerminal;

/// The options of the command line.
#[derive(Clone, Copy, Debug, Args)]
#[group(skip)]
pub struct UiOptions {
    /// Progress on standard error: plain, live or none
    ///
    /// The default on a terminal is a line, and a full-screen view after five seconds; elsewhere, a line from time to
    /// time.
    #[arg(long, value_name = "UI", hide_possible_values = true, value_parser = clap::builder::EnumValueParser::<Ui>::new())]
    ui: Option<Ui>,
}

/// The form of progress: `plain`, `live` or `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Ui {
    /// A line that is updated on a terminal, lines elsewhere
    Plain,
    /// A full-screen view
    Live,
    /// No progress
    None,
}

/// The decision on how progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    Nothing,
    Lines,
    /// A full-screen view, immediately or after some seconds.
    View {
        at_once: bool,
    },
}

impl UiOptions {
    /// Returns this option if it was given, or else the option of an earlier command line.
    pub fn or(self, earlier: Self) -> Self {
        Self { ui: self.ui.or(earlier.ui) }
    }

    /// Decides how progress is shown.
    pub fn show(self, voice: &Voice) -> Show {
        let can_draw = std::io::stderr().is_terminal() && has_cursor(std::env::var_os("TERM").as_deref());
        decide(self.ui, voice.is_quiet(), can_draw)
    }

    /// Returns a note if the requested form is impossible, with the reason.
    pub fn note(self, show: Show) -> Option<String> {
        (self.ui == Some(Ui::Live) && !matches!(show, Show::View { .. })).then(|| {
            "`--ui live` needs a terminal on standard error; progress is printed as lines".to_owned()
        })
    }
}

/// Tells whether a terminal of this type can move its cursor.
fn has_cursor(kind: Option<&std::ffi::OsStr>) -> bool {
    kind.is_some_and(|kind| kind != "dumb" && !kind.is_empty())
}

fn decide(asked: Option<Ui>, is_quiet: bool, can_draw: bool) -> Show {
    match (asked, is_quiet) {
        (Some(Ui::None), _) | (None, true) => Show::Nothing,
        (Some(Ui::Live), _) if can_draw => Show::View { at_once: true },
        (None, _) if can_draw => Show::View { at_once: false },
        _ => Show::Lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_view_needs_a_terminal_and_quiet_shows_nothing() {
        let (view, soon) = (Show::View { at_once: true }, Show::View { at_once: false });
        for (asked, is_quiet, can_draw, show) in [
            (None, false, true, soon),
            (None, false, false, Show::Lines),
            (None, true, true, Show::Nothing),
            (Some(Ui::Live), false, true, view),
            (Some(Ui::Live), true, true, view),
            (Some(Ui::Live), false, false, Show::Lines),
            (Some(Ui::Plain), false, true, Show::Lines),
            (Some(Ui::None), false, true, Show::Nothing),
        ] {
            assert_eq!(decide(asked, is_quiet, can_draw), show, "{asked:?} {is_quiet} {can_draw}");
        }
        assert!(has_cursor(Some("xterm".as_ref())));
        assert!(!has_cursor(Some("dumb".as_ref())) && !has_cursor(None));
    }
}
