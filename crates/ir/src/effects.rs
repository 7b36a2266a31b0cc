//! Effects of functions over the whole call graph: who reaches MPI, who may not return, who
//! recurses. Calls through pointers may reach every function of a fitting arity whose address is taken.

use super::raw::{RawFunction, RawItem, RawProgram, RawRegion};
use super::{Arg, Call, Callee, Const, Effects, FuncId, Operand};
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_base::ids::{Id, Table};
use chronos_functions as functions;
use std::sync::Arc;

/// Knows what a call may do.
pub struct CallEffects {
    /// The effects of each function of the program.
    pub functions: Table<FuncId, Effects>,
    noreturn: FxHashSet<Arc<str>>,
    /// By number of arguments of a call through a pointer.
    indirect: FxHashMap<usize, Effects>,
}

impl CallEffects {
    /// A call that ends its straight block: it reaches MPI or may not return.
    pub fn ends_block(&self, call: &Call) -> bool {
        let effects = match &call.callee {
            Callee::Mpi(_) => return true,
            Callee::Library(name) if does_not_return(name, &self.noreturn) => return true,
            Callee::Library(_) => return callbacks(call).any(|f| ends(self.functions[f])),
            Callee::Function(id) => self.functions[*id],
            Callee::Indirect(_) => self.indirect.get(&call.args.len()).copied().unwrap_or_default(),
        };
        ends(effects)
    }
}

fn ends(effects: Effects) -> bool {
    effects.reaches_mpi || effects.may_not_return
}

fn does_not_return(name: &str, declared: &FxHashSet<Arc<str>>) -> bool {
    functions::never_returns(name) || declared.contains(name)
}

/// Functions handed to a library, which may call them (qsort).
fn callbacks(call: &Call) -> impl Iterator<Item = FuncId> + '_ {
    call.args.iter().filter_map(|arg| match arg {
        Arg::Scalar(Operand::Const(Const::Function(id))) => Some(*id),
        _ => None,
    })
}

/// The call graph: functions, then one node for each arity of calls through pointers.
struct Graph {
    successors: Vec<Vec<usize>>,
    reaches_mpi: Vec<bool>,
    may_not_return: Vec<bool>,
    /// Node of each arity.
    groups: FxHashMap<usize, usize>,
}

/// Effects of all functions of a program.
pub fn effects(program: &RawProgram) -> CallEffects {
    let mut graph = Graph::of(program);
    let mpi = propagate(&graph.successors, std::mem::take(&mut graph.reaches_mpi));
    let ends = propagate(&graph.successors, std::mem::take(&mut graph.may_not_return));
    let cyclic = cyclic(&graph.successors);
    let at = |node: usize| Effects {
        reaches_mpi: mpi[node],
        may_not_return: ends[node],
        recursive: cyclic[node],
        address_taken: false,
    };
    let functions =
        program.functions.iter().map(|(id, f)| Effects { address_taken: f.address_taken, ..at(id.index()) }).collect();
    let indirect = graph.groups.iter().map(|(arity, node)| (*arity, at(*node))).collect();
    CallEffects { functions, noreturn: program.noreturn.clone(), indirect }
}

impl Graph {
    fn of(program: &RawProgram) -> Self {
        let count = program.functions.len();
        let mut graph = Self {
            successors: vec![Vec::new(); count],
            reaches_mpi: vec![false; count],
            may_not_return: vec![false; count],
            groups: FxHashMap::default(),
        };
        for (id, function) in program.functions.iter() {
            graph.may_not_return[id.index()] |= function.noreturn;
            calls(&function.body, &mut |call| graph.add(id.index(), call, program));
        }
        graph
    }

    fn add(&mut self, caller: usize, call: &Call, program: &RawProgram) {
        match &call.callee {
            Callee::Function(id) => self.successors[caller].push(id.index()),
            Callee::Mpi(name) => {
                self.reaches_mpi[caller] = true;
                self.may_not_return[caller] |= functions::never_returns(name);
            }
            Callee::Library(name) => {
                self.may_not_return[caller] |= does_not_return(name, &program.noreturn);
                self.successors[caller].extend(callbacks(call).map(Id::index));
                if functions::lookup(name).is_some_and(|row| row.raises_signals) {
                    // The handler of a signal.
                    let group = self.group(1, program);
                    self.successors[caller].push(group);
                }
            }
            Callee::Indirect(_) => {
                let group = self.group(call.args.len(), program);
                self.successors[caller].push(group);
            }
        }
    }

