//! Forms blocks: splits the regions of all functions into maximal straight blocks, numbers them in
//! preorder and gives them their counters. Every invariant of [`super::Program`] about blocks
//! holds by the way blocks are pushed here: a block enters the table before what it contains.

use super::effects::{CallEffects, effects};
use super::raw::{RawArm, RawBranch, RawCall, RawExpression, RawFunction, RawItem, RawLoop, RawProgram, RawRegion};
use super::{
    Arm, Block, BlockId, BlockKind, Branch, Condition, CounterId, FuncId, Function, LabelId, Loop, LoopForm, Op,
    OpKind, Program, Region, Straight, TargetId,
};
use chronos_base::ids::Table;
use chronos_base::span::Span;
use std::sync::Arc;

/// Turns lowered functions into a program of numbered blocks. `files` and `pragmas` are left empty.
pub fn build(mut raw: RawProgram) -> Program {
    let effects = effects(&raw);
    let mut blocks = Blocks { table: Table::new(), counters: 0, effects: &effects };
    let mut functions = Table::new();
    for (id, function) in raw.functions.iter_mut() {
        functions.push(blocks.function(id, function));
    }
    let (table, counters) = (blocks.table, blocks.counters);
    Program {
        files: Arc::default(),
        model: raw.model,
        types: raw.types,
        variables: raw.variables,
        functions,
        blocks: table,
        strings: raw.strings,
        counters,
        restricted: raw.restricted,
        main: raw.main,
        errno: raw.errno,
        generators: raw.generators,
        unsequenced: raw.unsequenced,
        constructors: in_order(raw.constructors),
        destructors: in_order(raw.destructors).into_iter().rev().collect(),
        follows_clocks: false,
        openmp: None,
        pragmas: Vec::new(),
        departures: Vec::new(),
        settable: raw.settable,
        parameters: raw.parameters,
        symbolic_initials: raw.symbolic_initials,
    }
}

/// By priority, then in the order of their definitions.
fn in_order(mut functions: Vec<(i64, FuncId)>) -> Vec<FuncId> {
    functions.sort_unstable();
    functions.dedup_by_key(|(_, function)| *function);
    functions.into_iter().map(|(_, function)| function).collect()
}

/// The table of blocks as it grows.
struct Blocks<'a> {
    table: Table<BlockId, Block>,
    counters: u32,
    effects: &'a CallEffects,
}

impl Blocks<'_> {
    fn function(&mut self, id: FuncId, raw: &mut RawFunction) -> Function {
        let first = self.table.next_id();
        let mut former = Former {
            blocks: self,
            function: id,
            labels: vec![first; raw.labels.len()],
            targets: vec![first; raw.targets as usize],
        };
        let body = former.region(std::mem::take(&mut raw.body), None);
        let (labels, targets) = (former.labels, former.targets);
        Function {
            name: raw.name.clone(),
            span: raw.span,
            is_static: raw.is_static,
            unit: raw.unit,
            result: raw.result,
            variadic: raw.variadic,
            params: std::mem::take(&mut raw.params),
            locals: std::mem::take(&mut raw.locals),
            values: std::mem::take(&mut raw.values),
            body,
            labels: raw.labels.iter().cloned().zip(labels).collect(),
            targets: targets.into_iter().collect(),
            blocks: (first, self.table.next_id()),
            effects: self.effects.functions[id],
        }
    }

    /// Enters a block; its counters are counted, so `kind` must have all its arms.
    fn push(&mut self, function: FuncId, parent: Option<BlockId>, span: Span, kind: BlockKind) -> BlockId {
        let block = Block { function, parent, span, kind, first_counter: CounterId(self.counters) };
        self.counters += block.counters();
        self.table.push(block)
    }
}

/// Forms the blocks of one function.
struct Former<'a, 'b> {
    blocks: &'a mut Blocks<'b>,
    function: FuncId,
    labels: Vec<BlockId>,
    targets: Vec<BlockId>,
}

/// The end of a region under construction.
struct Tail {
    region: Region,
    parent: Option<BlockId>,
    /// The straight block that takes further operations.
    open: Option<BlockId>,
}

impl Former<'_, '_> {
    fn region(&mut self, raw: RawRegion, parent: Option<BlockId>) -> Region {
        let mut tail = Tail { region: Vec::new(), parent, open: None };
        for item in raw {
            match item {
                RawItem::Op(op) => self.op(&mut tail, op),
                RawItem::Call(call) => self.call(&mut tail, call),
                RawItem::Label(label, span) => self.label(&mut tail, label, span),
                RawItem::Extend(span) => self.extend(&tail, span),
                RawItem::Loop(raw) => self.nested(&mut tail, |f, parent| f.form_loop(*raw, parent)),
                RawItem::Branch(raw) => self.nested(&mut tail, |f, parent| f.form_branch(*raw, parent)),
            }
        }
        tail.region
    }

    fn nested(&mut self, tail: &mut Tail, form: impl FnOnce(&mut Self, Option<BlockId>) -> BlockId) {
        tail.open = None;
        let block = form(self, tail.parent);
        tail.region.push(block);
    }

