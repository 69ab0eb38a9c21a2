//! One view as a table for spreadsheets: a line of heads, exact numbers.

use std::io::Write;

use anyhow::{Result, bail};
use residue_profile::Counter;
use residue_query::report::advice::{StackAdvice, advice};
use residue_query::report::callers::callers as find_callers;
use residue_query::report::churn::{churn as find_churn, not_recorded};
use residue_query::report::flat::{self, Side};
use residue_query::report::source::Source;
use residue_query::report::stacks::Stacks;
use residue_query::report::tree::tree as find_tree;
use residue_query::report::{Request, View, groups};

use super::{callers, churn, grid, stacks, tree};
use crate::csv;

/// Writes the first view.
pub fn write(source: &Source<'_>, request: &Request, out: &mut dyn Write) -> Result<()> {
    let (limit, threshold) = (request.limit, request.threshold_percent);
    let functions = |side| flat::functions(source, side, limit).grid;
    match request.views.first().copied().unwrap_or(View::Own) {
        View::Summary => summary(source, out)?,
        View::Own => grid::write_csv(&functions(Side::Own), out)?,
        View::Cumulative => grid::write_csv(&functions(Side::Cumulative), out)?,
        View::Library => grid::write_csv(&flat::libraries(source, limit).grid, out)?,
        View::Scope => grid::write_csv(&groups::scopes(source), out)?,
        View::Thread => match groups::threads(source) {
            Some(threads) => grid::write_csv(&threads, out)?,
            None => bail!("threads were not recorded"),
        },
        View::Size => match groups::sizes(source) {
            Some(sizes) => grid::write_csv(&sizes, out)?,
            None => bail!("sizes: not recorded"),
        },
        View::Stacks => stacks::write_csv(source, &Stacks::of(source, limit.rows), out)?,
        View::Callers | View::IgProf => {
            let only = request.function.as_ref();
            let found = find_callers(source, threshold, only, limit.rows);
            callers::write_csv(&found, &source.counters, out)?;
        }
        View::Tree => tree::write_csv(&find_tree(source, threshold, request.inverted), out)?,
        View::Churn => match find_churn(source, limit.rows) {
            Some(found) => churn::write_csv(&found, out)?,
            None => bail!(not_recorded(source.profile, source.choice.span)),
        },
        View::Advice => write_advice(source, out)?,
    }
    Ok(())
}

/// The sums of every counter over the stacks that pass.
fn summary(source: &Source<'_>, out: &mut dyn Write) -> Result<()> {
    csv::write_row(out, ["counter", "sum"])?;
    for counter in Counter::ALL {
        let sum = source.sum(counter).map(|sum| sum.to_string());
        csv::write_row(out, [counter.name().to_string(), sum.unwrap_or_default()])?;
    }
    Ok(())
}

fn write_advice(source: &Source<'_>, out: &mut dyn Write) -> Result<()> {
    csv::write_row(
        out,
        [
            "stack",
            "action",
            "evidence",
            "containers",
            "elements_low",
            "elements_high",
            "block_bytes",
            "allocations",
            "bytes_allocated",
            "allocations_per_event",
            "saved_allocations",
            "saved_bytes_low",
            "saved_bytes_high",
            "path",
        ],
    )?;
    let text = |number: Option<u64>| number.map_or(String::new(), |it| it.to_string());
    for StackAdvice { advice, path } in advice(source) {
        let per_event = advice.allocations_per_event;
        csv::write_row(
            out,
            [
                advice.stack.to_string(),
                advice.action.to_string(),
                advice.evidence.to_string(),
                text(advice.containers),
                text(advice.elements_low),
                text(advice.elements_high),
                text(advice.block_bytes),
                advice.allocations.to_string(),
                advice.bytes_allocated.to_string(),
                per_event.map_or(String::new(), |mean| mean.to_string()),
                advice.saved_allocations.to_string(),
                advice.saved_bytes_low.to_string(),
                advice.saved_bytes_high.to_string(),
                path.join(";"),
            ],
        )?;
    }
    Ok(())
}
