//! Shows information that needs no oracle: the languages, a syntax tree, the deltas of a pass.
//!
//! It does not format trees and deltas: the library does.

use crate::exit::Exit;
use crate::stdout;
use nubbin_language::{Language, Manifest, Registry};
use nubbin_reduce::Unit;
use nubbin_reduce::dump;
use nubbin_reduce::pass::{self, Pass, Plan};
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::language::{self, LanguageChoice};
use nubbin_session::source::Input;
use std::fmt::Write as _;
use std::iter;

/// Shows the languages that are built in, with what each has, and those whose parsers were left out.
pub fn list_languages() -> Result<Exit, Failure> {
    let registry = Registry::built_in();
    let languages = registry.manifests().filter_map(|manifest| registry.get(&manifest.name));
    let heading = ["name", "language", "rules", "names", "formatters", "endings"].map(str::to_owned);
    let rows: Vec<[String; 6]> = iter::once(heading).chain(languages.map(row)).collect();
    let mut shown = String::new();
    for row in &rows {
        let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        for (column, cell) in row[..5].iter().enumerate() {
            let _ = write!(shown, "{cell:0$}  ", width(column));
        }
        let _ = writeln!(shown, "{}", row[5]);
    }
    for Manifest { name, title, .. } in registry.left_out() {
        let _ = writeln!(shown, "{title} was left out of this program: build it with `--features {name}`");
    }
    print(&shown)
}

/// Returns what a language has, for its row in the table of languages.
fn row(language: &Language) -> [String; 6] {
    let all = |words: Vec<&str>| if words.is_empty() { "-".to_owned() } else { words.join(", ") };
    let endings: Vec<String> = language.extensions().iter().map(|ending| format!(".{ending}")).collect();
    [
        language.name().to_owned(),
        language.title().to_owned(),
        language.rule_count().to_string(),
        if language.has_names() { "yes" } else { "-" }.to_owned(),
        all(language.formatters().iter().filter_map(|words| words.first()).map(String::as_str).collect()),
        endings.join(" "),
    ]
}

/// Shows the syntax tree of a file.
pub fn tree(input: &Input, choice: &LanguageChoice) -> Result<Exit, Failure> {
    let (path, content) = (input.path(choice), input.read()?);
    let chosen = choice.resolve(&path, &content)?;
    let Some(language) = chosen.get() else {
        let message = format!("`{}` is in no known language", path.display());
        let hint = format!("give it with `--language NAME`; the languages are {}", language::names());
        return Err(Failure::message(Fault::Language, message).hint(hint));
    };
    print(&dump::tree(language, &content))
}

/// Shows the deltas that a pass would propose first for a file.
pub fn deltas(pass: &str, input: &Input, choice: &LanguageChoice) -> Result<Exit, Failure> {
    let (path, content) = (input.path(choice), input.read()?);
    let chosen = choice.resolve(&path, &content)?;
    let deltas = dump::deltas(chosen.get(), &content, pass);
    print(&deltas.map_err(|error| Failure::new(Fault::Usage, error))?)
}

/// Shows the passes.
pub fn list_passes() -> Result<Exit, Failure> {
    let width = pass::all().map(|pass| pass.name.len()).max().unwrap_or(0);
    let mut shown = String::from(
        "Passes of a tier take turns until none of them finds anything; then comes the next tier.\n\
         Any find sends the run back to the first tier.\n",
    );
    let plans = [
        ("An input in a known language", Plan::new(true, false)),
        ("An input in no known language", Plan::new(false, false)),
        ("`--unit`: only those that were asked for", Plan::units(&Unit::ALL)),
        ("Several files, before each of them is reduced by itself", Plan::files()),
        ("The options of a command", Plan::options()),
    ];
    for (title, plan) in plans {
        let _ = writeln!(shown, "\n{title}:");
        let opening: Vec<&Pass> = plan.opening(usize::MAX).collect();
        if !opening.is_empty() {
            add_tier(&mut shown, "0", &opening, width);
            shown.push_str("      (once; all but `nested` on 256 kB or more)\n");
        }
        for (number, tier) in (1..).zip(plan.tiers()) {
            add_tier(&mut shown, &number.to_string(), tier, width);
        }
        if title.contains("a known") {
            let squeeze: Vec<&Pass> = pass::by_name("squeeze").into_iter().collect();
            add_tier(&mut shown, "+", &squeeze, width);
            shown.push_str("      (with `--compact` or `--objective bytes` only)\n");
            let anonymize: Vec<&Pass> = pass::by_name("anonymize").into_iter().collect();
            add_tier(&mut shown, "+", &anonymize, width);
            shown.push_str("      (with `--anonymize` only)\n");
        }
        let propose: Vec<&Pass> = pass::by_name("propose").into_iter().collect();
        add_tier(&mut shown, "+", &propose, width);
        let after = match title {
            title if title.contains("a known") => "after the second tier",
            title if title.contains("files") => "once the files are dry",
            _ => "after the first tier",
        };
        let _ = writeln!(shown, "      (with `--propose` only, {after})");
        let _ = writeln!(shown, "  proven by {}", plan.sweeps().join(", "));
    }
    print(&shown)
}

fn add_tier(shown: &mut String, number: &str, tier: &[&Pass], width: usize) {
    for (i, pass) in tier.iter().enumerate() {
        let number = if i == 0 { number } else { "" };
        let _ = writeln!(shown, "  {number:>2}  {:width$}  {}", pass.name, pass.about);
    }
}

/// Prints a text on standard output. It is no error if the reader has closed the pipe.
pub fn print(text: &str) -> Result<Exit, Failure> {
    stdout::print(text.as_bytes())?;
    Ok(Exit::Success)
}
