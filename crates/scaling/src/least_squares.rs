//! Least squares for a handful of columns. Own, because the systems have at most four columns and a few dozen rows.

/// Columns that depend on each other up to this share of their length have no unique solution.
const DEPENDENT: f64 = 1e-10;

/// The coefficients that minimise the sum of squares; `None` where the columns depend on each other or are too few
/// rows.
pub fn solve(columns: &[Vec<f64>], target: &[f64]) -> Option<Vec<f64>> {
    if columns.len() > target.len() {
        return None;
    }
    let mut triangle = vec![vec![0.0; columns.len()]; columns.len()];
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(columns.len());
    for (j, column) in columns.iter().enumerate() {
        let mut rest = column.clone();
        // Twice, because one pass of Gram and Schmidt leaves rounding errors along the earlier columns.
        for _ in 0..2 {
            for (i, unit) in basis.iter().enumerate() {
                let along = dot(unit, &rest);
                triangle[i][j] += along;
                rest.iter_mut().zip(unit).for_each(|(x, u)| *x -= along * u);
            }
        }
        let length = dot(&rest, &rest).sqrt();
        if length.is_nan() || length <= DEPENDENT * dot(column, column).sqrt() {
            return None;
        }
        triangle[j][j] = length;
        basis.push(rest.into_iter().map(|x| x / length).collect());
    }
    let right: Vec<f64> = basis.iter().map(|unit| dot(unit, target)).collect();
    Some(back_substitution(&triangle, &right))
}

fn back_substitution(triangle: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut solution = vec![0.0; right.len()];
    for i in (0..right.len()).rev() {
        let known: f64 = (i + 1..right.len()).map(|j| triangle[i][j] * solution[j]).sum();
        solution[i] = (right[i] - known) / triangle[i][i];
    }
    solution
}

/// The same without negative coefficients: the best of all choices of columns whose solution has none. There are few
/// columns, so all choices are tried instead of an active set being followed (Lawson and Hanson 1974, chapter 23).
pub fn nonnegative(columns: &[Vec<f64>], target: &[f64]) -> Option<Vec<f64>> {
    let choices = 1_u32..1 << columns.len();
    let solved = choices.filter_map(|choice| {
        let chosen = |i: &usize| choice & (1 << i) != 0;
        let members: Vec<usize> = (0..columns.len()).filter(chosen).collect();
        let part: Vec<Vec<f64>> = members.iter().map(|&i| columns[i].clone()).collect();
        let found = solve(&part, target)?;
        let mut all = vec![0.0; columns.len()];
        members.iter().zip(&found).for_each(|(&i, &x)| all[i] = x);
        found.iter().all(|&x| x >= 0.0).then(|| (squares(columns, &all, target), all))
    });
    solved.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, all)| all)
}

fn squares(columns: &[Vec<f64>], coefficients: &[f64], target: &[f64]) -> f64 {
    let value = |row: usize| columns.iter().zip(coefficients).map(|(column, c)| column[row] * c).sum::<f64>();
    (0..target.len()).map(|row| (value(row) - target[row]).powi(2)).sum()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
