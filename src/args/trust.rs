//! Trusted settings files: the `nubbin.toml` of a directory can come from another person.
//!
//! Without trust, such a file can only set options that name no program, file or address, and that remove no
//! protection. `nubbin trust` allows the other options for the current content of the file.

use clap::Args;
use nubbin_session::failure::{Failure, Fault};
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The identifiers of options that any settings file can set.
const HARMLESS: [&str; 32] = [
    "allow_empty",
    "anonymize",
    "compact",
    "effort",
    "errors_too",
    "exit_code",
    "flaky",
    "hang",
    "invert",
    "jobs",
    "json",
    "keep",
    "matching",
    "max_candidates",
    "max_time",
    "no_journal",
    "no_markers",
    "no_others",
    "objective",
    "only",
    "reject",
    "search",
    "signal",
    "signature",
    "skip",
    "slower_than",
    "stderr",
    "stdout",
    "stop_at",
    "timeout",
    "unit",
    "verbose",
];

const EXAMPLES: &str = "\
Examples:
  nubbin trust
      trust the nubbin.toml of this directory until it changes, and print what it sets
  nubbin trust --revoke
      withdraw the trust

A settings file that is not trusted can only set options that name no program, file or address, and that
remove no protection.";

/// Allow the nubbin.toml of this directory to name programs
#[derive(Clone, Debug, Args)]
#[command(after_long_help = EXAMPLES)]
#[group(skip)]
pub struct Trust {
    /// The settings file
    #[arg(value_name = "FILE", default_value = super::config::NAME)]
    pub file: PathBuf,

    /// Withdraw the trust
    #[arg(long)]
    pub revoke: bool,
}

/// Tells whether any settings file can set this option to these values.
pub fn is_harmless(id: &str, values: &[&str]) -> bool {
    let all = |is_fine: fn(&str) -> bool| values.iter().all(|value| is_fine(value));
    match id {
        "formatter" | "preprocessor" | "server" => all(|value| value == "none"),
        "inline" => all(|value| value == "never" || value == "auto"),
        "language" => all(|value| !value.contains('/')),
        "limit" => all(|value| value.split(',').all(|limit| limit.starts_with("cpu="))),
        "sandbox" => all(|value| value.split(',').all(|one| one != "off")),
        _ => HARMLESS.contains(&id),
    }
}

/// The list of trusted files: a line each, with the hash of path and content, and the path.
#[derive(Debug)]
pub struct TrustedFiles {
    path: PathBuf,
    lines: Vec<Vec<u8>>,
}

impl TrustedFiles {
    /// Reads the list of this user.
    ///
    /// # Errors
    /// Returns an error when there is no place for it, or it cannot be read.
    pub fn read() -> Result<Self, Failure> {
        let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")));
        let state = state.ok_or_else(|| {
            Failure::message(Fault::Usage, "neither `XDG_STATE_HOME` nor `HOME` is set").hint(
                "the list of trusted settings files is kept there; `--no-config` goes on without such files",
            )
        })?;
        let path = state.join("nubbin/trusted");
        match fs::read(&path) {
            Ok(text) => {
                Ok(Self { path, lines: text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect() })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self { path, lines: Vec::new() }),
            Err(error) => {
                Err(Failure::message(Fault::Usage, format!("`{}` cannot be read: {error}", path.display())))
            }
        }
    }

    /// Tells whether the file at `path` is trusted with this content.
    #[must_use]
    pub fn has(&self, path: &Path, content: &[u8]) -> bool {
        path.canonicalize().is_ok_and(|path| self.lines.contains(&line(&path, content)))
    }

    /// Trusts a file as it is, or trusts it no longer.
    fn set(&mut self, path: &Path, content: Option<&[u8]>) -> Result<(), Failure> {
        let ending = [b"  ", path.as_os_str().as_bytes()].concat();
        self.lines.retain(|line| !line.is_empty() && !line.ends_with(&ending));
        self.lines.extend(content.map(|content| line(path, content)));
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        let text: Vec<u8> = self.lines.iter().flat_map(|line| [line, &b"\n"[..]].concat()).collect();
        let write = || {
            fs::create_dir_all(folder)?;
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(&text)?;
            file.persist(&self.path).map_err(|failed| failed.error)
        };
        write().map(drop).map_err(|error| {
            Failure::message(Fault::Output, format!("cannot write `{}`: {error}", self.path.display()))
        })
    }
}

