//! Columns aligned by their widest cell, in the width of a terminal.
//!
//! comfy-table fits a table into a width by folding its cells. Here a row that is too wide goes on below with its
//! further columns, long names lose their begin instead of their end, and a row is printed before those after it are
//! known.

use crate::fold::LEAST;

/// A table of text.
pub struct Grid {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Columns aligned to the left; the others are to the right.
    left: Vec<usize>,
    /// Widths that columns have at least.
    least: Vec<usize>,
    /// Columns of the terminal; rows that are wider go on in further lines.
    room: Option<usize>,
}

/// Cells to the left are cut to so many characters, at their begin.
const WIDEST: usize = 40;

/// Between columns, and before what a row goes on with.
const GAP: &str = "  ";

impl Grid {
    /// A table with these headings; columns in `left` (from 0) are aligned to the left.
    pub fn new(header: &[&str], left: &[usize]) -> Self {
        let header = header.iter().map(|&h| h.to_owned()).collect();
        Self { header, rows: Vec::new(), left: left.to_vec(), least: Vec::new(), room: None }
    }

    /// With so many columns of the terminal; `None`: as many as it takes.
    #[must_use]
    pub fn within(mut self, room: Option<usize>) -> Self {
        self.room = room.map(|room| room.max(LEAST));
        self
    }

    /// With columns of at least these widths, for rows that are not known yet.
    #[must_use]
    pub fn at_least(mut self, widths: Vec<usize>) -> Self {
        self.least = widths;
        self
    }

    /// Adds a row with a cell for each heading; long paths lose their begin.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.into_iter().map(shortened).collect());
    }

    /// A row whose cells are never cut.
    pub(crate) fn whole_row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Heading and rows, each ended by a line break.
    pub fn render(&self) -> String {
        let all = || std::iter::once(&self.header).chain(&self.rows);
        let widths = self.widths();
        let lines = self.lines(&widths);
        all().map(|row| self.folded(row, &widths, &lines)).collect()
    }

    /// One row, aligned with the widths that are known beforehand.
    pub(crate) fn render_row(&self, cells: &[String]) -> String {
        let widths = self.widths();
        self.folded(cells, &widths, &self.lines(&widths))
    }

    fn widths(&self) -> Vec<usize> {
        let all = || std::iter::once(&self.header).chain(&self.rows);
        let least = |column: usize| self.least.get(column).copied().unwrap_or(0);
        let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or(0).max(least(column));
        (0..self.header.len()).map(width).collect()
    }

    /// Which columns stand on one line: all, or as many as there is room for, then as many of the rest.
    fn lines(&self, widths: &[usize]) -> Vec<std::ops::Range<usize>> {
        let Some(room) = self.room else { return std::iter::once(0..widths.len()).collect() };
        let mut lines = Vec::new();
        let (mut first, mut used) = (0, 0);
        for (column, width) in widths.iter().enumerate() {
            if column > first && used + GAP.len() + width > room {
                lines.push(first..column);
                (first, used) = (column, GAP.len());
            }
            used += width + GAP.len();
        }
        lines.push(first..widths.len());
        lines
    }

    fn folded(&self, row: &[String], widths: &[usize], lines: &[std::ops::Range<usize>]) -> String {
        let mut text = String::new();
        for (i, columns) in lines.iter().enumerate() {
            let cells: Vec<String> = columns.clone().map(|column| self.cell(column, &row[column], widths)).collect();
            let line = format!("{}{}", if i == 0 { "" } else { GAP }, cells.join(GAP));
            if !line.trim_end().is_empty() || (i == 0 && row.iter().all(String::is_empty)) {
                text.push_str(&self.fitted(line.trim_end()));
                text.push('\n');
            }
        }
        text
    }

    /// A cell that is wider than the terminal goes on below.
    fn fitted(&self, line: &str) -> String {
        let long = self.room.filter(|&room| line.chars().count() > room);
        long.map_or_else(|| line.to_owned(), |room| crate::fold::fold(line, Some(room)))
    }

    fn cell(&self, column: usize, text: &str, widths: &[usize]) -> String {
        let width = widths[column];
        if self.left.contains(&column) { format!("{text:<width$}") } else { format!("{text:>width$}") }
    }

    /// Nothing for an empty table; says how many rows of `all` are shown.
    pub(crate) fn titled(&self, title: &str, all: usize) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let shown = self.rows.len();
        let more = if shown < all { format!(" ({shown} of {all} shown)") } else { String::new() };
        let title = crate::fold::fold(&format!("{title}{more}"), self.room);
        format!("{title}\n{}", self.render())
    }
}

/// The end of a path says more than its begin.
fn shortened(cell: String) -> String {
    let length = cell.chars().count();
    if length <= WIDEST || !cell.contains('/') {
        return cell;
    }
    let kept: String = cell.chars().skip(length - WIDEST + 3).collect();
    format!("...{kept}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_long_paths_cut() {
        let mut grid = Grid::new(&["Where", "Time"], &[0]);
        grid.row(vec!["a.c:1".to_owned(), "12.5".to_owned()]);
        grid.row(vec![format!("{}/solver.c:7", "folder/".repeat(10)), "3".to_owned()]);
        let text = grid.titled("Blocks", 9);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "Blocks (2 of 9 shown)");
        assert_eq!(lines[2], format!("{:<40}  12.5", "a.c:1"));
        assert!(lines[3].starts_with("...") && lines[3].ends_with("folder//solver.c:7     3"), "{text}");
    }

    #[test]
    fn a_row_that_is_too_wide_goes_on_in_further_lines() {
        let mut grid = Grid::new(&["Task", "Total", "Compute", "Made of"], &[3]).within(Some(20));
        grid.row(["0", "316.186", "315.830", "fp_div 67 %, fp_add 7 %"].map(str::to_owned).to_vec());
        let expected =
            "Task    Total\n  Compute\n  Made of\n   0  316.186\n  315.830\n  fp_div 67 %,\n    fp_add 7 %\n";
        assert_eq!(grid.render(), expected);
    }
}
