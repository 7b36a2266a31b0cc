//! Communication patterns of one member: round `k` as a function of rank, size and root.
//!
//! Trees are built on ranks relative to the root (`relative_rank`). Nothing is stored, so that a million members fit.
//! The algorithms are those of Thakur, Rabenseifner and Gropp (2005) unless a pattern names another paper.

use chronos_base::units::Bytes;
use std::sync::Arc;

/// What a member does at one step: posts a receive, sends, waits for all it has begun, computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CollectiveRound {
    /// Rank in the communicator and bytes.
    pub send: Option<(u32, u64)>,
    pub recv: Option<u32>,
    pub wait: bool,
    /// Bytes that reduction arithmetic goes over after the wait.
    pub reduce: u64,
}

/// What a pattern is applied to.
#[derive(Clone, Debug)]
pub(crate) struct PatternOperands {
    pub rank: u32,
    pub size: u32,
    pub root: u32,
    /// Buffer or one block.
    pub bytes: u64,
    /// This member's own block.
    pub own: u64,
    /// Bytes of a pipeline's segment.
    pub segment: u64,
    /// Of the v-forms: by rank.
    pub blocks: Option<Arc<[Bytes]>>,
    /// Bytes of the blocks up to each rank, with it, where many of them are handed on at once.
    pub(super) sums: Option<Arc<[u64]>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommPattern {
    /// The root sends to all.
    LinearOut {
        wait_each: bool,
    },
    /// The root receives from all, in order.
    LinearIn {
        reduce: bool,
    },
    BinomialOut {
        scatter: bool,
    },
    /// A tree by digits of base 4.
    QuaternomialOut,
    BinomialIn {
        reduce: bool,
        gather: bool,
    },
    TreeOut,
    TreeIn,
    ChainOut,
    ChainIn,
    /// Half the buffer down each subtree of a binary tree, then pairs exchange.
    SplitOut,
    /// Recursive halving of a buffer with a block for each member.
    Halving,
    /// Recursive halving of a reduction, then a binomial gather of the parts.
    HalvingGather,
    /// Recursive doubling of a reduction; with halving before it: Rabenseifner's algorithm.
    Doubling {
        halving: bool,
    },
    DoublingGather,
    /// Pairs of neighbours exchange their blocks, then in turn with the pair on either side the blocks of a pair, of an
    /// even number of members (Chen, Zhang, Zhang, Yuan: Performance evaluation of allgather algorithms on terascale
    /// Linux cluster with fast Ethernet, HPC Asia 2005).
    NeighborExchange,
    DoublingScan,
    Ring,
    /// The first half of `RingReduce`, each member keeping its own block.
    RingScatter,
    RingReduce,
    Bruck {
        empty: bool,
    },
    BruckExchange,
    /// Everyone with everyone.
    Exchange {
        wait_each: bool,
        reduce: bool,
    },
    LinearScan,
}

impl CommPattern {
    pub fn rounds(self, on: &PatternOperands) -> u32 {
        let steps = on.size.next_power_of_two().trailing_zeros();
        match self {
            Self::LinearOut { .. } | Self::LinearIn { .. } if on.relative_rank() == 0 => on.size - 1,
            Self::LinearOut { .. } | Self::LinearIn { .. } => 1,
            Self::BinomialOut { .. } | Self::BinomialIn { .. } => {
                on.children().count() as u32 + u32::from(on.relative_rank() > 0)
            }
            Self::QuaternomialOut => on.quaternomial_children().count() as u32 + u32::from(on.relative_rank() > 0),
            // A member of a binary tree moves each segment from its parent and to two children, or the other way round.
            Self::TreeOut | Self::TreeIn => 3 * on.segments(),
            // A member of a chain has one neighbour on each side.
            Self::ChainOut | Self::ChainIn => 2 * on.segments(),
            Self::SplitOut => on.split_rounds(),
            // What is more than a power of two folds in before the halvings and is served behind them.
            Self::Halving => on.log2() + 2,
            // Rabenseifner: halvings, then as many steps of a gather; what folded in gets nothing of a reduction to a root.
            Self::HalvingGather => 2 * on.log2() + 1,
            Self::Doubling { halving } => on.log2() * (1 + u32::from(halving)) + 2,
            Self::DoublingGather => on.log2(),
            Self::NeighborExchange => on.size / 2,
            // Distances double until they reach everyone, whether or not the number of members is a power of two.
            Self::DoublingScan | Self::Bruck { .. } | Self::BruckExchange => steps,
            Self::Ring | Self::RingScatter | Self::Exchange { .. } => on.size - 1,
            // Each block goes once around to be reduced and once more to be known to all.
            Self::RingReduce => 2 * (on.size - 1),
            Self::LinearScan => 2,
        }
    }

