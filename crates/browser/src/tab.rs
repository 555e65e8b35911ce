//! A page in a browser: a context with one tab, in which one candidate after the other is loaded and looked at.
//!
//! A context is used again only as long as no page has kept anything in it.

mod input;

use crate::picture::Picture;
use crate::pipe::{Message, Pipe};
use crate::plan::{Crash, Outcome, Plan, Said, Seen};
use crate::region::Region;
use crate::site::{Response, Site};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use regex::Regex;
use serde_json::{Value, json};
use std::io;
use std::time::{Duration, Instant};

/// The numbers that were tuned.
struct Tuning {
    /// A page that is loaded draws its first frame within this time, or never.
    frame: Duration,
    /// The unchanged page may take this long to show what is looked for, after it was loaded.
    patience: Duration,
    /// A page is asked again whether it hangs after this share of the time that makes a hang.
    asks: u32,
    /// A page that is not looked at any more may take this long to tell what it has kept.
    farewell: Duration,
    /// The width and the height of the window.
    window: [u32; 2],
}

const TUNING: Tuning = Tuning {
    frame: Duration::from_millis(1000),
    patience: Duration::from_secs(3),
    asks: 4,
    farewell: Duration::from_millis(500),
    window: [800, 600],
};

/// Runs before the scripts of a page, beside them: it tells when the first frame after loading is there.
const SETTLED: &str = "if (top === window) {
  const drawn = () => requestAnimationFrame(() => setTimeout(() => nubbinSettled('')));
  if (document.readyState === 'complete') drawn(); else addEventListener('load', drawn, { once: true });
}";
/// Tells whether a page has kept something that a next one would see. The history has the empty page of a new tab, too.
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

/// The reason why a page is not looked at any further.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// Its process has ended, or its main thread does not answer.
    Page,
    /// The browser has ended, or does not do what it is told.
    Browser(io::Error),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Browser(error)
    }
}

/// A context with a tab.
#[derive(Debug)]
pub(crate) struct Tab {
    context: String,
    target: String,
    session: String,
}

/// One look at a page.
struct Visit<'v> {
    pipe: &'v mut Pipe,
    tab: &'v Tab,
    plan: &'v Plan,
    site: Site<'v>,
    console: Option<Regex>,
    seen: Seen,
    /// The number of the navigation, and the documents that it and the page itself have made.
    navigation: u64,
    documents: Vec<String>,
    has_settled: bool,
    /// The world beside the page's own, in which it is asked.
    world: Option<u64>,
    load: Option<Instant>,
    /// The question whether the page hangs, and when it was asked.
    ping: Option<(u64, Instant)>,
    answered: Instant,
    /// Another window was opened.
    opened: bool,
}

