//! The goals besides the smallest input, each under a word of its own: its help, and the options that make no sense
//! there.
//!
//! Words and options have the same meaning everywhere; it is decided in `settings`.

use super::{Args, changes, check, failure, init, propose};
use clap::{Command, CommandFactory};
use std::ffi::OsString;

/// The kind of thing that is to be reduced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A file, several, or a directory.
    #[default]
    Input,
    /// The options of a command: `nubbin options -- COMMAND`.
    Options,
    /// The difference between a file that passes and one that fails: `nubbin isolate`.
    Isolate,
    /// The largest part of a file that passes: `nubbin maximize`.
    Maximize,
    /// The changes between two versions: `nubbin changes`.
    Changes,
    /// Nothing is reduced; the oracle is examined: `nubbin check`.
    Check,
    /// Nothing is reduced; an oracle is written: `nubbin init`.
    Init,
}

impl Mode {
    /// The words that ask for one, as the first.
    pub const WORDS: [(&str, Self); 6] = [
        ("options", Self::Options),
        ("isolate", Self::Isolate),
        ("maximize", Self::Maximize),
        ("changes", Self::Changes),
        ("check", Self::Check),
        ("init", Self::Init),
    ];

    /// Returns the mode that the first word asks for.
    pub fn of(words: &[OsString]) -> Self {
        let first = words.first();
        let asked = first.and_then(|first| Self::WORDS.into_iter().find(|(word, _)| first == word));
        asked.map_or(Self::Input, |(_, mode)| mode)
    }

    /// Returns the program's name, with the word that asks for it.
    pub fn program(self) -> String {
        let word = Self::WORDS.into_iter().find(|(_, mode)| *mode == self);
        word.map_or_else(|| "nubbin".to_owned(), |(word, _)| format!("nubbin {word}"))
    }

    /// Returns the ids of what makes no sense in it, and of positional arguments that it has not.
    pub fn senseless(self) -> impl Iterator<Item = &'static str> {
        let own = match self {
            Self::Input => &["env", "invert", "wrong_code"][..],
            Self::Check => &check::SENSELESS,
            Self::Init => &init::SENSELESS,
            Self::Options => &NOT_OF_OPTIONS,
            Self::Isolate | Self::Maximize => &NOT_OF_DIFFERENCES,
            Self::Changes => &NOT_OF_CHANGES,
        };
        let of_changes = changes::IDS.into_iter().filter(move |_| self != Self::Changes);
        let of_inputs = propose::IDS.into_iter().filter(move |_| self != Self::Input);
        let small = OF_SMALL_INPUTS.into_iter().filter(move |_| self != Self::Input);
        let other = OF_REDUCTIONS.into_iter().filter(move |_| !matches!(self, Self::Input | Self::Options));
        // A script that `init` writes says them in lines of its own.
        let without = failure::WITHOUT.into_iter().filter(move |_| self == Self::Init);
        own.iter().copied().chain(without).chain(small).chain(other).chain(of_changes).chain(of_inputs)
    }
}

/// The options that only shape a smaller input.
const OF_SMALL_INPUTS: [&str; 17] = [
    "in_place",
    "compact",
    "effort",
    "formatter",
    "no_formatter",
    "preprocessor",
    "no_preprocessor",
    "objective",
    "stop_at",
    "only",
    "skip",
    "list_passes",
    "keep",
    "keep_function",
    "no_markers",
    "list_languages",
    "dump_tree",
];
/// The options that only reductions have; some of them only the reduction of options has.
const OF_REDUCTIONS: [&str; 10] = [
    "dump_deltas",
    "env",
    "invert",
    "flaky",
    "max_probes",
    "events",
    "summary",
    "report",
    "bug_report",
    "ui",
];
/// The other options that make no sense in each mode.
const NOT_OF_OPTIONS: [&str; 9] =
    ["first", "rest", "unit", "output", "language", "grammar", "search", "differs_from", "wrong_code"];
const NOT_OF_DIFFERENCES: [&str; 4] = ["allow_empty", "language", "grammar", "wrong_code"];
const NOT_OF_CHANGES: [&str; 10] = [
    "first",
    "rest",
    "unit",
    "allow_empty",
    "language",
    "grammar",
    "search",
    "differs_from",
    "max_time",
    "wrong_code",
];
const CHANGES_EXAMPLES: &str = "\
Examples:
  nubbin changes --good v1.2 --bad v1.3 -- sh -c 'make -s && ./test'
      the smallest set of changes between two git revisions that makes the test fail, as a patch
  nubbin changes --good HEAD --bad . -o culprit.patch -- ./test.sh
      of what has not been committed yet; the patch goes to a file
  nubbin changes --good ../works --bad ../fails --stderr 'assertion' -- make check
      between two directories; a failure by its message
  nubbin changes --good works --diff new.patch -- ./test.sh
      of a patch

The command runs in a copy of the version with some of the changes made. How it ends on B is the
failure, how it ends on G is passing, and anything else, such as a failed build, tells nothing: so let
a failed build end in another way than a failed test, or exit with 125. What it builds is kept
from one run to the next.";
const ISOLATE_EXAMPLES: &str = "\
Examples:
  nubbin isolate ./oracle.sh works.c bug.c
      the smallest difference between a file that passes and one that fails; bug.passing.c,
      bug.failing.c and a patch on standard output
  nubbin isolate works.c bug.c -- gcc -O2 -c {}
      the failure is how the command ends on bug.c
  nubbin isolate ./oracle.sh bug.c
      between the empty file and one that fails
  nubbin isolate -o why.patch works.c bug.c -- gcc -O2 -c {}
      the patch goes to a file
  nubbin isolate --unit line,char ./oracle.sh works.txt bug.txt
      by lines, then by characters; as a rule by the syntax trees, or by lines, then by tokens

