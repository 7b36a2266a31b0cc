//! Graphs of tasks, and the operations in which neighbours of any topology exchange blocks.
//!
//! These are messages on a communicator beside the one with the topology, so that no receive of the program takes them.

use crate::call::{Call, Called, DONE, Refusal};
use crate::codes;
use crate::collectives::plan::Plan;
use crate::state::instances::{GraphPart, NewCommunicator};
use chronos_activity::CommId;
use chronos_mpi::{Graph, Neighbours, Topology};
use std::sync::Arc;

/// `MPI_UNWEIGHTED` and `MPI_WEIGHTS_EMPTY` of the bundled header.
const UNWEIGHTED: [i64; 2] = [-1, -2];

impl Call<'_> {
    /// Ranks of a communicator in an array.
    fn ranks_below(&mut self, argument: usize, count: usize, size: u64) -> Result<Vec<u64>, Refusal> {
        let ranks = self.elements(argument, count)?;
        ranks.into_iter().map(|rank| self.rank_below(rank, size)).collect()
    }

    fn rank_below(&self, rank: i64, size: u64) -> Result<u64, Refusal> {
        u64::try_from(rank).ok().filter(|&rank| rank < size).ok_or_else(|| {
            let message =
                format!("{} is given rank {rank}, and its communicator has ranks 0 to {}", self.name(), size - 1);
            self.wrong(&codes::RANK, message, "check the rank, or predict with another number of tasks (-n)")
        })
    }

    /// Weights of so many edges; `None` where they are all the same.
    fn weights(&mut self, argument: usize, count: usize) -> Result<Option<Vec<i64>>, Refusal> {
        match self.env.argument(argument).as_int() {
            Some(special) if UNWEIGHTED.contains(&special) || special == 0 => Ok(None),
            _ => self.elements(argument, count).map(Some),
        }
    }

    fn size_of(&self, comm: CommId) -> u64 {
        self.mpi.members(comm).size() as u64
    }
}

fn with(topology: Topology, call: &Call<'_>, comm: CommId) -> NewCommunicator {
    NewCommunicator { colour: Some(0), key: call.own_key(comm), topology: Some(Arc::new(topology)), linked: None }
}

/// `MPI_Graph_create(comm, nodes, index, edges, reorder, new)`; ranks are kept.
pub(crate) fn graph_create(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let comm = call.intracomm(0)?;
    let (nodes, size) = (call.length(1)?, call.size_of(comm));
    if nodes == 0 || nodes as u64 > size {
        return Err(call.misfit(format!("the graph has {nodes} nodes, and the communicator {size} tasks")));
    }
    let mut index = Vec::with_capacity(nodes);
    for end in call.elements(2, nodes)? {
        index.push(usize::try_from(call.not_negative(2, end)?).unwrap_or(usize::MAX));
    }
    if !index.is_sorted() {
        return Err(call.bad_argument(2, "does not rise: it says where the neighbours of each rank end"));
    }
    let edges = call.ranks_below(3, index.last().copied().unwrap_or(0), nodes as u64)?;
    let inside = call.own_rank(comm) < nodes;
    let choice = with(Topology::Graph(Graph { index, edges }), call, comm);
    call.making(comm, NewCommunicator { colour: inside.then_some(0), ..choice }, 5)
}

impl Call<'_> {
    fn graph(&mut self, argument: usize) -> Result<Graph, Refusal> {
        let comm = self.comm(argument)?;
        match self.topology(comm).as_deref() {
            Some(Topology::Graph(graph)) => Ok(graph.clone()),
            _ => Err(self.misfit(format!("{} is given a communicator without graph", self.name()))),
        }
    }

    fn own_neighbours(&mut self, argument: usize) -> Result<Neighbours, Refusal> {
        let comm = self.comm(argument)?;
        let rank = self.own_rank(comm);
        match self.topology(comm).as_deref() {
            Some(Topology::Distributed(all)) => Ok(all.get(rank).cloned().unwrap_or_default()),
            _ => Err(self.misfit(format!("{} is given a communicator without distributed graph", self.name()))),
        }
    }

    fn neighbours_of(&mut self, graph: &Graph, argument: usize) -> Result<Vec<i64>, Refusal> {
        let rank = self.int(argument)?;
        let rank = self.rank_below(rank, graph.index.len() as u64)?;
        Ok(graph.neighbours(rank as usize).unwrap_or_default().iter().map(|&rank| rank as i64).collect())
    }

    /// Stores as many as there is room for.
    fn store_first(&mut self, room: usize, argument: usize, values: &[i64]) -> Result<(), Refusal> {
        let room = self.length(room)?;
        self.store_ints(argument, &values[..values.len().min(room)]);
        Ok(())
    }
}

