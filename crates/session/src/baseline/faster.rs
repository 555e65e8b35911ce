//! The choice of who answers in place of a process that is started for each candidate: servers, processes that were started
//! before the candidate was there, and those of a Java virtual machine that starts in less time.
//!
//! The words of servers are made in `serve`. Whoever answers here is compared with fresh processes of the command.

use super::Baseline;
use crate::serve;
use crate::settings::{Serving, Settings};
use nubbin_oracle::{CommandOracle, CommandRun, LastingDirectory, Served, Status};
use nubbin_search::schedule::at_once;
use nubbin_serve::{JAVA_COMPILER, JavaCommand};
use std::time::Duration;

/// The note about a command that runs in a Java virtual machine.
const FASTER: &str = "note: the Java virtual machine starts with an archive of its classes and its first compiler alone; \
                               `--no-server` runs it as it is";
/// The note about a compiler of Java.
const SERVED: &str = "note: the compiler is loaded once, and asked about one candidate after the other; \
                      `--no-server` starts it anew each time";
/// The status of a compiler of Java that has run out of memory or of stack.
const OUT_OF_RESOURCES: Status = Status::Exit(3);
/// The name of the file with the server's program.
const PROGRAM: &str = "Javac.java";
/// The name of the archive.
const ARCHIVE: &str = "classes.jsa";

/// Whoever answers in place of a process that is started as the command says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answering {
    /// Servers.
    Servers,
    /// Processes that were started before their candidates were there.
    Ahead,
    /// Processes that start in less time.
    Faster,
}

/// The numbers that were tuned.
struct Tuning {
    /// A machine that is to start in less time may take so many percent of the time of one that starts as it is: two
    /// runs are never alike.
    most_percent: u32,
    /// A run that takes longer than this spends little of it on its start.
    longest: Duration,
}

const TUNING: Tuning = Tuning { most_percent: 125, longest: Duration::from_secs(10) };

impl Baseline<'_> {
    /// Has servers answer from now on, where the settings have one or one can be made of the command. Returns a note
    /// about it.
    pub fn serve(&mut self, settings: &Settings) -> Option<&'static str> {
        let note = self.choose(settings);
        // What servers say is compared with fresh processes in the run that has asked them, and nowhere else.
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
                // All of them get ready at once.
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
        // All of them get ready at once.
        let runs = at_once(settings.jobs, |_| servers.run(self.input));
        if !runs.into_iter().all(|run| run.is_ok_and(|run| run.verdict.is_interesting())) {
            return Some("note: the command cannot be served: it says something else then");
        }
        self.served = Some(Served::new(servers, Some(self.oracle.clone())));
        Some(
            "note: the command is loaded once, and run in a copy for each candidate; `--no-server` starts it anew each time",
        )
    }

    /// Has processes answer that were started before their candidates were there, if the test can be run so.
    fn start_ahead(&mut self, settings: &Settings, number: usize) {
        let ahead = serve::ahead(settings, number, &self.oracle).and_then(|ahead| {
            let runs = at_once(settings.jobs, |_| ahead.run(self.input));
            let is_so = runs.into_iter().all(|run| run.is_ok_and(|run| run.verdict.is_interesting()));
            if is_so {
                Ok(ahead)
            } else {
                Err(Some("it says something else of the unchanged input then".to_owned()))
            }
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
                    "note: `{label}` cannot be started ahead: {why}; there is a process for each run"
                ));
            }
        }
    }

    /// Has a Java virtual machine answer that stays, or one that starts in less time, if the command is one and says the
    /// same then. Returns a note about it.
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

    /// Makes servers of a compiler, if they say of the unchanged input what it says. How deep a text may nest depends on
    /// how long a machine has run, so a failure about that is left to the compiler itself.
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
        // All of them get ready at once.
        let runs = at_once(settings.jobs, |_| servers.run(self.input));
        let is_fit = |run: &CommandRun| run.verdict.is_interesting() && run.status != OUT_OF_RESOURCES;
        runs.into_iter().all(|run| run.is_ok_and(|run| is_fit(&run))).then_some(servers)
    }

    /// Makes an archive of the classes that the command loads on the unchanged input, and an oracle that uses it; one
    /// without an archive where none can be made.
    fn faster(
        &self,
        settings: &Settings,
        command: &JavaCommand<'_>,
        lasting: &LastingDirectory,
    ) -> Option<CommandOracle> {
        let archive = lasting.path().join(ARCHIVE);
        let mut confinement = settings.bounds.confinement.clone();
        confinement.writable.push(lasting.path().to_owned());
        // What it comes to does not count, but it is a run like any other.
        let making = serve::of_words(&self.oracle, &command.making(&archive))?.confinement(confinement);
        if making.run(self.input).ok()?.elapsed > TUNING.longest {
            return None;
        }
        let archive = Some(archive.as_path()).filter(|archive| archive.is_file());
        serve::of_words(&self.oracle, &command.faster(archive))
    }
}
