//! Which rows of a table are alike: divides them into few classes whose values differ as little as possible.
//!
//! The class with the greatest difference is divided in the middle of the column that has it, until no difference is
//! greater than what is allowed or there are as many classes as allowed. Colour quantization divides the colours of
//! a picture so (P. Heckbert: Color image quantization for frame buffer display, SIGGRAPH 1982), at the median; the
//! middle in its place makes the greatest difference small, which is what a reader is told. Must not know what rows mean.

/// The rows of a class, in ascending order, and the greatest difference that two of them have in a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    pub rows: Vec<u32>,
    pub spread: f64,
    /// The column that has it.
    pub widest: usize,
}

impl Class {
    fn new(rows: Vec<u32>, columns: &[&[f64]]) -> Self {
        let spread_of = |(widest, column): (usize, &&[f64])| {
            let [low, high] = ends(&rows, column);
            (high - low, widest)
        };
        let widest = columns.iter().enumerate().map(spread_of).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let (spread, widest) = widest.unwrap_or_default();
        Self { rows, spread, widest }
    }

    /// Both halves have rows, as the ends differ.
    fn halves(self, columns: &[&[f64]]) -> [Self; 2] {
        let column = columns[self.widest];
        let [low, high] = ends(&self.rows, column);
        let middle = low + (high - low) / 2.0;
        let is_low = |row: &u32| column[*row as usize] < high && column[*row as usize] <= middle;
        let (below, above) = self.rows.into_iter().partition(is_low);
        [Self::new(below, columns), Self::new(above, columns)]
    }
}

/// Least and greatest value of the rows.
fn ends(rows: &[u32], column: &[f64]) -> [f64; 2] {
    let values = rows.iter().map(|&row| column[row as usize]);
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)])
}

/// Divides `groups` of rows, whose values stand in `columns`, until no class differs by more than `allowed` or there are
/// `most`; by the first row of each. Rows of different groups never come together, so there are at least as many
/// classes as groups.
pub fn classes(columns: &[&[f64]], groups: Vec<Vec<u32>>, most: usize, allowed: f64) -> Vec<Class> {
    let mut all: Vec<Class> = groups.into_iter().map(|rows| Class::new(rows, columns)).collect();
    while all.len() < most {
        let greatest = (0..all.len()).max_by(|&a, &b| all[a].spread.total_cmp(&all[b].spread).then(b.cmp(&a)));
        let Some(greatest) = greatest.filter(|&at| all[at].spread > allowed) else { break };
        let halves = all.swap_remove(greatest).halves(columns);
        all.extend(halves);
    }
    all.sort_unstable_by_key(|class| class.rows.first().copied());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[f64], most: usize, allowed: f64) -> Vec<(Vec<u32>, f64)> {
        let rows = (0..values.len() as u32).collect();
        let found = classes(&[values], vec![rows], most, allowed);
        found.into_iter().map(|class| (class.rows, class.spread)).collect()
    }

    #[test]
    fn equal_rows_stay_together() {
        assert_eq!(check(&[1.0, 2.0, 2.0, 1.0], 9, 0.0), [(vec![0, 3], 0.0), (vec![1, 2], 0.0)]);
        assert_eq!(check(&[2.0; 4], 9, 0.0), [(vec![0, 1, 2, 3], 0.0)]);
    }

    #[test]
    fn the_greatest_difference_is_divided_first() {
        assert_eq!(check(&[0.0, 1.0, 9.0, 10.0, 4.0], 2, 0.0), [(vec![0, 1, 4], 4.0), (vec![2, 3], 1.0)]);
        let three = check(&[0.0, 1.0, 9.0, 10.0, 4.0], 3, 0.0);
        assert_eq!(three, [(vec![0, 1], 1.0), (vec![2, 3], 1.0), (vec![4], 0.0)]);
    }

    #[test]
    fn small_differences_are_allowed() {
        assert_eq!(check(&[1.0, 1.2, 5.0], 9, 0.5).len(), 2);
    }

    /// The middle of neighbours is one of them.
    #[test]
    fn neighbouring_numbers_are_divided() {
        let [a, b] = [1.0, f64::from_bits(1.0f64.to_bits() + 1)];
        assert_eq!(check(&[a, b, a], 9, 0.0).len(), 2);
    }

    #[test]
    fn groups_never_come_together() {
        let found = classes(&[&[1.0, 1.0, 1.0]], vec![vec![0, 2], vec![1]], 1, 0.0);
        assert_eq!(found.iter().map(|class| class.rows.len()).collect::<Vec<_>>(), [2, 1]);
    }
}
