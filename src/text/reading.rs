//! How a profile is read: which stacks, of which moments, under which names. The same
//! options for every command that shows stacks.

use anyhow::{Context, Result};
use residue_analysis::merge::Sum;
use residue_calltree::{CallTree, Detail, Filter, Options};
use residue_profile::{Needs, Profile};

use super::counter::{self, Kind};
use super::moments::Address;
use super::naming::Naming;
use super::{input, thread_view};

#[derive(Debug, Clone, Default, clap::Args)]
pub struct Reading {
    /// Which memory to read
    #[arg(long, value_name = "KIND", value_parser = counter::kinds(), default_value = "heap")]
    pub kind: Kind,
    /// Only stacks with a function that matches this regular expression
    #[arg(long, value_name = "REGEX", help_heading = "Filters")]
    pub focus: Vec<String>,
    /// No stacks with a function that matches
    #[arg(long, value_name = "REGEX", help_heading = "Filters")]
    pub ignore: Vec<String>,
    /// Only what was called by a function that matches, which becomes the root
    #[arg(long, value_name = "REGEX", help_heading = "Filters")]
    pub under: Vec<String>,
    /// Only stacks that pass through this library: a file name, `*` and `?` for any text
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub module: Vec<String>,
    /// Only what was allocated inside this scope
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub scope: Vec<String>,
    /// Only what this thread made and freed: its name (`*`, `?`) or number
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub thread: Option<String>,
    /// Only what changed between two events or snapshots: `51..end`
    #[arg(long, value_name = "A..B", help_heading = "Filters")]
    pub events: Option<String>,
    #[command(flatten)]
    pub naming: Naming,
}

impl Reading {
    /// The profile at an address, as far as it is meant; the sum of several.
    pub fn load_all(&self, files: &[Address]) -> Result<Profile> {
        self.load_all_needed(files, Needs::ALL)
    }

    /// The same without the tables that are not needed.
    pub fn load_all_needed(&self, files: &[Address], needs: Needs) -> Result<Profile> {
        let mut sum = Sum::default();
        for file in files {
            sum.add(self.load_needed(file, needs)?);
        }
        Ok(sum.finish())
    }

    fn load_needed(&self, file: &Address, needs: Needs) -> Result<Profile> {
        let file = file.narrowed(self.events.as_deref())?;
        let needs = Needs {
            by_thread: needs.by_thread || self.thread.is_some(),
            ..needs
        };
        let profile = match &file.part {
            None => input::load_needed(&file.path, needs)?,
            Some(_) => file.load()?,
        };
        self.of_thread(profile)
            .with_context(|| file.path.display().to_string())
    }

    /// What the chosen thread did; everything if none was chosen.
    pub fn of_thread(&self, profile: Profile) -> Result<Profile> {
        match &self.thread {
            Some(pattern) => thread_view::of(profile, pattern),
            None => Ok(profile),
        }
    }

    pub fn filter(&self) -> Result<Filter> {
        let mut filter = Filter::default();
        for pattern in &self.focus {
            filter = filter.focus(pattern).context("--focus")?;
        }
        for pattern in &self.ignore {
            filter = filter.ignore(pattern).context("--ignore")?;
        }
        for pattern in &self.under {
            filter = filter.under(pattern).context("--under")?;
        }
        let filter = self.module.iter().fold(filter, |it, name| it.module(name));
        Ok(self.scope.iter().fold(filter, |it, name| it.scope(name)))
    }

    /// The tree of calls under the names that are asked for.
    pub fn tree(&self, profile: &Profile, detail: Detail) -> Result<CallTree> {
        let options = Options {
            rules: &self.naming.rules()?,
            style: self.naming.style(),
            detail,
            kind: self.kind,
            filter: &self.filter()?,
        };
        Ok(CallTree::of(profile, &options))
    }
}
