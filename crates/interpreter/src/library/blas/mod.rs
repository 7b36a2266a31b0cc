//! The BLAS by its C interface (`cblas_*`), real numbers only: what is read, what is written.
//!
//! Results are those of the definitions, summed in order. The BLAS of a machine may round the last digits
//! otherwise; a program whose course hangs on these has no fixed counts. Where an operand is unknown, or the
//! budget is spent, exactly what the function writes becomes unknown.

mod level1;
mod matrix;
mod solve;

use super::{Call, Model};
use crate::execute::machine::Flow;
use chronos_ir::{Callee, ScalarType};
use chronos_values::{ReasonKind, Value};
use matrix::{Known, Matrix};

const ROW_MAJOR: i64 = 101;
const NOT_TRANSPOSED: i64 = 111;

models! {
    pub fn lookup(name: &str) -> Option<Model> {
        "cblas_dcopy" | "cblas_scopy" => level1::copy,
        "cblas_dswap" | "cblas_sswap" => level1::swap,
        "cblas_dscal" | "cblas_sscal" => level1::scal,
        "cblas_daxpy" | "cblas_saxpy" => level1::axpy,
        "cblas_ddot" | "cblas_sdot" => level1::dot,
        "cblas_dnrm2" | "cblas_snrm2" => |c| level1::norm(c, |sum, x| sum + x * x, f64::sqrt),
        "cblas_dasum" | "cblas_sasum" => |c| level1::norm(c, |sum, x| sum + x.abs(), |sum| sum),
        "cblas_idamax" | "cblas_isamax" => level1::amax,
        "cblas_dgemv" | "cblas_sgemv" => gemv,
        "cblas_dger" | "cblas_sger" => ger,
        "cblas_dtrsv" | "cblas_strsv" => solve::trsv,
        "cblas_dgemm" | "cblas_sgemm" => gemm,
        "cblas_dtrsm" | "cblas_strsm" => solve::trsm,
    }
}

impl Call<'_, '_> {
    /// The type of the elements, by the function's name.
    fn element(&self) -> ScalarType {
        let single = match self.machine.code.program.call(self.call.block).map(|call| &call.callee) {
            Some(Callee::Library(name)) => name.starts_with("cblas_s") || name.starts_with("cblas_is"),
            _ => false,
        };
        if single { ScalarType::F32 } else { ScalarType::F64 }
    }

    fn known_integer(&self, index: usize) -> Known<i64> {
        self.integer(index).ok_or(self.arg(index))
    }

    fn known_float(&self, index: usize) -> Known<f64> {
        self.float(index).ok_or(self.arg(index))
    }

    fn sizes<const N: usize>(&self, at: [usize; N]) -> Known<[i64; N]> {
        let mut sizes = [0; N];
        for (size, index) in sizes.iter_mut().zip(at) {
            *size = self.known_integer(index)?.max(0);
        }
        Ok(sizes)
    }

    /// The vector of `n` elements at argument `index`, its increment behind it.
    fn vector(&self, n: i64, index: usize) -> Known<Matrix> {
        Ok(Matrix::vector(self.arg(index), n, self.known_integer(index + 1)?, self.element()))
    }

    /// The matrix of argument `index`, its leading dimension behind it, stored as argument 0 says.
    fn matrix(&self, size: [i64; 2], index: usize) -> Known<Matrix> {
        let leading = self.known_integer(index + 1)?;
        let steps = if self.known_integer(0)? == ROW_MAJOR { [leading, 1] } else { [1, leading] };
        Ok(Matrix { base: self.arg(index), size, steps, ty: self.element() })
    }

    /// As `matrix`, transposed where argument `how` says so; `size` is that of the result.
    fn operand(&self, size: [i64; 2], index: usize, how: usize) -> Known<Matrix> {
        match self.known_integer(how)? {
            NOT_TRANSPOSED => self.matrix(size, index),
            _ => Ok(self.matrix([size[1], size[0]], index)?.transposed()),
        }
    }

    /// The content of a matrix times the factor that stands at an argument; it is not read where that is zero.
    fn scaled(&self, matrix: Matrix, factor: usize) -> Known<Vec<f64>> {
        let factor = self.known_float(factor)?;
        if factor == 0.0 {
            return Ok(vec![0.0; matrix.len()]);
        }
        let mut content = matrix.read(self)?;
        content.iter_mut().for_each(|x| *x *= factor);
        Ok(content)
    }

