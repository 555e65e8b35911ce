//! Python programs, examined through the hooks of their interpreter.

use super::{Debugger, file_name};
use crate::protocol::{Failing, Kind, Vertex};
use crate::traceback;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The options of the interpreter that take a separate argument.
const WITH_VALUE: [&str; 3] = ["-W", "-X", "--check-hash-based-pycs"];
/// The maximum number of bytes that are read of a script's first line.
const FIRST_LINE: u64 = 256;

/// An interpreter and its options.
#[derive(Clone, Debug)]
pub struct Interpreter {
    words: Vec<String>,
}

impl Interpreter {
    /// Returns the interpreter that a command runs, and the remaining arguments. Returns `None` if the
    /// command runs another program.
    pub fn of(words: &[String]) -> Option<(Self, Vec<String>)> {
        let program = words.first()?;
        if is_interpreter(program) {
            let mut end = 1;
            while let Some(option) = words.get(end).filter(|word| is_option(word)) {
                end += 1 + usize::from(WITH_VALUE.contains(&option.as_str()));
            }
            let end = end.min(words.len());
            return Some((Self { words: words[..end].to_vec() }, words[end..].to_vec()));
        }
        let script = on_path(program, &std::env::var_os("PATH").unwrap_or_default())?;
        let interpreter = of_script(&script)?;
        let mut words = words.to_vec();
        script.to_str()?.clone_into(&mut words[0]);
        Some((Self { words: interpreter }, words))
    }
}

/// Returns the expression for a class `MODULE.CLASS` or `MODULE:CLASS.INNER`, or `None` if there is none, as
/// for a class inside a function.
fn class(name: &str) -> Option<String> {
    let parts = name.split_once(':').or_else(|| name.rsplit_once('.'));
    let (module, class) = parts.filter(|_| !name.contains('<'))?;
    Some(format!("__import__('sys').modules[{module:?}].{class}"))
}

fn is_interpreter(program: &str) -> bool {
    let rest = file_name(program).strip_prefix("python");
    rest.is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// Returns whether an argument is an option of the interpreter, and not the program to run.
fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && !word.starts_with("-c") && !word.starts_with("-m")
}

