//! The model `instruction-sum`: the time of a block is the sum of the times of its instructions
//! (ChronosMix, formula 1).
//!
//! It knows no overlap: each operation adds what one operation of its class adds on average in code
//! that the machine's compiler translated with the machine's flags
//! ([`effective_cycles`](chronos_machine::ClassCost::effective_cycles)). Adequate without optimisation;
//! above that it gives the order of magnitude and the breakdown.

use super::classes::{self, Weight};
use super::{CostModel, EntryCost, Priced, codes, library};
use chronos_activity::{ContextId, Count, Segment};
use chronos_base::diag::{Diagnostic, Severity};
use chronos_base::units::Nanoseconds;
use chronos_functions::{self as functions, Class};
use chronos_ir::{Block, BlockId, BlockKind, Call, Callee, InstructionClass, Program};
use chronos_machine::Machine;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What one unit of a counter costs, by class; no class twice.
type ClassTimes = Vec<(InstructionClass, Nanoseconds)>;

/// A program priced for one machine, block by block.
#[derive(Clone, Debug)]
pub struct InstructionSum {
    /// The block of each counter.
    blocks: Vec<BlockId>,
    /// The cost of one unit of each counter.
    counters: Vec<ClassTimes>,
    /// The cost of a byte handled by the library call of a block; 0 for other blocks.
    per_byte: Vec<Nanoseconds>,
    /// Library functions that the machine does not name, with the first call of each.
    unpriced: BTreeMap<Arc<str>, BlockId>,
}

impl InstructionSum {
    /// Prices every block of `program` on `machine`; linear in the size of the program.
    pub fn new(program: &Program, machine: &Machine) -> Self {
        let counters = usize::try_from(program.counters).expect("counters fit");
        let mut model = Self {
            blocks: vec![BlockId(0); counters],
            counters: vec![ClassTimes::new(); counters],
            per_byte: vec![Nanoseconds::default(); program.blocks.len()],
            unpriced: BTreeMap::new(),
        };
        for (id, block) in program.blocks.iter() {
            for offset in 0..block.counters() {
                let counter = block.counter(offset).0 as usize;
                model.blocks[counter] = id;
                model.counters[counter] = unit_cost(program, machine, block, offset);
            }
            if let BlockKind::Call(Call { callee: callee @ Callee::Library(name), .. }) = &block.kind
                && !callee.states_assumption()
            {
                model.library_call(machine, id, name);
            }
        }
        model
    }

    fn library_call(&mut self, machine: &Machine, block: BlockId, name: &Arc<str>) {
        self.per_byte[block.0 as usize] = library::time(machine, name).1;
        // What ends the program is called once at most: nobody asks for its cost.
        if !library::is_priced(machine, name) && !functions::never_returns(name) {
            self.unpriced.entry(name.clone()).or_insert(block);
        }
    }

    /// What was assumed in place of figures that the machine does not give.
    pub fn diagnostics(&self, program: &Program, machine: &Machine) -> Vec<Diagnostic> {
        let is_blas = |name: &str| functions::lookup(name).is_some_and(|row| row.class == Class::LinearAlgebra);
        let (blas, others): (Vec<_>, Vec<_>) = self.unpriced.iter().partition(|(name, _)| is_blas(name));
        let (sorting, others): (Vec<_>, Vec<_>) = others.into_iter().partition(|(name, _)| library::sorts(name));
        let of_zen4 =
            "those of a Zen 4 are assumed, for each comparison that is made; calibrate the machine anew".to_owned();
        let cycles = machine.library_default_cycles.0;
        let short = format!(
            "{cycles} cycles per call are assumed, far too few for all but the smallest arguments: measure the BLAS where it is \
             (chronos calibrate --blas \"-lopenblas\" -o blas.json), then --library-costs blas.json"
        );
        let assumed = format!(
            "{cycles} cycles per call are assumed (`library_default_cycles`); add the functions to `library` in a machine file"
        );
        let told =
            [(Severity::Warning, blas, short), (Severity::Note, others, assumed), (Severity::Note, sorting, of_zen4)];
        let told = told.into_iter().filter(|(_, calls, _)| !calls.is_empty());
        told.map(|(severity, calls, help)| unpriced(program, machine, severity, &calls).help(help)).collect()
    }

    /// The cost of one execution of a counter's block, by class.
    pub fn unit(&self, counter: chronos_ir::CounterId) -> &[(InstructionClass, Nanoseconds)] {
        &self.counters[counter.0 as usize]
    }

    /// The cost of a byte that the library call of a block handles; 0 for other blocks.
    pub fn per_byte(&self, block: BlockId) -> Nanoseconds {
        self.per_byte[block.0 as usize]
    }
}

