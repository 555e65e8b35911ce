//! What was meant: the typed arguments, checked against each other and resolved.
//!
//! It reads no input and runs no oracle.

use super::args::{self, Args, LookBack};
use super::exit::Exit;
use super::failure::Failure;
use super::language::Choice;
use super::limits::Bounds;
use super::voice::Voice;
use super::{command, history, inspect, journal, reduce};
use nubbin::Unit;
use nubbin::input::{self, BestFile};
use nubbin::oracle::{Confidence, Matcher, Status};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the program is asked to do.
#[derive(Debug)]
pub enum Task {
    /// Show the languages.
    ListLanguages,
    /// Show the syntax tree of an input.
    DumpTree(Input, Choice),
    /// Show what a pass would try on an input.
    DumpDeltas(String, Input, Choice),
    /// List the steps of a run, or bring one back.
    History(args::History),
    /// Go on with the latest run of this directory.
    ResumeLatest(Box<Args>),
    /// Reduce an input.
    Reduce(Box<Settings>),
}

/// What a reduction is to be like.
#[derive(Debug)]
pub struct Settings {
    pub input: Input,
    pub test: Test,
    pub output: Output,
    pub language: Choice,
    /// The units to take away; none for what the language is made of.
    pub units: Vec<Unit>,
    pub timeout: Option<Duration>,
    pub bounds: Bounds,
    pub jobs: Option<usize>,
    pub allow_empty: bool,
    pub compact: bool,
    pub effort: u8,
    pub flaky: Option<Confidence>,
    pub journal: Journal,
    /// The words behind the program's name.
    pub words: Vec<OsString>,
    pub voice: Voice,
}

/// What part a journal takes.
#[derive(Debug)]
pub enum Journal {
    /// None is kept.
    None,
    /// One is begun.
    Begin,
    /// An earlier run is gone on with, if there is one.
    Resume,
    /// The run whose journal is in this folder is gone on with.
    ResumeFrom(PathBuf),
}

/// Where the input comes from.
#[derive(Debug)]
pub enum Input {
    Stdin,
    File(PathBuf),
}

/// Where the result goes.
#[derive(Debug)]
pub enum Output {
    Stdout,
    InPlace,
    File(PathBuf),
}

/// The user's test.
#[derive(Debug)]
pub struct Test {
    /// As it was typed.
    pub label: String,
    /// The program and its arguments, for any directory; `{}` is the candidate's path.
    pub words: Vec<OsString>,
    /// The failure of a command; `None` for a script, which tells by itself.
    pub failure: Option<Matcher>,
}

impl Task {
    /// The task that these arguments ask for.
    ///
    /// # Errors
    /// When they make no sense together, or name an unknown language.
    pub fn new(mut args: Args) -> Result<Self, Failure> {
        if args.list_languages {
            return Ok(Self::ListLanguages);
        }
        if let Some(LookBack::History(history)) = args.look_back.take() {
            return Ok(Self::History(history));
        }
        if args.resume && args.first.is_none() && args.command.is_empty() {
            return Ok(Self::ResumeLatest(Box::new(args)));
        }
        let language = Choice::new(args.language.take(), args.grammar.take())?;
        if args.dump_tree {
            return Ok(Self::DumpTree(only_file(&args)?, language));
        }
        if let Some(pass) = args.dump_deltas.take() {
            return Ok(Self::DumpDeltas(pass, only_file(&args)?, language));
        }
        Settings::new(args, language).map(|settings| Self::Reduce(Box::new(settings)))
    }

    /// Does it.
    ///
    /// # Errors
    /// When it comes to nothing.
    pub fn run(self) -> Result<Exit, Failure> {
        match self {
            Self::ListLanguages => inspect::list_languages(),
            Self::DumpTree(input, language) => {
                inspect::tree(&input.path(&language), &input.read()?, &language)
            }
            Self::DumpDeltas(pass, input, language) => {
                inspect::deltas(&pass, &input.path(&language), &input.read()?, &language)
            }
            Self::History(history) => history::run(&history),
            Self::ResumeLatest(args) => journal::latest(&args).and_then(|settings| reduce::run(&settings)),
            Self::Reduce(settings) => reduce::run(&settings),
        }
    }
}

impl Settings {
    pub fn new(mut args: Args, language: Choice) -> Result<Self, Failure> {
        let units = units(&args, &language)?;
        let (input, test) = test(&mut args, &language)?;
        let jobs = args.jobs.map(usize::from);
        Ok(Self {
            output: output(&args, &input)?,
            input,
            test,
            language,
            units,
            timeout: args.timeout,
            bounds: Bounds::new(args.limits, jobs)?,
            jobs,
            allow_empty: args.allow_empty,
            compact: args.compact,
            effort: args.effort,
            flaky: args.flaky,
            journal: match (args.no_journal, args.resume) {
                (true, _) => Journal::None,
                (false, true) => Journal::Resume,
                (false, false) => Journal::Begin,
            },
            words: args.words,
            voice: Voice::new(args.quiet, args.verbose),
        })
    }
}

impl Input {
    fn new(word: OsString) -> Self {
        if word == "-" { Self::Stdin } else { Self::File(word.into()) }
    }

    /// Its bytes.
    pub fn read(&self) -> Result<Vec<u8>, input::Error> {
        match self {
            Self::Stdin => input::read_stdin(),
            Self::File(path) => input::read_file(path),
        }
    }

