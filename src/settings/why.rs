//! Resolves the options of `nubbin statements`, `nubbin state`, `nubbin causes` and `nubbin explain`.

use super::{Context, bounds, has_jobs, voice};
use crate::args::why::{self, Causes, Explain, State, Statements, TellOptions, WhyOptions};
use crate::show::record::SummaryForm;
use nubbin_oracle::{Matcher, Status};
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::why::{At, Settings};
use nubbin_state::lab::Bounds;
use nubbin_state::matching::Method;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A resolved request.
#[derive(Debug)]
pub struct Examined {
    pub settings: Settings,
    pub question: Question,
    /// The path of the page.
    pub page: Option<PathBuf>,
    /// The path of the picture.
    pub dot: Option<PathBuf>,
    pub form: SummaryForm,
}

/// The question.
#[derive(Debug)]
pub enum Question {
    Statements(Vec<OsString>),
    State(At, [Vec<OsString>; 2]),
    Causes([Vec<OsString>; 2]),
    Explain { file: PathBuf, passing: Option<PathBuf>, command: Vec<OsString> },
}

/// Resolves `nubbin events -- PROGRAM`.
///
/// # Errors
/// Returns an error if the arguments are not valid.
pub fn statements(typed: Statements, context: &Context) -> Result<Examined, Failure> {
    if typed.words.is_empty() {
        return Err(Failure::usage("the program is missing").hint(why::STATEMENTS));
    }
    examined(typed.why, Question::Statements(typed.words), false, context)
}

/// Resolves `nubbin state --at PLACE -- PASSING -- FAILING`.
///
/// # Errors
/// Returns an error if the arguments are not valid.
pub fn state(typed: State, context: &Context) -> Result<Examined, Failure> {
    let Some(at) = typed.at else {
        return Err(Failure::usage("the line is missing: `--at FILE:LINE`").hint(why::STATE));
    };
    let runs = both(&typed.words, why::STATE)?;
    let examined = examined(typed.why, Question::State(at, runs), typed.matching.largest, context)?;
    Ok(Examined { dot: typed.dot, ..examined })
}

/// Resolves `nubbin causes -- PASSING -- FAILING`.
///
/// # Errors
/// Returns an error if the arguments are not valid.
pub fn causes(typed: Causes, context: &Context) -> Result<Examined, Failure> {
    let runs = both(&typed.words, why::CAUSES)?;
    examined(typed.why, Question::Causes(runs), typed.matching.largest, context)
}

/// Resolves `nubbin explain FILE -- COMMAND`.
///
/// # Errors
/// Returns an error if the arguments are not valid.
pub fn explain(typed: Explain, context: &Context) -> Result<Examined, Failure> {
    let Some(file) = typed.file else {
        return Err(Failure::usage("the file is missing").hint(why::EXPLAIN));
    };
    if typed.words.is_empty() {
        return Err(Failure::usage("the command is missing").hint(why::EXPLAIN));
    }
    for path in std::iter::once(&file).chain(&typed.passing) {
        if !path.is_file() {
            let message = format!("file `{}` does not exist", path.display());
            return Err(Failure::message(Fault::Input, message).hint(why::EXPLAIN));
        }
    }
    let question = Question::Explain { file, passing: typed.passing, command: typed.words };
    examined(typed.why, question, typed.matching.largest, context)
}

/// Splits two runs at the second `--`.
fn both(words: &[OsString], line: &str) -> Result<[Vec<OsString>; 2], Failure> {
    let mut runs = words.split(|word| word == "--").map(<[OsString]>::to_vec);
    match (runs.next(), runs.next(), runs.next()) {
        (Some(passing), Some(failing), None) if !passing.is_empty() && !failing.is_empty() => {
            if passing == failing {
                let message = "both runs are the same; one must pass, and the other must fail";
                return Err(Failure::usage(message).hint(line));
            }
            Ok([passing, failing])
        }
        (Some(_), None, _) if !words.is_empty() => {
            Err(Failure::usage("the failing run is missing; it follows a second `--`").hint(line))
        }
        _ => Err(Failure::usage("two runs are required: one that passes, and one that fails").hint(line)),
    }
}

fn examined(
    typed: WhyOptions,
    question: Question,
    largest: bool,
    context: &Context,
) -> Result<Examined, Failure> {
    has_jobs(&typed.run)?;
    let found = |path: &Path, option: &str| {
        path.canonicalize().map_err(|error| {
            let message = format!("cannot use `{option} {}`: {error}", path.display());
            Failure::message(Fault::Usage, message)
        })
    };
    let jobs = typed.run.jobs.map_or_else(nubbin_search::schedule::cores, usize::from);
    let directory = std::env::current_dir().map_err(|error| Failure::new(Fault::Input, error))?;
    let settings = Settings {
        directory,
        stdin: typed.stdin.map(|path| found(&path, "--stdin")).transpose()?,
        sources: typed.source.iter().map(|path| found(path, "--source")).collect::<Result<_, _>>()?,
        failure: asked(typed.failure),
        method: if largest { Method::Largest } else { Method::Parallel },
        most: Bounds::default(),
        bounds: bounds(typed.limits, jobs, Vec::new())?,
        timeout: typed.run.timeout,
        max_time: typed.max_time.map(|time| time.time),
        jobs,
        helpers: Some(context.helpers.clone()),
        voice: voice(&typed.voice),
    };
    Ok(Examined { settings, question, page: typed.output, dot: None, form: SummaryForm::of(typed.json) })
}

/// Returns the failure that the options describe, if they do.
fn asked(typed: TellOptions) -> Option<Matcher> {
    let TellOptions { exit_code, signal, stdout, stderr, reject } = typed;
    let (not_stdout, not_stderr) = (reject.clone(), reject);
    let status = exit_code.map(|code| Status::Exit(code.into())).or(signal.map(Status::Signal));
    let is_asked =
        status.is_some() || [&stdout, &stderr, &not_stdout, &not_stderr].into_iter().any(Option::is_some);
    is_asked.then(|| Matcher { status, stdout, stderr, not_stdout, not_stderr, ..Matcher::default() })
}
