//! Runs the command on candidates that a script should reject.
//!
//! The module `check` creates the candidates; `message` chooses the texts that a script searches for.

use super::message::{self, MessageChoice};
use crate::baseline;
use crate::check::sample::{self, Sample, SampleKind};
use crate::failure::Failure;
use crate::settings::Settings;
use crate::stop::Stop;
use nubbin_oracle::signature::{Reader, Signature};
use nubbin_oracle::{CommandOracle, CommandRun, Status, Surroundings};

/// The kinds of samples that are tried. Words alone prove nothing about a message.
const TRIED: [SampleKind; 6] = [
    SampleKind::Empty,
    SampleKind::Blank,
    SampleKind::Garbage,
    SampleKind::Comments,
    SampleKind::SyntaxError,
    SampleKind::FirstHalf,
];

/// Returns the garbage for an input, or nothing if any result is acceptable.
pub fn samples(settings: &Settings, input: &[u8]) -> Result<Vec<Sample>, Failure> {
    if settings.allow_empty {
        return Ok(Vec::new());
    }
    let is_archive = settings.input.is_archive();
    let path = settings.input.path(&settings.language);
    let language =
        if is_archive { settings.language.of_many()? } else { settings.language.resolve(&path, input)? };
    let mut samples = sample::of(input, is_archive, language.get());
    samples.retain(|sample| TRIED.contains(&sample.kind));
    Ok(samples)
}

/// Garbage, with the runs of the command on it.
pub struct Garbage {
    tried: Vec<(Sample, CommandRun)>,
    status: Option<Status>,
    said: Option<Signature>,
    reader: Reader,
}

impl Garbage {
    pub fn new(
        settings: &Settings,
        input: &[u8],
        surroundings: &Surroundings,
        interrupt: &Stop,
        status: Option<Status>,
        said: Option<Signature>,
    ) -> Result<Self, Failure> {
        let path = settings.input.path(&settings.language);
        let oracle = baseline::command(settings, &settings.test.words, &path, surroundings, interrupt);
        let tried = samples(settings, input)?
            .into_iter()
            .map(|sample| Ok((oracle.run(&sample.bytes)?, sample)))
            .map(|tried: Result<_, Failure>| tried.map(|(run, sample)| (sample, run)));
        Ok(Self { tried: tried.collect::<Result<_, _>>()?, status, said, reader: settings.reader() })
    }

    /// Returns the first sample that a script with these texts would wrongly accept.
    pub fn accepted(&self, choice: &MessageChoice) -> Option<&Sample> {
        let (sample, _) = self.tried.iter().find(|(sample, run)| {
            self.ends_alike(run) && has(run, choice) && !self.is_the_failure(sample.kind, run, choice)
        })?;
        Some(sample)
    }

    fn ends_alike(&self, run: &CommandRun) -> bool {
        self.status.is_none_or(|status| status == run.status)
    }

    /// Returns whether a sample can show the failure of the input. Half of the input can, and so can a syntax error
    /// with the same message or that kills the command.
    fn is_the_failure(&self, kind: SampleKind, run: &CommandRun, choice: &MessageChoice) -> bool {
        let says_the_same = || {
            let all = self.reader.all(&run.stdout, &run.stderr);
            self.said.as_ref().is_some_and(|said| all.iter().any(|other| said.covers(other)))
        };
        match kind {
            SampleKind::FirstHalf => true,
            SampleKind::SyntaxError => {
                !matches!(run.status, Status::Exit(_)) || (choice.is_known && says_the_same())
            }
            _ => false,
        }
    }
}

fn has(run: &CommandRun, choice: &MessageChoice) -> bool {
    let output = message::output(run);
    choice.texts.iter().all(|text| output.contains(text.as_str()))
}

/// Runs a script on garbage. Returns the rejected samples and the accepted ones.
pub fn sort(oracle: &CommandOracle, samples: Vec<Sample>) -> Result<(Vec<Sample>, Vec<Sample>), Failure> {
    let (mut rejected, mut accepted) = (Vec::new(), Vec::new());
    for sample in samples {
        let run = oracle.run(&sample.bytes)?;
        if run.verdict.is_interesting() { &mut accepted } else { &mut rejected }.push(sample);
    }
    Ok((rejected, accepted))
}

/// Returns the samples as a short list for a sentence.
pub fn list(samples: &[Sample]) -> String {
    let short = |sample: &Sample| match sample.kind {
        SampleKind::Garbage => "garbage".to_owned(),
        SampleKind::SyntaxError => "a syntax error".to_owned(),
        SampleKind::FirstHalf => "the first half".to_owned(),
        _ => sample.what.clone(),
    };
    samples.iter().map(short).collect::<Vec<_>>().join(", ")
}
