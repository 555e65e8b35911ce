//! Controls Firefox with WebDriver BiDi over a WebSocket.
//!
//! It uses one user context with one tab, in which one page after another is loaded. Firefox does not support
//! pipes, so a loopback network is required.

mod console;
mod input;
mod profile;
mod socket;

use crate::browser::{Ask, Browser, Command, Heard, SETTLED, WINDOW, WORLD};
use crate::plan::{Crash, Outcome};
use crate::process::{self, Process};
use crate::site::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use socket::{Came, Lines, Message, Socket};
use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::process::{Command as Program, Stdio};
use std::time::{Duration, Instant};

/// Tuned constants.
struct Tuning {
    /// A browser that is not ready after this time is started once more. The start usually takes two seconds,
    /// or ten on a busy machine.
    start: Duration,
    /// How long a page can take to prove that the process that ended was not its process.
    doubt: Duration,
    /// The time limit for an answer of the page before the tab is replaced, because an unresponsive page
    /// blocks the opening of another tab.
    answer: Duration,
}

const TUNING: Tuning = Tuning {
    start: Duration::from_secs(20),
    doubt: Duration::from_secs(2),
    answer: Duration::from_millis(300),
};

/// The arguments after the name of the browser, before its profile.
const FLAGS: [&str; 4] = ["--headless", "--no-remote", "--remote-debugging-port=0", "--profile"];

/// The prefix of the line with the address of the browser.
const LISTENS: &str = "WebDriver BiDi listening on ";

/// The events that are subscribed to.
const EVENTS: [&str; 7] = [
    "browsingContext.contextCreated",
    "browsingContext.load",
    "browsingContext.navigationFailed",
    "browsingContext.navigationStarted",
    "log.entryAdded",
    "network.beforeRequestSent",
    "script.message",
];

#[derive(Debug)]
pub(crate) struct Firefox {
    process: Process,
    socket: Socket,
    tab: Tab,
    /// The documents of earlier pages, whose messages are ignored.
    past: HashSet<String>,
    /// The documents that have sent messages since then.
    present: HashSet<String>,
    /// A process that has ended and can be that of the page, until the page has answered.
    doubt: Option<Doubt>,
}

#[derive(Debug, Default)]
struct Tab {
    user: String,
    context: String,
    /// The contexts of the page and its frames.
    frames: HashSet<String>,
    /// The number of the navigation command, and the navigations started by it and by the page itself.
    navigation: u64,
    navigations: Vec<String>,
    /// The navigations that ended before the navigation of the command was known.
    ended: Vec<String>,
}

/// A process that has ended and can be that of the page.
#[derive(Debug)]
struct Doubt {
    crash: Crash,
    question: u64,
    end: Instant,
}

impl Firefox {
    /// Starts a browser with a new profile in `directory`.
    ///
    /// # Errors
    /// Returns the output of the browser.
    pub fn start(words: &[String], no_sandbox: bool, directory: &Path) -> Result<Self, String> {
        match Self::start_once(words, no_sandbox, directory) {
            Err((error, _)) if error.kind() == io::ErrorKind::TimedOut => {
                Self::start_once(words, no_sandbox, directory)
            }
            started => started,
        }
        .map_err(|(error, said)| format!("{said}\n{error}").trim().to_owned())
    }

    /// Starts the browser once. On failure, returns the error and the output of the browser.
    fn start_once(words: &[String], no_sandbox: bool, directory: &Path) -> Result<Self, (io::Error, String)> {
        let end = Instant::now() + TUNING.start;
        let (process, mut lines) =
            launch(words, no_sandbox, directory).map_err(|error| (error, String::new()))?;
        let address = match lines.find(LISTENS, end) {
            Ok(address) => address,
            Err(error) => return Err((error, lines.said)),
        };
        let mut socket =
            Socket::connect(&address, lines, end).map_err(|(error, lines)| (error, lines.said))?;
        let tab = begin(&mut socket, end).map_err(|error| (error, socket.said().to_owned()))?;
        let (past, present) = (HashSet::new(), HashSet::new());
        Ok(Self { process, socket, tab, past, present, doubt: None })
    }
}

