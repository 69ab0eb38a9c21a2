//! What stages do not say, and why.

use super::Value;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Reason {
    /// A stamp that does not have the value in every event is left out.
    NotAlwaysRead {
        value: Value,
        stamp: String,
        readings: usize,
        stamps: usize,
    },
}
