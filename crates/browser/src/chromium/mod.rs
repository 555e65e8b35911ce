//! Controls a browser of the Chromium family with the protocol of the developer tools, over two pipes.
//!
//! It uses one context with one tab, in which one page after another is loaded.

mod console;
mod input;
mod pipe;

use crate::browser::{Ask, Browser, Command, Heard, SETTLED, WINDOW, WORLD};
use crate::plan::{Crash, Outcome};
use crate::process::{self, Process};
use crate::site::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use console::{entered, outcome, said, thrown};
use pipe::{Message, Pipe};
use serde_json::{Value, json};
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command as Program, Stdio};
use std::time::Instant;

/// Disables features that take time but are not needed by a page: the address bar of a window contains
/// separate pages, and a spare renderer is started for pages of other sites.
const FEATURES: &str = "--disable-features=Translate,OptimizationHints,MediaRouter,WebUIOmniboxPopup,\
                        WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,PreloadTopChromeWebUI,SpareRendererForSitePerProcess,\
                        BackForwardCache";

/// The other arguments after the name of the browser.
const FLAGS: [&str; 21] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-default-apps",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-client-side-phishing-detection",
    "--disable-hang-monitor",
    "--disable-popup-blocking",
    "--disable-renderer-backgrounding",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--mute-audio",
    "--password-store=basic",
];

#[derive(Debug)]
pub(crate) struct Chromium {
    process: Process,
    pipe: Pipe,
    tab: Tab,
    /// The number of the navigation, and the documents created by it and by the page itself.
    navigation: u64,
    documents: Vec<String>,
    /// The isolated world.
    world: Option<u64>,
}

#[derive(Debug)]
struct Tab {
    context: String,
    target: String,
    session: String,
}

impl Chromium {
    /// Starts a browser with a new profile in `directory`.
    ///
    /// # Errors
    /// Returns the output of the browser.
    pub fn start(words: &[String], no_sandbox: bool, directory: &Path) -> Result<Self, String> {
        let (process, said, mut pipe) =
            launch(words, no_sandbox, directory).map_err(|error| error.to_string())?;
        let discover = json!({ "discover": true });
        let ready = call(&mut pipe, None, "Target.setDiscoverTargets", &discover);
        match ready.and_then(|_| Tab::open(&mut pipe)) {
            Ok(tab) => Ok(Self { process, pipe, tab, navigation: 0, documents: Vec::new(), world: None }),
            Err(error) => Err(format!("{}\n{error}", process::tail(&said)).trim().to_owned()),
        }
    }
}

fn launch(words: &[String], no_sandbox: bool, directory: &Path) -> io::Result<(Process, File, Pipe)> {
    let profile = process::profile(directory)?;
    let said = tempfile::tempfile_in(directory)?;
    let (its_commands, commands) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let (events, its_events) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    // A shell moves the pipes to the descriptors that the browser expects.
    let mut program = Program::new("/bin/sh");
    program
        .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null", "sh"])
        .args(words)
        .args(FLAGS)
        .arg(FEATURES)
        .args(no_sandbox.then_some("--no-sandbox"))
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .stdin(Stdio::from(its_commands))
        .stdout(Stdio::from(its_events))
        .stderr(said.try_clone()?);
    Ok((Process::start(program, profile)?, said, Pipe::new(commands, events)))
}

