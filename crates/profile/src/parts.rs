//! Tables that may be too large for one section. They stand in several with the
//! same tag, in the order of the file, each of which begins with
//!
//! ```text
//!   rows of the whole table | rows in the parts before
//! ```

use crate::columns::{Columns, Cursor};
use crate::error::{Damage, Reason};
use crate::jobs::Wrong;
use crate::layout::Tag;
use crate::scan::Section;
use crate::unpack::Unpacker;

/// The beginning of a part.
pub(crate) fn begin(all: usize, before: usize) -> Columns {
    let mut out = Columns::default();
    out.put(all as u64);
    out.put(before as u64);
    out
}

/// What one section says.
#[derive(Debug)]
pub(crate) struct Part<T> {
    /// Index of the section.
    section: usize,
    content: Result<Content<T>, Reason>,
}

#[derive(Debug)]
struct Content<T> {
    all: u64,
    before: u64,
    rows: Vec<T>,
}

impl<T> Part<T> {
    pub fn read(
        index: usize,
        section: &Section<'_>,
        unpacker: &mut Unpacker,
        parse: fn(&mut Cursor<'_>) -> Result<Vec<T>, Reason>,
    ) -> Self {
        let content = unpacker.unpack(section).and_then(|raw| {
            let mut cursor = Cursor::new(raw);
            Ok(Content {
                all: cursor.u64()?,
                before: cursor.u64()?,
                rows: parse(&mut cursor)?,
            })
        });
        Part {
            section: index,
            content,
        }
    }
}

/// The parts, which may be read in any order, and then the table.
#[derive(Debug)]
pub(crate) struct Parts<T> {
    parts: Vec<Option<Part<T>>>,
    all: u64,
    rows: Vec<T>,
}

impl<T> Default for Parts<T> {
    fn default() -> Self {
        Parts {
            parts: Vec::new(),
            all: 0,
            rows: Vec::new(),
        }
    }
}

impl<T> Parts<T> {
    /// A place for each part, in the order of the file.
    pub fn slots(&mut self, parts: usize) -> &mut [Option<Part<T>>] {
        self.parts.resize_with(parts, || None);
        &mut self.parts
    }

    /// Puts those together that follow each other.
    pub fn join(&mut self) -> Vec<Wrong> {
        let mut wrong = Vec::new();
        for part in std::mem::take(&mut self.parts).into_iter().flatten() {
            let added = part.content.and_then(|content| self.add(content));
            wrong.extend(added.err().map(|reason| (part.section, reason)));
        }
        wrong
    }

    fn add(&mut self, part: Content<T>) -> Result<(), Reason> {
        let before = part.before;
        let expected = self.rows.len() as u64;
        if before < expected {
            return Err(Reason::Duplicate);
        }
        if before > expected {
            return Err(Reason::bad(format!(
                "row {before} follows row number {expected}"
            )));
        }
        if self.rows.is_empty() {
            self.rows = part.rows;
        } else {
            self.rows.extend(part.rows);
        }
        self.all = part.all;
        Ok(())
    }

    /// All rows or none: what is left of them would tell another story.
    pub fn finish(self, tag: Tag, damages: &mut Vec<Damage>) -> Vec<T> {
        if self.rows.len() as u64 == self.all {
            return self.rows;
        }
        if !damages.iter().any(|damage| damage.section == tag) {
            let what = format!("{} of {} rows", self.rows.len(), self.all);
            damages.push(Reason::bad(what).of(tag));
        }
        Vec::new()
    }
}
