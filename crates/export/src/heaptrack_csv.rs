//! A table like the one heaptrack's window opens with: one line a function, with what
//! it allocated itself and with all that it called.

use std::io::{self, Write};

use residue_calltree::{FunctionSums, Functions};
use residue_profile::Counter;
use residue_profile::harmless::cell;

use crate::Source;

/// The columns, in heaptrack's words: `leaked` is what is live at the end, `peak` what
/// was live when the whole heap was highest.
const COLUMNS: [(&str, Counter); 6] = [
    ("allocations", Counter::Calls),
    ("temporary", Counter::Temporaries),
    ("peak_bytes", Counter::AtPeak),
    ("leaked_bytes", Counter::Live),
    ("leaked_blocks", Counter::LiveBlocks),
    ("allocated_bytes", Counter::Total),
];

/// Wants a tree with the detail of functions. Functions with nothing are left out; the
/// highest peak with all that it called comes first.
pub fn write(source: &Source<'_>, out: &mut dyn Write) -> io::Result<()> {
    let tree = source.tree;
    let functions = Functions::of(tree, &tree.children());
    let sums: Vec<FunctionSums> = COLUMNS
        .iter()
        .map(|(_, counter)| functions.sums(&source.own(*counter)))
        .collect();
    write!(out, "function,library")?;
    for of in ["self", "inclusive"] {
        for (name, _) in COLUMNS {
            write!(out, ",{of}_{name}")?;
        }
    }
    writeln!(out)?;
    let mut labels: Vec<usize> = (1..tree.labels.len())
        .filter(|&label| sums.iter().any(|sum| sum.cumulative[label] > 0))
        .collect();
    let rank = |label: usize| {
        std::array::from_fn::<u64, 6, _>(|at| {
            let order = [2, 3, 5, 0, 1, 4];
            sums[order[at]].cumulative[label]
        })
    };
    labels.sort_by_key(|&label| (std::cmp::Reverse(rank(label)), label));
    for label in labels {
        let shown = &tree.labels[label];
        write!(out, "{},{}", quoted(&shown.name), quoted(&shown.module))?;
        for values in [own, cumulative] {
            for sum in &sums {
                write!(out, ",{}", values(sum)[label])?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

fn own(sums: &FunctionSums) -> &[u64] {
    &sums.own
}

fn cumulative(sums: &FunctionSums) -> &[u64] {
    &sums.cumulative
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", cell(text).replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use residue_calltree::Detail;
    use residue_profile::MemoryKind;

    #[test]
    fn own_values_add_up_and_inclusive_ones_hold_them() {
        let profile = sample::profile();
        let tree = sample::tree_with(&profile, MemoryKind::Heap, Detail::Function);
        let source = Source {
            profile: &profile,
            tree: &tree,
            counters: &[],
        };
        let mut out = Vec::new();
        write(&source, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let mut lines = text.lines();
        let head: Vec<&str> = lines.next().unwrap().split(',').collect();
        assert_eq!(head.len(), 14);
        let live = head.iter().position(|name| *name == "self_leaked_bytes");
        // No name of the sample holds a comma.
        let column = |line: &str| {
            line.split(',')
                .nth(live.unwrap())
                .unwrap()
                .parse::<u64>()
                .unwrap()
        };
        assert_eq!(lines.map(column).sum::<u64>(), 2936);
        let main = text
            .lines()
            .find(|line| line.starts_with("\"main\""))
            .unwrap();
        assert_eq!(main.split(',').nth(11).unwrap(), "2920");
    }
}
