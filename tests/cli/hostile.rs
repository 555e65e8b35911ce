//! Oracles that try to escape (`tests/hostile`): protected files are unchanged, no process is left, and the
//! reduction ends as if they had not tried.

use crate::harness::ignore;
use crate::sandbox::{Finished, Sandbox};
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The content of the file that must survive.
const MINE: &str = "mine\n";

/// The user for the tests if they are started as root but need another user.
const NOBODY: u32 = 65534;

/// A directory that the oracle must not touch, and one in which it reports what it could do.
pub struct Outside(tempfile::TempDir);

impl Outside {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let outside = Self(directory);
        for name in ["mine", "done"] {
            fs::create_dir(outside.path(name)).expect("made");
        }
        fs::write(outside.path("mine/bug.txt"), MINE).expect("written");
        fs::write(outside.path("mine/alive"), "").expect("written");
        outside
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns everything that could have changed about the directory and its contents.
    pub fn state(&self) -> Vec<(PathBuf, u32, u32, i64, u64)> {
        let of = |path: &Path| {
            let found = fs::symlink_metadata(path).expect("it is there");
            // The size of a directory depends on the file system.
            let size = if found.is_dir() { 0 } else { found.len() };
            (path.to_owned(), found.mode(), found.uid(), found.mtime(), size)
        };
        let inside = |name: &str| fs::read_dir(self.path(name)).expect("it is there").flatten();
        let mut all: Vec<PathBuf> =
            ["", "mine", "done"].iter().flat_map(|name| inside(name)).map(|entry| entry.path()).collect();
        all.sort();
        all.iter().map(|path| of(path)).collect()
    }

    /// Asserts that no process of the oracle is left: each of them holds a lock.
    #[track_caller]
    pub fn assert_alone(&self, name: &str) {
        let alive = File::open(self.path("mine/alive")).expect("it is there");
        crate::alive::wait_until(&format!("the end of what `{name}` has left"), || {
            rustix::fs::flock(&alive, rustix::fs::FlockOperation::NonBlockingLockExclusive).is_ok()
        });
    }
}

/// Changes the owner of everything in a directory.
fn give(directory: &Path, user: u32) {
    std::os::unix::fs::lchown(directory, Some(user), Some(user)).expect("root may");
    for entry in fs::read_dir(directory).expect("it is there").flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            give(&entry.path(), user);
        } else {
            std::os::unix::fs::lchown(entry.path(), Some(user), Some(user)).expect("root may");
        }
    }
}

/// Runs the program as if the kernel lacked a feature (`tests/support/without.py`).
fn run_without(feature: &str, sandbox: &Sandbox, arguments: &[&str]) -> Finished {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = manifest.join("tests/support/without.py");
    let words = [script.to_str().expect("text"), feature, env!("CARGO_BIN_EXE_nubbin")];
    let run = sandbox.run("python3", &[&words, arguments].concat());
    if run.code() == 77 {
        ignore("needs Python, and seccomp for a machine that it knows");
    }
    run
}

/// Runs a hostile oracle whose attack starts after the verdict is known.
fn attack(feature: &str, body: &str, outside: &Outside) -> (Sandbox, Finished) {
    let (mine, done) = (outside.path("mine"), outside.path("done"));
    let script = format!(
        "#!/bin/sh\nexport OUT='{}' DONE='{}'\ngrep -q N \"$1\"\nverdict=$?\nexec 8<\"$OUT/alive\"\n\
         flock -s 8\n{{\n{body}\n}} >log 2>&1\nexit $verdict\n",
        mine.display(),
        done.display(),
    );
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nN\n");
    let oracle = sandbox.file("oracle.sh", &script);
    fs::set_permissions(oracle, fs::Permissions::from_mode(0o755)).expect("set");
    if feature == "root" {
        give(&sandbox.path(""), NOBODY);
        give(outside.0.path(), NOBODY);
    }
    let before = outside.state();
    let writable = done.to_str().expect("text");
    let arguments = ["-j", "2", "--timeout", "20", "--writable", writable, "./oracle.sh", "bug.txt"];
    let run = run_without(feature, &sandbox, &arguments);
    assert_eq!(outside.state(), before, "{body}: {}", run.stderr);
    assert_eq!(fs::read_to_string(mine.join("bug.txt")).expect("it is there"), MINE, "{body}");
    assert_eq!(sandbox.read("oracle.sh"), script);
    assert_eq!(sandbox.read("bug.txt"), "one\nN\n", "{body}");
    (sandbox, run)
}

