//! The options of a reduction, under the names that the program uses.
//!
//! Omitted options have the defaults of the other crates.

use crate::failure;
use nubbin_oracle::Confidence;
use nubbin_reduce::{Objective, Order, Reduction, Unit, pass};
use nubbin_session::Failure;
use nubbin_session::beside::{Beside, OtherCommand};
use nubbin_session::control::{Control, Small, Time};
use nubbin_session::inline::InlineChoice;
use nubbin_session::language::{Chosen, LanguageChoice};
use nubbin_session::program::ProgramChoice;
use pyo3::prelude::*;
use regex::bytes::Regex;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The options of a reduction.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option that a caller gives or not")]
pub struct Options {
    language: Option<String>,
    grammar: Option<PathBuf>,
    units: Vec<String>,
    pub jobs: usize,
    pub timeout: Option<f64>,
    pub allow_empty: bool,
    pub compact: bool,
    pub effort: u32,
    anonymize: bool,
    objective: Vec<String>,
    only: Vec<String>,
    skip: Vec<String>,
    max_probes: Option<u64>,
    max_time: Option<f64>,
    stop_at: Option<(usize, Option<String>)>,
    flaky: Option<f64>,
    keep: Vec<String>,
    keep_function: Vec<String>,
    /// The sandbox of a command: `auto`, `strict` or `off`.
    pub sandbox: String,
    formatter: bool,
    preprocessor: bool,
    inline: Option<bool>,
    also: Vec<String>,
    valid: bool,
    /// Whether to keep a journal, and to continue an earlier run.
    pub resume: bool,
}

impl Options {
    /// Returns the choices of the formatter and the preprocessor: those of the language, or none.
    pub fn programs(&self) -> [ProgramChoice; 2] {
        let choice = |is_used| if is_used { ProgramChoice::Any } else { ProgramChoice::None };
        [self.formatter, self.preprocessor].map(choice)
    }

    /// Returns whether included files are inlined.
    pub fn inline(&self) -> InlineChoice {
        match self.inline {
            None => InlineChoice::Auto,
            Some(true) => InlineChoice::Always,
            Some(false) => InlineChoice::Never,
        }
    }

    /// Returns the other commands that a candidate must pass.
    pub fn beside(&self, path: &Path) -> Result<Beside, Failure> {
        let paths = [path.to_owned()];
        let command = |typed: &String| OtherCommand::new(typed, "also", &paths);
        let also = self.also.iter().map(command).collect::<Result<_, _>>()?;
        Ok(Beside { also, is_valid: self.valid, measure: None })
    }

    /// Returns the specified language, or the detection by file name or text.
    pub fn choice(&self) -> Result<LanguageChoice, Failure> {
        LanguageChoice::new(self.language.clone(), self.grammar.clone())
    }

    /// Returns the units to remove.
    pub fn units(&self) -> Result<Vec<Unit>, Failure> {
        self.units.iter().map(|name| one_of("unit", name, Unit::ALL, Unit::name)).collect()
    }

    /// Returns the time limit of the run.
    pub fn max_time(&self) -> Result<Option<Duration>, Failure> {
        self.max_time.map(|time| seconds("max_time", time)).transpose()
    }

    /// Returns the confidence with which candidates of a flaky test are judged.
    pub fn confidence(&self) -> Result<Option<Confidence>, Failure> {
        let wrong = || Failure::usage("`flaky` must be between 0.5 and 1");
        self.flaky.map(|share| Confidence::new(share).ok_or_else(wrong)).transpose()
    }

