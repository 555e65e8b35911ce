//! Runs the command on a candidate, with a warden or directly.

use super::placeholder::{PLACEHOLDER, fill};
use super::{CommandOracle, CommandRun, Kind, Shape, TAIL, TICK};
use crate::excerpt;
use crate::limits::Limit;
use crate::pause::Running;
use crate::process::{self, Failure, Look, Rules, Watch};
use crate::server::Places;
use crate::shortage;
use crate::warden::message::{Answer, Ending, Setup};
use crate::warden::{Helper, Place};
use crate::work_directory::{self, Content, Paths, Root};
use crate::{Error, NoVerdict, Oracle, Status};
use nubbin_search::{Cause, Verdict};
use rustix::process::{Pid, Signal};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

impl CommandOracle {
    /// Runs the command on `candidate`. It is run again, alone, if it exceeded the time limit while other
    /// probes were running, or if exceeding the limit is the failure.
    pub(super) fn run_patiently(
        &self,
        candidate: &[u8],
        unwanted: &dyn Fn() -> bool,
    ) -> Result<CommandRun, Error> {
        let limit = self.current_limit();
        if !self.protocol.reads_when_late() && self.patience.was_late(candidate, limit) {
            return self.read(Status::TimedOut, limit, None, 0);
        }
        // Only an observer uses the output.
        let wanted = if self.observer.is_some() { TAIL } else { 0 };
        {
            let turn = self.gate.enter(unwanted)?;
            let run = self.run_once(candidate, unwanted, wanted)?;
            if run.status != Status::TimedOut {
                return Ok(run);
            }
            // If hanging is the failure, one slow run does not prove it.
            if turn.is_alone() && !run.verdict.is_interesting() {
                self.patience.is_late(candidate, limit, true);
                return Ok(run);
            }
        }
        let _alone = self.gate.enter_alone(unwanted)?;
        let limit = self.current_limit();
        let run = self.run_once(candidate, unwanted, wanted)?;
        match run.status {
            Status::TimedOut => self.patience.is_late(candidate, limit, false),
            _ => self.patience.was_hasty(),
        }
        Ok(run)
    }

    /// Runs the command as above, unless the result is no longer needed.
    pub(crate) fn run_unless(&self, candidate: &[u8], cancelled: &AtomicBool) -> Result<CommandRun, Error> {
        let unwanted = || self.stop.load(Ordering::Relaxed) || cancelled.load(Ordering::Relaxed);
        self.run_patiently(candidate, &unwanted)
    }

    pub(super) fn current_limit(&self) -> Duration {
        self.patience.given().or(self.limit).unwrap_or_else(|| self.patience.limit())
    }

    /// Runs the command on `candidate`. `wanted` is the number of bytes kept of each output in addition to
    /// those that the matcher needs.
    pub(super) fn run_once(
        &self,
        candidate: &[u8],
        unwanted: &dyn Fn() -> bool,
        wanted: u64,
    ) -> Result<CommandRun, Error> {
        if unwanted() {
            return Err(Error::Interrupted);
        }
        let run = shortage::wait_out(&self.shortage, unwanted, || match &self.helper {
            Some(helper) => self.run_by_warden(helper, candidate, unwanted, wanted),
            None => self.run_here(candidate, unwanted, wanted),
        })?;
        if run.status != Status::TimedOut {
            self.patience.took(run.elapsed, self.shape.is_kept());
        }
        if let Some(observer) = &self.observer {
            observer.ran(candidate, &run);
        }
        Ok(run)
    }

    fn run_by_warden(
        &self,
        helper: &Helper,
        candidate: &[u8],
        unwanted: &dyn Fn() -> bool,
        wanted: u64,
    ) -> Result<CommandRun, Error> {
        let place = self.place(candidate);
        self.pool.probe(
            |root| self.warden(helper, root),
            &place,
            unwanted,
            &self.pause,
            |answer, outputs| {
                let status = self.status(answer)?;
                let run = self.read(status, answer.elapsed, Some((outputs, answer.written)), wanted)?;
                Ok(CommandRun { is_lost: answer.ending.is_lost(), ..run })
            },
        )
    }

    /// Starts a process in advance for a later candidate.
    pub(super) fn start_ahead(&self) -> Result<Option<Status>, Error> {
        let Some(helper) = &self.helper else { return Ok(None) };
        let unwanted = || self.stop.load(Ordering::Relaxed);
        let place = self.place(&[]);
        let start = |root: &Paths| self.warden(helper, root);
        if place.is_asked_once {
            shortage::wait_out(&self.shortage, &unwanted, || self.pool.begin_server(start, &place))?;
            return Ok(None);
        }
        let ending = shortage::wait_out(&self.shortage, &unwanted, || {
            self.pool.get_ready(start, &place, unwanted, &self.pause)
        })?;
        if ending == Ending::Waits {
            return Ok(None);
        }
        self.status(Answer { ending, elapsed: Duration::ZERO, written: [0; 2] }).map(Some)
    }

