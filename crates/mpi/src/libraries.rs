//! The numbers that MPI libraries give to the constants of ranks and tags, for programs that write them as numbers.
//!
//! Names are told by the bundled `mpi.h`, whose numbers no library has, so that a number is known for what it is.

use crate::handles;
use serde::{Deserialize, Serialize};

/// Whose numbers a program means that writes a rank as -1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MpiLibrary {
    /// Open MPI, which the shipped networks were measured with.
    #[default]
    OpenMpi,
    /// MPICH and what is made of it (Intel MPI, MVAPICH, Cray MPICH).
    Mpich,
}

/// What a number stands for in the place of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankConstant {
    /// `MPI_ANY_SOURCE`.
    AnySource,
    /// `MPI_PROC_NULL`.
    ProcNull,
}

/// `MPI_ANY_TAG` of both (Open MPI 4.1 and MPICH 4.0, mpi.h).
pub const ANY_TAG: i64 = -1;

impl MpiLibrary {
    /// What a negative rank is, as in mpi.h of Open MPI 4.1 and MPICH 4.0.
    pub fn rank_constant(self, rank: i64) -> Option<RankConstant> {
        match (self, rank) {
            (Self::OpenMpi, -1) | (Self::Mpich, -2) => Some(RankConstant::AnySource),
            (Self::OpenMpi, -2) | (Self::Mpich, -1) => Some(RankConstant::ProcNull),
            _ => None,
        }
    }

    /// The library's number of `MPI_ANY_SOURCE` where a value is that constant of the bundled `mpi.h`.
    pub fn any_source(self, value: i64) -> Option<i64> {
        (value == handles::ANY_SOURCE).then_some(match self {
            Self::OpenMpi => -1,
            Self::Mpich => -2,
        })
    }

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenMpi => "Open MPI",
            Self::Mpich => "MPICH",
        }
    }
}

impl RankConstant {
    /// As programs write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::AnySource => "MPI_ANY_SOURCE",
            Self::ProcNull => "MPI_PROC_NULL",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_differ_in_what_minus_one_is() {
        assert_eq!(MpiLibrary::OpenMpi.rank_constant(-1), Some(RankConstant::AnySource));
        assert_eq!(MpiLibrary::Mpich.rank_constant(-1), Some(RankConstant::ProcNull));
        assert_eq!(MpiLibrary::OpenMpi.rank_constant(-3), None);
        assert_eq!(MpiLibrary::OpenMpi.any_source(handles::ANY_SOURCE), Some(ANY_TAG));
        assert_eq!(MpiLibrary::Mpich.any_source(handles::ANY_SOURCE), Some(-2));
    }
}
