//! Settings files: `nubbin.toml` in this directory, and the user's own.
//!
//! Their keys are the long options, and what they say is put before what was typed; what it means together is decided
//! in `settings`. What this directory's file may set before the user trusts it is decided in `trust`.

use crate::args::{definition, group::failure, trust};
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
/// Options of a single run, which are no settings.
const NO_SETTINGS: [&str; 4] = ["help", "version", "resume", "no_config"];
/// The options that have no effect beside units, and beside which units have none.
const OF_TREES: [&str; 5] = ["language", "grammar", "compact", "anonymize", "effort"];
/// The most keys that are shown.
const SHOWN: usize = 3;

/// The content of the settings files: words for the command line, and a note on each file that has given some.
#[derive(Debug, Default)]
pub struct SettingsFiles {
    pub words: Vec<OsString>,
    /// A sentence for the user, without a final period.
    pub notes: Vec<String>,
}

/// A settings file: its path and its text.
struct File {
    path: PathBuf,
    text: String,
}

/// The value of one key.
struct Setting {
    id: String,
    words: Vec<String>,
}

/// Finds the settings of the files for the command `word` beside `given`, the names of what was typed. That comes first;
/// then this directory's file counts, then the user's.
///
/// # Errors
/// Returns an error when one of them cannot be read, or makes no sense.
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
            let ids: Vec<&str> = settings.iter().map(|setting| &*setting.id).collect();
            trust::check(&file.path, file.text.as_bytes(), &ids)?;
        }
        given.extend(settings.iter().map(|setting| setting.id.clone()));
        let words: Vec<String> = settings.into_iter().flat_map(|setting| setting.words).collect();
        if !words.is_empty() {
            found.notes.push(format!("`{}` adds {}", file.path.display(), words.join(" ")));
        }
        found.words.extend(words.into_iter().map(OsString::from));
    }
    Ok(found)
}

/// Returns the words that a settings file adds to a command line.
///
/// # Errors
/// Returns an error when it cannot be read, or makes no sense.
pub fn words_of(path: &Path) -> Result<Vec<String>, Failure> {
    let mut whole = definition();
    whole.build();
    let settings = File::read(path.to_owned())?.map(|file| file.settings(&whole)).transpose()?;
    Ok(settings.unwrap_or_default().into_iter().flat_map(|setting| setting.words).collect())
}

/// Returns the folder of the user's settings.
fn users_folder() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))
}

/// Tells whether a command has such a setting, and a place for it beside what is given already.
fn fits(id: &str, given: &[String], command: &Command) -> bool {
    let has = |wanted: &str| given.iter().any(|given| given == wanted);
    let Some(one) = argument(command, id) else { return false };
    if one.get_long().is_some_and(|long| long.replace('-', "_") != id) {
        // It has another name in this command.
        return false;
    }
    let conflicts = |other: &String| {
        let Some(other) = argument(command, other) else { return false };
        let has = |one: &Arg, other: &Arg| {
            command.get_arg_conflicts_with(one).iter().any(|arg| arg.get_id() == other.get_id())
        };
        has(one, other) || has(other, one)
    };
    // An oracle tells by itself how it fails.
    let is_senseless = one.get_help_heading() == Some(failure::HEADING) && !has("command")
        || OF_TREES.contains(&id) && has("unit")
        || id == "unit" && OF_TREES.into_iter().any(has);
    !has(id) && !is_senseless && !given.iter().any(conflicts)
}

fn argument<'c>(command: &'c Command, id: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|arg| arg.get_id() == id)
}

/// Returns the options that can be set.
fn settable(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| {
        let is_setting = !NO_SETTINGS.contains(&arg.get_id().as_str());
        is_setting
            && arg.get_long().is_some()
            && !arg.is_hide_set()
            && arg.get_help_heading() != Some("Inspect")
    })
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
                Err(io::Error::other("it is no regular file"))
            }
        });
        match text {
            Ok(text) => Ok(Some(Self { path, text })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => {
                let message = format!("`{}` cannot be read: {error}", path.display());
                Err(Failure::message(Fault::Usage, message)
                    .hint("`--no-config` goes on without settings files"))
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
        table.into_iter().map(|(key, value)| self.setting(command, key, value)).collect()
    }

    fn setting(
        &self,
        command: &Command,
        key: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Setting, Failure> {
        let name = key.get_ref().as_ref();
        let Some(arg) = settable(command).find(|arg| arg.get_long() == Some(name)) else {
            let known = settable(command).filter_map(Arg::get_long);
            let near = text::nearest(name, known, SHOWN).join("`, `");
            let failure = self.wrong(key.span().start, &format!("there is no setting `{name}`"));
            return Err(failure.hint(format!("the nearest: `{near}`; `nubbin --help` shows all options")));
        };
        let wrong = |what: &str| self.wrong(value.span().start, &format!("`{name}` {what}"));
        let words = match (arg.get_action(), value.get_ref()) {
            (ArgAction::SetTrue, DeValue::Boolean(true)) => vec![format!("--{name}")],
            (ArgAction::SetTrue, DeValue::Boolean(false)) => Vec::new(),
            (ArgAction::SetTrue, _) => return Err(wrong("is `true` or `false`")),
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
        Ok(Setting { id: arg.get_id().to_string(), words })
    }

    /// Returns a value as a word of the command line, which has to make sense there.
    fn word(&self, arg: &Arg, name: &str, value: &Spanned<DeValue<'_>>) -> Result<String, Failure> {
        let shown = match value.get_ref() {
            DeValue::String(text) if is_path(arg) && text != "-" => {
                let folder = self.path.parent().unwrap_or(Path::new(""));
                folder.join(text.as_ref()).to_string_lossy().into_owned()
            }
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            _ => return Err(self.wrong(value.span().start, &format!("`{name}` takes a number or a text"))),
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

    /// Returns the word of the command line for a value that begins at this byte, which has to make sense there.
    fn checked(&self, name: &str, shown: &str, at: usize) -> Result<String, Failure> {
        let word = format!("--{name}={shown}");
        match definition().try_get_matches_from(["nubbin", &word]) {
            Ok(_) => Ok(word),
            Err(error) => {
                let text = error.to_string();
                let lines: Vec<&str> =
                    text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
                let message = lines.join(" ");
                Err(self.wrong(at, message.trim_start_matches("error: ")))
            }
        }
    }

    /// Makes the failure that something is wrong at this byte.
    fn wrong(&self, at: usize, message: &str) -> Failure {
        let before = &self.text[..at.min(self.text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Failure::message(Fault::Usage, format!("`{}:{line}:{column}`: {message}", self.path.display()))
            .hint("`--no-config` goes on without settings files")
    }
}

fn is_path(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == TypeId::of::<PathBuf>()
}
