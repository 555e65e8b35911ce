//! `--differs-from`: two commands that should behave equally on an input but do not.
//!
//! This program, started with a hidden first argument, runs both commands in one probe and compares their exit
//! statuses and standard outputs. Its own exit status reports the result, and is judged like that of any command.

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

/// The hidden first argument.
const WORD: &str = "__compare-commands";
/// The exit status if the commands cannot be compared, because one was killed or could not be started.
const UNRESOLVED: u8 = 125;
/// The lowest exit status for a difference; 1 is added if the first command fails, and 2 if the second does. A
/// candidate on which another command starts to fail is therefore a different failure.
const DIFFERENT: u8 = 40;

/// Returns the arguments that compare two commands. The candidate's path is appended to commands without a
/// placeholder.
#[must_use]
pub fn words(first: Vec<OsString>, second: Vec<OsString>, several: bool) -> Vec<OsString> {
    let [first, second] = [first, second].map(|mut words| {
        if !words.iter().any(|word| holds_placeholder(word, several)) {
            words.push("{}".into());
        }
        words
    });
    // The commands are separated by the hidden argument, because `{}` can stand for several arguments.
    let all = ["/proc/self/exe".into(), WORD.into()].into_iter().chain(first);
    all.chain([WORD.into()]).chain(second).collect()
}

/// Returns the two commands.
pub fn parts(words: &[OsString]) -> (Vec<OsString>, Vec<OsString>) {
    let mut parts = words[2..].split(|word| word == WORD).map(<[_]>::to_vec);
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

/// Returns whether the arguments of this process request a comparison.
pub fn is_asked_for(mut arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.nth(1).is_some_and(|word| word == WORD)
}

/// Runs both commands, and reports the result by the exit status.
pub fn compare(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = arguments.skip(2).collect();
    let mut commands = words.split(|word| word == WORD);
    let (Some(first), Some(second)) = (commands.next(), commands.next()) else {
        return ExitCode::from(UNRESOLVED);
    };
    match difference(first, second) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // As a shell would report it on the oracle's output.
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

/// Runs a command with its standard output in an unnamed file.
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
    crate::helper::say(&format!("nubbin: `{}` {ends} and wrote {written}", text::words(words)));
    Ok((status, output))
}

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

/// Describes the result of a comparison, as the rest of a sentence about both commands.
#[must_use]
pub fn told(code: i32) -> Option<&'static str> {
    const TOLD: [&str; 4] = [
        "differ in their output, and both succeed",
        "differ, and only the second succeeds",
        "differ, and only the first succeeds",
        "differ, and both fail",
    ];
    TOLD.get(usize::try_from(code - i32::from(DIFFERENT)).ok()?).copied()
}

/// Returns which of the two commands fail, for a status that reports a difference.
#[must_use]
pub fn failing(code: i32) -> [bool; 2] {
    let told = code - i32::from(DIFFERENT);
    [told & 1 != 0, told & 2 != 0]
}

/// Returns whether two commands were run and differ.
pub(crate) fn is_difference(status: Status) -> bool {
    matches!(status, Status::Exit(code) if told(code).is_some())
}

/// Texts in commands that indicate a guard against undefined behaviour.
const GUARDS: [&str; 4] = ["-fsanitize", "-Werror", "valgrind", "frama-c"];

/// Returns a hint about undefined behaviour, if two commands without a guard are compared on C or a related language,
/// which is one with a preprocessor.
#[must_use]
pub fn hint(settings: &Settings, input: &[u8]) -> Option<&'static str> {
    settings.test.other.as_ref()?;
    let found = settings.language.resolve(&settings.input.path(&settings.language), input).ok()?;
    let is_guarded = |word: &OsString| GUARDS.iter().any(|guard| word.to_string_lossy().contains(guard));
    let is_meant = found.get().is_some_and(|language| !language.preprocessors().is_empty())
        && !settings.test.words.iter().any(is_guarded);
    is_meant.then_some(
        "hint: undefined behaviour can look like a miscompilation; write a script with guards against it by `nubbin init --wrong-code`",
    )
}

/// The two commands do not differ on the unreduced input.
pub(crate) fn no_difference(first: &str, other: &str, run: &CommandRun) -> Failure {
    let (what, hint) = if run.status == Status::Exit(0) {
        ("behave in the same way", "both must finish, and differ in exit status or standard output")
    } else {
        ("cannot be compared", "both must exist, and finish without being killed by a signal")
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
            (Some("differ in their output, and both succeed"), None, None)
        );
    }
}
