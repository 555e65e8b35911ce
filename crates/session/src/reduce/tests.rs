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
    assert!(said.lock().expect("nobody panics").contains("no sandbox: this program registered no `Helpers`"));
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
    assert!(failure.text().contains("needs a helper process"), "{failure}");
}

/// Reduces a log with `--max-time 100s`, of which `passed` is over, by a script or a failing command. Returns the
/// number of runs before the first candidate, and the notes.
fn first_runs(is_command: bool, passed: Duration) -> (usize, String) {
    let folder = tempfile::tempdir().expect("a directory");
    let [file, test, calls] = ["log.txt", "test.sh", "calls"].map(|name| folder.path().join(name));
    let input = "calm\nboom\ncalm\n";
    fs::write(&file, input).expect("a file");
    let status = if is_command { "exit 1" } else { "exit 0" };
    let script = format!(
        "#!/bin/sh\nwc -c <\"$1\" >>'{}'\ngrep boom \"$1\" && {status}\n{}\n",
        calls.display(),
        if is_command { "exit 0" } else { "exit 1" }
    );
    fs::write(&test, script).expect("a file");
    fs::set_permissions(&test, fs::Permissions::from_mode(0o755)).expect("its owner may");
    let mut settings = if is_command {
        Settings::of_command(&file, [test.as_os_str(), "{}".as_ref()])
    } else {
        Settings::of_oracle(&file, &test)
    }
    .expect("they are there");
    let said = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&said);
    settings.journal = JournalChoice::None;
    settings.jobs = 1;
    settings.voice = Voice::new(Loudness::Plain, move |line| {
        heard.lock().expect("nobody panics").push_str(line);
    });
    settings.control.start = Instant::now().checked_sub(passed).expect("the machine has run for a minute");
    settings.control.max_time =
        Some(crate::control::Time { text: "100s".to_owned(), time: Duration::from_secs(100) });
    let reduced = run(&settings, &Stop::new(), &mut Nobody).expect("it fails").expect("nothing was resumed");
    assert_eq!(reduced.outcome.best, b"boom", "there is time for a reduction");
    let calls = fs::read_to_string(calls).expect("it has run");
    let whole = calls.lines().take_while(|bytes| bytes.trim().parse() == Ok(input.len())).count();
    (whole, said.lock().expect("nobody panics").clone())
}

#[test]
fn first_runs_that_take_most_of_the_time_are_told_and_no_more_of_them_are_made() {
    for is_command in [false, true] {
        let (plenty, said) = first_runs(is_command, Duration::ZERO);
        assert!(!said.contains("the initial runs took"), "{said}");
        let (few, said) = first_runs(is_command, Duration::from_secs(60));
        assert!(said.contains("note: the initial runs took 1 min 00 s of `--max-time 100s`"), "{said}");
        assert!(few < plenty, "{few} runs, and {plenty} where there is time");
    }
}
