//! MPI calls in the abstract execution of a whole program: who one is, is known; what messages bring, is not.

use super::grids::Answer;
use crate::counts::path::Path;
use crate::expressions::symbolic::Symbolic;
use crate::state::execution::Execution;
use crate::state::store::Location;
use chronos_functions::written_arguments;
use chronos_ir::{Arg, BlockId, Call, Operand, ValueId};
use chronos_mpi::handles;
use chronos_values::ReasonKind;

impl Execution<'_> {
    pub(crate) fn call_mpi(
        &mut self,
        leaf: BlockId,
        call: &Call,
        name: &str,
        dst: Option<ValueId>,
        path: Path,
    ) -> Path {
        let name = name.strip_prefix('P').filter(|rest| rest.starts_with("MPI_")).unwrap_or(name);
        if name == "MPI_Abort" {
            return self.end_program(leaf, path);
        }
        let result = if name == "MPI_Bcast" && self.broadcast(leaf, call, &path) {
            Symbolic::int(i128::from(handles::SUCCESS))
        } else {
            self.effect_of(leaf, call, name)
        };
        self.has_called(leaf, name);
        if let Some(dst) = dst {
            self.frame().values.insert(dst, result);
        }
        path
    }

    fn effect_of(&mut self, leaf: BlockId, call: &Call, name: &str) -> Symbolic {
        let known = self.known_answer(call, name).or_else(|| self.answer_of_grids(call, name));
        for index in written_arguments(name, call.args.len()) {
            self.lose_argument(leaf, call, index);
        }
        for (index, values) in known.into_iter().flatten() {
            self.store_ints(call, index, &values);
        }
        match name {
            "MPI_Wtime" | "MPI_Wtick" => {
                let kind = ReasonKind::Nondeterministic(name.into());
                self.unknown(kind, self.program.blocks[leaf].span)
            }
            _ => Symbolic::int(i128::from(handles::SUCCESS)),
        }
    }

    /// What the call writes, where that is known.
    fn known_answer(&mut self, call: &Call, name: &str) -> Option<Answer> {
        let one = |index: usize, value: i128| Some(vec![(index, vec![value])]);
        match name {
            "MPI_Comm_rank" => {
                let own = self.is_world(call, 0)?;
                let whole = self.whole.as_mut()?;
                whole.rank_read |= own;
                one(1, if own { i128::from(whole.rank) } else { 0 })
            }
            "MPI_Comm_size" => {
                let all = self.is_world(call, 0)?;
                one(1, if all { i128::from(self.whole.as_ref()?.tasks) } else { 1 })
            }
            "MPI_Comm_dup" if self.is_world(call, 0)? => {
                let handle = self.number(call, 0)?;
                let grid = self.whole.as_ref()?.worlds.get(&handle).cloned().flatten();
                let handle = self.new_world(grid)?;
                one(1, handle)
            }
            "MPI_Init" | "MPI_Init_thread" => {
                self.whole.as_mut()?.initialised = true;
                if name == "MPI_Init" { None } else { one(3, self.number(call, 2)?) }
            }
            "MPI_Initialized" => one(0, i128::from(self.whole.as_ref()?.initialised)),
            _ => None,
        }
    }

    /// The argument is a communicator of all tasks, or of this one alone.
    pub fn is_world(&mut self, call: &Call, index: usize) -> Option<bool> {
        let Symbolic::Int(handle) = self.argument(call, index)? else { return None };
        let handle = handle.as_constant()?;
        let worlds = &self.whole.as_ref()?.worlds;
        match handle {
            _ if handle == i128::from(handles::COMM_WORLD) || worlds.contains_key(&handle) => Some(true),
            _ if handle == i128::from(handles::COMM_SELF) => Some(false),
            _ => None,
        }
    }

    pub fn argument(&mut self, call: &Call, index: usize) -> Option<Symbolic> {
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
}

fn scalar(call: &Call, index: usize) -> Option<&Operand> {
    match call.args.get(index)? {
        Arg::Scalar(operand) => Some(operand),
        Arg::Object(..) => None,
    }
}
