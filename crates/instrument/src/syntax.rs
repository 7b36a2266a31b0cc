//! Where the parts of statements and expressions stand: what the block tree does not tell.

use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_base::span::Span;
use chronos_frontend::SAME_AS_CONDITION;
use chronos_frontend::offsets::OffsetUnit;
use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, BlockItem, CallExpression, ConditionalExpression, DoWhileStatement,
    Expression, ForStatement, FunctionDefinition, IfStatement, Label, LabeledStatement, Statement, SwitchStatement,
    WhileStatement,
};
use lang_c::span::{Node, Span as NodeSpan};
use lang_c::visit::{self, Visit};

/// A range of what the parser saw, as the places of the program of offsets have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Range {
    pub start: usize,
    pub end: usize,
}

impl Range {
    pub fn of(span: Span) -> Self {
        Self { start: span.line_start as usize, end: span.line_end as usize }
    }

    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

impl From<&NodeSpan> for Range {
    fn from(span: &NodeSpan) -> Self {
        Self { start: span.start, end: span.end }
    }
}

/// Condition and parts of an `if`.
#[derive(Clone, Copy, Debug)]
pub struct If {
    pub condition: Range,
    pub then: Body,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Loop {
    pub condition: Option<Range>,
    pub step: Option<Range>,
    pub body: Option<Body>,
}

/// A statement that another one controls.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    pub range: Range,
    pub braces: bool,
}

impl Body {
    /// Where its first statement goes.
    pub fn inside(self) -> usize {
        self.range.start + usize::from(self.braces)
    }
}

#[derive(Clone, Debug)]
pub struct Switch {
    pub condition: Range,
    pub arms: Vec<SwitchArm>,
}

/// A run of case labels and what stands behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SwitchArm {
    /// Of the first label.
    pub before: usize,
    /// Behind the last one.
    pub behind: usize,
}

/// `a && b`, `a || b`, `c ? a : b`.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    pub condition: Range,
    /// `None` where the value of the condition is taken.
    pub first: Option<Range>,
    pub second: Option<Range>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    /// Nothing but an expression or a declaration: something can be put behind it.
    Plain,
    /// Returns a value.
    Return,
    /// Any other statement.
    Other,
}

/// A statement or declaration that something can be put in front of.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub range: Range,
    pub kind: ItemKind,
}

/// All of a unit.
#[derive(Debug, Default)]
pub(crate) struct Syntax {
    pub ifs: FxHashMap<Range, If>,
    pub loops: FxHashMap<Range, Loop>,
    pub switches: FxHashMap<Range, Switch>,
    pub choices: FxHashMap<Range, Choice>,
    /// The two sides of `a < b` and its like.
    pub comparisons: FxHashMap<Range, [Range; 2]>,
    /// By the place of a label: where the statement behind it stands, and where that with its labels does.
    pub labels: FxHashMap<usize, SwitchArm>,
    /// By start; of equal ones the outer first.
    pub items: Vec<Item>,
    pub expressions: FxHashSet<Range>,
    /// Bodies without braces.
    pub bare: Vec<Range>,
    /// Behind the opening brace of a function, by the function's end.
    pub functions: FxHashMap<usize, usize>,
    pub calls: FxHashMap<Range, Vec<Range>>,
    /// Statements that leave more than a loop, and labels that are jumped to.
    pub jumps: Vec<usize>,
    /// Labels of cases.
    cases: Vec<usize>,
    /// Values of return statements, by the statement.
    pub returned: FxHashMap<Range, Range>,
}

impl Syntax {
    pub fn of(unit: &OffsetUnit) -> Self {
        let mut syntax = Self::default();
        syntax.visit_translation_unit(&unit.ast);
        syntax.items.sort_by_key(|item| (item.range.start, std::cmp::Reverse(item.range.end)));
        syntax
    }

    /// The innermost statement that holds a range.
    pub(crate) fn item_around(&self, range: Range) -> Option<Item> {
        let after = self.items.partition_point(|item| item.range.start <= range.start);
        let around = |item: &&Item| item.range.contains(range);
        self.items[..after].iter().rev().find(around).copied()
    }

    /// Whether a switch around a loop jumps into it.
    pub fn enters(&self, range: Range) -> bool {
        let inside = |&&case: &&usize| range.start < case && case < range.end;
        let own = |case: usize| {
            self.switches.keys().any(|switch| range.contains(*switch) && switch.start < case && case < switch.end)
        };
        self.cases.iter().filter(inside).any(|&case| !own(case))
    }

    fn body(&mut self, node: &Node<Statement>) -> Body {
        let braces = matches!(node.node, Statement::Compound(_));
        let range = Range::from(&node.span);
        if !braces {
            self.bare.push(range);
        }
        Body { range, braces }
    }
}

fn range<T>(node: &Node<T>) -> Range {
    Range::from(&node.span)
}

/// The statement behind a run of labels that are no names.
fn behind_cases(mut node: &Node<Statement>) -> usize {
    while let Statement::Labeled(labeled) = &node.node
        && !matches!(labeled.node.label.node, Label::Identifier(_))
    {
        node = &labeled.node.statement;
    }
    node.span.start
}

fn is_case(node: &Node<Statement>) -> bool {
    matches!(&node.node, Statement::Labeled(l) if !matches!(l.node.label.node, Label::Identifier(_)))
}

fn arms(body: &Node<Statement>) -> Vec<SwitchArm> {
    let arm = |node: &Node<Statement>| SwitchArm { before: node.span.start, behind: behind_cases(node) };
    let Statement::Compound(items) = &body.node else { return vec![arm(body)] };
    let statements = items.iter().filter_map(|item| match &item.node {
        BlockItem::Statement(statement) if is_case(statement) => Some(arm(statement)),
        _ => None,
    });
    statements.collect()
}

