//! `nubbin events`, `nubbin state`, `nubbin causes` and `nubbin explain`, as a paragraph.

use crate::exit::Exit;
use crate::settings::why::{Examined, Question};
use crate::show::why::{self, Answer};
use crate::signal::Interrupt;
use crate::stdout;
use nubbin_oracle::Status;
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::input::product;
use nubbin_session::tool::{Tool, ToolError};
use nubbin_session::why::{Settings, explain};
use nubbin_state::account::Account;
use nubbin_state::picture::Picture;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

/// The forms of pictures that Graphviz draws.
const DRAWN: [&str; 3] = ["svg", "png", "pdf"];
/// The time that Graphviz may take, and the bytes that a picture may have.
const DRAWING: (Duration, usize) = (Duration::from_secs(60), 64 << 20);

/// Answers a question about a program, and shows the answer.
pub fn run(asked: Examined) -> Result<Exit, Failure> {
    stdout::check()?;
    let Examined { settings, question, page, dot, form } = asked;
    let interrupt = Interrupt::new();
    let stop = interrupt.stop();
    // What a debugger shows at once comes before the search.
    let mut account = None;
    let mut printed = Ok(());
    let first = &mut |found: Account| {
        if !form.is_for_programs() {
            printed = stdout::print(why::account(&found).as_bytes());
        }
        account = Some(found);
    };
    let found = match question {
        Question::Statements(words) => {
            settings.events(words.clone(), first, stop).map(|found| Answer::Events(words, found))
        }
        Question::State(at, runs) => {
            settings.state(&at, runs.clone(), stop).map(|found| Answer::State(at, runs, Box::new(found)))
        }
        Question::Causes(runs) => {
            settings.causes(runs.clone(), first, stop).map(|found| Answer::Causes(runs, found))
        }
        Question::Explain { file, passing, command } => {
            explain::run(&settings, &file, passing.as_deref(), &command, first, stop)
                .map(|found| Answer::Explained(Box::new(found)))
        }
    };
    printed?;
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
        write(path, &why::page(&answer, account.as_ref()))?;
    }
    if let (Some(path), Some(picture)) = (&dot, answer.picture()) {
        draw(&settings, path, picture)?;
    }
    let shown =
        if form.is_for_programs() { why::json(&answer, account.as_ref()) } else { why::text(&answer) };
    stdout::print(shown.as_bytes())?;
    if let Some(path) = &page {
        settings.voice.say(&format!("page      {}", path.display()));
    }
    interrupt.raise();
    Ok(Exit::Success)
}

/// Writes a picture in the form that the file's name says.
fn draw(settings: &Settings, path: &Path, picture: &Picture) -> Result<(), Failure> {
    let form = path.extension().and_then(OsStr::to_str).filter(|form| DRAWN.contains(form));
    let Some(form) = form else { return write(path, &picture.dot) };
    let words = ["dot".into(), format!("-T{form}").into()];
    let tool = Tool::new(&settings.bounds, settings.helpers.as_ref(), DRAWING.0, DRAWING.1);
    match tool.run(&words, OsStr::new("state.dot"), picture.dot.as_bytes()) {
        Ok(drawn) => Ok(product::write(path, &drawn).map(drop)?),
        // What the shell says where there is no such program.
        Err(ToolError::Failed { status: Status::Exit(127), .. }) if form == "svg" => {
            write(path, &picture.svg)
        }
        Err(ToolError::Failed { status: Status::Exit(127), .. }) => {
            Err(Failure::message(Fault::Output, format!("`{}` needs Graphviz", path.display()))
                .hint("install it, or ask for an .svg or a .dot file"))
        }
        Err(error) => Err(Failure::message(
            Fault::Output,
            format!("Graphviz cannot draw `{}`: {error}", path.display()),
        )),
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    Ok(product::write(path, text.as_bytes()).map(drop)?)
}
