//! Pins for programs to read; the schema is docs/schemas/pins.schema.json.

use residue_calltree::{Filter, PathReader};
use residue_profile::holders::Picture;
use residue_profile::pins::{ClassPins, Pins, ResidentHeap, StackPins};
use residue_profile::timeline::StackId;
use residue_profile::{Counters, MemoryKind, Profile};
use serde::Serialize;
use std::cmp::Reverse;

use super::advice::{Advice, advice};
use super::map::{Map, map};
use super::words;
use crate::choice::Names;
use crate::holders::unit_of;
use crate::leaks::{ShownPath, shown_path_of_stack};

/// The document of `residue pins --json`. Sizes are in bytes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PinsDocument"))]
pub struct Document {
    pub format: &'static str,
    pub version: u32,
    /// Name of the program.
    pub program: String,
    /// What births are counted in: `event` or `tick`.
    pub unit: String,
    /// The event that had begun last when the picture was taken.
    pub event: u32,
    /// Whether the program had begun to end.
    pub at_exit: bool,
    /// Whether somebody asked for it while that event ran, or before the first.
    pub is_asked: bool,
    #[serde(flatten)]
    pub heap: ResidentHeap,
    /// Stacks by what is free on the pages that they keep.
    pub stacks: Vec<Stack>,
    /// Stacks that are not among them, with what they keep.
    pub other_stacks: u64,
    pub other_used_bytes: u64,
    pub other_free_bytes: u64,
    /// By size of block, ascending.
    pub sizes: Vec<SizeClass>,
    /// By age of block, the youngest first.
    pub ages: Vec<Age>,
    /// Stacks with blocks that were live at the heap's peak and are not any more: what lay between.
    pub freed: Vec<Freed>,
    /// The heap in the order of addresses; null in recordings of before there were maps.
    pub map: Option<Map>,
    /// The heap at earlier pictures, the first first.
    pub earlier: Vec<Earlier>,
    /// What would give memory back, the most first.
    pub advice: Vec<Advice>,
    /// The picture in sentences: when, what is missing.
    pub about: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PinnedStack"))]
pub struct Stack {
    #[serde(flatten)]
    pub pins: StackPins,
    #[serde(flatten)]
    pub path: ShownPath,
    /// Since an earlier picture; null where it is not known.
    pub growth: Option<Growth>,
}

/// What the free bytes of a stack's pages grew by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PinnedGrowth"))]
pub struct Growth {
    pub since_event: u32,
    pub bytes_per_event: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PinnedSize"))]
pub struct SizeClass {
    /// Blocks of these sizes, both included.
    pub from_bytes: u64,
    pub to_bytes: u64,
    pub used_bytes: u64,
    pub free_bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "PinnedAge"))]
pub struct Age {
    /// Blocks that were made in these events, both included.
    pub first_birth: u32,
    pub last_birth: u32,
    pub used_bytes: u64,
    pub free_bytes: u64,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "FreedSince"))]
pub struct Freed {
    pub stack: StackId,
    #[serde(flatten)]
    pub path: ShownPath,
    /// Live when the whole heap was highest, and at the end of the recording.
    pub at_peak_bytes: u64,
    pub live_bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "EarlierHeap"))]
pub struct Earlier {
    pub event: u32,
    #[serde(flatten)]
    pub heap: ResidentHeap,
}

/// How much is said.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub stacks: usize,
    pub freed: usize,
    /// Functions of a path, and characters of each.
    pub steps: usize,
    pub name_characters: usize,
}

impl Limits {
    pub const NONE: Limits = Limits {
        stacks: usize::MAX,
        freed: 10,
        steps: usize::MAX,
        name_characters: usize::MAX,
    };
}

pub fn document(
    profile: &Profile,
    picture: &Picture,
    pins: &Pins,
    names: &Names,
    most: Limits,
) -> Document {
    let filter = Filter::default();
    let paths = &mut names.paths(profile, &filter);
    let cut = |path: ShownPath| path.cut(most.steps, most.name_characters);
    let (shown, others) = pins.stacks.split_at(most.stacks.min(pins.stacks.len()));
    let stacks = shown.iter().map(|of| Stack {
        pins: *of,
        path: cut(shown_path_of_stack(profile, paths, of.stack)),
        growth: growth(pins, picture.event, of.stack, of.free_bytes),
    });
    let and_others = |first: u64, of: fn(&StackPins) -> u64| {
        others.iter().map(of).fold(first, u64::saturating_add)
    };
    Document {
        format: "residue-pins",
        version: 1,
        program: profile.meta.program.clone(),
        unit: unit_of(profile).to_string(),
        event: picture.event,
        at_exit: picture.at_exit,
        is_asked: picture.is_asked,
        heap: pins.heap,
        stacks: stacks.collect(),
        other_stacks: and_others(pins.other_stacks, |_| 1),
        other_used_bytes: and_others(pins.other_used_bytes, |of| of.used_bytes),
        other_free_bytes: and_others(pins.other_free_bytes, |of| of.free_bytes),
        sizes: pins.sizes.iter().map(size_class).collect(),
        ages: ages(&pins.births, picture.event),
        freed: freed(profile, paths, most.freed)
            .into_iter()
            .map(|one| Freed {
                path: cut(one.path),
                ..one
            })
            .collect(),
        map: map(&pins.map, |stack| {
            cut(shown_path_of_stack(profile, paths, stack))
        }),
        earlier: pins
            .earlier
            .iter()
            .map(|of| Earlier {
                event: of.event,
                heap: of.heap,
            })
            .collect(),
        advice: advice(profile, paths, pins),
        about: words::moment(picture, unit_of(profile)),
    }
}

