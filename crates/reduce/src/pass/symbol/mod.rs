//! Rewrites over symbols, and the passes that are made of them: each works on all places of a symbol at once.
//!
//! `nubbin-language` finds the symbols of a text. A rewrite is a function from them and one of them to
//! [ways](way::Way); each stands in a file of its own. None of them is a compiler: the oracle refuses what is wrong.

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
mod detour;
mod dissolve;
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
mod specialise;
mod template;
mod text;
mod unname;
mod unnumber;
mod value;
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
