//! One look at a page: it is loaded, what is to be done with it is done, and what it shows is noted.

mod input;

use super::{Tab, picture};
use crate::console::{entered, outcome, said, thrown};
use crate::pipe::{Message, Pipe};
use crate::plan::{Crash, Plan, Said, Seen};
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
}

const TUNING: Tuning = Tuning { frame: Duration::from_secs(1), patience: Duration::from_secs(3), asks: 4 };

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

/// One look at a page.
pub(super) struct Visit<'v> {
    pipe: &'v mut Pipe,
    tab: &'v Tab,
    plan: &'v Plan,
    site: Site<'v>,
    console: Option<Regex>,
    pub seen: Seen,
    /// The number of the navigation, and the documents that it and the page itself have made.
    navigation: u64,
    documents: Vec<String>,
    has_settled: bool,
    /// The world beside the page's own, in which it is asked.
    pub world: Option<u64>,
    load: Option<Instant>,
    /// The question whether the page hangs, and when it was asked.
    ping: Option<(u64, Instant)>,
    answered: Instant,
    /// Another window was opened.
    pub opened: bool,
}

impl<'v> Visit<'v> {
    pub fn new(pipe: &'v mut Pipe, tab: &'v Tab, plan: &'v Plan, site: Site<'v>) -> Self {
        Self {
            pipe,
            tab,
            plan,
            site,
            console: plan.checks.console.as_deref().and_then(|regex| Regex::new(regex).ok()),
            seen: Seen::default(),
            navigation: 0,
            documents: Vec::new(),
            has_settled: false,
            world: None,
            load: None,
            ping: None,
            answered: Instant::now(),
            opened: false,
        }
    }
}

impl Visit<'_> {
    /// Loads the page, does what is to be done with it, and looks for what is looked for.
    pub fn look(&mut self) -> Result<(), Stopped> {
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
        let place: Option<[f64; 4]> =
            serde_json::from_value(found["result"]["value"].clone()).unwrap_or_default();
        Ok(place.filter(|place| place[2] >= 1.0 && place[3] >= 1.0))
    }

    fn send(&mut self, method: &str, params: &Value) -> Result<u64, Stopped> {
        Ok(self.pipe.send(Some(&self.tab.session), method, params)?)
    }

    /// Sends a command to the page, and waits for what comes of it; where it fails, that is nothing.
    fn call(&mut self, method: &str, params: &Value) -> Result<Value, Stopped> {
        let number = self.send(method, params)?;
        loop {
            let Some(message) = self.receive(None)? else { continue };
            if message.id == Some(number) {
                return Ok(message.result);
            }
            self.hear(message)?;
        }
    }

    /// Takes what the browser says until something is so, or the time is over. Tells whether it is so.
    fn pump(
        &mut self,
        end: Option<Instant>,
        mut is_so: impl FnMut(&mut Self) -> bool,
    ) -> Result<bool, Stopped> {
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
        let Some(limit) =
            self.plan.checks.hang.or_else(|| self.plan.expected.is_none().then_some(TUNING.patience))
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
        self.seen.after =
            self.load.filter(|_| self.has_settled).map(|load| load.elapsed()).unwrap_or_default();
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
        if method == "Target.targetCreated"
            && params["targetInfo"]["browserContextId"] == self.tab.context.as_str()
        {
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
                    self.heard(entered(entry), false);
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
