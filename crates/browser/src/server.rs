//! The server: it reads questions about pages as lines, and writes answers as lines.

use crate::browser::{self, Browser};
use crate::picture::Picture;
use crate::plan::{Crash, Expected, Plan, Seen};
use crate::site::Site;
use crate::visit::visit;
use regex::Regex;
use serde::Deserialize;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The first argument that makes a program run as such a server.
const WORD: &str = "__browser";
/// The exit status if the browser cannot be started.
pub const NO_BROWSER: i32 = 127;

/// The name of the directory next to the candidates that a warden reserves for its server.
const PLACE: &str = "served";

/// Tuned constants.
struct Tuning {
    /// A browser with more private memory, in bytes, is replaced.
    most_memory: u64,
    /// The number of pages between two checks of the memory.
    pages: usize,
    /// The maximum number of pages for one browser.
    most_pages: usize,
}

const TUNING: Tuning = Tuning { most_memory: 2 << 30, pages: 50, most_pages: 2000 };

/// Returns the command that starts a server with this plan: the running program with special arguments.
#[must_use]
pub fn words(plan: &Plan) -> Vec<OsString> {
    let plan = serde_json::to_string(plan).unwrap_or_default();
    vec!["/proc/self/exe".into(), WORD.into(), plan.into()]
}

/// Returns whether the arguments of a program request a server.
#[must_use]
pub fn is_asked_for(mut arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.nth(1).is_some_and(|word| word == WORD)
}

