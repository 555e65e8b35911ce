//! The options about further commands: constraints, and a metric.

use clap::{Args, ValueHint};
use nubbin_session::beside::{Beside, OtherCommand};
use nubbin_session::failure::Failure;
use std::path::PathBuf;

/// The constraints on candidates, and the metric to minimize.
#[derive(Debug, Args)]
#[group(skip)]
pub struct BesideOptions {
    /// A command that must succeed on each candidate, such as 'gcc -Werror -c {}'; repeatable
    ///
    /// The check that rejects candidates fastest runs first.
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString, help_heading = "Constraints")]
    pub also: Vec<String>,

    /// Accept only candidates that the language's parser or compiler accepts
    #[arg(long, help_heading = "Constraints")]
    pub valid: bool,

    /// A command that prints a number to minimize, before the size of FILE
    ///
    /// Such as a number of instructions. No step increases the number. Among equal numbers, the smaller FILE is better.
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString, help_heading = "Result")]
    pub metric: Option<String>,
}

impl BesideOptions {
    /// Returns the commands; `paths` are those of the inputs.
    pub fn commands(&self, paths: &[PathBuf]) -> Result<Beside, Failure> {
        let command = |typed: &String, option: &str| OtherCommand::new(typed, option, paths);
        let also: Result<_, _> = self.also.iter().map(|typed| command(typed, "--also")).collect();
        let measure = self.metric.as_ref();
        let measure = measure.map(|typed| command(typed, "--metric")).transpose()?;
        Ok(Beside { also: also?, is_valid: self.valid, measure })
    }
}