impl Tab {
    /// Opens one.
    ///
    /// # Errors
    /// Returns an error if the browser has ended, or does not do what it is told.
    pub fn open(pipe: &mut Pipe) -> io::Result<Self> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let made = call(pipe, None, "Target.createBrowserContext", &json!({ "disposeOnDetach": true }))?;
        let context = text(&made["browserContextId"]);
        let place = json!({ "url": "about:blank", "browserContextId": context });
        let target = text(&call(pipe, None, "Target.createTarget", &place)?["targetId"]);
        let whole = json!({ "targetId": target, "flatten": true });
        let session = text(&call(pipe, None, "Target.attachToTarget", &whole)?["sessionId"]);
        let [width, height] = TUNING.window;
        let commands = [
            ("Page.enable", json!({})),
            ("Page.setLifecycleEventsEnabled", json!({ "enabled": true })),
            ("Runtime.enable", json!({})),
            ("Log.enable", json!({})),
            ("Network.enable", json!({ "maxTotalBufferSize": 0 })),
            ("Network.setCacheDisabled", json!({ "cacheDisabled": true })),
            ("Network.setBypassServiceWorker", json!({ "bypass": true })),
            ("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] })),
            ("Runtime.addBinding", json!({ "name": "nubbinSettled", "executionContextName": "nubbin" })),
            ("Page.addScriptToEvaluateOnNewDocument", json!({ "source": SETTLED, "worldName": "nubbin" })),
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
        // They are done in order.
        call(pipe, Some(&session), "Runtime.evaluate", &json!({ "expression": "0" }))?;
        Ok(Self { context, target, session })
    }

    /// Closes it, with all that was kept in it. Nobody waits for that.
    ///
    /// # Errors
    /// Returns an error if the browser has ended.
    pub fn close(self, pipe: &mut Pipe) -> io::Result<()> {
        pipe.send(None, "Target.disposeBrowserContext", &json!({ "browserContextId": self.context }))?;
        Ok(())
    }

    /// Loads a page, and looks at it. Whether the tab can be used for another one is told, too.
    ///
    /// # Errors
    /// Returns an error if the browser has ended.
    pub fn visit(&self, pipe: &mut Pipe, plan: &Plan, site: Site<'_>) -> io::Result<(Seen, bool)> {
        let console = plan.checks.console.as_deref().and_then(|regex| Regex::new(regex).ok());
        let mut visit = Visit {
            pipe,
            tab: self,
            plan,
            site,
            console,
            seen: Seen::default(),
            navigation: 0,
            documents: Vec::new(),
            has_settled: false,
            world: None,
            load: None,
            ping: None,
            answered: Instant::now(),
            opened: false,
        };
        let is_whole = match visit.look() {
            Ok(()) => true,
            Err(Stopped::Page) => false,
            Err(Stopped::Browser(error)) => return Err(error),
        };
        let is_fit = is_whole && !visit.opened;
        Ok((visit.seen, is_fit))
    }

    /// Returns the picture of the window, for a browser that shows the same page as another one.
    ///
    /// # Errors
    /// Returns an error if the browser has ended.
    pub fn picture(&self, pipe: &mut Pipe) -> io::Result<Option<Picture>> {
        let asked = json!({ "format": "png", "optimizeForSpeed": true });
        let shot = call(pipe, Some(&self.session), "Page.captureScreenshot", &asked)?;
        Ok(picture(&shot))
    }

    /// Tells whether the page that was looked at has kept nothing that a next one would see.
    ///
    /// # Errors
    /// Returns an error if the browser has ended.
    pub fn is_clean(&self, pipe: &mut Pipe) -> io::Result<bool> {
        let asked = json!({ "expression": KEPT, "awaitPromise": true, "returnByValue": true });
        let question = pipe.send(Some(&self.session), "Runtime.evaluate", &asked)?;
        let end = Instant::now() + TUNING.farewell;
        while let Some(message) = pipe.receive(Some(end))? {
            if message.id == Some(question) {
                return Ok(message.result["result"]["value"] == json!(false));
            }
            if message.method == "Fetch.requestPaused" && message.session_id == self.session {
                let refused = json!({ "requestId": message.params["requestId"], "errorReason": "NameNotResolved" });
                pipe.send(Some(&self.session), "Fetch.failRequest", &refused)?;
            }
        }
        Ok(false)
    }
}

impl Visit<'_> {
    /// Loads the page, does what is to be done with it, and looks for what is looked for.
    fn look(&mut self) -> Result<(), Stopped> {
        let address = json!({ "url": self.site.address() });
        self.navigation = self.send("Page.navigate", &address)?;
        if self.pump(None, |visit| visit.is_done() || visit.load.is_some())? && self.is_done() {
            return Ok(());
        }
        let end = Instant::now() + TUNING.frame;
        self.pump(Some(end), |visit| visit.is_done() || visit.has_settled)?;
        for event in &self.plan.events {
            if self.is_done() {
                return Ok(());
            }
            self.act(event)?;
        }
        let load = *self.load.get_or_insert_with(Instant::now);
        self.pump(Some(load + self.wait()), Self::is_done)?;
        self.ask()
    }

    /// Returns how long after loading the page shows what is looked for, if it does.
    fn wait(&self) -> Duration {
        let checks = &self.plan.checks;
        match &self.plan.expected {
            Some(expected) => expected.wait,
            // Nothing is known of the page, or what is to be seen.
            None if checks.waits() || checks.is_empty() => TUNING.patience,
            None => Duration::ZERO,
        }
    }

    /// Tells whether all is seen that is looked for.
    fn is_done(&mut self) -> bool {
        let checks = &self.plan.checks;
        checks.waits() && !checks.is_looked_at() && !checks.crash && checks.hang.is_none() && self.says()
    }

