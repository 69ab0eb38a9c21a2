//! What only heaptrack's raw files have: modules at their addresses, and blocks by
//! pointer.

use std::collections::HashMap;
use std::ops::Range;

use residue_profile::timeline::StackId;
use residue_profile::{Frame, FrameId, Module, ModuleId, NONE};

use crate::fields::Fields;
use crate::replay::{ClassId, Replay};
use crate::stacks::Stacks;

#[derive(Default)]
pub(crate) struct Raw {
    is_raw: bool,
    executable: Vec<u8>,
    /// Pieces of modules in memory now, in the order of addresses once looked at.
    pieces: Vec<Piece>,
    is_sorted: bool,
    /// Of addresses in the modules that are loaded now.
    frames: HashMap<u64, FrameId>,
    classes: HashMap<(StackId, u64), ClassId>,
    blocks: HashMap<u64, ClassId>,
}

struct Piece {
    range: Range<u64>,
    module: ModuleId,
    bias: u64,
}

impl Raw {
    pub fn is_raw(&self) -> bool {
        self.is_raw
    }

    pub fn set_executable(&mut self, path: &[u8]) {
        self.is_raw = true;
        self.executable = path.to_vec();
    }

    /// `PATH BIAS [START SIZE]...`, or `-` where the list begins anew.
    pub fn module(&mut self, stacks: &mut Stacks, path: &[u8], mut fields: Fields) -> Option<()> {
        self.is_raw = true;
        if path == b"-" {
            self.pieces.clear();
            self.frames.clear();
            return Some(());
        }
        let path = if path == b"x" { &self.executable } else { path };
        let bias = fields.next_hexadecimal()?;
        let mut ranges: Vec<Range<u64>> = Vec::new();
        while let Some(offset) = fields.next_hexadecimal() {
            let start = bias.wrapping_add(offset);
            ranges.push(start..start.checked_add(fields.next_hexadecimal()?)?);
        }
        let start = ranges.iter().map(|range| range.start).min();
        let module = stacks.module(Module {
            path: String::from_utf8_lossy(path).into_owned(),
            build_id: String::new(),
            start: start.unwrap_or(bias),
            end: ranges.iter().map(|range| range.end).max().unwrap_or(bias),
            bias,
        });
        self.pieces.extend(ranges.into_iter().map(|range| Piece {
            range,
            module,
            bias,
        }));
        self.is_sorted = false;
        self.frames.clear();
        Some(())
    }

    /// heaptrack writes the last byte of a call, the model has the address behind it.
    pub fn frame(&mut self, stacks: &mut Stacks, call: u64) -> FrameId {
        if let Some(&known) = self.frames.get(&call) {
            return known;
        }
        if !self.is_sorted {
            self.pieces.sort_by_key(|piece| piece.range.start);
            self.is_sorted = true;
        }
        let behind = self
            .pieces
            .partition_point(|piece| piece.range.start <= call);
        let piece = behind.checked_sub(1).map(|last| &self.pieces[last]);
        let piece = piece.filter(|piece| piece.range.contains(&call));
        let frame = Frame {
            module: piece.map_or(NONE, |piece| piece.module),
            address: call
                .wrapping_add(1)
                .wrapping_sub(piece.map_or(0, |piece| piece.bias)),
            function: NONE,
        };
        let frame = stacks.frame(frame, Vec::new());
        self.frames.insert(call, frame);
        frame
    }

    pub fn class(&mut self, replay: &mut Replay, stack: StackId, size_bytes: u64) -> ClassId {
        *self
            .classes
            .entry((stack, size_bytes))
            .or_insert_with(|| replay.add_class(stack, size_bytes))
    }

    /// True where a block was there already, whose free was missed.
    pub fn remember(&mut self, pointer: u64, class: ClassId) -> bool {
        self.blocks.insert(pointer, class).is_some()
    }

    pub fn forget(&mut self, pointer: u64) -> Option<ClassId> {
        self.blocks.remove(&pointer)
    }
}
