//! `nubbin init`: creates a script for a failing command, and verifies it before printing it.
//!
//! The module `baseline` determines the failure, `script` writes the script, `message` chooses the texts that it
//! searches for, `garbage` runs it on garbage, and `wrong_code` creates scripts for miscompilations.

mod garbage;
mod line;
pub(crate) mod message;
mod quote;
mod script;
mod wrong_code;

use crate::baseline::{self, Baseline};
use crate::check::sample::{Sample, SampleKind};
use crate::failure::Failure;
use crate::failure::Fault;
use crate::message::Message;
use crate::output::Output;
use crate::settings::Settings;
use crate::source::Input;
use crate::stop::Stop;
use crate::{differ, text};
use garbage::Garbage;
use message::MessageChoice;
use nubbin_oracle::{CommandOracle, CommandRun, Protocol, Status, Surroundings};
use script::{Plain, ScriptForm};
use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// Tuned parameters.
struct Tuning {
    /// The least time limit of a command in a script.
    least_time: Duration,
    /// The time limit of a command, as a multiple of its current run time.
    time_factor: u32,
    /// The number of lines of output that an error message shows.
    lines: usize,
}

const TUNING: Tuning = Tuning { least_time: Duration::from_secs(10), time_factor: 10, lines: 10 };

/// Creates a script for a failure, or for a miscompilation if `second` is the second compiler command.
///
/// Returns the script if it is for standard output; otherwise writes it to its file.
///
/// # Errors
/// Returns an error when no script can detect the failure, or the script cannot be written.
pub fn run(
    settings: &Settings,
    stop: &Stop,
    second: Option<Vec<OsString>>,
) -> Result<Option<String>, Failure> {
    if let Some(failure) = impossible(settings, second.is_some()) {
        return Err(failure);
    }
    if let Output::File(path) = &settings.output
        && path.symlink_metadata().is_ok()
    {
        return Err(exists(path));
    }
    let input = settings.input.read()?;
    stop.begin(None)?;
    let made = match second {
        Some(second) => wrong_code::make(settings, &input, stop, &second),
        None => from_failure(settings, &input, stop),
    };
    if stop.has_come() {
        return Err(Failure::interrupted());
    }
    write(settings, made?)
}

/// Returns an error if no script can be made for these settings.
fn impossible(settings: &Settings, is_wrong_code: bool) -> Option<Failure> {
    match settings.input {
        Input::Files(_) => Some(Failure::usage("`nubbin init` supports only one input file").hint(
            "put the files into a directory and name that; or write a script, where `$1`, `$2` and so on are the \
             files, and examine it with `nubbin check ./oracle.sh FILE FILE`",
        )),
        Input::Folder(_) if is_wrong_code => {
            Some(Failure::usage("`--wrong-code` needs a single file").hint("name the file to compile"))
        }
        _ => None,
    }
}

fn from_failure(settings: &Settings, input: &[u8], interrupt: &Stop) -> Result<Made, Failure> {
    let first = baseline::run(settings, input, interrupt, &[])?;
    let limit =
        |longest: Duration| settings.timeout.unwrap_or((longest * TUNING.time_factor).max(TUNING.least_time));
    let run = baseline::command(
        settings,
        &settings.test.words,
        &settings.input.path(&settings.language),
        &first.learned.surroundings,
        interrupt,
    );
    let runs = [run.run(input)?, run.run(input)?];
    let limit = limit(runs[0].elapsed.max(runs[1].elapsed));
    let form = match &settings.test.other {
        Some(_) => {
            let code = first.failure.as_ref().and_then(|failure| failure.status);
            let Some(Status::Exit(code)) = code else { unreachable!("a difference has a status") };
            let (one, other) = differ::parts(&settings.test.words);
            ScriptForm::Difference {
                commands: [command(&one, false)?, command(&other, false)?],
                fails: differ::failing(code),
            }
        }
        None => ScriptForm::Plain(plain(settings, &first, &runs, |status| {
            let said = first.learned.message.clone();
            Garbage::new(settings, input, &first.learned.surroundings, interrupt, status, said)
        })?),
    };
    let script = script::text(&form, settings, limit);
    let trial = ScriptTrial::new(settings, input, &first.learned.surroundings, interrupt, &script)?;
    if let Some(run) = trial.rejects_input()? {
        return Err(unproven(settings, &run));
    }
    let (rejected, accepted) = trial.sort()?;
    let of_concern = |sample: &Sample| match sample.kind {
        SampleKind::FirstHalf => false,
        // With a text to search for, the syntax error was found to show the same failure.
        SampleKind::SyntaxError => !matches!(&form, ScriptForm::Plain(plain) if !plain.texts.is_empty()),
        _ => true,
    };
    let accepted: Vec<Sample> = accepted.into_iter().filter(of_concern).collect();
    if accepted.iter().any(|sample| sample.kind == SampleKind::Empty) {
        return Err(accepts_all(settings));
    }
    if let Some(one) = accepted.first() {
        settings.voice.say(&format!(
            "note: the script also accepts {}: the result of a reduction can be of that kind",
            one.what
        ));
    }
    Ok(Made { script, rejected })
}

