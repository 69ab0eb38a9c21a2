//! Stamps as lines `name:microseconds,vm_KiB,rss_KiB`.

use std::borrow::Cow;
use std::io::{self, Write};

use residue_profile::Profile;
use residue_profile::timeline::{MomentKind, Stamp};

use crate::plain::visible;

/// A stamp with times since 1970 in microseconds and sizes in KiB.
pub struct Line<'a> {
    pub name: Cow<'a, str>,
    pub time_us: u64,
    pub vm_kib: u64,
    pub rss_kib: u64,
}

pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    for line in lines(profile) {
        let Line {
            name,
            time_us,
            vm_kib,
            rss_kib,
        } = line;
        writeln!(out, "{}:{time_us},{vm_kib},{rss_kib}", visible(&name))?;
    }
    Ok(())
}

/// The program's stamps; its events' begins and ends where it has none. A size that
/// was not read is zero.
pub fn lines(profile: &Profile) -> Vec<Line<'_>> {
    let timeline = &profile.timeline;
    let line = |name: Cow<'static, str>, time_ns: u64, vm: Option<u64>, rss: Option<u64>| Line {
        name,
        time_us: profile.meta.started_unix_ns.saturating_add(time_ns) / 1000,
        vm_kib: vm.unwrap_or(0) / 1024,
        rss_kib: rss.unwrap_or(0) / 1024,
    };
    if timeline.stamps.is_empty() {
        let kinds = timeline.moments.iter().filter_map(|moment| {
            let name = match moment.kind {
                MomentKind::Begin => "event_begin",
                MomentKind::End => "event_end",
                MomentKind::Tick => "tick",
                MomentKind::Snapshot | MomentKind::Last => return None,
            };
            Some(line(
                name.into(),
                moment.time_ns,
                moment.vm_bytes,
                moment.rss_bytes,
            ))
        });
        return kinds.collect();
    }
    let named = |stamp: &Stamp| {
        let name = timeline.names.get(stamp.name as usize);
        Line {
            name: name.map_or("?", String::as_str).into(),
            ..line("".into(), stamp.time_ns, stamp.vm_bytes, stamp.rss_bytes)
        }
    };
    timeline.stamps.iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_testkit::files::sprof;
    use std::path::Path;

    fn round_trip(text: &str) -> String {
        let options = residue_import::Options::default();
        let imported =
            residue_import::parse(Path::new("a.txt"), text.as_bytes(), None, &options).unwrap();
        let bytes = residue_profile::encode(&imported.profile).unwrap();
        let stored = residue_profile::decode(&bytes).unwrap();
        let mut out = Vec::new();
        write(&stored, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_was_imported_comes_out_byte_for_byte() {
        for text in [sprof::five_stamps(), sprof::seven_stamps()] {
            assert!(round_trip(&text) == text);
        }
        let settings_apart = |text: &str| {
            let lines = text.lines().filter(|line| line.matches(',').count() == 2);
            lines.map(|line| format!("{line}\n")).collect::<String>()
        };
        let text = sprof::run_meta();
        assert!(round_trip(&text) == settings_apart(&text));
    }

    #[test]
    fn events_stand_in_for_stamps_that_are_not_there() {
        let options = residue_import::Options::default();
        let table = b"time_us,rss_kib\n5,40\n9,44\n";
        let imported = residue_import::parse(Path::new("a.csv"), table, None, &options).unwrap();
        let mut out = Vec::new();
        write(&imported.profile, &mut out).unwrap();
        assert_eq!(out, b"event_begin:0,0,40\nevent_begin:4,0,44\n");
    }
}
