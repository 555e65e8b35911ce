//! Holds the commands: each of them is a function that reads as a paragraph.
//!
//! The session does the work; this module shows the results.

pub mod inspect;
mod resume;
pub mod shell;

use crate::args::mode::Mode;
use crate::args::{Args, Aside};
use crate::exit::{self, Exit};
use crate::settings::{self, Asked};
use crate::show::Shown;
use crate::show::audience::House;
use crate::signal::Interrupt;
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::language::Choice;
use nubbin_session::settings::Settings;
use nubbin_session::source::Input;
use nubbin_session::{Helpers, changes, check, classic, history, init, isolate, reduce};
use std::ffi::OsString;

/// Runs the command that was asked for.
///
/// # Errors
/// Returns an error if the arguments make no sense, or if the command fails.
pub fn run(mut args: Args, helpers: Helpers) -> Result<Exit, Failure> {
    if args.control.list_passes {
        return inspect::list_passes();
    }
    if args.list_languages {
        return inspect::list_languages();
    }
    match args.aside.take() {
        Some(Aside::History(asked)) => return inspect::print(&history::run(&asked.into())?),
        Some(Aside::Completions { shell }) => return shell::completions(shell),
        Some(Aside::Manual { output }) => return shell::manual(output.as_deref()),
        None => {}
    }
    if args.resume && args.first.is_none() && args.command.is_empty() && args.mode == Mode::Input {
        let (settings, shown) = resume::latest(args, helpers)?;
        return look_for(settings, &shown);
    }
    let language = Choice::new(args.language.take(), args.grammar.take())?;
    if args.dump_tree {
        return inspect::tree(&settings::only_file(&args)?, &language);
    }
    if let Some(pass) = args.dump_deltas.take() {
        return inspect::deltas(&pass, &settings::only_file(&args)?, &language);
    }
    let mode = args.mode;
    let Asked { settings, shown, second } = settings::resolve(args, language, helpers)?;
    match mode {
        Mode::Check => examine(&settings),
        Mode::Init => write(&settings, second),
        _ => look_for(settings, &shown),
    }
}

/// Runs the search that the settings ask for, and shows the result.
fn look_for(settings: Settings, shown: &Shown) -> Result<Exit, Failure> {
    let interrupt = Interrupt::new();
    let stop = interrupt.stop();
    let voice = settings.voice.clone();
    let found = match (&settings.input, &settings.goal, settings.search) {
        (Input::Changes(_), ..) => changes::run(settings, stop),
        (_, Some(goal), _) => isolate::run(&settings, stop, goal),
        (_, None, Some(search)) => classic::run(&settings, stop, search),
        (_, None, None) => reduce(&settings, shown, &interrupt),
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
            return Err(failure);
        }
    }
    Ok(())
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
fn write(settings: &Settings, second: Option<Vec<OsString>>) -> Result<Exit, Failure> {
    let interrupt = Interrupt::new();
    let script = init::run(settings, interrupt.stop(), second);
    interrupt.raise();
    script?.map_or(Ok(Exit::Success), |script| inspect::print(&script))
}
