//! Cancelled actions.

use crate::fake::{Fake, Trick, patience};
use crate::{alive, shell};
use nubbin_remote::{Action, Cluster, Error};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use tonic::Code;

/// An action that writes the numbers of its two processes to a file, and continues.
fn endless(file: &Path) -> Action<'static> {
    let file = file.display();
    shell(&format!("sleep 1000 & echo $$ $! > {file}.new; mv {file}.new {file}; wait"), &[])
}

#[apply(test)]
fn what_is_no_longer_wanted_is_cancelled_and_leaves_no_process() {
    let fake = Fake::start();
    let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
    let home = tempfile::tempdir().expect("a directory");
    let file = home.path().join("pids");
    let error = cluster.run(&endless(&file), &|| file.exists()).expect_err("it is not wanted");
    assert!(matches!(error, Error::Unwanted), "{error}");
    alive::wait_until_gone(&std::fs::read_to_string(&file).expect("its processes"));
    assert_eq!(fake.count(|counts| &counts.cancels), 1);
    assert_eq!((cluster.tally().cancels, cluster.tally().troubles), (1, 0));
}

#[apply(test)]
fn what_is_not_wanted_from_the_start_is_not_asked_for() {
    let fake = Fake::start();
    let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
    assert!(matches!(cluster.run(&shell("exit 0", &[]), &|| true), Err(Error::Unwanted)));
    assert_eq!(fake.count(|counts| &counts.batches), 0);
}

#[apply(test)]
fn an_operation_whose_name_comes_late_is_cancelled_all_the_same() {
    let fake = Fake::start();
    let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
    let home = tempfile::tempdir().expect("a directory");
    let file = home.path().join("pids");
    fake.expect([Trick::LateName]);
    let error = cluster.run(&endless(&file), &|| file.exists()).expect_err("it is not wanted");
    assert!(matches!(error, Error::Unwanted), "{error}");
    fake.state.names_are_told.send_replace(true);
    alive::wait_until_gone(&std::fs::read_to_string(&file).expect("its processes"));
}

#[apply(test)]
fn a_cancellation_is_under_way_when_the_cluster_is_left() {
    let fake = Fake::start();
    let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
    let home = tempfile::tempdir().expect("a directory");
    let file = home.path().join("pids");
    cluster.run(&endless(&file), &|| file.exists()).expect_err("it is not wanted");
    drop(cluster);
    alive::wait_until_gone(&std::fs::read_to_string(&file).expect("its processes"));
    assert_eq!(fake.count(|counts| &counts.cancels), 1);
}

#[apply(test)]
fn an_action_in_trouble_is_left_at_once() {
    let fake = Fake::start();
    let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
    fake.expect(vec![Trick::Call(Code::Unavailable); 50_000]);
    let is_unwanted = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let run = scope.spawn(|| cluster.run(&shell("exit 0", &[]), &|| is_unwanted.load(Ordering::Relaxed)));
        alive::wait_until("some troubles", || cluster.tally().troubles > 5);
        is_unwanted.store(true, Ordering::Relaxed);
        assert!(matches!(run.join().expect("no panic"), Err(Error::Unwanted)));
    });
    assert_eq!(fake.count(|counts| &counts.runs), 0);
}
