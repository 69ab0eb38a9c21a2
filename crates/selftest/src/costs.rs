//! What recording costs on this machine: figures, not judged.

use super::recorded::Laboratory;
use crate::target::{Costs, Told, Work};
use anyhow::{Result, bail};
use serde::Serialize;

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    pub recorded: Costs,
    pub not_recorded: Costs,
}

pub fn compare(laboratory: &Laboratory) -> Result<Comparison> {
    let (recorded, _) = laboratory.record(Work::Costs, &[])?;
    let not_recorded = laboratory.run_unrecorded(Work::Costs)?;
    match (recorded, not_recorded) {
        (Told::Costs(recorded), Told::Costs(not_recorded)) => Ok(Comparison {
            recorded,
            not_recorded,
        }),
        _ => bail!("unexpected answer from the recorded program"),
    }
}

impl Comparison {
    pub fn lines(&self) -> Vec<String> {
        let both = |of: fn(&Costs) -> f64| {
            format!(
                "{:.0} ns ({:.1} not recorded)",
                of(&self.recorded),
                of(&self.not_recorded)
            )
        };
        vec![format!(
            "cost    event begin and end {}, stamp {}, count {}, allocation and free {}",
            both(|costs| costs.event_ns),
            both(|costs| costs.stamp_ns),
            both(|costs| costs.count_ns),
            both(|costs| costs.allocation_ns),
        )]
    }
}
