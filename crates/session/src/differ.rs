//! `--differs-from`: two commands that should do the same on an input, and do not.
//!
//! Both are run in one probe by this program under a hidden first word, one after the other. It compares how they end
//! and what they write to standard output; whether that is the failure is judged by its exit status, as of any command.

use crate::baseline::LINES;
use crate::failure::Failure;
use crate::failure::Fault;
use crate::settings::Settings;
use crate::text;
use nubbin_oracle::command::holds_placeholder;
use nubbin_oracle::{CommandRun, Status};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, ExitStatus, Stdio};

/// The first word by which this program knows that it is to compare.
const WORD: &str = "__compare-commands";
/// The exit status if the commands cannot be compared: one of them was killed, or could not be started.
const UNRESOLVED: u8 = 125;
/// The least exit status if the commands differ; it is 1 higher if the first fails, and 2 higher if the second does. So
/// a candidate on which one of them fails that did not before is another failure.
const DIFFERENT: u8 = 40;

/// Returns the words that compare two commands, each with the candidate's path as its last word where it has none.
#[must_use]
pub fn words(first: Vec<OsString>, second: Vec<OsString>, several: bool) -> Vec<OsString> {
    let [first, second] = [first, second].map(|mut words| {
        if !words.iter().any(|word| holds_placeholder(word, several)) {
            words.push("{}".into());
        }
        words
    });
    // Where the second begins is found by a word that nobody writes, since `{}` may stand for several words.
    let all = ["/proc/self/exe".into(), WORD.into()].into_iter().chain(first);
    all.chain([WORD.into()]).chain(second).collect()
}

/// Returns the words of the two commands that are compared.
pub fn parts(words: &[OsString]) -> (Vec<OsString>, Vec<OsString>) {
    let mut parts = words[2..].split(|word| word == WORD).map(<[_]>::to_vec);
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

/// Tells whether this program's arguments ask it to compare.
pub fn is_asked_for(mut arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.nth(1).is_some_and(|word| word == WORD)
}

/// Runs both commands, and tells by the exit status what came of it.
pub fn compare(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = arguments.skip(2).collect();
    let mut commands = words.split(|word| word == WORD);
    let (Some(first), Some(second)) = (commands.next(), commands.next()) else {
        return ExitCode::from(UNRESOLVED);
    };
    match difference(first, second) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // What a shell would say; the oracle's output is nobody else's.
            crate::helper::say(&format!("nubbin: {error}"));
            ExitCode::from(UNRESOLVED)
        }
    }
}

fn difference(first: &[OsString], second: &[OsString]) -> io::Result<u8> {
    let (first, mut first_said) = run(first)?;
    let (second, mut second_said) = run(second)?;
    let (Some(one), Some(other)) = (first.code(), second.code()) else { return Ok(UNRESOLVED) };
    if one == other && is_same(&mut first_said, &mut second_said)? {
        return Ok(0);
    }
    Ok(DIFFERENT + u8::from(one != 0) + 2 * u8::from(other != 0))
}

/// Runs a command; its standard output goes to a file, which has no name.
fn run(words: &[OsString]) -> io::Result<(ExitStatus, File)> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let output = tempfile::tempfile()?;
    let status = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .status()
        .map_err(|error| {
            io::Error::other(format!("`{}` could not be started: {error}", program.display()))
        })?;
    let length = output.metadata()?.len();
    let ends = match (status.code(), status.signal()) {
        (None, Some(number)) => format!("was killed by {}", text::signal(number)),
        (code, _) => format!("exited with status {}", code.unwrap_or_default()),
    };
    let written = text::counted(length as usize, "byte");
    crate::helper::say(&format!("nubbin: `{}` {ends}, and wrote {written}", text::words(words)));
    Ok((status, output))
}

