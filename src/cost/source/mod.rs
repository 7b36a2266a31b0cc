//! The model `source`: the time of a loop is the greater of its recurrence and of what its iterations ask of the
//! processor and of memory.
//!
//! Each loop is analysed once, as the compiler of the machine's profile would leave it: without common
//! subexpressions, invariants, dead code and index arithmetic, with scalars in registers, vectorised where that
//! is legal and the compiler does it. Pricing then only multiplies by counts: `max(chain, throughput + memory)`.
//! It must not know how counts came about. Its rules are data (`profiles/`), none of them fitted to programs
//! under prediction.

mod accesses;
mod addressing;
mod affine;
mod allocations;
mod branches;
mod build;
mod chain;
mod closed;
mod copies;
mod costs;
mod counts;
mod explain;
mod facts;
mod first_touch;
mod given;
mod graph;
mod instructions;
mod kept;
mod lengths;
mod lockstep;
mod memory;
mod opcode;
mod outer;
mod price;
mod profile;
mod reuse;
pub mod rows;
mod run;
mod scope;
mod shares;
mod sizes;
mod surprise;
mod traffic;
mod values;
mod vectors;

#[cfg(test)]
mod tests;

use super::classes::{self, Weight};
use super::instruction_sum::InstructionSum;
use super::{CostModel, LoopTime, Object, Priced, Reuse, Use};
use crate::activity::{ContextId, Segment, Segments};
use crate::diag::Diagnostic;
use crate::machine::{Machine, MemoryLevel, Translation};
use crate::program::{BlockId, BlockKind, CounterId, Program};
use costs::{Costs, Demand, Resource};
use facts::Facts;
use profile::Profile;
use scope::Scope;
use std::collections::HashMap;

/// What one unit of each counter asks of the processor without optimisation.
fn plain(program: &Program, costs: &Costs) -> Vec<Demand> {
    let mut demands = vec![Demand::default(); usize::try_from(program.counters).expect("counters fit")];
    for (_, block) in program.blocks.iter() {
        for offset in 0..block.counters() {
            let demand = &mut demands[block.counter(offset).0 as usize];
            demand.add(Resource::Issue, instructions::of(program, block, offset) * costs.issue);
            for Weight(class, number) in classes::of_counter(program, block, offset) {
                demand.add(Resource::of(class), number * costs.busy(class, true).0);
            }
        }
    }
    demands
}

/// A program analysed for one machine, loop by loop.
#[derive(Clone, Debug)]
pub struct Source {
    /// Calls, and everything where the compiler does not optimise.
    sum: InstructionSum,
    /// What one unit of each counter asks of the processor, where instructions of code that is not optimised are counted.
    plain: Option<Vec<Demand>>,
    profile: Profile,
    costs: Costs,
    scopes: Vec<Scope>,
    told: lengths::Told,
    objects: reuse::Objects,
    sizes: sizes::Sizes,
    levels: Vec<MemoryLevel>,
    /// What loads and lines from the second level hide of each other.
    overlap: Option<f64>,
    translation: Option<Translation>,
    /// Who is the first to write objects.
    touches: first_touch::Owners,
    /// The scope of each counter that a scope prices, and of the counters of its loop.
    scope_of: Vec<Option<u32>>,
    /// Blocks whose calls cost nothing of their own: inlined functions and instructions.
    free_calls: Vec<bool>,
    /// The block of each counter.
    blocks: Vec<BlockId>,
    /// First counter of each block.
    first_counters: Vec<CounterId>,
}

impl Source {
    /// Analyses every loop of `program` as the compiler of `machine` leaves it; about linear in the size of the
    /// program (quadratic in the accesses of one loop).
    pub fn new(program: &Program, machine: &Machine) -> Self {
        let profile = Profile::of(machine);
        let costs = Costs::new(machine);
        let flow = given::Flow::new(program);
        let allocations = allocations::allocations(program, &flow);
        let facts = Facts { aligned: allocations.aligned(), ..Facts::new(program, &flow) };
        let setting = build::Setting {
            program,
            profile: &profile,
            costs: &costs,
            facts: &facts,
            masks: false,
            flat: false,
            in_order: false,
        };
        let mut scopes = Vec::new();
        let mut bodies = HashMap::new();
        for (function, _) in program.functions.iter() {
            bodies.insert(function, scopes.len());
            scope::of_function(setting, function, &mut scopes);
        }
        bodies.retain(|_, index| scopes.get(*index).is_some_and(|scope| scope.header.is_none()));
        let mut scope_of = vec![None; usize::try_from(program.counters).expect("counters fit")];
        for (index, scope) in scopes.iter().enumerate() {
            let index = u32::try_from(index).ok();
            for (_, counter, _) in &scope.blocks {
                scope_of[counter.0 as usize] = index;
            }
            if let Some(header) = scope.header {
                scope_of[program.blocks[header].counter(0).0 as usize] = index;
                scope_of[program.blocks[header].counter(1).0 as usize] = index;
            }
        }
        let free_calls = program.blocks.iter().map(|(_, block)| is_free(program, &profile, &block.kind)).collect();
        let counters = (0..program.counters).map(CounterId);
        Self {
            sum: InstructionSum::new(program, machine),
            plain: machine.rules.counts_instructions.then(|| plain(program, &costs)),
            blocks: counters.map(|counter| program.block_of(counter)).collect(),
            first_counters: program.blocks.iter().map(|(_, block)| block.first_counter).collect(),
            touches: first_touch::owners(program, &flow, &allocations, &scopes, bodies),
            profile,
            overlap: traffic::overlap(&machine.memory.levels, &costs),
            costs,
            told: lengths::Told::new(&scopes),
            objects: reuse::Objects::new(program, &flow, &allocations),
            sizes: sizes::Sizes::new(program, &allocations),
            scopes,
            levels: machine.memory.levels.clone(),
            translation: machine.memory.translation.clone(),
            scope_of,
            free_calls,
        }
    }

