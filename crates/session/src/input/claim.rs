//! Claims an output for one run, so that other runs detect it when they start.
//!
//! A claim is an abstract socket name, which exists only in the kernel and ends with the process. Nothing is sent
//! through the socket. Runs on other machines or in other network namespaces do not see it.

use super::best::directory;
use rustix::event::{Timespec, poll};
use rustix::net::sockopt::socket_peercred;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::Path;

/// Tuned parameters.
struct Tuning {
    /// The number of attempts to claim, with `pause` between them. A child of a killed run can hold the claim until
    /// it executes the oracle.
    attempts: usize,
    pause: Timespec,
}

const TUNING: Tuning = Tuning { attempts: 30, pause: Timespec { tv_sec: 0, tv_nsec: 10_000_000 } };

/// A claim, which ends when it is dropped. There is no listener if claims are not possible.
#[derive(Debug)]
pub(super) struct Claim {
    _listener: Option<UnixListener>,
}

/// Another process has claimed the output. Its process ID is known unless it has just ended.
pub(super) struct Claimed(pub Option<i32>);

impl Claim {
    /// Claims the output at this path, which need not exist.
    pub(super) fn new(path: &Path) -> Result<Self, Claimed> {
        let Ok(address) = address(path) else { return Ok(Self { _listener: None }) };
        for _ in 0..TUNING.attempts {
            match UnixListener::bind_addr(&address) {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
                listener => return Ok(Self { _listener: listener.ok() }),
            }
            let _ = poll(&mut [], Some(&TUNING.pause));
        }
        Err(Claimed(holder(&address)))
    }
}

/// Returns a name that is the same for every path to the file.
fn address(path: &Path) -> io::Result<SocketAddr> {
    let place = fs::metadata(directory(path))?;
    let name = path.file_name().unwrap_or(OsStr::new(".."));
    let mut key = format!("{}:{}:", place.dev(), place.ino()).into_bytes();
    key.extend_from_slice(name.as_bytes());
    SocketAddr::from_abstract_name(format!("nubbin-output-{}", blake3::hash(&key).to_hex()))
}

fn holder(address: &SocketAddr) -> Option<i32> {
    let stream = UnixStream::connect_addr(address).ok()?;
    socket_peercred(&stream).ok().map(|holder| holder.pid.as_raw_nonzero().get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_is_claimed_once_by_whatever_path_it_is_named() {
        let folder = tempfile::tempdir().expect("a directory");
        let (path, link) = (folder.path().join("a"), folder.path().join("link"));
        std::os::unix::fs::symlink(folder.path(), &link).expect("a link");
        let claim = Claim::new(&path).map_err(|_| "claimed").expect("free");
        let Err(Claimed(holder)) = Claim::new(&link.join("a")) else { panic!("it is claimed") };
        assert_eq!(holder, Some(std::process::id() as i32));
        assert!(Claim::new(&folder.path().join("b")).is_ok());
        drop(claim);
        assert!(Claim::new(&path).is_ok());
    }
}
