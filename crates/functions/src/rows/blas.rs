//! The BLAS by its C interface, real numbers: a row of double precision stands for single precision as well.

use super::Rows;
use crate::params::{INT, Param, READ, REAL, Type, WRITTEN};
use crate::row::{Class, Function, Purity, Variant};
use crate::{Access, params};

const SINGLE: &[Variant] = &[Variant::Float];

const fn blas(name: &'static str, result: Type, params: &'static [Param]) -> Function {
    Function::new(name, Class::LinearAlgebra, result, params).keeps_errno().with(SINGLE)
}

/// A number made of vectors.
const fn sums(name: &'static str, result: Type, params: &'static [Param]) -> Function {
    blas(name, result, params).purity(Purity::Memory)
}

const UPDATED: Param = Param::pointer(Access::Updates, params::Extent::Other);

pub(super) const ROWS: &[Rows] = &[("cblas.h", REALS)];

const REALS: &[Function] = &[
    sums("cblas_ddot", Type::Double, &[INT, READ, INT, READ, INT]),
    sums("cblas_dnrm2", Type::Double, &[INT, READ, INT]),
    sums("cblas_dasum", Type::Double, &[INT, READ, INT]),
    sums("cblas_idamax", Type::Size, &[INT, READ, INT]),
    blas("cblas_dcopy", Type::Void, &[INT, READ, INT, WRITTEN, INT]),
    blas("cblas_dswap", Type::Void, &[INT, UPDATED, INT, UPDATED, INT]),
    blas("cblas_dscal", Type::Void, &[INT, REAL, UPDATED, INT]),
    blas("cblas_daxpy", Type::Void, &[INT, REAL, READ, INT, UPDATED, INT]),
    // order, transposed, rows, columns, alpha, A, its leading dimension, x, its step, beta, y, its step
    blas("cblas_dgemv", Type::Void, &[INT, INT, INT, INT, REAL, READ, INT, READ, INT, REAL, UPDATED, INT]),
    blas("cblas_dger", Type::Void, &[INT, INT, INT, REAL, READ, INT, READ, INT, UPDATED, INT]),
    blas("cblas_dtrsv", Type::Void, &[INT, INT, INT, INT, INT, READ, INT, UPDATED, INT]),
    blas("cblas_dgemm", Type::Void, &[INT, INT, INT, INT, INT, INT, REAL, READ, INT, READ, INT, REAL, UPDATED, INT]),
    blas("cblas_dtrsm", Type::Void, &[INT, INT, INT, INT, INT, INT, INT, REAL, READ, INT, UPDATED, INT]),
];
