//! Topologies: grids with coordinates, shifts and balanced dimensions, graphs, and who is whose neighbour in them.

/// What a communicator knows of who talks to whom.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Topology {
    /// A grid (`MPI_Cart_create`).
    Cartesian(Cartesian),
    /// A graph that every task knows as a whole (`MPI_Graph_create`).
    Graph(Graph),
    /// By rank.
    Distributed(Vec<Neighbours>),
}

/// A graph that every task knows as a whole: where the neighbours of each rank end in `edges`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Graph {
    /// For each rank, where its neighbours end in `edges`.
    pub index: Vec<usize>,
    /// Ranks of the neighbours of all ranks, one rank after the other.
    pub edges: Vec<u64>,
}

/// Of one task: whom it hears from and whom it tells, with weights; several edges between two tasks may be there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Neighbours {
    /// Ranks that it receives from, with weights.
    pub sources: Vec<(u64, i64)>,
    /// Ranks that it sends to, with weights.
    pub destinations: Vec<(u64, i64)>,
    /// Whether the program gave weights.
    pub weighted: bool,
}

/// A block that goes to a neighbour, or comes from one: its rank (`None`: nobody) and what tells several
/// edges between two tasks apart.
pub type Edge = (Option<u64>, i32);

impl Graph {
    /// `None` for a rank outside.
    pub fn neighbours(&self, rank: usize) -> Option<&[u64]> {
        let end = *self.index.get(rank)?;
        let begin = rank.checked_sub(1).map_or(0, |before| self.index[before]);
        self.edges.get(begin..end)
    }
}

impl Topology {
    /// The grid; `None` for graphs.
    pub fn as_cartesian(&self) -> Option<&Cartesian> {
        if let Self::Cartesian(cartesian) = self { Some(cartesian) } else { None }
    }

    /// From whom the blocks of a neighbourhood operation come, in order.
    pub fn sources(&self, rank: usize) -> Vec<Edge> {
        match self {
            // What is sent in one direction comes from the other one.
            Self::Cartesian(cartesian) => cartesian.around(rank as u64).map(|(peer, way)| (peer, way ^ 1)).collect(),
            Self::Graph(graph) => plain(graph.neighbours(rank).unwrap_or_default().iter().copied()),
            Self::Distributed(all) => plain(all.get(rank).into_iter().flat_map(|own| &own.sources).map(|edge| edge.0)),
        }
    }

    /// To whom they go, in order.
    pub fn destinations(&self, rank: usize) -> Vec<Edge> {
        match self {
            Self::Cartesian(cartesian) => cartesian.around(rank as u64).collect(),
            Self::Graph(_) => self.sources(rank),
            Self::Distributed(all) => {
                plain(all.get(rank).into_iter().flat_map(|own| &own.destinations).map(|edge| edge.0))
            }
        }
    }
}

/// Edges between two tasks keep their order.
fn plain(ranks: impl Iterator<Item = u64>) -> Vec<Edge> {
    ranks.map(|rank| (Some(rank), 0)).collect()
}

/// A Cartesian topology; row-major, as MPI fixes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cartesian {
    /// Tasks along each dimension, the slowest one first.
    pub dimensions: Vec<u64>,
    /// Whether each dimension wraps around.
    pub periodic: Vec<bool>,
}

impl Cartesian {
    /// Number of tasks in it.
    pub fn size(&self) -> u64 {
        self.dimensions.iter().fold(1, |product, &d| product.saturating_mul(d))
    }

    /// Coordinates of a rank, slowest dimension first; `None` outside.
    pub fn coordinates(&self, rank: u64) -> Option<Vec<u64>> {
        if rank >= self.size() {
            return None;
        }
        let mut rest = rank;
        let mut reversed: Vec<u64> = Vec::with_capacity(self.dimensions.len());
        for &length in self.dimensions.iter().rev() {
            reversed.push(rest % length);
            rest /= length;
        }
        reversed.reverse();
        Some(reversed)
    }

    /// The rank at these coordinates; periodic dimensions wrap, others are `None` outside.
    pub fn rank(&self, coordinates: &[i64]) -> Option<u64> {
        let mut rank = 0;
        for ((&at, &length), &periodic) in coordinates.iter().zip(&self.dimensions).zip(&self.periodic) {
            let length_signed = i64::try_from(length).ok()?;
            let inside = if periodic { at.rem_euclid(length_signed) } else { at };
            let inside = u64::try_from(inside).ok().filter(|&c| c < length)?;
            rank = rank * length + inside;
        }
        Some(rank)
    }

    /// Source and destination of a shift along `dimension`; `None`: `MPI_PROC_NULL`.
    pub fn shift(&self, rank: u64, dimension: usize, by: i64) -> Option<(Option<u64>, Option<u64>)> {
        let at: Vec<i64> = self.coordinates(rank)?.iter().map(|&c| i64::try_from(c).unwrap_or(i64::MAX)).collect();
        at.get(dimension)?;
        let moved = |by: i64| {
            let mut to = at.clone();
            to[dimension] = to[dimension].checked_add(by)?;
            self.rank(&to)
        };
        Some((moved(by.checked_neg()?), moved(by)))
    }

    /// The neighbours of a rank, of each dimension first the one below, then the one above; with the number of the way.
    fn around(&self, rank: u64) -> impl Iterator<Item = Edge> {
        (0..self.dimensions.len()).flat_map(move |dimension| {
            let (below, above) = self.shift(rank, dimension, 1).unwrap_or_default();
            let way = 2 * dimension as i32;
            [(below, way), (above, way + 1)]
        })
    }

