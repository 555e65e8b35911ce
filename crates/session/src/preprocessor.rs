//! Runs the preprocessor on the input at the start: chooses the program, and hides some lines from it.
//!
//! Preprocessing helps because a grammar cannot parse macros that stand for parts of the syntax, and because each
//! condition is a separate edit. Include directives are kept, so the result is the text of the one file with its
//! macros and conditions resolved. The crate `reduce` checks that the failure remains.

use crate::language::Chosen;
use crate::program::{self, ProgramChoice};
use crate::settings::Settings;
use crate::source::Input;
use crate::tool::Tool;
use nubbin_language::Language;
use nubbin_reduce::Outcome;
use nubbin_syntax::edit::is_word;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// Tuned parameters.
struct Tuning {
    /// The time limit of a preprocessor.
    time_limit: Duration,
    /// The number of bytes of a script that are searched for names of compilers.
    script_bytes: u64,
    /// The number of scripts starting each other that are followed.
    script_levels: usize,
    /// The largest number of preprocessors that are tried.
    programs: usize,
    /// The largest output of a preprocessor, in bytes.
    output_bytes: usize,
}

const TUNING: Tuning = Tuning {
    time_limit: Duration::from_secs(10),
    script_bytes: 1 << 16,
    script_levels: 2,
    programs: 3,
    output_bytes: 256 << 20,
};

/// Replaces a hidden line, followed by its number. Preprocessors do not change such lines.
const HIDDEN: &[u8] = b"#pragma nubbin ";

/// The preprocessors for an input.
pub struct Preprocessor<'s> {
    settings: &'s Settings,
    commands: Vec<Vec<OsString>>,
    name: OsString,
    /// The reason why a preprocessor had no output.
    refused: RefCell<Option<String>>,
}

impl<'s> Preprocessor<'s> {
    /// Returns the preprocessors for these settings. There are none unless the input is a single file without
    /// protected parts.
    pub fn new(settings: &'s Settings, language: &Chosen, keeps: bool) -> Option<Self> {
        let senseless = [
            ("--unit", !settings.units.is_empty()),
            ("several files", settings.input.is_several()),
            ("options", matches!(settings.input, Input::Options(_))),
            ("protected text", keeps),
        ];
        if let Some((reason, _)) = senseless.into_iter().find(|(_, is_so)| *is_so) {
            if settings.preprocessor.is_typed() {
                settings.voice.say(&format!("note: no preprocessor is used with {reason}"));
            }
            return None;
        }
        let commands = match &settings.preprocessor {
            ProgramChoice::None => return None,
            // In most languages a line that starts with `#` is not a directive.
            ProgramChoice::Given { is_typed: false, .. } if language.get()?.preprocessors().is_empty() => {
                return None;
            }
            ProgramChoice::Given { words, .. } => vec![words.clone()],
            ProgramChoice::Any => commands(language.get()?, &settings.test.words),
        };
        let path = settings.input.path(&settings.language);
        let name = path.file_name().unwrap_or(OsStr::new("input")).to_owned();
        (!commands.is_empty()).then(|| Self { settings, commands, name, refused: RefCell::default() })
    }

    /// Returns the distinct outputs of the preprocessors.
    pub fn texts(&self, text: &[u8]) -> Vec<Vec<u8>> {
        let Some(hidden) = Hidden::new(text) else { return Vec::new() };
        let (bounds, helpers) = (&self.settings.bounds, self.settings.helpers.as_ref());
        let tool = Tool::new(bounds, helpers, TUNING.time_limit, TUNING.output_bytes);
        let mut texts = Vec::new();
        for words in &self.commands {
            match tool.run(words, &self.name, &hidden.text) {
                Ok(written) => {
                    let text = hidden.shown(&written);
                    if !texts.contains(&text) {
                        texts.push(text);
                    }
                }
                Err(error) => {
                    let program = words[0].display();
                    *self.refused.borrow_mut() =
                        Some(format!("note: the preprocessor `{program}` is not used: {error}"));
                }
            }
        }
        texts
    }

    /// Returns a note with the reason why no preprocessor is used.
    pub fn note(&self, outcome: &Outcome) -> Option<String> {
        let tried = outcome.passes.iter().find(|pass| pass.name == "preprocessor");
        match tried {
            Some(pass) if pass.accepted > 0 => None,
            Some(pass) if pass.probes > 0 => {
                Some("note: no preprocessor is used: it makes the failure disappear".to_owned())
            }
            _ => self.refused.borrow().clone(),
        }
    }
}

