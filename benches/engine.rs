//! Measures the engine's own time and memory, with a closure as the oracle that takes almost no time.
//!
//! `cargo bench --bench engine` reduces generated C, Python and HTML of 100 kB and 1 MB to three distant statements. It
//! also reduces random bytes, including NUL, to one byte, to two distant bytes, and to 2,121 consecutive bytes. Each
//! case runs in a separate process and prints a row. `--json FILE` also writes the rows to a file. Names of cases
//! restrict the run to these cases.

use nubbin::{Reduction, Registry, Unit, Verdict};
use std::process::Command;
use std::time::Instant;

/// The sizes of the inputs, in bytes.
const SIZES: [usize; 2] = [100_000, 1_000_000];

/// The words that the oracle requires, in this order.
const WANTED: [&str; 3] = ["needle_one", "needle_two", "needle_three"];

/// The languages of the inputs that are not random bytes.
const LANGUAGES: [&str; 3] = ["c", "python", "html"];

/// The lengths of the runs of bytes that the oracle requires, for each case of random bytes.
const BYTES: [(&str, &[usize]); 3] = [("byte", &[1]), ("2-bytes", &[1, 1]), ("run", &[2121])];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["case", name, size] => measure(name, size.parse().expect("a size in bytes")),
        ["--json", file, ref names @ ..] => {
            std::fs::write(file, format!("[\n{}\n]\n", all(names).join(",\n"))).expect("it is written");
        }
        ref names => drop(all(names)),
    }
}

/// Runs each case in its own process and prints its row. Names restrict the run to these cases.
fn all(names: &[&str]) -> Vec<String> {
    println!(
        "{:8} {:>9} {:>7} {:>9} {:>9} {:>10} {:>12} {:>9}",
        "input", "bytes", "probes", "rejected", "engine ms", "ms a probe", "slowest ms", "peak MB"
    );
    let mut rows = Vec::new();
    let cases = LANGUAGES.into_iter().chain(BYTES.map(|(name, _)| name));
    for name in cases.filter(|name| names.is_empty() || names.contains(name)) {
        for size in SIZES {
            let me = std::env::current_exe().expect("a program knows its own path");
            let output = Command::new(me).args(["case", name, &size.to_string()]).output().expect("it runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let text = String::from_utf8_lossy(&output.stdout);
            let (table, json) = text.trim_end().split_once('\n').expect("a row of the table and one of JSON");
            println!("{table}");
            rows.push(json.to_owned());
        }
    }
    rows
}

fn measure(name: &str, size: usize) {
    let wanted = BYTES.iter().find(|(bytes, _)| *bytes == name);
    let (input, needles, units) = match wanted {
        None => (generate(name, size), WANTED.map(|needle| needle.as_bytes().to_vec()).to_vec(), vec![]),
        Some((_, lengths)) => {
            let (input, needles) = random(size, lengths);
            (input, needles, vec![Unit::Byte])
        }
    };
    let bytes = input.len();
    let last = std::cell::Cell::new(Instant::now());
    let slowest = std::cell::Cell::new(0.0f64);
    let oracle = |candidate: &[u8]| {
        slowest.set(slowest.get().max(last.get().elapsed().as_secs_f64() * 1e3));
        let mut rest = candidate;
        let mut all = true;
        for needle in &needles {
            match find(rest, needle) {
                Some(at) => rest = &rest[at + needle.len()..],
                None => all = false,
            }
        }
        last.set(Instant::now());
        if all { Verdict::Interesting } else { Verdict::Uninteresting }
    };
    let outcome = Reduction::new(input)
        .language(Registry::built_in().get(name))
        .units(units)
        .run(&oracle)
        .expect("the oracle is sound");
    let engine = outcome.elapsed.saturating_sub(outcome.oracle_time).as_secs_f64() * 1e3;
    let (probes, rejected) = (outcome.counts.probes, outcome.counts.rejected);
    let each = engine / probes as f64;
    let (slowest, peak) = (slowest.get(), peak_megabytes());
    println!("{name:8} {bytes:9} {probes:7} {rejected:9} {engine:9.1} {each:10.3} {slowest:12.1} {peak:9.1}");
    println!(
        "{{\"language\": \"{name}\", \"bytes\": {bytes}, \"probes\": {probes}, \"rejected\": {rejected}, \
         \"engine_ms\": {engine:.1}, \"ms_a_probe\": {each:.3}, \"slowest_ms\": {slowest:.1}, \
         \"peak_mb\": {peak:.1}, \"tokens\": {}, \"bytes_left\": {}}}",
        outcome.after.tokens, outcome.after.bytes
    );
}

fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text[from..].iter().position(|&b| b == needle[0]) {
        if text[from + at..].starts_with(needle) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

/// Returns random bytes, and runs of these lengths that they contain. Each run begins with a byte that occurs nowhere
/// else.
fn random(size: usize, lengths: &[usize]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    let mut input: Vec<u8> = (0..size).map(|_| next() & !0x80).collect();
    assert!(input.contains(&0), "NUL is among them");
    let mut needles = Vec::new();
    for (i, &length) in lengths.iter().enumerate() {
        let at = size * (3 * i + 1) / 5;
        input[at] = 0x80 + i as u8;
        needles.push(input[at..at + length].to_vec());
    }
    (input, needles)
}

fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("0");
    let kilobytes: f64 = line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or_default();
    kilobytes / 1024.0
}

/// Returns a program of about `size` bytes with the three needles near its start, middle and end.
fn generate(language: &str, size: usize) -> Vec<u8> {
    let unit = |i: usize, needle: &str| match language {
        "c" => format!(
            "/* unit {i} */\nstatic int f{i}(int a, const char *b, struct s{i} *c)\n{{\n    int i, sum = {i};\n    \
             for (i = 0; i < a * 2 + 1; i++) {{\n        if (b[i] == 'x' && sum > i) {{\n            sum += c->m[i] ^ (a << 3);\n        \
             }} else {{\n            sum -= call(b + i, \"text\", {i}.5);{needle}\n        }}\n    }}\n    return sum;\n}}\n\n"
        ),
        "python" => format!(
            "# unit {i}\nclass C{i}(Base):\n    \"\"\"About {i}.\"\"\"\n    def method(self, a, b=None, *c):\n        total = {i}\n        \
             for x, y in enumerate(c):\n            if x % 2 == 0 and y is not None:\n                total += self.call(x, key=y[1:])\n            \
             else:\n                total -= len([z for z in b if z])\n{}        return {{'a': total, 'b': f\"{{total}}\"}}\n\n",
            if needle.is_empty() { String::new() } else { format!("                {needle}\n") }
        ),
        _ => format!(
            "<div class=\"unit\" id=\"u{i}\"><!-- {i} --><h2>Unit {i}</h2>\n<table border=\"1\"><tr><td>a{i}</td><td><a href=\"#u{i}\">link</a></td></tr>\n\
             <tr><td colspan=\"2\"><p>Some text with <b>bold</b> and <i>italic</i> words &amp; entities.{needle}</p></td></tr></table>\n</div>\n"
        ),
    };
    let call = |name: &str| match language {
        "c" => format!("\n            {name}(sum, a);"),
        "python" => format!("{name}(total, a)"),
        _ => format!("<em>{name}</em>"),
    };
    let units = size / unit(1000, "").len();
    let places = [units / 10, units / 2, units * 9 / 10];
    let mut text = String::with_capacity(size + 1000);
    for i in 0..units {
        let needle = places.iter().position(|&place| place == i).map_or(String::new(), |n| call(WANTED[n]));
        text += &unit(i, &needle);
    }
    text.into_bytes()
}