    /// Of a ring: bytes of the block of a rank that goes around.
    pub(crate) fn ring_block(self, on: &PatternOperands, rank: u32) -> u64 {
        match self {
            Self::RingReduce => on.ring_part(),
            _ => on.block(rank),
        }
    }

    pub fn round(self, on: &PatternOperands, k: u32) -> CollectiveRound {
        match self {
            Self::LinearOut { wait_each } => on.linear_out(k, wait_each),
            Self::LinearIn { reduce } => on.linear_in(k, reduce),
            Self::BinomialOut { scatter } => on.binomial_out(k, scatter),
            Self::QuaternomialOut => on.quaternomial_out(k),
            Self::BinomialIn { reduce, gather } => on.binomial_in(k, reduce, gather),
            Self::TreeOut => on.tree_out(k),
            Self::TreeIn => on.tree_in(k),
            Self::ChainOut => on.chain(k, on.relative_rank(), on.relative_rank() + 1, false),
            Self::ChainIn => on.chain(k, on.size - 1 - on.relative_rank(), on.size - on.relative_rank(), true),
            Self::SplitOut => on.split_out(k),
            Self::Halving => on.halving(k),
            Self::HalvingGather => on.halving_gather(k),
            Self::Doubling { halving } => on.doubling(k, halving),
            Self::DoublingGather => exchange(on.rank ^ (1 << k), on.blocks_from(on.rank >> k << k, 1 << k), 0),
            Self::NeighborExchange => on.neighbor_exchange(k),
            Self::DoublingScan => on.doubling_scan(k),
            Self::Ring => on.ring(k),
            Self::RingScatter => on.ring_scatter(k),
            Self::RingReduce => on.ring_reduce(k),
            Self::Bruck { empty } => on.bruck(k, empty),
            Self::BruckExchange => on.bruck_exchange(k),
            Self::Exchange { wait_each, reduce } => on.exchange(k, wait_each, reduce),
            Self::LinearScan => on.linear_scan(k),
        }
    }
}

pub fn send(to: u32, bytes: u64) -> CollectiveRound {
    CollectiveRound { send: Some((to, bytes)), wait: true, ..CollectiveRound::default() }
}

pub fn recv(from: u32, reduce: u64) -> CollectiveRound {
    CollectiveRound { recv: Some(from), wait: true, reduce, ..CollectiveRound::default() }
}

pub fn exchange(with: u32, bytes: u64, reduce: u64) -> CollectiveRound {
    CollectiveRound { send: Some((with, bytes)), recv: Some(with), wait: true, reduce }
}

impl PatternOperands {
    pub(crate) fn relative_rank(&self) -> u32 {
        self.rank_at_distance(self.size - self.root)
    }

    /// The rank so far to the right.
    pub(crate) fn rank_at_distance(&self, distance: u32) -> u32 {
        ((u64::from(self.rank) + u64::from(distance)) % u64::from(self.size)) as u32
    }

    pub(crate) fn absolute_rank(&self, relative_rank: u32) -> u32 {
        ((u64::from(relative_rank) + u64::from(self.root)) % u64::from(self.size)) as u32
    }

    pub(super) fn block(&self, rank: u32) -> u64 {
        self.blocks.as_ref().and_then(|blocks| blocks.get(rank as usize)).map_or(self.bytes, |bytes| bytes.0)
    }

    /// Floor of the logarithm of the size.
    pub fn log2(&self) -> u32 {
        self.size.ilog2()
    }

    fn segments(&self) -> u32 {
        u32::try_from(self.bytes.div_ceil(self.segment)).unwrap_or(u32::MAX / 4).clamp(1, u32::MAX / 4)
    }

    fn segment_bytes(&self, index: u32) -> u64 {
        let begin = u64::from(index).saturating_mul(self.segment);
        (self.bytes - begin.min(self.bytes)).min(self.segment)
    }

    fn linear_out(&self, k: u32, wait_each: bool) -> CollectiveRound {
        if self.relative_rank() > 0 {
            return recv(self.root, 0);
        }
        // The root sends nothing to itself.
        let to = k + u32::from(k >= self.root);
        let wait = wait_each || k + 2 == self.size;
        CollectiveRound { send: Some((to, self.block(to))), wait, ..CollectiveRound::default() }
    }

    fn linear_in(&self, k: u32, reduce: bool) -> CollectiveRound {
        if self.relative_rank() > 0 {
            return send(self.root, self.own);
        }
        recv(k + u32::from(k >= self.root), if reduce { self.bytes } else { 0 })
    }

