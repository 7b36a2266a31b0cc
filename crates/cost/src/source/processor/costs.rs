//! What the model asks of a machine: cycles per class, and how the pipeline hides them.

use chronos_ir::{InstructionClass, ScalarType};
use chronos_machine::{Machine, Memory, Pipeline};
use std::collections::BTreeMap;

/// Bits of vectors whose instructions overwrite an operand, and take only aligned ones from memory.
pub const SSE: u32 = 128;

/// Latency and reciprocal throughput of the classes of one machine, in cycles.
#[derive(Clone, Debug)]
pub struct Costs {
    classes: BTreeMap<InstructionClass, (f64, f64)>,
    /// Reciprocal throughput of vector instructions of the preferred width; scalar ones for classes without.
    vectors: BTreeMap<InstructionClass, f64>,
    /// Cycles per load of a floating-point number of many: often served by fewer ports than integers.
    float_load: f64,
    /// Square roots and the like may have to set `errno`.
    pub(crate) math_errno: bool,
    /// How the processor hides latencies.
    pub pipeline: Pipeline,
    /// Nanoseconds per cycle.
    pub ns_per_cycle: f64,
    /// Cycles per operation of any class: the front end's width.
    pub issue: f64,
    pub vector_bits: u32,
    /// Of the widest vectors of the target: which instructions it has.
    pub widest_bits: u32,
    pub contract_fma: bool,
    /// A load that one operation uses is part of it.
    pub folds_loads: bool,
    pub reassociate: bool,
    /// Cycles per call of library functions.
    pub library: BTreeMap<String, f64>,
    /// Cycles per byte that library functions handle.
    pub(crate) library_bytes: BTreeMap<String, f64>,
    /// Bytes that are touched for the first time, and nanoseconds of each of their pages; the least first.
    page_faults: Vec<(f64, f64)>,
}

/// Of lines that accesses may cross; every processor of the library has these.
const LINE_BYTES: f64 = 64.0;

/// Bytes of the elements that were measured one by one.
const MEASURED_ELEMENT: f64 = 8.0;

impl Costs {
    /// The figures of a machine.
    pub fn new(machine: &Machine) -> Self {
        let classes: BTreeMap<_, _> = machine
            .classes
            .iter()
            .map(|(class, cost)| (*class, (cost.latency_cycles.0, cost.throughput_cycles.0)))
            .collect();
        let pipeline = machine.pipeline.clone().unwrap_or_default();
        let vector_bits = machine.rules.vector_bits.unwrap_or(128);
        let of_width = |class: InstructionClass, bits: u32| {
            machine.classes.get(&class)?.vector.get(&bits.to_string()).map(|cost| cost.throughput_cycles.0)
        };
        let vectors = classes.keys().filter_map(|&class| Some((class, of_width(class, vector_bits)?))).collect();
        let scalar_load = classes.get(&InstructionClass::Load).map_or(0.0, |cost| cost.1);
        let flag = |name: &str| machine.compiler.flags.iter().any(|flag| flag == name);
        Self {
            issue: 1.0 / pipeline.width,
            // Scalar floating-point loads use the ports of vector loads.
            float_load: of_width(InstructionClass::Load, 128).map_or(scalar_load, |cycles| cycles.max(scalar_load)),
            math_errno: !(flag("-ffast-math") || flag("-Ofast") || flag("-fno-math-errno")),
            vectors,
            classes,
            pipeline,
            ns_per_cycle: machine.ns_per_cycle.0,
            vector_bits,
            widest_bits: machine.rules.widest_bits.unwrap_or(vector_bits),
            contract_fma: machine.rules.contract_fma,
            folds_loads: machine.rules.folds_loads,
            reassociate: machine.rules.reassociate,
            library: machine.library.iter().map(|(name, cost)| (name.clone(), cost.cycles.0)).collect(),
            library_bytes: machine.library.iter().map(|(n, cost)| (n.clone(), cost.cycles_per_byte.0)).collect(),
            page_faults: page_faults(&machine.memory),
        }
    }