/// `MPI_Graphdims_get(comm, nodes, edges)`.
pub(crate) fn graph_dims(call: &mut Call<'_>) -> Called {
    let graph = call.graph(0)?;
    call.store_int(1, graph.index.len() as i64);
    call.store_int(2, graph.edges.len() as i64);
    DONE
}

/// `MPI_Graph_get(comm, maxindex, maxedges, index, edges)`.
pub(crate) fn graph_get(call: &mut Call<'_>) -> Called {
    let graph = call.graph(0)?;
    let index: Vec<i64> = graph.index.iter().map(|&end| end as i64).collect();
    let edges: Vec<i64> = graph.edges.iter().map(|&rank| rank as i64).collect();
    call.store_first(1, 3, &index)?;
    call.store_first(2, 4, &edges)?;
    DONE
}

/// `MPI_Graph_neighbors_count(comm, rank, count)`.
pub(crate) fn graph_count(call: &mut Call<'_>) -> Called {
    let graph = call.graph(0)?;
    let neighbours = call.neighbours_of(&graph, 1)?;
    call.store_int(2, neighbours.len() as i64);
    DONE
}

/// `MPI_Graph_neighbors(comm, rank, room, neighbours)`.
pub(crate) fn graph_neighbours(call: &mut Call<'_>) -> Called {
    let graph = call.graph(0)?;
    let neighbours = call.neighbours_of(&graph, 1)?;
    call.store_first(2, 3, &neighbours)?;
    DONE
}

/// `MPI_Dist_graph_create_adjacent(comm, indegree, sources, weights, outdegree, destinations, weights, info, reorder,
/// new)`.
pub(crate) fn create_adjacent(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let comm = call.intracomm(0)?;
    let size = call.size_of(comm);
    let mut side = |degree: usize| -> Result<(Vec<(u64, i64)>, bool), Refusal> {
        let count = call.length(degree)?;
        let ranks = call.ranks_below(degree + 1, count, size)?;
        let weights = call.weights(degree + 2, count)?;
        let weighted = weights.is_some();
        Ok((ranks.into_iter().zip(weights.unwrap_or(vec![1; count])).collect(), weighted))
    };
    let ((sources, weighted), (destinations, _)) = (side(1)?, side(4)?);
    let own = GraphPart::Own(Neighbours { sources, destinations, weighted });
    let choice = NewCommunicator { colour: Some(0), key: call.own_key(comm), topology: None, linked: Some(own) };
    call.making(comm, choice, 9)
}

/// `MPI_Dist_graph_create(comm, n, sources, degrees, destinations, weights, info, reorder, new)`.
pub(crate) fn create_distributed(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let comm = call.intracomm(0)?;
    let (size, nodes) = (call.size_of(comm), call.length(1)?);
    let sources = call.ranks_below(2, nodes, size)?;
    let mut froms = Vec::new();
    for (node, &source) in sources.iter().enumerate() {
        let degree = call.element(3, node)?;
        let degree = usize::try_from(call.not_negative(3, degree)?).unwrap_or(usize::MAX).min(1 << 24);
        froms.extend(std::iter::repeat_n(source, degree));
    }
    let destinations = call.ranks_below(4, froms.len(), size)?;
    let weights = call.weights(5, froms.len())?;
    let weighted = weights.is_some();
    let weights = weights.unwrap_or(vec![1; froms.len()]);
    let edges = froms.into_iter().zip(destinations).zip(weights).map(|((from, to), weight)| (from, to, weight));
    let linked = Some(GraphPart::Edges(edges.collect(), weighted));
    let choice = NewCommunicator { colour: Some(0), key: call.own_key(comm), topology: None, linked };
    call.making(comm, choice, 8)
}

/// `MPI_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted)`.
pub(crate) fn distributed_count(call: &mut Call<'_>) -> Called {
    let own = call.own_neighbours(0)?;
    call.store_int(1, own.sources.len() as i64);
    call.store_int(2, own.destinations.len() as i64);
    call.store_int(3, i64::from(own.weighted));
    DONE
}

/// `MPI_Dist_graph_neighbors(comm, maxin, sources, weights, maxout, destinations, weights)`.
pub(crate) fn distributed_neighbours(call: &mut Call<'_>) -> Called {
    let own = call.own_neighbours(0)?;
    for (room, edges) in [(1, &own.sources), (4, &own.destinations)] {
        let ranks: Vec<i64> = edges.iter().map(|edge| edge.0 as i64).collect();
        call.store_first(room, room + 1, &ranks)?;
        if own.weighted {
            let weights: Vec<i64> = edges.iter().map(|edge| edge.1).collect();
            call.store_first(room, room + 2, &weights)?;
        }
    }
    DONE
}
