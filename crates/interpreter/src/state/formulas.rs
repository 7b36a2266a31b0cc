//! What values are as functions of a task's rank.
//!
//! Equal formulas have one number. Operands stand before what is made of them, so that all of them are computed for
//! another rank in one pass.

use chronos_base::hash::FxHashMap;
use chronos_ir::{BinaryOp, ScalarType, UnaryOp};
use chronos_values::{Value, arith};

/// A formula of the rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FormulaId(pub u32);

impl FormulaId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A number as a function of the rank. Operands are formulas that stand before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Formula {
    /// The rank in `MPI_COMM_WORLD`.
    Rank,
    /// What is not known to be the same for all tasks of the class, nor how it depends on the rank.
    Unsaid,
    /// The same integer for every rank.
    Integer(i64),
    /// The same number for every rank, by its bits.
    Real(u64),
    Unary(UnaryOp, ScalarType, FormulaId),
    Binary(BinaryOp, ScalarType, FormulaId, FormulaId),
    Convert(ScalarType, ScalarType, FormulaId),
    /// 1 where the operand lies between these, with them, else 0.
    Within(FormulaId, i64, i64),
    /// What stands in this table at the operand, where the first number of the table stands at this one.
    Table(TableId, FormulaId, i64),
}

/// A table of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TableId(u32);

/// Integers that all tables of a course have together.
const MOST_IN_TABLES: usize = 1 << 24;

/// Formulas that are computed at most to find out whether a task is alone: less than a second.
const MOST_COMPUTED: usize = 1 << 27;

/// A formula for the rank that is followed.
#[derive(Clone, Copy, Debug)]
struct Known {
    formula: Formula,
    value: Value,
    /// The operation overflows, which is told.
    overflows: bool,
    /// All tasks of the class have the value here.
    is_fixed: bool,
}

/// Formulas with their values for one rank, and what other ranks need to have in common with it.
#[derive(Clone, Debug)]
pub(crate) struct Formulas {
    all: Vec<Known>,
    ids: FxHashMap<Formula, FormulaId>,
    /// Different ones.
    tables: Vec<Box<[i64]>>,
    /// Something depends on what is not said.
    is_spoilt: bool,
}

impl Formulas {
    /// The rank alone.
    pub(crate) fn new(rank: u32) -> Self {
        let mut formulas = Self { all: Vec::new(), ids: FxHashMap::default(), tables: Vec::new(), is_spoilt: false };
        formulas.push(Formula::Rank, Value::Int(i64::from(rank)), false);
        formulas.push(Formula::Unsaid, Value::NULL, false);
        formulas
    }

    /// The rank itself.
    pub(crate) const RANK: FormulaId = FormulaId(0);
    /// Of what nobody says how it depends on the rank.
    pub(crate) const UNSAID: FormulaId = FormulaId(1);

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The value for the rank that is followed.
    pub(crate) fn value(&self, id: FormulaId) -> Value {
        self.all[id.index()].value
    }

    fn push(&mut self, formula: Formula, value: Value, overflows: bool) -> FormulaId {
        let id = FormulaId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.all.push(Known { formula, value, overflows, is_fixed: false });
        self.ids.insert(formula, id);
        id
    }

    /// The number of a formula; `None` where it has no number as its value.
    pub(crate) fn of(&mut self, formula: Formula) -> Option<FormulaId> {
        if let Some(&id) = self.ids.get(&formula) {
            return Some(id);
        }
        if uses_unsaid(formula) {
            return Some(Self::UNSAID);
        }
        let (value, overflows) = computed(formula, Value::NULL, &self.tables, |id| self.all[id.index()].value)?;
        Some(self.push(formula, value, overflows))
    }

    /// A number that is the same for all ranks.
    pub(crate) fn constant(&mut self, value: Value) -> Option<FormulaId> {
        match value {
            Value::Int(n) => self.of(Formula::Integer(n)),
            Value::Float(x) => self.of(Formula::Real(x.to_bits())),
            _ => None,
        }
    }

