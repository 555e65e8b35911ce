//! Oracles that are run by wardens: what they cannot do, what they leave behind, and how they are ended.
//!
//! The helper is the program `nubbin`. Its options are tested in `tests/cli`.

use crate::alive::{SOON, comes_to, is_alive, state, wait_until, wait_until_gone};
use crate::harness::ignore;
use crate::tools;
use nubbin::oracle::{
    CommandOracle, CommandRun, Confinement, Error, Helper, Limit, Limits, NoVerdict, Observer, Oracle, Pause,
    Sandbox, Status, Tracing,
};
use nubbin::{Cause, Verdict};
use rustix::process::{Pid, Signal};
use std::ffi::OsString;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// A directory for the wardens and their oracles.
struct Scene {
    work: tempfile::TempDir,
    outside: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let directory = || tempfile::tempdir().expect("a directory");
        Self { work: directory(), outside: directory() }
    }

    /// Returns an oracle that runs a shell command; the path of the candidate is its `$1`, a directory
    /// outside the sandbox its `$2`.
    fn shell(&self, line: &str) -> CommandOracle {
        let outside = self.outside.path().to_str().expect("text");
        CommandOracle::new("sh", ["-c", line, "sh", "{}", outside], "input.c")
            .helper(Helper::new(env!("CARGO_BIN_EXE_nubbin")))
            .work_root(self.work.path())
    }

    fn outside(&self, name: &str) -> PathBuf {
        self.outside.path().join(name)
    }

    /// Asserts that only the directories of wardens with their outputs remain, and that they are removed with
    /// the oracle.
    #[track_caller]
    fn assert_clean(&self, oracle: CommandOracle) {
        for warden in entries(self.work.path()) {
            let left: Vec<_> =
                entries(&warden).iter().map(|path| path.file_name().map(ToOwned::to_owned)).collect();
            let stays = |name: &OsString| ["stdout", "stderr", "prestart"].iter().any(|own| name == *own);
            assert!(left.iter().flatten().all(stays), "{left:?}");
            assert!(entries(&warden.join("prestart")).iter().all(|path| path.ends_with("nubbin-wait")));
        }
        drop(oracle);
        assert_eq!(entries(self.work.path()), Vec::<PathBuf>::new());
    }
}

fn entries(path: &Path) -> Vec<PathBuf> {
    fs::read_dir(path).expect("it is there").map(|entry| entry.expect("it can be read").path()).collect()
}

