//! heaptrack's files, raw or interpreted: one line an allocation, one a free, in their
//! order, with the tables they speak of in between. All numbers are hexadecimal.
//!
//! ```text
//!   v VERSION FORMAT       s SIZE TEXT             i IP MODULE [FUNCTION [FILE LINE]]...
//!   X COMMAND              t IP PARENT             a SIZE TRACE
//!   I PAGE_BYTES PAGES     + ALLOCATION            - ALLOCATION
//!   c MILLISECONDS         R RESIDENT_PAGES
//! ```
//!
//! Raw files have modules (`x`, `m`) instead of `s`, `i` and `a`; there a trace has an
//! address, `+` has size, trace and pointer, and `-` a pointer. Ids count from one,
//! those of allocations from zero.

use residue_profile::{Frame, FrameId, NONE, NodeId, ROOT, SourcePlace};

use crate::error::Wrong;
use crate::fields::Fields;
use crate::heaptrack_raw::Raw;
use crate::lines::Lines;
use crate::replay::Replay;
use crate::stacks::Stacks;
use crate::ticks::Ticks;

const NEWEST_FORMAT: u64 = 3;
/// From here on strings come with their sizes.
const FORMAT_WITH_SIZES: u64 = 3;
/// Before, allocations were told by pointer, as in raw files.
const FORMAT_WITH_ALLOCATIONS: u64 = 1;
/// A version that was given out before formats had numbers.
const VERSION_OF_FORMAT_ONE: u64 = 0x01_02_00;
const USUAL_PAGE_BYTES: u64 = 4096;

/// `v 10400 3`.
pub fn is_start(first_line: &[u8]) -> bool {
    let mut fields = Fields::new(first_line);
    let version = fields.eat("v").and_then(|()| fields.next_hexadecimal());
    let format = fields.is_empty() || fields.next_hexadecimal().is_some();
    version.is_some() && format && fields.is_empty()
}

pub fn read(mut lines: Lines) -> Result<Stacks, Wrong> {
    let mut reader = Reader::new();
    while lines.advance()? {
        let (first, rest) = lines.line().split_at_checked(1).unwrap_or_default();
        // A program that is killed leaves half a line.
        if lines.lacks_end() {
            reader.is_cut = true;
            break;
        }
        // Only these grow with the number of allocations, and nothing of them is kept.
        let is_event = matches!(first, b"+" | b"-" | b"c" | b"R");
        match reader.line(first, Fields::new(rest)) {
            Ok(()) if is_event => {}
            Ok(()) => lines.keep()?,
            Err(reason) => return Err(lines.unreadable(&reason, lines.line())),
        }
    }
    reader.is_cut |= lines.stream_is_cut();
    Ok(reader.finish(lines.number()))
}

struct Reader {
    stacks: Stacks,
    replay: Replay,
    ticks: Ticks,
    strings: Vec<Box<[u8]>>,
    frames: Vec<FrameId>,
    traces: Vec<NodeId>,
    raw: Raw,
    format: u64,
    page_bytes: u64,
    time_ms: u64,
    /// Pointer or number of the allocation that was the event before.
    just_made: Option<u64>,
    /// Whether the latest time stamp is among the moments.
    is_on_tick: bool,
    suppressions: u64,
    is_attached: bool,
    is_cut: bool,
}

impl Reader {
    fn new() -> Reader {
        Reader {
            stacks: Stacks::default(),
            replay: Replay::default(),
            ticks: Ticks::default(),
            strings: Vec::new(),
            frames: Vec::new(),
            traces: Vec::new(),
            raw: Raw::default(),
            format: 0,
            page_bytes: USUAL_PAGE_BYTES,
            time_ms: 0,
            just_made: None,
            is_on_tick: false,
            suppressions: 0,
            is_attached: false,
            is_cut: false,
        }
    }

    fn keeps_pointers(&self) -> bool {
        self.raw.is_raw() || self.format < FORMAT_WITH_ALLOCATIONS
    }

