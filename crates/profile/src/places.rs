//! `PLAC`: where the frames are in the source, and what was inlined there.
//!
//! ```text
//!   frames | places in row ... | delta function code ... | delta file code ...
//!          | delta line ...
//! ```
//!
//! Neighbouring frames are mostly of one function and one file, so each column
//! is written against the place before, whichever frame it belongs to. The paths
//! of the files are in `FILE`, which is like `FUNC`.

use crate::codes::{id_from_code, id_to_code};
use crate::columns::{Cursor, Delta};
use crate::decode::{items_before, row_ends};
use crate::encode::ragged;
use crate::error::Reason;
use crate::model::{Ragged, SourcePlace};

pub(crate) fn encode(places: &Ragged<SourcePlace>) -> Vec<u8> {
    let mut out = ragged(places);
    let items = places.items();
    out.deltas(items.iter().map(|place| id_to_code(place.function)));
    out.deltas(items.iter().map(|place| id_to_code(place.file)));
    out.deltas(items.iter().map(|place| u64::from(place.line)));
    out.finish()
}

pub(crate) fn decode(raw: &[u8]) -> Result<Ragged<SourcePlace>, Reason> {
    let mut cursor = Cursor::new(raw);
    let ends = row_ends(&mut cursor, 3)?;
    let items = items_before(&ends);
    let mut functions = Delta::new(cursor.column(items)?);
    let mut files = Delta::new(cursor.column(items)?);
    let mut lines = Delta::new(cursor.column(items)?);
    let mut places = Vec::with_capacity(items);
    for _ in 0..items {
        places.push(SourcePlace {
            function: id_from_code(functions.u32()?),
            file: id_from_code(files.u32()?),
            line: lines.u32()?,
        });
    }
    Ok(Ragged::from_ends(ends, places))
}
