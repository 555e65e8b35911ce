//! The reasons why a run cannot begin, as failures that say what to do: the first runs showed no failure, or another
//! one each time.

use super::{CHECK, LINES};
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
        Status::TimedOut => "runs into the time limit".to_owned(),
        Status::OverLimit(limit) => format!("runs into the {limit}"),
        Status::Told(_) => "is told by the server".to_owned(),
    });
    let writes = |regex: &Option<_>, stream| {
        regex.as_ref().map(|regex: &regex::bytes::Regex| format!("writes `{regex}` to standard {stream}"))
    };
    let lacks = |regex: &Option<_>, stream| {
        let regex: Option<&regex::bytes::Regex> = regex.as_ref();
        regex.map(|regex| format!("does not write `{regex}` to standard {stream}"))
    };
    let says = failure.message.as_ref().map(says);
    let alone = failure.beside.as_ref().map(|_| "shows no error that the input does not show".to_owned());
    let parts = [
        ends,
        writes(&failure.stdout, "output"),
        writes(&failure.stderr, "error"),
        lacks(&failure.not_stdout, "output"),
        lacks(&failure.not_stderr, "error"),
        says,
        alone,
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

/// Tells in words the message of a failure, and that nothing stands beside it.
fn says(message: &Wanted) -> String {
    let signature = &message.signature;
    let alone = match &message.beside {
        Some(_) if !signature.kind().stands_alone() => return format!("says `{}`", signature.title()),
        Some(beside) if beside.iter().all(|one| signature.covers(one)) => " and no other error",
        Some(_) => " and no error that the input does not show",
        None => "",
    };
    format!("says `{}`{alone}", signature.title())
}

/// Describes the input of the first runs.
fn whole(settings: &Settings) -> String {
    match &settings.input {
        Input::Changes(sides) => format!("`{}`, which should fail", sides.bad_name()),
        _ => "the unreduced input".to_owned(),
    }
}

pub(super) fn hangs(settings: &Settings, limit: Duration) -> Failure {
    let (limit, label, whole) = (text::time(limit), &settings.test.label, whole(settings));
    let message = format!("`{label}` did not end within {limit} on {whole}; nothing was changed");
    let longer = "if it needs longer, give it more time with `--timeout SECONDS`";
    let hint = if settings.test.failure.is_some() {
        format!("if that it does not end is the failure, add `--hang --timeout SECONDS`; {longer}")
    } else {
        longer.to_owned()
    };
    Failure::message(Fault::Oracle, message).hint(hint)
}

/// These texts are in the messages of programs that may not write somewhere.
const REFUSED: [&[u8]; 3] = [b"ermission denied", b"ead-only file system", b"peration not permitted"];

/// Tells whether a run says that it may not write somewhere.
pub(super) fn complains(run: &CommandRun) -> bool {
    is_complaint(&run.stderr) || is_complaint(&run.stdout)
}

/// Tells whether a text says that something was refused.
pub fn is_complaint(output: &[u8]) -> bool {
    REFUSED.iter().any(|said| output.windows(said.len()).any(|window| window == *said))
}

/// Names the programs that were kept from writing, and the paths, in a sentence; `None` if there is none.
pub(super) fn refused<'t>(mut writes: impl Iterator<Item = &'t Opened>) -> Option<String> {
    let first = writes.next()?;
    let more = match writes.count() {
        0 => String::new(),
        count => format!(", nor {}", text::counted(count, "other path")),
    };
    Some(format!("the sandbox kept `{}` from writing `{}`{more}", first.program, first.path.display()))
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
        .hint("allow it a directory with `--writable DIR`, or everything with `--sandbox off`")
}

pub(super) fn succeeds(settings: &Settings) -> Failure {
    let message = format!(
        "`{}` succeeds on {}, so there is no failure to keep; nothing was changed",
        settings.test.label,
        whole(settings)
    );
    Failure::message(Fault::NotInteresting, message).hint(format!(
        "say what the failure is with `--stdout REGEX`, `--stderr REGEX` or `--exit-code N`{}",
        comes_at_times(settings)
    ))
}

/// Returns the failure of a command that fails in one run and not in another, where nothing is said about flaky ones.
pub(super) fn comes_and_goes(settings: &Settings, failed: &CommandRun) -> Failure {
    let message = format!(
        "`{}` {} in one run on {}, and succeeds in another; nothing was changed",
        settings.test.label,
        text::ending(failed.status),
        whole(settings)
    );
    let output = [failed.stdout.as_slice(), failed.stderr.as_slice()].concat();
    Failure::message(Fault::Flaky, message).details(text::last_lines(&output, LINES)).hint(
        "make it deterministic (fix seeds, use one thread), or say what the failure is with `--exit-code N` or \
         `--stderr REGEX` and go on with `--flaky 0.95`, which runs each candidate several times",
    )
}

/// Returns the failure of a test that was run so many times, since it fails now and then, and did not fail.
pub(super) fn never_fails(
    settings: &Settings,
    path: &Path,
    surroundings: &Surroundings,
    (first, runs): (&CommandRun, usize),
) -> Failure {
    let test = &settings.test;
    let message = format!(
        "`{}` showed no failure in any of {} on {}; nothing was changed",
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
        "a failure in {} of its runs or more would have shown, with confidence {confidence}; `--flaky-rate {}` \
         waits for a rarer one, in {} at most; {must}; repeat a run by hand with\n  {}",
        text::percent(rate),
        text::percent(rarer).replace(' ', ""),
        text::counted(more, "run"),
        by_hand(settings, path, surroundings)
    ))
}