/// Returns the preprocessors of a language: the compilers named by the oracle, or an installed one.
fn commands(language: &Language, oracle: &[OsString]) -> Vec<Vec<OsString>> {
    let Some((_, form)) = language.preprocessors().first().and_then(|words| words.split_first()) else {
        return Vec::new();
    };
    let said = said(oracle);
    let words = || said.iter().flat_map(|text| words_of(text));
    let mut options: Vec<&str> = Vec::new();
    for option in words().filter(|word| is_option(word)) {
        if !options.contains(&option) {
            options.push(option);
        }
    }
    let command = |program: &OsString| {
        let words = options.iter().copied().chain(form.iter().map(String::as_str)).map(OsString::from);
        std::iter::once(program.clone()).chain(words).collect::<Vec<_>>()
    };
    let compilers: Vec<&str> =
        language.preprocessors().iter().filter_map(|words| words.first()).map(String::as_str).collect();
    let named = words().filter(|word| is_compiler(word, &compilers));
    let mut programs: Vec<OsString> = Vec::new();
    for program in named.filter_map(|word| program::find(OsStr::new(word))) {
        if !programs.contains(&program) && programs.len() < TUNING.programs {
            programs.push(program);
        }
    }
    if programs.is_empty() {
        return language.preprocessors().iter().find_map(|words| program::found(words)).into_iter().collect();
    }
    programs.iter().map(command).collect()
}

/// Returns the arguments of an oracle, then the text of its script, and of scripts that this one starts.
pub(crate) fn said(oracle: &[OsString]) -> Vec<String> {
    let mut said: Vec<String> = oracle.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let (mut known, mut from) = (HashSet::new(), 0);
    for _ in 0..TUNING.script_levels {
        let paths = said[from..].iter().flat_map(|text| words_of(text)).filter(|word| word.contains('/'));
        let paths: Vec<String> = paths.map(str::to_owned).filter(|path| known.insert(path.clone())).collect();
        from = said.len();
        said.extend(paths.iter().filter_map(|path| script(Path::new(path))));
    }
    said
}

/// Returns the start of a script.
fn script(path: &Path) -> Option<String> {
    let mut text = Vec::new();
    // Reading anything but a file, such as a terminal, could block.
    let file = path.is_file().then(|| File::open(path))?.ok()?;
    file.take(TUNING.script_bytes).read_to_end(&mut text).ok()?;
    text.starts_with(b"#!").then(|| String::from_utf8_lossy(&text).into_owned())
}

/// Returns the parts of a text that can be a program, a path or an option.
pub(crate) fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && !"_+-./=".contains(c))
}

/// Returns whether a word is one of these compilers, possibly with a version or target: `clang++-14`,
/// `arm-none-eabi-gcc`.
fn is_compiler(word: &str, compilers: &[&str]) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let version = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let name = version.strip_suffix('-').unwrap_or(name);
    compilers.contains(&name.rsplit('-').next().unwrap_or(name))
}

/// Returns whether an argument is an option on which conditions can depend: the standard, a definition, or its
/// removal.
fn is_option(word: &str) -> bool {
    let name = word.strip_prefix("-D").or_else(|| word.strip_prefix("-U"));
    word.starts_with("-std=")
        || name.is_some_and(|name| name.starts_with(|c: char| c == '_' || c.is_alphabetic()))
}

/// A text with lines hidden from a preprocessor.
struct Hidden<'t> {
    text: Vec<u8>,
    lines: Vec<&'t [u8]>,
    has_returns: bool,
}

