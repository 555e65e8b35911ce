//! The constants of the plan.

pub struct Tuning {
    /// The minimum size in bytes of an input with an opening. On smaller inputs the coarse levels find as much with as
    /// few probes.
    pub large: usize,
    /// The minimum size in bytes of an input from which large parts are deleted before it is parsed.
    pub huge: usize,
    /// The smallest weight at each coarse level, as a share of the current best: `n` means 1/2^n.
    pub shares: [u32; 3],
    /// The same for a directory whose files are reduced together. Each pass has one turn at a level.
    pub shares_together: [u32; 4],
    /// The size in bytes below which a level is no longer coarse. Single statements have about this weight.
    pub fine: usize,
    /// The same for units. On small inputs, coarse levels cost more probes than they save; on large inputs, they make
    /// candidates smaller.
    pub fine_units: usize,
    /// The earlier gain of a pass is forgotten when a large current best has shrunk by this factor, or when the coarse
    /// levels end.
    pub stale: usize,
    /// The factor by which the current best must shrink before the plan goes through the coarse levels again.
    pub again: usize,
}

pub const TUNING: Tuning = Tuning {
    large: 1 << 18,
    huge: 1 << 24,
    shares: [5, 8, 11],
    shares_together: [5, 7, 9, 11],
    fine: 32,
    fine_units: 256,
    stale: 2,
    again: 4,
};