/// Says which option allows a run that ended like this more, if it ran into a limit.
fn needs_more(status: Status) -> Option<String> {
    let Status::OverLimit(limit) = status else { return None };
    let option = match limit {
        Limit::Cpu => "--cpu-time SECONDS",
        Limit::Output => "--output-size SIZE",
        Limit::Processes => "--processes N",
    };
    Some(format!("`{option}` allows it more"))
}

/// Says what a run does on an input that fails.
fn must(settings: &Settings) -> String {
    let test = &settings.test;
    match &test.failure {
        None if is_plain_command(settings) => format!(
            "an oracle exits with status 0 on an input that fails; a command that fails itself comes after `--`, as in \
             `nubbin {} -- {}`",
            text::words(&settings.input.paths().iter().map(OsString::from).collect::<Vec<_>>()),
            text::words(&test.words)
        ),
        None => "it must exit with status 0 on an input that fails".to_owned(),
        Some(failure) if wanted(failure).is_empty() => "it must fail on the input".to_owned(),
        Some(failure) => format!("an input that fails is one on which it {}", wanted(failure)),
    }
}

/// Says in a hint what to do if the failure comes and goes.
pub(super) fn comes_at_times(settings: &Settings) -> &'static str {
    if settings.could_be_flaky() {
        "; if it fails only now and then, `--flaky 0.95` waits for that"
    } else {
        ""
    }
}

pub(super) fn not_interesting(
    settings: &Settings,
    path: &Path,
    surroundings: &Surroundings,
    first: &CommandRun,
) -> Failure {
    let test = &settings.test;
    let (ending, cannot_tell) = (text::ending(first.status), first.status == Status::Exit(125));
    let unresolved = if cannot_tell && test.failure.is_none() { " (cannot tell)" } else { "" };
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

/// Says why an expression that was asked for does not match, if it would have matched otherwise: on the other stream, or with `^`
/// and `$` at the ends of lines.
pub fn missed(asked: &Matcher, stdout: &[u8], stderr: &[u8]) -> Option<String> {
    let streams = [
        ("--stdout", "--stderr", &asked.stdout, [stdout, stderr]),
        ("--stderr", "--stdout", &asked.stderr, [stderr, stdout]),
    ];
    streams
        .into_iter()
        .find_map(|(option, other, regex, texts)| unmatched(option, other, regex.as_ref()?, texts))
}

/// Says why an expression, as the value of `option`, does not match the first of two texts; the second one is what `other` is
/// about. `None` if it matches, or if nothing is known.
fn unmatched(option: &str, other: &str, regex: &Regex, texts: [&[u8]; 2]) -> Option<String> {
    let [own, others] = texts;
    if regex.is_match(own) {
        return None;
    }
    if regex.is_match(others) {
        return Some(format!("`{regex}` is on the other stream: write `{other}` instead of `{option}`"));
    }
    let by_lines = Regex::new(&format!("(?m){regex}")).ok()?;
    let text = format!("(?m){regex}");
    if by_lines.is_match(own) {
        return Some(format!(
            "`^` and `$` stand for the ends of the whole output; `{option} '{text}'` matches at the ends of lines"
        ));
    }
    by_lines.is_match(others).then(|| {
        format!(
            "`{regex}` is on the other stream, and `^` and `$` stand for the ends of the whole output: write \
             `{other} '{text}'`"
        )
    })
}

/// Returns the failure that a server gave no answer about the unchanged input.
pub(super) fn no_answer(settings: &Settings, first: &CommandRun) -> Failure {
    let label = &settings.test.label;
    let message = match first.status {
        Status::Told(_) => format!("the server `{label}` answers what makes no sense; nothing was changed"),
        status => {
            format!("the server `{label}` {} without an answer; nothing was changed", text::ending(status))
        }
    };
    let output = [first.stdout.as_slice(), first.stderr.as_slice()].concat();
    Failure::message(Fault::NotInteresting, message).details(text::last_lines(&output, LINES)).hint(format!(
        "it is asked by a line on its standard input, and answers by one on its standard output \
         (docs/guide/servers.md); ask it by hand with\n  {}",
        serve::by_hand(settings)
    ))
}

/// Tells whether an oracle is a program of the system with its arguments, and no script of the user's.
fn is_plain_command(settings: &Settings) -> bool {
    let [program, first, ..] = &settings.test.words[..] else { return false };
    Path::new(program).components().count() == 1 && !Path::new(first).is_absolute()
}

/// Returns the first run as a command for a shell, in an empty directory.
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

/// Makes sure that an oracle which is this program under a hidden word can be run.
pub(super) fn has_helpers(settings: &Settings) -> Result<(), Failure> {
    let is_own = settings.test.words.first().is_some_and(|word| word == "/proc/self/exe");
    let is_own = is_own || settings.input.paired().is_some();
    if settings.helpers.is_some() || !is_own {
        return Ok(());
    }
    let message = format!("`{}` is run by a helper, and this program has none", settings.test.label);
    Err(Failure::usage(message)
        .hint("let `main` begin with `Helpers::serve`, and put what it returns into the settings"))
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
        let other = "`boom` is on the other stream: write `--stderr` instead of `--stdout`";
        assert_eq!(told("boom", ["", "a boom"]), other);
        assert!(
            told("boom$", ["a boom\nend\n", ""])
                .ends_with("`--stdout '(?m)boom$'` matches at the ends of lines")
        );
        assert!(told("^boom", ["", "a\nboom"]).ends_with("write `--stderr '(?m)^boom'`"));
    }
}
