//! The stage matrix as a heat map: events from left to right, a row for every interval
//! between stamps, what grew there in vermillion, what fell in blue.

mod names;
mod rows;

use crate::Subject;
use crate::page::{Drawing, GAP_PX, LABEL_PX, LINE_PX, MARGIN_PX, Page, SMALL_PX};
use crate::svg::{Anchor, Px};
use crate::thin::per_bin;
use crate::words::{cut_middle, width_px};
use names::{ARROW, common_prefix, cut_names};
use residue_analysis::stages::{self, Missing, Stages, Value};
use residue_profile::units::{counted_units, fractional_bytes};
use rows::{PlottedRow, full_colour, join_small, outside, sum, within};

const MOST_COLUMNS: u64 = 200;
const ROW_PX: f64 = 34.0;

#[derive(Debug)]
pub struct Heat {
    value: &'static str,
    /// What all names of stamps begin with; it is not repeated in each row.
    prefix: String,
    rows: Vec<PlottedRow>,
    columns: Vec<Column>,
    events_per_column: u64,
    /// The first event that the means contain, where some were left out.
    warm_until: Option<f64>,
    /// What the strongest colour stands for.
    full_bytes: f64,
}

/// Where a column of events begins and ends.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Column {
    from_event: f64,
    to_event: f64,
}

impl Heat {
    pub fn of(subject: &Subject<'_>) -> Result<Heat, String> {
        let timeline = &subject.profile.timeline;
        if timeline.stamps.is_empty() {
            return Err("no stamps: no stage matrix".to_string());
        }
        match stages::of_events(timeline, subject.range, None) {
            Ok(stages) if stages.intervals.is_empty() => {
                Err("no event has two stamps: no stage matrix".to_string())
            }
            Ok(stages) => Ok(Heat::laid_out(&stages)),
            Err(Missing::Stamps) => Err("no stamps: no stage matrix".to_string()),
            Err(Missing::Events) => Err("stamps without events: no stage matrix".to_string()),
            Err(Missing::Values | Missing::NotAlwaysRead(_)) => {
                Err("stamps without sizes: no stage matrix".to_string())
            }
        }
    }

    fn laid_out(stages: &Stages) -> Heat {
        let events_per_column = per_bin(stages.rows.len() as u64, MOST_COLUMNS);
        let per_column = events_per_column as usize;
        let guilty = stages.guilty.as_ref().map(|guilty| guilty.interval);
        let prefix = common_prefix(&stages.columns);
        let short = |name: &str| name.get(prefix.len()..).unwrap_or(name).to_string();
        let mut rows: Vec<PlottedRow> = stages
            .intervals
            .iter()
            .enumerate()
            .map(|(index, interval)| {
                let growths = match interval.outside {
                    true => outside(stages),
                    false => within(stages, &interval.to),
                };
                PlottedRow {
                    name: format!("{}{ARROW}{}", short(&interval.from), short(&interval.to)),
                    mean: interval.mean,
                    share: interval.share,
                    is_guilty: guilty == Some(index),
                    cells: growths.chunks(per_column).map(sum).collect(),
                }
            })
            .collect();
        join_small(&mut rows);
        let event = |row: usize| stages.rows.get(row).map(|row| f64::from(row.event));
        let last = event(stages.rows.len() - 1).unwrap_or(0.0);
        let columns = (0..stages.rows.len())
            .step_by(per_column)
            .map(|row| Column {
                from_event: event(row).unwrap_or(0.0) - 0.5,
                to_event: event(row + per_column).unwrap_or(last + 1.0) - 0.5,
            })
            .collect();
        Heat {
            value: match stages.value {
                Value::Rss => "RSS",
                Value::Vm => "virtual size",
                Value::Live => "live heap",
                Value::Time => "time",
            },
            prefix: prefix.to_string(),
            full_bytes: full_colour(&rows),
            rows,
            columns,
            events_per_column,
            warm_until: event(stages.warm_up_rows).filter(|_| stages.warm_up_rows > 0),
        }
    }