impl<'t> Hidden<'t> {
    /// Hides includes, and definitions that the text does not use, because they are for included files. Returns
    /// `None` if there is nothing to resolve.
    fn new(text: &'t [u8]) -> Option<Self> {
        let conditions = [&b"define"[..], b"if", b"ifdef", b"ifndef"];
        let lines = || text.split_inclusive(|&byte| byte == b'\n');
        if !lines().filter_map(directive).any(|(word, _)| conditions.contains(&word)) {
            return None;
        }
        let has_returns = lines().next().is_some_and(|line| line.ends_with(b"\r\n"));
        let mut uses: HashMap<&[u8], usize> = HashMap::new();
        for word in text.split(|&byte| !is_word(byte)).filter(|word| !word.is_empty()) {
            *uses.entry(word).or_default() += 1;
        }
        let (mut hidden, mut goes_on) = (Self { text: Vec::new(), lines: Vec::new(), has_returns }, false);
        for line in lines() {
            let is_start = !std::mem::replace(&mut goes_on, line.trim_ascii_end().ends_with(b"\\"));
            let is_hidden = match directive(line).filter(|_| is_start) {
                Some((b"include" | b"include_next" | b"import", _)) => true,
                Some((b"define", name)) => uses.get(name) == Some(&1) && !goes_on,
                _ => false,
            };
            if is_hidden {
                hidden.text.extend([HIDDEN, hidden.lines.len().to_string().as_bytes(), b"\n"].concat());
                hidden.lines.push(line);
            } else {
                hidden.text.extend(line);
            }
        }
        Some(hidden)
    }

    /// Restores the hidden lines in the output of a preprocessor.
    fn shown(&self, written: &[u8]) -> Vec<u8> {
        let line = |line: &[u8]| -> Option<&[u8]> {
            let number = line.trim_ascii().strip_prefix(HIDDEN)?;
            self.lines.get(std::str::from_utf8(number).ok()?.parse::<usize>().ok()?).copied()
        };
        let end: &[u8] = if self.has_returns { b"\r\n" } else { b"\n" };
        let (mut shown, mut was_blank) = (Vec::new(), false);
        for own in written.split_inclusive(|&byte| byte == b'\n') {
            let text = line(own).unwrap_or(own).trim_ascii_end();
            // Consecutive directives become one blank line.
            if !(text.is_empty() && was_blank) {
                shown.extend([text, end].concat());
            }
            was_blank = text.is_empty();
        }
        shown
    }
}

/// Returns the name of a directive, and its first word.
fn directive(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (word, rest) = first_word(line.trim_ascii_start().strip_prefix(b"#")?);
    Some((word, first_word(rest).0))
}

/// Splits a text after its first word, ignoring leading whitespace.
fn first_word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    text.split_at(text.iter().take_while(|&&byte| is_word(byte)).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_known_by_their_names() {
        for name in ["gcc", "gcc-12", "/usr/bin/gcc", "riscv64-linux-gnu-gcc-12.2"] {
            assert!(is_compiler(name, &["clang", "gcc"]), "{name}");
        }
        for name in ["clang-format", "g++", "gccx", "cc1", "", "-14", "gcc/x"] {
            assert!(!is_compiler(name, &["clang", "gcc"]), "{name}");
        }
    }

    #[test]
    fn options_that_conditions_ask_for_are_known() {
        for (word, is_one) in [
            ("-std=c99", true),
            ("-DX=1", true),
            ("-U_X", true),
            ("-U3", false),
            ("-D", false),
            ("-O2", false),
        ] {
            assert_eq!(is_option(word), is_one, "{word}");
        }
    }

    #[test]
    fn a_preprocessor_does_not_see_what_is_included_and_what_is_defined_for_that() {
        let text = b"#define _GNU_SOURCE\n # include <a.h>\n#define A \\\n 1\n#if A\nint a = A;\n#endif\n#include B\n";
        let hidden = Hidden::new(text).expect("there is a condition");
        assert_eq!(
            String::from_utf8_lossy(&hidden.text),
            "#pragma nubbin 0\n#pragma nubbin 1\n#define A \\\n 1\n#if A\nint a = A;\n#endif\n#pragma nubbin 2\n"
        );
        let written = b"#pragma nubbin 0\n #pragma nubbin 1\n\n\n\n\nint a = 1;\n#pragma nubbin 9\n";
        assert_eq!(
            String::from_utf8_lossy(&hidden.shown(written)),
            "#define _GNU_SOURCE\n # include <a.h>\n\nint a = 1;\n#pragma nubbin 9\n"
        );
        let windows = Hidden::new(b"#define A\r\n#include A\r\n").expect("there is a definition");
        assert_eq!(windows.shown(b"#pragma nubbin 0\nint a;\n"), b"#include A\r\nint a;\r\n");
        assert!(Hidden::new(b"#include <a.h>\n#pragma once\nint a;\n").is_none());
    }
}
