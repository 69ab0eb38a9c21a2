//! What the recorder makes ready when a filter is about to forbid it to do so later.

use super::filter::{self, Instruction, Verdict};
use crate::cpu;
use crate::hot;
use crate::loss::Loss;
use crate::private;
use crate::recorder;
use crate::sys;
use residue_arena::region::Region;

/// Address space for private tables: those of a thread take some 15 MB, of which a fraction
/// is ever touched.
const RESERVED_BYTES: usize = 256 << 20;

/// Memory by region, for a program of some ten thousand stacks and a million blocks. Pages
/// are taken now only where they cannot be taken later.
const ROOM: [(Region, u64); 13] = [
    (Region::Strings, 128 << 10),
    (Region::Modules, 64 << 10),
    (Region::Threads, 64 << 10),
    (Region::Mappings, 128 << 10),
    (Region::Nodes, 2 << 20),
    (Region::CounterKeys, 64 << 10),
    (Region::CounterPages, 4 << 20),
    (Region::RecordOverflow, 1 << 20),
    (Region::LargeEntries, 256 << 10),
    (Region::LiveKeys, 64 << 10),
    (Region::LivePages, 16 << 20),
    (Region::Moments, 256 << 10),
    (Region::Changes, 512 << 10),
];

/// What can no longer be had under a filter.
pub struct Needs {
    memory: bool,
    longer_mappings: bool,
    pages: bool,
    /// What a handler that takes a sample needs: its clock, its locks, its way back.
    samples: bool,
}

impl Needs {
    pub const ALL: Needs = Needs {
        memory: true,
        longer_mappings: true,
        pages: true,
        samples: true,
    };

    pub fn under(filter: &[Instruction]) -> Needs {
        let is_refused = |(number, arguments): (usize, [usize; 6])| {
            filter::judge(filter, number, &arguments) != Verdict::Allowed
        };
        Needs {
            memory: is_refused(sys::map_private_call(4096)),
            longer_mappings: is_refused(sys::extend_mapping_call(4096, 4096, 8192)),
            pages: is_refused(sys::advise_call(4096, 4096, sys::MADV_POPULATE_WRITE)),
            samples: sys::calls_of_a_sample().into_iter().any(is_refused),
        }
    }
}

pub fn make(needs: &Needs) {
    let Some(arena) = hot::get().recording_arena() else {
        return;
    };
    if needs.samples {
        cpu::end();
    }
    // The state of this thread, with what it is called.
    recorder::with_thread(Loss::Nothing, |_, _, _| {});
    if needs.memory {
        private::reserve(RESERVED_BYTES);
    }
    if needs.longer_mappings || needs.pages {
        for (region, bytes) in ROOM {
            arena.make_room(region, bytes, needs.pages);
        }
    }
}
