//! A browser server for tests: it keeps a browser open, and checks one page after another for a failure.
//!
//! - [`words`] returns the command that starts a server, and [`serve`] runs it. It reads questions about
//!   pages as JSON lines, and writes answers as JSON lines, as described in `docs/guide/servers.md`.
//! - A [`Plan`] specifies what to do with a page and which failure to look for; [`Seen`] contains the
//!   observations.
//! - [`events()`] parses a script of user actions, and returns a [`ScriptError`] for an invalid line. A browser
//!   that cannot be started is reported in the answer, with the status [`NO_BROWSER`] or the verdict
//!   `unresolved`.
//!
//! The server controls browsers of the Chromium family with the protocol of the developer tools, over two
//! pipes, and Firefox with WebDriver BiDi, which requires a loopback network. It serves the page and its
//! files from memory; all other requests are blocked. All pages are loaded in one tab. If a page stores data
//! (cookies, storage, workers, other windows, history), the tab and its context are replaced. A browser that
//! has ended or has used too much memory is also replaced.

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
