//! Runs one command on a cluster, and prints the result.
//!
//! ```console
//! cargo run -p nubbin-remote --example run -- grpc://127.0.0.1:8980 'cc -c a.c' a.c include
//! ```
//!
//! `/bin/sh` runs the command in a directory with the given files and directories.

use nubbin_remote::{Action, Address, Cluster, Content, Patience};
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(endpoint), Some(command)) = (words.next(), words.next()) else {
        return Err("usage: run grpc://HOST:PORT COMMAND [PATH…]".into());
    };
    let paths: Vec<PathBuf> = words.map(PathBuf::from).collect();
    let cluster = Cluster::connect(&Address::new(endpoint), &Patience::default())?;
    let kept = paths.iter().map(|path| cluster.keep(path)).collect::<Result<Vec<_>, _>>()?;
    let action = Action {
        files: paths.into_iter().zip(kept.iter().map(Content::Kept)).collect(),
        directory: PathBuf::new(),
        words: ["/bin/sh", "-c", &command].map(Into::into).into(),
        environment: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
        limit: Duration::from_secs(60),
        most_output: 1 << 20,
        fresh: true,
    };
    let done = cluster.run(&action, &|| false)?;
    std::io::stdout().write_all(&done.stdout)?;
    std::io::stderr().write_all(&done.stderr)?;
    eprintln!(
        "{:?} after {:?}, round trip {:?}, by `{}`",
        done.end, done.elapsed, done.round_trip, done.worker
    );
    eprintln!("{:?}", cluster.tally());
    Ok(())
}
