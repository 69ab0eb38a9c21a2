//! Heap profiles as text, of gperftools (tcmalloc) and of jemalloc: addresses with
//! four numbers, and the memory map to place them.
//!
//! ```text
//!   heap profile: LIVE_BLOCKS: LIVE_BYTES [CALLS: TOTAL_BYTES] @ heapprofile
//!     29:     3530 [    43:     5203] @ 0x5573e4c9c1ea 0x5573e4c9c307
//!   MAPPED_LIBRARIES:
//!   5573e4c9c000-5573e4c9d000 r-xp 00001000 00:00 10010832    /usr/bin/program
//! ```
//!
//! jemalloc writes the addresses first, and `t*: LIVE_BLOCKS: LIVE_BYTES [...]` on the
//! line below. After `heap_v2/N` and Go's
//! `heap/2N` the numbers are of samples, one in N bytes.

use residue_profile::{Frame, Module, ModuleId, NONE};

use crate::error::Wrong;
use crate::fields::Fields;
use crate::lines::Lines;
use crate::stacks::Stacks;

/// Programs that are not loaded anywhere but where they were linked lie below this.
const LOWEST_MOVED_ADDRESS: u64 = 0x1_0000_0000;

pub fn is_start(first_line: &[u8]) -> bool {
    first_line.starts_with(b"heap profile:") || first_line.starts_with(b"heap_v2/")
}

pub fn read(mut lines: Lines) -> Result<Stacks, Wrong> {
    let mut reader = Reader::default();
    let mut part = Part::Header;
    while lines.advance()? {
        lines.keep()?;
        let line = lines.line().trim_ascii();
        if line.starts_with(b"MAPPED_LIBRARIES:") {
            part = Part::Map;
            continue;
        }
        let read = match part {
            Part::Header => {
                part = Part::Stacks;
                reader.header(line)
            }
            Part::Stacks => reader.sample(line),
            Part::Map => reader.mapping(line),
        };
        read.ok_or_else(|| lines.unreadable("not a line of a heap profile", lines.line()))?;
    }
    lines.must_be_whole()?;
    Ok(reader.finish())
}

enum Part {
    Header,
    Stacks,
    Map,
}

#[derive(Default)]
struct Reader {
    samples: Vec<Sample>,
    /// jemalloc's, until the line with their numbers.
    addresses: Option<Vec<u64>>,
    pieces: Vec<Piece>,
    sample_bytes: Option<u64>,
}

struct Sample {
    live: Blocks,
    made: Blocks,
    /// Leaf first.
    addresses: Vec<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Blocks {
    count: u64,
    bytes: u64,
}

struct Piece {
    start: u64,
    end: u64,
    offset: u64,
    path: Vec<u8>,
}

impl Reader {
    fn header(&mut self, line: &[u8]) -> Option<()> {
        let mut fields = Fields::new(line);
        if fields.eat("heap profile:").is_some() {
            blocks(&mut fields)?;
            fields.skip_blanks();
            fields.eat("@")?;
            fields.skip_blanks();
        }
        let kind = fields.until("/").unwrap_or(fields.rest);
        if kind.ends_with(b"_v2") {
            self.sample_bytes = Some(fields.decimal()?);
        } else if kind == b"heap" {
            // Go writes twice what it means.
            self.sample_bytes = Some(fields.decimal()? / 2);
        }
        Some(())
    }

    fn sample(&mut self, line: &[u8]) -> Option<()> {
        let mut fields = Fields::new(line);
        // Go's comments name what the addresses are.
        if fields.is_empty() || fields.rest.starts_with(b"#") {
            return Some(());
        }
        if fields.eat("@").is_some() {
            self.addresses = Some(addresses(fields)?);
            return Some(());
        }
        if fields.eat("t").is_some() {
            // Numbers of all threads; those of single threads follow, and before the
            // first path stand the sums.
            if fields.eat("*:").is_some()
                && let Some(addresses) = self.addresses.take()
            {
                let (live, made) = blocks(&mut fields)?;
                self.add(live, made, addresses);
            }
            return Some(());
        }
        let (live, made) = blocks(&mut fields)?;
        fields.skip_blanks();
        fields.eat("@")?;
        let addresses = addresses(fields)?;
        self.add(live, made, addresses);
        Some(())
    }

    fn add(&mut self, live: Blocks, made: Blocks, addresses: Vec<u64>) {
        let sample_bytes = self.sample_bytes;
        self.samples.push(Sample {
            live: live.scaled(sample_bytes),
            made: made.scaled(sample_bytes),
            addresses,
        });
    }

