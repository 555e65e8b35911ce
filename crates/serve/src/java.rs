//! Commands that run in a Java virtual machine: `java` and `javac`, with options of the machine by which it starts in
//! less time.
//!
//! It starts with its first compiler alone, which suits what runs for a second or two, and with an archive of the classes
//! that an earlier run has loaded (JEP 350). What the program does is the same; whoever uses the words compares that.

use crate::name;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The option for the first compiler alone.
const FIRST_COMPILER: &str = "-XX:TieredStopAtLevel=1";
/// The option that makes an archive of the classes at the end.
const MAKES: &str = "-XX:ArchiveClassesAtExit=";
/// The option that uses an archive.
const USES: &str = "-XX:SharedArchiveFile=";
/// Options of `java` that have a word behind them.
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
/// The beginnings of options by which somebody chooses how the machine runs a program: then it runs as it is.
const CHOICES: [&str; 9] =
    ["-XX:", "-Xint", "-Xcomp", "-Xmixed", "-Xshare", "-Xlog", "-agent", "-javaagent", "@"];

/// A command that runs in a Java virtual machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaCommand<'w> {
    words: &'w [OsString],
    /// The word that stands before each option of the machine.
    mark: &'static str,
}

impl<'w> JavaCommand<'w> {
    /// The command of these words, if it is one and no option of it chooses how the machine runs the program.
    ///
    /// ```
    /// use nubbin_serve::JavaCommand;
    ///
    /// let words = ["javac", "-nowarn", "{}"].map(Into::into);
    /// let command = JavaCommand::new(&words).expect("it is one");
    /// assert_eq!(command.faster(None), ["javac", "-J-XX:TieredStopAtLevel=1", "-nowarn", "{}"]);
    /// assert_eq!(JavaCommand::new(&["java", "-Xint", "Main"].map(Into::into)), None);
    /// ```
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

    /// The words with which it also makes an archive at this path.
    #[must_use]
    pub fn making(&self, archive: &Path) -> Vec<OsString> {
        self.with([FIRST_COMPILER.into(), joined(MAKES, archive)])
    }

    /// The words with which it starts in less time, with this archive if there is one.
    #[must_use]
    pub fn faster(&self, archive: Option<&Path>) -> Vec<OsString> {
        let archive = archive.map(|archive| joined(USES, archive));
        self.with([FIRST_COMPILER.into()].into_iter().chain(archive))
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

fn joined(option: &str, path: &Path) -> OsString {
    let mut word = OsString::from(option);
    word.push(path);
    word
}

/// The options of `java` before what it runs.
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