    /// Cycles that a floating-point sum waits longer for a result of another unit.
    pub fn bypass(&self) -> f64 {
        self.pipeline.bypass_cycles.map_or(0.0, |cycles| cycles.0)
    }

    /// Cycles from a comparison to the value that it chooses.
    pub fn select(&self) -> f64 {
        self.pipeline.select_cycles.map_or(self.latency(InstructionClass::IntAdd), |cycles| cycles.0)
    }

    /// What a load waits longer for an index than for an address.
    pub fn indexed_load(&self) -> f64 {
        self.pipeline.indexed_load_cycles.map_or(self.latency(InstructionClass::Address), |cycles| cycles.0)
    }

    /// Iterations that begin ahead of a sum in memory, where each has so many loads; without limit where that was not
    /// measured.
    pub fn forward_ahead(&self, loads: f64) -> f64 {
        let ahead = &self.pipeline.forward_ahead;
        let place = (loads.round().max(1.0) as usize).min(ahead.len());
        place.checked_sub(1).map_or(f64::INFINITY, |place| ahead[place])
    }

    /// Cycles of the front end that the taken branch of an iteration loses, whose operations take so many of them: it
    /// ends a group of operations early, so that no more is lost than the rest of a group (suite kernels of four to
    /// seven operations per iteration take one cycle on a processor that begins eight).
    pub(crate) fn lost_to_branch(&self, cycles: f64) -> f64 {
        // Fetch ends at a taken branch: the rest of the group is empty.
        let lost = self.pipeline.taken_branch_cycles.map_or(0.0, |cycles| cycles.0);
        if cycles.is_finite() { lost.min(cycles.ceil() - cycles) } else { 0.0 }
    }

    /// Cycles of a load that has to be executed again, because an earlier store went to the same place.
    pub fn reordered_load(&self) -> f64 {
        self.pipeline.reordered_load_cycles.map_or(0.0, |cycles| cycles.0)
    }

    /// Cycles of a product and a sum in one operation.
    pub fn fused(&self) -> f64 {
        self.pipeline.fused_cycles.map_or(self.latency(InstructionClass::FpMul), |cycles| cycles.0)
    }

    /// Cycles that a vector access at an unknown place takes longer on average, of one `bytes` per element: some
    /// cross the border of two lines.
    pub fn split(&self, class: InstructionClass, bytes: u64) -> f64 {
        let Some(cost) = self.pipeline.vector_split.get(&self.vector_bits.to_string()) else { return 0.0 };
        // An unaligned vector crosses a line with this probability.
        let crossing = f64::from(self.vector_bits / 8) - bytes as f64;
        let cycles = if class == InstructionClass::Store { cost.store_cycles } else { cost.load_cycles };
        (cycles.0 - self.busy(class, true).1).max(0.0) * (crossing / LINE_BYTES).clamp(0.0, 1.0)
    }

    /// Cycles per vector of elements of so many bytes that do not lie next to each other; `gathered`: by an
    /// instruction.
    pub fn elements(&self, class: InstructionClass, bytes: u64, gathered: bool) -> Option<f64> {
        let costs = if gathered { &self.pipeline.vector_gather } else { &self.pipeline.vector_elements };
        let cost = costs.get(&self.vector_bits.to_string())?;
        let cycles = if class == InstructionClass::Store { cost.store_cycles? } else { cost.load_cycles };
        Some(cycles.0 * (MEASURED_ELEMENT / bytes.max(1) as f64))
    }

    /// Cycles per element of a sum in order over vectors.
    pub fn ordered_sum(&self) -> f64 {
        let measured = self.pipeline.ordered_sum_cycles.get(&self.vector_bits.to_string());
        measured.map_or(self.latency(InstructionClass::FpAdd), |cycles| cycles.0)
    }

    /// Cycles until the result of an operation can be used; 0 for a class without a cost.
    pub fn latency(&self, class: InstructionClass) -> f64 {
        self.classes.get(&class).map_or(0.0, |&(latency, _)| latency)
    }

