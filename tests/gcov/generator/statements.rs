//! Statements that are no loops.

use super::Generator;
use crate::tree::{Assign, Block, Case, Expr, Jump, Parameter, Stmt, Type, assign, binary, name, number};

impl Generator {
    /// Statements of a block that stands in `depth` loops.
    pub(super) fn statements(&mut self, depth: usize, most: i64) -> Block {
        self.scoped(|generator| {
            let count = generator.random.within(1, most);
            let mut block: Block = (0..count).flat_map(|_| generator.statement(depth)).collect();
            if depth > 0 || generator.random.chance(50) || block.is_empty() {
                block.push(tick());
            }
            block
        })
    }

    fn statement(&mut self, depth: usize) -> Block {
        let room = depth < 4 && self.loops < 7;
        if self.is_plain() {
            return match self.random.within(0, 9) {
                0..=4 if room && depth < 3 && self.loops < 4 => self.counted_loop(depth),
                5 if room && depth < 2 && self.loops < 3 => self.partitioned_loop(depth),
                6 | 7 => vec![self.guard(depth)],
                _ => vec![self.store()],
            };
        }
        match self.random.within(0, 22) {
            0..=7 if room => self.counted_loop(depth),
            8 | 9 if room => self.shaped_loop(depth),
            10 if room => self.partitioned_loop(depth),
            11..=13 => vec![self.guard(depth)],
            14 => self.leave(),
            15 => vec![self.switch(depth)],
            16 | 17 => self.call(),
            18 | 19 => self.scalar(),
            20 if room => self.counting(depth),
            21 if room => self.prefix_sums(depth),
            _ => vec![self.store()],
        }
    }

    fn store(&mut self) -> Stmt {
        let index = binary(self.affine(), "&", number(63));
        let target = Expr::Element("data".into(), Box::new(index));
        Stmt::Assign(Assign { target, op: "+=", value: number(1) })
    }

    fn scalar(&mut self) -> Block {
        let ty = *self.random.pick(&[Type::Int, Type::Int, Type::Int, Type::Long, Type::Unsigned]);
        let (variable, value) = (self.fresh("t"), self.bound());
        let mut block = vec![Stmt::Declare(ty, variable.clone(), value)];
        if self.random.chance(40) {
            let (condition, other) = (self.condition(), self.affine());
            let arm = vec![Stmt::Assign(assign(&variable, "=", other))];
            block.push(Stmt::If(vec![(condition, arm)], None));
        }
        self.declare(&variable, ty);
        block
    }

    fn call(&mut self) -> Block {
        if self.callees.is_empty() {
            return vec![self.store()];
        }
        let callee = self.random.pick(&self.callees).clone();
        let (result, out) = (self.fresh("r"), self.fresh("o"));
        let mut block = Vec::new();
        let arguments = callee.parameters.iter().map(|(kind, _)| match kind {
            Parameter::Value(_) => self.bound(),
            Parameter::Range => Expr::Address("range".into()),
            Parameter::Out => {
                block.push(Stmt::Declare(Type::Int, out.clone(), number(0)));
                Expr::Address(out.clone())
            }
        });
        let arguments: Vec<Expr> = arguments.collect();
        let gives = !block.is_empty();
        if callee.returns {
            block.push(Stmt::Declare(Type::Int, result.clone(), Expr::Call(callee.name, arguments)));
            block.push(Stmt::Assign(assign("sink", "+=", name(&result))));
            self.declare(&result, Type::Int);
        } else {
            block.push(Stmt::Call(callee.name, arguments));
        }
        if gives {
            self.declare(&out, Type::Int);
        }
        block
    }

    fn guard(&mut self, depth: usize) -> Stmt {
        let count = *self.random.pick(&[1, 1, 1, 1, 2, 3]);
        let arms = (0..count).map(|_| (self.condition(), self.nested(depth))).collect();
        let otherwise = self.random.chance(40).then(|| self.nested(depth));
        Stmt::If(arms, otherwise)
    }

    pub(super) fn nested(&mut self, depth: usize) -> Block {
        self.statements(depth.max(1), 1)
    }

