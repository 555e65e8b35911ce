//! Tests the content of journals, and reading damaged files.

use super::*;

const INPUT_TEXT: &[u8] = b"int main(void) { return 7; }\n";

fn header() -> Header {
    Header::new(b"bug.c", INPUT_TEXT, serde_json::json!({ "oracle": "./o.sh" }))
}

fn name(text: &str) -> Hash {
    blake3::hash(text.as_bytes())
}

/// Returns the step that deletes the first `count` bytes of `best`.
fn step(best: &[u8], count: usize) -> JournalStep {
    JournalStep {
        number: 0,
        pass: "delete-nodes".to_owned(),
        tokens: 1,
        bytes: best.len() - count,
        lines: 1,
        edits: vec![(0, count as u32, Latin1::default())],
        hash: blake3::hash(&best[count..]),
    }
}

/// Returns a folder with a journal of two verdicts and two steps.
fn written() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let folder = directory.path().join(".nubbin/bug.c-0");
    let mut journal = Journal::begin(&folder, header(), INPUT_TEXT).expect("begun");
    journal.judged(&name("a"), 'u');
    journal.judged(&name("b"), 't');
    journal.step(step(INPUT_TEXT, 4));
    journal.step(step(&INPUT_TEXT[4..], 3));
    (directory, folder)
}

fn lines(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join(JOURNAL)).expect("it is there");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn what_was_noted_is_found_again() {
    let (_directory, folder) = written();
    let found = StoredRun::look(&folder).expect("readable").expect("there");
    assert_eq!((found.input.as_slice(), &found.content.header), (INPUT_TEXT, &header()));
    assert_eq!(found.content.judged(), 2);
    assert_eq!(found.content.steps.iter().map(|step| step.number).collect::<Vec<_>>(), [1, 2]);
    for (number, from) in [(0, 0), (1, 4), (2, 7)] {
        assert_eq!(found.content.rebuild(INPUT_TEXT, number).expect("it fits"), &INPUT_TEXT[from..]);
    }
    assert_eq!(found.content.rebuild(INPUT_TEXT, 3), None);
    assert_eq!(found.content.rebuild(b"another input, which is long enough", 1), None);
    assert_eq!(fs::read_to_string(folder.with_file_name(".gitignore")).expect("there"), "*\n");

    let journal = Journal::resume(&folder).expect("readable").expect("there");
    assert_eq!(journal.verdict(&name("a")), Some('u'));
    assert_eq!(journal.verdict(&name("c")), None);
}

#[test]
fn a_torn_last_line_is_cut_off_wherever_it_was_torn() {
    let (_directory, folder) = written();
    let path = folder.join(JOURNAL);
    let whole = fs::read(&path).expect("there");
    let last = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').expect("several lines") + 1;
    for length in last..whole.len() {
        fs::write(&path, &whole[..length]).expect("written");
        let mut journal = Journal::resume(&folder).expect("readable").expect("there");
        assert_eq!(journal.content().steps.len(), 1, "{length} bytes");
        assert_eq!(fs::read(&path).expect("there"), &whole[..last]);
        assert!(journal.retake(&blake3::hash(&INPUT_TEXT[4..])));
        journal.step(step(&INPUT_TEXT[4..], 3));
        drop(journal);
        assert_eq!(fs::read(&path).expect("there"), whole, "the same line again");
    }
    // After a power failure a line can have the right length but empty content.
    let mut blank = whole.clone();
    blank[last..].fill(0);
    for end in [0, b'\n'] {
        *blank.last_mut().expect("not empty") = end;
        fs::write(&path, &blank).expect("written");
        assert_eq!(StoredRun::look(&folder).expect("readable").expect("there").content.steps.len(), 1);
    }
}

#[test]
fn a_journal_whose_first_line_is_torn_is_none() {
    let (_directory, folder) = written();
    let path = folder.join(JOURNAL);
    let first = lines(&folder)[0].len();
    let whole = fs::read(&path).expect("there");
    for length in 0..=first {
        fs::write(&path, &whole[..length]).expect("written");
        assert!(Journal::resume(&folder).expect("readable").is_none(), "{length} bytes");
    }
}

