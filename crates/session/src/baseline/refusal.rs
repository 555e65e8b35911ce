//! Errors of the initial runs: no failure occurred, or runs differed. Each error says what to do next.

use super::{CHECK, LINES};
use crate::command;
use crate::failure::Failure;
use crate::failure::Fault;
use crate::serve;
use crate::settings::Settings;
use crate::source::Input;
use crate::surroundings;
use crate::text;
use nubbin_oracle::signature::Wanted;
use nubbin_oracle::trace::Opened;
use nubbin_oracle::{CommandRun, LeastRate, Limit, Matcher, Shape, Status, Surroundings};
use regex::bytes::Regex;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Describes a failure, as the rest of a sentence about the command.
pub(super) fn wanted(failure: &Matcher) -> String {
    let ends = failure.status.map(|status| match status {
        Status::Exit(status) => format!("exits with status {status}"),
        Status::Signal(signal) => format!("is killed by {}", crate::text::signal(signal)),
        Status::TimedOut => "exceeds the time limit".to_owned(),
        Status::OverLimit(limit) => format!("exceeds the {limit}"),
        Status::Told(_) => "is reported by the server".to_owned(),
    });
    let writes = |regex: &Option<_>, stream| {
        regex.as_ref().map(|regex: &regex::bytes::Regex| format!("writes `{regex}` to standard {stream}"))
    };
    let [no_output, no_error] =
        [&failure.not_stdout, &failure.not_stderr].map(|regex| regex.as_ref().map(Regex::as_str));
    let lacks = |regex: Option<&str>, stream| {
        let regex = regex.filter(|_| no_output != no_error);
        regex.map(|regex| format!("does not write `{regex}` to standard {stream}"))
    };
    let lacks_both =
        no_output.filter(|_| no_output == no_error).map(|regex| format!("does not write `{regex}`"));
    let says = failure.message.as_ref().map(says);
    let alone = failure.beside.as_ref().map(|_| "shows no new errors".to_owned());
    let parts = [
        ends,
        writes(&failure.stdout, "output"),
        writes(&failure.stderr, "error"),
        lacks(no_output, "output"),
        lacks(no_error, "error"),
        lacks_both,
        says,
        alone,
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

/// Describes the message of a failure, and the errors allowed next to it.
fn says(message: &Wanted) -> String {
    let signature = &message.signature;
    let alone = match &message.beside {
        Some(_) if !signature.kind().stands_alone() => return format!("reports `{}`", signature.title()),
        Some(beside) if beside.iter().all(|one| signature.covers(one)) => " and no other errors",
        Some(_) => " and no new errors",
        None => "",
    };
    format!("reports `{}`{alone}", signature.title())
}

fn whole(settings: &Settings) -> String {
    match &settings.input {
        Input::Changes(sides) => format!("`{}`, which should fail", sides.bad_name()),
        _ => "the unreduced input".to_owned(),
    }
}

pub(super) fn hangs(settings: &Settings, limit: Duration) -> Failure {
    let (limit, label, whole) = (text::time(limit), &settings.test.label, whole(settings));
    let message = format!("`{label}` did not finish within {limit} on {whole}; nothing was changed");
    let longer = "if it needs more time, raise the limit with `--timeout SECONDS`";
    let hint = if settings.test.failure.is_some() {
        format!("if a hang is the failure, add `--hang --timeout SECONDS`; {longer}")
    } else {
        longer.to_owned()
    };
    Failure::message(Fault::Oracle, message).hint(hint)
}

/// Texts by which programs report that a write was denied.
const REFUSED: [&[u8]; 3] = [b"ermission denied", b"ead-only file system", b"peration not permitted"];

/// Returns whether a run reports that a write was denied.
pub fn complains(run: &CommandRun) -> bool {
    is_complaint(&run.stderr) || is_complaint(&run.stdout)
}

pub fn is_complaint(output: &[u8]) -> bool {
    REFUSED.iter().any(|said| output.windows(said.len()).any(|window| window == *said))
}

/// Describes which programs were prevented from writing, and to which paths; `None` if there were none.
pub(super) fn refused<'t>(mut writes: impl Iterator<Item = &'t Opened>) -> Option<String> {
    let first = writes.next()?;
    let more = match writes.count() {
        0 => String::new(),
        count => format!(" and {}", text::counted(count, "other path")),
    };
    Some(format!(
        "the sandbox prevented `{}` from writing to `{}`{more}",
        first.program,
        first.path.display()
    ))
}

pub(super) fn writes_outside(settings: &Settings, first: &CommandRun, refused: &str) -> Failure {
    let message = format!(
        "`{}` {} on {}, and {refused}; nothing was changed",
        settings.test.label,
        text::ending(first.status),
        whole(settings)
    );
    let output = [first.stdout.as_slice(), first.stderr.as_slice()].concat();
    Failure::message(Fault::Oracle, message)
        .details(text::last_lines(&output, LINES))
        .hint("allow a directory with `--writable DIR`, or turn the sandbox off with `--sandbox off`")
}

pub(super) fn succeeds(settings: &Settings) -> Failure {
    let message = format!(
        "`{}` succeeds on {}, so there is no failure to keep; nothing was changed",
        settings.test.label,
        whole(settings)
    );
    let failure = Failure::message(Fault::NotInteresting, message);
    if let Some(line) = script_first(settings) {
        let at_times = comes_at_times(settings).trim_start_matches("; ");
        let at_times = if at_times.is_empty() { String::new() } else { format!("{at_times}; ") };
        return failure.hint(format!(
            "{at_times}a script that exits with status 0 if the failure is present comes before the file:\n  {line}"
        ));
    }
    failure.hint(format!(
        "describe the failure with `--stdout REGEX`, `--stderr REGEX` or `--exit-code N`{}",
        comes_at_times(settings)
    ))
}

/// Returns the command line with a script of the user before the file, if it was typed as a command after `--`.
fn script_first(settings: &Settings) -> Option<String> {
    let script = Path::new(settings.test.words.first()?);
    let is_plain = matches!(settings.input, Input::File(_) | Input::Folder(_));
    let is_own = script.is_absolute() && settings.test.other.is_none() && command::is_script(script);
    let typed = settings.test.label.strip_suffix(" {}").unwrap_or(&settings.test.label);
    let files: Vec<OsString> = settings.input.paths().iter().map(OsString::from).collect();
    (is_plain && is_own).then(|| format!("nubbin {} {}", text::quote(OsStr::new(typed)), text::words(&files)))
}

/// The command failed in one run and not in another, and `--flaky` was not given.
pub(super) fn comes_and_goes(settings: &Settings, failed: &CommandRun) -> Failure {
    let message = format!(
        "`{}` {} in one run on {} but succeeded in another; nothing was changed",
        settings.test.label,
        text::ending(failed.status),
        whole(settings)
    );
    let output = [failed.stdout.as_slice(), failed.stderr.as_slice()].concat();
    Failure::message(Fault::Flaky, message).details(text::last_lines(&output, LINES)).hint(
        "make it deterministic (fix seeds, use one thread), or describe the failure with `--exit-code N` or \
         `--stderr REGEX` and add `--flaky 0.95`, which runs each candidate several times",
    )
}

/// A flaky test did not fail in any of `runs` runs.
pub(super) fn never_fails(
    settings: &Settings,
    path: &Path,
    surroundings: &Surroundings,
    (first, runs): (&CommandRun, usize),
) -> Failure {
    let test = &settings.test;
    let message = format!(
        "`{}` did not fail in any of {} on {}; nothing was changed",
        test.label,
        text::counted(runs, "run"),
        whole(settings)
    );
    let (rate, confidence) =
        (settings.flaky_rate.share(), settings.flaky.map_or(0.0, nubbin_oracle::Confidence::share));
    let rarer = rate / 5.0;
    let more =
        settings.flaky.zip(LeastRate::new(rarer)).map_or(0, |(confidence, rate)| rate.runs(confidence));
    let must = must(settings);
    let output = [first.stdout.as_slice(), first.stderr.as_slice()].concat();
    Failure::message(Fault::NotInteresting, message).details(text::last_lines(&output, LINES)).hint(format!(
        "a failure in at least {} of the runs would have shown with confidence {confidence}; to wait for a rarer one, use \
         `--flaky {confidence},{}` (at most {}); {must}; repeat a run by hand with\n  {}",
        text::percent(rate),
        text::percent(rarer).replace(' ', ""),
        text::counted(more, "run"),
        by_hand(settings, path, surroundings)
    ))
}

/// Returns the hint for a run that exceeded a limit.
fn needs_more(status: Status) -> Option<String> {
    let Status::OverLimit(limit) = status else { return None };
    let option = match limit {
        Limit::Cpu => "--limit cpu=TIME",
        Limit::Output => "--limit output=SIZE",
        Limit::Processes => "--limit processes=N",
    };
    Some(format!("raise the limit with `{option}`"))
}

/// Returns the hint about the expected result of a run.
fn must(settings: &Settings) -> String {
    let test = &settings.test;
    match &test.failure {
        None if is_plain_command(settings) => format!(
            "a test must exit with status 0 on an input that fails; to reduce by a failing command, put it after `--`: \
             `nubbin {} -- {}`",
            text::words(&settings.input.paths().iter().map(OsString::from).collect::<Vec<_>>()),
            text::words(&test.words)
        ),
        None => "the test must exit with status 0 on an input that fails".to_owned(),
        Some(failure) if wanted(failure).is_empty() => "the command must fail on the input".to_owned(),
        Some(failure) => format!("the failure to keep is that the command {}", wanted(failure)),
    }
}

/// Returns the hint for a flaky failure.
pub(super) fn comes_at_times(settings: &Settings) -> &'static str {
    if settings.could_be_flaky() { "; if it fails only sometimes, add `--flaky 0.95`" } else { "" }
}

