//! What a generated nest does when it is run: only whether it ends soon, and without undefined
//! behaviour. Counts are gcov's business.

use crate::print::{ARRAYS, GLOBALS, TABLES};
use crate::tree::{Assign, Block, Expr, Function, Jump, Parameter, Run, Source, Stmt, Type};
use std::collections::BTreeMap;

/// Calls within calls.
const DEPTH: usize = 40;

/// Why a run is no test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It takes too many steps or calls.
    Endless,
    /// Overflow, division by zero, an index outside, an unknown name.
    Undefined,
}

type Done<T> = Result<T, Fault>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Value {
    ty: Type,
    number: i128,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Continue,
    Leave(Option<Value>),
}

#[derive(Default)]
struct Frame {
    cells: BTreeMap<String, Value>,
    /// What `*out` stands for: a frame and a name in it.
    outs: BTreeMap<String, (usize, String)>,
    /// What `r` points to.
    ranges: BTreeMap<String, String>,
}

/// The state of a program between runs of its nests.
pub struct Machine<'a> {
    functions: &'a [Function],
    globals: BTreeMap<String, Value>,
    arrays: BTreeMap<String, Vec<i128>>,
    frames: Vec<Frame>,
    fuel: u32,
}

/// Whether all runs of the source end within `fuel` steps each.
pub fn is_defined(source: &Source, fuel: u32) -> bool {
    let mut machine = Machine::new(&source.functions);
    source.runs.iter().all(|run| machine.run(run, fuel).is_ok())
}

impl<'a> Machine<'a> {
    pub fn new(functions: &'a [Function]) -> Self {
        let int = |&(name, number): &(&str, i64)| (name.to_owned(), Value { ty: Type::Int, number: number.into() });
        let tables = TABLES.iter().map(|(name, values)| ((*name).to_owned(), values.iter().map(|v| (*v).into()).collect()));
        let arrays = ARRAYS.iter().map(|(name, length)| ((*name).to_owned(), vec![0; *length]));
        Self {
            functions,
            globals: GLOBALS.iter().map(int).collect(),
            arrays: tables.chain(arrays).collect(),
            frames: Vec::new(),
            fuel: 0,
        }
    }

    /// The number of steps that the run takes.
    pub fn run(&mut self, run: &Run, fuel: u32) -> Done<u32> {
        self.fuel = fuel;
        self.frames.clear();
        for (name, number) in [("rank", run.rank), ("size", run.size)] {
            self.globals.insert(name.to_owned(), Value { ty: Type::Int, number: number.into() });
        }
        self.frames.push(Frame::default());
        self.call(&run.nest, &run.arguments)?;
        Ok(fuel - self.fuel)
    }

