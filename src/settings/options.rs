//! Resolves reductions of the options of a command, alone or in turns with a file.

use super::{Asked, Context, base, journal, shown, test};
use crate::args::{self, Options, Reduce, meant};
use nubbin_oracle::command::holds_placeholder;
use nubbin_reduce::Unit;
use nubbin_session::command;
use nubbin_session::control::Control;
use nubbin_session::failure::Failure;
use nubbin_session::language::LanguageChoice;
use nubbin_session::options::{Choices, Paired};
use nubbin_session::settings::{Settings, TestCommand};
use nubbin_session::source::Input;

/// Resolves `nubbin options -- COMMAND`.
///
/// # Errors
/// Returns an error if the command has no options or does not exist.
pub(super) fn alone(mut typed: Options, context: Context) -> Result<Asked, Failure> {
    meant::quoted(&mut typed.command, &context.words)?;
    if typed.command.is_empty() {
        return Err(Failure::usage("the command is missing").hint(args::options::LINE));
    }
    let fixed = fixed(&typed)?;
    let choices = Choices::new(command::resolve(&typed.command, &[]), fixed, typed.env, typed.invert)?;
    choices.has_program()?;
    let test = test::failing(choices.oracle(), &typed.command, typed.failure.into());
    let tested = (Input::Options(choices), test);
    let settings = base(tested, LanguageChoice::Detect, &typed.run, typed.house, context)?;
    let mut settings = Settings {
        units: vec![Unit::Line],
        allow_empty: typed.empty.allow_empty,
        flaky: typed.flaky.confidence(),
        flaky_rate: typed.flaky.rate(),
        journal: journal(&typed.journal),
        control: Control {
            max_time: typed.bounds.time.max_time,
            max_probes: typed.bounds.max_candidates,
            ..Control::default()
        },
        ..settings
    };
    let shown = shown(typed.ui, typed.records, &mut settings)?;
    Ok(Asked { settings, shown })
}

/// Returns the positions of the fixed arguments of the command.
fn fixed(typed: &Options) -> Result<Vec<usize>, Failure> {
    let arguments = || typed.command.iter().enumerate().skip(1);
    if let Some(missing) = typed.fixed.iter().find(|word| !arguments().any(|(_, other)| other == *word)) {
        let message = format!("`--fixed {}`: the command has no such argument", missing.display());
        return Err(Failure::usage(message).hint("write it exactly as in the command, such as `--fixed=-O2`"));
    }
    Ok(arguments().filter(|(_, word)| typed.fixed.contains(word)).map(|(at, _)| at).collect())
}

/// Refuses options that cannot be combined with `--options`.
///
/// # Errors
/// Returns an error that names the option.
pub(super) fn suit(typed: &Reduce) -> Result<(), Failure> {
    if !typed.options {
        return Ok(());
    }
    let whole = &typed.whole;
    let given = [
        ("--server", typed.server.command().is_some()),
        ("--prestart", typed.server.prestart.is_some_and(|number| number > 0)),
        ("--in-place", typed.result.in_place),
        ("--here", whole.house.around.here),
        ("--search", whole.search.search.is_some()),
        ("--propose", !whole.propose.propose.is_empty()),
        ("--differs-from", typed.failure.other().is_some()),
        ("--slower-than", typed.failure.slower().is_some()),
    ];
    if let Some((option, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::usage(format!("`{option}` cannot be combined with `--options`"))
            .hint("reduce the file first, then the options with `nubbin options -- COMMAND OPTION…`"));
    }
    if typed.words.command.is_empty() {
        return Err(Failure::usage("`--options` needs a command instead of a script")
            .hint("the command follows the file and `--`:\n  nubbin --options FILE -- COMMAND OPTION… {}"));
    }
    Ok(())
}

/// Combines a file with the options of its command.
///
/// # Errors
/// Returns an error if there is more than one file, or if the command has no removable options.
pub(super) fn paired(
    (input, mut test): (Input, TestCommand),
    language: &LanguageChoice,
) -> Result<(Input, TestCommand), Failure> {
    if input.is_several() {
        return Err(Failure::usage("`--options` supports one file only")
            .hint("reduce the files first, then the options with `nubbin options -- COMMAND OPTION…`"));
    }
    if command::is_shell_line(&test.words) {
        return Err(Failure::usage(format!(
            "`--options` cannot change the options in the shell command `{}`",
            test.label
        ))
        .hint("give the command without a shell: nubbin --options FILE -- COMMAND OPTION… {}"));
    }
    if !test.words.iter().any(|word| holds_placeholder(word, false)) {
        test.words.push("{}".into());
    }
    let choices = Choices::beside_file(test.words.clone())?;
    choices.has_program()?;
    Ok((Input::WithOptions(Box::new(Paired::new(input, choices, language))), test))
}
