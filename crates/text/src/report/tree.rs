//! The tree of calls on paper and for spreadsheets.
//!
//! A call that has no sister stands below its caller without a further step to the
//! right, so that the depth on paper is the number of branches:
//!
//! ```text
//!     100 %   2.19 MiB  main
//!     100 %   2.19 MiB  run
//!    96.2 %   2.11 MiB  ├ simulate
//!    96.2 %   2.11 MiB  │ getPhotonFrame
//!     3.8 %   84.1 KiB  └ (3 others)
//! ```

use std::io::{self, Write};

use crate::amount::{amount, share_of};
use residue_query::report::tree::{Tree, TreeRow, What};

use super::grid::name_beside;
use crate::csv;
use crate::terminal::Page;
use residue_profile::Counter;

const SHORTEST_NAME: usize = 20;
/// Columns that branches may take of a line.
const MOST_INDENT: usize = 40;
const MOST_INDENT_IN_FILES: usize = 200;

pub fn heading(tree: &Tree, counter: Counter) -> String {
    format!(
        "tree by {}, {}: down to {} % of {}{}",
        counter.subject(),
        match tree.inverted {
            true => "inverted, callers below callees",
            false => "from the root",
        },
        tree.min_percent,
        match counter.adds_up() {
            true => "",
            false => "the largest, ",
        },
        amount(counter, tree.whole),
    )
}

pub fn lines(tree: &Tree, counter: Counter, page: &Page) -> Vec<String> {
    let mut sisters_left = vec![0_usize; tree.rows.len() + 1];
    // The last place is for rows without a parent.
    let slot = |row: &TreeRow| row.parent.unwrap_or(tree.rows.len());
    for row in &tree.rows {
        sisters_left[slot(row)] += 1;
    }
    let families = sisters_left.clone();
    // What stands before the rows below each row.
    let mut indents: Vec<String> = Vec::with_capacity(tree.rows.len());
    let mut lines = Vec::new();
    let most_indent = match page.width {
        usize::MAX => MOST_INDENT_IN_FILES,
        _ => MOST_INDENT,
    };
    for row in &tree.rows {
        let slot = slot(row);
        sisters_left[slot] -= 1;
        let before = row.parent.map_or("", |parent| indents[parent].as_str());
        let (mark, below) = match (families[slot], sisters_left[slot]) {
            (1, _) => ("", ""),
            (_, 0) => ("└ ", "  "),
            _ => ("├ ", "│ "),
        };
        lines.push(line(
            tree,
            row,
            &last_columns(&format!("{before}{mark}"), most_indent),
            counter,
            page,
        ));
        indents.push(last_columns(&format!("{before}{below}"), most_indent));
    }
    lines
}

fn line(tree: &Tree, row: &TreeRow, indent: &str, counter: Counter, page: &Page) -> String {
    let value = counter.unit().amount(row.value);
    let numbers = format!(
        "{:>8}{value:>12}  ",
        share_of(counter, row.value, tree.whole)
    );
    let taken = numbers.chars().count() + indent.chars().count();
    let room = page.width.saturating_sub(taken).max(SHORTEST_NAME);
    let name = name_beside(page, &row.function, &row.library, row.framework, room);
    format!("{numbers}{}{name}", page.dim(indent))
}

/// Of many branches the last are enough to see where a row belongs; how many there are is
/// up to the file.
fn last_columns(indent: &str, most: usize) -> String {
    let steps = indent.chars().count();
    match steps > most {
        true => {
            let last = indent.chars().skip(steps - most + 1);
            std::iter::once('…').chain(last).collect()
        }
        false => indent.to_string(),
    }
}

pub fn write_csv(tree: &Tree, out: &mut dyn Write) -> io::Result<()> {
    csv::write_row(
        out,
        [
            "row", "parent", "depth", "what", "function", "library", "value",
        ],
    )?;
    for (index, row) in tree.rows.iter().enumerate() {
        let what = match row.what {
            What::Call => "call",
            What::Itself => "itself",
            What::Others => "others",
        };
        let parent = row.parent.map(|parent| parent.to_string());
        csv::write_row(
            out,
            [
                index.to_string(),
                parent.unwrap_or_default(),
                row.depth.to_string(),
                what.to_string(),
                row.function.clone(),
                row.library.clone(),
                row.value.to_string(),
            ],
        )?;
    }
    Ok(())
}
