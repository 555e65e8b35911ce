//! Runs a formatter on the result: chooses the program, and checks that its output is usable.
//!
//! The crate `reduce` checks that the failure remains.

use crate::language::Chosen;
use crate::program::{self, ProgramChoice};
use crate::settings::Settings;
use crate::source::Input;
use crate::text;
use crate::tool::Tool;
use nubbin_archive::{self as archive, Entry, Type};
use nubbin_language::Language;
use nubbin_reduce::Languages;
use nubbin_reduce::Objective;
use nubbin_reduce::Outcome;
use nubbin_syntax::edit::count_tokens;
use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::time::Duration;

/// The time limit of a formatter.
const LIMIT: Duration = Duration::from_secs(10);

/// The available formatters, and the reason why an output was refused.
pub struct Formatter<'l> {
    settings: &'l Settings,
    choice: &'l ProgramChoice,
    /// The language of a single file, or the registry for several.
    language: &'l Chosen,
    /// The name of a single file.
    name: Option<OsString>,
    /// The largest accepted output, in bytes.
    most: usize,
    /// The reason why an output was refused.
    refused: RefCell<Option<Refused>>,
}

struct Refused {
    program: OsString,
    file: OsString,
    /// The reason, without a final period.
    why: String,
}

impl<'l> Formatter<'l> {
    /// Returns the formatters for these settings. There are none if whitespace is minimised or parts of the text must
    /// not change.
    pub fn new(settings: &'l Settings, language: &'l Chosen, input: &[u8], keeps: bool) -> Option<Self> {
        let senseless = [
            ("--compact", settings.compact),
            ("--unit", !settings.units.is_empty()),
            ("--objective", settings.control.objective() != Objective::Tokens),
            ("options", matches!(settings.input, Input::Options(_))),
            ("protected text", keeps),
        ];
        let reason = senseless.into_iter().find(|(_, is_so)| *is_so).map(|(reason, _)| reason);
        match (&settings.formatter, reason) {
            (ProgramChoice::None, _) | (ProgramChoice::Any, Some(_)) => return None,
            (ProgramChoice::Given { is_typed, .. }, Some(reason)) => {
                if *is_typed {
                    settings.voice.say(&format!("note: no formatter is used with {reason}"));
                }
                return None;
            }
            (ProgramChoice::Any | ProgramChoice::Given { .. }, None) => {}
        }
        let is_archive = settings.input.is_archive();
        let path = settings.input.path(&settings.language);
        let name = path.file_name().unwrap_or(OsStr::new("input")).to_owned();
        let name = (!is_archive).then_some(name);
        let (choice, most) = (&settings.formatter, input.len());
        let formatter = Self { settings, choice, language, name, most, refused: RefCell::default() };
        let is_one =
            || formatter.words(language.get()).is_some() || language.get().is_some_and(Language::is_free);
        (is_archive || is_one()).then_some(formatter)
    }

    /// Returns the formatter for a language, if there is one.
    fn words(&self, language: Option<&Language>) -> Option<Vec<OsString>> {
        if let ProgramChoice::Given { words, .. } = self.choice {
            return Some(words.clone());
        }
        language.map_or(&[][..], Language::formatters).iter().find_map(|words| program::found(words))
    }

    /// Formats a text, or the files of an archive. Returns the result only if nothing but whitespace differs.
    pub fn format(&self, text: &[u8]) -> Option<Vec<u8>> {
        if let Some(name) = &self.name {
            return self.format_one(text, name, self.language.get());
        }
        let (mut all, mut at) = (Vec::with_capacity(text.len()), 0);
        for entry in archive::entries(text).iter().filter(|entry| entry.kind == Type::File) {
            if let Some(formatted) = self.format_entry(entry, entry.content_in(text)) {
                all.extend_from_slice(&text[at..entry.content.0]);
                all.extend(formatted);
                at = entry.content.1;
            }
        }
        all.extend_from_slice(&text[at..]);
        (at > 0).then_some(all)
    }

    fn format_entry(&self, entry: &Entry, content: &[u8]) -> Option<Vec<u8>> {
        let name = entry.path.file_name().filter(|_| !content.is_empty())?;
        self.format_one(content, name, self.language.of(&entry.path, content))
    }

    /// Formats a file with a program, or else with the built-in layout of the language.
    fn format_one(&self, text: &[u8], name: &OsStr, language: Option<&Language>) -> Option<Vec<u8>> {
        let is_small = |made: &Vec<u8>| made.len() <= self.most.min(2 * text.len());
        let made = self.run(text, name, language);
        made.or_else(|| language?.tidy(text).filter(is_small))
    }

    fn run(&self, text: &[u8], name: &OsStr, language: Option<&Language>) -> Option<Vec<u8>> {
        let words = self.words(language)?;
        let program = words[0].clone();
        let refuse = |why: String| {
            *self.refused.borrow_mut() = Some(Refused { program, file: name.to_owned(), why });
            None
        };
        // A larger output is refused below.
        let most = self.most.max(2 * text.len());
        let tool = Tool::new(&self.settings.bounds, self.settings.helpers.as_ref(), LIMIT, most);
        match tool.run(&words, name, text) {
            Err(error) => refuse(error.to_string()),
            Ok(formatted) if !says_the_same(language, text, &formatted) => {
                refuse("it changes more than whitespace".to_owned())
            }
            Ok(formatted) if formatted.len() > self.most => refuse(format!(
                "it outputs {} for {}, more than the input has",
                bytes(&formatted),
                bytes(text)
            )),
            Ok(formatted) if formatted.len() > 2 * text.len() => {
                refuse(format!("it outputs {} for {}", bytes(&formatted), bytes(text)))
            }
            Ok(formatted) => Some(formatted),
        }
    }

    /// Returns a note with the reason why the formatter is not used.
    pub fn note(&self, outcome: &Outcome) -> Option<String> {
        let tried = outcome.passes.iter().find(|pass| pass.name == "formatter");
        let is_refused = tried.is_some_and(|pass| pass.accepted == 0);
        if let Some(Refused { program, file, why }) = &*self.refused.borrow() {
            let of = if self.name.is_some() { String::new() } else { format!(" for `{}`", file.display()) };
            return Some(format!("note: the formatter `{}` is not used{of}: {why}", program.display()));
        }
        let program = self.words(self.language.get()).map(|words| format!(" `{}`", words[0].display()));
        let program = program.unwrap_or_default();
        is_refused
            .then(|| format!("note: the formatter{program} is not used: it makes the failure disappear"))
    }
}

fn bytes(text: &[u8]) -> String {
    text::counted(text.len(), "byte")
}

fn says_the_same(language: Option<&Language>, text: &[u8], formatted: &[u8]) -> bool {
    let normalised = |text: &[u8]| language.and_then(|language| language.normalised(text));
    let without_blanks = |text: &[u8]| -> Vec<u8> {
        normalised(text)
            .unwrap_or_else(|| text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect())
    };
    count_tokens(formatted) <= count_tokens(text) && without_blanks(text) == without_blanks(formatted)
}
