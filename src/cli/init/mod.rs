//! `nubbin init`: an oracle script from a command and the failure that it shows, proven before it is printed.
//!
//! What the failure is `baseline` learns; what a script looks like stands in `script`, what its message test looks for in
//! `message`.

mod message;
mod script;

use super::baseline::{self, Baseline};
use super::check::sample::nothing;
use super::exit::Exit;
use super::failure::Failure;
use super::inspect::print;
use super::settings::{Input, Output, Settings};
use super::signal::Interrupt;
use super::{differ, text};
use nubbin::oracle::{Protocol, Run, Status, Surroundings};
use script::{Form, Plain};
use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

/// What makes no sense here, besides what only reductions have.
pub const SENSELESS: [&str; 5] = ["max_time", "unit", "resume", "no_journal", "search"];
pub const EXAMPLES: &str = "\
Examples:
  nubbin init -o oracle.sh bug.c -- gcc -O2 -c {}
      a script that looks for the status and the message that the command shows now
  nubbin init --stderr 'division by zero' data.json -- ./parser {}
      for a message of your choice; `--exit-code`, `--signal` and `--hang` work as without a script
  nubbin init --differs-from './old {}' data.json -- ./new {}
      two commands that differ in their status or standard output
  nubbin init --wrong-code 'gcc -O0 {}' bug.c -- gcc -O2 {}
      two ways to build a program whose runs differ, with guards against undefined behaviour:
      warnings that are errors, and a run under the sanitizers

The script is run on FILE, where it must find the failure, and on the empty file, where it must not,
before it is printed. With -o it is written, ready to run; no file is overwritten.";

/// The least time that a script gives a command, and how many times as long as it takes now.
const PATIENCE: (Duration, u32) = (Duration::from_secs(10), 10);
/// How many lines of output are shown.
const LINES: usize = 10;
/// How often warnings may be taken out of a guard.
const WEAKENED: usize = 20;

/// What was typed.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Typed {
    /// The failure is wrong code: COMMAND and this one each build a program, without `-o`, and the two programs differ in
    /// what they write or how they end.
    #[arg(long, value_name = "COMMAND2", hide = true, conflicts_with_all = ["exit_code", "signal", "stdout", "stderr", "keep_message", "hang", "differs_from"], help_heading = "Failure of a COMMAND")]
    wrong_code: Option<OsString>,
}

impl Typed {
    /// The second way to build the program.
    pub fn second(&mut self) -> Option<OsString> {
        self.wrong_code.take()
    }
}

/// Writes an oracle; for wrong code, with this second command.
pub fn run(settings: &Settings, second: Option<Vec<OsString>>) -> Result<Exit, Failure> {
    if let Some(failure) = impossible(settings, second.is_some()) {
        return Err(failure);
    }
    if let Output::File(path) = &settings.output
        && path.symlink_metadata().is_ok()
    {
        return Err(exists(path));
    }
    let input = settings.input.read()?;
    let interrupt = Interrupt::watch().map_err(|error| Failure::new(Exit::Unexpected, error))?;
    let made = match second {
        Some(second) => wrong_code(settings, &input, &interrupt, &second),
        None => from_failure(settings, &input, &interrupt),
    };
    interrupt.raise();
    write(settings, &made?)
}

/// What no script is made for.
fn impossible(settings: &Settings, is_wrong_code: bool) -> Option<Failure> {
    match settings.input {
        Input::Files(_) => Some(Failure::usage("no script is made for several files").hint(
            "put them into a directory and name that; or write one by hand, where `$1`, `$2` and so on are the \
             files, and try it with `nubbin check ./oracle.sh FILE FILE`",
        )),
        Input::Folder(_) if is_wrong_code => {
            Some(Failure::usage("`--wrong-code` is for a single file").hint("name the file that is compiled"))
        }
        _ => None,
    }
}