fn launch(words: &[String], no_sandbox: bool, directory: &Path) -> io::Result<(Process, Lines)> {
    let Some((first, rest)) = words.split_first() else { return Err(io::ErrorKind::InvalidInput.into()) };
    let profile = process::profile(directory)?;
    profile::write(profile.path())?;
    let (said, its_said) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let mut program = Program::new(first);
    program
        .args(rest)
        .args(FLAGS)
        .arg(profile.path())
        .env("MOZ_CRASHREPORTER_DISABLE", "1")
        .env("HOME", profile::home(profile.path())?)
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_CACHE_HOME")
        // Without this, desktop settings would be stored outside the profile.
        .env("GSETTINGS_BACKEND", "memory")
        .envs(no_sandbox.then_some(("MOZ_DISABLE_CONTENT_SANDBOX", "1")))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::from(its_said));
    Ok((Process::start(program, profile)?, Lines::new(said)))
}

/// Starts a session in which all requests wait for a response, and opens a tab.
fn begin(socket: &mut Socket, end: Instant) -> io::Result<Tab> {
    // Dialogs are closed, since there is no user.
    let prompts = json!({ "default": "accept", "file": "dismiss" });
    let wanted = json!({ "alwaysMatch": { "unhandledPromptBehavior": prompts } });
    call(socket, end, "session.new", &json!({ "capabilities": wanted }))?;
    call(socket, end, "session.subscribe", &json!({ "events": EVENTS }))?;
    call(socket, end, "network.addIntercept", &json!({ "phases": ["beforeRequestSent"] }))?;
    call(socket, end, "network.setCacheBehavior", &json!({ "cacheBehavior": "bypass" }))?;
    let settled = format!("nubbinSettled => {{ {SETTLED} }}");
    let channel = json!({ "type": "channel", "value": { "channel": "settled" } });
    let script = json!({ "functionDeclaration": settled, "arguments": [channel], "sandbox": WORLD });
    call(socket, end, "script.addPreloadScript", &script)?;
    Tab::open(socket, end)
}

impl Tab {
    /// Opens a tab in a new user context.
    ///
    /// # Errors
    /// Returns an error if the browser has ended, or a command failed.
    fn open(socket: &mut Socket, end: Instant) -> io::Result<Self> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let user = text(&call(socket, end, "browser.createUserContext", &json!({}))?["userContext"]);
        let downloads = json!({ "downloadBehavior": { "type": "denied" }, "userContexts": [user] });
        call(socket, end, "browser.setDownloadBehavior", &downloads)?;
        let place = json!({ "type": "tab", "userContext": user });
        let context = text(&call(socket, end, "browsingContext.create", &place)?["context"]);
        let [width, height] = WINDOW;
        let size = json!({ "width": width, "height": height });
        let window = json!({ "context": context, "viewport": size, "devicePixelRatio": 1 });
        call(socket, end, "browsingContext.setViewport", &window)?;
        let frames = [context.clone()].into();
        Ok(Self { user, context, frames, ..Self::default() })
    }
}

impl Browser for Firefox {
    fn load(&mut self, address: &str) -> io::Result<()> {
        self.past.extend(self.present.drain());
        self.doubt = None;
        let tab = &mut self.tab;
        tab.frames.retain(|frame| *frame == tab.context);
        tab.navigations.clear();
        tab.ended.clear();
        let place = json!({ "context": tab.context, "url": address, "wait": "none" });
        tab.navigation = self.socket.send("browsingContext.navigate", &place)?;
        Ok(())
    }

    fn commands(&self, ask: &Ask<'_>) -> Vec<Command> {
        let context = self.tab.context.as_str();
        let evaluate = |script: &str, target: Value| {
            let asked = json!({ "expression": script, "target": target, "awaitPromise": true });
            ("script.evaluate", asked)
        };
        let beside = json!({ "context": context, "sandbox": WORLD });
        let shot = |mut asked: Value| {
            asked["context"] = context.into();
            ("browsingContext.captureScreenshot", asked)
        };
        vec![match ask {
            Ask::Ping => evaluate("0", beside),
            Ask::Value(script) => evaluate(script, json!({ "context": context })),
            Ask::Beside(script) => evaluate(script, beside),
            Ask::Part([x, y, width, height]) => {
                let clip = json!({ "type": "box", "x": x, "y": y, "width": width, "height": height });
                shot(json!({ "origin": "document", "clip": clip }))
            }
            Ask::Window => shot(json!({ "origin": "viewport" })),
            Ask::Point { to, clicks } => input::point(context, *to, *clicks),
            Ask::Key(name) => input::press(context, name),
            Ask::Type(text) => input::text(context, text),
            Ask::Scroll(right, down) => input::scroll(context, *right, *down),
        }]
    }

    fn send(&mut self, (method, params): &Command) -> io::Result<u64> {
        self.socket.send(method, params)
    }