    fn step(&mut self) -> Done<()> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Fault::Endless)?;
        Ok(())
    }

    fn call(&mut self, name: &str, arguments: &[Expr]) -> Done<Option<Value>> {
        self.step()?;
        let functions = self.functions;
        let function = functions.iter().find(|function| function.name == name).ok_or(Fault::Undefined)?;
        let mut frame = Frame::default();
        for ((kind, name), argument) in function.parameters.iter().zip(arguments) {
            match (kind, argument) {
                (Parameter::Value(ty), value) => {
                    let value = self.value(value)?;
                    frame.cells.insert(name.clone(), convert(value, *ty));
                }
                (Parameter::Range, Expr::Address(of)) => drop(frame.ranges.insert(name.clone(), of.clone())),
                (Parameter::Out, Expr::Address(of)) => {
                    frame.outs.insert(name.clone(), (self.frames.len() - 1, of.clone()));
                }
                _ => return Err(Fault::Undefined),
            }
        }
        if self.frames.len() > DEPTH {
            return Err(Fault::Endless);
        }
        self.frames.push(frame);
        let flow = self.block(&function.body);
        self.frames.pop();
        Ok(if let Flow::Leave(value) = flow? { value.map(|value| convert(value, Type::Int)) } else { None })
    }

    fn block(&mut self, block: &Block) -> Done<Flow> {
        for stmt in block {
            let flow = self.stmt(stmt)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Done<Flow> {
        self.step()?;
        match stmt {
            Stmt::Declare(ty, name, value) => self.declare(*ty, name, value)?,
            Stmt::Assign(assign) => self.assign(assign)?,
            Stmt::Call(function, arguments) => drop(self.call(function, arguments)?),
            Stmt::If(arms, otherwise) => {
                for (condition, body) in arms {
                    if self.truth(condition)? {
                        return self.block(body);
                    }
                }
                return otherwise.as_ref().map_or(Ok(Flow::Next), |body| self.block(body));
            }
            Stmt::Switch(..) => return self.switch(stmt),
            Stmt::For { declares, init, condition, step, body } => {
                for (name, value) in init {
                    match declares {
                        Some(ty) => self.declare(*ty, name, value)?,
                        None => self.assign(&crate::tree::assign(name, "=", value.clone()))?,
                    }
                }
                return self.repeat(condition.as_ref(), step, body);
            }
            Stmt::While(condition, body) => return self.repeat(Some(condition), &[], body),
            Stmt::Do(body, condition) => {
                loop {
                    match self.block(body)? {
                        Flow::Break => break,
                        Flow::Leave(value) => return Ok(Flow::Leave(value)),
                        Flow::Next | Flow::Continue => {}
                    }
                    if !self.truth(condition)? {
                        break;
                    }
                }
            }
            Stmt::Again(_, body, condition) => loop {
                match self.block(body)? {
                    Flow::Next => {}
                    flow => return Ok(flow),
                }
                if !self.truth(condition)? {
                    break;
                }
            },
            Stmt::Jump(Jump::Break) => return Ok(Flow::Break),
            Stmt::Jump(Jump::Continue) => return Ok(Flow::Continue),
            Stmt::Jump(Jump::Done) | Stmt::Return(None) => return Ok(Flow::Leave(None)),
            Stmt::Return(Some(value)) => return Ok(Flow::Leave(Some(self.value(value)?))),
        }
        Ok(Flow::Next)
    }

    fn repeat(&mut self, condition: Option<&Expr>, step: &[Assign], body: &Block) -> Done<Flow> {
        while condition.map_or(Ok(true), |condition| self.truth(condition))? {
            self.step()?;
            match self.block(body)? {
                Flow::Break => break,
                Flow::Leave(value) => return Ok(Flow::Leave(value)),
                Flow::Next | Flow::Continue => {}
            }
            step.iter().try_for_each(|assign| self.assign(assign))?;
        }
        Ok(Flow::Next)
    }

    fn switch(&mut self, stmt: &Stmt) -> Done<Flow> {
        let Stmt::Switch(value, cases, default) = stmt else { return Err(Fault::Undefined) };
        let value = self.value(value)?.number;
        let first = cases.iter().position(|case| case.labels.iter().any(|label| i128::from(*label) == value));
        for case in &cases[first.unwrap_or(cases.len())..] {
            match self.block(&case.body)? {
                Flow::Next if case.breaks => return Ok(Flow::Next),
                Flow::Next => {}
                Flow::Break => return Ok(Flow::Next),
                flow => return Ok(flow),
            }
        }
        let flow = default.as_ref().map_or(Ok(Flow::Next), |body| self.block(body))?;
        Ok(if flow == Flow::Break { Flow::Next } else { flow })
    }

    fn declare(&mut self, ty: Type, name: &str, value: &Expr) -> Done<()> {
        let value = convert(self.value(value)?, ty);
        self.frames.last_mut().ok_or(Fault::Undefined)?.cells.insert(name.to_owned(), value);
        Ok(())
    }

    fn assign(&mut self, assign: &Assign) -> Done<()> {
        self.step()?;
        let mut value = self.value(&assign.value)?;
        let old = match &assign.target {
            // Never read.
            Expr::Name(name) if name == "sink" => return Ok(()),
            target => self.value(target)?,
        };
        if assign.op != "=" {
            value = operate(assign.op.trim_end_matches('='), old, value)?;
        }
        self.store(&assign.target, value)
    }

    fn store(&mut self, target: &Expr, value: Value) -> Done<()> {
        match target {
            Expr::Name(name) => {
                let cell = self.cell(name)?;
                *cell = convert(value, cell.ty);
            }
            Expr::Element(array, index) => {
                let index = usize::try_from(self.value(index)?.number).map_err(|_| Fault::Undefined)?;
                let array = self.arrays.get_mut(array).ok_or(Fault::Undefined)?;
                *array.get_mut(index).ok_or(Fault::Undefined)? = convert(value, Type::Int).number;
            }
            _ => return Err(Fault::Undefined),
        }
        Ok(())
    }

    fn cell(&mut self, name: &str) -> Done<&mut Value> {
        let frame = self.frames.last().ok_or(Fault::Undefined)?;
        if let Some(out) = name.strip_prefix('*') {
            let (frame, name) = frame.outs.get(out).ok_or(Fault::Undefined)?.clone();
            return self.frames[frame].cells.get_mut(&name).ok_or(Fault::Undefined);
        }
        if let Some((pointer, field)) = name.split_once("->") {
            let name = format!("{}.{field}", frame.ranges.get(pointer).ok_or(Fault::Undefined)?);
            return self.globals.get_mut(&name).ok_or(Fault::Undefined);
        }
        let frame = self.frames.last_mut().ok_or(Fault::Undefined)?;
        frame.cells.get_mut(name).or_else(|| self.globals.get_mut(name)).ok_or(Fault::Undefined)
    }

    fn truth(&mut self, expr: &Expr) -> Done<bool> {
        Ok(self.value(expr)?.number != 0)
    }

    fn value(&mut self, expr: &Expr) -> Done<Value> {
        match expr {
            Expr::Number(number) => Ok(int(i128::from(*number))),
            Expr::Name(name) => self.cell(name).copied(),
            Expr::Element(array, index) => {
                let index = usize::try_from(self.value(index)?.number).map_err(|_| Fault::Undefined)?;
                let array = self.arrays.get(array).ok_or(Fault::Undefined)?;
                array.get(index).map(|number| int(*number)).ok_or(Fault::Undefined)
            }
            Expr::Unary("!", inner) => Ok(truth(!self.truth(inner)?)),
            Expr::Unary(_, inner) => operate("-", int(0), self.value(inner)?),
            Expr::Binary("&&", left, right) => Ok(truth(self.truth(left)? && self.truth(right)?)),
            Expr::Binary("||", left, right) => Ok(truth(self.truth(left)? || self.truth(right)?)),
            Expr::Binary(op, left, right) => {
                let left = self.value(left)?;
                operate(op, left, self.value(right)?)
            }
            Expr::Conditional(parts) => {
                let arm = if self.truth(&parts[0])? { 1 } else { 2 };
                let value = self.value(&parts[arm])?;
                // The other arm's type counts too; its value need not be defined.
                Ok(self.value(&parts[3 - arm]).map_or(value, |other| convert(value, common(value.ty, other.ty))))
            }
            Expr::Call(function, arguments) => self.apply(function, arguments),
            Expr::Cast(ty, inner) => Ok(convert(self.value(inner)?, *ty)),
            Expr::Postfix(name, op) => {
                let old = *self.cell(name)?;
                let new = operate(&op[..1], old, int(1))?;
                self.store(&Expr::Name(name.clone()), new)?;
                Ok(old)
            }
            Expr::Address(_) => Err(Fault::Undefined),
        }
    }

    fn apply(&mut self, function: &str, arguments: &[Expr]) -> Done<Value> {
        let ("MIN" | "MAX" | "CEIL", [left, right]) = (function, arguments) else {
            return self.call(function, arguments)?.ok_or(Fault::Undefined);
        };
        let (a, b) = (self.value(left)?, self.value(right)?);
        if function == "CEIL" {
            return operate("/", operate("-", operate("+", a, b)?, int(1))?, b);
        }
        let is_less = operate("<", a, b)?.number != 0;
        Ok(convert(if is_less == (function == "MIN") { a } else { b }, common(a.ty, b.ty)))
    }
}

fn int(number: i128) -> Value {
    Value { ty: Type::Int, number }
}

fn truth(value: bool) -> Value {
    int(value.into())
}

/// C's conversion, as gcc does it.
fn convert(value: Value, ty: Type) -> Value {
    let wrapped = value.number.rem_euclid(1 << ty.bits());
    let is_negative = ty.is_signed() && wrapped >> (ty.bits() - 1) != 0;
    Value { ty, number: if is_negative { wrapped - (1 << ty.bits()) } else { wrapped } }
}

fn promoted(ty: Type) -> Type {
    if ty.bits() < 32 { Type::Int } else { ty }
}

fn common(left: Type, right: Type) -> Type {
    let order = |ty| match promoted(ty) {
        Type::UnsignedLong => 3,
        Type::Long => 2,
        Type::Unsigned => 1,
        _ => 0,
    };
    promoted(if order(left) >= order(right) { left } else { right })
}

fn operate(op: &str, left: Value, right: Value) -> Done<Value> {
    let ty = common(left.ty, right.ty);
    let (a, b) = (convert(left, ty).number, convert(right, ty).number);
    let is_division = matches!(op, "/" | "%");
    if op == "," {
        return Ok(right);
    }
    if is_division && b == 0 || matches!(op, "<<" | ">>") && !(0..31).contains(&right.number) {
        return Err(Fault::Undefined);
    }
    let number = match op {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        "%" => a % b,
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "<<" if left.number >= 0 => left.number << right.number,
        ">>" => left.number >> right.number,
        "<" => return Ok(truth(a < b)),
        "<=" => return Ok(truth(a <= b)),
        ">" => return Ok(truth(a > b)),
        ">=" => return Ok(truth(a >= b)),
        "==" => return Ok(truth(a == b)),
        "!=" => return Ok(truth(a != b)),
        _ => return Err(Fault::Undefined),
    };
    let ty = if matches!(op, "<<" | ">>") { promoted(left.ty) } else { ty };
    let result = convert(Value { ty, number }, ty);
    if ty.is_signed() && result.number != number { Err(Fault::Undefined) } else { Ok(result) }
}