/// Runs an attack in a container without any other protection (`tests/support/control.py`), and returns what
/// it did; `None` if containers are not available. `more` contains variables and their values.
pub fn control(body: &str, outside: &Outside, more: &[&str]) -> Option<String> {
    let file = outside.path("attack");
    fs::write(&file, body).expect("written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/control.py");
    let (mine, done) = (outside.path("mine"), outside.path("done"));
    let run = Command::new("python3").arg(script).args([&file, &mine, &done]).args(more).output();
    let run = run.expect("Python runs");
    fs::remove_file(file).expect("removed");
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(matches!(run.status.code(), Some(0 | 77)), "{said}{}", String::from_utf8_lossy(&run.stderr));
    (run.status.code() == Some(0)).then_some(said)
}

/// Runs a hostile oracle whose verdict may be lost, and checks nothing.
pub fn as_nobody_cares(body: &str, outside: &Outside) -> (Sandbox, Finished) {
    let script = format!(
        "#!/bin/sh\nexport DONE='{}'\nexec 8<'{}'\nflock -s 8\n{body}grep -q N \"$1\"\n",
        outside.path("done").display(),
        outside.path("mine/alive").display(),
    );
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nN\n");
    let oracle = sandbox.file("oracle.sh", script);
    fs::set_permissions(oracle, fs::Permissions::from_mode(0o755)).expect("set");
    let writable = outside.path("done");
    let words = ["-j", "2", "--writable", writable.to_str().expect("text"), "./oracle.sh", "bug.txt"];
    let run = sandbox.nubbin_confined(&words);
    (sandbox, run)
}

/// The prefixes of lines that report what an attack did.
const DEEDS: [&str; 11] = [
    "outside: ",
    "marks: ",
    "its directory: ",
    "the case: ",
    "its supervisor ",
    "devices are others",
    "memory is left",
    "the machine has another name",
    "control groups are made",
    "processes are left: ",
    "it does not end",
];

#[apply(test)]
fn every_attack_succeeds_without_protection() {
    for oracle in oracles() {
        let body = fs::read_to_string(&oracle).expect("it is there");
        let outside = Outside::new();
        let Some(done) = control(&body, &outside, &[]) else { ignore("needs root, and namespaces") };
        let is_deed = |line: &str| DEEDS.iter().any(|deed| line.starts_with(deed));
        assert!(done.lines().any(is_deed), "{}: {done}", oracle.display());
    }
}

#[apply(test)]
fn an_unreadable_attack_does_nothing() {
    let outside = Outside::new();
    let Some(done) = control("python3 -c 'import no_such_module'; no-such-program", &outside, &[]) else {
        ignore("needs root, and namespaces");
    };
    assert_eq!(done.trim(), "");
}

/// Returns the hostile oracles, in order.
fn oracles() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile");
    let entries = fs::read_dir(folder).expect("it is there").flatten();
    let mut oracles: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    oracles.sort();
    oracles
}

