//! The journal of a run: which one it goes on with, whether that still fits, and what is noted in it.
//!
//! How a journal is kept on disk is the library's.

use super::args::Args;
use super::baseline::Learned;
use super::exit::Exit;
use super::failure::Failure;
use super::failure_options::Message;
use super::language::Choice;
use super::settings::{Input, Journal as Part, Output, Settings};
use super::text;
use nubbin::event::Size;
use nubbin::input::journal::{self, Bytes, End, Found, Header, Journal};
use nubbin::input::{self, BestFile};
use nubbin::language::Language;
use nubbin::oracle::{Confinement, Record, Sandbox, Status};
use nubbin::{Cause, Outcome, Step, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

const ANEW: &str = "without `--resume` a run starts anew";

/// What the settings of a run are, as far as a run that goes on with it has to know.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// The words behind the program's name, and where they were typed.
    words: Vec<Bytes>,
    directory: Bytes,
    /// What the verdicts depend on: where one of these has changed, they no longer hold.
    verdicts: BTreeMap<String, String>,
    /// What only the steps depend on: where one of these has changed, the verdicts hold all the same.
    steps: BTreeMap<String, String>,
    /// The time limit in seconds, where it was given.
    timeout: Option<f64>,
}

impl Terms {
    /// The terms of these settings.
    pub fn new(settings: &Settings, language: Option<&Language>) -> Self {
        let here = std::env::current_dir().unwrap_or_default();
        Self {
            words: settings.words.iter().map(|word| word.as_bytes().into()).collect(),
            directory: here.as_os_str().as_bytes().into(),
            verdicts: verdict_terms(settings),
            steps: step_terms(settings, language),
            timeout: settings.timeout.map(|timeout| timeout.as_secs_f64()),
        }
    }

    /// The terms of an earlier run.
    fn of(header: &Header) -> Result<Self, Failure> {
        serde_json::from_value(header.settings.clone()).map_err(|error| {
            let message = format!("the settings in the journal make no sense: {error}");
            Failure::message(Exit::Journal, message).hint(ANEW)
        })
    }

    fn words(&self) -> Vec<OsString> {
        self.words.iter().map(|word| OsString::from_vec(word.0.to_vec())).collect()
    }

    /// Whether what did not end in time before might do so now.
    fn gives_more_time_than(&self, earlier: &Self) -> bool {
        self.timeout.is_some_and(|now| earlier.timeout.is_none_or(|before| now > before))
    }
}