/// Pictures of the first events see a program that is still being set up.
const WARM_UP_PART: u32 = 4;

/// Since the first picture behind the warm-up.
pub(super) fn growth(pins: &Pins, event: u32, stack: StackId, free_bytes: u64) -> Option<Growth> {
    let earliest = event / WARM_UP_PART;
    let of_then = pins
        .earlier
        .iter()
        .find(|of| of.event >= earliest && of.event < event)?;
    let events = f64::from(event - of_then.event);
    let then = of_then.of_stack(stack)?;
    Some(Growth {
        since_event: of_then.event,
        bytes_per_event: (free_bytes as f64 - then as f64) / events,
    })
}

fn size_class(of: &ClassPins) -> SizeClass {
    let power = |exponent: u32| 1u64.checked_shl(exponent).unwrap_or(u64::MAX);
    SizeClass {
        from_bytes: match of.class {
            0 => 0,
            class => power(class - 1).saturating_add(1),
        },
        to_bytes: power(of.class),
        used_bytes: of.used_bytes,
        free_bytes: of.free_bytes,
    }
}

/// Ages are doubled from row to row: this event, the one before, two and three before, ...
fn ages(births: &[ClassPins], event: u32) -> Vec<Age> {
    let mut ages: Vec<Age> = Vec::new();
    let class = |birth: u32| u32::BITS - event.saturating_sub(birth).leading_zeros();
    for of in births.iter().rev() {
        match ages.last_mut() {
            Some(last) if class(last.first_birth) == class(of.class) => {
                last.first_birth = of.class;
                last.used_bytes = last.used_bytes.saturating_add(of.used_bytes);
                last.free_bytes = last.free_bytes.saturating_add(of.free_bytes);
            }
            _ => ages.push(Age {
                first_birth: of.class,
                last_birth: of.class,
                used_bytes: of.used_bytes,
                free_bytes: of.free_bytes,
            }),
        }
    }
    ages
}

/// Those with most that went.
pub(super) fn freed(profile: &Profile, paths: &mut PathReader<'_>, most: usize) -> Vec<Freed> {
    let mut gone: Vec<(u64, StackId)> = (0..)
        .zip(&profile.stacks)
        .filter(|(_, stack)| MemoryKind::Heap.holds(stack.kind))
        .map(|(id, stack)| {
            let Counters {
                at_peak_bytes,
                live_bytes,
                ..
            } = stack.counters;
            (at_peak_bytes.saturating_sub(live_bytes), id)
        })
        .filter(|(bytes, _)| *bytes > 0)
        .collect();
    gone.sort_unstable_by_key(|&(bytes, id)| (Reverse(bytes), id));
    let gone = gone.into_iter().take(most);
    gone.map(|(_, stack)| Freed {
        stack,
        path: shown_path_of_stack(profile, paths, stack),
        at_peak_bytes: profile.stacks[stack as usize].counters.at_peak_bytes,
        live_bytes: profile.stacks[stack as usize].counters.live_bytes,
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_profile::pins::EarlierPins;

    fn class(class: u32, free_bytes: u64) -> ClassPins {
        ClassPins {
            class,
            used_bytes: 1,
            free_bytes,
        }
    }

    #[test]
    fn sizes_are_ranges() {
        let range = |exponent| {
            let of = size_class(&class(exponent, 0));
            (of.from_bytes, of.to_bytes)
        };
        assert_eq!(range(0), (0, 1));
        assert_eq!(range(1), (2, 2));
        assert_eq!(range(6), (33, 64));
        assert_eq!(range(64), ((1 << 63) + 1, u64::MAX));
    }

    #[test]
    fn ages_double() {
        let births: Vec<ClassPins> = (0..=100).map(|birth| class(birth, 10)).collect();
        let rows = ages(&births, 100);
        let rows: Vec<_> = rows
            .iter()
            .map(|of| (of.first_birth, of.last_birth, of.free_bytes))
            .collect();
        let expected = [
            (100, 100, 10),
            (99, 99, 10),
            (97, 98, 20),
            (93, 96, 40),
            (85, 92, 80),
            (69, 84, 160),
            (37, 68, 320),
            (0, 36, 370),
        ];
        assert_eq!(rows, expected);
        // An event that began while the picture was taken.
        assert_eq!(ages(&[class(100, 1), class(101, 2)], 100).len(), 1);
    }

    #[test]
    fn growth_is_since_a_picture_behind_the_warm_up() {
        let earlier = |event, bytes| EarlierPins {
            event,
            stacks: vec![(7, bytes)],
            ..EarlierPins::default()
        };
        let pins = Pins {
            earlier: vec![earlier(8, 5000), earlier(30, 10_000), earlier(99, 1)],
            ..Pins::default()
        };
        let of = |stack, bytes| growth(&pins, 100, stack, bytes).unwrap();
        let grown = Growth {
            since_event: 30,
            bytes_per_event: 1000.0,
        };
        assert_eq!(of(7, 80_000), grown);
        assert_eq!(of(8, 70_000), grown);
        assert_eq!(of(7, 3000).bytes_per_event, -100.0);
        assert_eq!(growth(&Pins::default(), 100, 7, 1), None);
        assert_eq!(growth(&pins, 8, 7, 1), None);
    }
}
