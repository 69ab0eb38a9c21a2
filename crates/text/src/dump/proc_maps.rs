//! What the kernel said about the memory at a snapshot, as it said it.

use std::io::{self, Write};

use anyhow::{Result, bail};
use residue_profile::timeline::{Snapshot, Timeline};

use residue_query::visible::visible;

/// Every snapshot of this name; an error where there is none.
pub fn find<'a>(timeline: &'a Timeline, name: &str) -> Result<Vec<&'a Snapshot>> {
    let name_of = |snapshot: &Snapshot| timeline.names.get(snapshot.name as usize);
    let snapshots = timeline.snapshots.iter();
    let wanted: Vec<&Snapshot> = snapshots
        .filter(|snapshot| name_of(snapshot).is_some_and(|known| known == name))
        .collect();
    if !wanted.is_empty() {
        return Ok(wanted);
    }
    let known = timeline.snapshots.iter().filter_map(name_of);
    let known: Vec<String> = known.map(|name| visible(name)).collect();
    match known.is_empty() {
        true => bail!("the profile has no snapshots"),
        false => bail!(
            "no snapshot is called `{name}`; there are {}",
            known.join(", ")
        ),
    }
}

pub fn write(snapshots: &[&Snapshot], out: &mut dyn Write) -> io::Result<()> {
    for snapshot in snapshots {
        let Snapshot {
            name: _,
            moment,
            maps,
            smaps,
            numa_maps,
        } = snapshot;
        for (paper, text) in [("maps", maps), ("smaps", smaps), ("numa_maps", numa_maps)] {
            writeln!(out, "[{paper}] at moment {moment}")?;
            out.write_all(text)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_testkit::sample::timeline;

    fn dump(timeline: &Timeline, name: &str) -> Result<String> {
        let mut out = Vec::new();
        write(&find(timeline, name)?, &mut out)?;
        Ok(String::from_utf8(out)?)
    }

    #[test]
    fn all_papers_of_a_name() {
        let mut timeline = timeline();
        timeline.snapshots[0].maps = b"1-2 r\n".to_vec();
        timeline.snapshots[0].smaps = b"Rss: 1 kB\n".to_vec();
        let text = dump(&timeline, "ha\nlf").unwrap();
        assert_eq!(
            text,
            "[maps] at moment 2\n1-2 r\n[smaps] at moment 2\nRss: 1 kB\n[numa_maps] at moment 2\n"
        );
    }

    #[test]
    fn a_name_that_is_none_is_told_what_there_is() {
        let error = dump(&timeline(), "whole").unwrap_err();
        assert_eq!(
            error.to_string(),
            r"no snapshot is called `whole`; there are ha\nlf"
        );
        let error = dump(&Timeline::default(), "whole").unwrap_err();
        assert_eq!(error.to_string(), "the profile has no snapshots");
    }
}