/// A script, and the garbage that it rejects.
struct Made {
    script: String,
    rejected: Vec<Sample>,
}

/// Creates the test of one command.
fn plain(
    settings: &Settings,
    first: &Baseline<'_>,
    runs: &[CommandRun; 2],
    garbage: impl FnOnce(Option<Status>) -> Result<Garbage, Failure>,
) -> Result<Plain, Failure> {
    let failure = first.failure.clone().unwrap_or_default();
    if let Some(Status::OverLimit(limit)) = failure.status {
        let message = format!(
            "the failure is that `{}` exceeds the {limit}, which a script cannot detect",
            settings.test.label
        );
        return Err(Failure::message(Fault::NotInteresting, message)
            .hint("reduce without a script: `nubbin FILE -- COMMAND {}`"));
    }
    let asked: Vec<String> =
        [&failure.stdout, &failure.stderr].into_iter().flatten().map(ToString::to_string).collect();
    let texts = if asked.is_empty() && settings.test.message != Message::None {
        let choices = message::choices(settings, first, runs);
        let garbage = garbage(failure.status)?;
        let found = choices.iter().find(|choice| garbage.accepted(choice).is_none());
        found.ok_or_else(|| untold(settings, &garbage, &choices, &runs[0]))?.texts.clone()
    } else {
        Vec::new()
    };
    Ok(Plain {
        command: command(&settings.test.words, first.learned.surroundings.is_found)?,
        status: failure.status,
        patterns: asked,
        texts,
    })
}

fn command(words: &[OsString], is_found: bool) -> Result<String, Failure> {
    Ok(quote::command(&texts(words)?, is_found))
}

fn texts(words: &[OsString]) -> Result<Vec<&str>, Failure> {
    words.iter().map(|word| written(word)).collect()
}

fn written(word: &OsStr) -> Result<&str, Failure> {
    let is_text = |word: &&str| !word.contains('\0');
    word.to_str().filter(is_text).ok_or_else(|| {
        let message = format!(
            "`{}` is not UTF-8, so a portable shell script cannot contain it",
            word.to_string_lossy()
        );
        Failure::message(Fault::Usage, message).hint("rename the file")
    })
}

/// A script under test.
struct ScriptTrial<'t> {
    settings: &'t Settings,
    input: &'t [u8],
    oracle: CommandOracle,
    /// Keeps the directory of the script alive.
    _directory: TempDir,
}

impl<'t> ScriptTrial<'t> {
    fn new(
        settings: &'t Settings,
        input: &'t [u8],
        surroundings: &Surroundings,
        interrupt: &Stop,
        script: &str,
    ) -> Result<Self, Failure> {
        let in_temporary = |error: io::Error| {
            Failure::message(
                Fault::Output,
                format!("cannot write the script to a temporary directory: {error}"),
            )
            .hint("set `TMPDIR` to a directory with free space")
        };
        let directory = tempfile::tempdir().map_err(in_temporary)?;
        let place = directory.path().join("oracle.sh");
        create(&place, script).map_err(in_temporary)?;
        let name = settings.input.path(&settings.language);
        let oracle = baseline::command(settings, &[place.into_os_string()], &name, surroundings, interrupt);
        // The script limits the time of its commands.
        let limit = settings.timeout.unwrap_or_default() * 4 + Duration::from_secs(120);
        let oracle = oracle.protocol(Protocol::Script).limit(limit);
        Ok(Self { settings, input, oracle, _directory: directory })
    }

    fn run(&self, candidate: &[u8]) -> Result<CommandRun, Failure> {
        Ok(self.oracle.run(candidate)?)
    }

