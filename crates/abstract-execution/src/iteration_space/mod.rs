pub(crate) mod induction;
pub(crate) mod space;
pub(crate) mod trips;
pub(crate) mod zero_sums;
