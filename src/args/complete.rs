//! Shell completion: the shell asks this program for the candidates.
//!
//! A shell function, which `nubbin completions SHELL` prints, runs the program with the variable `COMPLETE`.

use super::{Reduce, definition, meant};
use clap::{Arg, Args as _, Command, ValueHint};
use clap_complete::engine::{
    self, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use clap_complete::env::{self, CompleteEnv, EnvCompleter, Shells};
use nubbin_language::Registry;
use nubbin_session::failure::{Failure, Fault};
use std::any::TypeId;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The environment variable by which a shell asks.
const VARIABLE: &str = "COMPLETE";
/// The environment variable with the position of the word to complete.
const INDEX: &str = "_CLAP_COMPLETE_INDEX";
const SHELLS: Shells<'static> = Shells(&[&Bash, &env::Elvish, &env::Fish, &env::Powershell, &Zsh]);

/// Answers a shell that asks for completions, and ends the process then.
pub fn answer() {
    let is_bash = std::env::var_os(VARIABLE).is_some_and(|shell| shell == "bash");
    let line = move || if is_bash { Line::typed().joined() } else { Line::typed() };
    CompleteEnv::with_factory(move || line().definition()).var(VARIABLE).shells(SHELLS).complete();
}

/// Returns the completion script for a shell.
///
/// # Errors
/// Returns an error if the shell is not supported.
pub fn script(shell: &str) -> Result<String, Failure> {
    let Some(completer) = SHELLS.completer(shell) else {
        let names: Vec<&str> = SHELLS.names().collect();
        return Err(Failure::usage(format!("no completions for the shell `{shell}`"))
            .hint(format!("the shells are {}", names.join(", "))));
    };
    let mut script = Vec::new();
    completer
        .write_registration(VARIABLE, "nubbin", "nubbin", "nubbin", &mut script)
        .map_err(|error| Failure::new(Fault::Unexpected, error))?;
    Ok(String::from_utf8_lossy(&script).into_owned())
}

/// A command line that is being typed: its words, and the position of the word to complete.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    words: Vec<OsString>,
    at: usize,
}

impl Line {
    /// Returns the command line of the shell that asks.
    fn typed() -> Self {
        let words: Vec<OsString> = std::env::args_os().skip_while(|word| word != "--").skip(1).collect();
        let at = std::env::var(INDEX).ok().and_then(|at| at.parse().ok());
        Self { at: at.unwrap_or(words.len().saturating_sub(1)), words }
    }

    /// Joins the words that bash separates at `=` and `:`.
    fn joined(self) -> Self {
        let is_separator = |word: &OsString| {
            let bytes = word.as_bytes();
            !bytes.is_empty() && bytes.iter().all(|byte| b"=:".contains(byte))
        };
        let mut joined = Self { words: Vec::new(), at: self.at };
        let mut was_separator = false;
        for (at, word) in self.words.into_iter().enumerate() {
            let is_separator = at > 1 && is_separator(&word);
            match joined.words.last_mut() {
                Some(last) if is_separator || was_separator => last.push(&word),
                _ => joined.words.push(word),
            }
            was_separator = is_separator;
            if at == self.at {
                joined.at = joined.words.len() - 1;
            }
        }
        joined
    }

    /// Returns the word to complete.
    fn current(&self) -> &OsStr {
        self.words.get(self.at).map(OsString::as_os_str).unwrap_or_default()
    }

    /// Returns the definition for this line: commands only at the start, files where a file is allowed, a program after
    /// `--`, and options only after a `-`.
    fn definition(&self) -> Command {
        let before = self.words.get(1..self.at).unwrap_or_default();
        if before.iter().any(|word| word == "--") {
            let is_program = before.last().is_some_and(|word| word == "--");
            let completer = if is_program {
                ArgValueCompleter::new(programs)
            } else {
                ArgValueCompleter::new(PathCompleter::any())
            };
            let words = Arg::new("words").num_args(0..).allow_hyphen_values(true);
            return Command::new("nubbin").arg(words.add(completer));
        }
        let first = meant::first_argument(before).map(|at| &before[at]);
        let is_option = self.current().as_bytes().starts_with(b"-");
        let arranged = |command: Command| completers(command, is_option);
        if first.is_some_and(|first| !meant::is_command(first) && first != "help") {
            return arranged(Reduce::augment_args(Command::new("nubbin")));
        }
        let whole = arranged(definition());
        let names: Vec<String> = whole.get_subcommands().map(|one| one.get_name().to_owned()).collect();
        names.into_iter().fold(whole, |whole, name| {
            whole.mut_subcommand(name, |command| {
                let names: Vec<String> =
                    command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
                names
                    .into_iter()
                    .fold(arranged(command), |command, name| command.mut_subcommand(name, arranged))
            })
        })
    }
}

