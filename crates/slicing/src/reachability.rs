//! Which nodes of a graph can be reached.

/// Nodes that can be reached from `seeds`.
pub(super) fn reach(nodes: usize, edges: impl Iterator<Item = (u32, u32)> + Clone, seeds: &[u32]) -> Vec<bool> {
    let mut starts = vec![0_u32; nodes + 1];
    edges.clone().for_each(|(from, _)| starts[from as usize + 1] += 1);
    (0..nodes).for_each(|node| starts[node + 1] += starts[node]);
    let mut ends = vec![0_u32; starts[nodes] as usize];
    let mut next = starts.clone();
    for (from, to) in edges {
        ends[next[from as usize] as usize] = to;
        next[from as usize] += 1;
    }
    let mut reached = vec![false; nodes];
    let mut pending = seeds.to_vec();
    while let Some(node) = pending.pop() {
        if !std::mem::replace(&mut reached[node as usize], true) {
            let range = starts[node as usize] as usize..starts[node as usize + 1] as usize;
            pending.extend(ends[range].iter().filter(|&&end| !reached[end as usize]));
        }
    }
    reached
}
