//! The live view in a pseudo-terminal: keys, signals, and the screen afterwards.
//!
//! Python provides the pseudo-terminals; without it these tests are ignored.

use crate::sandbox::{Finished, Sandbox};
use crate::tools;

/// Runs `nubbin` in a terminal of 24 lines of 80 columns. Each line of the script contains the text to wait
/// for, a tab, and the action: text to type, `!NAME` for a signal, or nothing. Prints all output and how the
/// program ended.
const TERMINAL: &str = r#"
import fcntl, os, pty, re, select, signal, struct, sys, termios, time
script = [line.split("\t") for line in sys.argv[1].split("\n") if line]
def screen(seen):
    rows, row, col = [[" "] * 80 for _ in range(25)], 0, 0
    for part in re.findall("\x1b\\[[0-9;?]*[a-zA-Z]|.", seen.decode("utf-8", "replace"), re.S):
        place = re.fullmatch("\x1b\\[([0-9]+);([0-9]+)H", part)
        if place:
            row, col = int(place[1]) - 1, int(place[2]) - 1
        elif part == "\x1b[2J":
            rows = [[" "] * 80 for _ in range(25)]
        elif part == "\n":
            row = min(row + 1, 24)
        elif part == "\r":
            col = 0
        elif len(part) == 1 and row < 25 and col < 80:
            rows[row][col], col = part, col + 1
    return "\n".join("".join(row) for row in rows)

pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
before = termios.tcgetattr(fd)[3]
seen, start, hung_up = b"", time.time(), False
while time.time() - start < 300:
    if select.select([fd], [], [], 0.05)[0]:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        seen += data
    if script and re.search(script[0][0], screen(seen)):
        what = script.pop(0)[1]
        if what == "hang up":
            os.close(fd)
            hung_up = True
            break
        if what.startswith("!"):
            os.kill(pid, getattr(signal, what[1:]))
        elif what:
            os.write(fd, what.encode())
if hung_up:
    same = None
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None and time.time() - start < 300:
        time.sleep(0.05)
else:
    same = termios.tcgetattr(fd)[3] == before
    os.set_blocking(fd, False)
if time.time() - start >= 300:
    os.kill(pid, signal.SIGKILL)
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(seen)
print("\nLEFT", script, "STATUS", status, "MODES", same)
"#;

const LEAVE: &str = "\x1b[?1049l";

/// Forty lines, one of which is needed; each probe takes a moment.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let input: String =
        (0..40).map(|n| format!("straw{n} \x1b[31m\r\n")).collect::<Vec<_>>().concat() + "needle\r\n";
    sandbox.file("bug.txt", input);
    sandbox.oracle("oracle.sh", "sleep 0.2; echo told-by-the-oracle; grep -q needle \"$1\"");
    sandbox
}

fn view(sandbox: &Sandbox, script: &str, options: &[&str]) -> Finished {
    played(sandbox, script, &[&[env!("CARGO_BIN_EXE_nubbin")], options].concat())
}

/// Runs the script with this program.
fn played(sandbox: &Sandbox, script: &str, program: &[&str]) -> Finished {
    tools::program("python3");
    let terminal = ["-c", TERMINAL, script, "env", "TERM=xterm", "NO_COLOR=1"];
    sandbox.run("python3", &[&terminal, program, &["./oracle.sh", "bug.txt"]].concat())
}

/// Returns the output after the screen was restored.
#[track_caller]
fn after(run: &Finished) -> &str {
    assert!(run.stdout.contains("LEFT []"), "all of the script was played: {run:?}");
    let (_, after) = run.stdout.rsplit_once(LEAVE).expect("the screen is given back");
    after
}

#[apply(test)]
fn quitting_the_view_keeps_the_current_best_and_restores_the_screen() {
    let sandbox = sandbox();
    let script = "removed in [1-9]\to\ntold-by-the-oracle\t?\nkeys\tq\n";
    let run = view(&sandbox, script, &["--ui", "live", "-j", "1"]);
    let after = after(&run);
    assert!(after.contains("interrupted") && after.contains("result     bug.reduced.txt"), "{run:?}");
    assert!(after.contains("hint: `nubbin --resume` continues this run"), "{run:?}");
    assert!(after.contains("STATUS 0 "), "{run:?}");
    let best = sandbox.read("bug.reduced.txt");
    assert!(best.contains("needle") && best.len() < sandbox.read("bug.txt").len());
    // Control sequences in the input do not move the cursor.
    assert!(!run.stdout.contains("\x1b[31m"), "{run:?}");
}

