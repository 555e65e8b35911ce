//! Proposes files and directories of an archive, together with the lines in other files that include or import them.

use super::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_archive::{ArchiveKind, Entry, Type, entries, kind};
use nubbin_language::LineWords;
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Proposes each entry, one group per directory. A second group deletes only the entries and keeps the lines that
/// mention them. A third group inlines files that exactly one line includes. Input files given one by one are never
/// proposed.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Touch);
    let text = &snapshot.source;
    if kind(text) != Some(ArchiveKind::Folder) {
        return builder.build();
    }
    let entries = entries(text);
    let mentions = mentions(text, &entries);
    let delete = |(start, end): (usize, usize)| Edit::delete(Span::new(start as u32, end as u32));
    // The directories whose entries are still to be proposed, each with its delta.
    let mut waiting: Vec<(&Path, Option<u32>)> = vec![(Path::new(""), None)];
    while let Some((directory, owner)) = waiting.pop() {
        let inside: Vec<usize> =
            (0..entries.len()).filter(|&i| entries[i].path.parent() == Some(directory)).collect();
        for &i in &inside {
            let entry = &entries[i];
            let lines = mentions[i].iter().filter(|line| line.0 < entry.all.0 || line.0 >= entry.all.1);
            let delta = builder.delta([entry.all].into_iter().chain(lines.copied()).map(delete));
            if entry.kind == Type::Directory {
                waiting.push((&entry.path, Some(delta)));
            }
        }
        builder.close(GroupKind::Set, owner);
        for &i in inside.iter().filter(|&&i| !mentions[i].is_empty()) {
            builder.delta([delete(entries[i].all)]);
        }
        builder.close(GroupKind::Set, owner);
        for &i in &inside {
            let entry = &entries[i];
            let is_include = |line: &(usize, usize)| {
                has_word(&text[line.0..line.1], LineWords::common().stands_for_a_file.as_bytes())
            };
            if let [line] = mentions[i][..]
                && entry.kind == Type::File
                && is_include(&line)
            {
                let content = &text[entry.content.0..entry.content.1];
                let inlined = Edit::replace(Span::new(line.0 as u32, line.1 as u32), content);
                builder.delta([inlined, delete(entry.all)]);
            }
        }
        builder.close(GroupKind::Set, owner);
    }
    builder.build()
}

/// Splits a line into words that can be names of files and modules.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    line.split(move |byte| !is_name(byte)).filter(|word| !word.is_empty())
}

fn has_word(line: &[u8], wanted: &[u8]) -> bool {
    words(line).any(|word| word == wanted)
}

/// For each entry, returns the lines that include or import it, by its name with or without the extension.
fn mentions(text: &[u8], entries: &[Entry]) -> Vec<Vec<(usize, usize)>> {
    let mut named: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (i, entry) in entries.iter().enumerate() {
        for name in [entry.path.file_name(), entry.path.file_stem()].into_iter().flatten() {
            let same = named.entry(name.as_encoded_bytes()).or_default();
            if same.last() != Some(&i) {
                same.push(i);
            }
        }
    }
    let mut mentions = vec![Vec::new(); entries.len()];
    let takes_in: HashSet<&[u8]> = LineWords::common().takes_in.iter().map(String::as_bytes).collect();
    for entry in entries.iter().filter(|entry| entry.kind == Type::File) {
        let mut at = entry.content.0;
        for line in entry.content_in(text).split_inclusive(|&byte| byte == b'\n') {
            let span = (at, at + line.len());
            at = span.1;
            if !words(line).any(|word| takes_in.contains(word)) {
                continue;
            }
            // The name of a module includes the names of its parents: `a.b`, `.b`.
            let parts = words(line).flat_map(|word| word.split(|&byte| byte == b'.').chain([word]));
            for i in parts.filter_map(|word| named.get(word)).flatten() {
                if mentions[*i].last() != Some(&span) {
                    mentions[*i].push(span);
                }
            }
        }
    }
    mentions
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_archive::{self as archive, Item, pack};
    use nubbin_syntax::edit::Patch;

    fn text(files: &[(&str, &str)]) -> Vec<u8> {
        let items: Vec<Item> = files
            .iter()
            .map(|(path, content)| Item {
                path: path.into(),
                kind: if path.ends_with('/') { Type::Directory } else { Type::File },
                mode: 0o644,
                content: content.as_bytes().to_vec(),
            })
            .collect();
        pack(archive::ArchiveKind::Folder, &items)
    }

    /// Returns the text of the files after each delta, group by group.
    fn groups(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let source = text(files);
        let proposal = propose(&Snapshot::plain(source.clone().into()));
        let left = |delta: u32| {
            let candidate = Patch::new(proposal.edits(&|_| false, &[delta])).apply(&source, Seam::Touch);
            let entries = archive::entries(&candidate);
            let shown = entries.iter().map(|entry| {
                let content = String::from_utf8_lossy(entry.content_in(&candidate)).replace('\n', "|");
                format!("{}:{content}", entry.path.display())
            });
            shown.collect::<Vec<_>>().join(" ")
        };
        let mut groups: Vec<_> = proposal.groups().groups().to_vec();
        groups.sort_by_key(|group| group.members.start);
        groups.iter().map(|group| group.members.clone().map(left).collect()).collect()
    }

    #[test]
    fn a_file_goes_with_the_lines_that_include_it_or_without_them() {
        let files = [("a.h", "int a;\n"), ("b.c", "#include \"a.h\"\nint b;\n")];
        assert_eq!(
            groups(&files),
            [
                vec!["b.c:int b;|", "a.h:int a;|"],
                vec!["b.c:#include \"a.h\"|int b;|"],
                vec!["b.c:int a;|int b;|"]
            ]
        );
    }

    #[test]
    fn directories_go_whole_and_then_in_parts() {
        let files =
            [("p/", ""), ("p/m.py", "x = 1\n"), ("p/n.py", ""), ("t.py", "from p.m import x\nimport q\n")];
        let all = groups(&files);
        assert_eq!(all[0], ["t.py:import q|", "p/: p/m.py:x = 1| p/n.py:"]);
        assert_eq!(all[2][0], "p/: p/n.py: t.py:import q|");
    }

    #[test]
    fn files_that_were_named_stay() {
        let item = Item { path: "a".into(), kind: Type::File, mode: 0o644, content: Vec::new() };
        let source = pack(archive::ArchiveKind::Files, &[item]);
        assert_eq!(propose(&Snapshot::plain(source.into())).len(), 0);
    }
}
