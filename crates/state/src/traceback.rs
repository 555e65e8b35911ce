//! Python tracebacks in the messages of a run.

use crate::protocol::{Failing, Site};
use std::path::PathBuf;

/// Returns the frames and the exception of the last traceback in a text. If an exception was raised while
/// another one was handled, the later one is returned.
pub fn last(messages: &str) -> Option<Failing> {
    let mut found = None;
    let mut is_remote = false;
    // The frames so far, and the column at which the traceback starts.
    let mut open: Option<(Vec<Site>, usize)> = None;
    for whole in messages.lines() {
        // Tracebacks of exception groups are preceded by bars.
        let line = whole.trim_start_matches([' ', '|', '+']);
        let column = whole.len() - line.len();
        if line.contains("Traceback (most recent call last)") {
            open = Some((Vec::new(), column));
        } else if let Some((frames, start)) = &mut open {
            if let Some(site) = site(line) {
                frames.insert(0, site);
            } else if let Some(kind) = exception(line).filter(|_| column == *start && !frames.is_empty()) {
                let (message, frames) = (Some(line.to_owned()), std::mem::take(frames));
                found = Some(Failing { kind: Some(kind), message, frames, ..Failing::default() });
                open = None;
                if is_remote {
                    return found;
                }
            }
        } else if exception(line).is_some_and(|name| name.ends_with("RemoteTraceback")) {
            // The traceback of another process is quoted, and its exception is then raised again in this one.
            is_remote = true;
        }
    }
    found
}

/// Returns the place in a line of a traceback.
fn site(line: &str) -> Option<Site> {
    let (file, rest) = line.strip_prefix("File \"")?.split_once("\", line ")?;
    let (number, function) = rest.split_once(", in ")?;
    Some(Site { file: PathBuf::from(file), line: number.parse().ok()?, function: function.to_owned() })
}

/// Returns the name of the exception in the last line of a traceback.
fn exception(line: &str) -> Option<String> {
    let name = line.split_once(':').map_or(line, |(name, _)| name);
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_class = last.starts_with(|c: char| c.is_uppercase() || c == '_');
    (is_class && name.split('.').all(is_name)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAINED: &str = "\
noise
Traceback (most recent call last):
  File \"/a/calendar.py\", line 124, in monthrange
    raise IllegalMonthError(month)
calendar.IllegalMonthError: bad month

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File \"/a/date.py\", line 5, in <module>
    print(parse(line))
          ^^^^^^^^^^^
  File \"/a/parser.py\", line 657, in parse
    Name
    ~~~~
TypeError: unsupported operand
more
";

    #[test]
    fn the_last_traceback_is_returned_innermost_frame_first() {
        let found = last(CHAINED).expect("a traceback");
        assert_eq!(found.kind.as_deref(), Some("TypeError"));
        assert_eq!(found.message.as_deref(), Some("TypeError: unsupported operand"));
        let lines: Vec<_> = found.frames.iter().map(|site| (site.line, site.function.as_str())).collect();
        assert_eq!(lines, [(657, "parse"), (5, "<module>")]);
    }

    #[test]
    fn exceptions_of_modules_and_without_messages_are_recognized() {
        let text = |last: &str| {
            format!("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n{last}\n")
        };
        for (line, name) in
            [("toml.decoder.TomlDecodeError: no", "toml.decoder.TomlDecodeError"), ("KeyError", "KeyError")]
        {
            assert_eq!(last(&text(line)).and_then(|found| found.kind).as_deref(), Some(name));
        }
    }

    #[test]
    fn the_last_exception_of_a_group_is_returned() {
        let text = "\
  + Exception Group Traceback (most recent call last):
  |   File \"a.py\", line 9, in <module>
  |     raise group
  | ExceptionGroup: both (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File \"a.py\", line 3, in one
    |     raise ValueError(1)
    | ValueError: 1
    +------------------------------------
";
        let found = last(text).expect("a traceback");
        assert_eq!((found.kind.as_deref(), found.frames[0].line), (Some("ValueError"), 3));
    }

    #[test]
    fn an_exception_from_a_process_pool_is_located_where_it_was_first_raised() {
        let text = "\
multiprocessing.pool.RemoteTraceback: 
\"\"\"
Traceback (most recent call last):
  File \"a.py\", line 7, in part
    return 100 // value
ZeroDivisionError: no
\"\"\"

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File \"pool.py\", line 774, in get
    raise self._value
ZeroDivisionError: no
";
        assert_eq!(last(text).expect("a traceback").frames[0].line, 7);
    }

    #[test]
    fn messages_without_a_traceback_have_none() {
        assert_eq!(last("error: no\nValueError: x\n"), None);
    }
}
