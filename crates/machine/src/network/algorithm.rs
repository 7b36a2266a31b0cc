//! Algorithms of collective operations: their names, and which operation can be made with which.

use super::CollectiveName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a collective operation is made of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// The root deals with every member itself; alltoall: everything posted at once.
    Linear,
    /// A tree in which the distance halves with each step.
    Binomial,
    /// A tree in which the distance falls to a quarter with each step: three children for each.
    KNomial,
    /// Blocks down a binomial tree, then everyone collects all of them.
    ScatterAllgather,
    /// The same, collecting always round a ring.
    ScatterRing,
    /// A complete binary tree, pipelined by segments.
    BinaryTree,
    /// Half the message down each of two subtrees, pipelined by segments; then pairs exchange their halves.
    SplitBinary,
    /// Each member hands on to the next, pipelined by segments.
    Chain,
    /// Partners at distances 1, 2, 4, ... exchange; other than powers of two: the surplus folds in first.
    RecursiveDoubling,
    /// Everyone sends to its right neighbour, size - 1 times.
    Ring,
    /// Log steps for any number of tasks.
    Bruck,
    /// In step k everyone exchanges with the members k away.
    Pairwise,
    /// Partners at distances 1/2, 1/4, ... of the members exchange half of what is left.
    RecursiveHalving,
    /// Reduce-scatter by halving, then allgather by doubling, or gather to the root.
    Rabenseifner,
    /// Messages to the members 1, 2, 4, ... away.
    Dissemination,
    /// Reduction to member 0, then broadcast from there.
    ReduceBcast,
    /// All blocks to member 0, each by itself, then all of them down a binomial tree.
    GatherBcast,
    /// Neighbours exchange one block, then with the neighbour on either side in turn the two that came last; an odd
    /// number of tasks: round a ring.
    NeighborExchange,
}

impl CollectiveName {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Barrier,
        Self::Bcast,
        Self::Reduce,
        Self::Allreduce,
        Self::Gather,
        Self::Scatter,
        Self::Allgather,
        Self::Allgatherv,
        Self::Alltoall,
        Self::Alltoallv,
        Self::ReduceScatter,
        Self::Scan,
        Self::Exscan,
        Self::Agreement,
    ];

    /// The algorithms that can do the operation. A network file that names another one is refused, and the replay plays
    /// messages of its own for each of these.
    pub fn algorithms(self) -> &'static [Algorithm] {
        use Algorithm as A;
        match self {
            Self::Barrier => &[A::Linear, A::Binomial, A::RecursiveDoubling, A::Dissemination],
            Self::Bcast => &[
                A::Linear,
                A::Binomial,
                A::KNomial,
                A::BinaryTree,
                A::SplitBinary,
                A::Chain,
                A::ScatterAllgather,
                A::ScatterRing,
            ],
            Self::Reduce => &[A::Linear, A::Binomial, A::BinaryTree, A::Chain, A::Rabenseifner],
            Self::Allreduce => &[A::Linear, A::RecursiveDoubling, A::Ring, A::Rabenseifner, A::ReduceBcast],
            Self::Gather | Self::Scatter => &[A::Linear, A::Binomial],
            Self::Allgather => &[A::RecursiveDoubling, A::Ring, A::Bruck, A::Linear, A::NeighborExchange],
            Self::Agreement => &[A::RecursiveDoubling, A::Ring, A::Bruck, A::Linear],
            Self::Allgatherv => &[A::RecursiveDoubling, A::Ring, A::Bruck, A::NeighborExchange, A::GatherBcast],
            Self::Alltoall => &[A::Linear, A::Pairwise, A::Bruck],
            Self::Alltoallv => &[A::Linear, A::Pairwise],
            Self::ReduceScatter => &[A::Pairwise, A::Ring, A::RecursiveHalving],
            Self::Scan | Self::Exscan => &[A::Linear, A::RecursiveDoubling],
        }
    }
}