fn item_kind(statement: &Statement) -> Option<ItemKind> {
    match statement {
        Statement::Compound(_) | Statement::Labeled(_) => None,
        Statement::Expression(_) | Statement::Asm(_) => Some(ItemKind::Plain),
        Statement::Return(Some(_)) => Some(ItemKind::Return),
        _ => Some(ItemKind::Other),
    }
}

impl<'ast> Visit<'ast> for Syntax {
    fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast NodeSpan) {
        if let Some(kind) = item_kind(statement) {
            self.items.push(Item { range: Range::from(span), kind });
        }
        if let Statement::Return(Some(value)) = statement {
            self.returned.insert(Range::from(span), range(value));
        }
        if matches!(statement, Statement::Goto(_) | Statement::Return(_) | Statement::Asm(_)) {
            self.jumps.push(span.start);
        }
        visit::visit_statement(self, statement, span);
    }

    fn visit_block_item(&mut self, item: &'ast BlockItem, span: &'ast NodeSpan) {
        if let BlockItem::Declaration(declaration) = item {
            self.items.push(Item { range: range(declaration), kind: ItemKind::Plain });
        }
        visit::visit_block_item(self, item, span);
    }

    fn visit_labeled_statement(&mut self, node: &'ast LabeledStatement, span: &'ast NodeSpan) {
        let arm = SwitchArm { before: span.start, behind: node.statement.span.start };
        self.labels.insert(node.label.span.start, arm);
        let labels = if matches!(node.label.node, Label::Identifier(_)) { &mut self.jumps } else { &mut self.cases };
        labels.push(node.label.span.start);
        visit::visit_labeled_statement(self, node, span);
    }

    fn visit_if_statement(&mut self, node: &'ast IfStatement, span: &'ast NodeSpan) {
        let then = self.body(&node.then_statement);
        if let Some(otherwise) = &node.else_statement {
            self.body(otherwise);
        }
        self.ifs.insert(Range::from(span), If { condition: range(&node.condition), then });
        visit::visit_if_statement(self, node, span);
    }

    fn visit_switch_statement(&mut self, node: &'ast SwitchStatement, span: &'ast NodeSpan) {
        self.body(&node.statement);
        let switch = Switch { condition: range(&node.expression), arms: arms(&node.statement) };
        self.switches.insert(Range::from(span), switch);
        visit::visit_switch_statement(self, node, span);
    }

    fn visit_while_statement(&mut self, node: &'ast WhileStatement, span: &'ast NodeSpan) {
        let body = Some(self.body(&node.statement));
        self.loops.insert(Range::from(span), Loop { condition: Some(range(&node.expression)), step: None, body });
        visit::visit_while_statement(self, node, span);
    }

    fn visit_do_while_statement(&mut self, node: &'ast DoWhileStatement, span: &'ast NodeSpan) {
        let body = Some(self.body(&node.statement));
        self.loops.insert(Range::from(span), Loop { condition: Some(range(&node.expression)), step: None, body });
        visit::visit_do_while_statement(self, node, span);
    }

    fn visit_for_statement(&mut self, node: &'ast ForStatement, span: &'ast NodeSpan) {
        let part = |part: &Option<Box<Node<Expression>>>| part.as_ref().map(|part| range(part));
        let body = Some(self.body(&node.statement));
        let parts = Loop { condition: part(&node.condition), step: part(&node.step), body };
        self.loops.insert(Range::from(span), parts);
        visit::visit_for_statement(self, node, span);
    }

    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast NodeSpan) {
        self.expressions.insert(Range::from(span));
        visit::visit_expression(self, expression, span);
    }

    fn visit_binary_operator_expression(&mut self, node: &'ast BinaryOperatorExpression, span: &'ast NodeSpan) {
        if matches!(node.operator.node, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr) {
            let choice = Choice { condition: range(&node.lhs), first: Some(range(&node.rhs)), second: None };
            self.choices.insert(Range::from(span), choice);
        }
        if matches!(
            node.operator.node,
            BinaryOperator::Less
                | BinaryOperator::LessOrEqual
                | BinaryOperator::Greater
                | BinaryOperator::GreaterOrEqual
        ) {
            self.comparisons.insert(Range::from(span), [range(&node.lhs), range(&node.rhs)]);
        }
        visit::visit_binary_operator_expression(self, node, span);
    }

    fn visit_conditional_expression(&mut self, node: &'ast ConditionalExpression, span: &'ast NodeSpan) {
        let is_condition =
            matches!(&node.then_expression.node, Expression::Identifier(name) if name.node.name == SAME_AS_CONDITION);
        let choice = Choice {
            condition: range(&node.condition),
            first: (!is_condition).then(|| range(&node.then_expression)),
            second: Some(range(&node.else_expression)),
        };
        self.choices.insert(Range::from(span), choice);
        visit::visit_conditional_expression(self, node, span);
    }

    fn visit_call_expression(&mut self, node: &'ast CallExpression, span: &'ast NodeSpan) {
        let arguments = node.arguments.iter().map(|argument| Range::from(&argument.span)).collect();
        self.calls.insert(Range::from(span), arguments);
        visit::visit_call_expression(self, node, span);
    }

    fn visit_function_definition(&mut self, node: &'ast FunctionDefinition, span: &'ast NodeSpan) {
        self.functions.insert(span.end, node.statement.span.start + 1);
        visit::visit_function_definition(self, node, span);
    }
}