    fn straight(&mut self, tail: &mut Tail, span: Span, label: Option<LabelId>) -> BlockId {
        let kind = BlockKind::Straight(Straight { label, ops: Vec::new() });
        let block = self.blocks.push(self.function, tail.parent, span, kind);
        tail.region.push(block);
        tail.open = Some(block);
        block
    }

    fn open(&mut self, tail: &mut Tail, span: Span) -> BlockId {
        match tail.open {
            Some(block) => {
                let entry = &mut self.blocks.table[block];
                entry.span = entry.span.to(span);
                block
            }
            None => self.straight(tail, span, None),
        }
    }

    fn append(&mut self, block: BlockId, op: Op) {
        if let BlockKind::Straight(straight) = &mut self.blocks.table[block].kind {
            straight.ops.push(op);
        }
    }

    fn op(&mut self, tail: &mut Tail, op: Op) {
        let block = self.open(tail, op.span);
        if matches!(op.kind, OpKind::Jump(_)) {
            tail.open = None;
        }
        self.append(block, op);
    }

    fn call(&mut self, tail: &mut Tail, raw: RawCall) {
        let block = self.open(tail, raw.span);
        let ends_block = self.blocks.effects.ends_block(&raw.call);
        let leaf = self.blocks.push(self.function, tail.parent, raw.span, BlockKind::Call(raw.call));
        self.append(block, Op { dst: raw.dst, kind: OpKind::Call(leaf), span: raw.span });
        if ends_block {
            tail.open = None;
        }
    }

    fn label(&mut self, tail: &mut Tail, label: LabelId, span: Span) {
        let block = self.straight(tail, span, Some(label));
        if let Some(entry) = self.labels.get_mut(label.0 as usize) {
            *entry = block;
        }
    }

    /// Widens the last straight block of the region, closed or not.
    fn extend(&mut self, tail: &Tail, span: Span) {
        if let Some(&last) = tail.region.last() {
            let block = &mut self.blocks.table[last];
            if matches!(block.kind, BlockKind::Straight(_)) {
                block.span = block.span.to(span);
            }
        }
    }

    /// A region that has a block even where it has no operation.
    fn expression(&mut self, raw: RawRegion, span: Span, parent: BlockId) -> Region {
        let region = self.region(raw, Some(parent));
        if !region.is_empty() {
            return region;
        }
        let mut tail = Tail { region, parent: Some(parent), open: None };
        self.straight(&mut tail, span, None);
        tail.region
    }

    fn condition(&mut self, raw: Option<RawExpression>, parent: BlockId) -> Option<Condition> {
        let raw = raw?;
        let region = self.expression(raw.region, raw.span, parent);
        Some(Condition { region, value: raw.value })
    }

    fn form_loop(&mut self, raw: RawLoop, parent: Option<BlockId>) -> BlockId {
        let empty = Loop {
            form: raw.form,
            target: raw.target,
            init: Vec::new(),
            condition: None,
            body: Vec::new(),
            step: Vec::new(),
        };
        let block = self.blocks.push(self.function, parent, raw.span, BlockKind::Loop(empty));
        self.set_target(raw.target, block);
        // In the order of the source text: that is the order of the numbers.
        let init = self.region(raw.init, Some(block));
        let (condition, body, step) = if raw.form == LoopForm::DoWhile {
            let body = self.region(raw.body, Some(block));
            (self.condition(raw.condition, block), body, Vec::new())
        } else {
            let condition = self.condition(raw.condition, block);
            let step = self.region(raw.step, Some(block));
            (condition, self.region(raw.body, Some(block)), step)
        };
        self.blocks.table[block].kind =
            BlockKind::Loop(Loop { form: raw.form, target: raw.target, init, condition, body, step });
        block
    }

    fn form_branch(&mut self, raw: RawBranch, parent: Option<BlockId>) -> BlockId {
        let (arms, regions): (Vec<Arm>, Vec<_>) = raw.arms.into_iter().map(without_region).unzip();
        let RawBranch { kind, condition, result, target, span, .. } = raw;
        let branch = Branch { kind, condition, arms, result, target };
        let block = self.blocks.push(self.function, parent, span, BlockKind::Branch(branch));
        if let Some(target) = target {
            self.set_target(target, block);
        }
        for (position, (region, span)) in regions.into_iter().enumerate() {
            let region = match span {
                Some(span) => self.expression(region, span, block),
                None => self.region(region, Some(block)),
            };
            if let BlockKind::Branch(branch) = &mut self.blocks.table[block].kind {
                branch.arms[position].region = region;
            }
        }
        block
    }

    fn set_target(&mut self, target: TargetId, block: BlockId) {
        if let Some(entry) = self.targets.get_mut(target.0 as usize) {
            *entry = block;
        }
    }
}

fn without_region(raw: RawArm) -> (Arm, (RawRegion, Option<Span>)) {
    let RawArm { labels, region, value, falls_through, span } = raw;
    (Arm { labels, region: Vec::new(), value, falls_through }, (region, span))
}
