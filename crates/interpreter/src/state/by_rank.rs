//! What a task that stands for others knows of them: which places hold functions of the rank, and what its course asks of
//! the ranks of the others.
//!
//! The values that it computes with are its own. Beside those that depend on its rank stands a formula here, and
//! wherever one decides something, the outcome is fixed: tasks for which it is another one do not belong to its class. This is
//! concolic execution with the rank as the only input (K. Sen, D. Marinov, G. Agha, "CUTE", ESEC/FSE 2005).

use crate::state::formulas::{Formula, FormulaId, Formulas};
use crate::state::location::Location;
use chronos_activity::{CommId, TaskId};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_ir::{BinaryOp, BlockId, ScalarType};
use chronos_values::{ObjectId, Pointer, Value};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// Formulas of a course; with more of them nothing is gained.
const MOST_FORMULAS: usize = 4096;
/// With so many of them it is looked for the first time whether any other task does the same so far.
const FIRST_LOOK: usize = 64;
/// Places that hold such values at a time.
const MOST_PLACES: usize = 1024;

/// Of all types of a place, the one that comes first.
const FIRST_TYPE: ScalarType = ScalarType::Bool;

/// Branches of code without MPI that may be followed operation by operation: of more of them it matters how well they are
/// predicted, which is not told of classes.
const MOST_BRANCHES: u32 = 1 << 14;

/// Task numbers from here on in steps stand for formulas.
const OF_FORMULAS: u32 = 1 << 31;

/// The task whose rank a formula is.
pub(crate) fn task_of_formula(id: FormulaId) -> TaskId {
    TaskId(OF_FORMULAS | id.0)
}

/// The formula that stands in place of a task.
pub(crate) fn formula_of_task(task: TaskId) -> Option<FormulaId> {
    (task.0 >= OF_FORMULAS).then_some(FormulaId(task.0 & !OF_FORMULAS))
}

/// What a place is, and when it became that.
pub(crate) type Stamp = (Option<FormulaId>, Option<u64>);

/// Partners of the MPI call in progress that are functions of the rank.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Partners {
    pub to: Option<FormulaId>,
    pub from: Option<FormulaId>,
}

/// What others have to agree with in messages and collective operations.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Signatures {
    /// Datatypes of messages, by tag.
    pub messages: BTreeMap<i64, BTreeSet<usize>>,
    /// Datatypes of collective operations, by call.
    pub calls: BTreeMap<BlockId, BTreeSet<usize>>,
}

/// What a task knows of those that it stands for.
#[derive(Clone, Debug)]
pub(crate) struct ByRank {
    /// How many tasks there are.
    pub(crate) tasks: u32,
    pub(crate) formulas: Formulas,
    /// Places whose values depend on the rank.
    places: BTreeMap<Location, FormulaId>,
    /// When a place got another formula last, or none any more.
    changed: FxHashMap<Location, u64>,
    /// Counts such changes.
    now: u64,
    /// Places that were read by somebody who asks for numbers.
    seen: RefCell<Vec<Location>>,
    /// Why it stands for nobody.
    refused: Cell<Option<&'static str>>,
    pub(crate) partners: Partners,
    /// Places that the MPI call in progress writes, with what they were before.
    pub(crate) rewritten: Vec<(Location, Stamp)>,
    /// Where the MPI call in progress stores what it says of messages, and how many bytes.
    pub(crate) statuses: Vec<(Pointer, u64)>,
    /// The call in progress gives all tasks the same.
    pub(crate) is_broadcast: bool,
    pub(crate) signatures: Signatures,
    /// Communicators on which the ranks are those of all tasks, and others.
    worlds: BTreeMap<CommId, bool>,
    /// Summaries are asked for that do without what depends on the rank.
    pub(crate) hides: Cell<bool>,
    /// How often summaries of loops were asked for.
    pub(crate) asked: BTreeMap<BlockId, u64>,
    /// Loops that were summed up in which texts are handled.
    pub(crate) texts: BTreeSet<BlockId>,
    /// Branches of code without MPI so far.
    branches: u32,
    /// With so many formulas it is looked next whether any other task does the same so far.
    next_look: usize,
    /// None does: nothing depends on the rank any more but what is received.
    is_alone: bool,
}

impl ByRank {
    pub(crate) fn new(rank: u32, tasks: u32) -> Self {
        Self {
            tasks,
            formulas: Formulas::new(rank),
            places: BTreeMap::new(),
            changed: FxHashMap::default(),
            now: 0,
            seen: RefCell::default(),
            refused: Cell::new(None),
            partners: Partners::default(),
            rewritten: Vec::new(),
            statuses: Vec::new(),
            is_broadcast: false,
            signatures: Signatures::default(),
            worlds: BTreeMap::new(),
            hides: Cell::new(false),
            asked: BTreeMap::new(),
            texts: BTreeSet::new(),
            branches: 0,
            next_look: FIRST_LOOK,
            is_alone: false,
        }
    }

    /// It stands for nobody: each task is to be followed by itself.
    pub(crate) fn refuse(&self, why: &'static str) {
        if self.refused.get().is_none() {
            self.refused.set(Some(why));
        }
    }

