//! Symbolic values of registers: sums of what registers held when an iteration began.

use crate::instruction::{Flow, Instruction, InstructionSet, MemoryOperand, Part, Register, Sum, Trait};
use std::collections::BTreeMap;
use std::fmt;

/// What a sum is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// What the register held when the iteration began.
    Register(Register),
    /// What the place held when the iteration began: base register of the frame, and bytes from it.
    Slot(Register, i64),
    /// The address of a symbol.
    Symbol(String),
    /// Whatever the instruction at this position computes: loaded values, products, results of calls.
    Computed(usize, Register),
    /// What a place of the frame holds behind this position, where that is not known.
    Lost(usize, Register, i64),
    /// A register that holds different values on the ways to this block, or that an inner loop changes.
    Joined(u32, Register),
    /// What the term stood for before the loop was entered.
    Before(Box<Term>),
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register(register) => write!(f, "{register}"),
            Self::Slot(register, offset) => write!(f, "[{register}{offset:+}]"),
            Self::Symbol(name) => f.write_str(name),
            Self::Computed(..) | Self::Joined(..) | Self::Lost(..) => f.write_str("?"),
            Self::Before(term) => write!(f, "{term}"),
        }
    }
}

/// A sum of terms with factors, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Affine {
    /// Factors by term; none is 0.
    pub terms: BTreeMap<Term, i64>,
    /// What is added.
    pub constant: i64,
}

impl Affine {
    /// A number.
    pub fn constant(constant: i64) -> Self {
        Self { terms: BTreeMap::new(), constant }
    }

    /// A term alone.
    pub fn term(term: Term) -> Self {
        Self { terms: BTreeMap::from([(term, 1)]), constant: 0 }
    }

    /// The sum; wraps around as registers do.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.constant = sum.constant.wrapping_add(other.constant);
        for (term, factor) in &other.terms {
            let entry = sum.terms.entry(term.clone()).or_insert(0);
            *entry = entry.wrapping_add(*factor);
        }
        sum.terms.retain(|_, factor| *factor != 0);
        sum
    }

    /// The product with a number.
    #[must_use]
    pub fn times(&self, factor: i64) -> Self {
        let mut product = self.clone();
        product.constant = product.constant.wrapping_mul(factor);
        product.terms.values_mut().for_each(|own| *own = own.wrapping_mul(factor));
        product.terms.retain(|_, factor| *factor != 0);
        product
    }

    /// The same sum, seen from within a loop that was entered later. Symbols are the same everywhere.
    pub(crate) fn seen_later(&self) -> Self {
        let before = |term: &Term| match term {
            Term::Symbol(_) => term.clone(),
            term => Term::Before(Box::new(term.clone())),
        };
        Self { terms: self.terms.iter().map(|(term, factor)| (before(term), *factor)).collect(), ..self.clone() }
    }

    /// The same sum with a number for a term.
    fn with(&self, term: &Term, value: i64) -> Self {
        let Some(factor) = self.terms.get(term) else { return self.clone() };
        let number = Self::constant(value.wrapping_mul(*factor));
        self.plus(&Self::term(term.clone()).times(factor.wrapping_neg())).plus(&number)
    }

    /// The number, where there is no term.
    pub fn number(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The distance from `other`, where both have the same terms.
    pub fn distance(&self, other: &Self) -> Option<i64> {
        (self.terms == other.terms).then(|| self.constant.wrapping_sub(other.constant))
    }
}

impl fmt::Display for Affine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (term, factor) in &self.terms {
            match (first, factor) {
                (true, 1) => write!(f, "{term}")?,
                (true, factor) => write!(f, "{factor}*{term}")?,
                (false, 1) => write!(f, " + {term}")?,
                (false, factor) if *factor < 0 => write!(f, " - {}*{term}", factor.unsigned_abs())?,
                (false, factor) => write!(f, " + {factor}*{term}")?,
            }
            first = false;
        }
        match (first, self.constant) {
            (true, constant) => write!(f, "{constant}"),
            (false, 0) => Ok(()),
            (false, constant) if constant < 0 => write!(f, " - {}", constant.unsigned_abs()),
            (false, constant) => write!(f, " + {constant}"),
        }
    }
}

/// What registers and places of the frame hold, as sums of what they held before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Only those that changed.
    registers: BTreeMap<Register, Affine>,
    /// Places of the frame by base register and bytes from what it held before; only those that were written.
    slots: BTreeMap<(Register, i64), Affine>,
    /// Some address of the frame was computed, so that stores and calls elsewhere may change places of it.
    pub(crate) frame_escapes: bool,
}

impl State {
    /// What a register holds.
    pub fn register(&self, register: Register) -> Affine {
        self.registers.get(&register).cloned().unwrap_or_else(|| Affine::term(Term::Register(register)))
    }

    /// What a place of the frame holds.
    pub fn slot(&self, slot: (Register, i64)) -> Affine {
        self.slots.get(&slot).cloned().unwrap_or_else(|| Affine::term(Term::Slot(slot.0, slot.1)))
    }

    /// Registers that changed.
    pub(crate) fn changed_registers(&self) -> impl Iterator<Item = (Register, &Affine)> {
        self.registers.iter().map(|(register, value)| (*register, value))
    }

    /// Places of the frame that were written.
    pub(crate) fn changed_slots(&self) -> impl Iterator<Item = ((Register, i64), &Affine)> {
        self.slots.iter().map(|(slot, value)| (*slot, value))
    }

    /// Gives a register another value.
    pub fn set(&mut self, register: Register, value: Affine) {
        self.registers.insert(register, value);
    }

    /// Gives a place of the frame another value.
    pub(crate) fn set_slot(&mut self, slot: (Register, i64), value: Affine) {
        self.slots.insert(slot, value);
    }