/// Returns the verdicts on `a` and `b`, and the number of steps.
fn known(journal: &Journal) -> (Option<char>, Option<char>, usize) {
    (journal.verdict(&name("a")), journal.verdict(&name("b")), journal.content().steps.len())
}

/// Returns 300 bytes that are not text, with or without newlines.
fn garbage(has_lines: bool) -> Vec<u8> {
    let byte = |number: u32| (number.wrapping_mul(2_654_435_761) >> 24) as u8;
    let is_wanted = |byte: &u8| has_lines || *byte != b'\n';
    let mut bytes: Vec<u8> = (0..).map(byte).filter(is_wanted).take(300).collect();
    if has_lines {
        bytes[100] = b'\n';
        bytes[299] = b'\n';
    }
    bytes
}

#[test]
fn a_damaged_line_is_skipped_and_those_around_it_count() {
    let (_directory, folder) = written();
    let lines = lines(&folder);
    assert_eq!(lines.len(), 5);
    for (at, wrong, left) in [
        (1, "{\"verd", (None, Some('t'), 2)),
        (2, "{\"verdict\":[\"00\",\"u\"]}", (Some('u'), None, 2)),
        (1, lines[0].as_str(), (None, Some('t'), 2)),
        // The steps after a lost one are also lost.
        (3, "", (Some('u'), Some('t'), 0)),
        (4, "\0\0\0", (Some('u'), Some('t'), 1)),
    ] {
        let mut lines = lines.clone();
        wrong.clone_into(&mut lines[at]);
        fs::write(folder.join(JOURNAL), lines.join("\n") + "\n").expect("written");
        let found = StoredRun::look(&folder).expect("readable").expect("there");
        assert_eq!(found.content.steps.len(), left.2, "{wrong:?} in line {at}");
        let journal = Journal::resume(&folder).expect("readable").expect("there");
        assert_eq!(known(&journal), left, "{wrong:?} in line {at}");
        assert!(journal.skipped() > 0);
    }
    let mut headless = lines.clone();
    "{}".clone_into(&mut headless[0]);
    fs::write(folder.join(JOURNAL), headless.join("\n") + "\n").expect("written");
    assert!(Journal::resume(&folder).expect("readable").is_none() && is_headless(&folder));
}

#[test]
fn a_digit_of_a_line_that_has_changed_is_noticed() {
    let (_directory, folder) = written();
    let whole = fs::read(folder.join(JOURNAL)).expect("there");
    let first = whole.iter().position(|&byte| byte == b'\n').expect("a header") + 1;
    for at in first..whole.len() {
        if !whole[at].is_ascii_alphanumeric() {
            continue;
        }
        let mut damaged = whole.clone();
        damaged[at] = if damaged[at] == b'0' { b'1' } else { b'0' };
        fs::write(folder.join(JOURNAL), &damaged).expect("written");
        let journal = Journal::resume(&folder).expect("readable").expect("there");
        assert_ne!(known(&journal), (Some('u'), Some('t'), 2), "byte {at}");
        assert_eq!(
            journal.skipped(),
            1 + usize::from(known(&journal) == (Some('u'), Some('t'), 0)),
            "byte {at}"
        );
    }
}