    /// Distances to the children in a binomial tree, near ones first.
    fn children(&self) -> impl Iterator<Item = u32> + use<> {
        let (relative_rank, size) = (self.relative_rank(), self.size);
        let below = if relative_rank == 0 { 31 } else { relative_rank.trailing_zeros() };
        (0..below).map(|bit| 1 << bit).take_while(move |mask| relative_rank + mask < size)
    }

    /// Blocks of the subtree at the child so far away.
    fn subtree(&self, mask: u32) -> u64 {
        u64::from(mask.min(self.size - self.relative_rank() - mask))
    }

    fn parent(&self) -> u32 {
        self.absolute_rank(self.relative_rank() & (self.relative_rank() - 1))
    }

    fn binomial_out(&self, k: u32, scatter: bool) -> CollectiveRound {
        let Some(k) = k.checked_sub(u32::from(self.relative_rank() > 0)) else { return recv(self.parent(), 0) };
        let count = self.children().count() as u32;
        let mask = 1 << (count - 1 - k);
        let bytes = if scatter { self.bytes.saturating_mul(self.subtree(mask)) } else { self.bytes };
        send(self.absolute_rank(self.relative_rank() + mask), bytes)
    }

    fn binomial_in(&self, k: u32, reduce: bool, gather: bool) -> CollectiveRound {
        if k < self.children().count() as u32 {
            return recv(self.absolute_rank(self.relative_rank() + (1 << k)), if reduce { self.bytes } else { 0 });
        }
        // All blocks of its subtree, which has as many members as the lowest set bit says.
        let whole = u64::from((1 << self.relative_rank().trailing_zeros()).min(self.size - self.relative_rank()));
        send(self.parent(), if gather { self.bytes.saturating_mul(whole) } else { self.bytes })
    }

    /// The value of the lowest digit of `relative_rank` in base 4 that is not 0, and what it stands for.
    fn lowest_digit(&self) -> u64 {
        match self.relative_rank() {
            0 => 1 << 32,
            relative_rank => 1 << (relative_rank.trailing_zeros() / 2 * 2),
        }
    }

    /// Distances to the children, far ones first.
    fn quaternomial_children(&self) -> impl Iterator<Item = u32> + use<> {
        let (relative_rank, size, below) = (u64::from(self.relative_rank()), u64::from(self.size), self.lowest_digit());
        let places = (0..16).rev().map(|digit| 1u64 << (2 * digit)).filter(move |&place| place < below);
        places
            .flat_map(|place| (1..4).map(move |digit| digit * place))
            .filter(move |by| relative_rank + by < size)
            .map(|by| by as u32)
    }

    fn quaternomial_out(&self, k: u32) -> CollectiveRound {
        let Some(k) = k.checked_sub(u32::from(self.relative_rank() > 0)) else {
            let place = self.lowest_digit() as u32;
            return recv(self.absolute_rank(self.relative_rank() - self.relative_rank() / place % 4 * place), 0);
        };
        let child = self.quaternomial_children().nth(k as usize);
        child
            .map_or_else(CollectiveRound::default, |by| send(self.absolute_rank(self.relative_rank() + by), self.bytes))
    }

    fn tree_child(&self, which: u32) -> Option<u32> {
        let child = 2 * u64::from(self.relative_rank()) + u64::from(which);
        (child < u64::from(self.size)).then(|| self.absolute_rank(child as u32))
    }

    fn tree_parent(&self) -> Option<u32> {
        (self.relative_rank() > 0).then(|| self.absolute_rank((self.relative_rank() - 1) / 2))
    }

    fn tree_out(&self, k: u32) -> CollectiveRound {
        let bytes = self.segment_bytes(k / 3);
        match k % 3 {
            0 => CollectiveRound { recv: self.tree_parent(), wait: true, ..CollectiveRound::default() },
            which => CollectiveRound {
                send: self.tree_child(which).map(|to| (to, bytes)),
                wait: which == 2,
                ..CollectiveRound::default()
            },
        }
    }

    fn tree_in(&self, k: u32) -> CollectiveRound {
        let bytes = self.segment_bytes(k / 3);
        match k % 3 {
            2 => CollectiveRound {
                send: self.tree_parent().map(|to| (to, bytes)),
                wait: true,
                ..CollectiveRound::default()
            },
            which => self.tree_child(which + 1).map_or_else(CollectiveRound::default, |from| recv(from, bytes)),
        }
    }

