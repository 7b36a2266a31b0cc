//! Switch statements: arms in source order, or gotos where a case stands inside another statement.

use crate::lower::context::body::CaseLabels;
use crate::lower::context::constants::promoted;
use crate::lower::context::lowerer::Lowerer;
use chronos_base::span::Span;
use chronos_ir::raw::{RawArm, RawBranch, RawItem, RawRegion};
use chronos_ir::types::ScalarType;
use chronos_ir::{ArmLabel, BranchKind, Jump, LabelId, OpKind, Operand, TargetId};
use lang_c::ast::{self, BlockItem, Label, Statement};
use lang_c::span::Node;

/// A part of the body that stands behind one run of case labels.
struct Section<'a> {
    labels: Vec<&'a Node<Label>>,
    /// The statement that the labels stand before.
    first: &'a Node<Statement>,
    rest: &'a [Node<BlockItem>],
}

impl<'a> Lowerer<'a> {
    pub(crate) fn switch(&mut self, node: &'a Node<ast::SwitchStatement>) {
        let start = self.body.region.len();
        let (operand, from) = self.scalar_value(&node.node.expression);
        let at = self.span(node.node.expression.span);
        let ty = promoted(from);
        let condition = self.convert(operand, from, ty, at);
        self.extend(start, node.node.expression.span);
        self.scopes.push();
        match sections(&node.node.statement) {
            Some((before, sections)) => {
                before.iter().for_each(|item| self.block_item(&item.node));
                self.switch_of_arms(condition, ty, &sections, node.span);
            }
            None => self.switch_of_gotos(condition, ty, node),
        }
        self.scopes.pop();
    }