    /// Returns the passes, the limits, the objective, and the parts to keep.
    pub fn control(&self) -> Result<Control, Failure> {
        let objective = |name: &String| one_of("objective", name, Objective::ALL, Objective::name);
        let order: Vec<Objective> = self.objective.iter().map(objective).collect::<Result<_, _>>()?;
        let small = |(number, unit): &(usize, Option<String>)| {
            let text = format!("{number}{}", unit.as_deref().unwrap_or_default());
            let unit = unit.as_ref().map(objective).transpose()?;
            Ok::<_, Failure>(Small { text, number: *number, unit })
        };
        let regex =
            |text: &String| Regex::new(text).map_err(|error| Failure::usage(format!("`keep`: {error}")));
        let time = self.max_time()?;
        Ok(Control {
            only: passes("only", &self.only)?,
            skip: passes("skip", &self.skip)?,
            objective: Order {
                first: order.first().copied().unwrap_or_default(),
                then: order.get(1).copied(),
            },
            anonymize: self.anonymize,
            max_time: time.map(|time| Time { text: format!("{}s", time.as_secs_f64()), time }),
            max_probes: self.max_probes,
            stop_at: self.stop_at.as_ref().map(small).transpose()?,
            keep: self.keep.iter().map(regex).collect::<Result<_, _>>()?,
            keep_function: self.keep_function.iter().map(Into::into).collect(),
            ..Control::default()
        })
    }

    /// Returns the language of a text, or how to detect that of each of several files.
    pub fn resolve(&self, path: &Path, content: &[u8], is_archive: bool) -> Result<Chosen, Failure> {
        let choice = self.choice()?;
        match (is_archive, choice) {
            (false, choice) => choice.resolve(path, content),
            (true, LanguageChoice::Detect) => Ok(Chosen::Unknown),
            (true, LanguageChoice::Folder(folder)) => {
                Ok(Chosen::Loaded(Box::new(nubbin_language::Language::load(&folder)?)))
            }
            (true, LanguageChoice::Named(_)) => {
                Err(Failure::usage("`language` applies only to a single file")
                    .hint("the language of each of several files is derived from its name"))
            }
        }
    }

    /// Applies these options to a reduction.
    pub fn apply<'a>(&self, reduction: Reduction<'a>, control: &Control) -> Result<Reduction<'a>, Failure> {
        let reduction = reduction
            .units(self.units()?)
            .allow_empty(self.allow_empty)
            .compact(self.compact)
            .anonymize(self.anonymize)
            .effort(self.effort)
            .flaky(self.confidence()?);
        Ok(control.apply(reduction))
    }
}

/// Converts a time in seconds.
pub fn seconds(what: &str, time: f64) -> Result<Duration, Failure> {
    let duration = Duration::try_from_secs_f64(time).ok().filter(|duration| !duration.is_zero());
    duration.ok_or_else(|| Failure::usage(format!("`{what}` must be a positive number of seconds")))
}

fn one_of<T: Copy>(
    what: &str,
    name: &str,
    all: impl IntoIterator<Item = T>,
    name_of: impl Fn(T) -> &'static str,
) -> Result<T, Failure> {
    let mut names = Vec::new();
    for one in all {
        if name_of(one) == name {
            return Ok(one);
        }
        names.push(name_of(one));
    }
    Err(Failure::usage(format!("unknown {what} `{name}` (available: {})", names.join(", "))))
}

fn passes(what: &str, names: &[String]) -> Result<Vec<&'static str>, Failure> {
    let unknown = |name: &str| Failure::usage(format!("`{what}`: unknown pass `{name}`"));
    let known = |name: &String| pass::selectors().find(|known| known == name).ok_or_else(|| unknown(name));
    names.iter().map(known).collect()
}

/// Returns the built-in languages with their titles and file extensions.
#[pyfunction]
pub fn languages() -> Vec<(String, String, Vec<String>)> {
    let manifests = nubbin_language::Registry::built_in().manifests();
    manifests.map(|one| (one.name.clone(), one.title.clone(), one.extensions.clone())).collect()
}

/// Returns the language of a text: the specified one, or the one detected by path or text.
pub fn language(py: Python<'_>, name: Option<String>, path: &Path, text: &[u8]) -> PyResult<Chosen> {
    let choice = LanguageChoice::new(name, None).and_then(|choice| choice.resolve(path, text));
    choice.map_err(|error| failure::raise(py, &error))
}