/// Sets what each argument offers. Options are hidden unless the word to complete is one.
fn completers(command: Command, is_option: bool) -> Command {
    let command = command.mut_args(|arg| {
        let is_hidden = arg.is_hide_set() || !is_option;
        let paths = ArgValueCompleter::new(PathCompleter::any());
        let arg = if arg.is_positional() { arg } else { arg.hide(is_hidden) };
        match (arg.get_id().as_str(), arg.get_value_hint()) {
            ("language", _) => arg.add(ArgValueCompleter::new(languages)),
            ("pass", _) => arg.add(ArgValueCompleter::new(passes)),
            ("good" | "bad", _) => arg.add(ArgValueCompleter::new(PathCompleter::dir())),
            _ if arg.get_value_parser().possible_values().is_some() => arg,
            (_, ValueHint::CommandString) => arg.add(ArgValueCompleter::new(programs)),
            _ if arg.is_positional() => arg.add(paths),
            (_, ValueHint::Unknown) if arg.get_value_parser().type_id() == TypeId::of::<PathBuf>() => {
                arg.add(paths)
            }
            _ => arg,
        }
    });
    if is_option { command } else { command.disable_help_flag(true).disable_version_flag(true) }
}

/// Returns the names of the languages that start with this text, or the directories at a path.
fn languages(current: &OsStr) -> Vec<CompletionCandidate> {
    if current.as_bytes().contains(&b'/') {
        return PathCompleter::dir().complete(current);
    }
    let registry = Registry::built_in();
    let found = registry.manifests().filter(|manifest| starts(&manifest.name, current));
    found
        .map(|manifest| CompletionCandidate::new(&manifest.name).help(Some(manifest.title.clone().into())))
        .collect()
}

/// Returns the names of the passes that start with this text.
fn passes(current: &OsStr) -> Vec<CompletionCandidate> {
    let groups = nubbin_reduce::pass::groups();
    let all = groups.iter().flat_map(|group| &group.passes).filter(|pass| starts(pass.name, current));
    all.map(|pass| CompletionCandidate::new(pass.name).help(Some(pass.about.into()))).collect()
}

fn starts(name: &str, current: &OsStr) -> bool {
    name.as_bytes().starts_with(current.as_bytes())
}

/// Returns the programs of `PATH` that start with this text, or the files at a path.
fn programs(current: &OsStr) -> Vec<CompletionCandidate> {
    if current.as_bytes().contains(&b'/') {
        return PathCompleter::any().complete(current);
    }
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let entries = std::env::split_paths(&paths).filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let is_program =
        |path: &Path| path.metadata().is_ok_and(|found| found.is_file() && found.mode() & 0o111 != 0);
    let found = entries.filter_map(Result::ok).filter(|entry| {
        entry.file_name().as_bytes().starts_with(current.as_bytes()) && is_program(&entry.path())
    });
    let names: BTreeSet<OsString> = found.map(|entry| entry.file_name()).collect();
    names.into_iter().map(CompletionCandidate::new).collect()
}

/// Completion for bash, which separates words at `=` and `:`, and takes candidates as they are.
#[derive(Clone, Copy, Debug)]
struct Bash;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == "bash"
    }

    fn write_registration(
        &self,
        variable: &str,
        name: &str,
        bin: &str,
        completer: &str,
        script: &mut dyn Write,
    ) -> io::Result<()> {
        env::Bash.write_registration(variable, name, bin, completer, script)
    }

    fn write_complete(
        &self,
        command: &mut Command,
        _: Vec<OsString>,
        directory: Option<&Path>,
        answer: &mut dyn Write,
    ) -> io::Result<()> {
        let line = Line::typed().joined();
        let own = line.current().as_bytes();
        let kept = own.iter().rposition(|byte| b"=:".contains(byte)).map_or(0, |at| at + 1);
        let separator = std::env::var_os("_CLAP_IFS").unwrap_or_else(|| "\n".into());
        let found = engine::complete(command, line.words.clone(), line.at, directory)?;
        let values: Vec<OsString> = found
            .iter()
            .map(|one| escaped(one.get_value().as_bytes().get(kept..).unwrap_or_default()))
            .collect();
        answer.write_all(values.join(&separator).as_bytes())
    }
}

