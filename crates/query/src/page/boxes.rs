//! The boxes of a flame graph: the widest ones below a root, few enough to be sent and
//! drawn, whatever the size of the tree.
//!
//! ```text
//!   root ── the widest box that is waiting ──► sent, and what is below it waits too
//!                 │ too narrow to be seen, or too many
//!                 └──► counted as left out
//! ```
//!
//! A box is never wider than the one above it, so parents are sent before children. Boxes
//! below one stand side by side from its left edge, the widest first; so a box stands where
//! it stands, however narrow the boxes are that are sent. Where the reader looks at a part
//! of the width alone, the boxes of that part are sent down to a narrower one.

use std::collections::BinaryHeap;

use residue_calltree::LabelId;

/// Boxes that are sent.
pub const MOST_BOXES: usize = 4000;
/// A box narrower than this part of the root is less than half a pixel of a wide screen.
const NARROWEST: u64 = 4000;

/// What a box stands for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Width {
    pub value: u64,
    pub own: u64,
    /// On the other side of a comparison.
    pub base: u64,
    /// The larger side of each stack, summed: equal to the value without a comparison.
    pub weight: u64,
}

impl Width {
    /// Both together.
    pub fn with(self, other: Width) -> Width {
        Width {
            value: self.value.saturating_add(other.value),
            own: self.own.saturating_add(other.own),
            base: self.base.saturating_add(other.base),
            weight: self.weight.saturating_add(other.weight),
        }
    }
}

/// A part of the root's width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub left: u64,
    pub right: u64,
}

impl Window {
    fn holds(&self, start: u64, weight: u64) -> bool {
        start < self.right && start.saturating_add(weight) > self.left
    }

    fn width(&self) -> u64 {
        self.right.saturating_sub(self.left).max(1)
    }
}

/// A box that is sent; `parent` is an index among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent<P> {
    pub place: P,
    pub parent: usize,
    pub label: LabelId,
    pub width: Width,
    /// Where it begins, in weight from the left edge of the root.
    pub start: u64,
}

pub struct Boxes<P> {
    pub sent: Vec<Sent<P>>,
    pub left_out: u64,
}

/// What lies below a place, by function.
pub struct Below<P> {
    pub wide: Vec<(P, LabelId, Width)>,
    /// Those with less than was asked for.
    pub narrow: u64,
}

struct Waiting<P> {
    depth: usize,
    /// As wide as it is on the screen.
    seen: u128,
    /// Earlier first where two are equally wide, so that the order is always the same.
    number: usize,
    sent: Sent<P>,
}

impl<P> Waiting<P> {
    fn rank(&self) -> (u128, std::cmp::Reverse<usize>) {
        (self.seen, std::cmp::Reverse(self.number))
    }
}

