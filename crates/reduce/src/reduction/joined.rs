//! Lets other files come into the best: all at once, or as many as the failure stays with.

use super::engine::Engine;
use super::{Error, size};
use crate::inline::Join;
use nubbin_search::schedule::Prober;
use nubbin_syntax::edit::Edit;
use std::sync::Arc;

/// The numbers that were tuned.
struct Tuning {
    /// The number of probes in vain, one after the other, after which no more files are asked for. Two of a hundred
    /// files that do not fit are found in 24 probes; where most do not, more probes bring little.
    in_vain: usize,
}

const TUNING: Tuning = Tuning { in_vain: 32 };

/// Asks for all files, and for halves of those with which the failure goes. The first ones are those that take in no
/// others.
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
