//! Resolves the parsed arguments into settings: checks for conflicts, and defaults.
//!
//! It reads no input and runs no test.

mod browser;
mod difference;
mod options;
mod output;
mod reduction;
#[cfg(feature = "remote")]
mod remote;
mod script;
mod test;
mod triage;
mod unit;
pub mod why;

use crate::args::group::limits::Protection;
use crate::args::group::{self, HouseOptions, JournalOptions, RunOptions, VoiceOptions};
use crate::args::{self, Changes, RunCommand, meant};
use crate::show::ui::{Show, UiOptions};
use crate::show::{Shown, record};
use crate::terminal;
use nubbin_oracle::{Confinement, Limits, Sandbox};
use nubbin_session::Helpers;
use nubbin_session::changes::Sides;
use nubbin_session::check::script::Script;
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::language::LanguageChoice;
use nubbin_session::limits::{Bounds, Unlimited};
use nubbin_session::settings::{JournalChoice, Settings, TestCommand};
use nubbin_session::source::Input;
use nubbin_session::surroundings::{self, Around};
use nubbin_session::voice::{Loudness, Voice};
pub use script::{Written, check, init};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
pub use triage::{Triaged, triage};

/// A resolved request.
#[derive(Debug)]
pub struct Asked {
    pub settings: Settings,
    pub shown: Shown,
}

/// The context of a command: its arguments, notes on them, and the helper processes.
#[derive(Debug)]
pub struct Context {
    pub words: Vec<OsString>,
    pub notes: Vec<String>,
    pub helpers: Helpers,
}

/// Refuses `--jobs 0` without a cluster.
fn has_jobs(run: &RunOptions) -> Result<(), Failure> {
    if run.jobs != Some(0) {
        return Ok(());
    }
    Err(Failure::usage("`--jobs 0` is only possible with a cluster")
        .hint("add `--remote grpc://HOST:PORT`, or use `--jobs 1` for one run at a time"))
}

/// Resolves the arguments of a run.
///
/// # Errors
/// Returns an error if they are not valid together.
pub fn resolve(mut typed: RunCommand, context: Context) -> Result<Asked, Failure> {
    if !typed.has_cluster() {
        has_jobs(typed.run_and_house().0)?;
    }
    let settings = match typed {
        RunCommand::Reduce(typed) => return reduction::reduce(*typed, context),
        RunCommand::Browser(typed) => return browser::reduce(*typed, context),
        RunCommand::Options(typed) => return options::alone(*typed, context),
        RunCommand::Isolate(typed) => difference::isolate(*typed, context)?,
        RunCommand::Maximize(typed) => difference::maximize(*typed, context)?,
        RunCommand::Changes(typed) => changes(*typed, context)?,
    };
    Ok(Asked { settings, shown: Shown { show: Show::Nothing, records: record::RecordChoice::default() } })
}

/// Resolves `nubbin changes --good G --bad B -- COMMAND`.
fn changes(mut typed: Changes, context: Context) -> Result<Settings, Failure> {
    meant::quoted(&mut typed.command, &context.words)?;
    if typed.command.is_empty() {
        return Err(Failure::usage("the command is missing").hint(args::changes::LINE));
    }
    let sides = Sides::new(typed.good, typed.bad, typed.diff, typed.allow_dirty, typed.fresh)?;
    let test = test::failing(typed.command.clone(), &typed.command, typed.failure.into());
    let tested = (Input::Changes(sides), test);
    let settings = base(tested, LanguageChoice::Detect, &typed.run, typed.house, context)?;
    let output = output::of_patch(typed.output.as_deref(), &settings.input)?;
    Ok(Settings { output, journal: journal(&typed.journal), ..settings })
}

/// Returns the settings that every command has, with defaults for the others.
fn base(
    (input, test): (Input, TestCommand),
    language: LanguageChoice,
    run: &RunOptions,
    house: HouseOptions,
    Context { words, mut notes, helpers }: Context,
) -> Result<Settings, Failure> {
    let jobs = run.jobs.map_or_else(nubbin_search::schedule::cores, |jobs| usize::from(jobs.max(1)));
    let logs = Script::of(&test.words).map(|script| script.logs()).unwrap_or_default();
    notes.extend(surroundings::left_alone(&input.left_alone()));
    let around = Around::new(house.around.needs, house.around.here, &input)?;
    Ok(Settings {
        shape: surroundings::shape(input.shape()?, around.origin.as_ref()),
        around,
        language,
        timeout: run.timeout,
        bounds: bounds(house.limits, jobs, logs)?,
        jobs,
        notes,
        words,
        helpers: Some(helpers),
        voice: voice(&house.voice),
        ..Settings::new(input, test)?
    })
}

