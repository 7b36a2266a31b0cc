//! What each variable is ever given and each function ever returns, without asking when: the ground for facts that
//! hold for a whole program.

use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_functions::{self as functions, Alignment, Extent, Param, Role};
use chronos_ir::{
    Arg, Base, BlockId, BlockKind, Call, Callee, Const, FuncId, Jump, OpKind, Operand, Place, Program, ScalarType,
    Step, ValueId, VarId,
};

/// What a variable is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Assigned {
    Constant(i64),
    Object(VarId),
    Variable(VarId),
    /// Memory that an allocator of the library made, at a multiple of so many bytes.
    Fresh {
        alignment: u64,
        call: Option<BlockId>,
    },
    /// What a function of the program returned.
    Returned(FuncId),
    Other,
}

/// Where `malloc` begins on the platforms of the library: at any multiple of this.
const LEAST_ALIGNMENT: u64 = 16;
const PAGE: u64 = 4096;

/// All that variables are given and functions return.
#[derive(Clone, Debug, Default)]
pub struct Assignments {
    pub variables: FxHashMap<VarId, Vec<Assigned>>,
    pub results: FxHashMap<FuncId, Vec<Assigned>>,
    /// What calls are given, by position.
    pub arguments: FxHashMap<BlockId, Vec<Assigned>>,
    /// Variables whose address `posix_memalign` was given. That nothing else writes them through it is not checked.
    pub(crate) by_address: FxHashSet<VarId>,
    /// Where calls of MPI put data, and where those functions of the library write that fill memory: somewhere in what
    /// is named.
    pub filled: FxHashMap<BlockId, Vec<Assigned>>,
}

/// What operations of a function make: exactly, and where of an address only the object is asked for.
#[derive(Default)]
struct Made {
    exact: FxHashMap<ValueId, Assigned>,
    somewhere: FxHashMap<ValueId, Assigned>,
}

impl Assignments {
    /// Linear in the size of the program.
    pub fn new(program: &Program) -> Self {
        let mut flow = Self::default();
        for (id, function) in program.functions.iter() {
            let mut values = Made::default();
            for block in function.blocks.0.0..function.blocks.1.0 {
                flow.block(program, id, BlockId(block), &mut values);
            }
        }
        flow
    }

    fn block(&mut self, program: &Program, function: FuncId, block: BlockId, values: &mut Made) {
        match &program.blocks[block].kind {
            BlockKind::Straight(straight) => {
                for op in &straight.ops {
                    match &op.kind {
                        OpKind::Write(place, operand) => {
                            if let (Base::Variable(v), true) = (&place.base, place.steps.is_empty()) {
                                self.variables.entry(*v).or_default().push(of(operand, &values.exact));
                            }
                        }
                        OpKind::Jump(Jump::Return(Some(Arg::Scalar(operand)))) => {
                            self.results.entry(function).or_default().push(of(operand, &values.exact));
                        }
                        kind => {
                            if let Some(dst) = op.dst {
                                values.exact.insert(dst, made(program, kind, &values.exact, constant_steps));
                                values.somewhere.insert(dst, made(program, kind, &values.somewhere, |_| true));
                            }
                        }
                    }
                }
            }
            BlockKind::Call(call) => self.call(program, block, call, values),
            BlockKind::Loop(_) | BlockKind::Branch(_) => {}
        }
    }

    fn call(&mut self, program: &Program, block: BlockId, call: &Call, values: &Made) {
        let one = |arg: &Arg| if let Arg::Scalar(operand) = arg { of(operand, &values.exact) } else { Assigned::Other };
        match &call.callee {
            Callee::Function(callee) => {
                for (parameter, arg) in program.functions[*callee].params.iter().zip(&call.args) {
                    self.variables.entry(*parameter).or_default().push(one(arg));
                }
            }
            Callee::Library(name) => self.library(block, name, call, values),
            Callee::Mpi(name) => {
                let received = functions::buffers(name).received;
                let places: Vec<usize> = received.iter().map(|buffer| buffer.0).collect();
                self.fill(block, &call.args, &places, values);
            }
            Callee::Indirect(_) => {}
        }
        let named = |arg: &Arg| match arg {
            Arg::Scalar(operand) => of(operand, &values.somewhere),
            Arg::Object(..) => Assigned::Other,
        };
        self.arguments.insert(block, call.args.iter().map(named).collect());
    }

