//! What a loop computes and moves, and how much of both a processor can do at once: the roofline of a machine.
//!
//! The model is the cache-aware one (Ilic, Pratas, Sousa: Cache-aware Roofline model, IEEE Computer Architecture Letters 13,
//! 2014): bytes are those that the source reads and writes in memory, whatever level has them, so that a loop has one
//! intensity and each level a bandwidth. It knows no caches of a program: which level binds is the cost model's to say.

use super::classes;
use chronos_ir::op::{OpKind, Place};
use chronos_ir::{BlockId, BlockKind, InstructionClass, Program, Straight};
use chronos_machine::{ClassCost, Machine};

/// What one execution of straight code does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Operations on floating numbers.
    pub operations: f64,
    /// Bytes that are read and written in memory; local scalars are in registers.
    pub bytes: f64,
}

/// Bounds of what one processor does in a second.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceilings {
    /// Operations on floating numbers, in the widest vectors that the machine file has figures of.
    pub operations_per_s: f64,
    /// Bytes by level of memory, nearest first.
    pub bytes_per_s: Vec<(String, f64)>,
}

/// Classes whose operations are counted; those of the other precision take no more than these.
const FLOATING: [InstructionClass; 7] = [
    InstructionClass::FpAdd,
    InstructionClass::FpMul,
    InstructionClass::FpDiv,
    InstructionClass::FpSqrt,
    InstructionClass::FpAdd32,
    InstructionClass::FpMul32,
    InstructionClass::FpDiv32,
];

/// What one execution of a block does; nothing where it is no straight code.
pub fn work(program: &Program, id: BlockId) -> Work {
    let block = &program.blocks[id];
    let BlockKind::Straight(straight) = &block.kind else { return Work::default() };
    let weights = classes::of_counter(program, block, 0);
    let operations = weights.iter().filter(|weight| FLOATING.contains(&weight.0)).map(|weight| weight.1).sum();
    Work { operations, bytes: bytes(program, straight) }
}

fn bytes(program: &Program, straight: &Straight) -> f64 {
    let moved = |place: &Place| match classes::is_register(program, place) {
        true => 0,
        false => program.types.size(place.ty, program.model),
    };
    let of_op = |kind: &OpKind| match kind {
        OpKind::Read(place) | OpKind::Write(place, _) => moved(place),
        OpKind::Copy { bytes, .. } => 2 * bytes,
        OpKind::Zero { bytes, .. } => *bytes,
        _ => 0,
    };
    straight.ops.iter().map(|op| of_op(&op.kind) as f64).sum()
}

/// The bounds of a machine; `None` where its file has no times of memory.
pub fn ceilings(machine: &Machine) -> Option<Ceilings> {
    let per_second = |cycles: f64| 1e9 / (cycles * machine.ns_per_cycle.0);
    // A sum and a product at once: they have units of their own, and where one unit does both it does so in one operation.
    let floating = [InstructionClass::FpAdd, InstructionClass::FpMul];
    let operations = floating.iter().filter_map(|class| Some(lanes_per_cycle(machine.classes.get(class)?)));
    let operations: f64 = operations.sum();
    let loads = lanes_per_cycle(machine.classes.get(&InstructionClass::Load)?) * LANE_BYTES;
    let levels = machine.memory.levels.iter().enumerate().filter_map(|(at, level)| {
        let line = level.ns_per_line_read.map(|time| level.line_bytes.0 as f64 * 1e9 / time.0);
        // The first level gives what loads ask for: its lines are asked for one by one. So does any other that could give more.
        let asked = loads * per_second(1.0);
        let rate = if at == 0 { Some(asked) } else { line.map(|line| line.min(asked)) };
        Some((level.name.clone(), rate.filter(|rate| rate.is_finite() && *rate > 0.0)?))
    });
    let bytes_per_s: Vec<(String, f64)> = levels.collect();
    let operations_per_s = operations * per_second(1.0);
    (!bytes_per_s.is_empty() && operations_per_s > 0.0).then_some(Ceilings { operations_per_s, bytes_per_s })
}

/// A number in double precision.
const LANE_BYTES: f64 = 8.0;

/// Numbers in double precision that are handled in a cycle, by the width that does most.
fn lanes_per_cycle(class: &ClassCost) -> f64 {
    let widths = class.vector.iter().filter_map(|(bits, cost)| {
        let lanes = bits.parse::<f64>().ok()? / (8.0 * LANE_BYTES);
        Some(lanes / cost.throughput_cycles.0)
    });
    widths.chain([1.0 / class.throughput_cycles.0]).filter(|rate| rate.is_finite()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tests::program;

    #[test]
    fn a_loop_body_has_its_operations_and_bytes() {
        let text = "double a[100]; float b[100]; double s;
            void f(int n) { for (int i = 0; i < n; i++) a[i] = a[i] * s + b[i]; }
            int main(void) { f(100); return 0; }";
        let program = program(text);
        let all: Vec<Work> =
            program.blocks.ids().map(|id| work(&program, id)).filter(|work| work.operations > 0.0).collect();
        // Two loads of eight bytes, one of four, and a store: the scale of the sum is a global.
        assert_eq!(all, [Work { operations: 2.0, bytes: 28.0 }]);
    }

    #[test]
    fn bounds_are_those_of_the_widest_vectors() {
        let machine = Machine::load("epyc-zen4-gcc12-O2").expect("a shipped file");
        let ceilings = ceilings(&machine).expect("it has times of memory");
        let class = |class| &machine.classes[&class];
        let pairs = |of: &ClassCost| 2.0 / of.vector["128"].throughput_cycles.0;
        let expected = (pairs(class(InstructionClass::FpAdd)) + pairs(class(InstructionClass::FpMul))) * 1e9
            / machine.ns_per_cycle.0;
        assert!((ceilings.operations_per_s / expected - 1.0).abs() < 1e-9, "{ceilings:?} {expected}");
        let names: Vec<&str> = ceilings.bytes_per_s.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["L1", "L2", "L3", "memory"]);
        assert!(ceilings.bytes_per_s.windows(2).all(|pair| pair[0].1 >= pair[1].1), "{ceilings:?}");
    }
}