An oracle exits with 0 where the failure is, with 125 where it cannot tell, with anything else where
the candidate passes.";
const MAXIMIZE_EXAMPLES: &str = "\
Examples:
  nubbin maximize ./oracle.sh broken.json
      the largest part of a file that does not fail: broken.passing.json
  nubbin maximize -o mended.json ./oracle.sh broken.json
      it goes there
  nubbin maximize --unit char broken.json -- python3 -m json.tool {}
      by characters; as a rule by lines, then by tokens";
const OPTIONS_EXAMPLES: &str = "\
Examples:
  nubbin options -- gcc -O2 -g -fno-plt -funroll-loops -c bug.c
      which of these options the failure of the command depends on, as the shortest command
  nubbin options --stderr 'internal compiler error' -- gcc -O2 -c bug.c
      a failure by its message
  nubbin options --env -- ./program --fast
      variables of the environment, too
  nubbin options --invert --stdout bug -- ./program --safe --fast
      what prevents the failure, which is there without any options

The command runs in a fresh directory; files of this directory are found all the same.";

/// The texts in the help of a mode.
struct Texts {
    name: &'static str,
    about: &'static str,
    usage: &'static str,
    examples: &'static str,
}

impl Mode {
    /// Returns the texts of its help; there are none if the program has no further word.
    fn texts(self) -> Option<Texts> {
        let (name, about, usage, examples) = match self {
            Self::Input => return None,
            Self::Options => (
                "nubbin options",
                "Finds out which of a command's options its failure depends on.",
                "nubbin options [OPTIONS] -- <COMMAND> <OPTION>…",
                OPTIONS_EXAMPLES,
            ),
            Self::Isolate => (
                "nubbin isolate",
                "Finds the smallest difference between a file that passes and one that fails.",
                "nubbin isolate [OPTIONS] <ORACLE> [PASSING] <FAILING>\n       nubbin isolate [OPTIONS] [PASSING] <FAILING> -- <COMMAND> {}",
                ISOLATE_EXAMPLES,
            ),
            Self::Changes => (
                "nubbin changes",
                "Finds the smallest set of changes between two versions that makes a command fail.",
                "nubbin changes [OPTIONS] --good <G> --bad <B> -- <COMMAND>\n       nubbin changes [OPTIONS] --good <DIR> --diff <FILE> -- <COMMAND>",
                CHANGES_EXAMPLES,
            ),
            Self::Maximize => (
                "nubbin maximize",
                "Finds the largest part of a file that does not fail.",
                "nubbin maximize [OPTIONS] <ORACLE> <FILE>\n       nubbin maximize [OPTIONS] <FILE> -- <COMMAND> {}",
                MAXIMIZE_EXAMPLES,
            ),
            Self::Check => (
                "nubbin check",
                "Examines an oracle before hours are spent: what would make a reduction wrong or slow, and the fix.",
                "nubbin check [OPTIONS] <ORACLE> <FILE>…\n       nubbin check [OPTIONS] <FILE>… -- <COMMAND> {}",
                check::EXAMPLES,
            ),
            Self::Init => (
                "nubbin init",
                "Writes an oracle script for the failure that a command shows, and proves it on FILE.",
                "nubbin init [OPTIONS] <FILE> -- <COMMAND> {}",
                init::EXAMPLES,
            ),
        };
        Some(Texts { name, about, usage, examples })
    }

    /// Returns its command line.
    pub fn command(self) -> Command {
        let command = Args::command();
        let Some(Texts { name, about, usage, examples }) = self.texts() else { return command };
        let command = command
            .name(name)
            .bin_name(name)
            .about(about)
            .long_about(about)
            .override_usage(usage)
            .after_help(format!("`{name} --help` shows examples."))
            .after_long_help(examples)
            .mut_subcommands(|one| one.hide(true));
        let hide = |command: Command, id: &str| command.mut_arg(id, |arg| arg.hide(true));
        let command = self.senseless().fold(command, hide);
        let show = |command: Command, id| command.mut_arg(id, |arg| arg.hide(false));
        match self {
            Self::Options => ["env", "invert"].into_iter().fold(command, |command, id| {
                show(command, id).mut_arg(id, |arg| arg.help_heading("What is tried"))
            }),
            Self::Changes => changes::IDS
                .into_iter()
                .fold(command, show)
                .mut_arg("command", |arg| arg.help("What fails, run in a copy of each version"))
                .mut_arg("output", |arg| {
                    arg.help("Where the patch goes [default: standard output]").long_help(None)
                }),
            Self::Isolate => {
                let goes = "Where the patch goes [default: standard output]";
                command.mut_arg("output", |arg| arg.help(goes).long_help(goes))
            }
            Self::Maximize => {
                let goes = "Where the largest part that passes goes [default: FILE with `.passing` before its extension]; `-` is standard output, instead of the patch";
                command.mut_arg("output", |arg| arg.help(goes).long_help(goes))
            }
            Self::Init => {
                let goes = "Where the script goes [default: standard output]; no file is overwritten";
                let command = command.mut_arg("output", |arg| arg.help(goes).long_help(goes));
                show(command, "wrong_code")
            }
            _ => command,
        }
    }
}