fn run(oracle: &CommandOracle) -> CommandRun {
    oracle.run(b"int x;\n").expect("the oracle can be run")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

fn confined(sandbox: Sandbox) -> Confinement {
    Confinement { sandbox, ..Confinement::default() }
}

/// Skips the test if the kernel does not support the sandbox.
fn needs_sandbox() {
    let scene = Scene::new();
    let oracle = scene.shell("true").confinement(confined(Sandbox::Auto));
    run(&oracle);
    if oracle.is_sandboxed() != Some(true) {
        ignore("needs a kernel with Landlock");
    }
}

#[apply(test)]
fn a_warden_runs_the_command_as_it_is_run_without_one() {
    let scene = Scene::new();
    let line = r#"ls -A; cat input.c; test "$1" -ef input.c && test "$PWD" -ef . && test -d "$TMPDIR" && echo $0; cat; exit 7"#;
    let with = scene.shell(line);
    let without = CommandOracle::new("sh", ["-c", line, "sh", "{}"], "input.c");
    let (with_it, without_it) = (run(&with), run(&without));
    assert_eq!(with_it.status, Status::Exit(7));
    assert_eq!((with_it.status, &with_it.stdout), (without_it.status, &without_it.stdout));
    assert_eq!(run(&scene.shell("echo out; echo err >&2; kill -SEGV $$")).stderr, b"err\n");
    assert_eq!(run(&scene.shell("kill -SEGV $$")).status, Status::Signal(11));
    assert_eq!(run(&with).stdout, with_it.stdout, "what the first probe wrote is gone");
    scene.assert_clean(with);
}

#[apply(test)]
fn what_cannot_be_started_is_told_apart() {
    let scene = Scene::new();
    let error = |program: &str| {
        CommandOracle::new(program, [""; 0], "input")
            .helper(Helper::new(env!("CARGO_BIN_EXE_nubbin")))
            .work_root(scene.work.path())
            .run(b"")
            .expect_err("it cannot be run")
    };
    assert!(matches!(error("no-such-program-anywhere"), Error::NotFound { .. }));
    assert!(matches!(error("/dev/null"), Error::NotExecutable { .. }));
    let no_root = scene.shell("true").work_root("/no/such/directory").run(b"");
    assert!(matches!(no_root, Err(Error::Directory { .. })), "{no_root:?}");
    let no_helper = scene.shell("true").helper(Helper::new("/no/such/helper")).run(b"");
    assert!(matches!(no_helper, Err(Error::Warden(_))), "{no_helper:?}");
}

/// A candidate, how its run ended, and the output.
type Told = (Vec<u8>, Status, Vec<u8>);

#[derive(Debug, Default)]
struct Seen(Mutex<Vec<Told>>);

impl Observer for Seen {
    fn ran(&self, candidate: &[u8], run: &CommandRun) {
        let seen = (candidate.to_owned(), run.status, run.stderr.clone());
        self.0.lock().expect("no panic").push(seen);
    }
}

#[apply(test)]
fn every_run_that_has_finished_is_seen_once_with_its_output() {
    let scene = Scene::new();
    let here = CommandOracle::new("sh", ["-c", SEEN, "sh", "{}"], "input.c");
    for oracle in [here, scene.shell(SEEN)] {
        let (seen, stop) = (Arc::new(Seen::default()), Arc::new(AtomicBool::new(false)));
        let oracle = oracle.observer(seen.clone()).stop(stop.clone());
        oracle.run(b"a").expect("a run");
        assert_eq!(oracle.probe(b"b").expect("a verdict"), Verdict::Uninteresting);
        stop.store(true, Ordering::Relaxed);
        assert!(matches!(oracle.probe(b"c"), Err(NoVerdict::Interrupted)));
        let expected = [(b"a", b"saw a\n"), (b"b", b"saw b\n")];
        let expected = expected.map(|(name, text)| (name.to_vec(), Status::Exit(3), text.to_vec()));
        assert_eq!(*seen.0.lock().expect("no panic"), expected);
    }
}

const SEEN: &str = r#"echo "saw $(cat "$1")" >&2; exit 3"#;

#[apply(test)]
fn a_test_that_ignores_sigterm_is_killed_with_its_children() {
    let scene = Scene::new();
    let line = "trap '' TERM; sleep 1000 & echo $! $$; while :; do sleep 1000; done";
    comes_to(&2, |limit| {
        let oracle = scene.shell(line).limit(limit);
        let start = Instant::now();
        let ran = run(&oracle);
        assert!(start.elapsed() < limit + SOON);
        assert_eq!(ran.status, Status::TimedOut);
        let pids = text(&ran.stdout);
        assert!(!pids.split_whitespace().any(is_alive));
        scene.assert_clean(oracle);
        pids.split_whitespace().count()
    });
}

#[apply(test)]
fn daemons_that_left_the_group_and_the_session_are_ended() {
    let scene = Scene::new();
    let line = "(setsid sh -c '(setsid sleep 1000 & echo $! >pid) & wait; (sleep 1001 & echo $! >>pid) &' &); \
                while [ \"$(grep -c . pid 2>/dev/null)\" != 2 ]; do sleep 0.01; done; cat pid";
    let ends = |line: &str, limit| {
        let oracle = scene.shell(line).limit(limit);
        let ran = run(&oracle);
        let pids = text(&ran.stdout);
        assert!(!pids.split_whitespace().any(is_alive), "{pids}");
        scene.assert_clean(oracle);
        (pids.split_whitespace().count(), ran.status)
    };
    assert_eq!(ends(line, SOON), (2, Status::Exit(0)));
    comes_to(&(2, Status::TimedOut), |limit| ends(&format!("{line}; sleep 1000"), limit));
}

#[apply(test)]
fn a_gigabyte_of_output_and_a_full_directory_end_at_the_limit() {
    let scene = Scene::new();
    let limits = Limits { output: Some(4 << 20), ..Limits::default() };
    for line in [
        "exec head -c 1000000000 /dev/zero",
        "head -c 1000000000 /dev/zero; true",
        "exec head -c 1000000000 /dev/zero >&2",
        "exec head -c 1000000000 /dev/zero >litter",
    ] {
        let oracle = scene.shell(line).limits(limits);
        let ran = run(&oracle);
        assert_eq!(ran.status, Status::OverLimit(Limit::Output), "{line}");
        assert_eq!(ran.verdict, Verdict::Unresolved(Cause::Test));
        scene.assert_clean(oracle);
    }
    let many =
        scene.shell("for i in 1 2 3 4; do head -c 3000000 /dev/zero >\"$TMPDIR/$i\"; done").limits(limits);
    assert_eq!(run(&many).status, Status::Exit(0));
    scene.assert_clean(many);
}

#[apply(test)]
fn closed_outputs_pipes_and_odd_directories_are_no_trouble() {
    let scene = Scene::new();
    for line in [
        "exec 2>&- 1>&-; exit 3",
        "yes | head -c 3000000; exit 3",
        "mkfifo pipe; (echo x >pipe &); exit 3",
        "mkdir -p a/b \"$TMPDIR/c\"; touch a/b/f; chmod 500 a/b a . \"$TMPDIR/c\" ..; exit 3",
        "rm -rf \"$PWD\"; exit 3",
        "echo changed >\"$1\"; chmod 000 \"$1\"; ln -s / root; exit 3",
        "chmod 000 ../std*; chmod 500 ..; exit 3",
        "cd ..; echo litter >litter; mkdir -p more/litter; exit 3",
        "echo x >/dev/null; echo x >/dev/stderr; exit 3",
    ] {
        for sandbox in [Sandbox::Off, Sandbox::Auto] {
            let oracle = scene.shell(line).confinement(confined(sandbox));
            assert_eq!(
                (run(&oracle).status, run(&oracle).status),
                (Status::Exit(3), Status::Exit(3)),
                "{line}"
            );
            scene.assert_clean(oracle);
        }
    }
}

#[apply(test)]
fn a_candidate_that_the_test_changed_is_whole_for_the_next_probe() {
    let scene = Scene::new();
    let oracle = scene.shell("cat \"$1\"; echo changed >\"$1\"; rm \"$1\"");
    assert_eq!((run(&oracle).stdout, run(&oracle).stdout), (b"int x;\n".to_vec(), b"int x;\n".to_vec()));
}

#[apply(test)]
fn the_sandbox_leaves_files_outside_alone() {
    let scene = Scene::new();
    fs::write(scene.outside("precious"), "x").expect("written");
    let line = "cat \"$2/precious\"; cd \"$2\"; rm -rf precious ./*; mv precious gone; (: >precious); (echo y >>precious); \
                mkdir new; ln precious hard; touch \"$TMPDIR/fine\" && exit 3";
    needs_sandbox();
    let oracle = scene.shell(line).confinement(confined(Sandbox::Strict));
    let ran = run(&oracle);
    assert_eq!(ran.status, Status::Exit(3), "{ran:?}");
    assert!(ran.stdout.starts_with(b"x"), "reading is free");
    assert_eq!(fs::read(scene.outside("precious")).expect("it survives"), b"x");
    assert_eq!(entries(scene.outside.path()).len(), 1);

    let leave = Confinement { writable: vec![scene.outside.path().into()], ..confined(Sandbox::Strict) };
    assert_eq!(run(&scene.shell(line).confinement(leave)).status, Status::Exit(3));
    assert!(
        !scene.outside("precious").is_file() || fs::read(scene.outside("precious")).expect("read") != b"x"
    );
}

#[apply(test)]
fn in_the_sandbox_files_move_between_the_directories_of_a_probe() {
    needs_sandbox();
    let scene = Scene::new();
    let line = "mkdir \"$TMPDIR/one\" \"$TMPDIR/two\" && : >\"$TMPDIR/one/file\" && ln \"$TMPDIR/one/file\" \"$TMPDIR/two/file\"";
    for sandbox in [Sandbox::Strict, Sandbox::Auto] {
        let ran = run(&scene.shell(line).confinement(confined(sandbox)));
        assert_eq!(ran.status, Status::Exit(0), "{ran:?}");
    }
}

#[apply(test)]
fn the_sandbox_lets_no_signal_out() {
    needs_sandbox();
    let scene = Scene::new();
    let mut bystander = Bystander(Command::new("sleep").arg("1000").spawn().expect("started"));
    let line = format!("sleep 1000 & kill $! || exit 9; kill -9 {} || exit 3", bystander.0.id());
    let oracle = scene.shell(&line).confinement(confined(Sandbox::Strict));
    let ran = run(&oracle);
    if ran.status == Status::Exit(0) {
        ignore("needs a kernel whose Landlock knows signals");
    }
    assert_eq!(ran.status, Status::Exit(3), "{ran:?}");
    assert!(bystander.0.try_wait().expect("a child").is_none());
    let warden = scene.shell("kill -9 $PPID; sleep 0.1; exit 3").confinement(confined(Sandbox::Strict));
    assert_eq!(run(&warden).status, Status::Exit(3), "not even to the warden");
}

struct Bystander(Child);

impl Drop for Bystander {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[apply(test)]
fn without_network_nothing_outside_is_reached() {
    tools::program("python3");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("it has one").port();
    let script = format!(
        "import socket\nsocket.socketpair()\ntry:\n  socket.create_connection(('127.0.0.1', {port}), 5)\n  print('in')\n\
         except OSError as e:\n  print('out')\n"
    );
    let scene = Scene::new();
    let python = |no_network| {
        CommandOracle::new("python3", ["-S", "-c", &script], "x")
            .helper(Helper::new(env!("CARGO_BIN_EXE_nubbin")))
            .work_root(scene.work.path())
            .confinement(Confinement { no_network, ..Confinement::default() })
    };
    assert_eq!(text(&run(&python(false)).stdout), "in");
    match python(true).run(b"") {
        Ok(ran) => assert_eq!(text(&ran.stdout), "out", "{ran:?}"),
        Err(error) => ignore(format!("needs a network that can be taken away: {error}")),
    }
}

#[apply(test)]
fn in_a_network_of_its_own_a_probe_reaches_itself_and_nobody_else() {
    tools::program("python3");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("it has one").port();
    let script = format!(
        "import socket\nown = socket.create_server(('127.0.0.1', 0))\nsocket.create_connection(own.getsockname(), 5)\n\
         try:\n  socket.create_connection(('127.0.0.1', {port}), 5)\n  print('in')\nexcept OSError as e:\n  print('out')\n"
    );
    for sandbox in [Sandbox::Off, Sandbox::Auto] {
        let scene = Scene::new();
        let python = CommandOracle::new("python3", ["-S", "-c", &script], "x")
            .helper(Helper::new(env!("CARGO_BIN_EXE_nubbin")))
            .work_root(scene.work.path())
            .confinement(Confinement { sandbox, no_network: true, loopback: true, ..Confinement::default() });
        match python.run(b"") {
            Ok(ran) => assert_eq!(text(&ran.stdout), "out", "{ran:?}"),
            Err(error) => ignore(format!("needs network namespaces: {error}")),
        }
    }
}

#[apply(test)]
fn processor_time_is_limited() {
    let limits = Limits { cpu: Some(1), ..Limits::default() };
    let scene = Scene::new();
    let ran = run(&scene.shell("while :; do :; done").limits(limits));
    assert_eq!(ran.status, Status::OverLimit(Limit::Cpu), "{ran:?}");
}

#[apply(test)]
fn memory_is_limited() {
    tools::program("python3");
    let scene = Scene::new();
    let limits = Limits { memory: Some(300 << 20), ..Limits::default() };
    let line = "python3 -S -c 'import mmap; mmap.mmap(-1, 1 << 29, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)'";
    assert_eq!(run(&scene.shell(line)).status, Status::Exit(0));
    let ran = run(&scene.shell(line).limits(limits));
    assert_eq!(ran.status, Status::Exit(1), "{ran:?}");
    assert_eq!(run(&scene.shell("true").limits(limits)).status, Status::Exit(0), "the warden has enough");
}

#[apply(test)]
fn too_many_processes_are_ended() {
    let scene = Scene::new();
    // The loop ends after forty processes even if the limit has no effect.
    let line = "i=0; while [ $i -lt 40 ]; do sleep 1000 & i=$((i + 1)); sleep 0.005; done; wait";
    let oracle = scene.shell(line).limits(Limits { processes: Some(12), ..Limits::default() });
    let ran = run(&oracle);
    assert_eq!(ran.status, Status::OverLimit(Limit::Processes));
    assert_eq!(ran.verdict, Verdict::Unresolved(Cause::Test));
    scene.assert_clean(oracle);
    let few = scene
        .shell("sleep 0.05 & sleep 0.05 & wait")
        .limits(Limits { processes: Some(12), ..Limits::default() });
    assert_eq!(run(&few).status, Status::Exit(0));
}

#[apply(test)]
fn a_timeout_that_comes_alone_counts_and_two_are_remembered_until_there_is_more_time() {
    // The commands record which candidate runs, and whether others run at the same time.
    let line = "echo $(cat \"$1\") >>\"$2/calls\"; mkdir \"$2/running\" 2>/dev/null || echo beside >>\"$2/calls\"; \
                trap 'rmdir \"$2/running\" 2>/dev/null' EXIT TERM; test \"$(cat \"$1\")\" = fast || sleep 1000 & wait";
    // No other probe runs at the same time, so the result counts. After the second run with the same limit,
    // the candidate is run again only with a longer limit.
    let expected = ["slow\n", "slow\nslow\n", "slow\nslow\n", "slow\nslow\nslow\n"].map(str::to_owned);
    comes_to(&expected, |limit| {
        let scene = Scene::new();
        let oracle = scene.shell(line).limit(limit);
        let longer = oracle.clone().limit(limit + Duration::from_millis(100));
        let calls = [&oracle, &oracle, &oracle, &longer].map(|oracle| {
            let verdict = oracle.probe(b"slow").expect("it can be run");
            assert_eq!(verdict, Verdict::Unresolved(Cause::Timeout));
            fs::read_to_string(scene.outside("calls")).unwrap_or_default()
        });
        let verdict = oracle.limit(SOON).probe(b"fast").expect("it can be run");
        assert_eq!(verdict, Verdict::Interesting);
        calls
    });
}

#[apply(test)]
fn nobody_runs_beside_a_second_try() {
    // The first run of `slow` hangs; the second one checks whether other runs exist.
    let line = "case $(cat \"$1\") in slow) if mkdir \"$2/first\" 2>/dev/null; then sleep 1000; fi; \
                for i in 1 2 3 4 5; do ls \"$2\" | grep -q running && exit 1; sleep 0.02; done; exit 0;; \
                *) : >\"$2/running.$$\"; sleep 0.03; rm \"$2/running.$$\"; exit 1;; esac";
    comes_to(&(Verdict::Interesting, true), |limit| {
        let scene = Scene::new();
        let oracle = scene.shell(line).limit(limit);
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let others = scope.spawn(|| {
                let mut all_in_time = true;
                while !done.load(Ordering::Relaxed) {
                    let verdict = oracle.probe(b"other").expect("it can be run");
                    all_in_time &= verdict == Verdict::Uninteresting;
                }
                all_in_time
            });
            let verdict = oracle.probe(b"slow");
            done.store(true, Ordering::Relaxed);
            (verdict.expect("it can be run"), others.join().expect("no panic"))
        })
    });
}

