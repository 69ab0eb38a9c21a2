//! massif's files: snapshots of the heap, some with a tree of who allocated it.
//!
//! ```text
//!   time_unit: i
//!   snapshot=5
//!   time=1844447
//!   mem_heap_B=73669
//!   heap_tree=detailed
//!   n2: 73669 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
//!    n1: 72704 0x4004A1D: call_init (dl-init.c:74)
//!     n0: 72704 0x401AB9F: ??? (in /usr/lib/ld.so)
//!    n0: 965 in 3 places, all below massif's threshold (1.00%)
//! ```
//!
//! The tree grows from the allocation to its callers, with the depth in blanks. What
//! the callers of a node do not account for is counted at the node itself.

use std::collections::BTreeMap;

use residue_profile::timeline::StackId;
use residue_profile::{Frame, FrameId, NONE, ROOT, SourcePlace, StackKind};

use crate::error::Wrong;
use crate::fields::Fields;
use crate::lines::Lines;
use crate::stacks::Stacks;
use crate::ticks::{StackChange, Ticks};

pub fn is_start(first_line: &[u8]) -> bool {
    first_line.starts_with(b"desc: ") || first_line == b"desc:"
}

pub fn read(mut lines: Lines) -> Result<Stacks, Wrong> {
    let mut reader = Reader::default();
    while lines.advance()? {
        lines.keep()?;
        let read = reader.line(lines.line());
        read.map_err(|reason| lines.unreadable(&reason, lines.line()))?;
    }
    lines.must_be_whole()?;
    let ended = reader.end_snapshot();
    ended.map_err(|reason| lines.wrong(reason))?;
    reader.finish()
}

#[derive(Default)]
struct Reader {
    stacks: Stacks,
    ticks: Ticks,
    /// How many nanoseconds one unit of time stands for.
    unit_ns: u64,
    notes: Vec<String>,
    snapshot: Option<Snapshot>,
    is_of_pages: bool,
    /// Live bytes at the last snapshot with a tree.
    live: BTreeMap<StackId, u64>,
    trees: u64,
    highest_bytes: u64,
    /// Of the snapshot that `at_peak_bytes` are from.
    peak_tree_bytes: u64,
    extra_bytes: u64,
    end_ns: u64,
}

#[derive(Default)]
struct Snapshot {
    time: u64,
    heap_bytes: u64,
    has_tree: bool,
    is_peak: bool,
    /// From the allocation to the node of the line before.
    path: Vec<TreeNode>,
    live: BTreeMap<StackId, u64>,
}

struct TreeNode {
    /// `None` for the top of the tree and for what lies below massif's threshold.
    frame: Option<FrameId>,
    /// What no caller has accounted for yet.
    own_bytes: u64,
}

