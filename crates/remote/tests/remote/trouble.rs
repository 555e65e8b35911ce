//! Temporary failures of a cluster: the action is repeated, and no failure becomes a result.

use crate::fake::{Fake, Trick, UNLUCKY, patience};
use crate::{alive, shell};
use nubbin_remote::{Address, Cluster, Content, End, Error, Patience};
use std::sync::Barrier;
use std::time::Duration;
use tonic::Code;

/// Each temporary failure, and how often the action is then requested and the operation queried.
const TROUBLES: [(Trick, u64, u64); 23] = [
    (Trick::Call(Code::Unavailable), 2, 0),
    (Trick::Call(Code::Aborted), 2, 0),
    (Trick::Call(Code::Internal), 2, 0),
    (Trick::Call(Code::Unknown), 2, 0),
    (Trick::Call(Code::Cancelled), 2, 0),
    (Trick::Call(Code::ResourceExhausted), 2, 0),
    (Trick::Call(Code::DeadlineExceeded), 2, 0),
    (Trick::Stream(Code::Unavailable), 1, 1),
    (Trick::Stream(Code::Aborted), 1, 1),
    (Trick::Stream(Code::Internal), 1, 1),
    (Trick::End, 1, 1),
    (Trick::Lost, 2, 1),
    (Trick::Status(Code::Unavailable, 0), 2, 0),
    (Trick::Status(Code::Aborted, 1), 2, 0),
    (Trick::Status(Code::Cancelled, 143), 2, 0),
    (Trick::Status(Code::DeadlineExceeded, 137), 2, 0),
    (Trick::Status(Code::ResourceExhausted, 1), 2, 0),
    (Trick::Status(Code::Internal, 1), 2, 0),
    (Trick::Error(Code::Unavailable), 2, 0),
    (Trick::NoResult, 2, 0),
    (Trick::NoBlobs, 2, 0),
    (Trick::NoBlobsInOtherWords, 2, 0),
    (Trick::LostOutputs, 2, 0),
];

#[apply(test)]
fn each_trouble_is_repeated_and_the_result_is_that_of_the_command() {
    for (trick, executions, waits) in TROUBLES {
        let fake = Fake::start();
        let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
        fake.expect([trick]);
        let done = cluster.run(&shell("cat a; exit 7", &[("a", Content::Bytes(b"abc", false))]), &|| false);
        let done = done.unwrap_or_else(|error| panic!("{trick:?}: {error}"));
        assert_eq!((done.end, &done.stdout[..]), (End::Exit(7), &b"abc"[..]), "{trick:?}");
        assert_eq!(u64::from(done.tries), executions + waits, "{trick:?}");
        assert_eq!(fake.count(|counts| &counts.executions), executions, "{trick:?}");
        assert_eq!(fake.count(|counts| &counts.waits), waits, "{trick:?}");
        let tally = cluster.tally();
        let expected = (executions, waits, executions + waits - 1);
        assert_eq!((tally.executions, tally.waits, tally.troubles), expected, "{trick:?}");
    }
}

#[apply(test)]
fn fifty_troubles_in_a_row_are_repeated() {
    for (trick, _, _) in TROUBLES {
        let fake = Fake::start();
        let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
        // After a result, a failed precondition also counts as temporary.
        let first = cluster.run(&shell("exit 3", &[]), &|| false).expect("no trouble");
        assert_eq!(first.end, End::Exit(3));
        fake.expect([trick; 50]);
        // If the operation continues, the queries about it fail.
        fake.state.wait_tricks.lock().expect("no panic").extend([trick; 49]);
        let done = cluster.run(&shell("exit 7", &[]), &|| false);
        let done = done.unwrap_or_else(|error| panic!("{trick:?}: {error}"));
        assert_eq!(done.end, End::Exit(7), "{trick:?}");
        assert!(done.tries >= 50, "{trick:?}: {}", done.tries);
        assert_eq!(cluster.tally().troubles, u64::from(done.tries - 1), "{trick:?}");
    }
}

#[apply(test)]
fn what_does_not_pass_is_told_at_once_in_the_words_of_the_cluster() {
    for code in [Code::InvalidArgument, Code::PermissionDenied, Code::Unimplemented, Code::Unauthenticated] {
        for trick in [Trick::Call(code), Trick::Status(code, 0), Trick::Error(code)] {
            let fake = Fake::start();
            let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
            fake.expect([trick]);
            let error = cluster.run(&shell("exit 0", &[]), &|| false).expect_err("no result");
            assert!(matches!(error, Error::Refused { .. }), "{trick:?}: {error}");
            assert_eq!(fake.count(|counts| &counts.executions), 1);
        }
    }
}

#[apply(test)]
fn a_condition_that_is_not_met_with_all_blobs_there_is_no_trouble_that_passes() {
    let fake = Fake::start();
    let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
    fake.expect([Trick::Call(Code::FailedPrecondition); 3]);
    let error = cluster.run(&shell("exit 0", &[]), &|| false).expect_err("no result");
    let Error::Refused { status, .. } = error else { panic!("{error}") };
    assert_eq!(status, "a trick (FailedPrecondition)");
    assert_eq!(fake.count(|counts| &counts.executions), 2, "the second time all blobs were there");
    assert_eq!(fake.count(|counts| &counts.questions), 1);
}

