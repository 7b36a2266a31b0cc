//! Calls of the C library's generators of random numbers.
//!
//! No number is known here. How many were drawn, the counts of the calls tell: whatever loops, branches and functions of a region
//! hold them, its effect on the state is their sum.

use crate::Effect;
use crate::expressions::symbolic::Symbolic;
use crate::regions::effects::RegionEffects;
use crate::state::execution::Execution;
use crate::state::store::Location;
use chronos_activity::{Count, CountSource, CountValue};
use chronos_functions::{Generator, GeneratorUse};
use chronos_ir::{Call, GeneratorState, ScalarType};
use chronos_values::{ReasonId, ReasonKind, Value};

impl Execution<'_> {
    /// What a call does to the state; why what it returns is unknown.
    pub(crate) fn use_generator(&mut self, call: &Call, name: &str, reason: ReasonId) -> ReasonId {
        match self.setting.program.generators.used_by(name) {
            // An unknown seed stays unknown, however much is evaluated.
            Some((GeneratorUse::Draws(_), state)) => match self.read_variable(state.seed, ScalarType::I64) {
                Symbolic::Unknown(seed) => seed,
                _ => reason,
            },
            Some((GeneratorUse::Seeds(_), state)) => {
                let is_taken = self.setting.assumptions.seed_taken.is_some();
                let seed = match self.argument(call, 0).filter(|_| !is_taken) {
                    Some(Symbolic::Unknown(seed)) => seed,
                    _ => reason,
                };
                for part in [state.seed, state.draws, state.parameters] {
                    self.lose_for(Location::Variable(part), seed);
                }
                reason
            }
            Some((GeneratorUse::Parameters(_), _)) | None => reason,
        }
    }

    /// How many numbers a region drew that seeds no generator.
    pub(crate) fn generator_effects(&mut self, region_effects: &mut RegionEffects) {
        for generator in [Generator::Additive, Generator::Linear] {
            let Some(state) = self.setting.program.generators.state(generator) else { continue };
            let seed = self.setting.analysis.variable(state.seed);
            if self.written.variables.contains(&state.seed) || self.written.classes.contains(&seed) {
                continue;
            }
            let draws = self.setting.analysis.variable(state.draws);
            self.written.variables.remove(&state.draws);
            self.written.classes.remove(&draws);
            let drawn = self.drawn(generator);
            self.draw_effect(state, drawn, region_effects);
        }
    }

    fn draw_effect(&mut self, state: GeneratorState, drawn: Count, region_effects: &mut RegionEffects) {
        let exact = match drawn {
            Count { value: CountValue::Exact(n), source: CountSource::Static } => i64::try_from(n).ok(),
            _ => None,
        };
        match exact {
            Some(0) => {}
            Some(n) => region_effects.effects.push(Effect::Add(state.draws, n)),
            None => {
                let reason = self.reason(ReasonKind::NotEvaluated, None);
                region_effects.lose(self.setting.analysis.loss_of_variable(state.draws));
                region_effects.effects.push(Effect::SetVariable(state.draws, Value::Unknown(reason)));
            }
        }
    }

    /// How often the region called functions that draw.
    fn drawn(&mut self, generator: Generator) -> Count {
        let drawing = self.setting.mods.drawing(self.setting.program, generator);
        let counts = self.counts.iter().filter(|((_, counter), _)| drawing.contains(counter));
        counts.fold(Count::ZERO, |sum, (_, count)| sum + count.clone().number())
    }
}
