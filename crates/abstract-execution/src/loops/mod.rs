pub(crate) mod one_by_one;
pub(crate) mod summation;
pub(crate) mod unroll;