    fn switch(&mut self, depth: usize) -> Stmt {
        let modulus = self.random.within(2, 6);
        let value = match self.random.within(0, 2) {
            0 => self.small(),
            1 => binary(self.affine(), "&", number(3)),
            _ => {
                let remainder = binary(self.affine(), "%", number(modulus));
                binary(binary(remainder, "+", number(modulus)), "%", number(modulus))
            }
        };
        let mut cases = Vec::new();
        let mut label = self.random.within(-1, 1);
        while label < modulus {
            let labels: Vec<i64> = (label..=label + i64::from(self.random.chance(20))).collect();
            label += labels.len() as i64 + i64::from(self.random.chance(20));
            self.continues.push(false);
            let body = self.nested(depth);
            self.continues.pop();
            cases.push(Case { labels, body, breaks: self.random.chance(70) });
        }
        let default = self.random.chance(50).then(|| vec![Stmt::Assign(assign("sink", "-=", number(1)))]);
        Stmt::Switch(value, cases, default)
    }

    /// A jump out of the loop, to its next iteration or out of the function.
    fn leave(&mut self) -> Block {
        let Some(&continues) = self.continues.last() else { return vec![self.store()] };
        let jump = match self.random.within(0, 8) {
            0..=3 if continues => Stmt::Jump(Jump::Continue),
            7 if self.returns => Stmt::Return(Some(self.small())),
            7 => Stmt::Return(None),
            8 if !self.returns => Stmt::Jump(Jump::Done),
            _ => Stmt::Jump(Jump::Break),
        };
        vec![Stmt::If(vec![(self.condition(), vec![jump])], None)]
    }

    /// Counts iterations in which something holds; later bounds read the number.
    fn counting(&mut self, depth: usize) -> Block {
        let variable = self.fresh("c");
        let mut block = vec![Stmt::Declare(Type::Int, variable.clone(), self.constant(0, 2))];
        let mut loops = self.counted_loop(depth);
        if let Some(Stmt::For { body, init, .. }) = loops.last_mut() {
            let counter = name(&init[0].0);
            let modulus = self.random.within(2, 4);
            let condition = match self.random.within(0, 2) {
                0 => binary(binary(counter, "%", number(modulus)), "==", number(0)),
                1 => binary(counter, self.random.pick::<&str>(&["<", ">", "!="]), self.small()),
                _ => number(1),
            };
            let step = Stmt::Assign(assign(&variable, "+=", self.constant(1, 2)));
            body.insert(0, Stmt::If(vec![(condition, vec![step])], None));
        }
        block.append(&mut loops);
        self.declare(&variable, Type::Int);
        block
    }

    /// Offsets computed from sizes, and a loop over one part.
    fn prefix_sums(&mut self, depth: usize) -> Block {
        let (counter, part) = (self.fresh("i"), self.fresh("p"));
        let at = |index: Expr| Expr::Element("prefix".into(), Box::new(index));
        let size = Expr::Element("sizes".into(), Box::new(name(&counter)));
        let fill = Assign {
            target: at(binary(name(&counter), "+", number(1))),
            op: "=",
            value: binary(at(name(&counter)), "+", size),
        };
        let sums = Self::simple_for(&counter, number(0), number(8), vec![Stmt::Assign(fill)]);
        let chosen = binary(self.small(), "&", number(7));
        let inner = self.fresh("i");
        self.declare(&part, Type::Int);
        let body = self.body(depth, Some((&inner, Type::Int)), true);
        let over = Self::simple_for(&inner, at(name(&part)), at(binary(name(&part), "+", number(1))), body);
        vec![sums, Stmt::Declare(Type::Int, part, chosen), over]
    }

    /// `for (int counter = low; counter < high; counter++)`
    pub(super) fn simple_for(counter: &str, low: Expr, high: Expr, body: Block) -> Stmt {
        Stmt::For {
            declares: Some(Type::Int),
            init: vec![(counter.to_owned(), low)],
            condition: Some(binary(name(counter), "<", high)),
            step: vec![assign(counter, "+=", number(1))],
            body,
        }
    }
}

pub(super) fn tick() -> Stmt {
    Stmt::Assign(assign("sink", "+=", number(1)))
}