/// Tells whether two files have the same content.
fn is_same(one: &mut File, other: &mut File) -> io::Result<bool> {
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let bytes = |file: &mut File| -> io::Result<_> {
        io::Seek::rewind(file)?;
        Ok(BufReader::new(file.try_clone()?).bytes())
    };
    for (one, other) in bytes(one)?.zip(bytes(other)?) {
        if one? != other? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Describes the commands by the status of the comparison, as the rest of a sentence about both.
#[must_use]
pub fn told(code: i32) -> Option<&'static str> {
    const TOLD: [&str; 4] = [
        "differ in what they write, and both succeed",
        "differ, and only the second succeeds",
        "differ, and only the first succeeds",
        "differ, and both fail",
    ];
    TOLD.get(usize::try_from(code - i32::from(DIFFERENT)).ok()?).copied()
}

/// Tells which of the two commands fail, by a status that means a difference.
#[must_use]
pub fn failing(code: i32) -> [bool; 2] {
    let told = code - i32::from(DIFFERENT);
    [told & 1 != 0, told & 2 != 0]
}

/// Tells whether two commands were run, and differ.
pub(crate) fn is_difference(status: Status) -> bool {
    matches!(status, Status::Exit(code) if told(code).is_some())
}

/// Words in commands that show a guard of C or C++ programs against undefined behaviour.
const GUARDS: [&str; 4] = ["-fsanitize", "-Werror", "valgrind", "frama-c"];

/// Returns a hint that undefined behaviour may pass for a difference, if two commands are compared without a guard on a
/// language that has a preprocessor: this is C, or a language that builds on it.
#[must_use]
pub fn hint(settings: &Settings, input: &[u8]) -> Option<&'static str> {
    settings.test.other.as_ref()?;
    let found = settings.language.resolve(&settings.input.path(&settings.language), input).ok()?;
    let is_guarded = |word: &OsString| GUARDS.iter().any(|guard| word.to_string_lossy().contains(guard));
    let is_meant = found.get().is_some_and(|language| !language.preprocessors().is_empty())
        && !settings.test.words.iter().any(is_guarded);
    is_meant.then_some(
        "hint: undefined behaviour may pass for wrong code; `nubbin init --wrong-code` writes an oracle that is guarded against it",
    )
}

/// Makes the failure that two commands do not differ on the unreduced input.
pub(crate) fn no_difference(first: &str, other: &str, run: &CommandRun) -> Failure {
    let (what, hint) = if run.status == Status::Exit(0) {
        ("do the same", "both have to end, and differ in their exit status or their standard output")
    } else {
        ("cannot be compared", "both have to be found, and to end by themselves, not by a signal")
    };
    let message = format!("`{first}` and `{other}` {what} on the unreduced input; nothing was changed");
    Failure::message(Fault::NotInteresting, message).details(text::last_lines(&run.stderr, LINES)).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference_of(first: &str, second: &str) -> u8 {
        let words = |line: &str| ["sh", "-c", line].map(OsString::from);
        difference(&words(first), &words(second)).expect("they can be run")
    }

    #[test]
    fn two_commands_agree_where_they_end_alike_and_write_the_same() {
        assert_eq!(difference_of("echo 1; echo x >&2", "echo 1"), 0);
        assert_eq!(difference_of("exit 3", "exit 3"), 0);
        assert_eq!(difference_of("echo 1", "echo 2"), 40);
        assert_eq!(difference_of("exit 1", "true"), 41);
        assert_eq!(difference_of("true", "exit 1"), 42);
        assert_eq!(difference_of("exit 1", "exit 2"), 43);
        assert_eq!(difference_of("kill -SEGV $$", "true"), UNRESOLVED);
    }

    #[test]
    fn each_command_gets_the_candidates_path() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        let all = super::words(words("cc -O0"), words("cc -O2 {} -o x"), false);
        assert_eq!(all[2..], [words("cc -O0 {}"), vec![WORD.into()], words("cc -O2 {} -o x")].concat());
        assert_eq!(
            (told(40), told(44), told(1)),
            (Some("differ in what they write, and both succeed"), None, None)
        );
    }
}
