//! Proposes rewrites of a text in no known language over its repeated words, its columns, and its numbers.
//!
//! It knows no format: a word is what stands between blanks and punctuation, and a line has fields.

mod column;
mod count;
mod number;
mod rename;
mod symbol;
mod words;

pub(super) use column::propose as column;
pub(super) use count::{Count, count};
pub(super) use number::propose as number;
pub(super) use rename::propose as rename;
pub(super) use symbol::propose as symbol;