#[test]
fn garbage_at_the_end_or_anywhere_in_a_journal_costs_the_lines_that_it_covers_only() {
    let (_directory, folder) = written();
    let path = folder.join(JOURNAL);
    let whole = fs::read(&path).expect("there");
    let first = whole.iter().position(|&byte| byte == b'\n').expect("a header") + 1;
    for has_lines in [true, false] {
        // After the last line, garbage destroys nothing.
        fs::write(&path, [&whole[..], &garbage(has_lines)].concat()).expect("written");
        let mut journal = Journal::resume(&folder).expect("readable").expect("there");
        assert_eq!(known(&journal), (Some('u'), Some('t'), 2));
        journal.judged(&name("c"), 'i');
        drop(journal);
        let journal = Journal::resume(&folder).expect("readable").expect("there");
        assert_eq!((known(&journal), journal.verdict(&name("c"))), ((Some('u'), Some('t'), 2), Some('i')));
        assert_eq!(journal.skipped(), 0, "the garbage after the last line was removed");
        drop(journal);
        for at in (first..whole.len()).step_by(7) {
            // Before the end, it destroys one line, and the steps after a lost one.
            fs::write(&path, [&whole[..at], &garbage(has_lines), &whole[at..]].concat()).expect("written");
            let mut journal = Journal::resume(&folder).expect("readable").expect("there");
            let (a, b, steps) = known(&journal);
            let lost = usize::from(a.is_none()) + usize::from(b.is_none());
            assert!(lost <= 1 && (lost == 0 || steps == 2), "{at}: {a:?}, {b:?}, {steps} steps");
            // Later records are kept.
            journal.judged(&name("c"), 'i');
            for best in [&INPUT_TEXT[4..], &INPUT_TEXT[7..]] {
                if !journal.retake(&blake3::hash(best)) {
                    journal.step(if best.len() == INPUT_TEXT.len() - 4 {
                        step(INPUT_TEXT, 4)
                    } else {
                        step(&INPUT_TEXT[4..], 3)
                    });
                }
            }
            drop(journal);
            let found = StoredRun::look(&folder).expect("readable").expect("there");
            assert_eq!(found.content.rebuild(INPUT_TEXT, 2).as_deref(), Some(&INPUT_TEXT[7..]), "{at}");
            assert_eq!(found.content.verdict(&name("c"), 0), Some('i'), "{at}");
        }
    }
}

#[test]
fn steps_that_follow_a_lost_line_and_do_not_fit_are_dropped() {
    let (_directory, folder) = written();
    let mut journal = Journal::resume(&folder).expect("readable").expect("there");
    // A run that takes other steps first discards the recorded ones.
    journal.step(step(INPUT_TEXT, 9));
    journal.step(step(&INPUT_TEXT[9..], 2));
    journal.step(step(&INPUT_TEXT[11..], 1));
    drop(journal);
    let text = fs::read_to_string(folder.join(JOURNAL)).expect("there");
    let without: String =
        text.lines().filter(|line| !line.starts_with("{\"undone\"")).flat_map(|line| [line, "\n"]).collect();
    assert_ne!(text, without);
    fs::write(folder.join(JOURNAL), without).expect("written");
    let journal = Journal::resume(&folder).expect("readable").expect("there");
    let steps = journal.content().steps.len();
    assert_eq!(journal.content().rebuild(INPUT_TEXT, steps).as_deref(), Some(&INPUT_TEXT[7..]));
}

#[test]
fn a_journal_without_checksums_is_read_as_it_is() {
    let (_directory, folder) = written();
    let plain = |line: &String| {
        let at = line.find(",\"sum\":").expect("each line has one");
        format!("{}}}\n", &line[..at])
    };
    let text: String = lines(&folder).iter().map(plain).collect();
    fs::write(folder.join(JOURNAL), text).expect("written");
    let journal = Journal::resume(&folder).expect("readable").expect("there");
    assert_eq!((known(&journal), journal.skipped()), ((Some('u'), Some('t'), 2), 0));
}

/// Updates the checksum of each line.
fn resealed(text: &str) -> Vec<u8> {
    let seal_line = |line: &str| match line.find(",\"sum\":") {
        Some(at) => line::seal([&line[..at], "}"].concat().into_bytes()),
        None => [line, "\n"].concat().into_bytes(),
    };
    text.lines().flat_map(seal_line).collect()
}

#[test]
fn whatever_numbers_are_in_a_journal_are_read_or_are_an_error() {
    let (_directory, folder) = written();
    let text = fs::read_to_string(folder.join(JOURNAL)).expect("it is there");
    let is_digit = |at: usize| text.as_bytes()[at].is_ascii_digit();
    let starts = (1..text.len()).filter(|&at| is_digit(at) && !is_digit(at - 1));
    for start in starts {
        let end = (start..text.len()).find(|&at| !is_digit(at)).unwrap_or(text.len());
        for number in
            ["0", "1", "4294967295", "4294967296", "10000000000000", "18446744073709551615", "-1", "1e9"]
        {
            let damaged = [&text[..start], number, &text[end..]].concat();
            fs::write(folder.join(JOURNAL), resealed(&damaged)).expect("written");
            if let Ok(Some(found)) = StoredRun::look(&folder) {
                let steps = found.content.steps.len();
                for number in 0..=steps {
                    let _ = found.content.rebuild(&found.input, number);
                }
            }
        }
    }
}

