//! Resolves the options of `nubbin isolate` and `nubbin maximize`.

use super::{Context, base, journal, output, test, unit};
use crate::args::group::Words;
use crate::args::{Isolate, Maximize};
use nubbin_oracle::command::holds_placeholder;
use nubbin_session::classic::Classic;
use nubbin_session::control::Control;
use nubbin_session::failure::Failure;
use nubbin_session::isolate::Goal;
use nubbin_session::language::LanguageChoice;
use nubbin_session::settings::Settings;
use nubbin_session::text;
use std::ffi::OsString;
use std::path::PathBuf;

/// Resolves `nubbin isolate SCRIPT [PASSING] FAILING`.
///
/// # Errors
/// Returns an error if the options conflict.
pub(super) fn isolate(mut typed: Isolate, mut context: Context) -> Result<Settings, Failure> {
    test::order(&mut typed.words, &mut context)?;
    let units = unit::units(&typed.search)?;
    let search = typed.search.search;
    if let Some(classic @ Classic::Ddmax) = search {
        return Err(unit::wrong(classic, unit::MAXIMIZE));
    }
    let passing = passing(&mut typed.words)?;
    let command = &typed.words.command;
    if let Some(named) =
        passing.as_ref().filter(|passing| command.iter().any(|word| word == passing.as_os_str()))
        && !command.iter().any(|word| holds_placeholder(word, false))
    {
        let exchange = |word: &OsString| if word == named.as_os_str() { "{}".into() } else { word.clone() };
        let end = context.words.iter().position(|word| word == "--").unwrap_or_default();
        let (before, command) = context.words.split_at(end);
        let command: Vec<OsString> = command.iter().map(exchange).collect();
        let message = format!("the command names `{}`, the passing file", named.display());
        let line = text::words(&[before, &command].concat());
        return Err(
            Failure::usage(message).hint(format!("write `{{}}` for the tested file:\n  nubbin {line}"))
        );
    }
    let goal = Some(Goal::Isolate(passing));
    let language = LanguageChoice::Detect;
    let tested = test::test("nubbin isolate", typed.words, typed.failure, &language, &mut context)?;
    let settings = base(tested, language, &typed.run, typed.house, context)?;
    let output = output::of_difference(typed.output.as_deref(), &settings.input)?;
    let control = Control { max_time: typed.time.max_time, ..Control::default() };
    Ok(Settings { output, goal, search, units, control, journal: journal(&typed.journal), ..settings })
}

/// Resolves `nubbin maximize SCRIPT FILE`.
///
/// # Errors
/// Returns an error if the options conflict.
pub(super) fn maximize(mut typed: Maximize, mut context: Context) -> Result<Settings, Failure> {
    test::order(&mut typed.words, &mut context)?;
    let units = unit::units(&typed.search)?;
    let search = typed.search.search;
    if let Some(classic) = search.filter(|classic| *classic != Classic::Ddmax) {
        return Err(unit::wrong(classic, "`nubbin maximize` supports `ddmax` only"));
    }
    let (goal, language) = (Some(Goal::Maximize), LanguageChoice::Detect);
    let tested = test::test("nubbin maximize", typed.words, typed.failure, &language, &mut context)?;
    let settings = base(tested, language, &typed.run, typed.house, context)?;
    let output = output::of_difference(typed.output.as_deref(), &settings.input)?;
    let control = Control { max_time: typed.time.max_time, ..Control::default() };
    Ok(Settings { output, goal, search, units, control, journal: journal(&typed.journal), ..settings })
}

/// Removes and returns the passing file, the first of two.
fn passing(typed: &mut Words) -> Result<Option<PathBuf>, Failure> {
    let is_command = !typed.command.is_empty();
    let files = typed.rest.len() + usize::from(is_command && typed.first.is_some());
    let passing = match (files, is_command) {
        (2, true) => std::mem::replace(&mut typed.first, typed.rest.pop()),
        (2, false) => Some(typed.rest.remove(0)),
        (0 | 1, _) => None,
        _ => {
            let message = "too many files: expected one that passes and one that fails";
            return Err(Failure::usage(message));
        }
    };
    Ok(passing.map(PathBuf::from))
}
