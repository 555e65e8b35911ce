//! The compilers used by guards: those of the two commands, and another installed one.
//!
//! The module `probe` finds the options that a compiler accepts.

use super::super::quote;
use crate::failure::Failure;
use std::env;
use std::path::Path;

/// Parts of the names of C and C++ compilers.
const COMPILERS: [&str; 6] = ["gcc", "g++", "clang", "icx", "icc", "tcc"];
/// Version suffixes that are tried if there is no command without a suffix.
const VERSIONS: std::ops::Range<u8> = 7..30;
/// Prefixes of options that determine the meaning of the program, which every compiler needs.
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
/// Options of this list whose value can be the next argument.
const WITH_WORD: [&str; 8] = ["-D", "-U", "-I", "-l", "-L", "-x", "-include", "-isystem"];

/// A compiler command without an output file, and without `-w`, which would silence the guards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    words: Vec<String>,
}

impl Compiler {
    pub fn new(words: &[&str]) -> Result<Self, Failure> {
        check(words)?;
        let words = words.iter().filter(|word| **word != "-w").map(ToString::to_string);
        Ok(Self { words: words.collect() })
    }

    /// Returns the command as shell text with the candidate's path.
    pub fn shell(&self) -> String {
        quote::command(&self.words.iter().map(String::as_str).collect::<Vec<_>>(), false)
    }

    pub fn name(&self) -> &str {
        file_name(&self.words[0])
    }

    /// Returns whether its messages have the form of clang's.
    pub fn is_clang(&self) -> bool {
        self.name().contains("clang")
    }

    pub fn is_program_of(&self, other: &Self) -> bool {
        self.words[0] == other.words[0]
    }

    /// Returns an installed compiler of the other family for the same program.
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

    /// Returns the arguments that determine the program: the file and the language options.
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

/// Returns whether a program is found in `PATH`.
pub fn is_installed(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

fn file_name(program: &str) -> &str {
    Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or(program)
}

/// Returns an error if a command cannot build a program in the way that the script needs.
fn check(words: &[&str]) -> Result<(), Failure> {
    let name = file_name(words.first().copied().unwrap_or_default());
    if !COMPILERS.iter().any(|compiler| name.contains(compiler))
        && !format!("-{name}").ends_with("-cc")
        && !name.ends_with("++")
    {
        let message = format!("unsupported compiler `{name}` (supported: gcc, clang)");
        return Err(Failure::usage(message).hint("`--differs-from` compares any two commands"));
    }
    let odd = words
        .iter()
        .skip(1)
        .find(|word| word.starts_with("-o") || ["-c", "-S", "-E", "-fsyntax-only"].contains(*word));
    match odd {
        None => Ok(()),
        Some(word) => {
            let message = format!(
                "`{word}` cannot be used with `--wrong-code`: the script chooses the output file and runs the program"
            );
            Err(Failure::usage(message).hint(format!("remove `{word}`")))
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
