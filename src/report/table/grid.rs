//! Columns aligned by their widest cell.

/// A table of text.
pub struct Grid {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Columns aligned to the left; the others are to the right.
    left: Vec<usize>,
}

/// Cells to the left are cut to so many characters, at their begin.
const WIDEST: usize = 40;

impl Grid {
    pub fn new(header: &[&str], left: &[usize]) -> Self {
        Self { header: header.iter().map(|&h| h.to_owned()).collect(), rows: Vec::new(), left: left.to_vec() }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.into_iter().map(shortened).collect());
    }

    /// A row whose cells are never cut.
    pub fn whole_row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub fn render(&self) -> String {
        let all = || std::iter::once(&self.header).chain(&self.rows);
        let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let mut text = String::new();
        for row in all() {
            text.push_str(self.line(row, &widths).trim_end());
            text.push('\n');
        }
        text
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let cell = |(column, text): (usize, &String)| {
            let width = widths[column];
            if self.left.contains(&column) { format!("{text:<width$}") } else { format!("{text:>width$}") }
        };
        row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ")
    }

    /// Nothing for an empty table; says how many rows of `all` are shown.
    pub fn titled(&self, title: &str, all: usize) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let shown = self.rows.len();
        let more = if shown < all { format!(" ({shown} of {all} shown)") } else { String::new() };
        format!("{title}{more}\n{}", self.render())
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
}
