//! The options of every reduction, whatever its test is.

use super::{
    BesideOptions, EmptyOptions, EndOptions, FlakyOptions, FormatterOptions, HouseOptions, InlineOptions,
    JournalOptions, KeepOptions, LanguageOptions, PassOptions, PreprocessorOptions, ProposeOptions,
    RunOptions, SearchOptions,
};
use crate::show::{record, ui};
use clap::Args;
use std::path::PathBuf;

/// The options about the result.
#[derive(Debug, Args)]
#[group(skip)]
pub struct ResultOptions {
    /// Where the result goes [default: FILE with `.reduced` before its extension]; `-` is standard output. For
    /// several files it is a directory.
    #[arg(short, long, value_name = "FILE", help_heading = "Result")]
    pub output: Option<PathBuf>,

    /// Replace FILE itself, and keep it as FILE.orig (or FILE.orig.1, …; a backup is never overwritten).
    #[arg(long, conflicts_with = "output", help_heading = "Result")]
    pub in_place: bool,

    #[command(flatten)]
    pub shape: ShapeOptions,
}

/// The options about how small the result is.
#[derive(Debug, Args)]
#[group(skip)]
pub struct ShapeOptions {
    /// Squeeze whitespace too, where that helps; by default the result stays readable.
    #[arg(long, help_heading = "Result")]
    pub compact: bool,

    /// Replace names, words of strings and comments, and numbers in the end, as far as the failure stays, so that the result
    /// may be shown to others; the summary says which words of FILE are left.
    #[arg(long, help_heading = "Result")]
    pub anonymize: bool,

    /// The effort in all, such as `2x`: the run takes about twice as long as it would. What failed in a larger text is tried
    /// once more, and what is left is tried from earlier bests, which may come out smaller. 0 is nothing more, 1 a quarter (1.25x), 2 as much again (2x), 3 four times as
    /// much (5x).
    #[arg(long, value_name = "N", default_value = "0", value_parser = effort, help_heading = "Result")]
    pub effort: u32,

    #[command(flatten)]
    pub empty: EmptyOptions,
}

/// Parses an effort: a level, or how many times as long a run may take; it is what comes on top, in percent.
fn effort(text: &str) -> Result<u32, String> {
    const WRONG: &str = "0, 1, 2, 3, or how many times as long as without, such as 2x or 1.5x";
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

/// The other ones.
#[derive(Debug, Args)]
#[group(skip)]
pub struct ReductionOptions {
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub flaky: FlakyOptions,
    #[command(flatten)]
    pub journal: JournalOptions,
    #[command(flatten)]
    pub formatter: FormatterOptions,
    #[command(flatten)]
    pub preprocessor: PreprocessorOptions,
    #[command(flatten)]
    pub inline: InlineOptions,
    #[command(flatten)]
    pub records: record::RecordOptions,
    #[command(flatten)]
    pub propose: ProposeOptions,
    #[command(flatten)]
    pub passes: PassOptions,
    #[command(flatten)]
    pub ends: EndOptions,
    #[command(flatten)]
    pub keep: KeepOptions,
    #[command(flatten)]
    pub beside: BesideOptions,
    #[command(flatten)]
    pub ui: ui::UiOptions,
    #[command(flatten)]
    pub house: HouseOptions,
    #[command(flatten)]
    pub language: LanguageOptions,
    #[command(flatten)]
    pub search: SearchOptions,
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
