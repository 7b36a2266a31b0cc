//! Decides where trace points stand and how every counter of the program follows from them.
//!
//! A region is walked with the flow of control that reaches each of its blocks: what is known from
//! the points before needs none of its own. A call that reaches MPI or may not return breaks the
//! flow, so that sums hold for what runs between two MPI calls as well.

use super::entries::Entries;
use super::syntax::{Item, ItemKind, Range, Syntax};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::{Id, Table};
use chronos_frontend::offsets::unit_of;
use chronos_functions::{never_returns, returns_again};
use chronos_ir::types::TypeId;
use chronos_ir::{
    Arg, Block, BlockId, BlockKind, Branch, BranchKind, Callee, Const, CounterId, FuncId, Function, Jump, Loop,
    LoopForm, Op, OpKind, Operand, Program, ScalarType, Straight, TargetId,
};
use chronos_trace::formula::{Flow, Formula, PointId, difference, sum};
use std::collections::BTreeSet;

/// Where a trace point stands, in what the parser saw of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A statement in front of what begins here.
    Front(usize),
    /// A statement behind what ends here.
    Behind(usize),
    /// Evaluated before the expression.
    Expression(Range),
    /// Evaluated after the expression, whose value of this type goes on.
    Value(Range, ScalarType),
    /// Evaluated where the expression is not 0; all that goes on is whether it is.
    Taken(Range),
    /// Evaluated after the expression; all that goes on is whether it is 0.
    Truth(Range),
}

#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Position among the units.
    pub unit: usize,
    pub place: Place,
}

/// Trace points and what follows from them.
#[derive(Debug, Default)]
pub struct Plan {
    pub points: Table<PointId, Point>,
    /// By counter; `None` for what is not instrumented (functions of system headers).
    pub formulas: Vec<Option<Formula>>,
    /// Points that stand before a call that may not come back, or behind which MPI begins another segment, for what is
    /// executed behind it.
    pub doubtful: BTreeSet<PointId>,
}

/// Plans all functions of a program of offsets.
pub fn plan(program: &Program, syntax: &[Syntax], entries: &Entries) -> Plan {
    let mut plan = Plan { points: Table::new(), formulas: vec![None; program.counters as usize], ..Plan::default() };
    for id in entries.order(program) {
        let function = &program.functions[id];
        let Some(unit) = unit_of(function.span).filter(|&unit| unit < syntax.len()) else { continue };
        let entry = entries.entry(id, program, &plan);
        let mut planner = Planner {
            program,
            function,
            id,
            syntax: &syntax[unit],
            unit,
            plan: &mut plan,
            breaks: FxHashMap::default(),
            continues: FxHashMap::default(),
            labels: FxHashMap::default(),
            gotos: Vec::new(),
        };
        planner.run(entry);
    }
    plan
}

struct Planner<'a> {
    program: &'a Program,
    function: &'a Function,
    id: FuncId,
    syntax: &'a Syntax,
    unit: usize,
    plan: &'a mut Plan,
    breaks: FxHashMap<TargetId, Flow>,
    continues: FxHashMap<TargetId, Flow>,
    /// Points of labelled blocks.
    labels: FxHashMap<BlockId, PointId>,
    /// Blocks that end in a goto, the block that it names, and how often.
    gotos: Vec<(BlockId, BlockId, Formula)>,
}

/// A position in a region.
struct Here<'r> {
    region: &'r [BlockId],
    index: usize,
    flow: Flow,
    /// What was known last.
    last: Formula,
}

impl Here<'_> {
    fn previous(&self) -> Option<BlockId> {
        self.index.checked_sub(1).and_then(|index| self.region.get(index)).copied()
    }

    fn next(&self) -> Option<BlockId> {
        self.region.get(self.index + 1).copied()
    }
}

