//! Ratios of parts from the times of stretches: non-negative least squares, drawn to the common ratio.
//!
//! Each stretch says that the predicted times of its parts, each times its ratio, add up to what was measured. Relative errors
//! count, as the errors of clocks, caches and cost models grow with the time. Parts that always come together cannot be told
//! apart, and a part that hardly takes any time is not told by anything: a second term draws each ratio to the common one
//! (ridge regression: Hoerl and Kennard, Technometrics 1970), as a normal prior does. The minimum is found part by part
//! (Franc, Hlavac, Navara: Sequential coordinate-wise algorithm for the non-negative least squares problem, CAIP 2005).

/// A stretch: what was measured, and the predicted times of its parts by number.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Nanoseconds.
    pub measured: f64,
    /// Nanoseconds by part.
    pub predicted: Vec<(usize, f64)>,
}

/// The ratio measured / predicted of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Predicted times are multiplied by it.
    pub ratio: f64,
    /// Standard deviation of measured against so calibrated times, over the stretches and tasks of the part, by its time.
    pub spread: f64,
    /// Its calibrated time in the short run, in nanoseconds over all tasks.
    pub time: f64,
}

/// How far two runs of the same stretch are apart, against how far ratios of parts are: the square of 0.02 / 0.5. Kernels of
/// the calibration suite have the one (repetitions) and the other (residuals of the cost model) at most.
const SHRINKAGE: f64 = 0.02 * 0.02 / (0.5 * 0.5);

/// Rounds over all parts; each brings the sum of squares down, and by then it no longer changes.
const ROUNDS: usize = 2000;
const PRECISION: f64 = 1e-9;

/// The common ratio, and that of each part; `None` for parts that no stretch has.
pub fn fit(rows: &[Row], parts: usize) -> (f64, Vec<Option<Ratio>>) {
    let sum = |row: &Row| row.predicted.iter().map(|part| part.1).sum::<f64>();
    let rows: Vec<&Row> = rows.iter().filter(|row| row.measured > 0.0 && sum(row) > 0.0).collect();
    let predicted: f64 = rows.iter().map(|row| sum(row)).sum();
    if predicted <= 0.0 {
        return (1.0, vec![None; parts]);
    }
    let common = rows.iter().map(|row| row.measured).sum::<f64>() / predicted;
    let mut shares: Vec<Vec<(usize, f64)>> = vec![Vec::new(); parts];
    for (number, row) in rows.iter().enumerate() {
        // Of what was measured, by part, where all ratios are the common one.
        row.predicted.iter().for_each(|&(part, time)| shares[part].push((number, common * time / row.measured)));
    }
    let relative = minimum(&shares, rows.len());
    let errors = errors(&shares, &relative, rows.len());
    let ratio = |part: usize| {
        let times: f64 = shares[part].iter().map(|&(row, share)| share * rows[row].measured).sum();
        let squares = shares[part].iter().map(|&(row, share)| share * rows[row].measured * errors[row].powi(2));
        let (ratio, spread) = (common * relative[part], (squares.sum::<f64>() / times).sqrt());
        (times > 0.0).then(|| Ratio { ratio, spread, time: times * relative[part] })
    };
    (common, (0..parts).map(ratio).collect())
}

/// What each ratio is relative to the common one.
fn minimum(shares: &[Vec<(usize, f64)>], rows: usize) -> Vec<f64> {
    let mut relative = vec![1.0; shares.len()];
    let mut left = errors(shares, &relative, rows);
    for _ in 0..ROUNDS {
        let mut moved: f64 = 0.0;
        for (part, column) in shares.iter().enumerate() {
            let slope: f64 = column.iter().map(|&(row, share)| share * left[row]).sum();
            let curvature: f64 = column.iter().map(|(_, share)| share * share).sum();
            let step = (slope + SHRINKAGE * (1.0 - relative[part])) / (curvature + SHRINKAGE);
            let step = step.max(-relative[part]);
            relative[part] += step;
            column.iter().for_each(|&(row, share)| left[row] -= share * step);
            moved = moved.max(step.abs());
        }
        if moved < PRECISION {
            break;
        }
    }
    relative
}

/// Of each row, the share of what was measured that is not explained.
fn errors(shares: &[Vec<(usize, f64)>], relative: &[f64], rows: usize) -> Vec<f64> {
    let mut left = vec![1.0; rows];
    for (column, ratio) in shares.iter().zip(relative) {
        column.iter().for_each(|&(row, share)| left[row] -= share * ratio);
    }
    left
}
