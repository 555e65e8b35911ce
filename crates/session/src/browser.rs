//! Uses a browser as the test: loads the unchanged page to determine what candidates must show.
//!
//! The crate `browser` observes pages; this module decides what to look for.

use crate::baseline::{self, LINES};
use crate::failure::{Failure, Fault};
use crate::input::reduced_name;
use crate::output::Output;
use crate::settings::Settings;
use crate::source::Input;
use crate::stop::Stop;
use crate::surroundings;
use crate::text;
use nubbin_browser::{Checks, Expected, NO_BROWSER, Plan, Seen, debugging, words};
use nubbin_oracle::{CommandOracle, Error, Protocol, Status, Surroundings};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Tuned parameters.
struct Tuning {
    /// The time limit of the first load, including the start of the browser.
    first: Duration,
    /// The largest report about a page, in bytes.
    most: u64,
    /// The waiting time for a failure, as a multiple of the time after which it occurred.
    wait: u32,
    /// The waiting time is rounded to a multiple of this.
    step: Duration,
    /// The largest depth of files that refer to other files.
    rounds: usize,
    /// The number of bytes examined to decide whether a file is text.
    head: u64,
    /// The default duration of a hang.
    hang: Duration,
}

const TUNING: Tuning = Tuning {
    first: Duration::from_secs(60),
    most: 64 << 20,
    wait: 2,
    step: Duration::from_millis(100),
    rounds: 8,
    head: 8000,
    hang: Duration::from_secs(2),
};

/// Returns the paths of files in an address: the page first, all relative to the common directory.
///
/// # Errors
/// Returns an error when a path cannot be made absolute.
pub fn addresses(files: &[OsString]) -> Result<Vec<String>, Failure> {
    let whole = |file: &OsString| {
        std::path::absolute(file).map_err(|error| {
            Failure::message(Fault::Input, format!("cannot use `{}`: {error}", file.display()))
        })
    };
    let files: Vec<PathBuf> = files.iter().map(whole).collect::<Result<_, _>>()?;
    let parents: Vec<&Path> = files.iter().filter_map(|file| file.parent()).collect();
    let Some(first) = parents.first() else { return Ok(Vec::new()) };
    let is_shared = |root: &&Path| parents.iter().all(|parent| parent.starts_with(root));
    let root = first.ancestors().find(is_shared).unwrap_or(Path::new("/"));
    let below = |file: &PathBuf| file.strip_prefix(root).unwrap_or(file).to_string_lossy().into_owned();
    Ok(files.iter().map(below).collect())
}

/// Loads the unchanged page if a browser is the test, finds the files next to it, and verifies that the failure
/// occurs. If none was requested, the failure is the only one that the page shows.
///
/// # Errors
/// Returns an error when the browser cannot be started, or the page does not show the failure.
pub fn learn(settings: &mut Settings, stop: &Stop) -> Result<(), Failure> {
    let Some(mut plan) = settings.page.take() else { return Ok(()) };
    let is_picture = plan.checks.region.is_some() || plan.checks.other.is_some();
    let (mut look, mut seen) = look_beside(settings, &mut plan, stop, is_picture)?;
    if !is_picture && is_shown(&plan, &seen).is_err() {
        (look, seen) = look_beside(settings, &mut plan, stop, true)?;
    }
    if plan.checks.is_empty() {
        plan.checks = only_one(&plan, &seen)?;
        (look, seen) = self::look(settings, &mut plan, stop)?;
    }
    is_there(&plan, &seen)?;
    let again = look.once()?;
    is_there(&plan, &again)?;
    is_same(&plan, &seen, &again)?;
    let after = seen.after.max(again.after);
    let wait = TUNING.step * after.as_millis().div_ceil(TUNING.step.as_millis()) as u32 * TUNING.wait;
    settings.voice.say(&format!("note: the failure to keep: {}", failure(&plan, &seen)));
    plan.expected = Some(Expected {
        crash: seen.crash,
        value: seen.value,
        picture: seen.picture,
        difference: seen.difference,
        wait,
    });
    settings.test.words = words(&plan);
    settings.page = Some(plan);
    Ok(())
}

/// A load of the unchanged page, which can be repeated.
struct Look {
    oracle: CommandOracle,
    input: Vec<u8>,
    browser: String,
    /// The option for starting the browser by hand.
    debugging: &'static str,
    needs_loopback: bool,
}

