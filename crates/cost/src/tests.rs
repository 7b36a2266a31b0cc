use super::{CostModel, InstructionSum, Reuse};
use chronos_activity::{ContextId, Count, CountSource, Segment};
use chronos_base::ids::Table;
use chronos_base::span::{FileId, Span};
use chronos_ir::op::{Base, Call, Callee, Const, Op, OpKind, Operand, Place, Step, Stride};
use chronos_ir::types::{Type, TypeId};
use chronos_ir::{
    BinaryOp, Block, BlockId, BlockKind, Condition, CounterId, Effects, FuncId, Function, Loop, LoopForm, Program,
    ScalarType, Storage, Straight, TargetId, ValueId, VarId, Variable,
};
use chronos_machine::Machine;
use std::fmt::Write;

const SPAN: Span = Span { file: FileId(0), line_start: 1, column_start: 1, line_end: 1, column_end: 1 };

fn variable(program: &mut Program, storage: Storage, address_taken: bool) -> VarId {
    let ty = TypeId(0);
    let function = Some(FuncId(0));
    let span = SPAN;
    let (init, undefined) = (None, false);
    program.variables.push(Variable { name: "v".into(), ty, storage, function, span, address_taken, init, undefined })
}

fn place(base: Base, indices: usize) -> Place {
    let index = Operand::Const(Const::Int(0, ScalarType::I64));
    let step = Step::Index { index, stride: Stride::Bytes(8), length: None };
    Place { base, steps: vec![step; indices], ty: TypeId(0), bits: None, volatile: false }
}

fn op(dst: Option<u32>, kind: OpKind) -> Op {
    Op { dst: dst.map(ValueId), kind, span: SPAN }
}

/// A program of one function, `double f`, that holds one loop around what `blocks` names:
/// block 0 is the loop, the others its body. All values are doubles.
fn program(body: Vec<BlockKind>) -> Program {
    let mut program = Program::default();
    program.types.types.push(Type::Scalar(ScalarType::F64));
    let region: Vec<BlockId> = (1..=body.len()).map(|i| BlockId(u32::try_from(i).expect("small"))).collect();
    let value = Operand::Value(ValueId(0));
    let condition = Some(Condition { region: Vec::new(), value });
    let head = Loop { form: LoopForm::For, target: TargetId(0), init: vec![], condition, body: region, step: vec![] };
    for kind in std::iter::once(BlockKind::Loop(head)).chain(body) {
        let first_counter = CounterId(program.counters);
        let block = Block { function: FuncId(0), parent: None, span: SPAN, kind, first_counter };
        program.counters += block.counters();
        program.blocks.push(block);
    }
    let last = program.blocks.next_id();
    program.functions.push(function((BlockId(0), last)));
    program
}

fn function(blocks: (BlockId, BlockId)) -> Function {
    let values: Table<ValueId, ScalarType> = std::iter::repeat_n(ScalarType::F64, 8).collect();
    Function {
        name: "f".into(),
        span: SPAN,
        is_static: false,
        unit: SPAN.file,
        result: TypeId(0),
        variadic: false,
        params: vec![],
        locals: vec![],
        values,
        body: vec![BlockId(0)],
        labels: Table::new(),
        targets: Table::new(),
        blocks,
        effects: Effects::default(),
    }
}

/// Number of classes charged per iteration and per entry of a loop without operations.
fn decisions(form: LoopForm, condition: bool) -> [usize; 2] {
    let mut program = program(vec![]);
    let mut block = program.blocks[BlockId(0)].clone();
    if let BlockKind::Loop(inner) = &mut block.kind {
        inner.form = form;
        inner.condition = inner.condition.take().filter(|_| condition);
    }
    program.blocks = std::iter::once(block).collect();
    [0, 1].map(|offset| super::classes::of_counter(&program, &program.blocks[BlockId(0)], offset).len())
}

#[test]
fn a_condition_at_the_begin_is_decided_once_more_per_entry() {
    assert_eq!(decisions(LoopForm::For, true), [1, 1]);
    assert_eq!(decisions(LoopForm::While, true), [1, 1]);
    assert_eq!(decisions(LoopForm::DoWhile, true), [1, 0]);
    assert_eq!(decisions(LoopForm::For, false), [1, 0]);
}

/// A machine on which each class and function costs a number of cycles of 2 ns that is easy to recognise.
fn machine() -> Machine {
    use chronos_ir::InstructionClass as C;
    let mut machine = Machine::load("pentium2-350").expect("embedded");
    machine.ns_per_cycle.0 = 2.0;
    let costs = [(C::LocalLoad, 1.0), (C::LocalStore, 10.0), (C::Load, 100.0), (C::Store, 1000.0)];
    let more = [(C::Address, 0.5), (C::FpMul, 7.0), (C::FpDiv, 70.0), (C::Branch, 3.0), (C::IntAdd, 11.0)];
    for (class, cycles) in costs.into_iter().chain(more) {
        machine.classes.get_mut(&class).expect("priced").effective_cycles.0 = cycles;
    }
    let copy = machine.library.get_mut("memcpy").expect("priced");
    (copy.cycles.0, copy.cycles_per_byte.0) = (20.0, 0.25);
    machine
}

