//! Nests, and the functions that they call.

use super::Generator;
use crate::tree::{Block, Expr, Function, Parameter, Stmt, Type, assign, binary, call, name, number};

const HELPERS: usize = 10;

impl Generator {
    /// Functions that loop, recur and give numbers.
    pub(super) fn helpers(&mut self) {
        for index in 0..HELPERS {
            let helper = match index {
                0 => self.recursion(),
                1 => self.with_range(),
                2 => self.with_out(),
                _ => self.plain(index),
            };
            self.callees.push(helper);
        }
    }

    pub(super) fn nest(&mut self, number: usize) -> Function {
        self.function(&format!("nest{number}"), false, Vec::new(), |generator| generator.statements(0, 3))
    }

    fn function(
        &mut self,
        name: &str,
        returns: bool,
        more: Vec<(Parameter, String)>,
        body: impl FnOnce(&mut Self) -> Block,
    ) -> Function {
        (self.names, self.loops, self.returns) = (0, 0, returns);
        self.scope.clear();
        self.continues.clear();
        self.declare("n", Type::Int);
        self.declare("m", Type::Int);
        let values = ["n", "m"].map(|name| (Parameter::Value(Type::Int), name.to_owned()));
        let parameters = values.into_iter().chain(more).collect();
        Function { name: name.to_owned(), returns, parameters, body: body(self) }
    }

    fn plain(&mut self, index: usize) -> Function {
        let returns = self.random.chance(80);
        self.function(&format!("help{index}"), returns, Vec::new(), |generator| {
            let mut body = if generator.random.chance(60) { generator.counted_loop(3) } else { Vec::new() };
            if returns {
                if generator.random.chance(40) {
                    let value = generator.affine();
                    body.push(Stmt::If(vec![(generator.condition(), vec![Stmt::Return(Some(value))])], None));
                }
                body.push(Stmt::Return(Some(generator.affine())));
            } else {
                body.append(&mut generator.statements(2, 2));
            }
            body
        })
    }

    /// Calls itself with smaller arguments.
    fn recursion(&mut self) -> Function {
        self.function("recurse", true, Vec::new(), |generator| {
            let end = vec![Stmt::Return(Some(generator.small()))];
            let mut body = vec![Stmt::If(vec![(binary(name("n"), "<=", number(0)), end)], None)];
            body.append(&mut generator.statements(2, 1));
            let smaller = |by| binary(name("n"), "-", number(by));
            let mut value = call("recurse", vec![smaller(1), generator.affine()]);
            match generator.random.within(0, 3) {
                0 => value = binary(value, "+", call("recurse", vec![smaller(2), name("m")])),
                1 => value = call("recurse", vec![binary(name("n"), "/", number(2)), generator.small()]),
                _ => {}
            }
            body.push(Stmt::Return(Some(value)));
            body
        })
    }

    /// Bounds in a structure behind a pointer.
    fn with_range(&mut self) -> Function {
        self.function("ranged", true, vec![(Parameter::Range, "r".into())], |generator| {
            let counter = generator.fresh("i");
            let body = generator.body(3, Some((&counter, Type::Int)), true);
            let over = Stmt::For {
                declares: Some(Type::Int),
                init: vec![(counter.clone(), name("r->low"))],
                condition: Some(binary(name(&counter), "<", binary(name("r->high"), "+", generator.variable()))),
                step: vec![assign(&counter, "+=", name("r->step"))],
                body,
            };
            vec![over, Stmt::Return(Some(binary(name("r->high"), "-", generator.variable())))]
        })
    }

    /// Gives a number through a pointer.
    fn with_out(&mut self) -> Function {
        self.function("giving", false, vec![(Parameter::Out, "out".into())], |generator| {
            let value = generator.bound();
            let mut body = vec![Stmt::Assign(assign("*out", "=", value))];
            let more = vec![Stmt::Assign(assign("*out", "+=", number(1)))];
            if generator.random.chance(50) {
                body.append(&mut generator.counted_loop(3));
                let step = vec![Stmt::Assign(assign("*out", "+=", Expr::Number(2)))];
                body.push(Stmt::If(vec![(generator.condition(), step)], Some(more)));
            } else {
                body.push(Stmt::If(vec![(generator.condition(), more)], None));
            }
            body
        })
    }
}
