//! The blobs that are uploaded and downloaded, and their numbers.

use crate::fake::{Fake, Trick, patience};
use crate::shell;
use bazel_remote_apis::build::bazel::remote::execution::v2 as re;
use nubbin_remote::{Cluster, Content, End, Error};
use std::path::Path;
use tonic::Code;

#[apply(test)]
fn what_the_cluster_has_is_not_sent_again_and_small_files_are_not_asked_about() {
    let fake = Fake::start();
    let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
    let run = |content: &[u8]| {
        let script = Content::Bytes(b"#!/bin/sh\ncat a\n", true);
        let done =
            cluster.run(&shell("./s", &[("s", script), ("a", Content::Bytes(content, false))]), &|| false);
        assert_eq!(done.expect("a result").stdout, content);
        (fake.count(|counts| &counts.blobs), fake.count(|counts| &counts.questions))
    };
    // The script, the file, the command, the directory, the action.
    assert_eq!(run(b"one"), (5, 0));
    assert_eq!(run(b"one"), (5, 0));
    // The file, the directory, the action.
    assert_eq!(run(b"two"), (8, 0));
    assert_eq!(run(b""), (10, 0), "what is empty is never sent");
    let large = vec![b'x'; 100_000];
    assert_eq!(run(&large), (13, 1), "a large file may be there");
    assert_eq!(fake.count(|counts| &counts.streams), 0);
}

#[apply(test)]
fn what_is_longer_than_a_message_is_a_stream() {
    let fake = Fake::start();
    fake.state
        .capabilities
        .lock()
        .expect("no panic")
        .cache_capabilities
        .as_mut()
        .expect("it has some")
        .max_batch_total_size_bytes = 2000;
    let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
    let content: Vec<u8> = (0..700_000_u32).map(|number| (number % 251) as u8).collect();
    let action = shell("wc -c < large; cmp large large", &[("large", Content::Bytes(&content, false))]);
    let done = cluster.run(&action, &|| false).expect("a result");
    assert_eq!(done.stdout, b"700000\n");
    assert_eq!(fake.count(|counts| &counts.streams), 1);
}

#[apply(test)]
fn a_directory_is_kept_once_and_again_after_it_was_forgotten() {
    let fake = Fake::start();
    let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
    let home = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(home.path().join("include")).expect("a directory");
    std::fs::write(home.path().join("include/a.h"), "kept").expect("a file");
    let kept = cluster.keep(home.path()).expect("it is kept");
    assert_eq!((kept.files(), kept.bytes()), (1, 4));
    let sent = fake.count(|counts| &counts.blobs);
    assert_eq!(sent, 3, "a file and two directories");
    cluster.keep(home.path()).expect("it is kept");
    assert_eq!(fake.count(|counts| &counts.blobs), sent, "it is there");
    fake.expect([Trick::Nothing, Trick::NoBlobs]);
    for content in ["one", "two"] {
        let files = [("", Content::Kept(&kept)), ("include/b.h", Content::Bytes(content.as_bytes(), false))];
        let done = cluster.run(&shell("cat include/*", &files), &|| false).expect("a result");
        assert_eq!(done.stdout, format!("kept{content}").into_bytes());
    }
}

#[apply(test)]
fn troubles_of_the_store_are_repeated() {
    for code in [Code::Unavailable, Code::ResourceExhausted, Code::Internal, Code::DeadlineExceeded] {
        let fake = Fake::start();
        let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
        let home = tempfile::tempdir().expect("a directory");
        std::fs::write(home.path().join("large"), vec![b'x'; 5 << 20]).expect("a file");
        // The query, then the stream, then the batch; each of them fails repeatedly.
        fake.state.store.lock().expect("no panic").extend([code; 50]);
        let kept = cluster.keep(home.path()).expect("it is kept");
        let more = [code, Code::Ok, code, code].repeat(12);
        fake.state.store.lock().expect("no panic").extend(more);
        let done = cluster.run(&shell("wc -c < d/large", &[("d", Content::Kept(&kept))]), &|| false);
        assert_eq!(done.expect("a result").stdout, b"5242880\n", "{code:?}");
    }
}