impl Tab {
    /// Opens a tab in a new context.
    ///
    /// # Errors
    /// Returns an error if the browser has ended, or a command failed.
    fn open(pipe: &mut Pipe) -> io::Result<Self> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let made = call(pipe, None, "Target.createBrowserContext", &json!({ "disposeOnDetach": true }))?;
        let context = text(&made["browserContextId"]);
        let place = json!({ "url": "about:blank", "browserContextId": context });
        let target = text(&call(pipe, None, "Target.createTarget", &place)?["targetId"]);
        let whole = json!({ "targetId": target, "flatten": true });
        let session = text(&call(pipe, None, "Target.attachToTarget", &whole)?["sessionId"]);
        let [width, height] = WINDOW;
        let commands = [
            ("Page.enable", json!({})),
            ("Page.setLifecycleEventsEnabled", json!({ "enabled": true })),
            ("Runtime.enable", json!({})),
            ("Log.enable", json!({})),
            ("Network.enable", json!({ "maxTotalBufferSize": 0 })),
            ("Network.setCacheDisabled", json!({ "cacheDisabled": true })),
            ("Network.setBypassServiceWorker", json!({ "bypass": true })),
            ("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] })),
            ("Runtime.addBinding", json!({ "name": "nubbinSettled", "executionContextName": WORLD })),
            ("Page.addScriptToEvaluateOnNewDocument", json!({ "source": SETTLED, "worldName": WORLD })),
            (
                "Emulation.setDeviceMetricsOverride",
                json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false }),
            ),
        ];
        for (method, params) in &commands {
            pipe.send(Some(&session), method, params)?;
        }
        let downloads = json!({ "behavior": "deny", "browserContextId": context });
        call(pipe, None, "Browser.setDownloadBehavior", &downloads)?;
        // Commands are executed in order, so the previous ones have been executed now.
        call(pipe, Some(&session), "Runtime.evaluate", &json!({ "expression": "0" }))?;
        Ok(Self { context, target, session })
    }
}

impl Browser for Chromium {
    fn load(&mut self, address: &str) -> io::Result<()> {
        self.documents.clear();
        self.world = None;
        self.navigation = self.send(&("Page.navigate", json!({ "url": address })))?;
        Ok(())
    }

    fn commands(&self, ask: &Ask<'_>) -> Vec<Command> {
        let evaluate =
            |script: &str| json!({ "expression": script, "awaitPromise": true, "returnByValue": true });
        let shot = json!({ "format": "png", "optimizeForSpeed": true });
        match ask {
            Ask::Ping => vec![("Runtime.evaluate", json!({ "expression": "0" }))],
            Ask::Value(script) => vec![("Runtime.evaluate", evaluate(script))],
            Ask::Beside(script) => {
                let mut asked = evaluate(script);
                if let Some(world) = self.world {
                    asked["contextId"] = world.into();
                }
                vec![("Runtime.evaluate", asked)]
            }
            Ask::Part([x, y, width, height]) => {
                let mut part = shot;
                part["captureBeyondViewport"] = true.into();
                part["clip"] = json!({ "x": x, "y": y, "width": width, "height": height, "scale": 1 });
                vec![("Page.captureScreenshot", part)]
            }
            Ask::Window => vec![("Page.captureScreenshot", shot)],
            Ask::Point { to, clicks } => input::point(*to, *clicks),
            Ask::Key(name) => input::press(name),
            Ask::Type(text) => vec![("Input.insertText", json!({ "text": text }))],
            Ask::Scroll(right, down) => vec![input::scroll(*right, *down)],
        }
    }

    fn send(&mut self, (method, params): &Command) -> io::Result<u64> {
        self.pipe.send(Some(&self.tab.session), method, params)
    }

    fn receive(&mut self, end: Option<Instant>) -> io::Result<Option<Heard>> {
        self.pipe.receive(end)?.map(|message| self.hear(message)).transpose()
    }

    fn respond(&mut self, request: &Value, response: &Response) -> io::Result<()> {
        let found = |code: u32, kind: &str, content: &[u8]| {
            let headers = json!([
                { "name": "Content-Type", "value": kind },
                { "name": "Cache-Control", "value": "no-store" },
            ]);
            let body = BASE64.encode(content);
            json!({ "requestId": request, "responseCode": code, "responseHeaders": headers, "body": body })
        };
        let command = match response {
            Response::File(content, kind) => ("Fetch.fulfillRequest", found(200, kind, content)),
            Response::Missing(_) => ("Fetch.fulfillRequest", found(404, "text/plain", b"")),
            Response::Elsewhere => {
                ("Fetch.failRequest", json!({ "requestId": request, "errorReason": "NameNotResolved" }))
            }
        };
        self.send(&command).map(drop)
    }

    fn outcome(&self, evaluated: &Value) -> Outcome {
        outcome(evaluated)
    }

    fn has_world(&self) -> bool {
        self.world.is_some()
    }

