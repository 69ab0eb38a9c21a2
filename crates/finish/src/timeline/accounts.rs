//! Looks at the whole process: what was resident by kind, and snapshots of its maps.

use super::moments::Numbers;
use super::names::Names;
use crate::arena_file::{ArenaFile, Error};
use crate::outside::Seen;
use residue_arena::moments::*;
use residue_arena::region::Region;
use residue_profile::timeline::{Account, AllocatorState, NameId, Snapshot};

pub fn accounts(
    arena: &ArenaFile,
    seen: &[Seen],
    numbers: &Numbers,
) -> Result<Vec<Account>, Error> {
    let mut accounts = Vec::new();
    arena.each_item(Region::Accounts, |item| {
        let words: [u64; ACCOUNT_WORDS] = item.words();
        if words[ACCOUNT_TIME_NS] != 0 {
            let moment = numbers.at(words[ACCOUNT_MOMENT]);
            accounts.extend(moment.map(|moment| Account {
                moment,
                heap_bytes: words[ACCOUNT_HEAP],
                mapped_bytes: words[ACCOUNT_MAPPED],
                stacks_bytes: words[ACCOUNT_STACKS],
                files_bytes: words[ACCOUNT_FILES],
                recorder_bytes: words[ACCOUNT_RECORDER],
                other_bytes: words[ACCOUNT_OTHER],
                pss_bytes: words[ACCOUNT_PSS],
                live_bytes: words[ACCOUNT_LIVE],
                allocator: (words[ACCOUNT_SYSTEM] != 0).then_some(AllocatorState {
                    in_use_bytes: words[ACCOUNT_IN_USE],
                    free_bytes: words[ACCOUNT_FREE],
                    system_bytes: words[ACCOUNT_SYSTEM],
                }),
            }));
        }
    })?;
    accounts.extend(seen.iter().filter_map(|seen| {
        let moment = numbers.at(u64::from(seen.number))?;
        let account = seen.account?;
        Some(Account { moment, ..account })
    }));
    accounts.sort_by_key(|account| account.moment);
    Ok(accounts)
}

pub fn snapshots(
    arena: &ArenaFile,
    seen: &[Seen],
    names: &Names,
    numbers: &Numbers,
) -> Result<Vec<Snapshot>, Error> {
    let mut items: Vec<[u64; SNAPSHOT_WORDS]> = Vec::new();
    arena.each_item(Region::Snapshots, |item| items.push(item.words()))?;
    let mut snapshots = Vec::new();
    // The number is written last.
    for words in items.iter().filter(|words| words[SNAPSHOT_MOMENT] != 0) {
        let Some(moment) = numbers.at(words[SNAPSHOT_MOMENT]) else {
            continue;
        };
        let text = |index: usize| {
            let place = SNAPSHOT_PROC_MAPS + 2 * index;
            arena.bytes(Region::ProcMaps, words[place], words[place + 1])
        };
        snapshots.push(Snapshot {
            name: words[SNAPSHOT_NAME] as NameId,
            moment,
            maps: text(0)?,
            smaps: text(1)?,
            numa_maps: text(2)?,
        });
    }
    snapshots.extend(seen.iter().filter_map(|seen| {
        let [maps, smaps, numa_maps] = seen.proc_maps.clone()?;
        Some(Snapshot {
            name: names.id(seen.name.as_ref()?)?,
            moment: numbers.at(u64::from(seen.number))?,
            maps: maps.into_bytes(),
            smaps: smaps.into_bytes(),
            numa_maps: numa_maps.into_bytes(),
        })
    }));
    Ok(snapshots)
}