impl Look {
    fn once(&self) -> Result<Seen, Failure> {
        let run = match self.oracle.answer(&self.input, TUNING.most) {
            Err(Error::Confinement(why)) if self.needs_loopback => {
                let message = format!(
                    "Firefox needs a network namespace with a loopback interface: {why}; nothing was changed"
                );
                return Err(Failure::message(Fault::Oracle, message)
                    .hint("use a Chromium-based browser, for example `--browser chromium`"));
            }
            answered => answered?,
        };
        let details = text::last_lines(&run.stderr, LINES);
        match run.status {
            Status::Exit(0) => serde_json::from_slice(&run.stdout).map_err(|error| {
                Failure::message(Fault::Oracle, format!("malformed report from the browser: {error}"))
            }),
            Status::Exit(NO_BROWSER) => {
                let message = format!("cannot start the browser `{}`; nothing was changed", self.browser);
                Err(Failure::message(Fault::Oracle, message).details(details).hint(format!(
                    "start it by hand with `--headless {}`, or use another browser with `--browser COMMAND`",
                    self.debugging
                )))
            }
            status => {
                let ending = text::ending(status);
                let message = format!(
                    "no response from the browser `{}`: it {ending}; nothing was changed",
                    self.browser
                );
                Err(Failure::message(Fault::Oracle, message).details(details))
            }
        }
    }
}

/// Loads the unchanged page with the files that it requests. Files that are not text are excluded at first, unless a
/// picture is compared, because most failures do not need them.
fn look_beside(
    settings: &mut Settings,
    plan: &mut Plan,
    stop: &Stop,
    has_all: bool,
) -> Result<(Look, Seen), Failure> {
    let (mut look, mut seen) = look(settings, plan, stop)?;
    for _ in 0..TUNING.rounds {
        if !find_beside(settings, plan, &seen, has_all)? {
            break;
        }
        (look, seen) = self::look(settings, plan, stop)?;
    }
    Ok((look, seen))
}

/// Returns an error unless the page shows the failure, or one that can be kept.
fn is_shown(plan: &Plan, seen: &Seen) -> Result<(), Failure> {
    if plan.checks.is_empty() { only_one(plan, seen).map(drop) } else { is_there(plan, seen) }
}

/// Returns whether the start of a file is text.
fn is_text(path: &Path) -> bool {
    use std::io::Read;
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(TUNING.head).read_to_end(&mut head));
    read.is_ok() && !head.contains(&0)
}

/// Loads the unchanged page.
fn look(settings: &Settings, plan: &mut Plan, stop: &Stop) -> Result<(Look, Seen), Failure> {
    let input = settings.input.read()?;
    let path = settings.input.path(&settings.language);
    let oracle = baseline::command(settings, &words(plan), &path, &Surroundings::default(), stop)
        .protocol(Protocol::Script)
        .limit(settings.timeout.unwrap_or(TUNING.first));
    let debugging = debugging(&plan.browser);
    let needs_loopback = plan.needs_loopback();
    let look = Look { oracle, input, browser: plan.browser.join(" "), debugging, needs_loopback };
    let seen = look.once()?;
    plan.no_sandbox = seen.no_sandbox;
    Ok((look, seen))
}

/// Adds the requested files next to the page. Returns whether there were any.
fn find_beside(
    settings: &mut Settings,
    plan: &mut Plan,
    seen: &Seen,
    has_all: bool,
) -> Result<bool, Failure> {
    let mut paths = settings.input.paths().to_vec();
    let Some(root) = root(&paths, &plan.paths) else { return Ok(false) };
    let known = paths.len();
    for name in &seen.missing {
        let is_inside =
            Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        let path = root.join(name);
        if is_inside && path.is_file() && !plan.paths.contains(name) && (has_all || is_text(&path)) {
            paths.push(path);
            plan.paths.push(name.clone());
        }
    }
    if paths.len() == known {
        return Ok(false);
    }
    let is_default = matches!((&settings.output, &settings.input), (Output::File(place), Input::File(page)) if *place == reduced_name(page));
    settings.input = Input::Files(paths);
    if is_default {
        settings.output = together(&settings.input);
    }
    settings.shape = surroundings::shape(settings.input.shape()?, settings.around.origin.as_ref());
    Ok(true)
}

/// Returns the directory to which addresses are relative.
fn root(paths: &[PathBuf], names: &[String]) -> Option<PathBuf> {
    let depth = Path::new(names.first()?).components().count();
    paths.first()?.ancestors().nth(depth).map(Path::to_owned)
}

/// Returns the default output of a page with other files: a directory with the same layout.
#[must_use]
pub fn together(input: &Input) -> Output {
    match input {
        Input::Files(paths) => Output::File(reduced_name(&paths[0].with_extension(""))),
        _ => Output::beside(input),
    }
}

