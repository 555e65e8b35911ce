//! Finds out why a program fails: which of its executed statements matter, which part of its state, and how the failure came about.
//!
//! | module | gives | published in |
//! |---|---|---|
//! | [`account`] | what a debugger shows at once: the failing statement, its values, and where they came from | – |
//! | [`events`] | the smallest sequence of executed statements that still fails | Cleve and Zeller, AADEBUG 2000, section 5 |
//! | [`state`] | the smallest difference between two states that makes a run fail | Zeller, FSE 2002 |
//! | [`effect`] | what one cause becomes at a later moment | Cleve and Zeller, ICSE 2005, section 3 |
//! | [`causes`] | the chain of causes of a failure, and where one cause hands over to another | Cleve and Zeller, ICSE 2005 |
//!
//! A program is looked into by a [`Debugger`](debugger::Debugger): gdb, or an interpreter's own hooks. It is run in a
//! [`Lab`](lab::Lab), once for each question, by the [oracle](nubbin_oracle)'s processes with their sandbox and limits. The
//! searches are those of [`nubbin_search`].

pub mod account;
pub mod causes;
pub mod debugger;
pub mod delta;
pub mod effect;
pub mod events;
pub mod failure;
pub mod fault;
pub mod graph;
pub mod input;
pub mod lab;
mod largest;
pub mod matching;
pub mod picture;
pub mod protocol;
pub mod state;
pub mod trace;
mod traceback;

pub use fault::Fault;
