//! Collects and runs the tests of a binary like libtest, but a running test can report that it cannot run
//! here.
//!
//! `#[apply(test)]` in front of a function replaces `#[test]`, which has no effect without Cargo's harness. A
//! test whose tool is missing calls [`ignore`], and is shown as ignored with the reason. The output of tests
//! is not captured, so tests print nothing.

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::any::Any;
use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind, set_hook, take_hook};

/// One test of this binary.
pub struct Test {
    /// The module of the test, with the name of the binary in front.
    pub module: &'static str,
    /// The name of its function.
    pub name: &'static str,
    /// The function to run.
    pub run: fn(),
}

inventory::collect!(Test);

/// Turns a function into a test: `#[apply(test)]`.
macro_rules! test {
    ($(#[$attribute:meta])* fn $name:ident() $body:block) => {
        $(#[$attribute])*
        fn $name() $body

        inventory::submit! {
            crate::harness::Test { module: module_path!(), name: stringify!($name), run: $name }
        }
    };
}

/// The reason why a test cannot run here.
struct Ignored(String);

thread_local! {
    /// The message and the location of a panic in the test of this thread; `None` if no test is running on
    /// it.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Ends the test that calls this. The test is shown as ignored, with this reason, which names the missing tool.
pub fn ignore(reason: impl Into<String>) -> ! {
    resume_unwind(Box::new(Ignored(reason.into())))
}

/// Creates a test with a custom name, for tests that are defined by data.
pub fn trial(name: impl Into<String>, run: impl FnOnce() + Send + 'static) -> Trial {
    Trial::ignorable_test(name, move || outcome(run))
}

/// Runs the collected tests and those in `more`, and ends the process.
pub fn main(more: Vec<Trial>) -> ! {
    let mut arguments = Arguments::from_args();
    let threads = std::env::var("RUST_TEST_THREADS").ok().and_then(|number| number.parse().ok());
    // Tests mostly wait for processes, so two threads for each processor save a quarter of the time.
    let twice = std::thread::available_parallelism().map(|number| 2 * number.get()).ok();
    arguments.test_threads = arguments.test_threads.or(threads).or(twice);
    keep_panics();
    let mut tests: Vec<Trial> = inventory::iter::<Test>().map(|test| trial(test.path(), test.run)).collect();
    tests.extend(more);
    tests.sort_by(|one, other| one.name().cmp(other.name()));
    libtest_mimic::run(&arguments, tests).exit()
}

impl Test {
    /// Returns the name of the test in the form of libtest.
    fn path(&self) -> String {
        match self.module.split_once("::") {
            Some((_, module)) => format!("{module}::{}", self.name),
            None => self.name.to_owned(),
        }
    }
}

/// Runs a test, and returns its outcome.
fn outcome(run: impl FnOnce()) -> Result<Completion, Failed> {
    PANIC.set(Some(String::new()));
    let result = catch_unwind(AssertUnwindSafe(run));
    let said = PANIC.take().unwrap_or_default();
    match result {
        Ok(()) => Ok(Completion::Completed),
        Err(payload) => match payload.downcast::<Ignored>() {
            Ok(ignored) => Ok(Completion::ignored_with(ignored.0)),
            Err(payload) => Err(failed(said, payload.as_ref())),
        },
    }
}

/// Returns the displayed text of a failed test. If another thread panicked, this thread has no message.
fn failed(said: String, payload: &(dyn Any + Send)) -> Failed {
    let text = payload.downcast_ref::<String>().cloned();
    let text = text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    match text {
        Some(text) if said.is_empty() => text.into(),
        _ => said.into(),
    }
}

/// Stores the messages of panics in tests for the list of failures. Panics of other threads are printed
/// immediately.
fn keep_panics() {
    let others = take_hook();
    set_hook(Box::new(move |panic| {
        let is_of_test = PANIC.with_borrow_mut(|said| {
            let Some(said) = said else { return false };
            *said = panic.to_string();
            if std::env::var_os("RUST_BACKTRACE").is_some_and(|wanted| wanted == "full") {
                let _ = write!(said, "\n{}", Backtrace::force_capture());
            }
            true
        });
        if !is_of_test {
            others(panic);
        }
    }));
}

#[apply(test)]
fn every_test_of_this_binary_is_collected() {
    let name = module_path!().split("::").next().expect("the name of the binary");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    for entry in std::fs::read_dir(folder).expect("it is there").flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("sources are flat");
        let has_dead = text.lines().any(|line| line.trim() == "#[test]");
        assert!(!has_dead, "a `#[test]` in {} is never run: write `#[apply(test)]`", entry.path().display());
    }
}
