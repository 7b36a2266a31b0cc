//! Cartesian topologies.

use crate::call::{Call, Called, DONE, Refusal};
use crate::codes;
use crate::collectives::plan::Plan;
use crate::state::instances::NewCommunicator;
use chronos_activity::CommId;
use chronos_mpi::{Cartesian, Topology, handles, topology};
use std::sync::Arc;

/// `MPI_GRAPH`, `MPI_CART` and `MPI_DIST_GRAPH` of the bundled header.
const GRAPH: i64 = 1;
const CART: i64 = 2;
const DISTRIBUTED: i64 = 3;

impl Call<'_> {
    fn cart(&mut self, argument: usize) -> Result<(CommId, Cartesian), Refusal> {
        let comm = self.comm(argument)?;
        let cartesian = self.topology(comm).and_then(|topology| topology.as_cartesian().cloned());
        let topology = cartesian.ok_or_else(|| {
            let message = format!("{} is given a communicator without Cartesian topology", self.name());
            self.wrong(&codes::TOPOLOGY, message, "give it the communicator that MPI_Cart_create made")
        })?;
        Ok((comm, topology))
    }

    fn dimensions(&mut self, argument: usize) -> Result<usize, Refusal> {
        let n = self.count(argument)?;
        usize::try_from(n).ok().filter(|&n| n <= 64).ok_or_else(|| self.bad_argument(argument, "is absurd"))
    }

    pub(crate) fn misfit(&self, message: String) -> Refusal {
        self.wrong(&codes::TOPOLOGY, message, "check the dimensions, or predict with another number of tasks (-n)")
    }
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// `MPI_Cart_create(comm, ndims, dims, periods, reorder, new)`; ranks are kept.
pub(crate) fn create(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let comm = call.intracomm(0)?;
    let n = call.dimensions(1)?;
    let lengths = call.elements(2, n)?;
    let periods = call.elements(3, n)?;
    let mut dimensions = Vec::with_capacity(n);
    for length in lengths {
        dimensions.push(call.not_negative(2, length)?);
    }
    let cart = Cartesian { dimensions, periodic: periods.into_iter().map(|p| p != 0).collect() };
    let (needed, size) = (cart.size(), call.mpi.members(comm).size() as u64);
    if needed == 0 || needed > size {
        let message = format!("the topology has {needed} places, and the communicator {size} tasks");
        return Err(call.misfit(message));
    }
    let key = call.own_key(comm);
    let colour = (key < signed(needed)).then_some(0);
    call.making(
        comm,
        NewCommunicator { colour, key, topology: Some(Arc::new(Topology::Cartesian(cart))), linked: None },
        5,
    )
}

/// `MPI_Cart_sub(comm, remain, new)`.
pub(crate) fn sub(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let (comm, cart) = call.cart(0)?;
    let keep: Vec<bool> = call.elements(1, cart.dimensions.len())?.into_iter().map(|keep| keep != 0).collect();
    let slice = cart.slice(&keep, call.own_rank(comm) as u64);
    let choice = match slice {
        Some((slice, colour, key)) => NewCommunicator {
            colour: Some(signed(colour)),
            key: signed(key),
            topology: Some(Arc::new(Topology::Cartesian(slice))),
            linked: None,
        },
        None => NewCommunicator { colour: None, key: 0, topology: None, linked: None },
    };
    call.making(comm, choice, 2)
}

/// `MPI_Cart_coords(comm, rank, maxdims, coords)`.
pub(crate) fn coords(call: &mut Call<'_>) -> Called {
    let (_, cart) = call.cart(0)?;
    let (rank, room) = (call.int(1)?, call.dimensions(2)?);
    let coordinates = u64::try_from(rank).ok().and_then(|rank| cart.coordinates(rank));
    let Some(coordinates) = coordinates else {
        let message = format!("MPI_Cart_coords is given rank {rank} of {} in the topology", cart.size());
        return Err(call.wrong(&codes::RANK, message, "check the rank"));
    };
    let coordinates: Vec<i64> = coordinates.into_iter().take(room).map(signed).collect();
    call.store_ints(3, &coordinates);
    DONE
}

/// `MPI_Cart_rank(comm, coords, rank)`.
pub(crate) fn rank(call: &mut Call<'_>) -> Called {
    let (_, cart) = call.cart(0)?;
    let at = call.elements(1, cart.dimensions.len())?;
    let Some(rank) = cart.rank(&at) else {
        return Err(call.misfit(format!("MPI_Cart_rank is given coordinates {at:?} outside the topology")));
    };
    call.store_int(2, signed(rank));
    DONE
}

/// `MPI_Cart_shift(comm, direction, displacement, source, dest)`.
pub(crate) fn shift(call: &mut Call<'_>) -> Called {
    let (comm, cart) = call.cart(0)?;
    let (direction, by) = (call.count(1)?, call.int(2)?);
    let own = call.own_rank(comm) as u64;
    let direction = usize::try_from(direction).unwrap_or(usize::MAX);
    let Some((source, to)) = cart.shift(own, direction, by) else {
        return Err(call.misfit(format!("MPI_Cart_shift is given dimension {direction} of {}", cart.dimensions.len())));
    };
    call.store_int(3, source.map_or(handles::PROC_NULL, signed));
    call.store_int(4, to.map_or(handles::PROC_NULL, signed));
    DONE
}

/// `MPI_Cart_get(comm, maxdims, dims, periods, coords)`.
pub(crate) fn get(call: &mut Call<'_>) -> Called {
    let (comm, cart) = call.cart(0)?;
    let room = call.dimensions(1)?;
    let dimensions: Vec<i64> = cart.dimensions.iter().take(room).map(|&d| signed(d)).collect();
    let periods: Vec<i64> = cart.periodic.iter().take(room).map(|&p| i64::from(p)).collect();
    let own = cart.coordinates(call.own_rank(comm) as u64).unwrap_or_default();
    let own: Vec<i64> = own.into_iter().take(room).map(signed).collect();
    call.store_ints(2, &dimensions);
    call.store_ints(3, &periods);
    call.store_ints(4, &own);
    DONE
}

/// `MPI_Cartdim_get(comm, ndims)`.
pub(crate) fn dim_get(call: &mut Call<'_>) -> Called {
    let (_, cart) = call.cart(0)?;
    call.store_int(1, signed(cart.dimensions.len() as u64));
    DONE
}

/// `MPI_Topo_test(comm, status)`.
pub(crate) fn topo_test(call: &mut Call<'_>) -> Called {
    let comm = call.comm(0)?;
    let kind = match call.topology(comm).as_deref() {
        None => handles::UNDEFINED,
        Some(Topology::Cartesian(_)) => CART,
        Some(Topology::Graph(_)) => GRAPH,
        Some(Topology::Distributed(_)) => DISTRIBUTED,
    };
    call.store_int(1, kind);
    DONE
}

/// `MPI_Dims_create(nnodes, ndims, dims)`.
pub(crate) fn dims_create(call: &mut Call<'_>) -> Called {
    let (nodes, n) = (call.count(0)?, call.dimensions(1)?);
    let given = call.elements(2, n)?;
    let given: Result<Vec<u64>, Refusal> = given.into_iter().map(|d| call.not_negative(2, d)).collect();
    let given = given?;
    let filled = topology::dims_create(nodes, &given).filter(|_| nodes > 0);
    let Some(filled) = filled else {
        return Err(call.misfit(format!("MPI_Dims_create cannot split {nodes} tasks with dimensions {given:?}")));
    };
    let filled: Vec<i64> = filled.into_iter().map(signed).collect();
    call.store_ints(2, &filled);
    DONE
}