    fn switch_of_arms(
        &mut self,
        condition: Operand,
        ty: ScalarType,
        sections: &[Section<'a>],
        span: lang_c::span::Span,
    ) {
        let target = self.new_target();
        let leave = self.pending_jump(Jump::Break(target));
        self.body.breaks.push(leave);
        let mut arms: Vec<RawArm> = sections.iter().map(|section| self.switch_arm(section, ty)).collect();
        self.body.breaks.pop();
        if let Some(last) = arms.last_mut() {
            last.falls_through = false;
        }
        self.push_switch(condition, arms, Some(target), span);
    }

    fn switch_arm(&mut self, section: &Section<'a>, ty: ScalarType) -> RawArm {
        let labels = section.labels.iter().filter_map(|label| self.arm_label(label, ty)).collect();
        let (region, ()) = self.region(|l| {
            let outside = l.body.cleanups.len();
            l.statement(section.first);
            l.block_items(section.rest);
            let last = section.rest.last().map_or(section.first.span, |item| item.span);
            l.end_cleanups(outside, last);
        });
        let falls_through = completes(&region);
        RawArm { labels, region, value: None, falls_through, span: None }
    }

    fn push_switch(
        &mut self,
        condition: Operand,
        arms: Vec<RawArm>,
        target: Option<TargetId>,
        span: lang_c::span::Span,
    ) {
        let span = self.span(span);
        self.branch(RawBranch { kind: BranchKind::Switch, condition, arms, result: None, target, span });
    }

    fn arm_label(&mut self, label: &'a Node<Label>, ty: ScalarType) -> Option<ArmLabel> {
        let converted = |value: i64| crate::lower::context::constants::wrap(value.into(), ty);
        match &label.node {
            Label::Case(value) => {
                let value = converted(self.constant_integer(value)?);
                Some(ArmLabel::Case(value, value))
            }
            Label::CaseRange(range) => {
                let low = converted(self.constant_integer(&range.node.low)?);
                let high = converted(self.constant_integer(&range.node.high)?);
                Some(ArmLabel::Case(low, high))
            }
            Label::Default => Some(ArmLabel::Default),
            Label::Identifier(_) => None,
        }
    }

    /// Duff's device and the like: the switch only jumps to labels inside of the body.
    fn switch_of_gotos(&mut self, condition: Operand, ty: ScalarType, node: &'a Node<ast::SwitchStatement>) {
        let span = self.span(node.span);
        let mut found = Vec::new();
        cases(&node.node.statement, &mut found);
        let end = self.new_label("(end of switch)".into(), span);
        let mut labels = CaseLabels::default();
        let mut arms = Vec::new();
        // The jump to a label is a part of the switch: the line of a label has no operations of its own.
        let head = self.span(node.node.expression.span);
        for case in found {
            let id = self.new_label("(case)".into(), self.span(case.span));
            labels.insert(case.span.start, id);
            let label = self.arm_label(case, ty);
            arms.push(goto_arm(label.into_iter().collect(), id, head));
        }
        if !arms.iter().any(|arm| arm.labels.contains(&ArmLabel::Default)) {
            arms.push(goto_arm(vec![ArmLabel::Default], end, head));
        }
        self.push_switch(condition, arms, None, node.span);
        let leave = self.pending_jump(Jump::Goto(end));
        self.body.breaks.push(leave);
        self.body.cases.push(labels);
        self.statement(&node.node.statement);
        self.body.cases.pop();
        self.body.breaks.pop();
        self.place_label(end, Span { line_start: span.line_end, column_start: span.column_end, ..span });
    }
}

fn goto_arm(labels: Vec<ArmLabel>, to: LabelId, span: Span) -> RawArm {
    let jump = chronos_ir::Op { dst: None, kind: OpKind::Jump(Jump::Goto(to)), span };
    RawArm { labels, region: vec![RawItem::Op(jump)], value: None, falls_through: false, span: None }
}

/// Splits a body at its case labels: what stands before the first one, and the sections. `None` where a case is
/// nested in another statement, or where code stands before the first case.
fn sections(body: &Node<Statement>) -> Option<(&[Node<BlockItem>], Vec<Section<'_>>)> {
    let Statement::Compound(items) = &body.node else {
        let (labels, first) = labels_of(body);
        let section = (!labels.is_empty() && !has_case(first)).then_some(Section { labels, first, rest: &[] })?;
        return Some((&[], vec![section]));
    };
    let starts: Vec<usize> = (0..items.len()).filter(|&i| starts_section(&items[i].node)).collect();
    let before = &items[..starts.first().copied().unwrap_or(items.len())];
    if !before.iter().all(|item| is_plain_declaration(&item.node)) {
        return None;
    }
    let ends = starts.iter().skip(1).copied().chain([items.len()]);
    let mut sections = Vec::new();
    for (start, end) in starts.iter().copied().zip(ends) {
        let BlockItem::Statement(statement) = &items[start].node else { return None };
        let (labels, first) = labels_of(statement);
        let rest = &items[start + 1..end];
        let nested = |item: &Node<BlockItem>| matches!(&item.node, BlockItem::Statement(s) if has_case(s));
        if has_case(first) || rest.iter().any(nested) {
            return None;
        }
        sections.push(Section { labels, first, rest });
    }
    Some((before, sections))
}

fn starts_section(item: &BlockItem) -> bool {
    matches!(item, BlockItem::Statement(statement) if !labels_of(statement).0.is_empty())
}

/// A declaration without initialisers: nothing is executed.
fn is_plain_declaration(item: &BlockItem) -> bool {
    match item {
        BlockItem::Declaration(declaration) => {
            declaration.node.declarators.iter().all(|d| d.node.initializer.is_none())
        }
        BlockItem::StaticAssert(_) => true,
        BlockItem::Statement(_) => false,
    }
}

/// The case labels right before a statement, and the statement behind them.
fn labels_of(mut statement: &Node<Statement>) -> (Vec<&Node<Label>>, &Node<Statement>) {
    let mut labels = Vec::new();
    while let Statement::Labeled(labeled) = &statement.node {
        if matches!(labeled.node.label.node, Label::Identifier(_)) {
            break;
        }
        labels.push(&labeled.node.label);
        statement = &labeled.node.statement;
    }
    (labels, statement)
}

fn has_case(statement: &Node<Statement>) -> bool {
    let mut found = Vec::new();
    cases(statement, &mut found);
    !found.is_empty()
}

/// All case labels inside that belong to the enclosing switch.
fn cases<'a>(statement: &'a Node<Statement>, found: &mut Vec<&'a Node<Label>>) {
    match &statement.node {
        Statement::Labeled(labeled) => {
            if !matches!(labeled.node.label.node, Label::Identifier(_)) {
                found.push(&labeled.node.label);
            }
            cases(&labeled.node.statement, found);
        }
        Statement::Compound(items) => {
            for item in items {
                if let BlockItem::Statement(statement) = &item.node {
                    cases(statement, found);
                }
            }
        }
        Statement::If(node) => {
            cases(&node.node.then_statement, found);
            node.node.else_statement.iter().for_each(|otherwise| cases(otherwise, found));
        }
        Statement::While(node) => cases(&node.node.statement, found),
        Statement::DoWhile(node) => cases(&node.node.statement, found),
        Statement::For(node) => cases(&node.node.statement, found),
        _ => {}
    }
}

/// Whether control may reach the end of a region.
fn completes(region: &RawRegion) -> bool {
    let last = region.iter().rev().find(|item| !matches!(item, RawItem::Extend(_)));
    match last {
        Some(RawItem::Op(op)) => !matches!(op.kind, OpKind::Jump(_)),
        Some(RawItem::Branch(branch)) if branch.kind == BranchKind::If && branch.arms.len() == 2 => {
            branch.arms.iter().any(|arm| completes(&arm.region))
        }
        _ => true,
    }
}
