//! The detours of one allocator: all are made ready before the first is put in.

use crate::detour::around::Around;
use crate::detour::{self, Function, Prepared, Refusal, Target};

/// More functions than an allocator has.
const MOST: usize = 40;

pub struct Detours {
    addresses: [usize; MOST],
    prepared: [Option<Prepared>; MOST],
    count: usize,
}

impl Default for Detours {
    fn default() -> Detours {
        Detours {
            addresses: [0; MOST],
            prepared: [const { None }; MOST],
            count: 0,
        }
    }
}

impl Detours {
    /// Makes the detour of one function ready. Of two names for one function the first counts.
    pub fn add(
        &mut self,
        address: usize,
        bytes: usize,
        next_symbol: Option<usize>,
        around: &'static Around,
    ) -> Result<(), Refusal> {
        if self.addresses.contains(&address) {
            return Ok(());
        }
        let function = Function {
            address,
            size: Some(bytes),
            next_symbol,
        };
        let prepared = match detour::prepare(&function, Target::Around(around)) {
            // Another name of a function that answers `malloc`.
            Err(Refusal::AlreadyDetoured) => return Ok(()),
            prepared => prepared?,
        };
        let places = (
            self.addresses.get_mut(self.count),
            self.prepared.get_mut(self.count),
        );
        if let (Some(known), Some(place)) = places {
            *known = address;
            *place = Some(prepared);
            self.count += 1;
        }
        Ok(())
    }

    /// Where one cannot be put in, those before it are there, and go straight to their
    /// functions as long as nobody switches them on.
    pub fn put_in(&self) -> Result<(), Refusal> {
        self.prepared
            .iter()
            .flatten()
            .try_for_each(Prepared::put_in)
    }
}
