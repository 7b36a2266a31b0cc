//! What the source itself says about branches and loops: `PIC_proba(z);`, `chronos_probability(z);`,
//! `chronos_iterations(n);`, and which branch or loop each of them speaks of.
//!
//! That is decided once, from where the call stands, and not by what happens to be evaluated next: a call in
//! between, or a condition that turns out to be known, cannot take the assumption away.
//!
//! - As a statement, a probability speaks of the condition of the next branch of the same block: of the whole
//!   `if (a && b)`, not of its parts; of the first label of a `switch`.
//! - Within an expression, `if (PIC_proba(z), a < b)`, it speaks of the smallest branch around the call; on
//!   the right of `&&` and `||` of the value that stands there.
//! - A number of iterations speaks of the next loop behind it, or of the loop whose condition it stands in.
//!
//! Knows the block tree alone, and no values.

use chronos_base::diag::{Code, Diagnostic};
use chronos_base::hash::FxHashMap;
use chronos_base::span::Span;
use chronos_ir::{BlockId, BlockKind, BranchKind, Callee, OpKind, Program, Region};
use std::collections::BTreeSet;

/// What an assumption in the source speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// The condition of a branch is true.
    Condition(BlockId),
    /// The right side of this `&&` or `||` is true where it is evaluated.
    RightSide(BlockId),
    /// Iterations per entry of a loop.
    Loop(BlockId),
}

impl Target {
    /// The branch or loop of which the assumption speaks.
    pub fn block(self) -> BlockId {
        match self {
            Self::Condition(block) | Self::RightSide(block) | Self::Loop(block) => block,
        }
    }
}

/// Executions whose outcome was known although somebody spoke of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AnnotationCheck {
    /// Evaluations of a branch, entries of a loop.
    pub times: f64,
    /// How often the branch's condition was true; iterations of the loop.
    pub found: f64,
    /// What was said, summed over the executions.
    pub said: f64,
}

impl AnnotationCheck {
    /// Adds the executions of another part of the run.
    pub fn add(&mut self, other: Self) {
        self.times += other.times;
        self.found += other.found;
        self.said += other.said;
    }

    /// Found and said, per execution, where they differ by more than rounding in the source.
    pub fn contradiction(&self) -> Option<(f64, f64)> {
        let (found, said) = (self.found / self.times, self.said / self.times);
        ((found - said).abs() > 0.01 * said.abs().max(1.0)).then_some((found, said))
    }
}

/// What a call of the source assumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The probability that the next branch of the same block takes its first arm.
    Probability,
    /// The mean number of iterations per entry of the next loop of the same block.
    Iterations,
}

/// The kind of assumption that a library function of this name states.
pub fn kind(name: &str) -> Option<Kind> {
    match name {
        "PIC_proba" | "chronos_probability" => Some(Kind::Probability),
        "chronos_iterations" => Some(Kind::Iterations),
        _ => None,
    }
}

/// All assumptions of a program's source.
#[derive(Clone, Debug, Default)]
pub struct Annotations {
    targets: FxHashMap<BlockId, Target>,
    blocks: BTreeSet<BlockId>,
    stray: Vec<(BlockId, Kind)>,
}

/// Where a region stands.
#[derive(Clone, Copy)]
enum Place {
    Plain,
    LoopCondition(BlockId),
    RightSide(BlockId),
}

impl Annotations {
    /// Finds them; linear in the size of the program.
    pub fn new(program: &Program) -> Self {
        let mut found = Self::default();
        for function in program.functions.values() {
            found.region(program, &function.body, Place::Plain);
        }
        for (_, block) in program.blocks.iter() {
            found.inner(program, block);
        }
        found.blocks = found.targets.values().map(|target| target.block()).collect();
        found
    }

    fn inner(&mut self, program: &Program, block: &chronos_ir::Block) {
        match &block.kind {
            BlockKind::Loop(l) => {
                [&l.init, &l.body, &l.step].into_iter().for_each(|region| self.region(program, region, Place::Plain));
                let own = program.functions[block.function].targets[l.target];
                if let Some(condition) = &l.condition {
                    self.region(program, &condition.region, Place::LoopCondition(own));
                }
            }
            BlockKind::Branch(branch) => {
                for arm in &branch.arms {
                    let parent = arm.region.first().and_then(|&first| program.blocks[first].parent);
                    let place = match (branch.kind, parent) {
                        (BranchKind::And | BranchKind::Or, Some(parent)) => Place::RightSide(parent),
                        _ => Place::Plain,
                    };
                    self.region(program, &arm.region, place);
                }
            }
            BlockKind::Straight(_) | BlockKind::Call(_) => {}
        }
    }

    fn region(&mut self, program: &Program, region: &Region, place: Place) {
        for (position, &block) in region.iter().enumerate() {
            let BlockKind::Straight(straight) = &program.blocks[block].kind else { continue };
            for op in &straight.ops {
                let OpKind::Call(leaf) = op.kind else { continue };
                let Some(Callee::Library(name)) = program.call(leaf).map(|call| &call.callee) else { continue };
                let Some(kind) = kind(name) else { continue };
                let target = match kind {
                    Kind::Probability => condition(program, program.blocks[leaf].span, &region[position + 1..], place),
                    Kind::Iterations => next_loop(program, leaf, block, place),
                };
                match target {
                    Some(target) => {
                        self.targets.insert(leaf, target);
                    }
                    None => self.stray.push((leaf, kind)),
                }
            }
        }
    }

    /// What the call in this leaf speaks of.
    pub fn target(&self, call: BlockId) -> Option<Target> {
        self.targets.get(&call).copied()
    }

    /// The source says something about this branch or loop.
    pub fn covers(&self, block: BlockId) -> bool {
        self.blocks.contains(&block)
    }

