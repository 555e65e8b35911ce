//! The compilers that guard a program: those of the two commands, and another one that is installed.
//!
//! It runs nothing; which options a compiler takes is tried in `probe`.

use super::super::quote;
use crate::failure::Failure;
use std::env;
use std::path::Path;

/// Parts of the names of programs that build C or C++.
const COMPILERS: [&str; 6] = ["gcc", "g++", "clang", "icx", "icc", "tcc"];
/// Versions that stand behind a name where there is no plain one.
const VERSIONS: std::ops::Range<u8> = 7..30;
/// Options that say which program it is, so that every compiler needs them: by their beginning.
const LANGUAGE: [&str; 18] = [
    "-std=",
    "-ansi",
    "-D",
    "-U",
    "-I",
    "-l",
    "-L",
    "-x",
    "-include",
    "-isystem",
    "-pthread",
    "-m32",
    "-m64",
    "-fsigned-char",
    "-funsigned-char",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-ffast-math",
];
/// The options of this list that take the next word, if nothing is attached to them.
const WITH_WORD: [&str; 8] = ["-D", "-U", "-I", "-l", "-L", "-x", "-include", "-isystem"];

/// A command that compiles, without its output, and without `-w`, which would silence the guards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    words: Vec<String>,
}

impl Compiler {
    /// Returns the compiler of a command.
    pub fn new(words: &[&str]) -> Result<Self, Failure> {
        check(words)?;
        let words = words.iter().filter(|word| **word != "-w").map(ToString::to_string);
        Ok(Self { words: words.collect() })
    }

    /// Returns the command as a script has it, with the candidate's path.
    pub fn shell(&self) -> String {
        quote::command(&self.words.iter().map(String::as_str).collect::<Vec<_>>(), false)
    }

    /// Returns its program as people call it.
    pub fn name(&self) -> &str {
        file_name(&self.words[0])
    }

    /// Tells whether its messages are those of clang.
    pub fn is_clang(&self) -> bool {
        self.name().contains("clang")
    }

    /// Tells whether both commands run the same program.
    pub fn is_program_of(&self, other: &Self) -> bool {
        self.words[0] == other.words[0]
    }

    /// Returns a compiler of another make that is installed, for the same program.
    pub fn another(&self) -> Option<Self> {
        let has_classes = self.name().contains("++");
        let name = match (self.is_clang(), has_classes) {
            (false, false) => "clang",
            (false, true) => "clang++",
            (true, false) => "gcc",
            (true, true) => "g++",
        };
        let latest = VERSIONS.rev().map(|version| format!("{name}-{version}"));
        let found = std::iter::once(name.to_owned()).chain(latest).find(|name| is_installed(name))?;
        Some(Self { words: std::iter::once(found).chain(self.language()).collect() })
    }

    /// Returns the words that say which program it is: the file, and options of the language.
    fn language(&self) -> Vec<String> {
        let (mut kept, mut words) = (Vec::new(), self.words[1..].iter());
        while let Some(word) = words.next() {
            let is_kept = !word.starts_with('-') || LANGUAGE.iter().any(|option| word.starts_with(option));
            let takes = WITH_WORD.contains(&word.as_str());
            kept.extend(is_kept.then(|| word.clone()));
            if is_kept && takes {
                kept.extend(words.next().cloned());
            }
        }
        kept
    }
}

/// Tells whether a program is found in `PATH`.
pub fn is_installed(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

fn file_name(program: &str) -> &str {
    Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or(program)
}

/// Makes sure that a command can build a program as the script needs it.
fn check(words: &[&str]) -> Result<(), Failure> {
    let name = file_name(words.first().copied().unwrap_or_default());
    if !COMPILERS.iter().any(|compiler| name.contains(compiler))
        && !format!("-{name}").ends_with("-cc")
        && !name.ends_with("++")
    {
        let message =
            format!("`{name}` is no compiler whose warnings and sanitizers are known, such as gcc and clang");
        return Err(Failure::usage(message).hint("`--differs-from` takes any two commands"));
    }
    let odd = words
        .iter()
        .skip(1)
        .find(|word| word.starts_with("-o") || ["-c", "-S", "-E", "-fsyntax-only"].contains(*word));
    match odd {
        None => Ok(()),
        Some(word) => {
            let message = format!(
                "`{word}` does not go with `--wrong-code`: the script says where the program goes, and runs it"
            );
            Err(Failure::usage(message).hint(format!("leave out `{word}`")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_loses_what_silences_the_guards() {
        let compiler = Compiler::new(&["/usr/bin/gcc-12", "-w", "-O2", "{}"]).expect("it is a compiler");
        assert_eq!((compiler.shell().as_str(), compiler.name()), (r#"/usr/bin/gcc-12 -O2 "$1""#, "gcc-12"));
        assert!(Compiler::new(&["python3", "{}"]).is_err() && Compiler::new(&["gcc", "-c", "{}"]).is_err());
        assert!(Compiler::new(&["arm-linux-gnueabi-cc"]).is_ok() && Compiler::new(&["c++"]).is_ok());
    }

    #[test]
    fn another_compiler_gets_the_file_and_what_the_language_is() {
        let words = ["gcc", "-O2", "-std=c99", "-I", "inc", "-march=native", "{}", "-DX=1", "-lm"];
        let compiler = Compiler::new(&words).expect("it is a compiler");
        assert_eq!(compiler.language(), ["-std=c99", "-I", "inc", "{}", "-DX=1", "-lm"]);
    }
}
