//! The promises a [`Profile`] makes to whoever walks over it: every id points
//! into its table, a parent stands before its children, rows belong to stacks.

use crate::error::{Damage, Reason};
use crate::layout::Tag;
use crate::model::*;

/// Sizes are 64-bit numbers.
const MAX_BITS: u8 = 64;

impl Profile {
    /// Makes the profile consistent and says what had to be changed; says
    /// nothing where all was well. An id that points nowhere becomes [`NONE`]
    /// or [`ROOT`]; a row of the timeline that does is dropped.
    pub fn repair(&mut self) -> Vec<Damage> {
        let mut damages = Vec::new();
        self.repair_frames(&mut damages);
        self.repair_without_table(&mut damages);
        self.repair_places(&mut damages);
        self.repair_nodes(&mut damages);
        self.repair_stacks(&mut damages);
        self.repair_rows(&mut damages);
        self.repair_threads(&mut damages);
        let (stacks, nodes) = (self.stacks.len(), self.nodes.len());
        damages.extend(self.timeline.repair(stacks, nodes));
        if let Some(picture) = &mut self.picture {
            damages.extend(picture.repair(stacks));
        }
        damages
    }

    fn repair_frames(&mut self, damages: &mut Vec<Damage>) {
        let mut modules = Wrong::new(Tag::FRAM, "frames point to no module");
        let mut functions = Wrong::new(Tag::FRAM, "frames point to no function");
        for (index, frame) in self.frames.iter_mut().enumerate() {
            if frame.module != NONE && frame.module as usize >= self.modules.len() {
                frame.module = NONE;
                modules.count(index);
            }
            if frame.function != NONE && frame.function as usize >= self.functions.len() {
                frame.function = NONE;
                functions.count(index);
            }
        }
        damages.extend([modules, functions].into_iter().filter_map(Wrong::damage));
    }

    fn repair_without_table(&mut self, damages: &mut Vec<Damage>) {
        let frames = self.frames.len();
        let mut wrong = Wrong::new(Tag::NTAB, "rows are no frame, or not in order");
        let mut index = 0;
        let mut last = None;
        self.without_table.retain(|&frame| {
            let is_right = (frame as usize) < frames && last < Some(frame);
            match is_right {
                true => last = Some(frame),
                false => wrong.count(index),
            }
            index += 1;
            is_right
        });
        damages.extend(wrong.damage());
    }

    fn repair_places(&mut self, damages: &mut Vec<Damage>) {
        let mut functions = Wrong::new(Tag::PLAC, "places point to no function");
        let mut files = Wrong::new(Tag::PLAC, "places point to no file");
        // There need not be any.
        if self.places.rows() > 0 {
            fit_rows(
                Tag::PLAC,
                &mut self.places,
                self.frames.len(),
                "frames",
                damages,
            );
        }
        for (index, place) in self.places.items_mut().iter_mut().enumerate() {
            if place.function != NONE && place.function as usize >= self.functions.len() {
                place.function = NONE;
                functions.count(index);
            }
            if place.file != NONE && place.file as usize >= self.files.len() {
                place.file = NONE;
                files.count(index);
            }
        }
        damages.extend([functions, files].into_iter().filter_map(Wrong::damage));
    }

    fn repair_nodes(&mut self, damages: &mut Vec<Damage>) {
        let root = Node {
            parent: ROOT,
            frame: NONE,
        };
        let mut roots = Wrong::new(Tag::NODE, "nodes are in the place of the root");
        let mut parents = Wrong::new(Tag::NODE, "nodes do not stand behind their parent");
        let mut frames = Wrong::new(Tag::NODE, "nodes point to no frame");
        if self.nodes.is_empty() && !self.stacks.is_empty() {
            self.nodes.push(root);
            roots.count(0);
        }
        if let Some(first) = self.nodes.first_mut().filter(|first| **first != root) {
            *first = root;
            roots.count(0);
        }
        for (index, node) in self.nodes.iter_mut().enumerate().skip(1) {
            if node.parent as usize >= index {
                node.parent = ROOT;
                parents.count(index);
            }
            let special = node.frame == NONE || node.frame == CUT;
            if !special && node.frame as usize >= self.frames.len() {
                node.frame = NONE;
                frames.count(index);
            }
        }
        damages.extend(
            [roots, parents, frames]
                .into_iter()
                .filter_map(Wrong::damage),
        );
    }