    fn group(&mut self, arity: usize, program: &RawProgram) -> usize {
        if let Some(&node) = self.groups.get(&arity) {
            return node;
        }
        let fits =
            |f: &RawFunction| f.address_taken && (f.params.len() == arity || f.variadic && f.params.len() <= arity);
        let targets = program.functions.iter().filter(|(_, f)| fits(f)).map(|(id, _)| id.index());
        self.successors.push(targets.collect());
        self.reaches_mpi.push(false);
        self.may_not_return.push(false);
        self.groups.insert(arity, self.successors.len() - 1);
        self.successors.len() - 1
    }
}

fn calls(region: &RawRegion, visit: &mut impl FnMut(&Call)) {
    for item in region {
        match item {
            RawItem::Call(raw) => visit(&raw.call),
            RawItem::Loop(raw) => {
                calls(&raw.init, visit);
                if let Some(condition) = &raw.condition {
                    calls(&condition.region, visit);
                }
                calls(&raw.body, visit);
                calls(&raw.step, visit);
            }
            RawItem::Branch(raw) => raw.arms.iter().for_each(|arm| calls(&arm.region, visit)),
            RawItem::Op(_) | RawItem::Label(..) | RawItem::Extend(_) => {}
        }
    }
}

/// Spreads a property from callees to callers.
fn propagate(successors: &[Vec<usize>], mut holds: Vec<bool>) -> Vec<bool> {
    let mut callers = vec![Vec::new(); successors.len()];
    for (caller, callees) in successors.iter().enumerate() {
        callees.iter().for_each(|&callee| callers[callee].push(caller));
    }
    let mut work: Vec<usize> = (0..holds.len()).filter(|&node| holds[node]).collect();
    while let Some(node) = work.pop() {
        for &caller in &callers[node] {
            if !holds[caller] {
                holds[caller] = true;
                work.push(caller);
            }
        }
    }
    holds
}

/// Which nodes lie on a cycle: strongly connected components (Tarjan, with a stack of its own). The search of petgraph
/// calls itself, and a chain of functions may be longer than the stack.
fn cyclic(successors: &[Vec<usize>]) -> Vec<bool> {
    let mut search = Components::new(successors);
    (0..successors.len()).for_each(|node| search.visit(node));
    search.cyclic
}

struct Components<'a> {
    successors: &'a [Vec<usize>],
    /// Order of discovery from 1; 0 for not yet seen.
    order: Vec<usize>,
    low: Vec<usize>,
    open: Vec<usize>,
    is_open: Vec<bool>,
    discovered: usize,
    cyclic: Vec<bool>,
}

impl<'a> Components<'a> {
    fn new(successors: &'a [Vec<usize>]) -> Self {
        let n = successors.len();
        Self {
            successors,
            order: vec![0; n],
            low: vec![0; n],
            open: Vec::new(),
            is_open: vec![false; n],
            discovered: 0,
            cyclic: vec![false; n],
        }
    }

    fn discover(&mut self, node: usize) {
        self.discovered += 1;
        self.order[node] = self.discovered;
        self.low[node] = self.discovered;
        self.open.push(node);
        self.is_open[node] = true;
    }

    fn visit(&mut self, root: usize) {
        if self.order[root] != 0 {
            return;
        }
        self.discover(root);
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let (node, successor) = (*node, self.successors[*node].get(*next).copied());
            *next += 1;
            match successor {
                Some(target) if self.order[target] == 0 => {
                    self.discover(target);
                    path.push((target, 0));
                }
                Some(target) if self.is_open[target] => self.low[node] = self.low[node].min(self.order[target]),
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some(&(parent, _)) = path.last() {
                        self.low[parent] = self.low[parent].min(self.low[node]);
                    }
                    self.close(node);
                }
            }
        }
    }

    /// Ends the component of `node`, where `node` is the first of it that was discovered.
    fn close(&mut self, node: usize) {
        if self.low[node] != self.order[node] {
            return;
        }
        let start = self.open.iter().rposition(|&n| n == node).unwrap_or(0);
        let members = self.open.split_off(start);
        let cycle = members.len() > 1 || self.successors[node].contains(&node);
        for member in members {
            self.is_open[member] = false;
            self.cyclic[member] = cycle;
        }
    }
}
