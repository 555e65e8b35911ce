//! What was meant: the typed arguments, checked against each other and resolved.
//!
//! It reads no input and runs no oracle.

mod input;
mod output;

use super::args::{Args, Aside};
use super::changes::{self, Sides};
use super::check::script::Script;
use super::classic::{self, Classic};
use super::control::{self, Control};
use super::exit::Exit;
use super::failure::Failure;
use super::failure_options::Message;
use super::isolate::{self, Goal};
use super::language::Choice;
use super::limits::Bounds;
use super::mode::Mode;
use super::options::Choices;
use super::program;
use super::propose::Proposers;
use super::surroundings::{self, Around};
use super::ui::Show;
use super::voice::Voice;
use super::{check, command, differ, history, init, inspect, journal, meant, record, reduce, shell, text};
use nubbin::Unit;
use nubbin::oracle::{Confidence, Matcher, Shape, Status};
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use input::Input;
pub use output::Output;
use output::output;

/// What the program is asked to do.
#[derive(Debug)]
pub enum Task {
    /// Show the languages.
    ListLanguages,
    /// Show the passes.
    ListPasses,
    /// Show the syntax tree of an input.
    DumpTree(Input, Choice),
    /// Show what a pass would try on an input.
    DumpDeltas(String, Input, Choice),
    /// Do what reduces nothing.
    Aside(Aside),
    /// Go on with the latest run of this directory.
    ResumeLatest(Box<Args>),
    /// Reduce an input.
    Reduce(Box<Settings>),
    /// Examine an oracle.
    Check(Box<Settings>),
    /// Write an oracle; for wrong code with the second command.
    Init(Box<Settings>, Option<Vec<OsString>>),
}

/// What a reduction is to be like.
#[derive(Debug)]
pub struct Settings {
    pub mode: Mode,
    pub input: Input,
    /// What is looked for, if that is not the smallest input.
    pub goal: Option<Goal>,
    /// How it is searched for, if that was said.
    pub search: Option<Classic>,
    /// What a candidate is on disk.
    pub shape: Shape,
    /// What it sees beside the candidate.
    pub around: Around,
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
    pub control: Control,
    pub formatter: program::Choice,
    pub preprocessor: program::Choice,
    pub records: record::Choice,
    /// The programs that propose what to try.
    pub propose: Proposers,
    pub flaky: Option<Confidence>,
    pub journal: Journal,
    /// What settings files add, as sentences.
    pub notes: Vec<String>,
    /// The words behind the program's name.
    pub words: Vec<OsString>,
    pub voice: Voice,
    /// How progress is shown.
    pub show: Show,
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

/// The user's test.
#[derive(Debug)]
pub struct Test {
    /// As it was typed.
    pub label: String,
    /// The program and its arguments, for any directory; `{}` is the candidate's path.
    pub words: Vec<OsString>,
    /// The failure of a command; `None` for a script, which tells by itself.
    pub failure: Option<Matcher>,
    /// Whether what it says is part of it.
    pub message: Message,
    /// Whether ordinary errors may stand beside it.
    pub any_errors: bool,
    /// Whether none may stand beside a text that was asked for but those that the unchanged input shows.
    pub stands_alone: bool,
    /// The second command, where the failure is that two of them differ.
    pub other: Option<String>,
}

impl Test {
    /// A script, which tells by itself what the failure is.
    fn script(label: String, words: Vec<OsString>) -> Self {
        Self {
            label,
            words,
            failure: None,
            message: Message::None,
            any_errors: true,
            stands_alone: false,
            other: None,
        }
    }

    /// A command that fails.
    fn command(words: Vec<OsString>, args: &mut Args) -> Self {
        let failure = matcher(args);
        let message = args.failure.message(&failure);
        let (label, any_errors) = (label(&args.command), args.failure.any_errors());
        let stands_alone = args.failure.stands_alone(&failure);
        Self { label, words, failure: Some(failure), message, any_errors, stands_alone, other: None }
    }
}

impl Task {
    /// The task that these arguments ask for.
    ///
    /// # Errors
    /// When they make no sense together, or name an unknown language.
    pub fn new(mut args: Args) -> Result<Self, Failure> {
        if args.control.list_passes {
            return Ok(Self::ListPasses);
        }
        if args.list_languages {
            return Ok(Self::ListLanguages);
        }
        if let Some(aside) = args.aside.take() {
            return Ok(Self::Aside(aside));
        }
        if args.resume && args.first.is_none() && args.command.is_empty() && args.mode == Mode::Input {
            return Ok(Self::ResumeLatest(Box::new(args)));
        }
        let language = Choice::new(args.language.take(), args.grammar.take())?;
        if args.dump_tree {
            return Ok(Self::DumpTree(only_file(&args)?, language));
        }
        if let Some(pass) = args.dump_deltas.take() {
            return Ok(Self::DumpDeltas(pass, only_file(&args)?, language));
        }
        let second = args.init.second();
        let settings = Box::new(Settings::new(args, language)?);
        let paths = candidates(&settings.input, &settings.language);
        let second = second.map(|second| command::split(&second)).transpose()?;
        let second = second.map(|words| command::resolve(&words, &paths));
        Ok(match settings.mode {
            Mode::Check => Self::Check(settings),
            Mode::Init => Self::Init(settings, second),
            _ => Self::Reduce(settings),
        })
    }