    /// Tells whether the console says what is looked for.
    fn says(&self) -> bool {
        let Some(regex) = &self.console else { return false };
        self.seen.console.iter().any(|said| regex.is_match(&said.text))
    }

    /// Asks the page what it is to be asked in the end.
    fn ask(&mut self) -> Result<(), Stopped> {
        if let Some(script) = &self.plan.checks.script {
            let asked = json!({ "expression": script, "awaitPromise": true, "returnByValue": true });
            self.seen.value = Some(outcome(&self.call("Runtime.evaluate", &asked)?));
        }
        if let Some(region) = &self.plan.checks.region {
            let clip = match region {
                Region::Rectangle(place) => Some(place.map(f64::from)),
                Region::Element(selector) => self.place(selector)?,
            };
            let Some([x, y, width, height]) = clip else { return Ok(()) };
            let clip = json!({ "x": x, "y": y, "width": width, "height": height, "scale": 1 });
            let asked = json!({ "format": "png", "optimizeForSpeed": true, "captureBeyondViewport": true, "clip": clip });
            let shot = self.call("Page.captureScreenshot", &asked)?;
            self.seen.picture = picture(&shot).map(|picture| picture.fingerprint());
        }
        Ok(())
    }

    /// Returns the place of the first element that a selector finds: left, top, width and height in pixels of the page. It
    /// is none if the element is nowhere to be seen.
    fn place(&mut self, selector: &str) -> Result<Option<[f64; 4]>, Stopped> {
        let selector = Value::from(selector);
        let expression = format!(
            "(() => {{ const found = document.querySelector({selector}); if (!found) return null; \
             const place = found.getBoundingClientRect(); \
             return [place.x + scrollX, place.y + scrollY, place.width, place.height]; }})()"
        );
        let mut asked = json!({ "expression": expression, "returnByValue": true });
        if let Some(world) = self.world {
            asked["contextId"] = world.into();
        }
        let found = self.call("Runtime.evaluate", &asked)?;
        let place: Option<[f64; 4]> = serde_json::from_value(found["result"]["value"].clone()).unwrap_or_default();
        Ok(place.filter(|place| place[2] >= 1.0 && place[3] >= 1.0))
    }

    fn send(&mut self, method: &str, params: &Value) -> Result<u64, Stopped> {
        Ok(self.pipe.send(Some(&self.tab.session), method, params)?)
    }

    /// Sends a command to the page, and waits for what comes of it; where it fails, that is nothing.
    fn call(&mut self, method: &str, params: &Value) -> Result<Value, Stopped> {
        let number = self.send(method, params)?;
        let mut result = Value::Null;
        loop {
            let Some(message) = self.receive(None)? else { continue };
            if message.id == Some(number) {
                std::mem::swap(&mut result, &mut { message.result });
                return Ok(result);
            }
            self.hear(message)?;
        }
    }

    /// Takes what the browser says until something is so, or the time is over. Tells whether it is so.
    fn pump(&mut self, end: Option<Instant>, mut is_so: impl FnMut(&mut Self) -> bool) -> Result<bool, Stopped> {
        loop {
            if is_so(self) {
                return Ok(true);
            }
            match self.receive(end)? {
                Some(message) => self.hear(message)?,
                None if end.is_some_and(|end| Instant::now() >= end) => return Ok(false),
                None => {}
            }
        }
    }

    /// Waits for the next message, and looks whether the page hangs meanwhile.
    fn receive(&mut self, end: Option<Instant>) -> Result<Option<Message>, Stopped> {
        let Some(limit) = self.plan.checks.hang.or_else(|| self.plan.expected.is_none().then_some(TUNING.patience))
        else {
            return Ok(self.pipe.receive(end)?);
        };
        if self.ping.is_none() && self.answered.elapsed() >= limit / TUNING.asks {
            let asked = self.send("Runtime.evaluate", &json!({ "expression": "0" }))?;
            self.ping = Some((asked, Instant::now()));
        }
        let next = self.ping.map_or(self.answered + limit / TUNING.asks, |(_, asked)| asked + limit);
        let message = self.pipe.receive(Some(end.map_or(next, |end| end.min(next))))?;
        match (&message, self.ping) {
            (Some(message), Some((asked, _))) if message.id == Some(asked) => {
                self.ping = None;
                self.answered = Instant::now();
            }
            (None, Some((_, asked))) if asked.elapsed() >= limit => {
                self.seen.has_hung = true;
                self.note();
                return Err(Stopped::Page);
            }
            _ => {}
        }
        Ok(message)
    }

