//! `nubbin explain`: determines the cause-effect chain for a failing file.
//!
//! The file is reduced, a similar passing file is searched by replacing or removing one word, and the program is
//! examined on both.

use super::{ChainFound, First, Settings as Why};
use crate::baseline;
use crate::control::Time;
use crate::failure::{Failure, Fault};
use crate::output::Output;
use crate::reduce::{self, Nobody};
use crate::settings::{JournalChoice, Settings};
use crate::stop::Stop;
use crate::{isolate, text};
use nubbin_oracle::{Matcher, Oracle, Status};
use nubbin_reduce::Unit;
use nubbin_search::Verdict;
use nubbin_state::account::Kind as Shows;
use nubbin_state::failure as state;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Tuned parameters.
struct Tuning {
    /// The largest number of changed files that are tried.
    tried: usize,
    /// The largest number of replacements for a word.
    others: usize,
}

const TUNING: Tuning = Tuning { tried: 2000, others: 12 };

/// The result of an explanation.
#[derive(Debug)]
pub struct Explained {
    /// The folder with the files.
    pub folder: PathBuf,
    /// The reduced failing file.
    pub failing: PathBuf,
    /// The passing file.
    pub passing: PathBuf,
    /// The contents of both, the passing one first.
    pub texts: [Vec<u8>; 2],
    /// The failure to keep, as a sentence.
    pub kept: Option<String>,
    /// The size of the file before and after, in tokens.
    pub tokens: [usize; 2],
    /// The number of runs for the reduction, and for the passing file.
    pub runs: [usize; 2],
    /// The command lines of both runs.
    pub words: [Vec<OsString>; 2],
    /// The cause-effect chain.
    pub found: ChainFound,
}

/// Explains the failure of a command on a file.
///
/// # Errors
/// Returns an error if the file does not fail, no similar file passes, or the program cannot be examined.
pub fn run(
    why: &Why,
    file: &Path,
    passing: Option<&Path>,
    command: &[OsString],
    first: First<'_>,
    stop: &Stop,
) -> Result<Explained, Failure> {
    let start = Instant::now();
    // Programs that cannot be examined are refused before the reduction.
    let failure = why.failure.clone().map(|matcher| state::Failure::Asked(Box::new(matcher)));
    stop.begin(None)?;
    let mut lab = why.lab(with_path(why, command, file, file), stop)?;
    // If the failure does not occur, the reduction reports the reason.
    let mut seen = None;
    why.look(&mut lab, failure.as_ref(), &mut |account| seen = Some(account), stop)?;
    if let Some(account) = seen.filter(|account| failure.is_some() || account.kind != Shows::Output) {
        first(account);
    }
    drop(lab);
    let name = file.file_name().unwrap_or(file.as_os_str());
    let folder = folder_of(file);
    let [failing_path, passing_path] = ["failing", "passing"].map(|side| folder.join(side).join(name));
    for path in [&failing_path, &passing_path] {
        let inside = path.parent().unwrap_or(&folder);
        fs::create_dir_all(inside).map_err(|error| {
            Failure::message(Fault::Output, format!("cannot create `{}`: {error}", inside.display()))
        })?;
    }
    let mut settings = settings(why, file, command, Output::File(failing_path.clone()))?;
    // Half of the time is reserved for the chain.
    settings.control.max_time =
        why.max_time.map(|time| time / 2).map(|time| Time { text: text::time(time), time });
    why.voice.say(&format!("reducing  {}", file.display()));
    let reduced = stop.with_part(|part| reduce::run(&settings, part, &mut Nobody))?;
    if stop.has_come() {
        return Err(Failure::interrupted());
    }
    let reduced = reduced.ok_or_else(|| Failure::message(Fault::Journal, "nothing to reduce"))?;
    let failing = reduced.outcome.best.clone();
    let tokens = [reduced.outcome.before.tokens, reduced.outcome.after.tokens];
    let runs = reduced.outcome.counts.probes;
    why.voice.say(&format!(
        "reduced   {} to {} tokens in {} runs",
        text::count(tokens[0]),
        text::count(tokens[1]),
        text::count(runs)
    ));
    let (passes, tried) = match passing {
        Some(path) => (crate::input::read_file(path)?, 0),
        None => beside(why, &failing_path, &failing, command, stop)?,
    };
    fs::write(&passing_path, &passes).map_err(|error| {
        Failure::message(Fault::Output, format!("cannot write `{}`: {error}", passing_path.display()))
    })?;
    why.voice.say(&format!("passing   {} ({} runs)", passing_path.display(), text::count(tried)));
    let words = [&passing_path, &failing_path].map(|path| with_path(why, command, file, path));
    let left = why.max_time.map(|time| time.saturating_sub(start.elapsed()));
    let found = why.chain(words.clone(), left, &mut |_| {}, stop)?;
    Ok(Explained {
        folder,
        failing: failing_path,
        passing: passing_path,
        texts: [passes, failing],
        kept: reduced.kept,
        tokens,
        runs: [runs, tried],
        words,
        found,
    })
}

/// Returns the folder next to a file for its results.
fn folder_of(file: &Path) -> PathBuf {
    let mut name = file.file_stem().unwrap_or_default().to_owned();
    name.push(".why");
    file.with_file_name(name)
}

/// Returns the settings for the reduction of a file.
fn settings(why: &Why, file: &Path, command: &[OsString], output: Output) -> Result<Settings, Failure> {
    let mut settings = Settings::of_command(file, command.to_vec())?;
    if let Some(matcher) = &why.failure {
        // A file that the command cannot read must not count as passing.
        let passing = matcher.passing.or(Some(Status::Exit(0)));
        settings.test.failure = Some(Matcher { passing, ..matcher.clone() });
        settings.test.message = crate::message::Message::None;
    }
    settings.output = output;
    settings.journal = JournalChoice::None;
    settings.jobs = why.jobs;
    settings.timeout = why.timeout;
    settings.helpers.clone_from(&why.helpers);
    settings.bounds.confinement.clone_from(&why.bounds.confinement);
    settings.bounds.asked = why.bounds.asked;
    settings.bounds.work_dir.clone_from(&why.bounds.work_dir);
    settings.control.max_time = why.max_time.map(|time| Time { text: text::time(time), time });
    Ok(settings)
}

