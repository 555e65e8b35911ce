//! `--slower-than`: the failure is that a command takes longer than a time.

use crate::sandbox::Sandbox;

/// A script whose lines take about 40 ms of the processor each.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let burn = "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done\n";
    sandbox.file("slow.sh", format!("echo begin\n{}sleep 0.2\necho end\n", burn.repeat(12)));
    sandbox
}

#[apply(test)]
fn what_takes_long_stays_and_waiting_does_not_count() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["--unit", "line", "--slower-than", "60ms", "slow.sh", "--", "sh", "{}"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(
        run.stderr.contains("the failure to keep: `sh {}` takes longer than 60 ms of the processor's time"),
        "{run:?}"
    );
    let result = sandbox.read("slow.reduced.sh");
    let lines = result.lines().count();
    assert!((1..=8).contains(&lines) && result.lines().all(|line| line.starts_with("i=0;")), "{result}");
}

#[apply(test)]
fn an_input_that_is_quick_is_refused_with_its_time() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["--slower-than", "2m", "slow.sh", "--", "sh", "{}"]);
    assert_eq!(run.code(), 3, "{run:?}");
    assert!(
        run.stderr.contains(
            "of the processor's time on the unreduced input, and the failure is to take longer than 2 min"
        ),
        "{run:?}"
    );
    assert!(run.stderr.contains("hint: "), "{run:?}");
    for typed in [
        &["--slower-than", "soon", "slow.sh", "--", "sh", "{}"][..],
        &["--slower-than", "1s", "./slow.sh", "slow.sh"],
    ] {
        assert_eq!(sandbox.nubbin(typed).code(), 2, "{typed:?}");
    }
}