#[apply(test)]
fn a_cancelled_probe_ends_at_once() {
    let scene = Scene::new();
    let oracle = scene.shell("echo $$ >\"$2/pid\"; sleep 1000");
    let (cancelled, start) = (AtomicBool::new(false), Instant::now());
    thread::scope(|scope| {
        let probe = scope.spawn(|| oracle.probe_unless(b"", &cancelled));
        wait_for(&scene.outside("pid"));
        cancelled.store(true, Ordering::Relaxed);
        assert!(matches!(probe.join().expect("no panic"), Err(NoVerdict::Interrupted)));
    });
    assert!(start.elapsed() < SOON);
    assert!(!is_alive(&text(&fs::read(scene.outside("pid")).expect("it is there"))));
    assert_eq!(
        run(&oracle.clone().limit(Duration::from_millis(50))).status,
        Status::TimedOut,
        "the warden lives"
    );
    scene.assert_clean(oracle);
}

#[track_caller]
fn wait_for(path: &Path) {
    wait_until(&path.display().to_string(), || fs::metadata(path).is_ok_and(|found| found.len() > 0));
}

#[apply(test)]
fn a_pause_stops_the_clock_and_the_processes() {
    let scene = Scene::new();
    let pause = Arc::new(Pause::default());
    let line = "echo $$ >\"$2/pid\"; i=0; while [ $i -lt 10 ]; do sleep 0.02; i=$((i + 1)); done; exit 3";
    let oracles = [
        scene.shell(line),
        CommandOracle::new("sh", ["-c", line, "sh", "{}", scene.outside.path().to_str().expect("text")], "x"),
    ];
    for oracle in oracles {
        // The pause is not part of the time limit.
        comes_to(&Status::Exit(3), |limit| {
            let oracle = oracle.clone().limit(limit).pause(Arc::clone(&pause));
            let (_, before) = (fs::remove_file(scene.outside("pid")), pause.total());
            thread::scope(|scope| {
                let probe = scope.spawn(|| run(&oracle));
                wait_for(&scene.outside("pid"));
                pause.begin();
                let pid = text(&fs::read(scene.outside("pid")).expect("it is there"));
                // A shell after `vfork` waits for its child, which is stopped first.
                let stands_still = || pause.is_complete() && matches!(state(&pid), Some('T' | 'D') | None);
                wait_until("the pause", stands_still);
                thread::sleep(limit + Duration::from_millis(100));
                pause.end();
                assert!(pause.total() > before + limit);
                probe.join().expect("no panic").status
            })
        });
    }
}

