//! The wire format of protocol buffers: numbered fields, one behind the other.

use crate::error::Wrong;

/// A message, and where it begins in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Message<'a> {
    bytes: &'a [u8],
    offset: usize,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'a> {
    pub number: u64,
    pub value: Value<'a>,
    pub offset: usize,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Number(u64),
    Bytes(Message<'a>),
    /// Of a type that profiles do not use.
    Other,
}

impl<'a> Message<'a> {
    pub fn new(bytes: &'a [u8]) -> Message<'a> {
        Message { bytes, offset: 0 }
    }

    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The next field, which is taken off; `None` at the end.
    pub fn next_field(&mut self) -> Result<Option<Field<'a>>, Wrong> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let offset = self.offset;
        let key = self.next_number()?;
        let value = match key & 7 {
            0 => Value::Number(self.next_number()?),
            1 => self.take(8).map(|_| Value::Other)?,
            2 => {
                let length = self.next_number()?;
                Value::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Value::Other)?,
            kind => {
                let reason = format!("unknown protobuf wire type {kind}");
                return Err(Wrong::at_byte(offset, reason));
            }
        };
        Ok(Some(Field {
            number: key >> 3,
            value,
            offset,
        }))
    }

    /// A number of seven bits a byte, which is taken off.
    pub fn next_number(&mut self) -> Result<u64, Wrong> {
        let mut number: u64 = 0;
        for (place, &byte) in self.bytes.iter().enumerate().take(10) {
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                self.take(place as u64 + 1)?;
                return Ok(number);
            }
        }
        Err(Wrong::at_byte(self.offset, "a varint does not end"))
    }

    fn take(&mut self, length: u64) -> Result<Message<'a>, Wrong> {
        let split = usize::try_from(length)
            .ok()
            .and_then(|length| self.bytes.split_at_checked(length));
        let Some((taken, rest)) = split else {
            let left = self.bytes.len();
            let reason = format!("a field of {length} bytes, but only {left} are left");
            return Err(Wrong::at_byte(self.offset, reason));
        };
        let message = Message {
            bytes: taken,
            offset: self.offset,
        };
        self.bytes = rest;
        self.offset += taken.len();
        Ok(message)
    }
}

impl<'a> Field<'a> {
    pub fn as_number(&self) -> Result<u64, Wrong> {
        match self.value {
            Value::Number(number) => Ok(number),
            _ => Err(self.mistyped()),
        }
    }

    pub fn as_message(&self) -> Result<Message<'a>, Wrong> {
        match self.value {
            Value::Bytes(message) => Ok(message),
            _ => Err(self.mistyped()),
        }
    }

    /// Adds the numbers of a repeated field, which come one by one or together.
    pub fn add_numbers(&self, numbers: &mut Vec<u64>) -> Result<(), Wrong> {
        match self.value {
            Value::Number(number) => numbers.push(number),
            Value::Bytes(mut packed) => {
                while !packed.bytes.is_empty() {
                    numbers.push(packed.next_number()?);
                }
            }
            Value::Other => return Err(self.mistyped()),
        }
        Ok(())
    }

    fn mistyped(&self) -> Wrong {
        let reason = format!(
            "field {} does not have the type of the pprof format",
            self.number
        );
        Wrong::at_byte(self.offset, reason)
    }
}