pub(super) fn not_interesting(
    settings: &Settings,
    path: &Path,
    surroundings: &Surroundings,
    first: &CommandRun,
) -> Failure {
    let test = &settings.test;
    let (ending, cannot_tell) = (text::ending(first.status), first.status == Status::Exit(125));
    let unresolved = if cannot_tell && test.failure.is_none() { " (unresolved)" } else { "" };
    let message =
        format!("`{}` {ending}{unresolved} on {}; nothing was changed", test.label, whole(settings));
    let must = needs_more(first.status)
        .or_else(|| {
            let asked = test.failure.as_ref()?;
            missed(asked, &first.stdout, &first.stderr)
        })
        .unwrap_or_else(|| must(settings));
    let at_times = comes_at_times(settings);
    let by_hand = by_hand(settings, path, surroundings);
    let check = if settings.can_be_checked() { CHECK } else { "" };
    let output = [first.stdout.as_slice(), first.stderr.as_slice()].concat();
    Failure::message(Fault::NotInteresting, message)
        .details(text::last_lines(&output, LINES))
        .hint(format!("{must}{check}{at_times}; repeat the run by hand with\n  {by_hand}"))
}

/// Explains why a requested expression does not match, if it would match on the other stream, or with `^` and `$` at
/// the ends of lines.
pub fn missed(asked: &Matcher, stdout: &[u8], stderr: &[u8]) -> Option<String> {
    let streams = [
        ("--stdout", "--stderr", &asked.stdout, [stdout, stderr]),
        ("--stderr", "--stdout", &asked.stderr, [stderr, stdout]),
    ];
    streams
        .into_iter()
        .find_map(|(option, other, regex, texts)| unmatched(option, other, regex.as_ref()?, texts))
}

