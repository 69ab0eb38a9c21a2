//! As much of protocol buffers as it takes to write one.

/// The fields of one message, one after the other.
#[derive(Default)]
pub(crate) struct Message {
    pub bytes: Vec<u8>,
}

const VARINT: u32 = 0;
const BYTES: u32 = 2;

impl Message {
    /// A number; zero is what a field has that is not there.
    pub fn number(&mut self, field: u32, value: u64) {
        if value != 0 {
            self.key(field, VARINT);
            varint(&mut self.bytes, value);
        }
    }

    pub fn bytes(&mut self, field: u32, value: &[u8]) {
        self.key(field, BYTES);
        varint(&mut self.bytes, value.len() as u64);
        self.bytes.extend_from_slice(value);
    }

    pub fn message(&mut self, field: u32, message: &Message) {
        self.bytes(field, &message.bytes);
    }

    /// A list of numbers.
    pub fn packed(&mut self, field: u32, values: impl Iterator<Item = u64>) {
        let mut list = Vec::new();
        for value in values {
            varint(&mut list, value);
        }
        self.bytes(field, &list);
    }

    fn key(&mut self, field: u32, kind: u32) {
        varint(&mut self.bytes, u64::from(field << 3 | kind));
    }
}

/// Seven bits a byte, low ones first; the high bit says that more follow.
fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_keyed_and_numbers_are_short() {
        let mut inner = Message::default();
        inner.number(1, 150);
        inner.number(2, 0);
        assert_eq!(inner.bytes, [0x08, 0x96, 0x01]);
        let mut outer = Message::default();
        outer.message(3, &inner);
        outer.packed(4, [3, 270, 86942].into_iter());
        outer.bytes(5, b"hi");
        assert_eq!(
            outer.bytes,
            [
                0x1a, 3, 0x08, 0x96, 0x01, 0x22, 6, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05, 0x2a, 2,
                b'h', b'i'
            ]
        );
    }
}
