//! Reads stacks, without frames that do not identify a failure. The forms of frames are data:
//! `signatures/frames.toml`.

use super::clean::{part, regex};
use regex::{Captures, Regex};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The maximum number of frames in a signature. Outer frames depend on the structure of the input, which a
/// reduction changes.
const FRAMES: usize = 2;
/// The maximum number of lines between two frames of a stack that are not frames, such as source lines.
const GAP: usize = 4;
/// A stack with more frames than this, most of which repeat, is an infinite recursion.
const DEEP: usize = 40;

/// The table before compilation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    noise: Vec<String>,
    helpers: Vec<String>,
    noise_files: Vec<String>,
    repeated: Vec<String>,
    in_stack: Vec<String>,
    trampolines: Vec<String>,
    frame: Vec<Row>,
}

/// One kind of frame before compilation. Its name is for readers, its sample for a test.
#[derive(Deserialize)]
struct Row {
    #[cfg(test)]
    name: String,
    pattern: String,
    #[serde(default)]
    outer: bool,
    #[cfg(test)]
    sample: String,
    #[cfg(test)]
    shown: String,
}

/// The compiled table.
struct Frames {
    noise: Regex,
    helpers: Regex,
    noise_files: Regex,
    repeated: Regex,
    in_stack: Regex,
    trampolines: Vec<String>,
    all: Vec<(Regex, bool)>,
}

/// The compiled kinds of frames in `frames.toml`.
static FRAMES_READY: LazyLock<Frames> = LazyLock::new(|| {
    let table = table();
    let whole = |patterns: &[String]| regex(&format!("^(?:{})$", patterns.join("|")));
    Frames {
        noise: whole(&table.noise),
        helpers: whole(&table.helpers),
        noise_files: whole(&table.noise_files),
        repeated: regex(&table.repeated.join("|")),
        in_stack: regex(&table.in_stack.join("|")),
        trampolines: table.trampolines,
        all: table.frame.iter().map(|row| (regex(&format!(r"\A(?m:{})", row.pattern)), row.outer)).collect(),
    }
});

/// Matches additions to the name of a function: ABI tags, suffixes of clones, hashes, offsets, and additions
/// for Ruby blocks and JavaScript aliases.
static CLONE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\[abi:\w+\]|\.(?:constprop|isra|part|cold|lto_priv|llvm)(?:\.\d+)*|::h[0-9a-f]{16}\b|\+0x[0-9a-f]+|^(?:(?:block|rescue|ensure|class|module)(?: \(\d+ levels\))? in )+| \[as [^\]]+\]| \[clone [^\]]+\]",
    )
});
/// Matches the module or the build ID in parentheses after a frame.
static MODULE: LazyLock<Regex> = LazyLock::new(|| regex(r"\s*\((?:BuildId: \w+|[^()]*\+0x[0-9a-f]+)\)"));
/// Matches a file with a line and an optional column.
static PLACE: LazyLock<Regex> = LazyLock::new(|| regex(r"^(\S+?):(\d+(?::\d+)?)$"));

fn table() -> Table {
    toml::from_str(include_str!("../../signatures/frames.toml")).expect("the table is valid")
}

/// A frame: the function, the file, and the line with an optional column. Each can be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Frame {
    function: String,
    path: String,
    line: String,
}

/// The parts of a stack that identify a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    /// The innermost relevant functions, or all functions of an infinite recursion.
    pub frames: Vec<String>,
    /// The file and line of the innermost relevant frame.
    pub place: Option<String>,
    /// Whether it contains frames of the program in addition to those of the candidate.
    pub is_outside: bool,
}

/// The frames of a stack, the innermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stack {
    frames: Vec<Frame>,
    /// Whether a line states that a frame is repeated.
    is_repeated: bool,
    /// The numbers of its first line and of the first line below it.
    pub from: usize,
    pub to: usize,
}

/// Returns whether a path is one of the candidate's files.
pub(super) fn is_own(path: &str, own: &[String]) -> bool {
    let name = path.strip_prefix("./").unwrap_or(path);
    path.contains("nubbin-lab-") || name == "<string>" || own.iter().any(|own| own == name)
}

