//! Commands that run in a Java virtual machine: `java` and `javac`, with options that make them start faster.
//!
//! The options disable the second compiler of the JVM, which helps runs of one or two seconds, and use an
//! archive of the classes that an earlier run loaded (JEP 350). The program behaves the same; the caller must
//! verify this.
//!
//! For `javac` there is also a server, which compiles repeatedly in one virtual machine.

use crate::{name, program};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// The source text of the server that compiles Java.
pub const JAVA_COMPILER: &str = include_str!("java/Javac.java");

/// The option that disables the second compiler.
const FIRST_COMPILER: &str = "-XX:TieredStopAtLevel=1";
/// The option that writes an archive of classes at exit.
const MAKES: &str = "-XX:ArchiveClassesAtExit=";
/// The option that uses an archive of classes.
const USES: &str = "-XX:SharedArchiveFile=";
/// Options of `java` that are followed by an argument.
const WITH_WORD: [&str; 14] = [
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--add-exports",
    "--add-opens",
    "--add-reads",
    "--limit-modules",
    "--patch-module",
    "--enable-native-access",
    "--source",
];
/// Prefixes of options that affect how the JVM runs a program; commands with them are not changed.
const CHOICES: [&str; 9] =
    ["-XX:", "-Xint", "-Xcomp", "-Xmixed", "-Xshare", "-Xlog", "-agent", "-javaagent", "@"];

/// Options of `javac` with paths in the following argument, or after `=`.
const WITH_PATHS: [&str; 14] = [
    "-cp",
    "-classpath",
    "--class-path",
    "-d",
    "-h",
    "-s",
    "-sourcepath",
    "--source-path",
    "-p",
    "--module-path",
    "--module-source-path",
    "--patch-module",
    "--system",
    "--upgrade-module-path",
];
/// Options of `javac` that run code of the user, which can keep state.
const OWN_CODE: [&str; 4] = ["-processor", "--processor", "-proc:full", "-Xplugin"];

/// A command that runs in a Java virtual machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaCommand<'w> {
    words: &'w [OsString],
    /// The prefix of each JVM option.
    mark: &'static str,
}

impl<'w> JavaCommand<'w> {
    /// Returns the command, if it runs `java` or `javac` and none of its options affects how the JVM runs the
    /// program.
    #[must_use]
    pub fn new(words: &'w [OsString]) -> Option<Self> {
        let (mark, options) = match name(words.first()?) {
            "java" => ("", machine_options(&words[1..])),
            "javac" => ("-J", words[1..].iter().filter(|word| word.as_bytes().starts_with(b"-J")).collect()),
            _ => return None,
        };
        let is_choice = |option: &&OsString| {
            let option = option.as_bytes().strip_prefix(mark.as_bytes()).unwrap_or_default();
            CHOICES.iter().any(|choice| option.starts_with(choice.as_bytes()))
        };
        (!options.iter().any(is_choice)).then_some(Self { words, mark })
    }

    /// Returns the arguments that also write an archive of classes to this path.
    #[must_use]
    pub fn making(&self, archive: &Path) -> Vec<OsString> {
        self.with([FIRST_COMPILER.into(), joined(MAKES, archive)])
    }

    /// Returns the arguments that make the command start faster, with this archive if there is one.
    #[must_use]
    pub fn faster(&self, archive: Option<&Path>) -> Vec<OsString> {
        let archive = archive.map(|archive| joined(USES, archive));
        self.with([FIRST_COMPILER.into()].into_iter().chain(archive))
    }

    /// Returns the arguments of a server, if the command is a compiler that finds the same files in any
    /// directory. Its source, [`JAVA_COMPILER`], must be in the file `program`; the virtual machine is that
    /// of the compiler. `is_candidate` returns whether an argument is the path of the candidate.
    #[must_use]
    pub fn server(&self, program: &Path, is_candidate: impl Fn(&OsString) -> bool) -> Option<Vec<OsString>> {
        let (own, words): (Vec<&OsString>, Vec<&OsString>) =
            self.words[1..].iter().partition(|word| word.as_bytes().starts_with(b"-J"));
        if self.mark != "-J" || !is_independent(&words, is_candidate) {
            return None;
        }
        let compiler = program::found(Path::new(&self.words[0]))?.canonicalize().ok()?;
        let machine = Some(compiler.with_file_name("java")).filter(|machine| machine.is_file())?;
        let own = own.into_iter().map(|word| OsString::from_vec(word.as_bytes()[self.mark.len()..].to_vec()));
        let start = [machine.into_os_string(), FIRST_COMPILER.into()].into_iter();
        Some(start.chain(own).chain([program.into()]).chain(words.into_iter().cloned()).collect())
    }

    fn with(&self, options: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
        let marked = options.into_iter().map(|option| {
            let mut word = OsString::from(self.mark);
            word.push(option);
            word
        });
        let program = self.words[..1].iter().cloned();
        program.chain(marked).chain(self.words[1..].iter().cloned()).collect()
    }
}