    /// Its path; standard input has a name that fits the language that was given.
    pub fn path(&self, language: &Choice) -> PathBuf {
        match (self, language.extension()) {
            (Self::File(path), _) => path.clone(),
            (Self::Stdin, Some(extension)) => Path::new("stdin").with_extension(extension),
            (Self::Stdin, None) => "stdin".into(),
        }
    }

    /// Its file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Stdin => None,
            Self::File(path) => Some(path),
        }
    }
}

impl Output {
    /// The place itself, which is not touched before there is something to write.
    pub fn open(&self, input: &Input, content: &[u8]) -> Result<BestFile, input::Error> {
        match (self, input) {
            (Self::InPlace, Input::File(path)) => BestFile::in_place(path, content),
            (Self::File(path), _) => BestFile::file(path, input.file()),
            (Self::Stdout | Self::InPlace, _) => Ok(BestFile::stdout()),
        }
    }
}

/// The units, from coarse to fine; none for the tree.
fn units(args: &Args, language: &Choice) -> Result<Vec<Unit>, Failure> {
    let Some(units) = args.unit.iter().copied().collect::<Option<Vec<Unit>>>() else {
        let is_alone = args.unit.len() == 1;
        let message = "`--unit tree` stands alone: a tree's parts are no units of a list";
        return if is_alone { Ok(Vec::new()) } else { Err(Failure::usage(message).hint(LISTS)) };
    };
    if let Some(pair) = units.windows(2).find(|pair| pair[0] >= pair[1]) {
        let [first, second] = [pair[0], pair[1]].map(Unit::name);
        let message = if first == second {
            format!("`--unit` has `{first}` twice")
        } else {
            format!("`--unit` has `{second}` after `{first}`, which is finer")
        };
        return Err(Failure::usage(message).hint(LISTS));
    }
    let of_tree = [
        ("--language", matches!(language, Choice::Named(_))),
        ("--grammar", matches!(language, Choice::Folder(_))),
        ("--compact", args.compact),
        ("--effort", args.effort > 0),
    ];
    match of_tree.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(units),
        Some((option, _)) => {
            let last = units.last().map_or("", |unit| unit.name());
            let message = format!("`{option}` has no effect with `--unit {last}`");
            Err(Failure::usage(message).hint(format!("leave out `{option}`, or `--unit`")))
        }
    }
}

const LISTS: &str = "a list goes from coarse to fine, each once: `line`, `token`, `char`, `byte`";

/// `ORACLE FILE` or `FILE -- COMMAND`.
fn test(args: &mut Args, language: &Choice) -> Result<(Input, Test), Failure> {
    match (args.first.take(), args.second.take()) {
        (Some(file), None) if !args.command.is_empty() => {
            let input = Input::new(file);
            let words = command::resolve(&args.command, &input.path(language));
            let test = Test { label: label(&args.command), words, failure: Some(matcher(args)) };
            Ok((input, test))
        }
        (Some(oracle), Some(file)) if args.command.is_empty() => {
            no_matchers(args)?;
            let input = Input::new(file);
            let words = command::resolve(&command::split(&oracle)?, &input.path(language));
            Ok((input, Test { label: oracle.to_string_lossy().into_owned(), words, failure: None }))
        }
        (_, Some(_)) => Err(Failure::usage("there is an oracle and a command after `--`; give one of them")),
        (Some(only), None) => Err(Failure::usage(format!(
            "`{}` is given alone; it takes an oracle and a file, or a file and a command after `--`",
            only.display()
        ))),
        (None, None) => Err(Failure::usage("no file is given")),
    }
}

fn matcher(args: &mut Args) -> Matcher {
    let exit = args.exit_code.map(|code| Status::Exit(code.into()));
    let status = exit.or(args.signal.map(Status::Signal));
    Matcher { status, stdout: args.stdout.take(), stderr: args.stderr.take() }
}

/// A script tells by itself what the failure is.
fn no_matchers(args: &mut Args) -> Result<(), Failure> {
    let matcher = matcher(args);
    if matcher.status.is_none() && matcher.stdout.is_none() && matcher.stderr.is_none() {
        return Ok(());
    }
    let message = "`--exit-code`, `--signal`, `--stdout` and `--stderr` need a command after the file";
    Err(Failure::usage(message).hint("`nubbin [OPTIONS] FILE -- COMMAND {}`; an oracle checks by itself"))
}

fn output(args: &Args, input: &Input) -> Result<Output, Failure> {
    let file = match (&args.output, input) {
        (Some(path), _) if path == Path::new("-") => return Ok(Output::Stdout),
        (Some(path), Input::File(input)) if is_same(path, input) => {
            let message = format!("the output `{}` is the input", path.display());
            return Err(Failure::usage(message).hint("`--in-place` replaces the input, and keeps a backup"));
        }
        (Some(path), _) => path.clone(),
        (None, Input::Stdin) if args.in_place => {
            return Err(Failure::usage("standard input cannot be reduced in place"));
        }
        (None, Input::Stdin) => return Ok(Output::Stdout),
        (None, Input::File(_)) if args.in_place => return Ok(Output::InPlace),
        (None, Input::File(path)) => input::reduced_name(path),
    };
    Ok(Output::File(file))
}

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn only_file(args: &Args) -> Result<Input, Failure> {
    match (&args.first, &args.second) {
        (Some(file), None) => Ok(Input::new(file.clone())),
        (None, _) => Err(Failure::usage("no file is given")),
        (Some(_), Some(_)) => Err(Failure::usage("only the file is given here, without an oracle")),
    }
}

fn label(words: &[OsString]) -> String {
    let words: Vec<_> = words.iter().map(|word| OsStr::to_string_lossy(word)).collect();
    words.join(" ")
}
