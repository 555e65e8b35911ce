//! Inlines other files into the current best: all at once, or as many as the failure allows.

use super::engine::Engine;
use super::{Error, Reduction, size};
use crate::inline::Join;
use nubbin_search::schedule::Prober;
use nubbin_syntax::edit::Edit;
use std::sync::Arc;

struct Tuning {
    /// The number of consecutive uninteresting probes after which no more files are tried. Two of a hundred files that
    /// cannot be inlined are found in 24 probes; if most cannot be inlined, more probes rarely help.
    in_vain: usize,
}

const TUNING: Tuning = Tuning { in_vain: 32 };

impl<'a> Reduction<'a> {
    /// Starts by inlining other files: all at once, or as many as the failure allows. The text can become larger than
    /// the input. For an [archive](Self::archive), use [`join_files`](Self::join_files).
    #[must_use]
    pub fn join(mut self, join: impl Into<Option<&'a dyn Join>>) -> Self {
        self.join = join.into();
        self
    }

    /// Inlines the files of an [archive](Self::archive) into the files that include them: after unneeded files have
    /// been deleted, and again when the archive has halved or is exhausted. The setting has no effect for a reduction
    /// by [units](Self::units), and with [kept spans](Self::keep).
    #[must_use]
    pub fn join_files(mut self, joins: bool) -> Self {
        self.control.joins_files = joins;
        self
    }
}

/// Tries to inline all files, and then halves of the files that cannot be inlined together. Files that include no
/// others come first.
pub(super) fn run(
    prober: &mut Prober<'_>,
    engine: &mut Engine<'_, '_, '_>,
    join: &dyn Join,
) -> Result<(), Error> {
    engine.running = Some(("inline-files", engine.counts, engine.size));
    let (mut taken, mut in_vain): (Vec<usize>, usize) = (Vec::new(), 0);
    let mut waiting: Vec<Vec<usize>> = vec![(0..join.count()).collect()];
    while let Some(mut part) = waiting.pop().filter(|_| in_vain < TUNING.in_vain) {
        let wanted = [&taken[..], &part].concat();
        let text = join.text(&wanted);
        let mut has_come = text.as_ref().is_some_and(|text| text[..] == *engine.best);
        if let Some(text) = text.filter(|_| !has_come) {
            engine.may_probe()?;
            let verdict = prober.probe(&text)?;
            engine.probed(verdict);
            has_come = verdict.is_interesting();
            in_vain = if has_come { 0 } else { in_vain + 1 };
            if has_come {
                let edit = Edit::between(&engine.best, &text);
                let text: Arc<[u8]> = text.into();
                let now = size(&text);
                engine.accept(&text, now, &[edit])?;
            }
        }
        if has_come {
            taken = wanted;
        } else if part.len() > 1 {
            let rest = part.split_off(part.len() / 2);
            waiting.extend([rest, part]);
        }
    }
    engine.report();
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{Reduction, Registry, Verdict};
    use nubbin_archive::{self as archive, ArchiveKind, Item, Type};
    use std::cell::RefCell;

    /// Reduces a file with headers, with at most this many probes. Returns the text of the file after each probe of
    /// this step, and whether it was interesting.
    fn asked(headers: &[&str], stays: &str, probes: usize) -> Vec<(String, bool)> {
        let file = |path: &str, content: String| Item {
            path: path.into(),
            kind: Type::File,
            mode: 0o644,
            content: content.into_bytes(),
        };
        let names = headers.iter().map(|name| format!("#include \"{name}.h\"\n"));
        let main = file("main.c", names.chain(["int main;\n".to_owned()]).collect());
        let headers = headers.iter().map(|name| file(&format!("{name}.h"), format!("int {name};\n")));
        let items: Vec<Item> = std::iter::once(main).chain(headers).collect();
        let asked = RefCell::new(Vec::new());
        let oracle = |text: &[u8]| {
            let entries = archive::entries(text);
            let content = |path: &str| {
                let entry = entries.iter().find(|entry| entry.path.to_str() == Some(path));
                entry.map(|entry| String::from_utf8_lossy(entry.content_in(text)).into_owned())
            };
            let main = content("main.c").unwrap_or_default();
            let has = |name: &str| {
                let kept = main.contains(&format!("\"{name}.h\"")) && content(&format!("{name}.h")).is_some();
                kept || (main.contains(&format!("int {name};")) && name != stays)
            };
            let is_there = main.contains("int main;") && "abcd".chars().all(|name| has(&name.to_string()));
            asked.borrow_mut().push((main, is_there));
            Verdict::from(is_there)
        };
        let input = archive::pack(ArchiveKind::Folder, &items);
        let reduction = Reduction::new(input).archive(Registry::built_in()).join_files(true).confirm(1);
        // The pass over whole files inlines a header that is included once.
        let reduction = reduction.passes(|name| name != "delete-files").max_probes(probes);
        reduction.run(&oracle).expect("it fails at first");
        asked.into_inner()
    }

    #[test]
    fn all_files_are_asked_for_with_one_probe() {
        let asked = asked(&["a", "b", "c", "d"], "", 3);
        assert_eq!(asked.last(), Some(&("int a;\nint b;\nint c;\nint d;\nint main;\n".to_owned(), true)));
    }

    #[test]
    fn a_file_that_has_to_stay_is_found_by_halves() {
        let asked = asked(&["a", "b", "c", "d"], "c", 8);
        let steps: Vec<bool> = asked[2..7].iter().map(|(_, is_there)| *is_there).collect();
        assert_eq!(steps, [false, true, false, false, true], "{asked:?}");
        assert_eq!(asked[6].0, "int a;\nint b;\n#include \"c.h\"\nint d;\nint main;\n");
    }
}
