//! Heap profiles of pprof: a message of protocol buffers (`profile.proto`), as Go,
//! jemalloc's and tcmalloc's tools and many others write it, gzipped or not.

use std::collections::{BTreeSet, HashMap};

use residue_profile::{
    Counter, Counters, Frame, FrameId, Merge, Module, ModuleId, NONE, SourcePlace,
};

use crate::error::Wrong;
use crate::pprof_parts::{Named, Parts, SampleValue, text};
use crate::protobuf::Message;
use crate::stacks::{Blocks, Stacks};

pub fn read(bytes: &[u8]) -> Result<Stacks, Wrong> {
    let parts = Parts::of(bytes)?;
    let values = parts.values()?;
    let mut reader = Reader {
        stacks: Stacks::default(),
        modules: HashMap::new(),
        frames: HashMap::new(),
        labels: BTreeSet::new(),
    };
    reader.read_mappings(&parts)?;
    let functions = parts.functions()?;
    for location in &parts.locations {
        reader.read_location(*location, &functions)?;
    }
    for sample in &parts.samples {
        reader.read_sample(&parts, *sample, &values)?;
    }
    reader.finish(&parts, &values)
}

struct Reader {
    stacks: Stacks,
    modules: HashMap<u64, ModuleId>,
    frames: HashMap<u64, FrameId>,
    /// Names of labels that have no place in a profile.
    labels: BTreeSet<String>,
}

