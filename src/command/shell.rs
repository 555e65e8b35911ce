//! Describes the command line for a shell and a manual: completions, manual pages, versions.
//!
//! The same description is used to parse the arguments.

use crate::args::mode::Mode;
use crate::command::inspect;
use crate::exit::Exit;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use nubbin_session::failure::{Failure, Fault};
use std::io;
use std::path::Path;

/// The version of the program, and the versions of the built-in parsers.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\n", env!("NUBBIN_PARSERS"));

/// Prints the completions for a shell.
pub fn completions(shell: Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut whole(), "nubbin", &mut script);
    inspect::print(&String::from_utf8_lossy(&script))
}

/// Prints the manual page, or writes the manual pages of all commands to a directory.
pub fn manual(directory: Option<&Path>) -> Result<Exit, Failure> {
    let Some(directory) = directory else {
        return inspect::print(&String::from_utf8_lossy(&page(Mode::Input.command())?));
    };
    let write = |name: &str, command: Command| {
        let path = directory.join(name).with_extension("1");
        let page = page(command.display_name(name.to_owned()))?;
        std::fs::create_dir_all(directory).and_then(|()| std::fs::write(&path, page)).map_err(|error| {
            Failure::message(Fault::Output, format!("cannot write `{}`: {error}", path.display()))
        })
    };
    write("nubbin", Mode::Input.command())?;
    for (word, mode) in Mode::WORDS {
        let name = format!("nubbin-{word}");
        write(&name, mode.command())?;
    }
    Ok(Exit::Success)
}

fn page(command: Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    let made: io::Result<()> = Man::new(command).render(&mut page);
    made.map_err(|error| Failure::new(Fault::Unexpected, error))?;
    Ok(page)
}

/// Returns the command line with the modes as commands. Options that make no sense in a mode are hidden there.
fn whole() -> Command {
    Mode::WORDS.into_iter().fold(Mode::Input.command(), |command, (word, mode)| {
        let of = mode.command();
        let about = of.get_about().map(ToString::to_string).unwrap_or_default();
        let arguments = of.get_arguments().cloned();
        command.subcommand(Command::new(word).about(about).args(arguments))
    })
}
