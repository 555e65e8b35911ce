//! Creates the script for a miscompilation: two builds of a program behave differently although the program is
//! correct.
//!
//! A program with undefined behaviour can behave differently in each build, and is usually shorter. The script
//! therefore contains every guard against it that is available on this machine and that the input passes. The module
//! `guard` finds the guards.

mod compiler;
mod guard;
mod option;
mod probe;

use super::{Made, ScriptTrial, output, script, texts};
use crate::failure::Failure;
use crate::failure::Fault;
use crate::settings::Settings;
use crate::stop::Stop;
use crate::text;
use compiler::Compiler;
use guard::{Guard, REPORTED};
use nubbin_oracle::{CommandRun, Status};
use option::DEFINING;
use probe::Probe;
use std::ffi::OsString;
use std::fmt::Write;
use std::time::Duration;

/// Tuned parameters.
struct Tuning {
    /// The largest number of times that the guards are weakened.
    weakenings: usize,
    /// The least time limit of a program, in seconds.
    least_seconds: u64,
}

const TUNING: Tuning = Tuning { weakenings: 60, least_seconds: 2 };

/// The prefix of the reasons that the script prints.
const SAYS: &str = "oracle: ";

/// Returns the verified script.
pub fn make(
    settings: &Settings,
    input: &[u8],
    interrupt: &Stop,
    second: &[OsString],
) -> Result<Made, Failure> {
    let [first, second] =
        [&settings.test.words[..], second].map(|words| texts(words).and_then(|words| Compiler::new(&words)));
    let (first, second) = (first?, second?);
    let mut build =
        Build { settings, first, second, ends: [None, None], guards: Vec::new(), dropped: Vec::new() };
    let probe = Probe { settings, interrupt };
    build.look(input, interrupt)?;
    build.guards = guard::all(&probe, &build.first, &build.second)?;
    let defining = build.defining(input, &probe)?;
    build.guards.extend(guard::defined(&build.first, &defining));
    for _ in 0..TUNING.weakenings {
        let script = build.script();
        let trial = ScriptTrial::new(settings, input, &settings.around.plain(true), interrupt, &script)?;
        let Some(run) = trial.rejects_input()? else {
            let (rejected, _) = trial.sort()?;
            build.tell();
            return Ok(Made { script, rejected });
        };
        if !build.weaken(&run) {
            return Err(not_wrong_code(settings, &run));
        }
    }
    unreachable!("the number of guards and warnings is limited")
}

/// A script in the making.
struct Build<'b> {
    settings: &'b Settings,
    first: Compiler,
    second: Compiler,
    /// Whether each of the two programs is killed by a signal on the input, once known.
    ends: [Option<bool>; 2],
    guards: Vec<Guard>,
    dropped: Vec<String>,
}

impl Build<'_> {
    /// Checks that the two programs differ, and records how they end.
    fn look(&mut self, input: &[u8], interrupt: &Stop) -> Result<(), Failure> {
        let script = self.core("tail -n 1 first.txt second.txt\n");
        let run =
            ScriptTrial::new(self.settings, input, &self.settings.around.plain(true), interrupt, &script)?
                .run(input)?;
        if !run.verdict.is_interesting() {
            return Err(not_wrong_code(self.settings, &run));
        }
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        let mut ends = said.lines().filter_map(|line| line.strip_prefix("status ")?.parse::<i32>().ok());
        self.ends = [(); 2].map(|()| ends.next().map(|status| status >= 128));
        Ok(())
    }

    /// Returns the options that define undefined behaviour and keep the difference between the programs.
    fn defining(&mut self, input: &[u8], probe: &Probe<'_>) -> Result<Vec<String>, Failure> {
        let all: Vec<String> = DEFINING.iter().map(ToString::to_string).collect();
        let taken = probe.running(&self.first, &all)?;
        let script = self.core(&format!(
            "for option in {}; do\n    build 'it does not compile' {} \"$option\" -w -o ./defined\n    run defined ./defined\n    \
             cmp -s defined.txt second.txt || echo \"holds $option\"\ndone\n",
            taken.join(" "),
            self.first.shell()
        ));
        let run = ScriptTrial::new(
            self.settings,
            input,
            &self.settings.around.plain(true),
            probe.interrupt,
            &script,
        )?
        .run(input)?;
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        let holds = |option: &String| said.lines().any(|line| line.strip_prefix("holds ") == Some(option));
        let (kept, gone): (Vec<String>, Vec<String>) = taken.into_iter().partition(holds);
        self.dropped.extend(gone.iter().map(|option| format!("the first command with {option}")));
        Ok(kept)
    }

    /// Removes the part of the guards that the input did not pass in this run. Returns whether there was one.
    fn weaken(&mut self, run: &CommandRun) -> bool {
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        let Some(at) = self.guards.iter().position(|guard| reason(&said).1 == guard.name) else {
            return false;
        };
        if self.guards[at].weaken(&said) || self.guards[at].delay() {
            return true;
        }
        self.dropped.push(self.guards.remove(at).name);
        true
    }

    /// Prints which guards are used, and which could not be.
    fn tell(&self) {
        let names: Vec<&str> = self.guards.iter().map(|guard| guard.name.as_str()).collect();
        self.settings.voice.say(&format!("note: guarded by {}", names.join(", ")));
        let late: Vec<&str> =
            self.guards.iter().filter(|guard| guard.is_late()).map(|guard| guard.name.as_str()).collect();
        if !late.is_empty() {
            let late = late.join(", ");
            self.settings.voice.say(&format!(
                "note: these guards apply only to candidates that their compiler accepts, because it rejects the input: {late}"
            ));
        }
        let left_out: Vec<String> = self.guards.iter().filter_map(Guard::left_out).collect();
        let dropped = self.dropped.iter().map(|name| format!("{name} (all)"));
        let left_out: Vec<String> = left_out.into_iter().chain(dropped).collect();
        if !left_out.is_empty() {
            let what = left_out.join("; ");
            self.settings.voice.say(&format!("note: left out because the input does not pass: {what}"));
        }
    }

    fn head(&self) -> String {
        let limit = self.settings.timeout.unwrap_or(super::TUNING.least_time);
        let mut script = script::head(self.settings, limit);
        let patience = self.settings.timeout.unwrap_or(Duration::from_secs(TUNING.least_seconds));
        functions(&mut script, patience);
        script
    }

    /// Returns a script without guards that runs `then` if the programs differ.
    fn core(&self, then: &str) -> String {
        let mut script = self.head();
        self.programs(&mut script);
        script + then + "exit 0\n"
    }

    fn script(&self) -> String {
        let mut script = self.head();
        let (cheap, others): (Vec<&Guard>, Vec<&Guard>) =
            self.guards.iter().partition(|guard| guard.is_cheap());
        script.extend(cheap.into_iter().map(Guard::text));
        self.programs(&mut script);
        if !self.dropped.is_empty() {
            let _ = writeln!(script, "\n# Guards that the input does not pass: {}.", self.dropped.join(", "));
        }
        if !others.is_empty() {
            script.push_str("\n# The following runs take longer.\npatience=$((patience * 10))\n");
        }
        script.extend(others.into_iter().map(Guard::text));
        script.push_str("exit 0\n");
        script
    }

    /// Adds the two programs, which must differ.
    fn programs(&self, script: &mut String) {
        script.push_str("\n# The two programs, whose output or status must differ.\n");
        for (at, (name, compiler)) in
            [("first", &self.first), ("second", &self.second)].into_iter().enumerate()
        {
            let command = compiler.shell();
            let _ = write!(
                script,
                "what='the {name} command'\nbuild 'it does not compile' {command} -w -o ./{name}\nrun {name} ./{name}\n"
            );
            match self.ends[at] {
                Some(true) => {
                    script.push_str(
                        "[ \"$status\" -ge 128 ] || no 'the program is no longer killed by a signal'\n",
                    );
                }
                Some(false) => {
                    script.push_str("[ \"$status\" -lt 128 ] || no 'the program is killed by a signal'\n");
                }
                None => {}
            }
        }
        script
            .push_str("if cmp -s first.txt second.txt; then no 'both programs behave in the same way'; fi\n");
    }
}

