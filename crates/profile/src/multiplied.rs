//! What a few stored bytes may become for whoever walks over a profile. A reader makes a
//! step of each function that was inlined at each node of the tree, and a name of each
//! frame that has none; a small file that shares long chains or long names among
//! everything would fill any memory. The bounds follow the length of the file, as those of
//! its sections do.

use std::collections::HashSet;

use crate::error::{Damage, Reason};
use crate::layout::Tag;
use crate::model::*;

/// Steps of paths, inlined functions included: some hundred bytes each, at most, while a
/// report is made.
const FREE_STEPS: u64 = 2 << 20;
const STEPS_PER_STORED_BYTE: u64 = 16;
/// Names of functions, once for each file and library that they stand in.
const FREE_NAME_BYTES: u64 = 64 << 20;
const NAME_BYTES_PER_STORED_BYTE: u64 = 64;
const LONGEST_SHARED_NAME_BYTES: usize = 256;
/// Longer than what compilers make of functions and paths, and programs of counters.
const LONGEST_FUNCTION_BYTES: usize = 256 << 10;
const LONGEST_SOURCE_PATH_BYTES: usize = 16 << 10;
const LONGEST_NAME_BYTES: usize = 4096;
/// No file system has longer names than the second, nor Linux longer paths than the first.
const LONGEST_PATH_BYTES: usize = 4096;
const LONGEST_FILE_NAME_BYTES: usize = 255;

impl Profile {
    /// Takes out of a profile that was read from so many bytes what would multiply beyond
    /// reason, and says so.
    pub(crate) fn bound_what_multiplies(&mut self, file_bytes: u64) -> Vec<Damage> {
        let names = self.bound_names();
        let chains = self.bound_inlined(file_bytes);
        let shared = self.bound_shared_names(file_bytes);
        let picture = self.bound_picture(file_bytes);
        let others = chains.into_iter().chain(shared).chain(picture);
        names.into_iter().chain(others).collect()
    }

