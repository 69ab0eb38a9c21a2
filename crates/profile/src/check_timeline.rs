//! The promises of a [`Timeline`]: every name, moment, stack and node is there,
//! and changes are in order. A row that points to nothing is dropped.

use crate::check::Wrong;
use crate::error::{Damage, Reason};
use crate::layout::Tag;
use crate::timeline::{Allocated, Change, CpuTime, MomentId, NameId, StackId, Timeline};

impl Timeline {
    /// Makes the timeline consistent with itself and with a profile of so many
    /// stacks and nodes.
    pub(crate) fn repair(&mut self, stacks: usize, nodes: usize) -> Vec<Damage> {
        let names = self.names.len();
        let moments = self.moments.len();
        let name = |id: NameId| (id as usize) < names;
        let moment = |id: MomentId| (id as usize) < moments;
        let stack = |id: StackId| (id as usize) < stacks;

        let mut nameless = Wrong::new(Tag::MOMT, "moments point to no name");
        forget(
            self.moments.iter_mut().map(|m| &mut m.name),
            names,
            &mut nameless,
        );
        let mut stamps = Wrong::new(Tag::STMP, "stamps point to no name");
        keep(&mut self.stamps, |s| name(s.name), &mut stamps);
        let mut counts = Wrong::new(Tag::CNTS, "counts point to no name");
        keep(&mut self.counts, |c| name(c.name), &mut counts);
        let mut totals = Wrong::new(Tag::CTOT, "totals point to no moment or name");
        keep(
            &mut self.totals,
            |t| moment(t.moment) && name(t.name),
            &mut totals,
        );
        let mut changes = Wrong::new(Tag::CHNG, "changes point to no moment or stack");
        keep(
            &mut self.changes,
            |c| moment(c.moment) && stack(c.stack),
            &mut changes,
        );
        let mut cpu = Wrong::new(Tag::CPUT, "CPU times point to no moment or stack");
        keep(
            &mut self.cpu,
            |c| moment(c.moment) && stack(c.stack),
            &mut cpu,
        );
        let mut allocated = Wrong::new(Tag::ALOC, "allocations point to no moment or stack");
        keep(
            &mut self.allocated,
            |a| moment(a.moment) && stack(a.stack),
            &mut allocated,
        );
        let mut accounts = Wrong::new(Tag::ACCT, "accounts point to no moment");
        keep(&mut self.accounts, |a| moment(a.moment), &mut accounts);
        let mut snapshots = Wrong::new(Tag::SNAP, "snapshots point to no moment or name");
        keep(
            &mut self.snapshots,
            |s| moment(s.moment) && name(s.name),
            &mut snapshots,
        );
        let mut paths = Wrong::new(Tag::DEFR, "deferrals point to no node");
        forget(
            self.deferrals.iter_mut().map(|d| &mut d.freed_at),
            nodes,
            &mut paths,
        );
        let mut deferrals = Wrong::new(Tag::DEFR, "deferrals point to no stack");
        keep(&mut self.deferrals, |d| stack(d.stack), &mut deferrals);

        let all = [
            nameless, stamps, counts, totals, changes, cpu, allocated, accounts, snapshots, paths,
            deferrals,
        ];
        let mut damages: Vec<Damage> = all.into_iter().filter_map(Wrong::damage).collect();
        damages.extend(self.repair_order());
        damages.extend(self.repair_cpu_order());
        damages.extend(self.repair_allocated_order());
        damages
    }

    fn repair_allocated_order(&mut self) -> Option<Damage> {
        let place = |row: &Allocated| (row.moment, row.stack);
        if self.allocated.is_sorted_by_key(place) {
            return None;
        }
        self.allocated.sort_by_key(place);
        Some(Reason::bad("allocations are not in the order of moments").of(Tag::ALOC))
    }

    fn repair_cpu_order(&mut self) -> Option<Damage> {
        let place = |time: &CpuTime| (time.moment, time.stack);
        if self.cpu.is_sorted_by_key(place) {
            return None;
        }
        self.cpu.sort_by_key(place);
        Some(Reason::bad("CPU times are not in the order of moments").of(Tag::CPUT))
    }

    fn repair_order(&mut self) -> Option<Damage> {
        let place = |change: &Change| (change.moment, change.stack);
        if self.changes.is_sorted_by_key(place) {
            return None;
        }
        self.changes.sort_by_key(place);
        Some(Reason::bad("changes are not in the order of moments").of(Tag::CHNG))
    }
}

/// Drops the rows that are not good.
fn keep<T>(rows: &mut Vec<T>, good: impl Fn(&T) -> bool, wrong: &mut Wrong) {
    let mut index = 0;
    rows.retain(|row| {
        let good = good(row);
        if !good {
            wrong.count(index);
        }
        index += 1;
        good
    });
}

/// Takes back ids that point behind the end of their table.
fn forget<'a>(
    ids: impl Iterator<Item = &'a mut Option<u32>>,
    table_rows: usize,
    wrong: &mut Wrong,
) {
    for (index, id) in ids.enumerate() {
        if id.is_some_and(|id| id as usize >= table_rows) {
            *id = None;
            wrong.count(index);
        }
    }
}
