//! Describes the command line for a shell and a manual: completions, manual pages, versions.
//!
//! The same description is used to parse the arguments.

use crate::args;
use crate::command::inspect;
use crate::exit::Exit;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::input::product;
use std::io;
use std::path::Path;

/// The version of the program, and the versions of the built-in parsers.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\n", env!("NUBBIN_PARSERS"));

/// Prints the completions for a shell.
pub fn completions(shell: Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut shown(args::definition()), "nubbin", &mut script);
    inspect::print(&String::from_utf8_lossy(&script))
}

/// Prints the manual page, or writes the manual pages of all commands to a directory.
pub fn manual(directory: Option<&Path>) -> Result<Exit, Failure> {
    let Some(directory) = directory else {
        return inspect::print(&String::from_utf8_lossy(&page(args::definition())?));
    };
    let write = |name: &str, command: Command| -> Result<(), Failure> {
        let path = directory.join(name).with_extension("1");
        let page = page(command.display_name(name.to_owned()))?;
        std::fs::create_dir_all(directory).map_err(|error| {
            Failure::message(Fault::Output, format!("cannot write `{}`: {error}", path.display()))
        })?;
        product::write(&path, &page)?;
        Ok(())
    };
    let whole = args::definition();
    for command in whole.get_subcommands().filter(|command| command.is_hide_set()) {
        write(&format!("nubbin-{}", command.get_name()), command.clone())?;
    }
    write("nubbin", whole.clone())?;
    Ok(Exit::Success)
}

fn page(command: Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let source = format!("{name} {}", env!("CARGO_PKG_VERSION"));
    let made: io::Result<()> = Man::new(command).source(source).render(&mut page);
    made.map_err(|error| Failure::new(Fault::Unexpected, error))?;
    Ok(page)
}

/// Returns the command line with those commands, too, that the long help tells of in its usage only.
fn shown(whole: Command) -> Command {
    whole.mut_subcommands(|command| command.hide(false))
}
