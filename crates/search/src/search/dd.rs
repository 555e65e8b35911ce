//! dd: a 1-minimal difference between a passing and a failing configuration.

use super::ddmin::key;
use super::{Search, subtract};
use crate::{Cause, Verdict};
use std::ops::Range;
use std::sync::Arc;

/// dd (Zeller and Hildebrandt, TSE 2002, section 5): reduces the failing configuration and extends the
/// passing one until their difference is 1-minimal.
///
/// The search holds the failing configuration and asks about configurations between the two: the passing one
/// *with* a part of the difference, or the failing one *without* it. An interesting verdict means that the
/// configuration fails, an uninteresting one that it passes. The test must therefore distinguish unresolved
/// outcomes from passing ones. No configuration is tested twice.
///
/// In the result, no single item of the difference can be added to the passing configuration so that it still
/// passes, or removed from the failing one so that it still fails. For a difference of d items there are at
/// most d² + 7·d probes, and at most ⌈log₂ d⌉ if no outcome is unresolved.
///
/// [`new`](Dd::new) first tests the failing configuration without a part, as in the author's `dd.py` (Zeller,
/// *Why Programs Fail*), and applies each verdict immediately, which the best-case bound requires.
/// [`book`](Dd::book) uses the order of *The Debugging Book*.
#[derive(Clone, Debug)]
pub struct Dd {
    order: Order,
    arrange: Arrange,
    passing: Arc<[u32]>,
    failing: Arc<[u32]>,
    /// The circumstances that are in `failing` but not in `passing`, in the order in which they are split.
    difference: Arc<[u32]>,
    /// The number of parts into which the difference is split.
    parts: usize,
    /// The part that is tested first.
    first: usize,
    /// The number of parts that have been tested.
    turn: usize,
    /// The index of the current rule among the rules for this number of parts.
    rule: usize,
    is_done: bool,
    /// The configuration of the question, in ascending order.
    asked: Arc<[u32]>,
    known: imbl::HashMap<u128, Verdict>,
}

/// Orders the difference of a passing and a failing configuration for splitting.
type Arrange = fn(passing: &[u32], failing: &[u32]) -> Vec<u32>;

/// A rule for a part: the question about it, and the next step if the verdict is `wants`.
#[derive(Clone, Copy, Debug)]
struct Rule {
    question: Question,
    wants: Verdict,
    /// If true, the difference is split in two again; otherwise the number of parts decreases by one.
    restarts: bool,
}

#[derive(Clone, Copy, Debug)]
enum Question {
    /// The passing configuration with the part.
    With,
    /// The failing configuration without the part.
    Without,
}

/// If the passing configuration with the part fails, it becomes the failing configuration.
const REDUCE_TO_SUBSET: Rule = Rule { question: Question::With, wants: Verdict::Interesting, restarts: true };
/// If the failing configuration without the part passes, it becomes the passing configuration.
const INCREASE_TO_COMPLEMENT: Rule =
    Rule { question: Question::Without, wants: Verdict::Uninteresting, restarts: true };
/// If the passing configuration with the part passes, it becomes the passing configuration.
const INCREASE_TO_SUBSET: Rule =
    Rule { question: Question::With, wants: Verdict::Uninteresting, restarts: false };
/// If the failing configuration without the part fails, it becomes the failing configuration.
const REDUCE_TO_COMPLEMENT: Rule =
    Rule { question: Question::Without, wants: Verdict::Interesting, restarts: false };

/// The rules that are applied to each part, in order.
#[derive(Clone, Copy, Debug)]
struct Order {
    /// The rules while there are two parts.
    two: &'static [Rule],
    /// The rules while there are more parts.
    more: &'static [Rule],
    /// If true, a step starts with the part at which the last one ended, and larger parts precede smaller
    /// ones.
    goes_round: bool,
}

/// Applies every verdict, so that no progress is missed.
const CLASSIC: Order = {
    const RULES: &[Rule] =
        &[INCREASE_TO_COMPLEMENT, REDUCE_TO_COMPLEMENT, REDUCE_TO_SUBSET, INCREASE_TO_SUBSET];
    Order { two: RULES, more: RULES, goes_round: false }
};

/// The order of the rules in the book.
const BOOK: Order = Order {
    two: &[REDUCE_TO_SUBSET, INCREASE_TO_COMPLEMENT, REDUCE_TO_COMPLEMENT, INCREASE_TO_SUBSET],
    // The book ignores the last of these; here, an observed failure is always used.
    more: &[REDUCE_TO_COMPLEMENT, INCREASE_TO_SUBSET, REDUCE_TO_SUBSET],
    goes_round: true,
};

