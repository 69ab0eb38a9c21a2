//! Everything in a profile as text, in the order of the model: facts and totals
//! here, the timeline in [`dump_timeline`], the stacks in [`dump_stacks`].

pub mod json;
pub mod proc_maps;
mod stacks;
mod timeline;
mod timeline_json;

use std::fmt::Display;
use std::io::{self, Write};

use residue_profile::*;

use crate::text::words::ending;
use residue_profile::units::{bytes, count, counted, duration, exact_bytes};
use residue_query::visible::{command_line, visible};

pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    section(out, "meta", meta(&profile.meta))?;
    section(out, "options", options(&profile.meta.options))?;
    section(out, "heap", totals(&profile.heap))?;
    section(out, "mappings", totals(&profile.mappings))?;
    section(out, "recorder", recorder(&profile.recorder))?;
    writeln!(out, "[notes] {}", profile.meta.notes.len())?;
    for note in &profile.meta.notes {
        writeln!(out, "  {}", visible(note))?;
    }
    writeln!(out, "\n[modules] {}", profile.modules.len())?;
    for (id, module) in profile.modules.iter().enumerate() {
        writeln!(out, "  {id}  {}", module_line(module))?;
    }
    writeln!(
        out,
        "\n[tables] functions {}, frames {}, nodes {}",
        profile.functions.len(),
        profile.frames.len(),
        profile.nodes.len()
    )?;
    timeline::write(&profile.timeline, out)?;
    stacks::write(profile, out)
}

