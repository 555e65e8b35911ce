//! Limits and confinement of the calling thread and of all processes that it starts from then on.
//!
//! It knows no probes. Nothing of it can be taken back: it is for threads that do nothing else.

use crate::limits::{Confinement, Limits, Sandbox};
use landlock::{
    ABI, AccessFs, BitFlags, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope,
    path_beneath_rules,
};
use rustix::process::{Resource, Rlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use std::error::Error;
use std::path::Path;

/// Devices that everybody may write to.
const DEVICES: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];
/// The first version of Landlock that keeps files from being truncated: the first one without a gap.
const COMPLETE: u32 = ABI::V3 as u32;

/// The reason why it could not be done, in words.
pub(super) type Refusal = Box<dyn Error + Send + Sync>;

/// Puts limits on the memory and the files of the whole process.
pub(super) fn limit(limits: Limits) -> Result<(), Refusal> {
    for (resource, most) in [(Resource::As, limits.memory), (Resource::Fsize, limits.output)] {
        if let Some(most) = most {
            // A lower limit that is there already stays.
            let most = rustix::process::getrlimit(resource).maximum.map_or(most, |there| there.min(most));
            rustix::process::setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
        }
    }
    Ok(())
}

/// Confines the calling thread to writing below `root` and to what is allowed besides.
/// The version of the sandbox is returned, 0 for none.
pub(super) fn confine(confinement: &Confinement, root: &Path) -> Result<u32, Refusal> {
    let version = match confinement.sandbox {
        Sandbox::Off => 0,
        Sandbox::Auto => restrict(confinement, root)?,
        Sandbox::Strict => match restrict(confinement, root)? {
            0 => return Err("this kernel has no Landlock, or it is switched off".into()),
            old @ 1..COMPLETE => {
                return Err(
                    format!("version {old} of Landlock cannot keep files from being truncated").into()
                );
            }
            version => version,
        },
    };
    if confinement.no_network {
        cut_network()?;
    }
    Ok(version)
}

/// Landlock: reading is free, writing is not, and signals stay among the restricted.
fn restrict(confinement: &Confinement, root: &Path) -> Result<u32, Refusal> {
    // The calls that ask devices for other things (terminals, for one) are left alone, and so are sockets with a path.
    let writing: BitFlags<AccessFs> = AccessFs::from_write(ABI::V4);
    let paths = [root].into_iter().chain(DEVICES.iter().map(Path::new));
    let paths = paths.chain(confinement.writable.iter().map(AsRef::as_ref));
    let status = Ruleset::default()
        .handle_access(writing)?
        .scope(Scope::Signal)?
        .create()?
        .add_rules(path_beneath_rules(paths, writing))?
        .add_rules(path_beneath_rules(&confinement.logs, AccessFs::WriteFile))?
        .restrict_self()?;
    Ok(match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => effective_abi as u32,
        _ => 0,
    })
}

/// A filter of system calls: sockets have a path or speak with the kernel, and nothing is opened behind its back.
fn cut_network() -> Result<(), Refusal> {
    let other_than =
        |domain: i32| SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, domain as u64);
    let foreign = || -> Result<_, Refusal> {
        Ok(vec![SeccompRule::new(vec![other_than(libc::AF_UNIX)?, other_than(libc::AF_NETLINK)?])?])
    };
    let rules = [
        (libc::SYS_socket, foreign()?),
        (libc::SYS_socketpair, foreign()?),
        (libc::SYS_io_uring_setup, Vec::new()),
    ];
    let refuse = SeccompAction::Errno(libc::EACCES as u32);
    let machine = std::env::consts::ARCH.try_into()?;
    let filter = SeccompFilter::new(rules.into_iter().collect(), SeccompAction::Allow, refuse, machine)?;
    let program: BpfProgram = filter.try_into()?;
    seccompiler::apply_filter(&program)?;
    Ok(())
}
