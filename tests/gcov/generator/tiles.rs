//! Loops over tiles and over a task's part.

use super::Generator;
use crate::tree::{Block, Expr, Stmt, Type, assign, binary, call, conditional, name, number};

impl Generator {
    pub(super) fn partitioned_loop(&mut self, depth: usize) -> Block {
        let n = self.bound();
        match self.random.within(0, 5) {
            0 | 1 => self.tiled_loop(depth, n),
            2 => self.cyclic_loop(depth, n),
            3 => self.block_cyclic_loop(depth, n),
            4 => self.chunk_loop(depth, n),
            _ => self.balanced_loop(depth, n),
        }
    }

    fn tiled_loop(&mut self, depth: usize, n: Expr) -> Block {
        let (tile, counter, width) = (self.fresh("ii"), self.fresh("i"), self.constant(2, 5));
        let body = self.body(depth + 1, Some((&counter, Type::Int)), true);
        let end = binary(name(&tile), "+", width.clone());
        let inner = match self.random.within(0, 2) {
            0 => Self::simple_for(&counter, name(&tile), call("MIN", vec![end, n.clone()]), body),
            1 => {
                let least = conditional(binary(end.clone(), "<", n.clone()), end, n.clone());
                Self::simple_for(&counter, name(&tile), least, body)
            }
            _ => {
                let below = |bound| binary(name(&counter), "<", bound);
                let mut inner = Self::simple_for(&counter, name(&tile), number(0), body);
                if let Stmt::For { condition, .. } = &mut inner {
                    *condition = Some(binary(below(end), "&&", below(n.clone())));
                }
                inner
            }
        };
        let start = self.constant(-1, 2);
        vec![strided(&tile, start, n, width, vec![inner])]
    }

    fn cyclic_loop(&mut self, depth: usize, n: Expr) -> Block {
        let counter = self.fresh("i");
        let body = self.body(depth, Some((&counter, Type::Int)), true);
        vec![strided(&counter, name("rank"), n, name("size"), body)]
    }

    fn block_cyclic_loop(&mut self, depth: usize, n: Expr) -> Block {
        let (block, counter, width) = (self.fresh("b"), self.fresh("i"), self.constant(2, 4));
        let body = self.body(depth + 1, Some((&counter, Type::Int)), true);
        let end = call("MIN", vec![binary(name(&block), "+", width.clone()), n.clone()]);
        let inner = Self::simple_for(&counter, name(&block), end, body);
        let first = binary(name("rank"), "*", width.clone());
        vec![strided(&block, first, n, binary(name("size"), "*", width), vec![inner])]
    }

    /// Equal chunks, the last one shorter.
    fn chunk_loop(&mut self, depth: usize, n: Expr) -> Block {
        let (counter, chunk, low) = (self.fresh("i"), self.fresh("chunk"), self.fresh("low"));
        let body = self.body(depth, Some((&counter, Type::Int)), true);
        let width = if self.random.chance(50) {
            call("CEIL", vec![n.clone(), name("size")])
        } else {
            binary(n.clone(), "/", name("size"))
        };
        let end = call("MIN", vec![binary(name(&low), "+", name(&chunk)), n]);
        vec![
            Stmt::Declare(Type::Int, chunk.clone(), width),
            Stmt::Declare(Type::Int, low.clone(), binary(name("rank"), "*", name(&chunk))),
            Self::simple_for(&counter, name(&low), end, body),
        ]
    }

    /// Parts that differ by one at most.
    fn balanced_loop(&mut self, depth: usize, n: Expr) -> Block {
        let counter = self.fresh("i");
        let body = self.body(depth, Some((&counter, Type::Int)), true);
        let end = |rank: Expr| binary(binary(rank, "*", n.clone()), "/", name("size"));
        if self.random.chance(50) {
            let next = binary(name("rank"), "+", number(1));
            return vec![Self::simple_for(&counter, end(name("rank")), end(next), body)];
        }
        let (low, count) = (self.fresh("low"), self.fresh("count"));
        let share = binary(n.clone(), "/", name("size"));
        let extra = binary(n.clone(), "%", name("size"));
        let first = binary(binary(name("rank"), "*", share.clone()), "+", call("MIN", vec![name("rank"), extra.clone()]));
        let more = vec![Stmt::Assign(assign(&count, "+=", number(1)))];
        vec![
            Stmt::Declare(Type::Int, low.clone(), first),
            Stmt::Declare(Type::Int, count.clone(), share),
            Stmt::If(vec![(binary(name("rank"), "<", extra), more)], None),
            Self::simple_for(&counter, name(&low), binary(name(&low), "+", name(&count)), body),
        ]
    }
}

fn strided(counter: &str, low: Expr, high: Expr, step: Expr, body: Block) -> Stmt {
    Stmt::For {
        declares: Some(Type::Int),
        init: vec![(counter.to_owned(), low)],
        condition: Some(binary(name(counter), "<", high)),
        step: vec![assign(counter, "+=", step)],
        body,
    }
}