    /// What stands in a table at a formula, where its first number stands at `first`; `None` where it has none there, or
    /// tables are too large.
    pub(crate) fn in_table(&mut self, numbers: Vec<i64>, at: FormulaId, first: i64) -> Option<FormulaId> {
        let known = self.tables.iter().position(|table| **table == *numbers);
        let table = known.unwrap_or(self.tables.len());
        if known.is_none() {
            let all: usize = self.tables.iter().map(|table| table.len()).sum();
            if all + numbers.len() > MOST_IN_TABLES {
                return None;
            }
            self.tables.push(numbers.into());
        }
        self.of(Formula::Table(TableId(table as u32), at, first))
    }

    /// No other rank is asked for any more.
    pub(crate) fn forget_tables(&mut self) {
        self.tables = Vec::new();
    }

    /// From now on tasks of the class have the value in common.
    pub(crate) fn fix(&mut self, id: FormulaId) {
        self.is_spoilt |= id == Self::UNSAID;
        self.all[id.index()].is_fixed = true;
    }

    /// Whether something depends on what is not said.
    pub(crate) fn is_spoilt(&self) -> bool {
        self.is_spoilt
    }

    /// Computes all formulas for another rank; whether it has all in common that tasks of the class do. `values` has
    /// those of the other rank then.
    pub(crate) fn hold_for(&self, rank: u32, values: &mut Vec<Value>) -> bool {
        values.clear();
        for known in &self.all {
            let rank = Value::Int(i64::from(rank));
            match computed(known.formula, rank, &self.tables, |id| values[id.index()]) {
                Some((value, overflows)) if overflows == known.overflows => {
                    if known.is_fixed && !is_same(value, known.value) {
                        return false;
                    }
                    values.push(value);
                }
                _ => return false,
            }
        }
        true
    }
}

impl Formulas {
    /// Whether no other of so many tasks has all in common with this one that tasks of the class do; `false` also where that
    /// would take long to say.
    pub(crate) fn hold_for_no_other(&self, tasks: u32) -> bool {
        if self.all.len().saturating_mul(tasks as usize) > MOST_COMPUTED {
            return false;
        }
        let (own, mut values) = (self.value(Self::RANK), Vec::new());
        let is_other = |&rank: &u32| Value::Int(i64::from(rank)) != own;
        !(0..tasks).filter(is_other).any(|rank| self.hold_for(rank, &mut values))
    }
}

fn uses_unsaid(formula: Formula) -> bool {
    match formula {
        Formula::Rank | Formula::Unsaid | Formula::Integer(_) | Formula::Real(_) => false,
        Formula::Binary(_, _, a, b) => [a, b].contains(&Formulas::UNSAID),
        Formula::Unary(_, _, a) | Formula::Convert(_, _, a) | Formula::Within(a, ..) => a == Formulas::UNSAID,
        Formula::Table(_, a, _) => a == Formulas::UNSAID,
    }
}