/// Returns the last component of a path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Returns the name of a function without its parameters and its type.
pub(super) fn bare(function: &str) -> String {
    let function = CLONE.replace_all(function, "").replace("(anonymous namespace)::", "");
    // The start of the parameters. A receiver in parentheses, `(*T).f`, is part of the name.
    let is_end =
        |at: usize| at > 0 && !function[..at].ends_with("operator") && !function[at..].starts_with("(*");
    let end = function.match_indices('(').map(|(at, _)| at).find(|&at| is_end(at));
    let function = function[..end.unwrap_or(function.len())].trim();
    if let Some(at) = function.find("operator") {
        let start = function[..at].rfind(' ').map_or(0, |at| at + 1);
        return function[start..].to_owned();
    }
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, c) in function.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => start = at + 1,
            _ => {}
        }
    }
    function[start..].trim_start_matches(['*', '&']).to_owned()
}

/// Reads the frame at the start of a text. Returns it with the number of its lines, and whether such stacks
/// start with the outermost frame.
fn frame(text: &str) -> Option<(Frame, usize, bool)> {
    let first = text.lines().next()?;
    // Source lines that some stacks show are not frames.
    if first.trim().is_empty() {
        return None;
    }
    let (found, outer) =
        FRAMES_READY.all.iter().find_map(|(pattern, outer)| Some((pattern.captures(text)?, *outer)))?;
    let lines = found[0].trim_end_matches('\n').matches('\n').count() + 1;
    Some((read(&found), lines, outer))
}

fn read(found: &Captures<'_>) -> Frame {
    if let Some(native) = found.name("native") {
        return self::native(native.as_str());
    }
    let either = |name: &str| {
        let numbered = [name.to_owned(), format!("{name}2")];
        let mut groups = numbered.iter().filter_map(|name| found.name(name)).map(|found| found.as_str());
        groups.find(|text| !text.is_empty()).unwrap_or_default().to_owned()
    };
    Frame { function: bare(&either("function")), path: either("file"), line: either("line") }
}

/// Reads the text after the number of a native frame, such as `f a.c:3` or `f(int) (lib.so+0x12)`.
fn native(rest: &str) -> Frame {
    let rest = MODULE.replace_all(rest, "");
    let rest = rest.trim();
    let (function, last) = rest.rsplit_once(' ').unwrap_or((rest, ""));
    let (function, path, line) = match PLACE.captures(last) {
        Some(place) => (function, part(&place, 1).to_owned(), part(&place, 2).to_owned()),
        None if last.starts_with('/') => (function, last.to_owned(), String::new()),
        None => (rest, String::new(), String::new()),
    };
    let function = function.strip_suffix(" at").unwrap_or(function);
    Frame { function: bare(function), path, line }
}

/// Returns whether a line starts a stack that belongs to the message below it.
pub(super) fn is_above_message(line: &str) -> bool {
    line.contains("(most recent call last)")
}

/// Returns whether a line can show the source code of the frame above it.
fn is_source(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.starts_with([' ', '\t']) && !rest.trim().is_empty()
}

/// Finds the first stack that starts at most `most` lines below line `from`.
pub(super) fn find(text: &super::Text<'_>, from: usize, most: usize) -> Option<Stack> {
    let end = text.lines.len().min(from.saturating_add(most).saturating_add(1));
    let start = (from..end)
        .take_while(|&at| !is_above_message(text.lines[at]))
        .find(|&at| frame(text.rest(at)).is_some())?;
    let mut stack = Stack { from: start, to: start, ..Stack::default() };
    let (mut at, mut gap, mut is_outer) = (start, 0, false);
    while at < text.lines.len() && gap <= GAP {
        let line = text.lines[at];
        if let Some((frame, lines, outer)) = frame(text.rest(at)) {
            stack.frames.push(frame);
            is_outer = outer;
            at += lines;
            gap = 0;
            stack.to = at;
        } else if FRAMES_READY.repeated.is_match(line) {
            stack.is_repeated = true;
            at += 1;
            stack.to = at;
        } else if is_source(line)
            || line.trim().is_empty() && text.lines.get(at + 1).is_some_and(|next| is_of_stack(next))
        {
            // Frames of the input can be separated from those of the program.
            at += 1;
            gap += 1;
        } else {
            break;
        }
    }
    // The source lines below the last frame belong to it.
    if is_outer {
        stack.to = at;
        stack.frames.reverse();
    }
    Some(stack)
}

/// Returns whether a line belongs to a stack, even if no frame can be read from it.
pub(super) fn is_of_stack(line: &str) -> bool {
    FRAMES_READY.in_stack.is_match(line)
}

impl Frame {
    /// Returns whether the frame is relevant: it does not belong to the candidate, and does not occur in
    /// every stack.
    fn says_something(&self, own: &[String]) -> bool {
        let is_known = !self.function.is_empty() || !self.path.is_empty();
        is_known && !is_own(&self.path, own) && !self.is_noise()
    }

