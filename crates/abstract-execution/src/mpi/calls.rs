//! MPI calls in the abstract execution of a whole program: who one is, is known; what messages bring, is not.

use super::grids::WrittenInts;
use crate::counts::path::Path;
use crate::expressions::symbolic::Symbolic;
use crate::memory::operands::scalar_operand;
use crate::state::execution::Execution;
use crate::state::store::Location;
use chronos_functions::{self as functions, AbstractModel, written_arguments};
use chronos_ir::{BlockId, Call, ValueId};
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
        if functions::never_returns(name) {
            return self.end_program(leaf, path);
        }
        let is_broadcast = functions::abstract_model(name) == Some(AbstractModel::Broadcast);
        let result = if is_broadcast && self.broadcast(leaf, call, &path) {
            Symbolic::int(i128::from(handles::SUCCESS))
        } else {
            self.call_effect(leaf, call, name)
        };
        self.note_last_call(leaf, name);
        if let Some(dst) = dst {
            self.frame().values.insert(dst, result);
        }
        path
    }

    fn call_effect(&mut self, leaf: BlockId, call: &Call, name: &str) -> Symbolic {
        let known = functions::abstract_model(name)
            .and_then(|model| self.known_result_of_call(call, model).or_else(|| self.cartesian_result(call, model)));
        for index in written_arguments(name, call.args.len()) {
            self.lose_argument(leaf, call, index);
        }
        for (index, values) in known.into_iter().flatten() {
            self.store_ints(call, index, &values);
        }
        if functions::reads_clock(name) {
            let kind = ReasonKind::Nondeterministic(functions::base(name).into());
            return self.unknown(kind, self.setting.program.blocks[leaf].span);
        }
        Symbolic::int(i128::from(handles::SUCCESS))
    }

    /// What the call writes, where that is known.
    fn known_result_of_call(&mut self, call: &Call, model: AbstractModel) -> Option<WrittenInts> {
        let one = |index: usize, value: i128| Some(vec![(index, vec![value])]);
        match model {
            AbstractModel::Rank => {
                let own = self.is_world_communicator(call, 0)?;
                let whole = self.whole_program.as_mut()?;
                whole.rank_read |= own;
                one(1, if own { i128::from(whole.rank) } else { 0 })
            }
            AbstractModel::CommunicatorSize => {
                let all = self.is_world_communicator(call, 0)?;
                one(1, if all { i128::from(self.whole_program.as_ref()?.tasks) } else { 1 })
            }
            AbstractModel::DuplicateCommunicator if self.is_world_communicator(call, 0)? => {
                let handle = self.constant_argument(call, 0)?;
                let grid = self.whole_program.as_ref()?.world_communicators.get(&handle).cloned().flatten();
                let handle = self.new_world_communicator(grid)?;
                one(1, handle)
            }
            AbstractModel::Initialise => {
                self.whole_program.as_mut()?.initialised = true;
                None
            }
            AbstractModel::InitialiseWithThreads => {
                self.whole_program.as_mut()?.initialised = true;
                one(3, self.constant_argument(call, 2)?)
            }
            AbstractModel::IsInitialised => one(0, i128::from(self.whole_program.as_ref()?.initialised)),
            _ => None,
        }
    }

    /// The argument is a communicator of all tasks, or of this one alone.
    pub fn is_world_communicator(&mut self, call: &Call, index: usize) -> Option<bool> {
        let Symbolic::Int(handle) = self.argument(call, index)? else { return None };
        let handle = handle.as_constant()?;
        let world_communicators = &self.whole_program.as_ref()?.world_communicators;
        match handle {
            _ if handle == i128::from(handles::COMM_WORLD) || world_communicators.contains_key(&handle) => Some(true),
            _ if handle == i128::from(handles::COMM_SELF) => Some(false),
            _ => None,
        }
    }

    fn lose_argument(&mut self, leaf: BlockId, call: &Call, index: usize) {
        let Some(operand) = scalar_operand(call, index) else { return };
        let reason = self.reason(ReasonKind::Received, Some(self.setting.program.blocks[leaf].span));
        match self.operand(operand) {
            Symbolic::Pointer(object, _) => self.lose_for(Location::Within(object), reason),
            _ => {
                if let Some(class) = self.setting.analysis.pointed(self.function(), operand) {
                    self.lose_for(Location::Anywhere(class), reason);
                }
            }
        }
    }
}