/// The script for the failure that the command shows.
fn from_failure(settings: &Settings, input: &[u8], interrupt: &Interrupt) -> Result<String, Failure> {
    let first = baseline::run(settings, input, interrupt, &[])?;
    let limit = |longest: Duration| settings.timeout.unwrap_or((longest * PATIENCE.1).max(PATIENCE.0));
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
            Form::Difference { commands: [command(&one)?, command(&other)?], fails: differ::failing(code) }
        }
        None => Form::Plain(plain(settings, &first, &runs)?),
    };
    let script = script::text(&form, settings, limit);
    let script = prove(settings, input, &first.learned.surroundings, interrupt, &script)?.map(|()| script);
    script.map_err(|run| unproven(settings, &run))
}

/// What is asked of a command.
fn plain(settings: &Settings, first: &Baseline<'_>, runs: &[Run; 2]) -> Result<Plain, Failure> {
    let failure = first.failure.clone().unwrap_or_default();
    if let Some(Status::OverLimit(limit)) = failure.status {
        let message = format!(
            "the failure is that `{}` runs into the {limit}, which no script can tell",
            settings.test.label
        );
        return Err(
            Failure::message(Exit::NotInteresting, message).hint("`nubbin FILE -- COMMAND {}` can keep it")
        );
    }
    let asked: Vec<String> =
        [&failure.stdout, &failure.stderr].into_iter().flatten().map(ToString::to_string).collect();
    let said = if asked.is_empty() { message::texts(settings, first, runs) } else { Vec::new() };
    Ok(Plain {
        command: command(&settings.test.words)?,
        status: failure.status,
        patterns: asked,
        texts: said,
    })
}

/// The script for two builds whose runs differ.
fn wrong_code(
    settings: &Settings,
    input: &[u8],
    interrupt: &Interrupt,
    second: &[OsString],
) -> Result<String, Failure> {
    let words = [&settings.test.words[..], second];
    for one in words {
        script::check_build(one)?;
    }
    let commands = [command(words[0])?, command(words[1])?];
    let limit = settings.timeout.unwrap_or(PATIENCE.0);
    let mut left_out: Vec<String> = Vec::new();
    loop {
        let form = Form::WrongCode { commands: commands.clone(), left_out: left_out.clone() };
        let script = script::text(&form, settings, limit);
        let run = match prove(settings, input, &settings.around.plain(true), interrupt, &script)? {
            Ok(()) => return Ok(script),
            Err(run) => run,
        };
        let refused = script::refused(&String::from_utf8_lossy(&run.stderr));
        let more: Vec<String> = refused.into_iter().filter(|name| !left_out.contains(name)).collect();
        if more.is_empty() || left_out.len() > WEAKENED {
            return Err(not_wrong_code(settings, &run));
        }
        let shown: Vec<String> = more.iter().map(|name| format!("`-Werror={name}`")).collect();
        settings.voice.say(&format!(
            "note: the input does not pass {}, so the script leaves that out",
            shown.join(", ")
        ));
        left_out.extend(more);
    }
}

/// A command as a script has it.
fn command(words: &[OsString]) -> Result<String, Failure> {
    if let Some(word) = words.iter().find(|word| word.to_str().is_none_or(|word| word.contains('\0'))) {
        let message = format!(
            "`{}` is not UTF-8, and cannot be written in a script for every shell",
            word.to_string_lossy()
        );
        return Err(Failure::message(Exit::Usage, message).hint("rename the file"));
    }
    Ok(text::command_with(words, "\"$1\""))
}

