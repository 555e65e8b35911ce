//! Waiting until there is something to be read.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::os::fd::BorrowedFd;
use std::time::Instant;

/// Waits until one of the sources can be read, and tells for each of them whether it can; `None` if that is none until the end.
///
/// # Errors
/// Returns the system's error.
pub(crate) fn readable<const N: usize>(
    sources: [Option<BorrowedFd<'_>>; N],
    end: Option<Instant>,
) -> io::Result<Option<[bool; N]>> {
    let mut waiting: Vec<PollFd<'_>> =
        sources.iter().flatten().map(|source| PollFd::from_borrowed_fd(*source, PollFlags::IN)).collect();
    loop {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let left = left.map(|left| Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        });
        match poll(&mut waiting, left.as_ref()) {
            Ok(0) => return Ok(None),
            Ok(_) => break,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let mut ready = waiting.iter().map(|source| !source.revents().is_empty());
    Ok(Some(sources.map(|source| source.is_some() && ready.next().unwrap_or(false))))
}