fn with_path(why: &Why, command: &[OsString], file: &Path, path: &Path) -> Vec<OsString> {
    let path = why.directory.join(path);
    let named = |word: &OsString| {
        if Path::new(word) == file {
            return path.clone().into_os_string();
        }
        word.to_str().map_or_else(|| word.clone(), |text| text.replace("{}", &path.to_string_lossy()).into())
    };
    let words: Vec<OsString> = command.iter().map(named).collect();
    let holds = |word: &OsString| word.to_string_lossy().contains(&*path.to_string_lossy());
    let is_named = words.iter().any(holds);
    words.into_iter().chain((!is_named).then(|| path.clone().into_os_string())).collect()
}

/// Finds a passing text that is similar to a failing one: with one word replaced or removed, or else its largest
/// passing part. Returns it with the number of runs.
fn beside(
    why: &Why,
    path: &Path,
    failing: &[u8],
    command: &[OsString],
    stop: &Stop,
) -> Result<(Vec<u8>, usize), Failure> {
    let settings = settings(why, path, command, Output::Stdout)?;
    let baseline = baseline::run(&settings, failing, stop, &[])?;
    let mut runs = 0;
    for candidate in changed(failing).into_iter().take(TUNING.tried) {
        runs += 1;
        if baseline.probe(&candidate).map_err(Failure::from)? == Verdict::Uninteresting {
            return Ok((candidate, runs));
        }
    }
    let given = isolate::Given {
        passing: Vec::new(),
        failing: failing.to_vec(),
        language: crate::language::Chosen::Unknown,
    };
    let units = [Unit::Line, Unit::Token];
    let largest = isolate::find(&baseline, why.jobs, &isolate::Goal::Maximize, &given, &units);
    match largest {
        Ok((found, more)) if !found.passing.is_empty() => Ok((found.passing, runs + more)),
        Ok(_) => Err(Failure::message(
            Fault::NotInteresting,
            "no file similar to the reduced one makes the command pass",
        )
        .hint("name a passing file with `--passing FILE`")),
        Err(error) => Err(Failure::from(error)),
    }
}

/// Returns the distinct texts with one word replaced, then those with one word removed.
fn changed(text: &[u8]) -> Vec<Vec<u8>> {
    let words = words(text);
    let kinds: Vec<Kind> = words.iter().map(|word| Kind::of(&text[word.clone()])).collect();
    let mut seen = BTreeSet::from([text.to_vec()]);
    let mut all = Vec::new();
    let with = |range: &Range<usize>, new: &[u8]| [&text[..range.start], new, &text[range.end..]].concat();
    let mut add = |candidate: Vec<u8>| {
        if seen.insert(candidate.clone()) {
            all.push(candidate);
        }
    };
    for (word, kind) in words.iter().zip(&kinds) {
        for other in kind.others(&text[word.clone()]) {
            add(with(word, &other));
        }
        let alike = words.iter().zip(&kinds).filter(|(_, other)| *other == kind);
        for (other, _) in alike.take(TUNING.others) {
            add(with(word, &text[other.clone()]));
        }
    }
    for word in &words {
        add(with(word, b""));
    }
    for pair in words.windows(2) {
        add(with(&(pair[0].start..pair[1].end), b""));
    }
    all
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Name,
    Sign,
}

impl Kind {
    fn of(word: &[u8]) -> Self {
        match word.first() {
            Some(first) if first.is_ascii_digit() => Self::Number,
            Some(first) if is_in_word(*first) => Self::Name,
            _ => Self::Sign,
        }
    }

    /// Returns replacements of the same kind for a word.
    fn others(self, word: &[u8]) -> Vec<Vec<u8>> {
        let texts: &[&str] = match self {
            Self::Number => &["0", "1", "2", "10"],
            Self::Name => &["x"],
            Self::Sign => &["+", "-", "*", "<", ">", ",", ";", ".", " "],
        };
        let mut others: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        if let Some(number) = std::str::from_utf8(word).ok().and_then(|word| word.parse::<u64>().ok()) {
            others.extend(
                [number.wrapping_add(1), number.saturating_sub(1)].map(|n| n.to_string().into_bytes()),
            );
        }
        others
    }
}

fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the words of a text: names, numbers, and single other characters.
fn words(text: &[u8]) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let end = if is_in_word(text[at]) {
            text[at..].iter().position(|&byte| !is_in_word(byte)).map_or(text.len(), |length| at + length)
        } else {
            at + 1
        };
        if !text[at].is_ascii_whitespace() {
            words.push(at..end);
        }
        at = end;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_text_has_one_other_word_or_one_less() {
        let all = changed(b"a + 7");
        let has = |text: &str| all.iter().any(|one| one == text.as_bytes());
        assert!(has("x + 7") && has("a - 7") && has("a + 8") && has("a + 0") && has("a + ") && has(" + 7"));
        assert!(!has("a + 7"));
        assert!(all.iter().position(|one| one == b"a + 0") < all.iter().position(|one| one == b"a + "));
    }

    #[test]
    fn names_and_numbers_are_words_and_each_sign_is_one() {
        let text = b"f(x1, 20);";
        let words: Vec<&[u8]> = words(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(words, [&b"f"[..], b"(", b"x1", b",", b"20", b")", b";"]);
    }
}
