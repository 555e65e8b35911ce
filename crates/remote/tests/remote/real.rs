//! Tests the client with a real cluster: `buildbox-casd`.

use crate::buildbox::Buildbox;
use crate::fake::patience;
use crate::{alive, shell};
use nubbin_remote::{Address, Cluster, Content, End, Error};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

fn connect(buildbox: &Buildbox) -> Cluster {
    Cluster::connect(&Address::new(buildbox.address()), &patience()).expect("it is there")
}

#[apply(test)]
fn a_real_cluster_runs_commands_with_their_files_and_says_how_they_end() {
    let buildbox = Buildbox::start();
    let cluster = connect(&buildbox);
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
    let cluster = connect(&buildbox);
    let mut endless = shell("echo begun; exec sleep 987654", &[]);
    endless.limit = Duration::from_secs(1);
    let done = cluster.run(&endless, &|| false).expect("a result");
    assert_eq!(done.end, End::TimedOut);
    assert_eq!(cluster.tally().troubles, 0);
    endless.limit = Duration::from_secs(600);
    // The commands are identified by their unique argument.
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
    let cluster = connect(&buildbox);
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
