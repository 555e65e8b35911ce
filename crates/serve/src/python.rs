//! Commands that run Python: a script, a module, code, or a program whose `#!` line names Python.

use crate::{name, program};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The source text of the server.
const SERVER: &str = concat!(include_str!("python/serve.py"), "\n\n", include_str!("python/program.py"));
/// The name of its module.
const MODULE: &str = "nubbin.serve";
/// The argument that precedes the command.
const COMMAND: &str = "--command";

/// Options of the interpreter without an argument.
const FLAGS: &[u8] = b"bBdEIOPqRsSu";
/// Options of the interpreter that are followed by an argument.
const WITH_WORD: [&str; 3] = ["-W", "-X", "--check-hash-based-pycs"];

/// Returns the arguments of a server for this command.
pub(super) fn of_command(
    words: &[OsString],
    is_candidate: impl Fn(&OsString) -> bool,
) -> Option<Vec<OsString>> {
    let program = words.first()?;
    if is_candidate(program) {
        return None;
    }
    let words: Vec<OsString> = if is_python(program) {
        words.to_vec()
    } else {
        let path = program::found(Path::new(program))?;
        let path = behind_shim(&path).unwrap_or(path);
        let program = [path.clone().into_os_string()];
        program::interpreter(&path)
            .filter(|words| words.first().is_some_and(is_python))?
            .into_iter()
            .chain(program)
            .chain(words[1..].iter().cloned())
            .collect()
    };
    let start = program_at(&words)?;
    let what = if words[start] == "-m" { words.get(start + 1)? } else { &words[start] };
    if is_candidate(what) {
        return None;
    }
    let own = ["-c", SERVER, COMMAND].map(OsString::from);
    Some([&words[..start], &own, &words[start..]].concat())
}

/// Replaces the name of the server's module by its source text.
pub(super) fn own(words: Vec<OsString>) -> Vec<OsString> {
    let start = words.first().filter(|program| is_python(program)).and_then(|_| program_at(&words));
    match start {
        Some(start) if words[start] == "-m" && words.get(start + 1).is_some_and(|word| word == MODULE) => {
            [&words[..start], &["-c", SERVER].map(OsString::from), &words[start + 2..]].concat()
        }
        _ => words,
    }
}

/// Returns whether an argument is the name of a Python 3 interpreter.
fn is_python(word: &OsString) -> bool {
    let Some(version) = name(word).strip_prefix("python") else { return false };
    version.is_empty()
        || version == "3"
        || version.strip_prefix("3.").is_some_and(|minor| minor.parse::<u8>().is_ok())
}

/// Returns the index of the script, `-m` or `-c` among the arguments of the interpreter.
fn program_at(words: &[OsString]) -> Option<usize> {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let bytes = word.as_bytes();
        if word == "-m" || word == "-c" || !bytes.starts_with(b"-") {
            return Some(at);
        }
        let has_word = WITH_WORD.iter().any(|option| word == option);
        let is_whole = [b"-W".as_slice(), b"-X"].iter().any(|option| bytes.starts_with(option));
        let is_flags = bytes.len() > 1 && bytes[1..].iter().all(|flag| FLAGS.contains(flag));
        if !(has_word || is_whole || is_flags) {
            return None;
        }
        at += if has_word { 2 } else { 1 };
    }
    None
}

/// Returns the program that a `pyenv` shim starts. The shim has the same name and selects the version of
/// Python.
fn behind_shim(script: &Path) -> Option<PathBuf> {
    let head = String::from_utf8(program::head(script)?).ok()?;
    let root = head.lines().find_map(|line| line.strip_prefix("export PYENV_ROOT=\"")?.strip_suffix('"'))?;
    let version = match std::env::var("PYENV_VERSION") {
        Ok(version) => version,
        Err(_) => std::fs::read_to_string(Path::new(root).join("version")).ok()?,
    };
    let version = version.split([':', '\n']).next()?.trim();
    let program = Path::new(root).join("versions").join(version).join("bin").join(script.file_name()?);
    program.is_file().then_some(program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    fn served(line: &str) -> Option<String> {
        let words = of_command(&words(line), |word| word == "{}")?;
        Some(
            words
                .iter()
                .map(|word| word.to_string_lossy().replace(SERVER, "SERVER"))
                .collect::<Vec<_>>()
                .join(" "),
        )
    }

    #[test]
    fn scripts_modules_and_code_are_served_with_the_interpreters_options() {
        for (command, server) in [
            ("python3 tool.py {}", "python3 -c SERVER --command tool.py {}"),
            (
                "/usr/bin/python3.11 -W ignore -Bu tool.py -v {}",
                "/usr/bin/python3.11 -W ignore -Bu -c SERVER --command tool.py -v {}",
            ),
            ("python -Wignore -m json.tool {}", "python -Wignore -c SERVER --command -m json.tool {}"),
            ("python3 -c code {}", "python3 -c SERVER --command -c code {}"),
        ] {
            assert_eq!(served(command).as_deref(), Some(server), "{command}");
        }
    }

    #[test]
    fn what_is_another_program_each_time_is_not_served() {
        for command in [
            "python3 {}",
            "python3 -m {}",
            "{} x",
            "python2 tool.py {}",
            "python3 -i tool.py {}",
            "python3",
            "gcc {}",
        ] {
            assert_eq!(served(command), None, "{command}");
        }
    }

    #[test]
    fn a_program_whose_first_line_names_python_is_served() {
        let place = tempfile::tempdir().expect("a directory");
        let tool = place.path().join("tool");
        for (line, server) in [
            ("#!/usr/bin/python3 -I\n", Some("/usr/bin/python3 -I -c SERVER --command")),
            ("#!/usr/bin/env python3\n", Some("python3 -c SERVER --command")),
            ("#!/bin/sh\n", None),
            ("no first line", None),
        ] {
            fs::write(&tool, line).expect("written");
            let tool = tool.to_str().expect("plain");
            let wanted = server.map(|server| format!("{server} {tool} {{}}"));
            assert_eq!(served(&format!("{tool} {{}}")), wanted, "{line}");
        }
    }

    #[test]
    fn nothing_in_the_server_stands_for_a_candidate() {
        assert!(!SERVER.contains("{}"));
    }

    #[test]
    fn a_script_of_pyenv_stands_for_the_program_of_the_version() {
        let place = tempfile::tempdir().expect("a directory");
        let root = place.path().to_str().expect("plain");
        let own = place.path().join("versions/3.9.1/bin");
        fs::create_dir_all(&own).expect("made");
        fs::write(own.join("tool"), "#!/opt/python3\n").expect("written");
        fs::write(place.path().join("version"), "3.9.1\n").expect("written");
        let shim = place.path().join("tool");
        fs::write(&shim, format!("#!/usr/bin/env bash\nexport PYENV_ROOT=\"{root}\"\nexec pyenv\n"))
            .expect("written");
        // A version that is set in the environment takes precedence.
        if std::env::var_os("PYENV_VERSION").is_none() {
            let wanted = format!("/opt/python3 -c SERVER --command {root}/versions/3.9.1/bin/tool {{}}");
            assert_eq!(served(&format!("{} {{}}", shim.display())), Some(wanted));
        }
    }

    #[test]
    fn the_name_of_the_module_stands_for_the_server() {
        let own = own(words("python3 -u -m nubbin.serve oracle.py"));
        assert_eq!(own, [&words("python3 -u -c")[..], &[SERVER.into()], &words("oracle.py")].concat());
        let other = words("python3 server.py");
        assert_eq!(super::own(other.clone()), other);
    }
}