/// Completion for zsh, without a space after a candidate that ends with `=`.
#[derive(Clone, Copy, Debug)]
struct Zsh;

impl Zsh {
    /// Parts of the script, and what replaces them.
    const CHANGES: [(&str, &str); 3] = [
        ("local -a other=()", "local -a open=() other=()"),
        (
            "else\n                other+=(\"$completion\")",
            "elif [[ \"$value\" == *= ]]; then\n                open+=(\"$completion\")\n            else\n                other+=(\"$completion\")",
        ),
        ("[[ -n $other ]]", "[[ -n $open ]] && _describe -V 'values' open -S ''\n        [[ -n $other ]]"),
    ];
}

impl EnvCompleter for Zsh {
    fn name(&self) -> &'static str {
        "zsh"
    }

    fn is(&self, name: &str) -> bool {
        name == "zsh"
    }

    fn write_registration(
        &self,
        variable: &str,
        name: &str,
        bin: &str,
        completer: &str,
        script: &mut dyn Write,
    ) -> io::Result<()> {
        let mut own = Vec::new();
        env::Zsh.write_registration(variable, name, bin, completer, &mut own)?;
        let own = String::from_utf8_lossy(&own).into_owned();
        let changed = Self::CHANGES.iter().fold(own, |script, (from, to)| script.replacen(from, to, 1));
        script.write_all(changed.as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut Command,
        words: Vec<OsString>,
        directory: Option<&Path>,
        answer: &mut dyn Write,
    ) -> io::Result<()> {
        env::Zsh.write_complete(command, words, directory, answer)
    }
}

/// Escapes the characters that have a meaning in a shell.
fn escaped(value: &[u8]) -> OsString {
    let escape = |byte: u8| {
        let is_special = b" \t'\"\\$`*?[]()<>|&;!#{}".contains(&byte);
        is_special.then_some(b'\\').into_iter().chain([byte])
    };
    OsString::from_vec(value.iter().copied().flat_map(escape).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> Line {
        Line { words: words.iter().map(OsString::from).collect(), at: words.len() - 1 }
    }

    fn offered(words: &[&str]) -> Vec<String> {
        let line = line(words);
        let found =
            engine::complete(&mut line.definition(), line.words.clone(), line.at, Some(Path::new(".")));
        found.expect("completed").iter().map(|one| one.get_value().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn words_that_bash_separates_are_joined() {
        assert_eq!(line(&["nubbin", "--signal", "=", "S"]).joined(), line(&["nubbin", "--signal=S"]));
        assert_eq!(line(&["nubbin", "--signal", "="]).joined(), line(&["nubbin", "--signal="]));
        let cluster = ["nubbin", "--remote", "grpc", ":", "//x", "b"];
        assert_eq!(line(&cluster).joined(), line(&["nubbin", "--remote", "grpc://x", "b"]));
        let limit = ["nubbin", "--limit", "memory", "=", "2G", "./o", ""];
        assert_eq!(line(&limit).joined(), line(&["nubbin", "--limit", "memory=2G", "./o", ""]));
    }

    #[test]
    fn all_changes_of_the_script_for_zsh_apply() {
        let script = script("zsh").expect("a script");
        assert!(Zsh::CHANGES.iter().all(|(_, changed)| script.contains(changed)), "{script}");
    }

    #[test]
    fn files_commands_and_options_are_offered_where_they_are_allowed() {
        assert_eq!(offered(&["nubbin", "./x", "Cargo.t"]), ["Cargo.toml"]);
        assert_eq!(offered(&["nubbin", "check", "Cargo.t"]), ["Cargo.toml"]);
        assert_eq!(offered(&["nubbin", "-q", "che"]), ["check"]);
        assert_eq!(offered(&["nubbin", "./x", "che"]), [""; 0]);
        assert_eq!(offered(&["nubbin", "x", "--", "cat", "Cargo.t"]), ["Cargo.toml"]);
        assert_eq!(offered(&["nubbin", "--output", "Cargo.t"]), ["Cargo.toml"]);
        assert_eq!(offered(&["nubbin", "--language", "py"]), ["python"]);
        assert_eq!(offered(&["nubbin", "--language", "./sr"]), ["./src/"]);
        assert_eq!(offered(&["nubbin", "debug", "t"]), ["tree"]);
        assert_eq!(offered(&["nubbin", "debug", "deltas", "hois"]), ["hoist"]);
        assert!(offered(&["nubbin", ""]).iter().all(|one| !one.starts_with('-')));
        assert!(offered(&["nubbin", "./x", "--ti"]).contains(&"--timeout".to_owned()));
    }
}
