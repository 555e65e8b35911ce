//! Reads the source files of an answer.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The lines of source files.
#[derive(Debug, Default)]
pub struct Sources(HashMap<PathBuf, Vec<String>>);

impl Sources {
    /// The lines of a file; empty if it cannot be read.
    pub fn lines(&mut self, file: &Path) -> &[String] {
        self.0.entry(file.to_owned()).or_insert_with(|| {
            let text = fs::read(file).unwrap_or_default();
            String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
        })
    }

    /// A line of a file, without its indentation; empty if it does not exist.
    pub fn line(&mut self, file: &Path, line: u32) -> String {
        let lines = self.lines(file);
        lines.get((line as usize).wrapping_sub(1)).map_or_else(String::new, |line| line.trim().to_owned())
    }
}
