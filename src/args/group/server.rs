//! The options about servers: processes that are asked about many candidates.

use clap::Args;

/// The options about a process that is asked about one candidate after the other.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct ServerOptions {
    /// Instead of an oracle or a command: a server, which is started once for each job and asked about one candidate
    /// after the other, by JSON lines on its standard input and output.
    #[arg(long, value_name = "COMMAND", help_heading = "Run")]
    pub server: Option<String>,

    /// Start a process for each run as the command says, also where it could be loaded once.
    #[arg(long, conflicts_with = "server", help_heading = "Run")]
    pub no_server: bool,

    /// Keep N processes of the test for each job that have run up to a line `nubbin-wait` in it, before there is a
    /// candidate for them; each is used once. The word does nothing elsewhere.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=16),
        conflicts_with_all = ["server", "flaky"], help_heading = "Run")]
    pub prestart: Option<u8>,
}
