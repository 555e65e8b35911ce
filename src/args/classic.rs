//! The option that names a published algorithm, and what makes no sense beside it.

use crate::args::mode::Mode;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use nubbin_reduce::Unit;
use nubbin_session::classic::Classic;
use nubbin_session::failure::Failure;

/// What was typed.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub struct Typed {
    /// Search as published: `ddmin`, `wdd` or `cdd` for a reduction by `--unit`; `dd` or one of those for `isolate`; `ddmax`
    /// for `maximize`. As a rule the best one that is known is taken.
    #[arg(long, value_name = "ALGORITHM", value_parser = algorithms(), help_heading = "Passes")]
    pub search: Option<Classic>,
}

/// Returns the names of the algorithms.
fn algorithms() -> impl TypedValueParser<Value = Classic> {
    let known = |name: String| Classic::ALL.into_iter().find(|one| one.name() == name).ok_or("no algorithm");
    let value = |one: Classic| PossibleValue::new(one.name()).help(one.about());
    PossibleValuesParser::new(Classic::ALL.map(value)).try_map(known)
}

/// The options that make no sense beside it for a reduction.
const NOT_BESIDE: [&str; 12] = [
    "flaky",
    "allow_empty",
    "only",
    "skip",
    "objective",
    "stop_at",
    "max_probes",
    "keep",
    "keep_function",
    "no_markers",
    "formatter",
    "dump_deltas",
];

/// Makes sure that the algorithm finds what is looked for.
pub fn check(args: &super::Args, units: &[Unit]) -> Result<(), Failure> {
    let Some(classic) = args.classic.search else { return Ok(()) };
    let name = classic.name();
    let wrong = |what: &str, hint: &str| Err(Failure::usage(format!("`--search {name}` {what}")).hint(hint));
    let makes = match classic {
        Classic::Dd => "finds a difference between two texts",
        Classic::Ddmax => "finds a largest part that passes",
        Classic::Ddmin | Classic::Wdd | Classic::Cdd => "finds a small part that fails",
    };
    match (args.mode, classic) {
        (Mode::Isolate | Mode::Input, Classic::Ddmax) => {
            wrong(makes, "`nubbin maximize ORACLE FILE` looks for that")
        }
        (Mode::Maximize, Classic::Ddmax) | (Mode::Isolate, _) => Ok(()),
        (Mode::Maximize, _) => wrong(makes, "`nubbin maximize` takes `ddmax`, with or without `--search`"),
        (Mode::Input, Classic::Dd) => {
            wrong(makes, "`nubbin isolate ORACLE [PASSING] FAILING` looks for that")
        }
        (Mode::Input, _) if units.is_empty() => wrong(
            "needs `--unit`: it takes away what is numbered",
            "add `--unit line`, `token`, `char` or `byte`; without `--search` a tree is reduced as well as is known",
        ),
        _ => match args.given.iter().find(|given| NOT_BESIDE.contains(&given.as_str())) {
            None => Ok(()),
            Some(other) => {
                let other = other.replace('_', "-");
                wrong(&format!("does not know `--{other}`"), "leave out one of the two")
            }
        },
    }
}
