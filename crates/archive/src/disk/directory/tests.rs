use super::*;
use std::fs;
use std::os::unix::fs::symlink;

fn place() -> (tempfile::TempDir, Directory) {
    let place = tempfile::tempdir().expect("a directory");
    let directory = Directory::open(place.path()).expect("it is there");
    (place, directory)
}

/// The two implementations of opening a path: the system call, and its emulation.
type Open = fn(&Directory, &Path, OFlags) -> io::Result<OwnedFd>;
const WAYS: [Open; 2] = [
    |directory, path, flags| directory.open_below(path, flags, Mode::empty()),
    |directory, path, flags| directory.step_below(path, flags, Mode::empty()),
];

#[test]
fn no_path_leads_out_and_no_link_is_followed() {
    let outside = tempfile::tempdir().expect("a directory");
    fs::write(outside.path().join("file"), "mine").expect("a file");
    let (at, directory) = place();
    fs::create_dir_all(at.path().join("a/b")).expect("a directory");
    fs::write(at.path().join("a/b/file"), "own").expect("a file");
    symlink(outside.path(), at.path().join("link")).expect("a link");
    symlink("a", at.path().join("near")).expect("a link");
    for open in WAYS {
        assert!(open(&directory, Path::new("a/b/file"), OFlags::RDONLY).is_ok());
        assert!(
            open(&directory, Path::new("a/b"), ENTER).is_ok()
                && open(&directory, Path::new("."), ENTER).is_ok()
        );
        let absolute = outside.path().join("file");
        let ways_out = ["link/file", "near/b/file", "../x", "a/../../x", "link", "a/../a/b/file/../../../.."];
        for path in ways_out.map(Path::new).into_iter().chain([absolute.as_path()]) {
            assert!(open(&directory, path, OFlags::RDONLY | OFlags::NOFOLLOW).is_err(), "{}", path.display());
        }
    }
    for path in ["link/file", "link/new", "link"] {
        assert!(directory.write_new(Path::new(path), b"x", 0o600).is_err(), "{path}");
    }
    assert!(
        directory.make(Path::new("link/new")).is_err()
            && directory.make_all(Path::new("link/new/deep")).is_err()
    );
    assert!(directory.remove_file(Path::new("link/file")).is_err());
    directory.clear(Path::new("link")).expect("the link itself goes");
    assert!(!at.path().join("link").is_symlink());
    assert_eq!(fs::read(outside.path().join("file")).expect("it is there"), b"mine");
}

#[test]
fn a_directory_that_was_moved_is_still_the_same_one() {
    let (at, directory) = place();
    fs::create_dir(at.path().join("work")).expect("a directory");
    let work = directory.enter(Path::new("work")).expect("it is there");
    fs::rename(at.path().join("work"), at.path().join("other")).expect("moved");
    symlink("/", at.path().join("work")).expect("a link");
    work.write_new(Path::new("file"), b"x", 0o600).expect("a file");
    assert!(at.path().join("other/file").exists());
    directory.clear(Path::new("work")).expect("the link itself goes");
    directory.clear(Path::new("nothing")).expect("there is nothing");
    assert_eq!(directory.names().expect("a list"), ["other"]);
}

#[test]
fn whatever_is_in_it_is_removed() {
    let (at, directory) = place();
    // Deeper than the number of available descriptors, and than the maximum length of a path.
    let mut deep = directory.enter(Path::new("")).expect("itself");
    for depth in 0..3000 {
        let name = Path::new("a-name-of-some-length");
        deep.make(name).expect("a directory");
        if depth % 100 == 0 {
            deep.write_new(Path::new(".1"), b"x", 0o400).expect("a file");
        }
        deep = deep.enter(name).expect("it is there");
    }
    drop(deep);
    for wide in 0..50 {
        fs::create_dir_all(at.path().join(format!("{wide}/.{wide:x}/x"))).expect("a directory");
    }
    for locked in ["7/.7", "7", "8"] {
        fs::set_permissions(at.path().join(locked), Permissions::from_mode(0o000)).expect("locked");
    }
    directory.clear(Path::new("8")).expect("it can be removed");
    assert!(!at.path().join("8").exists());
    directory.empty().expect("all of it can be removed");
    assert_eq!(fs::read_dir(at.path()).expect("it is there").count(), 0);
}