/// Prices counts of `program` in one context, one line per block; checks that classes add up.
fn price(program: &Program, counts: &[(u32, Count)], volumes: &[(u32, f64)]) -> String {
    let context = ContextId(0);
    let segment = Segment {
        counts: counts.iter().map(|&(counter, count)| (context, CounterId(counter), count)).collect(),
        volumes: volumes.iter().map(|&(block, bytes)| (context, BlockId(block), bytes)).collect(),
        ..Segment::default()
    };
    let priced = InstructionSum::new(program, &machine()).price(&segment, &Reuse::default());
    let mut text = String::new();
    for entry in &priced.entries {
        let sum: f64 = entry.classes.iter().map(|(_, time)| time.0).sum();
        assert!((sum - entry.time.0).abs() <= 1e-12 * sum.abs(), "classes add up");
        let classes: Vec<_> =
            entry.classes.iter().map(|(class, time)| format!("{} {}", class.name(), time.0)).collect();
        writeln!(text, "{}: {} ns = {}", entry.block, entry.time.0, classes.join(" + ")).expect("string");
    }
    for block in &priced.unknown {
        writeln!(text, "{block}: unknown").expect("string");
    }
    text
}

#[test]
fn a_loop_of_loads_stores_and_arithmetic_adds_up_by_hand() {
    // s = a[i][j] * x; g = s / x, with locals s and x, a pointer a, a global g.
    let mut base = Program::default();
    let [s, x] = [(); 2].map(|()| variable(&mut base, Storage::Local, false));
    let g = variable(&mut base, Storage::Global, false);
    let value = |n| Operand::Value(ValueId(n));
    let ops = vec![
        op(Some(1), OpKind::Read(place(Base::Pointer(value(0)), 2))),
        op(Some(2), OpKind::Read(place(Base::Variable(x), 0))),
        op(Some(3), OpKind::Binary(BinaryOp::Mul, ScalarType::F64, value(1), value(2))),
        op(None, OpKind::Write(place(Base::Variable(s), 0), value(3))),
        op(Some(4), OpKind::Binary(BinaryOp::Div, ScalarType::F64, value(3), value(2))),
        op(None, OpKind::Write(place(Base::Variable(g), 0), value(4))),
    ];
    let mut program = program(vec![BlockKind::Straight(Straight { label: None, ops })]);
    program.variables = base.variables;
    let counts = [(0, Count::exact(10)), (1, Count::ONE), (2, Count::exact(10))];
    insta::assert_snapshot!(price(&program, &counts, &[]), @r"
    b0: 66 ns = branch 66
    b1: 23780 ns = fp_mul 140 + fp_div 1400 + load 2000 + store 20000 + local_load 20 + local_store 200 + address 20
    ");
}

#[test]
fn a_variable_whose_address_is_taken_is_memory() {
    let mut base = Program::default();
    let x = variable(&mut base, Storage::Local, true);
    let ops = vec![op(Some(1), OpKind::Read(place(Base::Variable(x), 0)))];
    let mut program = program(vec![BlockKind::Straight(Straight { label: None, ops })]);
    program.variables = base.variables;
    insta::assert_snapshot!(price(&program, &[(2, Count::ONE)], &[]), @"b1: 200 ns = load 200");
}

#[test]
fn library_calls_cost_by_name_and_volume() {
    let call =
        |name: &str| BlockKind::Call(Call { callee: Callee::Library(name.into()), args: vec![], result_place: None });
    let program = program(vec![call("memcpy"), call("nobody_knows")]);
    let counts = [(2, Count::exact(3)), (3, Count::exact(2))];
    insta::assert_snapshot!(price(&program, &counts, &[(1, 4000.0)]), @r"
    b1: 2120 ns = library 2120
    b2: 400 ns = library 400
    ");
}

#[test]
fn a_division_by_a_constant_is_shifts_or_a_product() {
    let divide = |n| {
        let by = Operand::Const(Const::Int(n, ScalarType::I32));
        let ops = vec![op(Some(1), OpKind::Binary(BinaryOp::Div, ScalarType::I32, Operand::Value(ValueId(0)), by))];
        price(&program(vec![BlockKind::Straight(Straight { label: None, ops })]), &[(2, Count::ONE)], &[])
    };
    insta::assert_snapshot!(divide(8), @"b1: 44 ns = int_add 44");
    insta::assert_snapshot!(divide(10), @"b1: 71 ns = int_add 66 + int_mul 5");
}

#[test]
fn expected_counts_weigh_and_unknown_ones_are_reported() {
    let program = program(vec![]);
    let half = Count::expected(0.5, CountSource::Assumed);
    insta::assert_snapshot!(price(&program, &[(0, half), (1, Count::UNKNOWN)], &[]), @r"
    b0: 3 ns = branch 3
    b0: unknown
    ");
}

#[test]
fn functions_without_a_cost_are_reported_once() {
    let call =
        |name: &str| BlockKind::Call(Call { callee: Callee::Library(name.into()), args: vec![], result_place: None });
    let program = program(vec![call("memcpy"), call("zeta"), call("zeta"), call("eta"), call("exit")]);
    let machine = machine();
    let found = InstructionSum::new(&program, &machine).diagnostics(&program, &machine);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "the machine `pentium2-350` has no cost of eta, zeta");
    assert_eq!(found[0].labels.len(), 2);
}
