//! `--search`: published algorithms in their original form, over the units of an input.
//!
//! The crate `search` implements them; this module runs them and reports the result.

use crate::baseline::{self, Baseline};
use crate::failure::Failure;
use crate::input::BestFile;
use crate::input::journal::End;
use crate::inquiry::{self, Inquiry, Saving};
use crate::journal::{self, Logbook, Terms};
use crate::settings::Settings;
use crate::stop::Stop;
use crate::{check, places, reduce, rescue, squeeze, summary, text};
use nubbin_oracle::Oracle;
use nubbin_reduce::Unit;
use nubbin_reduce::event::Size;
use nubbin_search::Verdict;
use nubbin_search::search::{Cdd, Ddmin};
use nubbin_syntax::edit::{count_lines, count_tokens};
use std::time::Instant;

/// A published algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Classic {
    /// A smallest failing part (TSE 2002).
    Ddmin,
    /// A smallest difference between a passing and a failing text (TSE 2002).
    Dd,
    /// A largest passing part (ICSE 2020).
    Ddmax,
    /// As ddmin, but split by weight (ICSE 2025).
    Wdd,
    /// A small failing part, by counters (ICSE 2025).
    Cdd,
}

impl Classic {
    /// All algorithms.
    pub const ALL: [Self; 5] = [Self::Ddmin, Self::Dd, Self::Ddmax, Self::Wdd, Self::Cdd];

    /// Returns the name used in publications.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ddmin => "ddmin",
            Self::Dd => "dd",
            Self::Ddmax => "ddmax",
            Self::Wdd => "wdd",
            Self::Cdd => "cdd",
        }
    }

    /// Describes the result, and names the publication.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Ddmin => "A smallest failing part (TSE 2002)",
            Self::Dd => "A smallest difference between a passing and a failing text (TSE 2002)",
            Self::Ddmax => "A largest passing part (ICSE 2020)",
            Self::Wdd => "As ddmin, split by weight (ICSE 2025)",
            Self::Cdd => "A small failing part, by counters (ICSE 2025)",
        }
    }

    /// Searches for a small failing subset of `n` elements.
    pub fn minimize(
        self,
        inquiry: &Inquiry<'_>,
        n: usize,
        weights: impl FnOnce() -> Vec<u32>,
        text: impl Fn(&[u32]) -> Vec<u8> + Sync,
        found: impl FnMut(&[u8], Verdict),
    ) -> Vec<u32> {
        match self {
            Self::Ddmin | Self::Dd | Self::Ddmax => inquiry.search(Ddmin::new(n as u32), n, text, found).1,
            Self::Wdd => inquiry.search(Ddmin::weighted(weights()), n, text, found).1,
            Self::Cdd => inquiry.search(Cdd::new(n as u32), n, text, found).1,
        }
    }
}

/// Reduces the input by units, and reports the result.
///
/// # Errors
/// Returns an error when the failure does not occur, the oracle cannot be run, or the result cannot be written.
pub fn run(settings: &Settings, stop: &Stop, classic: Classic) -> Result<(), Failure> {
    let start = Instant::now();
    if settings.input.is_archive() {
        let message = format!("`--search {}` needs a single file", classic.name());
        return Err(Failure::usage(message).hint("to reduce several files, remove `--search`"));
    }
    for note in &settings.notes {
        settings.voice.say(&format!("note: {note}"));
    }
    let content = journal::read(settings)?;
    let earlier = journal::earlier(settings, &content)?;
    let input = earlier.as_ref().map_or_else(|| content.clone(), |earlier| earlier.input.clone());
    let terms = Terms::new(settings, None);
    let mut best = places::open(settings, &content)?;
    best.check()?;
    let logbook = match earlier {
        None => None,
        Some(earlier) => earlier.resume(settings, &terms, &mut best)?.map(|resumed| resumed.logbook),
    };
    stop.begin(settings.control.time_left())?;
    let learned = logbook.as_ref().and_then(Logbook::learned);
    let mut baseline = match learned {
        Some(learned) => baseline::recall(settings, &input, stop, &[], learned),
        None => baseline::run(settings, &input, stop, &[]).map_err(|failure| stop.or_late(failure))?,
    };
    if let Some(kept) = &baseline.kept {
        settings.voice.say(&format!("note: {kept}"));
    }
    let note = baseline.serve(settings);
    if let Some(note) = note.filter(|_| settings.voice.is_verbose()) {
        settings.voice.say(note);
    }
    settings.voice.say_some(&settings.control.first_runs_note(baseline.longest).unwrap_or_default());
    let logbook = journal::taught(logbook, settings, &terms, &input, &baseline.learned);
    let run = ClassicSearch { settings, classic, baseline: &baseline, logbook: logbook.as_ref(), stop };
    let end = |end| logbook.iter().for_each(|logbook| logbook.end(end));
    let found = run.agreed(&input, &mut best).inspect_err(|_| end(End::Failed))?;
    rescue::finish(settings, &mut best, &found.text)?;
    end(if found.is_interrupted { End::Interrupted } else { End::Finished });
    settings.voice.say(&run.summary(&input, &found, &best, start, stop.is_late()));
    settings.voice.show(best.path().and_then(|_| squeeze::small(&found.text, false)));
    drop(baseline);
    Ok(())
}

