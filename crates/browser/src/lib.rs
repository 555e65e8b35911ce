//! A browser that stays open, and says of one page after the other whether it shows a failure.
//!
//! A program that is started with certain [`words`] is a server: it is asked by JSON lines about pages, and answers by JSON
//! lines, as `docs/guide/servers.md` has it. A [`Plan`] says what it does with a page and what it looks for.
//!
//! The server speaks with a browser of the Chromium family in the protocol of the developer tools, over two pipes, and with Firefox
//! in WebDriver BiDi, for which it needs a network that reaches itself. It serves the page and the files beside it from
//! memory, and nothing else: no request leaves the machine.
//! All pages are loaded in one tab as long as none of them keeps anything (cookies, storage, workers, other windows, a
//! history); after one that does, the tab and its context are replaced. So is a browser that has ended or has grown.
//!
//! It knows nothing of reductions, candidates and oracles.

mod browser;
mod chromium;
mod events;
mod firefox;
mod picture;
mod plan;
mod process;
mod program;
mod region;
mod server;
mod site;
mod visit;
mod wait;

pub use events::{Event, ScriptError, events};
pub use plan::{Checks, Crash, Expected, Fingerprint, Outcome, Plan, Said, Seen};
pub use program::{BROWSERS, debugging, find};
pub use region::Region;
pub use server::{NO_BROWSER, is_asked_for, serve, words};
