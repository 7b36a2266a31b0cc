//! What one execution of a block costs in an expression.
//!
//! The model `instruction-sum` has one figure for each counter of a block. Where numbers are predicted with another model, its time
//! of a block at the default values takes the place of theirs: vectors, recurrences and caches are those of the default values, and
//! the expression gives what numbers give there. It must not know how counts are made.

use chronos_base::units::Nanoseconds;
use chronos_cost::InstructionSum;
use chronos_ir::{BlockId, CounterId, Program};
use chronos_report::model::Prediction;
use chronos_report::symbolic::BlockTimes;
use std::collections::BTreeMap;

/// Costs of executions and of bytes.
pub(crate) struct Prices<'a> {
    model: &'a InstructionSum,
    /// By block, what the figures of the model are multiplied by.
    factors: BTreeMap<BlockId, f64>,
}

impl<'a> Prices<'a> {
    /// Those of the model.
    pub fn new(model: &'a InstructionSum) -> Self {
        Self { model, factors: BTreeMap::new() }
    }

    /// Those that give the times of `numbers` where `at_defaults`, by these prices, are the times at the values that the
    /// numbers are of. Blocks that are not executed there keep their prices.
    pub fn of_numbers(model: &'a InstructionSum, numbers: &Prediction, at_defaults: &[BlockTimes]) -> Option<Self> {
        let mut expected: BTreeMap<u32, f64> = BTreeMap::new();
        for row in at_defaults {
            *expected.entry(row.id).or_default() += row.time.at_defaults_s? * row.tasks.len() as f64;
        }
        let factor = |block: &chronos_report::model::Block| {
            let expected = *expected.get(&block.id).filter(|&&expected| expected > 0.0)?;
            Some((BlockId(block.id), block.time_s / expected))
        };
        // The time of an MPI call is that of its messages, which are no part of expressions.
        let computing = numbers.blocks.iter().filter(|block| block.kind != "mpi");
        Some(Self { model, factors: computing.filter_map(factor).collect() })
    }

    /// Of one execution of a counter's block.
    pub fn of(&self, program: &Program, counter: CounterId) -> Nanoseconds {
        let each: Nanoseconds = self.model.unit(counter).iter().map(|(_, time)| *time).sum();
        each * self.factor(program.block_of(counter))
    }

    /// Of a byte that the library call of a block handles.
    pub fn per_byte(&self, block: BlockId) -> Nanoseconds {
        self.model.per_byte(block) * self.factor(block)
    }

    fn factor(&self, block: BlockId) -> f64 {
        self.factors.get(&block).copied().unwrap_or(1.0)
    }
}
