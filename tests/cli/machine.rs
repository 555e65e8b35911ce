//! Machine-readable output: the JSON log and the summary.

use super::sandbox::Sandbox;
use serde_json::Value;

const INPUT: &str = "one\ntwo\nneedle three\nfour\n";

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn named<'e>(events: &'e [Value], name: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["event"] == name).collect()
}

#[apply(test)]
fn events_report_every_probe_every_step_and_the_end() {
    let sandbox = Sandbox::new();
    sandbox.file("hay.txt", INPUT);
    let run = sandbox.nubbin(&["--json-log", "events.jsonl", "grep -q needle", "hay.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let events = lines(&sandbox.read("events.jsonl"));
    assert_eq!((&events[0]["event"], &events[0]["schema"]), (&"opened".into(), &1.into()));
    let end = events.last().expect("there is an end");
    assert_eq!(
        (&end["event"], &end["outcome"], &end["exit_code"]),
        (&"ended".into(), &"reduced".into(), &0.into())
    );
    let probes = named(&events, "probe");
    assert_eq!(end["probes"], probes.len());
    assert!(probes.iter().enumerate().all(|(at, probe)| probe["probe"] == at + 1));
    for field in ["cached", "same_but_whitespace", "unparsable", "interesting", "unresolved"] {
        assert!(probes.iter().all(|probe| probe["counts"][field].is_u64()), "{field}: {probes:?}");
    }
    let steps = named(&events, "step");
    assert!(!steps.is_empty());
    assert!(steps.iter().enumerate().all(|(at, step)| step["step"] == at + 1));
    let last = steps.last().expect("there is one");
    assert_eq!(last["size"], end["size"]);
    assert_eq!(last["size"]["bytes"], sandbox.read("hay.reduced.txt").len());
    let gone: u64 =
        steps.iter().map(|step| step["removed"].as_u64().unwrap() - step["added"].as_u64().unwrap()).sum();
    assert_eq!(gone as usize, INPUT.len() - sandbox.read("hay.reduced.txt").len());
    assert_eq!((named(&events, "started").len(), named(&events, "note").len()), (1, 1));
    assert!(!named(&events, "pass").is_empty());
}

#[apply(test)]
fn events_on_standard_output_are_the_only_output() {
    let sandbox = Sandbox::new();
    sandbox.file("hay.txt", INPUT);
    let run = sandbox.nubbin(&["--json-log", "-", "grep -q needle", "hay.txt"]);
    let events = lines(&run.stdout);
    assert_eq!(events.last().map(|event| &event["event"]), Some(&"ended".into()), "{run:?}");
    let run = sandbox.nubbin(&["--json-log", "-", "-o", "-", "grep -q needle", "hay.txt"]);
    assert_eq!(run.code(), 2);
    assert!(
        run.stderr.contains("`--json-log` and the result would both be written to standard output"),
        "{run:?}"
    );
    let run = sandbox.nubbin(&["--json-log", "hay.txt", "grep -q needle", "hay.txt"]);
    assert_eq!((run.code(), sandbox.read("hay.txt").as_str()), (2, INPUT), "{run:?}");
    let run = sandbox.nubbin(&["--json-log", "x", "--bug-report", "./x", "grep -q needle", "hay.txt"]);
    assert!(run.stderr.contains("`--bug-report` and `--json-log` would both be written to"), "{run:?}");
}

#[apply(test)]
fn events_that_cannot_be_written_are_an_error_after_the_run() {
    let sandbox = Sandbox::new();
    sandbox.file("hay.txt", INPUT);
    let run = sandbox.nubbin(&["--json-log", "/dev/full", "grep -q needle", "hay.txt"]);
    assert_eq!(run.code(), 8, "{run:?}");
    assert!(run.stderr.contains("error: cannot write `/dev/full`: No space left"), "{run:?}");
    assert_eq!(sandbox.read("hay.reduced.txt").trim(), "needle");
    let run = sandbox.nubbin(&["--json-log", "no/such/place", "grep -q needle", "hay.txt"]);
    assert_eq!(run.code(), 8, "{run:?}");
    assert!(run.stderr.contains("hint: choose another file with `--json-log FILE`"), "{run:?}");
}

#[apply(test)]
fn the_json_summary_matches_the_text() {
    let sandbox = Sandbox::new();
    sandbox.file("hay.txt", INPUT);
    let run = sandbox.nubbin(&["--quiet", "--json", "grep -q needle", "hay.txt"]);
    assert_eq!((run.code(), run.stderr.as_str()), (0, ""));
    let summary: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    assert_eq!(summary["outcome"], "reduced");
    assert_eq!(summary["before"]["bytes"], INPUT.len());
    assert_eq!(summary["after"]["tokens"], 1);
    assert_eq!(summary["result"], "hay.reduced.txt");
    assert_eq!(summary["proof"]["kind"], "1-minimal");
    let by_passes: u64 =
        summary["passes"].as_array().unwrap().iter().map(|pass| pass["probes"].as_u64().unwrap()).sum();
    let all = summary["probes"]["all"].as_u64().unwrap();
    assert!(by_passes > 0 && by_passes <= all, "{summary}");
    for field in ["cached", "same_but_whitespace", "unparsable"] {
        assert!(summary["candidates"][field].is_u64(), "{summary}");
    }
    assert!(summary["probes"]["unused"].is_u64(), "{summary}");
}

#[apply(test)]
fn a_summary_is_not_mixed_with_a_result_on_standard_output() {
    let sandbox = Sandbox::new();
    sandbox.file("hay.txt", INPUT);
    let run = sandbox.nubbin(&["-q", "--json", "-o", "-", "grep -q needle", "hay.txt"]);
    assert_eq!(run.stdout.trim(), "needle");
    let summary: Value = serde_json::from_str(&run.stderr).expect("it is JSON");
    assert_eq!(summary["result"], Value::Null);
}

#[apply(test)]
fn a_stopped_or_failed_run_reports_the_reason_and_the_exit_code() {
    let sandbox = Sandbox::new();
    sandbox.file("hay.txt", INPUT);
    let run = sandbox.nubbin(&["-q", "--json", "--max-candidates", "6", "grep -q needle", "hay.txt"]);
    let summary: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    assert_eq!(
        (&summary["outcome"], &summary["reason"]),
        (&"stopped".into(), &"stopped: --max-candidates 6".into())
    );
    let words = ["-q", "--json", "--json-log", "e", "grep -q nothing", "hay.txt"];
    let run = sandbox.nubbin(&words);
    let summary: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    assert_eq!((run.code(), &summary["exit_code"], &summary["outcome"]), (3, &3.into(), &"failed".into()));
    assert!(summary["error"].as_str().unwrap().contains("exited with status 1"), "{summary}");
    let end = lines(&sandbox.read("e")).pop().expect("there is an end");
    assert_eq!((&end["event"], &end["exit_code"]), (&"ended".into(), &3.into()));
}

#[apply(test)]
fn other_failures_are_in_the_summary() {
    let sandbox = Sandbox::new();
    sandbox.file("input.txt", "boom\nneedle\nmore\n");
    let body = "if ! grep -q boom \"$1\"; then echo \"tool: tool.c:5: f: Assertion 'x' failed.\" >&2; kill -ABRT $$; fi\n\
                grep -q needle \"$1\" && exit 7; exit 0";
    let oracle = sandbox.oracle("tool.sh", body);
    let tool = oracle.to_str().expect("UTF-8");
    let run = sandbox.nubbin(&["-q", "--json", "input.txt", "--", tool, "{}"]);
    let summary: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    let others = summary["others"].as_array().expect("a list");
    assert_eq!(others.len(), 1, "{summary}");
    assert!(others[0]["runs"].as_u64().unwrap() > 0);
}

#[apply(test)]
fn a_completed_run_is_also_reported_in_json() {
    let sandbox = Sandbox::new();
    sandbox.file("hay.txt", INPUT);
    sandbox.nubbin(&["grep -q needle", "hay.txt"]);
    let run = sandbox.nubbin(&["--resume", "--json", "--report", "r.html", "grep -q needle", "hay.txt"]);
    let summary: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    assert_eq!(summary["outcome"], "finished before");
    assert!(run.stderr.contains("no report was written") && !sandbox.has("r.html"), "{run:?}");
}
