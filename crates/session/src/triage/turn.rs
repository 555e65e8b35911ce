//! Runs one turn of a bug: continues the reduction of its best file for a while, and records the result.
//!
//! The module `queue` chooses the bug.

use super::crash::{self, FileSort};
use super::follow::Follow;
use super::place::common_name;
use super::queue::{self, Turn};
use super::split;
use super::state::{Bug, BugState, Measure, Member, folder_of};
use super::survey::folder;
use super::work::Work;
use super::{Happening, group, merge};
use crate::failure::{Failure, Fault};
use crate::output::Output;
use crate::reduce::{self, Reduced};
use crate::settings::{JournalChoice, Settings};
use crate::stop::Stop;
use crate::summary;
use crate::voice::{Loudness, Voice};
use nubbin_oracle::CommandRun;
use nubbin_reduce::{Proof, StopReason};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

enum Tried {
    /// The turn has ended.
    Ended,
    /// The file does not show the failure again.
    Unlike(String),
}

/// The user's limits for each bug.
struct Bounds {
    probes: Option<usize>,
    time: Option<(String, Duration)>,
}

impl Work<'_> {
    /// Runs a turn of a bug. If a member does not show the failure again, the next one is used.
    ///
    /// # Errors
    /// Returns an error that ends the triage.
    pub(super) fn turn(&self, turn: Turn, part: &Stop) -> Result<(), Failure> {
        let start = Instant::now();
        loop {
            let bug = self.bug(turn.number);
            let Some(member) = chosen(&bug).cloned() else {
                let why = bug.members.iter().find_map(|member| member.failed.clone()).unwrap_or_default();
                self.change(turn.number, |bug| bug.state = BugState::Unreproduced(why));
                break;
            };
            let Some((settings, path)) = self.settings(&bug, &member, turn.jobs)? else {
                let why = "it can no longer be read".to_owned();
                self.change(turn.number, |bug| give_up(bug, &member.path, &why));
                continue;
            };
            let bug = self.bug(turn.number);
            self.tell(|state| state.bug(turn.number).map(Happening::Began));
            match self.reduce(&bug, settings, part)? {
                Tried::Ended => break,
                Tried::Unlike(_) if part.has_come() => break,
                Tried::Unlike(why) => {
                    let own = OsStr::new(member.path.rsplit('/').next().unwrap_or_default()).to_owned();
                    let is_own = path.file_name() == Some(&own) || member.found.is_some();
                    self.change(turn.number, |bug| {
                        if is_own {
                            give_up(bug, &member.path, &why);
                        } else {
                            // The name can matter.
                            bug.name = own.to_str().map(str::to_owned);
                            if bug.name.is_none() {
                                give_up(bug, &member.path, &why);
                            }
                        }
                    });
                }
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        self.change(turn.number, |bug| {
            bug.seconds += seconds;
            bug.turns += 1;
            if bug.state == BugState::Running {
                bug.state = BugState::Waiting;
            }
        });
        self.tell(|state| state.bug(turn.number).map(Happening::Ended));
        Ok(())
    }

    /// Creates the settings of the next turn. Also returns the path of the unreduced file in the folder of the bug.
    /// Returns `None` if the member cannot be read.
    fn settings(
        &self,
        bug: &Bug,
        member: &Member,
        jobs: usize,
    ) -> Result<Option<(Settings, PathBuf)>, Failure> {
        let kept = bug.name.as_ref().filter(|_| bug.representative.as_deref() == Some(&member.path));
        let kept = kept.map(|name| folder_of(&self.house.out, bug).join("original").join(name));
        let content = match kept.as_ref().and_then(|path| fs::read(path).ok()) {
            Some(content) => Some(content),
            None => self.content(member),
        };
        let Some(content) = content else { return Ok(None) };
        let from = self.path(member);
        let plain = (self.triage.settings)(&from)?;
        let name =
            bug.name.as_ref().map_or_else(|| common_name(&from, &content, &plain.language), OsString::from);
        let path = self.house.unreduced(bug, &name, &content)?;
        let place = if member.found.is_some() { bug.place.clone() } else { folder(&member.path) };
        self.change(bug.number, |bug| {
            bug.name = Some(name.to_string_lossy().into_owned());
            bug.representative = Some(member.path.clone());
            bug.place.clone_from(&place);
        });
        let mut settings = (self.triage.settings)(&path)?;
        settings.known = Some(self.known(&place));
        settings.shared = Some(Arc::clone(&self.shared));
        settings.output = Output::File(folder_of(&self.house.out, bug).join(&name));
        settings.journal = JournalChoice::Resume;
        settings.jobs = jobs;
        settings.notes.clear();
        let (voice, number) = (self.triage.voice.clone(), bug.number);
        settings.voice = if voice.is_verbose() {
            Voice::new(Loudness::Plain, move |text| voice.say(&format!("[{number}] {text}")))
        } else {
            Voice::silent()
        };
        bug.crash.narrow(&mut settings);
        Ok(Some((settings, path)))
    }

    /// Continues the reduction for one turn.
    fn reduce(&self, bug: &Bug, mut settings: Settings, part: &Stop) -> Result<Tried, Failure> {
        let bounds = bounded(bug, &mut settings);
        if let Some(bound) = bounds.reached(bug) {
            self.change(bug.number, |bug| bug.state = BugState::Stopped(bound));
            return Ok(Tried::Ended);
        }
        let folder = folder_of(&self.house.out, bug);
        let follower = self.onlooker.follower(&settings, bug, &folder)?;
        let number = bug.number;
        let told = |size, probes| self.tell(|_| Some(Happening::Progressed { number, size, probes }));
        let mut follow = Follow::new(follower, &told, Arc::clone(&self.counter));
        match reduce::run(&settings, part, &mut follow) {
            Ok(Some(reduced)) => {
                follow.tell(&reduced)?;
                let last = follow.last.take();
                self.note(&settings, bug.number, &reduced, &bounds, (last, follow.curve), part)?;
            }
            Ok(None) => {
                // The reduction had finished, and the triage was killed before it was recorded.
                let content =
                    settings_output(&settings).and_then(|path| fs::read(path).ok()).unwrap_or_default();
                self.change(number, |bug| {
                    bug.after = Measure::of(&content);
                    bug.state = BugState::Small;
                    "finished in an earlier run".clone_into(&mut bug.proof);
                });
                self.settle(number)?;
            }
            Err(failure) => return self.failed(number, failure, part),
        }
        Ok(Tried::Ended)
    }

    /// Decides what an error means for a bug.
    fn failed(&self, number: usize, failure: Failure, part: &Stop) -> Result<Tried, Failure> {
        if part.has_come() {
            if part.is_late() && !self.stop.has_come() {
                self.change(number, |bug| bug.state = BugState::Stopped("--max-time".to_owned()));
            }
            return Ok(Tried::Ended);
        }
        match failure.fault() {
            Fault::NotInteresting | Fault::Flaky | Fault::Oracle => Ok(Tried::Unlike(failure.text())),
            Fault::EmptyIsInteresting | Fault::Wrong | Fault::Input => {
                self.change(number, |bug| bug.state = BugState::Failed(failure.text()));
                Ok(Tried::Ended)
            }
            _ => Err(failure),
        }
    }

    /// Records the result of a turn.
    fn note(
        &self,
        settings: &Settings,
        number: usize,
        reduced: &Reduced,
        bounds: &Bounds,
        (last, curve): (Option<CommandRun>, Vec<super::state::SizeAt>),
        part: &Stop,
    ) -> Result<(), Failure> {
        let outcome = &reduced.outcome;
        let elapsed = self.elapsed();
        let shows = last.map(|run| shown(settings, &run)).unwrap_or_default();
        self.change(number, |bug| {
            bug.before = outcome.before.into();
            bug.after = outcome.after.into();
            bug.probes = outcome.counts.probes;
            bug.curve = curve;
            bug.shows = shows;
            bug.proof = summary::proven(outcome, &reduced.remark);
            bug.state = match outcome.proof {
                Proof::Stopped(StopReason::Probes) => match bounds.probes {
                    Some(most) if bug.probes >= most => BugState::Stopped(format!("--max-candidates {most}")),
                    _ => BugState::Waiting,
                },
                Proof::Interrupted => match &bounds.time {
                    Some((text, _)) if part.is_late() && !self.stop.has_come() => {
                        BugState::Stopped(format!("--max-time {text}"))
                    }
                    _ => BugState::Waiting,
                },
                _ => BugState::Small,
            };
            if bug.has_result() {
                bug.small_after = Some(elapsed);
            }
        });
        if !self.bug(number).has_result() {
            return Ok(());
        }
        if self.triage.others {
            self.see_others(number, settings, reduced)?;
        }
        self.settle(number)
    }

    /// Compares a bug that has a small file with the others, and writes the other files of its folder.
    fn settle(&self, number: usize) -> Result<(), Failure> {
        let small = |bug: &Bug| fs::read(folder_of(&self.house.out, bug).join(bug.name.as_ref()?)).ok();
        let mut board = self.board();
        let state = &mut board.state;
        let same = merge::same(state, number, &small);
        let same = same.filter(|_| state.bugs[number - 1].state == BugState::Small);
        let stays = if let Some(other) = same {
            let (goes, stays) = merge::join(state, number, other);
            self.house.merge(&state.bugs[goes - 1], &state.bugs[stays - 1]);
            stays
        } else {
            // It was reduced for comparison and proved to be different.
            if let Some(root) = state.bug_mut(number).compared_with.take() {
                state.bug_mut(root).agreed = 0;
            }
            number
        };
        let roots: Vec<usize> =
            state.own_bugs().filter(|bug| bug.has_result()).map(|bug| bug.number).collect();
        for root in roots {
            self.doubt(state, root);
        }
        let bug = state.bugs[stays - 1].clone();
        drop(board);
        self.house.describe(self.triage, &bug, &self.known(&bug.place))
    }

    /// Selects another file of a vague group to reduce for comparison.
    fn doubt(&self, state: &mut super::state::TriageState, root: usize) {
        let bug = &state.bugs[root - 1];
        let is_compared = |other: &Bug| {
            other.compared_with.is_some()
                && other.crash == bug.crash
                && !matches!(other.state, BugState::Merged(_))
        };
        if state.bugs.iter().any(is_compared) {
            return;
        }
        let alike = state.bugs.iter().filter(|other| other.crash == bug.crash);
        let tried: Vec<String> = alike.filter_map(|other| other.representative.clone()).collect();
        let Some(member) = split::doubtful(bug, &tried, &|member| self.content(member)).cloned() else {
            return;
        };
        let mut other = Bug::new(state.bugs.len() + 1, bug.crash.clone(), bug.title.clone());
        other.compared_with = Some(root);
        other.place.clone_from(&bug.place);
        state.bug_mut(root).members.retain(|one| one.path != member.path);
        for file in state.files.iter_mut().filter(|file| file.path == member.path) {
            file.bug = Some(other.number);
        }
        other.members.push(member);
        state.bugs.push(other);
    }

    /// Creates bugs for new failures seen during the reduction. A text can also become the start for a waiting bug.
    fn see_others(&self, number: usize, settings: &Settings, reduced: &Reduced) -> Result<(), Failure> {
        let bug = self.bug(number);
        let known = settings.known.clone();
        for sample in split::samples(reduced.watch.samples()) {
            let Ok(content) = fs::read(&sample) else { continue };
            let path = settings.input.path(&settings.language);
            // A stop ends the triage soon; the failures will be found again.
            let Ok((showing, run, _)) = self.surveyor().run(&path, &content, known.clone()) else {
                return Ok(());
            };
            let Some(crash) = showing.crash.filter(|_| showing.sort == FileSort::Bug) else { continue };
            let mut board = self.board();
            let state = &mut board.state;
            let same = group::bug_of(state, &crash, Some(content.clone()), &|member| self.content(member));
            let target = match same {
                Some(same) if split::is_better(&state.bugs[same - 1], content.len()) => same,
                Some(_) => continue,
                None => {
                    let mut new = Bug::new(state.bugs.len() + 1, crash, showing.title);
                    new.found = Some(number);
                    state.bugs.push(new);
                    state.bugs.len()
                }
            };
            let target = state.bug_mut(target);
            let name = path.file_name().unwrap_or_default().to_owned();
            let place = self.house.unreduced(target, &name, &content)?;
            let member = Member {
                path: super::state::shown(place.strip_prefix(&self.house.out).unwrap_or(&place)),
                found: Some(number),
                bytes: content.len(),
                seconds: run.elapsed.as_secs_f64(),
                failed: None,
            };
            target.members.retain(|one| one.path != member.path);
            target.members.push(member);
            target.sort_members();
            target.name = name.to_str().map(str::to_owned);
            target.place.clone_from(&bug.place);
            let (new, is_new) = (target.number, same.is_none());
            drop(board);
            if is_new {
                self.tell(|state| state.bug(new).map(Happening::Found));
            }
        }
        Ok(())
    }
}

impl Bounds {
    /// Returns the limit that a bug has reached, if any.
    fn reached(&self, bug: &Bug) -> Option<String> {
        if let Some(most) = self.probes.filter(|most| bug.probes >= *most) {
            return Some(format!("--max-candidates {most}"));
        }
        let (text, time) = self.time.as_ref()?;
        (bug.seconds >= time.as_secs_f64()).then(|| format!("--max-time {text}"))
    }
}

/// Limits a reduction by its turn, and by the remainder of the user's limits.
fn bounded(bug: &Bug, settings: &mut Settings) -> Bounds {
    let control = &mut settings.control;
    let probes = control.max_probes.map(|most| usize::try_from(most).unwrap_or(usize::MAX));
    let time = control.max_time.as_ref().map(|time| (time.text.clone(), time.time));
    let end = queue::bound(bug).min(probes.unwrap_or(usize::MAX));
    control.max_probes = Some(end as u64);
    control.start = Instant::now();
    if let Some(time) = &mut control.max_time {
        time.time = time.time.saturating_sub(Duration::from_secs_f64(bug.seconds));
    }
    Bounds { probes, time }
}

/// Returns the member to reduce: the one chosen before, or else the best remaining one.
fn chosen(bug: &Bug) -> Option<&Member> {
    let left = || bug.members.iter().filter(|member| member.failed.is_none());
    let before = left().find(|member| bug.representative.as_ref() == Some(&member.path));
    before.or_else(|| left().min_by_key(|member| rank(member)))
}

/// Returns the rank of a member: small and fast ones come first. Times are rounded to powers of four from a tenth of
/// a second on, so that the order is reproducible.
fn rank(member: &Member) -> (u64, String) {
    let class = (member.seconds / 0.1).max(1.0).log(4.0).floor().clamp(0.0, 8.0) as u32;
    (member.bytes as u64 * 4_u64.pow(class), member.path.clone())
}

/// Abandons a member that does not show the failure again.
fn give_up(bug: &mut Bug, path: &str, why: &str) {
    for member in bug.members.iter_mut().filter(|member| member.path == path) {
        member.failed = Some(why.to_owned());
    }
    (bug.name, bug.representative) = (None, None);
}

/// Returns the keys of the failures that a run shows.
fn shown(settings: &Settings, run: &CommandRun) -> Vec<String> {
    let ends = crate::baseline::Ends::of(run.status);
    let all = settings.reader().all(&run.stdout, &run.stderr).into_iter().filter(|one| !one.is_inside());
    all.map(|one| crash::Crash { ends, signature: Some(one) }.key()).collect()
}

fn settings_output(settings: &Settings) -> Option<&Path> {
    if let Output::File(path) = &settings.output { Some(path) } else { None }
}