/// Resolves the options about progress and reports.
fn shown(ui: UiOptions, records: record::RecordOptions, settings: &mut Settings) -> Result<Shown, Failure> {
    let show = ui.show(&settings.voice);
    settings.notes.extend(ui.note(show));
    Ok(Shown { show, records: record::RecordChoice::new(records, settings.input.paths(), &settings.output)? })
}

/// Resolves the options about the journal.
fn journal(typed: &JournalOptions) -> JournalChoice {
    match (typed.no_journal, typed.resume) {
        (true, _) => JournalChoice::None,
        (false, true) => JournalChoice::Resume,
        (false, false) => JournalChoice::Begin,
    }
}

/// Returns the reporter for these options. A closed standard error is ignored.
fn voice(typed: &VoiceOptions) -> Voice {
    let loudness = match (typed.quiet, typed.verbose) {
        (true, _) => Loudness::Quiet,
        (false, true) => Loudness::Verbose,
        (false, false) => Loudness::Plain,
    };
    Voice::new(loudness, |text| {
        let _ = writeln!(std::io::stderr().lock(), "{}", terminal::styled(text));
    })
}

/// Returns the limits and the sandbox; `logs` are the log files that the script appends to.
fn bounds(typed: group::LimitOptions, jobs: usize, logs: Vec<PathBuf>) -> Result<Bounds, Failure> {
    let found = |path: PathBuf, option: &str| {
        path.canonicalize().map_err(|error| {
            let message = format!("cannot use `{option} {}`: {error}", path.display());
            Failure::message(Fault::Usage, message)
        })
    };
    let (memory, output) = (typed.memory(), typed.output());
    let (cpu, processes) = (typed.cpu(), typed.processes());
    let (no_network, is_private) =
        (typed.protects(Protection::NoNetwork), typed.protects(Protection::Private));
    let modes = [
        (Protection::Auto, Sandbox::Auto),
        (Protection::Strict, Sandbox::Strict),
        (Protection::Off, Sandbox::Off),
    ];
    let mut named = modes.into_iter().filter(|(one, _)| typed.protects(*one)).map(|(_, sandbox)| sandbox);
    let sandbox = named.next().unwrap_or(Sandbox::Auto);
    if named.next().is_some() {
        return Err(Failure::usage("`--sandbox` takes one of `auto`, `strict` and `off`"));
    }
    let given = typed.writable.into_iter().map(|path| found(path, "--writable"));
    let more = std::env::var_os("NUBBIN_WRITABLE").unwrap_or_default();
    let more: Vec<PathBuf> =
        std::env::split_paths(&more).filter(|path| !path.as_os_str().is_empty()).collect();
    let writable = given.chain(more.into_iter().map(|path| found(path, "NUBBIN_WRITABLE")));
    let asked = Limits {
        memory: memory.and_then(|most| most.0),
        cpu,
        output: output.and_then(|most| most.0),
        processes: processes.map(|most| most as usize),
    };
    let unlimited = Unlimited {
        memory: memory.is_some_and(|most| most.0.is_none()),
        output: output.is_some_and(|most| most.0.is_none()),
    };
    let writable = writable.collect::<Result<_, _>>()?;
    let hidden = if is_private { homes(sandbox)? } else { Vec::new() };
    let confinement = Confinement { sandbox, writable, logs, no_network, loopback: false, hidden };
    let work_dir = typed.work_dir.map(|path| found(path, "--work-dir")).transpose()?;
    Ok(Bounds { work_dir, ..Bounds::new(asked, unlimited, jobs, confinement) })
}

/// Returns the private directories of the user: the home directory, and the one for the sockets of the session.
fn homes(sandbox: Sandbox) -> Result<Vec<PathBuf>, Failure> {
    if sandbox == Sandbox::Off {
        return Err(Failure::usage("`private` and `off` of `--sandbox` exclude each other"));
    }
    let named = ["HOME", "XDG_RUNTIME_DIR"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let session = PathBuf::from(format!("/run/user/{}", rustix::process::geteuid().as_raw()));
    let found = named.chain([session]).filter_map(|path| path.canonicalize().ok());
    let mut found: Vec<PathBuf> = found.filter(|path| path.parent().is_some()).collect();
    found.sort();
    found.dedup();
    Ok(found)
}
