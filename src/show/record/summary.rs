//! Makes the summary of a run as a JSON object.
//!
//! The page on the JSON log in `docs` describes the fields.

use super::Ended;
use super::events::{SCHEMA, sizes};
use crate::exit::Exit;
use nubbin_oracle::Rate;
use nubbin_reduce::Flakiness;
use nubbin_reduce::Outcome;
use nubbin_reduce::PassReport;
use nubbin_reduce::Proof;
use nubbin_session::beside::Measured;
use nubbin_session::control::Remark;
use nubbin_session::failure::Failure;
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::path::Path;

/// Returns the fields of the last event.
pub fn ended(ended: &Ended<'_>) -> Map<String, Value> {
    let Ended { outcome, remark, code, .. } = ended;
    fields(json!({
        "outcome": how(outcome),
        "reason": reason(outcome, remark),
        "exit_code": code,
        "size": sizes(outcome.after),
        "probes": outcome.counts.probes,
        "proof": proof(&outcome.proof),
    }))
}

/// Returns all fields of the summary.
pub fn full(ended: &Ended<'_>) -> Map<String, Value> {
    let Ended { outcome, remark, best, time, watch, kept, measured, left, options, code, .. } = ended;
    let counts = &outcome.counts;
    let path = |path: Option<&Path>| path.map(|path| path.display().to_string());
    let is_written = best.is_saved() || !outcome.proof.is_cut_short();
    let mut all = fields(json!({
        "schema": SCHEMA,
        "program": "nubbin",
        "version": env!("CARGO_PKG_VERSION"),
        "outcome": how(outcome),
        "reason": reason(outcome, remark),
        "exit_code": code,
        "failure": kept,
        "before": sizes(outcome.before),
        "after": sizes(outcome.after),
        "probes": {
            "all": counts.probes,
            "interesting": counts.interesting,
            "unresolved": counts.unresolved,
            "recalled": outcome.recalled,
            "unused": (outcome.started + outcome.recalled).saturating_sub(counts.probes),
        },
        "candidates": {
            "cached": counts.cached,
            "same_but_whitespace": counts.alike,
            "unparsable": counts.rejected,
        },
        "runs": outcome.runs,
        "seconds": time.as_secs_f64(),
        "oracle_seconds": outcome.oracle_time.as_secs_f64(),
        "proof": proof(&outcome.proof),
        "flaky": outcome.flaky.as_ref().map(|it| flaky(it, outcome)),
        "passes": outcome.passes.iter().map(pass).collect::<Vec<_>>(),
        "result": path(best.path().filter(|_| is_written)),
        "backup": path(best.backup()),
    }));
    if let Some(Measured { label, before, after }) = measured {
        all.insert("measure".to_owned(), json!({ "command": label, "before": before, "after": after }));
    }
    if let Some(left) = left {
        all.insert("words_left".to_owned(), json!(left));
    }
    if let Some(options) = options {
        let lossy = |words: &Vec<OsString>| -> Vec<String> {
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect()
        };
        let command = options.command(best.path());
        let words: Vec<_> = options.words.iter().map(lossy).collect();
        let value = json!({ "before": options.before, "left": words, "command": command });
        all.insert("options".to_owned(), value);
    }
    all.extend(watch.fields());
    all
}

/// Returns the fields for a run that failed.
pub fn failed(failure: &Failure) -> Map<String, Value> {
    let mut fields = nothing("failed", Exit::from(failure.fault()) as i32);
    fields.insert("error".to_owned(), failure.text().into());
    fields.insert("hint".to_owned(), failure.advice().into());
    fields
}

/// Returns the fields for a run in which nothing was reduced.
pub fn nothing(outcome: &str, code: i32) -> Map<String, Value> {
    fields(json!({
        "schema": SCHEMA,
        "program": "nubbin",
        "version": env!("CARGO_PKG_VERSION"),
        "outcome": outcome,
        "exit_code": code,
    }))
}

fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// Returns the outcome as one word.
fn how(outcome: &Outcome) -> &'static str {
    match outcome.proof {
        Proof::OneMinimal { .. } | Proof::Dry => "reduced",
        Proof::Interrupted => "interrupted",
        Proof::Stopped(_) => "stopped",
    }
}

/// Returns the reason why the run ended early or proves nothing.
fn reason(outcome: &Outcome, remark: &Remark) -> Option<String> {
    match remark {
        Remark::Nothing(why) => Some(why.clone()),
        Remark::Beside(_) => outcome.proof.is_cut_short().then(|| how(outcome).to_owned()),
    }
}

fn proof(proof: &Proof) -> Value {
    match *proof {
        Proof::OneMinimal {
            files,
            nodes,
            tokens,
            lines,
            characters,
            bytes,
            pairs,
            options,
            option_parts,
        } => json!({
            "kind": if pairs > 0 { "2-minimal" } else { "1-minimal" }, "pairs": pairs, "files": files, "nodes": nodes, "tokens": tokens, "lines": lines,
            "characters": characters, "bytes": bytes, "options": options, "option_parts": option_parts,
        }),
        Proof::Interrupted | Proof::Stopped(_) | Proof::Dry => json!({ "kind": "none" }),
    }
}

fn flaky(flaky: &Flakiness, outcome: &Outcome) -> Value {
    let rate = |rate: Rate| json!({ "interesting": rate.interesting, "all": rate.runs });
    json!({
        "input": rate(flaky.input), "best": rate(flaky.best), "confidence": flaky.confidence.share(),
        "runs_per_probe": outcome.runs as f64 / outcome.counts.probes.max(1) as f64,
    })
}

fn pass(pass: &PassReport) -> Value {
    json!({
        "pass": pass.name, "runs": pass.runs, "probes": pass.probes, "accepted": pass.accepted,
        "tokens": pass.tokens, "bytes": pass.bytes,
    })
}
