//! One view as a table for spreadsheets: a line of heads, exact numbers.

use std::io::Write;

use anyhow::{Result, bail};

use super::counter::Counter;
use super::csv;
use super::report_advice::advice;
use super::report_callers::callers;
use super::report_callers_text;
use super::report_flat::{self, Side};
use super::report_groups as groups;
use super::report_source::Source;
use super::report_stacks::Stacks;
use super::report_tree::tree;
use super::report_view::View;
use crate::commands::report::Options;

pub fn write(
    source: &Source<'_>,
    options: &Options,
    view: View,
    out: &mut dyn Write,
) -> Result<()> {
    let limit = options.limit();
    let functions = |side| report_flat::functions(source, side, limit).grid;
    match view {
        View::Summary => summary(source, out)?,
        View::Own => functions(Side::Own).write_csv(out)?,
        View::Cumulative => functions(Side::Cumulative).write_csv(out)?,
        View::Library => report_flat::libraries(source, limit).grid.write_csv(out)?,
        View::Scope => groups::scopes(source).write_csv(out)?,
        View::Thread => match groups::threads(source) {
            Some(grid) => grid.write_csv(out)?,
            None => bail!("the profile does not tell threads apart"),
        },
        View::Size => match groups::sizes(source) {
            Some(grid) => grid.write_csv(out)?,
            None => bail!("sizes are not known of a moment or a thread"),
        },
        View::Stacks => Stacks::of(source, limit.rows).write_csv(source, out)?,
        View::Callers => {
            let callers = callers(source, options.threshold(), options.function.as_ref());
            report_callers_text::write_csv(&callers, out)?;
        }
        View::Tree => tree(source, options.threshold(), options.inverted).write_csv(out)?,
        View::Advice => write_advice(source, out)?,
    }
    Ok(())
}

/// The sums of every counter over the stacks that pass.
fn summary(source: &Source<'_>, out: &mut dyn Write) -> Result<()> {
    csv::write_row(out, ["counter", "sum"])?;
    for counter in Counter::ALL {
        let sum = source.admitted().fold(0_u64, |sum, stack| {
            sum.saturating_add(source.value(counter, stack))
        });
        csv::write_row(out, [counter.name().to_string(), sum.to_string()])?;
    }
    Ok(())
}

fn write_advice(source: &Source<'_>, out: &mut dyn Write) -> Result<()> {
    csv::write_row(
        out,
        [
            "stack",
            "evidence",
            "containers",
            "allocations",
            "bytes_allocated",
            "saved_allocations",
            "saved_bytes_low",
            "saved_bytes_high",
            "saved_bytes_below",
            "path",
        ],
    )?;
    for one in advice(source) {
        let containers = one.containers.map(|count| count.to_string());
        csv::write_row(
            out,
            [
                one.stack.to_string(),
                one.evidence.to_string(),
                containers.unwrap_or_default(),
                one.allocations.to_string(),
                one.bytes_allocated.to_string(),
                one.saved_allocations.to_string(),
                one.saved_bytes_low.to_string(),
                one.saved_bytes_high.to_string(),
                one.saved_bytes_below.to_string(),
                one.path.join(";"),
            ],
        )?;
    }
    Ok(())
}
