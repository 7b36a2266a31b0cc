//! Cartesian communicators of all tasks: coordinates and neighbours follow from the rank.

use crate::expressions::affine::Affine;
use crate::expressions::symbolic::Symbolic;
use crate::state::execution::Execution;
use crate::state::store::Location;
use chronos_functions::AbstractModel;
use chronos_ir::{Call, ScalarType};
use chronos_mpi::{Cartesian, handles, topology};
use std::sync::Arc;

/// Dimensions beyond which nothing is followed.
const MAX_DIMENSIONS: usize = 16;

/// What a call writes: for an argument, `int`s one behind the other.
pub(crate) type WrittenInts = Vec<(usize, Vec<i128>)>;

impl Execution<'_> {
    pub(crate) fn cartesian_result(&mut self, call: &Call, model: AbstractModel) -> Option<WrittenInts> {
        match model {
            AbstractModel::BalancedDimensions => {
                let nodes = u64::try_from(self.constant_argument(call, 0)?).ok()?;
                let dimensions = self.dimensions(call, 1)?;
                let given = self.int_array(call, 2, dimensions)?;
                let given: Vec<u64> = given.into_iter().map(|d| u64::try_from(d).ok()).collect::<Option<_>>()?;
                Some(vec![(2, signed(topology::dims_create(nodes, &given)?))])
            }
            AbstractModel::CreateGrid => self.create_grid(call),
            AbstractModel::GridCoordinates => {
                let grid = self.grid(call)?;
                let rank = u64::try_from(self.constant_argument(call, 1)?).ok()?;
                Some(vec![(3, signed(grid.coordinates(rank)?))])
            }
            AbstractModel::GridRank => {
                let grid = self.grid(call)?;
                let at = self.int_array(call, 1, grid.dimensions.len())?;
                let at: Vec<i64> = at.into_iter().map(|c| i64::try_from(c).ok()).collect::<Option<_>>()?;
                Some(vec![(2, vec![i128::from(grid.rank(&at)?)])])
            }
            AbstractModel::GridShift => self.shift(call),
            AbstractModel::GridShape => {
                let grid = self.grid(call)?;
                let rank = self.own_rank()?;
                let periods = grid.periodic.iter().map(|&p| i128::from(p)).collect();
                Some(vec![(2, signed(grid.dimensions.clone())), (3, periods), (4, signed(grid.coordinates(rank)?))])
            }
            _ => None,
        }
    }

    fn create_grid(&mut self, call: &Call) -> Option<WrittenInts> {
        let dimensions = self.dimensions(call, 1)?;
        let lengths = self.int_array(call, 2, dimensions)?;
        let periodic = self.int_array(call, 3, dimensions)?.into_iter().map(|p| p != 0).collect();
        let lengths: Vec<u64> = lengths.into_iter().map(|d| u64::try_from(d).ok()).collect::<Option<_>>()?;
        let grid = Cartesian { dimensions: lengths, periodic };
        let all = self.is_world_communicator(call, 0)? && grid.size() == u64::from(self.whole_program.as_ref()?.tasks);
        let handle = self.new_world_communicator(Some(Arc::new(grid))).filter(|_| all)?;
        Some(vec![(5, vec![handle])])
    }

    /// The handle of a further communicator of all tasks.
    pub(crate) fn new_world_communicator(&mut self, grid: Option<Arc<Cartesian>>) -> Option<i128> {
        let whole = self.whole_program.as_mut()?;
        let handle = i128::from(handles::FIRST_COMM) + whole.world_communicators.len() as i128;
        whole.world_communicators.insert(handle, grid);
        Some(handle)
    }

    fn shift(&mut self, call: &Call) -> Option<WrittenInts> {
        let grid = self.grid(call)?;
        let dimension = usize::try_from(self.constant_argument(call, 1)?).ok()?;
        let by = i64::try_from(self.constant_argument(call, 2)?).ok()?;
        let (from, to) = grid.shift(self.own_rank()?, dimension, by)?;
        let place = |rank: Option<u64>| rank.map_or(i128::from(handles::PROC_NULL), i128::from);
        Some(vec![(3, vec![place(from)]), (4, vec![place(to)])])
    }

    fn own_rank(&mut self) -> Option<u64> {
        let whole = self.whole_program.as_mut()?;
        whole.rank_read = true;
        Some(u64::from(whole.rank))
    }

    fn grid(&mut self, call: &Call) -> Option<Arc<Cartesian>> {
        let handle = self.constant_argument(call, 0)?;
        self.whole_program.as_ref()?.world_communicators.get(&handle)?.clone()
    }

    fn dimensions(&mut self, call: &Call, index: usize) -> Option<usize> {
        usize::try_from(self.constant_argument(call, index)?).ok().filter(|&n| n <= MAX_DIMENSIONS)
    }

    /// `int`s behind a pointer argument.
    fn int_array(&mut self, call: &Call, index: usize, count: usize) -> Option<Vec<i128>> {
        let Symbolic::Pointer(object, start) = self.argument(call, index)? else { return None };
        let at = |i: usize| start.plus(4 * i as i128).map(|offset| Location::Cell(object, offset));
        let value = |i: usize| match self.read_at(&at(i)?, ScalarType::I32) {
            Symbolic::Int(value) => value.as_constant(),
            _ => None,
        };
        (0..count).map(value).collect()
    }

    /// Writes `int`s through a pointer argument.
    pub fn store_ints(&mut self, call: &Call, index: usize, values: &[i128]) {
        let Some(Symbolic::Pointer(object, start)) = self.argument(call, index) else { return };
        for (i, &value) in values.iter().enumerate() {
            if let Some(offset) = start.plus(4 * i as i128).filter(|offset: &Affine| offset.as_constant().is_some()) {
                self.write_at(&Location::Cell(object, offset), ScalarType::I32, Symbolic::int(value));
            }
        }
    }
}

fn signed(values: Vec<u64>) -> Vec<i128> {
    values.into_iter().map(i128::from).collect()
}