fn functions(script: &mut String, patience: Duration) {
    let patience = patience.as_secs().max(1);
    let _ = write!(
        script,
        "# The time limit of a program, in seconds.
patience={patience}

export ASAN_OPTIONS=exitcode={REPORTED}:detect_leaks=0:detect_stack_use_after_return=1:detect_invalid_pointer_pairs=2
export UBSAN_OPTIONS=exitcode={REPORTED} MSAN_OPTIONS=exitcode={REPORTED}

no() {{
    echo \"{SAYS}$1 ($what)\" >&2
    exit 1
}}

# Unresolved if a compiler or a program is too slow (124) or cannot be started (126, 127).
judge() {{
    case $1 in 124 | 126 | 127)
        echo \"{SAYS}unresolved: status $1 ($what)\" >&2
        exit 125
        ;;
    esac
}}

# build REASON COMMAND...: runs a compiler, which must succeed.
build() {{
    reason=$1
    shift
    timeout \"$limit\" \"$@\"
    status=$?
    judge \"$status\"
    [ \"$status\" -eq 0 ] || no \"$reason\"
}}

# run NAME COMMAND...: runs a program and writes its output and status to NAME.txt.
run() {{
    name=$1
    shift
    timeout \"$patience\" \"$@\" >\"$name.txt\"
    status=$?
    judge \"$status\"
    echo \"status $status\" >>\"$name.txt\"
}}

# clean NAME: rejects the run if it found undefined behaviour or differs from the second program.
clean() {{
    [ \"$status\" -ne {REPORTED} ] || no 'undefined behaviour was found'
    cmp -s second.txt \"$1.txt\" || no 'it behaves differently from the second program'
}}
"
    );
}

/// Returns the last reason that a script printed, and its guard.
fn reason(said: &str) -> (&str, &str) {
    let line =
        said.lines().rev().find_map(|line| line.strip_prefix(SAYS)).unwrap_or("it does not find the failure");
    let of = line.strip_suffix(')').and_then(|line| line.rsplit_once(" ("));
    of.unwrap_or((line, ""))
}

fn not_wrong_code(settings: &Settings, run: &CommandRun) -> Failure {
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    let (reason, of) = reason(&said);
    let ended =
        if run.status == Status::Exit(125) { "is unresolved".to_owned() } else { text::ending(run.status) };
    let message = format!(
        "the script {ended} on `{}`: {reason}{}; nothing was written",
        settings.input.path(&settings.language).display(),
        if of.is_empty() { String::new() } else { format!(" ({of})") }
    );
    Failure::message(Fault::NotInteresting, message)
        .details(output(run))
        .hint("both commands must build a program and have no `-o`; the programs must run without arguments and input, and differ every time")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_reason_counts() {
        assert_eq!(reason("x\noracle: it is so (warnings of gcc)\n"), ("it is so", "warnings of gcc"));
    }
}