/// What the verdicts depend on, in words that are shown where one of them has changed.
fn verdict_terms(settings: &Settings) -> BTreeMap<String, String> {
    let test = &settings.test;
    let command: Vec<String> = test.words.iter().map(|word| text::quote(word)).collect();
    let mut terms = BTreeMap::from([("the oracle".to_owned(), command.join(" "))]);
    for word in test.words.iter().filter(|word| Path::new(word).is_file()) {
        let hash = std::fs::read(word).map(|content| blake3::hash(&content).to_hex().to_string());
        let path = Path::new(word).display();
        terms.insert(format!("`{path}`"), hash.unwrap_or_else(|error| error.to_string()));
    }
    if let Some(program) = test.words.first().and_then(|word| in_path(word)) {
        let hash = std::fs::read(&program).map(|content| blake3::hash(&content).to_hex().to_string());
        terms.insert(format!("`{}`", program.display()), hash.unwrap_or_else(|error| error.to_string()));
    }
    let bounds = &settings.bounds;
    // What was not asked for has a default, unless there is to be no limit.
    let size = |asked: Option<u64>, default: Option<u64>| match (asked, default) {
        (Some(most), _) => Some(most.to_string()),
        (None, None) => Some("none".to_owned()),
        (None, Some(_)) => None,
    };
    let confinement = &bounds.confinement;
    let given = [
        ("`--memory`", size(bounds.asked.memory, bounds.default.memory)),
        ("`--output-size`", size(bounds.asked.output, bounds.default.output)),
        ("`--cpu-time`", bounds.asked.cpu.map(|most| most.to_string())),
        ("`--processes`", bounds.asked.processes.map(|most| most.to_string())),
        ("`--no-network`", confinement.no_network.then(|| "given".to_owned())),
        // `auto` and `strict` confine alike, where `strict` runs anything.
        ("`--sandbox`", (confinement.sandbox == Sandbox::Off).then(|| "off".to_owned())),
        ("`--writable` (or `NUBBIN_WRITABLE`)", writable(confinement)),
        ("`--flaky`", settings.flaky.map(|confidence| confidence.share().to_string())),
    ];
    terms.extend(given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    let Some(failure) = &test.failure else { return terms };
    let status = failure.status.map(|status| match status {
        Status::Exit(code) => ("`--exit-code`", code.to_string()),
        Status::Signal(signal) => ("`--signal`", super::signal::name(signal)),
        Status::TimedOut => ("the time limit", "the failure".to_owned()),
        Status::OverLimit(limit) => ("the failure", limit.to_string()),
    });
    // What is so by itself follows from the others.
    let is_open = failure.status.is_none() && failure.stdout.is_none() && failure.stderr.is_none();
    let option = match test.message {
        Message::Any => Some("`--keep-message`"),
        Message::None if is_open && test.other.is_none() => Some("`--no-keep-message`"),
        Message::Known | Message::None => None,
    };
    let message = option.map(|option| (option, "given".to_owned()));
    // Where a hang is the failure, how long that is makes the verdict.
    let hang = settings.timeout.filter(|_| failure.status == Some(Status::TimedOut));
    let hang = hang.map(|limit| ("`--timeout`", limit.as_secs_f64().to_string()));
    let stdout = failure.stdout.as_ref().map(|regex| ("`--stdout`", regex.to_string()));
    let stderr = failure.stderr.as_ref().map(|regex| ("`--stderr`", regex.to_string()));
    let given = [status, message, hang, stdout, stderr].into_iter().flatten();
    terms.extend(given.map(|(name, value)| (name.to_owned(), value)));
    terms
}

/// What may be written besides, in an order that does not depend on how it was given.
fn writable(confinement: &Confinement) -> Option<String> {
    let paths: BTreeSet<_> = confinement.writable.iter().map(|path| text::quote(path.as_os_str())).collect();
    (!paths.is_empty()).then(|| Vec::from_iter(paths).join(" "))
}

/// The file that a program without a slash is found as.
fn in_path(word: &OsStr) -> Option<PathBuf> {
    if Path::new(word).components().count() != 1 || Path::new(word).is_file() {
        return None;
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(word)).find(|file| file.is_file())
}

fn step_terms(settings: &Settings, language: Option<&Language>) -> BTreeMap<String, String> {
    let language = match &settings.language {
        Choice::Folder(folder) => folder.display().to_string(),
        _ => language.map_or("none", Language::name).to_owned(),
    };
    let mut terms = BTreeMap::from([("the language".to_owned(), language)]);
    let options = [("`--compact`", settings.compact), ("`--allow-empty`", settings.allow_empty)];
    let given = options.into_iter().filter(|(_, is_given)| *is_given);
    terms.extend(given.map(|(name, _)| (name.to_owned(), "given".to_owned())));
    if settings.effort > 0 {
        terms.insert("`--effort`".to_owned(), settings.effort.to_string());
    }
    if !settings.units.is_empty() {
        let units: Vec<&str> = settings.units.iter().map(|unit| unit.name()).collect();
        terms.insert("`--unit`".to_owned(), units.join(","));
    }
    if let Some(search) = settings.search {
        terms.insert("`--search`".to_owned(), search.name().to_owned());
    }
    terms.extend(settings.control.terms());
    terms.extend(settings.propose.terms());
    terms.extend(settings.formatter.term().map(|formatter| ("`--formatter`".to_owned(), formatter)));
    terms
}

/// The first difference between two lists of terms, as a sentence.
fn difference(before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Option<String> {
    let names = before.keys().chain(now.keys());
    let changed = |name: &&String| before.get(*name) != now.get(*name);
    let is_file = |name: &&String| name.starts_with("`/");
    let mut changed: Vec<&String> = names.filter(changed).collect();
    // Another oracle is another file, too: that it is another oracle says more.
    changed.sort_by_key(is_file);
    let name = *changed.first()?;
    Some(match (before.get(name), now.get(name)) {
        (Some(_), Some(_)) if is_file(&name) => format!("{name} has changed"),
        (Some(before), Some(now)) => format!("{name} was `{before}`, and is now `{now}`"),
        (Some(before), None) => format!("{name} was given as `{before}`, and is not now"),
        (None, now) => format!("{name} was not given, and is now `{}`", now.map_or("", String::as_str)),
    })
}

/// The settings of the latest run of this directory, of those that were not finished if there is one.
pub fn latest(mut args: Args) -> Result<Settings, Failure> {
    const FREE: [&str; 12] = [
        "resume",
        "jobs",
        "timeout",
        "quiet",
        "verbose",
        "max_time",
        "max_probes",
        "stop_at",
        "events",
        "report",
        "bug_report",
        "summary",
    ];
    if let Some(other) = args.given.iter().find(|given| !FREE.contains(&given.as_str())) {
        let option = format!("--{}", other.replace('_', "-"));
        return Err(Failure::usage(format!(
            "`{option}` is given with `--resume` alone, without an oracle and a file"
        )));
    }
    let mut runs: Vec<_> = journal::folders_in(Path::new("."))
        .into_iter()
        .filter_map(|folder| Some((Found::look(&folder).ok()??, folder)))
        .collect();
    runs.sort_by_key(|(found, _)| found.content.end == Some(End::Finished));
    let Some((found, folder)) = runs.into_iter().next() else {
        let failure = Failure::message(Exit::Journal, "there is no journal of an earlier run in `.nubbin`");
        return Err(failure.hint("`nubbin --resume ORACLE FILE` goes on with a run, or starts one"));
    };
    let terms = Terms::of(&found.content.header)?;
    let mut earlier = Args::parsed(terms.words()).map_err(|error| Failure::usage(error.to_string()))?;
    earlier.control.bound_by(&mut args.control);
    earlier.records.replace_by(args.records, &args.given);
    earlier.ui = args.ui.or(earlier.ui);
    earlier.jobs = args.jobs.or(earlier.jobs);
    earlier.timeout = args.timeout.or(earlier.timeout);
    if args.quiet || args.verbose {
        (earlier.quiet, earlier.verbose) = (args.quiet, args.verbose);
    }
    let language = Choice::new(earlier.language.take(), earlier.grammar.take())?;
    let mut settings = Settings::new(earlier, language)?;
    let path = settings.journal_path();
    let named = journal::folder(&path, &found.content.header.input);
    match (named.canonicalize(), folder.canonicalize()) {
        (Ok(named), Ok(folder)) if named == folder => {}
        _ => return Err(elsewhere(&terms)),
    }
    settings.journal = Part::ResumeFrom(folder);
    Ok(settings)
}

/// The run was started in another directory, and its words are to be understood there.
fn elsewhere(terms: &Terms) -> Failure {
    let directory = text::quote(OsStr::from_bytes(&terms.directory.0));
    let words: Vec<String> = terms.words().iter().map(|word| text::quote(word)).collect();
    let message = format!("the latest run was started in another directory, {directory}");
    Failure::message(Exit::Journal, message)
        .hint(format!("go on with it there:\n  cd {directory} && nubbin --resume {}", words.join(" ")))
}

/// What the file to reduce holds, which may be a best already; or what was read from standard input.
pub fn read(settings: &Settings) -> Result<Vec<u8>, Failure> {
    match (&settings.journal, &settings.input) {
        (Part::ResumeFrom(folder), Input::Stdin) => match Found::look(folder)? {
            Some(found) => Ok(found.input),
            None => Err(Failure::message(Exit::Journal, "the journal has vanished").hint(ANEW)),
        },
        _ => Ok(settings.input.read()?),
    }
}

/// A run that is gone on with.
pub struct Earlier {
    pub journal: Journal,
    folder: PathBuf,
    /// The input that it began with.
    pub input: Vec<u8>,
}

/// The earlier run to go on with, if that is wanted and there is one; `content` is what the file to reduce holds now.
pub fn earlier(settings: &Settings, content: &[u8]) -> Result<Option<Earlier>, Failure> {
    if matches!(settings.journal, Part::None | Part::Begin) {
        return Ok(None);
    }
    let path = settings.journal_path();
    let hash = blake3::hash(content);
    let own = journal::folder(&path, &hash);
    let mut folders = journal::folders_of(&path);
    folders.retain(|folder| *folder != own);
    let is_ours = |folder: &Path| -> Result<bool, Failure> {
        let found = Found::look(folder)?;
        Ok(found.is_some_and(|found| found.content.knows(&hash, INTERESTING)))
    };
    for folder in std::iter::once(&own).chain(&folders) {
        let may_be = *folder == own || matches!(settings.output, Output::InPlace);
        if !may_be || !is_ours(folder)? {
            continue;
        }
        if let Some(journal) = Journal::resume(folder)? {
            let input = journal::input(folder, journal.content())?;
            return Ok(Some(Earlier { journal, folder: folder.clone(), input }));
        }
    }
    if folders.is_empty() || own.exists() {
        settings.voice.say("note: there is no earlier run to go on with: this one starts anew");
        return Ok(None);
    }
    let message = format!("`{}` has changed since the earlier run began", path.display());
    Err(Failure::message(Exit::Journal, message).hint(ANEW))
}

/// Begins a journal. That there can be none is no reason not to reduce.
pub fn begin(settings: &Settings, terms: &Terms, input: &[u8]) -> Option<Logbook> {
    if matches!(settings.journal, Part::None) {
        return None;
    }
    let path = settings.journal_path();
    let folder = journal::folder(&path, &blake3::hash(input));
    let before = Found::look(&folder).ok().flatten().map(|found| found.content);
    let name = path.file_name().unwrap_or_default();
    let header = Header::new(name.as_bytes(), input, serde_json::to_value(terms).unwrap_or_default());
    match Journal::begin(&folder, header, input) {
        Ok(journal) => {
            if before.is_some_and(|content| content.end != Some(End::Finished) && !content.steps.is_empty()) {
                settings.voice.say(
                    "note: an earlier run on this input was not finished; `--resume` would have gone on with it",
                );
            }
            Some(Logbook { journal: Mutex::new(journal), folder, is_resumed: false })
        }
        Err(journal::Error::Locked(_)) => {
            settings
                .voice
                .say("note: another run on this input is under way; this one goes on without a journal");
            None
        }
        Err(error) => {
            settings.voice.say(&format!("note: no journal is kept, so this run cannot be resumed: {error}"));
            None
        }
    }
}

/// The journal of a run that goes on, or else a new one, with what the first runs have taught.
pub fn taught(
    earlier: Option<Logbook>,
    settings: &Settings,
    terms: &Terms,
    input: &[u8],
    learned: &Learned,
) -> Option<Logbook> {
    let logbook = earlier.or_else(|| begin(settings, terms, input))?;
    if logbook.learned().is_none() {
        logbook.learn(learned);
    }
    Some(logbook)
}

/// The code of the verdict that makes a best.
const INTERESTING: char = 'i';
const TIMEOUT: char = 't';
const CODES: [(char, Verdict); 4] = [
    (INTERESTING, Verdict::Interesting),
    ('u', Verdict::Uninteresting),
    ('?', Verdict::Unresolved(Cause::Test)),
    (TIMEOUT, Verdict::Unresolved(Cause::Timeout)),
];

/// A journal that the reduction and its keeper write to.
pub struct Logbook {
    journal: Mutex<Journal>,
    /// Its folder.
    pub folder: PathBuf,
    /// Whether it has verdicts of an earlier run.
    is_resumed: bool,
}

impl Record for Logbook {
    fn find(&self, name: &blake3::Hash) -> Option<Verdict> {
        let found = self.journal().verdict(name)?;
        CODES.into_iter().find(|(code, _)| *code == found).map(|(_, verdict)| verdict)
    }

    fn add(&self, name: &blake3::Hash, verdict: Verdict) {
        if let Some((code, _)) = CODES.into_iter().find(|(_, known)| *known == verdict) {
            self.journal().judged(name, code);
        }
    }

    fn ask_again(&self, name: &blake3::Hash) {
        self.journal().ask_again(name);
    }
}

impl Logbook {
    fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether an earlier run has taken this step too; the file that holds the best is at least as far then.
    pub fn retakes(&self, step: &Step<'_>) -> bool {
        self.journal().retake(&blake3::hash(step.best))
    }

    /// Whether steps of an earlier run have still to be taken again.
    pub fn is_behind(&self) -> bool {
        self.journal().is_behind()
    }

    /// Its folder, and whether this run goes on with an earlier one.
    pub fn place(&self) -> (&Path, bool) {
        (&self.folder, self.is_resumed)
    }

    /// Whether this run goes on with an earlier one.
    pub fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    /// Notes a step that is new.
    pub fn step(&self, step: &Step<'_>) {
        let edits = step.edits.iter().map(|edit| (edit.span.start, edit.span.end, (&*edit.text).into()));
        self.journal().step(journal::Step {
            number: 0,
            pass: step.pass.to_owned(),
            tokens: step.size.tokens,
            bytes: step.size.bytes,
            lines: step.size.lines,
            edits: edits.collect(),
            hash: blake3::hash(step.best),
        });
    }

    /// Notes that the last steps do not hold.
    pub fn undone(&self, steps: usize) {
        self.journal().undo(steps);
    }

    /// Notes what the first runs have taught.
    pub fn learn(&self, learned: &Learned) {
        self.journal().baseline(serde_json::to_value(learned).unwrap_or_default());
    }

    /// What they have taught an earlier run, if it came so far.
    pub fn learned(&self) -> Option<Learned> {
        serde_json::from_value(self.journal().content().baseline.clone()?).ok()
    }

    /// The outcome as it is told: with the best of the earlier run, where this one was interrupted before it had come that far.
    pub fn settle(&self, mut outcome: Outcome, input: &[u8]) -> Outcome {
        let journal = self.journal();
        let content = journal.content();
        if !self.is_resumed {
            // What was run ahead in vain at first, and needed later, is no verdict of an earlier run.
            outcome.recalled = 0;
        }
        if let (true, true, Some(last)) =
            (outcome.proof.is_cut_short(), journal.is_behind(), content.steps.last())
            && let Some(best) = content.rebuild(input, content.steps.len())
        {
            outcome.best = best;
            outcome.after = Size { tokens: last.tokens, bytes: last.bytes, lines: last.lines };
        }
        outcome
    }

    /// Notes how the run has ended.
    pub fn end(&self, end: End) {
        self.journal().end(end);
    }

    /// That something could not be noted, as a sentence.
    pub fn failure(&self) -> Option<String> {
        let journal = self.journal();
        let error = journal.failure()?;
        Some(format!(
            "note: the journal could not be kept to the end, so `--resume` would go on from an earlier point: {error}"
        ))
    }
}

/// A run that goes on, and the best so far, if there is one.
pub type Resumed = (Logbook, Option<Vec<u8>>);

impl Earlier {
    /// Makes sure that this run can go on with the earlier one, and that the best so far is where it belongs; `None` if the
    /// earlier one was finished.
    pub fn resume(
        mut self,
        settings: &Settings,
        terms: &Terms,
        file: &mut BestFile,
    ) -> Result<Option<Resumed>, Failure> {
        let content = self.journal.content();
        let before = Terms::of(&content.header)?;
        if let Some(change) = difference(&before.verdicts, &terms.verdicts) {
            let message = format!("the earlier run cannot be gone on with: {change}");
            return Err(Failure::message(Exit::Journal, message).hint(ANEW));
        }
        let change = difference(&before.steps, &terms.steps);
        if let Some(change) = &change {
            settings.voice.say(&format!("note: {change}; verdicts are kept, steps may differ"));
        }
        if content.header.program != env!("CARGO_PKG_VERSION") {
            let version = &content.header.program;
            settings.voice.say(&format!("note: the earlier run was of version {version}; steps may differ"));
        }
        let best = match content.steps.len() {
            0 => None,
            steps => Some(content.rebuild(&self.input, steps).ok_or_else(does_not_fit)?),
        };
        let holds = file.resume(&self.input, best.as_deref())?;
        // Where no steps are kept, the result is made anew from the verdicts.
        let is_anew = settings.is_made_anew();
        let is_known = is_anew || holds.is_none_or(|hash| content.knows(&hash, INTERESTING));
        if let (Some(path), false) = (file.path(), is_known) {
            let path = path.display();
            settings
                .voice
                .say(&format!("note: `{path}` is not what the earlier run has left; it will be replaced"));
        }
        let more_time = terms.gives_more_time_than(&before);
        if content.end == Some(End::Finished) && change.is_none() && !more_time && !is_anew {
            finished(settings, file, holds.is_some(), best.as_deref().unwrap_or(&self.input))?;
            return Ok(None);
        }
        if more_time {
            self.journal.forget(TIMEOUT);
        }
        let journal = Mutex::new(self.journal);
        Ok(Some((Logbook { journal, folder: self.folder, is_resumed: true }, best)))
    }
}

fn does_not_fit() -> Failure {
    Failure::message(Exit::Journal, "the steps in the journal do not fit the input beside it").hint(ANEW)
}

/// Says that there is nothing left to do; a result that is missing is written again.
fn finished(
    settings: &Settings,
    file: &mut BestFile,
    is_there: bool,
    best: &[u8],
) -> Result<(), input::Error> {
    if !is_there {
        file.finish(&settings.input.shown(best))?;
    }
    let place = file.path().map_or("standard output".to_owned(), |path| path.display().to_string());
    settings
        .voice
        .say(&format!("the earlier run was finished: there is nothing left to do\nresult   {place}"));
    Ok(())
}

/// Makes sure that nothing is lost where a directory is to be replaced by the result: it has to be empty, or what a run
/// that is known has left there.
pub fn may_replace(settings: &Settings) -> Result<(), Failure> {
    let Output::File(place) = &settings.output else { return Ok(()) };
    let is_free = std::fs::read_dir(place).map_or(true, |mut entries| entries.next().is_none());
    if !settings.input.is_archive() || is_free {
        return Ok(());
    }
    let hash = blake3::hash(&input::read_folder(place)?);
    let path = settings.input.path(&settings.language);
    for folder in journal::folders_of(&path) {
        if Found::look(&folder)?.is_some_and(|found| found.content.knows(&hash, INTERESTING)) {
            return Ok(());
        }
    }
    let message = format!("`{}` exists, and is not what an earlier run has left", place.display());
    Err(Failure::message(Exit::Output, message)
        .hint("it would be replaced: remove it, or choose another place with `--output DIR`"))
}

/// Puts a best where it cannot be in anybody's way, since the file that it belongs in is no longer the one that was reduced.
pub fn rescue(file: &BestFile, best: &[u8]) -> Result<String, io::Error> {
    let path = input::free_name(&input::reduced_name(file.path().unwrap_or(Path::new("input"))));
    let mut place = BestFile::file(&path, None).map_err(io::Error::other)?;
    place.finish(best).map_err(io::Error::other)?;
    Ok(format!("in `{}`", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(list: &[(&str, &str)]) -> BTreeMap<String, String> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn what_has_changed_is_said_in_a_sentence() {
        let before = terms(&[("the oracle", "/a/o.sh"), ("`/a/o.sh`", "00"), ("`--stdout`", "x")]);
        let change = |now: &[(&str, &str)]| difference(&before, &terms(now));
        assert_eq!(change(&[("the oracle", "/a/o.sh"), ("`/a/o.sh`", "00"), ("`--stdout`", "x")]), None);
        let now = change(&[("the oracle", "/a/o.sh"), ("`/a/o.sh`", "11"), ("`--stdout`", "x")]);
        assert_eq!(now.as_deref(), Some("`/a/o.sh` has changed"));
        let now = change(&[("the oracle", "/a/p.sh"), ("`/a/p.sh`", "11"), ("`--stdout`", "x")]);
        assert_eq!(now.as_deref(), Some("the oracle was `/a/o.sh`, and is now `/a/p.sh`"));
        let now = change(&[("the oracle", "/a/o.sh"), ("`/a/o.sh`", "00")]);
        assert_eq!(now.as_deref(), Some("`--stdout` was given as `x`, and is not now"));
        let now =
            change(&[("the oracle", "/a/o.sh"), ("`/a/o.sh`", "00"), ("`--stdout`", "x"), ("`-x`", "y")]);
        assert_eq!(now.as_deref(), Some("`-x` was not given, and is now `y`"));
    }
}