    pub(crate) fn refused(&self) -> Option<&'static str> {
        let spoilt = self.formulas.is_spoilt().then_some("something depends on what is received");
        self.refused.get().or(spoilt)
    }

    /// A branch of code without MPI is followed.
    pub(crate) fn count_branch(&mut self) {
        self.branches += 1;
        if self.branches > MOST_BRANCHES {
            self.refuse("many branches are followed one by one");
        }
    }

    pub(crate) fn formula(&self, place: Location) -> Option<FormulaId> {
        self.places.get(&place).copied()
    }

    /// What stands there now is this function of the rank; `None`: the same for all.
    pub(crate) fn put(&mut self, place: Location, formula: Option<FormulaId>) {
        let formula = formula.filter(|&formula| self.is_open(formula));
        let before = match formula {
            Some(formula) => self.places.insert(place, formula),
            None => self.places.remove(&place),
        };
        if before != formula {
            self.now += 1;
            self.changed.insert(place, self.now);
        }
        self.look_around();
        if self.places.len() > MOST_PLACES || !self.is_alone && self.formulas.len() > MOST_FORMULAS {
            self.refuse("too much depends on the rank");
        }
    }

    /// Whether a formula may have other values for other tasks of the class.
    fn is_open(&self, formula: FormulaId) -> bool {
        !self.is_alone || formula == Formulas::UNSAID
    }

    /// A master that goes through all other tasks asks for each of them whether it is that one. Where no other task goes its way,
    /// it is the only one of its class, and its rank is a number from then on.
    fn look_around(&mut self) {
        if self.is_alone || self.formulas.len() < self.next_look {
            return;
        }
        self.next_look = 2 * self.formulas.len();
        if !self.formulas.hold_for_no_other(self.tasks) {
            return;
        }
        self.formulas.fix(Formulas::RANK);
        self.is_alone = true;
        let known: Vec<Location> =
            self.places.iter().filter(|&(_, &formula)| !self.is_open(formula)).map(|(&place, _)| place).collect();
        known.into_iter().for_each(|place| self.put(place, None));
    }

    /// What a place is, and since when.
    pub(crate) fn stamp(&self, place: Location) -> Stamp {
        (self.formula(place), self.changed.get(&place).copied())
    }

    /// A place that was written is what it was before, if it is the same function again.
    pub(crate) fn restore(&mut self, place: Location, stamp: Stamp) {
        if self.formula(place) == stamp.0 {
            match stamp.1 {
                Some(since) => _ = self.changed.insert(place, since),
                None => _ = self.changed.remove(&place),
            }
        }
    }

    /// The same for what an MPI call has written.
    pub(crate) fn restore_rewritten(&mut self) {
        for (place, stamp) in std::mem::take(&mut self.rewritten) {
            self.restore(place, stamp);
        }
    }

    /// Counts changes of what places are.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// Whether a place is the same function of the rank as it was then.
    pub(crate) fn is_as_at(&self, place: Location, then: u64) -> bool {
        self.changed.get(&place).is_none_or(|&changed| changed <= then)
    }

    /// Registers from here on are gone, and so are objects that do not live.
    pub(crate) fn truncate(&mut self, registers: u32, lives: impl Fn(Location) -> bool) {
        // Every return from a function comes here, so that each object is asked once.
        let above = self.places.range(Location::Register(registers)..Location::Global(0));
        let mut gone: Vec<Location> = above.map(|(&place, _)| place).collect();
        let mut next = Location::Memory(ObjectId(0), 0, FIRST_TYPE);
        while let Some((&place @ Location::Memory(object, ..), _)) = self.places.range(next..).next() {
            next = Location::Memory(ObjectId(object.0 + 1), 0, FIRST_TYPE);
            if !lives(place) {
                gone.extend(self.places.range(place..next).map(|(&place, _)| place));
            }
        }
        gone.into_iter().for_each(|place| self.put(place, None));
    }

    /// The value there decides something: all of the class have the same one.
    pub(crate) fn pin(&mut self, place: Location) {
        if let Some(formula) = self.places.remove(&place) {
            self.formulas.fix(formula);
        }
    }

    /// Places in an object that begin before `end` and may reach beyond `begin`.
    pub(crate) fn overlapping(&self, object: ObjectId, begin: u64, end: u64) -> Vec<Location> {
        /// No scalar is longer.
        const LONGEST: u64 = 16;
        let first = Location::Memory(object, begin.saturating_sub(LONGEST), FIRST_TYPE);
        let places = self.places.range(first..).map(|(&place, _)| place);
        let inside =
            |place: &Location| matches!(place, Location::Memory(other, at, _) if *other == object && *at < end);
        places
            .take_while(|place| matches!(place, Location::Memory(other, ..) if *other == object))
            .filter(inside)
            .collect()
    }

    /// Whether something in an object depends on the rank.
    pub(crate) fn holds(&self, object: ObjectId) -> bool {
        let first = Location::Memory(object, 0, FIRST_TYPE);
        let next = self.places.range(first..).next();
        matches!(next, Some((Location::Memory(other, ..), _)) if *other == object)
    }

    /// Whether a variable in a register of the task depends on the rank.
    pub(crate) fn has_globals(&self) -> bool {
        self.places.keys().any(|place| matches!(place, Location::Global(_)))
    }

    /// Somebody reads a place who cannot say what follows from it.
    pub(crate) fn see(&self, place: Location) {
        if self.places.contains_key(&place) {
            self.seen.borrow_mut().push(place);
        }
    }

    /// Whether somebody has, since `take_seen` was called last.
    pub(crate) fn has_seen(&self) -> bool {
        !self.seen.borrow().is_empty()
    }

    pub(crate) fn take_seen(&self) -> Vec<Location> {
        self.seen.take()
    }

    /// The outcome of a condition decides how the task goes on.
    pub(crate) fn fix_truth(&mut self, condition: FormulaId) {
        if !self.is_open(condition) {
            return;
        }
        let (zero, ty) = match self.formulas.value(condition) {
            Value::Float(_) => (Value::Float(0.0), ScalarType::F64),
            _ => (Value::Int(0), ScalarType::I64),
        };
        let truth = self.formulas.constant(zero);
        let truth = truth.and_then(|zero| self.formulas.of(Formula::Binary(BinaryOp::Ne, ty, condition, zero)));
        self.formulas.fix(truth.unwrap_or(condition));
    }

    /// Whether the value lies between these decides how the task goes on.
    pub(crate) fn fix_within(&mut self, formula: FormulaId, low: i64, high: i64) {
        if !self.is_open(formula) {
            return;
        }
        let within = self.formulas.of(Formula::Within(formula, low, high));
        self.formulas.fix(within.unwrap_or(formula));
        self.look_around();
    }

    /// How many digits a number has, to the bases in which numbers are printed, decides about what follows.
    pub(crate) fn fix_digits(&mut self, formula: FormulaId) {
        let Value::Int(n) = self.formulas.value(formula) else { return self.formulas.fix(formula) };
        for base in [8, 10, 16] {
            let (low, high) = with_as_many_digits(n, base);
            self.fix_within(formula, low, high);
        }
    }

    /// Whether the task is this one decides how it goes on.
    pub(crate) fn fix_is(&mut self, rank: i64) {
        let own = Formulas::RANK;
        self.fix_within(own, rank, rank);
    }

    /// Whether two partners are the same task decides how the task goes on.
    pub(crate) fn fix_equal(&mut self, a: TaskId, b: TaskId) {
        let mut of = |task: TaskId| match formula_of_task(task) {
            Some(formula) => Some(formula),
            None => self.formulas.constant(Value::Int(i64::from(task.0))),
        };
        let equal = of(a).zip(of(b)).map(|(a, b)| Formula::Binary(BinaryOp::Eq, ScalarType::I64, a, b));
        match equal.and_then(|equal| self.formulas.of(equal)) {
            // The steps would have to be taken for equal, though they are of different functions.
            Some(equal) if self.formulas.value(equal) == Value::Int(1) => self.refuse("partners coincide"),
            Some(equal) => self.formulas.fix(equal),
            None => self.refuse("partners that are no numbers"),
        }
    }

    /// Whether ranks of a communicator are those of all tasks.
    pub(crate) fn is_world(&mut self, comm: CommId, group: impl FnOnce() -> std::sync::Arc<[TaskId]>) -> bool {
        let tasks = self.tasks as usize;
        let is_identity = || {
            let group = group();
            group.len() == tasks && group.iter().enumerate().all(|(rank, task)| task.index() == rank)
        };
        *self.worlds.entry(comm).or_insert_with(is_identity)
    }
}

