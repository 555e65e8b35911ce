//! Tests the content that a journal keeps, and its reading of damaged files.

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
        pass: "delete".to_owned(),
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
    // What a machine without power leaves: a line of the right length, but of nothing.
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

#[test]
fn a_line_in_the_middle_that_makes_no_sense_is_an_error_with_its_number() {
    let (_directory, folder) = written();
    let lines = lines(&folder);
    assert_eq!(lines.len(), 5);
    for (at, wrong) in
        [(1, "{\"verd"), (2, "{\"verdict\":[\"00\",\"u\"]}"), (3, ""), (0, "{}"), (1, lines[0].as_str())]
    {
        let mut lines = lines.clone();
        wrong.clone_into(&mut lines[at]);
        fs::write(folder.join(JOURNAL), lines.join("\n") + "\n").expect("written");
        let error = Journal::resume(&folder).expect_err("it makes no sense").to_string();
        assert!(error.contains(&format!("journal.jsonl`, line {}: ", at + 1)), "{error}");
    }
    let mut missing = lines.clone();
    missing.remove(3);
    fs::write(folder.join(JOURNAL), missing.join("\n") + "\n").expect("written");
    let error = Journal::resume(&folder).expect_err("it makes no sense").to_string();
    assert!(error.ends_with("step 2 comes after step 0"), "{error}");
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
            fs::write(folder.join(JOURNAL), damaged).expect("written");
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
    fs::write(folder.join(JOURNAL), other).expect("written");
    let error = StoredRun::look(&folder).expect_err("it cannot be understood").to_string();
    assert!(error.contains("line 1: version ") && error.ends_with(" of the program wrote it"), "{error}");
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
