//! Examines the text of an oracle without running it.
//!
//! Only quotes, comments and pipelines of shell scripts are parsed, and only certain findings are reported.

use super::finding::{Finding, Severity};
use regex::Regex;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Shells.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ksh", "zsh", "busybox"];
/// Programs that succeed for any input.
const INDIFFERENT: [&str; 13] =
    ["cat", "tee", "head", "tail", "sort", "uniq", "sed", "tr", "wc", "tac", "cut", "column", "fold"];
/// Returns whether a path belongs to an installed program or a file next to one, as in a virtual environment. Scripts
/// do not write there.
fn is_installed(path: &Path) -> bool {
    let in_bin = path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "bin");
    let is_program = |path: &Path| {
        path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    in_bin || is_program(path)
}

/// The largest script that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// Matches a use of the script's arguments.
static ARGUMENT: LazyLock<Regex> = LazyLock::new(|| regex(r"\$\{?[1@*#]|\bgetopts\b|\bshift\b"));
static TEMPORARY: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?:^|[\s=>'\x22])((?:/tmp|/var/tmp|/dev/shm)/[\w./-]+)(?:$|[\s;&|<>()'\x22])"));
/// Matches the absolute path of a temporary file that is written.
static TARGET: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?:>|-o|--output[= ])\s*['\x22]?((?:/tmp|/var/tmp|/dev/shm)/[\w./-]+)"));
/// Matches the absolute path of a file that is appended to.
static APPENDED: LazyLock<Regex> =
    LazyLock::new(|| regex(r#">>\s*["']?(/[^\s"'$`\\;&|<>()*?{}\[\]~]+)["']?(?:$|[\s;&|<>)])"#));
static LIMITED: LazyLock<Regex> = LazyLock::new(|| regex(r"\btimeout\b|\bulimit\s+-t\b|\bgtimeout\b"));
static PIPEFAIL: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\bset\s+-\w*o\s+pipefail\b|\bset\s+-o\s+pipefail\b"));
/// Matches the option that ends the script at the first failing command.
static ERREXIT: LazyLock<Regex> = LazyLock::new(|| regex(r"(?m)^\s*set\s+-\w*e|^#!.*\s-\w*e"));
static HIDES: LazyLock<Regex> = LazyLock::new(|| regex(r"2>|&>|>&\s*[^\s\d-]"));
/// Matches a command that can end before it has read all of its input.
static QUITS_EARLY: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:[ef]?grep\s+(?:.*\s)?-\w*q|head\b)"));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

/// The script of an oracle.
#[derive(Debug)]
pub struct Script {
    path: PathBuf,
    text: String,
    is_shell: bool,
}

impl Script {
    /// Returns the script among the arguments, if any.
    pub fn of(words: &[OsString]) -> Option<Self> {
        let name =
            |word: &OsString| Path::new(word).file_name().map(|name| name.to_string_lossy().into_owned());
        let is_shell = |name: Option<String>| name.is_some_and(|name| SHELLS.contains(&name.as_str()));
        let runs_shell = is_shell(words.first().and_then(name));
        let place = words.iter().take(2).find_map(|word| read(Path::new(word)));
        let (path, text) = place?;
        let first = text.lines().next().unwrap_or_default().strip_prefix("#!").unwrap_or_default();
        let interpreter =
            first.split_whitespace().find(|word| !word.ends_with("/env") && !word.starts_with('-'));
        let is_shell = runs_shell || is_shell(interpreter.map(OsString::from).as_ref().and_then(name));
        Some(Self { path, text, is_shell })
    }

    fn shown(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        format!("`{}`", name.to_string_lossy())
    }

    /// Returns whether the script contains this path.
    #[must_use]
    pub fn names(&self, path: &Path) -> bool {
        let path = path.to_string_lossy();
        self.code().contains(&*path)
    }

    /// Returns whether the script uses neither its arguments nor a file of this name.
    pub fn ignores_its_argument(&self, name: &str) -> bool {
        self.is_shell && !ARGUMENT.is_match(&self.code()) && !self.code().contains(name)
    }

    /// Returns whether the script limits the time of its commands; `None` if it is not a shell script.
    pub(crate) fn limits_time(&self) -> Option<bool> {
        self.is_shell.then(|| LIMITED.is_match(&self.code()))
    }

    /// Returns whether the script hides what its commands write to standard error.
    pub fn hides_messages(&self) -> bool {
        self.is_shell && HIDES.is_match(&skeleton(&self.text, false))
    }

    /// Returns the existing files that the script appends to by absolute path, which are logs.
    pub fn logs(&self) -> Vec<PathBuf> {
        let bare = skeleton(&self.text, false);
        if !self.is_shell || bare.contains("<<") {
            return Vec::new();
        }
        let named = APPENDED.captures_iter(&bare).map(|found| PathBuf::from(unmask(&found[1])));
        let is_file = |path: &PathBuf| path.symlink_metadata().is_ok_and(|found| found.is_file());
        named.filter(is_file).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Returns the text without comments.
    fn code(&self) -> String {
        if self.is_shell { skeleton(&self.text, true) } else { self.text.clone() }
    }

    /// Returns the findings about the text.
    pub fn findings(&self, input: &Path) -> Vec<Finding> {
        if !self.is_shell {
            return Vec::new();
        }
        let (code, bare) = (self.code(), skeleton(&self.text, false));
        let fails_with_pipe = PIPEFAIL.is_match(&bare);
        let stops = ERREXIT.is_match(&self.text);
        let mut found: Vec<Finding> = self.fixed_places(&code, input).into_iter().collect();
        if !bare.contains("<<") {
            let lines: Vec<String> = commands(&bare);
            let last = lines.len().saturating_sub(1);
            let pipelines = lines.iter().enumerate().filter_map(|(at, line)| Some((at, Pipeline::of(line)?)));
            for (at, pipeline) in pipelines {
                found.extend(self.pipeline(&pipeline, fails_with_pipe, at == last || stops));
            }
        }
        found.dedup_by(|one, other| format!("{one:?}") == format!("{other:?}"));
        found
    }

    fn fixed_places(&self, code: &str, input: &Path) -> Option<Finding> {
        let logs = self.logs();
        let place = TEMPORARY.captures_iter(code).map(|found| found[1].to_owned()).find(|place| {
            let path = Path::new(place);
            let is_written = || TARGET.captures_iter(code).any(|found| &found[1] == place.as_str());
            let is_read = path.is_file() && !is_written();
            path != input && !is_read && !logs.iter().any(|log| log == path) && !is_installed(path)
        })?;
        Some(Finding::new(
            Severity::Doubt,
            format!("{} names `{place}`, which all runs share", self.shown()),
            "parallel runs overwrite each other's files there, and the sandbox denies writing there",
            "write to the current directory or to `$TMPDIR`: each run has its own",
        ))
    }

    fn pipeline(&self, pipeline: &Pipeline, fails_with_pipe: bool, counts: bool) -> Option<Finding> {
        let Pipeline { first, last, .. } = pipeline;
        let quits_early = QUITS_EARLY.is_match(last);
        let [first, last] = [first, last].map(|text| unmask(text));
        let shown = self.shown();
        if fails_with_pipe {
            return quits_early.then(|| {
                Finding::new(
                    Severity::Doubt,
                    format!("{shown} contains `{first} | {last}` under `set -o pipefail`"),
                    "the reader ends at the first match; a command that is still writing is then killed by SIGPIPE, so the pipeline fails at random",
                    "write the output to a file first, then search the file",
                )
            });
        }
        let program = last.split_whitespace().next().unwrap_or_default();
        if INDIFFERENT.contains(&program) && (counts || pipeline.is_condition) {
            return Some(Finding::new(
                Severity::Doubt,
                format!(
                    "{shown} contains `{first} | {last}`: its status is that of `{program}`, which is 0 even if `{first}` fails"
                ),
                "the status of a pipeline is the status of its last command",
                "write the output to a file, keep the status (`command > out.txt 2>&1; status=$?`), and test both",
            ));
        }
        (program.ends_with("grep") && counts).then(|| {
            Finding::new(
                Severity::Tip,
                format!(
                    "{shown} contains `{first} | {last}`: the exit status of `{first}` is ignored, only its output counts"
                ),
                "a command that prints the text and then fails in another way, or succeeds, is accepted",
                "if the status matters: `command > out.txt 2>&1; [ $? -eq 1 ] && grep -q … out.txt`",
            )
        })
    }
}

fn read(path: &Path) -> Option<(PathBuf, String)> {
    let found = path.metadata().ok().filter(|found| found.is_file() && found.len() <= LONGEST)?;
    let bytes = std::fs::read(path).ok()?;
    let is_text = found.len() > 0 && !bytes.contains(&0);
    is_text.then(|| (path.to_owned(), String::from_utf8_lossy(&bytes).into_owned()))
}

/// The first code point of those that replace quoted ASCII characters; they have no meaning to a shell.
const MASKED: u32 = 0xE000;

fn mask(c: char) -> char {
    let is_plain = c.is_ascii_alphanumeric() || "-_./".contains(c) || !c.is_ascii();
    if is_plain { c } else { char::from_u32(MASKED + u32::from(c)).unwrap_or(c) }
}

/// Restores quoted characters.
fn unmask(text: &str) -> String {
    let was = |c: char| u32::from(c).checked_sub(MASKED).filter(|c| *c < 128).and_then(char::from_u32);
    text.chars().map(|c| was(c).unwrap_or(c)).collect()
}

/// Returns a shell script without comments and line continuations. Quoted text is masked unless `keeps_quoted`.
fn skeleton(text: &str, keeps_quoted: bool) -> String {
    let mut skeleton = String::with_capacity(text.len());
    let (mut quote, mut before) = (None, '\n');
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        let quoted = |c: char| if keeps_quoted { c } else { mask(c) };
        match (quote, next) {
            (None | Some('"'), '\\') => match rest.next() {
                Some('\n') | None => {}
                Some(escaped) => skeleton.extend([quoted('\\'), quoted(escaped)]),
            },
            (None, '#') if before.is_whitespace() || before == ';' => {
                while rest.next_if(|&c| c != '\n').is_some() {}
            }
            (None, '\'' | '"') => {
                quote = Some(next);
                skeleton.push(next);
            }
            (Some(open), _) if open == next => {
                quote = None;
                skeleton.push(next);
            }
            (Some(_), _) => skeleton.push(quoted(next)),
            (None, _) => skeleton.push(next),
        }
        before = next;
    }
    skeleton
}

/// Returns the lines; a line that ends in a pipe is joined with the next.
fn commands(bare: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in bare.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let line_goes_on = line.ends_with('|') && !line.ends_with("||");
        match commands.last_mut().filter(|_| is_open) {
            Some(last) => *last = format!("{last} {line}"),
            None => commands.push(line.to_owned()),
        }
        is_open = line_goes_on;
    }
    commands
}

/// Commands connected by pipes.
struct Pipeline {
    first: String,
    last: String,
    /// Its status is a condition.
    is_condition: bool,
}

impl Pipeline {
    /// Returns the last pipeline of a line, if there certainly is one.
    fn of(line: &str) -> Option<Self> {
        // `case` patterns are separated in the same way.
        if line.matches('(').count() != line.matches(')').count() || line.contains("$(") || line.contains('`')
        {
            return None;
        }
        let line = line.trim_end_matches([';', ' ']);
        let is_if = ["if ", "while ", "until ", "! "].iter().any(|word| line.starts_with(word));
        let (line, rest) = match line.split_once(';') {
            Some((before, _)) if is_if => (before, ""),
            Some(_) => return None,
            None => (line, ""),
        };
        let masked = line.replace("||", "\x01\x01").replace("&&", "\x02\x02").replace(">|", ">>");
        let part = masked.split(['\x01', '\x02']).find(|part| part.contains('|'))?;
        let is_condition = is_if || masked.len() > part.len() || !rest.is_empty();
        let bare = |text: &str| {
            let mut text = text.trim_start_matches('&').trim();
            for word in ["if ", "while ", "until ", "! ", "then "] {
                text = text.strip_prefix(word).unwrap_or(text).trim();
            }
            text.to_owned()
        };
        let (first, last) = (part.split('|').next()?, part.rsplit('|').next()?);
        let (first, last) = (bare(first), bare(last));
        (!first.is_empty() && !last.is_empty()).then_some(Self { first, last, is_condition })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<String> {
        let script = Script { path: "o.sh".into(), text: text.to_owned(), is_shell: true };
        script.findings(Path::new("/tmp/bug.c")).iter().map(|finding| format!("{finding:?}")).collect()
    }

    fn is_seen(text: &str, what: &str) -> bool {
        seen(text).iter().any(|finding| finding.contains(what))
    }

    #[test]
    fn a_pipeline_that_ends_in_a_command_that_never_fails_is_seen() {
        assert!(is_seen("gcc -c \"$1\" 2>&1 | tee log\n", "status is that of `tee`"));
        assert!(is_seen("if gcc -c \"$1\" |\n  head; then exit 0; fi\n", "status is that of `head`"));
        assert!(!is_seen("gcc -c \"$1\" 2>&1 | tee log\ngrep -q x log\n", "status is that of"));
        assert!(is_seen("set -e\ngcc \"$1\" | cat\ntest -f x\n", "status is that of `cat`"));
    }

    #[test]
    fn what_is_no_pipeline_is_none() {
        for text in [
            "case $s in 1 | 2) exit 125 ;; esac\n",
            "gcc -c \"$1\" || cat log\n",
            "# gcc | tee log\n",
            "echo 'a | cat'\n",
            "echo \"a | cat\"\n",
            "x=$(gcc | cat)\n",
            "cat <<EOF\na | cat\nEOF\n",
        ] {
            assert_eq!(seen(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_reader_that_quits_early_is_seen_where_the_pipeline_fails_with_the_writer() {
        let text = "set -euo pipefail\ngcc \"$1\" 2>&1 | grep -q bug\n";
        assert!(is_seen(text, "under `set -o pipefail`"), "{:?}", seen(text));
        assert!(!is_seen("set -o pipefail\ngcc \"$1\" 2>&1 | grep bug\n", "pipefail"));
    }

    #[test]
    fn a_place_that_all_runs_share_is_seen() {
        assert!(is_seen("gcc \"$1\" -o /tmp/a.out\n", "`/tmp/a.out`"));
        assert!(is_seen("gcc \"$1\" >'/tmp/a.txt'\n", "`/tmp/a.txt`"));
        for text in ["x=$(mktemp /tmp/XXX.$$)\n", "# /tmp/a.out\n", "gcc -o \"$TMPDIR/a\"\n", "/tmp/$$.o\n"] {
            assert!(!is_seen(text, "all runs share"), "{text}");
        }
    }

    #[test]
    fn logs_are_the_files_that_are_appended_to_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("a log");
        std::fs::write(&log, "").expect("written");
        std::os::unix::fs::symlink(&log, folder.path().join("link")).expect("linked");
        let logs = |text: &str| {
            let text = text.replace("HERE", &folder.path().to_string_lossy());
            Script { path: "o.sh".into(), text, is_shell: true }.logs()
        };
        for text in ["echo x >>'HERE/a log'\n", "echo 1 >> \"HERE/a log\" && true", "(x 2>>\"HERE/a log\")\n"]
        {
            assert_eq!(logs(text), std::slice::from_ref(&log), "{text}");
        }
        for text in [
            "echo x >'HERE/a log'\n",
            "echo 'x >>HERE/a log'\n",
            "# >>'HERE/a log'\n",
            "x >>'HERE/a log'b\n",
            "cat <<E\n>>'HERE/a log'\nE\n",
            "x >>HERE/none; y >>HERE; z >>HERE/link; u >>log\n",
        ] {
            assert_eq!(logs(text), Vec::<PathBuf>::new(), "{text}");
        }
    }

    #[test]
    fn the_argument_is_looked_at_or_not() {
        let script = |text: &str| Script { path: "o.sh".into(), text: text.to_owned(), is_shell: true };
        assert!(script("gcc x.c # $1\n").ignores_its_argument("bug.c"));
        for text in ["gcc \"$1\"\n", "gcc ${1}\n", "gcc \"$@\"\n", "gcc bug.c\n"] {
            assert!(!script(text).ignores_its_argument("bug.c"), "{text}");
        }
    }
}