    /// `place` in the chain, and the place after it; towards the root everything is mirrored.
    fn chain(&self, k: u32, place: u32, next: u32, inward: bool) -> CollectiveRound {
        let rank_at = |place: u32| self.absolute_rank(if inward { self.size - 1 - place } else { place });
        let bytes = self.segment_bytes(k / 2);
        match k % 2 {
            0 if place > 0 => recv(rank_at(place - 1), if inward { bytes } else { 0 }),
            1 if next < self.size => send(rank_at(next), bytes),
            _ => CollectiveRound::default(),
        }
    }

    /// Members beyond the largest power of two fold into their neighbours before and get the result after.
    fn doubling(&self, k: u32, halving: bool) -> CollectiveRound {
        let steps = self.log2();
        let surplus = self.size - (1 << steps);
        // Of the first 2 * surplus members the even ones hand their data to the odd ones, which go on for both: a power
        // of two takes part in the steps between (Thakur, Rabenseifner and Gropp 2005).
        let summary = self.rank < 2 * surplus;
        let last = steps * (1 + u32::from(halving)) + 1;
        match (summary, self.rank.is_multiple_of(2)) {
            (true, true) if k == 0 => return send(self.rank + 1, self.bytes),
            (true, true) if k == last => return recv(self.rank + 1, 0),
            (true, false) if k == 0 => return recv(self.rank - 1, self.bytes),
            (true, false) if k == last => return send(self.rank - 1, self.bytes),
            (false, _) if k == 0 || k == last => return CollectiveRound::default(),
            (true, true) => return CollectiveRound::default(),
            _ => {}
        }
        let place = if summary { self.rank / 2 } else { self.rank - surplus };
        let absolute_rank = |place: u32| if place < surplus { 2 * place + 1 } else { place + surplus };
        let step = k - 1;
        // Recursive doubling: all of the data in each step, which is best where latency decides.
        if !halving {
            return exchange(absolute_rank(place ^ (1 << step)), self.bytes, self.bytes);
        }
        // Rabenseifner: a reduce-scatter by recursive halving, then an allgather by recursive doubling, so that each
        // member moves all of the data only twice.
        if step < steps {
            let part = self.bytes >> (step + 1);
            return exchange(absolute_rank(place ^ (1 << (steps - 1 - step))), part, part);
        }
        let step = step - steps;
        exchange(absolute_rank(place ^ (1 << step)), self.bytes >> (steps - step), 0)
    }

    fn doubling_scan(&self, k: u32) -> CollectiveRound {
        let with = self.rank ^ (1 << k);
        if with < self.size { exchange(with, self.bytes, self.bytes) } else { CollectiveRound::default() }
    }

    fn ring(&self, k: u32) -> CollectiveRound {
        // The block that came in the round before goes on.
        let block = self.rank_at_distance(self.size - k);
        CollectiveRound {
            send: Some((self.rank_at_distance(1), self.block(block))),
            ..recv(self.rank_at_distance(self.size - 1), 0)
        }
    }

    fn ring_scatter(&self, k: u32) -> CollectiveRound {
        // A block visits all members, who add their part, and ends at its own (Patarasuk, Yuan: Bandwidth optimal all-reduce
        // algorithms, 2009, section 4.1).
        let (sent, received) = (2 * self.size - 1 - k, 2 * self.size - 2 - k);
        CollectiveRound {
            send: Some((self.rank_at_distance(1), self.block(self.rank_at_distance(sent)))),
            ..recv(self.rank_at_distance(self.size - 1), self.block(self.rank_at_distance(received)))
        }
    }

    fn ring_part(&self) -> u64 {
        self.bytes.div_ceil(u64::from(self.size))
    }

    fn ring_reduce(&self, k: u32) -> CollectiveRound {
        // Reduce-scatter, then allgather, around the ring: one block a round.
        let part = self.ring_part();
        let reduce = if k < self.size - 1 { part } else { 0 };
        CollectiveRound {
            send: Some((self.rank_at_distance(1), part)),
            ..recv(self.rank_at_distance(self.size - 1), reduce)
        }
    }

    fn exchange(&self, k: u32, wait_each: bool, reduce: bool) -> CollectiveRound {
        let (to, from) = (self.rank_at_distance(k + 1), self.rank_at_distance(self.size - 1 - k));
        let wait = wait_each || k + 2 == self.size;
        let reduced = if reduce { self.own } else { 0 };
        CollectiveRound { send: Some((to, self.block(to))), recv: Some(from), wait, reduce: reduced }
    }

    fn linear_scan(&self, k: u32) -> CollectiveRound {
        match k {
            0 if self.rank > 0 => recv(self.rank - 1, self.bytes),
            1 if self.rank + 1 < self.size => send(self.rank + 1, self.bytes),
            _ => CollectiveRound::default(),
        }
    }
}
