//! Simulates clicks, keys and scrolling.

use crate::browser::{Command, WINDOW};
use serde_json::{Value, json};

/// Keys that produce no character: their names, and the characters that represent them in WebDriver.
const KEYS: [(&str, char); 17] = [
    ("Backspace", '\u{E003}'),
    ("Tab", '\u{E004}'),
    ("Enter", '\u{E006}'),
    ("Escape", '\u{E00C}'),
    ("Space", ' '),
    ("PageUp", '\u{E00E}'),
    ("PageDown", '\u{E00F}'),
    ("End", '\u{E010}'),
    ("Home", '\u{E011}'),
    ("ArrowLeft", '\u{E012}'),
    ("ArrowUp", '\u{E013}'),
    ("ArrowRight", '\u{E014}'),
    ("ArrowDown", '\u{E015}'),
    ("Delete", '\u{E017}'),
    ("F1", '\u{E031}'),
    ("F5", '\u{E035}'),
    ("F12", '\u{E03C}'),
];
/// The modifiers in the same form.
const MODIFIERS: [(&str, char); 4] =
    [("Alt", '\u{E00A}'), ("Control", '\u{E009}'), ("Meta", '\u{E03D}'), ("Shift", '\u{E008}')];

/// The command for all actions.
const PERFORM: &str = "input.performActions";

/// Moves the pointer, and optionally clicks.
pub(super) fn point(context: &str, to: [f64; 2], clicks: bool) -> Command {
    // The protocol accepts only integers.
    let [x, y] = to.map(f64::floor).map(|length| length as i64);
    let mut actions = vec![json!({ "type": "pointerMove", "x": x, "y": y })];
    if clicks {
        actions.extend(["pointerDown", "pointerUp"].map(|kind| json!({ "type": kind, "button": 0 })));
    }
    perform(context, "pointer", &actions)
}

/// Presses and releases a key, given by its name with preceding modifiers.
pub(super) fn press(context: &str, name: &str) -> Command {
    let keys = keys(name);
    let down = keys.iter().map(|key| json!({ "type": "keyDown", "value": key }));
    let up = keys.iter().rev().map(|key| json!({ "type": "keyUp", "value": key }));
    perform(context, "key", &down.chain(up).collect::<Vec<_>>())
}

/// Types a text character by character.
pub(super) fn text(context: &str, text: &str) -> Command {
    let letters = text.chars().flat_map(|letter| ["keyDown", "keyUp"].map(|kind| (kind, letter)));
    let actions: Vec<Value> =
        letters.map(|(kind, letter)| json!({ "type": kind, "value": letter })).collect();
    perform(context, "key", &actions)
}

/// Scrolls in the middle of the window.
pub(super) fn scroll(context: &str, right: i32, down: i32) -> Command {
    let [x, y] = WINDOW.map(|length| length / 2);
    let turn = json!({ "type": "scroll", "x": x, "y": y, "deltaX": right, "deltaY": down });
    perform(context, "wheel", &[turn])
}

fn perform(context: &str, kind: &str, actions: &[Value]) -> Command {
    let source = json!({ "type": kind, "id": kind, "actions": actions });
    (PERFORM, json!({ "context": context, "actions": [source] }))
}

/// Returns the keys that are pressed together, the modifiers first.
fn keys(name: &str) -> Vec<String> {
    let mut rest = name;
    let mut keys = Vec::new();
    while let Some((modifier, after)) = rest.split_once('+').filter(|(_, after)| !after.is_empty()) {
        let Some((_, key)) = MODIFIERS.iter().find(|(known, _)| *known == modifier) else { break };
        keys.push(key.to_string());
        rest = after;
    }
    let key = KEYS.iter().find(|(known, _)| *known == rest).map(|(_, key)| key.to_string());
    keys.push(key.unwrap_or_else(|| rest.to_owned()));
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_known_by_their_names_and_modifiers() {
        assert_eq!(keys("a"), ["a"]);
        assert_eq!(keys("Enter"), ["\u{E006}"]);
        assert_eq!(keys("Control+Shift+z"), ["\u{E009}", "\u{E008}", "z"]);
        assert_eq!(keys("+"), ["+"]);
        assert_eq!(keys("Space"), [" "]);
        let (_, pressed) = press("c", "Control+a");
        let kinds: Vec<&Value> = pressed["actions"][0]["actions"]
            .as_array()
            .expect("actions")
            .iter()
            .map(|action| &action["type"])
            .collect();
        assert_eq!(kinds, ["keyDown", "keyDown", "keyUp", "keyUp"]);
    }
}