    /// The topology of the kept dimensions, with the colour (which of the parallel slices) and the
    /// rank within it of a task.
    pub fn slice(&self, keep: &[bool], rank: u64) -> Option<(Self, u64, u64)> {
        let kept = |index: usize| keep.get(index).copied().unwrap_or(false);
        let (mut colour, mut inner) = (0, 0);
        for (index, (&at, &length)) in self.coordinates(rank)?.iter().zip(&self.dimensions).enumerate() {
            let digit = if kept(index) { &mut inner } else { &mut colour };
            *digit = *digit * length + at;
        }
        let chosen: Vec<usize> = (0..self.dimensions.len()).filter(|&i| kept(i)).collect();
        let dimensions = chosen.iter().map(|&i| self.dimensions[i]).collect();
        let periodic = chosen.iter().map(|&i| self.periodic[i]).collect();
        Some((Self { dimensions, periodic }, colour, inner))
    }
}

/// `MPI_Dims_create`: fills the zero entries so that the product is `nodes`, as balanced as greedy
/// placing of prime factors makes it, not increasing. `None` where the given entries do not divide `nodes`.
pub fn dims_create(nodes: u64, given: &[u64]) -> Option<Vec<u64>> {
    let fixed = given.iter().filter(|&&d| d > 0).try_fold(1u64, |product, &d| product.checked_mul(d))?;
    let free = given.iter().filter(|&&d| d == 0).count();
    if fixed == 0 || !nodes.is_multiple_of(fixed) || (free == 0 && fixed != nodes) {
        return None;
    }
    let mut shares = balance(nodes / fixed, free).into_iter();
    let fill = |&d: &u64| if d == 0 { shares.next().unwrap_or(1) } else { d };
    Some(given.iter().map(fill).collect())
}

/// Largest prime factors first, each to the smallest share so far.
fn balance(nodes: u64, shares: usize) -> Vec<u64> {
    let mut sizes = vec![1u64; shares];
    for factor in prime_factors(nodes).into_iter().rev() {
        if let Some(smallest) = sizes.iter_mut().min() {
            *smallest *= factor;
        }
    }
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes
}

fn prime_factors(mut n: u64) -> Vec<u64> {
    let mut factors = Vec::new();
    let mut candidate = 2;
    while candidate <= n / candidate {
        while n.is_multiple_of(candidate) {
            factors.push(candidate);
            n /= candidate;
        }
        candidate += 1;
    }
    if n > 1 {
        factors.push(n);
    }
    factors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Cartesian {
        Cartesian { dimensions: vec![3, 4], periodic: vec![false, true] }
    }

    #[test]
    fn coordinates_and_ranks_are_inverse() {
        assert_eq!(grid().coordinates(7), Some(vec![1, 3]));
        assert_eq!(grid().rank(&[1, 3]), Some(7));
        assert_eq!(grid().coordinates(12), None);
    }

    #[test]
    fn only_periodic_dimensions_wrap() {
        assert_eq!(grid().rank(&[2, -1]), Some(11));
        assert_eq!(grid().rank(&[3, 0]), None);
    }

    #[test]
    fn shifts() {
        assert_eq!(grid().shift(0, 0, 1), Some((None, Some(4))));
        assert_eq!(grid().shift(0, 1, 1), Some((Some(3), Some(1))));
        assert_eq!(grid().shift(0, 2, 1), None);
    }

    #[test]
    fn what_goes_up_comes_from_below() {
        let grid = Topology::Cartesian(grid());
        assert_eq!(grid.destinations(0), [(None, 0), (Some(4), 1), (Some(3), 2), (Some(1), 3)]);
        assert_eq!(grid.sources(0), [(None, 1), (Some(4), 0), (Some(3), 3), (Some(1), 2)]);
        let graph = Topology::Graph(Graph { index: vec![2, 2, 3], edges: vec![1, 2, 0] });
        assert_eq!((graph.sources(0), graph.sources(1)), (vec![(Some(1), 0), (Some(2), 0)], vec![]));
    }

    #[test]
    fn slices_keep_the_order() {
        let (rows, colour, inner) = grid().slice(&[false, true], 6).expect("inside");
        assert_eq!((rows.dimensions, colour, inner), (vec![4], 1, 2));
    }

    #[test]
    fn dimensions_are_balanced_and_not_increasing() {
        let cases: &[(u64, usize, &[u64])] = &[
            (1, 2, &[1, 1]),
            (2, 2, &[2, 1]),
            (4, 2, &[2, 2]),
            (6, 2, &[3, 2]),
            (12, 2, &[4, 3]),
            (16, 2, &[4, 4]),
            (64, 3, &[4, 4, 4]),
            (24, 3, &[4, 3, 2]),
            (7, 2, &[7, 1]),
            (64, 2, &[8, 8]),
        ];
        for &(nodes, dimensions, expected) in cases {
            assert_eq!(dims_create(nodes, &vec![0; dimensions]).as_deref(), Some(expected), "{nodes}");
        }
    }

    #[test]
    fn given_dimensions_stay() {
        assert_eq!(dims_create(12, &[0, 2, 0]), Some(vec![3, 2, 2]));
        assert_eq!(dims_create(12, &[5, 0]), None);
        assert_eq!(dims_create(12, &[3, 4]), Some(vec![3, 4]));
        assert_eq!(dims_create(12, &[3, 3]), None);
    }

    proptest::proptest! {
        #[test]
        fn every_task_has_its_place(nodes in 1u64..5000, dimensions in 1usize..5) {
            let filled = dims_create(nodes, &vec![0; dimensions]).expect("nothing is given");
            proptest::prop_assert_eq!(filled.iter().product::<u64>(), nodes);
            proptest::prop_assert!(filled.is_sorted_by(|a, b| a >= b));
        }
    }
}
