//! Groups of stacks, judged one by one.

use crate::counters::Counters;
use crate::groups::GroupId;
use crate::history::{Course, History};
use crate::shape::{Deferral, Reason, Shape, ShapeVerdict, classify};
use crate::verdict::Headline;
use rayon::prelude::*;
use residue_profile::timeline::StackId;

pub struct Judged {
    /// All stacks through these functions, the largest first.
    pub stacks: Vec<StackId>,
    pub course: Course,
    pub verdict: ShapeVerdict,
    /// Why it is not called what it would be alone; part of the verdict's reasons too.
    pub(crate) because: Option<Reason>,
}

impl Judged {
    /// Whether the headline is about this stack.
    pub(crate) fn is_guilty(&self, headline: Headline) -> bool {
        match headline {
            Headline::Leak => self.verdict.shape == Shape::Leak,
            Headline::FreedAtExit => self.verdict.shape == Shape::ExitFreed,
            Headline::Filling => self.verdict.shape == Shape::Filling,
            Headline::Slowing => matches!(self.verdict.shape, Shape::Filling | Shape::Slowing),
            _ => false,
        }
    }
}

/// The shapes of some groups, each alone, in their order.
pub(crate) fn judge(history: &History, groups: &[GroupId]) -> Vec<Judged> {
    let courses = history.courses(groups);
    let deferrals = history.deferrals(groups);
    let known: Vec<Known> = groups.iter().zip(&courses).zip(deferrals).collect();
    let counters = Counters::new(history);
    // One history at a time and thread: the births of a long run are many.
    let classify = |((group, course), deferral): &Known| {
        classify(&history.of_group(**group, course, *deferral), &counters)
    };
    let verdicts: Vec<ShapeVerdict> = known.par_iter().map(classify).collect();
    let judged = |((&group, course), verdict): ((&GroupId, Course), ShapeVerdict)| Judged {
        stacks: history.groups.members(group).to_vec(),
        course,
        verdict,
        because: None,
    };
    let courses = groups.iter().zip(courses);
    courses.zip(verdicts).map(judged).collect()
}

/// What a group is judged by: its course, and its late frees.
type Known<'a> = ((&'a GroupId, &'a Course), Option<Deferral>);
