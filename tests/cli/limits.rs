//! Options of the sandbox and the limits: the defaults, exceptions from them, and what is refused.

use crate::harness::ignore;
use crate::sandbox::Sandbox;
use crate::tools;
use std::net::TcpListener;
use std::thread;

/// Creates a script that deletes a file elsewhere if its first line is removed, and an oracle that runs it.
///
/// The name of the file is in the oracle, so that no candidate of the script can delete another file.
fn dangerous() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("precious", "x");
    sandbox.file("bug.txt", "test -d no-such-place || return\ncleanup\necho needle\n");
    let body = format!(
        "cleanup() {{ rm -f '{}'; }}\n(. \"$1\") >/dev/null 2>&1\ngrep -q cleanup \"$1\" && grep -q needle \"$1\"",
        sandbox.path("precious").display()
    );
    sandbox.oracle("oracle.sh", &body);
    sandbox
}

#[apply(test)]
fn a_reduced_script_that_deletes_a_file_elsewhere_does_not_delete_it() {
    let sandbox = dangerous();
    sandbox.needs_confinement();
    let run = sandbox.nubbin_confined(&["./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("precious"), "x");
    assert!(!sandbox.read("bug.reduced.txt").contains("return"), "the line that guards it is gone");
    let run = sandbox.nubbin_confined(&["--sandbox", "off", "-o", "off.txt", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(!sandbox.has("precious"), "without the sandbox it is deleted: the test can fail");
}

#[apply(test)]
fn without_network_the_oracle_cannot_reach_a_port() {
    tools::program("python3");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("it has one").port();
    thread::spawn(move || listener.incoming().for_each(drop));
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nneedle\n");
    let connect = format!("import socket; socket.create_connection((\"127.0.0.1\", {port}), 5)");
    sandbox.oracle("oracle.sh", &format!("python3 -S -c '{connect}' 2>/dev/null && grep -q needle \"$1\""));
    let run = sandbox.nubbin(&["./oracle.sh", "bug.txt"]);
    assert_eq!((run.code(), sandbox.read("bug.reduced.txt").as_str()), (0, "needle"), "{run:?}");
    let run = sandbox.nubbin(&["--sandbox", "no-network", "./oracle.sh", "bug.txt"]);
    if run.code() == 5 && run.stderr.contains("confine") {
        ignore(format!("needs a network that can be taken away: {}", run.stderr.trim()));
    }
    assert_eq!(run.code(), 3, "{run:?}");
    assert!(run.stderr.contains("on the unreduced input; nothing was changed"), "{run:?}");
}

#[apply(test)]
fn without_network_accessible_sockets_are_reported() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nneedle\n");
    let _listener = std::os::unix::net::UnixListener::bind(sandbox.path("agent")).expect("a socket");
    let run = sandbox.nubbin_confined(&["--sandbox", "no-network", "grep -q needle", "bug.txt"]);
    if run.code() == 5 && run.stderr.contains("confine") {
        ignore(format!("needs a network that can be taken away: {}", run.stderr.trim()));
    }
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("note: without network, the test can still access "), "{run:?}");
    assert!(run.stderr.contains("`--sandbox private`"), "{run:?}");
}

#[apply(test)]
fn private_files_are_invisible_unless_the_command_names_them() {
    let (home, sandbox) = (Sandbox::new(), Sandbox::new());
    home.file("secret", "x\n");
    home.file("bug.txt", "one\nneedle\n");
    home.file("oracle.sh", "#!/bin/sh\ngrep -q needle \"$1\" && ! test -e \"$HOME/secret\"\n");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(home.path("oracle.sh"), executable).expect("set");
    let place = home.path("");
    let [oracle, input] = ["oracle.sh", "bug.txt"].map(|name| home.path(name));
    let line = |options: &str| {
        format!(
            "exec env HOME='{}' '{}' {options} -o out.txt '{}' '{}'",
            place.display(),
            env!("CARGO_BIN_EXE_nubbin"),
            oracle.display(),
            input.display()
        )
    };
    let run = sandbox.run("sh", &["-c", &line("")]);
    assert_eq!(run.code(), 3, "it is seen: {run:?}");
    let run = sandbox.run("sh", &["-c", &line("--sandbox private")]);
    if run.code() == 5 {
        ignore(format!("needs namespaces: {}", run.stderr.trim()));
    }
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("out.txt").trim(), "needle");
    let run = sandbox.run("sh", &["-c", &line("--sandbox private --sandbox off")]);
    assert_eq!(run.code(), 2, "{run:?}");
}

#[apply(test)]
fn an_oracle_that_writes_elsewhere_is_distinguished_from_a_passing_input() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nneedle\n");
    sandbox.file("log", "");
    sandbox.oracle("oracle.sh", "(echo x >>\"${0%/*}/log\") && grep -q needle \"$1\"");
    sandbox
        .oracle("tool.sh", "(echo x >>\"${0%/*}/log\") || exit 9; grep -q needle \"$1\" && exit 7; exit 0");
    sandbox.needs_confinement();
    for words in [["./oracle.sh", "bug.txt"].as_slice(), &["bug.txt", "--", "./tool.sh"]] {
        let run = sandbox.nubbin_confined(words);
        assert_eq!(run.code(), 5, "{run:?}");
        for text in
            ["the sandbox prevented `", "` from writing to `", "`--writable DIR`", "`--sandbox off`", "  | "]
        {
            assert!(run.stderr.contains(text), "{text}: {run:?}");
        }
        assert!(!sandbox.has("bug.reduced.txt"));
        for options in [["--writable", "."].as_slice(), &["--sandbox=off"], &["--writable=log"]] {
            let run = sandbox.nubbin_confined(&[options, words].concat());
            assert_eq!(run.code(), 0, "{run:?}");
        }
        std::fs::remove_file(sandbox.path("bug.reduced.txt")).expect("it was written");
    }
}

