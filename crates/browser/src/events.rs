//! Parses scripts of user actions, such as clicks and keys, that are performed before a page is checked.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A user action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// Clicks in the middle of the first element that matches a selector.
    Click(String),
    /// Moves the pointer to the first element that matches a selector.
    Hover(String),
    /// Presses and releases a key, given by its name (`Enter`, `a`) with preceding modifiers (`Control+a`).
    Key(String),
    /// Types a text into the focused element.
    Type(String),
    /// Scrolls by this many pixels, to the right and down.
    Scroll(i32, i32),
    /// Waits for this time.
    Wait(Duration),
}

/// The possible lines.
const WORDS: &str = "`click SELECTOR`, `hover SELECTOR`, `key NAME`, `type TEXT`, `scroll PIXELS`, `scroll RIGHT DOWN` and `wait MILLISECONDS`";

/// An error in a script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ScriptError {
    /// The number of the line; the first one is 1.
    pub line: usize,
    what: String,
}

/// Parses a script with one action in a line. Empty lines and lines that begin with `#` are skipped.
///
/// ```
/// use nubbin_browser::{Event, events};
///
/// let script = events("# opens the menu\nclick #menu > button\nkey Enter\n")?;
/// assert_eq!(script, [Event::Click("#menu > button".to_owned()), Event::Key("Enter".to_owned())]);
/// # Ok::<(), nubbin_browser::ScriptError>(())
/// ```
///
/// # Errors
/// Returns the first invalid line.
pub fn events(script: &str) -> Result<Vec<Event>, ScriptError> {
    let lines = script.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with("# ") && *line != "#");
    lines.map(|(at, line)| event(line).map_err(|what| ScriptError { line: at + 1, what })).collect()
}

fn event(line: &str) -> Result<Event, String> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    if rest.is_empty() {
        let is_known = ["click", "hover", "key", "type", "scroll", "wait"].contains(&word);
        return Err(if is_known {
            format!("`{word}` needs an argument; the actions are {WORDS}")
        } else {
            format!("unknown action `{line}`; the actions are {WORDS}")
        });
    }
    let text = || rest.to_owned();
    Ok(match word {
        "click" => Event::Click(text()),
        "hover" => Event::Hover(text()),
        "key" => Event::Key(text()),
        "type" => Event::Type(text()),
        "scroll" => scroll(rest)?,
        "wait" => Event::Wait(Duration::from_millis(number(rest)?)),
        _ => return Err(format!("unknown action `{word}`; the actions are {WORDS}")),
    })
}

fn scroll(pixels: &str) -> Result<Event, String> {
    let pixels: Vec<i32> = pixels.split_whitespace().map(number).collect::<Result<_, _>>()?;
    match pixels[..] {
        [down] => Ok(Event::Scroll(0, down)),
        [right, down] => Ok(Event::Scroll(right, down)),
        _ => Err("`scroll` takes the number of pixels down, or the numbers of pixels to the right and down"
            .to_owned()),
    }
}

fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("`{text}` is not a whole number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_an_event() {
        let script = "click #a b\n\n# a note\nhover li:first-child\nkey Control+a\ntype two  words\nscroll 300\n\
                      scroll -5 10\nwait 250\nclick #menu\n";
        let script = events(script).expect("a script");
        assert_eq!(
            script,
            [
                Event::Click("#a b".to_owned()),
                Event::Hover("li:first-child".to_owned()),
                Event::Key("Control+a".to_owned()),
                Event::Type("two  words".to_owned()),
                Event::Scroll(0, 300),
                Event::Scroll(-5, 10),
                Event::Wait(Duration::from_millis(250)),
                Event::Click("#menu".to_owned()),
            ]
        );
    }

    #[test]
    fn what_makes_no_sense_is_told_with_its_line() {
        for (script, line, part) in [
            ("click", 1, "needs an argument"),
            ("key a\n\ndrag #a", 3, "unknown action `drag`"),
            ("wait long", 1, "not a whole number"),
            ("wait -1", 1, "not a whole number"),
            ("scroll 1 2 3", 1, "number of pixels"),
            ("hello", 1, "unknown action `hello`"),
        ] {
            let error = events(script).expect_err(script);
            assert!(error.line == line && error.to_string().contains(part), "{error}");
        }
    }
}
