//! MPI calls in the abstract execution of a whole program: who one is, is known; what messages bring, is not.

use super::execution::Execution;
use super::path::Path;
use super::state::Location;
use super::symbolic::Symbolic;
use crate::count::relevance::mpi_writes::written_arguments;
use crate::count::value::ReasonKind;
use crate::mpi::handles;
use crate::program::{Arg, BlockId, Call, Operand, ScalarType, ValueId};

impl Execution<'_> {
    pub fn call_mpi(&mut self, leaf: BlockId, call: &Call, name: &str, dst: Option<ValueId>, path: Path) -> Path {
        let name = name.strip_prefix('P').filter(|rest| rest.starts_with("MPI_")).unwrap_or(name);
        if name == "MPI_Abort" {
            return self.end_program(leaf, path);
        }
        let result = self.effect_of(leaf, call, name);
        if let Some(dst) = dst {
            self.frame().values.insert(dst, result);
        }
        path
    }

    fn effect_of(&mut self, leaf: BlockId, call: &Call, name: &str) -> Symbolic {
        let known = self.known_answer(call, name);
        for index in written_arguments(name, call.args.len()) {
            self.lose_argument(leaf, call, index);
        }
        if let Some((index, value)) = known {
            self.store_int(call, index, value);
        }
        match name {
            "MPI_Wtime" | "MPI_Wtick" => {
                let kind = ReasonKind::Nondeterministic(name.into());
                self.unknown(kind, self.program.blocks[leaf].span)
            }
            _ => Symbolic::int(i128::from(handles::SUCCESS)),
        }
    }

    /// The argument that the call writes a known number to, and the number.
    fn known_answer(&mut self, call: &Call, name: &str) -> Option<(usize, i128)> {
        match name {
            "MPI_Comm_rank" => {
                let own = self.is_world(call, 0)?;
                let whole = self.whole.as_mut()?;
                whole.rank_read |= own;
                Some((1, if own { i128::from(whole.rank) } else { 0 }))
            }
            "MPI_Comm_size" => {
                let all = self.is_world(call, 0)?;
                Some((1, if all { i128::from(self.whole.as_ref()?.tasks) } else { 1 }))
            }
            "MPI_Comm_dup" if self.is_world(call, 0)? => {
                let whole = self.whole.as_mut()?;
                let handle = i128::from(handles::FIRST_COMM) + whole.worlds.len() as i128;
                whole.worlds.insert(handle);
                Some((1, handle))
            }
            "MPI_Initialized" => Some((0, 1)),
            "MPI_Finalized" => Some((0, 0)),
            "MPI_Init_thread" => match self.argument(call, 2)? {
                Symbolic::Int(level) => Some((3, level.as_constant()?)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The argument is a communicator of all tasks, or of this one alone.
    fn is_world(&mut self, call: &Call, index: usize) -> Option<bool> {
        let Symbolic::Int(handle) = self.argument(call, index)? else { return None };
        let handle = handle.as_constant()?;
        let worlds = &self.whole.as_ref()?.worlds;
        match handle {
            _ if handle == i128::from(handles::COMM_WORLD) || worlds.contains(&handle) => Some(true),
            _ if handle == i128::from(handles::COMM_SELF) => Some(false),
            _ => None,
        }
    }

    fn argument(&mut self, call: &Call, index: usize) -> Option<Symbolic> {
        let operand = scalar(call, index)?;
        Some(self.operand(operand))
    }

    fn lose_argument(&mut self, leaf: BlockId, call: &Call, index: usize) {
        let Some(operand) = scalar(call, index) else { return };
        let reason = self.reason(ReasonKind::Received, Some(self.program.blocks[leaf].span));
        match self.operand(operand) {
            Symbolic::Pointer(object, _) => self.lose_for(Location::Within(object), reason),
            _ => {
                if let Some(class) = self.analysis.pointed(self.function(), operand) {
                    self.lose_for(Location::Anywhere(class), reason);
                }
            }
        }
    }

    /// Writes an `int` through a pointer argument.
    fn store_int(&mut self, call: &Call, index: usize, value: i128) {
        if let Some(Symbolic::Pointer(object, offset)) = self.argument(call, index) {
            self.write_at(&Location::Cell(object, offset), ScalarType::I32, Symbolic::int(value));
        }
    }
}

fn scalar(call: &Call, index: usize) -> Option<&Operand> {
    match call.args.get(index)? {
        Arg::Scalar(operand) => Some(operand),
        Arg::Object(..) => None,
    }
}
