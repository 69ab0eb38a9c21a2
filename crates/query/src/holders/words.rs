//! Holders in words: a variable, and what lies between it and the blocks.

use residue_calltree::PathReader;
use residue_names::{DemangleStyle, demangle};
use residue_profile::holders::{Chain, HeldState, Holder, HolderKind, Picture, Shape, Step};
use residue_profile::timeline::StackId;
use residue_profile::units::{bytes, counted, share};
use residue_profile::{NodeId, Profile};

use crate::leaks::shown_path;

/// Blocks younger than this, in events, may still be in use.
const YOUNG_EVENTS: u32 = 2;

/// Steps of a chain that are told in words; of more those near its ends.
const MOST_STEPS: usize = 6;

/// Where standard libraries keep the parts of their containers: no user's names.
const LIBRARY_MEMBER: &str = "._M_";

/// `SEvt::INSTANCE[0].hits`.
pub fn variable(holder: &Holder) -> String {
    let name = demangle(&holder.variable, DemangleStyle::NoParams);
    let member = match holder.member.find(LIBRARY_MEMBER) {
        Some(at) => &holder.member[..at],
        None => &holder.member,
    };
    format!("{name}{member}")
}

/// `variable names in libsim.so (sim.cpp:41)`.
pub fn holder(holder: &Holder) -> String {
    let module = || holder.place.rsplit('/').next().unwrap_or_default();
    let declared = match (holder.file.rsplit('/').next(), holder.line) {
        (None | Some(""), _) => String::new(),
        (Some(file), 0) => format!(" ({file})"),
        (Some(file), line) => format!(" ({file}:{line})"),
    };
    let is_named = !holder.variable.is_empty();
    match holder.kind {
        HolderKind::Module if is_named => {
            format!("variable {} in {}{declared}", variable(holder), module())
        }
        HolderKind::Module => format!("data of {} at {:#x}", module(), holder.address),
        HolderKind::Thread if is_named => {
            format!("thread-local variable {}{declared}", variable(holder))
        }
        HolderKind::Thread => format!("the stack of thread {}", holder.place),
        HolderKind::Registers => format!("a register of thread {}", holder.place),
        HolderKind::Unknown => format!("memory of unknown use at {:#x}", holder.address),
    }
}

/// What one step is: `an array of 602 pointers`.
pub fn step(step: &Step) -> String {
    let many = match step.elements {
        0 => String::new(),
        elements => format!("{elements} "),
    };
    match step.shape {
        Some(Shape::List) => "nodes of a list".to_string(),
        Some(Shape::DoublyLinkedList) => "nodes of a doubly linked list".to_string(),
        Some(Shape::Tree) => "nodes of a tree, as of std::map".to_string(),
        Some(Shape::HashNodes) => "nodes of a hash map".to_string(),
        Some(Shape::HashBuckets) => "the buckets of a hash map".to_string(),
        Some(Shape::DequeChunks) => "chunks of a std::deque".to_string(),
        Some(Shape::DequeMap) => "the map of a std::deque".to_string(),
        Some(Shape::Pointers) => format!("an array of {many}pointers"),
        Some(Shape::Structs) => format!("an array of {many}structs with pointers"),
        None if step.is_repeated => "blocks that hold each other".to_string(),
        None => match step.offset {
            Some(0) | None => "a block".to_string(),
            Some(offset) => format!("a block, at offset {offset}"),
        },
    }
}

/// `held by variable names in libsim.so (sim.cpp:41): an array of 602 pointers`.
pub fn chain(profile: &Profile, paths: &mut PathReader<'_>, chain: &Chain) -> String {
    let mut words = |one: &Step| {
        let mut text = step(one);
        if one.stack != chain.stack
            && let Some(function) = function_of(profile, paths, one.stack)
        {
            text.push_str(&format!(" of {function}"));
        }
        text
    };
    let steps = &chain.steps;
    let left_out = match steps.len() > MOST_STEPS {
        true => MOST_STEPS / 2..steps.len() - MOST_STEPS / 2,
        false => steps.len()..steps.len(),
    };
    let mut told: Vec<String> = steps[..left_out.start].iter().map(&mut words).collect();
    if !left_out.is_empty() {
        told.push(format!("{} more", left_out.len()));
    }
    told.extend(steps[left_out.end..].iter().map(&mut words));
    let held = format!("held by {}", holder(&chain.root));
    match told.is_empty() {
        true => held,
        false => format!("{held}: {}", told.join(" > ")),
    }
}

