//! Which stores a load reads back: by the symbolic addresses of both.

use super::lower::is_call;
use crate::affine::{Affine, State, Term};
use crate::entry_values::EntryValues;
use crate::instruction::Instruction;
use std::collections::BTreeMap;

/// What an earlier store does to a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// It hands over its data.
    Forwarded,
    /// It holds only a part of what is read: the load waits until the cache has it.
    Blocked,
}

/// A store that a load of the path meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Met {
    /// The position of the store in the path.
    pub store: usize,
    /// Iterations before that of the load.
    pub distance: u32,
    /// What becomes of the load.
    pub passing: Passing,
}

/// Iterations that are looked back: stores before have left the queue of stores of all cores.
const FURTHEST: u32 = 64;

/// For each instruction of the path the store that it reads back; `entry` is what is known of registers before it. Addresses of different terms are taken as different
/// places: so do processors, which predict that loads do not depend on stores until they did.
pub(crate) fn met_stores(path: &[&Instruction], entry: &EntryValues) -> Vec<Option<Met>> {
    let (addresses, steps) = addresses(path, entry);
    let called = is_call(path);
    let accesses = path.iter().zip(addresses);
    let accesses: Vec<Option<Reached<'_>>> = accesses
        .map(|(instruction, address)| {
            let address = address?;
            let step = step(&address, &steps).filter(|_| !(called && depends_on_arguments(&address)));
            Some(Reached { instruction, address, step })
        })
        .collect();
    let stores = stores_by_terms(&accesses);
    (0..path.len()).map(|load| met(&accesses, &stores, load)).collect()
}

/// Stores whose addresses have the same terms: only those can be told to meet. The last of the path first.
fn stores_by_terms<'a>(accesses: &'a [Option<Reached<'_>>]) -> BTreeMap<&'a BTreeMap<Term, i64>, Vec<usize>> {
    let mut stores: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, access) in accesses.iter().enumerate().rev() {
        if let Some(access) = access.as_ref().filter(|access| access.instruction.stores()) {
            stores.entry(&access.address.terms).or_default().push(at);
        }
    }
    stores
}

/// Whether an address holds what a register held when the function was called, the stack pointer left out: the next call may
/// have another one.
fn depends_on_arguments(address: &Affine) -> bool {
    address.terms.keys().any(|term| matches!(term, Term::Register(register) if !register.is_stack_pointer()))
}

struct Reached<'a> {
    instruction: &'a Instruction,
    address: Affine,
    /// `None` where it is not known.
    step: Option<i64>,
}

impl Reached<'_> {
    fn width(&self) -> i64 {
        self.instruction.memory.as_ref().map_or(0, |memory| i64::from(memory.width))
    }
}

fn addresses(path: &[&Instruction], entry: &EntryValues) -> (Vec<Option<Affine>>, BTreeMap<Term, Option<i64>>) {
    let mut state = State::default();
    entry.iter().for_each(|(register, value)| state.set(*register, value.clone()));
    let mut addresses = Vec::new();
    for (at, instruction) in path.iter().enumerate() {
        let memory = instruction.memory.as_ref().filter(|memory| memory.reads || memory.writes);
        addresses.push(memory.map(|memory| state.address(memory)));
        state.execute(instruction, at);
    }
    let step = |term: Term, value: &Affine| (term.clone(), value.distance(&Affine::term(term)));
    let registers = state.changed_registers().map(|(register, value)| step(Term::Register(register), value));
    let slots = state.changed_slots().map(|((base, offset), value)| step(Term::Slot(base, offset), value));
    (addresses, registers.chain(slots).collect())
}

fn step(address: &Affine, steps: &BTreeMap<Term, Option<i64>>) -> Option<i64> {
    address.terms.iter().try_fold(0i64, |sum, (term, factor)| {
        let step = match term {
            Term::Computed(..) | Term::Joined(..) | Term::Lost(..) => return None,
            term => steps.get(term).copied().unwrap_or(Some(0))?,
        };
        Some(sum.wrapping_add(step.wrapping_mul(*factor)))
    })
}

/// The last store before the load that shares a byte with it.
fn met(
    accesses: &[Option<Reached<'_>>],
    stores: &BTreeMap<&BTreeMap<Term, i64>, Vec<usize>>,
    load: usize,
) -> Option<Met> {
    let read = accesses[load].as_ref().filter(|access| access.instruction.loads())?;
    let stores = stores.get(&read.address.terms)?;
    let furthest = if read.step.is_some() { FURTHEST } else { 0 };
    for distance in 0..=furthest {
        for &store in stores {
            let Some(written) = accesses[store].as_ref().filter(|_| distance > 0 || store < load) else { continue };
            let moved = read.step.unwrap_or(0).wrapping_mul(i64::from(distance));
            let offset = read.address.constant.wrapping_add(moved).wrapping_sub(written.address.constant);
            if offset <= -read.width() || offset >= written.width() {
                continue;
            }
            let inside = offset >= 0 && offset + read.width() <= written.width();
            let passing = if inside { Passing::Forwarded } else { Passing::Blocked };
            return Some(Met { store, distance, passing });
        }
        if read.step == Some(0) && distance == 1 {
            return None;
        }
    }
    None
}
