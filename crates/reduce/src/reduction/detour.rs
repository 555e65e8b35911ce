//! Tries detours: rewrites that make the text larger, followed by a short search for a smaller text.
//!
//! A text that is larger than the current best is never stored. The steps run separately, as in a restart.

use super::driver::Driver;
use super::question::Asking;
use super::state::State;
use super::{Error, size};
use crate::pass::{Detour, Plan, detours};
use nubbin_search::schedule::{Cache, Steered, name};
use nubbin_search::search::Hierarchy;
use nubbin_syntax::Parser;
use nubbin_syntax::edit::{Edit, Patch, Seam};
use std::sync::Arc;

struct Tuning {
    /// The maximum number of probes after a detour.
    probes: usize,
}

const TUNING: Tuning = Tuning { probes: 60 };

impl Driver<'_, '_, '_, '_, '_> {
    /// Tries the detours of the exhausted current best, until one of them leads to a smaller text.
    pub fn detour(&mut self, mut cache: Cache) -> Result<Cache, Error> {
        let Some(language) = self.engine.language.filter(|_| self.plan.takes_detours()) else {
            return Ok(cache);
        };
        let (best, before) = (Arc::clone(&self.engine.best), self.engine.size);
        let errors = |text: &[u8]| Parser::new(language.grammar()).parse(text).errors();
        // Misparsed text has names that nothing defines.
        if errors(&best) > 0 {
            return Ok(cache);
        }
        let (_, state) = self.start(Cache::default());
        let all = detours(&self.engine.see(&state, false).snapshot);
        for Detour { edits, words } in all {
            let text: Arc<[u8]> = Patch::new(edits).apply(&best, Seam::Apart).into();
            let edit = Edit::between(&best, &text);
            let Some(kept) = self.engine.kept.after(&best, &edit) else { continue };
            if cache.knows(&name(&text)) || errors(&text) > 0 {
                continue;
            }
            if self.engine.left() == Some(0) || self.engine.is_stopped() {
                break;
            }
            self.engine.report();
            self.engine.running = Some(("detour", self.engine.counts, self.engine.size));
            let verdict = self.prober.probe(&text)?;
            self.engine.probed(verdict);
            if !verdict.is_interesting() {
                cache.insert(name(&text), self.engine.control.objective.rank(size(&text)));
                continue;
            }
            self.engine.kept.add(&text, Arc::clone(&kept));
            let state = State::new(Arc::clone(&text), size(&text), Plan::nearby(), cache, kept);
            let state = state.bounded(&self.engine.control, self.engine.left());
            let nothing = Asking::from(Hierarchy::new(state.stage.proposal.groups()));
            self.engine.follows = false;
            let state = State { left: Some(TUNING.probes), near: words.into(), ..state };
            let (state, _) = self.run(nothing, state)?;
            self.engine.follows = true;
            cache = state.cache;
            if self.engine.size != before {
                break;
            }
        }
        Ok(cache)
    }
}