impl Planner<'_> {
    /// `entry`: how often the function is entered, where that is known.
    fn run(&mut self, entry: Flow) {
        let Some(&inside) = self.syntax.functions.get(&Range::of(self.function.span).end) else { return };
        let entry = entry.unwrap_or_else(|| self.counted(Place::Front(inside)));
        self.region(&self.function.body, Some(entry));
        for (from, to, flow) in std::mem::take(&mut self.gotos) {
            self.enter_loops(from, to, &flow);
        }
    }

    /// Who jumps into a loop enters it, and its current iteration is one.
    fn enter_loops(&mut self, from: BlockId, to: BlockId, flow: &Formula) {
        let program = self.program;
        let around = |id: BlockId| std::iter::successors(Some(id), |&id| program.blocks[id].parent);
        for id in around(to).take_while(|&id| !around(from).any(|outer| outer == id)) {
            let block = &program.blocks[id];
            if matches!(block.kind, BlockKind::Loop(_)) {
                for counter in [block.counter(0), block.counter(1)] {
                    let sum = self.plan.formulas.get(counter.index()).and_then(|f| Some(f.as_ref()?.plus(flow)));
                    self.set(counter, sum);
                }
            }
        }
    }

    fn point(&mut self, place: Place) -> PointId {
        self.plan.points.push(Point { unit: self.unit, place })
    }

    fn counted(&mut self, place: Place) -> Formula {
        let point = self.point(place);
        Formula::point(point)
    }

    fn set(&mut self, counter: CounterId, flow: Flow) {
        if let Some(entry) = self.plan.formulas.get_mut(counter.index()) {
            *entry = flow;
        }
    }

    /// The flow that leaves a region at its end.
    fn region(&mut self, region: &[BlockId], entry: Flow) -> Flow {
        let last = entry.clone().unwrap_or_default();
        let mut here = Here { region, index: 0, flow: entry, last };
        for (index, &id) in region.iter().enumerate() {
            here.index = index;
            let block = &self.program.blocks[id];
            here.flow = match &block.kind {
                BlockKind::Straight(straight) => self.straight(id, straight, &mut here),
                BlockKind::Loop(node) => self.loop_node(block, node, &here),
                BlockKind::Branch(branch) => self.branch(block, branch, &here),
                BlockKind::Call(_) => here.flow,
            };
        }
        here.flow
    }

    fn straight(&mut self, id: BlockId, straight: &Straight, here: &mut Here<'_>) -> Flow {
        let formula = match (&straight.label, &here.flow) {
            (Some(_), _) => Formula::point(self.label(id)),
            (None, Some(flow)) => flow.clone(),
            (None, None) => self.restarted(id, straight, here),
        };
        self.set(self.program.blocks[id].counter(0), Some(formula.clone()));
        for op in &straight.ops {
            if let OpKind::Call(leaf) = op.kind {
                self.set(self.program.blocks[leaf].counter(0), Some(formula.clone()));
            }
        }
        here.last = formula.clone();
        match straight.ops.last().map(|op| &op.kind) {
            Some(OpKind::Jump(jump)) => {
                self.jump(id, jump, &formula);
                Some(Formula::zero())
            }
            _ if straight.ops.iter().any(|op| self.returns_again(op)) => None,
            Some(OpKind::Call(leaf)) => self.behind_call(*leaf, formula, here),
            _ => Some(formula),
        }
    }

    /// The count of a block before which the flow is not known.
    fn restarted(&mut self, id: BlockId, straight: &Straight, here: &Here<'_>) -> Formula {
        let Some(place) = self.start(id, straight, here) else {
            // Nothing can be put there: equal but where a call does not come back.
            self.plan.doubtful.extend(here.last.terms().map(|(point, _)| point));
            return here.last.clone();
        };
        let point = self.point(place);
        if !matches!(place, Place::Front(_) | Place::Behind(_)) {
            self.plan.doubtful.insert(point);
        }
        Formula::point(point)
    }

    /// What stands behind it is executed more often than what stands before it.
    fn returns_again(&self, op: &Op) -> bool {
        let OpKind::Call(leaf) = op.kind else { return false };
        let call = self.program.call(leaf);
        call.is_some_and(|call| matches!(&call.callee, Callee::Library(name) if returns_again(name)))
    }

    fn jump(&mut self, from: BlockId, jump: &Jump, flow: &Formula) {
        if let Jump::Goto(label) = jump
            && let Some(&(_, to)) = self.function.labels.get(*label)
        {
            self.gotos.push((from, to, flow.clone()));
        }
        let (flows, target) = match jump {
            Jump::Break(target) => (&mut self.breaks, target),
            Jump::Continue(target) => (&mut self.continues, target),
            Jump::Goto(_) | Jump::Return(_) => return,
        };
        let entry = flows.entry(*target).or_insert_with(|| Some(Formula::zero()));
        *entry = sum(entry, &Some(flow.clone()));
    }

    fn behind_call(&self, leaf: BlockId, formula: Formula, here: &Here<'_>) -> Flow {
        let Some(call) = self.program.call(leaf) else { return Some(formula) };
        if let Callee::Library(name) = &call.callee
            && never_returns(name)
        {
            return Some(Formula::zero());
        }
        let is_straight = |id: BlockId| match &self.program.blocks[id].kind {
            BlockKind::Straight(straight) => straight.label.is_none(),
            _ => false,
        };
        let splits = here.next().is_some_and(is_straight);
        let function_argument = |arg: &Arg| matches!(arg, Arg::Scalar(Operand::Const(Const::Function(_))));
        let ends = match &call.callee {
            Callee::Mpi(_) | Callee::Indirect(_) => true,
            Callee::Library(_) => call.args.iter().any(function_argument),
            Callee::Function(id) => {
                let effects = self.program.functions[*id].effects;
                effects.reaches_mpi || effects.may_not_return
            }
        };
        (!ends && !splits).then_some(formula)
    }

    /// The point of a labelled block.
    fn label(&mut self, id: BlockId) -> PointId {
        if let Some(&point) = self.labels.get(&id) {
            return point;
        }
        let start = Range::of(self.program.blocks[id].span).start;
        let place = self.syntax.labels.get(&start).map_or(Place::Behind(start), |label| Place::Front(label.behind));
        let point = self.point(place);
        self.labels.insert(id, point);
        point
    }

    /// Where a block that begins where the flow is not known can be counted.
    fn start(&self, id: BlockId, straight: &Straight, here: &Here<'_>) -> Option<Place> {
        let range = |op: &Op| Range::of(op.span);
        let first = straight.ops.first().map_or_else(|| Range::of(self.program.blocks[id].span), range);
        let item = self.syntax.item_around(first)?;
        let reaches = |id: BlockId| Range::of(self.program.blocks[id].span);
        // In an arm of `&&`, `||` or `?:`, what is put beside the statement would count for the other arms too.
        let is_whole = self.program.blocks[id].parent.is_none_or(|parent| reaches(parent).contains(item.range));
        if !is_whole {
            return self.within(straight, item);
        }
        if here.previous().is_none_or(|previous| reaches(previous).end <= item.range.start) {
            return Some(Place::Front(item.range.start));
        }
        // What leads to MPI is counted before MPI ends the segment.
        let before_mpi = straight.ops.last().filter(|op| self.reaches_mpi(op));
        if let Some(place) = before_mpi.and_then(|_| self.within(straight, item)) {
            return Some(place);
        }
        let is_last = here.next().is_none_or(|next| reaches(next).start >= item.range.end);
        if is_last && item.kind == ItemKind::Plain {
            return Some(Place::Behind(item.range.end));
        }
        self.within(straight, item)
    }

    fn reaches_mpi(&self, op: &Op) -> bool {
        let OpKind::Call(leaf) = op.kind else { return false };
        self.program.call(leaf).is_some_and(|call| match &call.callee {
            Callee::Mpi(_) => true,
            Callee::Function(id) => self.program.functions[*id].effects.reaches_mpi,
            Callee::Library(_) | Callee::Indirect(_) => false,
        })
    }

    /// Where a block that begins within a statement can be counted.
    fn within(&self, straight: &Straight, item: Item) -> Option<Place> {
        let range = |op: &Op| Range::of(op.span);
        let last = straight.ops.last()?;
        if item.kind == ItemKind::Return && matches!(last.kind, OpKind::Jump(Jump::Return(_))) {
            let scalar = self
                .scalar(self.function.result)
                .filter(|&scalar| !matches!(scalar, ScalarType::F80 | ScalarType::F128))?;
            return Some(Place::Value(*self.syntax.returned.get(&item.range)?, scalar));
        }
        let known = |op: &&Op| self.syntax.expressions.contains(&range(op)) && item.range.contains(range(op));
        if matches!(last.kind, OpKind::Call(_)) {
            return Some(last).filter(known).map(|op| Place::Expression(range(op)));
        }
        let valued = |op: &Op| Some(Place::Value(range(op), passed(self.value_type(op)?)?));
        straight.ops.iter().rev().filter(known).find_map(valued)
    }

    /// The type of the value of the expression that an operation ends.
    fn value_type(&self, op: &Op) -> Option<ScalarType> {
        match &op.kind {
            OpKind::Unary(..) | OpKind::Binary(..) | OpKind::Convert(..) | OpKind::PointerDiff(..) => {
                self.function.values.get(op.dst?).copied()
            }
            OpKind::Write(place, _) => self.scalar(place.ty),
            _ => None,
        }
    }

    fn scalar(&self, ty: TypeId) -> Option<ScalarType> {
        self.program.types.scalar(ty)
    }

    fn loop_node(&mut self, block: &Block, node: &Loop, here: &Here<'_>) -> Flow {
        let range = Range::of(block.span);
        let parts = self.syntax.loops.get(&range).copied().unwrap_or_default();
        let entries = here.flow.clone().unwrap_or_else(|| self.counted(Place::Front(range.start)));
        let started = self.region(&node.init, Some(entries.clone()));
        let iterations = parts.body.map(|body| self.counted(Place::Front(body.inside())));
        self.set(block.counter(0), iterations.clone());
        self.set(block.counter(1), Some(entries.clone()));
        let end = self.region(&node.body, iterations.clone());
        let again = sum(&end, &self.taken_out(node.target, true));
        let again = if node.step.is_empty() {
            again
        } else {
            let entry = again.or_else(|| parts.step.map(|step| self.counted(Place::Expression(step))));
            self.region(&node.step, entry)
        };
        let breaks = self.taken_out(node.target, false);
        let Some(condition) = &node.condition else { return breaks };
        let is_do = node.form == LoopForm::DoWhile;
        let entry = if is_do { again } else { sum(&started, &again) };
        let entry = entry.or_else(|| parts.condition.map(|range| self.counted(Place::Expression(range))));
        let tested = self.region(&condition.region, entry);
        let gone_on = if is_do { difference(&iterations, &Some(entries)) } else { iterations };
        sum(&difference(&tested, &gone_on), &breaks)
    }

    /// The flow of all jumps that named the target.
    fn taken_out(&mut self, target: TargetId, continues: bool) -> Flow {
        let flows = if continues { &mut self.continues } else { &mut self.breaks };
        flows.remove(&target).unwrap_or_else(|| Some(Formula::zero()))
    }

    fn branch(&mut self, block: &Block, branch: &Branch, here: &Here<'_>) -> Flow {
        match branch.kind {
            BranchKind::If => self.if_node(block, branch, here),
            BranchKind::And | BranchKind::Or => self.logical(block, branch, here),
            BranchKind::Conditional => self.conditional(block, branch, here),
            BranchKind::Switch if branch.target.is_some() => self.switch(block, branch, here),
            BranchKind::Switch => self.switch_of_gotos(block, branch, here),
        }
    }

    /// How often a branch was evaluated; `place` counts where that is not known.
    fn evaluations(&mut self, block: &Block, here: &Here<'_>, place: Option<Place>) -> Flow {
        let flow = here.flow.clone().or_else(|| place.map(|place| self.counted(place)));
        self.set(block.counter(0), flow.clone());
        flow
    }

    fn if_node(&mut self, block: &Block, branch: &Branch, here: &Here<'_>) -> Flow {
        let parts = self.syntax.ifs.get(&Range::of(block.span)).copied();
        let evaluations = self.evaluations(block, here, parts.map(|parts| Place::Truth(parts.condition)));
        let taken = parts.map(|parts| self.counted(Place::Front(parts.then.inside())));
        self.two_ways(block, branch, [taken.clone(), difference(&evaluations, &taken)])
    }

    /// Follows the arms of a branch with a way for true and one for false; a way without arm goes on behind it.
    fn two_ways(&mut self, block: &Block, branch: &Branch, ways: [Flow; 2]) -> Flow {
        use chronos_ir::ArmLabel::{False, True};
        let mut out = Some(Formula::zero());
        for (label, way) in [True, False].into_iter().zip(ways) {
            let end = match branch.arms.iter().position(|arm| arm.labels.contains(&label)) {
                Some(position) => {
                    self.set(block.counter(1 + u32::try_from(position).unwrap_or(u32::MAX)), way.clone());
                    self.region(&branch.arms[position].region, way)
                }
                None => way,
            };
            out = sum(&out, &end);
        }
        out
    }

    fn logical(&mut self, block: &Block, branch: &Branch, here: &Here<'_>) -> Flow {
        let parts = self.syntax.choices.get(&Range::of(block.span)).copied();
        let evaluations = self.evaluations(block, here, parts.map(|parts| Place::Truth(parts.condition)));
        let taken = parts.and_then(|parts| parts.first).map(|arm| self.counted(Place::Expression(arm)));
        let passed = difference(&evaluations, &taken);
        let ways = if branch.kind == BranchKind::And { [taken, passed] } else { [passed, taken] };
        self.two_ways(block, branch, ways)
    }

    fn conditional(&mut self, block: &Block, branch: &Branch, here: &Here<'_>) -> Flow {
        let parts = self.syntax.choices.get(&Range::of(block.span)).copied();
        let place = parts.map(|parts| match parts.first {
            Some(_) => Place::Truth(parts.condition),
            None => Place::Expression(parts.condition),
        });
        let evaluations = self.evaluations(block, here, place);
        let Some(parts) = parts else { return self.two_ways(block, branch, [None, None]) };
        let ways = match (parts.first, parts.second) {
            (None, Some(second)) => {
                let no = Some(self.counted(Place::Expression(second)));
                [difference(&evaluations, &no), no]
            }
            _ => {
                let yes = Some(self.counted(Place::Taken(parts.condition)));
                [yes.clone(), difference(&evaluations, &yes)]
            }
        };
        self.two_ways(block, branch, ways)
    }

    fn switch(&mut self, block: &Block, branch: &Branch, here: &Here<'_>) -> Flow {
        let parts = self.syntax.switches.get(&Range::of(block.span)).cloned();
        let evaluations = self.switched(block, branch, here);
        let arms = parts.map(|parts| parts.arms).filter(|arms| arms.len() == branch.arms.len());
        let (mut passed, mut end) = (evaluations, Some(Formula::zero()));
        for (position, arm) in branch.arms.iter().enumerate() {
            let place = arms.as_ref().map(|arms| arms[position]);
            let reached = place.map(|place| self.counted(Place::Front(place.behind)));
            let falls = position > 0 && branch.arms[position - 1].falls_through;
            let fallen = if falls { end } else { Some(Formula::zero()) };
            let fallen = fallen.or_else(|| place.map(|place| self.counted(Place::Front(place.before))));
            let taken = difference(&reached, &fallen);
            self.set(block.counter(1 + u32::try_from(position).unwrap_or(u32::MAX)), taken.clone());
            passed = difference(&passed, &taken);
            end = self.region(&arm.region, reached);
        }
        let has_default = branch.arms.iter().any(|arm| arm.labels.contains(&chronos_ir::ArmLabel::Default));
        let passed = if has_default { Some(Formula::zero()) } else { passed };
        let breaks = branch.target.map_or(Some(Formula::zero()), |target| self.taken_out(target, false));
        sum(&sum(&end, &passed), &breaks)
    }

    /// How often a switch was evaluated.
    fn switched(&mut self, block: &Block, branch: &Branch, here: &Here<'_>) -> Flow {
        let condition = self.syntax.switches.get(&Range::of(block.span)).map(|parts| parts.condition);
        let scalar = match &branch.condition {
            Operand::Value(value) => self.function.values.get(*value).copied(),
            Operand::Const(_) => None,
        };
        let place = condition.zip(scalar.and_then(passed)).map(|(range, scalar)| Place::Value(range, scalar));
        self.evaluations(block, here, place)
    }

    /// Arms that only jump to labels: a label is reached by its case or from above.
    fn switch_of_gotos(&mut self, block: &Block, branch: &Branch, here: &Here<'_>) -> Flow {
        let mut passed = self.switched(block, branch, here);
        let mut unplaced = Vec::new();
        for (position, arm) in branch.arms.iter().enumerate() {
            let label = arm.region.first().and_then(|&id| self.jumps_to(id));
            let Some(taken) = label.and_then(|label| self.reached_by_case(label)) else {
                unplaced.push(position);
                continue;
            };
            passed = difference(&passed, &Some(taken.clone()));
            self.goto_arm(block, position, &arm.region, Some(taken));
        }
        // At most the default that stands nowhere: what no case took.
        for position in unplaced {
            self.goto_arm(block, position, &branch.arms[position].region, passed.clone());
        }
        Some(Formula::zero())
    }

    fn goto_arm(&mut self, block: &Block, position: usize, region: &[BlockId], taken: Flow) {
        self.set(block.counter(1 + u32::try_from(position).unwrap_or(u32::MAX)), taken.clone());
        self.region(region, taken);
    }

    fn jumps_to(&self, id: BlockId) -> Option<BlockId> {
        let BlockKind::Straight(straight) = &self.program.blocks[id].kind else { return None };
        match straight.ops.last()?.kind {
            OpKind::Jump(Jump::Goto(label)) => Some(self.program.functions[self.id].labels.get(label)?.1),
            _ => None,
        }
    }

    fn reached_by_case(&mut self, label: BlockId) -> Option<Formula> {
        let start = Range::of(self.program.blocks[label].span).start;
        let before = self.syntax.labels.get(&start)?.before;
        let reached = Formula::point(self.label(label));
        let fallen = self.counted(Place::Front(before));
        Some(reached.minus(&fallen))
    }
}

/// The type as which a value is handed through a function; `None` where that could change it.
fn passed(scalar: ScalarType) -> Option<ScalarType> {
    use ScalarType::{F64, I32, I64, U32, U64};
    matches!(scalar, I32 | U32 | I64 | U64 | F64).then_some(scalar)
}
