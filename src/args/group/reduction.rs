//! The options of every reduction, whatever its test is.

use super::{
    EmptyOptions, EndOptions, FlakyOptions, FormatterOptions, HouseOptions, InlineOptions, JournalOptions,
    KeepOptions, LanguageOptions, PassOptions, PreprocessorOptions, ProposeOptions, RunOptions,
    SearchOptions,
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

    /// How much is spent on restarts in the end, which may come out smaller: 0 nothing, 1 a quarter of the probes up
    /// to then, 2 as many again, 3 four times as many.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=3), help_heading = "Result")]
    pub effort: u8,

    #[command(flatten)]
    pub empty: EmptyOptions,
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
    pub ui: ui::UiOptions,
    #[command(flatten)]
    pub house: HouseOptions,
    #[command(flatten)]
    pub language: LanguageOptions,
    #[command(flatten)]
    pub search: SearchOptions,
}
