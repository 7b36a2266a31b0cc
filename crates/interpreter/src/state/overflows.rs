//! Operations that were seen to overflow their signed type.
//!
//! Programs that do so often do it at each iteration (random numbers, hashes), so that an operation that is known costs no
//! more than a look into a set.

use crate::code::instructions::Instr;
use crate::code::program::Code;
use chronos_base::hash::FxHashSet;
use chronos_base::ids::Id;
use chronos_ir::{FuncId, ValueId};
use chronos_slicing::doubts::{Doubts, signed_overflow};
use std::sync::Arc;

/// The operations, by the program, function and position of their instructions.
#[derive(Debug, Default)]
pub(crate) struct Overflows {
    seen: FxHashSet<(usize, FuncId, u32)>,
}

impl Overflows {
    /// The instruction at `pc` overflows if its type is signed: a doubt, the first time.
    #[cold]
    #[inline(never)]
    pub(crate) fn note(&mut self, code: &Code, function: FuncId, pc: usize, doubts: &mut Doubts) {
        let compiled = &code.functions[function.index()];
        let Instr::Binary(_, ty, dst, ..) = compiled.instrs[pc] else { return };
        let program = Arc::as_ptr(&code.program) as usize;
        // Registers of variables follow those of values, which have their numbers.
        if ty.is_signed() && dst < compiled.first_variable && self.seen.insert((program, function, pc as u32)) {
            signed_overflow::note(&code.program, function, ValueId(dst), compiled.spans[pc], doubts);
        }
    }
}
