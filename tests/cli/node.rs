//! Node programs, which run once until they first access the candidate, and from there in a fork for each
//! candidate.

use crate::sandbox::{Finished, Sandbox};
use crate::server::numbered;
use crate::tools;

const INPUT: &str = "one\ntwo\nneedle\nthree\nfour\nfive\n";

fn sandbox() -> Sandbox {
    tools::program("node");
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    sandbox
}

/// Runs the same with and without servers, and returns both runs. They must have the same result and the same
/// failure.
#[track_caller]
fn both(sandbox: &Sandbox, words: &[&str]) -> [Finished; 2] {
    let [alone, served] = [&["--server", "none"][..], &[]].map(|more| {
        let run = sandbox.nubbin(&[more, &["-j1", "--unit", "line"], words].concat());
        assert_eq!(run.code(), 0, "{run:?}");
        assert_eq!(sandbox.read("bug.reduced.txt"), "needle\n", "{run:?}");
        assert!(!run.stderr.contains("with new servers"), "{run:?}");
        run
    });
    let failure = |run: &Finished| {
        let line = run.stderr.lines().find(|line| line.starts_with("failure:")).map(str::to_owned);
        (line, probes(run))
    };
    assert_eq!(failure(&alone), failure(&served), "{alone:?} {served:?}");
    [alone, served]
}

/// Returns the number of probes in the output of a run.
fn probes(run: &Finished) -> Option<String> {
    let words: Vec<&str> = run.stderr.split_whitespace().collect();
    let at = words.iter().rposition(|word| word.starts_with("candidates"))?;
    Some(words[at - 1].to_owned())
}

#[apply(test)]
fn a_node_program_is_loaded_once_and_candidates_are_isolated() {
    let sandbox = sandbox();
    let lines = numbered(64);
    sandbox.file("bug.txt", format!("{lines}needle\n{lines}"));
    sandbox.file("helper.js", "exports.seen = []; exports.born = process.pid;\n");
    let births = sandbox.path("births");
    sandbox.file(
        "tool.js",
        format!(
            "const fs = require('fs'), helper = require('./helper.js');\n\
             const text = fs.readFileSync(process.argv[2], 'utf8');\nhelper.seen.push(text);\n\
             fs.appendFileSync('{}', helper.born + '\\n');\nif (helper.seen.length > 1) process.exit(99);\n\
             if (text.includes('needle')) throw new RangeError('a needle');\n",
            births.display()
        ),
    );
    let mut numbers = Vec::new();
    for more in [&["--server", "none"][..], &[]] {
        sandbox.file("births", "");
        let words = ["-j1", "--unit", "line", "bug.txt", "--", "node", "tool.js", "{}"];
        let run = sandbox.nubbin(&[&["--writable", births.to_str().unwrap()], more, &words].concat());
        assert_eq!(run.code(), 0, "{run:?}");
        assert_eq!(sandbox.read("bug.reduced.txt"), "needle\n", "{run:?}");
        let births = sandbox.read("births");
        let mut own: Vec<&str> = births.lines().collect();
        let runs = own.len();
        own.sort_unstable();
        own.dedup();
        numbers.push((runs, own.len()));
    }
    let [alone, served] = numbers[..] else { panic!("{numbers:?}") };
    assert_eq!(alone.0, alone.1, "{numbers:?}");
    assert!(served.1 + 3 <= served.0, "{numbers:?}");
}

#[apply(test)]
fn every_end_of_a_node_program_is_as_in_a_separate_process() {
    let sandbox = sandbox();
    for end in [
        "throw new TypeError('a needle')",
        "Promise.reject(new Error('a needle'))",
        "process.exit(3)",
        "process.exitCode = 4",
        "process.on('exit', () => { process.exitCode = 5 })",
        "process.kill(process.pid, 'SIGSEGV')",
        "process.abort()",
        "console.error('error: a needle'); process.exit(1)",
    ] {
        sandbox.file(
            "tool.js",
            format!(
                "if (require('fs').readFileSync(process.argv[2], 'utf8').includes('needle')) {{ {end} }}\n"
            ),
        );
        both(&sandbox, &["bug.txt", "--", "node", "tool.js", "{}"]);
    }
}

#[apply(test)]
fn threads_timers_processes_and_webassembly_work_as_in_a_separate_process() {
    let sandbox = sandbox();
    sandbox.file(
        "tool.js",
        r"const fs = require('fs'), { Worker } = require('worker_threads'), { execSync } = require('child_process');
setTimeout(() => console.log('timer'), 1);
const text = fs.readFileSync(process.argv[2], 'utf8');
const code = [0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 97, 100, 100, 0, 0, 10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11];
const worker = new Worker('require(`worker_threads`).parentPort.postMessage(42)', { eval: true });
const answer = new Promise(resolve => worker.on('message', resolve));
const sum = WebAssembly.instantiate(new Uint8Array(code)).then(it => it.instance.exports.add(2, 3));
const size = fs.promises.stat(process.argv[2]).then(it => it.size === Buffer.byteLength(text));
Promise.all([answer, sum, size]).then(all => {
  const said = [execSync('echo said').toString().trim(), process.cwd() === process.env.PWD, ...all].join();
  if (said !== 'said,true,42,5,true') throw new Error(said);
  if (text.includes('needle')) throw new Error('a needle');
});
",
    );
    let [_, served] = both(&sandbox, &["bug.txt", "--", "node", "tool.js", "{}"]);
    assert!(served.stderr.contains("Error: a …, in tool.js:12"), "{served:?}");
}

#[apply(test)]
fn links_code_modules_and_the_candidate_itself_are_served() {
    let sandbox = sandbox();
    // Each line except one is a program.
    sandbox.file("bug.txt", "1\n2\nneedle\n3\n4\n");
    let check = "if (fs.readFileSync(process.argv[2], 'utf8').includes('needle')) process.exit(3);\n";
    let tool = sandbox.oracle("tool.js", "");
    std::fs::write(&tool, format!("#!/usr/bin/env node\nconst fs = require('fs');\n{check}")).unwrap();
    std::os::unix::fs::symlink(&tool, sandbox.path("tool")).unwrap();
    sandbox.file("tool.mjs", format!("import fs from 'fs';\n{check}"));
    let code = "process.exit(require('fs').readFileSync(process.argv[1], 'utf8').includes('needle') ? 3 : 0)";
    for words in [
        &["bug.txt", "--", "./tool", "{}"][..],
        &["--here", "bug.txt", "--", "./tool", "{}"],
        &["bug.txt", "--", "node", "tool.mjs", "{}"],
        &["bug.txt", "--", "node", "-e", code, "{}"],
        &["--exit-code", "1", "--stderr", "needle is not defined", "bug.txt", "--", "node", "{}"],
    ] {
        both(&sandbox, words);
    }
}
