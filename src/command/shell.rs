//! The manual: one page for the program, and one for each command.
//!
//! The pages are made of the definitions of the command line.

use crate::args::{self, reduce};
use crate::command::inspect;
use crate::exit::{self, Exit};
use clap::{Arg, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::input::product;
use std::io;
use std::path::Path;

/// A file or variable, its description, and whether a command uses it.
type Entry = (&'static str, &'static str, fn(&Command) -> bool);

/// The files that the program reads and writes.
const FILES: [Entry; 11] = [
    ("./nubbin.toml", "settings of this directory; see nubbin-trust(1)", reads_settings),
    ("$XDG_CONFIG_HOME/nubbin/nubbin.toml", "settings of the user", |command| has(command, "no_config")),
    ("$XDG_STATE_HOME/nubbin/trusted", "the trusted settings files of directories", reads_settings),
    (".nubbin/", "the journals of runs, next to FILE, and samples of other failures", |command| {
        has(command, "no_journal") || is(command, "history")
    }),
    ("NAME.reduced.EXT", "the result for NAME.EXT", |command| {
        is(command, "nubbin") || is(command, "browser")
    }),
    ("FILE.orig", "the backup of --in-place", |command| has(command, "in_place")),
    ("NAME.passing.EXT, NAME.failing.EXT", "the two sides of the difference", |command| {
        is(command, "isolate")
    }),
    ("NAME.passing.EXT", "the largest part that passes", |command| is(command, "maximize")),
    ("DIR.bugs/", "one directory for each bug, index.html and triage.json", |command| is(command, "triage")),
    ("NAME.why/", "the reduced files, and a page about the failure", |command| is(command, "explain")),
    ("NAME.stepN.EXT", "the restored step N", |command| is(command, "history")),
];

/// The variables that the program reads.
const ENVIRONMENT: [Entry; 9] = [
    ("NUBBIN_FORMATTER", "the default of --formatter; `none` uses no formatter", |command| {
        has(command, "formatter")
    }),
    ("NUBBIN_PREPROCESSOR", "the default of --preprocessor; `none` uses no preprocessor", |command| {
        has(command, "preprocessor")
    }),
    ("NUBBIN_WRITABLE", "further paths for --writable, separated by colons", |command| {
        has(command, "writable")
    }),
    ("TMPDIR", "the directory for temporary files if there is no RAM disk", |command| {
        has(command, "work_dir")
    }),
    ("CC", "the compiler for the parser of --language DIR/; the default is cc", |command| {
        has(command, "language")
    }),
    ("XDG_CONFIG_HOME", "the directory of the user's settings; the default is ~/.config", |command| {
        has(command, "no_config")
    }),
    (
        "XDG_STATE_HOME",
        "the directory of the list of trusted files; the default is ~/.local/state",
        reads_settings,
    ),
    ("PATH", "the directories of programs", |command| has(command, "timeout")),
    ("NO_COLOR", "if set and not empty, messages have no colours", |_| true),
];

fn has(command: &Command, id: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_id() == id)
}

fn is(command: &Command, name: &str) -> bool {
    command.get_name() == name
}

fn reads_settings(command: &Command) -> bool {
    has(command, "no_config") || is(command, "trust")
}

/// Prints the manual page, or writes the manual pages of all commands to a directory.
pub fn manual(directory: Option<&Path>) -> Result<Exit, Failure> {
    let mut whole = args::definition();
    whole.build();
    let Some(directory) = directory else {
        return inspect::print(&String::from_utf8_lossy(&page(whole)?));
    };
    std::fs::create_dir_all(directory).map_err(|error| {
        Failure::message(Fault::Output, format!("cannot write `{}`: {error}", directory.display()))
    })?;
    let write = |name: &str, command: Command| -> Result<(), Failure> {
        let path = directory.join(format!("{name}.1"));
        product::write(&path, &page(command.display_name(name.to_owned()))?)?;
        Ok(())
    };
    let mut pages = vec![("nubbin".to_owned(), &whole)];
    while let Some((name, command)) = pages.pop() {
        let inner = command.get_subcommands().filter(|command| !is(command, "help"));
        pages.extend(inner.map(|inner| (format!("{name}-{}", inner.get_name()), inner)));
        write(&name, command.clone())?;
    }
    Ok(Exit::Success)
}

