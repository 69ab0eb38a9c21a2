//! CPU samples by event and by path of functions.
//!
//! A path counts the samples that end in it or below it. Rows of a profile hold time, not samples:
//! as the kernel looks at its timers once a tick, one sample may stand for several periods, so a
//! tick is the least that is counted as one.

use super::EventTime;
use crate::groups::function_paths;
use residue_profile::{NONE, NodeId, Profile, ROOT, StackKind};

/// The longest time between two looks of the kernel at its timers.
const KERNEL_TICK_NS: u64 = 4_000_000;
/// Samples of a path from which on it is looked at.
pub(super) const FEWEST_SAMPLES: f64 = 5.0;

pub(super) type PathId = u32;

struct Row {
    /// Place among the events with times.
    event: u32,
    path: PathId,
    ns: u64,
}

pub(super) struct Samples {
    rows: Vec<Row>,
    /// Per path the one above it, which has a smaller number, and a node of the profile.
    parents: Vec<PathId>,
    nodes: Vec<NodeId>,
    modules: Vec<u32>,
    /// Time that one sample stands for.
    pub unit_ns: f64,
    /// Per event: whether samples are known of it alone.
    pub is_known: Vec<bool>,
}

impl Samples {
    /// `None` where nothing was sampled.
    pub fn of(profile: &Profile, times: &[EventTime]) -> Option<Samples> {
        let timeline = &profile.timeline;
        let period = profile.meta.options.cpu_period_ns;
        if timeline.cpu.is_empty() || period == 0 {
            return None;
        }
        let path_of_node = function_paths(profile);
        let paths = path_of_node
            .iter()
            .max()
            .map_or(1, |&last| last as usize + 1);
        let (mut parents, mut nodes) = (vec![ROOT; paths], vec![ROOT; paths]);
        for (node, known) in (0..).zip(&profile.nodes).skip(1) {
            let path = path_of_node[node as usize] as usize;
            let parent = path_of_node.get(known.parent as usize);
            // A path above has a smaller number, whatever the file says.
            parents[path] = parent
                .copied()
                .filter(|it| (*it as usize) < path)
                .unwrap_or(ROOT);
            nodes[path] = node;
        }
        let frame = |node: &NodeId| {
            let frame = profile.nodes[*node as usize].frame;
            let frame = profile.frames.get(frame as usize);
            frame.map_or(NONE, |frame| frame.module)
        };
        let modules = nodes.iter().map(frame).collect();
        let has_changes = |moment: u32| timeline.moments[moment as usize].has_changes;
        let known = |time: &EventTime| has_changes(time.begin) && has_changes(time.end);
        let is_known: Vec<bool> = times.iter().map(known).collect();
        let mut rows = Vec::new();
        for (event, time) in (0..).zip(times).filter(|(at, _)| is_known[*at as usize]) {
            for used in timeline.cpu_between(Some(time.begin), Some(time.end)) {
                let Some(stack) = profile.stacks.get(used.stack as usize) else {
                    continue;
                };
                if stack.kind == StackKind::Cpu {
                    let path = path_of_node.get(stack.node as usize);
                    rows.push(Row {
                        event,
                        path: path.copied().unwrap_or(ROOT),
                        ns: used.ns,
                    });
                }
            }
        }
        Some(Samples {
            rows,
            parents,
            nodes,
            modules,
            unit_ns: period.max(KERNEL_TICK_NS) as f64,
            is_known,
        })
    }

    pub fn node(&self, path: PathId) -> NodeId {
        self.nodes[path as usize]
    }

    /// Per path, itself and all below it, the sum of the time of events times a weight of theirs.
    pub fn sums(&self, weight: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.parents.len()];
        for row in &self.rows {
            sums[row.path as usize] += row.ns as f64 * weight(row.event as usize);
        }
        for path in (1..sums.len()).rev() {
            sums[self.parents[path] as usize] += sums[path];
        }
        sums
    }

    /// Time of a path in each event.
    pub fn by_event(&self, path: PathId) -> Vec<f64> {
        let mut is_below = vec![false; self.parents.len()];
        is_below[path as usize] = true;
        for at in path as usize + 1..is_below.len() {
            is_below[at] = is_below[self.parents[at] as usize];
        }
        let mut sums = vec![0.0; self.is_known.len()];
        for row in self.rows.iter().filter(|row| is_below[row.path as usize]) {
            sums[row.event as usize] += row.ns as f64;
        }
        sums
    }

    /// Paths that have something to say of their own, given the sums of all: enough samples,
    /// and not all of them their callers'. So many things are asked, and chance has as many tries.
    pub fn asked(&self, sums: &[f64]) -> Vec<PathId> {
        let is_asked = |&path: &PathId| {
            let sum = sums[path as usize];
            let parent = self.parents[path as usize];
            sum >= FEWEST_SAMPLES * self.unit_ns && (parent == ROOT || sums[parent as usize] != sum)
        };
        (1..self.parents.len() as PathId).filter(is_asked).collect()
    }

    /// Of paths that are named, with what speaks for each, those that it speaks for most: neither
    /// a caller that does much else, nor one of several that it calls. None lies below another.
    pub fn most_telling(&self, named: &[(PathId, f64)]) -> Vec<PathId> {
        let mut evidence: Vec<Option<f64>> = vec![None; self.parents.len()];
        for &(path, amount) in named {
            evidence[path as usize] = Some(amount);
        }
        // Those chosen at a path and below, and the most that speaks for one of them.
        let mut chosen: Vec<(Vec<PathId>, f64)> = vec![Default::default(); self.parents.len()];
        // Children before parents.
        for path in (1..self.parents.len()).rev() {
            let (mut below, mut most) = std::mem::take(&mut chosen[path]);
            if let Some(own) = evidence[path].filter(|own| *own >= most) {
                (below, most) = (vec![path as PathId], own);
            }
            let parent = &mut chosen[self.parents[path] as usize];
            parent.0.append(&mut below);
            parent.1 = parent.1.max(most);
        }
        std::mem::take(&mut chosen[ROOT as usize].0)
    }

    /// The innermost path of the same library that has all the samples of a path: what was asked
    /// once has one name.
    pub fn only_child(&self, path: PathId, sums: &[f64]) -> PathId {
        let mut at = path;
        for below in path as usize + 1..self.parents.len() {
            let is_same = self.modules[below] == self.modules[at as usize];
            if is_same && self.parents[below] == at && sums[below] == sums[at as usize] {
                at = below as PathId;
            }
        }
        at
    }
}