    fn is_noise(&self) -> bool {
        let file = |text: &str| !text.is_empty() && FRAMES_READY.noise_files.is_match(text);
        !self.function.is_empty() && FRAMES_READY.noise.is_match(&self.function)
            || file(&self.path)
            || file(name(&self.path))
    }

    /// Returns whether its function only reports an error.
    fn is_helper(&self) -> bool {
        FRAMES_READY.helpers.is_match(&self.function)
    }

    fn text(&self) -> String {
        match (self.function.as_str(), name(&self.path)) {
            ("", file) => file.to_owned(),
            (function, "") => function.to_owned(),
            (function, file) => format!("{function} ({file})"),
        }
    }

    fn place(&self) -> Option<String> {
        let file = name(&self.path);
        (!file.is_empty() && !self.line.is_empty()).then(|| format!("{file}:{}", self.line))
    }
}

impl Stack {
    /// Returns the frames below the handler of a signal, if there is one: those that received the signal.
    fn below_handler(&self) -> &[Frame] {
        let is_trampoline = |frame: &Frame| {
            let names = &FRAMES_READY.trampolines;
            names
                .iter()
                .any(|name| frame.function.contains(name.as_str()) || frame.path.ends_with(name.as_str()))
        };
        let at = self.frames.iter().position(is_trampoline);
        at.map_or(&self.frames, |at| &self.frames[at + 1..])
    }

    /// Returns the innermost frames. One is sufficient if the message identifies the failure (`is_exact`).
    pub fn summary(&self, own: &[String], is_exact: bool) -> Summary {
        let all: Vec<&Frame> =
            self.below_handler().iter().filter(|frame| frame.says_something(own)).collect();
        let mut telling: Vec<&Frame> = all.iter().copied().filter(|frame| !frame.is_helper()).collect();
        if telling.is_empty() {
            telling = all;
        }
        let place = telling.first().and_then(|frame| frame.place()).filter(|_| is_exact);
        let mut frames: Vec<String> = Vec::new();
        for text in telling.iter().map(|frame| frame.text()) {
            if frames.len() == if is_exact { 1 } else { FRAMES } {
                break;
            }
            if frames.last() != Some(&text) {
                frames.push(text);
            }
        }
        Summary { is_outside: !frames.is_empty(), frames, place }
    }

    /// Returns the functions that repeat in an infinite recursion, in alphabetical order.
    pub fn recursion(&self, own: &[String]) -> Summary {
        let telling: Vec<&Frame> = self.frames.iter().filter(|frame| frame.says_something(own)).collect();
        let times = |text: &str| telling.iter().filter(|frame| frame.text() == text).count();
        let texts: BTreeSet<String> = telling.iter().map(|frame| frame.text()).collect();
        let frames: Vec<String> = texts.into_iter().filter(|text| times(text) > 1).collect();
        Summary { is_outside: !telling.is_empty(), frames, place: None }
    }

    /// Returns whether the stack is an infinite recursion, from its depth and its repeated functions.
    pub fn is_recursion(&self) -> bool {
        if self.is_repeated {
            return true;
        }
        let known = self.frames.iter().filter(|frame| !frame.function.is_empty()).count();
        let different: BTreeSet<&str> = self.frames.iter().map(|frame| frame.function.as_str()).collect();
        known > DEEP && different.len() * 4 < known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_frame_reads_its_own_sample() {
        let mut wrong = Vec::new();
        for row in table().frame {
            let sample = row.sample.trim_start_matches('\n');
            let (frame, lines, _) = frame(sample).unwrap_or_default();
            let shown = format!("{}|{}|{}", frame.function, name(&frame.path), frame.line);
            if shown != row.shown || lines != sample.lines().count() {
                wrong.push(format!("{}: {shown}, {lines} lines", row.name));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn a_function_is_known_by_its_name_alone() {
        for (text, name) in [
            ("llvm::SDValue DAGCombiner::visitADD(llvm::SDNode *)", "DAGCombiner::visitADD"),
            ("operator new(unsigned long)", "operator new"),
            ("parser.(*Lexer).next", "parser.(*Lexer).next"),
            (
                "std::vector<int, std::allocator<int> >::at(unsigned long)",
                "std::vector<int, std::allocator<int> >::at",
            ),
            ("block (2 levels) in each_node", "each_node"),
            ("Object.visit [as visitNode]", "Object.visit"),
            ("fold.constprop.0", "fold"),
            ("static Foo* Foo::make()", "Foo::make"),
        ] {
            assert_eq!(bare(text), name);
        }
    }
}
