//! Max-min fair sharing of links by progressive filling (Bertsekas, Gallager: Data Networks, 2nd ed., sec. 6.5.2):
//! the rates of all flows rise together until a link is full; those over it are settled, the rest goes on. A flow
//! never gets more than a port has. In integers, so that the result does not depend on the order of the flows; their unit is so
//! small that what is lost by rounding a share down is less than a millionth of it with a million flows on one link.

use chronos_machine::topology::FULL;

/// A flow's rate and route, as far as the solver is concerned.
pub(crate) struct FlowDemand<'a> {
    pub route: &'a [u32],
    pub rate: u64,
}

/// Gives every demand its rate. `capacity` by channel; what other flows use is none of it.
pub(crate) fn progressive_filling(demands: &mut [FlowDemand<'_>], capacity: impl Fn(u32) -> u64) {
    let mut channels = LinkShares::new(demands, capacity);
    let mut open: Vec<usize> = (0..demands.len()).collect();
    while !open.is_empty() {
        // The bottleneck: the link whose fair share is least is full first.
        let tightest = channels.tightest().filter(|&(_, share)| share < FULL);
        let (at, share) = tightest.map_or((None, FULL), |(at, share)| (Some(at), share));
        let settled = |demand: &FlowDemand<'_>| at.is_none_or(|at| demand.route.contains(&channels.ids[at]));
        let (now, later): (Vec<usize>, Vec<usize>) = open.into_iter().partition(|&index| settled(&demands[index]));
        for &index in &now {
            // A flow never stands still, or it would not end.
            demands[index].rate = share.max(1);
            channels.settle(demands[index].route, share);
        }
        open = if at.is_none() { Vec::new() } else { later };
    }
}

/// The channels of all demands: what is left of each, and how many demands are not settled.
struct LinkShares {
    ids: Vec<u32>,
    left: Vec<u64>,
    open: Vec<u32>,
}

impl LinkShares {
    fn new(demands: &[FlowDemand<'_>], capacity: impl Fn(u32) -> u64) -> Self {
        let mut ids: Vec<u32> = demands.iter().flat_map(|demand| demand.route).copied().collect();
        ids.sort_unstable();
        ids.dedup();
        let left = ids.iter().map(|&id| capacity(id)).collect();
        let mut channels = Self { open: vec![0; ids.len()], ids, left };
        for id in demands.iter().flat_map(|demand| demand.route) {
            if let Ok(at) = channels.ids.binary_search(id) {
                channels.open[at] += 1;
            }
        }
        channels
    }

    /// The channel that leaves the least to each of its demands, and how much; of several, the first.
    fn tightest(&self) -> Option<(usize, u64)> {
        let shares = (0..self.ids.len())
            .filter(|&at| self.open[at] > 0)
            .map(|at| (at, self.left[at] / u64::from(self.open[at])));
        shares.min_by_key(|&(at, share)| (share, at))
    }

    fn settle(&mut self, route: &[u32], share: u64) {
        for id in route {
            if let Ok(at) = self.ids.binary_search(id) {
                self.left[at] = self.left[at].saturating_sub(share);
                self.open[at] -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(routes: &[&[u32]], capacities: &[u64]) -> Vec<f64> {
        let mut demands: Vec<FlowDemand<'_>> = routes.iter().map(|&route| FlowDemand { route, rate: 0 }).collect();
        progressive_filling(&mut demands, |channel| capacities[channel as usize]);
        demands.iter().map(|demand| demand.rate as f64 / FULL as f64).collect()
    }

    #[test]
    fn flows_over_one_channel_get_equal_parts() {
        assert_eq!(rates(&[&[0], &[0]], &[FULL]), [0.5, 0.5]);
        assert_eq!(rates(&[&[0], &[1]], &[FULL, FULL]), [1.0, 1.0]);
    }

    /// Two channels in a row and three flows: a over both, b over the first, c and d over the second.
    #[test]
    fn what_a_flow_cannot_use_goes_to_the_others() {
        let third = (FULL / 3) as f64 / FULL as f64;
        let found = rates(&[&[0, 1], &[0], &[1], &[1]], &[FULL, FULL]);
        assert_eq!(found, [third, (FULL - FULL / 3) as f64 / FULL as f64, third, third]);
    }

    #[test]
    fn no_flow_gets_more_than_a_port() {
        assert_eq!(rates(&[&[0]], &[4 * FULL]), [1.0]);
        assert_eq!(rates(&[&[0], &[0, 1], &[0]], &[2 * FULL, FULL / 4]), [0.875, 0.25, 0.875]);
    }
}
