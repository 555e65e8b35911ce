//! Trees over bytes: the only place that names `tree_sitter`.
//!
//! It parses, from scratch and again after edits; counts what does not fit the grammar; keeps a tree as a flat
//! arena; answers what a grammar allows where; and runs queries. It knows no language by name and no rule.

pub mod edit;
mod grammar;
mod layout;
mod parser;
mod query;
mod sentence;
pub mod stop;
mod tree;

pub use grammar::{Grammar, GrammarError, Slot};
pub use layout::{Layout, Lines, deletion_span, indentation};
pub use parser::{Parsed, Parser, Revision};
pub use query::{Capture, Match, Query, QueryError};
pub use sentence::Sentences;
pub use tree::{NONE, Node, NodeId, Tree};