fn is_same(a: Value, b: Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

/// The value of a formula, and whether that operation overflows.
fn computed(
    formula: Formula,
    rank: Value,
    tables: &[Box<[i64]>],
    of: impl Fn(FormulaId) -> Value,
) -> Option<(Value, bool)> {
    let (value, overflows) = match formula {
        Formula::Rank => (rank, false),
        Formula::Unsaid => (Value::NULL, false),
        Formula::Integer(n) => (Value::Int(n), false),
        Formula::Real(bits) => (Value::Float(f64::from_bits(bits)), false),
        Formula::Unary(op, ty, a) => (arith::unary(op, ty, of(a)).ok()?, false),
        Formula::Binary(op, ty, a, b) => {
            let (a, b) = (of(a), of(b));
            (arith::binary(op, ty, a, b).ok()?, a.overflows(op, ty, b))
        }
        Formula::Convert(from, to, a) => (arith::convert(from, to, of(a)).ok()?, false),
        Formula::Within(a, low, high) => {
            let inside = (low..=high).contains(&of(a).as_int()?);
            (Value::Int(i64::from(inside)), false)
        }
        Formula::Table(table, a, first) => {
            let at = usize::try_from(of(a).as_int()?.checked_sub(first)?).ok()?;
            (Value::Int(*tables.get(table.0 as usize)?.get(at)?), false)
        }
    };
    matches!(value, Value::Int(_) | Value::Float(_)).then_some((value, overflows))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(formulas: &mut Formulas, n: i64) -> FormulaId {
        formulas.constant(Value::Int(n)).unwrap()
    }

    /// Of 10 tasks, the neighbour to the right of task 3, with what tells it from the last one.
    #[test]
    fn ranks_with_the_same_outcomes_hold() {
        let mut formulas = Formulas::new(3);
        let rank = Formulas::RANK;
        let (one, last) = (integer(&mut formulas, 1), integer(&mut formulas, 9));
        let right = formulas.of(Formula::Binary(BinaryOp::Add, ScalarType::I32, rank, one)).unwrap();
        let is_last = formulas.of(Formula::Binary(BinaryOp::Eq, ScalarType::I32, rank, last)).unwrap();
        formulas.fix(is_last);
        let mut values = Vec::new();
        let holding: Vec<u32> = (0..10).filter(|&other| formulas.hold_for(other, &mut values)).collect();
        assert_eq!(holding, (0..9).collect::<Vec<_>>());
        assert!(formulas.hold_for(7, &mut values));
        assert_eq!(values[right.index()], Value::Int(8));
        assert_eq!(formulas.of(Formula::Binary(BinaryOp::Add, ScalarType::I32, rank, one)), Some(right));
    }

    /// Of 10 tasks, the one that is neither smaller than 3 nor greater.
    #[test]
    fn a_task_may_be_the_only_one() {
        let mut formulas = Formulas::new(3);
        let mut is = |op, n| {
            let other = integer(&mut formulas, n);
            let outcome = formulas.of(Formula::Binary(op, ScalarType::I32, Formulas::RANK, other)).unwrap();
            formulas.fix(outcome);
            formulas.hold_for_no_other(10)
        };
        assert!(!is(BinaryOp::Lt, 3));
        assert!(is(BinaryOp::Gt, 3));
    }

    /// A rank at which the table has no number does not hold.
    #[test]
    fn tables_are_looked_up_by_rank() {
        let mut formulas = Formulas::new(3);
        let own = formulas.in_table(vec![7, 8, 8, 9], Formulas::RANK, 2).unwrap();
        assert_eq!(formulas.value(own), Value::Int(8));
        assert_eq!(formulas.in_table(vec![7, 8, 8, 9], Formulas::RANK, 2), Some(own));
        assert_eq!(formulas.in_table(vec![7], Formulas::RANK, 2), None);
        formulas.fix(own);
        let mut values = Vec::new();
        let holding: Vec<u32> = (0..9).filter(|&other| formulas.hold_for(other, &mut values)).collect();
        assert!(holding == [3, 4]);
    }

    #[test]
    fn a_rank_for_which_something_is_undefined_or_overflows_does_not_hold() {
        let mut values = Vec::new();
        let mut formulas = Formulas::new(3);
        let (rank, ten) = (Formulas::RANK, integer(&mut formulas, 10));
        formulas.of(Formula::Binary(BinaryOp::Div, ScalarType::I32, ten, rank)).unwrap();
        assert!(formulas.hold_for(5, &mut values) && !formulas.hold_for(0, &mut values));
        let mut formulas = Formulas::new(3);
        let (rank, many) = (Formulas::RANK, integer(&mut formulas, 1 << 30));
        formulas.of(Formula::Binary(BinaryOp::Mul, ScalarType::I32, many, rank)).unwrap();
        assert!(formulas.hold_for(2, &mut values) && !formulas.hold_for(1, &mut values));
    }
}