    fn place<'p>(&'p self, candidate: &'p [u8]) -> Place<'p> {
        Place {
            content: self.content(candidate),
            is_kept: self.shape.is_kept(),
            is_prestarted: self.kind == Kind::Prestarted,
            is_asked_once: self.kind == Kind::ServerForOne,
            work_root: &self.work_root,
            limit: self.current_limit(),
        }
    }

    /// Returns the setup of a warden whose directory has these paths.
    fn warden(&self, helper: &Helper, root: &Paths) -> (Helper, Setup) {
        let (program, arguments) = self.words_in(root.work());
        let outputs = [root.stdout(), root.stderr()];
        let directory = match &self.in_place {
            Some((directory, _)) => directory.clone(),
            None => self.surroundings.directory_in(root.work()),
        };
        let outputs = outputs.each_ref().map(PathBuf::as_path);
        let server = self.kind.is_server().then(|| {
            let is_asked_once = self.kind == Kind::ServerForOne;
            Places::new(&self.paths(root.work()), &directory, outputs).asked_once(is_asked_once)
        });
        let setup = Setup {
            root: root.path().to_owned(),
            directory,
            program,
            arguments,
            limits: self.limits,
            confinement: self.confinement.clone(),
            tracing: self.tracing.clone(),
            replaced: self.replaced.clone(),
            scratch: self.tracing.as_ref().and_then(|tracing| tracing.undone.clone()),
            seen: self.seen(),
            has_home: self.surroundings.home.is_some(),
            is_prestarted: self.kind == Kind::Prestarted,
            server,
        };
        (helper.clone(), setup)
    }

    /// Returns the files and directories that the command names. They stay visible in hidden directories.
    fn seen(&self) -> Vec<PathBuf> {
        if self.confinement.hidden.is_empty() {
            return Vec::new();
        }
        let words = [&self.program].into_iter().chain(&self.arguments).map(PathBuf::from);
        let links = self.surroundings.links.iter().map(|(_, to)| to.clone());
        let here = self.in_place.iter().map(|(directory, _)| directory.clone());
        words.filter(|word| word.is_absolute()).chain(links).chain(here).collect()
    }

    fn content<'c>(&'c self, candidate: &'c [u8]) -> Content<'c> {
        Content {
            name: &self.name,
            candidate,
            mode: self.mode.as_ref(),
            layout: self.shape.layout(),
            surroundings: &self.surroundings,
        }
    }

    /// Translates a warden's answer into a status.
    fn status(&self, answer: Answer) -> Result<Status, Error> {
        let is_full = self.limits.output.is_some_and(|most| answer.written.iter().any(|&n| n >= most));
        Ok(match answer.ending {
            Ending::Signal(signal) | Ending::LostSignal(signal) if signal == Signal::XFSZ.as_raw() => {
                Status::OverLimit(Limit::Output)
            }
            Ending::Signal(signal) | Ending::LostSignal(signal)
                if self.limits.cpu.is_some() && signal == Signal::XCPU.as_raw() =>
            {
                Status::OverLimit(Limit::Cpu)
            }
            Ending::Exit(_) | Ending::Signal(_) | Ending::LostExit(_) | Ending::LostSignal(_) if is_full => {
                Status::OverLimit(Limit::Output)
            }
            Ending::Exit(status) | Ending::LostExit(status) => Status::Exit(status),
            Ending::Signal(signal) | Ending::LostSignal(signal) => Status::Signal(signal),
            Ending::Told(verdict) => Status::Told(verdict),
            Ending::Nonsense => Status::Told(Verdict::Unresolved(Cause::Test)),
            Ending::TimedOut => Status::TimedOut,
            Ending::TooMany => Status::OverLimit(Limit::Processes),
            // The last two never answer a probe.
            Ending::Stopped | Ending::Waits | Ending::Gone => return Err(Error::Interrupted),
            Ending::NoStart(error) => {
                return Err(self.failure(Failure::Start(io::Error::from_raw_os_error(error))));
            }
            Ending::NoDirectory(error) => {
                return Err(Error::directory(&self.work_root)(io::Error::from_raw_os_error(error)));
            }
            Ending::NoWait(error) => {
                return Err(self.failure(Failure::Wait(io::Error::from_raw_os_error(error))));
            }
        })
    }

    /// Runs the command without a warden.
    fn run_here(
        &self,
        candidate: &[u8],
        unwanted: &dyn Fn() -> bool,
        wanted: u64,
    ) -> Result<CommandRun, Error> {
        let in_root = || Error::directory(&self.work_root);
        let work_root = self.work_root.canonicalize().map_err(in_root())?;
        let root = Root::make(Paths::plan(&work_root)).map_err(in_root())?;
        let _lab = root.begin(self.content(candidate)).map_err(in_root())?;
        let outputs = root.outputs().map_err(in_root())?;
        let paths = root.paths();
        let (program, arguments) = self.words_in(paths.work());
        let duplicate = |file: &File| file.try_clone().map(Stdio::from).map_err(in_root());
        let directory = self.surroundings.directory_in(paths.work());
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&directory).env("PWD", &directory).env("TMPDIR", paths.tmp());
        command.stdin(Stdio::null()).stdout(duplicate(&outputs[0])?).stderr(duplicate(&outputs[1])?);
        command.process_group(0);