#[apply(test)]
fn a_cluster_that_has_nothing_but_trouble_is_gone() {
    let fake = Fake::start();
    let impatient = Patience { longest: Duration::ZERO, ..patience() };
    let cluster = Cluster::connect(&fake.address(), &impatient).expect("it is there");
    fake.expect([Trick::Call(Code::Unavailable); 4]);
    let error = cluster.run(&shell("exit 0", &[]), &|| false).expect_err("no result");
    let Error::Gone { tries, status, .. } = &error else { panic!("{error}") };
    assert_eq!(
        (*tries, status.as_str()),
        (4, "a trick (Unavailable)"),
        "the first few may have run for long"
    );
    assert!(error.to_string().contains(&fake.place.to_string()), "{error}");
}

#[apply(test)]
fn an_action_without_an_answer_is_lost_where_others_have_one() {
    alive::comes_to(&true, |longest| {
        let fake = Fake::start();
        let cluster =
            Cluster::connect(&fake.address(), &Patience { longest, ..patience() }).expect("it is there");
        std::thread::scope(|scope| {
            let lost = scope.spawn(|| cluster.run(&shell(UNLUCKY, &[]), &|| false));
            alive::wait_until("the first trouble", || cluster.tally().troubles > 0);
            cluster.run(&shell("exit 0", &[]), &|| false).expect("another one has a result");
            matches!(lost.join().expect("no panic"), Err(Error::Lost { .. }))
        })
    });
}

#[apply(test)]
fn a_cluster_that_is_started_anew_gives_the_result_in_the_end() {
    let mut fake = Fake::start_apart();
    let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
    let home = tempfile::tempdir().expect("a directory");
    std::fs::write(home.path().join("kept"), "kept").expect("a file");
    let kept = cluster.keep(home.path()).expect("it is kept");
    let started = home.path().join("started");
    let line =
        format!("cat kept; echo >> {0}; [ $(wc -l < {0}) -gt 3 ] || exec sleep 1000", started.display());
    let action = shell(&line, &[("", Content::Kept(&kept))]);
    let lines = || std::fs::read_to_string(&started).unwrap_or_default().lines().count();
    let done = std::thread::scope(|scope| {
        let done = scope.spawn(|| cluster.run(&action, &|| false));
        for restart in 1..=3 {
            alive::wait_until("the next run", || lines() == restart);
            fake.restart();
        }
        done.join().expect("no panic").expect("a result")
    });
    assert_eq!((done.end, &done.stdout[..]), (End::Exit(0), &b"kept"[..]));
    assert_eq!(lines(), 4);
}

#[apply(test)]
fn a_silent_operation_is_given_up_only_if_the_cluster_is_silent_as_well() {
    let fake = Fake::start();
    let patience =
        Patience { silence: Duration::from_millis(20), queue: Duration::from_secs(2), ..patience() };
    let cluster = Cluster::connect(&fake.address(), &patience).expect("it is there");
    fake.expect([Trick::Silence]);
    let mut action = shell("exit 7", &[]);
    action.limit = Duration::from_millis(1500);
    let done = cluster.run(&action, &|| false).expect("a result of the second try");
    assert_eq!((done.end, done.tries), (End::Exit(7), 2));
    assert!(fake.count(|counts| &counts.introductions) > 1, "it was asked for a sign of life");
    alive::wait_until("the end of the first operation", || fake.count(|counts| &counts.cancels) == 1);
    let trouble = cluster.tally().last_trouble.expect("there was one");
    assert!(trouble.contains("queue"), "{trouble}");
}

#[apply(test)]
fn the_limit_of_a_command_is_told_from_other_deadlines() {
    let fake = Fake::start();
    let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
    // This action ends long before its limit, so the reported deadline must be another one.
    fake.expect([Trick::Status(Code::DeadlineExceeded, 137)]);
    let done = cluster.run(&shell("exit 7", &[]), &|| false).expect("a result");
    assert_eq!((done.end, done.tries), (End::Exit(7), 2));
    let mut endless = shell("sleep 1000", &[]);
    endless.limit = Duration::from_millis(50);
    let done = cluster.run(&endless, &|| false).expect("a result");
    assert_eq!((done.end, done.tries), (End::TimedOut, 1));
    assert!(done.elapsed >= endless.limit && done.round_trip >= done.elapsed);
}

#[apply(test)]
fn two_hundred_at_once_have_their_own_results() {
    let fake = Fake::start();
    let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
    fake.expect([Trick::Call(Code::Unavailable), Trick::End, Trick::NoBlobs, Trick::Lost].repeat(10));
    let all = Barrier::new(200);
    let one = |number: i32| {
        let text = number.to_string();
        all.wait();
        let action =
            shell("cat a; exit $(($(cat a) % 100))", &[("a", Content::Bytes(text.as_bytes(), false))]);
        let done = cluster.run(&action, &|| false).expect("a result");
        assert_eq!((done.end, done.stdout), (End::Exit(number % 100), text.into_bytes()));
    };
    std::thread::scope(|scope| {
        for number in 0..200 {
            let one = &one;
            scope.spawn(move || one(number));
        }
    });
    assert!(cluster.tally().troubles >= 40);
}

#[apply(test)]
fn a_cluster_that_runs_nothing_or_is_not_there_is_an_error_at_the_start() {
    let fake = Fake::start();
    fake.state.capabilities.lock().expect("no panic").execution_capabilities = None;
    let error = Cluster::connect(&fake.address(), &patience()).err().expect("it runs nothing");
    assert!(matches!(error, Error::Refused { .. }), "{error}");
    // No server listens at port 1.
    let address = Address::new("grpc://127.0.0.1:1");
    let impatient = Patience { start: Duration::ZERO, ..patience() };
    let error = Cluster::connect(&address, &impatient).err().expect("nothing is there");
    assert!(matches!(&error, Error::Gone { status, .. } if status.contains("refused")), "{error}");
}
