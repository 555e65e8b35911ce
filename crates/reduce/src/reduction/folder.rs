//! Reduces an archive: deletes whole files first, and then reduces the files in turns until none of them shrinks.
//!
//! Each turn is a separate reduction, whose oracle puts the candidate among the other files. What a turn finds is
//! reported as a change of the archive, so that keepers and records see only one text.

mod inside;
mod joined;
mod options;
mod part;
mod reached;
mod whole;

use super::control::{Control, StopReason};
use super::switches::Switches;
use super::{Error, Format, Keeper, Outcome, Preprocess, Proof, Reduction, proven, size};
use crate::event::{Event, Sink, Size};
use crate::inline::Join;
use crate::offer::Proposer;
use crate::pass::{PartKind, Unit};
use inside::{ArchiveProposer, PartSink, Within};
use joined::JoinedFiles;
use nubbin_archive::{self as archive, Entry, Type};
use nubbin_language::{Language, Registry};
use nubbin_search::oracle::{self, Confidence, LeastRate, Record};
use nubbin_search::schedule::Runner;
use nubbin_syntax::edit::Span;
use part::{ArchivePart, What};
use reached::Unreached;
pub use reached::{Coverage, MARKS, Reached};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Detects the language of each file.
pub trait Languages {
    /// Returns the language of a file by its path and content.
    fn of(&self, path: &Path, content: &[u8]) -> Option<&Language>;
}

impl Languages for Registry {
    fn of(&self, path: &Path, content: &[u8]) -> Option<&Language> {
        self.detect(path, content)
    }
}

struct Tuning {
    /// The number of runs that measure the failure rate of a result that was not confirmed.
    measured: usize,
    /// The factor by which an archive must shrink before its files go through the coarse levels together again.
    again: usize,
    /// The minimum size of a large archive, in bytes. In smaller ones, single statements weigh more than the smallest
    /// weight of a coarse level.
    large: usize,
    /// The maximum size in bytes of an archive whose files are all parsed at once. In a larger archive, whole files are
    /// deleted first.
    huge: usize,
}

const TUNING: Tuning = Tuning { measured: 20, again: 2, large: 1024, huge: 1 << 22 };

/// Reduces the archive of `reduction`.
pub(super) fn run<'a>(
    reduction: Reduction<'a>,
    languages: &'a dyn Languages,
    runner: Runner<'_>,
) -> Result<Outcome, Error> {
    let start = Instant::now();
    let mut silent = |_: Event<'_>| {};
    let before = archive_size(&reduction.input);
    let mut folder = Folder {
        languages,
        record: reduction.record,
        settings: Settings {
            units: reduction.units,
            compact: reduction.compact,
            effort: reduction.effort,
            flaky: reduction.flaky,
            flaky_rate: reduction.flaky_rate,
            stop: reduction.stop,
            control: reduction.control,
            switches: reduction.switches,
        },
        proposer: reduction.proposer,
        first: (None, None),
        coverage: reduction.coverage,
        covered: false,
        joined: None,
        keeper: reduction.keeper,
        sink: reduction.sink.unwrap_or(&mut silent),
        version: 0,
        proofs: HashMap::new(),
        outcome: Outcome::nothing(reduction.input.to_vec(), before),
    };
    let proof = if folder.has_options() {
        folder.first = (reduction.preprocess, reduction.join);
        folder.in_turns(runner, reduction.confirm, reduction.allow_empty)?
    } else {
        folder.reduce(runner, reduction.confirm, reduction.allow_empty)?
    };
    if let Some(format) = reduction.format.filter(|_| !proof.is_cut_short()) {
        folder.lay_out(runner, format)?;
    }
    let mut outcome = folder.outcome;
    outcome.after = archive_size(&outcome.best);
    outcome.kept = folder.settings.control.kept;
    (outcome.proof, outcome.elapsed) = (proof, start.elapsed());
    Ok(outcome)
}