    /// Runs the script on the input twice, and returns a run that is not interesting, if any.
    fn rejects_input(&self) -> Result<Option<CommandRun>, Failure> {
        for _ in 0..2 {
            let run = self.run(self.input)?;
            if !run.verdict.is_interesting() {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }

    /// Runs the script on garbage. Returns the rejected samples and the accepted ones.
    fn sort(&self) -> Result<(Vec<Sample>, Vec<Sample>), Failure> {
        garbage::sort(&self.oracle, garbage::samples(self.settings, self.input)?)
    }
}

fn create(path: &Path, script: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o755).open(path)?;
    file.write_all(script.as_bytes())
}

/// Returns the script, or writes it to the requested file.
fn write(settings: &Settings, made: Made) -> Result<Option<String>, Failure> {
    let Output::File(path) = &settings.output else { return Ok(Some(made.script)) };
    match create(path, &made.script) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(exists(path)),
        Err(error) => {
            let message = format!("cannot write `{}`: {error}", path.display());
            return Err(
                Failure::message(Fault::Output, message).hint("choose another place with `--output FILE`")
            );
        }
        Ok(()) => {}
    }
    let shown = if path.components().count() == 1 { Path::new(".").join(path) } else { path.clone() };
    let input = settings.input.path(&settings.language);
    settings.voice.say(&format!(
        "wrote `{}`, which accepts the input{}; edit it if necessary, then run\n  nubbin {} {}",
        path.display(),
        if made.rejected.is_empty() {
            String::new()
        } else {
            format!(" and rejects {}", garbage::list(&made.rejected))
        },
        text::quote(shown.as_os_str()),
        text::quote(input.as_os_str())
    ));
    Ok(None)
}

fn exists(path: &Path) -> Failure {
    let message = format!("`{}` already exists; nothing was written", path.display());
    Failure::message(Fault::Output, message).hint("choose another name with `--output FILE`, or remove it")
}

fn accepts_all(settings: &Settings) -> Failure {
    let message = format!(
        "`{}` also fails in this way on the empty file, so a script would accept anything; nothing was written",
        settings.test.label
    );
    Failure::message(Fault::EmptyIsInteresting, message).hint(
        "describe the failure more precisely: `--stderr REGEX` or `--stdout REGEX` with a part of its message; to continue anyway, add `--allow-empty`",
    )
}

/// The output does not distinguish the failure from garbage.
fn untold(settings: &Settings, garbage: &Garbage, choices: &[MessageChoice], run: &CommandRun) -> Failure {
    let label = &settings.test.label;
    let accepted: Vec<&Sample> = choices.iter().filter_map(|choice| garbage.accepted(choice)).collect();
    if accepted.iter().all(|sample| sample.kind == SampleKind::Empty) {
        return accepts_all(settings);
    }
    let what = accepted.first().map_or("garbage", |sample| sample.what.as_str());
    let written = message::output(run);
    let lines = line::telling(&written);
    let says = if lines.is_empty() { "without a message" } else { "with the same message" };
    let message = format!(
        "`{label}` fails {says} on {what} as well, so a script cannot detect the failure; nothing was written"
    );
    let lines = &lines[..lines.len().min(TUNING.lines)];
    Failure::message(Fault::Wrong, message)
        .details(text::last_lines(lines.join("\n").as_bytes(), TUNING.lines))
        .hint("choose one of these lines with `--stderr REGEX` or `--stdout REGEX`; for a script that tests only the status, add `--match status`")
}

fn output(run: &CommandRun) -> String {
    text::last_lines(&[run.stdout.as_slice(), run.stderr.as_slice()].concat(), TUNING.lines)
}

fn unproven(settings: &Settings, run: &CommandRun) -> Failure {
    let message = format!(
        "the generated script {} on the input although `{}` fails there; nothing was written",
        text::ending(run.status),
        settings.test.label
    );
    let hint = if settings
        .test
        .failure
        .as_ref()
        .is_some_and(|asked| asked.stdout.is_some() || asked.stderr.is_some())
    {
        "`grep -E` can interpret the regular expression differently; use a literal part of the message"
    } else {
        "the command may be flaky, or behave differently if its output is a file; examine it with `nubbin check FILE -- COMMAND {}`"
    };
    Failure::message(Fault::NotInteresting, message).details(output(run)).hint(hint)
}
