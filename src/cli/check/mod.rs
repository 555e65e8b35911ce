//! `nubbin check`: an oracle is examined before hours are spent on it.
//!
//! It runs the oracle as a reduction does, on the input and on candidates that tell what it looks at (`sample`), in other
//! circumstances (`wrapper`), and reads its text (`script`). It changes nothing.

mod accepted;
pub mod beforehand;
mod bench;
mod finding;
mod look;
pub mod sample;
pub mod script;
pub mod wrapper;

use super::baseline;
use super::exit::Exit;
use super::failure::Failure;
use super::inspect::print;
use super::settings::Settings;
use super::signal::Interrupt;
use super::text;
use bench::Bench;
use finding::Report;
use script::Script;
use std::ffi::OsString;

/// What makes no sense here, besides what only reductions have.
pub const SENSELESS: [&str; 7] =
    ["max_time", "wrong_code", "output", "unit", "resume", "no_journal", "search"];
pub const EXAMPLES: &str = "\
Examples:
  nubbin check ./oracle.sh bug.c
      does it repeat itself, what does it accept that it should not, what does it depend on
  nubbin check ./oracle.sh project/
      a directory, or several files, as in a reduction
  nubbin check bug.c -- gcc -O2 -c {}
      whether what Nubbin would keep of a command's failure is enough

It prints findings, each with the reason, the fix and the command that shows it:
  wrong  a reduction would end in something wrong
  doubt  it may be meant so, or not
  tip    it would be better otherwise

Exit codes: 0 if nothing is wrong, 11 if something is; where the unreduced input is not interesting, or the
oracle cannot be run, the code of a reduction, with the reason if it is found. Nothing is changed.";

/// Examines the oracle, and prints what was found.
pub fn run(settings: &Settings) -> Result<Exit, Failure> {
    let input = settings.input.read()?;
    let interrupt = Interrupt::watch().map_err(|error| Failure::new(Exit::Unexpected, error))?;
    let found = examine(settings, &input, &interrupt);
    interrupt.raise();
    found
}

/// Whether an oracle of these words is a script that sends elsewhere what its commands say.
pub fn hides_messages(words: &[OsString]) -> bool {
    Script::of(words).is_some_and(|script| script.hides_messages())
}

fn examine(settings: &Settings, input: &[u8], interrupt: &Interrupt) -> Result<Exit, Failure> {
    let path = settings.input.path(&settings.language);
    let is_archive = settings.input.is_archive();
    let language =
        if is_archive { settings.language.of_many()? } else { settings.language.resolve(&path, input)? };
    let script = Script::of(&settings.test.words);
    let first = match baseline::run(settings, input, interrupt, &[]) {
        Ok(first) => first,
        Err(failure) if failure.exit() == Exit::NotInteresting && !interrupt.has_come() => {
            let bench = Bench::new(settings, input, interrupt, None);
            let mut report = Report::default();
            report.add(look::reasons(&bench)?);
            report.add(script.iter().flat_map(|script| script.findings(&bench.whole_path())));
            let exit = failure.report();
            if report.count_all() > 0 {
                print(&report.text())?;
            }
            print("verdict: the unreduced input is not interesting, so there is nothing to reduce\n")?;
            return Ok(exit);
        }
        Err(failure) => return Err(failure),
    };
    let bench = Bench::new(settings, input, interrupt, Some(&first));
    let mut report = Report::default();
    if let Some(kept) = &first.kept {
        report.fine(kept.clone());
    }
    look::at_everything(&bench, language.get(), script.as_ref(), &mut report)?;
    let title = language.get().map_or_else(String::new, |language| format!(", {}", language.title()));
    let (label, size) = (&settings.test.label, text::counted(input.len(), "byte"));
    let runs = text::counted(bench.runs(), "run");
    let name = match settings.input.paths() {
        several @ [_, _, ..] => text::counted(several.len(), "file"),
        _ => format!("`{}`", path.display()),
    };
    print(&format!("`{label}` on {name} ({size}{title}): {runs}\n"))?;
    print(&report.text())?;
    print(&report.verdict())?;
    Ok(if report.is_wrong() { Exit::Wrong } else { Exit::Success })
}
