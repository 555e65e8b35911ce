//! Shows why a program fails, as text, as JSON, and as a page with the sources.

mod account;
mod page;
mod source;
mod text;

use nubbin_session::why::explain::Explained;
use nubbin_session::why::{At, ChainFound, StateFound};
use nubbin_state::account::Account;
use nubbin_state::events::Reduced;
use nubbin_state::picture::Picture;
use nubbin_state::state::Found;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::PathBuf;

pub use account::text as account;
pub use page::page;
pub use text::text;

/// The answer of a command, with the arguments of the runs.
#[derive(Debug)]
pub enum Answer {
    Events(Vec<OsString>, Reduced),
    State(At, [Vec<OsString>; 2], Box<StateFound>),
    Causes([Vec<OsString>; 2], ChainFound),
    Explained(Box<Explained>),
}

impl Answer {
    /// The default path of the page, if the command has one.
    pub fn own_page(&self) -> Option<PathBuf> {
        match self {
            Self::Explained(found) => Some(found.folder.join("why.html")),
            _ => None,
        }
    }

    /// The picture of a state, if the answer has one.
    pub fn picture(&self) -> Option<&Picture> {
        match self {
            Self::State(_, _, found) => match &found.found {
                Found::Relevant(isolated) => isolated.picture.as_ref(),
                Found::Nothing(_) => None,
            },
            _ => None,
        }
    }
}

/// The answer as a JSON object.
pub fn json(answer: &Answer, account: Option<&Account>) -> String {
    let mut value = match answer {
        Answer::Events(words, reduced) => events(words, reduced),
        Answer::State(at, runs, found) => state(at, runs, found),
        Answer::Causes(runs, found) => chain(runs, found),
        Answer::Explained(found) => {
            let mut value = chain(&found.words, &found.found);
            value["failing_file"] = found.failing.to_string_lossy().into();
            value["passing_file"] = found.passing.to_string_lossy().into();
            value["tokens"] = json!(found.tokens);
            value
        }
    };
    if let Some(account) = account {
        value["account"] = json!(account);
    }
    format!("{value:#}\n")
}

fn words(words: &[OsString]) -> Vec<String> {
    words.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

fn events(run: &[OsString], reduced: &Reduced) -> Value {
    let kept = reduced.kept.iter().enumerate().filter(|(_, kept)| **kept).map(|(at, _)| {
        let place = reduced.trace.place(at);
        json!({"event": at, "file": place.file, "line": place.line, "function": place.function})
    });
    json!({
        "run": words(run),
        "failure": reduced.failure.words(),
        "events": reduced.kept.len(),
        "needed": kept.collect::<Vec<_>>(),
        "tried_alone": reduced.proven,
        "runs": reduced.runs,
    })
}

fn state(at: &At, runs: &[Vec<OsString>; 2], found: &StateFound) -> Value {
    let cause = match &found.found {
        Found::Relevant(isolated) => json!(isolated),
        Found::Nothing(reason) => json!({"reason": reason}),
    };
    json!({
        "passing": words(&runs[0]),
        "failing": words(&runs[1]),
        "failure": found.failure,
        "at": {"file": at.file, "line": at.line, "counts": at.counts},
        "cause": cause,
        "way": found.way,
        "typed": found.typed,
        "runs": found.runs,
    })
}

fn chain(runs: &[Vec<OsString>; 2], found: &ChainFound) -> Value {
    let mut value = json!(found.chain);
    value["passing"] = json!(words(&runs[0]));
    value["failing"] = json!(words(&runs[1]));
    value["failure"] = json!(found.failure);
    value["is_complete"] = json!(!found.is_late);
    value
}
