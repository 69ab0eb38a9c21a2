//! How a profile is read: which stacks, of which moments, under which names. The same
//! options for every command that shows stacks.

use anyhow::{Context, Result, bail};
use residue_analysis::merge::Sum;
use residue_calltree::Filter;
use residue_profile::{Counter, Measured, MemoryKind, Needs, Profile, Span};
use residue_query::choice::Choice;
use residue_query::known_names::expect_known;
use residue_query::{moment_view, thread_view};

use super::address::Address;
use super::arguments;
use super::naming::Naming;
use super::words;
use crate::input;

#[derive(Debug, Clone, Default, clap::Args)]
pub struct Reading {
    /// Kind of memory
    #[arg(long, value_name = "KIND", value_parser = words::kind(), default_value = "heap")]
    pub kind: MemoryKind,
    /// Only stacks with a function that matches
    ///
    /// The shown name or the full one may match; case is ignored unless the pattern has a capital
    /// letter. A filter may be given several times: one of them
    /// must match. Filters of different kinds must all match. Percentages are of what passes.
    #[arg(long, value_name = "REGEX", value_parser = arguments::pattern, help_heading = "Filters")]
    pub focus: Vec<String>,
    /// Leave out stacks with a function that matches
    #[arg(long, value_name = "REGEX", value_parser = arguments::pattern, help_heading = "Filters")]
    pub ignore: Vec<String>,
    /// Only what a matching function called
    ///
    /// The function becomes the root of the stacks.
    #[arg(long, value_name = "REGEX", value_parser = arguments::pattern, help_heading = "Filters")]
    pub under: Vec<String>,
    /// Only stacks that pass through this library
    ///
    /// A file name, in which `*` and `?` are wildcards.
    #[arg(long, value_name = "NAME", value_parser = arguments::pattern, help_heading = "Filters")]
    pub module: Vec<String>,
    /// Only what was allocated inside this scope
    ///
    /// A name that the program gave with residue_scope_begin; `*` and `?` are wildcards.
    #[arg(long, value_name = "NAME", value_parser = arguments::pattern, help_heading = "Filters")]
    pub scope: Vec<String>,
    /// Only what this thread allocated and freed
    ///
    /// Its name or number; `*` and `?` are wildcards. Live bytes are not known by thread, since another thread may have
    /// freed them.
    #[arg(long, value_name = "NAME", value_parser = arguments::pattern, help_heading = "Filters")]
    pub thread: Option<String>,
    /// Only what changed between two moments: 51..end
    ///
    /// Each side is an event, an event's id (`id:7`) or a snapshot.
    #[arg(long, value_name = "A..B", help_heading = "Filters")]
    pub events: Option<String>,
    #[command(flatten)]
    pub naming: Naming,
}

/// A profile as far as it is meant, and what is known of it.
pub struct Loaded {
    pub profile: Profile,
    pub measured: Measured,
    /// The part of its recording that is meant.
    pub span: Span,
}

/// What the views of a moment are made from.
pub const OF_A_MOMENT: Needs = Needs {
    places: true,
    changes: true,
    allocated: true,
    ..Needs::LEAST
};

impl Reading {
    /// The profile at an address, as far as it is meant; the sum of several.
    pub fn load_all(&self, files: &[Address]) -> Result<Loaded> {
        self.load_all_needed(files, Needs::ALL)
    }

    /// The same without the tables that are not needed.
    pub fn load_all_needed(&self, files: &[Address], needs: Needs) -> Result<Loaded> {
        let mut sum = Sum::default();
        let mut measured = Measured::Everything;
        let mut span = Span::WHOLE;
        for file in files {
            let loaded = self.load_needed(file, needs)?;
            measured = measured.and(loaded.measured);
            // Of one alone; a sum has no moments.
            span = loaded.span;
            sum.add(loaded.profile);
        }
        Ok(Loaded {
            profile: sum.finish(),
            measured,
            span,
        })
    }

    fn load_needed(&self, file: &Address, needs: Needs) -> Result<Loaded> {
        let file = file.narrowed(self.events.as_deref())?;
        let needs = Needs {
            by_thread: needs.by_thread || self.thread.is_some(),
            ..needs
        };
        if file.part.is_some() {
            self.expect_no_thread()?;
            return at(&file);
        }
        let profile = input::load_needed(&file, needs)?;
        self.of_thread(profile)
            .with_context(|| file.path.display().to_string())
    }

    /// Which thread did what is known of whole recordings.
    pub fn expect_no_thread(&self) -> Result<()> {
        match &self.thread {
            Some(_) => bail!("--thread: not recorded between moments, only for the whole run"),
            None => Ok(()),
        }
    }

    /// What the chosen thread did; everything if none was chosen.
    pub fn of_thread(&self, profile: Profile) -> Result<Loaded> {
        Ok(match &self.thread {
            Some(pattern) => Loaded {
                profile: thread_view::of(profile, pattern)?,
                measured: Measured::ByThread,
                span: Span::WHOLE,
            },
            None => Loaded {
                profile,
                measured: Measured::Everything,
                span: Span::WHOLE,
            },
        })
    }

    /// Which stacks of a profile are read, under which names, where this counter is asked for.
    pub fn choice_of(&self, loaded: &Loaded, counter: Counter) -> Result<Choice> {
        expect_known(&loaded.profile, &self.module, &self.scope)?;
        Ok(Choice {
            span: loaded.span,
            ..self.choice(loaded.measured, counter)?
        })
    }

    /// The same before any profile is read.
    pub fn choice(&self, measured: Measured, counter: Counter) -> Result<Choice> {
        Ok(Choice {
            kind: self.kind.counting(counter),
            filter: self.filter()?,
            names: self.naming.names()?,
            measured,
            span: Span::WHOLE,
        })
    }

    fn filter(&self) -> Result<Filter> {
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
}

/// The profile as it was at a moment, or as it changed between two; all of it without.
pub fn at(file: &Address) -> Result<Loaded> {
    let Some(part) = &file.part else {
        return Ok(Loaded {
            profile: input::load(file)?,
            measured: Measured::Everything,
            span: Span::WHOLE,
        });
    };
    let mut profile = input::load_needed(file, OF_A_MOMENT)?;
    let span = profile.timeline.span_of(part);
    let span = span.with_context(|| file.path.display().to_string())?;
    let other_events = profile.timeline.other_events(part, span);
    profile.meta.notes.extend(other_events);
    let (profile, measured) = moment_view::of(profile, span);
    Ok(Loaded {
        profile,
        measured,
        span,
    })
}
