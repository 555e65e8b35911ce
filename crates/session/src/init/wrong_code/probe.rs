//! Finds the options that a compiler accepts, by compiling a trivial program with each.

use super::compiler::Compiler;
use crate::baseline;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::stop::Stop;
use nubbin_oracle::{Protocol, Surroundings};
use std::time::Duration;

const NOTHING: &[u8] = b"int main(void) {\n  return 0;\n}\n";
/// The time limit for all options of a compiler together.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs shell scripts on the program, like all other commands.
pub struct Probe<'p> {
    pub settings: &'p Settings,
    pub interrupt: &'p Stop,
}

impl Probe<'_> {
    /// Returns the options with which the program compiles without a warning.
    pub fn compiling(&self, compiler: &Compiler, options: &[String]) -> Result<Vec<String>, Failure> {
        let test = format!("{} -Werror $option -fsyntax-only", compiler.shell());
        self.passing(&test, options)
    }

    /// Returns the options with which the program is built and runs.
    pub fn running(&self, compiler: &Compiler, options: &[String]) -> Result<Vec<String>, Failure> {
        let test = format!("{} -Werror $option -o ./probed && ./probed", compiler.shell());
        self.passing(&test, options)
    }

    fn passing(&self, test: &str, options: &[String]) -> Result<Vec<String>, Failure> {
        let lines: Vec<String> =
            options.iter().map(|option| format!("option='{option}'; {test} && echo \"$option\"\n")).collect();
        let script = format!("exec 2>/dev/null\n{}:\n", lines.concat());
        let words = ["sh", "-c", &script, "sh", "{}"].map(Into::into);
        let name = self.settings.input.path(&self.settings.language);
        let oracle =
            baseline::command(self.settings, &words, &name, &Surroundings::default(), self.interrupt);
        let run = oracle.protocol(Protocol::Script).limit(LIMIT).run(NOTHING)?;
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        Ok(options.iter().filter(|option| said.lines().any(|line| line == *option)).cloned().collect())
    }
}
