//! The server: it is asked by lines about one page after the other, and answers by lines.

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

/// The first word by which a program knows that it is to be such a server.
const WORD: &str = "__browser";
/// The status of a browser that cannot be started.
pub const NO_BROWSER: i32 = 127;

/// The name of the directory beside the candidates that a warden leaves to its server.
const PLACE: &str = "served";

/// The numbers that were tuned.
struct Tuning {
    /// A browser that takes more memory for itself, in bytes, is replaced.
    most_memory: u64,
    /// After so many pages its memory is looked at.
    pages: usize,
    /// A browser is asked about at most so many pages.
    most_pages: usize,
}

const TUNING: Tuning = Tuning { most_memory: 2 << 30, pages: 50, most_pages: 2000 };

/// Returns the words that start a server with this plan: this program's own.
#[must_use]
pub fn words(plan: &Plan) -> Vec<OsString> {
    let plan = serde_json::to_string(plan).unwrap_or_default();
    vec!["/proc/self/exe".into(), WORD.into(), plan.into()]
}

/// Tells whether the arguments of a program ask it to be a server.
#[must_use]
pub fn is_asked_for(mut arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.nth(1).is_some_and(|word| word == WORD)
}

/// Answers the questions on standard input until there are no more.
#[must_use]
pub fn serve(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let plan = arguments.nth(2).and_then(|plan| serde_json::from_str(plan.to_str()?).ok());
    let Some(plan) = plan else { return ExitCode::FAILURE };
    let Ok(directory) = place() else { return ExitCode::FAILURE };
    // A helper that the browser parts with (Firefox has one for crashes) stays as long as the browser does: whoever runs this
    // server may end what is left behind after an answer, and the browser would start it again.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    match Server::new(plan, directory).answer(io::stdin().lock(), io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Makes the directory for what has to outlive a candidate, an empty one: all else that stands beside a candidate may be cleared.
fn place() -> io::Result<PathBuf> {
    let place = std::env::current_dir()?.join(PLACE);
    match std::fs::remove_dir_all(&place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    std::fs::create_dir(&place)?;
    Ok(place)
}

/// A question, as far as it matters here.
#[derive(Debug, Deserialize)]
struct Question {
    id: u64,
    /// The files of the candidate; the page comes first.
    paths: Vec<PathBuf>,
}

/// The server.
struct Server {
    plan: Plan,
    /// Its directory, in which the profiles are.
    directory: PathBuf,
    browser: Option<Open>,
    other: Option<Open>,
}

/// A browser that stays open.
struct Open {
    browser: Box<dyn Browser>,
    pages: usize,
}

/// The reason why nothing was seen.
#[derive(Debug)]
enum Failed {
    /// The browser cannot be started; it says this.
    Start(String),
    /// It has ended.
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
            // Nobody waits now.
            self.tidy(is_fit);
        }
        Ok(())
    }

    /// Looks at a page, and returns the answer. Whether the tab can be used again is told, too.
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

    /// Looks at a page; if the browser ends, a fresh one looks at it again. Two that end are what there is to see.
    ///
    /// # Errors
    /// Returns what the browser says that cannot be started.
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

    /// Gets ready for the next question: a tab in which something was kept is replaced, and so is a browser that has grown.
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

    /// Replaces the tab if something was kept in it.
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

/// Tells whether a page shows all that is looked for.
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
