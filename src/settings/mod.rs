//! Resolves the typed arguments: they are checked against each other, and get their meaning. Defaults are decided here,
//! and nowhere else.
//!
//! It reads no input and runs no oracle.

mod output;

use crate::args::mode::Mode;
use crate::args::{self, Args, meant};
use crate::show::{Shown, record};
use nubbin_oracle::{Confinement, Limits, Matcher, Sandbox, Status};
use nubbin_reduce::Unit;
use nubbin_session::changes::Sides;
use nubbin_session::check::script::Script;
use nubbin_session::control::Control;
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::isolate::Goal;
use nubbin_session::language::Choice;
use nubbin_session::limits::{Bounds, Unlimited};
use nubbin_session::options::Choices;
use nubbin_session::propose::Proposers;
use nubbin_session::settings::{Journal, Settings, Test};
use nubbin_session::source::{Input, candidates};
use nubbin_session::surroundings::{self, Around};
use nubbin_session::voice::{Loudness, Voice};
use nubbin_session::{Helpers, command, differ, text};
use output::output;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The request of the user.
#[derive(Debug)]
pub struct Asked {
    pub settings: Settings,
    pub shown: Shown,
    /// The second way to build a program, for an oracle about wrong code.
    pub second: Option<Vec<OsString>>,
}

/// Resolves these arguments into settings.
///
/// # Errors
/// Returns an error if they make no sense together.
pub fn resolve(mut args: Args, language: Choice, helpers: Helpers) -> Result<Asked, Failure> {
    let second = args.init.second();
    if args.mode == Mode::Options && !args.given.iter().any(|given| given == "unit") {
        args.unit = vec![Some(Unit::Line)];
    }
    meant::quoted(&mut args)?;
    meant::order(&mut args);
    let units = units(&args, &language)?;
    makes_sense(&args)?;
    args::classic::check(&args, &units)?;
    let goal = goal(&mut args)?;
    let (input, test) = test(&mut args, &language)?;
    let jobs = args.jobs.map_or_else(nubbin_search::schedule::cores, usize::from);
    let logs = Script::of(&test.words).map(|script| script.logs()).unwrap_or_default();
    let output = output(&args, &input)?;
    let voice = voice(args.quiet, args.verbose);
    let show = args.ui.show(&voice);
    args.notes.extend(args.ui.note(show));
    args.notes.extend(surroundings::left_alone(&input.left_alone()));
    let around = Around::new(args.around.needs, args.around.here, &input)?;
    let has_search = args.classic.search.is_some();
    let propose = &args.propose;
    let propose = Proposers::new(&propose.propose, propose.propose_timeout, &input, &language, has_search)?;
    let shown = Shown { show, records: record::Choice::new(args.records, input.paths(), &output)? };
    let bounds = bounds(args.limits, jobs, logs)?;
    let (formatter, preprocessor) = (args.formatter.choice()?, args.preprocessor.choice()?);
    let journal = journal(args.no_journal, args.resume);
    let settings = Settings {
        output,
        goal,
        search: args.classic.search,
        shape: surroundings::shape(input.shape()?, around.origin.as_ref()),
        around,
        language,
        units,
        timeout: args.timeout,
        bounds,
        jobs,
        allow_empty: args.allow_empty,
        compact: args.compact,
        effort: args.effort,
        control: control(args.control),
        formatter,
        preprocessor,
        propose,
        flaky: args.flaky,
        journal,
        notes: args.notes,
        words: args.words,
        is_run: !matches!(args.mode, Mode::Check | Mode::Init),
        helpers: Some(helpers),
        voice,
        ..Settings::new(input, test)?
    };
    let paths = candidates(&settings.input, &settings.language);
    let second = second.map(|second| command::split(&second)).transpose()?;
    let second = second.map(|words| command::resolve(&words, &paths));
    Ok(Asked { settings, shown, second })
}

/// Decides whether the run writes a journal and whether it resumes one.
fn journal(is_off: bool, resumes: bool) -> Journal {
    match (is_off, resumes) {
        (true, _) => Journal::None,
        (false, true) => Journal::Resume,
        (false, false) => Journal::Begin,
    }
}

/// Returns the voice that these two options ask for.
fn voice(quiet: bool, verbose: bool) -> Voice {
    let loudness = match (quiet, verbose) {
        (true, _) => Loudness::Quiet,
        (false, true) => Loudness::Verbose,
        (false, false) => Loudness::Plain,
    };
    Voice::new(loudness, |text| {
        let _ = writeln!(std::io::stderr().lock(), "{text}");
    })
}

fn control(typed: args::control::Typed) -> Control {
    Control {
        only: typed.only,
        skip: typed.skip,
        objective: typed.objective,
        max_time: typed.max_time,
        max_probes: typed.max_probes,
        stop_at: typed.stop_at,
        start: Instant::now(),
        keep: typed.keep,
        keep_function: typed.keep_function,
        markers: !typed.no_markers,
    }
}