#[apply(test)]
fn a_log_named_in_the_script_can_only_be_appended_to() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nneedle\n");
    sandbox.file("calls", "");
    sandbox.file("log", "kept\n");
    let log = sandbox.path("log");
    let wipe =
        format!("(: >'{0}'; rm '{0}') 2>/dev/null; echo x >>'{0}'; grep -q needle \"$1\"", log.display());
    sandbox.oracle("oracle.sh", &wipe);
    sandbox.needs_confinement();
    let run = sandbox.nubbin_confined(&["./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(!run.stderr.contains("refused"), "{run:?}");
    let said = sandbox.read("log");
    assert!(said.starts_with("kept\nx\n"), "{said}");
    assert_eq!(said.lines().count() - 1, sandbox.calls(), "{said}");
}

#[apply(test)]
fn the_memory_limit_is_lifted_for_an_input_that_needs_more() {
    let sandbox = Sandbox::new();
    let reserve = "import mmap,sys\nif 'needle' in open(sys.argv[1]).read():\n  mmap.mmap(-1, 1 << 40, flags=0x4022, prot=0)\n  sys.exit(7)\n";
    sandbox.file("reserve.py", reserve);
    sandbox.file("bug.txt", "one\nneedle\n");
    let words = ["bug.txt", "--", "python3", "-S", "reserve.py"];
    let run = sandbox.nubbin(&[["--limit", "memory=none"].as_slice(), &words].concat());
    if run.code() != 0 {
        ignore(format!("needs 1 TiB of address space: {}", run.stderr.trim()));
    }
    assert!(!run.stderr.contains("memory is not limited"), "{run:?}");
    let run = sandbox.nubbin(&words);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(
        run.stderr.contains("note: memory is not limited") && run.stderr.contains("`--limit memory=SIZE`"),
        "{run:?}"
    );
    assert_eq!(sandbox.read("bug.reduced.txt").trim(), "needle");
    let run = sandbox.nubbin(&[["--limit", "memory=1G", "--exit-code", "7"].as_slice(), &words].concat());
    assert_eq!(run.code(), 3, "what is asked for stays: {run:?}");
}

#[apply(test)]
fn the_output_limit_holds_in_the_first_run_and_grows_for_an_input_that_needs_more() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nneedle\n");
    sandbox.file("log", "");
    sandbox
        .oracle("oracle.sh", "truncate -s 300M big; stat -c %s big >>\"${0%/*}/log\"; grep -q needle \"$1\"");
    let run = sandbox.nubbin(&["--writable", ".", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let sizes = sandbox.read("log");
    assert!(!sizes.is_empty() && sizes.lines().all(|size| size == "0"), "{sizes}");

    let needs = "import sys\nif 'needle' in open(sys.argv[1]).read():\n  open('big', 'wb').truncate(300 << 20)\n  sys.exit(7)\n";
    sandbox.file("needs.py", needs);
    let words = ["bug.txt", "--", "python3", "-S", "needs.py"];
    let run = sandbox.nubbin(&[["-o", "other.txt"].as_slice(), &words].concat());
    assert_eq!(run.code(), 0, "{run:?}");
    let note = "note: the output limit is 1,073 MB: the unreduced input needs more than the default of 268 MB; \
                set another limit with `--limit output=SIZE`";
    assert!(run.stderr.contains(note), "{run:?}");
    assert_eq!(sandbox.read("other.txt").trim(), "needle");
}

#[apply(test)]
fn too_few_processes_are_reported_with_the_option() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nneedle\n");
    sandbox.oracle("oracle.sh", "sleep 0.5; grep -q needle \"$1\"; found=$?; sleep 0.1; exit $found");
    let run = sandbox.nubbin(&["--limit", "processes=1", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 3, "{run:?}");
    assert!(run.stderr.contains("exceeded the process limit on the unreduced input"), "{run:?}");
    assert!(run.stderr.contains("hint: raise the limit with `--limit processes=N`"), "{run:?}");
}

#[apply(test)]
fn an_invalid_time_or_size_is_refused_with_the_reason() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nneedle\n");
    for (option, value, reason) in [
        ("--timeout", "inf", "longer than ten years"),
        ("--timeout", "NaN", "not a number"),
        ("--timeout", "0", "more than 0"),
        ("--limit", "memory=99999999999T", "more than any machine has"),
        ("--limit", "output=NaN", "not a size"),
    ] {
        let run = sandbox.nubbin(&[option, value, "grep -q needle", "bug.txt"]);
        assert!(run.code() == 2 && run.stderr.contains(reason), "{run:?}");
    }
}

#[apply(test)]
fn without_proc_the_error_suggests_what_to_mount() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nneedle\n");
    let line = format!(
        "mount -t tmpfs none /proc && exec '{}' --no-config 'grep -q needle' bug.txt",
        env!("CARGO_BIN_EXE_nubbin")
    );
    let run = sandbox.run("unshare", &["-Urm", "sh", "-c", &line]);
    if [1, 32].contains(&run.code()) {
        ignore(format!("needs namespaces: {}", run.stderr.trim()));
    }
    assert_eq!(run.code(), 5, "{run:?}");
    assert!(run.stderr.contains("hint: mount `/proc`"), "{run:?}");
}

