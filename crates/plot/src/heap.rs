//! The heap in the order of addresses, row by row: how full its pages are, how old the blocks on
//! them, or whose they are.

mod colours;

pub use colours::By;

use crate::Subject;
use crate::page::{Drawing, LABEL_PX, LINE_PX, Page, SMALL_PX};
use crate::svg::{Anchor, Px};
use crate::words::wrapped_end;
use colours::{Colours, FREE, OTHER_STACKS, STACKS, age, fullness};
use residue_profile::pins::MapCell;
use residue_profile::units::{bytes, count, counted};

const PAGE_BYTES: u64 = 4096;
const CELLS_OF_ROW: usize = 128;
const ROW_PX: f64 = 7.0;
const MOST_NAME_LINES: usize = 2;

#[derive(Debug)]
pub struct Heap {
    cells: Vec<MapCell>,
    cell_pages: u64,
    resident_bytes: u64,
    when: String,
    colours: Colours,
    key: Vec<(String, String)>,
}

impl Heap {
    pub fn of(subject: &Subject<'_>, by: By) -> Result<Heap, String> {
        let no_picture = "no picture of the memory (residue run --holders): no heap";
        let picture = subject.profile.picture.as_ref().ok_or(no_picture)?;
        let pins = picture
            .pins
            .as_ref()
            .filter(|pins| !pins.map.cells.is_empty());
        let pins = pins.ok_or("the pages of the heap are not known: no heap")?;
        let unit = subject.unit();
        let ranked = pins.map.stacks();
        let colours = Colours {
            by,
            event: picture.event,
            stacks: ranked
                .iter()
                .map(|of| of.stack)
                .take(STACKS.len())
                .collect(),
        };
        let mut key = match by {
            By::Fullness => [0.0, 0.25, 0.5, 0.75, 1.0]
                .map(|share| (fullness(share), format!("{} % used", share * 100.0)))
                .to_vec(),
            By::Age => ages(picture.event, unit),
            By::Stack => {
                let named = ranked.iter().zip(STACKS);
                let named = named.map(|(of, colour)| {
                    let name = (subject.stack_name)(of.stack);
                    (
                        colour.to_string(),
                        format!("{} {name}", bytes(of.resident_bytes)),
                    )
                });
                named.collect()
            }
        };
        if by == By::Stack && ranked.len() > STACKS.len() {
            let others = counted(
                (ranked.len() - STACKS.len()) as u64,
                "other stack",
                "other stacks",
            );
            key.push((OTHER_STACKS.to_string(), others));
        }
        key.push((FREE.to_string(), "no live block".to_string()));
        Ok(Heap {
            cells: pins.map.cells.clone(),
            cell_pages: pins.map.cell_pages,
            resident_bytes: pins.heap.resident_bytes,
            when: picture.when(unit),
            colours,
            key,
        })
    }

    fn what(&self) -> String {
        let by = match self.colours.by {
            By::Fullness => "how full its pages are",
            By::Age => "when the blocks on its pages were made",
            By::Stack => "whose blocks its pages have most of",
        };
        format!(
            "{by}, {}; {} in RAM; a cell: {} ({}), in the order of addresses",
            self.when,
            bytes(self.resident_bytes),
            counted(self.cell_pages, "page", "pages"),
            bytes(self.cell_pages.saturating_mul(PAGE_BYTES)),
        )
    }

    /// Neighbours of one colour are one rectangle.
    fn draw_row(&self, page: &mut Page, first: usize, row: &[MapCell], top: f64) {
        let width = page.plot_px() / CELLS_OF_ROW as f64;
        let colours: Vec<Option<String>> = row.iter().map(|cell| self.colours.of(cell)).collect();
        let mut from = 0;
        for same in colours.chunk_by(|a, b| a == b) {
            let to = from + same.len();
            if let Some(colour) = &same[0] {
                let cells = format!("{}..{}", first + from, first + to - 1);
                page.svg.element(
                    "rect",
                    &[
                        ("x", &Px(page.left + from as f64 * width)),
                        ("y", &Px(top)),
                        ("width", &Px(same.len() as f64 * width)),
                        ("height", &Px(ROW_PX - 1.0)),
                        ("fill", colour),
                        ("data-cells", &cells),
                    ],
                );
            }
            from = to;
        }
        // An area of addresses begins.
        let ends = row.windows(2).enumerate();
        for (place, _) in ends.filter(|(_, pair)| !follows(&pair[0], &pair[1])) {
            let x = page.left + (place + 1) as f64 * width;
            let ink = page.theme.ink;
            page.svg
                .line((x, top - 0.5), (x, top + ROW_PX - 0.5), ink, 1.0);
        }
    }

    fn draw_key(&self, page: &mut Page, top: f64) -> f64 {
        let (x, room) = page.labels();
        let mut base = top + LABEL_PX;
        for (colour, words) in &self.key {
            let start = page.swatch((x, base), colour);
            for line in wrapped_end(words, SMALL_PX, room - (start - x), MOST_NAME_LINES) {
                let look = page.small(Anchor::Start);
                page.svg.text((start, base), look, &line);
                base += LINE_PX;
            }
        }
        base - LINE_PX
    }
}

fn follows(before: &MapCell, cell: &MapCell) -> bool {
    let bytes = before.pages.saturating_mul(PAGE_BYTES);
    before.start.saturating_add(bytes) == cell.start
}

/// From the first to the last event.
fn ages(event: u32, unit: &str) -> Vec<(String, String)> {
    let parts = [0, 1, 2, 3, 4].map(|part| u64::from(event) * part / 4);
    let words = |birth: u64| match birth {
        0 => format!("before the first {unit}"),
        birth => format!("{unit} {}", count(birth)),
    };
    let mut births = parts.to_vec();
    births.dedup();
    let births = births.into_iter();
    births
        .map(|birth| (age(birth as u32, event), words(birth)))
        .collect()
}

impl Drawing for Heap {
    fn events(&self) -> Option<(f64, f64)> {
        None
    }

    fn draw(&self, page: &mut Page, top: f64) -> f64 {
        let (panel, heading) = match self.colours.by {
            By::Fullness => ("heap", "Heap"),
            By::Age => ("heap-age", "Heap by age"),
            By::Stack => ("heap-stack", "Heap by stack"),
        };
        page.svg.open(
            "g",
            &[("data-panel", &panel), ("shape-rendering", &"crispEdges")],
        );
        let top = page.heading(top, heading, &self.what());
        let rows = self.cells.chunks(CELLS_OF_ROW);
        let bottom = top + rows.len() as f64 * ROW_PX;
        let shade = page.theme.shade;
        let size = (page.plot_px(), bottom - top);
        page.svg.rect((page.left, top), size, shade);
        for (place, row) in rows.enumerate() {
            let top = top + place as f64 * ROW_PX;
            self.draw_row(page, place * CELLS_OF_ROW, row, top);
        }
        let labels_end = self.draw_key(page, top);
        page.svg.close("g");
        bottom.max(labels_end)
    }
}
