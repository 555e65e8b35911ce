//! Reads the lists in a word: what stands between commas, in parentheses and angle brackets, too.

use nubbin_syntax::edit::Span;

/// A list, and where it stands.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct List {
    pub members: Vec<Span>,
    /// The separators between the members, one fewer than there are members.
    pub separators: Vec<Span>,
    /// The list around it, by its number, and the number of the member that it is in.
    pub owner: Option<(usize, usize)>,
    /// Its brackets with all that is between them.
    pub brackets: Option<Span>,
    /// Is true if the brackets are `<` and `>`.
    pub is_angled: bool,
    /// The beginning of the member that is being read.
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

    /// Returns the members that a list lies in, the innermost first: their lists and their numbers in these.
    pub fn ancestors(all: &[Self], number: usize) -> impl Iterator<Item = (usize, usize)> {
        std::iter::successors(all[number].owner, |(outer, _)| all[*outer].owner)
    }

    /// Returns what goes with all members of a list: the brackets alone, or the member that it is in and what that leaves
    /// empty; `None` if nothing of the word is left.
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

/// Returns the lists in a word that begins at this position, each after the one around it; none if the word holds no list,
/// or holds blanks, which lists do not.
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

/// Returns the position at which the value of a word begins: behind `=`, or behind the first comma of an option without
/// one, such as `-Wl,a,b`.
fn value(word: &[u8]) -> usize {
    let first = word.iter().position(|byte| matches!(byte, b'=' | b',' | b'(' | b'<'));
    match first {
        Some(at) if word[at] == b'=' => at + 1,
        Some(at) if word[at] == b',' && word.starts_with(b"-") => at + 1,
        _ => 0,
    }
}