fn line(path: &Path, content: &[u8]) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(path.as_os_str().as_bytes()).update(&[0]).update(content);
    let hash = hasher.finalize().to_hex();
    [hash.as_bytes(), b"  ", path.as_os_str().as_bytes()].concat()
}

/// Runs `nubbin trust`, and returns what to print.
///
/// # Errors
/// Returns an error when the file makes no sense, or the list cannot be written.
pub fn run(typed: &Trust) -> Result<String, Failure> {
    let unreadable = |error: io::Error| {
        if error.kind() == io::ErrorKind::NotFound {
            return Failure::message(Fault::Usage, format!("there is no file `{}`", typed.file.display()))
                .hint(
                    "run this in the directory of the settings file, or name the file: `nubbin trust FILE`",
                );
        }
        Failure::message(Fault::Usage, format!("`{}` cannot be read: {error}", typed.file.display()))
    };
    let mut files = TrustedFiles::read()?;
    if typed.revoke {
        // The file need not exist any more.
        let path = typed.file.canonicalize().or_else(|_| std::path::absolute(&typed.file));
        files.set(&path.map_err(unreadable)?, None)?;
        return Ok(format!("`{}` is not trusted\n", typed.file.display()));
    }
    let path = typed.file.canonicalize().map_err(unreadable)?;
    let content = fs::read(&path).map_err(unreadable)?;
    let lines = super::config::effects_of(&path)?;
    files.set(&path, Some(&content))?;
    let shown = format!("  {}", lines.join("\n  "));
    Ok(format!("`{}` is trusted until it changes; it sets\n{shown}\n", typed.file.display()))
}

/// Refuses the settings file of a directory if `untrusted`, the settings that need trust, is not empty and the file is
/// not trusted.
///
/// # Errors
/// Returns an error that names the settings.
pub fn check(path: &Path, content: &[u8], mut untrusted: Vec<&str>) -> Result<(), Failure> {
    untrusted.sort_unstable();
    untrusted.dedup();
    if untrusted.is_empty() || TrustedFiles::read()?.has(path, content) {
        return Ok(());
    }
    let names: Vec<String> = untrusted.iter().map(|name| format!("`{name}`")).collect();
    let message = format!("`{}` sets {} and is not trusted", path.display(), names.join(", "));
    Err(Failure::message(Fault::Usage, message).hint(
        "such settings can run programs, write files or weaken the sandbox: read the file, then run `nubbin trust`; \
         `--no-config` ignores settings files",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    #[test]
    fn harmless_settings_exist_and_stand_in_order() {
        assert!(HARMLESS.is_sorted());
        let whole = crate::args::definition();
        let all: Vec<String> = std::iter::once(&whole)
            .chain(whole.get_subcommands())
            .flat_map(clap::Command::get_arguments)
            .map(|arg| arg.get_id().to_string())
            .collect();
        for id in HARMLESS {
            assert!(all.iter().any(|known| known == id), "{id}");
        }
    }

    #[test]
    fn a_file_is_trusted_by_its_path_and_its_content() {
        let place = tempfile::tempdir().expect("a directory");
        let file = place.path().join("nubbin.toml");
        fs::write(&file, "a = 1\n").expect("written");
        let file = file.canonicalize().expect("it is there");
        let list = place.path().join("list");
        let mut files = TrustedFiles { path: list, lines: Vec::new() };
        assert!(!files.has(&file, b"a = 1\n"));
        files.set(&file, Some(b"a = 1\n")).expect("written");
        assert!(files.has(&file, b"a = 1\n") && !files.has(&file, b"a = 2\n"));
        let other = place.path().join("other.toml");
        fs::write(&other, "a = 1\n").expect("written");
        assert!(!files.has(&other, b"a = 1\n"));
        files.set(&file, None).expect("written");
        assert!(!files.has(&file, b"a = 1\n"));
        let odd = PathBuf::from(OsString::from_vec(b"\xff".to_vec()));
        files.set(&odd, Some(b"")).expect("written");
        assert_eq!(files.lines.len(), 1);
    }
}