/// Returns the check for the only failure that a page shows.
fn only_one(plan: &Plan, seen: &Seen) -> Result<Checks, Failure> {
    let mut uncaught: Vec<&str> =
        seen.console.iter().filter(|said| said.is_uncaught).map(|said| said.text.as_str()).collect();
    uncaught.sort_unstable();
    uncaught.dedup();
    match (&seen.crash, seen.has_hung, uncaught.as_slice()) {
        (Some(_), ..) => return Ok(Checks { crash: true, ..Checks::default() }),
        (None, true, _) => return Ok(Checks { hang: Some(TUNING.hang), ..Checks::default() }),
        (None, false, [text]) => {
            return Ok(Checks { console: Some(format!("^{}$", regex::escape(text))), ..Checks::default() });
        }
        (None, false, _) => {}
    }
    let all = "`--console REGEX`, `--js EXPRESSION`, `--looks-like-now REGION` and `--looks-different-from BROWSER2`";
    let (message, hint) = if uncaught.is_empty() {
        let message = "the page shows no failure in the browser: no crash, no hang, and no uncaught error";
        (message.to_owned(), format!("describe the failure with {all}"))
    } else {
        let message = format!("the page shows {} uncaught errors", uncaught.len());
        (message, "choose one with `--console REGEX`".to_owned())
    };
    let message = format!("{message}; nothing was changed");
    Err(Failure::message(Fault::NotInteresting, message).details(shown(plan, seen)).hint(hint))
}

/// Returns an error unless the unchanged page shows the failure.
fn is_there(plan: &Plan, seen: &Seen) -> Result<(), Failure> {
    let Some((what, hint)) = not_happening(plan, seen).or_else(|| not_looking(plan, seen)) else {
        return Ok(());
    };
    let message = format!("{what} on the unreduced input; nothing was changed");
    Err(Failure::message(Fault::NotInteresting, message).details(shown(plan, seen)).hint(hint))
}

/// Returns the first check of console, crash or hang that fails, and a hint.
fn not_happening(plan: &Plan, seen: &Seen) -> Option<(String, &'static str)> {
    let checks = &plan.checks;
    if let Some(selector) = seen.undone.first() {
        let what = format!("the selector `{selector}` of the action script matches no element");
        return Some((what, "use a selector as for `document.querySelector`"));
    }
    if checks.crash && seen.crash.is_none() {
        return Some((
            "the process of the page does not crash".to_owned(),
            "open the page in the same browser by hand; use another browser with `--browser COMMAND`, or click and type \
             with `--actions SCRIPT`",
        ));
    }
    let regex = checks.console.as_ref().filter(|regex| !says(regex, seen));
    if let Some(regex) = regex {
        return Some((
            format!("no console message matches `{regex}`"),
            "change the regular expression, or click, type and wait with `--actions SCRIPT`",
        ));
    }
    let hang = checks.hang.filter(|_| !seen.has_hung)?;
    Some((
        format!("the page responds within {}", text::time(hang)),
        "use a shorter time with `--unresponsive SECONDS`",
    ))
}

/// Returns the first check of values or pictures that fails, and a hint.
fn not_looking(plan: &Plan, seen: &Seen) -> Option<(String, &'static str)> {
    let checks = &plan.checks;
    match (&checks.script, &seen.value) {
        (Some(script), Some(Err(error))) => {
            let what = format!("`{script}` has no value ({error})");
            return Some((what, "use an expression with a value, such as `document.title`"));
        }
        (Some(script), None) => {
            return Some((format!("`{script}` cannot be evaluated"), "the page must respond"));
        }
        _ => {}
    }
    let region = checks.region.as_ref().filter(|_| seen.picture.is_none());
    if let Some(region) = region {
        return Some((
            format!("`{region}` is not visible"),
            "use X,Y,WIDTHxHEIGHT, or a selector as for `document.querySelector`",
        ));
    }
    let other = checks.other.as_ref().filter(|_| !plan.is_different(seen))?;
    Some((
        format!("`{}` and `{}` show the same picture", plan.browser.join(" "), other.join(" ")),
        "compare both by hand; small differences in the rendering of letters are ignored",
    ))
}

/// Returns an error if a second load shows something else.
fn is_same(plan: &Plan, first: &Seen, second: &Seen) -> Result<(), Failure> {
    let crash = |seen: &Seen| seen.crash.as_ref().map(ToString::to_string).unwrap_or_default();
    let value = |seen: &Seen| match &seen.value {
        Some(Ok(value)) => format!("the value is {value}"),
        _ => String::new(),
    };
    let (one, other) = if plan.checks.crash && first.crash != second.crash {
        (crash(first), crash(second))
    } else if first.value != second.value {
        (value(first), value(second))
    } else if first.picture != second.picture {
        ("the page shows one picture".to_owned(), "another picture".to_owned())
    } else {
        return Ok(());
    };
    let message = format!("{one} at first and then {other}, on the same page; nothing was changed");
    Err(Failure::message(Fault::Flaky, message)
        .hint("results that depend on time or chance cannot be kept; check for a stable part"))
}

fn says(regex: &str, seen: &Seen) -> bool {
    regex::Regex::new(regex).is_ok_and(|regex| seen.console.iter().any(|said| regex.is_match(&said.text)))
}

