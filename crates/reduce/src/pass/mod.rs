//! Passes: each looks at the best and proposes deltas. None of them ever sees a verdict.

mod alike;
mod block;
mod bracket;
mod byte;
mod comment;
mod delete;
mod file;
mod hoist;
mod kind;
mod line;
mod name;
mod noise;
mod number;
mod part;
mod plan;
mod proposal;
mod propose;
mod rule;
mod snapshot;
mod space;
mod substitute;
mod text;
mod token;
mod unit;
mod uses;
mod window;
mod word;

pub use kind::emptied;
pub use name::functions;
pub use plan::{Plan, Run, Turn, all, by_name};
pub use proposal::{Builder, Filter, Proposal};
pub use rule::{Rewriting, rewritings};
pub use snapshot::{Embedded, Layer, Snapshot, Text};
pub use unit::Unit;

/// One way to propose deltas.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Its name, as `--dump-deltas` takes it.
    pub name: &'static str,
    /// What it does, in a sentence without a final period.
    pub about: &'static str,
    propose: fn(&Snapshot<'_>) -> Proposal,
}

impl std::fmt::Debug for Pass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pass({})", self.name)
    }
}

impl Pass {
    /// Whether it looks at trees: of an archive, what is about whole files does not.
    #[must_use]
    pub fn is_about_trees(&self) -> bool {
        self.name != plan::FILE
    }

    /// Proposes deltas of the snapshot's text.
    #[must_use]
    pub fn propose(&self, snapshot: &Snapshot<'_>) -> Proposal {
        (self.propose)(snapshot)
    }
}