/// Returns the file of a program; a name without a directory is searched in `PATH`.
fn on_path(program: &str, folders: &OsStr) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program));
    }
    std::env::split_paths(folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Returns the interpreter in the first line of a script.
fn of_script(script: &Path) -> Option<Vec<String>> {
    let mut first = Vec::new();
    File::open(script).ok()?.take(FIRST_LINE).read_to_end(&mut first).ok()?;
    let line = first.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let words: Vec<&str> = std::str::from_utf8(line).ok()?.split_whitespace().collect();
    let at = words.iter().position(|word| is_interpreter(word))?;
    Some(words[at..].iter().map(|&word| word.to_owned()).collect())
}

impl Debugger for Interpreter {
    fn name(&self) -> &'static str {
        "python"
    }

    fn agent(&self) -> &'static str {
        include_str!("python.py")
    }

    fn origins(&self) -> &'static str {
        include_str!("python_origins.py")
    }

    fn words(&self, agent: &Path) -> Vec<OsString> {
        let own = self.words.iter().map(OsString::from);
        own.chain([agent.as_os_str().to_owned(), "{}".into()]).collect()
    }

    fn expression(&self, of: &str, op: &str) -> String {
        format!("{of}{op}")
    }

    fn nothing(&self) -> &'static str {
        "None"
    }

    fn temporary(&self, number: usize) -> String {
        format!("nubbin_{number}")
    }

    fn assign(&self, place: &str, value: &str) -> String {
        format!("{place} = {value}")
    }

    fn write(&self, place: &str, _: &Vertex, new: &Vertex) -> Option<Vec<String>> {
        Some(vec![self.assign(place, &new.value)])
    }

    fn create(&self, variable: &str, first: &Vertex, _: usize) -> Option<String> {
        let made = match (first.kind, first.type_name.as_str()) {
            (Kind::Array, "list") => "[]".to_owned(),
            (Kind::Array, "bytearray") => "bytearray()".to_owned(),
            (Kind::Map, "dict") => "{}".to_owned(),
            (Kind::Set, _) => first.value.clone(),
            // A class that is implemented in C must create its own instances.
            (Kind::Array | Kind::Map | Kind::Record, _) => {
                let class = class(&first.type_name)?;
                format!("{class}.__new__({class})")
            }
            _ => return None,
        };
        Some(format!("{variable} = {made}"))
    }

    fn tuple(&self, of: &Vertex, parts: &str) -> Option<String> {
        if of.type_name == "tuple" {
            return Some(format!("({parts})"));
        }
        Some(format!("tuple.__new__({}, ({parts}))", class(&of.type_name)?))
    }

    fn create_text(&self, variable: &str, text: &Vertex) -> Option<Vec<String>> {
        Some(vec![self.assign(variable, &text.value)])
    }

    fn insert(&self, container: &str, op: &str, value: &str) -> Option<String> {
        let is_element = op.starts_with('[') && op[1..].starts_with(|c: char| c.is_ascii_digit());
        if is_element {
            // Elements are added in order, so each one is appended; a numeric key looks the same.
            let key = &op[1..op.len() - 1];
            let [append, put] = [format!("append({value})"), format!("__setitem__({key}, {value})")];
            return Some(format!(
                "{container}.{put} if isinstance({container}, dict) else {container}.{append}"
            ));
        }
        Some(format!("{container}{op} = {value}"))
    }

    fn remove(&self, container: Option<&str>, op: &str) -> Option<String> {
        Some(format!("del {}{op}", container.unwrap_or_default()))
    }

    fn reference(&self, expression: &str) -> String {
        expression.to_owned()
    }

    fn refers_to_all(&self) -> bool {
        true
    }

    fn traceback(&self, stderr: &[u8]) -> Option<Failing> {
        traceback::last(&String::from_utf8_lossy(stderr))
    }

    fn go_to(&self, program: &[String], file: &Path, line: u32, count: u32) -> Vec<String> {
        let mut commands = vec![
            format!("{} -m pdb {}", self.words.join(" "), program.join(" ")),
            format!("break {}:{line}", file.display()),
        ];
        if count > 1 {
            commands.push(format!("ignore 1 {}", count - 1));
        }
        commands.push("continue".to_owned());
        commands
    }

    fn typed(&self, commands: &[String]) -> Vec<String> {
        // This debugger selects frames relative to the current one.
        let mut at = 0_i64;
        let type_one = |command: &String| {
            let Some(frame) = command.strip_prefix("frame ").and_then(|frame| frame.parse::<i64>().ok())
            else {
                return format!("!{command}");
            };
            let way = frame - std::mem::replace(&mut at, frame);
            format!("{} {}", if way > 0 { "up" } else { "down" }, way.abs())
        };
        commands.iter().map(type_one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(words: &[&str]) -> Option<(Vec<String>, Vec<String>)> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        Interpreter::of(&words).map(|(interpreter, program)| (interpreter.words, program))
    }

    #[test]
    fn options_of_the_interpreter_stay_with_it() {
        let (own, program) = parts(&["python3.11", "-X", "utf8", "-O", "a.py", "-x"]).expect("it is one");
        assert_eq!(own, ["python3.11", "-X", "utf8", "-O"]);
        assert_eq!(program, ["a.py", "-x"]);
        let (own, program) = parts(&["/usr/bin/python3", "-m", "tool", "x"]).expect("it is one");
        assert_eq!(own, ["/usr/bin/python3"]);
        assert_eq!(program, ["-m", "tool", "x"]);
    }

    #[test]
    fn a_class_is_found_by_module_and_name() {
        let found = class("pkg.mod:Outer.Inner").expect("it has a name");
        assert_eq!(found, "__import__('sys').modules[\"pkg.mod\"].Outer.Inner");
        assert_eq!(
            class("pkg.mod.Plain").expect("it has a name"),
            "__import__('sys').modules[\"pkg.mod\"].Plain"
        );
        assert_eq!(class("mod:f.<locals>.Inner"), None);
    }

    #[test]
    fn a_program_without_a_directory_is_searched_in_path() {
        let folders = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
        let path = std::env::join_paths(folders.iter().map(tempfile::TempDir::path)).expect("a path");
        assert_eq!(on_path("tool", &path), None);
        let tool = folders[1].path().join("tool");
        std::fs::write(&tool, "").expect("it is written");
        assert_eq!(on_path("tool", &path), Some(tool));
        assert_eq!(on_path("./tool", &path), Some(PathBuf::from("./tool")), "it is one of this directory");
    }

    #[test]
    fn the_first_line_of_a_script_names_its_interpreter() {
        let folder = tempfile::tempdir().expect("a directory");
        let script = folder.path().join("tool");
        std::fs::write(&script, "#!/usr/bin/env python3\nprint()\n").expect("it is written");
        let path = script.to_str().expect("a text");
        let (own, program) = parts(&[path, "1"]).expect("it is one");
        assert_eq!((own, program), (vec!["python3".to_owned()], vec![path.to_owned(), "1".to_owned()]));
        std::fs::write(&script, "#!/bin/sh\n").expect("it is written");
        assert_eq!(parts(&[path]), None);
        assert_eq!(parts(&["/bin/ls"]), None);
    }
}
