//! Writes the scripts, for a POSIX shell with `timeout`, `grep` and `cmp`.

use super::quote;
use crate::settings::Settings;
use nubbin_oracle::Status;
use std::fmt::Write;
use std::time::Duration;

/// The exit statuses of `timeout`, and of a shell that cannot start a command. They prove nothing about the failure.
const CANNOT_TELL: [i32; 3] = [124, 126, 127];

/// The test in a script.
pub enum ScriptForm {
    /// One command must fail in this way.
    Plain(Plain),
    /// Two commands must differ, and each must fail or succeed as given.
    Difference { commands: [String; 2], fails: [bool; 2] },
}

pub struct Plain {
    pub command: String,
    pub status: Option<Status>,
    /// Regular expressions from the user.
    pub patterns: Vec<String>,
    /// Parts of the message.
    pub texts: Vec<String>,
}

pub fn text(form: &ScriptForm, settings: &Settings, limit: Duration) -> String {
    let mut script = head(settings, limit);
    match form {
        ScriptForm::Plain(plain) => plain_test(plain, &mut script),
        ScriptForm::Difference { commands, fails } => difference(commands, *fails, &mut script),
    }
    script
}

/// Returns the header of a script.
pub fn head(settings: &Settings, limit: Duration) -> String {
    let input = settings.input.path(&settings.language);
    let words: Vec<String> = settings.words.iter().map(|word| quote::word(&word.to_string_lossy())).collect();
    // A line break would end the comment.
    let words = words.join(" ").replace(['\n', '\r'], " ");
    let input = input.display().to_string().replace(['\n', '\r'], " ");
    let seconds =
        if limit.subsec_nanos() == 0 { limit.as_secs().to_string() } else { limit.as_secs_f64().to_string() };
    format!(
        "#!/bin/sh
# An interestingness test for `{input}`, written by: nubbin {words}
# Exit status: 0 if the failure occurs, 1 if it does not, 125 if that cannot be decided.
# Each run has its own writable working directory; \"$1\" is the path of the candidate.

# The time limit of a command, in seconds.
limit={seconds}

"
    )
}

fn plain_test(plain: &Plain, script: &mut String) {
    let Plain { command, status, patterns, texts } = plain;
    let _ = write!(
        script,
        "timeout \"$limit\" {command} >output.txt 2>&1
status=$?
# Nubbin compares messages to detect a drift to another failure.
cat output.txt

"
    );
    let wanted = status.and_then(number);
    cannot_tell(&["status"], wanted.as_slice(), script);
    if let (Some(status), Some(number)) = (status, wanted) {
        let _ = writeln!(script, "# {}\n[ \"$status\" -eq {number} ] || exit 1", meaning(*status));
    }
    for pattern in patterns {
        let _ = writeln!(script, "# Its output must match this regular expression.\n{}", search(pattern));
    }
    if !texts.is_empty() {
        script.push_str("# The parts of its message that are the same in every run.\n");
    } else if patterns.is_empty() && *status != Some(Status::TimedOut) {
        script.push_str(
            "# Only the status is tested. Add a part of the message to be more precise:\n# grep -qF -e 'part of the message' output.txt || exit 1\n",
        );
    }
    for text in texts {
        let _ = writeln!(script, "grep -qF -e {} output.txt || exit 1", quote::word(text));
    }
    script.push_str("exit 0\n");
}

/// Returns the status as a shell reports it.
fn number(status: Status) -> Option<i32> {
    match status {
        Status::Exit(status) => Some(status),
        Status::Signal(signal) => Some(128 + signal),
        Status::TimedOut => Some(124),
        Status::OverLimit(_) | Status::Told(_) => None,
    }
}

fn meaning(status: Status) -> String {
    match status {
        Status::Exit(0) => "It succeeds.".to_owned(),
        Status::Exit(_) => "It fails with this status.".to_owned(),
        Status::Signal(number) => {
            format!("It is killed by {} (128 plus the signal number).", crate::text::signal(number))
        }
        Status::TimedOut => "It hangs: `timeout` exits with 124.".to_owned(),
        Status::OverLimit(limit) => format!("It exceeds the {limit}."),
        Status::Told(_) => "The server reports the verdict.".to_owned(),
    }
}

/// Returns a `grep` command for a pattern, as fixed text if it has no special characters.
fn search(pattern: &str) -> String {
    let is_plain = regex::escape(pattern) == pattern;
    let option = if is_plain { "-qF" } else { "-qE" };
    format!("grep {option} -e {} output.txt || exit 1", quote::word(pattern))
}

fn cannot_tell(variables: &[&str], wanted: &[i32], script: &mut String) {
    let codes: Vec<String> =
        CANNOT_TELL.iter().filter(|code| !wanted.contains(code)).map(ToString::to_string).collect();
    let _ = writeln!(script, "# Too slow (124) or not started (126, 127): unresolved.");
    for variable in variables {
        let _ = writeln!(script, "case ${variable} in {}) exit 125 ;; esac", codes.join(" | "));
    }
    script.push('\n');
}

fn difference(commands: &[String; 2], fails: [bool; 2], script: &mut String) {
    for (name, command) in ["first", "second"].into_iter().zip(commands) {
        let _ = writeln!(script, "timeout \"$limit\" {command} >{name}.txt\n{name}=$?");
    }
    script.push('\n');
    cannot_tell(&["first", "second"], &[], script);
    script.push_str("# Killed by a signal: a different failure.\nif [ \"$first\" -ge 128 ] || [ \"$second\" -ge 128 ]; then exit 125; fi\n\n");
    script.push_str("# Each must fail or succeed as it does on the input.\n");
    for (name, fails) in ["first", "second"].into_iter().zip(fails) {
        let _ = writeln!(script, "[ \"${name}\" {} 0 ] || exit 1", if fails { "-ne" } else { "-eq" });
    }
    script.push_str(&compare("first", "second"));
}

/// Returns lines that exit with 1 if both commands have the same status and output.
fn compare(one: &str, other: &str) -> String {
    format!(
        "# Their status or output must differ.
[ \"${one}\" -eq \"${other}\" ] && cmp -s {one}.txt {other}.txt && exit 1
exit 0
"
    )
}
