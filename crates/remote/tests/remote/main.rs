//! Tests the client with a fake cluster that produces all kinds of failures, and with a real one.
//!
//! Each test uses a separate cluster on a separate port.

#[macro_use]
extern crate macro_rules_attribute;

#[path = "../support/alive.rs"]
mod alive;
#[path = "../support/buildbox.rs"]
mod buildbox;
#[macro_use]
#[path = "../support/harness.rs"]
mod harness;

mod cancel;
#[path = "../fake/mod.rs"]
mod fake;
mod real;
mod secure;
mod store;
mod trouble;

use nubbin_remote::{Action, Content};
use std::time::Duration;

fn main() {
    harness::main(Vec::new())
}

/// Returns an action that runs a shell command with these files.
fn shell<'a>(line: &str, files: &[(&str, Content<'a>)]) -> Action<'a> {
    Action {
        files: files.iter().map(|(path, content)| (path.into(), *content)).collect(),
        directory: "".into(),
        words: ["/bin/sh", "-c", line].map(Into::into).into(),
        environment: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
        limit: Duration::from_secs(100),
        most_output: 1 << 20,
        fresh: false,
    }
}