struct ClassicSearch<'r> {
    settings: &'r Settings,
    classic: Classic,
    baseline: &'r Baseline<'r>,
    logbook: Option<&'r Logbook>,
    stop: &'r Stop,
}

/// The result of a search, with the finest unit and its number.
struct ClassicOutcome {
    text: Vec<u8>,
    over: (Unit, usize),
    probes: usize,
    is_interrupted: bool,
}

impl ClassicSearch<'_> {
    /// Reduces the input, and starts again if servers and new processes disagree.
    fn agreed(&self, input: &[u8], best: &mut BestFile) -> Result<ClassicOutcome, Failure> {
        loop {
            let found = self.reduce(input, best);
            let Some(served) = self.baseline.served() else { return found };
            if let Ok(found) = &found
                && served.is_unconfirmed()
                && found.text != input
            {
                // Disagreements are handled below. A process that cannot be run proves nothing.
                let _ = if found.is_interrupted {
                    let limit = if self.stop.is_late() { squeeze::LATE } else { squeeze::LIMIT };
                    served.confirm_in(limit, &found.text)
                } else {
                    served.confirm_last().and_then(|()| served.confirm(&found.text))
                };
            }
            let Some((doubt, mut doubted)) = served.go_on() else { return found };
            self.settings.voice.say(&reduce::doubt_note(doubt, self.baseline.answering, false));
            doubted.extend(served.all());
            if let Some(logbook) = self.logbook {
                logbook.begin_again(&doubted, 0);
            }
            if best.is_saved() {
                best.save(input)?;
            }
            if let Ok(found) = found
                && found.is_interrupted
            {
                return Ok(ClassicOutcome { text: input.to_vec(), ..found });
            }
        }
    }

    /// Reduces the input by each unit in turn, and saves each new current best.
    fn reduce(&self, input: &[u8], best: &mut BestFile) -> Result<ClassicOutcome, Failure> {
        let recorded = inquiry::recorded(self.baseline, self.logbook);
        let oracle: &(dyn Oracle + Sync) = match &recorded {
            Some(recorded) => recorded,
            None => self.baseline,
        };
        let inquiry = Inquiry::new(oracle, self.settings.jobs);
        inquiry.knows(input, Verdict::Interesting);
        let mut saving = Saving::new(self.logbook, self.baseline.served());
        let mut over = (self.settings.units.last().copied().unwrap_or(Unit::Byte), 0);
        if inquiry.ask(b"").is_interesting() {
            if !self.settings.allow_empty {
                let failure = reduce::accepts_all(self.settings);
                return Err(check::explain(self.settings, input, self.stop, failure));
            }
            saving.found(best, b"", Vec::new);
            saving.end()?;
            let (text, probes) = (Vec::new(), inquiry.probes());
            return Ok(ClassicOutcome { text, over, probes, is_interrupted: inquiry.is_interrupted()? });
        }
        let mut text = input.to_vec();
        for &unit in &self.settings.units {
            let units: Vec<&[u8]> = unit.split(&text).into_iter().map(|span| span.of(&text)).collect();
            let pick = |kept: &[u32]| kept.iter().map(|&i| units[i as usize]).collect::<Vec<_>>().concat();
            let weights = || units.iter().map(|unit| unit.len() as u32).collect();
            let found = |candidate: &[u8], verdict: Verdict| {
                if verdict.is_interesting() {
                    saving.found(best, candidate, || candidate.to_vec());
                }
            };
            let kept = self.classic.minimize(&inquiry, units.len(), weights, pick, found);
            over = (unit, kept.len());
            text = pick(&kept);
            saving.end()?;
        }
        let is_interrupted = inquiry.is_interrupted()?;
        Ok(ClassicOutcome { text, over, probes: inquiry.probes(), is_interrupted })
    }

    fn summary(
        &self,
        input: &[u8],
        found: &ClassicOutcome,
        best: &BestFile,
        start: Instant,
        is_late: bool,
    ) -> String {
        let size =
            |text: &[u8]| Size { tokens: count_tokens(text), bytes: text.len(), lines: count_lines(text) };
        let time = start.elapsed();
        let units = text::counted(found.over.1, found.over.0.name());
        let proof = match (found.is_interrupted, self.classic) {
            (true, _) if is_late => "nothing; stopped: --max-time".to_owned(),
            (true, _) => "nothing: interrupted".to_owned(),
            (false, Classic::Cdd) => {
                format!("nothing: cdd tries {units} alone, but does not verify the final result")
            }
            (false, _) => format!("1-minimal over {units}"),
        };
        let (probes, rate) = (text::count(found.probes), text::rate(found.probes, time));
        [
            format!("reduced    {}", summary::sizes(size(input), size(&found.text))),
            format!("candidates {probes} in {}, {rate}; {}", text::time(time), self.classic.name()),
            format!("proven     {proof}"),
            format!(
                "result     {}",
                best.path().map_or("standard output".into(), |path| path.display().to_string())
            ),
        ]
        .join("\n")
    }
}
