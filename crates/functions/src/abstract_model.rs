//! What abstract execution computes in the place of a call.
//!
//! The interpreter has a model of a function where the row is `modelled`: it computes with numbers. Abstract execution
//! computes with expressions of loop counters and parameters, and only few functions have an expression as their
//! result. The column `Function::abstract_model` says which of them a function is, so that no analysis compares names.

use super::row::Function;

/// A function whose result abstract execution computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AbstractModel {
    /// The greatest integer that is not greater: `floor`.
    Floor,
    /// The least integer that is not less: `ceil`.
    Ceiling,
    /// Rounded towards zero: `trunc`.
    Truncation,
    /// `fabs`
    Magnitude,
    /// `abs`, `labs`
    IntegerMagnitude,
    /// `fmin`
    Minimum,
    /// `fmax`
    Maximum,
    /// `sqrt`
    SquareRoot,
    /// `log2`
    BinaryLogarithm,
    /// `strlen`
    StringLength,
    /// `strcmp`
    StringComparison,
    /// `strncmp`
    BoundedStringComparison,
    /// `strcasecmp`
    CaselessStringComparison,
    /// `MPI_Init`
    Initialise,
    /// `MPI_Init_thread`: gives the level of thread support that was asked for.
    InitialiseWithThreads,
    /// `MPI_Initialized`
    IsInitialised,
    /// `MPI_Comm_rank`
    Rank,
    /// `MPI_Comm_size`
    CommunicatorSize,
    /// `MPI_Comm_dup`
    DuplicateCommunicator,
    /// `MPI_Bcast`
    Broadcast,
    /// `MPI_Dims_create`
    BalancedDimensions,
    /// `MPI_Cart_create`
    CreateGrid,
    /// `MPI_Cart_coords`
    GridCoordinates,
    /// `MPI_Cart_rank`
    GridRank,
    /// `MPI_Cart_shift`
    GridShift,
    /// `MPI_Cart_get`
    GridShape,
}

impl AbstractModel {
    /// Every model.
    pub const ALL: [Self; 26] = [
        Self::Floor,
        Self::Ceiling,
        Self::Truncation,
        Self::Magnitude,
        Self::IntegerMagnitude,
        Self::Minimum,
        Self::Maximum,
        Self::SquareRoot,
        Self::BinaryLogarithm,
        Self::StringLength,
        Self::StringComparison,
        Self::BoundedStringComparison,
        Self::CaselessStringComparison,
        Self::Initialise,
        Self::InitialiseWithThreads,
        Self::IsInitialised,
        Self::Rank,
        Self::CommunicatorSize,
        Self::DuplicateCommunicator,
        Self::Broadcast,
        Self::BalancedDimensions,
        Self::CreateGrid,
        Self::GridCoordinates,
        Self::GridRank,
        Self::GridShift,
        Self::GridShape,
    ];
}

impl Function {
    /// The row with its model in abstract execution.
    pub(super) const fn abstractly(self, model: AbstractModel) -> Self {
        Self { abstract_model: Some(model), ..self }
    }
}
