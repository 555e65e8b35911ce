use nubbin_oracle::CommandOracle;
use nubbin_state::failure::Failure;
use nubbin_state::lab::{Bounds, Lab, Program};
use nubbin_state::matching::Method;
use nubbin_state::state::{Known, Pair};
use nubbin_state::{causes, events};
use std::ffi::OsString;

fn main() {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let oracle = CommandOracle::new("true", ["x"], Lab::request_name());
    let program = |words: &[OsString]| Program { words: words.to_vec(), directory: std::env::current_dir().unwrap(), stdin: None, sources: vec![] };
    let what = words[0].to_str().unwrap();
    let parts: Vec<&[OsString]> = words[1..].split(|w| w == "--").collect();
    if what == "events" {
        let lab = Lab::new(program(parts[0]), &oracle, Bounds::default()).unwrap();
        let failure = parts.get(1).map(|r| Failure::Asked(Box::new(nubbin_oracle::Matcher { stdout: Some(r[0].to_str().unwrap().parse().unwrap()), status: Some(nubbin_oracle::Status::Exit(0)), ..Default::default() })));
        let found = events::reduce(&lab, 2, failure, &mut |n, r| eprintln!("{n} left after {r} runs"));
        match found {
            Err(e) => println!("error: {e}"),
            Ok(found) => {
                println!("{} events, {} left, {} proven, {} runs; {}", found.kept.len(), found.kept.iter().filter(|k| **k).count(), found.proven, found.runs, found.failure.words());
                for (at, kept) in found.kept.iter().enumerate().take(100) {
                    println!("{} {:3} d{} {} {}", if *kept { "x" } else { " " }, at, found.trace.events[at].depth, found.trace.place(at), found.trace.place(at).function);
                }
            }
        }
        return;
    }
    let [p, f] = [parts[0], parts[1]].map(|w| Lab::new(program(w), &oracle, Bounds::default()).unwrap());
    let runs = [p.plain().unwrap(), f.plain().unwrap()];
    let input: Vec<u8> = parts[1].iter().flat_map(|w| [w.as_encoded_bytes(), b" "].concat()).collect();
    let failure = Failure::of_both(&runs[0], &runs[1], &input).unwrap();
    println!("failure: {}", failure.words());
    let known = Known::default();
    let pair = Pair { passing: &p, failing: &f, failure: &failure, jobs: 2, method: Method::Parallel, known: &known };
    match causes::chain(&pair, &|| false, &mut |m, r| eprintln!("{m} moments, {r} runs")) {
        Err(e) => println!("error: {e}"),
        Ok(chain) => {
            println!("{} moments, {} examined, {} runs, {:?}", chain.moments, chain.examined, chain.runs, chain.reason);
            for l in &chain.links {
                println!("#{} {} {:?} {:?} ({} diffs, {} left out) {:?}", l.moment, l.place, l.cause.frames, l.cause.words, l.cause.differences, l.cause.left_out, l.cause.commands);
            }
            for t in &chain.transitions { println!("transition {:?} {:?} exact {}", t.places.iter().map(|p| p.line).collect::<Vec<_>>(), t.links, t.is_exact); }
        }
    }
}