/// Returns the size of the files in an archive, without the headers between them.
pub(super) fn archive_size(text: &[u8]) -> Size {
    let files = archive::entries(text).into_iter().filter(|entry| entry.kind == Type::File);
    files.map(|entry| size(entry.content_in(text))).fold(Size::default(), |sum, one| Size {
        tokens: sum.tokens + one.tokens,
        bytes: sum.bytes + one.bytes,
        lines: sum.lines + one.lines,
    })
}

/// Returns the spans of the files in known languages.
pub(super) fn files_of<'l>(text: &[u8], languages: &'l dyn Languages) -> Vec<(Span, &'l Language)> {
    let files = archive::entries(text).into_iter().filter(|entry| entry.kind == Type::File);
    let known = files.filter_map(|entry| {
        let language = languages.of(&entry.path, entry.content_in(text))?;
        Some((Span::new(entry.content.0 as u32, entry.content.1 as u32), language))
    });
    known.filter(|(span, _)| !span.is_empty()).collect()
}

/// The settings shared by all turns.
struct Settings {
    units: Vec<Unit>,
    compact: bool,
    effort: u32,
    flaky: Option<Confidence>,
    flaky_rate: LeastRate,
    stop: Option<Arc<AtomicBool>>,
    /// The limits set by the user. Kept spans are positions in the current best.
    control: Control,
    switches: Switches,
}

/// A running reduction of an archive. Its outcome contains the current best.
struct Folder<'a, 's> {
    languages: &'a dyn Languages,
    record: Option<&'a dyn Record>,
    settings: Settings,
    proposer: Option<&'a dyn Proposer>,
    /// The preprocessed texts and the included files with which the only file starts, if the other part is the options
    /// of a command.
    first: (Option<Preprocess<'a>>, Option<&'a dyn Join>),
    coverage: Option<&'a dyn Coverage>,
    /// Whether the code that a run executes is known.
    covered: bool,
    /// The size of the archive after files were last inlined, or could not be.
    joined: Option<usize>,
    keeper: Option<&'a mut dyn Keeper>,
    sink: &'s mut (dyn Sink + 's),
    /// The number of turns that found something.
    version: u64,
    /// The proof of the last turn of each file, with the version after that turn. The archive itself has an empty path.
    proofs: HashMap<PathBuf, (u64, Proof)>,
    outcome: Outcome,
}

impl Folder<'_, '_> {
    fn reduce(&mut self, runner: Runner<'_>, confirm: usize, allow_empty: bool) -> Result<Proof, Error> {
        let kind = archive::kind(&self.outcome.best).unwrap_or(archive::ArchiveKind::Folder);
        let is_folder = kind == archive::ArchiveKind::Folder;
        let is_large = self.outcome.best.len() >= TUNING.large;
        let (mut confirm, mut last) = (confirm, usize::MAX);
        loop {
            let version = self.version;
            if is_folder && let Some(end) = self.together(runner, &mut last, confirm, allow_empty)? {
                return Ok(end);
            }
            let all = ArchivePart { may_be_empty: is_folder, ..self.all() };
            self.turn(runner, &all, confirm, allow_empty)?;
            if let Some(end) = self.end() {
                return Ok(end);
            }
            if confirm > 1
                && !is_folder
                && self.may_be_emptied()
                && self.is_interesting_without_content(runner, allow_empty)?
            {
                if !allow_empty {
                    return Err(Error::EmptyIsInteresting);
                }
                return Ok(proven(&[]));
            }
            confirm = 1;
            if let Some(end) = self.join(runner, false)? {
                return Ok(end);
            }
            // Kept files are not emptied before it is known that they cannot all be empty.
            if let Some(end) = self.together(runner, &mut last, 1, true)? {
                return Ok(end);
            }
            // Once a definition and its uses have been rewritten, they are no longer recognized as belonging together.
            // In a small archive, deleting them separately usually needs fewer probes.
            if is_large && let Some(end) = self.names(runner)? {
                return Ok(end);
            }
            for path in self.waiting() {
                let Some(part) = self.part_of(path) else { continue };
                self.turn(runner, &part, 1, true)?;
                if let Some(end) = self.end() {
                    return Ok(end);
                }
            }
            if self.version == version
                && let Some(end) = self.last(runner, is_large)?
            {
                return Ok(end);
            }
            if self.version == version {
                break;
            }
        }
        match self.believe(runner) {
            Err(Error::Oracle(oracle::NoVerdict::Interrupted)) => Ok(Proof::Interrupted),
            believed => believed.map(|()| self.proof()),
        }
    }

