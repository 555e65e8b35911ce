//! Resolves the options of a reduction.

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

/// Resolves `nubbin SCRIPT FILE…` and `nubbin FILE… -- COMMAND`.
///
/// # Errors
/// Returns an error if the options conflict.
pub(super) fn reduce(mut typed: Reduce, mut context: Context) -> Result<Asked, Failure> {
    test::order(&mut typed.words, &mut context)?;
    suit(&typed.result, &typed.whole)?;
    options::suit(&typed)?;
    let language = typed.whole.language.choice()?;
    let mut tested = match typed.server.command().map(str::to_owned) {
        Some(server) => test::of_server(&server, typed.words, typed.failure, &language)?,
        None => test::test("nubbin", typed.words, typed.failure, &language, &mut context)?,
    };
    if typed.options {
        tested = options::paired(tested, &language)?;
    } else {
        test::has_content(&tested.0)?;
    }
    if typed.server.command().is_some() && typed.server.prestart.is_some_and(|number| number > 0) {
        return Err(
            Failure::usage("`--prestart` and `--server` exclude each other").hint("leave out one of the two")
        );
    }
    match typed.server.prestart {
        Some(number @ 1..) => tested.1.serving = Serving::Ahead(number.into()),
        _ if typed.server.is_off() => tested.1.serving = Serving::Never,
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

/// Checks that the options of a reduction do not conflict.
///
/// # Errors
/// Returns an error if they do.
pub(super) fn suit(result: &ResultOptions, typed: &ReductionOptions) -> Result<(), Failure> {
    let units = unit::units(&typed.search)?;
    if result.shape.compact && typed.formatter.has_command() {
        return Err(Failure::usage("`--compact` and `--formatter` exclude each other")
            .hint("leave out one of the two"));
    }
    suit_units(result, typed, &units)?;
    suit_search(typed, &units)
}

/// Resolves the options that every reduction has, after [`suit`].
///
/// # Errors
/// Returns an error if they conflict.
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
    let proposer = typed.house.limits.proposer();
    let settings = base(tested, language, &typed.run, typed.house, context)?;
    let search = typed.search.search;
    let (propose, limit) = (typed.propose.propose, proposer);
    let (stop_at, until_stalled) = (typed.ends.size(), typed.ends.rate());
    let markers = !typed.keep.no_markers;
    let (keep, keep_function) = typed.keep.parts();
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
            max_probes: typed.ends.bounds.max_candidates,
            stop_at,
            anonymize: result.shape.anonymize,
            until_stalled,
            start: Instant::now(),
            keep,
            keep_function,
            markers,
        },
        formatter: typed.formatter.choice()?,
        preprocessor: typed.preprocessor.choice()?,
        inline: typed.inline.choice(),
        flaky: typed.flaky.confidence(),
        flaky_rate: typed.flaky.rate(),
        journal: journal(&typed.journal),
        ..settings
    };
    let shown = shown(typed.ui, typed.records, &mut settings)?;
    Ok(Asked { settings, shown })
}

/// Refuses options without an effect on a reduction by units.
fn suit_units(result: &ResultOptions, typed: &ReductionOptions, units: &[Unit]) -> Result<(), Failure> {
    let Some(last) = units.last() else { return Ok(()) };
    let of_tree = [
        ("--language", typed.language.has_name()),
        ("--compact", result.shape.compact),
        ("--anonymize", result.shape.anonymize),
        ("--effort", result.shape.effort > 0),
    ];
    let Some((option, _)) = of_tree.into_iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
    let message = format!("`{option}` has no effect with `--unit {}`", last.name());
    Err(Failure::usage(message).hint(format!("leave out `{option}`, or `--unit`")))
}

/// Checks that a published algorithm fits the command and its other options.
fn suit_search(typed: &ReductionOptions, units: &[Unit]) -> Result<(), Failure> {
    let Some(classic) = typed.search.search else { return Ok(()) };
    let name = classic.name();
    match classic {
        Classic::Ddmax => return Err(unit::wrong(classic, unit::MAXIMIZE)),
        Classic::Dd => {
            return Err(unit::wrong(classic, "use `nubbin isolate SCRIPT [PASSING] FAILING`"));
        }
        Classic::Ddmin | Classic::Wdd | Classic::Cdd => {}
    }
    if units.is_empty() {
        let message = format!("`--search {name}` needs `--unit`");
        return Err(Failure::usage(message).hint(
            "add `--unit line`, `token`, `char` or `byte`, or leave out `--search` to reduce by the syntax tree",
        ));
    }
    match not_of_search(typed) {
        None => Ok(()),
        Some(other) => Err(Failure::usage(format!("`--search {name}` cannot be combined with `{other}`"))
            .hint("leave out one of the two")),
    }
}

/// Returns the first given option that the published algorithms do not support.
fn not_of_search(typed: &ReductionOptions) -> Option<&'static str> {
    let given = [
        ("--flaky", typed.flaky.flaky.is_some()),
        ("--only", !typed.passes.only.is_empty()),
        ("--skip", !typed.passes.skip.is_empty()),
        ("--objective", typed.passes.objective != [Objective::default()]),
        ("--stop-at", !typed.ends.stop_at.is_empty()),
        ("--max-candidates", typed.ends.bounds.max_candidates.is_some()),
        ("--also", !typed.beside.also.is_empty()),
        ("--valid", typed.beside.valid),
        ("--metric", typed.beside.metric.is_some()),
        ("--keep", !typed.keep.keep.is_empty()),
        ("no-markers", typed.keep.no_markers),
        ("--formatter", typed.formatter.has_command()),
    ];
    given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
}
