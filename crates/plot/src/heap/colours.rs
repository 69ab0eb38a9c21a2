//! What a cell of the heap is coloured by: how full it is, how old its blocks are, or whose they are.
//! The page paints the same colours (`viewer/src/pins/colours.ts`).

use residue_profile::pins::MapCell;
use residue_profile::timeline::StackId;

type Rgb = [f64; 3];

const VERMILLION: Rgb = [213.0, 94.0, 0.0];
const YELLOW: Rgb = [240.0, 228.0, 66.0];
const BLUE: Rgb = [0.0, 114.0, 178.0];
const PURPLE: Rgb = [204.0, 121.0, 167.0];

/// From empty to full: what is worth a look is red.
const FULLNESS: [Rgb; 3] = [VERMILLION, YELLOW, BLUE];
/// From the oldest to the youngest.
const AGE: [Rgb; 3] = [BLUE, PURPLE, YELLOW];

/// Of stacks, those with most pages first.
pub const STACKS: [&str; 7] = [
    "#D55E00", "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#F0E442",
];
/// Of all other stacks.
pub const OTHER_STACKS: &str = "#6B6E75";
/// In RAM, and without a live block.
pub const FREE: &str = "#A6A6A6";

/// So few that neighbours are mostly of one colour.
const STEPS: f64 = 16.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Fullness,
    Age,
    Stack,
}

/// How cells of one picture are coloured.
#[derive(Debug)]
pub struct Colours {
    pub by: By,
    /// The last event.
    pub event: u32,
    /// Stacks that have colours.
    pub stacks: Vec<StackId>,
}

impl Colours {
    /// `None` where nothing of it is in RAM.
    pub fn of(&self, cell: &MapCell) -> Option<String> {
        if cell.resident_pages == 0 {
            return None;
        }
        if cell.pinned_pages == 0 {
            return Some(FREE.to_string());
        }
        Some(match self.by {
            By::Fullness => fullness(cell.used_bytes as f64 / cell.resident_bytes() as f64),
            By::Age => age(cell.birth.unwrap_or(0), self.event),
            By::Stack => self.of_stack(cell.stack).to_string(),
        })
    }

    fn of_stack(&self, stack: Option<StackId>) -> &'static str {
        let rank = self.stacks.iter().position(|one| Some(*one) == stack);
        rank.and_then(|rank| STACKS.get(rank))
            .unwrap_or(&OTHER_STACKS)
    }
}

pub fn fullness(share: f64) -> String {
    between(FULLNESS, share)
}

pub fn age(birth: u32, last: u32) -> String {
    between(AGE, f64::from(birth) / f64::from(last.max(1)))
}

/// A colour between three, `share` of the way.
fn between(stops: [Rgb; 3], share: f64) -> String {
    let share = (share.clamp(0.0, 1.0) * STEPS).round() / STEPS;
    let (from, to, share) = match share < 0.5 {
        true => (stops[0], stops[1], share * 2.0),
        false => (stops[1], stops[2], share * 2.0 - 1.0),
    };
    let part =
        |channel: usize| (from[channel] + (to[channel] - from[channel]) * share).round() as u8;
    format!("#{:02X}{:02X}{:02X}", part(0), part(1), part(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(resident_pages: u64, pinned_pages: u64, used_bytes: u64) -> MapCell {
        MapCell {
            resident_pages,
            pinned_pages,
            used_bytes,
            stack: Some(7),
            birth: Some(50),
            ..MapCell::default()
        }
    }

    #[test]
    fn colours_say_how_full_how_old_and_whose() {
        let of = |by, cell: &MapCell| {
            let colours = Colours {
                by,
                event: 100,
                stacks: vec![3, 7],
            };
            colours.of(cell)
        };
        let hex = |text: &str| Some(text.to_string());
        assert_eq!(of(By::Fullness, &cell(0, 0, 0)), None);
        assert_eq!(of(By::Age, &cell(2, 0, 0)), hex(FREE));
        assert_eq!(of(By::Fullness, &cell(1, 1, 0)), hex("#D55E00"));
        assert_eq!(of(By::Fullness, &cell(2, 1, 4096)), hex("#F0E442"));
        assert_eq!(of(By::Fullness, &cell(1, 1, 4096)), hex("#0072B2"));
        assert_eq!(of(By::Fullness, &cell(1, 1, 3072)), hex("#78AB7A"));
        assert_eq!(of(By::Age, &cell(1, 1, 1)), hex("#CC79A7"));
        assert_eq!(of(By::Stack, &cell(1, 1, 1)), hex("#0072B2"));
        let other = MapCell {
            stack: Some(9),
            ..cell(1, 1, 1)
        };
        assert_eq!(of(By::Stack, &other), hex(OTHER_STACKS));
        assert_eq!(age(7, 0), "#F0E442");
    }
}
