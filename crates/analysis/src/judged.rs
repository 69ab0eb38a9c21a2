//! Groups of stacks, judged one by one.

use crate::groups::GroupId;
use crate::history::{Course, History};
use crate::shape::{Shape, ShapeVerdict, classify};
use crate::verdict::Headline;
use residue_profile::timeline::StackId;

pub struct Judged {
    /// All stacks through these functions, the largest first.
    pub stacks: Vec<StackId>,
    pub course: Course,
    pub verdict: ShapeVerdict,
}

impl Judged {
    /// Whether the headline is about this stack.
    pub(crate) fn is_guilty(&self, headline: Headline) -> bool {
        match headline {
            Headline::Leak => self.verdict.shape == Shape::Leak,
            Headline::FreedAtExit => self.verdict.shape == Shape::ExitFreed,
            _ => false,
        }
    }
}

/// The shapes of some groups, in their order.
pub fn judge(history: &History, groups: &[GroupId]) -> Vec<Judged> {
    let courses = history.courses(groups);
    let histories = history.of_groups(groups, &courses);
    let verdicts: Vec<ShapeVerdict> = histories.map(|known| classify(&known)).collect();
    let judged = |((&group, course), verdict): ((&GroupId, Course), ShapeVerdict)| Judged {
        stacks: history.groups.members(group).to_vec(),
        course,
        verdict,
    };
    let courses = groups.iter().zip(courses);
    courses.zip(verdicts).map(judged).collect()
}
