//! Runs the programs that propose edits, and keeps their answers.
//!
//! The crate `reduce` parses the answers.

use crate::command;
use crate::failure::Failure;
use crate::language::LanguageChoice;
use crate::program;
use crate::settings::Settings;
use crate::source::Input;
use crate::source::candidates;
use crate::stop::Stop;
use crate::{text, tool};
use nubbin_archive as archive;
use nubbin_oracle::{CommandOracle, CommandRun, Limits, Status};
use nubbin_reduce::offer::{self, FilePlace, Proposed, Proposer};
use nubbin_syntax::edit::Span;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Tuned parameters.
struct Tuning {
    /// The default time limit of a program, in seconds.
    limit_seconds: f64,
    /// The largest answer in bytes.
    answer_bytes: u64,
    /// The number of failures after which a program is no longer used.
    failures: u32,
    /// The largest number of reported malformed lines in a run.
    notes: usize,
    /// The number of lines of a program's standard error that are shown.
    error_lines: usize,
}

const TUNING: Tuning =
    Tuning { limit_seconds: 60.0, answer_bytes: 64 << 20, failures: 3, notes: 12, error_lines: 10 };

/// The folder of the answers in the folder of the journal.
const FOLDER: &str = "proposed";

/// The programs named by the user.
#[derive(Debug)]
pub struct Proposers {
    /// The commands as typed, and in a form that works in any directory.
    commands: Vec<(String, Vec<OsString>)>,
    limit: Duration,
}

impl Proposers {
    /// Parses the commands of `--propose`.
    ///
    /// # Errors
    /// Returns an error when a program does not exist, or `--search` is given.
    pub fn new(
        programs: &[OsString],
        limit: Option<Duration>,
        input: &Input,
        language: &LanguageChoice,
        has_search: bool,
    ) -> Result<Self, Failure> {
        let limit = limit.unwrap_or(Duration::from_secs_f64(TUNING.limit_seconds));
        if has_search && !programs.is_empty() {
            let message = "`--propose` cannot be used with `--search`";
            return Err(
                Failure::usage(message).hint("remove one of them; `--propose` can be used with `--unit`")
            );
        }
        let command = |typed: &OsString| {
            let label = typed.to_string_lossy().into_owned();
            let words = command::resolve(&split(typed)?, &candidates(input, language));
            if program::find(&words[0]).is_none() {
                let message = format!("no program `{}` for `--propose`", words[0].display());
                return Err(Failure::usage(message)
                    .hint("name a program in `PATH` or an executable file (`chmod +x FILE`)"));
            }
            Ok((label, words))
        };
        let commands = programs.iter().map(command).collect::<Result<_, _>>()?;
        Ok(Self { commands, limit })
    }

    /// Returns the command line of each program.
    pub(crate) fn words(&self) -> impl Iterator<Item = &[OsString]> {
        self.commands.iter().map(|(_, words)| &words[..])
    }

    /// Returns whether there are no programs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Returns the term for the journal.
    pub(crate) fn terms(&self) -> Option<(String, String)> {
        let labels: Vec<&str> = self.commands.iter().map(|(label, _)| label.as_str()).collect();
        (!labels.is_empty()).then(|| ("`--propose`".to_owned(), labels.join(" ")))
    }

    /// Returns the programs, ready to run. `folder` is the folder of the journal, whose answers a resumed run reuses.
    #[must_use]
    pub fn start(
        &self,
        settings: &Settings,
        interrupt: &Stop,
        folder: Option<(&Path, bool)>,
    ) -> Option<Programs> {
        let program = |(label, words): &(String, Vec<OsString>)| {
            let path = settings.input.path(&settings.language);
            let oracle = tool::command(&settings.bounds, settings.helpers.as_ref(), words, &path)
                .append_path(true)
                .shape(settings.shape.clone())
                .limit(self.limit)
                .stop(interrupt.flag())
                .pause(interrupt.pause())
                .limits(Limits { output: Some(TUNING.answer_bytes), ..settings.bounds.all() });
            Program { label: label.clone(), oracle, failures: Cell::new(0) }
        };
        let folder = folder.map(|(folder, is_resumed)| (folder.join(FOLDER), is_resumed));
        if let Some((folder, false)) = &folder {
            let _ = fs::remove_dir_all(folder);
        }
        let programs: Vec<Program> = self.commands.iter().map(program).collect();
        let folder = folder.map(|(folder, _)| folder);
        (!programs.is_empty()).then(|| Programs {
            all: programs,
            folder,
            known: RefCell::default(),
            limit: self.limit,
            left: Cell::new(TUNING.notes),
            is_archive: settings.input.is_archive(),
        })
    }
}

/// Returns the positions of the files in an archive.
fn places(text: &[u8]) -> Vec<FilePlace> {
    let span = |(start, end): (usize, usize)| Span::new(start as u32, end as u32);
    let may_go = archive::kind(text) == Some(archive::ArchiveKind::Folder);
    let place = |entry: archive::Entry| FilePlace {
        path: entry.path.as_os_str().as_bytes().to_vec(),
        all: may_go.then(|| span(entry.all)),
        content: (entry.kind == archive::Type::File).then(|| span(entry.content)),
    };
    archive::entries(text).into_iter().map(place).collect()
}

