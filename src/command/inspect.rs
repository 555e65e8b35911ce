//! Shows information that needs no oracle: the languages, a syntax tree, the deltas of a pass.
//!
//! It does not format trees and deltas: the library does.

use crate::exit::Exit;
use crate::stdout;
use nubbin_language::{Language, Manifest, Registry};
use nubbin_reduce::Unit;
use nubbin_reduce::dump;
use nubbin_reduce::pass::{self, Group, Pass, Plan};
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::language::{self, LanguageChoice};
use nubbin_session::source::Input;
use nubbin_session::text;
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
        let message = format!("the language of `{}` is unknown", path.display());
        let hint = format!("name it with `--language NAME`; the languages are {}", language::names());
        return Err(Failure::message(Fault::Language, message).hint(hint));
    };
    print(&dump::tree(language, &content))
}

/// Shows the deltas that a pass would propose first for a file.
pub fn deltas(pass: &str, input: &Input, choice: &LanguageChoice) -> Result<Exit, Failure> {
    let names = || pass::all().map(|pass| pass.name);
    if !names().any(|name| name == pass) {
        let near = text::nearest(pass, names(), 1).join("");
        return Err(Failure::usage(format!("there is no pass `{pass}`"))
            .hint(format!("did you mean `{near}`? `nubbin passes` lists the passes")));
    }
    let (path, content) = (input.path(choice), input.read()?);
    let chosen = choice.resolve(&path, &content)?;
    let deltas = dump::deltas(chosen.get(), &content, pass);
    print(&deltas.map_err(|error| Failure::new(Fault::Usage, error))?)
}

/// Prints the groups of passes by the time when they run, and then the order of all passes. With `is_verbose`, also the
/// variants of each group.
pub fn list_passes(is_verbose: bool) -> Result<Exit, Failure> {
    let known = Plan::new(true, false);
    let other = Plan::new(false, false);
    let mut list = PassList { left: pass::groups(), is_verbose, shown: String::new() };
    list.shown.push_str(
        "`--only` and `--skip` take a group, such as `rewrite`, or one variant of it, such as `rewrite/late`.\n",
    );

    list.head("Before the stages, once; for large or binary input, and for deeply nested code");
    for name in ["delete-chunks", "truncate", "flatten-nesting"] {
        list.group("", name, "");
    }
    list.head("A file in a known language, by stage");
    list.tiers(&known, true);
    list.head("Any other file, in addition to the passes above, by stage");
    list.tiers(&other, true);
    list.head("Directories, and several files");
    list.tiers(&Plan::files(), false);
    list.head("Options of a command");
    list.tiers(&Plan::options(), false);
    list.head("Only with an option");
    for (name, option) in [
        ("propose", "--propose"),
        ("delete-pairs", "--effort"),
        ("minify-whitespace", "--compact or --objective bytes"),
        ("anonymize", "--anonymize"),
        ("delete-characters", "--unit char"),
    ] {
        list.group("", name, &format!(" ({option})"));
    }

    list.shown.push_str(
        "\nThe passes of a stage repeat until none of them finds anything; then the next stage starts. Whenever a later \
         stage\nfinds something, the first stage starts again. At the end, a proof tries to delete each remaining part.\n",
    );
    for (title, plan) in [
        ("Stages for a file in a known language", known),
        ("Stages for any other file", other),
        ("Stages with `--unit line,token,char,byte`", Plan::units(&Unit::ALL)),
        ("Stages for the options of a command", Plan::options()),
    ] {
        list.head(title);
        list.stages(&plan);
    }
    print(&list.shown)
}

/// The list of passes, as text.
struct PassList {
    /// The groups that are not printed yet.
    left: Vec<Group>,
    is_verbose: bool,
    shown: String,
}

impl PassList {
    fn head(&mut self, title: &str) {
        let _ = writeln!(self.shown, "\n{title}:");
    }

    /// Prints a group, unless it is printed already. Returns whether it was printed now.
    fn group(&mut self, stage: &str, name: &str, note: &str) -> bool {
        const WIDTH: usize = 24;
        let Some(at) = self.left.iter().position(|group| group.name == name) else { return false };
        let group = self.left.remove(at);
        let _ = writeln!(self.shown, "  {stage:>2}  {name:WIDTH$}  {}{note}", group.about);
        for pass in group.passes.iter().filter(|pass| self.is_verbose && pass.name != name) {
            let _ = writeln!(self.shown, "      {:WIDTH$}  {}", pass.name, pass.about);
        }
        true
    }

    /// Prints the groups of all stages, the first of each stage with its number if `has_numbers`.
    fn tiers(&mut self, plan: &Plan, has_numbers: bool) {
        for (number, tier) in (1..).zip(plan.tiers()) {
            let mut number = if has_numbers { number.to_string() } else { String::new() };
            for pass in tier {
                if self.group(&number, pass.group(), "") {
                    number.clear();
                }
            }
        }
    }

    /// Prints the names of the passes of each stage.
    fn stages(&mut self, plan: &Plan) {
        let names = |passes: &[&Pass]| passes.iter().map(|pass| pass.name).collect::<Vec<_>>().join(", ");
        let opening: Vec<&Pass> = plan.opening(usize::MAX).collect();
        let opening = (!opening.is_empty()).then(|| ("before".to_owned(), names(&opening)));
        let tiers = (1..).zip(plan.tiers()).map(|(number, tier)| (number.to_string(), names(tier)));
        let proof = ("proof".to_owned(), plan.sweeps().join(", "));
        for (stage, names) in opening.into_iter().chain(tiers).chain([proof]) {
            let _ = writeln!(self.shown, "  {stage:>6}  {names}");
        }
    }
}

/// Prints a text on standard output. A closed pipe is not an error.
pub fn print(text: &str) -> Result<Exit, Failure> {
    stdout::print(text.as_bytes())?;
    Ok(Exit::Success)
}
