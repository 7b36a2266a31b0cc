//! Bodies written by hand, on a memory of one array.

use crate::code::{Body, Counter, Home, LoopInfo, Op, Place, Slot, SlotInfo, Source, Step};
use crate::{Compiled, Generator, Host, Left, Page, Refused, Room, Scratch};
use chronos_ir::{BinaryOp, ScalarType};
use chronos_values::{ObjectId, Pointer, ReasonId, Value};
use std::sync::Arc;

/// An array of `double` in object 0.
struct Memory(Vec<Value>);

// SAFETY: the vector is not resized, and there are no tables of counters but the frame's own.
unsafe impl Host for Memory {
    fn page(&mut self, pointer: Pointer, ty: ScalarType, _writes: bool) -> Option<Page> {
        let fits = pointer.object == ObjectId(0) && ty == ScalarType::F64;
        let (elements, length) = (self.0.as_mut_ptr(), self.0.len() as u64);
        fits.then_some(Page { begin: 0, elements, length, moves: false })
    }

    fn counters(&mut self, _site: u32) -> *mut u64 {
        std::ptr::null_mut()
    }

    fn enters(&mut self, _inner: u32) -> bool {
        true
    }

    fn draw(&mut self, _source: u32, globals: &mut [Value]) -> Option<Value> {
        let drawn = globals[0].as_int()?;
        globals[0] = Value::Int((drawn + 1).min(5));
        (drawn < 5).then_some(Value::Float(10.0 * drawn as f64))
    }
}

const I: Source = Source::Slot(Slot(0));
const SUM: Source = Source::Slot(Slot(2));

fn count(number: u32) -> Counter {
    Counter { site: 0, number }
}

/// `for (; i < n; i++) sum += a[i];` from within its first iteration on. Counters: iterations, entries, body.
fn sum() -> Body {
    let slot = |number, variable| SlotInfo { home: Home::Register(number), variable };
    let (i, n, total, element, holds) = (Slot(0), Slot(1), Slot(2), Slot(3), Slot(4));
    let binary = |op, ty, to, a, b| Op::Binary { op, ty, to, a, b, noted: 0 };
    Body {
        slots: vec![slot(0, true), slot(1, true), slot(2, true), slot(3, false), slot(4, false)],
        ops: vec![
            Op::Count(count(2)),
            Op::Load { to: element, place: 0 },
            binary(BinaryOp::Add, ScalarType::F64, total, SUM, Source::Slot(element)),
            binary(BinaryOp::Add, ScalarType::I32, i, I, Source::Int(1)),
            binary(BinaryOp::Lt, ScalarType::I32, holds, I, Source::Slot(n)),
            Op::Test { condition: Source::Slot(holds), exit: 8 },
            Op::Iterate { inner: 0 },
            Op::Jump(0),
            Op::END,
        ],
        places: vec![Place {
            base: Source::Address(ObjectId(0), 0),
            offset: 0,
            steps: (0, 1),
            ty: Some(ScalarType::F64),
            bytes: 8,
        }],
        steps: vec![Step { index: I, stride: Source::Int(8) }],
        loops: vec![LoopInfo { counter: count(0), cost: 8, branches: 1, parent: None }],
        sites: 1,
        noted: 1,
        outcomes: 0,
        inner: 0,
    }
}

struct Ran {
    left: Left,
    registers: Vec<Value>,
    counts: Vec<u64>,
}

fn run(code: &Compiled, registers: &[Value], memory: &mut Memory, fuel: u64, branches: u64) -> Option<Ran> {
    let (mut registers, mut counts) = (registers.to_vec(), vec![0; 3]);
    let nothing = Value::Unknown(ReasonId(0));
    let room = Room { registers: &mut registers, globals: &mut [], counts: &mut counts, nothing, fuel, branches };
    let left = code.run(room, &mut Scratch::default(), memory)?;
    Some(Ran { left, registers, counts })
}

fn registers(n: i64) -> Vec<Value> {
    let nothing = Value::Unknown(ReasonId(0));
    vec![Value::Int(0), Value::Int(n), Value::Float(0.5), nothing, nothing]
}

fn compiled(body: Body, registers: &[Value]) -> Result<Compiled, Refused> {
    Generator::new().expect("a processor that cranelift knows").compile(Arc::new(body), registers, &[])
}

fn halves(count: usize) -> Memory {
    Memory((0..count).map(|i| Value::Float(i as f64 / 2.0)).collect())
}

