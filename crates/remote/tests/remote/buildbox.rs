//! A real cluster of one process: `buildbox-casd`, from the directory that `NUBBIN_BUILDBOX` names or from the `PATH`.

use crate::fake::patience;
use crate::harness::ignore;
use crate::{alive, shell};
use nubbin_remote::{Address, Cluster, Content, End, Error};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// A server, which is ended when this is dropped.
struct Buildbox {
    server: Child,
    /// No test's own cluster is at this address of the machine.
    place: SocketAddr,
    programs: PathBuf,
    cache: TempDir,
}

impl Buildbox {
    fn start() -> Self {
        let Some(programs) = programs() else {
            ignore("needs buildbox-casd, on the PATH or where NUBBIN_BUILDBOX says")
        };
        let trial = Command::new("bwrap").args(["--ro-bind", "/", "/", "true"]).status();
        if !trial.is_ok_and(|run| run.success()) {
            ignore("needs bubblewrap, and the right to make namespaces");
        }
        let cache = tempfile::tempdir().expect("a directory");
        let free = TcpListener::bind("127.0.0.3:0").expect("a port");
        let place = free.local_addr().expect("an address");
        drop(free);
        let server = serve(place, &programs, cache.path());
        Self { server, place, programs, cache }
    }

    /// Kills the server and starts another one at the same place, which has nothing that this one had.
    fn restart(&mut self) {
        self.server.kill().expect("it is running");
        self.server.wait().expect("it is killed");
        self.cache = tempfile::tempdir().expect("a directory");
        self.server = serve(self.place, &self.programs, self.cache.path());
    }

    fn connect(&self) -> Cluster {
        Cluster::connect(&Address::new(format!("grpc://{}", self.place)), &patience()).expect("it is there")
    }
}

/// Starts a server, and waits until it is there.
fn serve(place: SocketAddr, programs: &Path, cache: &Path) -> Child {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(programs.join("buildbox-casd"));
    command.env("PATH", format!("{}:{path}", programs.display()));
    command.arg(format!("--bind={place}"));
    command.arg(format!("--buildbox-run={}", programs.join("buildbox-run").display()));
    for (from, to) in [("/usr", "/usr"), ("/usr/lib", "/lib"), ("/usr/lib64", "/lib64"), ("/usr/bin", "/bin")]
    {
        if Path::new(from).exists() {
            command.arg(format!("--runner-arg=--ro-bind-mount={from}:{to}"));
        }
    }
    command.arg("--runner-arg=--staging-mode=copy-or-link");
    command.arg("--jobs=4").arg(cache).stdout(Stdio::null()).stderr(Stdio::null());
    let server = command.spawn().expect("the server");
    alive::wait_until("its port", || TcpStream::connect(place).is_ok());
    server
}

/// Returns the directory of the programs.
fn programs() -> Option<PathBuf> {
    let named = std::env::var_os("NUBBIN_BUILDBOX").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = named.into_iter().chain(std::env::split_paths(&path));
    places.find(|place| ["buildbox-casd", "buildbox-run"].iter().all(|name| place.join(name).is_file()))
}

impl Drop for Buildbox {
    fn drop(&mut self) {
        let server = rustix::process::Pid::from_child(&self.server);
        let _ = rustix::process::kill_process(server, rustix::process::Signal::TERM);
        let _ = self.server.wait();
    }
}

#[apply(test)]
fn a_real_cluster_runs_commands_with_their_files_and_says_how_they_end() {
    let buildbox = Buildbox::start();
    let cluster = buildbox.connect();
    let done = cluster.run(&shell("exit 7", &[]), &|| false).expect("a result");
    assert_eq!(done.end, End::Exit(7));
    let home = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(home.path().join("include")).expect("a directory");
    std::fs::write(home.path().join("include/a.h"), "kept").expect("a file");
    let kept = cluster.keep(home.path()).expect("it is kept");
    let files = [
        ("", Content::Kept(&kept)),
        ("include/b.h", Content::Bytes(b"own", false)),
        ("run", Content::Bytes(b"#!/bin/sh\ncat include/*.h\nseq 100000 >&2\nkill -9 $$\n", true)),
        ("tmp", Content::Directory),
    ];
    let mut action = shell("test -d tmp && exec ./run", &files);
    action.most_output = 14;
    let done = cluster.run(&action, &|| false).expect("a result");
    assert_eq!((done.end, &done.stdout[..]), (End::Exit(137), &b"keptown"[..]));
    assert_eq!(done.stderr, b"\n99999\n100000\n"[..]);
    let large = vec![b'x'; 6 << 20];
    let action = shell("wc -c < large", &[("large", Content::Bytes(&large, false))]);
    assert_eq!(cluster.run(&action, &|| false).expect("a result").stdout, b"6291456\n");
    assert_eq!(cluster.tally().troubles, 0);
}

#[apply(test)]
fn a_real_cluster_ends_what_takes_too_long_and_what_is_no_longer_wanted() {
    let buildbox = Buildbox::start();
    let cluster = buildbox.connect();
    let mut endless = shell("echo begun; exec sleep 987654", &[]);
    endless.limit = Duration::from_secs(1);
    let done = cluster.run(&endless, &|| false).expect("a result");
    assert_eq!(done.end, End::TimedOut);
    assert_eq!(cluster.tally().troubles, 0);
    endless.limit = Duration::from_secs(600);
    // The commands are told by what only they have as an argument.
    endless.words = ["/bin/sh", "-c", "sleep 987653; exit"].map(Into::into).into();
    let is_running = || {
        let processes = std::fs::read_dir("/proc").expect("it is there").flatten();
        processes
            .map(|process| std::fs::read(process.path().join("cmdline")).unwrap_or_default())
            .any(|words| words == b"sleep\0987653\0")
    };
    let error = cluster.run(&endless, &is_running).expect_err("it is not wanted");
    assert!(matches!(error, Error::Unwanted), "{error}");
    alive::wait_until("its end", || !is_running());
}

#[apply(test)]
fn a_real_cluster_that_is_killed_and_started_anew_gives_all_results_in_the_end() {
    let mut buildbox = Buildbox::start();
    let cluster = buildbox.connect();
    let home = tempfile::tempdir().expect("a directory");
    std::fs::write(home.path().join("kept"), "kept").expect("a file");
    let kept = cluster.keep(home.path()).expect("it is kept");
    let (next, done) = (AtomicI32::new(0), AtomicI32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let number @ ..40 = next.fetch_add(1, Ordering::SeqCst) {
                    let action =
                        shell(&format!("sleep 0.1; cat kept; exit {number}"), &[("", Content::Kept(&kept))]);
                    let result = cluster.run(&action, &|| false).expect("a result");
                    assert_eq!((result.end, &result.stdout[..]), (End::Exit(number), &b"kept"[..]));
                    done.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        for results in [10, 25] {
            alive::wait_until("some results", || done.load(Ordering::SeqCst) >= results);
            buildbox.restart();
        }
    });
    assert!(cluster.tally().troubles > 0);
}
