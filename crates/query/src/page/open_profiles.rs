//! What is open: one profile, or two to compare; files, or a running program.

use std::sync::Arc;

use anyhow::{Context, Result};

use residue_calltree::Detail;

use super::compared::{Compared, Wanted};
use super::joined::Joined;
use super::opened::Opened;
use super::question::Question;
use super::recent::Recent;
use crate::sources::ReadSource;

/// Joined trees that are kept, one a detail: some bytes a node and a stack each.
const TREES_KEPT: usize = 3;
/// Comparisons that are kept: about a hundred bytes a node each.
const COMPARISONS_KEPT: usize = 4;

/// Names of the two profiles: the first, and the one it is compared with.
pub const SIDES: [&str; 2] = ["a", "b"];

#[derive(Clone)]
pub struct OpenProfiles {
    pub first: Arc<Opened>,
    pub second: Option<Arc<Opened>>,
    /// Counts up each time a running program was read.
    pub generation: u64,
    pub is_live: bool,
    pub has_ended: bool,
    /// Why the last reading of a running program failed.
    pub trouble: Option<String>,
    /// Of a self-contained file: what it does not hold.
    pub left_out: Vec<String>,
    /// Reads source files; none unless somebody says how.
    pub read_source: Arc<ReadSource>,
    /// Of both profiles, by generation.
    joined: Arc<Recent<(u64, Detail), Joined>>,
    compared: Arc<Recent<(u64, Wanted), Result<Compared, String>>>,
}

impl OpenProfiles {
    pub fn new(first: Opened, second: Option<Opened>) -> OpenProfiles {
        OpenProfiles {
            first: Arc::new(first),
            second: second.map(Arc::new),
            generation: 0,
            is_live: false,
            has_ended: false,
            trouble: None,
            left_out: Vec::new(),
            read_source: Arc::new(|_| None),
            joined: Arc::new(Recent::new(TREES_KEPT)),
            compared: Arc::new(Recent::new(COMPARISONS_KEPT)),
        }
    }

    /// The profile that a question is about.
    pub fn side(&self, question: &Question) -> Result<&Opened> {
        match question.word("side", &SIDES)? {
            "b" => self.second(),
            _ => Ok(&self.first),
        }
    }

    pub fn second(&self) -> Result<&Opened> {
        let second = self.second.as_deref();
        second.context("only one profile is open")
    }

    /// The other one of the two.
    pub fn other(&self, question: &Question) -> Result<&Opened> {
        match question.word("side", &SIDES)? {
            "b" => Ok(&self.first),
            _ => self.second(),
        }
    }

    /// The trees of both profiles as one: the first is before, the second after.
    pub fn joined(&self, detail: Detail) -> Result<Arc<Joined>> {
        let second = self.second()?;
        let key = (self.generation, detail);
        Ok(self
            .joined
            .get(key, || Joined::of(&self.first, second, detail)))
    }

    /// A comparison of both profiles, or why there is none.
    pub fn compared(&self, wanted: &Wanted) -> Result<Arc<Result<Compared, String>>> {
        let second = self.second()?;
        let joined = self.joined(wanted.by.detail())?;
        let key = (self.generation, wanted.clone());
        Ok(self.compared.get(key, || {
            let compared = Compared::of(&self.first, second, &joined, wanted);
            compared.map_err(|error| format!("{error:#}"))
        }))
    }
}