/// Answers the questions on standard input until its end.
#[must_use]
pub fn serve(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let plan = arguments.nth(2).and_then(|plan| serde_json::from_str(plan.to_str()?).ok());
    let Some(plan) = plan else { return ExitCode::FAILURE };
    let Ok(directory) = place() else { return ExitCode::FAILURE };
    // A helper process that the browser detaches (Firefox has one for crashes) must stay as long as the
    // browser. Otherwise, the process that runs this server could end it after an answer, and the browser
    // would start it again.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    match Server::new(plan, directory).answer(io::stdin().lock(), io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Creates an empty directory for files that must be kept between candidates; other files next to a candidate
/// can be removed.
fn place() -> io::Result<PathBuf> {
    let place = std::env::current_dir()?.join(PLACE);
    match std::fs::remove_dir_all(&place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    std::fs::create_dir(&place)?;
    Ok(place)
}

/// The relevant parts of a question.
#[derive(Debug, Deserialize)]
struct Question {
    id: u64,
    /// The files of the candidate; the page comes first.
    paths: Vec<PathBuf>,
}

struct Server {
    plan: Plan,
    /// The directory for the profiles.
    directory: PathBuf,
    browser: Option<Open>,
    other: Option<Open>,
}

struct Open {
    browser: Box<dyn Browser>,
    pages: usize,
}

/// The reason why a page was not observed.
#[derive(Debug)]
enum Failed {
    /// The browser cannot be started; the text is its output.
    Start(String),
    /// The browser has ended.
    Browser,
}

impl Server {
    fn new(plan: Plan, directory: PathBuf) -> Self {
        Self { plan, directory, browser: None, other: None }
    }

    fn answer(mut self, questions: impl BufRead, mut answers: impl Write) -> io::Result<()> {
        for line in questions.lines() {
            let question: Question = serde_json::from_str(&line?)?;
            let (answer, is_fit) = self.told(&question);
            writeln!(answers, "{answer}")?;
            answers.flush()?;
            // No question is pending at this point.
            self.tidy(is_fit);
        }
        Ok(())
    }

    /// Checks a page, and returns the answer and whether the tab can be reused.
    fn told(&mut self, question: &Question) -> (Value, bool) {
        let id = question.id;
        match self.look(&question.paths) {
            Ok((seen, is_fit)) => match &self.plan.expected {
                None => {
                    let seen = serde_json::to_string(&seen).unwrap_or_default();
                    (json!({ "id": id, "exit": 0, "stdout": seen }), is_fit)
                }
                Some(expected) => {
                    let is_same = shows(&self.plan, expected, &seen);
                    let verdict = if is_same { "interesting" } else { "uninteresting" };
                    (json!({ "id": id, "verdict": verdict }), is_fit)
                }
            },
            Err(said) if self.plan.expected.is_none() => {
                (json!({ "id": id, "exit": NO_BROWSER, "stderr": said }), false)
            }
            Err(said) => (json!({ "id": id, "verdict": "unresolved", "stderr": said }), false),
        }
    }

    /// Checks a page. If the browser ends, a fresh browser checks the page again; if that ends too, this is
    /// the observation.
    ///
    /// # Errors
    /// Returns the output of a browser that cannot be started.
    fn look(&mut self, files: &[PathBuf]) -> Result<(Seen, bool), String> {
        for _ in 0..2 {
            match self.look_once(files) {
                Ok(seen) => return Ok(seen),
                Err(Failed::Start(said)) => return Err(said),
                Err(Failed::Browser) => (self.browser, self.other) = (None, None),
            }
        }
        Ok((Seen { crash: Some(Crash::Browser), ..Seen::default() }, false))
    }

    fn look_once(&mut self, files: &[PathBuf]) -> Result<(Seen, bool), Failed> {
        let Self { plan, directory, .. } = self;
        let mut open = match self.browser.take() {
            Some(open) => open,
            None => Open::start_either(&plan.browser.clone(), &mut plan.no_sandbox, directory)?,
        };
        let site = || Site::new(&plan.paths, files);
        let (mut seen, mut is_fit) = visit(&mut *open.browser, plan, site()).map_err(lost)?;
        if let Some(words) = plan.checks.other.clone().filter(|_| is_fit) {
            let mut other = match self.other.take() {
                Some(other) => other,
                None => Open::start_either(&words, &mut plan.no_sandbox, directory)?,
            };
            let (_, is_other_fit) = visit(&mut *other.browser, plan, site()).map_err(lost)?;
            if is_other_fit {
                let [one, two] = [&mut open, &mut other].map(|open| browser::window(&mut *open.browser));
                let pictures = one.map_err(lost)?.zip(two.map_err(lost)?);
                let difference =
                    if plan.is_mixed() { Picture::rough_difference } else { Picture::difference };
                seen.difference = pictures.map(|(one, two)| difference(&one, &two));
            }
            is_fit &= is_other_fit;
            self.other = Some(other);
        }
        seen.no_sandbox = plan.no_sandbox;
        self.browser = Some(open);
        Ok((seen, is_fit))
    }

    /// Prepares for the next question: replaces a tab with stored data, and a browser with too much memory.
    fn tidy(&mut self, is_fit: bool) {
        for browser in [&mut self.browser, &mut self.other] {
            let Some(mut open) = browser.take() else { continue };
            if open.tidy(is_fit).is_ok() && !open.has_grown() {
                *browser = Some(open);
            }
        }
    }
}

impl Open {
    /// Starts a browser, without its own sandbox if it cannot be started with it.
    fn start_either(words: &[String], no_sandbox: &mut bool, directory: &Path) -> Result<Self, Failed> {
        *no_sandbox |= rustix::process::geteuid().is_root();
        let started = Self::start(words, *no_sandbox, directory);
        if started.is_ok() || *no_sandbox {
            return started;
        }
        let again = Self::start(words, true, directory);
        *no_sandbox = again.is_ok();
        again
    }

    fn start(words: &[String], no_sandbox: bool, directory: &Path) -> Result<Self, Failed> {
        let browser = browser::start(words, no_sandbox, directory).map_err(Failed::Start)?;
        Ok(Self { browser, pages: 0 })
    }

    /// Replaces the tab if it has stored data.
    fn tidy(&mut self, is_fit: bool) -> io::Result<()> {
        self.pages += 1;
        if is_fit && browser::is_clean(&mut *self.browser)? {
            return Ok(());
        }
        self.browser.replace_tab()
    }

    fn has_grown(&self) -> bool {
        self.pages >= TUNING.most_pages
            || self.pages.is_multiple_of(TUNING.pages) && self.browser.memory() > TUNING.most_memory
    }
}

fn lost(_: io::Error) -> Failed {
    Failed::Browser
}

/// Returns whether a page shows the failure.
fn shows(plan: &Plan, expected: &Expected, seen: &Seen) -> bool {
    let checks = &plan.checks;
    let says = |regex: &String| {
        Regex::new(regex).is_ok_and(|regex| seen.console.iter().any(|said| regex.is_match(&said.text)))
    };
    (!checks.crash || seen.crash.is_some() && seen.crash == expected.crash)
        && checks.console.as_ref().is_none_or(says)
        && (checks.script.is_none() || seen.value.is_some() && seen.value == expected.value)
        && (checks.hang.is_none() || seen.has_hung)
        && (checks.region.is_none() || seen.picture.is_some() && seen.picture == expected.picture)
        && (checks.other.is_none() || plan.is_different(seen))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Checks, Fingerprint, Said};

    fn plan(checks: Checks) -> Plan {
        Plan { checks, ..Plan::default() }
    }

    #[test]
    fn all_that_is_looked_for_has_to_be_there() {
        let crash = Some(Crash::Page("crashed".to_owned(), 11));
        let picture = Some(Fingerprint { size: [1, 2], pixels: 3 });
        let value = Some(Ok(json!([1])));
        let expected = Expected {
            crash: crash.clone(),
            value: value.clone(),
            picture: picture.clone(),
            ..Expected::default()
        };
        let said = Said { text: "Uncaught x".to_owned(), is_uncaught: true };
        let seen = Seen {
            crash,
            console: vec![said],
            has_hung: true,
            value,
            picture,
            difference: Some(0.5),
            ..Seen::default()
        };
        let all = Checks {
            crash: true,
            console: Some("^Uncaught".to_owned()),
            script: Some("[1]".to_owned()),
            hang: Some(std::time::Duration::from_secs(1)),
            region: Some(crate::region::Region::Element("a".to_owned())),
            other: Some(vec!["browser".to_owned()]),
        };
        assert!(shows(&plan(all.clone()), &expected, &seen));
        let other_signal = Some(Crash::Page("crashed".to_owned(), 5));
        for less in [
            Seen { crash: None, ..seen.clone() },
            Seen { crash: other_signal, ..seen.clone() },
            Seen { console: Vec::new(), ..seen.clone() },
            Seen { has_hung: false, ..seen.clone() },
            Seen { value: Some(Err("x".to_owned())), ..seen.clone() },
            Seen { picture: None, ..seen.clone() },
            Seen { difference: Some(0.0), ..seen.clone() },
        ] {
            assert!(!shows(&plan(all.clone()), &expected, &less), "{less:?}");
        }
        assert!(shows(&plan(Checks { crash: true, ..Checks::default() }), &expected, &seen));
    }

    #[test]
    fn a_browser_that_cannot_be_started_is_told() {
        let folder = tempfile::tempdir().expect("a directory");
        let browser = vec!["/bin/sh".to_owned(), "-c".to_owned(), "echo no display >&2; exit 3".to_owned()];
        for expected in [None, Some(Expected::default())] {
            let plan = Plan { browser: browser.clone(), expected, ..Plan::default() };
            let mut answers = Vec::new();
            let question = "{\"id\":7,\"path\":\"/x/page.html\",\"paths\":[\"/x/page.html\"]}\n";
            let server = Server::new(plan.clone(), folder.path().to_owned());
            server.answer(question.as_bytes(), &mut answers).expect("memory takes everything");
            let answer: Value = serde_json::from_slice(&answers).expect("an answer");
            assert_eq!(answer["id"], 7);
            assert!(answer["stderr"].as_str().is_some_and(|said| said.contains("no display")), "{answer}");
            let is_unresolved = answer["verdict"] == "unresolved" && plan.expected.is_some();
            assert!(is_unresolved || answer["exit"] == NO_BROWSER, "{answer}");
        }
    }
}
