//! Arranges the help of all commands: the most used options come first, and are the only ones of `-h`.
//!
//! The texts are those of the definitions.

use super::reduce;
use crate::exit;
use clap::Command;
use clap::builder::Resettable;

/// The most used options, in the order of the help. They have no heading, and are shown by `-h`.
const MAIN: [&str; 17] = [
    "output",
    "in_place",
    "exit_code",
    "signal",
    "stderr",
    "stdout",
    "differs_from",
    "timeout",
    "jobs",
    "max_time",
    "resume",
    "unit",
    "language",
    "report",
    "quiet",
    "verbose",
    "json",
];

/// Options of the main command that `-h` leaves out, so that it fits on a screen.
const LEFT_OUT: [&str; 4] = ["ui", "no_config", "json", "language"];

/// Arranges the definition of the whole command line.
pub fn whole(command: Command) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    let command = arranged(command)
        .mut_args(
            |arg| if LEFT_OUT.contains(&arg.get_id().as_str()) { arg.hide_short_help(true) } else { arg },
        )
        .mut_args(|arg| if arg.is_positional() { arg.hide_short_help(true) } else { arg })
        .override_usage(reduce::USAGE)
        .after_help(SHORT_END)
        .after_long_help(format!("{}\n\n{}", reduce::EXAMPLES, exit::list()));
    names.into_iter().fold(command, |command, name| {
        command.mut_subcommand(&name, |one| {
            let full = format!("nubbin {name}");
            let one = one.display_name(&full).bin_name(full.clone());
            let has_more = one.get_after_long_help().is_some();
            let one = arranged(one);
            let one = if one.has_subcommands() { one } else { one.version(env!("CARGO_PKG_VERSION")) };
            if has_more {
                one.after_help(format!("`{full} --help` lists all options, with examples."))
            } else {
                one
            }
        })
    })
}

/// The end of the short help of the whole program.
const SHORT_END: &str = "\
`{}` is the path of the candidate. The result is written to bug.reduced.c for bug.c; after Ctrl-C it
holds the smallest input found so far. `nubbin --help` lists all options, with examples.";

/// Gives each option its place.
fn arranged(command: Command) -> Command {
    command.mut_args(|arg| {
        let place = MAIN.iter().position(|main| *main == arg.get_id().as_str());
        match (place, arg.get_help_heading()) {
            (Some(place), _) => arg.help_heading(Resettable::Reset).display_order(place + 1),
            (None, Some(_)) => arg.hide_short_help(true),
            (None, None) => arg,
        }
    })
}
