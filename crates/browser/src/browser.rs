//! A browser that runs, in whatever protocol it speaks: what it can be asked to do, and what it tells.

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

/// The numbers that were tuned.
struct Tuning {
    /// A page that is not looked at any more may take this long to tell what it has kept.
    farewell: Duration,
}

const TUNING: Tuning = Tuning { farewell: Duration::from_millis(500) };

/// The width and the height of the window.
pub(crate) const WINDOW: [u32; 2] = [800, 600];

/// The name of the world beside a page's own, in which the page is asked.
pub(crate) const WORLD: &str = "nubbin";

/// Calls `nubbinSettled` when the first frame after loading is there. It runs before the scripts of a page, beside them.
pub(crate) const SETTLED: &str = "if (top === window) {
  const drawn = () => requestAnimationFrame(() => setTimeout(() => nubbinSettled('')));
  if (document.readyState === 'complete') drawn(); else addEventListener('load', drawn, { once: true });
}";

/// Tells whether a page has kept something that a next one would see. The history may have the empty page of a new tab, too.
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

/// A command of a protocol: its name, and its values.
pub(crate) type Command = (&'static str, Value);

/// Something that a page is asked, or that is done with it.
#[derive(Debug)]
pub(crate) enum Ask<'a> {
    /// Any answer shows that the page's main thread does not hang.
    Ping,
    /// The value of an expression in the page's own world.
    Value(&'a str),
    /// The value of an expression in a world beside the page's own.
    Beside(&'a str),
    /// A picture of a part of the page: left, top, width and height in pixels.
    Part([f64; 4]),
    /// A picture of the window.
    Window,
    /// The pointer moves to a place in the window, and may click there.
    Point { to: [f64; 2], clicks: bool },
    /// A key is pressed and released, by its name with modifiers before it.
    Key(&'a str),
    /// A text is typed.
    Type(&'a str),
    /// The wheel turns by so many pixels, to the right and down.
    Scroll(i32, i32),
}

/// Something that a browser tells.
#[derive(Debug)]
pub(crate) enum Heard {
    /// The answer to the command of this number, or the reason why it failed.
    Answer(u64, Result<Value, String>),
    /// The page is loaded.
    Loaded,
    /// The first frame after loading is there.
    Settled,
    /// The console shows a line.
    Said { text: String, is_uncaught: bool },
    /// A request waits for a response: the name by which the browser knows it, and its address.
    Request(Value, String),
    /// The page has opened another window.
    Opened,
    /// The page's process has ended.
    Crashed(Crash),
    /// Nothing of interest.
    Nothing,
}

/// A browser with a tab, in which one page after the other is loaded.
pub(crate) trait Browser {
    /// Begins to load a page.
    ///
    /// # Errors
    /// Returns an error if the browser has ended.
    fn load(&mut self, address: &str) -> io::Result<()>;

    /// Returns the commands that have something done, one after the other. The last one's result is the answer.
    fn commands(&self, ask: &Ask<'_>) -> Vec<Command>;

    /// Sends a command to the page, and returns its number.
    ///
    /// # Errors
    /// Returns an error if the browser has ended.
    fn send(&mut self, command: &Command) -> io::Result<u64>;

    /// Waits for what it tells next; `None` if that is nothing until the end.
    ///
    /// # Errors
    /// Returns an error if the browser has ended, or does not do what it was told.
    fn receive(&mut self, end: Option<Instant>) -> io::Result<Option<Heard>>;

    /// Responds to a request of the page.
    ///
    /// # Errors
    /// Returns an error if the browser has ended.
    fn respond(&mut self, request: &Value, response: &Response) -> io::Result<()>;

    /// Returns what an evaluated expression comes to.
    fn outcome(&self, evaluated: &Value) -> Outcome;

    /// Tells whether there is a world beside that of the last page.
    fn has_world(&self) -> bool;

    /// Replaces the tab with all that was kept in it.
    ///
    /// # Errors
    /// Returns an error if the browser cannot go on.
    fn replace_tab(&mut self) -> io::Result<()>;

    /// Returns how much memory all of its processes have for themselves, about, in bytes.
    fn memory(&self) -> u64;
}

/// The kinds of browsers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It speaks the protocol of the developer tools, over pipes.
    Chromium,
    /// It speaks WebDriver BiDi, over a port.
    Firefox,
}

impl Kind {
    /// Returns the kind of a browser by the words that start it: a name with `firefox` in it before the first option, or behind a
    /// link of one.
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

/// Starts a browser with a profile in `directory`, without its own sandbox if need be.
///
/// # Errors
/// Returns what the browser says.
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

/// Returns the picture of the window, for a browser that shows the same page as another one.
///
/// # Errors
/// Returns an error if the browser has ended, or does not do it.
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

/// Tells whether the page that was looked at has kept nothing that a next one would see.
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

/// Decodes a picture as both protocols send it.
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
