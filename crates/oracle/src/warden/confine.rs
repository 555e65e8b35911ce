//! Limits and confinement of the calling thread and of all processes that it starts from then on.
//!
//! It knows no probes. Nothing of it can be taken back: it is for threads that do nothing else. The view of the files is
//! made in `view`, the filters of system calls in `seccomp`.

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

/// Devices that everybody may write to.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
/// The first version of Landlock that keeps files from being truncated: the first one without a gap.
const COMPLETE: u32 = ABI::V3 as u32;
/// The first version of Landlock that keeps signals in.
const SCOPED: u32 = ABI::V6 as u32;
/// The file by which the system chooses the process to end if it runs out of memory, and the most willing choice.
const FIRST_TO_GO: (&str, &str) = ("/proc/self/oom_score_adj", "1000");

/// The reason why it could not be done, in words.
pub(super) type Refusal = Box<dyn Error + Send + Sync>;

/// Puts limits on the memory and the files of the whole process, and has it end before others if memory runs out.
pub(super) fn limit(limits: Limits) -> Result<(), Refusal> {
    // It is a favour to the other programs, so that it fails is no failure.
    let _ = std::fs::write(FIRST_TO_GO.0, FIRST_TO_GO.1);
    for (resource, most) in [(Resource::As, limits.memory), (Resource::Fsize, limits.output)] {
        if let Some(most) = most {
            // A lower limit that is there already stays.
            let most = rustix::process::getrlimit(resource).maximum.map_or(most, |there| there.min(most));
            rustix::process::setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
        }
    }
    Ok(())
}

/// Confines the calling thread to writing below `places` and to what is allowed besides; `found` is the protection that
/// there is already. What there is in the end is returned.
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
            // It would have no memory of its own that ends with it.
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
    seccomp::apply(rules).map_err(|error| format!("this system filters no calls (seccomp): {error}").into())
}

/// Tells whether the protection that there is suffices.
fn check(sandbox: Sandbox, found: Protection) -> Result<(), Refusal> {
    if !found.keeps_files() {
        return Err("this system gives neither Landlock nor a view of the files of its own (mount namespaces), so that it \
                    could write anywhere"
            .into());
    }
    if sandbox == Sandbox::Auto {
        return Ok(());
    }
    if !found.view && found.landlock < COMPLETE {
        let version = found.landlock;
        return Err(format!("version {version} of Landlock cannot keep files from being truncated").into());
    }
    if !found.processes && found.landlock < SCOPED {
        return Err("this system can neither hide other processes nor keep signals from them (process namespaces, or \
                    Landlock as of Linux 6.12)"
            .into());
    }
    Ok(())
}

/// Landlock: reading is free, writing is not, and signals stay among the restricted.
fn restrict(confinement: &Confinement, places: &[&Path]) -> Result<u32, Refusal> {
    // A device may be read, and nothing else may be requested from it but where it may be written to. Sockets with a path
    // are left alone.
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

/// Makes the rules that each probe adds to its warden's: they put it below the warden, which it can then neither signal
/// nor trace, and it makes no devices. `None` where this kernel has no Landlock.
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
        // Rules that do not speak of it keep every file in its directory.
        .add_rules(path_beneath_rules(["/"], AccessFs::Refer))?;
    Ok(rules.into())
}

/// Capabilities that a program of root's keeps: those for files and users. It has none for the machine.
/// The numbers are Linux's (`capabilities(7)`).
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

/// Takes the capabilities away that reach beyond files and users, from all programs that this thread starts. Where the
/// user has none to give away, there is nothing to do.
fn drop_powers() {
    for capability in (0..64).filter(|capability| !KEPT.contains(capability)) {
        // SAFETY: it takes numbers only.
        unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
    }
}
