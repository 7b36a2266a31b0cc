//! A small program by hand, printed, and broken in one place at a time.

use super::verify;
use crate::block::{Arm, ArmLabel, Block, BlockKind, Branch, BranchKind, Condition, Loop, LoopForm, Straight};
use crate::op::{Arg, Base, BinaryOp, Call, Callee, Const, Jump, Op, OpKind, Operand, Place};
use crate::types::{ScalarType, Type, TypeId};
use crate::{
    BlockId, CounterId, Effects, FuncId, Function, Program, Storage, TargetId, ValueId, VarId, Variable, print,
};
use chronos_base::span::{FileId, SourceFiles, Span};
use std::sync::Arc;

const INT: TypeId = TypeId(0);
const I: VarId = VarId(0);

fn span(line: u32) -> Span {
    Span::line(FileId(0), line)
}

fn int(value: i64) -> Operand {
    Operand::Const(Const::Int(value, ScalarType::I32))
}

fn value(id: u32) -> Operand {
    Operand::Value(ValueId(id))
}

fn variable_i() -> Place {
    Place { base: Base::Variable(I), steps: Vec::new(), ty: INT, bits: None, volatile: false }
}

fn op(dst: Option<u32>, kind: OpKind, line: u32) -> Op {
    Op { dst: dst.map(ValueId), kind, span: span(line) }
}

fn straight(ops: Vec<Op>) -> BlockKind {
    BlockKind::Straight(Straight { label: None, ops })
}

/// `int main() { int i; for (i = 0; i < 10; i++) { if (i) MPI_Barrier(1); } return 0; }`
fn sample() -> Program {
    let mut program = Program::default();
    let mut files = SourceFiles::default();
    files.intern("a.c", || None);
    program.files = Arc::new(files);
    program.types.types.push(Type::Scalar(ScalarType::I32));
    program.variables.push(Variable {
        name: "i".into(),
        ty: INT,
        storage: Storage::Local,
        function: Some(FuncId(0)),
        span: span(1),
        address_taken: false,
        init: None,
        undefined: false,
    });
    for (kind, parent, line) in blocks() {
        let first_counter = CounterId(program.counters);
        let block = Block { function: FuncId(0), parent: parent.map(BlockId), span: span(line), kind, first_counter };
        program.counters += block.counters();
        program.blocks.push(block);
    }
    program.main = Some(program.functions.push(main_function()));
    program
}

fn blocks() -> Vec<(BlockKind, Option<u32>, u32)> {
    let read = |dst, line| op(Some(dst), OpKind::Read(variable_i()), line);
    let less = OpKind::Binary(BinaryOp::Lt, ScalarType::I32, value(0), int(10));
    let node = Loop {
        form: LoopForm::For,
        target: TargetId(0),
        init: vec![BlockId(1)],
        condition: Some(Condition { region: vec![BlockId(2)], value: value(1) }),
        body: vec![BlockId(3), BlockId(4)],
        step: vec![BlockId(7)],
    };
    let arm = Arm { labels: vec![ArmLabel::True], region: vec![BlockId(5)], value: None, falls_through: false };
    let branch = Branch { kind: BranchKind::If, condition: value(2), arms: vec![arm], result: None, target: None };
    let call = Call { callee: Callee::Mpi("MPI_Barrier".into()), args: vec![Arg::Scalar(int(1))], result_place: None };
    let add = OpKind::Binary(BinaryOp::Add, ScalarType::I32, value(4), int(1));
    vec![
        (BlockKind::Loop(node), None, 2),
        (straight(vec![op(None, OpKind::Write(variable_i(), int(0)), 2)]), Some(0), 2),
        (straight(vec![read(0, 2), op(Some(1), less, 2)]), Some(0), 2),
        (straight(vec![read(2, 3)]), Some(0), 3),
        (BlockKind::Branch(branch), Some(0), 3),
        (straight(vec![op(Some(3), OpKind::Call(BlockId(6)), 3)]), Some(4), 3),
        (BlockKind::Call(call), Some(4), 3),
        (
            straight(vec![read(4, 2), op(Some(5), add, 2), op(None, OpKind::Write(variable_i(), value(5)), 2)]),
            Some(0),
            2,
        ),
        (straight(vec![op(None, OpKind::Jump(Jump::Return(Some(Arg::Scalar(int(0))))), 5)]), None, 5),
    ]
}

