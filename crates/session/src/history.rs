//! Shows the steps of a run as a table, and restores the result of any step to a file.

use crate::failure::Failure;
use crate::failure::Fault;
use crate::input::journal::{self, Content, End, JournalStep, Latin1, StoredRun};
use crate::input::{self, BestFile};
use crate::options;
use crate::text;
use nubbin_archive as archive;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The longest displayed part of removed text, in characters.
const SHOWN: usize = 48;

/// A request about a journal.
#[derive(Clone, Debug, Default)]
pub struct HistoryQuery {
    /// The reduced file; `None` is that of the latest run in the current directory.
    pub file: Option<PathBuf>,
    /// The step to restore; 0 is the input. `None` lists all steps.
    pub step: Option<usize>,
    /// The output for the restored step; `-` is standard output, and `None` is next to the input.
    pub output: Option<PathBuf>,
}

/// Lists the steps of a run, or restores one. Returns text for the user.
///
/// # Errors
/// Returns an error when there is no such journal or step, or the output has other content.
pub fn run(asked: &HistoryQuery) -> Result<String, Failure> {
    let (file, step) = meant(asked);
    let (found, folder) = find(file.as_deref())?;
    let name = Path::new(OsStr::from_bytes(&found.content.header.name.0));
    match step {
        None => Ok(table(&found, &name.display().to_string())),
        Some(number) => {
            let home = folder.parent().and_then(Path::parent).unwrap_or(Path::new(""));
            let path = file.unwrap_or_else(|| home.strip_prefix(".").unwrap_or(home).join(name));
            bring_back(&found, number, &path, asked.output.as_deref())
        }
    }
}

/// Interprets a lone number that is not a file as a step.
fn meant(asked: &HistoryQuery) -> (Option<PathBuf>, Option<usize>) {
    let lone = asked.file.as_ref().filter(|file| asked.step.is_none() && !file.exists());
    match lone.and_then(|file| file.to_str()?.parse().ok()) {
        Some(step) => (None, Some(step)),
        None => (asked.file.clone(), asked.step),
    }
}

/// Returns the latest run on a file, or in the current directory.
fn find(file: Option<&Path>) -> Result<(StoredRun, PathBuf), Failure> {
    let folders = file.map_or_else(|| journal::folders_in(Path::new(".")), journal::folders_of);
    for folder in folders {
        if let Some(found) = StoredRun::look(&folder)? {
            return Ok((found, folder));
        }
    }
    let of = file.map_or("in this directory".to_owned(), |file| format!("on `{}`", file.display()));
    Err(Failure::message(Fault::Journal, format!("no journal of a run {of}"))
        .hint("a run writes its journal to `.nubbin` next to its input"))
}

fn table(found: &StoredRun, name: &str) -> String {
    let content = &found.content;
    let mut rows = vec![["step", "pass", "tokens", "bytes", "removed"].map(str::to_owned)];
    let bytes = text::count(found.input.len());
    rows.push(["0".to_owned(), "(input)".to_owned(), String::new(), bytes, String::new()]);
    let mut best = found.input.clone();
    for step in &content.steps {
        let [tokens, bytes] = [step.tokens, step.bytes].map(text::count);
        rows.push([step.number.to_string(), step.pass.clone(), tokens, bytes, removed(step, &best)]);
        best = step.apply(&best).unwrap_or_default();
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let [number, pass, tokens, bytes] = [0, 1, 2, 3].map(width);
    let line = |[a, b, c, d, e]: &[String; 5]| {
        let line = format!("{a:>number$}  {b:pass$}  {c:>tokens$}  {d:>bytes$}  {e}");
        line.trim_end().to_owned() + "\n"
    };
    let lines: String = rows.iter().map(line).collect();
    format!("{name}: {}, {}\n\n{lines}", text::counted(content.steps.len(), "step"), ending(content))
}

fn ending(content: &Content) -> &'static str {
    match content.end {
        Some(End::Finished) => "finished",
        Some(End::Interrupted) => "interrupted",
        Some(End::Failed) => "failed",
        None => "not finished",
    }
}

