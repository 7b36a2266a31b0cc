//! Values, bounds and conditions.

use super::Generator;
use crate::tree::{Expr, binary, call, conditional, name, number};

impl Generator {
    pub(super) fn constant(&mut self, low: i64, high: i64) -> Expr {
        number(self.random.within(low, high))
    }

    /// A variable plus a constant.
    pub(super) fn small(&mut self) -> Expr {
        let variable = self.variable();
        match self.random.within(-3, 3) {
            0 => variable,
            constant @ ..0 => binary(variable, "-", number(-constant)),
            constant => binary(variable, "+", number(constant)),
        }
    }

    pub(super) fn affine(&mut self) -> Expr {
        match self.random.within(0, 5) {
            0 => binary(self.small(), "+", self.variable()),
            1 => binary(self.small(), "-", self.variable()),
            2 => binary(binary(number(2), "*", self.variable()), "-", self.constant(0, 9)),
            3 => binary(self.constant(-2, 12), "-", self.variable()),
            _ => self.small(),
        }
    }

    /// A loop bound.
    pub(super) fn bound(&mut self) -> Expr {
        let last = if self.is_plain() { 19 } else { 25 };
        match self.random.within(0, last) {
            0..=4 => self.constant(-1, 9),
            5..=8 => self.parameter(),
            9..=13 => self.small(),
            14 => call("MIN", vec![self.small(), self.small()]),
            15 => call("MAX", vec![self.small(), self.bound()]),
            16 => self.chosen_bound(),
            17 => binary(name("n"), "/", self.constant(2, 4)),
            18 => binary(binary(name("n"), "+", self.constant(0, 3)), "/", self.constant(2, 5)),
            19 => name(self.random.pick::<&str>(&["range.low", "range.high", "range.step", "width"])),
            20 => self.table(),
            21 => binary(self.parameter(), "%", self.constant(2, 5)),
            22 => self.share(),
            23 => call("MIN", vec![binary(self.variable(), "+", self.constant(2, 5)), self.parameter()]),
            24 => binary(self.parameter(), ">>", self.constant(1, 2)),
            _ => self.affine(),
        }
    }

    fn parameter(&mut self) -> Expr {
        let which = name(self.random.pick::<&str>(&["n", "n", "m"]));
        match self.random.within(0, 3) {
            0 => binary(which, "-", number(1)),
            1 => binary(which, "+", number(2)),
            _ => which,
        }
    }

    /// `a < b ? a : b`, written out.
    fn chosen_bound(&mut self) -> Expr {
        let (a, b) = (self.small(), self.small());
        match self.random.within(0, 2) {
            0 => conditional(binary(a.clone(), "<", b.clone()), a, b),
            1 => conditional(binary(a.clone(), ">", b.clone()), a, b),
            _ => conditional(self.simple_condition(), a, b),
        }
    }

    pub(super) fn table(&mut self) -> Expr {
        let (array, last) = *self.random.pick(&[("limit", 3), ("starts", 7), ("sizes", 7)]);
        let index = if self.random.chance(40) {
            self.constant(0, last)
        } else {
            binary(self.small(), "&", number(last))
        };
        Expr::Element(array.to_owned(), Box::new(index))
    }

    /// A task's part of something.
    fn share(&mut self) -> Expr {
        let (n, rank, size) = (self.parameter(), name("rank"), name("size"));
        match self.random.within(0, 4) {
            0 => binary(n, "/", size),
            1 => call("CEIL", vec![n, size]),
            2 => binary(binary(rank, "*", n), "/", size),
            3 => {
                let extra = binary(rank, "<", binary(n.clone(), "%", size.clone()));
                binary(binary(n, "/", size), "+", extra)
            }
            _ => rank,
        }
    }

    pub(super) fn condition(&mut self) -> Expr {
        let last = if self.is_plain() { 9 } else { 13 };
        match self.random.within(0, last) {
            0..=5 => self.simple_condition(),
            6 | 7 => binary(self.simple_condition(), "&&", self.simple_condition()),
            8 | 9 => binary(self.simple_condition(), "||", self.simple_condition()),
            10 => Expr::Unary("!", Box::new(self.condition())),
            11 => binary(binary(self.comparison(), "&&", self.simple_condition()), "||", self.comparison()),
            12 => conditional(self.comparison(), self.simple_condition(), self.simple_condition()),
            _ => binary(self.comparison(), "&&", binary(self.comparison(), "||", self.simple_condition())),
        }
    }

    fn simple_condition(&mut self) -> Expr {
        let last = if self.is_plain() { 6 } else { 9 };
        match self.random.within(0, last) {
            0..=4 => self.comparison(),
            5 | 6 => {
                let modulus = self.random.within(2, 5);
                let op = *self.random.pick(&["==", "!=", ">", "<"]);
                binary(binary(self.affine(), "%", number(modulus)), op, self.constant(0, modulus - 1))
            }
            7 => binary(self.affine(), "&", number(*self.random.pick(&[1, 2, 3]))),
            8 => binary(self.constant(0, 3), ",", self.comparison()),
            _ => binary(binary(name("rank"), "+", self.variable()), "%", name("size")),
        }
    }

    pub(super) fn comparison(&mut self) -> Expr {
        let op = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        binary(self.affine(), op, self.small())
    }
}
