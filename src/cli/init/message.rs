//! What of a message a script can look for: parts of it that stand in the output as they are, each time.

use super::super::baseline::Baseline;
use super::super::failure_options::Message;
use super::super::settings::Settings;
use nubbin::oracle::Run;
use nubbin::signature::Signature;

/// A part that is shorter says too little.
const SHORTEST: usize = 6;

/// The texts to look for; none where it says nothing that can be kept.
pub fn texts(settings: &Settings, first: &Baseline<'_>, runs: &[Run; 2]) -> Vec<String> {
    let is_asked = first.failure.as_ref().is_some_and(|failure| failure.message.is_some());
    let outputs = runs.each_ref().map(|run| {
        let output = [run.stdout.as_slice(), b"\n", run.stderr.as_slice()].concat();
        String::from_utf8_lossy(&output).into_owned()
    });
    let last_line = || {
        let [one, other] = runs.each_ref().map(|run| Signature::last_line(&run.stdout, &run.stderr));
        one?.common(&other?)
    };
    let wanted = settings.test.message != Message::None;
    let learned = first.learned.message.clone().filter(|_| is_asked);
    let Some(signature) = learned.or_else(|| last_line().filter(|_| wanted)) else { return Vec::new() };
    let own = settings.own_names();
    let message = literal(signature.message(), &outputs, &own);
    let frame = signature.frames().first().filter(|frame| {
        frame.len() >= SHORTEST && outputs.iter().all(|output| output.contains(frame.as_str()))
    });
    let frame =
        frame.filter(|frame| !message.as_ref().is_some_and(|message| message.contains(frame.as_str())));
    message.into_iter().chain(frame.cloned()).collect()
}

/// The longest part of a message that all outputs hold in a line, and that holds no name of the input.
fn literal(message: &str, outputs: &[String; 2], own: &[String]) -> Option<String> {
    let lines = outputs[0].lines().filter(|line| line.len() < 10_000);
    let parts = lines.filter_map(|line| common(message, line));
    let parts = parts.flat_map(|part| without(&part, own));
    let is_kept = |part: &String| {
        part.chars().count() >= SHORTEST && outputs.iter().all(|output| output.contains(part.as_str()))
    };
    parts.filter(is_kept).max_by_key(String::len)
}

/// The parts around names.
fn without(part: &str, own: &[String]) -> Vec<String> {
    let mut parts = vec![part.to_owned()];
    for name in own.iter().filter(|name| !name.is_empty()) {
        parts = parts.iter().flat_map(|part| part.split(name.as_str()).map(str::to_owned)).collect();
    }
    parts.iter().map(|part| part.trim_matches([' ', ':', ',']).to_owned()).collect()
}

/// The longest text that both hold, in whole words of the second.
fn common(message: &str, line: &str) -> Option<String> {
    let (message, line): (Vec<char>, Vec<char>) = (message.chars().collect(), line.chars().collect());
    let mut before = vec![0_usize; line.len() + 1];
    let (mut length, mut end) = (0, 0);
    for one in &message {
        let mut now = vec![0; line.len() + 1];
        for (at, other) in line.iter().enumerate() {
            if one == other {
                now[at + 1] = before[at] + 1;
                if now[at + 1] > length {
                    (length, end) = (now[at + 1], at + 1);
                }
            }
        }
        before = now;
    }
    let (mut from, mut to) = (end - length, end);
    let is_word = |at: usize| line.get(at).is_some_and(|c| c.is_alphanumeric() || *c == '_');
    while from < to && from > 0 && is_word(from - 1) && is_word(from) {
        from += 1;
    }
    while to > from && is_word(to) && is_word(to - 1) {
        to -= 1;
    }
    let text: String = line[from..to].iter().collect();
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_is_not_looked_for() {
        let outputs =
            ["bug.c:3: internal error: in fold, at x.cc:77", "bug.c:3: internal error: in fold, at x.cc:78"];
        let found = literal("gcc ICE: in fold, at x.cc", &outputs.map(str::to_owned), &["bug.c".to_owned()]);
        assert_eq!(found.as_deref(), Some("in fold, at x.cc"));
        let outputs = ["cannot read bug.c as numbers"; 2].map(str::to_owned);
        let found = literal("cannot read bug.c as numbers", &outputs, &["bug.c".to_owned()]);
        assert_eq!(found.as_deref(), Some("cannot read"));
        assert_eq!(literal("short", &["short", "short"].map(str::to_owned), &[]), None);
    }

    #[test]
    fn words_stay_whole() {
        assert_eq!(common("the length is N", "panic: the lengths are 3").as_deref(), Some("the"));
    }
}
