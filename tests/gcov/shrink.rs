//! Makes a failing program smaller while it still fails: simpler programs are tried, biggest cuts
//! first, until none of them fails.

use crate::tree::{Assign, Block, Case, Expr, Function, Source, Stmt};
use std::collections::BTreeSet;

/// Most programs tried for one failure.
const ATTEMPTS: usize = 250;

/// The smallest program found that still `fails`.
pub fn shrink(source: Source, fails: &dyn Fn(&Source) -> bool) -> Source {
    let mut attempts = 0;
    let mut smallest = without_unused(source);
    'smaller: loop {
        for candidate in candidates(&smallest) {
            attempts += 1;
            if attempts > ATTEMPTS {
                return smallest;
            }
            if fails(&candidate) {
                smallest = without_unused(candidate);
                continue 'smaller;
            }
        }
        return smallest;
    }
}

/// Only one nest and what it needs.
pub fn only(source: &Source, nest: &str) -> Source {
    let mut only = source.clone();
    only.runs.retain(|run| run.nest == nest);
    without_unused(only)
}

fn candidates(source: &Source) -> Vec<Source> {
    let mut all: Vec<Source> = without_one(&source.runs).into_iter().map(|runs| Source { runs, ..source.clone() }).collect();
    all.retain(|source| !source.runs.is_empty());
    for (i, function) in source.functions.iter().enumerate().rev() {
        for body in blocks(&function.body) {
            let mut smaller = source.clone();
            smaller.functions[i].body = body;
            all.push(smaller);
        }
    }
    for (i, run) in source.runs.iter().enumerate() {
        for arguments in each_of(&run.arguments, exprs) {
            let mut smaller = source.clone();
            smaller.runs[i].arguments = arguments;
            all.push(smaller);
        }
        if run.size > 1 {
            let mut smaller = source.clone();
            (smaller.runs[i].rank, smaller.runs[i].size) = (0, 1);
            all.push(smaller);
        }
    }
    all
}

/// Without functions that nothing calls.
fn without_unused(mut source: Source) -> Source {
    let mut used: BTreeSet<String> = source.runs.iter().map(|run| run.nest.clone()).collect();
    for function in source.functions.iter().rev() {
        if used.contains(&function.name) {
            called(function, &mut used);
        }
    }
    source.functions.retain(|function| used.contains(&function.name));
    source
}

fn called(function: &Function, names: &mut BTreeSet<String>) {
    let text = format!("{:?}", function.body);
    for part in text.split("Call(\"").skip(1) {
        names.extend(part.split('"').next().map(str::to_owned));
    }
}

fn without_one<T: Clone>(list: &[T]) -> Vec<Vec<T>> {
    let without = |i: usize| list[..i].iter().chain(&list[i + 1..]).cloned().collect();
    (0..list.len()).map(without).collect()
}

/// The list with one element replaced by something simpler.
fn each_of<T: Clone>(list: &[T], simpler: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let mut all = Vec::new();
    for (i, element) in list.iter().enumerate() {
        for replacement in simpler(element) {
            let mut changed = list.to_vec();
            changed[i] = replacement;
            all.push(changed);
        }
    }
    all
}

fn blocks(block: &Block) -> Vec<Block> {
    let mut all = without_one(block);
    for (i, stmt) in block.iter().enumerate() {
        for content in contents(stmt) {
            let mut unwrapped = block[..i].to_vec();
            unwrapped.extend(content);
            unwrapped.extend_from_slice(&block[i + 1..]);
            all.push(unwrapped);
        }
    }
    all.extend(each_of(block, stmts));
    all
}

/// What a compound statement contains.
fn contents(stmt: &Stmt) -> Vec<Block> {
    match stmt {
        Stmt::If(arms, otherwise) => arms.iter().map(|arm| arm.1.clone()).chain(otherwise.clone()).collect(),
        Stmt::Switch(_, cases, default) => {
            cases.iter().map(|case| case.body.clone()).chain(default.clone()).collect()
        }
        Stmt::For { body, .. } | Stmt::While(_, body) | Stmt::Do(body, _) | Stmt::Again(_, body, _) => {
            vec![body.clone()]
        }
        _ => Vec::new(),
    }
}

fn stmts(stmt: &Stmt) -> Vec<Stmt> {
    match stmt {
        Stmt::Declare(ty, name, value) => mapped(exprs(value), |value| Stmt::Declare(*ty, name.clone(), value)),
        Stmt::Assign(assign) => mapped(assigns(assign), Stmt::Assign),
        Stmt::Call(function, arguments) => {
            mapped(each_of(arguments, exprs), |arguments| Stmt::Call(function.clone(), arguments))
        }
        Stmt::If(arms, otherwise) => ifs(arms, otherwise.as_ref()),
        Stmt::Switch(value, cases, default) => switches(value, cases, default.as_ref()),
        Stmt::For { .. } => fors(stmt),
        Stmt::While(condition, body) => {
            let mut all = mapped(blocks(body), |body| Stmt::While(condition.clone(), body));
            all.extend(mapped(exprs(condition), |condition| Stmt::While(condition, body.clone())));
            all
        }
        Stmt::Do(body, condition) => {
            let mut all = mapped(blocks(body), |body| Stmt::Do(body, condition.clone()));
            all.extend(mapped(exprs(condition), |condition| Stmt::Do(body.clone(), condition)));
            all
        }
        Stmt::Again(label, body, condition) => {
            mapped(blocks(body), |body| Stmt::Again(label.clone(), body, condition.clone()))
        }
        Stmt::Return(Some(value)) => mapped(exprs(value), |value| Stmt::Return(Some(value))),
        Stmt::Jump(_) | Stmt::Return(None) => Vec::new(),
    }
}

