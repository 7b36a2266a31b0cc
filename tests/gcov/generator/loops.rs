//! Loops by the shape of their header.

use super::Generator;
use super::statements::tick;
use crate::tree::{Block, Expr, Jump, Stmt, Type, assign, binary, call, name, number};

impl Generator {
    pub(super) fn body(&mut self, depth: usize, counter: Option<(&str, Type)>, continues: bool) -> Block {
        self.loops += 1;
        let scope = self.scope.len();
        if let Some((name, ty)) = counter {
            self.declare(name, ty);
        }
        self.continues.push(continues);
        let body = self.statements(depth + 1, if depth < 2 { 3 } else { 2 });
        self.continues.pop();
        self.scope.truncate(scope);
        body
    }

    pub(super) fn counted_loop(&mut self, depth: usize) -> Block {
        let (low, high) = (self.bound(), self.bound());
        let step = number(*self.random.pick(&[1, 1, 1, 1, 2, 3, 5]));
        let counter = self.fresh("i");
        let i = || name(&counter);
        let types = [Type::Int, Type::Int, Type::Int, Type::Int, Type::Long, Type::Short, Type::Char];
        let int = *self.random.pick(if self.is_plain() { &types[..5] } else { &types });
        let unsigned = *self.random.pick(&[Type::Unsigned, Type::UnsignedLong, Type::UnsignedChar]);
        let nonnegative = |bound| call("MAX", vec![number(0), bound]);
        let last = if self.is_plain() { 9 } else { 13 };
        let (ty, start, condition, op, step) = match self.random.within(0, last) {
            0..=5 => (int, low, binary(i(), "<", high), "+=", step),
            6 | 7 => (int, low, binary(i(), "<=", high), "+=", step),
            8 => (int, high, binary(i(), ">", low), "-=", step),
            9 => (int, high, binary(i(), ">=", low), "-=", step),
            10 => {
                let condition = binary(Expr::Postfix(counter.clone(), "--"), ">", number(0));
                (Type::Unsigned, nonnegative(high), condition, "", step)
            }
            11 => {
                let end = binary(low.clone(), "+", binary(step.clone(), "*", nonnegative(high)));
                (int, low, binary(i(), "!=", end), "+=", step)
            }
            12 => (unsigned, nonnegative(low), binary(i(), "<", nonnegative(high)), "+=", step),
            _ => (int, low, binary(binary(i(), "<", high), "&&", self.comparison()), "+=", step),
        };
        let body = self.body(depth, Some((&counter, ty)), true);
        let step = if op.is_empty() { Vec::new() } else { vec![assign(&counter, op, step)] };
        vec![Stmt::For { declares: Some(ty), init: vec![(counter, start)], condition: Some(condition), step, body }]
    }

    /// Loops of other shapes than counting.
    pub(super) fn shaped_loop(&mut self, depth: usize) -> Block {
        let counter = self.fresh("w");
        let w = || name(&counter);
        let (start, high, step) = (self.bound(), self.bound(), self.constant(1, 4));
        let factor = self.constant(2, 3);
        let (one, zero) = (number(1), number(0));
        match self.random.within(0, 13) {
            0 => self.while_loop(depth, &counter, start, binary(w(), ">", zero), "-=", step),
            1 => self.while_loop(depth, &counter, start, binary(w(), ">", one), "/=", factor),
            2 => self.while_loop(depth, &counter, start, binary(w(), ">", zero), ">>=", one),
            3 => self.while_loop(depth, &counter, one, binary(w(), "<", high), "*=", factor),
            4 => self.while_loop(depth, &counter, one, binary(w(), "<=", high), "<<=", number(1)),
            5 => self.while_loop(depth, &counter, zero, binary(binary(w(), "*", w()), "<=", high), "+=", one),
            6 => self.do_loop(depth, &counter, start, step),
            7 => self.outer_counter(depth, counter, start, high, step),
            8 => self.meeting_counters(depth, counter, start, high),
            9 => self.endless_loop(depth, counter, start, high, step),
            10 => self.again(depth, counter, high),
            11 => self.binary_search(depth, &counter, high),
            12 => self.remainders(depth, &counter),
            _ => self.tree(depth, &counter),
        }
    }

    fn while_loop(
        &mut self,
        depth: usize,
        counter: &str,
        start: Expr,
        condition: Expr,
        op: &'static str,
        step: Expr,
    ) -> Block {
        let mut body = self.body(depth, Some((counter, Type::Int)), false);
        body.push(Stmt::Assign(assign(counter, op, step)));
        if self.random.chance(30) {
            self.declare(counter, Type::Int);
        }
        vec![Stmt::Declare(Type::Int, counter.to_owned(), start), Stmt::While(condition, body)]
    }

    fn do_loop(&mut self, depth: usize, counter: &str, start: Expr, step: Expr) -> Block {
        let mut body = self.body(depth, Some((counter, Type::Int)), false);
        body.push(Stmt::Assign(assign(counter, "-=", step)));
        let condition = binary(name(counter), ">", number(0));
        vec![Stmt::Declare(Type::Int, counter.to_owned(), start), Stmt::Do(body, condition)]
    }

