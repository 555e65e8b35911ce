//! The findings about an oracle, as text.

use std::fmt::Write;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// A reduction would have a wrong result.
    Wrong,
    /// It is possibly a mistake.
    Doubt,
    /// It can be improved.
    Tip,
}

impl Severity {
    fn name(self) -> &'static str {
        match self {
            Self::Wrong => "wrong",
            Self::Doubt => "doubt",
            Self::Tip => "tip",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Finding {
    level: Severity,
    seen: String,
    why: String,
    fix: String,
    by_hand: Option<String>,
}

impl Finding {
    /// Creates a finding. `seen` is the observation, `why` the reason why it matters, and `fix` the remedy; all
    /// without a final period.
    pub fn new(
        level: Severity,
        seen: impl Into<String>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { level, seen: seen.into(), why: why.into(), fix: fix.into(), by_hand: None }
    }

    /// Adds a shell command that demonstrates the finding.
    pub fn by_hand(mut self, command: Option<String>) -> Self {
        self.by_hand = command;
        self
    }

    fn text(&self) -> String {
        let mut text = format!("{:<6} {}\n", self.level.name(), self.seen);
        let by_hand = self.by_hand.clone().unwrap_or_default();
        for (what, said) in [("why:", &self.why), ("fix:", &self.fix), ("see:", &by_hand)] {
            if !said.is_empty() {
                let _ = writeln!(text, "       {what} {said}");
            }
        }
        text
    }
}

#[derive(Debug, Default)]
pub struct Report {
    fine: Vec<String>,
    unknown: Vec<String>,
    findings: Vec<Finding>,
}

impl Report {
    /// Adds a fact that needs no change.
    pub fn fine(&mut self, fact: impl Into<String>) {
        self.fine.push(fact.into());
    }

    /// Adds a check that could not be made, and the reason.
    pub fn unknown(&mut self, what: impl Into<String>) {
        self.unknown.push(what.into());
    }

    /// Adds findings.
    pub fn add(&mut self, finding: impl IntoIterator<Item = Finding>) {
        self.findings.extend(finding);
    }

    /// Returns whether a reduction would have a wrong result.
    pub fn is_wrong(&self) -> bool {
        self.count(Severity::Wrong) > 0
    }

    pub fn count_all(&self) -> usize {
        self.findings.len()
    }

    fn count(&self, level: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.level == level).count()
    }

    /// Returns the report as text: facts that need no change, then findings with the most severe first, then open
    /// checks.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for fact in &self.fine {
            let _ = writeln!(text, "fine   {fact}");
        }
        for level in [Severity::Wrong, Severity::Doubt, Severity::Tip] {
            let of_level = self.findings.iter().filter(|finding| finding.level == level);
            text.extend(of_level.map(Finding::text));
        }
        for what in &self.unknown {
            let _ = writeln!(text, "unknown {what}");
        }
        text
    }

    /// Returns the findings alone, the most severe first.
    pub fn findings(&self) -> String {
        Self { findings: self.findings.clone(), ..Self::default() }.text()
    }

    /// Returns a one-line summary.
    pub fn verdict(&self) -> String {
        let counted = |level, one: &str, more: &str| match self.count(level) {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {more}")),
        };
        let parts = [
            counted(
                Severity::Wrong,
                "problem would make a reduction wrong",
                "problems would make a reduction wrong",
            ),
            counted(Severity::Doubt, "doubt", "doubts"),
            counted(Severity::Tip, "tip", "tips"),
            match self.unknown.len() {
                0 => None,
                1 => Some("1 check without a result".to_owned()),
                count => Some(format!("{count} checks without a result")),
            },
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let nothing = if self.is_wrong() { "" } else { "nothing is wrong with this test" };
        let all: Vec<&str> = Some(nothing)
            .filter(|text| !text.is_empty())
            .into_iter()
            .chain(parts.iter().map(String::as_str))
            .collect();
        format!("verdict: {}\n", all.join(", "))
    }
}
