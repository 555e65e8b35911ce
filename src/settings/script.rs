//! Resolves the options of `nubbin check` and `nubbin init`.

use super::{Context, base, has_jobs, output, test};
use crate::args::group::{CommandOptions, ExclusionOptions, FailureOptions, Words};
use crate::args::{Check, Init, meant};
use nubbin_session::command;
use nubbin_session::failure::Failure;
use nubbin_session::output::Output;
use nubbin_session::settings::Settings;
use nubbin_session::source::candidates;
use std::ffi::OsString;

/// A resolved request to write a script.
#[derive(Debug)]
pub struct Written {
    pub settings: Settings,
    /// The second command that builds a program, for wrong code.
    pub second: Option<Vec<OsString>>,
}

/// Resolves `nubbin check SCRIPT FILE…`.
///
/// # Errors
/// Returns an error if the options conflict.
pub fn check(mut typed: Check, mut context: Context) -> Result<Settings, Failure> {
    test::order(&mut typed.words, &mut context)?;
    let language = typed.language.choice()?;
    let tested = test::test("nubbin check", typed.words, typed.failure, &language, &mut context)?;
    has_jobs(&typed.run)?;
    let settings = base(tested, language, &typed.run, typed.house, context)?;
    let allow_empty = typed.empty.allow_empty;
    Ok(Settings { output: Output::Stdout, allow_empty, is_run: false, ..settings })
}

/// Resolves `nubbin init FILE -- COMMAND`.
///
/// # Errors
/// Returns an error if the options conflict.
pub fn init(mut typed: Init, mut context: Context) -> Result<Written, Failure> {
    meant::quoted(&mut typed.command, &context.words)?;
    if typed.command.is_empty() {
        return Err(
            Failure::usage("the command is missing").hint("`nubbin init [OPTIONS] FILE -- COMMAND {}`")
        );
    }
    let language = typed.language.choice()?;
    let words = Words { first: None, rest: typed.files, command: typed.command };
    let exclusions = ExclusionOptions::default();
    let command = CommandOptions { ending: typed.ending, exclusions, hang: typed.hang };
    let failure = FailureOptions { command, second: typed.second };
    let tested = test::test("nubbin init", words, failure, &language, &mut context)?;
    has_jobs(&typed.run)?;
    let settings = base(tested, language, &typed.run, typed.house, context)?;
    let output = output::of_script(typed.output.as_deref(), &settings.input)?;
    let paths = candidates(&settings.input, &settings.language);
    let second = typed.wrong_code.map(|second| command::split(&second)).transpose()?;
    let second = second.map(|words| command::resolve(&words, &paths));
    let allow_empty = typed.empty.allow_empty;
    Ok(Written { settings: Settings { output, allow_empty, is_run: false, ..settings }, second })
}
