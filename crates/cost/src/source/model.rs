//! A program analysed for one machine, loop by loop. Pricing reads it; nothing here knows how often code runs.

use crate::classes::{self, Weight};
use crate::codes;
use crate::instruction_sum::InstructionSum;
use crate::source::compiled::{CompiledCode, ObjectCode};
use crate::source::compiler::profile::CompilerProfile;
use crate::source::dataflow::build::Setting;
use crate::source::loops::known_values::KnownValues;
use crate::source::loops::scope::{Scope, analyse_function};
use crate::source::objects::first_touch::{FirstTouches, first_touches};
use crate::source::objects::names::Objects;
use crate::source::objects::sizes::Sizes;
use crate::source::processor::costs::Costs;
use crate::source::processor::demand::{Demand, Resource};
use crate::source::processor::instructions::unoptimised_instructions;
use crate::source::processor::traffic::measured_overlap;
use crate::source::whole_program::allocations::allocations;
use crate::source::whole_program::assignments::Assignments;
use crate::source::whole_program::calls::is_free;
use crate::source::whole_program::facts::Facts;
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, CounterId, Program};
use chronos_machine::{Machine, MemoryLevel, Translation};
use std::rc::Rc;

/// What one unit of each counter asks of the processor without optimisation.
fn plain(program: &Program, costs: &Costs) -> Vec<Demand> {
    let mut demands = vec![Demand::default(); usize::try_from(program.counters).expect("counters fit")];
    for (_, block) in program.blocks.iter() {
        for offset in 0..block.counters() {
            let demand = &mut demands[block.counter(offset).0 as usize];
            demand.add(Resource::Issue, unoptimised_instructions(program, block, offset) * costs.issue);
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
    pub sum: InstructionSum,
    /// What one unit of each counter asks of the processor, where instructions of code that is not optimised are
    /// counted.
    pub plain: Option<Vec<Demand>>,
    /// What the compiler of the machine does at its level of optimisation.
    pub profile: CompilerProfile,
    /// Cycles per class and pipeline figures of the machine.
    pub costs: Costs,
    /// All loops, and the bodies of functions outside loops.
    pub scopes: Vec<Scope>,
    /// Values of variables that loops told so far.
    pub(crate) known_values: KnownValues,
    /// Names of memory.
    pub objects: Objects,
    /// Sizes of objects.
    pub sizes: Sizes,
    /// Levels of memory, the nearest first.
    pub levels: Vec<MemoryLevel>,
    /// What loads and lines from the second level hide of each other.
    pub overlap: Option<f64>,
    /// What pages cost that the processor does not know.
    pub translation: Option<Translation>,
    /// Who is the first to write objects.
    pub touches: FirstTouches,
    /// The scope of each counter that a scope prices, and of the counters of its loop.
    pub(crate) scope_of: Vec<Option<u32>>,
    /// Blocks whose calls cost nothing of their own: inlined functions and instructions.
    pub(crate) free_calls: Vec<bool>,
    /// The block of each counter.
    pub blocks: Vec<BlockId>,
    /// First counter of each block.
    pub(crate) first_counters: Vec<CounterId>,
    /// What the compiler made of the program, where it was asked.
    pub(crate) compiled: Option<Rc<CompiledCode>>,
}

impl Source {
    /// Analyses every loop of `program` as the compiler of `machine` leaves it; about linear in the size of the
    /// program (quadratic in the accesses of one loop).
    pub fn new(program: &Program, machine: &Machine) -> Self {
        let profile = CompilerProfile::of(machine);
        let costs = Costs::new(machine);
        let flow = Assignments::new(program);
        let allocations = allocations(program, &flow);
        let facts = Facts { aligned: allocations.aligned(), ..Facts::new(program, &flow) };
        let setting = Setting {
            program,
            profile: &profile,
            costs: &costs,
            facts: &facts,
            masks: false,
            flat: false,
            in_order: false,
        };
        let mut scopes = Vec::new();
        let mut bodies = FxHashMap::default();
        for (function, _) in program.functions.iter() {
            bodies.insert(function, scopes.len());
            analyse_function(setting, function, &mut scopes);
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
            touches: first_touches(program, &flow, &allocations, &scopes, bodies),
            profile,
            overlap: measured_overlap(&machine.memory.levels, &costs),
            costs,
            known_values: KnownValues::new(&scopes),
            objects: Objects::new(program, &flow, &allocations),
            sizes: Sizes::new(program, &allocations),
            scopes,
            levels: machine.memory.levels.clone(),
            translation: machine.memory.translation.clone(),
            scope_of,
            free_calls,
            compiled: None,
        }
    }

    /// The same, with the execution of loops and functions timed by their object code where that can be matched.
    #[must_use]
    pub fn with_object_code(program: &Program, machine: &Machine, code: &ObjectCode) -> Self {
        let mut model = Self::new(program, machine);
        let compiled = CompiledCode::new(program, &model.scopes, code);
        for (block, free) in program.blocks.ids().zip(&mut model.free_calls) {
            *free |= compiled.has_call(program, block);
        }
        model.compiled = Some(Rc::new(compiled));
        model
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
        (!lacking.is_empty()).then(|| Diagnostic::note(&codes::ASSUMED_PROCESSOR, message).help(help))
    }

    /// Iterations and entries of a loop.
    pub(crate) fn loop_counters(&self, header: BlockId) -> [CounterId; 2] {
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

/// The diagnostic (C0522) of a machine that lacks figures of the model; `None` where it has all of them.
pub fn missing(machine: &Machine) -> Option<Diagnostic> {
    let lacks: Vec<String> = lacking(machine).iter().map(|(what, assumed)| format!("{what} ({assumed})")).collect();
    let message = format!("the machine `{}` has no {}", machine.name, lacks.join(" and no "));
    let help = "add the figures to a copy of the machine file, or use --cost-model instruction-sum";
    (!lacks.is_empty()).then(|| Diagnostic::warning(&codes::ASSUMED_PROCESSOR, message).help(help))
}