fn mapped<T, U>(list: Vec<T>, f: impl FnMut(T) -> U) -> Vec<U> {
    list.into_iter().map(f).collect()
}

fn ifs(arms: &[(Expr, Block)], otherwise: Option<&Block>) -> Vec<Stmt> {
    let mut all = Vec::new();
    if otherwise.is_some() {
        all.push(Stmt::If(arms.to_vec(), None));
    }
    if arms.len() > 1 {
        all.extend(mapped(without_one(arms), |arms| Stmt::If(arms, otherwise.cloned())));
    }
    let arm = |(condition, body): &(Expr, Block)| {
        let mut all = mapped(blocks(body), |body| (condition.clone(), body));
        all.extend(mapped(exprs(condition), |condition| (condition, body.clone())));
        all
    };
    all.extend(mapped(each_of(arms, arm), |arms| Stmt::If(arms, otherwise.cloned())));
    let bodies = otherwise.map_or(Vec::new(), blocks);
    all.extend(mapped(bodies, |body| Stmt::If(arms.to_vec(), Some(body))));
    all
}

fn switches(value: &Expr, cases: &[Case], default: Option<&Block>) -> Vec<Stmt> {
    let with = |cases: Vec<Case>| Stmt::Switch(value.clone(), cases, default.cloned());
    let mut all = Vec::new();
    if default.is_some() {
        all.push(Stmt::Switch(value.clone(), cases.to_vec(), None));
    }
    all.extend(mapped(without_one(cases), with));
    let simpler = |case: &Case| mapped(blocks(&case.body), |body| Case { body, ..case.clone() });
    all.extend(mapped(each_of(cases, simpler), with));
    all.extend(mapped(exprs(value), |value| Stmt::Switch(value, cases.to_vec(), default.cloned())));
    all
}

fn fors(stmt: &Stmt) -> Vec<Stmt> {
    let Stmt::For { declares, init, condition, step, body } = stmt else { return Vec::new() };
    let (declares, condition) = (*declares, condition.clone());
    let mut all = mapped(blocks(body), |body| Stmt::For {
        declares,
        init: init.clone(),
        condition: condition.clone(),
        step: step.clone(),
        body,
    });
    let starts = each_of(init, |(name, value)| mapped(exprs(value), |value| (name.clone(), value)));
    all.extend(mapped(starts, |init| Stmt::For {
        declares,
        init,
        condition: condition.clone(),
        step: step.clone(),
        body: body.clone(),
    }));
    all.extend(mapped(condition.as_ref().map_or(Vec::new(), exprs), |condition| Stmt::For {
        declares,
        init: init.clone(),
        condition: Some(condition),
        step: step.clone(),
        body: body.clone(),
    }));
    all.extend(mapped(each_of(step, assigns), |step| Stmt::For {
        declares,
        init: init.clone(),
        condition: condition.clone(),
        step,
        body: body.clone(),
    }));
    all
}

fn assigns(assign: &Assign) -> Vec<Assign> {
    mapped(exprs(&assign.value), |value| Assign { value, ..assign.clone() })
}

/// Parts of an expression, and smaller numbers.
fn exprs(expr: &Expr) -> Vec<Expr> {
    match expr {
        Expr::Number(value) if *value != 0 => {
            let mut smaller = BTreeSet::from([0, 1, value / 2, value - value.signum()]);
            smaller.remove(value);
            smaller.into_iter().map(Expr::Number).filter(|_| value.abs() > 1).collect()
        }
        Expr::Number(_) | Expr::Address(_) => Vec::new(),
        Expr::Name(_) | Expr::Postfix(..) => Vec::new(),
        Expr::Element(array, index) => {
            let mut all = vec![Expr::Number(3)];
            all.extend(mapped(exprs(index), |index| Expr::Element(array.clone(), Box::new(index))));
            all
        }
        Expr::Unary(op, inner) => {
            let mut all = vec![(**inner).clone()];
            all.extend(mapped(exprs(inner), |inner| Expr::Unary(op, Box::new(inner))));
            all
        }
        Expr::Binary(op, left, right) => {
            let mut all = vec![(**left).clone(), (**right).clone()];
            all.extend(mapped(exprs(left), |left| Expr::Binary(op, Box::new(left), right.clone())));
            all.extend(mapped(exprs(right), |right| Expr::Binary(op, left.clone(), Box::new(right))));
            all
        }
        Expr::Conditional(parts) => {
            let mut all = vec![parts[1].clone(), parts[2].clone()];
            all.extend(mapped(each_of(&parts[..], exprs), |parts| {
                let [condition, yes, no] = [0, 1, 2].map(|i: usize| parts[i].clone());
                Expr::Conditional(Box::new([condition, yes, no]))
            }));
            all
        }
        Expr::Call(function, arguments) => {
            let mut all: Vec<Expr> =
                arguments.iter().filter(|argument| !matches!(argument, Expr::Address(_))).cloned().collect();
            all.extend(mapped(each_of(arguments, exprs), |arguments| Expr::Call(function.clone(), arguments)));
            all
        }
        Expr::Cast(ty, inner) => {
            let mut all = vec![(**inner).clone()];
            all.extend(mapped(exprs(inner), |inner| Expr::Cast(*ty, Box::new(inner))));
            all
        }
    }
}
