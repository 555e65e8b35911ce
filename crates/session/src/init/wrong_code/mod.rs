//! The script for two builds of a program whose runs differ, where the program itself is to be in order.
//!
//! A program without defined behaviour may do anything in any build, and is shorter than the program that is looked
//! for. So the script has guards, as many as this machine has and the input passes: `guard` finds them, and this module
//! leaves out those that the input does not pass.

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

/// The numbers that were tuned.
struct Tuning {
    /// Something is taken out of the guards at most this many times.
    weakenings: usize,
    /// A script gives a program at least this much time, in seconds.
    least_seconds: u64,
}

const TUNING: Tuning = Tuning { weakenings: 60, least_seconds: 2 };

/// The text that the script prints before its reasons.
const SAYS: &str = "oracle: ";

/// Returns the script, proven.
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
    unreachable!("there are not so many guards and warnings")
}

/// A script that comes to be.
struct Build<'b> {
    settings: &'b Settings,
    first: Compiler,
    second: Compiler,
    /// Is true for each of the two programs that is killed on the input, once that is known.
    ends: [Option<bool>; 2],
    guards: Vec<Guard>,
    /// The names of guards that the input does not pass.
    dropped: Vec<String>,
}

impl Build<'_> {
    /// Finds out whether the two programs differ at all, and how they end.
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

    /// Returns the options that give undefined code a meaning, and with which the programs still differ.
    fn defining(&mut self, input: &[u8], probe: &Probe<'_>) -> Result<Vec<String>, Failure> {
        let all: Vec<String> = DEFINING.iter().map(ToString::to_string).collect();
        let taken = probe.running(&self.first, &all)?;
        let script = self.core(&format!(
            "for option in {}; do\n    build 'it does not build' {} \"$option\" -w -o ./defined\n    run defined ./defined\n    \
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

    /// Leaves out what the input did not pass in this run; whether there is such a thing.
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

    /// Tells what the guards are, and what could not be used.
    fn tell(&self) {
        let names: Vec<&str> = self.guards.iter().map(|guard| guard.name.as_str()).collect();
        self.settings.voice.say(&format!("note: guarded by {}", names.join(", ")));
        let late: Vec<&str> =
            self.guards.iter().filter(|guard| guard.is_late()).map(|guard| guard.name.as_str()).collect();
        if !late.is_empty() {
            let late = late.join(", ");
            self.settings.voice.say(&format!(
                "note: the input is nothing for the compiler of these, which are asked as soon as a candidate is: {late}"
            ));
        }
        let left_out: Vec<String> = self.guards.iter().filter_map(Guard::left_out).collect();
        let dropped = self.dropped.iter().map(|name| format!("{name} (all)"));
        let left_out: Vec<String> = left_out.into_iter().chain(dropped).collect();
        if !left_out.is_empty() {
            let what = left_out.join("; ");
            self.settings
                .voice
                .say(&format!("note: the input does not pass, so the script leaves out: {what}"));
        }
    }

    /// Returns the beginning of a script.
    fn head(&self) -> String {
        let limit = self.settings.timeout.unwrap_or(super::TUNING.least_time);
        let mut script = script::head(self.settings, limit);
        let patience = self.settings.timeout.unwrap_or(Duration::from_secs(TUNING.least_seconds));
        functions(&mut script, patience);
        script
    }

    /// Returns a script without guards that does this where the programs differ.
    fn core(&self, then: &str) -> String {
        let mut script = self.head();
        self.programs(&mut script);
        script + then + "exit 0\n"
    }

    /// Returns the whole script.
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
            script.push_str(
                "\n# From here on programs run in ways that take longer.\npatience=$((patience * 10))\n",
            );
        }
        script.extend(others.into_iter().map(Guard::text));
        script.push_str("exit 0\n");
        script
    }

    /// Adds the two programs, which have to differ.
    fn programs(&self, script: &mut String) {
        script.push_str("\n# The two programs, whose output or status has to differ.\n");
        for (at, (name, compiler)) in
            [("first", &self.first), ("second", &self.second)].into_iter().enumerate()
        {
            let command = compiler.shell();
            let _ = write!(
                script,
                "what='the {name} command'\nbuild 'it does not build' {command} -w -o ./{name}\nrun {name} ./{name}\n"
            );
            match self.ends[at] {
                Some(true) => {
                    script.push_str("[ \"$status\" -ge 128 ] || no 'the program is not killed any more'\n");
                }
                Some(false) => script.push_str("[ \"$status\" -lt 128 ] || no 'the program is killed now'\n"),
                None => {}
            }
        }
        script.push_str("if cmp -s first.txt second.txt; then no 'both programs do the same'; fi\n");
    }
}

fn functions(script: &mut String, patience: Duration) {
    let patience = patience.as_secs().max(1);
    let _ = write!(
        script,
        "# And how long a program may run.
patience={patience}

export ASAN_OPTIONS=exitcode={REPORTED}:detect_leaks=0:detect_stack_use_after_return=1:detect_invalid_pointer_pairs=2
export UBSAN_OPTIONS=exitcode={REPORTED} MSAN_OPTIONS=exitcode={REPORTED}

no() {{
    echo \"{SAYS}$1 ($what)\" >&2
    exit 1
}}

# Where a compiler or a program is too slow (124), or cannot be started (126, 127), nothing can be said.
judge() {{
    case $1 in 124 | 126 | 127)
        echo \"{SAYS}nothing can be said, with status $1 ($what)\" >&2
        exit 125
        ;;
    esac
}}

# build REASON COMMAND...: a compiler has to succeed.
build() {{
    reason=$1
    shift
    timeout \"$limit\" \"$@\"
    status=$?
    judge \"$status\"
    [ \"$status\" -eq 0 ] || no \"$reason\"
}}

# run NAME COMMAND...: what a program writes and how it ends is in NAME.txt.
run() {{
    name=$1
    shift
    timeout \"$patience\" \"$@\" >\"$name.txt\"
    status=$?
    judge \"$status\"
    echo \"status $status\" >>\"$name.txt\"
}}

# clean NAME: no undefined behaviour was found in the run, and it did what the second program does.
clean() {{
    [ \"$status\" -ne {REPORTED} ] || no 'there is undefined behaviour'
    cmp -s second.txt \"$1.txt\" || no 'it does something else than the second program'
}}
"
    );
}

/// Returns the reason that a script gave last, and the guard that it is of.
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
        if run.status == Status::Exit(125) { "cannot tell".to_owned() } else { text::ending(run.status) };
    let message = format!(
        "the script {ended} on `{}`: {reason}{}; nothing was written",
        settings.input.path(&settings.language).display(),
        if of.is_empty() { String::new() } else { format!(" ({of})") }
    );
    Failure::message(Fault::NotInteresting, message)
        .details(output(run))
        .hint("both commands have to build a program without `-o`, which runs without arguments and input, and the two programs have to differ each time")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_reason_counts() {
        assert_eq!(reason("x\noracle: it is so (warnings of gcc)\n"), ("it is so", "warnings of gcc"));
    }
}
