//! Writes the scripts.
//!
//! They are for any POSIX shell with `timeout`, `grep` and `cmp`.

use super::quote;
use crate::settings::Settings;
use nubbin_oracle::Status;
use std::fmt::Write;
use std::time::Duration;

/// The exit statuses of `timeout` itself, and of a shell that cannot start a command: they tell nothing about the
/// failure.
const CANNOT_TELL: [i32; 3] = [124, 126, 127];

/// The test of a script.
pub enum ScriptForm {
    /// One command has to fail in this way.
    Plain(Plain),
    /// Two commands have to differ, and each has to fail or succeed as given.
    Difference { commands: [String; 2], fails: [bool; 2] },
}

/// The failure of one command.
pub struct Plain {
    pub command: String,
    pub status: Option<Status>,
    /// Regular expressions that were asked for.
    pub patterns: Vec<String>,
    /// Parts of its message.
    pub texts: Vec<String>,
}

/// Returns the script.
pub fn text(form: &ScriptForm, settings: &Settings, limit: Duration) -> String {
    let mut script = head(settings, limit);
    match form {
        ScriptForm::Plain(plain) => plain_test(plain, &mut script),
        ScriptForm::Difference { commands, fails } => difference(commands, *fails, &mut script),
    }
    script
}

/// Returns its beginning, which says what it is.
pub fn head(settings: &Settings, limit: Duration) -> String {
    let input = settings.input.path(&settings.language);
    let words: Vec<String> = settings.words.iter().map(|word| quote::word(&word.to_string_lossy())).collect();
    // A comment ends with its line.
    let words = words.join(" ").replace(['\n', '\r'], " ");
    let input = input.display().to_string().replace(['\n', '\r'], " ");
    let seconds =
        if limit.subsec_nanos() == 0 { limit.as_secs().to_string() } else { limit.as_secs_f64().to_string() };
    format!(
        "#!/bin/sh
# An oracle for `{input}`, made by: nubbin {words}
# It exits with 0 if the failure is there, with 1 if it is not, and with 125 if that cannot be told.
# It runs in a directory of its own, where it may write; \"$1\" is the path of the candidate.

# How long a command may take, in seconds.
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
# Nubbin looks at messages, too, and tells where they drift.
cat output.txt

"
    );
    let wanted = status.and_then(number);
    cannot_tell(&["status"], wanted.as_slice(), script);
    if let (Some(status), Some(number)) = (status, wanted) {
        let _ = writeln!(script, "# {}\n[ \"$status\" -eq {number} ] || exit 1", meaning(*status));
    }
    for pattern in patterns {
        let _ = writeln!(script, "# What it writes, as a regular expression.\n{}", search(pattern));
    }
    if !texts.is_empty() {
        script.push_str("# What it says, without what changes from run to run.\n");
    } else if patterns.is_empty() && *status != Some(Status::TimedOut) {
        script.push_str(
            "# Only the status is looked at. Better add a part of the message:\n# grep -qF -e 'part of the message' output.txt || exit 1\n",
        );
    }
    for text in texts {
        let _ = writeln!(script, "grep -qF -e {} output.txt || exit 1", quote::word(text));
    }
    script.push_str("exit 0\n");
}

/// Returns the status that a shell sees.
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
            format!("It is killed by {}: 128 and the signal's number.", crate::text::signal(number))
        }
        Status::TimedOut => "It does not end: 124 is what `timeout` says.".to_owned(),
        Status::OverLimit(limit) => format!("It runs into the {limit}."),
        Status::Told(_) => "The server tells the verdict.".to_owned(),
    }
}

/// Returns a test of the output: for a text where the pattern is one.
fn search(pattern: &str) -> String {
    let is_plain = regex::escape(pattern) == pattern;
    let option = if is_plain { "-qF" } else { "-qE" };
    format!("grep {option} -e {} output.txt || exit 1", quote::word(pattern))
}

fn cannot_tell(variables: &[&str], wanted: &[i32], script: &mut String) {
    let codes: Vec<String> =
        CANNOT_TELL.iter().filter(|code| !wanted.contains(code)).map(ToString::to_string).collect();
    let _ = writeln!(script, "# Too slow (124), or not started (126, 127): nothing can be said.");
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
    script.push_str("# Killed by a signal: another failure.\nif [ \"$first\" -ge 128 ] || [ \"$second\" -ge 128 ]; then exit 125; fi\n\n");
    script.push_str("# Each ends as it does on the input.\n");
    for (name, fails) in ["first", "second"].into_iter().zip(fails) {
        let _ = writeln!(script, "[ \"${name}\" {} 0 ] || exit 1", if fails { "-ne" } else { "-eq" });
    }
    script.push_str(&compare("first", "second"));
}

/// Ends with 1 where both end alike and write the same.
fn compare(one: &str, other: &str) -> String {
    format!(
        "# They differ in their status or in what they write.
[ \"${one}\" -eq \"${other}\" ] && cmp -s {one}.txt {other}.txt && exit 1
exit 0
"
    )
}