    /// Fails with the reason.
    fn line(&mut self, kind: &[u8], mut fields: Fields) -> Result<(), String> {
        let numbers = || "numbers are missing or too large".to_string();
        match kind {
            b"+" | b"-" => self.event(kind == b"+", &mut fields)?,
            b"s" => {
                let string = self.string(&mut fields).ok_or_else(numbers)?;
                self.strings.push(string.into());
            }
            b"i" => self.instruction(&mut fields)?,
            b"t" => self.trace(&mut fields)?,
            b"a" => {
                let size_bytes = fields.next_hexadecimal().ok_or_else(numbers)?;
                let node = self.node(fields.next_hexadecimal().ok_or_else(numbers)?)?;
                self.replay
                    .add_class(self.stacks.heap_stack(node), size_bytes);
            }
            b"c" => self.stamp(fields.next_hexadecimal().ok_or_else(numbers)?),
            b"R" => self.resident(fields.next_hexadecimal().ok_or_else(numbers)?)?,
            b"v" => {
                let version = fields.next_hexadecimal().ok_or_else(numbers)?;
                self.format = match fields.next_hexadecimal() {
                    Some(format) => format,
                    None => u64::from(version == VERSION_OF_FORMAT_ONE),
                };
                if self.format > NEWEST_FORMAT {
                    return Err(format!(
                        "version {} of the format is not known",
                        self.format
                    ));
                }
            }
            b"X" => {
                let command = String::from_utf8_lossy(fields.rest);
                let words: Vec<String> = command.split_whitespace().map(String::from).collect();
                let program = words.first().map(|path| path.rsplit('/').next());
                self.stacks.meta.program = program.flatten().unwrap_or_default().to_string();
                self.stacks.meta.command = words;
            }
            b"I" => {
                self.page_bytes = fields.next_hexadecimal().ok_or_else(numbers)?;
                self.stacks.meta.page_bytes = self.page_bytes;
            }
            b"x" => {
                let path = self.word(&mut fields).ok_or_else(numbers)?;
                self.stacks.meta.executable = String::from_utf8_lossy(path).into_owned();
                self.raw.set_executable(path);
            }
            b"m" => {
                let path = self.word(&mut fields).ok_or_else(numbers)?;
                let module = self.raw.module(&mut self.stacks, path, fields);
                module.ok_or_else(numbers)?;
            }
            b"A" => self.is_attached = true,
            b"S" => self.suppressions += 1,
            b"#" | b"" => {}
            _ => return Err("unknown kind of line".to_string()),
        }
        Ok(())
    }

