//! Datatypes: constructors, inquiries, packing (MPI 4.0, chapter 5). All of it is local.

pub(crate) mod constructors;
pub(crate) mod inquiries;
pub(crate) mod pack;
