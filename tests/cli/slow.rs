//! `--slower-than`: the failure is that a command takes longer than a time.

use crate::sandbox::Sandbox;

/// A line that takes some 300 ms of the processor.
const LONG: &str = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done";

/// A script whose other lines take a hundredth of that each, or wait.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let short = LONG.replace("200000", "2000") + "\n";
    sandbox.file("slow.sh", format!("echo begin\n{}{LONG}\nsleep 0.2\n{short}echo end\n", short.repeat(5)));
    sandbox
}

/// The processor's time that the whole script takes here, in milliseconds.
fn whole(sandbox: &Sandbox) -> f64 {
    let run = sandbox.run("sh", &["-c", ". ./slow.sh; times"]);
    // The third line tells the shell's own time: `0m0.360000s 0m0.010000s`.
    let own = run.stdout.lines().nth(2).and_then(|line| line.split_whitespace().next());
    let (minutes, seconds) = own.and_then(|time| time.trim_end_matches('s').split_once('m')).expect("times");
    let number = |text: &str| text.parse::<f64>().expect("a number");
    (number(minutes) * 60.0 + number(seconds)) * 1000.0
}

#[apply(test)]
fn what_takes_long_stays_and_waiting_does_not_count() {
    let sandbox = sandbox();
    // A busy machine takes longer than it usually does, but not by so much.
    let limit = format!("{:.0}ms", whole(&sandbox) * 0.4);
    let run = sandbox.nubbin(&["--unit", "line", "--slower-than", &limit, "slow.sh", "--", "sh", "{}"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let shown = limit.replace("ms", " ms");
    assert!(
        run.stderr.contains(&format!("the failure to keep: `sh {{}}` takes more than {shown} of CPU time")),
        "{run:?}"
    );
    assert_eq!(sandbox.read("slow.reduced.sh").trim(), LONG);
}

#[apply(test)]
fn an_input_that_is_quick_is_refused_with_its_time() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["--slower-than", "2m", "slow.sh", "--", "sh", "{}"]);
    assert_eq!(run.code(), 3, "{run:?}");
    assert!(
        run.stderr
            .contains("of CPU time on the unreduced input, less than the limit of `--slower-than`, 2 min"),
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
