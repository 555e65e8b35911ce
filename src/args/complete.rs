//! Shell completion: the shell asks this program for the candidates.
//!
//! A shell function, which `nubbin completions SHELL` prints, runs the program with the variable `COMPLETE`.

use super::{Reduce, definition, meant};
use clap::{Arg, Args as _, Command, ValueHint};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _};
use clap_complete::env::{CompleteEnv, Shells};
use nubbin_session::failure::{Failure, Fault};
use std::any::TypeId;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The environment variable by which a shell asks.
const VARIABLE: &str = "COMPLETE";

/// Answers a shell that asks for completions, and ends the process then.
pub fn answer() {
    CompleteEnv::with_factory(|| completed(&typed())).var(VARIABLE).complete();
}

/// Returns the words before the completed word, without the name of the program.
fn typed() -> Vec<OsString> {
    let words: Vec<OsString> = std::env::args_os().skip_while(|word| word != "--").skip(2).collect();
    let at = std::env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|at| at.parse::<usize>().ok());
    let at = at.map_or(words.len().saturating_sub(1), |at| at.saturating_sub(1));
    words.into_iter().take(at).collect()
}

/// Returns the completion script for a shell.
///
/// # Errors
/// Returns an error if the shell is not supported.
pub fn script(shell: &str) -> Result<String, Failure> {
    let shells = Shells::builtins();
    let Some(completer) = shells.completer(shell) else {
        let names: Vec<&str> = shells.names().collect();
        return Err(Failure::usage(format!("no completions for the shell `{shell}`"))
            .hint(format!("the shells are {}", names.join(", "))));
    };
    let mut script = Vec::new();
    completer
        .write_registration(VARIABLE, "nubbin", "nubbin", "nubbin", &mut script)
        .map_err(|error| Failure::new(Fault::Unexpected, error))?;
    Ok(String::from_utf8_lossy(&script).into_owned())
}

/// Returns the definition for the words that were typed so far: commands only at the start, files where a file is
/// allowed, and a program after `--`.
fn completed(typed: &[OsString]) -> Command {
    if let Some(at) = typed.iter().position(|word| word == "--") {
        let is_program = typed.len() == at + 1 || typed.last().is_some_and(|word| word == "--");
        let words = Arg::new("words").num_args(0..).allow_hyphen_values(true);
        let words = if is_program {
            words.add(ArgValueCompleter::new(programs))
        } else {
            words.add(ArgValueCompleter::new(PathCompleter::any()))
        };
        return Command::new("nubbin").arg(words);
    }
    if meant::first_argument(typed).is_some_and(|at| !meant::is_command(&typed[at]) && typed[at] != "help") {
        return completers(Reduce::augment_args(Command::new("nubbin")));
    }
    let whole = completers(definition());
    let names: Vec<String> = whole.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    names.into_iter().fold(whole, |whole, name| whole.mut_subcommand(name, completers))
}

fn completers(command: Command) -> Command {
    command.mut_args(|arg| match arg.get_value_hint() {
        _ if arg.get_value_parser().possible_values().is_some() => arg,
        ValueHint::CommandString => arg.add(ArgValueCompleter::new(programs)),
        _ if arg.is_positional() && arg.get_id() != "pass" => {
            arg.add(ArgValueCompleter::new(PathCompleter::any()))
        }
        ValueHint::Unknown if arg.get_value_parser().type_id() == TypeId::of::<PathBuf>() => {
            arg.add(ArgValueCompleter::new(PathCompleter::any()))
        }
        _ => arg,
    })
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