    /// Cycles per operation where operations are independent; 0 for a class without a cost.
    pub fn throughput(&self, class: InstructionClass) -> f64 {
        self.classes.get(&class).map_or(0.0, |&(_, throughput)| throughput)
    }

    /// Of an operation that is left in a loop: scalar, and as part of a vector.
    pub fn busy(&self, class: InstructionClass, float: bool) -> (f64, f64) {
        let scalar = match class {
            InstructionClass::Load if float => self.float_load,
            _ => self.throughput(class),
        };
        (scalar, self.vectors.get(&class).copied().unwrap_or(scalar))
    }

    /// The same from one iteration of a loop to the next, through an array or a pointer. `folded`: the load is part of
    /// another operation, which hides from processors that rename memory what comes from where.
    pub(crate) fn carrying(&self, float: bool, folded: bool) -> f64 {
        let pipeline = &self.pipeline;
        // Forwarding to a load at a moving address has no predictor of memory renaming.
        let (moving, still) = match (float, folded) {
            (true, _) => (pipeline.forward_moving_fp_cycles, pipeline.forward_fp_cycles),
            (false, true) => (pipeline.forward_folded_int_cycles, pipeline.forward_int_cycles),
            (false, false) => (None, pipeline.forward_int_cycles),
        };
        moving.unwrap_or(still).0
    }

    /// The same of an integer that one operation reads, changes and writes.
    pub(crate) fn updating(&self) -> f64 {
        self.pipeline.forward_update_int_cycles.unwrap_or(self.pipeline.forward_int_cycles).0
    }

    /// Cycles from two floating-point numbers to the greater one.
    pub fn extreme(&self, class: InstructionClass) -> f64 {
        self.pipeline.fp_max_cycles.map_or(self.latency(class), |cycles| cycles.0)
    }

    /// What the end of a loop of so many iterations costs an entry; `None` where that was not measured.
    pub fn exit(&self, iterations: f64, varying: bool) -> Option<f64> {
        let exits = self.pipeline.exits.iter().filter(|exit| exit.varying == varying);
        let mut known: Vec<(f64, f64)> = exits.map(|exit| (exit.iterations, exit.cycles.0)).collect();
        known.sort_by(|a, b| a.0.total_cmp(&b.0));
        between(&known, iterations, |length| length)
    }

    /// Nanoseconds of the first touch of a page where so many bytes are touched. The system clears pages before it
    /// gives them: the more they are, the fewer are in a cache.
    pub fn page_fault(&self, bytes: f64) -> f64 {
        between(&self.page_faults, bytes, f64::ln).unwrap_or(0.0)
    }

    /// From the store of a value to its use behind the load that brings it back.
    pub fn forwarding(&self, ty: ScalarType) -> f64 {
        if ty.is_float() { self.pipeline.forward_fp_cycles.0 } else { self.pipeline.forward_int_cycles.0 }
    }
}

fn page_faults(memory: &Memory) -> Vec<(f64, f64)> {
    if memory.page_faults.is_empty() {
        return memory.page_fault_ns.map(|ns| (1.0, ns.0)).into_iter().collect();
    }
    memory.page_faults.iter().map(|fault| (fault.bytes.0 as f64, fault.ns.0)).collect()
}

/// The value at `place` of what is known at rising places, in a straight line over `scale` from one to the next, the
/// same outside.
fn between(known: &[(f64, f64)], place: f64, scale: fn(f64) -> f64) -> Option<f64> {
    let above = known.partition_point(|&(at, _)| at < place);
    let (low, high) = (known.get(above.saturating_sub(1))?, known.get(above).or(known.last())?);
    let way = scale(high.0) - scale(low.0);
    let part = if way > 0.0 { ((scale(place) - scale(low.0)) / way).clamp(0.0, 1.0) } else { 0.0 };
    Some(low.1 + part * (high.1 - low.1))
}
