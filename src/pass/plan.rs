//! Which pass runs when.

use super::{
    Pass, byte, comment, delete, hoist, line, number, rule, space, substitute, text, token, window, word,
};

/// All passes, in the order of the plan.
const PASSES: &[Pass] = &[
    Pass { name: "comment", about: "comments go", propose: comment::propose },
    Pass { name: "delete", about: "list members and optional parts go", propose: delete::propose },
    Pass { name: "rule", about: "the language's own rewrites", propose: rule::propose },
    Pass { name: "hoist", about: "a node becomes a descendant that fits", propose: hoist::propose },
    Pass { name: "word", about: "words of texts and strings go", propose: word::propose },
    Pass {
        name: "substitute",
        about: "a node becomes a smaller one of its kind that stands elsewhere",
        propose: substitute::propose,
    },
    Pass { name: "number", about: "numbers become smaller", propose: number::propose },
    Pass {
        name: "text",
        about: "words of texts and strings become single characters",
        propose: text::propose,
    },
    Pass { name: "token", about: "single tokens and pairs of brackets go", propose: token::propose },
    Pass { name: "line", about: "lines go", propose: line::propose },
    Pass { name: "byte", about: "bytes go", propose: byte::propose },
    Pass {
        name: "window",
        about: "a few windows of tokens go, where the grammar allows it",
        propose: window::some,
    },
    Pass {
        name: "windows",
        about: "all windows of tokens go, where the grammar allows it",
        propose: window::all,
    },
    Pass { name: "cut", about: "up to four consecutive tokens go, well formed or not", propose: window::cut },
    Pass { name: "space", about: "blank lines and blanks at ends of lines go", propose: space::tidy },
    Pass { name: "squeeze", about: "all blanks go that keep no tokens apart", propose: space::squeeze },
];

/// All passes.
pub fn all() -> impl Iterator<Item = &'static Pass> {
    PASSES.iter()
}

/// The pass of this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}

/// Passes in tiers: the passes of a tier take turns until none of them finds anything; then comes the next
/// tier, and whenever a later one finds something, the first one has its turn again.
#[derive(Clone, Debug)]
pub struct Plan {
    tiers: Vec<Vec<&'static Pass>>,
    /// For each pass, the revision of the best on which it last found nothing.
    dry: Vec<(&'static str, u64)>,
    last: &'static str,
}

impl Plan {
    /// The plan for an input whose language is known (`tree`) or not; `compact` squeezes its blanks in the end.
    ///
    /// # Panics
    /// Never: it names passes that exist.
    #[must_use]
    pub fn new(tree: bool, compact: bool) -> Self {
        // Tokens come after blanks: whatever changes later makes the sweep try every token once more.
        let mut tiers: Vec<&[&str]> = if tree {
            vec![
                &["delete", "comment", "rule", "hoist"],
                &["word"],
                &["substitute"],
                &["space"],
                &["number", "text"],
                &["token", "line"],
                &["byte"],
                &["window"],
            ]
        } else {
            vec![&["line"], &["token"], &["byte"]]
        };
        if compact && tree {
            tiers.push(&["squeeze"]);
        }
        let pass = |name: &&str| by_name(name).expect("the plan names passes that exist");
        let tiers = tiers.into_iter().map(|tier| tier.iter().map(pass).collect()).collect();
        Self { tiers, dry: Vec::new(), last: "" }
    }

    /// The pass to run on this revision of the best; `None` when all of them are dry on it.
    pub fn next(&mut self, revision: u64) -> Option<&'static Pass> {
        let dry = |pass: &Pass| self.dry.contains(&(pass.name, revision));
        for tier in &self.tiers {
            let after = tier.iter().position(|pass| pass.name == self.last).map_or(0, |at| at + 1);
            let turn = tier[after..].iter().chain(&tier[..after]).find(|pass| !dry(pass));
            if let Some(pass) = turn {
                self.last = pass.name;
                return Some(pass);
            }
        }
        None
    }

    /// Notes that a pass found nothing on this revision of the best.
    pub fn dry(&mut self, pass: &'static str, revision: u64) {
        self.dry.retain(|(name, _)| *name != pass);
        self.dry.push((pass, revision));
    }
}
