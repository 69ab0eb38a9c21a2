//! Groups of stacks, judged one by one.

use crate::groups::GroupId;
use crate::history::{Course, History};
use crate::shape::{Deferral, Reason, Shape, ShapeVerdict, classify};
use crate::verdict::Headline;
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
            _ => false,
        }
    }
}

/// Groups for which another thread is worth its start.
const LEAST_FOR_A_THREAD: usize = 16;

/// The shapes of some groups, each alone, in their order.
pub(crate) fn judge(history: &History, groups: &[GroupId]) -> Vec<Judged> {
    let courses = history.courses(groups);
    let deferrals = history.deferrals(groups);
    let known: Vec<Known> = groups.iter().zip(&courses).zip(deferrals).collect();
    // One history at a time and thread: the births of a long run are many.
    let classify_some = |some: &[Known]| -> Vec<ShapeVerdict> {
        let histories = some
            .iter()
            .map(|((group, course), deferral)| history.of_group(**group, course, *deferral));
        histories.map(|history| classify(&history)).collect()
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let some = known.len().div_ceil(threads).max(LEAST_FOR_A_THREAD);
    let verdicts: Vec<ShapeVerdict> = std::thread::scope(|scope| {
        let mut parts = known.chunks(some);
        let first = parts.next().unwrap_or_default();
        let others: Vec<_> = parts
            .map(|part| scope.spawn(|| classify_some(part)))
            .collect();
        let mut verdicts = classify_some(first);
        for other in others {
            let part = other.join();
            verdicts.extend(part.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        verdicts
    });
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