    /// Does it.
    ///
    /// # Errors
    /// When it comes to nothing.
    pub fn run(self) -> Result<Exit, Failure> {
        match self {
            Self::ListLanguages => inspect::list_languages(),
            Self::ListPasses => control::list_passes(),
            Self::DumpTree(input, language) => {
                inspect::tree(&input.path(&language), &input.read()?, &language)
            }
            Self::DumpDeltas(pass, input, language) => {
                inspect::deltas(&pass, &input.path(&language), &input.read()?, &language)
            }
            Self::Aside(Aside::History(history)) => history::run(&history),
            Self::Aside(Aside::Completions { shell }) => shell::completions(shell),
            Self::Aside(Aside::Manual { output }) => shell::manual(output.as_deref()),
            Self::ResumeLatest(args) => Self::Reduce(Box::new(journal::latest(*args)?)).run(),
            Self::Check(settings) => check::run(&settings),
            Self::Init(settings, second) => init::run(&settings, second),
            Self::Reduce(settings) => match (&settings.input, &settings.goal, settings.search) {
                (Input::Changes(_), ..) => changes::run(*settings),
                (_, Some(goal), _) => isolate::run(&settings, goal),
                (_, None, Some(search)) => classic::run(&settings, search),
                (_, None, None) => reduce::run(&settings),
            },
        }
    }
}

impl Settings {
    pub fn new(mut args: Args, language: Choice) -> Result<Self, Failure> {
        if args.mode == Mode::Options && !args.given.iter().any(|given| given == "unit") {
            args.unit = vec![Some(Unit::Line)];
        }
        meant::quoted(&mut args)?;
        meant::order(&mut args);
        let units = units(&args, &language)?;
        makes_sense(&args)?;
        Classic::check(&args, &units)?;
        let goal = goal(&mut args)?;
        let (input, test) = test(&mut args, &language)?;
        let jobs = args.jobs.map(usize::from);
        let logs = Script::of(&test.words).map(|script| script.logs()).unwrap_or_default();
        let output = output(&args, &input)?;
        let voice = Voice::new(args.quiet, args.verbose);
        let show = args.ui.show(voice);
        args.notes.extend(args.ui.note(show));
        args.notes.extend(surroundings::left_alone(&input.left_alone()));
        let around = Around::new(args.around, &input)?;
        let propose = Proposers::new(&args.propose, &input, &language, args.classic.search.is_some())?;
        Ok(Self {
            mode: args.mode,
            records: record::Choice::new(args.records, input.paths(), &output)?,
            output,
            goal,
            search: args.classic.search,
            shape: surroundings::shape(input.shape()?, around.origin.as_ref()),
            around,
            input,
            test,
            language,
            units,
            timeout: args.timeout,
            bounds: Bounds::new(args.limits, jobs, logs)?,
            jobs,
            allow_empty: args.allow_empty,
            compact: args.compact,
            effort: args.effort,
            control: Control::new(args.control),
            formatter: args.formatter.choice()?,
            preprocessor: args.preprocessor.choice()?,
            propose,
            flaky: args.flaky,
            journal: match (args.no_journal, args.resume) {
                (true, _) => Journal::None,
                (false, true) => Journal::Resume,
                (false, false) => Journal::Begin,
            },
            notes: args.notes,
            words: args.words,
            voice,
            show,
        })
    }
}

impl Settings {
    /// Whether `nubbin check` takes this oracle and this input.
    pub fn can_be_checked(&self) -> bool {
        let is_text = !matches!(self.input, Input::Options(_) | Input::Changes(_));
        self.mode == Mode::Input && self.goal.is_none() && is_text
    }

    /// Whether a run is made anew from the verdicts of the earlier one that it goes on with, not from its steps.
    pub fn is_made_anew(&self) -> bool {
        matches!(self.input, Input::Changes(_)) || self.goal.is_some() || self.search.is_some()
    }

