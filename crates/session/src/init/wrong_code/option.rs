//! Compiler options that detect undefined behaviour.
//!
//! No compiler accepts all of them; `probe` finds the accepted ones.

/// Front-end warnings, which need no optimisation: about undefined behaviour, violations of language rules, and code
/// that other compilers interpret differently.
pub const FRONT: &[&str] = &[
    "implicit-function-declaration",
    "implicit-int",
    "int-conversion",
    "incompatible-pointer-types",
    "incompatible-pointer-types-discards-qualifiers",
    "incompatible-function-pointer-types",
    "discarded-qualifiers",
    "int-to-pointer-cast",
    "pointer-to-int-cast",
    "pointer-integer-compare",
    "compare-distinct-pointer-types",
    "return-type",
    "return-stack-address",
    "return-local-addr",
    "main",
    "main-return-type",
    "format",
    "format-extra-args",
    "format-insufficient-args",
    "nonnull",
    "shift-count-overflow",
    "shift-count-negative",
    "shift-negative-value",
    "shift-overflow",
    "div-by-zero",
    "division-by-zero",
    "overflow",
    "integer-overflow",
    "builtin-declaration-mismatch",
    "builtin-requires-header",
    "incompatible-library-redeclaration",
    "strict-prototypes",
    "old-style-definition",
    "deprecated-non-prototype",
    "sequence-point",
    "unsequenced",
    "uninitialized",
    "sometimes-uninitialized",
    "uninitialized-const-reference",
    "null-dereference",
    "array-bounds",
    "array-bounds-pointer-arithmetic",
    "array-parameter",
    "excess-initializers",
    "sizeof-pointer-memaccess",
    "sizeof-array-argument",
    "sizeof-array-div",
    "cast-function-type",
    "infinite-recursion",
    "varargs",
    "undefined-internal",
    "dangling",
    "delete-incomplete",
    "delete-non-virtual-dtor",
    "init-self",
    "absolute-value",
    "c11-c2x-compat",
    "c2x-extensions",
    "pedantic",
];
/// The group of the remaining warnings of `-Wextra`, which only GCC has.
pub const EXTRA: &str = "-Werror=extra";
/// Options that switch off the harmless warnings of that group.
pub const HARMLESS: &[&str] = &[
    "-Wno-unused-parameter",
    "-Wno-unused-but-set-parameter",
    "-Wno-sign-compare",
    "-Wno-type-limits",
    "-Wno-missing-field-initializers",
    "-Wno-empty-body",
    "-Wno-implicit-fallthrough",
    "-Wno-ignored-qualifiers",
    "-Wno-override-init",
    "-Wno-clobbered",
    "-Wno-enum-conversion",
];
/// Warnings of GCC's optimisers, which need data-flow analysis.
pub const FLOW: &[&str] = &[
    "uninitialized",
    "maybe-uninitialized",
    "return-type",
    "array-bounds",
    "zero-length-bounds",
    "stringop-overflow",
    "stringop-overread",
    "format",
    "format-overflow",
    "aggressive-loop-optimizations",
    "return-local-addr",
    "dangling-pointer",
    "use-after-free",
    "free-nonheap-object",
    "mismatched-dealloc",
    "strict-aliasing=2",
    "restrict",
    "nonnull",
];
/// Options that define otherwise undefined behaviour. A compiler bug also occurs with them.
pub const DEFINING: &[&str] = &[
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-aggressive-loop-optimizations",
    "-fno-delete-null-pointer-checks",
    "-fno-finite-loops",
    "-ffp-contract=off",
];
/// Sanitizers, the best first. Later ones need no library of the compiler.
pub const SANITIZERS: &[&str] = &[
    "-fsanitize=address,undefined -fno-sanitize-recover=all",
    "-fsanitize=undefined -fno-sanitize-recover=all",
    "-fsanitize=undefined -fsanitize-undefined-trap-on-error",
    "-fsanitize=undefined -fsanitize-trap=all",
    "-ftrapv",
];
/// Options that are added to the first sanitizer.
pub const MORE: &[&str] = &[
    "-fsanitize=float-cast-overflow",
    "-fsanitize=bounds-strict",
    "-fsanitize=pointer-compare,pointer-subtract",
    "-fsanitize-address-use-after-scope",
];
/// Initializes variables with a pattern, so that the program has different values at each level.
pub const PATTERN: &str = "-ftrivial-auto-var-init=pattern";
/// Finds uninitialized values.
pub const MEMORY: &str = "-fsanitize=memory -fno-sanitize-recover=all";
