//! Servers: processes that test one candidate after the other, and how faulty ones are handled.

use crate::sandbox::{Finished, Sandbox};
use crate::tools;

const INPUT: &str = "one\ntwo\nneedle\nthree\nfour\nfive\n";

/// A Python server that answers through the function `look` that a test defines.
const PYTHON: &str = r#"
import json, os, sys
def answer(question, **said):
    print(json.dumps(dict(id=question["id"], **said)), flush=True)
for line in sys.stdin:
    question = json.loads(line)
    text = open(question["path"]).read()
"#;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    sandbox
}

/// Writes a Python server that runs these lines for each candidate.
fn server(sandbox: &Sandbox, lines: &str) {
    let lines = lines.replace('\n', "\n    ");
    sandbox.file("server.py", format!("{PYTHON}    {lines}\n"));
}

/// Returns this number of numbered lines.
pub fn numbered(count: usize) -> String {
    (0..count).fold(String::new(), |lines, n| lines + &format!("line {n}\n"))
}

fn run(sandbox: &Sandbox, more: &[&str]) -> Finished {
    sandbox.nubbin(&[&["-j1", "--unit", "line", "--server", "python3 server.py", "bug.txt"], more].concat())
}

#[track_caller]
fn assert_reduced(sandbox: &Sandbox, run: &Finished) {
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt"), "needle\n", "{run:?}");
}

#[apply(test)]
fn a_server_in_python_javascript_or_shell_is_started_once_and_answers_each_time() {
    let sandbox = sandbox();
    sandbox.file(
        "server.py",
        "import json, sys\nopen('starts', 'a').write('x')\nfor line in sys.stdin:\n    question = json.loads(line)\n    \
         found = 'needle' in open(question['path']).read()\n    verdict = 'interesting' if found else 'uninteresting'\n    \
         print(json.dumps({'id': question['id'], 'verdict': verdict}), flush=True)\n",
    );
    sandbox.file(
        "server.js",
        "const fs = require('fs');\nrequire('readline').createInterface({ input: process.stdin }).on('line', line => {\n  \
         const question = JSON.parse(line);\n  const found = fs.readFileSync(question.path, 'utf8').includes('needle');\n  \
         console.log(JSON.stringify({ id: question.id, exit: found ? 7 : 0 }));\n});\n",
    );
    sandbox.file(
        "server.sh",
        "while read -r line; do\n  id=${line#*'\"id\":'}; id=${id%%,*}\n  path=${line#*'\"path\":\"'}; path=${path%%'\"'*}\n  \
         if grep -q needle \"$path\"; then verdict=interesting; else verdict=uninteresting; fi\n  \
         echo \"{\\\"id\\\":$id,\\\"verdict\\\":\\\"$verdict\\\"}\"\ndone\n",
    );
    for server in ["python3 server.py", "node server.js", "sh server.sh"] {
        for jobs in ["-j1", "-j3"] {
            let run = sandbox.nubbin(&[jobs, "--unit", "line", "--server", server, "bug.txt"]);
            assert_reduced(&sandbox, &run);
        }
    }
}

#[apply(test)]
fn the_output_of_a_server_is_learned_as_that_of_the_command() {
    let sandbox = sandbox();
    server(
        &sandbox,
        "if 'needle' in text:\n    answer(question, exit=3, stderr='a.c:1:2: internal compiler error: in fold, at x.cc:3\\n')\nelif 'two' in text:\n    \
         answer(question, signal=11)\nelse:\n    answer(question, exit=0, stdout='fine')",
    );
    let run = run(&sandbox, &[]);
    assert_reduced(&sandbox, &run);
    assert!(run.stderr.contains("exits with status 3"), "{run:?}");
    assert!(run.stderr.contains("in fold"), "{run:?}");
}

#[apply(test)]
fn outputs_can_be_written_to_the_files_in_the_question() {
    let sandbox = sandbox();
    server(
        &sandbox,
        "open(question['stdout'], 'a').write('saw a needle' if 'needle' in text else 'nothing')\nanswer(question, exit=0)",
    );
    let run = run(&sandbox, &["--stdout", "saw a needle"]);
    assert_reduced(&sandbox, &run);
}

#[apply(test)]
fn the_result_does_not_depend_on_server_faults() {
    // Each of these happens at the first question to every second server, so that the next server answers.
    let sandbox = sandbox();
    let turns = sandbox.path("turns");
    for misdeed in [
        "os._exit(1)",
        "os.kill(os.getpid(), 9)",
        "print('hello', flush=True)",
        "print('{\"id\": 12345, \"exit\": 0}', flush=True)",
        "answer(question, verdict='interesting'); answer(question, verdict='uninteresting')",
        "sys.stdout.write('x' * (100 << 20)); sys.stdout.flush()",
        "os.close(1); os._exit(3)",
    ] {
        server(
            &sandbox,
            &format!(
                "with open('{}', 'a+') as file:\n    file.write('x')\n    turn = file.tell()\nif turn % 3 == 0 and turn > 4:\n    \
                 {misdeed}\nelse:\n    answer(question, verdict='interesting' if 'needle' in text else 'uninteresting')",
                turns.display()
            ),
        );
        sandbox.file("turns", "");
        let run = sandbox.nubbin(&[
            "-j1",
            "--unit",
            "line",
            "--writable",
            turns.to_str().expect("plain"),
            "--server",
            "python3 server.py",
            "bug.txt",
        ]);
        assert_reduced(&sandbox, &run);
    }
}

