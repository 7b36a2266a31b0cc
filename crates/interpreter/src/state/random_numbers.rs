//! What a task remembers of the generators of random numbers, beside their state.

use crate::library::random::additive::Additive;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct RandomNumbers {
    /// The generator where it was last used: the next number takes a step.
    pub additive: Option<Additive>,
    /// It was told whose numbers are used.
    pub told: bool,
}