/// Parses a command, or the path of a program.
fn split(command: &OsString) -> Result<Vec<OsString>, Failure> {
    if Path::new(command).is_file() {
        return Ok(vec![command.clone()]);
    }
    command::words(&command.to_string_lossy(), "command of `--propose`")
}

/// Programs that propose edits.
pub struct Programs {
    all: Vec<Program>,
    /// The folder that keeps the answers for a resumed run.
    folder: Option<PathBuf>,
    /// The answers, by the hash of the program and the text.
    known: RefCell<HashMap<blake3::Hash, Said>>,
    limit: Duration,
    /// The number of further lines that can be reported.
    left: Cell<usize>,
    /// The text is an archive of several files.
    is_archive: bool,
}

struct Program {
    label: String,
    oracle: CommandOracle,
    failures: Cell<u32>,
}

/// The answer of a program, or the reason why it failed.
type Said = Result<Vec<u8>, String>;

impl Proposer for Programs {
    fn propose(&self, best: &[u8]) -> Proposed {
        let mut all = Proposed::default();
        for program in self.all.iter().filter(|program| program.failures.get() < TUNING.failures) {
            let label = &program.label;
            match self.said(program, best) {
                None => break,
                Some(Ok(answer)) => {
                    let answer = if self.is_archive {
                        offer::read_files(&answer, best, &places(best))
                    } else {
                        offer::read(&answer, best)
                    };
                    all.offers.extend(answer.offers);
                    all.notes.extend(self.told(label, answer.notes));
                }
                Some(Err(why)) => {
                    program.failures.set(program.failures.get() + 1);
                    let end = if program.failures.get() == TUNING.failures {
                        "\n  it failed three times and is no longer used"
                    } else {
                        ""
                    };
                    all.notes.push(format!("`{label}` failed: {why}{end}"));
                }
            }
        }
        all
    }
}

impl Programs {
    /// Returns the answer of a program to a text, possibly from an earlier run; `None` if it was interrupted.
    fn said(&self, program: &Program, best: &[u8]) -> Option<Said> {
        let name = blake3::hash(&[program.label.as_bytes(), b"\0", best].concat());
        let earlier = self.known.borrow().get(&name).cloned().or_else(|| self.find(&name));
        let said = if let Some(said) = earlier {
            said
        } else {
            let said = match program.oracle.answer(best, TUNING.answer_bytes) {
                Err(nubbin_oracle::Error::Interrupted) => return None,
                Err(error) => Err(error.to_string()),
                Ok(run) => self.judge(run),
            };
            // A full disk does not end the run: a resumed run repeats the question.
            let _ = self.keep(&name, &said);
            said
        };
        self.known.borrow_mut().insert(name, said.clone());
        Some(said)
    }

    /// Returns the notes on an answer, up to the limit for a run, because programs usually repeat their mistakes.
    fn told(&self, label: &str, notes: Vec<String>) -> Vec<String> {
        let left = self.left.get();
        self.left.set(left.saturating_sub(notes.len()));
        let end =
            if left > 0 && notes.len() >= left { "\n  further malformed lines are not reported" } else { "" };
        let last = left.min(notes.len());
        let told = notes.into_iter().take(left).enumerate();
        told.map(|(at, note)| format!("`{label}`: {note}{}", if at + 1 == last { end } else { "" })).collect()
    }

    fn judge(&self, run: CommandRun) -> Said {
        let how = match run.status {
            Status::Exit(0) => return Ok(run.stdout),
            Status::TimedOut => {
                format!(
                    "it took more than {} (raise the limit with `--limit proposer=TIME`)",
                    text::time(self.limit)
                )
            }
            Status::OverLimit(limit) => format!("it was ended: {limit}"),
            Status::Exit(code) => format!("it exited with status {code}"),
            Status::Told(_) => format!("it {}", run.status),
            Status::Signal(signal) => format!("it was killed by {}", text::signal(signal)),
        };
        let said = String::from_utf8_lossy(&run.stderr);
        let lines: Vec<&str> = said.lines().collect();
        let shown = &lines[lines.len().saturating_sub(TUNING.error_lines)..];
        Err(shown.iter().fold(how, |how, line| how + "\n  | " + line))
    }

    /// Returns the answer or error that an earlier run received.
    fn find(&self, name: &blake3::Hash) -> Option<Said> {
        let kept = fs::read(self.folder.as_ref()?.join(name.to_hex().as_str())).ok()?;
        match kept.split_first()? {
            (b'+', answer) => Some(Ok(answer.to_vec())),
            (b'-', why) => Some(Err(String::from_utf8_lossy(why).into_owned())),
            _ => None,
        }
    }

    fn keep(&self, name: &blake3::Hash, said: &Said) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let (sign, said) = match said {
            Ok(answer) => (b'+', &answer[..]),
            Err(why) => (b'-', why.as_bytes()),
        };
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&[&[sign], said].concat())?;
        file.persist(folder.join(name.to_hex().as_str()))?;
        Ok(())
    }
}