    /// Whether a machine has the figures that the model asks for.
    pub fn suits(machine: &Machine) -> bool {
        missing(machine).is_none()
    }

    /// Why a machine is priced with the sum of instructions where no model is asked for.
    pub fn why_not(machine: &Machine) -> Option<Diagnostic> {
        let lacking = lacking(machine);
        let message = format!(
            "the machine `{}` has no {}: times are sums of instruction times (cost model instruction-sum)",
            machine.name,
            lacking.iter().map(|(what, _)| *what).collect::<Vec<_>>().join(" and no ")
        );
        let help = "add the figures to a copy of the machine file, or name a cost model with --cost-model";
        (!lacking.is_empty()).then(|| Diagnostic::note(&super::codes::ASSUMED_PROCESSOR, message).help(help))
    }

    /// Iterations and entries of a loop.
    fn loop_counters(&self, header: BlockId) -> [CounterId; 2] {
        let first = self.first_counters[header.0 as usize].0;
        [CounterId(first), CounterId(first + 1)]
    }

    /// What was assumed in place of figures that the machine does not give.
    pub fn diagnostics(&self, program: &Program, machine: &Machine) -> Vec<Diagnostic> {
        let mut found = self.sum.diagnostics(program, machine);
        found.extend(missing(machine));
        found
    }
}

/// Figures that the model asks for and the machine file does not have, with what is assumed in their place.
fn lacking(machine: &Machine) -> Vec<(&'static str, &'static str)> {
    let timed = machine.memory.levels.iter().any(|level| level.ns_per_line_read.is_some());
    [
        (machine.pipeline.is_none(), ("pipeline", "an ordinary out-of-order processor is assumed")),
        (!timed, ("time per line of memory", "traffic is taken to cost nothing")),
    ]
    .into_iter()
    .filter_map(|(lacking, what)| lacking.then_some(what))
    .collect()
}

fn missing(machine: &Machine) -> Option<Diagnostic> {
    let lacks: Vec<String> = lacking(machine).iter().map(|(what, assumed)| format!("{what} ({assumed})")).collect();
    let message = format!("the machine `{}` has no {}", machine.name, lacks.join(" and no "));
    let help = "add the figures to a copy of the machine file, or use --cost-model instruction-sum";
    (!lacks.is_empty()).then(|| Diagnostic::warning(&super::codes::ASSUMED_PROCESSOR, message).help(help))
}

/// A call that the compiler replaces by what is called.
fn is_free(program: &Program, profile: &Profile, kind: &BlockKind) -> bool {
    use crate::program::Callee;
    let BlockKind::Call(call) = kind else { return false };
    match &call.callee {
        Callee::Library(name) => profile.builtins.contains_key(&**name),
        Callee::Function(callee) => {
            let callee = &program.functions[*callee];
            let mut operations = 0;
            let mut plain = profile.optimises && callee.is_static && !callee.effects.recursive;
            for &block in &callee.body {
                plain &= matches!(program.blocks[block].kind, BlockKind::Straight(_));
                build::visit(program, block, &mut |straight| operations += straight.ops.len());
            }
            plain && operations <= profile.inlined_operations
        }
        Callee::Mpi(_) | Callee::Indirect(_) => false,
    }
}

/// Whether a callee is a function of the program that calls nothing itself, so that the compiler knows all it uses.
fn uses_few_registers(program: &Program, profile: &Profile, callee: &crate::program::Callee) -> bool {
    let crate::program::Callee::Function(callee) = callee else { return false };
    let callee = &program.functions[*callee];
    let calls = (callee.blocks.0.0..callee.blocks.1.0).map(BlockId).filter(|&block| program.call(block).is_some());
    !callee.effects.recursive && { calls }.all(|block| is_free(program, profile, &program.blocks[block].kind))
}

impl CostModel for Source {
    fn name(&self) -> &'static str {
        "source"
    }

    fn price(&self, segment: &Segment, reuse: &Reuse) -> Priced {
        price::price(self, segment, reuse)
    }

    fn loops(&self, segment: &Segment, reuse: &Reuse) -> Vec<LoopTime> {
        explain::loops(self, segment, reuse)
    }

    fn uses(&self, segment: &Segment, contexts: &Segments) -> Vec<Vec<Use>> {
        reuse::uses(self, segment, contexts)
    }

    fn argument(&self, context: ContextId, call: BlockId, position: usize, contexts: &Segments) -> Option<Object> {
        self.objects.argument(context, call, position, contexts)
    }
}
