//! Formats values, messages and errors like the console of a browser.

use crate::plan::Outcome;
use serde_json::Value;

/// Returns the result of an evaluated expression.
pub(crate) fn outcome(evaluated: &Value) -> Outcome {
    if evaluated["exceptionDetails"].is_object() {
        return Err(thrown(&evaluated["exceptionDetails"]));
    }
    let result = &evaluated["result"];
    match (result.get("value"), result.get("unserializableValue")) {
        (Some(value), _) | (None, Some(value)) => Ok(value.clone()),
        (None, None) => Ok(result["type"].clone()),
    }
}

/// Formats a console message as a line.
pub(crate) fn said(arguments: &Value) -> String {
    let arguments = arguments.as_array().map(Vec::as_slice).unwrap_or_default();
    let words: Vec<String> = arguments.iter().map(shown).collect();
    words.join(" ")
}

/// Formats a message of the browser about a page. For a failed request, the address is included.
pub(crate) fn entered(entry: &Value) -> String {
    let text = entry["text"].as_str().unwrap_or_default();
    match entry["url"].as_str().filter(|_| entry["source"] == "network") {
        Some(url) => format!("{text}: {url}"),
        None => text.to_owned(),
    }
}

/// Formats a value.
fn shown(value: &Value) -> String {
    match (&value["value"], &value["unserializableValue"], &value["description"]) {
        (Value::String(text), ..) => text.clone(),
        (Value::Null, Value::String(text), _) | (Value::Null, Value::Null, Value::String(text)) => {
            text.clone()
        }
        (Value::Null, ..) if value["type"] == "undefined" => "undefined".to_owned(),
        (other, ..) => other.to_string(),
    }
}

/// Formats an uncaught error, without the locations in its stack.
pub(crate) fn thrown(details: &Value) -> String {
    let text = details["text"].as_str().unwrap_or_default();
    let exception = &details["exception"];
    let shown = if exception.is_object() { shown(exception) } else { String::new() };
    let lines: Vec<&str> = shown.lines().take_while(|line| !line.starts_with("    at ")).collect();
    format!("{text} {}", lines.join("\n")).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
        let details =
            json!({ "text": "Uncaught (in promise)", "exception": { "type": "string", "value": "no" } });
        assert_eq!(thrown(&details), "Uncaught (in promise) no");
        assert_eq!(thrown(&json!({ "text": "Uncaught SyntaxError: x" })), "Uncaught SyntaxError: x");
    }

    #[test]
    fn a_request_that_failed_is_told_with_its_address() {
        let entry = json!({ "source": "network", "text": "Failed to load", "url": "http://localhost/x.css" });
        assert_eq!(entered(&entry), "Failed to load: http://localhost/x.css");
        assert_eq!(entered(&json!({ "source": "security", "text": "Refused", "url": "x" })), "Refused");
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