    /// The path under which a journal is kept: that of the input, with what is looked for if that is not the smallest one.
    pub fn journal_path(&self) -> PathBuf {
        let path = self.input.path(&self.language);
        let Some(goal) = &self.goal else { return path };
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(match goal {
            Goal::Isolate(_) => ".isolate",
            Goal::Maximize => ".maximize",
        });
        path.with_file_name(name)
    }

    /// The names of the candidate's files, as far as they are known: what they say of themselves changes.
    pub fn own_names(&self) -> Vec<String> {
        let own = self.input.path(&self.language).file_name().map(PathBuf::from);
        let names =
            if let Shape::Files(names) = &self.shape { names.clone() } else { own.into_iter().collect() };
        names.iter().map(|name| name.to_string_lossy().into_owned()).collect()
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

/// Makes sure that nothing was given that has no sense in this mode.
fn makes_sense(args: &Args) -> Result<(), Failure> {
    let senseless = |given: &&String| args.mode.senseless().any(|id| id == given.as_str());
    let is_option = |given: &&String| !["first", "rest"].contains(&given.as_str());
    let Some(other) = args.given.iter().filter(is_option).find(senseless) else { return Ok(()) };
    let option = format!("--{}", other.replace('_', "-"));
    Err(Failure::usage(match args.mode {
        _ if changes::IDS.contains(&other.as_str()) => {
            format!("`{option}` is an option of `nubbin changes -- COMMAND`")
        }
        Mode::Changes => format!("`{option}` makes no sense for the changes between two versions"),
        Mode::Input if other == "wrong_code" => format!("`{option}` is an option of `nubbin init`"),
        Mode::Input => format!("`{option}` is an option of `nubbin options -- COMMAND`"),
        Mode::Check => format!("`{option}` makes no sense where an oracle is examined"),
        Mode::Init => format!("`{option}` makes no sense where an oracle is written"),
        Mode::Options => format!("`{option}` makes no sense for the options of a command"),
        Mode::Isolate => format!("`{option}` makes no sense for the difference between two files"),
        Mode::Maximize => format!("`{option}` makes no sense for the largest part that passes"),
    }))
}

/// What is looked for; of two files the first is taken, which is to pass.
fn goal(args: &mut Args) -> Result<Option<Goal>, Failure> {
    match args.mode {
        Mode::Input | Mode::Options | Mode::Changes | Mode::Check | Mode::Init => return Ok(None),
        Mode::Maximize => return Ok(Some(Goal::Maximize)),
        Mode::Isolate => {}
    }
    let is_command = !args.command.is_empty();
    let files = args.rest.len() + usize::from(is_command && args.first.is_some());
    let passing = match (files, is_command) {
        (2, true) => std::mem::replace(&mut args.first, args.rest.pop()),
        (2, false) => Some(args.rest.remove(0)),
        (0 | 1, _) => None,
        _ => {
            let message = "there are more than two files: one that passes, and one that fails";
            return Err(Failure::usage(message));
        }
    };
    Ok(Some(Goal::Isolate(passing.map(PathBuf::from))))
}

/// `ORACLE FILE…` or `FILE… -- COMMAND`.
fn test(args: &mut Args, language: &Choice) -> Result<(Input, Test), Failure> {
    match args.mode {
        Mode::Options => return options(args),
        Mode::Changes => return of_changes(args),
        Mode::Input | Mode::Isolate | Mode::Maximize | Mode::Check | Mode::Init => {}
    }
    if args.mode == Mode::Init && args.command.is_empty() {
        return Err(Failure::usage("no command is given").hint("`nubbin init [OPTIONS] FILE -- COMMAND {}`"));
    }
    let mut words: Vec<OsString> = args.first.take().into_iter().chain(args.rest.drain(..)).collect();
    if words.is_empty() {
        let line = meant::with_file(args).unwrap_or_else(|| "nubbin FILE -- COMMAND {}".to_owned());
        return Err(Failure::usage("no file is given").hint(format!("it comes before the `--`:\n  {line}")));
    }
    if !args.command.is_empty() {
        if words.len() > 1 && is_oracle(&words[0]) {
            return Err(Failure::usage("there is an oracle and a command after `--`; give one of them"));
        }
        let input = Input::all(words)?;
        let paths = candidates(&input, language);
        args.notes.extend(meant::missing(&args.command, &paths));
        let words = meant::interpreted(command::resolve(&args.command, &paths));
        let mut test = Test::command(words, args);
        if let Some(other) = args.failure.other() {
            let second = command::resolve(&command::split(&other)?, &paths);
            test.words = differ::words(test.words, second, paths.len() > 1);
            test.other = Some(other.to_string_lossy().into_owned());
        }
        return Ok((input, test));
    }
    let oracle = words.remove(0);
    if words.is_empty() {
        let quoted = if Path::new(&oracle).exists() { None } else { meant::without_dashes(args) };
        return Err(quoted.unwrap_or_else(|| alone(args.mode, &oracle)));
    }
    let is_input = Path::new(&oracle).exists() && !is_oracle(&oracle);
    if let Some(failure) = meant::without_dashes(args).filter(|_| is_input) {
        return Err(failure);
    }
    no_matchers(args)?;
    let input = Input::all(words)?;
    let words = command::resolve(&command::split(&oracle)?, &candidates(&input, language));
    let words = meant::interpreted(words);
    Ok((input, Test::script(oracle.to_string_lossy().into_owned(), words)))
}

/// What is missing beside a word that is given alone.
fn alone(mode: Mode, word: &OsStr) -> Failure {
    let program = mode.program();
    let shown = text::quote(word);
    let message = format!("`{}` is given alone", word.display());
    let is_input = Path::new(word).exists() && !is_oracle(word) && !meant::is_script(Path::new(word));
    let hint = match meant::misspelt(word) {
        _ if is_input => format!(
            "beside the file name a command that fails on it, or a script before it:\n  {program} {shown} -- COMMAND {{}}\n  {program} ./oracle.sh {shown}"
        ),
        Some(command) if !Path::new(word).exists() => format!("`nubbin {command}` is a command"),
        _ => format!(
            "beside the oracle name the file to reduce; a command that fails comes after the file:\n  {program} {shown} FILE\n  {program} FILE -- COMMAND {{}}"
        ),
    };
    Failure::usage(message).hint(hint)
}

/// `options -- COMMAND`.
fn options(args: &mut Args) -> Result<(Input, Test), Failure> {
    let usage = |message: String| {
        Failure::usage(message)
            .hint("`nubbin options [OPTIONS] -- COMMAND OPTION…`; `./options` is a file of that name")
    };
    if let Some(word) = &args.first {
        return Err(usage(format!("`{}` stands before the `--`", word.display())));
    }
    if args.command.is_empty() {
        return Err(usage("no command is given".to_owned()));
    }
    let choices = Choices::new(command::resolve(&args.command, &[]), args.env, args.invert)?;
    let test = Test::command(choices.oracle(), args);
    Ok((Input::Options(choices), test))
}

/// `changes --good G --bad B -- COMMAND`.
fn of_changes(args: &mut Args) -> Result<(Input, Test), Failure> {
    let usage = |message: String| {
        Failure::usage(message)
            .hint("`nubbin changes --good G --bad B -- COMMAND`; `./changes` is a file of that name")
    };
    if let Some(word) = &args.first {
        return Err(usage(format!("`{}` stands before the `--`", word.display())));
    }
    if args.command.is_empty() {
        return Err(usage("no command is given".to_owned()));
    }
    let sides = Sides::new(std::mem::take(&mut args.changes))?;
    let test = Test::command(args.command.clone(), args);
    Ok((Input::Changes(sides), test))
}

/// Whether a word before the file is meant as an oracle: a file that can be executed, or none at all.
fn is_oracle(word: &OsStr) -> bool {
    let found = Path::new(word).metadata();
    found.map_or(true, |found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The paths that stand for the candidate in a command.
pub fn candidates(input: &Input, language: &Choice) -> Vec<PathBuf> {
    if input.paths().is_empty() { vec![input.path(language)] } else { input.paths().to_vec() }
}

fn matcher(args: &mut Args) -> Matcher {
    let exit = args.exit_code.map(|code| Status::Exit(code.into()));
    let status = exit.or(args.signal.map(Status::Signal)).or(args.failure.status());
    let [not_stdout, not_stderr] = args.failure.without();
    let (stdout, stderr) = (args.stdout.take(), args.stderr.take());
    Matcher { status, stdout, stderr, not_stdout, not_stderr, ..Matcher::default() }
}

/// A script tells by itself what the failure is.
fn no_matchers(args: &mut Args) -> Result<(), Failure> {
    args.failure.makes_no_sense()?;
    let matcher = matcher(args);
    if matcher.status.is_none() && matcher.stdout.is_none() && matcher.stderr.is_none() {
        return Ok(());
    }
    let message = "`--exit-code`, `--signal`, `--stdout` and `--stderr` need a command after the file";
    Err(Failure::usage(message).hint("`nubbin [OPTIONS] FILE -- COMMAND {}`; an oracle checks by itself"))
}

fn only_file(args: &Args) -> Result<Input, Failure> {
    match (&args.first, args.rest.is_empty()) {
        (Some(file), true) => Ok(Input::new(file.clone())),
        (None, _) => Err(Failure::usage("no file is given")),
        (Some(_), false) => Err(Failure::usage("only the file is given here, without an oracle")),
    }
}

fn label(words: &[OsString]) -> String {
    text::words(words)
}
