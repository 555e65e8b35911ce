//! The interface to a running browser, independent of its protocol: requests and notifications.

use crate::chromium::Chromium;
use crate::firefox::Firefox;
use crate::picture::Picture;
use crate::plan::{Crash, Outcome};
use crate::site::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// Tuned constants.
struct Tuning {
    /// The time limit for the question whether a page has stored data.
    farewell: Duration,
}

const TUNING: Tuning = Tuning { farewell: Duration::from_millis(500) };

/// The width and the height of the window, in pixels.
pub(crate) const WINDOW: [u32; 2] = [800, 600];

/// The name of the isolated JavaScript world in which scripts of this crate run.
pub(crate) const WORLD: &str = "nubbin";

/// Calls `nubbinSettled` after the first frame that follows loading. It runs before the scripts of the page,
/// in the isolated world.
pub(crate) const SETTLED: &str = "if (top === window) {
  const drawn = () => requestAnimationFrame(() => setTimeout(() => nubbinSettled('')));
  if (document.readyState === 'complete') drawn(); else addEventListener('load', drawn, { once: true });
}";

/// Returns whether a page has stored data that the next page could read. The history can also contain the
/// empty page of a new tab.
const KEPT: &str = "(async () => {
  const some = list => list.length > 0;
  if (document.cookie || name || history.length > 2 || history.state !== null) return true;
  if (some(localStorage) || some(sessionStorage)) return true;
  const found = await Promise.all([
    indexedDB.databases(), caches.keys(), navigator.serviceWorker.getRegistrations(),
    navigator.locks.query().then(locks => [...locks.held, ...locks.pending]),
  ]);
  return found.some(some);
})()";

