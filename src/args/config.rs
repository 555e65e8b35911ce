//! Settings files: `nubbin.toml` in this directory, and the one in the user's configuration directory.
//!
//! The keys are the long options. Settings are inserted before the typed arguments. `file`, `command` and `script`
//! describe a whole run, which `nubbin` without arguments repeats. `trust` decides what the file of a directory can set.

use crate::args::{definition, elsewhere, group::failure, meant, trust};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::text;
use std::any::TypeId;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The name of a settings file.
pub const NAME: &str = "nubbin.toml";
/// Options that are not settings.
const NO_SETTINGS: [&str; 4] = ["help", "version", "resume", "no_config"];
/// The keys that describe a whole run.
const OF_RUN: [&str; 3] = ["file", "command", "script"];
/// Options that have no effect together with `--unit`.
const OF_TREES: [&str; 4] = ["language", "compact", "anonymize", "effort"];
/// The number of similar keys in a hint.
const SHOWN: usize = 3;

/// The content of the settings files: arguments for the command line, and a note on each file with settings.
#[derive(Debug, Default)]
pub struct SettingsFiles {
    pub words: Vec<OsString>,
    /// A sentence for the user, without a final period.
    pub notes: Vec<String>,
}

impl Setting {
    /// Tells whether the setting needs no trust.
    fn is_harmless(&self) -> bool {
        let value =
            |word: &'_ String| word.split_once('=').map(|(_, value)| value.to_owned()).unwrap_or_default();
        let values: Vec<String> = self.words.iter().map(value).collect();
        trust::is_harmless(&self.id, &values.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Returns the name of the option.
    fn name(&self) -> &str {
        let word = self.words.first().map_or(self.id.as_str(), String::as_str);
        word.trim_start_matches('-').split('=').next().unwrap_or_default()
    }
}

/// A settings file: its path and its text.
struct File {
    path: PathBuf,
    text: String,
}

/// The value of one key.
#[derive(Clone)]
struct Setting {
    id: String,
    words: Vec<String>,
}

/// Reads the settings for the command `word`. Typed options (`given`) have precedence over the file of this directory,
/// which has precedence over the user's file.
///
/// # Errors
/// Returns an error if a file cannot be read or is not valid.
pub fn find(word: Option<&OsString>, mut given: Vec<String>) -> Result<SettingsFiles, Failure> {
    let mut found = SettingsFiles::default();
    let mut whole = definition();
    whole.build();
    let command = word.and_then(|word| whole.find_subcommand(word)).unwrap_or(&whole);
    let users = users_folder().map(|folder| folder.join("nubbin").join(NAME));
    for path in std::iter::once(PathBuf::from(NAME)).chain(users) {
        let Some(file) = File::read(path)? else { continue };
        let mut settings = file.settings(&whole)?;
        settings.retain(|setting| fits(&setting.id, &given, command));
        if file.path == Path::new(NAME) {
            let untrusted =
                settings.iter().filter(|setting| !setting.is_harmless()).map(Setting::name).collect();
            trust::check(&file.path, file.text.as_bytes(), untrusted)?;
        }
        given.extend(settings.iter().map(|setting| setting.id.clone()));
        let words: Vec<String> = settings.into_iter().flat_map(|setting| setting.words).collect();
        if !words.is_empty() {
            found.notes.push(format!("settings of `{}`: {}", file.path.display(), words.join(" ")));
        }
        found.words.extend(words.into_iter().map(OsString::from));
    }
    Ok(found)
}

/// Completes a command line without a file and a test by those of this directory's `nubbin.toml`. Returns a note as well.
///
/// # Errors
/// Returns an error if the file cannot be read, is not valid, or is not trusted.
pub fn whole_run(words: Vec<OsString>) -> Result<(Vec<OsString>, Option<String>), Failure> {
    const ANSWERS: [&str; 6] = ["-h", "--help", "-V", "--version", "--resume", "--no-config"];
    let is_complete = meant::first_argument(&words).is_some()
        || words.iter().any(|word| word == "--" || ANSWERS.iter().any(|answer| word == answer))
        || !words.iter().all(|word| !elsewhere::is_option(word) || elsewhere::knows(word));
    if is_complete {
        return Ok((words, None));
    }
    let Some(file) = File::read(PathBuf::from(NAME))? else { return Ok((words, None)) };
    let Some(run) = file.run()? else { return Ok((words, None)) };
    trust::check(&file.path, file.text.as_bytes(), OF_RUN.into_iter().filter(|key| file.has(key)).collect())?;
    let note = format!("the run of `{NAME}`: nubbin {}", text::words(&run));
    Ok(([words, run].concat(), Some(note)))
}

/// Returns lines about what a settings file does: the options that it adds to a command line, and the run that it
/// describes.
///
/// # Errors
/// Returns an error if the file cannot be read or is not valid.
pub fn effects_of(path: &Path) -> Result<Vec<String>, Failure> {
    let mut whole = definition();
    whole.build();
    let Some(file) = File::read(path.to_owned())? else { return Ok(Vec::new()) };
    let mut lines: Vec<String> =
        file.settings(&whole)?.into_iter().flat_map(|setting| setting.words).collect();
    lines.extend(file.run()?.map(|run| format!("the run nubbin {}", text::words(&run))));
    Ok(lines)
}

/// Returns the folder of the user's settings.
fn users_folder() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))
}