    fn repair_stacks(&mut self, damages: &mut Vec<Damage>) {
        let mut nodes = Wrong::new(Tag::STAK, "stacks point to no node");
        for (index, stack) in self.stacks.iter_mut().enumerate() {
            if stack.node as usize >= self.nodes.len() {
                stack.node = ROOT;
                nodes.count(index);
            }
        }
        damages.extend(nodes.damage());
    }

    fn repair_rows(&mut self, damages: &mut Vec<Damage>) {
        let stacks = self.stacks.len();
        for (tag, sizes) in [
            (Tag::HTOT, &mut self.sizes_total),
            (Tag::HLIV, &mut self.sizes_live),
        ] {
            fit_rows(tag, sizes, stacks, "stacks", damages);
            let mut bits = Wrong::new(tag, "rows count blocks of impossible size");
            fix_rows(
                sizes,
                |row| row.iter().all(|bin| bin.bits <= MAX_BITS),
                |row| row.retain(|bin| bin.bits <= MAX_BITS),
                &mut bits,
            );
            damages.extend(bits.damage());
        }
        fit_rows(Tag::BRTH, &mut self.births, stacks, "stacks", damages);
        let mut order = Wrong::new(Tag::BRTH, "rows are not in order of birth");
        fix_rows(
            &mut self.births,
            |row| row.is_sorted_by_key(|bin| bin.birth),
            |row| row.sort_by_key(|bin| bin.birth),
            &mut order,
        );
        damages.extend(order.damage());
    }

    fn repair_threads(&mut self, damages: &mut Vec<Damage>) {
        // There need not be any.
        if self.by_thread.rows() > 0 {
            let stacks = self.stacks.len();
            fit_rows(Tag::THST, &mut self.by_thread, stacks, "stacks", damages);
        }
        let threads = self.threads.len();
        let is_known = |counters: &ThreadCounters| (counters.thread as usize) < threads;
        let mut unknown = Wrong::new(Tag::THST, "rows point to no thread");
        fix_rows(
            &mut self.by_thread,
            |row| row.iter().all(is_known),
            |row| row.retain(is_known),
            &mut unknown,
        );
        let mut order = Wrong::new(Tag::THST, "rows are not in order of threads");
        fix_rows(
            &mut self.by_thread,
            |row| row.is_sorted_by_key(|counters| counters.thread),
            |row| row.sort_by_key(|counters| counters.thread),
            &mut order,
        );
        damages.extend([unknown, order].into_iter().filter_map(Wrong::damage));
    }
}

/// Gives the table one row for each of `owners`.
fn fit_rows<T: Copy>(
    tag: Tag,
    rows: &mut Ragged<T>,
    owners: usize,
    owners_name: &str,
    damages: &mut Vec<Damage>,
) {
    if rows.rows() != owners {
        let what = format!("{} rows for {owners} {owners_name}", rows.rows());
        damages.push(Reason::bad(what).of(tag));
        *rows = copy_rows(rows, owners, |_| {});
    }
}

/// Rewrites the rows that are not good; touches nothing where all are.
fn fix_rows<T: Copy>(
    rows: &mut Ragged<T>,
    good: impl Fn(&[T]) -> bool,
    fix: impl Fn(&mut Vec<T>),
    wrong: &mut Wrong,
) {
    for index in 0..rows.rows() {
        if !good(rows.row(index)) {
            wrong.count(index);
        }
    }
    if wrong.rows > 0 {
        *rows = copy_rows(rows, rows.rows(), fix);
    }
}

fn copy_rows<T: Copy>(from: &Ragged<T>, rows: usize, change: impl Fn(&mut Vec<T>)) -> Ragged<T> {
    let mut copy = Ragged::default();
    for index in 0..rows {
        let mut row = from.row(index).to_vec();
        change(&mut row);
        copy.push_row(row);
    }
    copy
}

/// Counts one kind of mistake, to report it once.
pub(crate) struct Wrong {
    section: Tag,
    what: &'static str,
    rows: usize,
    first: usize,
}

impl Wrong {
    pub fn new(section: Tag, what: &'static str) -> Self {
        Wrong {
            section,
            what,
            rows: 0,
            first: 0,
        }
    }

    pub fn count(&mut self, index: usize) {
        if self.rows == 0 {
            self.first = index;
        }
        self.rows += 1;
    }

    pub fn damage(self) -> Option<Damage> {
        let Wrong {
            rows, what, first, ..
        } = self;
        let text = format!("{rows} {what}, the first is number {first}");
        (rows > 0).then(|| Reason::bad(text).of(self.section))
    }
}
