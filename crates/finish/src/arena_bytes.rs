//! An arena in memory, laid out as the recorder would, for tests.
//!
//! It follows the recorder's rules in one thread at a time: what a moment does, when a
//! record logs, when it saves what it held at the peak. What a kill leaves behind is
//! made by stopping in the middle.

use crate::arena_file::{ArenaFile, Storage};
use residue_arena::counters::*;
use residue_arena::live::{PAGE_ENTRIES, pack_inline, pack_large};
use residue_arena::moments::*;
use residue_arena::region::{self, Region};
use residue_arena::tables::{self, thread as stat};
use residue_arena::{MAGIC, VERSION, header, node};
use std::io;
use std::path::Path;

/// The capacities of the smallest arena there is.
const SHRINK: u32 = 14;
const HEADER_BYTES: usize = header::WORDS * 8;

pub struct ArenaBytes {
    header: Vec<u64>,
    /// The items of each region, in the order of [`region::ALL`].
    regions: Vec<Vec<u8>>,
    /// Of entries in pages of live blocks.
    live_blocks: usize,
}

impl ArenaBytes {
    pub fn new() -> ArenaBytes {
        let mut arena = ArenaBytes {
            header: vec![0; header::WORDS],
            regions: vec![Vec::new(); region::COUNT],
            live_blocks: 0,
        };
        let (extents, _) = region::layout(SHRINK);
        for (extent, region) in extents.iter().zip(region::ALL) {
            arena.set(region.word(region::OFFSET), extent.offset);
            arena.set(region.word(region::ITEM_BYTES), region.item_bytes());
            arena.set(region.word(region::CAPACITY), extent.capacity);
        }
        arena.set(header::MAGIC, MAGIC);
        arena.set(header::VERSION, VERSION);
        arena.set(header::STATE, header::READY);
        arena.set(header::STACKS, node::FIRST_FREE_STACK.into());
        arena.set(header::STRIDE, 1);
        arena.append_words(Region::Nodes, &[node::LINK]);
        arena.append_words(Region::Nodes, &[node::STACK]);
        arena
    }

    pub fn open(self) -> ArenaFile {
        ArenaFile::in_storage(Path::new("in memory"), Box::new(self)).unwrap()
    }

    pub fn set(&mut self, word: header::Word, value: u64) {
        self.header[word] = value;
    }

    pub fn get(&self, word: header::Word) -> u64 {
        self.header[word]
    }

    /// Makes room for an item, which is zero; returns its number.
    pub fn append(&mut self, region: Region) -> u64 {
        let number = self.get(region.word(region::USED));
        assert!(number < self.get(region.word(region::CAPACITY)));
        self.set(region.word(region::USED), number + 1);
        self.set(region.word(region::COMMITTED), number + 1);
        let bytes = &mut self.regions[region as usize];
        bytes.resize((number + 1) as usize * region.item_bytes() as usize, 0);
        number
    }

    pub fn append_words(&mut self, region: Region, words: &[u64]) -> u64 {
        let number = self.append(region);
        for (index, &value) in words.iter().enumerate() {
            self.set_word(region, number, index, value);
        }
        number
    }

    fn append_bytes(&mut self, region: Region, bytes: &[u8]) -> u64 {
        let offset = self.get(region.word(region::USED));
        for &byte in bytes {
            let item = self.append(region);
            self.regions[region as usize][item as usize] = byte;
        }
        offset
    }

