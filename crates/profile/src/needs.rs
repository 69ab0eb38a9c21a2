//! Reading less than all of a file.

/// Which of the larger tables a caller looks at. The others are left empty; their
/// sections are verified all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// `sizes_total` and `sizes_live`.
    pub sizes: bool,
    pub births: bool,
    /// `files` and `places`.
    pub places: bool,
    pub by_thread: bool,
    /// `changes` of the timeline.
    pub changes: bool,
    /// `allocated` of the timeline.
    pub allocated: bool,
    /// What the kernel said at each of the timeline's `snapshots`, whose names and
    /// moments are always read.
    pub proc_maps: bool,
    pub picture: bool,
}

impl Needs {
    pub const ALL: Needs = Needs {
        sizes: true,
        births: true,
        places: true,
        by_thread: true,
        changes: true,
        allocated: true,
        proc_maps: true,
        picture: true,
    };

    /// The call tree, its counters and the moments.
    pub const LEAST: Needs = Needs {
        sizes: false,
        births: false,
        places: false,
        by_thread: false,
        changes: false,
        allocated: false,
        proc_maps: false,
        picture: false,
    };
}
