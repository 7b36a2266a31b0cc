//! The nodes that analyses speak of: variables, strings, allocations, values, results of functions.

use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_ir::{BlockId, BlockKind, Const, FuncId, Operand, Program, ScalarType, ValueId, VarId};
use chronos_values::Origin;

/// Numbers of nodes.
#[derive(Clone, Debug)]
pub struct Nodes {
    strings: u32,
    environment: u32,
    allocations: FxHashMap<BlockId, u32>,
    value_base: Vec<u32>,
    result_base: u32,
    pub count: usize,
}

impl Nodes {
    pub fn new(program: &Program) -> Self {
        let variables = small(program.variables.len());
        let mut next = variables + 2;
        let mut allocations = FxHashMap::default();
        for (block, node) in program.blocks.iter() {
            if matches!(node.kind, BlockKind::Call(_)) {
                allocations.insert(block, next);
                next += 1;
            }
        }
        let mut value_base = Vec::with_capacity(program.functions.len());
        for function in program.functions.values() {
            value_base.push(next);
            next += small(function.values.len());
        }
        let count = next as usize + program.functions.len();
        Self { strings: variables, environment: variables + 1, allocations, value_base, result_base: next, count }
    }

    #[expect(clippy::unused_self, reason = "how variables are numbered is the business of this table")]
    pub fn variable(&self, variable: VarId) -> u32 {
        variable.0
    }

    pub fn environment(&self) -> u32 {
        self.environment
    }

    pub fn allocation(&self, call: BlockId) -> u32 {
        self.allocations[&call]
    }

    pub fn value(&self, function: FuncId, value: ValueId) -> u32 {
        self.value_base[function.index()] + value.0
    }

    /// Whether a node is the value of an operation.
    pub(crate) fn is_value(&self, node: u32) -> bool {
        self.value_base.first().is_some_and(|&first| (first..self.result_base).contains(&node))
    }

    /// What the function returns.
    pub fn result(&self, function: FuncId) -> u32 {
        self.result_base + function.0
    }

    pub fn origin(&self, origin: Origin) -> u32 {
        match origin {
            Origin::Variable(variable) => self.variable(variable),
            Origin::Allocation(block) => self.allocations.get(&block).copied().unwrap_or(self.environment),
            Origin::String(_) => self.strings,
            Origin::Environment => self.environment,
        }
    }

    /// Origins other than strings, with their nodes.
    pub fn origins(&self) -> impl Iterator<Item = (u32, Origin)> + '_ {
        let variables = (0..self.strings).map(|node| (node, Origin::Variable(VarId(node))));
        let allocations = self.allocations.iter().map(|(&block, &node)| (node, Origin::Allocation(block)));
        variables.chain(allocations).chain(std::iter::once((self.environment, Origin::Environment)))
    }

    /// The storage that a constant is the address of.
    pub fn addressed(&self, constant: &Const) -> Option<u32> {
        match constant {
            Const::Address(variable, _) => Some(self.variable(*variable)),
            Const::Str(..) => Some(self.strings),
            _ => None,
        }
    }
}

/// The type of an operand of `function`.
pub fn operand_type(program: &Program, function: FuncId, operand: &Operand) -> ScalarType {
    match operand {
        Operand::Value(value) => program.functions[function].values[*value],
        Operand::Const(Const::Int(_, ty) | Const::Float(_, ty)) => *ty,
        Operand::Const(_) => ScalarType::Pointer,
    }
}

fn small(n: usize) -> u32 {
    u32::try_from(n).expect("programs hold fewer than 2^32 objects")
}