    /// A line of `/proc/self/maps`; what has no path is passed over.
    fn mapping(&mut self, line: &[u8]) -> Option<()> {
        let Some(slash) = line.iter().position(|byte| *byte == b'/') else {
            return Some(());
        };
        let (numbers, path) = line.split_at(slash);
        let mut words = numbers.split(u8::is_ascii_whitespace);
        let mut range = Fields::new(words.next()?);
        let start = range.hexadecimal()?;
        range.eat("-")?;
        let end = range.hexadecimal()?;
        let offset = Fields::new(words.nth(1)?).hexadecimal()?;
        self.pieces.push(Piece {
            start,
            end,
            offset,
            path: path.to_vec(),
        });
        Some(())
    }

    fn finish(self) -> Stacks {
        let mut stacks = Stacks::default();
        let pieces = placed(&mut stacks, self.pieces);
        for sample in self.samples {
            let frames: Vec<_> = sample
                .addresses
                .iter()
                .rev()
                .map(|&address| {
                    let frame = frame_at(&pieces, address);
                    stacks.frame(frame, Vec::new())
                })
                .collect();
            let node = stacks.path(frames);
            let stack = stacks.heap_stack(node);
            let counters = stacks.counters(stack);
            for (sum, more) in [
                (&mut counters.calls, sample.made.count),
                (&mut counters.total_bytes, sample.made.bytes),
                (&mut counters.live_blocks, sample.live.count),
                (&mut counters.live_bytes, sample.live.bytes),
            ] {
                *sum = sum.saturating_add(more);
            }
            counters.frees = counters.calls.saturating_sub(counters.live_blocks);
        }
        stacks.lacks("peaks, temporaries, reallocations, sizes, births and times");
        let notes = &mut stacks.meta.notes;
        notes.push("it has addresses but no names".to_string());
        if let Some(bytes) = self.sample_bytes {
            notes.push(format!("values are estimates: one sample in {bytes} bytes"));
        }
        stacks
    }
}

impl Blocks {
    /// From what was sampled, each byte with the chance of one in `sample_bytes`, to
    /// what was there.
    fn scaled(self, sample_bytes: Option<u64>) -> Blocks {
        let Some(sample_bytes @ 2..) = sample_bytes else {
            return self;
        };
        if self.count == 0 || self.bytes == 0 {
            return self;
        }
        let mean_bytes = self.bytes as f64 / self.count as f64;
        let share = 1.0 - (-mean_bytes / sample_bytes as f64).exp();
        Blocks {
            count: (self.count as f64 / share) as u64,
            bytes: (self.bytes as f64 / share) as u64,
        }
    }
}

/// `BLOCKS: BYTES [BLOCKS: BYTES]`.
fn blocks(fields: &mut Fields) -> Option<(Blocks, Blocks)> {
    let mut pair = |start: &str, end: &str| {
        fields.skip_blanks();
        fields.eat(start)?;
        fields.skip_blanks();
        let count = fields.decimal()?;
        fields.eat(":")?;
        fields.skip_blanks();
        let bytes = fields.decimal()?;
        fields.eat(end)?;
        Some(Blocks { count, bytes })
    };
    Some((pair("", "")?, pair("[", "]")?))
}

fn addresses(mut fields: Fields) -> Option<Vec<u64>> {
    let mut addresses = Vec::new();
    fields.skip_blanks();
    while !fields.is_empty() {
        fields.eat("0x")?;
        addresses.push(fields.hexadecimal()?);
        fields.skip_blanks();
    }
    Some(addresses)
}

struct Placed {
    start: u64,
    end: u64,
    module: ModuleId,
    bias: u64,
}

/// The pieces of one file that lie behind each other are one module.
fn placed(stacks: &mut Stacks, mut pieces: Vec<Piece>) -> Vec<Placed> {
    pieces.sort_by_key(|piece| piece.start);
    let mut placed = Vec::with_capacity(pieces.len());
    for group in pieces.chunk_by(|one, other| one.path == other.path) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let bias = match first.start < LOWEST_MOVED_ADDRESS {
            true => 0,
            false => first.start.wrapping_sub(first.offset),
        };
        let module = stacks.module(Module {
            path: String::from_utf8_lossy(&first.path).into_owned(),
            build_id: String::new(),
            start: first.start,
            end: last.end,
            bias,
        });
        placed.extend(group.iter().map(|piece| Placed {
            start: piece.start,
            end: piece.end,
            module,
            bias,
        }));
    }
    placed
}

fn frame_at(pieces: &[Placed], address: u64) -> Frame {
    let behind = pieces.partition_point(|piece| piece.start <= address);
    let piece = behind.checked_sub(1).map(|last| &pieces[last]);
    let piece = piece.filter(|piece| address < piece.end);
    Frame {
        module: piece.map_or(NONE, |piece| piece.module),
        address: address.wrapping_sub(piece.map_or(0, |piece| piece.bias)),
        function: NONE,
    }
}
