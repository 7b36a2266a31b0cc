//! Shortest paths of arbitrary graphs, the same ones on every run: breadth first, vertices and links in their order.

use super::Shape;
use std::collections::VecDeque;

/// Links by vertex; empty for shapes whose routes are computed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Paths {
    /// Channel and vertex that it leads to.
    from: Vec<Vec<(u32, u32)>>,
}

impl Paths {
    /// Links whose ends do not exist are left out.
    pub fn new(shape: &Shape, nodes: u32) -> Self {
        let Shape::Graph { switches, links } = shape else { return Self::default() };
        let vertices = nodes as usize + *switches as usize;
        let mut from = vec![Vec::new(); vertices];
        for (index, link) in (0u32..).zip(links) {
            let [a, b] = link.between.map(|end| end as usize);
            if a < vertices && b < vertices {
                from[a].push((2 * index, b as u32));
                from[b].push((2 * index + 1, a as u32));
            }
        }
        Self { from }
    }

    /// Channels from one vertex to another one; empty where there is no way.
    pub fn route(&self, start: u32, end: u32) -> Vec<u32> {
        let mut came: Vec<Option<(u32, u32)>> = vec![None; self.from.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(vertex) = queue.pop_front().filter(|&vertex| vertex != end) {
            for &(channel, next) in &self.from[vertex as usize] {
                if next != start && came[next as usize].is_none() {
                    came[next as usize] = Some((channel, vertex));
                    queue.push_back(next);
                }
            }
        }
        let mut route = Vec::new();
        let mut at = end;
        while let Some((channel, before)) = came.get(at as usize).copied().flatten() {
            route.push(channel);
            at = before;
        }
        route.reverse();
        route
    }

    /// Of each vertex, whether there is a way to it.
    pub fn reached(&self, start: u32) -> Vec<bool> {
        let mut reached = vec![false; self.from.len()];
        let mut waiting = vec![start];
        while let Some(vertex) = waiting.pop() {
            if reached.get_mut(vertex as usize).is_some_and(|reached| !std::mem::replace(reached, true)) {
                waiting.extend(self.from[vertex as usize].iter().map(|&(_, next)| next));
            }
        }
        reached
    }

    /// All channels that begin or end at a vertex.
    pub(crate) fn of_vertex(&self, vertex: u32) -> Vec<u32> {
        let links = self.from.get(vertex as usize).into_iter().flatten();
        links.flat_map(|&(channel, _)| [channel, channel ^ 1]).collect()
    }
}
