//! Vectors.

use super::{Call, Known};
use crate::execute::machine::Flow;
use chronos_values::Value;

/// `cblas_dcopy(n, x, incx, y, incy)`.
pub fn copy(call: &mut Call) -> Flow<Value> {
    let n = call.sizes([0]);
    let target = n.and_then(|[n]| call.vector(n, 3));
    call.replace(3, target, n.map(|[n]| n), |call| call.vector(n?[0], 1)?.read(call))?;
    Ok(Value::NULL)
}

/// `cblas_dswap(n, x, incx, y, incy)`.
pub fn swap(call: &mut Call) -> Flow<Value> {
    let n = call.sizes([0]);
    let (x, y) = (n.and_then(|[n]| call.vector(n, 1)), n.and_then(|[n]| call.vector(n, 3)));
    let content = |vector: Known<super::Matrix>, call: &Call| vector?.read(call);
    let (first, second) = (content(x, call), content(y, call));
    call.replace(1, x, n.map(|[n]| n), |_| second)?;
    call.replace(3, y, n.map(|[n]| n), |_| first)?;
    Ok(Value::NULL)
}

/// `cblas_dscal(n, a, x, incx)`.
pub(crate) fn scal(call: &mut Call) -> Flow<Value> {
    let n = call.sizes([0]);
    let target = n.and_then(|[n]| call.vector(n, 2));
    call.replace(2, target, n.map(|[n]| n), |call| call.scaled(target?, 1))?;
    Ok(Value::NULL)
}

/// `cblas_daxpy(n, a, x, incx, y, incy)`.
pub fn axpy(call: &mut Call) -> Flow<Value> {
    let n = call.sizes([0]);
    let target = n.and_then(|[n]| call.vector(n, 4));
    call.replace(4, target, n.map(|[n]| n), |call| {
        let added = call.scaled(call.vector(n?[0], 2)?, 1)?;
        let mut content = target?.read(call)?;
        content.iter_mut().zip(added).for_each(|(y, x)| *y += x);
        Ok(content)
    })?;
    Ok(Value::NULL)
}

/// `cblas_ddot(n, x, incx, y, incy)`.
pub fn dot(call: &mut Call) -> Flow<Value> {
    let vectors = |call: &Call| -> Known<f64> {
        let [n] = call.sizes([0])?;
        let (x, y) = (call.vector(n, 1)?.read(call)?, call.vector(n, 3)?.read(call)?);
        Ok(x.iter().zip(y).map(|(x, y)| x * y).sum())
    };
    Ok(vectors(call).map_or_else(|unknown| unknown, Value::Float))
}

/// `cblas_dnrm2(n, x, incx)` and its like: a sum over the elements.
pub fn norm(call: &mut Call, add: fn(f64, f64) -> f64, finish: fn(f64) -> f64) -> Flow<Value> {
    Ok(elements(call).map_or_else(|unknown| unknown, |x| Value::Float(finish(x.into_iter().fold(0.0, add)))))
}

/// `cblas_idamax(n, x, incx)`: the first of the largest elements.
pub(crate) fn amax(call: &mut Call) -> Flow<Value> {
    let first = |x: Vec<f64>| {
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        for (i, x) in (0..).zip(x) {
            if x.abs() > most {
                (best, most) = (i, x.abs());
            }
        }
        Value::Int(best)
    };
    Ok(elements(call).map_or_else(|unknown| unknown, first))
}

fn elements(call: &mut Call) -> Known<Vec<f64>> {
    let n = call.sizes([0])?[0];
    call.afford(Ok(n))?;
    call.vector(n, 1)?.read(call)
}