/// Returns whether a compiler with these arguments finds the same files in any directory, and runs no code of
/// the user.
fn is_independent(words: &[&OsString], is_candidate: impl Fn(&OsString) -> bool) -> bool {
    let are_absolute = |paths: &[u8]| paths.split(|&byte| byte == b':').all(|path| path.starts_with(b"/"));
    let mut before: &[u8] = b"";
    words.iter().all(|word| {
        let bytes = word.as_bytes();
        let (option, value) = match bytes.iter().position(|&byte| byte == b'=') {
            Some(at) if bytes.starts_with(b"--") => (&bytes[..at], Some(&bytes[at + 1..])),
            _ => (std::mem::replace(&mut before, bytes), Some(bytes)),
        };
        let is_path_option = WITH_PATHS.iter().any(|with| option == with.as_bytes());
        let is_own_code = OWN_CODE.iter().any(|own| bytes.starts_with(own.as_bytes()));
        let is_option = bytes.starts_with(b"-");
        let is_file = bytes.contains(&b'/') || bytes.ends_with(b".java");
        match value {
            _ if is_own_code || bytes.starts_with(b"@") => false,
            Some(paths) if is_path_option => are_absolute(paths),
            _ => is_option || !is_file || bytes.starts_with(b"/") || is_candidate(word),
        }
    })
}

fn joined(option: &str, path: &Path) -> OsString {
    let mut word = OsString::from(option);
    word.push(path);
    word
}

/// Returns the options of `java` before the program.
fn machine_options(words: &[OsString]) -> Vec<&OsString> {
    let mut options = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if !word.as_bytes().starts_with(b"-") && !word.as_bytes().starts_with(b"@") {
            break;
        }
        options.push(word);
        if WITH_WORD.iter().any(|option| word == option) {
            words.next();
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faster(line: &str) -> Option<String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let faster = JavaCommand::new(&words)?.faster(Some(Path::new("/a.jsa")));
        Some(faster.join(" ".as_ref()).into_string().expect("text"))
    }

    #[test]
    fn options_of_the_machine_come_first() {
        for (command, with) in [
            (
                "java -jar tool.jar {}",
                "java -XX:TieredStopAtLevel=1 -XX:SharedArchiveFile=/a.jsa -jar tool.jar {}",
            ),
            (
                "/opt/jdk/bin/java -Xmx1g -cp a -XX Main -Xint",
                "/opt/jdk/bin/java -XX:TieredStopAtLevel=1 -XX:SharedArchiveFile=/a.jsa -Xmx1g -cp a -XX Main -Xint",
            ),
            ("javac -Xlint {}", "javac -J-XX:TieredStopAtLevel=1 -J-XX:SharedArchiveFile=/a.jsa -Xlint {}"),
        ] {
            assert_eq!(faster(command).as_deref(), Some(with), "{command}");
        }
    }

    #[test]
    fn a_compiler_is_served_where_it_finds_the_same_files_anywhere() {
        let place = tempfile::tempdir().expect("a directory");
        for name in ["java", "javac"] {
            std::fs::write(place.path().join(name), "").expect("written");
        }
        let compiler = place.path().canonicalize().expect("it is there").join("javac");
        let served = |line: &str| {
            let words = line.split(' ').filter(|word| !word.is_empty()).map(OsString::from);
            let words: Vec<OsString> = [compiler.clone().into_os_string()].into_iter().chain(words).collect();
            let served = JavaCommand::new(&words)?.server(Path::new("/S.java"), |word| word == "{}")?;
            Some(served[1..].join(" ".as_ref()).into_string().expect("text"))
        };
        for (line, server) in [
            ("{}", Some("-XX:TieredStopAtLevel=1 /S.java {}")),
            (
                "-J-Xss8m -source 8 -d /out --class-path=/a:/b {} /C.java",
                Some(
                    "-XX:TieredStopAtLevel=1 -Xss8m /S.java -source 8 -d /out --class-path=/a:/b {} /C.java",
                ),
            ),
            ("-d out {}", None),
            ("-cp /a:b {}", None),
            ("--class-path=a {}", None),
            ("{} Other.java", None),
            ("-processor P {}", None),
            ("@files {}", None),
        ] {
            assert_eq!(served(line).as_deref(), server, "{line}");
        }
        let words = ["java", "-jar", "tool.jar"].map(OsString::from);
        assert_eq!(JavaCommand::new(&words).expect("one").server(Path::new("/S.java"), |_| false), None);
    }

    #[test]
    fn who_chooses_how_the_machine_runs_has_it_so() {
        for command in [
            "java -XX:+UseSerialGC Main",
            "java -cp a -Xcomp Main",
            "java @options Main",
            "javac -J-XX:TieredStopAtLevel=4 {}",
            "javac -J-Xshare:off {}",
            "gcc {}",
        ] {
            assert_eq!(faster(command), None, "{command}");
        }
    }
}
