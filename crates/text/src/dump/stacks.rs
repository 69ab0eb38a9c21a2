//! Every stack of a profile as text: counters, sizes, births, and the whole path.

use std::io::{self, Write};

use residue_profile::*;

use residue_calltree::{
    CUT_FRAMES, Filter, LOST_FRAME, PathReader, is_by_frame_pointer, placeholder,
};
use residue_profile::units::{count, counted, duration, exact_bytes};
use residue_query::choice::Names;
use residue_query::size_bins::size_range;
use residue_query::visible::visible;

pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "[stacks] {}", profile.stacks.len())?;
    let (names, filter) = (Names::full(), Filter::default());
    let mut frames = FrameTexts::new(profile, &names, &filter);
    for index in 0..profile.stacks.len() {
        stack(profile, index, &mut frames, out)?;
    }
    Ok(())
}

fn stack(
    profile: &Profile,
    index: usize,
    frames: &mut FrameTexts<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Stack {
        node,
        kind,
        counters,
    } = &profile.stacks[index];
    writeln!(out, "\nstack {index}  {}  node {node}", kind.name())?;
    counter_lines(counters, out)?;
    if profile.has_largest && *kind != StackKind::Cpu {
        writeln!(
            out,
            "  largest block {}",
            exact_bytes(counters.largest_bytes)
        )?;
    }
    for (heading, bins) in [
        ("sizes", &profile.sizes_total),
        ("live sizes", &profile.sizes_live),
    ] {
        let bins = bins.row(index).iter();
        let bins = bins.map(|bin| format!("{}: {}", size_range(bin.bits), count(bin.blocks)));
        list(out, heading, bins)?;
    }
    let births = profile.births.row(index).iter().map(|birth| {
        let blocks = counted(birth.blocks, "block", "blocks");
        format!("{}: {blocks} of {} B", birth.birth, count(birth.bytes))
    });
    list(out, "births", births)?;
    if let Some(text) = placeholder(&profile.stacks[index]) {
        return writeln!(out, "  {text}");
    }
    let mut callee = None;
    for (depth, frame) in profile.frames_leaf_first(*node).enumerate() {
        let is_guess = callee.is_some_and(|callee| is_by_frame_pointer(profile, frame, callee));
        let how = if is_guess { "  (by frame pointer)" } else { "" };
        match frame {
            CUT => writeln!(out, "  {CUT_FRAMES}")?,
            frame => writeln!(out, "  #{depth} {}{how}", frames.get(frame))?,
        }
        callee = Some(frame);
    }
    Ok(())
}

fn counter_lines(counters: &Counters, out: &mut dyn Write) -> io::Result<()> {
    let Counters {
        calls,
        frees,
        total_bytes,
        live_bytes,
        live_blocks,
        peak_bytes,
        at_peak_bytes,
        at_peak_blocks,
        reallocs_in_place,
        reallocs_moved,
        temporaries,
        cpu_ns,
        largest_bytes: _,
    } = counters;
    if *cpu_ns != 0 {
        return writeln!(out, "  CPU time {}", duration(*cpu_ns));
    }
    writeln!(
        out,
        "  calls {}, frees {}, temporaries {}, reallocs in place {}, moved {}",
        count(*calls),
        count(*frees),
        count(*temporaries),
        count(*reallocs_in_place),
        count(*reallocs_moved)
    )?;
    writeln!(
        out,
        "  total {}, live {} in {}",
        exact_bytes(*total_bytes),
        exact_bytes(*live_bytes),
        counted(*live_blocks, "block", "blocks")
    )?;
    writeln!(
        out,
        "  peak {}, at peak {} in {}",
        exact_bytes(*peak_bytes),
        exact_bytes(*at_peak_bytes),
        counted(*at_peak_blocks, "block", "blocks")
    )
}

/// Writes nothing where the list is empty.
fn list(out: &mut dyn Write, heading: &str, items: impl Iterator<Item = String>) -> io::Result<()> {
    let mut before = format!("  {heading}: ");
    let mut is_empty = true;
    for item in items {
        write!(out, "{before}{item}")?;
        before.replace_range(.., "; ");
        is_empty = false;
    }
    if is_empty { Ok(()) } else { writeln!(out) }
}

/// Name and place of every frame, put together when first shown: each stands in
/// many stacks.
struct FrameTexts<'a> {
    profile: &'a Profile,
    paths: PathReader<'a>,
    known: Vec<Option<Box<str>>>,
}

impl<'a> FrameTexts<'a> {
    fn new(profile: &'a Profile, names: &'a Names, filter: &'a Filter) -> FrameTexts<'a> {
        FrameTexts {
            profile,
            paths: names.paths(profile, filter),
            known: vec![None; profile.frames.len()],
        }
    }

    fn get(&mut self, id: FrameId) -> &str {
        let Some(known) = self.known.get_mut(id as usize) else {
            return LOST_FRAME;
        };
        known.get_or_insert_with(|| {
            let labels = self.paths.frame(id);
            let name = labels.first().map_or("", |label| &*label.name);
            let frame = &self.profile.frames[id as usize];
            let function = self.profile.functions.get(frame.function as usize);
            let has_name = function.is_some_and(|symbol| !symbol.is_empty());
            match self.profile.module_name(frame.module).filter(|_| has_name) {
                Some(module) => format!("{name}  {}+{:#x}", visible(module), frame.address).into(),
                None => name.into(),
            }
        })
    }
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
    fn the_first_stack_in_full() {
        let text = dump(&sample::profile());
        let expected = "
stack 0  heap  node 3
  calls 100, frees 70, temporaries 5, reallocs in place 1, moved 2
  total 6.25 KiB (6 400 bytes), live 1.88 KiB (1 920 bytes) in 30 blocks
  peak 3.12 KiB (3 200 bytes), at peak 2.50 KiB (2 560 bytes) in 40 blocks
  largest block 640 B
  sizes: 64..127 B: 100
  live sizes: 64..127 B: 30
  births: 0: 10 blocks of 640 B; 1: 10 blocks of 640 B; 2: 10 blocks of 640 B
  #0 operator new(unsigned long)  libfoo.so+0x9000
  #1 space::Thing::foo(std::string const&, int)  libfoo.so+0x8000
  #2 main  server+0x1234

stack 1 ";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn frames_without_a_name_are_shown_too() {
        let mut profile = sample::profile();
        profile.nodes[1].frame = NONE;
        let text = dump(&profile);
        let path = "
  #0 odd;name  libfoo.so+0x8020
  #1 [jit] 0x7f0012f0
  [... frames left out ...]
  #3 [lost frame]
";
        assert!(text.contains(path), "{text}");
        assert!(text.contains("\n  #0 libfoo.so+0x12f0\n"));
        assert!(text.contains("\n  [pooled: blocks outside the size limits]\n"));
        assert!(text.ends_with("\n  [no room for the path]\n"));
    }
}
