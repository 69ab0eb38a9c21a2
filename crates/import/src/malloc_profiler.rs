//! MallocProfiler's dumps, alone or between other lines of a program's output.
//!
//! ```text
//!   _mpTrace_;ROOT;...;LEAF $NCALLS$MEMTOT$MEMLIVE$MAXLIVE      the dump; `$` may be another
//!   Stat NCALLS MEMTOT MEMLIVE MAXLIVE at                       the detailed dump, leaf first
//!   #0 LEAF FILE:LINE
//!   MemStat Global Summary SECONDS: NCALLS MEMTOT MEMLIVE MAXLIVE
//! ```

use residue_profile::timeline::StackId;
use residue_profile::{Frame, FrameId, NONE, NodeId, ROOT, SourcePlace, StackKind};

use crate::error::Wrong;
use crate::fields::Fields;
use crate::lines::Lines;
use crate::stacks::Stacks;
use crate::ticks::Ticks;

const TRACE: &[u8] = b"_mpTrace_;";
const STAT: &[u8] = b"Stat ";
const SUMMARY: &[u8] = b"MemStat Global Summary ";

pub fn is_line(line: &[u8]) -> bool {
    line.starts_with(TRACE) || line.starts_with(SUMMARY) || head_of_details(line).is_some()
}

pub fn read(mut lines: Lines) -> Result<Stacks, Wrong> {
    let mut reader = Reader::default();
    while lines.advance()? {
        lines.keep()?;
        let line = lines.line().trim_ascii();
        // Programs write more than this; what it is not is theirs.
        let read = if let Some(trace) = line.strip_prefix(TRACE) {
            reader.trace(trace)
        } else if let Some(values) = head_of_details(line) {
            reader.begin_details(values)
        } else if let Some(summary) = line.strip_prefix(SUMMARY) {
            reader.summary(summary)
        } else {
            reader.detail(line)
        };
        read.ok_or_else(|| lines.unreadable("numbers are missing or too large", lines.line()))?;
    }
    lines.must_be_whole()?;
    let finished = reader.finish();
    finished.ok_or_else(|| Wrong::whole("its counters add up to more than 64 bits"))
}

#[derive(Clone, Copy)]
struct Values {
    calls: u64,
    total_bytes: u64,
    live_bytes: u64,
    peak_bytes: u64,
}

#[derive(Default)]
struct Reader {
    stacks: Stacks,
    ticks: Ticks,
    has_traces: bool,
    details: Option<Details>,
    detailed: Vec<(NodeId, Values)>,
    rounded: bool,
}

/// A stack of the detailed dump, of which lines follow.
struct Details {
    values: Values,
    /// Leaf first.
    frames: Vec<FrameId>,
}

impl Reader {
    fn trace(&mut self, trace: &[u8]) -> Option<()> {
        self.end_details();
        self.has_traces = true;
        let (path, values) = split_values(trace)?;
        let values = self.values(values)?;
        let name = path.trim_ascii();
        let stack = if name == b"SmallAllocations" || name == b"LargeAllocations" {
            self.stacks.stack(ROOT, StackKind::Pooled)
        } else {
            let mut node = ROOT;
            for name in path.split(|byte| *byte == b';').map(<[u8]>::trim_ascii) {
                if !name.is_empty() {
                    let frame = self.stacks.named_frame(name);
                    node = self.stacks.child(node, frame);
                }
            }
            self.stacks.heap_stack(node)
        };
        self.add(stack, values)
    }

    /// The same stack may come from several threads.
    fn add(&mut self, stack: StackId, values: Values) -> Option<()> {
        let counters = self.stacks.counters(stack);
        for (sum, more) in [
            (&mut counters.calls, values.calls),
            (&mut counters.total_bytes, values.total_bytes),
            (&mut counters.live_bytes, values.live_bytes),
            (&mut counters.peak_bytes, values.peak_bytes),
        ] {
            *sum = sum.checked_add(more)?;
        }
        Some(())
    }

    fn values(&mut self, fields: [&[u8]; 4]) -> Option<Values> {
        let whole = |field: &[u8]| {
            let mut fields = Fields::new(field);
            fields.decimal().filter(|_| fields.is_empty())
        };
        let total_bytes = whole(fields[1]).or_else(|| {
            self.rounded = true;
            let number: f64 = std::str::from_utf8(fields[1]).ok()?.parse().ok()?;
            // As far as numbers with a fraction count every byte, and then some.
            (0.0..1e18).contains(&number).then_some(number as u64)
        });
        Some(Values {
            calls: whole(fields[0])?,
            total_bytes: total_bytes?,
            live_bytes: whole(fields[2])?,
            peak_bytes: whole(fields[3])?,
        })
    }

    fn begin_details(&mut self, values: [&[u8]; 4]) -> Option<()> {
        self.end_details();
        let values = self.values(values)?;
        self.details = Some(Details {
            values,
            frames: Vec::new(),
        });
        Some(())
    }