#[test]
fn a_journal_of_another_format_is_refused() {
    let (_directory, folder) = written();
    let other = lines(&folder)[0].replace("\"format\":1", "\"format\":2") + "\n";
    fs::write(folder.join(JOURNAL), resealed(&other)).expect("written");
    let error = StoredRun::look(&folder).expect_err("it cannot be understood").to_string();
    assert!(
        error.contains("was written by version ") && error.ends_with(" in an unsupported format"),
        "{error}"
    );
}

#[test]
fn an_input_that_is_another_one_is_an_error() {
    let (_directory, folder) = written();
    fs::write(folder.join(INPUT), "x").expect("written");
    assert!(matches!(StoredRun::look(&folder), Err(JournalError::Input(_))));
}

#[test]
fn a_run_that_takes_another_way_leaves_the_steps_that_hold() {
    let (_directory, folder) = written();
    let mut journal = Journal::resume(&folder).expect("readable").expect("there");
    assert!(journal.retake(&blake3::hash(&INPUT_TEXT[4..])));
    assert!(!journal.retake(&blake3::hash(b"else")) && journal.is_behind());
    journal.step(step(&INPUT_TEXT[4..], 9));
    assert!(!journal.is_behind());
    drop(journal);
    let found = StoredRun::look(&folder).expect("readable").expect("there");
    assert_eq!(found.content.rebuild(&found.input, 2).expect("it fits"), &INPUT_TEXT[13..]);

    let mut journal = Journal::resume(&folder).expect("readable").expect("there");
    journal.end(End::Interrupted);
    assert_eq!(journal.content().steps.len(), 2, "an end that comes early undoes nothing");
    journal.end(End::Finished);
    drop(journal);
    let found = StoredRun::look(&folder).expect("readable").expect("there");
    assert_eq!((found.content.steps.len(), found.content.end), (0, Some(End::Finished)));
}

#[test]
fn a_verdict_that_is_asked_for_again_comes_after_the_first_one_in_each_run() {
    let (_directory, folder) = written();
    for run in 0..2 {
        let mut journal = Journal::resume(&folder).expect("readable").expect("there");
        assert_eq!(journal.verdict(&name("b")), Some('t'));
        journal.judged(&name("b"), 'x');
        journal.ask_again(&name("b"));
        assert_eq!(journal.verdict(&name("b")), (run == 1).then_some('i'));
        journal.judged(&name("b"), 'i');
        assert_eq!(journal.verdict(&name("b")), Some('i'));
    }
    let mut journal = Journal::resume(&folder).expect("readable").expect("there");
    journal.forget('t');
    assert_eq!(journal.verdict(&name("b")), Some('i'));
    drop(journal);
    let journal = Journal::resume(&folder).expect("readable").expect("there");
    assert_eq!(journal.verdict(&name("b")), Some('i'), "what is forgotten stays so");
}

#[test]
fn a_folder_is_for_one_run_at_a_time() {
    let (_directory, folder) = written();
    let journal = Journal::resume(&folder).expect("readable").expect("there");
    assert!(matches!(Journal::resume(&folder), Err(JournalError::Locked(_))));
    assert!(matches!(Journal::begin(&folder, header(), INPUT_TEXT), Err(JournalError::Locked(_))));
    assert!(StoredRun::look(&folder).expect("looking is free").is_some());
    drop(journal);
    assert!(Journal::resume(&folder).expect("readable").is_some());
}

#[test]
fn a_new_run_keeps_the_journal_before_it() {
    let (_directory, folder) = written();
    let before = lines(&folder);
    drop(Journal::begin(&folder, header(), INPUT_TEXT).expect("begun"));
    assert_eq!(lines(&folder), before[..1]);
    assert_eq!(fs::read_to_string(folder.join(OLDER)).expect("there"), before.join("\n") + "\n");
}
