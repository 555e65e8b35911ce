//! `--slower-than`: the failure is that a command takes longer than a time.

use crate::sandbox::Sandbox;

/// A line that takes about 300 ms of processor time.
const LONG: &str = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done";

/// A script whose other lines each take a hundredth of that, or wait.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let short = LONG.replace("200000", "2000") + "\n";
    sandbox.file("slow.sh", format!("echo begin\n{}{LONG}\nsleep 0.2\n{short}echo end\n", short.repeat(5)));
    sandbox
}

/// Returns the processor time of the whole script on this machine, in milliseconds.
fn whole(sandbox: &Sandbox) -> f64 {
    let run = sandbox.run("sh", &["-c", ". ./slow.sh; times"]);
    // The third line contains the shell's own time: `0m0.360000s 0m0.010000s`.
    let own = run.stdout.lines().nth(2).and_then(|line| line.split_whitespace().next());
    let (minutes, seconds) = own.and_then(|time| time.trim_end_matches('s').split_once('m')).expect("times");
    let number = |text: &str| text.parse::<f64>().expect("a number");
    (number(minutes) * 60.0 + number(seconds)) * 1000.0
}

#[apply(test)]
fn slow_parts_stay_and_waiting_is_not_counted() {
    let sandbox = sandbox();
    // A busy machine takes longer than usual, but not that much.
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
fn a_fast_input_is_refused_with_its_time() {
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