fn failure(plan: &Plan, seen: &Seen) -> String {
    let checks = &plan.checks;
    let crash = seen.crash.as_ref().filter(|_| checks.crash).map(ToString::to_string);
    let said = checks.console.as_ref().and_then(|regex| {
        let regex = regex::Regex::new(regex).ok()?;
        let said = seen.console.iter().find(|said| regex.is_match(&said.text))?;
        Some(format!("the console shows `{}`", said.text.lines().next().unwrap_or_default()))
    });
    let value = checks.script.as_ref().zip(seen.value.as_ref()).map(|(script, value)| match value {
        Ok(value) => format!("`{script}` is {value}"),
        Err(error) => format!("`{script}` fails with {error}"),
    });
    let hang = checks.hang.map(|hang| format!("the page does not respond for {}", text::time(hang)));
    let region = checks.region.as_ref().map(|region| format!("`{region}` looks as it does now"));
    let other = checks.other.as_ref().map(|other| format!("`{}` shows another picture", other.join(" ")));
    let parts: Vec<String> = [crash, said, value, hang, region, other].into_iter().flatten().collect();
    format!("in `{}`, {}", plan.browser.join(" "), parts.join(" and "))
}

/// Describes what a page shows, in lines.
fn shown(plan: &Plan, seen: &Seen) -> String {
    let mut lines = String::new();
    if let Some(crash) = seen.crash.as_ref().filter(|_| !plan.checks.crash) {
        let _ = writeln!(lines, "{crash}");
    }
    if seen.has_hung && plan.checks.hang.is_none() {
        lines.push_str("the page does not respond\n");
    }
    let mut console: Vec<&str> =
        seen.console.iter().map(|said| said.text.lines().next().unwrap_or_default()).collect();
    console.dedup();
    if console.is_empty() {
        lines.push_str("the console is empty\n");
    } else {
        lines.push_str("console:\n");
        for said in console.iter().take(LINES) {
            let _ = writeln!(lines, "  {said}");
        }
        if console.len() > LINES {
            let _ = writeln!(lines, "  … and {} more", text::counted(console.len() - LINES, "line"));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_browser::{Crash, Said};

    fn seen(uncaught: &[&str]) -> Seen {
        let said = |text: &&str| Said { text: (*text).to_owned(), is_uncaught: true };
        Seen { console: uncaught.iter().map(said).collect(), ..Seen::default() }
    }

    #[test]
    fn files_have_the_addresses_that_they_have_on_disk() {
        let names =
            |files: &[&str]| addresses(&files.iter().map(OsString::from).collect::<Vec<_>>()).expect("paths");
        assert_eq!(names(&["/a/b/page.html"]), ["page.html"]);
        assert_eq!(names(&["/a/b/page.html", "/a/b/page_files/x.css"]), ["page.html", "page_files/x.css"]);
        assert_eq!(names(&["/a/b/page.html", "/a/look.css"]), ["b/page.html", "look.css"]);
        let root = super::root(&["/a/b/page.html".into()], &["b/page.html".to_owned()]);
        assert_eq!(root, Some(PathBuf::from("/a")));
    }

    #[test]
    fn without_a_check_the_only_failure_is_taken() {
        let plan = Plan::default();
        let one = only_one(&plan, &seen(&["Uncaught a.b", "Uncaught a.b"])).expect("there is one");
        assert_eq!(one.console.as_deref(), Some("^Uncaught a\\.b$"));
        let crash = Some(Crash::Page("crashed".to_owned(), 11));
        assert!(only_one(&plan, &Seen { crash, ..seen(&["x"]) }).expect("there is one").crash);
        for (errors, part) in [(&["a", "b"][..], "2 uncaught errors"), (&[], "no failure")] {
            let failure = only_one(&plan, &seen(errors)).expect_err("there is not one");
            assert!(failure.text().contains(part), "{failure}");
        }
    }

    #[test]
    fn what_is_looked_for_and_not_there_is_told_with_what_there_is() {
        let asked = |checks: Checks| Plan { checks, ..Plan::default() };
        let console = asked(Checks { console: Some("lost".to_owned()), ..Checks::default() });
        let failure = is_there(&console, &seen(&["Uncaught x"])).expect_err("it is not there");
        assert!(failure.text().contains("no console message matches `lost`"), "{failure}");
        assert!(failure.lines().contains("Uncaught x"), "{}", failure.lines());
        let crash = asked(Checks { crash: true, ..Checks::default() });
        assert!(is_there(&crash, &seen(&[])).is_err());
        let undone = Seen { undone: vec!["#x".to_owned()], ..seen(&["lost"]) };
        assert!(is_there(&console, &undone).expect_err("it is not done").text().contains("`#x`"));
        assert!(is_there(&console, &seen(&["it is lost"])).is_ok());
    }
}
