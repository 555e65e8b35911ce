//! Finds out why a program fails: the executed statements and the part of the state that matter, and how the
//! failure came about.
//!
//! | module | finds | published in |
//! |---|---|---|
//! | [`account`] | the failing statement, its values, and their origins | – |
//! | [`events`] | a minimal sequence of executed statements that still fails | Cleve and Zeller, AADEBUG 2000, section 5 |
//! | [`state`] | a minimal difference between two states that makes a run fail | Zeller, FSE 2002 |
//! | [`effect`] | the effect of a cause on a later moment | Cleve and Zeller, ICSE 2005, section 3 |
//! | [`causes`] | the chain of causes of a failure, and the transitions between causes | Cleve and Zeller, ICSE 2005 |
//!
//! Programs are examined by a [`Debugger`](debugger::Debugger): gdb, or the hooks of an interpreter. A
//! [`Lab`](lab::Lab) runs the program once for each question, in the processes of the [oracle](nubbin_oracle)
//! with their sandbox and limits. The searches are those of [`nubbin_search`].

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
