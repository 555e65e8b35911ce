//! A page in a browser: a context with one tab, in which one candidate after the other is loaded and looked at.
//!
//! A context is used again only as long as no page has kept anything in it.

mod visit;

use crate::picture::Picture;
use crate::pipe::Pipe;
use crate::plan::{Plan, Seen};
use crate::site::Site;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use std::io;
use std::time::{Duration, Instant};
use visit::{Stopped, Visit};

/// The numbers that were tuned.
struct Tuning {
    /// A page that is not looked at any more may take this long to tell what it has kept.
    farewell: Duration,
    /// The width and the height of the window.
    window: [u32; 2],
}

const TUNING: Tuning = Tuning { farewell: Duration::from_millis(500), window: [800, 600] };

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

/// A context with a tab.
#[derive(Debug)]
pub(crate) struct Tab {
    context: String,
    target: String,
    session: String,
    /// The world beside that of the last page, in which it is asked.
    world: Option<u64>,
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
        Ok(Self { context, target, session, world: None })
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
    pub fn visit(&mut self, pipe: &mut Pipe, plan: &Plan, site: Site<'_>) -> io::Result<(Seen, bool)> {
        let mut visit = Visit::new(pipe, self, plan, site);
        let is_whole = match visit.look() {
            Ok(()) => true,
            Err(Stopped::Page) => false,
            Err(Stopped::Browser(error)) => return Err(error),
        };
        let is_fit = is_whole && !visit.opened;
        let (seen, world) = (visit.seen, visit.world);
        self.world = world;
        Ok((seen, is_fit))
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
        let Some(world) = self.world else { return Ok(false) };
        let asked =
            json!({ "expression": KEPT, "contextId": world, "awaitPromise": true, "returnByValue": true });
        let question = pipe.send(Some(&self.session), "Runtime.evaluate", &asked)?;
        let end = Instant::now() + TUNING.farewell;
        while let Some(message) = pipe.receive(Some(end))? {
            if message.id == Some(question) {
                return Ok(message.result["result"]["value"] == json!(false));
            }
            if message.method == "Fetch.requestPaused" && message.session_id == self.session {
                let refused =
                    json!({ "requestId": message.params["requestId"], "errorReason": "NameNotResolved" });
                pipe.send(Some(&self.session), "Fetch.failRequest", &refused)?;
            }
        }
        Ok(false)
    }
}

/// Sends a command, and waits for what comes of it. What the browser says besides is not heard.
///
/// # Errors
/// Returns an error if the browser has ended, or does not do it.
pub(crate) fn call(
    pipe: &mut Pipe,
    session: Option<&str>,
    method: &str,
    params: &Value,
) -> io::Result<Value> {
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