    pub fn word(&self, region: Region, item: u64, index: usize) -> u64 {
        let start = (item * region.item_bytes()) as usize + index * 8;
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.regions[region as usize][start..][..8]);
        u64::from_le_bytes(bytes)
    }

    pub fn set_word(&mut self, region: Region, item: u64, index: usize, value: u64) {
        let start = (item * region.item_bytes()) as usize + index * 8;
        self.regions[region as usize][start..][..8].copy_from_slice(&value.to_le_bytes());
    }

    fn set_half(&mut self, region: Region, item: u64, offset: usize, value: u32) {
        let start = (item * region.item_bytes()) as usize + offset;
        self.regions[region as usize][start..][..4].copy_from_slice(&value.to_le_bytes());
    }

    pub fn text(&mut self, text: &str) -> u64 {
        let offset = self.append_bytes(Region::Strings, text.as_bytes());
        tables::text::pack(offset, text.len() as u64)
    }

    pub fn name(&mut self, name: &str) -> u32 {
        let reference = self.text(name);
        self.append_words(Region::Names, &[reference]) as u32
    }

    pub fn module(&mut self, path: &str, addresses: std::ops::Range<u64>, generation: u64) -> u64 {
        let path = self.text(path);
        let bias = addresses.start;
        let words = [addresses.start, addresses.end, bias, generation, path];
        self.append_words(Region::Modules, &words)
    }

    /// Always a new node, as where threads race.
    pub fn node(&mut self, parent: u32, key: u64) -> u32 {
        self.run(parent, &[key])
    }

    /// A run of nodes, each below the one before, and its first.
    pub fn run(&mut self, parent: u32, keys: &[u64]) -> u32 {
        let link = self.append_words(Region::Nodes, &[node::LINK | u64::from(parent)]);
        for &key in keys {
            self.append_words(Region::Nodes, &[key]);
        }
        self.append_words(Region::Nodes, &[node::STACK]);
        link as u32 + 1
    }

    /// Gives a node the next stack id, where there is room behind it or in a run of its own.
    fn stack(&mut self, node: u32, purpose: u64) -> u32 {
        let stack = self.get(header::STACKS);
        self.set(header::STACKS, stack + 1);
        let cell = node::STACK | purpose | stack;
        if self.word(Region::Nodes, u64::from(node) + 1, 0) == node::STACK {
            self.set_word(Region::Nodes, u64::from(node) + 1, 0, cell);
        } else {
            self.append_words(Region::Nodes, &[node::LINK | u64::from(node)]);
            self.append_words(Region::Nodes, &[cell]);
        }
        stack as u32
    }

    pub fn heap_stack(&mut self, node: u32) -> u32 {
        self.stack(node, node::IS_HEAP)
    }

    pub fn map_stack(&mut self, node: u32) -> u32 {
        self.stack(node, node::IS_MAPPING)
    }

    /// A node below the root, with a stack id.
    pub fn path(&mut self, key: u64) -> u32 {
        let node = self.node(node::ROOT, key);
        self.heap_stack(node)
    }

    /// A state of the recorder, with its thread.
    pub fn state(&mut self, tid: u64, name: &str) -> u32 {
        let mut words = [0; stat::WORDS];
        words[stat::TID] = tid;
        for (index, piece) in name.as_bytes().chunks(8).enumerate() {
            let mut bytes = [0; 8];
            bytes[..piece.len()].copy_from_slice(piece);
            words[stat::NAME + index] = u64::from_le_bytes(bytes);
        }
        self.append_words(Region::Threads, &words) as u32
    }

    /// The page of counters that holds a stack's record, made if it is not there; and
    /// the place of the record in it.
    fn page(&mut self, state: u32, stack: u32) -> (u64, usize) {
        let key = page_key(state, stack);
        let pages = self.get(Region::CounterKeys.word(region::USED));
        let known = (0..pages).find(|&page| self.word(Region::CounterKeys, page, 0) == key);
        let page = known.unwrap_or_else(|| {
            self.append_words(Region::CounterKeys, &[key]);
            self.append(Region::CounterPages)
        });
        (page, stack as usize % PAGE_RECORDS)
    }

    pub fn record(&mut self, state: u32, stack: u32, index: usize) -> u64 {
        let (page, slot) = self.page(state, stack);
        self.word(Region::CounterPages, page, slot * RECORD_WORDS + index)
    }

    fn set_record(&mut self, state: u32, stack: u32, index: usize, value: u64) {
        let (page, slot) = self.page(state, stack);
        self.set_word(
            Region::CounterPages,
            page,
            slot * RECORD_WORDS + index,
            value,
        );
    }

    fn bump(&mut self, state: u32, stack: u32, index: usize, more: u64) {
        let sum = self.record(state, stack, index).wrapping_add(more);
        self.set_record(state, stack, index, sum);
    }

    fn live(&mut self, state: u32, stack: u32) -> (u64, u64) {
        let [calls, frees, bytes, freed_bytes] =
            [ALLOCATIONS_AND_LARGEST, FREES, BYTES, FREED_BYTES]
                .map(|index| self.record(state, stack, index));
        let calls = allocations(calls);
        (bytes.wrapping_sub(freed_bytes), calls.wrapping_sub(frees))
    }

    pub fn made(&mut self, state: u32, stack: u32, bytes: u64) {
        self.before_change(state, stack);
        if allocations(self.record(state, stack, ALLOCATIONS_AND_LARGEST)) > 0 {
            let detail = self.detail(state, stack);
            self.count_in_bin(detail, bytes);
        }
        self.bump(state, stack, ALLOCATIONS_AND_LARGEST, 1);
        self.note_largest(state, stack, bytes);
        self.bump(state, stack, BYTES, bytes);
        let (live_bytes, _) = self.live(state, stack);
        let highest = self.record(state, stack, HIGHEST) as i64;
        let highest = highest.max(live_bytes as i64);
        self.set_record(state, stack, HIGHEST, highest as u64);
        self.set(header::LIVE_BYTES, self.get(header::LIVE_BYTES) + bytes);
        if self.get(header::LIVE_BYTES) > self.get(header::PEAK_BYTES) {
            self.set(header::PEAK_BYTES, self.get(header::LIVE_BYTES));
            self.set(header::RISING, 1);
        }
    }

    /// The record's detail item, made if there is none; its first block goes there.
    fn detail(&mut self, state: u32, stack: u32) -> u64 {
        let word = self.record(state, stack, EPOCH_AND_DETAIL);
        if let Some(item) = detail_number(word).checked_sub(1) {
            return item;
        }
        let item = self.append(Region::RecordDetails);
        if word >> DETAIL_SHIFT == ONE_TEMPORARY {
            self.set_half(Region::RecordDetails, item, DETAIL_TEMPORARIES * 4, 1);
        }
        if allocations(self.record(state, stack, ALLOCATIONS_AND_LARGEST)) == 1 {
            let bytes = self.record(state, stack, BYTES);
            self.count_in_bin(item, bytes);
        }
        let word = u64::from(word as u32) | (item + 1) << DETAIL_SHIFT;
        self.set_record(state, stack, EPOCH_AND_DETAIL, word);
        item
    }

    fn count_in_bin(&mut self, detail: u64, bytes: u64) {
        let (word, shift) = (size_bin(bytes) / 4, size_bin(bytes) % 4 * 16);
        // Those of larger ones are in the overflow item, if a test has one.
        if size_bin(bytes) >= DETAIL_BINS {
            return;
        }
        let bins = self.word(Region::RecordDetails, detail, word);
        self.set_word(Region::RecordDetails, detail, word, bins + (1 << shift));
    }

    fn temporaries(&mut self, state: u32, stack: u32) -> u64 {
        let word = self.record(state, stack, EPOCH_AND_DETAIL);
        match detail_number(word).checked_sub(1) {
            Some(item) => self.word(Region::RecordDetails, item, DETAIL_TEMPORARIES / 2) >> 32,
            None => u64::from(word >> DETAIL_SHIFT == ONE_TEMPORARY),
        }
    }

    pub fn set_calls(&mut self, state: u32, stack: u32, calls: u64) {
        let word = self.record(state, stack, ALLOCATIONS_AND_LARGEST);
        let word = largest_bytes(word) << LARGEST_SHIFT | calls;
        self.set_record(state, stack, ALLOCATIONS_AND_LARGEST, word);
    }

    /// A word of bins of the record's detail item, four in each.
    pub fn set_bins(&mut self, state: u32, stack: u32, word: usize, bins: u64) {
        let detail = self.detail(state, stack);
        self.set_word(Region::RecordDetails, detail, word, bins);
    }

    /// Bytes of blocks that are counted elsewhere.
    pub fn add_bytes(&mut self, state: u32, stack: u32, bytes: u64) {
        self.bump(state, stack, BYTES, bytes);
    }

    fn note_largest(&mut self, state: u32, stack: u32, bytes: u64) {
        let word = self.record(state, stack, ALLOCATIONS_AND_LARGEST);
        let largest = largest_bytes(word).max(bytes) << LARGEST_SHIFT;
        let word = allocations(word) | largest;
        self.set_record(state, stack, ALLOCATIONS_AND_LARGEST, word);
    }

    pub fn freed(&mut self, state: u32, stack: u32, bytes: u64) {
        if self.get(header::RISING) != 0 {
            self.set(header::PEAK_EPOCH, self.get(header::PEAK_EPOCH) + 1);
            self.set(header::RISING, 0);
        }
        self.before_change(state, stack);
        self.bump(state, stack, FREES, 1);
        self.bump(state, stack, FREED_BYTES, bytes);
        self.set(header::LIVE_BYTES, self.get(header::LIVE_BYTES) - bytes);
    }

    fn before_change(&mut self, state: u32, stack: u32) {
        let interval = self.get(header::INTERVAL);
        if self.record(state, stack, AT_PEAK_BLOCKS_AND_INTERVAL) >> 32 != interval {
            self.log(state, stack);
            self.note_logged(state, stack);
            let at_peak = self.record(state, stack, AT_PEAK_BLOCKS_AND_INTERVAL) as u32;
            let word = interval << 32 | u64::from(at_peak);
            self.set_record(state, stack, AT_PEAK_BLOCKS_AND_INTERVAL, word);
        }
        let epoch = self.get(header::PEAK_EPOCH);
        let word = self.record(state, stack, EPOCH_AND_DETAIL);
        if self.get(header::RISING) == 0 && u64::from(word as u32) != epoch {
            let (bytes, blocks) = self.live(state, stack);
            let word = word >> 32 << 32 | epoch;
            let packed = interval << 32 | u64::from(blocks as u32);
            self.set_record(state, stack, AT_PEAK_BYTES, bytes);
            self.set_record(state, stack, AT_PEAK_BLOCKS_AND_INTERVAL, packed);
            self.set_record(state, stack, EPOCH_AND_DETAIL, word);
        }
    }

    /// The first half of a record's first touch in an interval: what the interval of
    /// its last touch left goes to the log.
    pub fn log(&mut self, state: u32, stack: u32) {
        if self.record(state, stack, ALLOCATIONS_AND_LARGEST) == 0
            && self.record(state, stack, FREES) == 0
        {
            return;
        }
        let item = self.logged(state, stack);
        let logged = [
            LOGGED_BYTES,
            LOGGED_BLOCKS_AND_TEMPORARIES,
            LOGGED_MADE_BYTES,
            LOGGED_MADE_BLOCKS,
        ]
        .map(|which| self.word(Region::RecordsLogged, item, which));
        let (bytes, blocks) = self.live(state, stack);
        let blocks = (blocks as u32).wrapping_sub(logged[1] as u32) as i32;
        let bytes = bytes.wrapping_sub(logged[0]) as i64;
        let interval = self.record(state, stack, AT_PEAK_BLOCKS_AND_INTERVAL) >> 32;
        self.log_change(ChangeOf::Live, stack, interval, (bytes, blocks.into()));
        if interval < self.get(header::TOTALS) {
            let bytes = self.record(state, stack, BYTES).wrapping_sub(logged[2]);
            let made = self.record(state, stack, ALLOCATIONS_AND_LARGEST);
            let blocks = allocations(made).wrapping_sub(logged[3]);
            let made = (bytes as i64, blocks as i64);
            self.log_change(ChangeOf::Made, stack, interval, made);
            let temporaries = self.temporaries(state, stack) as u32;
            let more = temporaries.wrapping_sub((logged[1] >> 32) as u32);
            self.log_change(ChangeOf::Temporaries, stack, interval, (0, more.into()));
        }
    }

    fn log_change(&mut self, of: ChangeOf, stack: u32, interval: u64, amount: (i64, i64)) {
        let (mut bytes, mut blocks) = amount;
        while bytes != 0 || blocks != 0 {
            let (packed, more_bytes, more_blocks) = pack_change(bytes, blocks);
            let head = pack_head(of, interval, stack);
            self.append_words(Region::Changes, &[head, packed]);
            (bytes, blocks) = (more_bytes, more_blocks);
        }
    }

    /// The second half: the record knows that it is in the log.
    fn note_logged(&mut self, state: u32, stack: u32) {
        let (bytes, blocks) = self.live(state, stack);
        if self.record(state, stack, ALLOCATIONS_AND_LARGEST) == 0
            && self.record(state, stack, FREES) == 0
        {
            return;
        }
        let item = self.logged(state, stack);
        let before = self.word(Region::RecordsLogged, item, LOGGED_BLOCKS_AND_TEMPORARIES);
        let mut temporaries = before >> 32;
        let interval = self.record(state, stack, AT_PEAK_BLOCKS_AND_INTERVAL) >> 32;
        self.set_word(Region::RecordsLogged, item, LOGGED_BYTES, bytes);
        if interval < self.get(header::TOTALS) {
            let [bytes, calls] =
                [BYTES, ALLOCATIONS_AND_LARGEST].map(|word| self.record(state, stack, word));
            temporaries = self.temporaries(state, stack);
            self.set_word(Region::RecordsLogged, item, LOGGED_MADE_BYTES, bytes);
            let calls = allocations(calls);
            self.set_word(Region::RecordsLogged, item, LOGGED_MADE_BLOCKS, calls);
        }
        let packed = temporaries << 32 | u64::from(blocks as u32);
        let word = LOGGED_BLOCKS_AND_TEMPORARIES;
        self.set_word(Region::RecordsLogged, item, word, packed);
    }

    /// The item of what the log knows, made if there is none.
    fn logged(&mut self, state: u32, stack: u32) -> u64 {
        let detail = self.detail(state, stack);
        let word = self.word(Region::RecordDetails, detail, DETAIL_LOGGED / 2);
        if let Some(item) = u64::from(word as u32).checked_sub(1) {
            return item;
        }
        let item = self.append(Region::RecordsLogged);
        let number = (item + 1) as u32;
        self.set_half(Region::RecordDetails, detail, DETAIL_LOGGED * 4, number);
        item
    }

    /// The record's last block was a temporary.
    pub fn temporary(&mut self, state: u32, stack: u32) {
        let word = self.record(state, stack, EPOCH_AND_DETAIL);
        match detail_number(word).checked_sub(1) {
            Some(item) => {
                let word = DETAIL_TEMPORARIES / 2;
                let sum = self.word(Region::RecordDetails, item, word) + (1 << 32);
                self.set_word(Region::RecordDetails, item, word, sum);
            }
            None => {
                let word = word | ONE_TEMPORARY << DETAIL_SHIFT;
                self.set_record(state, stack, EPOCH_AND_DETAIL, word);
            }
        }
    }

    /// Words of the record's overflow, which is made if there is none.
    pub fn set_overflow(&mut self, state: u32, stack: u32, words: &[(usize, u64)]) {
        let detail = self.detail(state, stack);
        let word = DETAIL_OVERFLOW / 2;
        let before = self.word(Region::RecordDetails, detail, word);
        let number = match u64::from(before as u32) {
            0 => self.append(Region::RecordOverflow) + 1,
            number => number,
        };
        let after = before >> 32 << 32 | number;
        self.set_word(Region::RecordDetails, detail, word, after);
        for &(index, value) in words {
            self.set_word(Region::RecordOverflow, number - 1, index, value);
        }
    }

    /// An entry of the live table.
    pub fn live_block(&mut self, stack: u32, bytes: u64, birth: u32) {
        let place = self.live_blocks % PAGE_ENTRIES;
        if place == 0 {
            self.append_words(Region::LiveKeys, &[1]);
            self.append(Region::LivePages);
        }
        let page = (self.live_blocks / PAGE_ENTRIES) as u64;
        self.live_blocks += 1;
        let entry = pack_inline(stack, bytes, birth).unwrap_or_else(|| {
            let number = self.append_words(Region::LargeEntries, &[bytes, birth.into()]);
            pack_large(stack, number as u32)
        });
        self.set_word(Region::LivePages, page, place, entry);
    }

    pub fn mapping(&mut self, stack: u32, bytes: u64, birth: u64) {
        self.append_words(Region::Mappings, &[1 << 20, bytes, stack.into(), birth]);
    }

    /// Ends the interval that runs with a moment, whose number is returned.
    pub fn moment(&mut self, row: MomentRow) -> u32 {
        self.set(header::INTERVAL, self.get(header::INTERVAL) + 1);
        let number = self.get(header::INTERVAL) as u32;
        if row.has_totals {
            self.set(header::TOTALS, number.into());
        }
        self.row(Region::Moments, row, number);
        number
    }

    /// A row that is no moment: a stamp, a count, or an event that is not kept, whose
    /// place is the ring.
    pub fn row(&mut self, region: Region, row: MomentRow, number: u32) {
        let row = MomentRow {
            number,
            live_bytes: self.get(header::LIVE_BYTES),
            ..row
        };
        self.append_words(region, &row.to_words());
    }

    pub fn snapshot(&mut self, name: u32, number: u32, texts: [&str; 3]) {
        let mut words = vec![number.into(), name.into()];
        for text in texts {
            words.push(self.append_bytes(Region::ProcMaps, text.as_bytes()));
            words.push(text.len() as u64);
        }
        self.append_words(Region::Snapshots, &words);
    }
}

impl Storage for ArenaBytes {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let header: Vec<u8> = self
            .header
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let (extents, _) = region::layout(SHRINK);
        let held = match offset as usize {
            offset if offset < HEADER_BYTES => Some(&header[offset..]),
            offset => {
                let starts = extents.map(|extent| extent.offset as usize);
                let region = starts.partition_point(|&start| start <= offset) - 1;
                self.regions[region].get(offset - starts[region]..)
            }
        };
        let wanted = held.and_then(|held| held.get(..buffer.len()));
        buffer.copy_from_slice(wanted.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn bytes(&self) -> u64 {
        let (_, bytes) = region::layout(SHRINK);
        bytes
    }

    fn user(&self) -> Option<u32> {
        None
    }

    fn modified_unix_ns(&self) -> u64 {
        0
    }
}
