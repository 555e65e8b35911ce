//! Simulates clicks, keys and scrolling.

use crate::browser::{Command, WINDOW};
use serde_json::{Value, json};

/// Keys that produce no character: their names, their codes, and the text they type.
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
/// The modifiers and their bits.
const MODIFIERS: [(&str, u32); 4] = [("Alt", 1), ("Control", 2), ("Meta", 4), ("Shift", 8)];

/// Moves the pointer, and optionally clicks.
pub(super) fn point([x, y]: [f64; 2], clicks: bool) -> Vec<Command> {
    let kinds = ["mouseMoved", "mousePressed", "mouseReleased"];
    let moved = kinds.into_iter().take(if clicks { 3 } else { 1 }).map(|kind| {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let count = u32::from(kind != "mouseMoved");
        json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": count })
    });
    moved.map(|moved| ("Input.dispatchMouseEvent", moved)).collect()
}

/// Presses and releases a key.
pub(super) fn press(name: &str) -> Vec<Command> {
    let kinds = ["keyDown", "keyUp"].into_iter().map(|kind| {
        let mut pressed = key(name);
        pressed["type"] = kind.into();
        pressed
    });
    kinds.map(|pressed| ("Input.dispatchKeyEvent", pressed)).collect()
}

/// Scrolls in the middle of the window.
pub(super) fn scroll(right: i32, down: i32) -> Command {
    let [x, y] = WINDOW.map(|length| length / 2);
    let wheel = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": right, "deltaY": down });
    ("Input.dispatchMouseEvent", wheel)
}

/// Returns the description of a key for the browser, from its name with preceding modifiers.
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
    // With Control, Alt or Meta, no character is typed.
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
