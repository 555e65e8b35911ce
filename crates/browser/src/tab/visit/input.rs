//! Clicks, keys and the wheel, as a user's.

use super::super::TUNING;
use super::{Stopped, Visit};
use crate::events::Event;
use serde_json::{Value, json};
use std::time::Instant;

/// The keys that make no letter: their names, their numbers, and what they type.
const KEYS: [(&str, u32, &str); 17] = [
    ("Backspace", 8, ""),
    ("Tab", 9, ""),
    ("Enter", 13, "\r"),
    ("Escape", 27, ""),
    ("Space", 32, " "),
    ("PageUp", 33, ""),
    ("PageDown", 34, ""),
    ("End", 35, ""),
    ("Home", 36, ""),
    ("ArrowLeft", 37, ""),
    ("ArrowUp", 38, ""),
    ("ArrowRight", 39, ""),
    ("ArrowDown", 40, ""),
    ("Delete", 46, ""),
    ("F1", 112, ""),
    ("F5", 116, ""),
    ("F12", 123, ""),
];
/// The modifiers, and the numbers that are added up for them.
const MODIFIERS: [(&str, u32); 4] = [("Alt", 1), ("Control", 2), ("Meta", 4), ("Shift", 8)];

impl Visit<'_> {
    /// Does something with the page. Where there is nothing to do it with, that is noted.
    pub(super) fn act(&mut self, event: &Event) -> Result<(), Stopped> {
        match event {
            Event::Click(selector) => {
                let Some([x, y]) = self.middle(selector)? else { return Ok(()) };
                for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
                    self.mouse(kind, x, y)?;
                }
            }
            Event::Hover(selector) => {
                let Some([x, y]) = self.middle(selector)? else { return Ok(()) };
                self.mouse("mouseMoved", x, y)?;
            }
            Event::Key(name) => {
                let key = key(name);
                for kind in ["keyDown", "keyUp"] {
                    let mut pressed = key.clone();
                    pressed["type"] = kind.into();
                    self.call("Input.dispatchKeyEvent", &pressed)?;
                }
            }
            Event::Type(text) => {
                self.call("Input.insertText", &json!({ "text": text }))?;
            }
            Event::Scroll(right, down) => {
                let [x, y] = TUNING.window.map(|length| length / 2);
                let wheel = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": right, "deltaY": down });
                self.call("Input.dispatchMouseEvent", &wheel)?;
            }
            Event::Wait(time) => {
                let end = Instant::now() + *time;
                self.pump(Some(end), |_| false)?;
            }
        }
        Ok(())
    }

    fn mouse(&mut self, kind: &str, x: f64, y: f64) -> Result<(), Stopped> {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let clicks = u32::from(kind != "mouseMoved");
        let moved = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": clicks });
        self.call("Input.dispatchMouseEvent", &moved)?;
        Ok(())
    }

    /// Returns the middle of the first element that a selector finds, which is scrolled to.
    fn middle(&mut self, selector: &str) -> Result<Option<[f64; 2]>, Stopped> {
        let expression = format!(
            "(() => {{ const found = document.querySelector({}); if (!found) return null; \
             found.scrollIntoViewIfNeeded(); const place = found.getBoundingClientRect(); \
             return [place.x + place.width / 2, place.y + place.height / 2]; }})()",
            Value::from(selector)
        );
        let mut asked = json!({ "expression": expression, "returnByValue": true });
        if let Some(world) = self.world {
            asked["contextId"] = world.into();
        }
        let found = self.call("Runtime.evaluate", &asked)?;
        let middle: Option<[f64; 2]> =
            serde_json::from_value(found["result"]["value"].clone()).unwrap_or_default();
        if middle.is_none() {
            self.seen.undone.push(selector.to_owned());
        }
        Ok(middle)
    }
}

/// Returns what the browser is told of a key by its name, with modifiers before it.
fn key(name: &str) -> Value {
    let mut rest = name;
    let mut modifiers = 0;
    while let Some((modifier, after)) = rest.split_once('+').filter(|(_, after)| !after.is_empty()) {
        let Some((_, number)) = MODIFIERS.iter().find(|(known, _)| *known == modifier) else { break };
        modifiers |= number;
        rest = after;
    }
    let (key, number, text) = match KEYS.iter().find(|(known, ..)| *known == rest) {
        Some(("Space", number, text)) => (" ", *number, *text),
        Some((key, number, text)) => (*key, *number, *text),
        None => (rest, rest.to_uppercase().bytes().next().map_or(0, u32::from), rest),
    };
    let mut told = json!({ "key": key, "windowsVirtualKeyCode": number, "modifiers": modifiers });
    // With Control, Alt or Meta no letter is typed.
    if !text.is_empty() && modifiers.trailing_zeros() >= 3 {
        told["text"] = text.into();
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_known_by_their_names_and_modifiers() {
        assert_eq!(key("a"), json!({ "key": "a", "windowsVirtualKeyCode": 65, "modifiers": 0, "text": "a" }));
        assert_eq!(key("Enter")["text"], "\r");
        assert_eq!(key("Control+Shift+z")["modifiers"], 10);
        assert_eq!(key("Control+a").get("text"), None);
        assert_eq!(key("+"), json!({ "key": "+", "windowsVirtualKeyCode": 43, "modifiers": 0, "text": "+" }));
        assert_eq!(key("Space")["key"], " ");
        assert_eq!(key("Shift+Tab")["modifiers"], 8);
    }
}
