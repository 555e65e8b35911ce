//! Checks one page: loads it, performs the user actions, and records the observations.

use crate::browser::{Ask, Browser, Command, Heard, picture};
use crate::events::Event;
use crate::plan::{Plan, Said, Seen};
use crate::region::Region;
use crate::site::{Response, Site};
use regex::Regex;
use serde_json::Value;
use std::io;
use std::time::{Duration, Instant};

/// Tuned constants.
struct Tuning {
    /// The time limit for the first frame after loading.
    frame: Duration,
    /// How long the unchanged page can take after loading to show the failure.
    patience: Duration,
    /// How long the unchanged page can be busy before it crashes, on a busy machine.
    crash: Duration,
    /// The page is pinged this many times within the time limit for a response.
    asks: u32,
}

const TUNING: Tuning = Tuning {
    frame: Duration::from_secs(1),
    patience: Duration::from_secs(3),
    crash: Duration::from_secs(30),
    asks: 4,
};

/// Loads and checks a page. Returns the observations, and whether the tab can be reused.
///
/// # Errors
/// Returns an error if the browser has ended.
pub(crate) fn visit(browser: &mut dyn Browser, plan: &Plan, site: Site<'_>) -> io::Result<(Seen, bool)> {
    let mut visit = Visit::new(browser, plan, site);
    let is_whole = match visit.look() {
        Ok(()) => true,
        Err(Stopped::Page) => false,
        Err(Stopped::Browser(error)) => return Err(error),
    };
    let is_fit = is_whole && !visit.opened;
    Ok((visit.seen, is_fit))
}

/// The reason why the check of a page was stopped.
#[derive(Debug)]
enum Stopped {
    /// Its process has ended, or its main thread does not respond.
    Page,
    /// The browser has ended, or a command failed.
    Browser(io::Error),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Browser(error)
    }
}

/// The state of a check.
struct Visit<'v> {
    browser: &'v mut dyn Browser,
    plan: &'v Plan,
    site: Site<'v>,
    console: Option<Regex>,
    seen: Seen,
    has_settled: bool,
    load: Option<Instant>,
    /// The pending ping, and when it was sent.
    ping: Option<(u64, Instant)>,
    answered: Instant,
    /// Whether another window was opened.
    opened: bool,
}

impl<'v> Visit<'v> {
    fn new(browser: &'v mut dyn Browser, plan: &'v Plan, site: Site<'v>) -> Self {
        Self {
            browser,
            plan,
            site,
            console: plan.checks.console.as_deref().and_then(|regex| Regex::new(regex).ok()),
            seen: Seen::default(),
            has_settled: false,
            load: None,
            ping: None,
            answered: Instant::now(),
            opened: false,
        }
    }

