//! What one task broadcasts, the others know: the root is followed first, and what it sends at a call is kept
//! for those that are followed later. Calls are matched by call site and context: a program in which tasks
//! meet in one broadcast from different calls knows nothing of what they bring.

use crate::counts::path::Path;
use crate::expressions::symbolic::Symbolic;
use crate::state::execution::Execution;
use crate::state::store::Location;
use crate::state::whole_program::BroadcastValues;
use chronos_activity::{ContextId, Count};
use chronos_ir::{BlockId, Call, ScalarType};
use chronos_mpi::Predefined;

/// Elements of a message that are kept.
const MAX_ELEMENTS: i128 = 256;

impl Execution<'_> {
    /// Keeps what this task sends as a root, or gives what the root sent; false where that is not known.
    pub fn broadcast(&mut self, leaf: BlockId, call: &Call, path: &Path) -> bool {
        let Some((root, ty, count)) = self.broadcast_shape(call) else { return false };
        let key = (self.context(), leaf);
        let Some(rank) = self.whole_program.as_ref().map(|whole| whole.rank) else { return false };
        if rank == root {
            if self.trials == 0 {
                self.keep_broadcast(key, root, call, ty, count, path);
            }
            return true;
        }
        let known = self.whole_program.as_ref().and_then(|whole| whole.broadcasts.get(&key).cloned().flatten());
        let Some(sent) = known.filter(|sent| sent.root == root && sent.values.len() as i128 == count) else {
            return false;
        };
        self.receive(call, ty, &sent.values)
    }

    /// Root, type and number of elements, of a broadcast among all tasks.
    fn broadcast_shape(&mut self, call: &Call) -> Option<(u32, ScalarType, i128)> {
        let all = self.is_world_communicator(call, 4)?;
        let root = u32::try_from(self.constant_argument(call, 3)?).ok()?;
        let ty = scalar_type(self.constant_argument(call, 2)?)?;
        let count = self.constant_argument(call, 1).filter(|count| (0..=MAX_ELEMENTS).contains(count))?;
        all.then_some((root, ty, count))
    }

    fn keep_broadcast(
        &mut self,
        key: (ContextId, BlockId),
        root: u32,
        call: &Call,
        ty: ScalarType,
        count: i128,
        path: &Path,
    ) {
        let certain = path.pieces.iter().all(|piece| piece.weight == Count::ONE);
        let values =
            self.elements(call, ty, count).filter(|values| certain && values.iter().all(|v| self.is_common(v)));
        let sent = values.map(|values| BroadcastValues { root, values });
        let Some(whole) = &mut self.whole_program else { return };
        let kept = whole.broadcasts.entry(key).or_insert_with(|| sent.clone());
        if *kept != sent {
            *kept = None;
        }
    }

    /// Means the same in the execution of every task.
    fn is_common(&self, value: &Symbolic) -> bool {
        match value {
            Symbolic::Int(affine) => affine.symbols().all(|symbol| self.symbols.quotients.free.is_parameter(symbol)),
            Symbolic::Constant(_) | Symbolic::Unknown(_) => true,
            Symbolic::Cases(_)
            | Symbolic::Truth(_)
            | Symbolic::Real(_)
            | Symbolic::Fraction(_)
            | Symbolic::Pointer(..) => false,
        }
    }

    fn elements(&mut self, call: &Call, ty: ScalarType, count: i128) -> Option<Vec<Symbolic>> {
        let Symbolic::Pointer(object, start) = self.argument(call, 0)? else { return None };
        let size = i128::from(ty.size(self.setting.program.model));
        let start = start.as_constant()?;
        Some((0..count).map(|i| self.read_cell(object, start + i * size, ty)).collect())
    }

    fn receive(&mut self, call: &Call, ty: ScalarType, values: &[Symbolic]) -> bool {
        let Some(Symbolic::Pointer(object, start)) = self.argument(call, 0) else { return false };
        let size = i128::from(ty.size(self.setting.program.model));
        if start.as_constant().is_none() {
            return false;
        }
        for (i, value) in (0..).zip(values) {
            if let Some(offset) = start.plus(i * size) {
                self.write_at(&Location::Cell(object, offset), ty, value.clone());
            }
        }
        true
    }
}

/// Of predefined datatypes.
fn scalar_type(handle: i128) -> Option<ScalarType> {
    let which = Predefined::from_handle(i64::try_from(handle).ok()?)?;
    Some(match which.name() {
        "MPI_INT" => ScalarType::I32,
        "MPI_UNSIGNED" => ScalarType::U32,
        "MPI_LONG" => ScalarType::I64,
        "MPI_FLOAT" => ScalarType::F32,
        "MPI_DOUBLE" => ScalarType::F64,
        _ => return None,
    })
}