fn main_function() -> Function {
    Function {
        name: "main".into(),
        span: span(1),
        is_static: false,
        unit: span(1).file,
        result: INT,
        variadic: false,
        params: Vec::new(),
        locals: vec![I],
        values: (0..6).map(|_| ScalarType::I32).collect(),
        body: vec![BlockId(0), BlockId(8)],
        labels: Default::default(),
        targets: std::iter::once(BlockId(0)).collect(),
        blocks: (BlockId(0), BlockId(9)),
        effects: Effects { reaches_mpi: true, ..Effects::default() },
    }
}

fn broken(change: impl FnOnce(&mut Program)) -> String {
    let mut program = sample();
    change(&mut program);
    verify(&program).join("\n")
}

fn ops(program: &mut Program, block: u32) -> &mut Vec<Op> {
    match &mut program.blocks[BlockId(block)].kind {
        BlockKind::Straight(straight) => &mut straight.ops,
        other => panic!("{other:?} is not straight"),
    }
}

#[test]
fn a_sound_program_breaks_no_promise() {
    assert_eq!(broken(|_| ()), "");
}

#[test]
fn the_textual_form_is_readable() {
    insta::assert_snapshot!(print::program(&sample()), @"
    function f0 main() -> i32 reaches-mpi  ; a.c:1
      local v0 i: i32
      b0 loop for T0  ; c0, a.c:2
        init:
          b1 straight  ; c2, a.c:2
            write v0:i: i32, 0:i32  ; 2
        condition %1:
          b2 straight  ; c3, a.c:2
            %0:i32 = read v0:i: i32  ; 2
            %1:i32 = lt i32 %0, 10:i32  ; 2
        body:
          b3 straight  ; c4, a.c:3
            %2:i32 = read v0:i: i32  ; 3
          b4 branch if %2  ; c5, a.c:3
            true:
              b5 straight  ; c7, a.c:3
                %3:i32 = call b6  ; 3
                  b6 call mpi MPI_Barrier(1:i32)  ; c8, a.c:3
        step:
          b7 straight  ; c9, a.c:2
            %4:i32 = read v0:i: i32  ; 2
            %5:i32 = add i32 %4, 1:i32  ; 2
            write v0:i: i32, %5  ; 2
      b8 straight  ; c10, a.c:5
        return 0:i32  ; 5
    ");
}

#[test]
fn each_broken_promise_is_named() {
    let check = |found: String, expected: &str| assert!(found.contains(expected), "{found}");
    check(broken(|p| p.counters += 1), "the program says 12 counters and has 11");
    check(broken(|p| p.blocks[BlockId(3)].first_counter.0 = 9), "b3 has its counters at c9, not at c4");
    check(broken(|p| p.blocks[BlockId(5)].parent = None), "b5 says parent None, the tree Some(b4)");
    check(broken(|p| p.functions[FuncId(0)].body.swap(0, 1)), "b8 stands where preorder has b0");
    check(broken(|p| p.functions[FuncId(0)].body.push(BlockId(99))), "b99 in a region of f0 does not exist");
    check(broken(|p| p.blocks[BlockId(1)].span.file = FileId(7)), "b1 lies in the unknown file7");
    let again = op(None, OpKind::Jump(Jump::Break(TargetId(0))), 5);
    check(broken(|p| ops(p, 3).insert(0, again.clone())), "b3 goes on behind a jump");
    check(broken(|p| ops(p, 8)[0] = again), "b8 jumps to what is not there or not around it");
    check(broken(|p| ops(p, 5).push(op(None, OpKind::Zero { to: variable_i(), bytes: 4 }, 3))), "b5 goes on behind b6");
    check(broken(|p| ops(p, 7).remove(0).dst = None), "%4 is used and not defined");
    check(broken(|p| ops(p, 7)[0].dst = Some(ValueId(0))), "%0 is defined twice");
    check(broken(|p| ops(p, 8)[0].kind = OpKind::Write(variable_i(), value(3))), "%3 is used and not defined on every");
    check(broken(|p| p.functions[FuncId(0)].values[ValueId(5)] = ScalarType::F64), "b7: Binary(Add");
    check(broken(|p| p.functions[FuncId(0)].targets[TargetId(0)] = BlockId(4)), "b4 of f0 is not what T0 names");
    check(broken(|p| p.variables[I].ty = TypeId(3)), "v0 (i) has the unknown type t3");
}
