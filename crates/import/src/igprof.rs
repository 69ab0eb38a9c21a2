//! IgProf's dumps: the tree of calls, one line a node, its depth in front.
//!
//! ```text
//!   P=(HEX ID=PID N=(PROGRAM) T=SECONDS_PER_TICK)
//!   C1 FN0=(F0=(FILE)+OFFSET N=(NAME))+OFFSET_IN_FUNCTION
//!   C2 FN1=(F0+OFFSET N=(NAME))+5 V0=(MEM_LIVE):(COUNT,VALUE,PEAK);LK=(0xADDRESS,SIZE)
//!   C2 FN0+8 V0:(COUNT,VALUE,PEAK)
//! ```
//!
//! What has a number is defined where it is first used. Numbers are decimal where the
//! header does not say HEX. Counters are those of the node itself.

use std::collections::{BTreeSet, HashMap};

use residue_profile::timeline::StackId;
use residue_profile::{Frame, FrameId, FunctionId, ModuleId, NodeId, ROOT};

use crate::error::Wrong;
use crate::fields::Fields;
use crate::lines::Lines;
use crate::stacks::{Blocks, Stacks};

pub fn is_start(first_line: &[u8]) -> bool {
    first_line.starts_with(b"P=(")
}

pub fn read(mut lines: Lines) -> Result<Stacks, Wrong> {
    lines.advance()?;
    let mut reader = Reader::new();
    let header = reader.header(lines.line());
    header.ok_or_else(|| lines.wrong("an IgProf dump begins with P=(ID=… N=(…) T=…)"))?;
    while lines.advance()? {
        lines.keep()?;
        if lines.line().is_empty() {
            continue;
        }
        let mut fields = Fields::new(lines.line());
        let read = reader.node(&mut fields);
        read.map_err(|reason| lines.unreadable(&reason, fields.rest))?;
    }
    lines.must_be_whole()?;
    reader.finish()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counter {
    Total,
    Live,
    /// MEM_MAX, the largest block.
    Largest,
    Ticks,
    Unknown,
}

#[derive(Clone, Copy)]
struct Function {
    module: ModuleId,
    function: FunctionId,
    /// Where offsets within the function count from.
    start: u64,
    /// The latest offset and its frame: most functions have one only.
    latest: Option<(u64, FrameId)>,
}

struct Reader {
    stacks: Stacks,
    base: u32,
    tick_seconds: String,
    files: HashMap<u64, ModuleId>,
    functions: HashMap<u64, Function>,
    counters: HashMap<u64, Counter>,
    seen: Vec<Counter>,
    unknown: BTreeSet<String>,
    /// The path to the node of the line before.
    path: Vec<NodeId>,
}

type Read<T> = Result<T, String>;

fn missing(what: &str) -> impl Fn() -> String {
    move || format!("{what} is missing or too large")
}

impl Reader {
    fn new() -> Reader {
        Reader {
            stacks: Stacks::default(),
            base: 10,
            tick_seconds: String::new(),
            files: HashMap::new(),
            functions: HashMap::new(),
            counters: HashMap::new(),
            seen: Vec::new(),
            unknown: BTreeSet::new(),
            path: Vec::new(),
        }
    }

    fn header(&mut self, line: &[u8]) -> Option<()> {
        let mut fields = Fields::new(line);
        fields.eat("P=(")?;
        if fields.eat("HEX ").is_some() {
            self.base = 16;
        }
        fields.eat("ID=")?;
        let pid = fields.number(self.base)?;
        fields.eat(" N=(")?;
        let program = String::from_utf8_lossy(fields.until(") T=")?);
        self.tick_seconds = String::from_utf8_lossy(fields.until(")")?).into_owned();
        let meta = &mut self.stacks.meta;
        meta.pid = u32::try_from(pid).unwrap_or(0);
        meta.program = program.rsplit('/').next().unwrap_or_default().to_string();
        meta.executable = program.into_owned();
        Some(())
    }

    fn node(&mut self, fields: &mut Fields) -> Read<()> {
        let depth = fields.eat("C").and_then(|()| fields.number(self.base));
        let depth = depth.ok_or("a line must begin with C and the depth")?;
        let above = depth
            .checked_sub(1)
            .and_then(|above| usize::try_from(above).ok());
        let above = above.filter(|above| *above <= self.path.len());
        let above = above.ok_or("the depth is not that of the line above, one more, or less")?;
        self.path.truncate(above);
        let parent = self.path.last().copied().unwrap_or(ROOT);
        let frame = self.frame(fields)?;
        let node = self.stacks.child(parent, frame);
        self.path.push(node);
        while !fields.is_empty() {
            self.counter(node, fields)?;
        }
        Ok(())
    }

    fn frame(&mut self, fields: &mut Fields) -> Read<FrameId> {
        fields.eat(" FN").ok_or("FN, the function, is missing")?;
        let number = fields.number(self.base);
        let number = number.ok_or_else(missing("the function's number"))?;
        let definition = match fields.eat("=(F") {
            Some(()) => Some(self.definition(fields)?),
            None => {
                fields
                    .eat("+")
                    .ok_or("the offset within the function is missing")?;
                None
            }
        };
        let is_negative = fields.eat("-").is_some();
        let offset = fields.number(self.base);
        let offset = offset.ok_or_else(missing("the offset within the function"))?;
        let offset = if is_negative {
            offset.wrapping_neg()
        } else {
            offset
        };
        if let Some(mut function) = definition {
            // Of the two generations the older one writes where the function starts,
            // the newer one where it was called from.
            if self.base == 16 {
                function.start = function.start.wrapping_sub(offset);
            }
            self.functions.insert(number, function);
        }
        let function = self.functions.get_mut(&number);
        let function = function.ok_or("the function is used before it is defined")?;
        if let Some((known, frame)) = function.latest
            && known == offset
        {
            return Ok(frame);
        }
        let frame = Frame {
            module: function.module,
            address: function.start.wrapping_add(offset),
            function: function.function,
        };
        let frame = self.stacks.frame(frame, Vec::new());
        function.latest = Some((offset, frame));
        Ok(frame)
    }

    /// Up to the offset within the function.
    fn definition(&mut self, fields: &mut Fields) -> Read<Function> {
        let number = fields.number(self.base);
        let number = number.ok_or_else(missing("the file's number"))?;
        if fields.eat("=(").is_some() {
            let path = fields.until(")+").ok_or("the file's name does not end")?;
            self.files.insert(number, self.stacks.module_at(path));
        } else {
            fields
                .eat("+")
                .ok_or("the offset within the file is missing")?;
        }
        let module = self.files.get(&number).copied();
        let module = module.ok_or("the file is used before it is defined")?;
        let is_negative = fields.eat("-").is_some();
        let start = fields.number(self.base);
        let start = start.ok_or_else(missing("the offset within the file"))?;
        fields
            .eat(" N=(")
            .ok_or("N=, the function's name, is missing")?;
        let name = fields
            .until("))+")
            .ok_or("the function's name does not end")?;
        // IgProf makes up names from addresses where there is none.
        let name = if name.starts_with(b"@?") { &[] } else { name };
        Ok(Function {
            module,
            function: self.stacks.function(name),
            start: if is_negative {
                start.wrapping_neg()
            } else {
                start
            },
            latest: None,
        })
    }

    fn counter(&mut self, node: NodeId, fields: &mut Fields) -> Read<()> {
        fields.eat(" V").ok_or("V, a counter, is missing")?;
        let number = fields.number(self.base);
        let number = number.ok_or_else(missing("the counter's number"))?;
        if fields.eat("=(").is_some() {
            let name = fields.until(")").ok_or("the counter's name does not end")?;
            let counter = self.counter_named(name);
            self.counters.insert(number, counter);
        }
        let counter = self.counters.get(&number).copied();
        let counter = counter.ok_or("the counter is used before it is defined")?;
        fields.eat(":(").ok_or("the counter's values are missing")?;
        let mut values = [0; 3];
        for (value, end) in values.iter_mut().zip([",", ",", ")"]) {
            let number = fields.number(self.base);
            *value = number.ok_or_else(missing("a value of the counter"))?;
            fields.eat(end).ok_or("the counter's values do not end")?;
        }
        let stack = match counter {
            Counter::Unknown => None,
            _ => Some(self.stacks.heap_stack(node)),
        };
        if let Some(stack) = stack {
            self.add(stack, counter, values)?;
        }
        while fields.eat(";LK=(0x").is_some() {
            let address = fields.hexadecimal();
            address.ok_or_else(missing("the address of a block"))?;
            fields.eat(",").ok_or("the size of a block is missing")?;
            let size_bytes = fields.number(self.base);
            let size_bytes = size_bytes.ok_or_else(missing("the size of a block"))?;
            fields.eat(")").ok_or("the list of blocks does not end")?;
            if let (Counter::Live, Some(stack)) = (counter, stack) {
                self.stacks.add_size(stack, Blocks::Live, size_bytes, 1);
            }
        }
        Ok(())
    }

    fn counter_named(&mut self, name: &[u8]) -> Counter {
        let counter = match name {
            b"MEM_TOTAL" => Counter::Total,
            b"MEM_LIVE" => Counter::Live,
            b"MEM_MAX" => Counter::Largest,
            b"PERF_TICKS" => Counter::Ticks,
            _ => {
                self.unknown
                    .insert(String::from_utf8_lossy(name).into_owned());
                Counter::Unknown
            }
        };
        if !self.seen.contains(&counter) {
            self.seen.push(counter);
        }
        counter
    }

    /// A path may come more than once: each thread has its own part of the dump.
    fn add(&mut self, stack: StackId, counter: Counter, values: [u64; 3]) -> Read<()> {
        let [count, value, peak] = values;
        let counters = self.stacks.counters(stack);
        let sums = match counter {
            Counter::Total => vec![
                (&mut counters.calls, count),
                (&mut counters.total_bytes, value),
            ],
            Counter::Live => vec![
                (&mut counters.live_blocks, count),
                (&mut counters.live_bytes, value),
                (&mut counters.peak_bytes, peak),
            ],
            Counter::Ticks => vec![(&mut counters.calls, count)],
            // The largest of all threads, and no sum.
            Counter::Largest => {
                counters.largest_bytes = counters.largest_bytes.max(value);
                Vec::new()
            }
            Counter::Unknown => Vec::new(),
        };
        for (sum, more) in sums {
            *sum = sum.checked_add(more).ok_or("the sum is too large")?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Stacks, Wrong> {
        let unknown: Vec<String> = std::mem::take(&mut self.unknown).into_iter().collect();
        let unknown = unknown.join(", ");
        let has = |counter| self.seen.contains(&counter);
        let counts_memory = [Counter::Total, Counter::Live, Counter::Largest];
        if !counts_memory.into_iter().any(has) && !has(Counter::Ticks) {
            let reason = match unknown.is_empty() {
                true => "no line has a counter".to_string(),
                false => format!("none of its counters ({unknown}) counts memory or time"),
            };
            return Err(Wrong::whole(reason));
        }
        let stacks = &mut self.stacks;
        if has(Counter::Ticks) && has(Counter::Total) {
            return Err(Wrong::whole(
                "it counts both memory and time; a profile holds one",
            ));
        }
        if has(Counter::Total) && has(Counter::Live) {
            for counters in stacks.ledgers() {
                counters.frees = counters.calls.saturating_sub(counters.live_blocks);
            }
        }
        stacks.has_largest = has(Counter::Largest);
        stacks.lacks("temporaries, reallocations, births and times, and no peak of the whole heap");
        let notes = &mut stacks.meta.notes;
        if has(Counter::Ticks) {
            notes.push(format!(
                "it counts time, not memory: a call here is one tick of {} s",
                self.tick_seconds
            ));
        }
        for (counter, name) in [(Counter::Total, "MEM_TOTAL"), (Counter::Live, "MEM_LIVE")] {
            if !has(counter) && !has(Counter::Ticks) {
                notes.push(format!("the dump has no {name}; shown as 0"));
            }
        }
        if !unknown.is_empty() {
            notes.push(format!(
                "ignored counters that do not count memory: {unknown}"
            ));
        }
        Ok(self.stacks)
    }
}
