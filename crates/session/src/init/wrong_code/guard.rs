//! Guards against undefined behaviour that are available on this machine, and their lines in a script.

use super::super::quote;
use super::compiler::{Compiler, is_installed};
use super::option::{EXTRA, FLOW, FRONT, HARMLESS, MEMORY, MORE, PATTERN, SANITIZERS};
use super::probe::Probe;
use crate::failure::Failure;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The exit status of a program that a sanitizer or valgrind ends.
pub const REPORTED: u8 = 86;
/// Marks a warning without a name in the output of a script.
const UNNAMED: &str = "unnamed: ";
/// Interpreters that detect undefined behaviour of C: name, command, the output of a clean run, and the output of a
/// bad run.
const INTERPRETERS: [(&str, &str, &str, &str); 3] = [
    ("ccomp", "ccomp -interp \"$1\"", "program terminated", "undefined behavior"),
    ("tis-interpreter", "tis-interpreter \"$1\"", "done for function main", "warning:|undefined"),
    (
        "frama-c",
        "frama-c -eva -eva-precision 9 -eva-slevel 100000 -eva-no-print -eva-no-show-progress \"$1\"",
        "^ *0 alarms generated",
        "^\\[kernel\\].* error",
    ),
];

/// A guard, as a part of the script.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The name of the guard. The script prints it if the guard rejects.
    pub name: String,
    /// The reason for the guard, as a comment of the script.
    comment: &'static str,
    kind: Kind,
    /// The compiler that it needs, if that is not the compiler of one of the two commands.
    other: Option<Compiler>,
    /// The guard is skipped until a candidate compiles with this compiler, which rejects the input.
    is_late: bool,
}

#[derive(Clone, Debug)]
enum Kind {
    /// A compilation with warnings as errors, for each level, without the warnings in `left_out`.
    Warnings { compiler: Compiler, levels: &'static str, options: Vec<String>, left_out: Vec<String> },
    /// A compilation without unnamed warnings, except those in `left_out`, which are texts without names and numbers.
    Unnamed { compiler: Compiler, left_out: Vec<String> },
    /// Other lines of the script.
    Lines(String),
}

impl Guard {
    fn lines(name: String, comment: &'static str, lines: String) -> Self {
        Self { name, comment, kind: Kind::Lines(lines), other: None, is_late: false }
    }

    /// Records the compiler that the guard needs, unless it belongs to one of the two commands.
    fn of_other(self, compiler: &Compiler, is_own: bool) -> Self {
        Self { other: Some(compiler).filter(|_| !is_own).cloned(), ..self }
    }

    /// Skips the guard as long as its compiler rejects the candidate. Returns whether that changed.
    pub fn delay(&mut self) -> bool {
        let is_new = self.other.is_some() && !self.is_late;
        self.is_late |= is_new;
        is_new
    }

    pub fn is_late(&self) -> bool {
        self.is_late
    }

    /// Returns whether the guard needs only the front end of a compiler. Such guards run before anything is built.
    pub fn is_cheap(&self) -> bool {
        matches!(&self.kind, Kind::Warnings { levels, .. } if levels.is_empty()) && !self.is_late
    }

    /// Removes warnings from the guard. Returns whether it had any of them.
    pub fn weaken(&mut self, said: &str) -> bool {
        let (left_out, refused) = match &mut self.kind {
            Kind::Warnings { left_out, .. } => (left_out, refused(said)),
            Kind::Unnamed { left_out, .. } => (left_out, unnamed(said)),
            Kind::Lines(_) => return false,
        };
        let before = left_out.len();
        let more: Vec<String> = refused.iter().filter(|name| !left_out.contains(name)).cloned().collect();
        left_out.extend(more);
        left_out.len() > before
    }

    /// Returns the parts of the guard that the input does not pass, as text.
    pub fn left_out(&self) -> Option<String> {
        let options: Vec<String> = match &self.kind {
            Kind::Warnings { left_out, .. } => left_out.iter().map(|name| format!("`-W{name}`")).collect(),
            Kind::Unnamed { left_out, .. } => left_out.iter().map(|text| format!("`{text}`")).collect(),
            Kind::Lines(_) => return None,
        };
        (!options.is_empty()).then(|| format!("{} ({})", options.join(", "), self.name))
    }