    /// Rows of a picture are shown with the paths of their stacks: without those beyond what all
    /// of them may pass through.
    fn bound_picture(&mut self, file_bytes: u64) -> Option<Damage> {
        let picture = self.picture.as_mut()?;
        let mut left = file_bytes
            .saturating_mul(STEPS_PER_STORED_BYTE)
            .saturating_add(FREE_STEPS);
        let mut depths: Vec<u64> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let above = depths.get(node.parent as usize).copied().unwrap_or(0);
            depths.push(above + 1);
        }
        let depth_of = |stack: u32| {
            let node = self.stacks.get(stack as usize).map(|it| it.node as usize);
            node.and_then(|node| depths.get(node)).copied().unwrap_or(1)
        };
        let mut out = 0_u64;
        let mut keep = |steps: u64| {
            let is_kept = steps <= left;
            left -= if is_kept { steps } else { 0 };
            out += u64::from(!is_kept);
            is_kept
        };
        picture.chains.retain(|chain| {
            let on_the_way = chain.steps.iter().map(|step| depth_of(step.stack));
            keep(depth_of(chain.stack).saturating_add(on_the_way.sum()))
        });
        picture.retained.retain(|row| keep(depth_of(row.stack)));
        if let Some(pins) = &mut picture.pins {
            pins.stacks.retain(|row| keep(depth_of(row.stack)));
        }
        (out > 0).then(|| {
            let what = format!("{out} rows pass through too many calls");
            Reason::bad(what).of(Tag::HOLD)
        })
    }

    /// Without inlined functions, where all nodes together pass through too many.
    fn bound_inlined(&mut self, file_bytes: u64) -> Option<Damage> {
        let limit = file_bytes
            .saturating_mul(STEPS_PER_STORED_BYTE)
            .saturating_add(FREE_STEPS);
        let at_most = self.longest_chain().saturating_mul(self.nodes.len() as u64);
        if at_most <= limit {
            return None;
        }
        let steps_of = |node: &Node| self.places.row(node.frame as usize).len().max(1) as u64;
        let steps = self.nodes.iter().map(steps_of);
        let steps = steps.fold(0, u64::saturating_add);
        if steps <= limit {
            return None;
        }
        self.places = Ragged::default();
        let reason = Reason::Multiplies { steps, file_bytes };
        Some(reason.of(Tag::PLAC))
    }

    /// Names that are readable once for each file and library they stand in, where these are
    /// many.
    fn bound_shared_names(&mut self, file_bytes: u64) -> Option<Damage> {
        let limit = file_bytes
            .saturating_mul(NAME_BYTES_PER_STORED_BYTE)
            .saturating_add(FREE_NAME_BYTES);
        let length = |function: FunctionId| {
            let name = self.functions.get(function as usize);
            name.map_or(0, |name| name.len() as u64)
        };
        let functions = self.places.items().iter().map(|place| place.function);
        let functions = functions.chain(self.frames.iter().map(|frame| frame.function));
        let at_most = functions.map(length).fold(0, u64::saturating_add);
        if at_most <= limit {
            return None;
        }
        let mut known = HashSet::new();
        let mut bytes = 0_u64;
        for (row, frame) in self.frames.iter().enumerate() {
            let own = (frame.function, NONE, frame.module);
            let places = self.places.row(row).iter();
            let inlined = places.map(|place| (place.function, place.file, frame.module));
            for subject in inlined.chain([own]) {
                if known.insert(subject) {
                    bytes = bytes.saturating_add(length(subject.0));
                }
            }
        }
        if bytes <= limit {
            return None;
        }
        let mut cut = 0;
        for name in &mut self.functions {
            cut += usize::from(cut_to(name, LONGEST_SHARED_NAME_BYTES));
        }
        let what = format!("{cut} names that stand in many files are too long and were cut");
        Some(Reason::bad(what).of(Tag::FUNC))
    }

    fn longest_chain(&self) -> u64 {
        let rows = 0..self.places.rows();
        let lengths = rows.map(|row| self.places.row(row).len());
        lengths.max().unwrap_or(0) as u64
    }

    /// Long names are cut: they are made anew for each place that they stand at.
    fn bound_names(&mut self) -> Vec<Damage> {
        let mut damages = Vec::new();
        let mut bound = |tag, cut: usize| {
            if cut > 0 {
                let what = format!("{cut} names are too long and were cut");
                damages.push(Reason::bad(what).of(tag));
            }
        };
        let cut_all = |texts: &mut [String], longest| {
            let cut = texts.iter_mut().map(|text| cut_to(text, longest));
            cut.filter(|&is_cut| is_cut).count()
        };
        bound(
            Tag::FUNC,
            cut_all(&mut self.functions, LONGEST_FUNCTION_BYTES),
        );
        bound(
            Tag::FILE,
            cut_all(&mut self.files, LONGEST_SOURCE_PATH_BYTES),
        );
        let modules = self.modules.iter_mut();
        let modules = modules.filter_map(|module| cut_path(&mut module.path).then_some(()));
        bound(Tag::MODS, modules.count());
        let threads = self.threads.iter_mut();
        let threads = threads.map(|thread| cut_to(&mut thread.name, LONGEST_FILE_NAME_BYTES));
        bound(Tag::THRD, threads.filter(|&is_cut| is_cut).count());
        let names = cut_all(&mut self.timeline.names, LONGEST_NAME_BYTES);
        bound(Tag::TIME, names);
        damages
    }
}

/// Cuts the path, and its file name, to what can be one.
fn cut_path(path: &mut String) -> bool {
    let name_at = path.rfind('/').map_or(0, |slash| slash + 1);
    if path.len() <= LONGEST_PATH_BYTES && path.len() - name_at <= LONGEST_FILE_NAME_BYTES {
        return false;
    }
    let mut name = path.split_off(name_at);
    cut_to(&mut name, LONGEST_FILE_NAME_BYTES);
    cut_to(path, LONGEST_PATH_BYTES);
    path.push_str(&name);
    true
}

fn cut_to(text: &mut String, longest_bytes: usize) -> bool {
    let is_long = text.len() > longest_bytes;
    if is_long {
        let mut ends = (0..=longest_bytes).rev();
        let end = ends.find(|&at| text.is_char_boundary(at));
        text.truncate(end.unwrap_or(0));
    }
    is_long
}