    fn draw_row(&self, page: &mut Page, row: &PlottedRow, top: f64) {
        page.svg.open(
            "g",
            &[
                ("data-interval", &row.name),
                ("shape-rendering", &"crispEdges"),
            ],
        );
        let size = (page.plot_px(), ROW_PX - 2.0);
        page.svg
            .rect((page.left, top + 1.0), size, page.theme.shade);
        for (column, cell) in self.columns.iter().zip(&row.cells) {
            let Some(bytes) = cell else { continue };
            let (start, end) = (
                page.events.at(column.from_event),
                page.events.at(column.to_event),
            );
            let colour = page.theme.diverging(bytes / self.full_bytes);
            // A hair wider, so that no paper shows between neighbours.
            page.svg.rect(
                (start, top + 1.0),
                (end - start + 0.2, ROW_PX - 2.0),
                &colour,
            );
        }
        page.svg.close("g");
        if row.is_guilty {
            let place = (page.left - 6.0, top + ROW_PX / 2.0 + SMALL_PX * 0.36);
            let mut look = page.bold(SMALL_PX);
            look.anchor = Anchor::End;
            page.svg.text(place, look, "largest ▸");
        }
        let (x, room) = page.labels();
        let name = cut_names(&row.name, room);
        let mut look = page.label(Anchor::Start);
        look.size_px = SMALL_PX;
        page.svg.text((x, top + 14.0), look, &name);
        let mean = format!("{}/{}", fractional_bytes(row.mean), page.unit);
        let text = match row.share {
            // Adding zero takes the sign off a negative zero.
            Some(share) => format!("{mean}, {} %", (share * 100.0).round() + 0.0),
            None => mean,
        };
        look.is_bold = row.is_guilty;
        page.svg.text((x, top + 14.0 + LINE_PX), look, &text);
    }

    /// Whether a cell has no number, other than what comes after the last event.
    fn has_holes(&self) -> bool {
        let before_last = |row: &PlottedRow| row.cells.len().saturating_sub(1);
        let mut rows = self.rows.iter();
        rows.any(|row| row.cells[..before_last(row)].contains(&None))
    }

    /// What the colours mean.
    fn draw_key(&self, page: &mut Page, top: f64) -> f64 {
        const STEPS: i32 = 20;
        const WIDTH_PX: f64 = 160.0;
        const HEIGHT_PX: f64 = 9.0;
        let step_px = WIDTH_PX / f64::from(2 * STEPS + 1);
        let low = format!("{} ", fractional_bytes(-self.full_bytes));
        let start = page.left + width_px(&low, SMALL_PX, false);
        let base = top + HEIGHT_PX;
        page.svg
            .text((page.left, base), page.small(Anchor::Start), &low);
        for step in -STEPS..=STEPS {
            let x = start + f64::from(step + STEPS) * step_px;
            let colour = page.theme.diverging(f64::from(step) / f64::from(STEPS));
            page.svg.rect((x, top), (step_px + 0.2, HEIGHT_PX), &colour);
        }
        let high = format!("+{}", fractional_bytes(self.full_bytes));
        page.svg.text(
            (start + WIDTH_PX + 4.0, base),
            page.small(Anchor::Start),
            &high,
        );
        let mut notes = Vec::new();
        if self.has_holes() {
            notes.push("grey: not read");
        }
        if self.warm_until.is_some() {
            notes.push("line: end of warm-up");
        }
        let end = start + WIDTH_PX + 4.0 + width_px(&high, SMALL_PX, false) + 2.0 * GAP_PX;
        let notes = cut_middle(&notes.join("; "), SMALL_PX, page.width - MARGIN_PX - end);
        page.svg
            .text((end, base), page.small(Anchor::Start), &notes);
        base + LABEL_PX
    }
}

impl Drawing for Heat {
    fn events(&self) -> Option<(f64, f64)> {
        let (first, last) = (self.columns.first()?, self.columns.last()?);
        Some((first.from_event + 0.5, last.to_event - 0.5))
    }