/// A command of a protocol: its name and its parameters.
pub(crate) type Command = (&'static str, Value);

/// A request to a page.
#[derive(Debug)]
pub(crate) enum Ask<'a> {
    /// Any answer shows that the main thread of the page responds.
    Ping,
    /// The value of an expression in the JavaScript world of the page.
    Value(&'a str),
    /// The value of an expression in the isolated world.
    Beside(&'a str),
    /// A screenshot of a part of the page: left, top, width and height in pixels.
    Part([f64; 4]),
    /// A screenshot of the window.
    Window,
    /// Moves the pointer to a position in the window, and optionally clicks.
    Point { to: [f64; 2], clicks: bool },
    /// Presses and releases a key, given by its name with preceding modifiers.
    Key(&'a str),
    /// Types a text.
    Type(&'a str),
    /// Scrolls by this many pixels, to the right and down.
    Scroll(i32, i32),
}

/// A notification of a browser.
#[derive(Debug)]
pub(crate) enum Heard {
    /// The answer to the command with this number, or the reason of its failure.
    Answer(u64, Result<Value, String>),
    /// The page has been loaded.
    Loaded,
    /// The first frame after loading has been drawn.
    Settled,
    /// A line was written to the console.
    Said { text: String, is_uncaught: bool },
    /// A request waits for a response: its identifier in the protocol, and its address.
    Request(Value, String),
    /// The page has opened another window.
    Opened,
    /// The process of the page has ended.
    Crashed(Crash),
    /// The notification is not relevant.
    Nothing,
}

/// A browser with a tab, in which one page after another is loaded.
pub(crate) trait Browser {
    /// Starts loading a page.
    ///
    /// # Errors
    /// Returns an error if the browser has ended.
    fn load(&mut self, address: &str) -> io::Result<()>;

    /// Returns the commands for a request, in order. The result of the last one is the answer.
    fn commands(&self, ask: &Ask<'_>) -> Vec<Command>;

    /// Sends a command to the page, and returns its number.
    ///
    /// # Errors
    /// Returns an error if the browser has ended.
    fn send(&mut self, command: &Command) -> io::Result<u64>;

    /// Waits for the next notification; `None` if there is none until `end`.
    ///
    /// # Errors
    /// Returns an error if the browser has ended, or a command failed.
    fn receive(&mut self, end: Option<Instant>) -> io::Result<Option<Heard>>;

    /// Responds to a request of the page.
    ///
    /// # Errors
    /// Returns an error if the browser has ended.
    fn respond(&mut self, request: &Value, response: &Response) -> io::Result<()>;

    /// Returns the result of an evaluated expression.
    fn outcome(&self, evaluated: &Value) -> Outcome;

    /// Returns whether the last page has an isolated world.
    fn has_world(&self) -> bool;

    /// Replaces the tab and its stored data.
    ///
    /// # Errors
    /// Returns an error if the browser cannot continue.
    fn replace_tab(&mut self) -> io::Result<()>;

    /// Returns the approximate amount of private memory of all its processes, in bytes.
    fn memory(&self) -> u64;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It uses the protocol of the developer tools, over pipes.
    Chromium,
    /// It uses WebDriver BiDi, over a TCP port.
    Firefox,
}

impl Kind {
    /// Returns the kind of a browser from its command: Firefox, if a word before the first option, or the
    /// target of a link there, contains `firefox`.
    pub fn of(words: &[String]) -> Self {
        let is_name = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.to_lowercase().contains("firefox")
        };
        let mut names = words.iter().take_while(|word| !word.starts_with('-')).map(Path::new);
        let is_firefox =
            names.any(|name| is_name(name) || name.canonicalize().is_ok_and(|name| is_name(&name)));
        if is_firefox { Self::Firefox } else { Self::Chromium }
    }
}

/// Starts a browser with a profile in `directory`, optionally without its own sandbox.
///
/// # Errors
/// Returns the output of the browser.
pub(crate) fn start(
    words: &[String],
    no_sandbox: bool,
    directory: &Path,
) -> Result<Box<dyn Browser>, String> {
    match Kind::of(words) {
        Kind::Chromium => Ok(Box::new(Chromium::start(words, no_sandbox, directory)?)),
        Kind::Firefox => Ok(Box::new(Firefox::start(words, no_sandbox, directory)?)),
    }
}

/// Returns a screenshot of the window, for a browser that shows the same page as another one.
///
/// # Errors
/// Returns an error if the browser has ended, or the command failed.
pub(crate) fn window(browser: &mut dyn Browser) -> io::Result<Option<Picture>> {
    let mut shot = Value::Null;
    for command in browser.commands(&Ask::Window) {
        let number = browser.send(&command)?;
        shot = loop {
            match browser.receive(None)? {
                Some(Heard::Answer(answered, result)) if answered == number => {
                    break result.map_err(|error| io::Error::other(format!("{}: {error}", command.0)))?;
                }
                _ => {}
            }
        };
    }
    Ok(picture(&shot))
}

/// Returns whether the last page has stored no data that the next page could read.
///
/// # Errors
/// Returns an error if the browser has ended.
pub(crate) fn is_clean(browser: &mut dyn Browser) -> io::Result<bool> {
    if !browser.has_world() {
        return Ok(false);
    }
    let end = Instant::now() + TUNING.farewell;
    let mut number = 0;
    for command in browser.commands(&Ask::Beside(KEPT)) {
        number = browser.send(&command)?;
    }
    while let Some(heard) = browser.receive(Some(end))? {
        match heard {
            Heard::Answer(answered, result) if answered == number => {
                return Ok(result.is_ok_and(|result| browser.outcome(&result) == Ok(json!(false))));
            }
            Heard::Request(id, _) => browser.respond(&id, &Response::Elsewhere)?,
            Heard::Crashed(_) => return Ok(false),
            _ => {}
        }
        if Instant::now() >= end {
            break;
        }
    }
    Ok(false)
}

/// Decodes a screenshot in the form of both protocols.
pub(crate) fn picture(shot: &Value) -> Option<Picture> {
    Picture::decode(&BASE64.decode(shot["data"].as_str()?).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_browser_is_told_by_its_name() {
        let kind = |words: &str| Kind::of(&words.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(kind("chromium"), Kind::Chromium);
        assert_eq!(kind("chromium --user-agent=firefox"), Kind::Chromium);
        assert_eq!(kind("/opt/firefox/chromium"), Kind::Chromium);
        assert_eq!(kind("firefox-esr"), Kind::Firefox);
        assert_eq!(kind("env A=b /opt/Firefox-nightly -P x"), Kind::Firefox);
        let folder = tempfile::tempdir().expect("a directory");
        let (program, link) = (folder.path().join("firefox"), folder.path().join("www-browser"));
        std::fs::write(&program, "").expect("a file");
        std::os::unix::fs::symlink(&program, &link).expect("a link");
        assert_eq!(Kind::of(&[link.display().to_string()]), Kind::Firefox);
    }
}
