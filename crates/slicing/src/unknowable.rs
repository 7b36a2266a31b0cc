//! What nobody can ever know: what is made from random numbers, clocks and functions without source.
//!
//! A value is unknowable when one of the things is that it is computed from. Storage is a class of objects and
//! elements that the points-to analysis does not tell apart; one clock reading among them says little about
//! the others, so it is unknowable only where nothing that can be known is written to it. Constants do not count
//! as that: an array is cleared before it is filled with random numbers.

use crate::Analysis;
use crate::dependences::{Dependences, Edge, Flows};
use crate::reachability::reach;

/// Per node of the dependences.
pub fn unknowable(analysis: &Analysis, found: &Dependences) -> Vec<bool> {
    let data = found.edges.iter().filter(|edge| edge.data()).map(|edge| (edge.source, edge.target));
    let tainted = reach(found.nodes, data, &found.unknowable);
    let whole = |node: u32| analysis.nodes.is_value(node) || found.joint.contains(&node);
    TaintRemoval::new(found, tainted, &whole).solve(&whole)
}

/// Takes nodes out of those that something unknowable flows to.
struct TaintRemoval<'a> {
    tainted: Vec<bool>,
    /// Per value, sources that are still tainted.
    missing: Vec<u32>,
    /// From tainted nodes to tainted nodes, by source.
    edges: Vec<&'a Edge>,
    pending: Vec<u32>,
}

impl<'a> TaintRemoval<'a> {
    fn new(found: &'a Dependences, tainted: Vec<bool>, whole: &impl Fn(u32) -> bool) -> Self {
        let mut missing = vec![0; found.nodes];
        // A source of its own: no other makes it known.
        found.unknowable.iter().for_each(|&seed| missing[seed as usize] = 1);
        let (mut edges, mut pending) = (Vec::new(), Vec::new());
        for edge in found.edges.iter().filter(|edge| edge.data() && tainted[edge.target as usize]) {
            if tainted[edge.source as usize] {
                missing[edge.target as usize] += 1;
                edges.push(edge);
            } else if edge.kind == Flows::Value && !whole(edge.target) {
                pending.push(edge.target);
            }
        }
        edges.sort_by_key(|edge| edge.source);
        Self { tainted, missing, edges, pending }
    }

    fn solve(mut self, whole: &impl Fn(u32) -> bool) -> Vec<bool> {
        while let Some(node) = self.pending.pop() {
            if !std::mem::replace(&mut self.tainted[node as usize], false) {
                continue;
            }
            let first = self.edges.partition_point(|edge| edge.source < node);
            for edge in self.edges[first..].iter().take_while(|edge| edge.source == node) {
                let missing = &mut self.missing[edge.target as usize];
                *missing -= 1;
                if *missing == 0 || edge.kind == Flows::Value && !whole(edge.target) {
                    self.pending.push(edge.target);
                }
            }
        }
        self.tainted
    }
}