    fn draw(&self, page: &mut Page, top: f64) -> f64 {
        page.svg.open("g", &[("data-panel", &"stages")]);
        let mut what = format!(
            "{} gained between stamps; a column: {}",
            self.value,
            counted_units(self.events_per_column, &page.unit)
        );
        if !self.prefix.is_empty() {
            what.push_str(&format!("; stamps: {}…", self.prefix));
        }
        let top = page.heading(top, "Stages", &what);
        let top = self.draw_key(page, top);
        for (index, row) in self.rows.iter().enumerate() {
            self.draw_row(page, row, top + ROW_PX * index as f64);
        }
        let bottom = top + ROW_PX * self.rows.len() as f64;
        if let Some(event) = self.warm_until {
            let x = page.events.at(event - 0.5);
            page.svg
                .line((x, top - 4.0), (x, bottom), page.theme.muted, 1.0);
        }
        let guilty = self.rows.iter().position(|row| row.is_guilty);
        if let Some(index) = guilty {
            page.svg.element(
                "rect",
                &[
                    ("x", &Px(page.left - 1.0)),
                    ("y", &Px(top + ROW_PX * index as f64)),
                    ("width", &Px(page.plot_px() + 2.0)),
                    ("height", &Px(ROW_PX)),
                    ("fill", &"none"),
                    ("stroke", &page.theme.ink),
                    ("stroke-width", &Px(2.0)),
                    ("data-guilty", &self.rows[index].name),
                ],
            );
        }
        let bottom = page.event_axis(bottom + 2.0, true);
        page.svg.close("g");
        bottom
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use residue_profile::timeline::Stamp;

    /// Events with stamps a, b, c: nothing from a to b, `grown` from b to c, and twice
    /// that outside.
    fn stages(events: u32, grown: i64) -> Stages {
        let names = ["a", "b", "c"].map(String::from);
        let mut rss = 1_000_000_i64;
        let mut stamps = Vec::new();
        for event in 1..=events {
            for (name, growth) in [(0, 2 * grown), (1, 0), (2, grown)] {
                rss += growth;
                stamps.push(Stamp {
                    spent: residue_profile::timeline::Spent::default(),
                    name,
                    event,
                    time_ns: stamps.len() as u64,
                    vm_bytes: None,
                    rss_bytes: Some(rss as u64),
                    live_bytes: None,
                });
            }
        }
        stages::analyse(&names, &stamps, Value::Rss).unwrap()
    }

    #[test]
    fn every_interval_has_its_growth_in_every_event() {
        let heat = Heat::laid_out(&stages(50, 8192));
        let names: Vec<&str> = heat.rows.iter().map(|row| &*row.name).collect();
        assert_eq!(names, ["a → b", "b → c", "c → a"]);
        assert_eq!(heat.rows[0].cells, [Some(0.0); 50]);
        assert_eq!(heat.rows[1].cells, [Some(8192.0); 50]);
        assert_eq!(heat.rows[2].cells[..49], [Some(16384.0); 49]);
        assert_eq!(heat.rows[2].cells[49], None);
        assert_eq!(
            [0, 1, 2].map(|row| heat.rows[row].mean),
            [0.0, 8192.0, 16384.0]
        );
        assert_eq!(
            [0, 1, 2].map(|row| heat.rows[row].is_guilty),
            [false, false, true]
        );
        assert_eq!(heat.full_bytes, 16384.0);
        assert_eq!(heat.events(), Some((1.0, 50.0)));
    }

    #[test]
    fn many_events_are_added_up_in_two_hundred_columns() {
        let heat = Heat::laid_out(&stages(1001, 8192));
        assert_eq!(heat.events_per_column, 6);
        assert_eq!(heat.columns.len(), 167);
        assert_eq!(
            heat.columns[1],
            Column {
                from_event: 6.5,
                to_event: 12.5
            }
        );
        assert_eq!(heat.columns[166].to_event, 1001.5);
        let grown = &heat.rows[1].cells;
        assert_eq!(
            (grown[0], grown[166]),
            (Some(6.0 * 8192.0), Some(5.0 * 8192.0))
        );
        let whole: f64 = grown.iter().flatten().sum();
        assert_eq!(whole, 1001.0 * 8192.0);
    }
}