    /// Assumptions that speak of nothing.
    pub fn diagnostics(&self, program: &Program) -> Vec<Diagnostic> {
        let told = |&(leaf, kind): &(BlockId, Kind)| {
            let (what, help) = match kind {
                Kind::Probability => (
                    "no branch follows this probability",
                    "put it right before the `if` or `switch`, or into the condition; for a loop use chronos_iterations(N)",
                ),
                Kind::Iterations => ("no loop follows this number of iterations", "put it right before the loop"),
            };
            Diagnostic::warning(&STRAY, what).label(program.blocks[leaf].span, "it is not used").help(help)
        };
        self.stray.iter().map(told).collect()
    }
}

pub(crate) static STRAY: Code = Code {
    id: "C0331",
    title: "an assumption in the source speaks of nothing",
    explanation: "PIC_proba(Z) and chronos_probability(Z) speak of the next branch of the same block, chronos_iterations(N) of the next loop. None follows, so the assumption has no effect. Put it right before the branch or loop.",
};

/// C0332: a number in the source is no probability or number of iterations.
pub static NO_ASSUMPTION: Code = Code {
    id: "C0332",
    title: "a number that no probability or number of iterations can be",
    explanation: "The argument of PIC_proba or chronos_probability is a probability, from 0 to 1; that of chronos_iterations a number of iterations, 0 or more. The value given here is neither. Where it is computed, check the expression with the program's arguments.",
};

/// C0333: an assumption in the source depends on an unknown value.
pub static UNKNOWN_ASSUMPTION: Code = Code {
    id: "C0333",
    title: "an assumption in the source depends on an unknown value",
    explanation: "The argument of PIC_proba, chronos_probability or chronos_iterations is evaluated where it stands. Its value cannot be known there, so the assumption has no effect. Give a number, or make the values known that it is computed from. With --symbolic, both may be sums, products and quotients of the parameters and of counters of loops around, as in PIC_proba(1.0 / N), with divisors of parameters alone; they are taken to lie within their range for the parameters that expressions are evaluated at.",
};

/// C0334: an assumption of the user contradicts what is known.
pub static CONTRADICTED: Code = Code {
    id: "C0334",
    title: "an assumption contradicts what is known",
    explanation: "The source (PIC_proba, chronos_iterations) or the command line (--prob, --iterations) says how a branch or loop behaves, but that is known exactly with the values given, and it differs. What is known is used. Remove the assumption; or, if it describes other runs, give the input of such a run.",
};

/// All codes of this module.
pub static CODES: &[&Code] = &[&STRAY, &NO_ASSUMPTION, &UNKNOWN_ASSUMPTION, &CONTRADICTED];

/// Whether the number can be what it is said to be; `Err` with a message.
pub fn check(kind: Kind, number: f64) -> Result<(), String> {
    match kind {
        Kind::Probability if !(0.0..=1.0).contains(&number) => Err(format!("{number} is no probability")),
        Kind::Iterations if !(number >= 0.0 && number.is_finite()) => {
            Err(format!("{number} is no number of iterations"))
        }
        _ => Ok(()),
    }
}

/// What the user can do about a number that `check` refuses.
pub fn remedy(kind: Kind) -> &'static str {
    match kind {
        Kind::Probability => "give a number from 0 to 1",
        Kind::Iterations => "give a number of 0 or more",
    }
}

/// The argument of an assumption is unknown.
pub fn unknown(kind: Kind, span: Span) -> Diagnostic {
    let what = match kind {
        Kind::Probability => "a probability",
        Kind::Iterations => "a number of iterations",
    };
    Diagnostic::warning(&UNKNOWN_ASSUMPTION, format!("{what} that the source assumes is unknown"))
        .label(span, "it is not used")
        .help("give a number, or make known what it is computed from")
}

/// The branch of the same region that a probability speaks of.
fn condition(program: &Program, call: Span, following: &[BlockId], place: Place) -> Option<Target> {
    let branches = || {
        let before_loop = following.iter().take_while(|&&id| !matches!(program.blocks[id].kind, BlockKind::Loop(_)));
        before_loop.copied().filter(|&id| matches!(program.blocks[id].kind, BlockKind::Branch(_)))
    };
    let span = |id: BlockId| program.blocks[id].span;
    let around = branches().filter(|&id| contains(span(id), call));
    // Of two that hold the call the inner one is evaluated first.
    if let Some(innermost) = around.reduce(|a, b| if contains(span(a), span(b)) && span(a) != span(b) { b } else { a })
    {
        return Some(Target::Condition(innermost));
    }
    match place {
        Place::RightSide(branch) => Some(Target::RightSide(branch)),
        Place::LoopCondition(_) => None,
        Place::Plain => {
            let outermost = branches().reduce(|a, b| if contains(span(b), span(a)) { b } else { a });
            outermost.map(Target::Condition)
        }
    }
}

fn next_loop(program: &Program, leaf: BlockId, straight: BlockId, place: Place) -> Option<Target> {
    if let Place::LoopCondition(own) = place {
        return Some(Target::Loop(own));
    }
    let region = program.blocks[straight].parent;
    let end = program.functions[program.blocks[leaf].function].blocks.1;
    let within = |id: BlockId| {
        let mut around = std::iter::successors(program.blocks[id].parent, |&parent| program.blocks[parent].parent);
        region.is_none_or(|region| around.any(|parent| parent == region))
    };
    let next = (leaf.0 + 1..end.0).map(BlockId).find(|&id| matches!(program.blocks[id].kind, BlockKind::Loop(_)));
    next.filter(|&id| within(id)).map(Target::Loop)
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file
        && (outer.line_start, outer.column_start) <= (inner.line_start, inner.column_start)
        && (inner.line_end, inner.column_end) <= (outer.line_end, outer.column_end)
}
