//! The rows of a comparison: stacks, functions or libraries.

use residue_calltree::Detail;
use residue_calltree::diff::{ComparedRow, Pair, Scale, Sums};

use crate::compare::comparison::Comparison;

/// What one row is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum By {
    #[default]
    Stack,
    Function,
    Library,
}

impl By {
    pub const ALL: [By; 3] = [By::Stack, By::Function, By::Library];

    /// What it is, in a help text.
    pub fn meaning(self) -> &'static str {
        match self {
            By::Stack => "Whole call paths",
            By::Function => "Functions, each with what it allocated itself",
            By::Library => "Libraries, each with what its code allocated itself",
        }
    }

    /// What makes two functions the same.
    pub fn detail(self) -> Detail {
        match self {
            By::Stack | By::Function => Detail::Name,
            By::Library => Detail::Library,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            By::Stack => "stack",
            By::Function => "function",
            By::Library => "library",
        }
    }

    pub fn plural(self) -> &'static str {
        match self {
            By::Stack => "stacks",
            By::Function => "functions",
            By::Library => "libraries",
        }
    }
}

pub struct Table {
    pub by: By,
    /// Rows are ordered by what they did with all that they called.
    pub is_cumulative: bool,
    /// All that changed, the greatest growth first.
    pub rows: Vec<ComparedRow>,
    pub sums: Sums,
    /// The sums over whole paths, which every table of the comparison has.
    pub whole: Pair,
    /// By label, where rows are labels.
    own: Vec<Pair>,
    cumulative: Vec<Pair>,
    /// The other counter of each row, by its id.
    beside: Vec<Pair>,
}

impl Table {
    pub fn of(comparison: &Comparison, by: By, is_cumulative: bool) -> Table {
        let scale = comparison.scale;
        let whole = total(&comparison.own);
        let mut table = Table {
            by,
            is_cumulative: is_cumulative && by != By::Stack,
            rows: Vec::new(),
            sums: Sums::default(),
            whole,
            own: Vec::new(),
            cumulative: Vec::new(),
            beside: Vec::new(),
        };
        if by == By::Stack {
            (table.rows, table.sums) = rows(&comparison.own, scale);
            return table;
        }
        let sums = comparison.tree.by_label(&comparison.own);
        (table.own, table.cumulative) = (sums.own, sums.cumulative);
        if let Some((_, beside)) = &comparison.beside {
            let sums = comparison.tree.by_label(beside);
            table.beside = if table.is_cumulative {
                sums.cumulative
            } else {
                sums.own
            };
        }
        let ranked = if table.is_cumulative {
            &table.cumulative
        } else {
            &table.own
        };
        (table.rows, table.sums) = rows(ranked, scale);
        if table.is_cumulative {
            // What functions did with all that they called overlaps: shares are of what
            // whole paths add up to.
            let (_, of_stacks) = rows(&comparison.own, scale);
            (table.sums.growth, table.sums.fall) = (of_stacks.growth, of_stacks.fall);
        }
        table
    }

    /// What a function or library did itself, and with all that it called.
    pub fn own_and_cumulative(&self, row: &ComparedRow) -> Option<(Pair, Pair)> {
        let id = row.id as usize;
        Some((*self.own.get(id)?, *self.cumulative.get(id)?))
    }

    /// The other counter of a row.
    pub fn beside(&self, comparison: &Comparison, row: &ComparedRow) -> Option<Pair> {
        let (_, by_node) = comparison.beside.as_ref()?;
        let by_id = match self.by {
            By::Stack => by_node,
            By::Function | By::Library => &self.beside,
        };
        by_id.get(row.id as usize).copied()
    }

    /// Rows that grew, the greatest first.
    pub fn more(&self) -> &[ComparedRow] {
        &self.rows[..self.turn()]
    }

    /// Rows that fell, the smallest fall first.
    pub fn less(&self) -> &[ComparedRow] {
        &self.rows[self.turn()..]
    }

    fn turn(&self) -> usize {
        self.rows.partition_point(|row| row.weight > 0)
    }
}

fn rows(pairs: &[Pair], scale: Scale) -> (Vec<ComparedRow>, Sums) {
    let numbered = pairs.iter().enumerate();
    Sums::of(numbered.map(|(index, &pair)| (index as u32, pair)), scale)
}

fn total(pairs: &[Pair]) -> Pair {
    pairs.iter().fold(Pair::default(), |sum, pair| {
        Pair::new(
            sum.before.saturating_add(pair.before),
            sum.after.saturating_add(pair.after),
        )
    })
}
