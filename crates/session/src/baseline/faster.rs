//! Chooses a faster way to run the command: servers, processes started in advance, or a Java virtual machine with a
//! shorter start-up.
//!
//! The module `serve` creates the arguments of servers. Answers of the faster way are compared with those of new
//! processes.

use super::Baseline;
use crate::serve;
use crate::settings::{Serving, Settings};
use nubbin_oracle::{CommandOracle, CommandRun, LastingDirectory, Served, Status};
use nubbin_search::schedule::at_once;
use nubbin_serve::{JAVA_COMPILER, JavaCommand};
use std::time::Duration;

const FASTER: &str = "note: the Java virtual machine is started with an archive of its classes and only its first compiler; \
                               `--server none` runs the command unchanged";
const SERVED: &str = "note: the Java compiler stays loaded and compiles one candidate after the other; \
                      `--server none` starts a new process each time";
/// The exit status of a Java compiler that has run out of memory or stack.
const OUT_OF_RESOURCES: Status = Status::Exit(3);
const PROGRAM: &str = "Javac.java";
const ARCHIVE: &str = "classes.jsa";

/// How probes are answered without starting a process in the usual way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answering {
    /// By servers.
    Servers,
    /// By processes that were started before the candidate existed.
    Ahead,
    /// By processes with a shorter start-up.
    Faster,
}

/// Tuned parameters.
struct Tuning {
    /// The largest run time of the faster virtual machine, in percent of the usual run time. It is above 100 because
    /// run times vary.
    most_percent: u32,
    /// A longer run spends only a small part of its time on start-up.
    longest: Duration,
}

const TUNING: Tuning = Tuning { most_percent: 125, longest: Duration::from_secs(10) };

impl Baseline<'_> {
    /// Starts to use servers, where the settings name one or one can be derived from the command. Returns a note
    /// about the choice.
    pub fn serve(&mut self, settings: &Settings) -> Option<&'static str> {
        let note = self.choose(settings);
        // The answers of servers are compared with new processes within one run only, so they are not shared.
        if self.served.is_some()
            && let Some(sharing) = self.sharing.take()
        {
            sharing.close();
        }
        note
    }

    fn choose(&mut self, settings: &Settings) -> Option<&'static str> {
        if !settings.test.is_server() && !settings.control.affords(self.longest) {
            return None;
        }
        if settings.test.is_server() && settings.flaky.is_some() {
            return None;
        }
        if settings.test.is_server() {
            if settings.jobs > 1 {
                // All servers start at the same time.
                let _ = at_once(settings.jobs, |_| self.oracle.run(self.input));
            }
            let served = Served::new(self.oracle.clone(), None);
            served.get_ready();
            self.served = Some(served);
            return None;
        }
        if let Serving::Ahead(number) = settings.test.serving {
            self.start_ahead(settings, number);
            return None;
        }
        if let Some(note) = self.hasten(settings) {
            return Some(note);
        }
        let servers = serve::servers(settings, &self.oracle)?;
        // All servers start at the same time.
        let runs = at_once(settings.jobs, |_| servers.run(self.input));
        if !runs.into_iter().all(|run| run.is_ok_and(|run| run.verdict.is_interesting())) {
            return Some(
                "note: a new process is started for each candidate: the command's result differs when it stays loaded",
            );
        }
        self.served = Some(Served::new(servers, Some(self.oracle.clone())));
        Some(
            "note: the command is loaded once and copied for each candidate; `--server none` starts a new process each time",
        )
    }

    /// Starts to use processes started in advance, if the test allows it.
    fn start_ahead(&mut self, settings: &Settings, number: usize) {
        let ahead = serve::ahead(settings, number, &self.oracle).and_then(|ahead| {
            let runs = at_once(settings.jobs, |_| ahead.run(self.input));
            let is_so = runs.into_iter().all(|run| run.is_ok_and(|run| run.verdict.is_interesting()));
            if is_so { Ok(ahead) } else { Err(Some("its result on the unchanged input differs".to_owned())) }
        });
        match ahead {
            Ok(ahead) => {
                self.served = Some(Served::new(ahead, Some(self.oracle.clone())));
                self.answering = Answering::Ahead;
            }
            Err(None) => {}
            Err(Some(why)) => {
                let label = &settings.test.label;
                settings.voice.say(&format!(
                    "note: `{label}` cannot be started in advance: {why}; a new process is started for each run"
                ));
            }
        }
    }

    /// Starts to use a Java virtual machine that stays loaded or starts faster, if the command is one and its result
    /// is the same. Returns a note about the choice.
    fn hasten(&mut self, settings: &Settings) -> Option<&'static str> {
        let words = serve::words(settings, &self.oracle)?;
        let command = JavaCommand::new(&words)?;
        let lasting = self.oracle.lasting_directory().ok()?;
        if let Some(servers) = self.compiler(settings, &command, &lasting) {
            self.served = Some(Served::new(servers, Some(self.oracle.clone())));
            self.lasting = Some(lasting);
            return Some(SERVED);
        }
        let faster = self.faster(settings, &command, &lasting)?;
        let both = [&self.oracle, &faster];
        let runs: Vec<CommandRun> = if settings.jobs > 1 {
            at_once(2, |at| both[at].run(self.input)).into_iter().flatten().collect()
        } else {
            both.into_iter().flat_map(|oracle| oracle.run(self.input)).collect()
        };
        let [plain, run] = &runs[..] else { return None };
        let is_same = run.verdict.is_interesting() && run.status == plain.status;
        if !is_same || run.elapsed * 100 > plain.elapsed * TUNING.most_percent {
            return None;
        }
        self.served = Some(Served::new(faster, Some(self.oracle.clone())));
        self.answering = Answering::Faster;
        self.lasting = Some(lasting);
        Some(FASTER)
    }

    /// Creates servers of a Java compiler, if their result on the unchanged input is the same. The possible nesting
    /// depth depends on how long a virtual machine has been running, so failures about it are left to new processes.
    fn compiler(
        &self,
        settings: &Settings,
        command: &JavaCommand<'_>,
        lasting: &LastingDirectory,
    ) -> Option<CommandOracle> {
        let program = lasting.path().join(PROGRAM);
        let words = command.server(&program, |word| serve::is_candidate(settings, word))?;
        std::fs::write(&program, JAVA_COMPILER).ok()?;
        let servers = serve::of_words(&self.oracle, &words)?.server(true);
        // All servers start at the same time.
        let runs = at_once(settings.jobs, |_| servers.run(self.input));
        let is_fit = |run: &CommandRun| run.verdict.is_interesting() && run.status != OUT_OF_RESOURCES;
        runs.into_iter().all(|run| run.is_ok_and(|run| is_fit(&run))).then_some(servers)
    }

    /// Creates an archive of the classes that the command loads on the unchanged input, and an oracle that uses it.
    /// If no archive can be made, the oracle has the other options only.
    fn faster(
        &self,
        settings: &Settings,
        command: &JavaCommand<'_>,
        lasting: &LastingDirectory,
    ) -> Option<CommandOracle> {
        let archive = lasting.path().join(ARCHIVE);
        let mut confinement = settings.bounds.confinement.clone();
        confinement.writable.push(lasting.path().to_owned());
        // The result is ignored.
        let making = serve::of_words(&self.oracle, &command.making(&archive))?.confinement(confinement);
        if making.run(self.input).ok()?.elapsed > TUNING.longest {
            return None;
        }
        let archive = Some(archive.as_path()).filter(|archive| archive.is_file());
        serve::of_words(&self.oracle, &command.faster(archive))
    }
}
