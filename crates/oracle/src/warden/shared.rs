//! Removes System V memory, queues and semaphores that a probe left in its namespace. They have no owner
//! whose end would remove them.

use std::mem::MaybeUninit;

/// The command that returns the number of memory segments (`SHM_INFO`).
const INFO: i32 = 14;
/// The same for queues.
const QUEUE_INFO: i32 = 12;
/// The same for semaphores.
const SEMAPHORE_INFO: i32 = 19;
/// The command that returns a memory segment by its index in the kernel's table (`SHM_STAT`).
const STAT: i32 = 13;
/// The same for queues.
const QUEUE_STAT: i32 = 11;
/// The same for semaphores.
const SEMAPHORE_STAT: i32 = 18;
/// The size of a buffer for the answer to any of these commands, in bytes.
const LONGEST: usize = 512;

/// Removes all of them. If there are none, this takes three system calls.
pub(super) fn forget() {
    let mut space = MaybeUninit::<[u64; LONGEST / 8]>::zeroed();
    let space = space.as_mut_ptr();
    // SAFETY: the kernel writes into the buffer, which is large enough for each of its structures; the calls
    // return the largest index in use, or a negative number.
    unsafe {
        for place in 0..=libc::shmctl(0, INFO, space.cast()) {
            let number = libc::shmctl(place, STAT, space.cast());
            if number >= 0 {
                libc::shmctl(number, libc::IPC_RMID, space.cast());
            }
        }
        for place in 0..=libc::msgctl(0, QUEUE_INFO, space.cast()) {
            let number = libc::msgctl(place, QUEUE_STAT, space.cast());
            if number >= 0 {
                libc::msgctl(number, libc::IPC_RMID, space.cast());
            }
        }
        for place in 0..=libc::semctl(0, 0, SEMAPHORE_INFO, space) {
            let number = libc::semctl(place, 0, SEMAPHORE_STAT, space);
            if number >= 0 {
                libc::semctl(number, 0, libc::IPC_RMID);
            }
        }
    }
}