#[apply(test)]
fn a_warden_that_dies_is_replaced_and_leaves_nothing() {
    let scene = Scene::new();
    let line = "mkdir \"$2/first\" 2>/dev/null && { sleep 1000 & echo $! >\"$2/pid\"; kill -9 $PPID; sleep 1000; }; exit 3";
    let oracle = scene.shell(line);
    let ran = run(&oracle);
    assert_eq!(ran.status, Status::Exit(3));
    let pid = text(&fs::read(scene.outside("pid")).expect("it is there"));
    wait_until_gone(&pid);
    scene.assert_clean(oracle);
    let always = scene.shell("kill -9 $PPID; sleep 1000");
    assert!(matches!(always.run(b""), Err(Error::Warden(_))));
    scene.assert_clean(always);
}

#[apply(test)]
fn wardens_have_a_name_of_their_own_and_are_used_again() {
    let scene = Scene::new();
    let oracle = scene.shell("echo $PPID; cat /proc/$PPID/comm; tr '\\0' ' ' </proc/$PPID/cmdline");
    let (first, second) = (text(&run(&oracle).stdout), text(&run(&oracle).stdout));
    assert_eq!(first, second);
    assert!(first.contains("oracle-warden") && !first.contains("nubbin"), "{first}");
    let pid =
        first.lines().next().and_then(|pid| pid.parse().ok()).and_then(Pid::from_raw).expect("a number");
    rustix::process::kill_process(pid, Signal::KILL).expect("it is there");
    assert_ne!(text(&run(&oracle).stdout), first, "one that dies between two probes is replaced");
    scene.assert_clean(oracle);
}

