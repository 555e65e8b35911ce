//! Collects the facts about a run: versions, settings, and the command that repeats it.
//!
//! The only program that is run is the tested program with `--version`, in the sandbox.

use super::Ended;
use nubbin_reduce::Proof;
use nubbin_session::settings::{Settings, TestCommand};
use nubbin_session::text;
use nubbin_session::tool::Tool;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The numbers that were tuned.
struct Tuning {
    /// The timeout for printing a version.
    version_time: Duration,
    /// The longest output that can be a version, in bytes.
    version_bytes: usize,
}

const TUNING: Tuning = Tuning { version_time: Duration::from_secs(2), version_bytes: 64 << 10 };

/// The options with a value that concern this run only.
const OWN: [&str; 3] = ["--json-log", "--report", "--bug-report"];
/// The options without a value that concern this run only.
const OWN_FLAGS: [&str; 2] = ["--json", "--resume"];

/// Returns names and values, in the order in which they are shown.
pub fn facts(ended: &Ended<'_>, notes: &[String]) -> Vec<(String, String)> {
    let settings = ended.settings;
    let fact = |name: &str, value: String| (name.to_owned(), value);
    let mut facts = vec![fact("test", settings.test.label.clone())];
    facts.extend(ended.signature.clone().map(|signature| fact("failure", signature)));
    let language = ended.language.get().map_or("unknown", |language| language.title());
    let language = if settings.input.is_several() { "chosen for each file" } else { language };
    facts.push(fact("language", language.to_owned()));
    if let Some(options) = ended.options {
        let is_proven = matches!(ended.outcome.proof, Proof::OneMinimal { .. });
        facts.push(fact("options", options.told(is_proven)));
    }
    if !settings.units.is_empty() {
        let units: Vec<&str> = settings.units.iter().map(|unit| unit.name()).collect();
        facts.push(fact("units", units.join(", ")));
    }
    facts.push(fact("jobs", settings.jobs.to_string()));
    facts.extend(settings.timeout.map(|limit| fact("timeout", text::time(limit))));
    facts.extend(versions(settings).into_iter().map(|(name, version)| fact(&name, version)));
    facts.extend(ended.watch.summary(None).into_iter().map(|line| {
        let line = line.trim_start_matches("others ").trim_start_matches("warning: ").trim();
        fact("also seen", line.to_owned())
    }));
    facts.extend(notes.iter().map(|note| fact("note", note.clone())));
    facts
}

/// Returns the failure that was kept; `None` for a script.
pub fn kept<'e>(ended: &Ended<'e>) -> Option<&'e str> {
    ended.kept.map(|kept| kept.strip_prefix("the failure to keep: ").unwrap_or(kept))
}

/// Returns the versions of the programs of the run.
pub fn versions(settings: &Settings) -> Vec<(String, String)> {
    let mut system = std::env::consts::OS.to_owned();
    system[..1].make_ascii_uppercase();
    let mut versions = Vec::new();
    let (bounds, helpers) = (&settings.bounds, settings.helpers.as_ref());
    let tool = Tool::new(bounds, helpers, TUNING.version_time, TUNING.version_bytes);
    if let Some(program) = program(&settings.test)
        && let Some(version) = version(&program, &tool)
    {
        let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        versions.push((name, version));
    }
    versions.push(("nubbin".to_owned(), env!("CARGO_PKG_VERSION").to_owned()));
    versions.push(("system".to_owned(), format!("{system} {}", std::env::consts::ARCH)));
    versions
}

/// Returns the program of a command; `None` for a script, which may not know `--version`.
fn program(test: &TestCommand) -> Option<PathBuf> {
    test.failure.as_ref()?;
    let first = test.label.split_whitespace().next()?;
    let path = PathBuf::from(first);
    if first.contains('/') { path.canonicalize().ok() } else { Some(path) }
}

/// Returns the first line that a program prints for `--version`, or `None` after the timeout.
fn version(program: &Path, tool: &Tool<'_>) -> Option<String> {
    let words = [program.as_os_str().to_owned(), "--version".into()];
    let said = tool.run(&words, OsStr::new("input"), b"").ok()?;
    let text = String::from_utf8_lossy(&said);
    let line: String =
        text.lines().find(|line| !line.trim().is_empty())?.chars().filter(|c| !c.is_control()).collect();
    line.contains(|c: char| c.is_ascii_digit()).then(|| line.trim().to_owned())
}

/// Returns the command that repeats a run, without the options for records.
pub fn command(settings: &Settings) -> String {
    let mut words = vec!["nubbin".to_owned()];
    let mut skips = false;
    let mut is_ours = true;
    for word in &settings.words {
        is_ours &= word != "--";
        let is_own = |option: &&str| {
            let rest = word.as_bytes().strip_prefix(option.as_bytes());
            rest.is_some_and(|rest| is_ours && (rest.is_empty() || rest[0] == b'='))
        };
        if std::mem::take(&mut skips) || is_ours && OWN_FLAGS.iter().any(|flag| word == flag) {
            continue;
        }
        if let Some(option) = OWN.iter().find(|option| is_own(option)) {
            skips = word.len() == option.len();
            continue;
        }
        words.push(text::quote(word));
    }
    words.join(" ")
}

/// Returns the command whose failure was kept, or the oracle, with the file as argument.
pub fn failing(settings: &Settings) -> String {
    let names: Vec<OsString> = match settings.input.paths() {
        [] => vec![settings.input.path(&settings.language).into()],
        paths => paths.iter().map(|path| path.file_name().unwrap_or(path.as_os_str()).to_owned()).collect(),
    };
    let name = names.iter().map(|name| text::quote(OsStr::new(name))).collect::<Vec<_>>().join(" ");
    let label = &settings.test.label;
    let is_named = settings.input.paths().iter().any(|path| label.contains(&*path.to_string_lossy()));
    match label.contains("{}") {
        true => label.replace("{}", &name),
        false if is_named => label.clone(),
        false => format!("{label} {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_oracle::Limits;
    use nubbin_session::limits::{Bounds, Unlimited};

    #[test]
    fn a_version_is_read_or_the_timeout_ends_the_program() {
        let directory = tempfile::tempdir().expect("a directory");
        let script = |name: &str, body: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("written");
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(&path, mode).expect("set");
            path
        };
        let bounds =
            Bounds::new(Limits::default(), Unlimited::default(), 1, nubbin_oracle::Confinement::default());
        let tool = Tool::new(&bounds, None, TUNING.version_time, TUNING.version_bytes);
        let version = |path: PathBuf| version(&path, &tool);
        assert_eq!(version(script("a", "echo; echo a 1.2 >&1; echo more")).as_deref(), Some("a 1.2"));
        assert_eq!(version(script("b", "echo b 1.2; exit 1")), None);
        assert_eq!(version(script("c", "echo no version")), None);
        assert_eq!(version(script("d", "echo 1; sleep 60 & wait")), None);
    }
}