#[apply(test)]
fn the_end_of_an_output_comes_back_with_the_result_or_from_the_store() {
    let fake = Fake::start();
    let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
    for (trick, reads) in [(Trick::Nothing, 0), (Trick::Digests, 2)] {
        fake.expect([trick]);
        let mut action = shell("seq 5000; echo no >&2; exit 1", &[]);
        action.most_output = 10;
        let done = cluster.run(&action, &|| false).expect("a result");
        assert_eq!(
            (done.end, &done.stdout[..], &done.stderr[..]),
            (End::Exit(1), &b"4999\n5000\n"[..], &b"no\n"[..])
        );
        assert_eq!(fake.count(|counts| &counts.reads), reads);
    }
    assert_eq!(fake.count(|counts| &counts.read_bytes), 13, "the end only");
}

#[apply(test)]
fn an_action_is_what_was_asked_for() {
    let fake = Fake::start();
    let mut address = fake.address();
    address.platform = vec![("b".into(), "2".into()), ("a".into(), "1".into())];
    address.headers = vec![("X-Who".into(), "me".into())];
    let cluster = Cluster::connect(&address, &patience()).expect("it is there");
    let mut action = shell("pwd; echo $Z$A; ls; test -d empty", &[("empty", Content::Directory)]);
    action.directory = "work/here".into();
    action.environment = vec![("Z".into(), "z".into()), ("A".into(), "a".into())];
    let done = cluster.run(&action, &|| false).expect("a result");
    let said = String::from_utf8(done.stdout).expect("text");
    assert!(said.lines().next().expect("a line").ends_with("/work/here"), "{said}");
    assert!(said.contains("za"), "{said}");
    assert_eq!(done.end, End::Exit(1), "it is beside the directory of the command");
    let (action, command) = fake.state.last.lock().expect("no panic").clone().expect("an action");
    assert!(action.do_not_cache);
    let platform = |platform: Option<re::Platform>| {
        let properties = platform.expect("there is one").properties.into_iter();
        properties.map(|property| property.name + "=" + &property.value).collect::<Vec<_>>()
    };
    assert_eq!(platform(action.platform), ["a=1", "b=2"]);
    let names = command.environment_variables.into_iter().map(|variable| variable.name);
    assert_eq!(names.collect::<Vec<_>>(), ["A", "Z"]);
    let headers = fake.state.headers.lock().expect("no panic");
    assert_eq!(headers["x-who"], "me");
    assert!(headers.contains_key("build.bazel.remote.execution.v2.requestmetadata-bin"));
}

#[apply(test)]
fn results_are_remembered_only_if_that_is_wanted() {
    let fake = Fake::start();
    let mut address = fake.address();
    address.cache = true;
    let cluster = Cluster::connect(&address, &patience()).expect("it is there");
    for fresh in [false, true] {
        let mut action = shell("exit 0", &[]);
        action.fresh = fresh;
        cluster.run(&action, &|| false).expect("a result");
        let (action, _) = fake.state.last.lock().expect("no panic").clone().expect("an action");
        assert_eq!(action.do_not_cache, fresh);
    }
}

#[apply(test)]
fn what_cannot_be_sent_is_an_error_before_anything_is_asked_for() {
    use std::os::unix::ffi::OsStrExt;
    let fake = Fake::start();
    let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
    let mut action = shell("exit 0", &[]);
    action.words.push(std::ffi::OsStr::from_bytes(b"\xff").to_owned());
    assert!(matches!(cluster.run(&action, &|| false), Err(Error::Text { .. })));
    let twice = [("a", Content::Bytes(b"", false)), ("a", Content::Bytes(b"", false))];
    assert!(matches!(cluster.run(&shell("exit 0", &twice), &|| false), Err(Error::Place { .. })));
    assert!(matches!(cluster.keep(Path::new("there-is-no-such-file")), Err(Error::File { .. })));
    assert_eq!((fake.count(|counts| &counts.executions), fake.count(|counts| &counts.batches)), (0, 0));
}

#[apply(test)]
fn a_kept_file_that_has_changed_when_it_is_sent_again_is_an_error() {
    let fake = Fake::start();
    let cluster = Cluster::connect(&fake.address(), &patience()).expect("it is there");
    let home = tempfile::tempdir().expect("a directory");
    let file = home.path().join("a");
    std::fs::write(&file, "one").expect("a file");
    let kept = cluster.keep(&file).expect("it is kept");
    std::fs::write(&file, "two").expect("a file");
    fake.expect([Trick::NoBlobs]);
    let error =
        cluster.run(&shell("cat a", &[("a", Content::Kept(&kept))]), &|| false).expect_err("no result");
    assert!(matches!(error, Error::Changed { .. }), "{error}");
}
