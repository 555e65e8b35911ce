//! Commands that run Node: a script, code, or a program whose `#!` line names Node.
//!
//! The server is the command itself with a preloaded library, which forks when the candidate is first
//! accessed.

use crate::{name, program};
use std::ffi::OsString;
use std::path::Path;

/// The library in base64; empty if it could not be compiled.
const LIBRARY: &str = include_str!(concat!(env!("OUT_DIR"), "/fork.base64"));

/// The shell script that starts the command. The library has no path in any directory; the user's
/// `LD_PRELOAD` follows it. The library removes itself from the variable and closes the descriptor.
const START: &str = "file=$TMPDIR/$$ && printf %s \"$0\" | base64 -d >\"$file\" && exec 9<\"$file\" && rm \"$file\" && \
                     export \"LD_PRELOAD=/proc/self/fd/9:$LD_PRELOAD\" && exec \"$@\"";

/// Options of Node that start threads, wait for input or report durations.
const UNFIT: [&str; 8] =
    ["-i", "--interactive", "--inspect", "--watch", "--prof", "--cpu-prof", "--heap-prof", "--trace-event"];

/// Returns the arguments of a server for this command.
pub(super) fn of_command(
    words: &[OsString],
    is_candidate: impl Fn(&OsString) -> bool,
) -> Option<Vec<OsString>> {
    let program = words.first()?;
    if LIBRARY.is_empty() || is_candidate(program) {
        return None;
    }
    let words: Vec<OsString> = if is_node(program) {
        words.to_vec()
    } else {
        let path = program::found(Path::new(program))?;
        let interpreter = program::interpreter(&path).filter(|words| words.first().is_some_and(is_node))?;
        interpreter.into_iter().chain([path.into_os_string()]).chain(words[1..].iter().cloned()).collect()
    };
    let mut options = words[1..].iter().take_while(|word| is_option(word));
    let is_unfit = words.len() == 1 || options.any(is_unfit);
    let start = ["sh", "-c", START, LIBRARY].map(OsString::from);
    (!is_unfit).then(|| [&start[..], &words].concat())
}

/// Returns whether an argument is the name of the interpreter.
fn is_node(word: &OsString) -> bool {
    matches!(name(word), "node" | "nodejs")
}

fn is_option(word: &OsString) -> bool {
    word.as_encoded_bytes().starts_with(b"-")
}

fn is_unfit(option: &OsString) -> bool {
    let option = option.to_string_lossy();
    UNFIT.iter().any(|unfit| option == *unfit || unfit.starts_with("--") && option.starts_with(unfit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn served(line: &str) -> Option<String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let words = of_command(&words, |word| word == "{}")?;
        let (start, words) = words.split_at(4);
        assert_eq!(start, ["sh", "-c", START, LIBRARY]);
        Some(words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn scripts_code_and_the_candidate_itself_are_served_by_the_command_itself() {
        for command in [
            "node tool.js {}",
            "/usr/bin/node --max-old-space-size=1000 tool.mjs -v {}",
            "nodejs -e code {}",
            "node --check {}",
            "node {}",
        ] {
            assert_eq!(served(command).as_deref(), Some(command));
        }
    }

    #[test]
    fn what_is_no_program_or_has_threads_of_its_own_is_not_served() {
        for command in [
            "node",
            "{} x",
            "gcc {}",
            "node --inspect-brk tool.js {}",
            "node -i {}",
            "node --watch tool.js {}",
        ] {
            assert_eq!(served(command), None, "{command}");
        }
        assert!(served("node tool.js --watch {}").is_some());
    }

    #[test]
    fn a_program_whose_first_line_names_node_is_served() {
        let place = tempfile::tempdir().expect("a directory");
        let tool = place.path().join("tool");
        let link = place.path().join("link");
        std::os::unix::fs::symlink(&tool, &link).expect("linked");
        for (line, server) in [
            ("#!/usr/bin/env node\n", Some("node")),
            ("#!/usr/bin/env -S node --no-warnings\n", Some("node --no-warnings")),
            ("#!/opt/bin/node\n", Some("/opt/bin/node")),
            ("#!/bin/sh\n", None),
            ("no first line", None),
        ] {
            fs::write(&tool, line).expect("written");
            for program in [&tool, &link] {
                let program = program.to_str().expect("plain");
                let wanted = server.map(|server| format!("{server} {program} {{}}"));
                assert_eq!(served(&format!("{program} {{}}")), wanted, "{line}");
            }
        }
    }

    #[test]
    fn nothing_in_the_server_stands_for_a_candidate() {
        assert!(!START.contains('{') && !LIBRARY.contains('{'));
        // The maximum length of an argument on Linux.
        assert!(LIBRARY.len() < 128 << 10);
    }
}