    pub fn text(&self) -> String {
        let mut text = format!("\n# Guard: {}.\n", self.comment);
        if let Kind::Warnings { left_out, .. } = &self.kind
            && !left_out.is_empty()
        {
            let _ = writeln!(text, "# Left out because the input does not pass: {}", left_out.join(", "));
        }
        let late = self.other.as_ref().filter(|_| self.is_late);
        if let Some(compiler) = late {
            let _ = writeln!(
                text,
                "# This compiler rejects the input, so this guard applies to candidates that it accepts.\nif timeout \"$limit\" {} -w -fsyntax-only 2>errors.txt; then",
                compiler.shell()
            );
        }
        let _ = writeln!(text, "what='{}'", self.name);
        match &self.kind {
            Kind::Lines(lines) => text.push_str(lines),
            Kind::Warnings { compiler, levels, options, left_out } => {
                warnings(&mut text, compiler, levels, options, left_out);
            }
            Kind::Unnamed { compiler, left_out } => text.push_str(&without_name(compiler, left_out)),
        }
        if late.is_some() {
            text.push_str("fi\n");
        }
        text
    }
}

fn warnings(text: &mut String, compiler: &Compiler, levels: &str, options: &[String], left_out: &[String]) {
    const REASON: &str = "'it does not compile, or a warning reports undefined behaviour'";
    let is_in = |option: &&String| !left_out.iter().any(|name| is_of(option, name));
    // Removed warnings are also switched off. A group comes before its members.
    let (groups, others): (Vec<&String>, Vec<&String>) =
        left_out.iter().partition(|name| options.iter().any(|option| is_of(option, name)));
    let silent = |name: &String| format!("-Wno-{name}");
    let before = groups.into_iter().map(silent);
    let kept = options.iter().filter(is_in).cloned();
    let options: Vec<String> = before.chain(kept).chain(others.into_iter().map(silent)).collect();
    let (options, compiler) = (wrapped(&options), compiler.shell());
    let _ = if levels.is_empty() {
        writeln!(text, "build {REASON} \\\n    {compiler} -fsyntax-only \\\n    {options}")
    } else {
        writeln!(
            text,
            "for level in {levels}; do\n    build {REASON} \\\n    {compiler} \"$level\" -c -o guard.o \\\n    {options}\ndone"
        )
    };
}

/// Returns the lines that search for unnamed warnings. Excluded warnings are compared without names and numbers.
fn without_name(compiler: &Compiler, left_out: &[String]) -> String {
    let known: Vec<String> =
        left_out.iter().map(|text| format!(" -e {}", quote::word(&format!("{UNNAMED}{text}")))).collect();
    let filter = if known.is_empty() { " .".to_owned() } else { format!(" -vxF{}", known.join("")) };
    format!(
        r#"LC_ALL=C timeout "$limit" {} -fsyntax-only 2>unnamed.txt
sed "/warning: .*[^]]$/!d; s/.*warning: /{UNNAMED}/; s/'[^']*'/''/g; s/[0-9][0-9]*/0/g" unnamed.txt >texts.txt
if grep{filter} texts.txt >&2; then no 'the compiler printed an unnamed warning'; fi
"#,
        compiler.shell()
    )
}

/// Returns the names of warnings that a compiler reported as errors.
fn refused(said: &str) -> Vec<String> {
    let inside = said.split("[-W").skip(1).filter_map(|rest| rest.split(']').next());
    let name = |inside: &str| {
        let name = inside.strip_prefix("error=").or_else(|| inside.strip_prefix("error,-W"))?;
        Some(name.split(['=', ',']).next()?.to_owned())
    };
    distinct(inside.filter_map(name))
}

/// Returns the unnamed warnings that a script reported.
fn unnamed(said: &str) -> Vec<String> {
    distinct(said.lines().filter_map(|line| Some(line.strip_prefix(UNNAMED)?.to_owned())))
}

fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    texts.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns whether an option turns the warning of this name into an error.
fn is_of(option: &str, name: &str) -> bool {
    option.strip_prefix("-Werror=").is_some_and(|warning| warning.split('=').next() == Some(name))
}

/// Joins arguments into lines of a script.
fn wrapped(words: &[String]) -> String {
    words.chunks(3).map(|line| line.join(" ")).collect::<Vec<_>>().join(" \\\n    ")
}

/// Returns the guards available on this machine for the two commands, the cheapest first.
pub fn all(probe: &Probe<'_>, first: &Compiler, second: &Compiler) -> Result<Vec<Guard>, Failure> {
    let mut compilers = vec![second.clone()];
    compilers.extend(Some(first).filter(|first| !first.is_program_of(second)).cloned());
    if compilers.iter().all(|compiler| compiler.is_clang() == second.is_clang()) {
        compilers.extend(second.another());
    }
    let mut guards = Vec::new();
    let is_own = |compiler: &Compiler| [first, second].iter().any(|own| own.is_program_of(compiler));
    let of = |compiler: &Compiler, found: Vec<Guard>| {
        let is_own = is_own(compiler);
        found.into_iter().map(|guard| guard.of_other(compiler, is_own)).collect::<Vec<_>>()
    };
    for compiler in &compilers {
        guards.extend(of(compiler, front(probe, compiler)?));
    }
    for compiler in &compilers {
        guards.extend(of(compiler, flow(probe, compiler)?));
    }
    let (mut has_address, mut has_memory) = (false, false);
    for (at, compiler) in compilers.iter().enumerate() {
        let (found, sanitizers) = sanitized(probe, compiler, at == 0)?;
        has_address |= sanitizers.starts_with(SANITIZERS[0]);
        guards.extend(of(compiler, found));
        if compiler.is_clang() && !probe.running(compiler, &[MEMORY.to_owned()])?.is_empty() {
            guards.extend(of(compiler, vec![memory(compiler)]));
            has_memory = is_own(compiler);
        }
    }
    if !(has_address && has_memory) && is_installed("valgrind") {
        guards.push(valgrind());
    }
    let is_c = compilers.iter().all(|compiler| !compiler.name().contains("++"));
    let installed = INTERPRETERS.iter().filter(|(name, ..)| is_c && is_installed(name));
    guards.extend(installed.map(|(name, command, good, bad)| interpreter(name, command, good, bad)));
    Ok(guards)
}

fn named(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("-Werror={name}")).collect()
}