    /// The counter is read after the loop.
    fn outer_counter(&mut self, depth: usize, counter: String, start: Expr, high: Expr, step: Expr) -> Block {
        let body = self.body(depth, Some((&counter, Type::Int)), true);
        self.declare(&counter, Type::Int);
        let condition = Some(binary(name(&counter), "<", high));
        let step = vec![assign(&counter, "+=", step)];
        let declaration = Stmt::Declare(Type::Int, counter.clone(), number(0));
        vec![declaration, Stmt::For { declares: None, init: vec![(counter, start)], condition, step, body }]
    }

    /// Two counters that move towards each other.
    fn meeting_counters(&mut self, depth: usize, counter: String, start: Expr, high: Expr) -> Block {
        let other = self.fresh("v");
        let scope = self.scope.len();
        self.declare(&other, Type::Int);
        let body = self.body(depth, Some((&counter, Type::Int)), true);
        self.scope.truncate(scope);
        let condition = Some(binary(name(&counter), "<", name(&other)));
        let steps = [self.constant(1, 2), self.constant(0, 2)];
        let step = vec![assign(&counter, "+=", steps[0].clone()), assign(&other, "-=", steps[1].clone())];
        vec![Stmt::For { declares: Some(Type::Int), init: vec![(counter, start), (other, high)], condition, step, body }]
    }

    /// `for (;;)` or `while (1)`, left by a break.
    fn endless_loop(&mut self, depth: usize, counter: String, start: Expr, high: Expr, step: Expr) -> Block {
        let mut body = vec![Stmt::If(
            vec![(binary(name(&counter), ">=", high), vec![Stmt::Jump(Jump::Break)])],
            None,
        )];
        body.append(&mut self.body(depth, Some((&counter, Type::Int)), false));
        body.push(Stmt::Assign(assign(&counter, "+=", step)));
        vec![Stmt::Declare(Type::Int, counter, start), Stmt::While(number(1), body)]
    }

    fn again(&mut self, depth: usize, counter: String, high: Expr) -> Block {
        let label = self.fresh("again");
        let outside = std::mem::take(&mut self.continues);
        self.loops += 1;
        let mut body = self.scoped(|generator| {
            generator.declare(&counter, Type::Int);
            generator.statements(depth + 1, 2)
        });
        self.continues = outside;
        body.push(Stmt::Assign(assign(&counter, "+=", number(1))));
        let condition = binary(name(&counter), "<", high);
        vec![Stmt::Declare(Type::Int, counter, number(0)), Stmt::Again(label, body, condition)]
    }

    /// The interval halves until it is empty.
    fn binary_search(&mut self, depth: usize, low: &str, high: Expr) -> Block {
        let (top, middle, key) = (self.fresh("hi"), self.fresh("mid"), self.affine());
        let half = binary(binary(name(low), "+", name(&top)), "/", number(2));
        let mut body = vec![Stmt::Declare(Type::Int, middle.clone(), half)];
        body.append(&mut self.body(depth, Some((&middle, Type::Int)), false));
        let right = Stmt::Assign(assign(low, "=", binary(name(&middle), "+", number(1))));
        let left = Stmt::Assign(assign(&top, "=", name(&middle)));
        body.push(Stmt::If(vec![(binary(name(&middle), "<", key), vec![right])], Some(vec![left])));
        let condition = binary(name(low), "<", name(&top));
        vec![
            Stmt::Declare(Type::Int, low.to_owned(), number(0)),
            Stmt::Declare(Type::Int, top, high),
            Stmt::While(condition, body),
        ]
    }

    /// The greatest common divisor by division.
    fn remainders(&mut self, depth: usize, a: &str) -> Block {
        let (b, rest) = (self.fresh("b"), self.fresh("rest"));
        let start = call("MAX", vec![number(0), self.bound()]);
        let mut body = self.body(depth, Some((a, Type::Int)), false);
        body.push(Stmt::Declare(Type::Int, rest.clone(), binary(name(a), "%", name(&b))));
        body.push(Stmt::Assign(assign(a, "=", name(&b))));
        body.push(Stmt::Assign(assign(&b, "=", name(&rest))));
        let first = self.bound();
        self.declare(a, Type::Int);
        vec![
            Stmt::Declare(Type::Int, a.to_owned(), first),
            Stmt::Declare(Type::Int, b.clone(), start),
            Stmt::While(binary(name(&b), "!=", number(0)), body),
        ]
    }

    /// A task's part of a reduction along a binary tree.
    fn tree(&mut self, depth: usize, step: &str) -> Block {
        let twice = || binary(number(2), "*", name(step));
        let is_own = if self.random.chance(50) {
            binary(binary(name("rank"), "%", twice()), "==", number(0))
        } else {
            binary(binary(name("rank"), "&", binary(twice(), "-", number(1))), "==", number(0))
        };
        let partner = binary(binary(name("rank"), "+", name(step)), "<", name("size"));
        let receives = Stmt::If(vec![(partner, self.nested(depth + 1))], None);
        let sends = vec![tick(), Stmt::Jump(Jump::Break)];
        self.loops += 1;
        vec![Stmt::For {
            declares: Some(Type::Int),
            init: vec![(step.to_owned(), number(1))],
            condition: Some(binary(name(step), "<", name("size"))),
            step: vec![if self.random.chance(50) { assign(step, "*=", number(2)) } else { assign(step, "<<=", number(1)) }],
            body: vec![Stmt::If(vec![(is_own, vec![receives])], Some(sends))],
        }]
    }
}
