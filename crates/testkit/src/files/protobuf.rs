//! A small heap profile as protocol buffers, written by hand.

/// A message under construction.
#[derive(Default)]
pub struct Message(pub Vec<u8>);

impl Message {
    fn raw_number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub fn number(mut self, field: u64, number: u64) -> Message {
        self.raw_number(field << 3);
        self.raw_number(number);
        self
    }

    pub fn bytes(mut self, field: u64, bytes: &[u8]) -> Message {
        self.raw_number(field << 3 | 2);
        self.raw_number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    pub fn message(self, field: u64, message: Message) -> Message {
        self.bytes(field, &message.0)
    }

    pub fn packed(self, field: u64, numbers: &[u64]) -> Message {
        let mut packed = Message::default();
        for &number in numbers {
            packed.raw_number(number);
        }
        self.message(field, packed)
    }
}

pub const STRINGS: [&str; 20] = [
    "",
    "alloc_objects",
    "count",
    "alloc_space",
    "bytes",
    "inuse_objects",
    "inuse_space",
    "latency",
    "/opt/shop",
    "0AbC",
    "main",
    "shop.c",
    "open",
    "serve",
    "order",
    "_Z5orderi",
    "parse",
    "read",
    "parse.c",
    "request",
];

/// `main;open`, `main;serve;order` and `main;serve;parse`, in which `read` is inlined.
pub fn shop() -> Message {
    let mut profile = Message::default();
    for (kind, unit) in [(1, 2), (3, 4), (5, 2), (6, 4), (7, 2)] {
        let named = Message::default().number(1, kind).number(2, unit);
        profile = profile.message(1, named);
    }
    let sample = |locations: &[u64], values: &[u64], block_bytes: u64| {
        let label = Message::default().number(1, 4).number(3, block_bytes);
        Message::default()
            .packed(1, locations)
            .packed(2, values)
            .message(3, label)
    };
    let other = Message::default().number(1, 19).number(2, 10);
    profile = profile
        .message(
            2,
            sample(&[2, 1], &[1, 1000, 1, 1000, 5], 1000).message(3, other),
        )
        .message(2, sample(&[4, 3, 1], &[2, 200, 1, 100, 6], 100));
    // The same stack with blocks of another size, its numbers one by one.
    let mut apart = Message::default();
    for location in [4, 3, 1] {
        apart = apart.number(1, location);
    }
    for value in [1, 200, 1, 200, 7] {
        apart = apart.number(2, value);
    }
    let label = Message::default().number(1, 4).number(3, 200);
    profile = profile
        .message(2, apart.message(3, label))
        .message(2, sample(&[5, 3, 1], &[4, 200, 0, 0, 8], 50));
    let mapping = Message::default()
        .number(1, 1)
        .number(2, 0x40_1000)
        .number(3, 0x40_2000)
        .number(4, 0x1000)
        .number(5, 8)
        .number(6, 9);
    profile = profile.message(3, mapping);
    let line = |function, line| Message::default().number(1, function).number(2, line);
    let location = |id, address: u64| {
        Message::default()
            .number(1, id)
            .number(2, 1)
            .number(3, address)
    };
    profile = profile
        .message(4, location(1, 0x40_1010).message(4, line(1, 10)))
        .message(4, location(2, 0x40_1020).message(4, line(2, 20)))
        .message(4, location(3, 0x40_1030).message(4, line(3, 30)))
        .message(4, location(4, 0x40_1040).message(4, line(4, 40)))
        .message(
            4,
            location(5, 0x40_1050)
                .message(4, line(6, 7))
                .message(4, line(5, 50)),
        );
    for (id, name, linkage_name, file) in [
        (1, 10, 10, 11),
        (2, 12, 0, 11),
        (3, 13, 0, 11),
        (4, 14, 15, 11),
        (5, 16, 0, 11),
        (6, 17, 0, 18),
    ] {
        let function = Message::default()
            .number(1, id)
            .number(2, name)
            .number(3, linkage_name)
            .number(4, file);
        profile = profile.message(5, function);
    }
    for string in STRINGS {
        profile = profile.bytes(6, string.as_bytes());
    }
    let period_type = Message::default().number(1, 6).number(2, 4);
    profile
        .number(9, 1_700_000_000_000_000_000)
        .number(10, 2_000_000_000)
        .message(11, period_type)
        .number(12, 512)
}