    /// The string of a line that holds nothing else.
    fn string<'a>(&self, fields: &mut Fields<'a>) -> Option<&'a [u8]> {
        match self.format >= FORMAT_WITH_SIZES {
            true => self.word(fields),
            false => fields.eat(" ").map(|()| fields.rest),
        }
    }

    /// A string that others may follow.
    fn word<'a>(&self, fields: &mut Fields<'a>) -> Option<&'a [u8]> {
        let length = match self.format >= FORMAT_WITH_SIZES {
            true => Some(fields.next_hexadecimal()?),
            false => None,
        };
        fields.eat(" ")?;
        let blank = fields.rest.iter().position(|byte| *byte == b' ');
        let to_blank = blank.unwrap_or(fields.rest.len()) as u64;
        fields.take(length.unwrap_or(to_blank))
    }

    /// A string by its id; zero stands for none.
    fn string_at(&self, id: u64) -> Result<&[u8], String> {
        let Some(index) = id.checked_sub(1) else {
            return Ok(&[]);
        };
        let string = usize::try_from(index)
            .ok()
            .and_then(|index| self.strings.get(index));
        let string = string.ok_or_else(|| format!("there is no string {id:x}"))?;
        Ok(string)
    }

    /// The places come innermost first, and the last one's function is the frame's own.
    fn instruction(&mut self, fields: &mut Fields) -> Result<(), String> {
        let numbers = || "numbers are missing or too large".to_string();
        let address = fields.next_hexadecimal().ok_or_else(numbers)?;
        let module = fields.next_hexadecimal().ok_or_else(numbers)?;
        let module = self.string_at(module)?.to_vec();
        let module = self.stacks.module_at(&module);
        let mut places = Vec::new();
        while let Some(function) = fields.next_hexadecimal() {
            let (file, line) = match fields.next_hexadecimal() {
                Some(file) => (file, fields.next_hexadecimal().ok_or_else(numbers)?),
                None => (0, 0),
            };
            let function = self.string_at(function)?.to_vec();
            let file = self.string_at(file)?.to_vec();
            places.push(SourcePlace {
                function: self.stacks.function(&function),
                file: self.stacks.file(&file),
                line: u32::try_from(line).map_err(|_| numbers())?,
            });
        }
        let function = places.last().map_or(NONE, |place| place.function);
        if let [only] = &places[..]
            && only.file == NONE
        {
            places.clear();
        }
        // Where the module lay is not said, so the address means nothing beside a name.
        let frame = Frame {
            module,
            address: if function == NONE { address } else { 0 },
            function,
        };
        let frame = self.stacks.frame(frame, places);
        self.frames.push(frame);
        Ok(())
    }

    fn trace(&mut self, fields: &mut Fields) -> Result<(), String> {
        let numbers = || "numbers are missing or too large".to_string();
        let ip = fields.next_hexadecimal().ok_or_else(numbers)?;
        let parent = self.node(fields.next_hexadecimal().ok_or_else(numbers)?)?;
        let frame = if self.raw.is_raw() {
            self.raw.frame(&mut self.stacks, ip)
        } else if let Some(index) = ip.checked_sub(1) {
            let index = usize::try_from(index).ok();
            let frame = index.and_then(|index| self.frames.get(index)).copied();
            frame.ok_or_else(|| format!("there is no instruction pointer {ip:x}"))?
        } else {
            self.stacks.named_frame(&[])
        };
        self.traces.push(self.stacks.child(parent, frame));
        Ok(())
    }

    fn node(&self, trace: u64) -> Result<NodeId, String> {
        let Some(index) = trace.checked_sub(1) else {
            return Ok(ROOT);
        };
        let node = usize::try_from(index)
            .ok()
            .and_then(|index| self.traces.get(index));
        node.copied()
            .ok_or_else(|| format!("there is no trace {trace:x}"))
    }

    fn event(&mut self, is_allocation: bool, fields: &mut Fields) -> Result<(), String> {
        let numbers = || "numbers are missing or too large".to_string();
        let mut key = fields.next_hexadecimal().ok_or_else(numbers)?;
        let class = if !self.keeps_pointers() {
            usize::try_from(key).map_err(|_| numbers())?
        } else if is_allocation {
            let node = self.node(fields.next_hexadecimal().ok_or_else(numbers)?)?;
            let stack = self.stacks.heap_stack(node);
            let class = self.raw.class(&mut self.replay, stack, key);
            key = fields.next_hexadecimal().ok_or_else(numbers)?;
            if self.raw.remember(key, class) {
                self.stacks.recorder.missed_frees += 1;
            }
            class
        } else {
            let Some(class) = self.raw.forget(key) else {
                self.stacks.recorder.unknown_frees += 1;
                return Ok(());
            };
            class
        };
        if is_allocation {
            self.just_made = Some(key);
            self.replay.allocate(class)?;
        } else {
            let is_temporary = self.just_made.take() == Some(key);
            self.replay.free(class, is_temporary)?;
        }
        Ok(())
    }

    fn stamp(&mut self, time_ms: u64) {
        self.time_ms = self.time_ms.max(time_ms);
        let time_ns = self.time_ms.saturating_mul(1_000_000);
        self.is_on_tick = self.ticks.is_due(time_ns);
        if self.is_on_tick {
            let changes = self.replay.take_changes();
            self.ticks
                .push(time_ns, self.replay.live_bytes(), Some(changes));
            self.ticks.thin_if_many();
        }
    }

    fn resident(&mut self, pages: u64) -> Result<(), String> {
        let rss_bytes = pages.checked_mul(self.page_bytes);
        let rss_bytes = rss_bytes.ok_or("the resident size is too large")?;
        if std::mem::take(&mut self.is_on_tick) {
            self.ticks.set_rss(rss_bytes);
        }
        let highest = &mut self.stacks.meta.max_rss_bytes;
        *highest = (*highest).max(Some(rss_bytes));
        Ok(())
    }

    fn finish(mut self, lines: usize) -> Stacks {
        let rest = self.replay.take_changes();
        self.stacks.timeline = self.ticks.finish(self.replay.live_bytes(), rest);
        self.stacks.meta.duration_ns = self.time_ms.saturating_mul(1_000_000);
        self.replay.settle(&mut self.stacks);
        let stacks = &mut self.stacks;
        stacks.lacks("reallocations (each is a free and an allocation), threads and births");
        let notes = &mut stacks.meta.notes;
        if self.is_cut {
            notes.push(format!(
                "the file is cut off at line {lines}; read up to there"
            ));
        }
        if self.is_attached {
            notes.push("heaptrack was attached to a program that already ran".to_string());
        }
        if self.raw.is_raw() {
            notes.push("heaptrack's raw data has addresses but no names".to_string());
        }
        if self.suppressions > 0 {
            notes.push("suppressed leaks are shown like all others".to_string());
        }
        self.stacks
    }
}