/// Runs all hostile oracles on a kernel that lacks a feature.
fn attack_all(feature: &str) {
    if feature == "root" && !rustix::process::geteuid().is_root() {
        ignore("needs root, who is somebody else here");
    }
    let probe = Sandbox::new();
    probe.file("bug.txt", "N\n");
    if feature == "root" {
        give(&probe.path(""), NOBODY);
    }
    // Without filters the sandbox is refused, although it is sufficient for these oracles.
    let asked = if feature == "filters" { "nothing" } else { feature };
    let strict = run_without(asked, &probe, &["--sandbox", "strict", "grep -q N", "bug.txt"]);
    if strict.code() != 0 {
        // Some of them would kill the process that runs them.
        ignore(format!("needs namespaces, or Landlock of Linux 6.12: {}", strict.stderr.trim()));
    }
    let machine = |name: &str| fs::metadata(name).expect("it is there").mode();
    let devices = ["/dev/null", "/dev/zero", "/dev/full"];
    let before = devices.map(machine);
    // The first line of some oracles lists the attacks that succeed without the feature.
    let gone = match feature {
        "namespaces" | "mounts" | "overlays" => "# Without namespaces",
        "filters" => "# Without filters",
        _ => "# Without anything",
    };
    for oracle in oracles() {
        let body = fs::read_to_string(&oracle).expect("it is there");
        if body.starts_with(gone) {
            continue;
        }
        let name = oracle.display().to_string();
        let outside = Outside::new();
        let (sandbox, run) = attack(feature, &body, &outside);
        outside.assert_alone(&name);
        assert_eq!(run.code(), 0, "{name}: {}", run.stderr);
        assert_eq!(sandbox.read("bug.reduced.txt"), "N", "{name}");
        assert_eq!(devices.map(machine), before, "{name}");
    }
}

#[apply(test)]
fn no_oracle_escapes() {
    attack_all("nothing");
}

#[apply(test)]
fn no_oracle_escapes_without_landlock() {
    attack_all("landlock");
}

#[apply(test)]
fn no_oracle_escapes_without_namespaces() {
    attack_all("namespaces");
}

#[apply(test)]
fn no_oracle_escapes_without_the_newer_mount_calls() {
    attack_all("mounts");
}

#[apply(test)]
fn no_oracle_escapes_without_private_file_systems() {
    attack_all("overlays");
}

#[apply(test)]
fn no_oracle_escapes_without_the_newer_file_and_process_calls() {
    attack_all("calls");
}

#[apply(test)]
fn no_oracle_escapes_without_seccomp_notifications() {
    attack_all("filters");
}

#[apply(test)]
fn no_oracle_escapes_from_an_unprivileged_run() {
    attack_all("root");
}

#[apply(test)]
fn nothing_runs_without_file_protection() {
    let outside = Outside::new();
    let (sandbox, run) = attack("both", "echo x >\"$OUT/bug.txt\"", &outside);
    assert_eq!(run.code(), 5, "{run:?}");
    assert!(
        run.stderr.contains("cannot confine the oracle") && run.stderr.contains("`--sandbox off`"),
        "{run:?}"
    );
    assert!(!sandbox.has("bug.reduced.txt"));
}

#[apply(test)]
fn open_files_of_the_shell_are_not_inherited_by_the_oracle() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nN\n");
    sandbox.file("held", MINE);
    sandbox.oracle("oracle.sh", "echo x >&9; grep -q N \"$1\"");
    let program = env!("CARGO_BIN_EXE_nubbin");
    let line = format!("exec 9>>held; '{program}' ./oracle.sh bug.txt");
    let run = sandbox.run("sh", &["-c", &line]);
    assert_eq!(sandbox.read("held"), MINE, "{run:?}");
}

#[apply(test)]
fn a_compiler_run_by_root_can_replace_the_null_device() {
    if !rustix::process::geteuid().is_root() {
        ignore("needs root, who may replace devices");
    }
    let machine = || fs::metadata("/dev/null").map(|found| found.mode()).expect("it is there");
    let before = machine();
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nN\n");
    // What rustc does with `-o /dev/null`: it writes into a directory next to it, and renames.
    let build =
        "mkdir /dev/rmeta && cp \"$1\" /dev/rmeta/out && mv -f /dev/rmeta/out /dev/null && rmdir /dev/rmeta";
    sandbox.oracle("oracle.sh", &format!("{build} && test -c /dev/zero && grep -q N \"$1\""));
    let private = sandbox.nubbin(&["--sandbox", "private", "-o", "other.txt", "grep -q N", "bug.txt"]);
    if private.code() == 5 {
        ignore(format!("needs namespaces: {}", private.stderr.trim()));
    }
    let run = sandbox.nubbin(&["./oracle.sh", "bug.txt"]);
    assert_eq!(machine(), before);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt"), "N");
}