    /// Loads the page, performs the user actions, and looks for the failure.
    fn look(&mut self) -> Result<(), Stopped> {
        self.browser.load(&self.site.address())?;
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

    /// Returns how long after loading the expected events can occur.
    fn wait(&self) -> Duration {
        let checks = &self.plan.checks;
        match &self.plan.expected {
            Some(expected) => expected.wait,
            // The page is unknown.
            None if checks.waits() || checks.is_empty() => TUNING.patience,
            None => Duration::ZERO,
        }
    }

    /// Returns whether all expected events have been observed.
    fn is_done(&mut self) -> bool {
        let checks = &self.plan.checks;
        checks.waits() && !checks.is_looked_at() && !checks.crash && checks.hang.is_none() && self.says()
    }

    /// Returns whether the console contains the expected message.
    fn says(&self) -> bool {
        let Some(regex) = &self.console else { return false };
        self.seen.console.iter().any(|said| regex.is_match(&said.text))
    }

    /// Performs the checks at the end.
    fn ask(&mut self) -> Result<(), Stopped> {
        if let Some(script) = &self.plan.checks.script {
            let evaluated = self.call(&Ask::Value(script))?;
            self.seen.value = Some(self.browser.outcome(&evaluated));
        }
        if let Some(region) = &self.plan.checks.region {
            let place = match region {
                Region::Rectangle(place) => Some(place.map(f64::from)),
                Region::Element(selector) => self.place(selector)?,
            };
            let Some(place) = place else { return Ok(()) };
            let shot = self.call(&Ask::Part(place))?;
            self.seen.picture = picture(&shot).map(|picture| picture.fingerprint());
        }
        Ok(())
    }

    /// Returns the rectangle of the first element that matches a selector: left, top, width and height in
    /// pixels of the page. `None` if the element is not visible.
    fn place(&mut self, selector: &str) -> Result<Option<[f64; 4]>, Stopped> {
        let selector = Value::from(selector);
        let expression = format!(
            "(() => {{ const found = document.querySelector({selector}); if (!found) return null; \
             const place = found.getBoundingClientRect(); \
             return [place.x + scrollX, place.y + scrollY, place.width, place.height]; }})()"
        );
        let found = self.call(&Ask::Beside(&expression))?;
        let found = self.browser.outcome(&found).unwrap_or_default();
        let place: Option<[f64; 4]> = serde_json::from_value(found).unwrap_or_default();
        Ok(place.filter(|place| place[2] >= 1.0 && place[3] >= 1.0))
    }

    /// Performs a user action. If its element does not exist, this is recorded.
    fn act(&mut self, event: &Event) -> Result<(), Stopped> {
        match event {
            Event::Click(selector) => self.point(selector, true)?,
            Event::Hover(selector) => self.point(selector, false)?,
            Event::Key(name) => drop(self.call(&Ask::Key(name))?),
            Event::Type(text) => drop(self.call(&Ask::Type(text))?),
            Event::Scroll(right, down) => drop(self.call(&Ask::Scroll(*right, *down))?),
            Event::Wait(time) => {
                let end = Instant::now() + *time;
                self.pump(Some(end), |_| false)?;
            }
        }
        Ok(())
    }

    /// Scrolls to the first element that matches a selector, and moves the pointer to its middle.
    fn point(&mut self, selector: &str, clicks: bool) -> Result<(), Stopped> {
        let expression = format!(
            "(() => {{ const found = document.querySelector({}); if (!found) return null; \
             if (found.scrollIntoViewIfNeeded) found.scrollIntoViewIfNeeded(); \
             else found.scrollIntoView({{ behavior: 'instant', block: 'nearest', inline: 'nearest' }}); \
             const place = found.getBoundingClientRect(); \
             return [place.x + place.width / 2, place.y + place.height / 2]; }})()",
            Value::from(selector)
        );
        let found = self.call(&Ask::Beside(&expression))?;
        let found = self.browser.outcome(&found).unwrap_or_default();
        let middle: Option<[f64; 2]> = serde_json::from_value(found).unwrap_or_default();
        match middle {
            Some(to) => drop(self.call(&Ask::Point { to, clicks })?),
            None => self.seen.undone.push(selector.to_owned()),
        }
        Ok(())
    }

    /// Sends a request, and waits for its result; null if it fails.
    fn call(&mut self, ask: &Ask<'_>) -> Result<Value, Stopped> {
        let mut result = Value::Null;
        for command in self.browser.commands(ask) {
            result = self.call_one(&command)?;
        }
        Ok(result)
    }

    fn call_one(&mut self, command: &Command) -> Result<Value, Stopped> {
        let number = self.browser.send(command)?;
        loop {
            match self.receive(None)? {
                Some(Heard::Answer(answered, result)) if answered == number => {
                    return Ok(result.unwrap_or_default());
                }
                Some(heard) => self.hear(heard)?,
                None => {}
            }
        }
    }

    /// Handles notifications until the condition is true or the time is over. Returns whether the condition
    /// is true.
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
                Some(heard) => self.hear(heard)?,
                None if end.is_some_and(|end| Instant::now() >= end) => return Ok(false),
                None => {}
            }
        }
    }

    /// Waits for the next notification, and checks whether the page responds.
    fn receive(&mut self, end: Option<Instant>) -> Result<Option<Heard>, Stopped> {
        let unchanged = if self.plan.checks.crash { TUNING.crash } else { TUNING.patience };
        let Some(limit) = self.plan.checks.hang.or_else(|| self.plan.expected.is_none().then_some(unchanged))
        else {
            return Ok(self.browser.receive(end)?);
        };
        if self.ping.is_none() && self.answered.elapsed() >= limit / TUNING.asks {
            for command in self.browser.commands(&Ask::Ping) {
                self.ping = Some((self.browser.send(&command)?, Instant::now()));
            }
        }
        let next = self.ping.map_or(self.answered + limit / TUNING.asks, |(_, asked)| asked + limit);
        let heard = self.browser.receive(Some(end.map_or(next, |end| end.min(next))))?;
        match (&heard, self.ping) {
            (Some(Heard::Answer(answered, _)), Some((asked, _))) if *answered == asked => {
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
        Ok(heard)
    }

    /// Records the time of an expected event.
    fn note(&mut self) {
        self.seen.after =
            self.load.filter(|_| self.has_settled).map(|load| load.elapsed()).unwrap_or_default();
    }

    /// Handles a notification.
    fn hear(&mut self, heard: Heard) -> Result<(), Stopped> {
        match heard {
            Heard::Answer(..) | Heard::Nothing => {}
            Heard::Loaded => {
                self.load.get_or_insert_with(Instant::now);
            }
            Heard::Settled => self.has_settled = true,
            Heard::Said { text, is_uncaught } => self.heard(text, is_uncaught),
            Heard::Request(id, url) => {
                let response = self.site.response(&url);
                self.browser.respond(&id, &response)?;
                if let Response::Missing(path) = response {
                    self.seen.missing.push(path);
                }
            }
            Heard::Opened => self.opened = true,
            Heard::Crashed(crash) => {
                self.seen.crash = Some(crash);
                self.note();
                return Err(Stopped::Page);
            }
        }
        Ok(())
    }

    fn heard(&mut self, text: String, is_uncaught: bool) {
        let is_wanted = self.console.as_ref().is_some_and(|regex| regex.is_match(&text));
        if is_wanted && !self.says() {
            self.note();
        }
        self.seen.console.push(Said { text, is_uncaught });
    }
}