#[test]
fn a_loop_gives_its_sum_and_its_counts() {
    let code = compiled(sum(), &registers(10)).expect("compiled");
    let ran = run(&code, &registers(10), &mut halves(10), 1000, 1000).expect("fits");
    assert_eq!((ran.left.at, ran.left.branches), (8, 990));
    assert_eq!(ran.registers[..3], [Value::Int(10), Value::Int(10), Value::Float(23.0)]);
    assert_eq!(ran.counts, [9, 0, 10]);
}

#[test]
fn numbers_are_drawn_until_the_host_has_none() {
    let mut body = sum();
    body.ops[1] = Op::Draw { source: 0, counter: count(1), ty: ScalarType::F64, to: Some(Slot(3)) };
    let code = compiled(body, &registers(10)).expect("compiled");
    let (mut registers, mut globals, mut counts) = (registers(10), [Value::Int(0)], vec![0; 3]);
    let nothing = Value::Unknown(ReasonId(0));
    let room = Room {
        registers: &mut registers,
        globals: &mut globals,
        counts: &mut counts,
        nothing,
        fuel: 1000,
        branches: 1000,
    };
    let left = code.run(room, &mut Scratch::default(), &mut halves(0)).expect("fits");
    assert_eq!((left.at, globals[0], counts[1]), (1, Value::Int(5), 5));
    assert_eq!(registers[..3], [Value::Int(5), Value::Int(10), Value::Float(100.5)]);
}

#[test]
fn it_is_left_in_front_of_what_is_not_known() {
    let code = compiled(sum(), &registers(10)).expect("compiled");
    let mut memory = halves(10);
    memory.0[4] = Value::Unknown(ReasonId(3));
    let ran = run(&code, &registers(10), &mut memory, 1000, 1000).expect("fits");
    assert_eq!(ran.left.at, 1);
    assert_eq!(ran.registers[..3], [Value::Int(4), Value::Int(10), Value::Float(3.5)]);
    let outside = run(&code, &registers(20), &mut halves(10), 1000, 1000).expect("fits");
    assert_eq!((outside.left.at, outside.registers[0]), (1, Value::Int(10)));
}

#[test]
fn it_is_left_when_its_fuel_or_its_branches_are_used_up() {
    let code = compiled(sum(), &registers(100)).expect("compiled");
    let short = run(&code, &registers(100), &mut halves(100), 20, 1000).expect("fits");
    assert_eq!((short.left.at, short.left.fuel, short.registers[0]), (6, 4, Value::Int(3)));
    let few = run(&code, &registers(100), &mut halves(100), 1000, 7).expect("fits");
    assert_eq!((few.left.at, few.left.branches, few.registers[0]), (6, 0, Value::Int(7)));
}

#[test]
fn it_does_not_run_on_values_of_other_kinds() {
    let code = compiled(sum(), &registers(10)).expect("compiled");
    let mut other = registers(10);
    other[2] = Value::Int(0);
    assert!(run(&code, &other, &mut halves(10), 1000, 1000).is_none());
    assert_eq!(compiled(sum(), &other).err(), Some(Refused::Mixed(Slot(2))));
    other[1] = Value::Unknown(ReasonId(0));
    assert_eq!(compiled(sum(), &other).err(), Some(Refused::Unfit(Slot(1))));
}

#[test]
fn an_overflow_is_noted_and_wraps_around() {
    let code = compiled(sum(), &registers(10)).expect("compiled");
    let mut start = registers(10);
    start[0] = Value::Int(i64::from(i32::MAX));
    let (mut registers, mut counts, mut scratch) = (start, vec![0; 3], Scratch::default());
    let nothing = Value::Unknown(ReasonId(0));
    let mut memory = Memory(vec![Value::Float(1.0); 4]);
    let room =
        Room { registers: &mut registers, globals: &mut [], counts: &mut counts, nothing, fuel: 99, branches: 99 };
    // The element is outside of the array: the sum of the index is not come to.
    let left = code.run(room, &mut scratch, &mut memory).expect("fits");
    assert_eq!((left.at, scratch.noted[0]), (1, 0));
    let mut body = sum();
    body.ops[1] = Op::Copy { to: Slot(3), from: Source::Real(1.0) };
    let code = compiled(body, &registers).expect("compiled");
    let room =
        Room { registers: &mut registers, globals: &mut [], counts: &mut counts, nothing, fuel: 16, branches: 99 };
    code.run(room, &mut scratch, &mut memory).expect("fits");
    assert_eq!(scratch.noted[0], 1);
    assert!(matches!(registers[0], Value::Int(n) if n < 0 && n > i64::from(i32::MIN)));
}