/// Facts, each with its heading.
pub type Rows = Vec<(&'static str, String)>;

pub fn section(
    out: &mut dyn Write,
    name: &str,
    rows: impl IntoIterator<Item = (impl Display, String)>,
) -> io::Result<()> {
    writeln!(out, "[{name}]")?;
    for (heading, text) in rows {
        let line = format!("  {heading:<20} {text}");
        writeln!(out, "{}", line.trim_end())?;
    }
    writeln!(out)
}

// The structs are taken apart by name, so that a new field cannot be forgotten.

fn meta(meta: &Meta) -> Rows {
    let Meta {
        residue_version,
        program,
        executable,
        command,
        pid,
        parent_pid,
        host,
        kernel,
        started_unix_ns,
        duration_ns,
        end,
        allocator,
        page_bytes,
        max_rss_bytes,
        options: _,
        birth_unit,
        notes: _,
    } = meta;
    let started = format!(
        "{}.{:09} s since 1970",
        started_unix_ns / 1_000_000_000,
        started_unix_ns % 1_000_000_000
    );
    vec![
        ("residue version", visible(residue_version)),
        ("program", visible(program)),
        ("executable", visible(executable)),
        ("command", command_line(command)),
        ("pid", pid.to_string()),
        ("parent pid", parent_pid.to_string()),
        ("host", visible(host)),
        ("kernel", visible(kernel)),
        ("started", started),
        ("duration", exact_duration(*duration_ns)),
        ("end", ending(end)),
        ("allocator", visible(allocator)),
        ("page", exact_bytes(*page_bytes)),
        (
            "most resident",
            max_rss_bytes.map_or("not known".to_string(), exact_bytes),
        ),
        ("births counted by", visible(birth_unit)),
    ]
}

fn options(options: &Options) -> Rows {
    let Options {
        min_size_bytes,
        max_size_bytes,
        max_depth,
        start_paused,
        verify_every,
    } = options;
    let max_size = match *max_size_bytes {
        u64::MAX => "no limit".to_string(),
        limit => exact_bytes(limit),
    };
    let verify = match *verify_every {
        0 => "never".to_string(),
        every => format!("every {}", counted(every, "capture", "captures")),
    };
    vec![
        ("min size", exact_bytes(*min_size_bytes)),
        ("max size", max_size),
        ("max depth", counted((*max_depth).into(), "frame", "frames")),
        ("started paused", yes_or_no(*start_paused)),
        ("verified", verify),
    ]
}

fn yes_or_no(value: bool) -> String {
    if value { "yes" } else { "no" }.to_string()
}

fn exact_duration(nanoseconds: u64) -> String {
    format!("{} ({} ns)", duration(nanoseconds), count(nanoseconds))
}

fn totals(totals: &Totals) -> impl Iterator<Item = (String, String)> {
    let rows = Totals::NAMES.iter().zip(totals.values());
    rows.map(|(name, value)| match name.strip_suffix("_bytes") {
        Some(what) => (what.replace('_', " "), exact_bytes(value)),
        None => (name.replace('_', " "), count(value)),
    })
}

fn recorder(stats: &RecorderStats) -> Rows {
    let RecorderStats {
        arena_bytes,
        private_bytes,
        time_ns,
        threads,
        captures,
        stacks_unwound,
        frames_unwound,
        rule_misses,
        rules,
        trie_nodes,
        cut_stacks,
        dropped,
        dropped_bytes,
        unknown_frees,
        missed_frees,
        paused_calls,
        verified_stacks,
        verify_differences,
        frames_unresolved,
    } = stats;
    vec![
        ("shared memory", exact_bytes(*arena_bytes)),
        ("private memory", exact_bytes(*private_bytes)),
        ("time in hooks", exact_duration(*time_ns)),
        ("threads", count(*threads)),
        ("captures", count(*captures)),
        ("stacks unwound", count(*stacks_unwound)),
        ("frames unwound", count(*frames_unwound)),
        ("rule misses", count(*rule_misses)),
        ("rules", count(*rules)),
        ("trie nodes", count(*trie_nodes)),
        ("cut stacks", count(*cut_stacks)),
        ("dropped", counted(*dropped, "allocation", "allocations")),
        ("dropped bytes", exact_bytes(*dropped_bytes)),
        ("unknown frees", count(*unknown_frees)),
        ("missed frees", count(*missed_frees)),
        (
            "while paused",
            counted(*paused_calls, "allocation", "allocations"),
        ),
        ("verified stacks", count(*verified_stacks)),
        ("verify differences", count(*verify_differences)),
        ("unresolved frames", count(*frames_unresolved)),
    ]
}

fn module_line(module: &Module) -> String {
    let Module {
        path,
        build_id,
        start,
        end,
        bias,
    } = module;
    let build_id = match build_id.as_str() {
        "" => "none".to_string(),
        id => visible(id),
    };
    format!(
        "{}  build-id {build_id}  {start:#x}..{end:#x} ({})  bias {bias:#x}",
        visible(path),
        bytes(end.saturating_sub(*start))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_testkit::sample;

    fn dump(profile: &Profile) -> String {
        let mut out = Vec::new();
        write(profile, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_section_is_there() {
        let text = dump(&sample::profile());
        for line in [
            "[meta]",
            "  started              1700000000.123456789 s since 1970",
            "  duration             1 min 30 s (90 000 000 000 ns)",
            "[options]",
            "  max size             no limit",
            "[heap]",
            "  total                300 MiB (314 572 800 bytes)",
            "[mappings]",
            "[recorder]",
            "  time in hooks        450 ms (450 000 000 ns)",
            "  rule misses          0",
            "[notes] 1",
            "  a note",
            "[modules] 2",
            "  0  /opt/server  build-id 00ff  0x555500000000..0x555500100000 (1.00 MiB)  \
             bias 0x555500000000",
            "[tables] functions 4, frames 7, nodes 10",
            "[timeline]",
            "[moments] 0",
            "[stacks] 6",
        ] {
            assert!(text.lines().any(|shown| shown == line), "{line}\n{text}");
        }
    }

    #[test]
    fn an_empty_profile_is_dumped_too() {
        assert!(dump(&Profile::default()).ends_with("\n[stacks] 0\n"));
    }
}
