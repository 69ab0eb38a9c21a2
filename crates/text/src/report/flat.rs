//! What a table of functions or libraries shows, in a line.

use crate::amount::amount;
use residue_profile::units::{count, counted, share};
use residue_query::report::flat::Flat;
use residue_query::report::source::Source;

use residue_profile::{Counter, MemoryKind};

/// What the table shows, in a line.
pub fn heading(flat: &Flat, source: &Source<'_>, what: [&str; 2]) -> String {
    let counter = source.counter();
    let title = flat.title;
    let [one, many] = what;
    if flat.found == 0 {
        return format!(
            "{title}: no {one} has any {}{}",
            kind(source),
            counter.subject()
        );
    }
    let shown = flat.grid.rows.len() as u64;
    let ranked = format!(
        "{title}: {} of {} by {}{}",
        count(shown),
        counted(flat.found as u64, one, many),
        kind(source),
        counter.subject()
    );
    let whole = amount(counter, flat.whole);
    match flat.together {
        Some(together) => format!(
            "{ranked}, together {} of {whole}",
            share(together, flat.whole)
        ),
        None if counter == Counter::Peak => {
            format!("{ranked}; the peak of all together was {whole}")
        }
        None if !counter.adds_up() => format!("{ranked}; the largest of all is {whole}"),
        None => format!("{ranked}, of {whole}"),
    }
}

/// The kind of memory where it is not the usual one, to stand before what is counted.
pub fn kind(source: &Source<'_>) -> &'static str {
    match source.kind() {
        MemoryKind::Heap | MemoryKind::Cpu | MemoryKind::All => "",
        MemoryKind::Mapping => "mapped ",
        MemoryKind::Reported => "reported ",
    }
}