/// The order of the rules in the book if only the failing configuration changes.
const BOOK_MINIMIZING: Order =
    Order { two: &[REDUCE_TO_SUBSET, REDUCE_TO_COMPLEMENT], more: &[REDUCE_TO_COMPLEMENT], goes_round: true };

impl Dd {
    /// Starts dd over `n` circumstances, between none and all of them.
    #[must_use]
    pub fn new(n: u32) -> Self {
        Self::above(&[], n)
    }

    /// Starts dd over `n` circumstances, between `passing`, which must pass, and all of them.
    ///
    /// # Panics
    /// Panics if a member of `passing` is not below `n`.
    #[must_use]
    pub fn above(passing: &[u32], n: u32) -> Self {
        Self::start(CLASSIC, passing, n)
    }

    /// Starts dd in the order of *The Debugging Book* (Zeller, chapter "Reducing Failure-Inducing Inputs"):
    /// subsets are tested only while there are two of them, and a step starts where the last one ended.
    ///
    /// The difference is also 1-minimal. Without unresolved outcomes there are at most 2·log₂ d probes.
    #[must_use]
    pub fn book(n: u32) -> Self {
        Self::start(BOOK, &[], n)
    }

    /// Starts the book's ddmin, expressed as a dd whose passing configuration does not change.
    ///
    /// The final failing configuration is 1-minimal.
    #[must_use]
    pub fn book_minimizing(n: u32) -> Self {
        Self::start(BOOK_MINIMIZING, &[], n)
    }

    /// Splits the difference in the order given by `arrange` instead of ascending order.
    #[must_use]
    pub fn arranged(mut self, arrange: fn(passing: &[u32], failing: &[u32]) -> Vec<u32>) -> Self {
        self.arrange = arrange;
        self.split(2);
        self.go_on();
        self
    }

    fn start(order: Order, passing: &[u32], n: u32) -> Self {
        assert!(passing.iter().all(|&i| i < n), "the passing configuration is part of the failing one");
        let mut passing = passing.to_vec();
        passing.sort_unstable();
        passing.dedup();
        let mut search = Self {
            order,
            arrange: |passing, failing| subtract(failing, passing),
            passing: passing.into(),
            failing: (0..n).collect(),
            difference: [].into(),
            parts: 0,
            first: 0,
            turn: 0,
            rule: 0,
            is_done: false,
            asked: [].into(),
            known: imbl::HashMap::new(),
        };
        search.split(2);
        search.go_on();
        search
    }

    /// Returns the largest configuration that is known to pass, in ascending order.
    #[must_use]
    pub fn passing(&self) -> &[u32] {
        &self.passing
    }

    /// Returns the smallest configuration that is known to fail, in ascending order.
    #[must_use]
    pub fn failing(&self) -> &[u32] {
        &self.failing
    }

    /// Returns the circumstances that are in the failing but not in the passing configuration, in ascending
    /// order.
    #[must_use]
    pub fn difference(&self) -> Vec<u32> {
        subtract(&self.failing, &self.passing)
    }

    /// Splits the difference into `parts` parts and starts with the first rule.
    fn split(&mut self, parts: usize) {
        self.difference = (self.arrange)(&self.passing, &self.failing).into();
        self.parts = parts.min(self.difference.len());
        (self.turn, self.rule) = (0, 0);
        self.is_done = self.parts < 2;
    }

    fn rules(&self) -> &'static [Rule] {
        if self.parts == 2 { self.order.two } else { self.order.more }
    }

    fn part(&self) -> usize {
        (self.first + self.turn) % self.parts
    }

    fn range(&self, part: usize) -> Range<usize> {
        let (n, parts) = (self.difference.len(), self.parts);
        // Larger parts come first if `goes_round` is set, otherwise last.
        let start =
            |i: usize| if self.order.goes_round { i * (n / parts) + i.min(n % parts) } else { i * n / parts };
        start(part)..start(part + 1)
    }

    /// Returns the configuration of the current rule, in ascending order.
    fn configuration(&self) -> Vec<u32> {
        let mut part = self.difference[self.range(self.part())].to_vec();
        match self.rules()[self.rule].question {
            Question::With => {
                part.extend_from_slice(&self.passing);
                part.sort_unstable();
                part
            }
            Question::Without => {
                part.sort_unstable();
                subtract(&self.failing, &part)
            }
        }
    }

    /// Advances to the first question whose answer is not known yet.
    fn go_on(&mut self) {
        while !self.is_done {
            self.asked = self.configuration().into();
            let Some(&verdict) = self.known.get(&key(&self.asked)) else { return };
            self.try_rule(verdict);
        }
    }

    /// Applies the current rule if it wants this verdict; otherwise advances to the next rule.
    fn try_rule(&mut self, verdict: Verdict) {
        let rule = self.rules()[self.rule];
        if verdict != rule.wants {
            return self.step();
        }
        let found = if verdict.is_interesting() { &mut self.failing } else { &mut self.passing };
        *found = Arc::clone(&self.asked);
        self.first = if self.order.goes_round { self.part() } else { 0 };
        self.split(if rule.restarts { 2 } else { (self.parts - 1).max(2) });
    }

    /// Advances to the next rule, part, or granularity.
    fn step(&mut self) {
        self.rule += 1;
        if self.rule == self.rules().len() {
            (self.turn, self.rule) = (self.turn + 1, 0);
        }
        if self.turn == self.parts {
            if self.parts == self.difference.len() {
                self.is_done = true;
            } else {
                self.split(2 * self.parts);
            }
        }
    }
}