/// The function that allocated the blocks of a stack, without the library's own.
fn function_of(profile: &Profile, paths: &mut PathReader<'_>, stack: StackId) -> Option<String> {
    let node: NodeId = profile.stacks.get(stack as usize)?.node;
    let shown = shown_path(paths, node).shown;
    let own = shown.rsplit(" > ").find(|name| !name.starts_with("std::"));
    own.map(str::to_string)
}

/// What a stack left, in one line: what is lost of it, or who holds most of it. `None` where no
/// picture knows the stack.
pub fn of_stack(profile: &Profile, paths: &mut PathReader<'_>, stack: StackId) -> Option<String> {
    let picture = profile.picture.as_ref()?;
    let amounts = Amounts::of(picture, stack);
    if amounts.all_bytes == 0 {
        return None;
    }
    let lost = amounts.lost();
    let of_all = || share(lost, amounts.all_bytes);
    if lost >= amounts.all_bytes.div_ceil(2) {
        let rest = match amounts.is_rest_young(picture) {
            true => format!("; the rest is younger than {YOUNG_EVENTS} events"),
            false => String::new(),
        };
        let how = match amounts.in_cycle >= lost.div_ceil(2) {
            true => "lost in cycles",
            false if amounts.held_by_lost > lost / 2 => "held by lost blocks alone",
            false => "lost: nothing points to it",
        };
        return Some(format!("{} of it {how}{rest}", of_all()));
    }
    let largest = picture.chains.iter().find(|chain| chain.stack == stack)?;
    let mut text = chain(profile, paths, largest);
    if lost > 0 {
        text.push_str(&format!("; {} of it lost", of_all()));
    }
    Some(text)
}

/// Bytes of one stack, by what holds them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Amounts {
    all_bytes: u64,
    lost: u64,
    in_cycle: u64,
    held_by_lost: u64,
    /// The oldest birth of what is held.
    oldest_held: Option<u32>,
}

impl Amounts {
    fn of(picture: &Picture, stack: StackId) -> Amounts {
        let mut amounts = Amounts::default();
        let from = picture.sums.partition_point(|sum| sum.stack < stack);
        for sum in picture.sums[from..]
            .iter()
            .take_while(|sum| sum.stack == stack)
        {
            let add = |to: &mut u64| *to = to.saturating_add(sum.bytes);
            add(&mut amounts.all_bytes);
            match sum.state {
                HeldState::Lost => add(&mut amounts.lost),
                HeldState::LostInCycle => add(&mut amounts.in_cycle),
                HeldState::HeldByLost => add(&mut amounts.held_by_lost),
                HeldState::Held | HeldState::HeldInside => {
                    let oldest = amounts.oldest_held.unwrap_or(sum.birth);
                    amounts.oldest_held = Some(oldest.min(sum.birth));
                }
            }
        }
        amounts
    }

    fn lost(&self) -> u64 {
        let in_cycle_or_by_lost = self.in_cycle.saturating_add(self.held_by_lost);
        self.lost.saturating_add(in_cycle_or_by_lost)
    }

    fn is_rest_young(&self, picture: &Picture) -> bool {
        let youngest = picture.event.saturating_sub(YOUNG_EVENTS - 1);
        self.oldest_held.is_some_and(|birth| birth >= youngest)
    }
}

/// When it was taken, and what that took.
pub fn moment(picture: &Picture, unit: &str) -> Vec<String> {
    let mut lines = vec![format!(
        "picture {}: {} in {}; the program was held up for {}, and read for {}",
        picture.when(unit),
        bytes(picture.bytes),
        counted(picture.blocks, "block", "blocks"),
        residue_profile::units::duration(picture.took_ns),
        residue_profile::units::duration(picture.read_ns),
    )];
    if picture.others_ran {
        lines.push(
            "other threads could not be stopped and ran meanwhile: what they moved may seem lost"
                .to_string(),
        );
    }
    if picture.unread_bytes > 0 {
        lines.push(format!(
            "{} could not be read: what only they hold seems lost",
            bytes(picture.unread_bytes)
        ));
    }
    if picture.is_incomplete {
        lines.push(
            "the table of live blocks changed and could not be kept: blocks may be missing"
                .to_string(),
        );
    }
    lines
}