    /// Puts a number for a term wherever it is held.
    pub(crate) fn substitute(&mut self, term: &Term, value: i64) {
        // What did not change is not kept.
        let unchanged = || Affine::term(term.clone());
        match term {
            Term::Register(register) => _ = self.registers.entry(*register).or_insert_with(unchanged),
            Term::Slot(base, offset) => _ = self.slots.entry((*base, *offset)).or_insert_with(unchanged),
            _ => {}
        }
        let held = self.registers.values_mut().chain(self.slots.values_mut());
        held.for_each(|held| *held = held.with(term, value));
    }

    /// The address of a memory operand.
    pub fn address(&self, memory: &MemoryOperand) -> Affine {
        let mut address = Affine::constant(memory.displacement);
        if let Some(base) = memory.base {
            address = address.plus(&self.register(base));
        }
        if let Some(index) = memory.index {
            address = address.plus(&self.register(index).times(i64::from(memory.scale)));
        }
        if let Some(symbol) = &memory.symbol {
            address = address.plus(&Affine::term(Term::Symbol(symbol.clone())));
        }
        address
    }

    /// The place of the frame that a memory operand names.
    fn slot_of(&self, memory: &MemoryOperand) -> Option<(Register, i64)> {
        frame_place(&self.address(memory))
    }

    /// Both ways come together: what they disagree in is a new term of this block.
    pub fn join(&mut self, other: &Self, block: u32) {
        let registers: Vec<Register> = self.registers.keys().chain(other.registers.keys()).copied().collect();
        for register in registers {
            if self.register(register) != other.register(register) {
                self.set(register, Affine::term(Term::Joined(block, register)));
            }
        }
        let slots: Vec<(Register, i64)> = self.slots.keys().chain(other.slots.keys()).copied().collect();
        for slot in slots {
            if self.slot(slot) != other.slot(slot) {
                self.set_slot(slot, unknown_slot(block as usize, slot));
            }
        }
        self.frame_escapes |= other.frame_escapes;
    }

    /// What the instruction at `position` does to registers and the frame. Sums of 32 bits count as those of 64: that
    /// indexes do not wrap around is what compilers rely on as well.
    pub fn execute(&mut self, instruction: &Instruction, position: usize) {
        let memory = instruction.memory.as_ref();
        let value = |sum: &Sum| self.value(sum, memory);
        let effects = &instruction.effects;
        let results: Vec<(Register, Affine)> =
            { effects.registers.iter() }.filter_map(|(register, sum)| Some((*register, value(sum)?))).collect();
        let stored = effects.stored.as_ref().and_then(value);
        if instruction.has(Trait::TakesAddress) && results.iter().any(|(_, value)| frame_place(value).is_some()) {
            self.frame_escapes = true;
        }
        let slot = memory.filter(|memory| memory.writes).and_then(|memory| self.slot_of(memory));
        for &register in &instruction.writes {
            self.set(register, Affine::term(Term::Computed(position, register)));
        }
        if matches!(instruction.flow, Flow::Call(_)) {
            self.called(instruction.set, position);
        }
        results.into_iter().for_each(|(register, value)| self.set(register, value));
        // The second register of a pair lies behind the first one.
        if let Some((base, offset)) = slot.filter(|_| instruction.register(0).and(instruction.register(1)).is_some()) {
            let half = memory.map_or(0, |memory| i64::from(memory.width / 2));
            self.set_slot((base, offset + half), unknown_slot(position, (base, offset + half)));
        }
        match slot {
            Some(slot) => self.set_slot(slot, stored.unwrap_or_else(|| unknown_slot(position, slot))),
            None if instruction.stores() && self.frame_escapes => self.forget_slots(position),
            None => {}
        }
    }

    /// The value of a sum; `None` where a part of it is not known.
    pub(crate) fn value(&self, sum: &Sum, memory: Option<&MemoryOperand>) -> Option<Affine> {
        sum.parts.iter().try_fold(Affine::constant(sum.constant), |all, (part, factor)| {
            let value = match part {
                Part::Register(register) => self.register(*register),
                Part::Address => self.address(memory?),
                Part::Loaded => self.slot_of(memory?).map(|slot| self.slot(slot))?,
                Part::Symbol(name) => Affine::term(Term::Symbol(name.clone())),
            };
            Some(all.plus(&value.times(*factor)))
        })
    }

    /// Makes unknown what the instruction may write of the frame: it runs an unknown number of times.
    pub fn lose(&mut self, instruction: &Instruction, position: usize) {
        let slot = instruction.memory.as_ref().filter(|memory| memory.writes).and_then(|memory| self.slot_of(memory));
        if let Some(slot) = slot {
            self.set_slot(slot, unknown_slot(position, slot));
        }
    }

    fn called(&mut self, set: InstructionSet, position: usize) {
        for &register in set.saved_by_callers() {
            self.set(register, Affine::term(Term::Computed(position, register)));
        }
        if self.frame_escapes {
            self.forget_slots(position);
        }
    }

    fn forget_slots(&mut self, position: usize) {
        self.slots.iter_mut().for_each(|(slot, value)| *value = unknown_slot(position, *slot));
    }
}

/// The place of the frame at an address.
fn frame_place(address: &Affine) -> Option<(Register, i64)> {
    match address.terms.iter().next() {
        Some((Term::Register(base), 1)) if address.terms.len() == 1 && base.is_stack() => {
            Some((*base, address.constant))
        }
        _ => None,
    }
}

fn unknown_slot(position: usize, slot: (Register, i64)) -> Affine {
    Affine::term(Term::Lost(position, slot.0, slot.1))
}