impl Reader {
    fn read_mappings(&mut self, parts: &Parts) -> Result<(), Wrong> {
        for message in &parts.mappings {
            let mut message = *message;
            let (mut id, mut offset) = (0, 0);
            let mut module = Module::default();
            while let Some(field) = message.next_field()? {
                match field.number {
                    1 => id = field.as_number()?,
                    2 => module.start = field.as_number()?,
                    3 => module.end = field.as_number()?,
                    4 => offset = field.as_number()?,
                    5 => module.path = text(parts.string(&field)?),
                    6 => module.build_id = text(parts.string(&field)?).to_lowercase(),
                    _ => {}
                }
            }
            if !module.build_id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                module.build_id.clear();
            }
            module.bias = module.start.wrapping_sub(offset);
            let is_none = module.path.is_empty() && module.build_id.is_empty();
            let module = match is_none {
                true => NONE,
                false => self.stacks.module(module),
            };
            self.modules.insert(id, module);
        }
        Ok(())
    }

    /// One address, with the functions that were inlined there, innermost first.
    fn read_location(
        &mut self,
        mut message: Message,
        functions: &HashMap<u64, Named>,
    ) -> Result<(), Wrong> {
        let start = message.offset();
        let (mut id, mut mapping, mut address) = (0, 0, 0_u64);
        let mut places = Vec::new();
        while let Some(field) = message.next_field()? {
            match field.number {
                1 => id = field.as_number()?,
                2 => mapping = field.as_number()?,
                3 => address = field.as_number()?,
                4 => places.push(self.place(field.as_message()?, functions)?),
                _ => {}
            }
        }
        let module = match mapping {
            0 => NONE,
            mapping => *self.modules.get(&mapping).ok_or_else(|| {
                Wrong::at_byte(
                    start,
                    format!("location {id} is in mapping {mapping}, which is not there"),
                )
            })?,
        };
        let function = places.last().map_or(NONE, |place| place.function);
        if let [only] = &places[..]
            && only.file == NONE
            && only.line == 0
        {
            places.clear();
        }
        let frame = Frame {
            module,
            address: address.wrapping_sub(self.stacks.bias(module)),
            function,
        };
        let frame = self.stacks.frame(frame, places);
        self.frames.insert(id, frame);
        Ok(())
    }

    fn place(
        &mut self,
        mut message: Message,
        functions: &HashMap<u64, Named>,
    ) -> Result<SourcePlace, Wrong> {
        let mut place = SourcePlace {
            function: NONE,
            file: NONE,
            line: 0,
        };
        while let Some(field) = message.next_field()? {
            match field.number {
                1 => {
                    let id = field.as_number()?;
                    let function = functions.get(&id).ok_or_else(|| {
                        Wrong::at_byte(field.offset, format!("there is no function {id}"))
                    })?;
                    place.function = self.stacks.function(function.name);
                    place.file = self.stacks.file(function.file);
                }
                // Lines that were not known are negative in some writers.
                2 => place.line = u32::try_from(field.as_number()?).unwrap_or(0),
                _ => {}
            }
        }
        Ok(place)
    }

    fn read_sample(
        &mut self,
        parts: &Parts,
        mut message: Message,
        values: &[SampleValue],
    ) -> Result<(), Wrong> {
        let start = message.offset();
        let (mut locations, mut numbers) = (Vec::new(), Vec::new());
        let mut block_bytes = None;
        while let Some(field) = message.next_field()? {
            match field.number {
                1 => field.add_numbers(&mut locations)?,
                2 => field.add_numbers(&mut numbers)?,
                3 => self.read_label(parts, field.as_message()?, &mut block_bytes)?,
                _ => {}
            }
        }
        if numbers.len() != values.len() {
            let (has, needs) = (numbers.len(), values.len());
            let reason = format!("a sample has {has} values where {needs} are named");
            return Err(Wrong::at_byte(start, reason));
        }
        let mut frames = Vec::with_capacity(locations.len());
        for location in locations.iter().rev() {
            frames.push(*self.frames.get(location).ok_or_else(|| {
                Wrong::at_byte(start, format!("there is no location {location}"))
            })?);
        }
        let node = self.stacks.path(frames);
        let stack = self.stacks.heap_stack(node);
        for (&number, value) in numbers.iter().zip(values) {
            let Some(counter) = value.counter else {
                continue;
            };
            let counters = self.stacks.counters(stack);
            let is_positive = i64::try_from(number).is_ok();
            let before = *place_of(counters, counter);
            let sum = match counter.merge() {
                Merge::Sum => before.checked_add(number),
                Merge::Max => Some(before.max(number)),
            };
            let sum = sum.filter(|_| is_positive).ok_or_else(|| {
                let reason =
                    "a value is negative, as in the difference of two profiles, or too large";
                Wrong::at_byte(start, reason)
            })?;
            *place_of(counters, counter) = sum;
            match (counter, block_bytes) {
                (Counter::Calls, Some(size)) => {
                    self.stacks.add_size(stack, Blocks::Made, size, number)
                }
                (Counter::LiveBlocks, Some(size)) => {
                    self.stacks.add_size(stack, Blocks::Live, size, number)
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn read_label(
        &mut self,
        parts: &Parts,
        mut message: Message,
        block_bytes: &mut Option<u64>,
    ) -> Result<(), Wrong> {
        let (mut key, mut number) = (&[][..], None);
        while let Some(field) = message.next_field()? {
            match field.number {
                1 => key = parts.string(&field)?,
                3 => number = Some(field.as_number()?),
                _ => {}
            }
        }
        match (key, number) {
            (b"bytes", Some(number)) => *block_bytes = Some(number),
            _ if self.labels.len() < SHOWN_LABELS => {
                self.labels.insert(text(key));
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self, parts: &Parts, values: &[SampleValue]) -> Result<Stacks, Wrong> {
        let has = |counter| values.iter().any(|value| value.counter == Some(counter));
        let stacks = &mut self.stacks;
        let has_frees = has(Counter::Calls) && has(Counter::LiveBlocks);
        if has_frees && !has(Counter::Frees) {
            for counters in stacks.ledgers() {
                counters.frees = counters.calls.saturating_sub(counters.live_blocks);
            }
        }
        stacks.has_largest = has(Counter::Largest);
        stacks.meta.started_unix_ns = parts.time_ns;
        stacks.meta.duration_ns = parts.duration_ns;
        let missing: Vec<&str> = Counter::MEMORY
            .into_iter()
            .filter(|counter| !(has(*counter) || has_frees && *counter == Counter::Frees))
            .map(Counter::name)
            .collect();
        if !missing.is_empty() {
            stacks.lacks(&missing.join(", "));
        }
        let notes = &mut stacks.meta.notes;
        let left_out = values.iter().filter(|value| value.counter.is_none());
        let left_out: Vec<String> = left_out.map(|value| text(value.name)).collect();
        if !left_out.is_empty() {
            let names = left_out.join(", ");
            notes.push(format!("ignored values that do not count memory: {names}"));
        }
        if !self.labels.is_empty() {
            let labels: Vec<String> = self.labels.into_iter().collect();
            let names = labels.join(", ");
            notes.push(format!(
                "samples are not told apart by their labels: {names}"
            ));
        }
        if let (Some(kind), 2..) = (parts.period_type, parts.period) {
            let kind = text(parts.type_name(kind)?);
            notes.push(format!(
                "values are estimates: one sample in {} ({kind})",
                parts.period
            ));
        }
        Ok(self.stacks)
    }
}

const SHOWN_LABELS: usize = 20;

fn place_of(counters: &mut Counters, counter: Counter) -> &mut u64 {
    match counter {
        Counter::Calls => &mut counters.calls,
        Counter::Total => &mut counters.total_bytes,
        Counter::Live => &mut counters.live_bytes,
        Counter::LiveBlocks => &mut counters.live_blocks,
        Counter::Peak => &mut counters.peak_bytes,
        Counter::AtPeak => &mut counters.at_peak_bytes,
        Counter::AtPeakBlocks => &mut counters.at_peak_blocks,
        Counter::Frees => &mut counters.frees,
        Counter::Temporaries => &mut counters.temporaries,
        Counter::Reallocs => &mut counters.reallocs_moved,
        Counter::Cpu => &mut counters.cpu_ns,
        Counter::Largest => &mut counters.largest_bytes,
    }
}
