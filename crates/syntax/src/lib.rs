//! Syntax trees over bytes. This is the only crate that uses `tree_sitter`.
//!
//! It parses texts, from scratch and incrementally after edits; counts syntax errors; stores a tree as a flat
//! array; describes which kinds a grammar allows in each place; and runs queries. It contains no names of
//! languages and no rules.

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
