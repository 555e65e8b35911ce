//! The manual: one page for the program, and one for each command.
//!
//! The pages are made of the definitions of the command line.

use crate::args::{self, reduce};
use crate::command::inspect;
use crate::exit::{self, Exit};
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::input::product;
use std::io;
use std::path::Path;

/// The files that the program reads and writes.
const FILES: [(&str, &str); 6] = [
    ("./nubbin.toml", "settings of this directory; see nubbin-trust(1)"),
    ("~/.config/nubbin/nubbin.toml", "settings of the user"),
    ("~/.local/state/nubbin/trusted", "the trusted settings files of directories"),
    (".nubbin/", "journals, and samples of other failures, next to the reduced file"),
    ("NAME.reduced.EXT", "the result"),
    ("FILE.orig", "the backup of --in-place"),
];

/// The variables that the program reads.
const ENVIRONMENT: [(&str, &str); 6] = [
    ("NUBBIN_FORMATTER", "the default of --formatter; `none` uses no formatter"),
    ("NUBBIN_PREPROCESSOR", "the default of --preprocessor; `none` uses no preprocessor"),
    ("NUBBIN_WRITABLE", "further paths for --writable, separated by colons"),
    ("TMPDIR", "the directory for temporary files if there is no RAM disk"),
    ("XDG_CONFIG_HOME, XDG_STATE_HOME", "the directories of the settings and of the list of trusted files"),
    ("NO_COLOR", "no colours in messages"),
];

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
    for command in whole.get_subcommands().filter(|command| command.get_name() != "help") {
        write(&format!("nubbin-{}", command.get_name()), command.clone())?;
    }
    write("nubbin", whole.clone())?;
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
    let title = if is_whole { "nubbin".to_owned() } else { format!("nubbin-{}", command.get_name()) };
    let source = format!("nubbin {}", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.after_long_help("").after_help("")).title(title.to_uppercase()).source(source);
    let mut page = Vec::new();
    let made = render(&man, is_whole, &examples, &mut page);
    made.map_err(|error| Failure::new(Fault::Unexpected, error))?;
    Ok(page)
}

fn render(man: &Man, is_whole: bool, examples: &str, page: &mut Vec<u8>) -> io::Result<()> {
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    if is_whole {
        man.render_subcommands_section(page)?;
    }
    if !examples.is_empty() {
        let text = examples.strip_prefix("Examples:\n").unwrap_or(examples);
        let mut roff = Roff::new();
        roff.control("SH", ["EXAMPLES"]).control("nf", []).text([roman(text)]).control("fi", []);
        roff.to_writer(page)?;
    }
    list("EXIT STATUS", exit::meanings(), page)?;
    list("FILES", FILES.map(|(name, about)| (name.to_owned(), about)).into_iter(), page)?;
    list("ENVIRONMENT", ENVIRONMENT.map(|(name, about)| (name.to_owned(), about)).into_iter(), page)
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
