//! The parts of pprof's message, and the names in them.

use std::collections::HashMap;

use residue_profile::Counter;

use crate::error::{Wrong, quoted_bytes};
use crate::protobuf::{Field, Message};

/// Fields of the message; newer ones may come.
mod top {
    pub const SAMPLE_TYPE: u64 = 1;
    pub const SAMPLE: u64 = 2;
    pub const MAPPING: u64 = 3;
    pub const LOCATION: u64 = 4;
    pub const FUNCTION: u64 = 5;
    pub const STRING: u64 = 6;
    pub const TIME_NS: u64 = 9;
    pub const DURATION_NS: u64 = 10;
    pub const PERIOD_TYPE: u64 = 11;
    pub const PERIOD: u64 = 12;
    pub const LAST_KNOWN: u64 = 15;
}

/// Whether all of it is a message with the parts of a profile.
pub fn is_profile(bytes: &[u8]) -> bool {
    let mut message = Message::new(bytes);
    let (mut has_type, mut has_string) = (false, false);
    loop {
        match message.next_field() {
            Ok(None) => return has_type && has_string,
            Ok(Some(field)) if (1..=top::LAST_KNOWN).contains(&field.number) => {
                has_type |= field.number == top::SAMPLE_TYPE;
                has_string |= field.number == top::STRING;
            }
            _ => return false,
        }
    }
}

/// The message, taken apart: its parts come in any order and speak of each other.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    pub types: Vec<Message<'a>>,
    pub samples: Vec<Message<'a>>,
    pub mappings: Vec<Message<'a>>,
    pub locations: Vec<Message<'a>>,
    pub functions: Vec<Message<'a>>,
    pub strings: Vec<&'a [u8]>,
    pub time_ns: u64,
    pub duration_ns: u64,
    pub period_type: Option<Message<'a>>,
    pub period: u64,
}

/// What one number of every sample is.
pub(crate) struct SampleValue<'a> {
    pub name: &'a [u8],
    pub counter: Option<Counter>,
}

pub(crate) struct Named<'a> {
    pub name: &'a [u8],
    pub file: &'a [u8],
}

impl<'a> Parts<'a> {
    pub fn of(bytes: &'a [u8]) -> Result<Parts<'a>, Wrong> {
        let mut parts = Parts::default();
        let mut message = Message::new(bytes);
        while let Some(field) = message.next_field()? {
            match field.number {
                top::SAMPLE_TYPE => parts.types.push(field.as_message()?),
                top::SAMPLE => parts.samples.push(field.as_message()?),
                top::MAPPING => parts.mappings.push(field.as_message()?),
                top::LOCATION => parts.locations.push(field.as_message()?),
                top::FUNCTION => parts.functions.push(field.as_message()?),
                top::STRING => parts.strings.push(field.as_message()?.bytes()),
                top::TIME_NS => parts.time_ns = field.as_number()?,
                top::DURATION_NS => parts.duration_ns = field.as_number()?,
                top::PERIOD_TYPE => parts.period_type = Some(field.as_message()?),
                top::PERIOD => parts.period = field.as_number()?,
                _ => {}
            }
        }
        Ok(parts)
    }

    pub fn string(&self, field: &Field) -> Result<&'a [u8], Wrong> {
        let number = field.as_number()?;
        let string = usize::try_from(number)
            .ok()
            .and_then(|index| self.strings.get(index));
        let reason = || format!("there is no string {number}");
        string
            .copied()
            .ok_or_else(|| Wrong::at_byte(field.offset, reason()))
    }

    pub fn values(&self) -> Result<Vec<SampleValue<'a>>, Wrong> {
        let mut values: Vec<SampleValue> = Vec::new();
        for &message in &self.types {
            let name = self.type_name(message)?;
            let counter = counter_named(name);
            let is_again = values.iter().any(|value| value.counter == counter);
            let counter = counter.filter(|_| !is_again);
            values.push(SampleValue { name, counter });
        }
        if values.iter().all(|value| value.counter.is_none()) {
            let names: Vec<String> = values
                .iter()
                .map(|value| quoted_bytes(value.name))
                .collect();
            let reason = format!("none of its values ({}) is of memory", names.join(", "));
            return Err(Wrong::whole(reason));
        }
        Ok(values)
    }

    pub fn type_name(&self, mut message: Message<'a>) -> Result<&'a [u8], Wrong> {
        let mut name: &[u8] = &[];
        while let Some(field) = message.next_field()? {
            if field.number == 1 {
                name = self.string(&field)?;
            }
        }
        Ok(name)
    }

    pub fn functions(&self) -> Result<HashMap<u64, Named<'a>>, Wrong> {
        let mut functions = HashMap::new();
        for message in &self.functions {
            let mut message = *message;
            let (mut id, mut name, mut linkage_name, mut file) = (0, &[][..], &[][..], &[][..]);
            while let Some(field) = message.next_field()? {
                match field.number {
                    1 => id = field.as_number()?,
                    2 => name = self.string(&field)?,
                    3 => linkage_name = self.string(&field)?,
                    4 => file = self.string(&field)?,
                    _ => {}
                }
            }
            let name = if linkage_name.is_empty() {
                name
            } else {
                linkage_name
            };
            functions.insert(id, Named { name, file });
        }
        Ok(functions)
    }
}

/// Go's names, those of other heap profilers, and this program's own.
fn counter_named(name: &[u8]) -> Option<Counter> {
    Some(match name {
        b"alloc_objects" | b"allocations" => Counter::Calls,
        b"alloc_space" | b"alloc_bytes" => Counter::Total,
        b"inuse_objects" | b"objects" => Counter::LiveBlocks,
        b"inuse_space" | b"inuse_bytes" | b"space" => Counter::Live,
        name => {
            let name = text(name).replace('_', "-");
            let known = Counter::MEMORY.into_iter().chain([Counter::Largest]);
            return known.into_iter().find(|counter| counter.name() == name);
        }
    })
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
