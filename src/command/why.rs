//! `nubbin events`, `nubbin state`, `nubbin causes` and `nubbin explain`, as a paragraph.

use crate::exit::Exit;
use crate::settings::why::{Examined, Question};
use crate::show::why::{self, Answer};
use crate::signal::Interrupt;
use crate::stdout;
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::why::explain;
use std::fs;
use std::path::Path;

/// Answers a question about a program, and shows the answer.
pub fn run(asked: Examined) -> Result<Exit, Failure> {
    stdout::check()?;
    let Examined { settings, question, page, dot, form } = asked;
    let interrupt = Interrupt::new();
    let stop = interrupt.stop();
    let found = match question {
        Question::Events(words) => {
            settings.events(words.clone(), stop).map(|found| Answer::Events(words, found))
        }
        Question::State(at, runs) => {
            settings.state(&at, runs.clone(), stop).map(|found| Answer::State(at, runs, Box::new(found)))
        }
        Question::Causes(runs) => {
            settings.causes(runs.clone(), stop).map(|found| Answer::Causes(runs, found))
        }
        Question::Explain { file, passing, command } => {
            explain::run(&settings, &file, passing.as_deref(), &command, stop)
                .map(|found| Answer::Explained(Box::new(found)))
        }
    };
    let answer = match found {
        Err(failure) if failure.fault() == Fault::Interrupted => {
            settings.voice.say(&failure.text());
            interrupt.raise();
            return Ok(Exit::Unexpected);
        }
        found => found?,
    };
    let page = page.or_else(|| answer.own_page());
    if let Some(path) = &page {
        write(path, &why::page(&answer))?;
    }
    if let (Some(path), Some(picture)) = (&dot, answer.picture()) {
        write(path, &picture.dot)?;
    }
    let shown = if form.is_for_programs() { why::json(&answer) } else { why::text(&answer) };
    stdout::print(shown.as_bytes())?;
    if let Some(path) = &page {
        settings.voice.say(&format!("page      {}", path.display()));
    }
    interrupt.raise();
    Ok(Exit::Success)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| {
        Failure::message(Fault::Output, format!("`{}` cannot be written: {error}", path.display()))
    })
}
