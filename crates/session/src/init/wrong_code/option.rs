//! Options that make compilers tell of undefined code, as data.
//!
//! No compiler takes all of them: `probe` finds out which.

/// Warnings of the front end, which need no optimisation: about what is undefined, what breaks a rule of the language,
/// and what means something else to another compiler.
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
/// The group of the other warnings of `-Wextra`, which only GCC has.
pub const EXTRA: &str = "-Werror=extra";
/// The options that switch the harmless warnings of that group off.
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
/// Warnings of GCC's optimisers, which have to know where values come from.
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
/// Options that give a meaning to what has none: a bug of the compiler is there with them, too.
pub const DEFINING: &[&str] = &[
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-aggressive-loop-optimizations",
    "-fno-delete-null-pointer-checks",
    "-fno-finite-loops",
    "-ffp-contract=off",
];
/// Sanitizers, the best first; those further on need no library of the compiler's.
pub const SANITIZERS: &[&str] = &[
    "-fsanitize=address,undefined -fno-sanitize-recover=all",
    "-fsanitize=undefined -fno-sanitize-recover=all",
    "-fsanitize=undefined -fsanitize-undefined-trap-on-error",
    "-fsanitize=undefined -fsanitize-trap=all",
    "-ftrapv",
];
/// The options that are added to the first sanitizer.
pub const MORE: &[&str] = &[
    "-fsanitize=float-cast-overflow",
    "-fsanitize=bounds-strict",
    "-fsanitize=pointer-compare,pointer-subtract",
    "-fsanitize-address-use-after-scope",
];
/// Fills variables without a value with a pattern: the programs get other values at each level.
pub const PATTERN: &str = "-ftrivial-auto-var-init=pattern";
/// Finds values that were never given.
pub const MEMORY: &str = "-fsanitize=memory -fno-sanitize-recover=all";
