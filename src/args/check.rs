//! The help of `nubbin check`.

/// The options that make no sense here, besides those of reductions only.
pub const SENSELESS: [&str; 7] =
    ["max_time", "wrong_code", "output", "unit", "resume", "no_journal", "search"];
pub const EXAMPLES: &str = "\
Examples:
  nubbin check ./oracle.sh bug.c
      does it repeat itself, what does it accept that it should not, what does it depend on
  nubbin check ./oracle.sh project/
      a directory, or several files, as in a reduction
  nubbin check bug.c -- gcc -O2 -c {}
      whether what Nubbin would keep of a command's failure is enough

It prints findings, each with the reason, the fix and the command that shows it:
  wrong  a reduction would end in something wrong
  doubt  it may be meant so, or not
  tip    it would be better otherwise

Exit codes: 0 if nothing is wrong, 11 if something is; where the unreduced input is not interesting, or the
oracle cannot be run, the code of a reduction, with the reason if it is found. Nothing is changed.";
