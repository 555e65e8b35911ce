//! The commands. The session does the work; this module prints the results.

pub mod inspect;
mod resume;
pub mod shell;
mod triage;
mod why;

use crate::args::{Debug, Dump, Request, Typed, complete, trust};
use crate::exit::{self, Exit};
use crate::settings::{self, Asked, Context, Written};
use crate::show::Shown;
use crate::show::audience::House;
use crate::signal::Interrupt;
use crate::stdout;
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::isolate::Goal;
use nubbin_session::output::Output;
use nubbin_session::settings::Settings;
use nubbin_session::source::Input;
use nubbin_session::{Helpers, browser, changes, check, classic, history, init, isolate, reduce};

/// Runs the requested command.
///
/// # Errors
/// Returns the failure of the command.
pub fn run(typed: Typed, helpers: Helpers) -> Result<Exit, Failure> {
    let Typed { request, words, notes } = typed;
    let context = Context { words, notes, helpers };
    match request {
        Request::History(asked) => inspect::print(&history::run(&asked.into())?),
        Request::Trust(typed) => inspect::print(&trust::run(&typed)?),
        Request::Completions { shell } => inspect::print(&complete::script(shell.as_str())?),
        Request::Manual { output } => shell::manual(output.as_deref()),
        Request::Check(typed) => examine(&settings::check(*typed, context)?),
        Request::Init(typed) => write(settings::init(*typed, context)?),
        Request::Triage(typed) => triage::run(&settings::triage(*typed, &context)?),
        Request::Statements(typed) => why::run(settings::why::statements(*typed, &context)?),
        Request::State(typed) => why::run(settings::why::state(*typed, &context)?),
        Request::Causes(typed) => why::run(settings::why::causes(*typed, &context)?),
        Request::Explain(typed) => why::run(settings::why::explain(*typed, &context)?),
        Request::Resume(now) => look_for(resume::latest(*now, context)?),
        Request::Languages => inspect::list_languages(),
        Request::Passes { verbose } => inspect::list_passes(verbose),
        Request::Debug(typed) => debug(typed),
        Request::Run(typed) => look_for(settings::resolve(typed, context)?),
    }
}

/// Runs `nubbin debug`.
fn debug(typed: Debug) -> Result<Exit, Failure> {
    let language = typed.language.choice()?;
    match typed.dump {
        Dump::Tree { file } => inspect::tree(&Input::new(file), &language),
        Dump::Deltas { pass, file } => inspect::deltas(&pass, &Input::new(file), &language),
    }
}

/// Runs a search with these settings, and prints the outcome.
fn look_for(asked: Asked) -> Result<Exit, Failure> {
    let Asked { mut settings, shown } = asked;
    let interrupt = Interrupt::new();
    let stop = interrupt.stop();
    let voice = settings.voice.clone();
    let is_patch =
        matches!(settings.goal, Some(Goal::Isolate(_))) && !matches!(settings.output, Output::File(_));
    if matches!(settings.output, Output::Stdout) || is_patch {
        stdout::check()?;
    }
    let found = match (&settings.input, &settings.goal, settings.search) {
        (Input::Changes(_), ..) => changes::run(settings, stop),
        (_, Some(goal), _) => isolate::run(&settings, stop, goal),
        (_, None, Some(search)) => classic::run(&settings, stop, search),
        (_, None, None) => {
            browser::learn(&mut settings, stop).and_then(|()| reduce(&settings, &shown, &interrupt))
        }
    };
    match found {
        Err(failure) if failure.fault() == Fault::Interrupted => {
            voice.say(&failure.text());
            interrupt.raise();
            Ok(Exit::Unexpected)
        }
        Err(failure) => Err(failure),
        Ok(()) => {
            interrupt.raise();
            Ok(Exit::Success)
        }
    }
}

fn reduce(settings: &Settings, shown: &Shown, interrupt: &Interrupt) -> Result<(), Failure> {
    let mut house = House::new(settings, shown, interrupt)?;
    match reduce::run(settings, interrupt.stop(), &mut house) {
        Ok(Some(reduced)) => house.tell(&reduced),
        Ok(None) => house.nothing_left(),
        Err(failure) => {
            house.failed(&failure);
            Err(failure)
        }
    }
}

/// Runs `nubbin check`.
fn examine(settings: &Settings) -> Result<Exit, Failure> {
    let interrupt = Interrupt::new();
    let found = check::run(settings, interrupt.stop());
    interrupt.raise();
    let found = found?;
    let exit = match &found.failure {
        Some(failure) => exit::report(failure),
        None if found.is_wrong => Exit::Wrong,
        None => Exit::Success,
    };
    inspect::print(&[found.title, found.findings, found.verdict].concat())?;
    Ok(exit)
}

/// Runs `nubbin init`.
fn write(asked: Written) -> Result<Exit, Failure> {
    let interrupt = Interrupt::new();
    let script = init::run(&asked.settings, interrupt.stop(), asked.second);
    interrupt.raise();
    script?.map_or(Ok(Exit::Success), |script| inspect::print(&script))
}