#[apply(test)]
fn a_candidate_that_kills_each_server_is_judged_by_its_exit() {
    let sandbox = sandbox();
    server(&sandbox, "if 'needle' in text:\n    os.kill(os.getpid(), 11)\nanswer(question, exit=0)");
    let crash = run(&sandbox, &[]);
    assert_reduced(&sandbox, &crash);
    assert!(crash.stderr.contains("is killed by SIGSEGV"), "{crash:?}");
    // A candidate on which it hangs exceeds the time limit, and is not the failure.
    sandbox.file("bug.txt", "needle\nthree\nfour\n");
    server(
        &sandbox,
        "if 'three' not in text:\n    import time\n    time.sleep(1000)\nanswer(question, verdict='interesting' if 'needle' in text else 'uninteresting')",
    );
    let hang = run(&sandbox, &["--timeout", "1"]);
    assert_eq!(hang.code(), 0, "{hang:?}");
    assert_eq!(sandbox.read("bug.reduced.txt"), "needle\nthree\n", "{hang:?}");
}

#[apply(test)]
fn a_server_that_never_answers_is_an_error_with_a_hint() {
    let sandbox = sandbox();
    server(&sandbox, "print('no idea', flush=True)");
    let nonsense = run(&sandbox, &[]);
    assert_eq!(nonsense.code(), 3, "{nonsense:?}");
    assert!(nonsense.stderr.contains("malformed response from the server"), "{nonsense:?}");
    assert!(nonsense.stderr.contains("no idea"), "{nonsense:?}");
    sandbox.file("server.py", "import nothing_of_this_name\n");
    let dead = run(&sandbox, &[]);
    assert_eq!(dead.code(), 3, "{dead:?}");
    assert!(
        dead.stderr.contains("without a response") && dead.stderr.contains("nothing_of_this_name"),
        "{dead:?}"
    );
    assert!(dead.stderr.contains("echo '{\""), "{dead:?}");
}

#[apply(test)]
fn a_stateful_server_is_detected_and_the_result_is_that_of_fresh_processes() {
    let sandbox = Sandbox::new();
    let input = numbered(200);
    sandbox.file("bug.txt", &input);
    // A fresh server needs three lines; one that has tested more than a few candidates needs another one.
    server(
        &sandbox,
        "seen = globals().get('seen', 0) + 1\nwanted = ['line 7\\n', 'line 77\\n', 'line 177\\n'] if seen < 12 else ['line 77\\n']\n\
         answer(question, verdict='interesting' if all(w in text for w in wanted) else 'uninteresting')",
    );
    for journal in [&[][..], &["--no-journal"]] {
        let run = run(&sandbox, journal);
        assert_eq!(run.code(), 0, "{run:?}");
        assert_eq!(sandbox.read("bug.reduced.txt"), "line 7\nline 77\nline 177\n", "{run:?}");
        assert!(run.stderr.contains("with new servers"), "{run:?}");
        assert!(run.stderr.contains("with a new process for each run"), "{run:?}");
    }
}

#[apply(test)]
fn a_python_program_is_loaded_once_and_run_in_a_fork() {
    let sandbox = sandbox();
    let lines = numbered(64);
    sandbox.file("bug.txt", format!("{lines}needle\n{lines}"));
    let starts = sandbox.path("starts");
    sandbox.file("helper.py", format!("open('{}', 'a').write('x')\nstate = []\n", starts.display()));
    sandbox.file(
        "tool.py",
        "import sys, helper\nhelper.state.append(1)\nassert helper.state == [1]\n\
         text = open(sys.argv[1]).read()\nif 'needle' in text and text.count('line 7\\n') == text.count('line 9\\n'):\n    raise ValueError('a needle')\n",
    );
    let writable = ["--writable", starts.to_str().expect("plain")];
    let mut results = Vec::new();
    for more in [&["--server", "none"][..], &[]] {
        sandbox.file("starts", "");
        let words = ["-j1", "--unit", "line", "bug.txt", "--", "python3", "tool.py", "{}"];
        let run = sandbox.nubbin(&[&writable[..], more, &words].concat());
        assert_reduced(&sandbox, &run);
        assert!(run.stderr.contains("ValueError: a …, in <module> (tool.py:6)"), "{run:?}");
        results.push(sandbox.read("starts").len());
    }
    let [alone, served] = results[..] else { panic!("{results:?}") };
    assert!(served + 3 <= alone, "{results:?}");
}

