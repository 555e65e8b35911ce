//! The numbers of the plan that were tuned.

/// The numbers that were tuned.
pub struct Tuning {
    /// The least number of bytes of an input that has an opening. In smaller inputs the coarse levels find as much for
    /// as few probes.
    pub large: usize,
    /// The least number of bytes of an input of which large parts go before anything is parsed.
    pub huge: usize,
    /// The smallest weight at each coarse level, as a share of the best: `n` stands for 1/2^n.
    pub shares: [u32; 3],
    /// The same for an archive whose files go through the levels together; there, each pass has one turn at a level.
    pub shares_together: [u32; 4],
    /// The number of bytes below which a level is no longer coarse. Single statements have about this weight.
    pub fine: usize,
    /// The same for units. A small input needs fewer probes without coarse levels, and a large one has smaller
    /// candidates with them.
    pub fine_units: usize,
    /// The earlier gain of a pass no longer counts once a large best has shrunk by this factor, or once all levels are
    /// through.
    pub stale: usize,
    /// The best has to shrink by this factor between two times that the plan goes through the coarse levels.
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