/// Returns the guards that need only the front end of a compiler.
fn front(probe: &Probe<'_>, compiler: &Compiler) -> Result<Vec<Guard>, Failure> {
    let mut options = named(FRONT);
    if !compiler.is_clang() {
        options.push(EXTRA.to_owned());
        options.extend(HARMLESS.iter().map(ToString::to_string));
    }
    let options = probe.compiling(compiler, &options)?;
    let kind = Kind::Warnings { compiler: compiler.clone(), levels: "", options, left_out: Vec::new() };
    let name = format!("warnings of {}", compiler.name());
    let comment = "warnings without optimisation, which reject most candidates";
    let is_any = matches!(&kind, Kind::Warnings { options, .. } if !options.is_empty());
    let guard = Guard { name, comment, kind, other: None, is_late: false };
    Ok(is_any.then_some(guard).into_iter().collect())
}

/// Returns guards for unnamed warnings and for warnings of GCC's optimisers.
fn flow(probe: &Probe<'_>, compiler: &Compiler) -> Result<Vec<Guard>, Failure> {
    let name = compiler.name();
    let unnamed = Guard {
        name: format!("unnamed warnings of {name}"),
        comment: "warnings without a name, such as a comparison of a pointer and a number",
        kind: Kind::Unnamed { compiler: compiler.clone(), left_out: Vec::new() },
        other: None,
        is_late: false,
    };
    let options = if compiler.is_clang() { Vec::new() } else { probe.compiling(compiler, &named(FLOW))? };
    if options.is_empty() {
        return Ok(vec![unnamed]);
    }
    let kind =
        Kind::Warnings { compiler: compiler.clone(), levels: "-O1 -O2", options, left_out: Vec::new() };
    Ok(vec![
        unnamed,
        Guard {
            name: format!("optimiser warnings of {name}"),
            comment: "warnings that need data-flow analysis",
            kind,
            other: None,
            is_late: false,
        },
    ])
}

/// Returns the first command with options that define otherwise undefined behaviour.
pub fn defined(first: &Compiler, options: &[String]) -> Option<Guard> {
    let lines = format!(
        "build 'it does not compile' \\\n    {} \\\n    {} -w -o ./defined\nrun defined ./defined\nif cmp -s defined.txt second.txt; then no 'the difference is no longer present'; fi\n",
        first.shell(),
        wrapped(options)
    );
    let comment = "options that define otherwise undefined behaviour; a compiler bug also occurs with them";
    let guard = || Guard::lines("the first command with defined behaviour".to_owned(), comment, lines);
    (!options.is_empty()).then(guard)
}

/// Returns runs under the sanitizers of a compiler, at two levels if it is the second command's, and the sanitizers.
fn sanitized(probe: &Probe<'_>, compiler: &Compiler, is_own: bool) -> Result<(Vec<Guard>, String), Failure> {
    let all: Vec<String> = SANITIZERS.iter().map(ToString::to_string).collect();
    let levels: &[&str] = if is_own { &["-O0", "-O2"] } else { &["-O1"] };
    let Some(mut sanitizers) = probe.running(compiler, &all)?.into_iter().next() else {
        let agrees = agreement(compiler);
        return Ok((if is_own { Vec::new() } else { vec![agrees] }, String::new()));
    };
    if sanitizers == SANITIZERS[0] {
        let more: Vec<String> = MORE.iter().map(|more| format!("{sanitizers} {more}")).collect();
        let taken = probe.running(compiler, &more)?;
        let more = MORE.iter().zip(&more).filter(|(_, all)| taken.contains(all)).map(|(more, _)| *more);
        sanitizers =
            std::iter::once(sanitizers.clone()).chain(more.map(str::to_owned)).collect::<Vec<_>>().join(" ");
    }
    let filled = format!("{sanitizers} {PATTERN}");
    let has_pattern = !probe.running(compiler, std::slice::from_ref(&filled))?.is_empty();
    let guard = |level: &&str| {
        let options = if has_pattern && *level != "-O2" { &filled } else { &sanitizers };
        let words: Vec<String> = options.split(' ').map(str::to_owned).collect();
        let lines = format!(
            "build 'it does not compile with sanitizers' \\\n    {} {level} -w -g -o ./sane \\\n    {}\nrun sane ./sane\nclean sane\n",
            compiler.shell(),
            wrapped(&words)
        );
        let comment =
            "a run under the sanitizers, which must report nothing and behave like the second program";
        Guard::lines(format!("sanitizers of {} at {level}", compiler.name()), comment, lines)
    };
    Ok((levels.iter().map(guard).collect(), sanitizers.clone()))
}