    /// Gives the matrix at argument `index` a new content that takes so many operations; where that cannot be
    /// known, the matrix becomes unknown, and nothing else.
    fn replace(
        &mut self,
        index: usize,
        target: Known<Matrix>,
        operations: Known<i64>,
        content: impl FnOnce(&Self) -> Known<Vec<f64>>,
    ) -> Flow<()> {
        let target = match target {
            Ok(target) if target.len() == 0 => return Ok(()),
            Ok(target) => target,
            Err(unknown) => {
                self.lose_argument(index, unknown);
                return Ok(());
            }
        };
        self.volume(target.len() as u64 * target.ty.size(self.machine.task.memory.model));
        if !self.matters(&target) {
            let unknown = self.machine.unknown(ReasonKind::NotEvaluated);
            target.lose(self, index, unknown);
            return Ok(());
        }
        let content = self.afford(operations).and_then(|()| content(self));
        match content {
            Ok(content) => target.write(self, &content),
            Err(unknown) => {
                target.lose(self, index, unknown);
                Ok(())
            }
        }
    }

    /// Spends operations of the task's budget.
    fn afford(&mut self, operations: Known<i64>) -> Known<()> {
        let spent = self.machine.task.spent.saturating_add(operations?.max(0) as u64);
        if spent > self.machine.shared.hard_budget() {
            return Err(self.machine.unknown(ReasonKind::Budget));
        }
        self.machine.task.spent = spent;
        Ok(())
    }

    fn matters(&self, target: &Matrix) -> bool {
        let Value::Pointer(base) = target.base else { return true };
        self.machine.summariser.is_relevant(self.machine.task.memory.object(base.object).origin)
    }

    /// What an argument points to has become unknown from there on.
    fn lose_argument(&mut self, index: usize, unknown: Value) {
        match (self.arg(index), unknown) {
            (Value::Pointer(pointer), unknown) => self.blur(pointer, unknown),
            (Value::Unknown(reason), _) => self.machine.forget_argument(self.call, index, reason),
            _ => {}
        }
    }
}

/// Multiplications and additions, together with what is read for them.
fn operations(sizes: Known<[i64; 3]>) -> Known<i64> {
    sizes.map(|[a, b, c]| a.saturating_mul(b).saturating_mul(c.saturating_add(4)))
}

/// `c += alpha a b`, where `a` has `k` columns.
fn multiply(alpha: f64, a: &[f64], b: &[f64], c: &mut [f64], [n, k]: [i64; 2]) {
    let (n, k) = (n as usize, k as usize);
    if n == 0 || k == 0 {
        return;
    }
    for (a, c) in a.chunks(k).zip(c.chunks_mut(n)) {
        for (x, b) in a.iter().zip(b.chunks(n)) {
            let x = alpha * x;
            c.iter_mut().zip(b).for_each(|(c, b)| *c += x * b);
        }
    }
}

/// `cblas_dgemm(order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)`.
fn gemm(call: &mut Call) -> Flow<Value> {
    let sizes = call.sizes([3, 4, 5]);
    let target = sizes.and_then(|[m, n, _]| call.matrix([m, n], 12));
    call.replace(12, target, operations(sizes), |call| {
        let ([m, n, k], alpha) = (sizes?, call.known_float(6)?);
        let mut content = call.scaled(target?, 11)?;
        if alpha != 0.0 {
            let (a, b) = (call.operand([m, k], 7, 1)?.read(call)?, call.operand([k, n], 9, 2)?.read(call)?);
            multiply(alpha, &a, &b, &mut content, [n, k]);
        }
        Ok(content)
    })?;
    Ok(Value::NULL)
}

/// `cblas_dgemv(order, trans, m, n, alpha, a, lda, x, incx, beta, y, incy)`.
fn gemv(call: &mut Call) -> Flow<Value> {
    let sizes = call.sizes([2, 3]).and_then(|[m, n]| match call.known_integer(1)? {
        NOT_TRANSPOSED => Ok([m, n, 1]),
        _ => Ok([n, m, 1]),
    });
    let target = sizes.and_then(|[m, ..]| call.vector(m, 10));
    call.replace(10, target, operations(sizes), |call| {
        let ([m, n, _], alpha) = (sizes?, call.known_float(4)?);
        let mut content = call.scaled(target?, 9)?;
        if alpha != 0.0 {
            let (a, x) = (call.operand([m, n], 5, 1)?.read(call)?, call.vector(n, 7)?.read(call)?);
            multiply(alpha, &a, &x, &mut content, [1, n]);
        }
        Ok(content)
    })?;
    Ok(Value::NULL)
}

/// `cblas_dger(order, m, n, alpha, x, incx, y, incy, a, lda)`.
fn ger(call: &mut Call) -> Flow<Value> {
    let sizes = call.sizes([1, 2]);
    let target = sizes.and_then(|size| call.matrix(size, 8));
    call.replace(8, target, operations(sizes.map(|[m, n]| [m, n, 1])), |call| {
        let ([m, n], alpha) = (sizes?, call.known_float(3)?);
        let mut content = target?.read(call)?;
        if alpha != 0.0 {
            let (x, y) = (call.vector(m, 4)?.read(call)?, call.vector(n, 6)?.read(call)?);
            multiply(alpha, &x, &y, &mut content, [n, 1]);
        }
        Ok(content)
    })?;
    Ok(Value::NULL)
}