    fn receive(&mut self, end: Option<Instant>) -> io::Result<Option<Heard>> {
        let until = match (&self.doubt, end) {
            (Some(doubt), Some(end)) => Some(doubt.end.min(end)),
            (Some(doubt), None) => Some(doubt.end),
            (None, end) => end,
        };
        let came = self.socket.receive(until)?;
        if let Some(doubt) = self.doubt.take_if(|doubt| came.is_none() && Instant::now() >= doubt.end) {
            return Ok(Some(Heard::Crashed(doubt.crash)));
        }
        match came {
            Some(Came::Message(message)) => Ok(Some(self.hear(message))),
            Some(Came::Line(line)) => self.read(&line).map(Some),
            None => Ok(None),
        }
    }

    fn respond(&mut self, request: &Value, response: &Response) -> io::Result<()> {
        let found = |code: u32, kind: &str, content: &[u8]| {
            let header = |name: &str, value: &str| json!({ "name": name, "value": { "type": "string", "value": value } });
            let headers = [header("Content-Type", kind), header("Cache-Control", "no-store")];
            let body = json!({ "type": "base64", "value": BASE64.encode(content) });
            let phrase = if code == 200 { "OK" } else { "Not Found" };
            json!({ "request": request, "statusCode": code, "reasonPhrase": phrase, "headers": headers, "body": body })
        };
        let command = match response {
            Response::File(content, kind) => ("network.provideResponse", found(200, kind, content)),
            Response::Missing(_) => ("network.provideResponse", found(404, "text/plain", b"")),
            Response::Elsewhere => ("network.failRequest", json!({ "request": request })),
        };
        self.send(&command).map(drop)
    }

    fn outcome(&self, evaluated: &Value) -> Outcome {
        console::outcome(evaluated)
    }

    fn has_world(&self) -> bool {
        true
    }

    fn replace_tab(&mut self) -> io::Result<()> {
        // The browser cannot open a tab while a page is unresponsive.
        let question = self.send(&self.commands(&Ask::Ping)[0])?;
        let end = Instant::now() + TUNING.answer;
        loop {
            match self.receive(Some(end))? {
                Some(Heard::Answer(answered, _)) if answered == question => break,
                Some(_) if Instant::now() < end => {}
                _ => return Err(io::Error::other("the page does not answer")),
            }
        }
        let end = Instant::now() + TUNING.start;
        let fresh = Tab::open(&mut self.socket, end)?;
        let Tab { user, .. } = std::mem::replace(&mut self.tab, fresh);
        call(&mut self.socket, end, "browser.removeUserContext", &json!({ "userContext": user }))?;
        Ok(())
    }

    fn memory(&self) -> u64 {
        self.process.memory()
    }
}

impl Firefox {
    /// Handles a line of standard error, which can report that a process has ended, but not which one.
    fn read(&mut self, line: &str) -> io::Result<Heard> {
        if let (Some(crash), None) = (ended(line), &self.doubt) {
            let question = self.send(&self.commands(&Ask::Ping)[0])?;
            self.doubt = Some(Doubt { crash, question, end: Instant::now() + TUNING.doubt });
        }
        Ok(Heard::Nothing)
    }

    /// Handles a message of the browser.
    fn hear(&mut self, message: Message) -> Heard {
        let Message { id, method, params, result, error, words } = message;
        if let Some(id) = id {
            let result = error.map_or(Ok(result), |error| Err(format!("{error}: {words}")));
            return self.answered(id, result);
        }
        let own = |context: &Value| context.as_str().is_some_and(|context| self.tab.frames.contains(context));
        let is_top = params["context"] == self.tab.context.as_str();
        match method.as_str() {
            // This includes requests of windows that the page has opened.
            "network.beforeRequestSent" if params["isBlocked"] == true => {
                let url = params["request"]["url"].as_str().unwrap_or_default().to_owned();
                Heard::Request(params["request"]["request"].clone(), url)
            }
            "log.entryAdded" if own(&params["source"]["context"]) => {
                let realm = params["source"]["realm"].as_str().unwrap_or_default();
                if self.past.contains(realm) {
                    return Heard::Nothing;
                }
                self.present.insert(realm.to_owned());
                console::entered(&params)
            }
            "script.message" if params["source"]["context"] == self.tab.context.as_str() => Heard::Settled,
            "browsingContext.contextCreated" if own(&params["parent"]) => {
                self.tab.frames.extend(params["context"].as_str().map(str::to_owned));
                Heard::Nothing
            }
            "browsingContext.contextCreated" if params["parent"].is_null() && !is_top => Heard::Opened,
            "browsingContext.load" if is_top => {
                self.tab.end(params["navigation"].as_str().unwrap_or_default())
            }
            // Navigating to another page cancels the first navigation.
            "browsingContext.navigationFailed"
                if is_top
                    && self
                        .tab
                        .navigations
                        .last()
                        .is_some_and(|last| params["navigation"] == last.as_str()) =>
            {
                Heard::Loaded
            }
            "browsingContext.navigationStarted" if is_top && !self.tab.navigations.is_empty() => {
                self.tab.navigations.extend(params["navigation"].as_str().map(str::to_owned));
                Heard::Nothing
            }
            _ => Heard::Nothing,
        }
    }