    /// Tries what comes when everything else is exhausted: each step only if the previous one finds nothing. Returns
    /// the proof if the reduction ends.
    fn last(&mut self, runner: Runner<'_>, is_large: bool) -> Result<Option<Proof>, Error> {
        let version = self.version;
        if !is_large && let Some(end) = self.names(runner)? {
            return Ok(Some(end));
        }
        if self.version == version
            && let Some(end) = self.join(runner, true)?
        {
            return Ok(Some(end));
        }
        if self.version == version && self.proposer.is_some() {
            self.turn(runner, &ArchivePart { what: What::Proposals, ..self.all() }, 1, true)?;
        }
        Ok(self.end())
    }

    /// Takes the files through the coarse levels together, as long as that halves a large archive. `last` is its size
    /// at the last start. Returns the proof if the reduction ends.
    fn together(
        &mut self,
        runner: Runner<'_>,
        last: &mut usize,
        confirm: usize,
        allow_empty: bool,
    ) -> Result<Option<Proof>, Error> {
        while self.settings.units.is_empty()
            && (TUNING.large..=TUNING.huge).contains(&self.outcome.best.len())
            && self.outcome.best.len() <= *last / TUNING.again
        {
            *last = self.outcome.best.len();
            if let Some(end) = self.unreached(runner, confirm, allow_empty)? {
                return Ok(Some(end));
            }
            let is_folder = archive::kind(&self.outcome.best) == Some(archive::ArchiveKind::Folder);
            if self.settings.control.joins_files && is_folder {
                // Unneeded files are deleted before others are inlined, unless coverage has deleted them already.
                if self.joined.is_none() && !self.covered {
                    let all = ArchivePart { may_be_empty: true, ..self.all() };
                    self.turn(runner, &all, confirm, allow_empty)?;
                }
                if let Some(end) = self.end().map_or_else(|| self.join(runner, false), |end| Ok(Some(end)))? {
                    return Ok(Some(end));
                }
            }
            let what = What::Together { covered: self.covered };
            let part = ArchivePart { what, may_be_empty: is_folder, ..self.all() };
            self.turn(runner, &part, confirm, allow_empty)?;
            if let Some(end) = self.end() {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Deletes the code that the failing run does not execute, if there is `coverage`. Returns the proof if the
    /// reduction ends.
    fn unreached(
        &mut self,
        runner: Runner<'_>,
        confirm: usize,
        allow_empty: bool,
    ) -> Result<Option<Proof>, Error> {
        if self.coverage.is_none() {
            return Ok(None);
        }
        let is_folder = archive::kind(&self.outcome.best) == Some(archive::ArchiveKind::Folder);
        let part = ArchivePart { what: What::Unreached, may_be_empty: is_folder, ..self.all() };
        self.turn(runner, &part, confirm, allow_empty)?;
        Ok(self.end())
    }

    /// Returns the part for a file that still exists and is not empty.
    fn part_of(&self, path: PathBuf) -> Option<ArchivePart> {
        let text = &self.outcome.best;
        let entry = archive::entries(text).into_iter().find(|entry| entry.path == path)?;
        let span = entry.content;
        let part = ArchivePart { span, file: Some(path), may_be_empty: true, what: What::Passes };
        (span.0 < span.1).then_some(part)
    }

    /// Deletes names that one file defines and others use. Returns the proof if the reduction ends.
    fn names(&mut self, runner: Runner<'_>) -> Result<Option<Proof>, Error> {
        if self.settings.units.is_empty() {
            self.turn(runner, &ArchivePart { what: What::Names, ..self.all() }, 1, true)?;
        }
        Ok(self.end())
    }

    /// Returns the part for the whole archive.
    fn all(&self) -> ArchivePart {
        ArchivePart {
            span: (0, self.outcome.best.len()),
            file: None,
            may_be_empty: false,
            what: What::Passes,
        }
    }

    /// Returns the reason to end now, if there is one.
    fn end(&self) -> Option<Proof> {
        if self.settings.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Some(Proof::Interrupted);
        }
        let ended = self.proofs.values().map(|(_, proof)| *proof).find(|proof| proof.is_cut_short());
        ended.or((self.left() == Some(0)).then_some(Proof::Stopped(StopReason::Probes)))
    }

    /// Returns the number of remaining probes, if limited.
    fn left(&self) -> Option<usize> {
        self.settings.control.max_probes.map(|most| most.saturating_sub(self.outcome.counts.probes))
    }

    /// Returns whether the files can all be empty.
    fn may_be_emptied(&self) -> bool {
        self.settings.control.kept.is_empty()
    }

    /// Returns the files that have had no turn on this version, the largest first.
    fn waiting(&self) -> Vec<PathBuf> {
        let text = &self.outcome.best;
        let is_dry =
            |entry: &Entry| self.proofs.get(&entry.path).is_some_and(|(version, _)| *version == self.version);
        let mut files: Vec<Entry> = archive::entries(text);
        files.retain(|entry| entry.kind == Type::File && !is_dry(entry));
        files.sort_by_key(|entry| std::cmp::Reverse(entry.content.1 - entry.content.0));
        files.into_iter().map(|entry| entry.path).collect()
    }

    /// Combines the proofs of all last turns.
    fn proof(&self) -> Proof {
        let entries = archive::entries(&self.outcome.best);
        let mut judged = Vec::new();
        for (path, (_, proof)) in &self.proofs {
            let Proof::OneMinimal {
                files,
                nodes,
                tokens,
                lines,
                characters,
                bytes,
                pairs,
                options,
                option_parts,
            } = *proof
            else {
                // Only passes that contribute to no proof have run there.
                continue;
            };
            if path == Path::new("") || entries.iter().any(|entry| entry.path == *path) {
                let parts = [
                    (Some(PartKind::File), files.min(entries.len())),
                    (Some(PartKind::Node), nodes),
                    (Some(PartKind::Token), tokens),
                    (Some(PartKind::Line), lines),
                    (Some(PartKind::Character), characters),
                    (Some(PartKind::Byte), bytes),
                    (Some(PartKind::Pair), pairs),
                    (Some(PartKind::Option), options),
                    (Some(PartKind::OptionPart), option_parts),
                ];
                judged.extend(parts);
            }
        }
        if judged.is_empty() { Proof::Dry } else { proven(&judged) }
    }

    /// Returns the limits for a part.
    fn control_of(&self, part: &ArchivePart) -> Control {
        let best = &self.outcome.best;
        if part.what == What::Options {
            // The size of the file is limited in its own turns.
            let control = self.settings.control.of_part(part.span, Some(Size::default()), self.left());
            return Control { stop_at: None, ..control };
        }
        let outside = part.file.as_ref().map(|_| {
            let (all, own) = (archive_size(best), size(&best[part.span.0..part.span.1]));
            Size {
                tokens: all.tokens - own.tokens,
                bytes: all.bytes - own.bytes,
                lines: all.lines - own.lines,
            }
        });
        self.settings.control.of_part(part.span, outside, self.left())
    }

    /// Reduces a part of the archive.
    fn turn(
        &mut self,
        runner: Runner<'_>,
        part: &ArchivePart,
        confirm: usize,
        allow_empty: bool,
    ) -> Result<(), Error> {
        let text = self.outcome.best.clone();
        let content = &text[part.span.0..part.span.1];
        let is_first = self.outcome.counts.probes == 0;
        let base = self.outcome.counts;
        let mut latest = None;
        let control = self.control_of(part);
        let mut within =
            Within { text: &text, part, keeper: self.keeper.as_deref_mut(), latest: &mut latest };
        let mut told = PartSink { text: &text, part, sink: &mut *self.sink, base, is_first };
        let file = part.file.as_ref().filter(|_| part.what == What::Passes);
        let language = file.and_then(|file| self.languages.of(file, content));
        let (preprocess, join) = if file.is_some() { std::mem::take(&mut self.first) } else { (None, None) };
        let proposals = self.proposer.filter(|_| part.what == What::Proposals).map(ArchiveProposer);
        let coverage = self.coverage.filter(|_| part.what == What::Unreached);
        let unreached = coverage.map(|coverage| Unreached::new(self.languages, coverage));
        let proposer = proposals.as_ref().map(|whole| whole as &dyn Proposer);
        let proposer = proposer.or(unreached.as_ref().map(|unreached| unreached as &dyn Proposer));
        let joined = (part.what == What::Joined).then(|| JoinedFiles::new(&text, self.languages)).flatten();
        if part.what == What::Joined && joined.as_ref().is_none_or(|joined| joined.count() == 0) {
            return Ok(());
        }
        let layout = |_: &[u8]| part.layout().map(<[u8]>::to_vec);
        let mut reduction = Reduction::new(content)
            .language(language)
            .units(self.settings.units.iter().copied().filter(|_| file.is_some()))
            .allow_empty(allow_empty)
            .compact(self.settings.compact)
            .effort(if file.is_some() { self.settings.effort } else { 0 })
            .flaky(self.settings.flaky)
            .flaky_rate(self.settings.flaky_rate)
            .keeper(&mut within)
            .sink(&mut told)
            .proposer(proposer)
            .preprocess(preprocess)
            .join(joined.as_ref().map(|joined| joined as &dyn Join).or(join))
            .format(part.layout().map(|_| &layout as Format<'_>));
        // The whole archive is known to be interesting, and the empty one is not.
        reduction.confirm = if is_first { confirm } else { usize::from(part.file.is_some()) };
        reduction.together = part.plan().map(|plan| (self.languages, plan));
        reduction.scope = part.scope();
        reduction.control = control;
        reduction.switches = self.settings.switches.clone();
        reduction.stop.clone_from(&self.settings.stop);
        let is_known = !is_first;
        // A record knows candidates of the whole archive. If the part is the whole archive, the reduction asks the
        // record itself.
        let (inside, outside) = if part.file.is_some() { (self.record, None) } else { (None, self.record) };
        reduction.record = outside;
        let outcome = inside::run(reduction, runner, inside, &text, part, is_known);
        if let Some(latest) = latest {
            self.outcome.best = latest;
            self.version += 1;
        }
        let outcome = outcome?;
        self.settled(part, text.len(), &outcome);
        if let Some(unreached) = unreached {
            self.covered |= unreached.sees.get();
            self.outcome.counts.probes += unreached.runs.get();
            self.outcome.started += unreached.runs.get();
        }
        Ok(())
    }

    /// Records the outcome of a turn on an archive of `before` bytes.
    fn settled(&mut self, part: &ArchivePart, before: usize, outcome: &Outcome) {
        self.outcome.add(outcome);
        let grown = self.outcome.best.len() as i64 - before as i64;
        self.settings.control.shrunk(part.span, grown, &outcome.kept);
        // Only turns of passes contribute to a proof, but a limit may have ended another kind of turn.
        if matches!(part.what, What::Passes | What::Options) || outcome.proof.is_cut_short() {
            self.proofs.insert(part.file.clone().unwrap_or_default(), (self.version, outcome.proof));
        }
    }
}
