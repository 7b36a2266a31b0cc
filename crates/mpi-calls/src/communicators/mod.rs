//! Groups, communicators, topologies and tasks that are spawned (MPI 4.0, chapters 7, 8 and 11.8).

pub(crate) mod cartesian;
pub(crate) mod graphs;
pub(crate) mod groups;
pub(crate) mod intercommunicators;
pub(crate) mod management;
pub(crate) mod spawn;
