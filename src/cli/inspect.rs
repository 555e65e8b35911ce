//! What is shown without an oracle: the languages, a syntax tree, the deltas of a pass.
//!
//! It formats no trees and no deltas: the library does.

use super::exit::Exit;
use super::failure::Failure;
use super::language::{self, Choice};
use nubbin::dump;
use nubbin::language::Registry;
use std::io::{self, Write};
use std::path::Path;

/// Shows the languages that are built in.
pub fn list_languages() -> Result<Exit, Failure> {
    let manifests = || Registry::built_in().manifests();
    let widest =
        |length: fn(&nubbin::language::Manifest) -> usize| manifests().map(length).max().unwrap_or(0);
    let (name, title) = (widest(|m| m.name.len()), widest(|m| m.title.len()));
    let line = |manifest: &nubbin::language::Manifest| {
        let endings: Vec<String> = manifest.extensions.iter().map(|ending| format!(".{ending}")).collect();
        format!("{:name$}  {:title$}  {}\n", manifest.name, manifest.title, endings.join(" "))
    };
    print(&manifests().map(line).collect::<String>())
}

/// Shows the syntax tree of a file.
pub fn tree(path: &Path, content: &[u8], choice: &Choice) -> Result<Exit, Failure> {
    let chosen = choice.resolve(path, content)?;
    let Some(language) = chosen.get() else {
        let message = format!("`{}` is in no known language", path.display());
        let hint = format!("give it with `--language NAME`; the languages are {}", language::names());
        return Err(Failure::message(Exit::Language, message).hint(hint));
    };
    print(&dump::tree(language, content))
}

/// Shows what a pass would try on a file first.
pub fn deltas(pass: &str, path: &Path, content: &[u8], choice: &Choice) -> Result<Exit, Failure> {
    let chosen = choice.resolve(path, content)?;
    let deltas = dump::deltas(chosen.get(), content, pass);
    print(&deltas.map_err(|error| Failure::new(Exit::Usage, error))?)
}

/// Prints on standard output; a reader that has gone away is no failure.
pub fn print(text: &str) -> Result<Exit, Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(nubbin::input::Error::Stdout(error).into())
        }
        _ => Ok(Exit::Success),
    }
}