    fn answered(&mut self, id: u64, result: Result<Value, String>) -> Heard {
        if id == self.tab.navigation {
            return self.tab.begun(result);
        }
        let Some(doubt) = self.doubt.take_if(|doubt| doubt.question == id) else {
            return Heard::Answer(id, result);
        };
        // A page whose process has ended cannot answer.
        if result.is_err() { Heard::Crashed(doubt.crash) } else { Heard::Nothing }
    }
}

impl Tab {
    /// Handles the answer to the navigation command. If it failed, the page has nothing to show.
    fn begun(&mut self, result: Result<Value, String>) -> Heard {
        let Some(navigation) =
            result.ok().and_then(|result| result["navigation"].as_str().map(str::to_owned))
        else {
            return Heard::Loaded;
        };
        let has_ended = self.ended.contains(&navigation);
        self.navigations.push(navigation);
        if has_ended { Heard::Loaded } else { Heard::Nothing }
    }

    /// Records the end of a navigation. A page can navigate to another document.
    fn end(&mut self, navigation: &str) -> Heard {
        if self.navigations.iter().any(|own| own == navigation) {
            return Heard::Loaded;
        }
        self.ended.push(navigation.to_owned());
        Heard::Nothing
    }
}

/// Returns how a process ended, from a line such as `… process 123 exited on signal 11: …`.
fn ended(line: &str) -> Option<Crash> {
    let (_, after) = line.split_once(": process ")?;
    let (_, how) = after.split_once(" exited ")?;
    let number =
        |text: &str| text.split(|c: char| !c.is_ascii_digit()).next().and_then(|number| number.parse().ok());
    match how.strip_prefix("on signal ") {
        Some(signal) => Some(Crash::Page("crashed".to_owned(), number(signal)?)),
        None => Some(Crash::Page("exited".to_owned(), number(how.strip_prefix("with status ")?)?)),
    }
}

/// Sends a command, and waits for its result. Requests received during the wait are ignored, as are other
/// messages.
///
/// # Errors
/// Returns an error if the browser has ended, or the command has not succeeded until `end`.
fn call(socket: &mut Socket, end: Instant, method: &str, params: &Value) -> io::Result<Value> {
    let number = socket.send(method, params)?;
    loop {
        let came = socket.receive(Some(end))?;
        let Came::Message(message) = came.ok_or(io::ErrorKind::TimedOut)? else { continue };
        if message.id == Some(number) {
            return match message.error {
                None => Ok(message.result),
                Some(error) => Err(io::Error::other(format!("{method}: {error}: {}", message.words))),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_process_is_told_by_a_line() {
        let line =
            "[Parent 17462, IPC I/O Parent] WARNING: process 17645 exited on signal 11: file ipc/x.cc:161";
        assert_eq!(ended(line), Some(Crash::Page("crashed".to_owned(), 11)));
        let line = "[Parent 1, IPC I/O Parent] WARNING: process 2 exited with status 3: file ipc/x.cc:161";
        assert_eq!(ended(line), Some(Crash::Page("exited".to_owned(), 3)));
        assert_eq!(ended("console.log: process 2 exited"), None);
    }

    #[test]
    fn a_page_is_loaded_whichever_is_told_first() {
        let mut tab = Tab::default();
        let answer = Ok(json!({ "navigation": "n2", "url": "http://localhost/x" }));
        assert!(matches!(tab.end("n1"), Heard::Nothing), "an earlier page's");
        assert!(matches!(tab.end("n2"), Heard::Nothing));
        assert!(matches!(tab.begun(answer.clone()), Heard::Loaded));
        let mut tab = Tab::default();
        assert!(matches!(tab.begun(answer), Heard::Nothing));
        assert!(matches!(tab.end("n1"), Heard::Nothing));
        assert!(matches!(tab.end("n2"), Heard::Loaded));
        assert!(matches!(Tab::default().begun(Err("unknown error".to_owned())), Heard::Loaded));
    }
}