    fn replace_tab(&mut self) -> io::Result<()> {
        let fresh = Tab::open(&mut self.pipe)?;
        let Tab { context, .. } = std::mem::replace(&mut self.tab, fresh);
        // This command is not waited for.
        let closed = json!({ "browserContextId": context });
        self.pipe.send(None, "Target.disposeBrowserContext", &closed)?;
        Ok(())
    }

    fn memory(&self) -> u64 {
        self.process.memory()
    }
}

impl Chromium {
    /// Handles a message of the browser.
    fn hear(&mut self, message: Message) -> io::Result<Heard> {
        let Message { id, method, session_id, params, result, error } = message;
        if let Some(id) = id {
            return self.answered(id, result, error.map(|error| error.message));
        }
        if method == "Target.targetCrashed" && params["targetId"] == self.tab.target.as_str() {
            let how = params["status"].as_str().unwrap_or("crashed").to_owned();
            return Ok(Heard::Crashed(Crash::Page(how, params["errorCode"].as_i64().unwrap_or_default())));
        }
        if method == "Target.targetCreated"
            && params["targetInfo"]["browserContextId"] == self.tab.context.as_str()
        {
            return Ok(Heard::Opened);
        }
        if session_id != self.tab.session {
            return Ok(Heard::Nothing);
        }
        Ok(match method.as_str() {
            "Fetch.requestPaused" => {
                let url = params["request"]["url"].as_str().unwrap_or_default().to_owned();
                Heard::Request(params["requestId"].clone(), url)
            }
            "Page.lifecycleEvent" if params["frameId"] == self.tab.target.as_str() => self.live(&params),
            "Runtime.bindingCalled" if params["name"] == "nubbinSettled" => Heard::Settled,
            "Runtime.executionContextCreated" if params["context"]["name"] == WORLD => {
                self.world = params["context"]["id"].as_u64();
                Heard::Nothing
            }
            "Page.javascriptDialogOpening" => {
                // Dialogs are closed, since there is no user.
                self.send(&("Page.handleJavaScriptDialog", json!({ "accept": true })))?;
                Heard::Nothing
            }
            "Runtime.consoleAPICalled" => Heard::Said { text: said(&params["args"]), is_uncaught: false },
            "Runtime.exceptionThrown" => {
                Heard::Said { text: thrown(&params["exceptionDetails"]), is_uncaught: true }
            }
            "Log.entryAdded" => {
                let entry = &params["entry"];
                let is_icon = entry["url"].as_str().is_some_and(|url| url.ends_with("/favicon.ico"));
                if is_icon {
                    Heard::Nothing
                } else {
                    Heard::Said { text: entered(entry), is_uncaught: false }
                }
            }
            _ => Heard::Nothing,
        })
    }

    fn answered(&mut self, id: u64, result: Value, error: Option<String>) -> io::Result<Heard> {
        if id != self.navigation {
            return Ok(Heard::Answer(id, error.map_or(Ok(result), Err)));
        }
        if let Some(error) = error {
            return Err(io::Error::other(error));
        }
        self.documents.extend(result["loaderId"].as_str().map(str::to_owned));
        // If loading fails, the page has nothing to show.
        Ok(if result["errorText"].is_string() { Heard::Loaded } else { Heard::Nothing })
    }

    /// Handles a lifecycle event of a document. A page can navigate to another document.
    fn live(&mut self, event: &Value) -> Heard {
        let document = event["loaderId"].as_str().unwrap_or_default();
        let is_own = self.documents.iter().any(|own| own == document);
        match event["name"].as_str() {
            Some("load") if is_own => return Heard::Loaded,
            Some("init") if !is_own && !self.documents.is_empty() => self.documents.push(document.to_owned()),
            _ => {}
        }
        Heard::Nothing
    }
}

/// Sends a command, and waits for its result. Other messages are ignored.
///
/// # Errors
/// Returns an error if the browser has ended, or the command failed.
fn call(pipe: &mut Pipe, session: Option<&str>, method: &str, params: &Value) -> io::Result<Value> {
    let number = pipe.send(session, method, params)?;
    loop {
        let Some(message) = pipe.receive(None)? else { continue };
        if message.id == Some(number) {
            return match message.error {
                None => Ok(message.result),
                Some(error) => Err(io::Error::other(format!("{method}: {}", error.message))),
            };
        }
    }
}