#[apply(test)]
fn a_runaway_candidate_is_unresolved() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nneedle\nguard\n");
    sandbox.oracle("oracle.sh", "grep -q needle \"$1\" || exit 1; grep -q guard \"$1\" || exec yes");
    let run = sandbox.nubbin(&["--limit", "output=2M", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("unresolved"), "{run:?}");
    assert!(sandbox.read("bug.reduced.txt").contains("guard"));
}

#[apply(test)]
fn output_is_limited_even_if_its_signal_is_ignored() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "one\nneedle\nguard\n");
    sandbox.oracle(
        "oracle.sh",
        "grep -q needle \"$1\" || exit 1; grep -q guard \"$1\" || exec head -c 9000000 /dev/zero >litter",
    );
    let ignoring = ["--ignore-signal=XFSZ", "true"];
    if sandbox.run("env", &ignoring).code() != 0 {
        ignore("needs an `env` that ignores signals");
    }
    let nubbin = env!("CARGO_BIN_EXE_nubbin");
    let words = [ignoring[0], nubbin, "--sandbox=off", "--limit=output=2M", "./oracle.sh", "bug.txt"];
    let run = sandbox.run("env", &words);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("unresolved"), "{run:?}");
}

#[apply(test)]
fn missing_directories_and_invalid_sizes_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "needle\n");
    for (options, text) in [
        (["--writable", "nowhere"], "`--writable nowhere`"),
        (["--work-dir", "nowhere"], "`--work-dir nowhere`"),
        (["--limit", "memory=much"], "not a size"),
        (["--limit", "memory=1k"], "at least"),
        (["--limit", "output=0"], "more than 0"),
        (["--sandbox", "perhaps"], "strict"),
        (["--limit", "processes=0"], "processes"),
    ] {
        let run = sandbox.nubbin_confined(&[&options, ["grep -q needle", "bug.txt"].as_slice()].concat());
        assert_eq!(run.code(), 2, "{run:?}");
        assert!(run.stderr.contains(text), "{run:?}");
    }
    let file = sandbox.nubbin_confined(&["--work-dir", "bug.txt", "grep -q needle", "bug.txt"]);
    assert_eq!(file.code(), 5, "{file:?}");
    assert!(file.stderr.contains("bug.txt` for running the test"), "{file:?}");
}