    fn library(&mut self, block: BlockId, name: &str, call: &Call, values: &Made) {
        let Some(row) = functions::lookup(name) else { return };
        if let (Some(made), Some(slot)) = (row.allocation, row.position_of(Role::Fresh)) {
            if let Some(Arg::Scalar(operand)) = call.args.get(slot)
                && let Assigned::Object(variable) = of(operand, &values.exact)
            {
                let alignment = alignment(made.alignment, &call.args, &values.exact);
                let fresh = Assigned::Fresh { alignment, call: Some(block) };
                self.variables.entry(variable).or_default().push(fresh);
                self.by_address.insert(variable);
            }
            return;
        }
        let places: Vec<usize> = (0..row.params.len()).filter(|&at| fills(&row.params[at])).collect();
        if !places.is_empty() {
            self.fill(block, &call.args, &places, values);
        }
    }

    fn fill(&mut self, call: BlockId, args: &[Arg], places: &[usize], values: &Made) {
        let named = places.iter().filter_map(|&place| match args.get(place)? {
            Arg::Scalar(operand) => Some(of(operand, &values.somewhere)),
            Arg::Object(..) => None,
        });
        let named: Vec<Assigned> = named.collect();
        if !named.is_empty() {
            self.filled.insert(call, named);
        }
    }
}

/// `steps`: which ways from a base lead to what is given.
fn made(
    program: &Program,
    kind: &OpKind,
    values: &FxHashMap<ValueId, Assigned>,
    steps: fn(&Place) -> bool,
) -> Assigned {
    match kind {
        OpKind::Read(place) => match place.base {
            Base::Variable(v) if place.steps.is_empty() => Assigned::Variable(v),
            _ => Assigned::Other,
        },
        OpKind::Address(place) if steps(place) => match &place.base {
            Base::Variable(v) => Assigned::Object(*v),
            Base::Pointer(pointer) => match of(pointer, values) {
                Assigned::Constant(_) => Assigned::Other,
                inside => inside,
            },
        },
        OpKind::Convert(ScalarType::Pointer | ScalarType::I32 | ScalarType::I64, operand) | OpKind::Move(operand) => {
            of(operand, values)
        }
        OpKind::Call(leaf) => program.call(*leaf).map_or(Assigned::Other, |call| match &call.callee {
            Callee::Library(name) => match functions::allocation(name) {
                // What was there before is kept, or the address is stored elsewhere.
                Some(made) if made.returned => {
                    let alignment = alignment(made.alignment, &call.args, values);
                    Assigned::Fresh { alignment, call: Some(*leaf) }
                }
                _ => Assigned::Other,
            },
            Callee::Function(function) => Assigned::Returned(*function),
            _ => Assigned::Other,
        }),
        _ => Assigned::Other,
    }
}

/// Whether a function of the library fills what an argument points to: a range of bytes, or a string.
fn fills(param: &Param) -> bool {
    param.is_written() && matches!(param.extent, Extent::Bytes(_) | Extent::Text)
}

/// The alignment of what an allocator gives.
fn alignment(alignment: Alignment, args: &[Arg], values: &FxHashMap<ValueId, Assigned>) -> u64 {
    let Alignment::Argument(at) = alignment else {
        return if alignment == Alignment::Page { PAGE } else { LEAST_ALIGNMENT };
    };
    let Some(Arg::Scalar(operand)) = args.get(at) else { return LEAST_ALIGNMENT };
    match of(operand, values) {
        Assigned::Constant(bytes) => u64::try_from(bytes).unwrap_or(0).max(LEAST_ALIGNMENT),
        _ => LEAST_ALIGNMENT,
    }
}

fn constant_steps(place: &Place) -> bool {
    place.steps.iter().all(|step| match step {
        Step::Field { .. } => true,
        Step::Index { index, .. } => matches!(index, Operand::Const(_)),
    })
}

fn of(operand: &Operand, values: &FxHashMap<ValueId, Assigned>) -> Assigned {
    match operand {
        Operand::Value(value) => values.get(value).cloned().unwrap_or(Assigned::Other),
        Operand::Const(Const::Int(n, _)) => Assigned::Constant(*n),
        Operand::Const(Const::Address(v, 0)) => Assigned::Object(*v),
        Operand::Const(_) => Assigned::Other,
    }
}
