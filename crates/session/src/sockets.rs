//! Warns about Unix sockets with a path, which a run without network can still access.

use crate::text;
use std::fs;
use std::path::{Path, PathBuf};

/// The kernel's list of Unix sockets (`unix(7)`, `proc_net(5)`).
const LIST: &str = "/proc/net/unix";
/// The flag of a listening socket.
const LISTENS: u32 = 0x0001_0000;
const NAMED: usize = 4;

/// Returns a note about the sockets that the user can access, except those in hidden directories; `None` if there are
/// none.
pub(crate) fn note(hidden: &[PathBuf]) -> Option<String> {
    let list = fs::read(LIST).ok()?;
    let may_write = |path: &Path| rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok();
    let is_seen = |path: &PathBuf| !hidden.iter().any(|hidden| path.starts_with(hidden)) && may_write(path);
    let told = told(&open(&String::from_utf8_lossy(&list)).into_iter().filter(is_seen).collect::<Vec<_>>())?;
    let hint = "; hide those in your home directory and in `/run/user` with `--sandbox private`";
    Some(told + if hidden.is_empty() { hint } else { "" })
}

/// Returns the sorted paths of listening sockets.
fn open(list: &str) -> Vec<PathBuf> {
    let path = |line: &str| {
        let mut words = Vec::new();
        let mut rest = line;
        for _ in 0..7 {
            let (word, after) = rest.trim_start().split_once(' ')?;
            words.push(word);
            rest = after;
        }
        let listens = u32::from_str_radix(words[3], 16).is_ok_and(|flags| flags & LISTENS != 0);
        (listens && rest.starts_with('/')).then(|| PathBuf::from(rest))
    };
    let mut paths: Vec<PathBuf> = list.lines().skip(1).filter_map(path).collect();
    paths.sort();
    paths.dedup();
    paths
}

fn told(paths: &[PathBuf]) -> Option<String> {
    let named: Vec<String> = paths.iter().take(NAMED).map(|path| format!("`{}`", path.display())).collect();
    let more = match paths.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let reached = match paths.len() {
        0 => return None,
        1 => "a Unix socket".to_owned(),
        number => text::counted(number, "Unix socket"),
    };
    Some(format!("without network, the test can still access {reached}: {}{more}", named.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The list as the kernel prints it.
    const SEEN: &str = "\
Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 21357 /run/docker.sock
0000000000000000: 00000003 00000000 00000000 0001 03 21358 /run/connected
0000000000000000: 00000002 00000000 00010000 0001 01  9001 /tmp/with a blank
0000000000000000: 00000002 00000000 00010000 0001 01 21359 @abstract
0000000000000000: 00000003 00000000 00000000 0001 03 19000
0000000000000000: 00000002 00000000 00010000 0001 01 21360 /run/docker.sock
";

    #[test]
    fn what_somebody_listens_at_is_read_from_the_list_of_the_system() {
        assert_eq!(open(SEEN), [Path::new("/run/docker.sock"), Path::new("/tmp/with a blank")]);
        assert_eq!(open(""), [] as [PathBuf; 0]);
    }

    #[test]
    fn a_few_are_named_and_the_others_counted() {
        assert_eq!(told(&[]), None);
        let paths: Vec<PathBuf> = (0..6).map(|number| PathBuf::from(format!("/s{number}"))).collect();
        let one = told(&paths[..1]).expect("there is one");
        assert!(one.contains("a Unix socket: `/s0`"), "{one}");
        let all = told(&paths).expect("there are some");
        assert!(all.contains("6 Unix sockets: `/s0`, `/s1`, `/s2`, `/s3` and 2 more"), "{all}");
    }
}