/// Explains why an expression, the value of `option`, does not match the first of two texts. The second text belongs
/// to `other`. Returns `None` if it matches or no explanation is known.
fn unmatched(option: &str, other: &str, regex: &Regex, texts: [&[u8]; 2]) -> Option<String> {
    let [own, others] = texts;
    if regex.is_match(own) {
        return None;
    }
    if regex.is_match(others) {
        return Some(format!("`{regex}` matches the other stream: use `{other}` instead of `{option}`"));
    }
    let by_lines = Regex::new(&format!("(?m){regex}")).ok()?;
    let text = format!("(?m){regex}");
    if by_lines.is_match(own) {
        return Some(format!(
            "`^` and `$` match the ends of the whole output; use `{option} '{text}'` to match the ends of lines"
        ));
    }
    by_lines.is_match(others).then(|| {
        format!(
            "`{regex}` matches the other stream, and `^` and `$` match the ends of the whole output: use \
             `{other} '{text}'`"
        )
    })
}

/// A server gave no valid response for the unchanged input.
pub(super) fn no_answer(settings: &Settings, first: &CommandRun) -> Failure {
    let label = &settings.test.label;
    let message = match first.status {
        Status::Told(_) => format!("malformed response from the server `{label}`; nothing was changed"),
        status => {
            format!("the server `{label}` {} without a response; nothing was changed", text::ending(status))
        }
    };
    let output = [first.stdout.as_slice(), first.stderr.as_slice()].concat();
    Failure::message(Fault::NotInteresting, message).details(text::last_lines(&output, LINES)).hint(format!(
        "a server reads one request per line from standard input and writes one response per line to standard output \
         (docs/guide/servers.md); query it by hand with\n  {}",
        serve::by_hand(settings)
    ))
}