#[apply(test)]
fn a_traced_run_tells_what_it_opens_and_what_it_changes_in_place_is_taken_back() {
    let scene = Scene::new();
    let file = |name: &str, text: &str| fs::write(scene.outside(name), text).expect("a file");
    file("read.h", "x");
    file("changed", "before");
    file("moved", "before");
    file("input.c", "int x;");
    let oracle = scene.shell(
        "cat read.h; echo after >changed; mv moved elsewhere; rm -f input.c; echo x >made; mkdir -p new/deep; echo y >new/deep/file; echo z >\"$TMPDIR/t\"",
    );
    let oracle = oracle.confinement(confined(Sandbox::Auto));
    let directory = scene.outside.path().canonicalize().expect("it is there");
    let tracing = Tracing {
        marks: None,
        reads: directory.clone(),
        undone: Some(directory.clone()),
        protected: vec![directory.join("input.c")],
    };
    let paths = vec![directory.join("input.c")];
    let traced = oracle.run_traced(b"int x;\n", tracing, Some((directory.clone(), paths)));
    let (run, trace) = match traced {
        Err(Error::Confinement(reason)) => {
            ignore(format!("needs a kernel with seccomp notifications: {reason}"))
        }
        traced => traced.expect("it can be run"),
    };
    assert_eq!(text(&run.stdout), "x", "{}", text(&run.stderr));
    assert!(trace.reads().any(|path| path == directory.join("read.h")), "{trace:?}");
    let contents = ["changed", "moved", "input.c"]
        .map(|name| fs::read_to_string(scene.outside(name)).expect("it is there"));
    assert_eq!(contents, ["before", "before", "int x;"]);
    for gone in ["elsewhere", "made", "new"] {
        assert!(!scene.outside(gone).exists(), "{gone}");
    }
    scene.assert_clean(oracle);
}

#[apply(test)]
fn a_traced_run_names_the_program_and_the_path_that_the_sandbox_keeps_it_from() {
    let scene = Scene::new();
    let oracle = scene.shell("echo x >\"$2/kept\"; cat \"$1\"").confinement(confined(Sandbox::Auto));
    let (_, trace) = match oracle.run_traced(b"int x;\n", Tracing::default(), None) {
        Err(Error::Confinement(reason)) => {
            ignore(format!("needs a kernel with seccomp notifications: {reason}"))
        }
        traced => traced.expect("it can be run"),
    };
    let outside = scene.outside.path().canonicalize().expect("it is there");
    let writes: Vec<_> =
        trace.writes_outside(&[]).map(|one| (one.program.as_str(), one.path.clone())).collect();
    assert_eq!(writes, [("sh", outside.join("kept"))]);
    assert_eq!(trace.writes_outside(&[outside]).count(), 0);
}
