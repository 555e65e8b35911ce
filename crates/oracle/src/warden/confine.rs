//! Limits and confines the calling thread and all processes that it starts afterwards.
//!
//! The restrictions cannot be removed, so the thread must not have other tasks. The mount namespace is set up
//! in `view`, the system call filters in `seccomp`.

use super::seccomp;
use crate::limits::{Confinement, Limits, Protection, Sandbox};
use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible, LandlockStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, Scope, path_beneath_rules,
};
use rustix::process::{Resource, Rlimit};
use std::error::Error;
use std::os::fd::OwnedFd;
use std::path::Path;

/// Devices that are writable for everyone.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
/// The first version of Landlock that prevents truncation, and thus covers all writes.
const COMPLETE: u32 = ABI::V3 as u32;
/// The first version of Landlock that restricts signals.
const SCOPED: u32 = ABI::V6 as u32;
/// The file with the priority for being killed when memory runs out, and its highest value.
const FIRST_TO_GO: (&str, &str) = ("/proc/self/oom_score_adj", "1000");

/// The reason for a failure.
pub(super) type Refusal = Box<dyn Error + Send + Sync>;

/// Limits the memory and the file sizes of the process, and marks it as the first one to be killed when
/// memory runs out.
pub(super) fn limit(limits: Limits) -> Result<(), Refusal> {
    // This only protects other programs, so a failure is ignored.
    let _ = std::fs::write(FIRST_TO_GO.0, FIRST_TO_GO.1);
    for (resource, most) in [(Resource::As, limits.memory), (Resource::Fsize, limits.output)] {
        if let Some(most) = most {
            // A lower existing limit is kept.
            let most = rustix::process::getrlimit(resource).maximum.map_or(most, |there| there.min(most));
            rustix::process::setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
        }
    }
    Ok(())
}

/// Restricts the calling thread to writing below `places` and the paths that `confinement` allows. `found` is
/// the protection that already applies; the complete protection is returned.
pub(super) fn confine(
    confinement: &Confinement,
    places: &[&Path],
    found: Protection,
) -> Result<Protection, Refusal> {
    let mut found = found;
    if confinement.sandbox != Sandbox::Off {
        found.landlock = restrict(confinement, places)?;
        check(confinement.sandbox, found)?;
        drop_powers();
        let mut refused = seccomp::needless();
        if !found.view {
            // Without an IPC namespace, System V memory would outlive the probe.
            refused.extend(seccomp::no_shared_memory());
        }
        let filtered = filter(&refused);
        if confinement.sandbox == Sandbox::Strict {
            filtered?;
        }
    }
    if confinement.no_network && !confinement.loopback {
        filter(&seccomp::no_network())?;
    }
    Ok(found)
}

fn filter(rules: &[seccomp::Rule]) -> Result<(), Refusal> {
    seccomp::apply(rules).map_err(|error| {
        format!("this system does not support system call filters (seccomp): {error}").into()
    })
}

/// Checks whether the protection is sufficient.
fn check(sandbox: Sandbox, found: Protection) -> Result<(), Refusal> {
    if !found.keeps_files() {
        return Err("this system supports neither Landlock nor mount namespaces, so the oracle \
                    could write anywhere"
            .into());
    }
    if sandbox == Sandbox::Auto {
        return Ok(());
    }
    if !found.view && found.landlock < COMPLETE {
        let version = found.landlock;
        return Err(format!("version {version} of Landlock cannot prevent truncation of files").into());
    }
    if !found.processes && found.landlock < SCOPED {
        return Err("this system can neither hide other processes nor keep signals from them (process namespaces, or \
                    Landlock as of Linux 6.12)"
            .into());
    }
    Ok(())
}

/// Applies Landlock: reading is allowed, writing is restricted, and signals reach only processes with the
/// same restrictions.
fn restrict(confinement: &Confinement, places: &[&Path]) -> Result<u32, Refusal> {
    // Requests to devices (`ioctl`) are allowed only where the device is writable. Unix sockets with a path
    // are not restricted.
    let writing: BitFlags<AccessFs> = AccessFs::from_write(ABI::V5);
    let paths = places.iter().copied().chain(DEVICES.iter().map(Path::new));
    let paths = paths.chain(confinement.writable.iter().map(AsRef::as_ref));
    let status = Ruleset::default()
        .handle_access(writing)?
        .scope(scopes(confinement))?
        .create()?
        .add_rules(path_beneath_rules(paths, writing))?
        .add_rules(path_beneath_rules(&confinement.logs, AccessFs::WriteFile))?
        .restrict_self()?;
    Ok(match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => effective_abi as u32,
        _ => 0,
    })
}

fn scopes(confinement: &Confinement) -> BitFlags<Scope> {
    if confinement.no_network { Scope::Signal | Scope::AbstractUnixSocket } else { Scope::Signal.into() }
}

/// Returns the rules that each probe adds to those of its warden. The probe is then in a nested domain: it
/// cannot signal or trace the warden, and cannot create devices. `None` if the sandbox is off or the kernel
/// does not support Landlock.
///
/// # Errors
/// Returns the system's error.
pub(super) fn probe_rules(confinement: &Confinement) -> Result<Option<OwnedFd>, Refusal> {
    if confinement.sandbox == Sandbox::Off {
        return Ok(None);
    }
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::Refer)?
        .scope(scopes(confinement))?
        .create()?
        // Without this rule, Landlock would forbid moving files between directories.
        .add_rules(path_beneath_rules(["/"], AccessFs::Refer))?;
    Ok(rules.into())
}

/// The capabilities that programs of root keep: those for files and users, and none for the machine. The
/// numbers are from Linux (`capabilities(7)`).
const KEPT: [i32; 11] = [
    0,  // CHOWN
    1,  // DAC_OVERRIDE
    3,  // FOWNER
    4,  // FSETID
    5,  // KILL
    6,  // SETGID
    7,  // SETUID
    8,  // SETPCAP
    10, // NET_BIND_SERVICE
    13, // NET_RAW
    18, // SYS_CHROOT
];

/// Removes all other capabilities from the programs that this thread starts. For users without capabilities,
/// this has no effect.
fn drop_powers() {
    for capability in (0..64).filter(|capability| !KEPT.contains(capability)) {
        // SAFETY: the call takes only numbers.
        unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
    }
}
