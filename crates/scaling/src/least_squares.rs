//! Least squares for a handful of columns. Own, because the systems have at most six columns and a few dozen rows.

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
        let apart = Apart::of(&basis, column)?;
        apart.along.iter().enumerate().for_each(|(i, along)| triangle[i][j] = *along);
        triangle[j][j] = apart.length;
        basis.push(apart.unit);
    }
    let right: Vec<f64> = basis.iter().map(|unit| dot(unit, target)).collect();
    Some(back_substitution(&triangle, &right))
}

/// A column as its parts along columns of length 1 that are at right angles to each other, and the part at right angles to all of them
/// (the method of Gram and Schmidt).
struct Apart {
    along: Vec<f64>,
    /// Of length 1.
    unit: Vec<f64>,
    length: f64,
}

impl Apart {
    /// `None` where the column depends on the others.
    fn of(others: &[Vec<f64>], column: &[f64]) -> Option<Self> {
        let (mut rest, mut along) = (column.to_vec(), vec![0.0; others.len()]);
        // Twice, because one pass leaves rounding errors along the other columns.
        for _ in 0..2 {
            for (along, unit) in along.iter_mut().zip(others) {
                let more = dot(unit, &rest);
                *along += more;
                rest.iter_mut().zip(unit).for_each(|(x, u)| *x -= more * u);
            }
        }
        let length = dot(&rest, &rest).sqrt();
        let depends = length.is_nan() || length <= DEPENDENT * dot(column, column).sqrt();
        (!depends).then(|| Self { along, unit: rest.into_iter().map(|x| x / length).collect(), length })
    }
}

/// A fit to some columns, to which others are added on trial.
pub struct Basis {
    units: Vec<Vec<f64>>,
    /// What the columns leave of the target.
    rest: Vec<f64>,
    /// How much each row decides about its own value.
    leverage: Vec<f64>,
}

impl Basis {
    /// A fit without columns.
    pub fn new(target: &[f64]) -> Self {
        Self { units: Vec::new(), rest: target.to_vec(), leverage: vec![0.0; target.len()] }
    }

    /// With a further column; as it is where that depends on the others.
    pub fn add(&mut self, column: &[f64]) {
        let Some(Apart { unit, .. }) = Apart::of(&self.units, column) else { return };
        let along = dot(&unit, &self.rest);
        self.rest.iter_mut().zip(&unit).for_each(|(x, u)| *x -= along * u);
        self.leverage.iter_mut().zip(&unit).for_each(|(x, u)| *x += u * u);
        self.units.push(unit);
    }

    /// Root of the mean square of the errors with which each row would be foretold by a fit to all others, with a further column
    /// (PRESS; Allen 1974); `None` where the column depends on the others, or a row is all that it has.
    pub fn foretelling_error(&self, column: &[f64]) -> Option<f64> {
        let Apart { unit, .. } = Apart::of(&self.units, column)?;
        let along = dot(&unit, &self.rest);
        let rows = self.rest.iter().zip(&self.leverage).zip(&unit);
        let of_row = |((rest, leverage), u): ((&f64, &f64), &f64)| {
            let left = 1.0 - leverage - u * u;
            (left > DEPENDENT).then(|| ((rest - along * u) / left).powi(2))
        };
        let squares: f64 = rows.map(of_row).sum::<Option<f64>>()?;
        Some((squares / self.rest.len() as f64).sqrt())
    }
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