/// Tells whether a command has this setting, and the setting does not conflict with the given options.
fn fits(id: &str, given: &[String], command: &Command) -> bool {
    let has = |wanted: &str| given.iter().any(|given| given == wanted);
    let Some(one) = argument(command, id) else { return false };
    let conflicts = |other: &String| {
        let Some(other) = argument(command, other) else { return false };
        let has = |one: &Arg, other: &Arg| {
            command.get_arg_conflicts_with(one).iter().any(|arg| arg.get_id() == other.get_id())
        };
        has(one, other) || has(other, one)
    };
    // A script decides itself what counts as the failure.
    let is_senseless = failure::is_about_commands(one.get_id().as_str()) && !has("command")
        || OF_TREES.contains(&id) && has("unit")
        || id == "unit" && OF_TREES.into_iter().any(has);
    !has(id) && !is_senseless && !given.iter().any(conflicts)
}

fn argument<'c>(command: &'c Command, id: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|arg| arg.get_id() == id)
}

/// Returns the options that can be set.
fn settable(command: &Command) -> impl Iterator<Item = &Arg> {
    command
        .get_arguments()
        .filter(|arg| !NO_SETTINGS.contains(&arg.get_id().as_str()) && arg.get_long().is_some())
}

impl File {
    /// Reads the file, if there is one.
    fn read(path: PathBuf) -> Result<Option<Self>, Failure> {
        // A pipe or a device in a stranger's directory might never end.
        let is_regular = std::fs::metadata(&path).map(|found| found.is_file());
        let text = is_regular.and_then(|is_regular| {
            if is_regular {
                std::fs::read_to_string(&path)
            } else {
                Err(io::Error::other("not a regular file"))
            }
        });
        match text {
            Ok(text) => Ok(Some(Self { path, text })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => {
                let message = format!("`{}` cannot be read: {error}", path.display());
                Err(Failure::message(Fault::Usage, message).hint("`--no-config` ignores settings files"))
            }
        }
    }

    /// Returns its settings, key by key.
    fn settings(&self, command: &Command) -> Result<Vec<Setting>, Failure> {
        let table = DeTable::parse(&self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.wrong(at, error.message())
        })?;
        let mut table: Vec<(&Spanned<_>, &Spanned<DeValue<'_>>)> = table.get_ref().iter().collect();
        table.sort_by_key(|(key, _)| key.span().start);
        let is_setting = |key: &Spanned<_>| {
            let key: &str = AsRef::<str>::as_ref(Spanned::get_ref(key));
            !OF_RUN.contains(&key)
        };
        let settings = table.into_iter().filter(|(key, _)| is_setting(key));
        let found: Result<Vec<Vec<Setting>>, _> =
            settings.map(|(key, value)| self.setting(command, key, value)).collect();
        Ok(found?.concat())
    }

    /// Tells whether the file has this key.
    fn has(&self, key: &str) -> bool {
        self.table().is_some_and(|table| table.contains_key(key))
    }

    fn table(&self) -> Option<toml::Table> {
        toml::from_str(&self.text).ok()
    }

    /// Returns the arguments of the run that `file` and `command` or `script` describe.
    fn run(&self) -> Result<Option<Vec<OsString>>, Failure> {
        let parsed = DeTable::parse(&self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.wrong(at, error.message())
        })?;
        let at = |key: &str| {
            let found = parsed.get_ref().iter().find(|(known, _)| known.get_ref().as_ref() == key);
            found.map_or(0, |(known, _)| known.span().start)
        };
        let Some(table) = self.table() else { return Ok(None) };
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let list = |key: &str| -> Result<Option<Vec<String>>, Failure> {
            let texts = match table.get(key) {
                None => return Ok(None),
                Some(toml::Value::String(text)) => Some(vec![text.clone()]),
                Some(toml::Value::Array(all)) => {
                    all.iter().map(|one| one.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
                }
                Some(_) => None,
            };
            texts.filter(|texts| !texts.is_empty()).map(Some).ok_or_else(|| {
                self.wrong(at(key), &format!("`{key}` must be a string, or a list of strings"))
            })
        };
        let (files, command, script) = (list("file")?, list("command")?, list("script")?);
        let Some(files) = files else {
            return match command.or(script) {
                None => Ok(None),
                Some(_) => Err(self.wrong(0, "`file` is missing: the file to reduce")),
            };
        };
        let files = files.into_iter().map(|file| folder.join(file).into_os_string());
        let words = |list: Vec<String>| list.into_iter().map(OsString::from);
        match (command, script) {
            (Some(command), None) => Ok(Some(files.chain(["--".into()]).chain(words(command)).collect())),
            (None, Some(script)) => Ok(Some(words(script).chain(files).collect())),
            (None, None) => Err(self.wrong(at("file"), "`file` needs a `command` or a `script`")),
            (Some(_), Some(_)) => Err(self.wrong(at("script"), "`command` and `script` exclude each other")),
        }
    }

    fn setting(
        &self,
        command: &Command,
        key: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<Setting>, Failure> {
        let name = key.get_ref().as_ref();
        if let DeValue::Table(table) = value.get_ref() {
            return self.group(command, name, key.span().start, table);
        }
        let Some(arg) = settable(command).find(|arg| arg.get_long() == Some(name)) else {
            let known = settable(command).filter_map(Arg::get_long);
            let near = text::nearest(name, known, SHOWN).join("`, `");
            let failure = self.wrong(key.span().start, &format!("there is no setting `{name}`"));
            if let Some(now) = super::error::renamed(name) {
                return Err(failure.hint(format!("on the command line, the option is `{now}`")));
            }
            return Err(
                failure.hint(format!("similar settings: `{near}`; `nubbin --help` lists all options"))
            );
        };
        let wrong = |what: &str| self.wrong(value.span().start, &format!("`{name}` {what}"));
        let words = match (arg.get_action(), value.get_ref()) {
            (ArgAction::SetTrue, DeValue::Boolean(true)) => vec![format!("--{name}")],
            (ArgAction::SetTrue, DeValue::Boolean(false)) => Vec::new(),
            (ArgAction::SetTrue, _) => return Err(wrong("must be `true` or `false`")),
            (ArgAction::Append, DeValue::Array(all)) => {
                let tables = self.tables(name);
                let one =
                    |(at, value): (usize, &Spanned<DeValue<'_>>)| match (value.get_ref(), tables.get(at)) {
                        (DeValue::Table(_), Some(table)) => self.checked(name, table, value.span().start),
                        _ => self.word(arg, name, value),
                    };
                all.iter().enumerate().map(one).collect::<Result<_, _>>()?
            }
            (_, DeValue::Array(_)) => return Err(wrong("takes one value, not a list")),
            _ => vec![self.word(arg, name, value)?],
        };
        Ok(vec![Setting { id: arg.get_id().to_string(), words }])
    }

    /// Returns the settings of a table: `[remote]` has those of a cluster, and `[limit]` the limits.
    fn group(
        &self,
        command: &Command,
        name: &str,
        at: usize,
        table: &DeTable<'_>,
    ) -> Result<Vec<Setting>, Failure> {
        if !["remote", "limit"].contains(&name) || argument(command, name).is_none() {
            return Err(self.wrong(at, &format!("there is no table `[{name}]`")));
        }
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let mut settings = Vec::new();
        for (key, value) in entries {
            let (key, at) = (key.get_ref().as_ref(), value.span().start);
            let values: Vec<&Spanned<DeValue<'_>>> = match value.get_ref() {
                DeValue::Array(all) => all.iter().collect(),
                _ => vec![value],
            };
            let (option, is_plain) = match (name, key) {
                ("limit", _) => ("limit".to_owned(), false),
                (_, "address") => ("remote".to_owned(), true),
                (_, "jobs" | "header") => (format!("remote-{key}"), true),
                _ => ("remote-option".to_owned(), false),
            };
            let id = option.replace('-', "_");
            let mut words = Vec::new();
            for value in values {
                let text = match value.get_ref() {
                    DeValue::String(text) => text.to_string(),
                    DeValue::Integer(number) => number.to_string(),
                    DeValue::Boolean(is_on) => if *is_on { "on" } else { "off" }.to_owned(),
                    _ => return Err(self.wrong(at, &format!("`{key}` must be a number or a string"))),
                };
                let shown = if is_plain { text } else { format!("{key}={text}") };
                words.push(self.checked(&option, &shown, at)?);
            }
            settings.push(Setting { id, words });
        }
        Ok(settings)
    }

    /// Returns a value as a valid argument of the command line.
    fn word(&self, arg: &Arg, name: &str, value: &Spanned<DeValue<'_>>) -> Result<String, Failure> {
        let shown = match value.get_ref() {
            DeValue::String(text) if is_path(arg) && text != "-" => {
                let folder = self.path.parent().unwrap_or(Path::new(""));
                folder.join(text.as_ref()).to_string_lossy().into_owned()
            }
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            _ => {
                return Err(self.wrong(value.span().start, &format!("`{name}` must be a number or a string")));
            }
        };
        self.checked(name, &shown, value.span().start)
    }

    /// Returns the tables of a list, `[[name]]`, as inline tables.
    fn tables(&self, name: &str) -> Vec<String> {
        let whole: Option<toml::Table> = toml::from_str(&self.text).ok();
        let list = whole.and_then(|mut whole| whole.remove(name));
        let Some(toml::Value::Array(tables)) = list else { return Vec::new() };
        tables.iter().map(toml::Value::to_string).collect()
    }

    /// Returns the argument for the value at this byte, which must be valid on the command line.
    fn checked(&self, name: &str, shown: &str, at: usize) -> Result<String, Failure> {
        let word = format!("--{name}={shown}");
        match definition().try_get_matches_from(["nubbin", &word]) {
            Err(error) if error.kind() != ErrorKind::MissingRequiredArgument => {
                let failure = super::error::failure(&[], &error);
                Err(self.wrong(at, &failure.to_string()))
            }
            _ => Ok(word),
        }
    }

    /// Makes the failure that something is wrong at this byte.
    fn wrong(&self, at: usize, message: &str) -> Failure {
        let before = &self.text[..at.min(self.text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Failure::message(Fault::Usage, format!("`{}:{line}:{column}`: {message}", self.path.display()))
            .hint("`--no-config` ignores settings files")
    }
}

fn is_path(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == TypeId::of::<PathBuf>()
}
