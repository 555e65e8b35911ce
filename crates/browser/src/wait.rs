//! Waits for input.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::os::fd::BorrowedFd;
use std::time::Instant;

/// Waits until a source is readable, and returns which sources are; `None` if there is none until `end`.
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
