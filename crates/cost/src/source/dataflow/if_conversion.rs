//! Branches of an iteration: if-conversion (Allen, Kennedy, Porterfield and Warren, POPL 1983), and what is known where
//! the arms meet.

use crate::source::address::place::ValueNumber;
use crate::source::dataflow::build::{ArmEnd, Builder};
use crate::source::dataflow::graph::{Access, Node, Value};
use crate::source::dataflow::opcode::{Opcode, Operation};
use chronos_base::hash::FxHashMap;
use chronos_base::span::Span;
use chronos_ir::{BinaryOp, BlockId, Branch, BranchKind, InstructionClass, Unit, ValueId, VarId};
use std::collections::BTreeSet;

/// Vectors of so many bits have masks that any condition sets.
const MASKED: u32 = 512;

impl Builder<'_> {
    pub(super) fn branch(&mut self, at: BlockId, branch: &Branch) {
        let condition = self.operand(&branch.condition);
        let (first, roots) = (self.graph.nodes.len(), self.graph.roots.len());
        // What was irregular before says nothing of the arms.
        let was_irregular = std::mem::take(&mut self.graph.irregular);
        let accesses = self.graph.accesses.len();
        // Both arms begin with what is known before the branch.
        let before = (self.env.clone(), self.memory.clone());
        let mut ends = Vec::new();
        for arm in &branch.arms {
            (self.env, self.memory) = before.clone();
            self.guards += 1;
            self.region(&arm.region);
            let value = arm.value.as_ref().map(|value| self.operand(value));
            self.guards -= 1;
            ends.push((std::mem::take(&mut self.env), std::mem::take(&mut self.memory), value));
        }
        // A missing arm leaves everything as it was.
        if branch.arms.len() < 2 || branch.kind == BranchKind::Switch {
            ends.push((before.0.clone(), before.1.clone(), None));
        }
        self.block = at;
        let jumps = std::mem::replace(&mut self.graph.irregular, was_irregular);
        self.graph.irregular |= jumps;
        let sunk = self.common_store(branch, accesses, roots);
        // Stores in an arm need masks, or a compiler that sinks them behind the branch.
        let harmless = self.setting.masks || self.branchless || self.graph.roots.len() == roots;
        let converts = harmless && self.converts(branch, first, jumps) && self.is_cheap(first, &ends);
        // Where the branch stays, its stores stay in the arms.
        if let Some(stores) = sunk.as_ref().filter(|_| !converts) {
            self.graph.roots.extend(stores.iter().map(|store| store.node));
            self.graph.accesses.extend(stores.iter().cloned());
        }
        let roots = self.graph.roots.len();
        // A branch that stays needs its condition, and forbids vectors.
        if !converts {
            self.graph.irregular = true;
            self.graph.roots.push(condition.node);
        }
        self.join(condition.node, converts, branch.result, &ends);
        if self.graph.roots.len() > roots {
            self.graph.choices.push((at, condition.node));
        }
        if converts {
            self.graph.converted.push(condition.node);
        }
        if converts && self.setting.masks {
            // The mask.
            self.graph.roots.push(condition.node);
        }
        if let Some([one, other]) = sunk.filter(|_| converts) {
            self.sink(condition.node, &one, &other);
        }
    }

    /// Whether the compiler finds all arms cheap enough to execute them all. `first`: their first node.
    fn is_cheap(&self, first: usize, ends: &[ArmEnd]) -> bool {
        let Some(most) = self.setting.profile.converted_operations else { return true };
        if self.setting.flat || self.branchless {
            return true;
        }
        // GCC compares the cost of the arms with that of a branch (max_noce_ifcvt_seq_cost); the profile holds what comes of it.
        let arms = &self.graph.nodes.as_slice()[first..];
        let program = self.setting.program;
        let branch = program.blocks[self.block].span;
        let begin = |span: Span| (span.line_start, span.column_start);
        // A variable of the arm alone needs no selection.
        let outlives = |variable: &VarId| {
            let span = program.variables[*variable].span;
            span.file != branch.file || begin(span) <= begin(branch) || span.line_end > branch.line_end
        };
        let differs = |variable: &&VarId| {
            let nodes: BTreeSet<_> = ends.iter().map(|(env, ..)| env.get(variable).map(|value| value.node)).collect();
            outlives(variable) && nodes.len() > 1
        };
        let chosen: BTreeSet<VarId> = ends.iter().flat_map(|(env, ..)| env.keys()).filter(differs).copied().collect();
        let count = |wanted: fn(InstructionClass) -> bool| {
            arms.iter().filter_map(|node| node.class).filter(|c| wanted(*c)).count()
        };
        let operations = count(|class| class == InstructionClass::IntAdd);
        let products = count(|class| class == InstructionClass::IntMul);
        products == 0 && operations <= if chosen.len() > 1 { 0 } else { most }
    }

    /// The stores of two arms that go to the same place and are all that both must do; taken out of the graph.
    /// `accesses` and `roots`: how many there were before the arms.
    fn common_store(&mut self, branch: &Branch, accesses: usize, roots: usize) -> Option<[Access; 2]> {
        let stores: Vec<&Access> = self.graph.accesses[accesses..].iter().filter(|access| access.store).collect();
        // LLVM sinks a common store and selects its value (SimplifyCFG).
        let [one, other] = stores[..] else { return None };
        let same = one.address == other.address && self.graph.roots[roots..] == [one.node, other.node];
        if !same || !self.setting.profile.sinks_stores || branch.arms.len() != 2 || branch.kind == BranchKind::Switch {
            return None;
        }
        let found = [one.clone(), other.clone()];
        self.graph.roots.truncate(roots);
        self.graph.accesses.retain(|access| !found.iter().any(|store| store.node == access.node));
        Some(found)
    }

    /// One store of what is chosen.
    fn sink(&mut self, condition: ValueNumber, one: &Access, other: &Access) {
        let stored = |access: &Access| self.graph.nodes[access.node].operands.clone();
        let (mut operands, second) = (stored(one), stored(other));
        let value = self.select(condition, true, vec![operands[0], second[0]]);
        operands[0] = value.node;
        let latency = self.setting.costs.throughput(InstructionClass::Store);
        let node = self.opaque(operands, Some(InstructionClass::Store), latency).node;
        self.graph.roots.push(node);
        let access = Access { node, block: None, ..one.clone() };
        self.memory.push((access.clone(), value));
        self.graph.accesses.push(access);
    }

    /// After the arms: what they agree on stays known, what differs is selected.
    pub(super) fn join(&mut self, condition: ValueNumber, converts: bool, result: Option<ValueId>, ends: &[ArmEnd]) {
        let variables: BTreeSet<VarId> = ends.iter().flat_map(|(env, ..)| env.keys().copied()).collect();
        let mut env = FxHashMap::default();
        for variable in variables {
            let all: Vec<Value> = ends
                .iter()
                .map(|(end, ..)| end.get(&variable).cloned().unwrap_or_else(|| self.entry(variable)))
                .collect();
            let joined = if all.iter().all(|value| value.node == all[0].node) {
                all[0].clone()
            } else {
                self.select(condition, converts, all.iter().map(|value| value.node).collect())
            };
            env.insert(variable, joined);
        }
        self.env = env;
        // A fact of memory survives where all arms agree on it.
        let known_everywhere = |(access, value): &(Access, Value)| {
            ends.iter()
                .all(|(_, memory, _)| memory.iter().any(|(a, v)| a.address == access.address && v.node == value.node))
        };
        self.memory = ends[0].1.iter().filter(|known| known_everywhere(known)).cloned().collect();
        if let Some(result) = result {
            let nodes = ends.iter().filter_map(|(_, _, value)| value.as_ref().map(|value| value.node)).collect();
            let value = self.select(condition, converts, nodes);
            self.values.insert(result, value);
        }
    }

    pub(super) fn select(&mut self, condition: ValueNumber, converts: bool, mut operands: Vec<ValueNumber>) -> Value {
        // minsd and maxsd choose by themselves.
        if let Some(extreme) = self.extreme(condition, &operands) {
            return extreme;
        }
        let selects = self.setting.masks || !self.is_float(&operands) || self.selects_floats(condition);
        if converts && selects {
            // `if (c) n += x` adds x or 0: what is chosen is not in the recurrence of n.
            let waits = !self.is_step(&operands);
            operands.push(condition);
            if !waits {
                let opcode = Opcode::Operation(Operation::Select);
                return self.make(Some(InstructionClass::IntAdd), 0.0, opcode, operands);
            }
            let opcode = Opcode::Operation(Operation::Select);
            return self.make(Some(InstructionClass::IntAdd), self.setting.costs.select(), opcode, operands);
        }
        // A branch is predicted: what is chosen does not wait for the condition.
        // Control dependence in place of data dependence.
        self.graph.irregular = true;
        self.graph.roots.push(condition);
        self.opaque(operands, None, 0.0)
    }

    /// Whether a choice of floating-point numbers makes a mask: of what was compared, where there are no others.
    fn selects_floats(&self, condition: ValueNumber) -> bool {
        let compares = self.graph.nodes[condition].opcode.is_of_vector_floats();
        self.setting.profile.selects_floats && (compares || self.setting.costs.widest_bits >= MASKED)
    }

    /// Whether arms hold nothing but a few operations that may be executed without need: nodes from `first` on.
    pub(super) fn converts(&self, branch: &Branch, first: usize, jumps: bool) -> bool {
        use InstructionClass as C;
        // Loads and divisions may trap, so that no compiler executes them without need.
        let harmless = |node: &Node| {
            let memory = matches!(node.class, Some(C::Load | C::Store));
            memory && self.setting.masks
                || self.setting.profile.sinks_stores && node.class == Some(C::Store)
                || !matches!(
                    node.class.map(C::unit),
                    Some(Unit::Load | Unit::Store | Unit::IntegerQuotient | Unit::FloatQuotient)
                )
        };
        self.setting.profile.if_converts
            && branch.kind != BranchKind::Switch
            && (self.branchless || !jumps)
            && self.graph.nodes.as_slice()[first..].iter().all(harmless)
    }

    /// Of two floating values that a comparison of the same two chooses from: the lesser or greater.
    pub(super) fn extreme(&mut self, condition: ValueNumber, operands: &[ValueNumber]) -> Option<Value> {
        let compared = &self.graph.nodes[condition];
        let orders = compared.opcode.orders_floats();
        // Minimum and maximum are of the very values that were compared.
        let same = operands.len() == 2 && operands.iter().all(|operand| compared.operands.contains(operand));
        let class = compared.class.filter(|_| orders && same && self.setting.profile.if_converts);
        let opcode = Opcode::Operation(Operation::Extreme);
        class.map(|class| self.make(Some(class), self.setting.costs.extreme(class), opcode, operands.to_vec()))
    }

    /// One of two values is the other plus something.
    fn is_step(&self, operands: &[ValueNumber]) -> bool {
        let &[a, b] = operands else { return false };
        let adds = |sum: ValueNumber, other: ValueNumber| {
            let node = &self.graph.nodes[sum];
            node.opcode.is_binary(BinaryOp::Add) && node.operands.contains(&other)
        };
        adds(a, b) || adds(b, a)
    }

    pub(super) fn is_float(&self, nodes: &[ValueNumber]) -> bool {
        let float = |&id: &ValueNumber| {
            let unit = self.graph.nodes[id].class.map(InstructionClass::unit);
            matches!(unit, Some(Unit::FloatSum | Unit::FloatProduct | Unit::Convert))
        };
        nodes.iter().any(float)
    }
}
