use super::*;
use crate::failure::Fault;
use crate::settings::JournalChoice;
use crate::voice::{Loudness, Voice};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Mutex;

#[test]
fn without_helpers_the_test_is_a_plain_child_and_a_note_says_so() {
    let folder = tempfile::tempdir().expect("a directory");
    let (file, oracle) = (folder.path().join("log.txt"), folder.path().join("oracle.sh"));
    fs::write(&file, "calm\nboom\ncalm\n").expect("a file");
    fs::write(&oracle, "#!/bin/sh\ngrep -q boom \"$1\"\n").expect("a file");
    fs::set_permissions(&oracle, fs::Permissions::from_mode(0o755)).expect("its owner may");
    let said = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&said);
    let mut settings = Settings::of_oracle(&file, &oracle).expect("they are there");
    settings.journal = JournalChoice::None;
    settings.voice = Voice::new(Loudness::Plain, move |line| {
        heard.lock().expect("nobody panics").push_str(line);
    });
    let reduced = run(&settings, &Stop::new(), &mut Nobody).expect("it fails").expect("nothing was resumed");
    assert_eq!(reduced.outcome.best, b"boom");
    assert_eq!(fs::read(folder.path().join("log.reduced.txt")).expect("the result"), b"boom");
    assert!(said.lock().expect("nobody panics").contains("no sandbox: this program has no helpers"));
}

#[test]
fn an_oracle_that_is_this_program_is_refused_without_helpers() {
    let folder = tempfile::tempdir().expect("a directory");
    let file = folder.path().join("log.txt");
    fs::write(&file, "boom\n").expect("a file");
    let mut settings = Settings::of_command(&file, ["/proc/self/exe", "{}"]).expect("it is there");
    settings.journal = JournalChoice::None;
    let failure = run(&settings, &Stop::new(), &mut Nobody).expect_err("it would run itself");
    assert_eq!(failure.fault(), Fault::Usage);
    assert!(failure.text().contains("is run by a helper"), "{failure}");
}
