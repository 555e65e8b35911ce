use super::*;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;

fn file(content: &str) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("bug.c");
    fs::write(&path, content).expect("written");
    (directory, path)
}

fn names(directory: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(directory).expect("it is there");
    let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    names
}

#[test]
fn the_output_stands_beside_the_input() {
    for (input, output) in [
        ("a/bug.c", "a/bug.reduced.c"),
        ("bug", "bug.reduced"),
        ("bug.tar.gz", "bug.tar.reduced.gz"),
        (".profile", ".profile.reduced"),
    ] {
        assert_eq!(reduced_name(Path::new(input)), Path::new(output));
    }
}

#[test]
fn a_saved_best_has_the_permissions_of_the_input_and_leaves_nothing_beside_it() {
    let (directory, input) = file("whole");
    fs::set_permissions(&input, Permissions::from_mode(0o754)).expect("set");
    let output = reduced_name(&input);
    let mut best = BestFile::file(&output, Some(&input)).expect("it can be made");
    best.check().expect("it can be written");
    assert_eq!(names(directory.path()), ["bug.c"]);
    for content in [b"half".as_slice(), b"h"] {
        best.save(content).expect("written");
        assert_eq!(fs::read(&output).expect("it is there"), content);
    }
    best.finish(b"h").expect("nothing to do");
    assert_eq!(names(directory.path()), ["bug.c", "bug.reduced.c"]);
    assert_eq!(fs::metadata(&output).expect("it is there").permissions().mode() & 0o777, 0o754);
    assert_eq!(fs::read(&input).expect("it is there"), b"whole");
}

#[test]
fn an_input_in_place_is_backed_up_once_and_only_when_it_is_replaced() {
    let (directory, input) = file("whole");
    let mut best = BestFile::in_place(&input, b"whole").expect("it is there");
    best.check().expect("it can be written");
    best.finish(b"whole").expect("nothing to do");
    assert_eq!(names(directory.path()), ["bug.c"]);
    best.save(b"half").expect("written");
    best.save(b"h").expect("written");
    assert_eq!(names(directory.path()), ["bug.c", "bug.c.orig"]);
    assert_eq!(fs::read(best.backup().expect("it was made")).expect("it is there"), b"whole");
    assert_eq!(fs::read(&input).expect("it is there"), b"h");
}

#[test]
fn a_link_is_replaced_and_not_followed() {
    let (directory, input) = file("whole");
    let link = directory.path().join("link.c");
    let link_again = || {
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(&input, &link).expect("a link");
    };
    link_again();
    let mut best = BestFile::in_place(&link, b"whole").expect("it is there");
    best.save(b"h").expect("written");
    assert_eq!(fs::read(best.backup().expect("it was made")).expect("it is there"), b"whole");
    drop(best);
    for is_reduced in [true, false] {
        link_again();
        let mut best = BestFile::file(&link, None).expect("it can be made");
        best.check().expect("it can be written");
        assert_eq!(best.spare(&|_| false), [], "nothing of the user's is replaced");
        if is_reduced {
            best.save(b"h").expect("written");
        }
        best.finish(b"whole").expect("written");
        assert!(!fs::symlink_metadata(&link).expect("it is there").is_symlink());
        assert_eq!(fs::read(&link).expect("it is there"), b"whole");
    }
    assert_eq!(fs::read(&input).expect("it is there"), b"whole");
}

#[test]
fn a_link_to_a_directory_is_replaced_and_the_directory_left() {
    let (directory, input) = file("whole");
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(directory.path(), &link).expect("a link");
    let archive = crate::input::read_files(std::slice::from_ref(&input)).expect("packed");
    let mut best = BestFile::folder(&link, None, None).expect("it can be made");
    best.save(&archive).expect("written");
    assert_eq!(names(&link), ["bug.c"]);
    assert_eq!(names(directory.path()), ["bug.c", "link"]);
    assert!(!fs::symlink_metadata(&link).expect("it is there").is_symlink());
}

#[test]
fn a_file_that_others_may_not_read_stays_so() {
    let (directory, _) = file("whole");
    let path = directory.path().join("mine");
    fs::write(&path, "mine").expect("written");
    fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("set");
    let mut best = BestFile::file(&path, None).expect("it can be made");
    assert_eq!(best.spare(&|_| false).len(), 1);
    best.save(b"h").expect("written");
    assert_eq!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_device_is_written_to_and_not_replaced() {
    let mut best = BestFile::file(Path::new("/dev/null"), None).expect("it is there");
    best.check().expect("it can be written");
    best.save(b"half").expect("nothing to do");
    best.finish(b"h").expect("written");
    assert!(!fs::metadata("/dev/null").expect("it is there").is_file());
}

#[test]
fn an_output_that_cannot_be_written_is_found_before_anything_else() {
    let (directory, input) = file("whole");
    assert!(BestFile::file(directory.path(), None).is_err());
    let mut missing = BestFile::file(&directory.path().join("no/such/x"), Some(&input)).expect("not yet");
    let message = missing.check().expect_err("there is no directory").to_string();
    assert!(message.contains("no/such/x"), "{message}");
}

#[test]
fn an_input_in_place_that_somebody_else_changes_or_removes_is_left_alone() {
    let (_directory, input) = file("whole");
    let mut best = BestFile::in_place(&input, b"whole").expect("it is there");
    best.save(b"half").expect("written");
    fs::write(&input, "changed").expect("written");
    assert!(matches!(best.save(b"h"), Err(Error::Changed(_))));
    assert!(matches!(best.finish(b"h"), Err(Error::Changed(_))));
    assert_eq!(fs::read(&input).expect("it is there"), b"changed");
    fs::remove_file(&input).expect("removed");
    assert!(matches!(best.save(b"h"), Err(Error::Vanished(_))));
    assert!(!input.exists());
}

#[test]
fn an_earlier_run_is_gone_on_from_without_touching_what_it_left() {
    let (directory, input) = file("whole");
    let mut first = BestFile::in_place(&input, b"whole").expect("it is there");
    first.save(b"half").expect("written");
    let mut second = BestFile::in_place(&input, b"half").expect("it is there");
    second.resume(b"whole", Some(b"half")).expect("nothing to do");
    second.save(b"h").expect("written");
    assert_eq!(names(directory.path()), ["bug.c", "bug.c.orig"]);
    assert_eq!(fs::read(second.backup().expect("found again")).expect("it is there"), b"whole");

    let output = directory.path().join("out");
    let mut third = BestFile::file(&output, None).expect("not there yet");
    assert_eq!(third.resume(b"whole", Some(b"half")).expect("written"), Some(blake3::hash(b"half")));
    assert_eq!(fs::read(&output).expect("it is there again"), b"half");
    fs::write(&output, "changed").expect("written");
    let mut fourth = BestFile::file(&output, None).expect("it is there");
    assert_eq!(fourth.resume(b"whole", Some(b"half")).expect("left alone"), Some(blake3::hash(b"changed")));
    assert_eq!(fs::read(&output).expect("it is there"), b"changed");
    fourth.finish(b"half").expect("written");
    assert_eq!(fs::read(&output).expect("it is there"), b"half");
}

#[test]
fn a_free_name_is_not_that_of_a_broken_link() {
    let (directory, input) = file("whole");
    std::os::unix::fs::symlink("nowhere", directory.path().join("bug.c.1")).expect("a link");
    assert_eq!(free_name(&input), directory.path().join("bug.c.2"));
    assert_eq!(free_name(&directory.path().join("new")), directory.path().join("new"));
}