/// Returns a short description of the removed text and its replacement.
fn removed(step: &JournalStep, before: &[u8]) -> String {
    let old =
        |&(start, end, _): &(u32, u32, Latin1)| before.get(start as usize..end as usize).unwrap_or_default();
    let Some(largest) = step.edits.iter().max_by_key(|&(start, end, _)| end - start) else {
        return String::new();
    };
    let shown = match (old(largest), &*largest.2.0) {
        (gone, []) => brief(gone, SHOWN),
        ([], new) => format!("+ {}", brief(new, SHOWN)),
        (gone, new) => format!("{} → {}", brief(gone, SHOWN / 2), brief(new, SHOWN / 2)),
    };
    match step.edits.len() - 1 {
        0 => shown,
        more => format!("{shown}  (+{more})"),
    }
}

/// Returns the start of a text on one line, safe to print.
fn brief(bytes: &[u8], most: usize) -> String {
    let some = &bytes[..bytes.len().min(8 * most)];
    let text = String::from_utf8_lossy(some);
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().filter(|c| !c.is_control()).collect();
    match line.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None if some.len() < bytes.len() => line + "…",
        None if line.is_empty() => "(whitespace)".to_owned(),
        None => line,
    }
}

/// Writes the result after `number` steps.
fn bring_back(
    found: &StoredRun,
    number: usize,
    path: &Path,
    output: Option<&Path>,
) -> Result<String, Failure> {
    let steps = found.content.steps.len();
    if number > steps {
        let message = format!("no step {number}: the run has {}", text::counted(steps, "step"));
        return Err(Failure::message(Fault::Usage, message).hint("list the steps with `nubbin history FILE`"));
    }
    let best = found.content.rebuild(&found.input, number).ok_or_else(|| {
        Failure::message(
            Fault::Journal,
            format!("cannot restore step {number}: the journal does not apply to the input"),
        )
    })?;
    let options = options::left_in(&best);
    let best = if options.is_some() { options::paired_file(&best).to_vec() } else { best };
    if output == Some(Path::new("-")) {
        BestFile::stdout().finish(&best)?;
        return Ok(String::new());
    }
    let place = output.map_or_else(|| step_name(path, number), Path::to_owned);
    // The input can be several files or a directory.
    if options.is_none() && !found.input.is_empty() && archive::kind(&found.input).is_some() {
        if fs::symlink_metadata(&place).is_ok() {
            return Err(taken(&place, "DIR"));
        }
        let like = Some(path).filter(|path| path.is_dir());
        BestFile::folder(&place, like, None)?.finish(&best)?;
        return Ok(format!("step {number}: {}\n", place.display()));
    }
    let like = Some(path).filter(|path| path.is_file());
    if output.is_none() {
        BestFile::regular(&place, like)?;
    }
    match input::read_file(&place) {
        Ok(there) if there == best => {}
        Ok(_) if output.is_none() => return Err(taken(&place, "FILE")),
        _ => BestFile::file(&place, like)?.finish(&best)?,
    }
    let size = text::counted(best.len(), "byte");
    let options = options.map_or_else(String::new, |left| format!("options left: {}\n", text::words(&left)));
    Ok(format!("step {number}, {size}: {}\n{options}", place.display()))
}

fn taken(place: &Path, what: &str) -> Failure {
    let message = format!("`{}` already exists with other content", place.display());
    Failure::message(Fault::Output, message).hint(format!("choose another place with `--output {what}`"))
}

/// Returns the default path of a restored step: the input's with `.stepN` before the extension.
fn step_name(path: &Path, number: usize) -> PathBuf {
    input::named(path, &format!(".step{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_removed_is_told_on_one_short_line() {
        assert_eq!(brief(b"int  x;\n\tint y;\n", 20), "int x; int y;");
        assert_eq!(brief(b"0123456789", 4), "0123…");
        assert_eq!(brief(&b" ".repeat(1000), 4), "…");
        assert_eq!(brief(b" \n", 4), "(whitespace)");
        assert_eq!(brief(b"a\x1b[1mb\xff", 20), "a[1mb\u{fffd}");
    }

    #[test]
    fn a_step_stands_beside_the_input() {
        assert_eq!(step_name(Path::new("a/bug.c"), 3), Path::new("a/bug.step3.c"));
        assert_eq!(step_name(Path::new("bug"), 0), Path::new("bug.step0"));
    }
}
