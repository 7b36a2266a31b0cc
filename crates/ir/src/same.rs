//! Whether two programs have the same functions, blocks and variables by the same numbers: those that lowering makes of the
//! same sources for different data models.
//!
//! Then counts of one can be added to counts of the other, and what is said of a block holds in both. Operations,
//! constants, layouts and types of values may differ: they follow from sizes of types.

use super::{Block, BlockKind, Callee, Function, Program, Variable};
use chronos_base::span::Span;

/// The first place where two programs differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where it is in the first program; `None` where it has nothing there.
    pub first: Option<Span>,
    /// Where it is in the second one.
    pub second: Option<Span>,
}

impl Program {
    /// The first difference to another program in what has a number: blocks, functions and variables.
    pub fn first_difference(&self, other: &Self) -> Option<Difference> {
        let same_file = |one: Span, two: Span| one.file == two.file && self.file(one) == other.file(two);
        let functions = |same: fn(&Function, &Function) -> bool| {
            let same = |one: &Function, two: &Function| same_file(one.span, two.span) && same(one, two);
            differing(self.functions.values(), other.functions.values(), |function| function.span, same)
        };
        let blocks = || {
            let same = |one: &Block, two: &Block| same_file(one.span, two.span) && same_block(one, two);
            differing(self.blocks.values(), other.blocks.values(), |block| block.span, same)
        };
        let variables = || {
            let same = |one: &Variable, two: &Variable| same_file(one.span, two.span) && same_variable(one, two);
            differing(self.variables.values(), other.variables.values(), |variable| variable.span, same)
        };
        // Names first and extents last, since a block tells the place of a difference within a function.
        functions(|one, two| one.name == two.name)
            .or_else(blocks)
            .or_else(|| functions(same_function))
            .or_else(variables)
    }

    fn file(&self, span: Span) -> &str {
        &self.files.get(span.file).name
    }
}

fn differing<'p, T: 'p>(
    mut one: impl Iterator<Item = &'p T>,
    mut two: impl Iterator<Item = &'p T>,
    span: impl Fn(&T) -> Span,
    same: impl Fn(&T, &T) -> bool,
) -> Option<Difference> {
    loop {
        match (one.next(), two.next()) {
            (None, None) => return None,
            (Some(one), Some(two)) if same(one, two) => {}
            (one, two) => return Some(Difference { first: one.map(&span), second: two.map(&span) }),
        }
    }
}

fn same_function(one: &Function, two: &Function) -> bool {
    (&one.name, &one.params, &one.locals, one.blocks) == (&two.name, &two.params, &two.locals, two.blocks)
}

fn same_variable(one: &Variable, two: &Variable) -> bool {
    (&one.name, one.storage, one.function) == (&two.name, two.storage, two.function)
}

fn same_block(one: &Block, two: &Block) -> bool {
    // Straight code may be written in two ways (`#if LONG_MAX > ...`): it has one counter in both.
    let is_straight = matches!(one.kind, BlockKind::Straight(_));
    (one.function, one.parent, one.first_counter) == (two.function, two.parent, two.first_counter)
        && (is_straight || one.span.line_start == two.span.line_start)
        && match (&one.kind, &two.kind) {
            (BlockKind::Straight(one), BlockKind::Straight(two)) => one.label == two.label,
            (BlockKind::Call(one), BlockKind::Call(two)) => same_callee(&one.callee, &two.callee),
            (BlockKind::Loop(_), BlockKind::Loop(_)) => true,
            (BlockKind::Branch(one), BlockKind::Branch(two)) => {
                one.kind == two.kind && one.arms.len() == two.arms.len()
            }
            _ => false,
        }
}

fn same_callee(one: &Callee, two: &Callee) -> bool {
    match (one, two) {
        (Callee::Function(one), Callee::Function(two)) => one == two,
        (Callee::Library(one), Callee::Library(two)) | (Callee::Mpi(one), Callee::Mpi(two)) => one == two,
        (Callee::Indirect(_), Callee::Indirect(_)) => true,
        _ => false,
    }
}