    /// `#3 NAME FILE:LINE`; any other line is the program's and ends the stack.
    fn detail(&mut self, line: &[u8]) -> Option<()> {
        let mut fields = Fields::new(line);
        let number = fields.eat("#").and_then(|()| fields.decimal());
        let is_next = self.details.as_ref().is_some_and(|details| {
            number == Some(details.frames.len() as u64) && fields.eat(" ").is_some()
        });
        if !is_next {
            self.end_details();
            return Some(());
        }
        let colon = fields.rest.iter().rposition(|byte| *byte == b':')?;
        let (before, line) = (&fields.rest[..colon], &fields.rest[colon + 1..]);
        let line = u32::try_from(Fields::new(line).decimal()?).ok()?;
        let blank = before.iter().rposition(|byte| *byte == b' ');
        let (name, file) = match blank {
            Some(blank) => (&before[..blank], &before[blank + 1..]),
            None => (&[][..], before),
        };
        let function = self.stacks.function(name.trim_ascii());
        let file = self.stacks.file(file);
        let places = match file {
            NONE => Vec::new(),
            file => vec![SourcePlace {
                function,
                file,
                line,
            }],
        };
        let frame = Frame {
            module: NONE,
            address: 0,
            function,
        };
        let frame = self.stacks.frame(frame, places);
        if let Some(details) = &mut self.details {
            details.frames.push(frame);
        }
        Some(())
    }

    fn end_details(&mut self) {
        if let Some(details) = self.details.take() {
            let node = self.stacks.path(details.frames.into_iter().rev());
            self.detailed.push((node, details.values));
        }
    }

    /// `SECONDS: ...`, one of the series, or `for PID/THREADS: ...`, at the end.
    fn summary(&mut self, line: &[u8]) -> Option<()> {
        self.end_details();
        let mut fields = Fields::new(line);
        if fields.rest.starts_with(b"time: ") {
            return Some(());
        }
        let seconds = fields.decimal();
        fields.until(":")?;
        let (_, values) = split_values(fields.rest)?;
        let values = self.values(values)?;
        if let Some(seconds) = seconds {
            let time_ns = seconds.checked_mul(1_000_000_000)?;
            self.ticks.push(time_ns, values.live_bytes, None);
        }
        let peak_bytes = &mut self.stacks.heap_peak_bytes;
        *peak_bytes = values.peak_bytes.max(*peak_bytes);
        Some(())
    }

    fn finish(mut self) -> Option<Stacks> {
        self.end_details();
        let detailed = std::mem::take(&mut self.detailed);
        // The same stacks stand in both dumps; the one without lines has all of them.
        let left_out = match self.has_traces {
            true => detailed.len(),
            false => 0,
        };
        for (node, values) in detailed.into_iter().skip(left_out) {
            let stack = self.stacks.heap_stack(node);
            self.add(stack, values)?;
        }
        let mut stacks = self.stacks;
        stacks.timeline = self.ticks.finish_sizes();
        let end = stacks.timeline.moments.last();
        stacks.meta.duration_ns = end.map_or(0, |moment| moment.time_ns);
        let has_stacks = stacks.ledgers().next().is_some();
        if has_stacks {
            stacks.lacks(
                "live blocks, frees, live at the heap's peak, temporaries, reallocations and births",
            );
        }
        let notes = &mut stacks.meta.notes;
        if has_stacks && self.rounded {
            notes.push("totals from a million bytes on are rounded to six digits".to_string());
        }
        if left_out > 0 {
            notes.push(format!(
                "{left_out} stacks of the detailed dump were left out, because the other dump is there"
            ));
        }
        Some(stacks)
    }
}

/// `NCALLS MEMTOT MEMLIVE MAXLIVE` of a line `Stat … at`.
fn head_of_details(line: &[u8]) -> Option<[&[u8]; 4]> {
    let rest = line.strip_prefix(STAT)?.strip_suffix(b" at")?;
    let mut words = rest.split(|byte| *byte == b' ');
    let values = [words.next()?, words.next()?, words.next()?, words.next()?];
    words.next().is_none().then_some(values)
}

/// A path and four numbers behind it, all with the same byte in front.
fn split_values(trace: &[u8]) -> Option<(&[u8], [&[u8]; 4])> {
    let is_of_number = |byte: &u8| byte.is_ascii_digit() || b".e+-".contains(byte);
    let mut values: [&[u8]; 4] = [&[]; 4];
    let mut before = trace;
    let mut separator = None;
    for value in values.iter_mut().rev() {
        let digits = before
            .iter()
            .rev()
            .take_while(|byte| is_of_number(byte))
            .count();
        let start = before.len() - digits;
        *value = &before[start..];
        let own = *before.get(start.checked_sub(1)?)?;
        if digits == 0 || *separator.get_or_insert(own) != own {
            return None;
        }
        before = &before[..start - 1];
    }
    Some((before, values))
}