impl<P> PartialEq for Waiting<P> {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}
impl<P> Eq for Waiting<P> {}
impl<P> PartialOrd for Waiting<P> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<P> Ord for Waiting<P> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// The widest boxes from a root on; of a part of its width narrower ones too. `below` says
/// what lies below a place and has at least a weight.
pub fn widest<P>(
    root: (P, LabelId, Width),
    most_depth: usize,
    window: Option<Window>,
    mut below: impl FnMut(&P, u64) -> Below<P>,
) -> Boxes<P> {
    let whole = root.2.weight;
    let window = window.unwrap_or(Window {
        left: 0,
        right: whole,
    });
    let least = (whole / NARROWEST).max(1);
    let least_in_window = (window.width() / NARROWEST).max(1).min(least);
    // A box in the window is drawn wider by so much, and no box below another is wider than it.
    let seen = |weight: u64, is_in_window: bool| match is_in_window {
        true => u128::from(weight) * u128::from(whole.max(1)) / u128::from(window.width()),
        false => u128::from(weight),
    };
    let mut boxes = Boxes {
        sent: Vec::new(),
        left_out: 0,
    };
    let mut number = 0;
    let mut waiting = BinaryHeap::new();
    let (place, label, width) = root;
    waiting.push(Waiting {
        depth: 0,
        seen: u128::MAX,
        number,
        sent: Sent {
            place,
            parent: 0,
            label,
            width,
            start: 0,
        },
    });
    while let Some(next) = waiting.pop() {
        if boxes.sent.len() == MOST_BOXES {
            boxes.left_out += 1 + waiting.len() as u64;
            break;
        }
        let parent = boxes.sent.len();
        if next.depth < most_depth {
            let Sent { start, width, .. } = next.sent;
            let least_below = match window.holds(start, width.weight) {
                true => least_in_window,
                false => least,
            };
            let mut below = below(&next.sent.place, least_below);
            boxes.left_out += below.narrow;
            let weight = |(_, _, width): &(P, LabelId, Width)| width.weight;
            below.wide.sort_by_key(|it| std::cmp::Reverse(weight(it)));
            let mut start = start;
            for (place, label, width) in below.wide {
                let is_in_window = window.holds(start, width.weight);
                number += 1;
                if is_in_window || width.weight >= least {
                    waiting.push(Waiting {
                        depth: next.depth + 1,
                        seen: seen(width.weight, is_in_window),
                        number,
                        sent: Sent {
                            place,
                            parent,
                            label,
                            width,
                            start,
                        },
                    });
                }
                start = start.saturating_add(width.weight);
            }
        }
        boxes.sent.push(next.sent);
    }
    boxes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: u64) -> Width {
        Width {
            value,
            own: 0,
            base: 0,
            weight: value,
        }
    }

    /// A place is a path of numbers; everything splits into three unequal parts.
    fn split(whole: u64, least: u64) -> Below<u64> {
        let parts = [(whole / 2, 0), (whole / 4, 1), (whole / 8, 2)];
        let (wide, narrow): (Vec<_>, Vec<_>) = parts
            .into_iter()
            .filter(|(value, _)| *value > 0)
            .partition(|(value, _)| *value >= least);
        Below {
            wide: wide
                .into_iter()
                .map(|(value, label)| (value, label, of(value)))
                .collect(),
            narrow: narrow.len() as u64,
        }
    }

    #[test]
    fn parents_come_before_children_and_the_widest_first() {
        let boxes = widest((64, 9, of(64)), 2, None, |place, least| {
            split(*place, least)
        });
        let sent: Vec<(u64, usize)> = boxes.sent.iter().map(|it| (it.place, it.parent)).collect();
        let expected = [
            (64, 0),
            (32, 0),
            (16, 0),
            (16, 1),
            (8, 0),
            (8, 1),
            (8, 2),
            (4, 1),
            (4, 2),
            (4, 4),
            (2, 2),
            (2, 4),
            (1, 4),
        ];
        assert_eq!(sent, expected);
        assert_eq!(boxes.left_out, 0);
    }

    #[test]
    fn what_is_too_narrow_or_too_much_is_counted() {
        let whole = NARROWEST * 8;
        let boxes = widest((whole, 0, of(whole)), 99, None, |place, least| {
            split(*place, least)
        });
        assert!(boxes.sent.iter().all(|it| it.width.weight >= 8));
        assert!(boxes.left_out > 0);
        // A tree in which every place has ten thousand equal parts.
        let flat = |_: &u64, _: u64| Below {
            wide: (0..10_000).map(|label| (1, label, of(1))).collect(),
            narrow: 0,
        };
        let boxes = widest((10_000, 0, of(10_000)), 1, None, flat);
        assert_eq!(boxes.sent.len(), MOST_BOXES);
        assert_eq!(boxes.left_out, 10_001 - MOST_BOXES as u64);
    }

    #[test]
    fn a_part_of_the_width_has_narrower_boxes_and_none_has_moved() {
        let whole = NARROWEST * 64;
        let of_window = |window| {
            widest((whole, 0, of(whole)), 99, window, |place, least| {
                split(*place, least)
            })
        };
        let all = of_window(None);
        let window = Window {
            left: whole / 2,
            right: whole / 2 + whole / 64,
        };
        let part = of_window(Some(window));
        let narrowest = |boxes: &Boxes<u64>| boxes.sent.iter().map(|it| it.width.weight).min();
        assert!(narrowest(&part) < narrowest(&all));
        assert!(part.sent.len() <= MOST_BOXES);
        for sent in &part.sent {
            let is_wide = sent.width.weight >= 64;
            assert!(is_wide || window.holds(sent.start, sent.width.weight));
            let parent = &part.sent[sent.parent];
            assert!(sent.start >= parent.start);
            assert!(sent.start + sent.width.weight <= parent.start + parent.width.weight);
        }
        // What both have stands at the same places.
        let places = |boxes: &Boxes<u64>| -> Vec<(u64, u64)> {
            let wide = boxes.sent.iter().filter(|it| it.width.weight >= whole / 8);
            let mut places: Vec<_> = wide.map(|it| (it.width.weight, it.start)).collect();
            places.sort_unstable();
            places
        };
        assert_eq!(places(&part), places(&all));
        assert!(places(&all).contains(&(whole / 4, whole / 2)));
    }
}