/// Returns the limits and the sandbox. `logs` are the files that the oracle appends to, as its text shows.
fn bounds(typed: args::limits::Typed, jobs: usize, logs: Vec<PathBuf>) -> Result<Bounds, Failure> {
    let found = |path: PathBuf, option: &str| {
        path.canonicalize().map_err(|error| {
            let message = format!("`{option} {}` cannot be used: {error}", path.display());
            Failure::message(Fault::Usage, message)
        })
    };
    let given = typed.writable.into_iter().map(|path| found(path, "--writable"));
    let more = std::env::var_os("NUBBIN_WRITABLE").unwrap_or_default();
    let more: Vec<PathBuf> =
        std::env::split_paths(&more).filter(|path| !path.as_os_str().is_empty()).collect();
    let writable = given.chain(more.into_iter().map(|path| found(path, "NUBBIN_WRITABLE")));
    let sandbox = match typed.sandbox {
        args::limits::Mode::Auto => Sandbox::Auto,
        args::limits::Mode::Strict => Sandbox::Strict,
        args::limits::Mode::Off => Sandbox::Off,
    };
    let asked = Limits {
        memory: typed.memory.and_then(|most| most.0),
        cpu: typed.cpu_time,
        output: typed.output_size.and_then(|most| most.0),
        processes: typed.processes.map(|most| most as usize),
    };
    let unlimited = Unlimited {
        memory: typed.memory.is_some_and(|most| most.0.is_none()),
        output: typed.output_size.is_some_and(|most| most.0.is_none()),
    };
    let writable = writable.collect::<Result<_, _>>()?;
    let confinement = Confinement { sandbox, writable, logs, no_network: typed.no_network };
    let work_dir = typed.work_dir.map(|path| found(path, "--work-dir")).transpose()?;
    Ok(Bounds { work_dir, ..Bounds::new(asked, unlimited, jobs, confinement) })
}

/// Makes the test of a command that fails.
fn failing(words: Vec<OsString>, args: &mut Args) -> Test {
    let failure = matcher(args);
    let message = args.failure.message(&failure);
    let (label, any_errors) = (label(&args.command), args.failure.any_errors());
    let stands_alone = args.failure.stands_alone(&failure);
    Test { label, words, failure: Some(failure), message, any_errors, stands_alone, other: None }
}

/// Returns the units, from coarse to fine; empty if the syntax tree is used.
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

/// The hint for a list of units that is not valid.
const LISTS: &str = "a list goes from coarse to fine, each once: `line`, `token`, `char`, `byte`";

/// Returns an error if an option was given that makes no sense in this mode.
fn makes_sense(args: &Args) -> Result<(), Failure> {
    let senseless = |given: &&String| args.mode.senseless().any(|id| id == given.as_str());
    let is_option = |given: &&String| !["first", "rest"].contains(&given.as_str());
    let Some(other) = args.given.iter().filter(is_option).find(senseless) else { return Ok(()) };
    let option = format!("--{}", other.replace('_', "-"));
    Err(Failure::usage(match args.mode {
        _ if args::changes::IDS.contains(&other.as_str()) => {
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

/// Returns the goal. Of two files, the first is the one that has to pass.
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

/// Takes the input and the test of `ORACLE FILE…` or `FILE… -- COMMAND`.
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
        let words = command::interpreted(command::resolve(&args.command, &paths));
        let mut test = failing(words, args);
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
    let words = command::interpreted(words);
    Ok((input, Test::script(oracle.to_string_lossy().into_owned(), words)))
}

/// Returns the failure for a word that is given alone although something else is required beside it.
fn alone(mode: Mode, word: &OsStr) -> Failure {
    let program = mode.program();
    let shown = text::quote(word);
    let message = format!("`{}` is given alone", word.display());
    let is_input = Path::new(word).exists() && !is_oracle(word) && !command::is_script(Path::new(word));
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

/// Takes the input and the test of `options -- COMMAND`.
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
    let test = failing(choices.oracle(), args);
    Ok((Input::Options(choices), test))
}

/// Takes the input and the test of `changes --good G --bad B -- COMMAND`.
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
    let typed = std::mem::take(&mut args.changes);
    let sides = Sides::new(typed.good, typed.bad, typed.diff, typed.allow_dirty, typed.fresh)?;
    let test = failing(args.command.clone(), args);
    Ok((Input::Changes(sides), test))
}

/// Tells whether a word before the file is meant as an oracle: it is an executable file, or no such file exists.
fn is_oracle(word: &OsStr) -> bool {
    let found = Path::new(word).metadata();
    found.map_or(true, |found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn matcher(args: &mut Args) -> Matcher {
    let exit = args.exit_code.map(|code| Status::Exit(code.into()));
    let status = exit.or(args.signal.map(Status::Signal)).or(args.failure.status());
    let [not_stdout, not_stderr] = args.failure.without();
    let (stdout, stderr) = (args.stdout.take(), args.stderr.take());
    Matcher { status, stdout, stderr, not_stdout, not_stderr, ..Matcher::default() }
}

/// Returns an error if options about failures are given with a script, which decides about the failure itself.
fn no_matchers(args: &mut Args) -> Result<(), Failure> {
    args.failure.makes_no_sense()?;
    let matcher = matcher(args);
    if matcher.status.is_none() && matcher.stdout.is_none() && matcher.stderr.is_none() {
        return Ok(());
    }
    let message = "`--exit-code`, `--signal`, `--stdout` and `--stderr` need a command after the file";
    Err(Failure::usage(message).hint("`nubbin [OPTIONS] FILE -- COMMAND {}`; an oracle checks by itself"))
}

/// Returns the only file that is given, for commands that take no oracle.
///
/// # Errors
/// Returns an error if there is no file, or another word.
pub fn only_file(args: &Args) -> Result<Input, Failure> {
    match (&args.first, args.rest.is_empty()) {
        (Some(file), true) => Ok(Input::new(file.clone())),
        (None, _) => Err(Failure::usage("no file is given")),
        (Some(_), false) => Err(Failure::usage("only the file is given here, without an oracle")),
    }
}

fn label(words: &[OsString]) -> String {
    text::words(words)
}
