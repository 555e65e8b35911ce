//! The options of every reduction.

use super::{
    BesideOptions, EmptyOptions, EndOptions, FlakyOptions, FormatterOptions, HouseOptions, InlineOptions,
    JournalOptions, KeepOptions, LanguageOptions, PassOptions, PreprocessorOptions, ProposeOptions,
    RunOptions, SearchOptions,
};
use crate::show::{record, ui};
use clap::{Args, ValueHint};
use std::path::PathBuf;

/// The options about the result.
#[derive(Debug, Args)]
#[group(skip)]
pub struct ResultOptions {
    /// Write the result to FILE (`-`: standard output)
    ///
    /// The default for bug.c is bug.reduced.c. For several files, FILE is a directory. If FILE is an existing directory, the result is written into it.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::AnyPath, help_heading = "Result")]
    pub output: Option<PathBuf>,

    /// Replace FILE, and keep FILE.orig
    ///
    /// The original is kept as FILE.orig. A backup is never overwritten: the next names are FILE.orig.1, FILE.orig.2, …
    #[arg(long, conflicts_with = "output", help_heading = "Result")]
    pub in_place: bool,

    #[command(flatten)]
    pub shape: ShapeOptions,
}

/// The options about the form of the result.
#[derive(Debug, Args)]
#[group(skip)]
pub struct ShapeOptions {
    /// Remove all whitespace that is not needed, instead of a readable result
    #[arg(long, help_heading = "Result")]
    pub compact: bool,

    /// Finally, replace identifiers, numbers and the text of strings and comments
    ///
    /// Each is replaced wherever the failure still reproduces. The summary lists the words of FILE that remain.
    #[arg(long, help_heading = "Result")]
    pub anonymize: bool,

    /// Search longer for a smaller result: 0 to 3, or a factor of the time such as 2x
    ///
    /// Edits that failed earlier are retried, and the reduction restarts from earlier, larger versions. The levels 1, 2
    /// and 3 mean 1.25x, 2x and 5x.
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true, value_parser = effort, help_heading = "Result")]
    pub effort: u32,

    #[command(flatten)]
    pub empty: EmptyOptions,
}

/// Parses an effort, as a level or a factor, and returns the additional time in percent.
fn effort(text: &str) -> Result<u32, String> {
    const WRONG: &str = "not 0, 1, 2, 3, or a factor such as 2x or 1.5x";
    const MOST: f64 = 1000.0;
    let times = match text.trim().strip_suffix(['x', '×']) {
        Some(times) => times.trim_end().parse::<f64>().map_err(|_| WRONG.to_owned())?,
        None => match text.trim() {
            "0" => 1.0,
            "1" => 1.25,
            "2" => 2.0,
            "3" => 5.0,
            _ => return Err(WRONG.to_owned()),
        },
    };
    if !(1.0..=MOST).contains(&times) {
        return Err(format!("{WRONG}; from 1x to {MOST}x"));
    }
    Ok(((times - 1.0) * 100.0).round() as u32)
}

/// The other options.
#[derive(Debug, Args)]
#[group(skip)]
pub struct ReductionOptions {
    #[command(flatten)]
    pub language: LanguageOptions,
    #[command(flatten)]
    pub preprocessor: PreprocessorOptions,
    #[command(flatten)]
    pub inline: InlineOptions,
    #[command(flatten)]
    pub formatter: FormatterOptions,
    #[command(flatten)]
    pub beside: BesideOptions,
    #[command(flatten)]
    pub keep: KeepOptions,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub flaky: FlakyOptions,
    #[command(flatten)]
    pub journal: JournalOptions,
    #[command(flatten)]
    pub ends: EndOptions,
    #[command(flatten)]
    pub records: record::RecordOptions,
    #[command(flatten)]
    pub ui: ui::UiOptions,
    #[command(flatten)]
    pub passes: PassOptions,
    #[command(flatten)]
    pub search: SearchOptions,
    #[command(flatten)]
    pub propose: ProposeOptions,
    #[command(flatten)]
    pub house: HouseOptions,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effort_is_a_level_or_a_number_of_times() {
        for (text, percent) in [("0", 0), ("1", 25), ("2x", 100), ("1.5x", 50), ("3", 400), ("1x", 0)] {
            assert_eq!(effort(text), Ok(percent), "{text}");
        }
        for text in ["", "4", "x", "0.5x", "-1x", "much", "NaNx", "99999x"] {
            assert!(effort(text).is_err(), "{text}");
        }
    }
}
