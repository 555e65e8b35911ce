//! Events of a page before it is looked at: a script of clicks and keys, one a line.
//!
//! It knows no browser.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Something that a user does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// Clicks in the middle of the first element that a selector finds.
    Click(String),
    /// Moves the pointer there.
    Hover(String),
    /// Presses and releases a key, by its name (`Enter`, `a`), with modifiers before it (`Control+a`).
    Key(String),
    /// Types a text into what has the focus.
    Type(String),
    /// Turns the wheel by so many pixels, to the right and down.
    Scroll(i32, i32),
    /// Lets time pass.
    Wait(Duration),
}

/// The words that a line may begin with.
const WORDS: &str = "`click SELECTOR`, `hover SELECTOR`, `key NAME`, `type TEXT`, `scroll PIXELS`, `scroll RIGHT DOWN` and `wait MILLISECONDS`";

/// A line of a script that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ScriptError {
    /// The number of the line; the first one is 1.
    pub line: usize,
    what: String,
}

/// Reads a script: an event a line; lines that are empty or begin with `#` are skipped.
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
/// Returns the first line that makes no sense.
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
            format!("`{word}` stands alone; there are {WORDS}")
        } else {
            format!("`{line}` is no event; there are {WORDS}")
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
        _ => return Err(format!("`{word}` is no event; there are {WORDS}")),
    })
}

fn scroll(pixels: &str) -> Result<Event, String> {
    let pixels: Vec<i32> = pixels.split_whitespace().map(number).collect::<Result<_, _>>()?;
    match pixels[..] {
        [down] => Ok(Event::Scroll(0, down)),
        [right, down] => Ok(Event::Scroll(right, down)),
        _ => Err("`scroll` takes the pixels down, or those to the right and those down".to_owned()),
    }
}

fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("`{text}` is no whole number"))
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
            ("click", 1, "stands alone"),
            ("key a\n\ndrag #a", 3, "`drag` is no event"),
            ("wait long", 1, "no whole number"),
            ("wait -1", 1, "no whole number"),
            ("scroll 1 2 3", 1, "the pixels down"),
            ("hello", 1, "`hello` is no event"),
        ] {
            let error = events(script).expect_err(script);
            assert!(error.line == line && error.to_string().contains(part), "{error}");
        }
    }
}
