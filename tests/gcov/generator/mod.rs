//! Random C programs whose control flow integers determine: functions of loop nests that end soon
//! and have defined behaviour.

mod expressions;
mod functions;
mod loops;
mod statements;
mod tiles;

use crate::meaning::Machine;
use crate::random::Random;
use crate::tree::{Block, Expr, Function, Run, Source, Type, number};

/// Nests of one program.
pub const NESTS: usize = 100;
/// Most steps of one run of a nest.
pub const FUEL: u32 = 40_000;

/// Which constructs a program is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Counted loops, strides, tiles, minima, affine and modular guards: everything linear.
    Plain,
    Full,
}

/// An integer that may be read.
#[derive(Clone)]
struct Variable {
    name: String,
    ty: Type,
}

/// Writes one function after the other.
struct Generator {
    random: Random,
    names: u32,
    /// The innermost last.
    scope: Vec<Variable>,
    /// What `continue` would do here: false where it would skip a step. Empty outside of loops.
    continues: Vec<bool>,
    /// What may be called.
    callees: Vec<Function>,
    /// Loops of the function so far.
    loops: usize,
    /// Whether the function returns a value.
    returns: bool,
    level: Level,
}

/// A program of many nests, each run with several arguments, as several tasks of several.
pub fn source(seed: u64) -> Source {
    source_of(seed, Level::Full)
}

/// The same of some constructs only.
pub fn source_of(seed: u64, level: Level) -> Source {
    let mut generator = Generator {
        random: Random(seed),
        names: 0,
        scope: Vec::new(),
        continues: Vec::new(),
        callees: Vec::new(),
        loops: 0,
        returns: false,
        level,
    };
    generator.helpers();
    let (mut functions, mut runs) = (generator.callees.clone(), Vec::new());
    for number in 0..NESTS {
        let (nest, of_nest) = generator.tested_nest(number, &functions);
        functions.push(nest);
        runs.extend(of_nest);
    }
    Source { functions, runs, spread: seed % 3 == 1, mpi: false }
}

impl Generator {
    /// A nest all of whose runs end soon; with luck one that does something.
    fn tested_nest(&mut self, number: usize, before: &[Function]) -> (Function, Vec<Run>) {
        loop {
            let nest = self.nest(number);
            let runs: Vec<Run> = (0..2).map(|_| self.run(&nest.name)).collect();
            let mut functions = before.to_vec();
            functions.push(nest);
            let mut machine = Machine::new(&functions);
            let steps: Option<Vec<u32>> = runs.iter().map(|run| machine.run(run, FUEL).ok()).collect();
            if steps.is_some_and(|steps| steps.iter().any(|steps| *steps > 12) || self.random.chance(5)) {
                return (functions.remove(before.len()), runs);
            }
        }
    }

    fn run(&mut self, nest: &str) -> Run {
        let size = *self.random.pick(&[1, 2, 3, 4, 5, 8]);
        let rank = self.random.within(0, size - 1);
        let (n, m) = (self.random.within(0, 12), self.random.within(-2, 9));
        Run { nest: nest.to_owned(), arguments: vec![number(n), number(m)], rank, size }
    }

    fn is_plain(&self) -> bool {
        self.level == Level::Plain
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn declare(&mut self, name: &str, ty: Type) {
        self.scope.push(Variable { name: name.to_owned(), ty });
    }

    /// A block with variables of its own.
    fn scoped(&mut self, content: impl FnOnce(&mut Self) -> Block) -> Block {
        let outer = self.scope.len();
        let block = content(self);
        self.scope.truncate(outer);
        block
    }

    fn variable(&mut self) -> Expr {
        let variable = self.random.pick(&self.scope).clone();
        let name = Expr::Name(variable.name);
        let is_plain = matches!(variable.ty, Type::Int | Type::Short | Type::Char | Type::Long);
        if is_plain || self.random.chance(30) { name } else { Expr::Cast(Type::Int, Box::new(name)) }
    }
}