impl CostModel for InstructionSum {
    fn name(&self) -> &'static str {
        "instruction-sum"
    }

    fn price(&self, segment: &Segment, _reuse: &super::Reuse) -> Priced {
        let mut pricing = Pricing::default();
        for &(context, counter, count) in &segment.counts {
            pricing.add(context, self.blocks[counter.0 as usize], count, self.unit(counter));
        }
        for &(context, block, bytes) in &segment.volumes {
            let time = self.per_byte[block.0 as usize] * bytes;
            pricing.entry(context, block, &[(InstructionClass::Library, time)]);
        }
        pricing.finish()
    }
}

/// Library functions of which the machine has no cost, with a call of each.
fn unpriced(program: &Program, machine: &Machine, severity: Severity, calls: &[(&Arc<str>, &BlockId)]) -> Diagnostic {
    let names: Vec<&str> = calls.iter().map(|(name, _)| &***name).collect();
    let message = format!("the machine `{}` has no cost of {}", machine.name, names.join(", "));
    let told = Diagnostic::new(severity, &codes::UNPRICED_LIBRARY, message);
    let labels = calls.iter().map(|(name, block)| (program.blocks[**block].span, format!("`{name}`")));
    labels.fold(told, |told, (span, text)| told.label(span, text))
}

/// What one unit of the counter `[offset]` of a block costs.
fn unit_cost(program: &Program, machine: &Machine, block: &Block, offset: u32) -> ClassTimes {
    if let BlockKind::Call(call) = &block.kind {
        return call_cost(machine, call);
    }
    let weights = classes::of_counter(program, block, offset);
    let times = weights.iter().map(|&Weight(class, number)| (class, machine.class_time(class) * number));
    times.filter(|(_, time)| time.0 != 0.0).collect()
}

fn call_cost(machine: &Machine, call: &Call) -> ClassTimes {
    if call.callee.states_assumption() {
        return ClassTimes::default();
    }
    let (class, time) = match &call.callee {
        Callee::Function(_) | Callee::Indirect(_) => {
            (InstructionClass::Call, machine.class_time(InstructionClass::Call))
        }
        Callee::Library(name) => (InstructionClass::Library, library::time(machine, name).0),
        // What a team of threads costs beside its work is priced where its threads come together.
        Callee::Mpi(name) if chronos_ir::openmp::stops(name) => match library::time(machine, name).0 {
            Nanoseconds(0.0) => return ClassTimes::default(),
            time => (InstructionClass::Library, time),
        },
        Callee::Mpi(_) => (InstructionClass::Library, machine.mpi_local_time()),
    };
    let mut times = vec![(class, time)];
    let words = classes::words_passed(call);
    if words > 0.0 {
        times.push((InstructionClass::CopyWord, machine.class_time(InstructionClass::CopyWord) * words));
    }
    times
}

/// Sums up the entries of a segment. Counters of a block stand side by side within a context, so the
/// last entry is the only candidate for more of the same block.
#[derive(Default)]
struct Pricing {
    priced: Priced,
}

impl Pricing {
    fn add(&mut self, context: ContextId, block: BlockId, count: Count, unit: &[(InstructionClass, Nanoseconds)]) {
        match count.as_f64() {
            None => self.unknown(block),
            Some(times) => {
                let classes: ClassTimes = unit.iter().map(|&(class, time)| (class, time * times)).collect();
                self.entry(context, block, &classes);
            }
        }
    }

    fn unknown(&mut self, block: BlockId) {
        if self.priced.unknown.last() != Some(&block) {
            self.priced.unknown.push(block);
        }
    }

    fn entry(&mut self, context: ContextId, block: BlockId, classes: &[(InstructionClass, Nanoseconds)]) {
        let entries = &mut self.priced.entries;
        match entries.last_mut() {
            Some(last) if (last.context, last.block) == (context, block) => merge(last, classes),
            _ => {
                let mut entry = EntryCost { context, block, time: Nanoseconds::default(), classes: Vec::new() };
                merge(&mut entry, classes);
                entries.push(entry);
            }
        }
    }

    /// Volumes come after all counts: brings entries of the same block together.
    fn finish(self) -> Priced {
        let Priced { mut entries, mut unknown, rows } = self.priced;
        entries.sort_by_key(|entry| (entry.context, entry.block));
        entries.dedup_by(|later, earlier| {
            let same = (later.context, later.block) == (earlier.context, earlier.block);
            if same {
                merge(earlier, &later.classes);
            }
            same
        });
        unknown.sort_unstable();
        unknown.dedup();
        Priced { entries, unknown, rows }
    }
}

/// Adds costs to an entry; its time stays the sum of its classes.
fn merge(entry: &mut EntryCost, classes: &[(InstructionClass, Nanoseconds)]) {
    for &(class, time) in classes {
        match entry.classes.iter_mut().find(|(known, _)| *known == class) {
            Some((_, sum)) => *sum += time,
            None => entry.classes.push((class, time)),
        }
    }
    entry.time = entry.classes.iter().map(|&(_, time)| time).sum();
}
