//! The options about commands beside the test.

use clap::Args;
use nubbin_session::beside::{Beside, OtherCommand};
use nubbin_session::failure::Failure;
use std::path::PathBuf;

/// The conditions that hold besides the failure, and the measure of what is left.
#[derive(Debug, Args)]
#[group(skip)]
pub struct BesideOptions {
    /// A command that has to succeed on each candidate, too, such as 'gcc -Wall -Werror -c {}'; can be given more than once.
    /// The one that says no soonest is asked first.
    #[arg(long, value_name = "COMMAND", help_heading = "What stays true")]
    pub also: Vec<String>,

    /// Each candidate stays valid: the parser or compiler that the language has for that succeeds on it.
    #[arg(long, help_heading = "What stays true")]
    pub valid: bool,

    /// A command that prints a number which is to be small, such as instructions or a depth: no step makes it larger. Of
    /// steps that leave it as it is, those that make FILE smaller count.
    #[arg(long, value_name = "COMMAND", help_heading = "Result")]
    pub objective_command: Option<String>,
}

impl BesideOptions {
    /// Returns the commands; `paths` are those of the inputs.
    pub fn commands(&self, paths: &[PathBuf]) -> Result<Beside, Failure> {
        let command = |typed: &String, option: &str| OtherCommand::new(typed, option, paths);
        let also: Result<_, _> = self.also.iter().map(|typed| command(typed, "--also")).collect();
        let measure = self.objective_command.as_ref();
        let measure = measure.map(|typed| command(typed, "--objective-command")).transpose()?;
        Ok(Beside { also: also?, is_valid: self.valid, measure })
    }
}
