//! Parses the lists in an argument: elements separated by commas, possibly nested in parentheses and angle brackets.

use nubbin_syntax::edit::Span;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct List {
    pub members: Vec<Span>,
    /// The separators between the members: one fewer than members.
    pub separators: Vec<Span>,
    /// The list that contains this one, and the index of the containing member.
    pub owner: Option<(usize, usize)>,
    /// The brackets with everything between them.
    pub brackets: Option<Span>,
    /// Whether the brackets are `<` and `>`.
    pub is_angled: bool,
    /// The beginning of the current member.
    start: u32,
}

impl List {
    fn new(start: u32, owner: Option<(usize, usize)>, is_angled: bool) -> Self {
        Self { members: Vec::new(), separators: Vec::new(), owner, brackets: None, is_angled, start }
    }

    fn close_member(&mut self, at: u32) {
        self.members.push(Span::new(self.start, at));
        self.start = at + 1;
    }

    /// Returns the members that contain a list, the innermost first, each as the index of its list and its index in
    /// that list.
    pub fn ancestors(all: &[Self], number: usize) -> impl Iterator<Item = (usize, usize)> {
        std::iter::successors(all[number].owner, |(outer, _)| all[*outer].owner)
    }

    /// Returns the span to delete if all members of a list are deleted: the angle brackets, or the nearest containing
    /// member that has siblings, with a separator. Returns `None` if that is the whole argument.
    pub fn whole(all: &[Self], number: usize) -> Option<Span> {
        let list = &all[number];
        if let (Some(brackets), true) = (list.brackets, list.is_angled) {
            return Some(brackets);
        }
        let (outer, member) =
            Self::ancestors(all, number).find(|(outer, _)| all[*outer].members.len() > 1)?;
        let Self { members, separators, .. } = &all[outer];
        Some(match member.checked_sub(1) {
            Some(before) => Span::new(separators[before].start, members[member].end),
            None => Span::new(members[member].start, separators[member].end),
        })
    }
}

/// Returns the lists in an argument that begins at `at`, outer lists first. Returns no lists if the argument has none,
/// or contains whitespace, which such lists never do.
pub(super) fn lists(word: &[u8], at: u32) -> Vec<List> {
    let from = value(word);
    let is_list = word[from..].iter().any(|byte| matches!(byte, b',' | b'(' | b'<'));
    if !is_list || word.iter().any(|byte| matches!(byte, b' ' | b'\\')) {
        return Vec::new();
    }
    let mut all = vec![List::new(at + from as u32, None, false)];
    let mut open = vec![0];
    for (at, &byte) in (at + from as u32..).zip(&word[from..]) {
        let Some(&inner) = open.last() else { break };
        let is_inside = open.len() > 1;
        match byte {
            b'(' | b'<' => {
                open.push(all.len());
                let owner = Some((inner, all[inner].members.len()));
                all.push(List::new(at + 1, owner, byte == b'<'));
            }
            b')' | b'>' if is_inside && all[inner].is_angled == (byte == b'>') => {
                let list = &mut all[inner];
                list.brackets =
                    Some(Span::new(list.members.first().map_or(list.start, |first| first.start) - 1, at + 1));
                list.close_member(at);
                open.pop();
            }
            b';' if !(is_inside && all[inner].is_angled) => {}
            b',' | b';' => {
                all[inner].separators.push(Span::new(at, at + 1));
                all[inner].close_member(at);
            }
            _ => {}
        }
    }
    if open.len() > 1 {
        return Vec::new();
    }
    all[0].close_member(at + word.len() as u32);
    all
}

/// Returns the position of the value in an argument: after `=`, or after the first comma if there is no `=`, as in
/// `-Wl,a,b`.
fn value(word: &[u8]) -> usize {
    let first = word.iter().position(|byte| matches!(byte, b'=' | b',' | b'(' | b'<'));
    match first {
        Some(at) if word[at] == b'=' => at + 1,
        Some(at) if word[at] == b',' && word.starts_with(b"-") => at + 1,
        _ => 0,
    }
}