/// Returns whether the oracle is a program found in `PATH` with arguments, not a script of the user.
fn is_plain_command(settings: &Settings) -> bool {
    let [program, first, ..] = &settings.test.words[..] else { return false };
    Path::new(program).components().count() == 1 && !Path::new(first).is_absolute()
}

/// Returns the first run as a shell command in an empty directory.
pub fn by_hand(settings: &Settings, path: &Path, around: &Surroundings) -> String {
    if let Input::Options(choices) = &settings.input {
        return choices.first_run();
    }
    if let Input::Changes(sides) = &settings.input {
        return format!("{}\nin a copy of `{}`", text::words(&settings.test.words), sides.bad_name());
    }
    if settings.test.is_server() {
        return serve::by_hand(settings);
    }
    let own = path.file_name().unwrap_or(OsStr::new("input")).into();
    let names = if let Shape::Files(names) = &settings.shape { names.clone() } else { vec![own] };
    let from = |at: usize| match settings.input.paths().get(at).map(std::path::absolute) {
        Some(Ok(file)) => text::quote(file.as_os_str()),
        _ => "INPUT".to_owned(),
    };
    let below = |name: &Path| around.candidate.join(name);
    let prepare = surroundings::by_hand(around);
    let enter = surroundings::enter(around);
    if matches!(settings.shape, Shape::Tree { .. }) {
        let words: Vec<String> = settings.test.words.iter().map(|word| text::quote(word)).collect();
        let place = text::quote(below(Path::new(".")).as_os_str());
        let run = words.join(" ").replace("'{}'", "\"$PWD\"");
        return format!(
            r#"(cd "$(mktemp -d)" && {prepare}cp -a -- {}/. ./{place} && {enter}{run}; echo "status $?")"#,
            from(0)
        );
    }
    let all = if settings.shape == Shape::Folder { "-a " } else { "" };
    let copy = |(at, name): (usize, &PathBuf)| {
        let parent = name.parent().filter(|parent| *parent != Path::new(""));
        let make = parent.map(|parent| format!("mkdir -p ./{} && ", text::quote(below(parent).as_os_str())));
        let to = text::quote(below(name).as_os_str());
        format!("{}cp {all}-- {} ./{to} && ", make.unwrap_or_default(), from(at))
    };
    let copies: String = names.iter().enumerate().map(copy).collect();
    let inside = |name: &PathBuf| {
        let place = below(name);
        place.strip_prefix(&around.directory).map_or_else(|_| place.clone(), Path::to_owned)
    };
    let names: Vec<PathBuf> = names.iter().map(inside).collect();
    let run = text::command_line(&settings.test.words, &names, around.is_found);
    format!(r#"(cd "$(mktemp -d)" && {prepare}{copies}{enter}{run}; echo "status $?")"#)
}

/// Returns an error if the oracle needs a helper process and there is none.
pub(super) fn has_helpers(settings: &Settings) -> Result<(), Failure> {
    let is_own = settings.test.words.first().is_some_and(|word| word == "/proc/self/exe");
    let is_own = is_own || settings.input.paired().is_some();
    if settings.helpers.is_some() || !is_own {
        return Ok(());
    }
    let message =
        format!("`{}` needs a helper process, and this program registered none", settings.test.label);
    Err(Failure::usage(message)
        .hint("call `Helpers::serve` first in `main` and store its result in `Settings::helpers`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_on_the_other_stream_or_at_the_end_of_a_line_is_named() {
        let told = |regex: &str, texts: [&str; 2]| {
            let regex = Regex::new(regex).expect("a valid expression");
            unmatched("--stdout", "--stderr", &regex, texts.map(str::as_bytes)).unwrap_or_default()
        };
        assert_eq!(told("boom", ["boom", ""]), "");
        assert_eq!(told("boom", ["", ""]), "");
        let other = "`boom` matches the other stream: use `--stderr` instead of `--stdout`";
        assert_eq!(told("boom", ["", "a boom"]), other);
        assert!(
            told("boom$", ["a boom\nend\n", ""])
                .ends_with("use `--stdout '(?m)boom$'` to match the ends of lines")
        );
        assert!(told("^boom", ["", "a\nboom"]).ends_with("use `--stderr '(?m)^boom'`"));
    }
}
