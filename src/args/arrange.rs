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
const LEFT_OUT: [&str; 5] = ["ui", "json", "language", "stdout", "exit_code"];

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
            // The options of a command with subcommands are also accepted after these.
            let one = if one.has_subcommands() { one.mut_args(|arg| arg.global(true)) } else { one };
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
The result is bug.reduced.c for bug.c, also after Ctrl-C.
`nubbin help COMMAND` describes a command.";

/// Gives each option its place. `--no-config` is not in the short help.
fn arranged(command: Command) -> Command {
    command.mut_args(|arg| {
        let place = MAIN.iter().position(|main| *main == arg.get_id().as_str());
        let arg = if arg.get_id() == "no_config" { arg.hide_short_help(true) } else { arg };
        match (place, arg.get_help_heading()) {
            (Some(place), _) => arg.help_heading(Resettable::Reset).display_order(place + 1),
            (None, Some(_)) => arg.hide_short_help(true),
            (None, None) if arg.is_positional() => arg,
            (None, None) => arg.display_order(MAIN.len() + 1),
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::args::definition;
    use clap::Command;

    /// The commands, and the whole program, with their arguments complete.
    fn commands() -> Vec<Command> {
        let mut whole = definition().term_width(80);
        whole.build();
        let mut all: Vec<Command> = whole.get_subcommands().map(|one| one.clone().term_width(80)).collect();
        all.push(whole);
        all
    }

    #[test]
    fn the_short_help_of_each_command_fits_on_a_screen() {
        for mut command in commands() {
            let lines = command.render_help().to_string().lines().count();
            assert!(lines <= 45, "{}: {lines}", command.get_name());
        }
    }

    /// Returns the table of commands for the guide.
    fn table() -> String {
        let whole = definition();
        let row = |name: &str, command: &Command| {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            format!("| `{name}` | {} |\n", about.replace('|', "\\|"))
        };
        let first = row("nubbin", &whole);
        let others = whole.get_subcommands().map(|one| row(&format!("nubbin {}", one.get_name()), one));
        format!("| command | what it does |\n|---|---|\n{first}{}", others.collect::<String>())
    }

    /// With the environment variable `UPDATE_COMMANDS`, the table is rewritten.
    #[test]
    fn the_guide_lists_all_commands_with_their_descriptions() {
        const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/guide/commands.md");
        const BEGIN: &str = "<!-- commands: begin -->\n";
        const END: &str = "<!-- commands: end -->";
        let page = std::fs::read_to_string(PAGE).expect("the page exists");
        let (before, rest) = page.split_once(BEGIN).expect("the table begins");
        let (found, after) = rest.split_once(END).expect("the table ends");
        if std::env::var_os("UPDATE_COMMANDS").is_some() {
            std::fs::write(PAGE, [before, BEGIN, &table(), END, after].concat()).expect("written");
        } else {
            assert_eq!(found, table(), "UPDATE_COMMANDS=1 rewrites the table");
        }
    }

    #[test]
    fn the_program_has_at_most_sixty_options() {
        let whole = commands().pop().expect("the program");
        let options = whole.get_arguments().filter(|arg| !arg.is_positional() && !arg.is_hide_set());
        assert!(options.count() <= 60);
    }

    #[test]
    fn the_first_line_of_each_description_is_short() {
        for command in commands() {
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
                assert!(!help.is_empty() && help.chars().count() <= 90, "{}: {help}", command.get_name());
            }
        }
    }
}