impl Reader {
    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        if line.trim_ascii_start().starts_with(b"n") {
            return self.tree_line(line);
        }
        if line.starts_with(b"#") || line.is_empty() {
            return Ok(());
        }
        if let Some(unit) = line.strip_prefix(b"time_unit:") {
            self.unit_ns = match unit.trim_ascii() {
                b"ms" => 1_000_000,
                _ => 1,
            };
            self.note_unit(unit.trim_ascii());
            return Ok(());
        }
        if let Some(command) = line.strip_prefix(b"cmd:") {
            let command = String::from_utf8_lossy(command);
            let words: Vec<String> = command.split_whitespace().map(String::from).collect();
            let program = words.first().and_then(|path| path.rsplit('/').next());
            self.stacks.meta.program = program.unwrap_or_default().to_string();
            self.stacks.meta.command = words;
            return Ok(());
        }
        if line.starts_with(b"desc:") {
            return Ok(());
        }
        let mut fields = Fields::new(line);
        let key = fields
            .until("=")
            .ok_or("neither KEY=VALUE nor a node of a tree")?;
        if key == b"snapshot" {
            self.end_snapshot()?;
            self.snapshot = Some(Snapshot::default());
            return Ok(());
        }
        let snapshot = self.snapshot.as_mut().ok_or("no snapshot has begun")?;
        if key == b"heap_tree" {
            snapshot.is_peak = fields.rest == b"peak";
            return Ok(());
        }
        let value = fields.decimal().filter(|_| fields.is_empty());
        let value = value.ok_or("the value is no number, or too large")?;
        match key {
            b"time" => snapshot.time = value,
            b"mem_heap_B" => snapshot.heap_bytes = value,
            b"mem_heap_extra_B" | b"mem_stacks_B" => self.extra_bytes = self.extra_bytes.max(value),
            _ => return Err("this value is not known".to_string()),
        }
        Ok(())
    }

    fn note_unit(&mut self, unit: &[u8]) {
        let unit = match unit {
            b"ms" => return,
            b"i" => "instructions",
            b"B" => "bytes allocated",
            _ => "an unknown unit",
        };
        self.notes.push(format!(
            "massif's time is in {unit}, each shown as a nanosecond"
        ));
    }

    fn tree_line(&mut self, line: &[u8]) -> Result<(), String> {
        let mut fields = Fields::new(line);
        fields.skip_blanks();
        let depth = line.len() - fields.rest.len();
        let children = fields.eat("n").and_then(|()| fields.decimal());
        children.ok_or("a node begins with n and the number of its callers")?;
        fields.eat(": ").ok_or("a node's bytes are missing")?;
        let bytes = fields
            .decimal()
            .ok_or("a node's bytes are missing or too large")?;
        let rest = fields.eat(" ").map(|()| fields.rest);
        let rest = rest.ok_or("a node has nothing but its bytes")?;
        let snapshot = self.snapshot.as_ref().ok_or("no snapshot has begun")?;
        if depth > snapshot.path.len() || depth == 0 && snapshot.has_tree {
            return Err("the node is too deep, or not below the top of its tree".to_string());
        }
        self.close(depth)?;
        let frame = match rest.starts_with(b"0x") {
            true => Some(self.frame(rest)?),
            false => None,
        };
        if depth == 0 {
            self.is_of_pages |= rest.starts_with(b"(page allocation");
        }
        let snapshot = self.snapshot.as_mut().ok_or("no snapshot has begun")?;
        snapshot.has_tree = true;
        if let Some(above) = snapshot.path.last_mut() {
            let own_bytes = above.own_bytes.checked_sub(bytes);
            above.own_bytes = own_bytes.ok_or("the callers of a node have more bytes than it")?;
        }
        snapshot.path.push(TreeNode {
            frame,
            own_bytes: bytes,
        });
        Ok(())
    }

    /// `0x4004A1D: call_init (dl-init.c:74)` or `0x401AB9F: ??? (in /usr/lib/ld.so)`.
    fn frame(&mut self, text: &[u8]) -> Result<FrameId, String> {
        let mut fields = Fields::new(text);
        let address = fields.eat("0x").and_then(|()| fields.hexadecimal());
        let address = address.ok_or("the address is missing or too large")?;
        fields.eat(": ").ok_or("the function's name is missing")?;
        let (name, place) = match fields.rest.strip_suffix(b")") {
            Some(whole) => match whole.windows(2).rposition(|pair| pair == b" (") {
                Some(at) => (&whole[..at], &whole[at + 2..]),
                None => (fields.rest, &[][..]),
            },
            None => (fields.rest, &[][..]),
        };
        let function = match name {
            b"???" => NONE,
            name => self.stacks.function(name),
        };
        let mut module = NONE;
        let mut places = Vec::new();
        if let Some(path) = place.strip_prefix(b"in ") {
            module = self.stacks.module_at(path);
        } else if let Some(colon) = place.iter().rposition(|byte| *byte == b':') {
            let line = Fields::new(&place[colon + 1..]).decimal();
            let line = line.and_then(|line| u32::try_from(line).ok());
            places.push(SourcePlace {
                function,
                file: self.stacks.file(&place[..colon]),
                line: line.ok_or("the number of the line is missing or too large")?,
            });
        }
        // Where a module lay is not said, so the address means nothing beside a name.
        let frame = Frame {
            module,
            address: if function == NONE { address } else { 0 },
            function,
        };
        Ok(self.stacks.frame(frame, places))
    }

    /// Ends the nodes from that depth on.
    fn close(&mut self, depth: usize) -> Result<(), String> {
        let Some(snapshot) = &mut self.snapshot else {
            return Ok(());
        };
        while snapshot.path.len() > depth {
            let frames = snapshot.path.iter().rev().filter_map(|node| node.frame);
            let own_bytes = snapshot.path.last().map_or(0, |node| node.own_bytes);
            if own_bytes > 0 {
                let node = self.stacks.path(frames);
                let stack = match (self.is_of_pages, node) {
                    (true, node) => self.stacks.stack(node, StackKind::Mapping),
                    (false, ROOT) => self.stacks.stack(ROOT, StackKind::Overflow),
                    (false, node) => self.stacks.stack(node, StackKind::Heap),
                };
                let sum = snapshot.live.entry(stack).or_default();
                let added = sum.checked_add(own_bytes);
                let added = added.filter(|sum| i64::try_from(*sum).is_ok());
                *sum = added.ok_or("the bytes are too many for 63 bits")?;
            }
            snapshot.path.pop();
        }
        Ok(())
    }

    fn end_snapshot(&mut self) -> Result<(), String> {
        self.close(0)?;
        let Some(snapshot) = self.snapshot.take() else {
            return Ok(());
        };
        let time_ns = snapshot.time.saturating_mul(self.unit_ns.max(1));
        self.end_ns = self.end_ns.max(time_ns);
        self.highest_bytes = self.highest_bytes.max(snapshot.heap_bytes);
        if snapshot.is_peak && self.peak_tree_bytes <= snapshot.heap_bytes {
            self.peak_tree_bytes = snapshot.heap_bytes;
            self.stacks
                .ledgers()
                .for_each(|counters| counters.at_peak_bytes = 0);
            for (&stack, &bytes) in &snapshot.live {
                self.stacks.counters(stack).at_peak_bytes = bytes;
            }
        }
        let changes = snapshot
            .has_tree
            .then(|| differences(&self.live, &snapshot.live));
        if snapshot.has_tree {
            self.trees += 1;
            self.live = snapshot.live;
        }
        self.ticks.push(time_ns, snapshot.heap_bytes, changes);
        Ok(())
    }

    fn finish(mut self) -> Result<Stacks, Wrong> {
        if self.trees == 0 {
            return Err(Wrong::whole(
                "no snapshot has a tree (heap_tree=detailed or peak)",
            ));
        }
        for (&stack, &bytes) in &self.live {
            self.stacks.counters(stack).live_bytes = bytes;
        }
        let live_bytes = self.live.values().sum();
        self.stacks.timeline = self.ticks.finish(live_bytes, Vec::new());
        self.stacks.meta.duration_ns = self.end_ns;
        if self.is_of_pages {
            self.stacks.mappings_peak_bytes = self.highest_bytes;
            for moment in &mut self.stacks.timeline.moments {
                moment.mapped_bytes = moment.live_bytes.take();
            }
        } else {
            self.stacks.heap_peak_bytes = self.highest_bytes;
        }
        self.stacks
            .lacks("calls, totals, frees, live blocks and peaks of single stacks");
        let notes = &mut self.stacks.meta.notes;
        notes.push("live is what the last snapshot with a tree shows".to_string());
        if self.extra_bytes > 0 {
            notes.push(format!(
                "overhead of the allocator and stacks are not part of it; the most was {} bytes",
                self.extra_bytes
            ));
        }
        notes.append(&mut self.notes);
        Ok(self.stacks)
    }
}

/// What changed from one snapshot to a later one, in the order of stacks.
fn differences(
    before: &BTreeMap<StackId, u64>,
    after: &BTreeMap<StackId, u64>,
) -> Vec<StackChange> {
    let gone = before.keys().filter(|stack| !after.contains_key(stack));
    let mut stacks: Vec<StackId> = gone.chain(after.keys()).copied().collect();
    stacks.sort_unstable();
    let changes = stacks.into_iter().map(|stack| {
        let bytes =
            |live: &BTreeMap<StackId, u64>| live.get(&stack).map_or(0, |bytes| *bytes as i64);
        StackChange {
            stack,
            bytes: bytes(after) - bytes(before),
            blocks: 0,
        }
    });
    changes.filter(|change| change.bytes != 0).collect()
}
