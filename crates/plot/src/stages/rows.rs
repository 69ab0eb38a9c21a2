//! The rows of the heat map: what each interval gained, event by event.

use residue_analysis::stages::Stages;

/// The intervals with the largest means have a row each; the others share one.
const MOST_ROWS: usize = 14;
/// The colours end where this part of the cells does, so that a few jumps do not make
/// all others pale.
const SHOWN_SHARE: f64 = 0.98;

#[derive(Debug, Clone, PartialEq)]
pub struct PlottedRow {
    pub name: String,
    /// Bytes per event.
    pub mean: f64,
    pub share: Option<f64>,
    pub is_guilty: bool,
    /// Sums, per column; `None` where no event of the column has the interval.
    pub cells: Vec<Option<f64>>,
}

/// Growth in each event from the stamp before to this one.
pub fn within(stages: &Stages, to: &str) -> Vec<Option<f64>> {
    let Some(column) = stages.columns.iter().position(|name| name == to) else {
        return vec![None; stages.rows.len()];
    };
    stages
        .rows
        .iter()
        .map(|row| {
            let here = row.cells.get(column).copied().flatten()?;
            let before = row.cells[..column].iter().rev().find_map(|cell| *cell)?;
            Some(here as f64 - before as f64)
        })
        .collect()
}

/// Growth from the last stamp of each event to the first of the next.
pub fn outside(stages: &Stages) -> Vec<Option<f64>> {
    let mut growths: Vec<Option<f64>> = stages
        .rows
        .windows(2)
        .map(|pair| Some(pair[1].first as f64 - pair[0].last as f64))
        .collect();
    growths.push(None);
    growths
}

/// `None` where there is nothing to add.
pub fn sum(cells: &[Option<f64>]) -> Option<f64> {
    let mut known = cells.iter().flatten().peekable();
    known.peek()?;
    Some(known.sum())
}

/// Makes one row of those that matter least, at its end.
pub fn join_small(rows: &mut Vec<PlottedRow>) {
    if rows.len() <= MOST_ROWS {
        return;
    }
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let weight = |row: &PlottedRow| (row.is_guilty, row.mean.abs());
    order.sort_by(|&one, &other| {
        let (one, other) = (weight(&rows[one]), weight(&rows[other]));
        other.0.cmp(&one.0).then(other.1.total_cmp(&one.1))
    });
    let mut small = order.split_off(MOST_ROWS - 1);
    small.sort_unstable();
    let mut joined = PlottedRow {
        name: format!("{} other intervals", small.len()),
        mean: 0.0,
        share: Some(0.0),
        is_guilty: false,
        cells: vec![None; rows[0].cells.len()],
    };
    for &index in small.iter().rev() {
        let row = rows.remove(index);
        joined.mean += row.mean;
        joined.share = joined.share.zip(row.share).map(|(sum, share)| sum + share);
        for (sum, cell) in joined.cells.iter_mut().zip(row.cells) {
            *sum = match (*sum, cell) {
                (Some(one), Some(other)) => Some(one + other),
                (one, other) => one.or(other),
            };
        }
    }
    rows.push(joined);
}

/// What the strongest colour stands for.
pub fn full_colour(rows: &[PlottedRow]) -> f64 {
    let mut sizes: Vec<f64> = rows
        .iter()
        .flat_map(|row| &row.cells)
        .filter_map(|cell| cell.map(f64::abs))
        .filter(|size| *size > 0.0)
        .collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let place = (sizes.len().saturating_sub(1)) as f64 * SHOWN_SHARE;
    sizes.get(place.ceil() as usize).copied().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_intervals_share_a_row_and_nothing_is_lost() {
        let row = |index: usize| PlottedRow {
            name: index.to_string(),
            mean: index as f64,
            share: Some(0.01),
            is_guilty: index == 0,
            cells: vec![Some(1.0), None],
        };
        let mut rows: Vec<PlottedRow> = (0..40).map(row).collect();
        join_small(&mut rows);
        assert_eq!(rows.len(), MOST_ROWS);
        assert_eq!(
            (&*rows[0].name, &*rows[1].name, &*rows[12].name),
            ("0", "28", "39")
        );
        let last = &rows[13];
        assert_eq!((&*last.name, last.mean), ("27 other intervals", 378.0));
        assert_eq!(last.cells, [Some(27.0), None]);
    }
}
