//! Rewrites of symbols, and the passes that consist of them. A rewrite changes all places of a symbol together.
//!
//! `nubbin-language` finds the symbols of a text. Each rewrite is a function, in its own file, from the symbols
//! and one of them to alternative sets of edits ([`Way`](way::Way)). A rewrite does not check types: the oracle
//! rejects candidates that do not compile.

mod across;
mod aggregate;
mod alias;
mod aligned;
mod argument;
mod assignment;
mod callee;
mod cast;
mod class;
mod classwide;
mod cluster;
mod constant;
mod construct;
mod context;
mod cover;
mod deduced;
mod detour;
mod dissolve;
mod early;
mod enter;
mod evaluate;
mod everywhere;
mod forward;
mod function;
mod given;
mod global;
mod indirection;
mod inline;
mod instance;
mod instantiate;
mod join;
mod jump;
mod known;
mod leave;
mod literal;
mod local;
mod local_to_parameter;
mod made;
mod merge;
mod needless;
mod neighbour;
mod nest;
mod object;
mod order;
mod other;
mod pack;
mod peel;
mod pointer;
mod receive;
mod remove;
mod rename;
mod room;
mod section;
mod settle;
mod single;
mod slot;
mod sole;
mod specialise;
mod template;
mod text;
mod unname;
mod unnumber;
mod value;
mod variable;
mod way;
mod wrap;

#[cfg(test)]
mod tests;

pub(super) use across::propose as across;
pub(super) use argument::propose as argument;
pub(super) use context::Context;
pub use detour::{Detour, detours};
pub(super) use evaluate::propose as evaluate;
pub use function::functions;
pub(super) use global::propose as global;
pub(super) use indirection::propose as indirection;
pub(super) use inline::propose as inline;
pub(super) use jump::propose as jump;
pub(super) use literal::propose as literal;
pub(super) use local_to_parameter::propose as local_to_parameter;
pub(super) use remove::propose as remove;
pub(super) use rename::propose as rename;
pub(super) use section::frames as section_frames;
pub(super) use unnumber::propose as unnumber;
