//! Stack frames: the function and the file, without what says nothing.

use super::clean::regex;
use super::{FRAMES, Signature};
use regex::Regex;
use std::sync::LazyLock;

/// Functions that are in many stacks, and never to blame: the beginnings of their names.
const NOISE: [&str; 36] = [
    "__interceptor_",
    "__libc_start",
    "__asan",
    "__ubsan",
    "__tsan",
    "__msan",
    "__lsan",
    "__sanitizer",
    "__GI_",
    "__assert_fail",
    "__rust",
    "__cxa_",
    "__cxxabi",
    "__gnu_",
    "__pthread_kill",
    "core::panicking",
    "core::ops::function",
    "std::panicking",
    "std::rt::",
    "std::sys::",
    "std::terminate",
    "rust_begin_unwind",
    "llvm::sys::",
    "llvm::CrashRecoveryContext",
    "llvm::report_fatal_error",
    "llvm::llvm_unreachable_internal",
    "CrashRecoverySignalHandler",
    "SignalHandler",
    "crash_signal",
    "diagnostic_",
    "internal_error",
    "fancy_abort",
    "runtime.",
    "java.base/",
    "jdk.",
    "base::debug::",
];
/// Others, by their whole names.
const NOISE_NAMES: [&str; 25] = [
    "raise",
    "abort",
    "gsignal",
    "kill",
    "_start",
    "start_thread",
    "clone",
    "clone3",
    "malloc",
    "free",
    "calloc",
    "realloc",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "strlen",
    "strcmp",
    "strcpy",
    "operator new",
    "operator delete",
    "main",
    "panic",
    "__restore_rt",
    "call_init",
];

/// Functions that a signal has called, or that the kernel has: what was called after it handles the signal.
const TRAMPOLINES: [&str; 6] = [
    "<signal handler called>",
    "__restore_rt",
    "_sigtramp",
    "__kernel_rt_sigreturn",
    "libc_sigaction.c",
    "restore_rt",
];
/// Folders of the C library's own source, as it tells them.
const LIBRARY: [&str; 6] = ["./signal/", "./nptl/", "./stdlib/", "./csu/", "./malloc/", "./assert/"];

/// Matches the additions to the name of a function: ABI tags, suffixes of clones, hashes and offsets.
static CLONE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\[abi:\w+\]|\.(?:constprop|isra|part|cold|lto_priv|llvm)(?:\.\d+)*|::h[0-9a-f]{16}\b|\+0x[0-9a-f]+",
    )
});
/// Matches a frame in the stack of a debugger or a sanitizer: all behind the address.
static NATIVE: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*#\d+\s+(?:0x[0-9a-fA-F]+\s+)?(?:in )?(.*)$"));
/// Matches the module or the build id in brackets behind a frame.
static MODULE: LazyLock<Regex> = LazyLock::new(|| regex(r"\s*\((?:BuildId: \w+|[^()]*\+0x[0-9a-f]+)\)"));
/// Matches a file with a line, and perhaps a column: the file.
static PLACE: LazyLock<Regex> = LazyLock::new(|| regex(r"^(\S+?)(?::\d+){1,2}$"));

/// A function and its file, either of which may be unknown.
pub(super) type Frame<'t> = (&'t str, &'t str);

/// Tells whether a path is one of the candidate's files.
pub(super) fn is_own(path: &str, own: &[String]) -> bool {
    let name = path.strip_prefix("./").unwrap_or(path);
    path.contains("nubbin-lab-") || name == "<string>" || own.iter().any(|own| own == name)
}

/// The last name of a path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A frame as a text; none if it is noise, or the candidate's own.
pub(super) fn frame((function, file): Frame<'_>, own: &[String]) -> Option<String> {
    if is_own(file, own) || is_library(file) {
        return None;
    }
    let function = bare(function);
    let is_noise = NOISE.iter().any(|noise| function.starts_with(noise)) || function.starts_with("??");
    if function.is_empty() || is_noise || NOISE_NAMES.contains(&function.as_str()) {
        return None;
    }
    Some(if file.is_empty() { function } else { format!("{function} ({})", name(file)) })
}

/// Tells whether a file is one of the C library's source, which is never to blame.
fn is_library(file: &str) -> bool {
    file.contains("/sysdeps/") || LIBRARY.iter().any(|folder| file.starts_with(folder))
}

/// The frames below those of a signal's handler, if a signal was handled: what the signal has hit.
fn below_handler<'f, 't>(frames: &'f [Frame<'t>]) -> &'f [Frame<'t>] {
    let is_trampoline = |(function, file): &Frame<'_>| {
        TRAMPOLINES.iter().any(|name| function.contains(name) || file.ends_with(name))
    };
    let at = frames.iter().position(is_trampoline);
    at.map_or(frames, |at| &frames[at + 1..])
}

/// The name of a function without its parameters.
pub(super) fn bare(function: &str) -> String {
    let function = CLONE.replace_all(function, "").replace("(anonymous namespace)::", "");
    // Parameters; a receiver in parentheses, `(*T).f`, is part of the name.
    let is_end =
        |at: usize| at > 0 && !function[..at].ends_with("operator") && !function[at..].starts_with("(*");
    let end = function.match_indices('(').map(|(at, _)| at).find(|&at| is_end(at));
    function[..end.unwrap_or(function.len())].trim().to_owned()
}

/// A line such as `#1 0x12 in f a.c:3`, or `#1 0x12 f(int) (lib.so+0x12)`; none if it is no frame.
pub(super) fn native(line: &str) -> Option<(String, String)> {
    let found = NATIVE.captures(line)?;
    let rest = MODULE.replace_all(&found[1], "");
    let rest = rest.trim();
    let (function, last) = rest.rsplit_once(' ').unwrap_or((rest, ""));
    match PLACE.captures(last) {
        Some(place) => Some((function.to_owned(), place[1].to_owned())),
        None if last.starts_with('/') => Some((function.to_owned(), last.to_owned())),
        None => Some((rest.to_owned(), String::new())),
    }
}

impl Signature {
    /// Adds the innermost frames that say something; those of recursion count once.
    pub(super) fn with_frames<'t>(
        mut self,
        frames: impl IntoIterator<Item = Frame<'t>>,
        own: &[String],
    ) -> Self {
        let frames: Vec<Frame<'t>> = frames.into_iter().collect();
        for text in below_handler(&frames).iter().filter_map(|&one| frame(one, own)) {
            if self.frames.len() == FRAMES {
                break;
            }
            if self.frames.last() != Some(&text) {
                self.frames.push(text);
            }
        }
        self
    }

    /// Adds the frames of the first stack in these lines.
    pub(super) fn with_stack(self, lines: &[&str], own: &[String]) -> Self {
        let stack = lines.iter().skip_while(|line| native(line).is_none()).map_while(|line| native(line));
        let stack: Vec<(String, String)> = stack.collect();
        self.with_frames(stack.iter().map(|(function, file)| (&**function, &**file)), own)
    }
}