/// Returns a guard with another compiler, without sanitizers.
fn agreement(compiler: &Compiler) -> Guard {
    let lines = format!(
        "build 'it does not compile' {} -O1 -w -o ./other\nrun other ./other\nclean other\n",
        compiler.shell()
    );
    let comment = "another compiler, whose program must behave like the second program";
    Guard::lines(format!("{} at -O1", compiler.name()), comment, lines)
}

fn memory(compiler: &Compiler) -> Guard {
    let lines = format!(
        "build 'it does not compile' {} -O1 -w -g {MEMORY} -o ./memory\nrun memory ./memory\nclean memory\n",
        compiler.shell()
    );
    let comment = "a run that finds uninitialized values";
    Guard::lines(format!("memory sanitizer of {}", compiler.name()), comment, lines)
}

fn valgrind() -> Guard {
    let lines = format!("run valgrind valgrind -q --error-exitcode={REPORTED} ./second\nclean valgrind\n");
    Guard::lines("valgrind".to_owned(), "a run that finds uninitialized values", lines)
}

/// Returns a guard with a program that interprets C according to the standard.
fn interpreter(name: &str, command: &str, good: &str, bad: &str) -> Guard {
    let lines = format!(
        "run interpreted {command} 2>&1\ngrep -qiE '{good}' interpreted.txt || no 'the interpreter did not finish without errors'\nif grep -qiE '{bad}' interpreted.txt; then no 'undefined behaviour was found'; fi\n"
    );
    Guard::lines(name.to_owned(), "an interpreter that detects undefined behaviour", lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_that_is_left_out_is_not_asked_for_and_silent() {
        let compiler = Compiler::new(&["gcc"]).expect("it is a compiler");
        let options = ["-Werror=main", "-Werror=strict-aliasing=2", "-Werror=extra"].map(str::to_owned);
        let kind = Kind::Warnings { compiler, levels: "", options: options.into(), left_out: Vec::new() };
        let mut guard =
            Guard { name: "warnings".to_owned(), comment: "why", kind, other: None, is_late: false };
        let said = "a.c:1: error: x [-Werror=string-compare]\na.c:2: error: y [-Werror=strict-aliasing=]\n";
        assert!(guard.is_cheap() && guard.weaken(said) && !guard.weaken(said));
        let text = guard.text();
        assert!(text.contains("    -Wno-strict-aliasing -Werror=main -Werror=extra"), "{text}");
        assert!(text.contains("    -Wno-string-compare\n"), "{text}");
        assert!(text.contains("does not pass: strict-aliasing, string-compare"), "{text}");
    }

    #[test]
    fn what_a_compiler_refuses_is_known_by_its_name_or_its_text() {
        let said = "a.c:1: error: x [-Werror=array-bounds]\na.c:2: error: y [-Werror,-Wreturn-type]\n\
                    a.c:3: warning: z [-Wunused]\na.c:4: error: v [-Werror=shift-overflow=]\n";
        assert_eq!(refused(said), ["array-bounds", "return-type", "shift-overflow"]);
        assert_eq!(unnamed("unnamed: no ''\nunnamed: b\nunnamed: b\n"), ["b", "no ''"]);
    }

    #[test]
    fn a_warning_without_a_name_is_left_out_by_its_text() {
        let compiler = Compiler::new(&["gcc"]).expect("it is a compiler");
        let kind = Kind::Unnamed { compiler, left_out: Vec::new() };
        let mut guard =
            Guard { name: "unnamed".to_owned(), comment: "why", kind, other: None, is_late: false };
        assert!(guard.text().contains("if grep . texts.txt"));
        assert!(guard.weaken("unnamed: no ''\n") && !guard.weaken("unnamed: no ''\n"));
        assert!(guard.text().contains("if grep -vxF -e "), "{}", guard.text());
    }
}