/// The numbers of one sign that have as many digits as this one.
fn with_as_many_digits(n: i64, base: i64) -> (i64, i64) {
    if n < 0 {
        return (n, n);
    }
    let (mut low, mut high) = (0, base - 1);
    while n > high {
        low = high + 1;
        high = high.saturating_mul(base).saturating_add(base - 1);
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_as_many_digits() {
        for (n, base, range) in
            [(0, 10, (0, 9)), (9, 10, (0, 9)), (10, 10, (10, 99)), (512, 8, (512, 4095)), (-3, 10, (-3, -3))]
        {
            assert_eq!(with_as_many_digits(n, base), range, "{n}");
        }
        assert_eq!(with_as_many_digits(i64::MAX, 10).1, i64::MAX);
    }

    /// Two of the three bytes of a scalar that begins earlier.
    #[test]
    fn what_reaches_into_a_range_is_found() {
        let mut by_rank = ByRank::new(0, 4);
        let object = ObjectId(7);
        let place = Location::Memory(object, 8, ScalarType::I64);
        let rank = Formulas::RANK;
        by_rank.put(place, Some(rank));
        assert_eq!(by_rank.overlapping(object, 12, 16), [place]);
        assert!(by_rank.overlapping(object, 0, 8).is_empty());
        assert!(by_rank.overlapping(ObjectId(6), 0, 100).is_empty());
    }
}
