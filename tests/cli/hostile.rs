//! Oracles that try to get out (`tests/hostile`): what they are not to touch is as before, none of their processes is
//! left, and the reduction ends as if they had not tried.

use crate::harness::ignore;
use crate::sandbox::{Finished, Sandbox};
use std::fs::{self, File, Metadata};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The content of the file that has to survive.
const MINE: &str = "mine\n";

/// A directory that is none of the oracle's business.
struct Outside(tempfile::TempDir);

impl Outside {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        fs::write(directory.path().join("bug.txt"), MINE).expect("written");
        fs::write(directory.path().join("alive"), "").expect("written");
        Self(directory)
    }

    /// All that could have changed about what is in it, and about it.
    fn state(&self) -> Vec<(PathBuf, u32, u32, i64, u64)> {
        let of = |path: &Path, found: &Metadata| {
            (path.to_owned(), found.mode(), found.uid(), found.mtime(), found.len())
        };
        let entries = fs::read_dir(self.0.path()).expect("it is there").flatten().map(|entry| entry.path());
        let mut all: Vec<PathBuf> = entries.chain([self.0.path().to_owned()]).collect();
        all.sort();
        all.iter().map(|path| of(path, &fs::symlink_metadata(path).expect("it is there"))).collect()
    }

    /// That no process of the oracle's is left: each of them holds a lock.
    #[track_caller]
    fn assert_alone(&self, name: &str) {
        let alive = File::open(self.0.path().join("alive")).expect("it is there");
        crate::alive::wait_until(&format!("the end of what `{name}` has left"), || {
            rustix::fs::flock(&alive, rustix::fs::FlockOperation::NonBlockingLockExclusive).is_ok()
        });
    }
}

/// Runs a hostile oracle, of which the attack comes after the verdict is known.
fn attack(name: &str, outside: &Outside) -> (Sandbox, Finished) {
    let body = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile").join(name));
    let script = format!(
        "#!/bin/sh\nexport OUT='{}'\ngrep -q needle \"$1\"\nverdict=$?\nexec 8<\"$OUT/alive\"\nflock -s 8\n{{\n{}\n}} \
         >log 2>&1\nexit $verdict\n",
        outside.0.path().display(),
        body.expect("it is there")
    );
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nneedle\ntwo\n");
    let oracle = sandbox.file("oracle.sh", script);
    fs::set_permissions(oracle, fs::Permissions::from_mode(0o755)).expect("set");
    let run = sandbox.nubbin_confined(&["-j", "2", "--timeout", "20", "./oracle.sh", "bug.txt"]);
    (sandbox, run)
}

#[apply(test)]
fn no_oracle_gets_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile");
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("it is there")
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    let machine = |name: &str| fs::metadata(name).expect("it is there").mode();
    let devices = ["/dev/null", "/dev/zero", "/dev/full"];
    let before = devices.map(machine);
    for name in names {
        let outside = Outside::new();
        let state = outside.state();
        let (sandbox, run) = attack(&name, &outside);
        if run.stderr.contains("cannot be confined") {
            ignore(format!("needs namespaces or Landlock: {}", run.stderr.trim()));
        }
        assert_eq!(outside.state(), state, "{name}: {}", run.stderr);
        assert_eq!(
            fs::read_to_string(outside.0.path().join("bug.txt")).expect("it is there"),
            MINE,
            "{name}"
        );
        outside.assert_alone(&name);
        assert_eq!(run.code(), 0, "{name}: {}", run.stderr);
        assert_eq!(sandbox.read("bug.reduced.txt"), "needle", "{name}");
        assert_eq!(devices.map(machine), before, "{name}");
    }
}

#[apply(test)]
fn what_the_shell_had_open_does_not_reach_the_oracle() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nneedle\n");
    sandbox.file("held", MINE);
    sandbox.oracle("oracle.sh", "echo x >&9; grep -q needle \"$1\"");
    let program = env!("CARGO_BIN_EXE_nubbin");
    let line = format!("exec 9>>held; '{program}' ./oracle.sh bug.txt");
    let run = sandbox.run("sh", &["-c", &line]);
    assert_eq!(sandbox.read("held"), MINE, "{run:?}");
}
