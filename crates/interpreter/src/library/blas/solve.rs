//! Triangular systems.

use super::{Call, Known, NOT_TRANSPOSED, operations};
use crate::execute::machine::Flow;
use chronos_values::Value;

const LOWER: i64 = 122;
const UNIT: i64 = 132;
const RIGHT: i64 = 142;

/// A triangular matrix to divide by.
struct Triangle {
    n: i64,
    /// Rows; what does not belong to the triangle is zero.
    content: Vec<f64>,
    lower: bool,
    unit: bool,
}

impl Triangle {
    /// Of argument `index`, `n` by `n`; the arguments `what` say which triangle it is, whether it is transposed, and
    /// whether its diagonal is one. `again`: it is transposed once more.
    fn read(call: &Call, n: i64, index: usize, what: [usize; 3], again: bool) -> Known<Self> {
        let [upper_or_lower, transposed, diagonal] = what;
        let stored_lower = call.known_integer(upper_or_lower)? == LOWER;
        let transposed = (call.known_integer(transposed)? != NOT_TRANSPOSED) != again;
        let unit = call.known_integer(diagonal)? == UNIT;
        let (lower, stored) = (stored_lower != transposed, call.matrix([n, n], index)?);
        let matrix = if transposed { stored.transposed() } else { stored };
        let belongs = |i: i64, j: i64| if i == j { !unit } else { (i > j) == lower };
        Ok(Self { n, content: matrix.read_where(call, belongs)?, lower, unit })
    }

    /// Replaces the right sides, the rows of `b`, by the solution.
    fn solve(&self, b: &mut [f64], columns: i64) {
        let (n, columns) = (self.n as usize, columns as usize);
        for step in 0..n {
            let i = if self.lower { step } else { n - 1 - step };
            let row = &self.content[i * n..(i + 1) * n];
            for j in 0..columns {
                let known = (0..n).filter(|&k| k != i && row[k] != 0.0);
                let sum: f64 = known.map(|k| row[k] * b[k * columns + j]).sum();
                let rest = b[i * columns + j] - sum;
                b[i * columns + j] = if self.unit { rest } else { rest / row[i] };
            }
        }
    }
}

/// `cblas_dtrsv(order, uplo, trans, diag, n, a, lda, x, incx)`.
pub(crate) fn trsv(call: &mut Call) -> Flow<Value> {
    let n = call.sizes([4]);
    let target = n.and_then(|[n]| call.vector(n, 7));
    call.replace(7, target, operations(n.map(|[n]| [n, n, 1])), |call| {
        let triangle = Triangle::read(call, n?[0], 5, [1, 2, 3], false)?;
        let mut content = target?.read(call)?;
        triangle.solve(&mut content, 1);
        Ok(content)
    })?;
    Ok(Value::NULL)
}

/// `cblas_dtrsm(order, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb)`: from the right, the transposed
/// system is solved from the left.
pub(crate) fn trsm(call: &mut Call) -> Flow<Value> {
    let (right, sizes) = (call.known_integer(1).map(|side| side == RIGHT), call.sizes([5, 6]));
    let target = sizes.and_then(|size| call.matrix(size, 10));
    let target = target.and_then(|b| Ok(if right? { b.transposed() } else { b }));
    let size = target.map(|b| b.size);
    call.replace(10, target, operations(size.map(|[n, columns]| [n, n, columns])), |call| {
        let [n, columns] = size?;
        let mut content = call.scaled(target?, 7)?;
        Triangle::read(call, n, 8, [2, 3, 4], right?)?.solve(&mut content, columns);
        Ok(content)
    })?;
    Ok(Value::NULL)
}
