//! Runs the checks of both agents in `tests/agents`, which send requests to an agent as the crate does, on
//! programs that end in unusual ways.

use std::path::Path;
use std::process::{Command, Stdio};

fn passes(checks: &str) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents").join(checks);
    let run = Command::new("python3").arg(&script).stdin(Stdio::null()).output().expect("python3 runs");
    let [said, errors] = [&run.stdout, &run.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(run.status.success() && said.ends_with("all right\n"), "{said}{errors}");
}

#[test]
fn the_python_agent_passes_its_checks() {
    passes("python/check.py");
}

#[test]
fn the_gdb_agent_passes_its_checks() {
    // Some containers do not permit debugging.
    let mut look = Command::new("gdb");
    look.args(["-nx", "-q", "-batch", "-ex", "starti", "-ex", "info registers", "--args", "/bin/true"]);
    let look = look.stdin(Stdio::null()).output();
    if !look.is_ok_and(|look| look.status.success() && String::from_utf8_lossy(&look.stdout).contains("rip"))
    {
        println!("no gdb that may trace programs: not checked");
        return;
    }
    passes("gdb/check.py");
}