/// Returns the manual page of a command.
fn page(command: Command) -> Result<Vec<u8>, Failure> {
    let is_whole = command.get_name() == "nubbin";
    let examples = if is_whole {
        reduce::EXAMPLES.to_owned()
    } else {
        command.get_after_long_help().map(ToString::to_string).unwrap_or_default()
    };
    let title = command.get_display_name().unwrap_or("nubbin").replace(' ', "-");
    let source = format!("nubbin {}", env!("CARGO_PKG_VERSION"));
    let own = command.clone();
    // The descriptions of options that `-h` leaves out.
    let command = command.mut_args(|arg| arg.hide_short_help(false)).mut_args(with_breaks);
    let man = Man::new(command.after_long_help("").after_help("")).title(title.to_uppercase()).source(source);
    let mut page = Vec::new();
    let made = render(&man, &own, &examples, &mut page);
    made.map_err(|error| Failure::new(Fault::Unexpected, error))?;
    Ok(String::from_utf8_lossy(&page).replace(BREAK, "\n.br\n").into_bytes())
}

/// Stands for the end of a line in the text of a page.
const BREAK: &str = "\n\u{1}\n";

/// Keeps the line breaks in the paragraphs of a description.
fn with_breaks(arg: Arg) -> Arg {
    let Some(help) = arg.get_long_help().map(ToString::to_string) else { return arg };
    let paragraphs: Vec<String> =
        help.split("\n\n").map(|paragraph| paragraph.replace('\n', BREAK)).collect();
    arg.long_help(paragraphs.join("\n\n"))
}

/// Returns the exit codes of a command.
fn statuses(command: &Command) -> impl Iterator<Item = (String, &'static str)> {
    const OTHERS: [(&str, &[&str]); 6] = [
        ("history", &["7", "8", "10"]),
        ("trust", &["8"]),
        ("manual", &["8"]),
        ("debug", &["6", "7"]),
        ("tree", &["6", "7"]),
        ("deltas", &["6", "7"]),
    ];
    let runs = has(command, "timeout");
    let reduces = is(command, "nubbin") || is(command, "browser");
    let has_result = runs && has(command, "no_journal");
    let others = OTHERS.iter().find(|(name, _)| is(command, name)).map_or(&[][..], |(_, codes)| codes);
    exit::meanings().filter_map(move |(code, meaning)| {
        let is_own = runs || code == "128+n" || ["0", "1", "2"].iter().chain(others).any(|own| code == *own);
        let meaning = match meaning {
            exit::REDUCED if !reduces => "success",
            exit::SIGNAL if !has_result => "ended by signal n",
            meaning => meaning,
        };
        is_own.then_some((code, meaning))
    })
}

/// Writes the sections of a page.
fn render(man: &Man, command: &Command, examples: &str, page: &mut Vec<u8>) -> io::Result<()> {
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(page)?;
    }
    if !examples.is_empty() {
        let text = examples.strip_prefix("Examples:\n").unwrap_or(examples);
        let mut roff = Roff::new();
        roff.control("SH", ["EXAMPLES"]).control("nf", []).text([roman(text)]).control("fi", []);
        roff.to_writer(page)?;
    }
    list("EXIT STATUS", statuses(command), page)?;
    for (title, entries) in [("FILES", &FILES[..]), ("ENVIRONMENT", &ENVIRONMENT)] {
        let mut own = entries.iter().filter(|(_, _, is_used)| is_used(command)).peekable();
        if own.peek().is_some() {
            list(title, own.map(|(name, about, _)| ((*name).to_owned(), *about)), page)?;
        }
    }
    Ok(())
}

/// Writes a section that is a list of terms.
fn list<'a>(
    title: &str,
    entries: impl Iterator<Item = (String, &'a str)>,
    page: &mut Vec<u8>,
) -> io::Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", [title]);
    for (term, about) in entries {
        roff.control("TP", []).text([bold(term)]).text([roman(about)]);
    }
    roff.to_writer(page)
}