#[apply(test)]
fn pytest_reads_its_settings_once_unless_the_candidate_is_among_them() {
    tools::succeeds(&["python3", "-c", "import pytest"], "pytest");
    let sandbox = Sandbox::new();
    // Without its first line it is killed, after it has written output that pytest captures.
    sandbox.file(
        "test_bug.py",
        "KEPT = 1\ndef test_noise():\n    print('noise')\n    if 'KEPT' not in globals(): __import__('os').abort()\n\
         def test_bug(three):\n    print('last words')\n    assert [1, 2] == [1, three], 'a needle'\n",
    );
    let starts = sandbox.path("starts");
    let noted = format!(
        "import pytest\nopen('{}', 'a').write('x')\n@pytest.fixture\ndef three():\n    return 3\n",
        starts.display()
    );
    let mut seen = Vec::new();
    for (more, last) in [("--server=none", ""), ("--quiet", ""), ("--quiet", "import test_bug\n")] {
        sandbox.file("starts", "");
        sandbox.file("conftest.py", noted.clone() + last);
        let words =
            ["-j1", "--writable", starts.to_str().expect("plain"), "--unit", "line", "--timeout", "300"];
        let command = ["test_bug.py", "--", "python3", "-m", "pytest", "-p", "no:cacheprovider", "{}"];
        let run = sandbox.nubbin(&[&words[..], &[more], &command].concat());
        assert_eq!(run.code(), 0, "{run:?}");
        seen.push((sandbox.read("starts").len(), sandbox.read("test_bug.reduced.py")));
    }
    assert!(seen.iter().all(|(_, result)| *result == seen[0].1 && result.contains("a needle")), "{seen:?}");
    let [alone, served, served_with] = [0, 1, 2].map(|n| seen[n].0);
    // The initial number of runs of the unreduced input depends on how busy the machine is.
    assert!(served + 3 <= alone && served_with >= alone, "{seen:?}");
}

#[apply(test)]
fn a_python_function_is_a_server_by_its_name_alone() {
    let sandbox = sandbox();
    sandbox.file(
        "oracle.py",
        "import subprocess\ndef interesting(path):\n    subprocess.run(['sh', '-c', 'echo noise; sleep 1000 &'])\n    text = open(path).read()\n    if 'five' not in text and 'four' in text:\n        raise KeyError\n    return 'needle' in text\n",
    );
    let run = sandbox.nubbin(&[
        "-j2",
        "--unit",
        "line",
        "--server",
        "python3 -m nubbin.serve oracle.py",
        "bug.txt",
    ]);
    assert_reduced(&sandbox, &run);
    sandbox.file("oracle.py", "import sys\nsys.exit('needle' not in open(sys.argv[1]).read())\n");
    let run = sandbox.nubbin(&[
        "-j2",
        "--unit",
        "line",
        "--server",
        "python3 -m nubbin.serve oracle.py",
        "bug.txt",
    ]);
    assert_reduced(&sandbox, &run);
}

#[apply(test)]
fn the_result_of_a_stateful_server_is_that_of_a_process_for_each_run() {
    let sandbox = Sandbox::new();
    let input = numbered(24);
    sandbox.file("bug.txt", &input);
    let check = "import sys\nlines = open(sys.argv[1]).read().splitlines()\n\
                 sys.exit(not all(f'line {n}' in lines for n in WANTED))\n";
    for seed in 0..4_usize {
        let wanted: Vec<usize> = (0..4).map(|n| (seed + n * 5) % 24).collect();
        sandbox.file("check.py", check.replace("WANTED", &format!("{wanted:?}")));
        let alone =
            sandbox.nubbin(&["-j1", "--unit", "line", "--server", "none", "python3 check.py", "bug.txt"]);
        assert_eq!(alone.code(), 0, "{alone:?}");
        let result = sandbox.read("bug.reduced.txt");
        assert_eq!(result.lines().count(), 4, "{result}");
        // After some candidates it forgets a line, needs a dozen more, always rejects, or accepts a single
        // line.
        let from = 3 + seed * 3;
        let wrong = [
            "wanted = wanted[1:]",
            "wanted = wanted + [n for n in range(24) if n % 7 == 3]",
            "wanted = [1000]",
            "wanted = wanted[:1]",
        ][seed % 4];
        server(
            &sandbox,
            &format!(
                "seen = globals().get('seen', 0) + 1\nwanted = {wanted:?}\nif seen > {from}:\n    {wrong}\nlines = text.splitlines()\n\
                 found = all(f'line {{n}}' in lines for n in wanted)\n\
                 answer(question, verdict='interesting' if found else 'uninteresting')"
            ),
        );
        let served = sandbox.nubbin(&["-j1", "--unit", "line", "--server", "python3 server.py", "bug.txt"]);
        assert_eq!(served.code(), 0, "{served:?}");
        assert_eq!(sandbox.read("bug.reduced.txt"), result, "{seed}: {served:?}");
    }
}