        let rules = Rules { limit: self.current_limit(), cpu: None, reaps: false };
        let mut flags = Flags { unwanted, running: self.pause.run() };
        let (ending, elapsed) =
            process::run(&mut command, rules, &mut flags).map_err(|failure| self.failure(failure))?;
        let status = match ending {
            process::ProcessEnd::Ended(status) => match (status.code(), status.signal()) {
                (Some(code), _) => Status::Exit(code),
                (None, signal) => Status::Signal(signal.unwrap_or_default()),
            },
            process::ProcessEnd::TimedOut => Status::TimedOut,
            process::ProcessEnd::Stopped | process::ProcessEnd::TooMany => return Err(Error::Interrupted),
        };
        let length = |file: &File| file.metadata().map(|found| found.len()).map_err(in_root());
        let written = [length(&outputs[0])?, length(&outputs[1])?];
        self.read(status, elapsed, Some(([&outputs[0], &outputs[1]], written)), wanted)
    }

    /// Reads the required parts of the outputs and determines the verdict. If `wanted` is at most [`TAIL`],
    /// an excerpt of each output is kept; otherwise its end.
    fn read(
        &self,
        status: Status,
        elapsed: Duration,
        outputs: Option<([&File; 2], [u64; 2])>,
        wanted: u64,
    ) -> Result<CommandRun, Error> {
        let has_excerpt = wanted > 0 || self.protocol.reads_messages();
        let bound = self.protocol.reads().max(if wanted > TAIL { wanted } else { 0 });
        let (mut ends, mut excerpts) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        if let Some((files, lengths)) = outputs {
            for at in 0..files.len() {
                let in_root = || Error::directory(&self.work_root);
                ends[at] = work_directory::tail(files[at], lengths[at], bound).map_err(in_root())?;
                if has_excerpt {
                    excerpts[at] = excerpt::read(files[at], lengths[at], &self.reader).map_err(in_root())?;
                }
            }
        }
        let verdict = self.protocol.judge_parts(
            status,
            &self.reader,
            [&ends[0], &ends[1]],
            [&excerpts[0], &excerpts[1]],
        );
        let [stdout, stderr] = if wanted > TAIL || !has_excerpt { ends } else { excerpts };
        Ok(CommandRun { verdict, status, stdout, stderr, elapsed, is_lost: false })
    }

    /// Returns the paths of a candidate in the directory `work`.
    fn paths(&self, work: &Path) -> Vec<PathBuf> {
        let work = self.surroundings.candidate_in(work);
        match (&self.in_place, &self.shape) {
            (Some((_, paths)), _) if !paths.is_empty() => paths.clone(),
            (_, Shape::File | Shape::Folder) => vec![work.join(&self.name)],
            (_, Shape::Files(names)) => names.iter().map(|name| work.join(name)).collect(),
            (_, Shape::Tree { .. }) => vec![work],
        }
    }

    /// Returns the program and its arguments for a candidate in the directory `work`.
    pub(super) fn words_in(&self, work: &Path) -> (OsString, Vec<OsString>) {
        let paths = self.paths(work);
        let filled = |word: &OsString| {
            let is_all = paths.len() > 1 && word.as_bytes() == PLACEHOLDER;
            if is_all { paths.iter().map(OsString::from).collect() } else { vec![fill(word, &paths)] }
        };
        let mut arguments: Vec<_> = self.arguments.iter().flat_map(filled).collect();
        if self.appends_path() && !self.kind.is_server() {
            arguments.extend(paths.iter().map(OsString::from));
        }
        (fill(&self.program, &paths), arguments)
    }

    fn failure(&self, failure: Failure) -> Error {
        let program = PathBuf::from(&self.program);
        match failure {
            Failure::Start(source) => Error::start(&program, source),
            Failure::Wait(source) => Error::Wait { program, source },
        }
    }
}

impl Oracle for CommandOracle {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, NoVerdict> {
        self.probe_unless(candidate, &AtomicBool::new(false))
    }

    fn probe_unless(&self, candidate: &[u8], cancelled: &AtomicBool) -> Result<Verdict, NoVerdict> {
        Ok(self.run_unless(candidate, cancelled)?.verdict)
    }
}

/// The watch of a process that runs without a warden.
struct Flags<'f> {
    unwanted: &'f dyn Fn() -> bool,
    running: Running<'f>,
}

impl Watch for Flags<'_> {
    fn tick(&self) -> Duration {
        TICK
    }

    fn look(&mut self, _: Pid, _: [bool; 2]) -> io::Result<Look> {
        if (self.unwanted)() {
            return Ok(Look::Stop);
        }
        self.running.changes();
        Ok(if self.running.is_held() { Look::Hold } else { Look::GoOn })
    }
}
