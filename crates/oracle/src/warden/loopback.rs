//! Enables the loopback device in a network namespace without other devices.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// The name of the device (`netdevice(7)`).
const NAME: &[u8] = b"lo";

/// Enables the device, which is initially disabled in a new namespace.
///
/// # Errors
/// Returns the system's error.
pub(super) fn raise() -> io::Result<()> {
    // SAFETY: the call takes only numbers.
    let socket = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) };
    if socket < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just created this descriptor, and it has no other owner.
    let socket = unsafe { OwnedFd::from_raw_fd(socket) };
    // SAFETY: all fields are numbers, for which zero is valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (place, letter) in request.ifr_name.iter_mut().zip(NAME) {
        *place = *letter as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = libc::IFF_UP as libc::c_short;
    // SAFETY: the kernel reads the structure, which lives until the call returns.
    let done = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
