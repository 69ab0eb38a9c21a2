//! Who keeps pages resident, with the profile's stacks and births in place of the recorder's.

use crate::births::Births;
use crate::ledger::StackIds;
use residue_profile::pins::{ClassPins, EarlierPins, HeapMap, MapCell, Pins, StackPins};
use std::cmp::Reverse;

pub(crate) fn numbered(raw: Pins, ids: &StackIds, births: &Births) -> Pins {
    let stacks = raw.stacks.into_iter().filter_map(|of| {
        Some(StackPins {
            stack: ids.stack(of.stack)?,
            first_birth: births.bin(of.first_birth),
            last_birth: births.bin(of.last_birth),
            ..of
        })
    });
    let of_births = raw.births.into_iter().map(|of| ClassPins {
        class: births.bin(of.class),
        ..of
    });
    let cells = raw.map.cells.into_iter().map(|cell| MapCell {
        stack: cell.stack.and_then(|stack| ids.stack(stack)),
        birth: cell.birth.map(|birth| births.bin(birth)),
        ..cell
    });
    let earlier = raw.earlier.into_iter().map(|earlier| {
        let stacks = earlier.stacks.into_iter();
        let stacks = stacks.filter_map(|(stack, bytes)| Some((ids.stack(stack)?, bytes)));
        EarlierPins {
            event: births.bin(earlier.event),
            stacks: stacks.collect(),
            ..earlier
        }
    });
    Pins {
        stacks: merged_stacks(stacks.collect()),
        births: merged_classes(of_births.collect()),
        map: HeapMap {
            cells: cells.collect(),
            ..raw.map
        },
        earlier: earlier.collect(),
        ..raw
    }
}

/// Stacks of the recorder may be one of the profile: code that was loaded again.
fn merged_stacks(mut stacks: Vec<StackPins>) -> Vec<StackPins> {
    stacks.sort_by_key(|of| of.stack);
    stacks.dedup_by(|next, of| {
        let is_same = next.stack == of.stack;
        if is_same {
            of.blocks = of.blocks.saturating_add(next.blocks);
            of.used_bytes = of.used_bytes.saturating_add(next.used_bytes);
            of.free_bytes = of.free_bytes.saturating_add(next.free_bytes);
            of.pages = of.pages.saturating_add(next.pages);
            of.alone_pages = of.alone_pages.saturating_add(next.alone_pages);
            of.alone_free_bytes = of.alone_free_bytes.saturating_add(next.alone_free_bytes);
            of.smallest = of.smallest.min(next.smallest);
            of.largest = of.largest.max(next.largest);
            of.first_birth = of.first_birth.min(next.first_birth);
            of.last_birth = of.last_birth.max(next.last_birth);
        }
        is_same
    });
    stacks.sort_by_key(|of| (Reverse(of.free_bytes), of.stack));
    stacks
}

/// Births of a bin are one.
fn merged_classes(mut classes: Vec<ClassPins>) -> Vec<ClassPins> {
    classes.sort_by_key(|of| of.class);
    classes.dedup_by(|next, of| {
        let is_same = next.class == of.class;
        if is_same {
            of.used_bytes = of.used_bytes.saturating_add(next.used_bytes);
            of.free_bytes = of.free_bytes.saturating_add(next.free_bytes);
        }
        is_same
    });
    classes
}
