use super::*;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

fn root() -> Root {
    Root::make(Paths::plan(&work_root())).expect("a directory")
}

fn content<'c>(candidate: &'c [u8], surroundings: &'c Surroundings) -> Content<'c> {
    Content { name: OsStr::new("input"), candidate, mode: None, layout: Layout::File, surroundings }
}

#[test]
fn a_candidate_stands_where_it_stood_with_what_is_seen_beside_it() {
    let outside = tempfile::tempdir().expect("a directory");
    fs::write(outside.path().join("x.h"), "int x;").expect("a file");
    let root = root();
    let surroundings = Surroundings {
        directory: "pkg".into(),
        candidate: "pkg/tests".into(),
        links: vec![("pkg/inc".into(), outside.path().to_owned()), ("a/b".into(), outside.path().to_owned())],
        ..Surroundings::default()
    };
    for _ in 0..2 {
        let directory = root.begin(content(b"bytes", &surroundings)).expect("directories");
        assert_eq!(fs::read(root.paths().work().join("pkg/tests/input")).expect("the candidate"), b"bytes");
        assert_eq!(fs::read(root.paths().work().join("pkg/inc/x.h")).expect("a link"), b"int x;");
        assert!(root.paths().work().join("a/b/x.h").exists());
        drop(directory);
        assert!(!root.paths().work().exists() && outside.path().join("x.h").exists());
    }
}

#[test]
fn directories_that_the_probe_locked_are_removed() {
    let root = root();
    let directory = root.begin(content(b"", &Surroundings::default())).expect("directories");
    let deep = root.paths().work().join("a/b");
    fs::create_dir_all(&deep).expect("directories");
    fs::write(deep.join("file"), "x").expect("a file");
    for locked in [&deep, root.paths().work(), root.paths().path()] {
        fs::set_permissions(locked, Permissions::from_mode(0o500)).expect("locked");
    }
    drop(directory);
    assert!(!root.paths().work().exists() && !root.paths().tmp().exists());
    let path = root.paths().path().to_owned();
    drop(root);
    assert!(!path.exists());
}

#[test]
fn only_what_nobody_holds_is_abandoned() {
    let place = tempfile::tempdir().expect("a directory");
    let held = Root::make(Paths::plan(place.path())).expect("a directory");
    let others = ["nubbin-lab-12", "nubbin-lab-12-xyz", "nubbin-12-0123456789abcdef", "else"];
    for name in others {
        fs::create_dir(place.path().join(name)).expect("a directory");
    }
    fs::write(place.path().join("nubbin-lab-12-0123456789abcdef"), "").expect("a file");
    let link = place.path().join("nubbin-lab-13-0123456789abcdef");
    std::os::unix::fs::symlink(place.path().join("else"), link).expect("a link");
    let lost = place.path().join("nubbin-lab-14-0123456789abcdef");
    fs::create_dir_all(lost.join("work/deep")).expect("a directory");
    let found: Vec<PathBuf> =
        abandoned(place.path()).iter().map(|root| root.paths().path().to_owned()).collect();
    assert_eq!(found, [lost]);
    assert_eq!(fs::read_dir(place.path()).expect("it is there").count(), others.len() + 3);
    assert!(held.paths().path().is_dir());
}

#[test]
fn each_probe_begins_with_nothing_but_its_candidate() {
    let root = root();
    for _ in 0..2 {
        let _directory = root.begin(content(b"bytes", &Surroundings::default())).expect("directories");
        assert_eq!(fs::read(root.paths().work().join("input")).expect("it is there"), b"bytes");
        for directory in [root.paths().work(), root.paths().tmp()] {
            fs::write(directory.join("litter"), "x").expect("a file");
            assert!(fs::read_dir(directory).expect("it is there").count() <= 2);
        }
    }
}

#[test]
fn unlocking_makes_every_directory_writable_and_follows_no_link() {
    let outside = tempfile::tempdir().expect("a directory");
    fs::set_permissions(outside.path(), Permissions::from_mode(0o500)).expect("locked");
    let root = root();
    let deep = root.paths().path().join("deep");
    fs::create_dir(&deep).expect("a directory");
    std::os::unix::fs::symlink(outside.path(), root.paths().path().join("link")).expect("a link");
    fs::set_permissions(&deep, Permissions::from_mode(0o500)).expect("locked");
    Directory::open(root.paths().path()).expect("it is there").unlock();
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&deep), 0o700);
    assert_eq!(mode(outside.path()), 0o500);
}

#[test]
fn the_tail_is_the_end_of_a_file() {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(b"0123456789").expect("written");
    assert_eq!(tail(&file, 10, 3).expect("read"), b"789");
    assert_eq!(tail(&file, 10, 30).expect("read"), b"0123456789");
}

#[test]
fn whatever_a_probe_puts_in_place_of_its_directories_nothing_else_is_touched() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().expect("a directory");
    let mine = outside.path().join("input");
    let home = crate::surroundings::Home {
        from: outside.path().to_owned(),
        own: vec![".cache/x".into()],
        copied: Vec::new(),
    };
    let surroundings = Surroundings { home: Some(home), ..Surroundings::default() };
    let root = root();
    for name in ["work", "tmp", "home", "cache"] {
        fs::write(&mine, "mine").expect("a file");
        let directory = root.begin(content(b"bytes", &surroundings)).expect("directories");
        fs::rename(root.paths().path().join(name), root.paths().path().join("moved")).expect("moved");
        symlink(outside.path(), root.paths().path().join(name)).expect("a link");
        drop(directory);
        drop(root.begin(content(b"bytes", &surroundings)).expect("directories"));
        assert_eq!(fs::read(&mine).expect("it is there"), b"mine", "{name}");
        let left: Vec<_> =
            fs::read_dir(outside.path()).expect("it is there").flatten().map(|one| one.file_name()).collect();
        assert_eq!(left, ["input"], "{name}");
    }
}

#[test]
fn a_kept_directory_that_was_replaced_is_made_anew() {
    let outside = tempfile::tempdir().expect("a directory");
    fs::write(outside.path().join("a"), "mine").expect("a file");
    let item = |content: &str| archive::Item {
        path: "a".into(),
        kind: archive::Type::File,
        mode: 0o644,
        content: content.into(),
    };
    let text = |content| archive::pack(archive::ArchiveKind::Folder, &[item(content)]);
    let root = root();
    let mut kept = None;
    drop(root.begin_again(&text("1"), &mut kept).expect("directories"));
    fs::rename(root.paths().work(), root.paths().path().join("moved")).expect("moved");
    std::os::unix::fs::symlink(outside.path(), root.paths().work()).expect("a link");
    drop(root.begin_again(&text("2"), &mut kept).expect("directories"));
    assert_eq!(fs::read(outside.path().join("a")).expect("it is there"), b"mine");
    assert_eq!(fs::read(root.paths().work().join("a")).expect("it is there"), b"2");
}
