//! Tables that may be too large for one section. They stand in several with the
//! same tag, in the order of the file, each of which begins with
//!
//! ```text
//!   rows of the whole table | rows in the parts before
//! ```

use crate::columns::{Columns, Cursor};
use crate::error::{Damage, Reason};
use crate::layout::Tag;

/// The beginning of a part.
pub(crate) fn begin(all: usize, before: usize) -> Columns {
    let mut out = Columns::default();
    out.put(all as u64);
    out.put(before as u64);
    out
}

/// The parts read so far.
#[derive(Debug)]
pub(crate) struct Parts<T> {
    all: u64,
    rows: Vec<T>,
}

impl<T> Default for Parts<T> {
    fn default() -> Self {
        Parts {
            all: 0,
            rows: Vec::new(),
        }
    }
}

impl<T> Parts<T> {
    pub fn add(
        &mut self,
        raw: &[u8],
        parse: fn(&mut Cursor<'_>) -> Result<Vec<T>, Reason>,
    ) -> Result<(), Reason> {
        let mut cursor = Cursor::new(raw);
        let all = cursor.u64()?;
        let before = cursor.u64()?;
        let expected = self.rows.len() as u64;
        if before < expected {
            return Err(Reason::Duplicate);
        }
        if before > expected {
            return Err(Reason::bad(format!(
                "row {before} follows row number {expected}"
            )));
        }
        self.rows.extend(parse(&mut cursor)?);
        self.all = all;
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