impl Search for Dd {
    fn next(&self) -> Option<Vec<u32>> {
        (!self.is_done).then(|| subtract(&self.failing, &self.asked))
    }

    fn advance(&mut self, verdict: Verdict) {
        assert!(!self.is_done, "a verdict answers a question");
        self.known.insert(key(&self.asked), verdict);
        self.try_rule(verdict);
        self.go_on();
    }

    fn skip(&mut self) {
        self.advance(Verdict::Unresolved(Cause::Test));
    }

    fn is_three_valued(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict::{Interesting, Uninteresting, Unresolved};
    use crate::search::tests::run;

    #[test]
    fn without_unresolved_outcomes_each_probe_halves_the_difference() {
        for n in 1..70u32 {
            for needed in 0..n {
                let mut search = Dd::new(n);
                let mut probes = 0;
                while let Some(without) = search.next() {
                    let fails = !without.contains(&needed);
                    search.advance(if fails { Interesting } else { Uninteresting });
                    probes += 1;
                }
                assert_eq!(search.difference(), [needed]);
                assert!(probes <= n.next_power_of_two().ilog2(), "{probes} probes for {n}");
            }
        }
    }

    /// Lists the questions of a search over eight changes. The test needs 1, 7 and 8 together, and is
    /// unresolved if only some of them are present.
    fn asked_for_1_7_8(search: Dd) -> String {
        let mut asked = Vec::new();
        let (kept, _) = run(search, 8, |config| {
            asked.push(config.iter().map(|i| (i + 1).to_string()).collect::<String>());
            match [0, 6, 7].iter().filter(|i| config.contains(i)).count() {
                0 => Uninteresting,
                3 => Interesting,
                _ => Unresolved(Cause::Test),
            }
        });
        assert_eq!(kept, [0, 6, 7]);
        asked.join(" ")
    }

    #[test]
    fn the_failing_configuration_without_a_part_comes_before_the_passing_one_with_it() {
        let asked = asked_for_1_7_8(Dd::new(8));
        assert_eq!(asked, "5678 1234 345678 12 125678 1278 78 278 1 178 18 7 17 8");
    }

    #[test]
    fn in_the_books_order_a_step_begins_where_the_last_one_ended() {
        let asked = asked_for_1_7_8(Dd::book(8));
        assert_eq!(asked, "1234 5678 345678 12 125678 1278 78 178 18 7 17 8 1");
    }

    #[test]
    fn the_search_begins_above_a_configuration_that_passes() {
        let mut asked = Vec::new();
        let (kept, _) = run(Dd::above(&[3, 1], 6), 6, |config| {
            asked.push(config.to_vec());
            if config.contains(&4) { Interesting } else { Uninteresting }
        });
        assert_eq!(asked, [vec![1, 3, 4, 5], vec![1, 3, 5]]);
        assert_eq!(kept, [1, 3, 4, 5]);
    }

    #[test]
    fn skipped_configurations_neither_pass_nor_fail() {
        let mut search = Dd::new(2);
        search.skip();
        search.skip();
        assert_eq!((search.next(), search.difference()), (None, vec![0, 1]));
    }

    #[test]
    fn a_difference_of_at_most_one_needs_no_probe() {
        for search in [Dd::new(0), Dd::new(1), Dd::above(&[0, 1], 3), Dd::book(1), Dd::book_minimizing(1)] {
            assert_eq!(search.next(), None);
        }
    }

    #[test]
    fn an_unresolved_outcome_does_not_count_as_passing() {
        let (kept, _) = run(Dd::new(4), 4, |_| Unresolved(Cause::Test));
        assert_eq!(kept, [0, 1, 2, 3]);
    }
}