#[apply(test)]
fn a_disabled_pass_is_reported_in_the_proof_and_the_run_can_be_resumed() {
    let sandbox = sandbox();
    let script = "pass +delete-blocks\tx\ndelete-blocks is off\ts\n";
    let run = view(&sandbox, script, &["--ui", "live", "-j", "1"]);
    // Long lines are wrapped.
    let shown = after(&run).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        shown.contains("proven 1-minimal") && shown.contains("without delete-blocks, skipped by hand"),
        "{run:?}"
    );

    let other = self::sandbox();
    let script = "pass +delete-blocks\tx\ndelete-blocks is off\t\nremoved in [1-9]\tq\n";
    let run = view(&other, script, &["--ui", "live", "-j", "1"]);
    assert!(after(&run).contains("interrupted"), "{run:?}");
    let run = other.run(env!("CARGO_BIN_EXE_nubbin"), &["--resume", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("1-minimal"), "{run:?}");
    assert_eq!(other.read("bug.reduced.txt").trim(), "needle");
}

#[apply(test)]
fn a_pause_lasts_until_a_key_is_pressed() {
    let sandbox = sandbox();
    let script = "removed in [1-9]\tp\npaused\t \nrunning\tq\n";
    let run = view(&sandbox, script, &["--ui", "live"]);
    assert!(after(&run).contains("interrupted"), "{run:?}");
}

#[apply(test)]
fn signals_also_restore_the_screen() {
    for (what, status) in [("!SIGTERM", "STATUS 15 "), ("\x03", "STATUS 2 "), ("!SIGHUP", "STATUS 1 ")] {
        let sandbox = sandbox();
        let script = format!("removed in [1-9]\t{what}\n");
        let run = view(&sandbox, &script, &["--ui", "live"]);
        let after = after(&run);
        assert!(after.contains("interrupted") && after.contains(status), "{run:?}");
    }
}

#[apply(test)]
fn closing_the_terminal_ends_the_run_with_the_current_best() {
    let sandbox = sandbox();
    let run = view(&sandbox, "removed in [1-9]\thang up\n", &["--ui", "live", "-j", "1"]);
    assert!(run.stdout.contains("LEFT [] STATUS 1 "), "{run:?}");
    let best = sandbox.read("bug.reduced.txt");
    assert!(best.contains("needle") && best.len() < sandbox.read("bug.txt").len());
}

/// Creates a pipe without a reader, with space for some lines of events, and executes the program.
const FULL_PIPE: &str = r#"
import fcntl, os, sys
os.mkfifo("events")
pipe = os.open("events", os.O_RDWR)
fcntl.fcntl(pipe, 1031, 4096)
os.write(pipe, b"x" * (4096 - 1500))
os.set_inheritable(pipe, True)
os.execvp(sys.argv[1], sys.argv[1:])
"#;

#[apply(test)]
fn a_second_interrupt_restores_the_screen_while_the_reduction_hangs() {
    let sandbox = sandbox();
    sandbox.oracle("oracle.sh", "grep -q needle \"$1\"");
    let program = env!("CARGO_BIN_EXE_nubbin");
    let script = "running 0:(0[2-9]|[1-9])\t\x03\nending\t\x03\n";
    let words = ["-c", FULL_PIPE, program, "--ui", "live", "-j", "1", "--json-log", "events"];
    let run = played(&sandbox, script, &[&["python3"], &words[..]].concat());
    let after = after(&run);
    assert!(after.contains("STATUS 2 MODES True") && !after.contains("proven"), "{run:?}");
    assert!(
        after.contains(
            "ended; the current best is in `bug.reduced.txt`; `nubbin --resume` continues this run"
        ),
        "{run:?}"
    );
    assert!(sandbox.read("bug.reduced.txt").contains("needle"));
    assert!(run.stdout.contains("\x1b[?25h\x1b[?1049l") && !after.contains("\x1b[?1049h"), "{run:?}");
}

#[apply(test)]
fn slow_first_runs_are_reported() {
    let sandbox = sandbox();
    sandbox.oracle("oracle.sh", "sleep 60; grep -q needle \"$1\"");
    let script = "running the script on the unchanged input, 598 bytes\t\x03\n";
    let run = view(&sandbox, script, &["--ui", "live"]);
    assert!(run.stdout.contains("LEFT []") && run.stdout.contains("nothing was changed"), "{run:?}");
    let run = view(&sandbox, "nothing was changed\t\n", &["--ui", "none", "--timeout", "2"]);
    assert!(!run.stdout.contains("running the script"), "{run:?}");
}

#[apply(test)]
fn without_a_capable_terminal_progress_is_printed_as_lines() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["--ui", "live", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("`--ui live` needs a terminal") && !run.stderr.contains('\x1b'), "{run:?}");
    let run = sandbox.nubbin(&["--ui", "none", "./oracle.sh", "bug.txt"]);
    assert!(run.stderr.contains("proven") && !run.stderr.contains("/s, "), "{run:?}");
    let run = sandbox.nubbin(&["--ui", "loud", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 2, "{run:?}");
}
