//! The meaning of a reduction's options.

use super::{Asked, Context, base, journal, options, output, shown, test, unit};
use crate::args::Reduce;
use crate::args::group::{ReductionOptions, ResultOptions};
use nubbin_reduce::{Objective, Unit};
use nubbin_session::classic::Classic;
use nubbin_session::control::Control;
use nubbin_session::failure::Failure;
use nubbin_session::propose::Proposers;
use nubbin_session::settings::{Serving, Settings, TestCommand};
use nubbin_session::source::{Input, candidates};
use std::time::Instant;

/// Resolves `nubbin ORACLE FILE…` and `nubbin FILE… -- COMMAND`.
///
/// # Errors
/// Returns an error when the options make no sense together.
pub(super) fn reduce(mut typed: Reduce, mut context: Context) -> Result<Asked, Failure> {
    test::order(&mut typed.words, &mut context)?;
    suit(&typed.result, &typed.whole)?;
    options::suit(&typed)?;
    let language = typed.whole.language.choice()?;
    let mut tested = match typed.server.server {
        Some(server) => test::of_server(&server, typed.words, typed.failure, &language)?,
        None => test::test("nubbin", typed.words, typed.failure, &language, &mut context)?,
    };
    if typed.options {
        tested = options::paired(tested, &language)?;
    }
    match typed.server.prestart {
        Some(number @ 1..) => tested.1.serving = Serving::Ahead(number.into()),
        _ if typed.server.no_server => tested.1.serving = Serving::Never,
        _ => {}
    }
    #[cfg(feature = "remote")]
    let jobs = typed.whole.run.jobs;
    let asked = whole(tested, &typed.result, typed.whole, context);
    #[cfg(feature = "remote")]
    let asked = asked.and_then(|mut asked| {
        super::remote::apply(typed.remote, jobs, &mut asked.settings)?;
        Ok(asked)
    });
    asked
}

/// Makes sure that the options of a reduction make sense together.
///
/// # Errors
/// Returns an error when they do not.
pub(super) fn suit(result: &ResultOptions, typed: &ReductionOptions) -> Result<(), Failure> {
    let units = unit::units(&typed.search)?;
    suit_units(result, typed, &units)?;
    suit_search(typed, &units)
}

/// Resolves the options that every reduction has; they [suit](suit) each other.
///
/// # Errors
/// Returns an error when they make no sense together.
pub(super) fn whole(
    tested: (Input, TestCommand),
    result: &ResultOptions,
    typed: ReductionOptions,
    context: Context,
) -> Result<Asked, Failure> {
    let units = unit::units(&typed.search)?;
    let language = typed.language.choice()?;
    let objective = typed.passes.order()?;
    let beside = typed.beside.commands(&candidates(&tested.0, &language))?;
    let settings = base(tested, language, &typed.run, typed.house, context)?;
    let search = typed.search.search;
    let (propose, limit) = (typed.propose.propose, typed.propose.propose_timeout);
    let mut settings = Settings {
        output: output::of_reduction(result.output.as_deref(), result.in_place, &settings.input)?,
        propose: Proposers::new(&propose, limit, &settings.input, &settings.language, search.is_some())?,
        search,
        beside,
        units,
        allow_empty: result.shape.empty.allow_empty,
        compact: result.shape.compact,
        effort: result.shape.effort,
        control: Control {
            only: typed.passes.only,
            skip: typed.passes.skip,
            objective,
            max_time: typed.ends.bounds.time.max_time,
            max_probes: typed.ends.bounds.max_probes,
            stop_at: typed.ends.stop_at,
            anonymize: result.shape.anonymize,
            until_stalled: typed.ends.until_stalled,
            start: Instant::now(),
            keep: typed.keep.keep,
            keep_function: typed.keep.keep_function,
            markers: !typed.keep.no_markers,
        },
        formatter: typed.formatter.choice()?,
        preprocessor: typed.preprocessor.choice()?,
        inline: typed.inline.choice(),
        flaky: typed.flaky.flaky,
        flaky_rate: typed.flaky.flaky_rate.unwrap_or_default(),
        journal: journal(&typed.journal),
        ..settings
    };
    let shown = shown(typed.ui, typed.records, &mut settings)?;
    Ok(Asked { settings, shown })
}

/// Refuses what has no effect where units are taken away.
fn suit_units(result: &ResultOptions, typed: &ReductionOptions, units: &[Unit]) -> Result<(), Failure> {
    let Some(last) = units.last() else { return Ok(()) };
    let of_tree = [
        ("--language", typed.language.has_name()),
        ("--grammar", typed.language.has_folder()),
        ("--compact", result.shape.compact),
        ("--anonymize", result.shape.anonymize),
        ("--effort", result.shape.effort > 0),
    ];
    let Some((option, _)) = of_tree.into_iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
    let message = format!("`{option}` has no effect with `--unit {}`", last.name());
    Err(Failure::usage(message).hint(format!("leave out `{option}`, or `--unit`")))
}

/// Makes sure that a published algorithm finds what is looked for, and knows what stands beside it.
fn suit_search(typed: &ReductionOptions, units: &[Unit]) -> Result<(), Failure> {
    let Some(classic) = typed.search.search else { return Ok(()) };
    let name = classic.name();
    match classic {
        Classic::Ddmax => return Err(unit::wrong(classic, unit::MAXIMIZE)),
        Classic::Dd => {
            return Err(unit::wrong(classic, "`nubbin isolate ORACLE [PASSING] FAILING` looks for that"));
        }
        Classic::Ddmin | Classic::Wdd | Classic::Cdd => {}
    }
    if units.is_empty() {
        let message = format!("`--search {name}` needs `--unit`: it takes away what is numbered");
        return Err(Failure::usage(message).hint(
            "add `--unit line`, `token`, `char` or `byte`; without `--search` a tree is reduced as well as is known",
        ));
    }
    match not_of_search(typed) {
        None => Ok(()),
        Some(other) => Err(Failure::usage(format!("`--search {name}` does not know `{other}`"))
            .hint("leave out one of the two")),
    }
}

/// Returns the first option that was typed of those that the published algorithms do not know.
fn not_of_search(typed: &ReductionOptions) -> Option<&'static str> {
    let given = [
        ("--flaky", typed.flaky.flaky.is_some()),
        ("--only", !typed.passes.only.is_empty()),
        ("--skip", !typed.passes.skip.is_empty()),
        ("--objective", typed.passes.objective != [Objective::default()]),
        ("--stop-at", typed.ends.stop_at.is_some()),
        ("--until-stalled", typed.ends.until_stalled.is_some()),
        ("--max-probes", typed.ends.bounds.max_probes.is_some()),
        ("--also", !typed.beside.also.is_empty()),
        ("--valid", typed.beside.valid),
        ("--objective-command", typed.beside.objective_command.is_some()),
        ("--keep", !typed.keep.keep.is_empty()),
        ("--keep-function", !typed.keep.keep_function.is_empty()),
        ("--no-markers", typed.keep.no_markers),
        ("--formatter", typed.formatter.has_command()),
    ];
    given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
}
