//! Converts values, messages and errors of WebDriver BiDi to JSON values and to the text of a browser
//! console.

use crate::browser::Heard;
use crate::plan::Outcome;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Returns the result of an evaluated expression.
pub(super) fn outcome(evaluated: &Value) -> Outcome {
    if evaluated["exceptionDetails"].is_object() {
        return Err(uncaught(evaluated["exceptionDetails"]["text"].as_str().unwrap_or_default()));
    }
    let mut known = HashMap::new();
    note(&evaluated["result"], &mut known);
    let value = plain(&evaluated["result"], &known, &mut Vec::new());
    value.ok_or_else(|| "Uncaught TypeError: the value contains itself".to_owned())
}

/// Formats a console message as a line.
pub(super) fn entered(entry: &Value) -> Heard {
    let text = entry["text"].as_str().unwrap_or_default();
    let is_uncaught = entry["type"] == "javascript" && entry["level"] == "error" && is_error(entry, text);
    Heard::Said { text: if is_uncaught { uncaught(text) } else { text.to_owned() }, is_uncaught }
}

/// Distinguishes an error of a script from messages of the browser about the page, for example about its
/// fonts or its policy: an error has a stack or the name of an error type.
fn is_error(entry: &Value, text: &str) -> bool {
    let has_stack = entry["stackTrace"]["callFrames"].as_array().is_some_and(|frames| !frames.is_empty());
    let name = text.split_once(": ").map_or(text, |(name, _)| name);
    let is_name = !name.is_empty()
        && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$');
    has_stack || is_name || name == THROWN
}

/// The text before `: ` for a thrown value that is not an error object.
const THROWN: &str = "uncaught exception";

/// Formats an uncaught error.
fn uncaught(text: &str) -> String {
    let rest = text.strip_prefix(THROWN).and_then(|rest| rest.strip_prefix(": "));
    format!("Uncaught {}", rest.unwrap_or(text))
}

/// Records the values that can be referenced again.
fn note<'v>(value: &'v Value, known: &mut HashMap<&'v str, &'v Value>) {
    if let (Some(id), Some(_)) = (value["internalId"].as_str(), value.get("value")) {
        known.insert(id, value);
    }
    for part in value["value"].as_array().into_iter().flatten() {
        match part.as_array() {
            Some(pair) => pair.iter().for_each(|part| note(part, known)),
            None => note(part, known),
        }
    }
}

/// Converts a value to JSON like the developer tools of Chromium; objects other than plain ones become empty
/// objects. Returns `None` if the value is cyclic.
fn plain<'v>(
    value: &'v Value,
    known: &HashMap<&'v str, &'v Value>,
    inside: &mut Vec<&'v str>,
) -> Option<Value> {
    let id = value["internalId"].as_str();
    let value = match id.and_then(|id| known.get(id)) {
        Some(value) => value,
        None => value,
    };
    if id.is_some_and(|id| inside.contains(&id)) {
        return None;
    }
    let depth = inside.len();
    inside.extend(id);
    let parts = value["value"].as_array().map(Vec::as_slice).unwrap_or_default();
    let result = match value["type"].as_str().unwrap_or_default() {
        "null" => Value::Null,
        "string" | "number" | "boolean" => value["value"].clone(),
        "bigint" => format!("{}n", value["value"].as_str().unwrap_or_default()).into(),
        kind @ ("undefined" | "symbol") => kind.into(),
        "array" => parts.iter().map(|part| plain(part, known, inside)).collect::<Option<Vec<_>>>()?.into(),
        "object" => {
            let pairs = parts.iter().filter_map(|pair| Some((pair[0].as_str()?.to_owned(), &pair[1])));
            let pairs = pairs.filter(|(_, part)| part["type"] != "undefined");
            let pairs = pairs.map(|(key, part)| Some((key, plain(part, known, inside)?)));
            pairs.collect::<Option<Map<_, _>>>()?.into()
        }
        _ => json!({}),
    };
    inside.truncate(depth);
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_comes_to_a_value_or_an_error() {
        let of = |result: Value| outcome(&json!({ "type": "success", "result": result }));
        assert_eq!(of(json!({ "type": "number", "value": 3 })), Ok(json!(3)));
        assert_eq!(of(json!({ "type": "number", "value": "NaN" })), Ok(json!("NaN")));
        assert_eq!(of(json!({ "type": "undefined" })), Ok(json!("undefined")));
        assert_eq!(of(json!({ "type": "bigint", "value": "7" })), Ok(json!("7n")));
        assert_eq!(of(json!({ "type": "null" })), Ok(Value::Null));
        assert_eq!(of(json!({ "type": "node", "sharedId": "x" })), Ok(json!({})));
        let failed = json!({ "type": "exception", "exceptionDetails": { "text": "ReferenceError: a is not defined" } });
        assert_eq!(outcome(&failed), Err("Uncaught ReferenceError: a is not defined".to_owned()));
    }

    #[test]
    fn objects_are_those_of_json() {
        let text = |value: &str| json!({ "type": "string", "value": value });
        let shared = json!({ "type": "array", "internalId": "1", "value": [text("x")] });
        let again = json!({ "type": "array", "internalId": "1" });
        let object = json!({ "type": "object", "value": [["a", shared], ["b", again], ["c", { "type": "undefined" }]] });
        assert_eq!(outcome(&json!({ "result": object })), Ok(json!({ "a": ["x"], "b": ["x"] })));
        let itself = json!({ "type": "object", "internalId": "2", "value": [["a", { "type": "object", "internalId": "2" }]] });
        assert!(outcome(&json!({ "result": itself })).is_err());
    }

    #[test]
    fn messages_and_errors_read_as_in_the_console() {
        let said = |entry: Value| match entered(&entry) {
            Heard::Said { text, is_uncaught } => (text, is_uncaught),
            other => panic!("{other:?}"),
        };
        let entry = json!({ "type": "console", "method": "log", "level": "info", "text": "count: 3" });
        assert_eq!(said(entry), ("count: 3".to_owned(), false));
        let error = |text: &str| said(json!({ "type": "javascript", "level": "error", "text": text }));
        assert_eq!(error("TypeError: x is null"), ("Uncaught TypeError: x is null".to_owned(), true));
        assert_eq!(error("uncaught exception: no"), ("Uncaught no".to_owned(), true));
        assert_eq!(error("Error"), ("Uncaught Error".to_owned(), true));
        let font = "downloadable font: download failed (font-family: \"x\")";
        assert_eq!(error(font), (font.to_owned(), false));
        let policy = "Content-Security-Policy: The page’s settings blocked an inline script";
        assert_eq!(error(policy), (policy.to_owned(), false));
    }
}