/// Runs the script on the input, which must be interesting, and on the empty file, which must not; the run on the input
/// where it is not.
fn prove(
    settings: &Settings,
    input: &[u8],
    surroundings: &Surroundings,
    interrupt: &Interrupt,
    script: &str,
) -> Result<Result<(), Run>, Failure> {
    let in_temporary = |error: io::Error| {
        Failure::message(Exit::Output, format!("cannot write the script to try it: {error}"))
            .hint("set `TMPDIR` to a directory with free space")
    };
    let directory = tempfile::tempdir().map_err(in_temporary)?;
    let place = directory.path().join("oracle.sh");
    create(&place, script).map_err(in_temporary)?;
    let name = settings.input.path(&settings.language);
    let oracle = baseline::command(settings, &[place.into_os_string()], &name, surroundings, interrupt);
    let oracle = oracle.protocol(Protocol::Script);
    // Whoever waits is the script.
    let oracle = oracle.limit(settings.timeout.unwrap_or_default() * 4 + Duration::from_secs(120));
    for _ in 0..2 {
        let run = oracle.run(input)?;
        if !run.verdict.is_interesting() {
            return Ok(Err(run));
        }
    }
    let nothing = nothing(input, settings.input.is_archive());
    if !settings.allow_empty && oracle.run(&nothing)?.verdict.is_interesting() {
        return Err(accepts_all(settings));
    }
    Ok(Ok(()))
}

fn create(path: &Path, script: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o755).open(path)?;
    file.write_all(script.as_bytes())
}

/// Prints it, or writes it to the file that was asked for.
fn write(settings: &Settings, script: &str) -> Result<Exit, Failure> {
    let Output::File(path) = &settings.output else { return print(script) };
    match create(path, script) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(exists(path)),
        Err(error) => {
            let message = format!("cannot write `{}`: {error}", path.display());
            return Err(
                Failure::message(Exit::Output, message).hint("choose another place with `--output FILE`")
            );
        }
        Ok(()) => {}
    }
    let shown = if path.components().count() == 1 { Path::new(".").join(path) } else { path.clone() };
    let input = settings.input.path(&settings.language);
    settings.voice.say(&format!(
        "wrote `{}`: it finds the failure in the input, and not in the empty {}; edit it, then\n  nubbin {} {}",
        path.display(),
        if settings.input.is_archive() { "directory" } else { "file" },
        text::quote(shown.as_os_str()),
        text::quote(input.as_os_str())
    ));
    Ok(Exit::Success)
}

fn exists(path: &Path) -> Failure {
    let message = format!("`{}` exists, and is not overwritten; nothing was written", path.display());
    Failure::message(Exit::Output, message).hint("choose another name with `--output FILE`, or remove it")
}

fn accepts_all(settings: &Settings) -> Failure {
    let message = format!(
        "`{}` fails in this way on the empty file, too, so a script would accept anything; nothing was written",
        settings.test.label
    );
    Failure::message(Exit::EmptyIsInteresting, message).hint(
        "say more about the failure: `--stderr REGEX` or `--stdout REGEX` with a part of its message; `--allow-empty` goes on all the same",
    )
}

fn output(run: &Run) -> String {
    text::last_lines(&[run.stdout.as_slice(), run.stderr.as_slice()].concat(), LINES)
}

fn unproven(settings: &Settings, run: &Run) -> Failure {
    let message = format!(
        "the script {} on the input, where `{}` fails; nothing was written",
        text::ending(run.status),
        settings.test.label
    );
    let hint = if settings
        .test
        .failure
        .as_ref()
        .is_some_and(|asked| asked.stdout.is_some() || asked.stderr.is_some())
    {
        "`grep -E` may read the regular expression in another way; try a plain part of the message"
    } else {
        "does the command do the same each time, and with its output in a file? `nubbin check FILE -- COMMAND {}` looks"
    };
    Failure::message(Exit::NotInteresting, message).details(output(run)).hint(hint)
}

fn not_wrong_code(settings: &Settings, run: &Run) -> Failure {
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    let reason = said
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("oracle: "))
        .unwrap_or("it does not find the failure");
    let message = format!(
        "the script {} on `{}`: {reason}; nothing was written",
        text::ending(run.status),
        settings.input.path(&settings.language).display()
    );
    Failure::message(Exit::NotInteresting, message)
        .details(output(run))
        .hint("both commands have to build a program without `-o`, which runs without arguments and input; undefined behaviour of the input has to go first")
}

/// The name of a program.
fn program(words: &[OsString]) -> String {
    let name = words.first().map(Path::new).and_then(Path::file_name).unwrap_or(OsStr::new(""));
    name.to_string_lossy().into_owned()
}
