//! Functions about MPI itself: its begin and end, clocks, names, versions, attributes, info objects (MPI 4.0, 7.7 and
//! chapters 9 to 11).

pub(crate) mod info;
pub(crate) mod inquiry;
pub(crate) mod keyvals;
pub(crate) mod predefined;