    /// Takes note that something has come that was waited for.
    fn note(&mut self) {
        self.seen.after = self.load.filter(|_| self.has_settled).map(|load| load.elapsed()).unwrap_or_default();
    }

    /// Takes what the browser says.
    fn hear(&mut self, message: Message) -> Result<(), Stopped> {
        let Message { id, method, session_id, params, result, error } = message;
        if id == Some(self.navigation) {
            if let Some(error) = error {
                return Err(io::Error::other(error.message).into());
            }
            self.documents.extend(result["loaderId"].as_str().map(str::to_owned));
            if result["errorText"].is_string() {
                // There is nothing to be shown.
                self.load.get_or_insert_with(Instant::now);
            }
            return Ok(());
        }
        if method == "Target.targetCrashed" && params["targetId"] == self.tab.target.as_str() {
            let how = params["status"].as_str().unwrap_or("crashed").to_owned();
            self.seen.crash = Some(Crash::Page(how, params["errorCode"].as_i64().unwrap_or_default()));
            self.note();
            return Err(Stopped::Page);
        }
        if method == "Target.targetCreated" && params["targetInfo"]["browserContextId"] == self.tab.context.as_str() {
            self.opened = true;
        }
        if session_id != self.tab.session {
            return Ok(());
        }
        match method.as_str() {
            "Fetch.requestPaused" => self.respond(&params)?,
            "Page.lifecycleEvent" if params["frameId"] == self.tab.target.as_str() => self.live(&params),
            "Runtime.bindingCalled" if params["name"] == "nubbinSettled" => self.has_settled = true,
            "Runtime.executionContextCreated" if params["context"]["name"] == "nubbin" => {
                self.world = params["context"]["id"].as_u64();
            }
            "Page.javascriptDialogOpening" => {
                // Nobody is there to close it.
                self.send("Page.handleJavaScriptDialog", &json!({ "accept": true }))?;
            }
            "Runtime.consoleAPICalled" => self.heard(said(&params["args"]), false),
            "Runtime.exceptionThrown" => self.heard(thrown(&params["exceptionDetails"]), true),
            "Log.entryAdded" => {
                let entry = &params["entry"];
                let is_icon = entry["url"].as_str().is_some_and(|url| url.ends_with("/favicon.ico"));
                if !is_icon {
                    self.heard(entry["text"].as_str().unwrap_or_default().to_owned(), false);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes what the browser says of the life of a document. A page may go on to another one by itself.
    fn live(&mut self, event: &Value) {
        let document = event["loaderId"].as_str().unwrap_or_default();
        let is_own = self.documents.iter().any(|own| own == document);
        match event["name"].as_str() {
            Some("load") if is_own => {
                self.load.get_or_insert_with(Instant::now);
            }
            Some("init") if !is_own && !self.documents.is_empty() => self.documents.push(document.to_owned()),
            _ => {}
        }
    }

    fn heard(&mut self, text: String, is_uncaught: bool) {
        let is_wanted = self.console.as_ref().is_some_and(|regex| regex.is_match(&text));
        if is_wanted && !self.says() {
            self.note();
        }
        self.seen.console.push(Said { text, is_uncaught });
    }

    /// Answers a request of the page.
    fn respond(&mut self, request: &Value) -> Result<(), Stopped> {
        let id = &request["requestId"];
        let url = request["request"]["url"].as_str().unwrap_or_default();
        let found = |code: u32, kind: &str, content: &[u8]| {
            let headers = json!([
                { "name": "Content-Type", "value": kind },
                { "name": "Cache-Control", "value": "no-store" },
            ]);
            json!({ "requestId": id, "responseCode": code, "responseHeaders": headers, "body": BASE64.encode(content) })
        };
        match self.site.response(url) {
            Response::File(content, kind) => {
                self.send("Fetch.fulfillRequest", &found(200, &kind, &content))?;
            }
            Response::Missing(path) => {
                self.send("Fetch.fulfillRequest", &found(404, "text/plain", b""))?;
                self.seen.missing.push(path);
            }
            Response::Elsewhere => {
                let refused = json!({ "requestId": id, "errorReason": "NameNotResolved" });
                self.send("Fetch.failRequest", &refused)?;
            }
        }
        Ok(())
    }
}

/// Sends a command, and waits for what comes of it. What the browser says besides is not heard.
///
/// # Errors
/// Returns an error if the browser has ended, or does not do it.
pub(crate) fn call(pipe: &mut Pipe, session: Option<&str>, method: &str, params: &Value) -> io::Result<Value> {
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

fn picture(shot: &Value) -> Option<Picture> {
    Picture::decode(&BASE64.decode(shot["data"].as_str()?).ok()?)
}

/// Returns what an evaluated expression comes to.
fn outcome(evaluated: &Value) -> Outcome {
    if evaluated["exceptionDetails"].is_object() {
        return Err(thrown(&evaluated["exceptionDetails"]));
    }
    let result = &evaluated["result"];
    match (result.get("value"), result.get("unserializableValue")) {
        (Some(value), _) => Ok(value.clone()),
        (None, Some(value)) => Ok(value.clone()),
        (None, None) => Ok(result["type"].clone()),
    }
}

/// Returns a message of the console as a line.
fn said(arguments: &Value) -> String {
    let arguments = arguments.as_array().map(Vec::as_slice).unwrap_or_default();
    let words: Vec<String> = arguments.iter().map(shown).collect();
    words.join(" ")
}

/// Returns a value as the console shows it.
fn shown(value: &Value) -> String {
    match (&value["value"], &value["unserializableValue"], &value["description"]) {
        (Value::String(text), ..) => text.clone(),
        (Value::Null, Value::String(text), _) | (Value::Null, Value::Null, Value::String(text)) => text.clone(),
        (Value::Null, ..) if value["type"] == "undefined" => "undefined".to_owned(),
        (other, ..) => other.to_string(),
    }
}

/// Returns an uncaught error as the console shows it, without the places in its stack.
fn thrown(details: &Value) -> String {
    let text = details["text"].as_str().unwrap_or_default();
    let exception = &details["exception"];
    let shown = if exception.is_object() { shown(exception) } else { String::new() };
    let lines: Vec<&str> = shown.lines().take_while(|line| !line.starts_with("    at ")).collect();
    format!("{text} {}", lines.join("\n")).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_errors_read_as_in_the_console() {
        let arguments = json!([
            { "type": "string", "value": "count:" }, { "type": "number", "value": 3 },
            { "type": "number", "unserializableValue": "NaN" }, { "type": "undefined" },
            { "type": "object", "subtype": "null", "value": null },
            { "type": "object", "description": "Array(2)" },
        ]);
        assert_eq!(said(&arguments), "count: 3 NaN undefined null Array(2)");
        let details = json!({ "text": "Uncaught", "exception": {
            "type": "object", "description": "TypeError: x is not\na function\n    at f (http://localhost/x:3:5)" } });
        assert_eq!(thrown(&details), "Uncaught TypeError: x is not\na function");
        let details = json!({ "text": "Uncaught (in promise)", "exception": { "type": "string", "value": "no" } });
        assert_eq!(thrown(&details), "Uncaught (in promise) no");
        assert_eq!(thrown(&json!({ "text": "Uncaught SyntaxError: x" })), "Uncaught SyntaxError: x");
    }

    #[test]
    fn an_expression_comes_to_a_value_or_an_error() {
        assert_eq!(outcome(&json!({ "result": { "type": "number", "value": 3 } })), Ok(json!(3)));
        assert_eq!(outcome(&json!({ "result": { "type": "undefined" } })), Ok(json!("undefined")));
        let details = json!({ "text": "Uncaught", "exception": { "description": "ReferenceError: a" } });
        let evaluated = json!({ "result": {}, "exceptionDetails": details });
        assert_eq!(outcome(&evaluated), Err("Uncaught ReferenceError: a".to_owned()));
    }
}
