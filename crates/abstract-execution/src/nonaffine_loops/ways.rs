//! The ways through one iteration: each arm of a branch that nobody knows on its own, with its chance.

use super::expectation::{End, Search, Way};
use super::recurrence::decided;
use crate::state::execution::Execution;
use chronos_ir::{ArmLabel, BlockId, BlockKind, Branch, BranchKind, Jump};
use chronos_slicing::heuristics::Grounds;

/// Ways through one iteration.
const MAX_WAYS: usize = 16;

impl<'a> Execution<'a> {
    pub(crate) fn here(&mut self, share: f64, end: End) -> Way {
        Way { share, state: self.state.clone(), values: self.frame().values.clone(), end }
    }

    pub(crate) fn enter(&mut self, way: &Way) {
        self.state = way.state.clone();
        self.frame().values.clone_from(&way.values);
    }

    /// How likely each way through the body is, and how it ends.
    pub(crate) fn ways_of_body(&mut self, search: &mut Search<'a>) -> Option<Vec<(f64, End)>> {
        let begun = self.here(1.0, End::Through);
        let ways = self.ways(search, &search.l.body, vec![begun])?;
        Some(ways.into_iter().map(|way| (way.share, way.end)).collect())
    }

    /// The ways through blocks that stand one after the other.
    pub(crate) fn ways(
        &mut self,
        search: &mut Search<'a>,
        region: &'a [BlockId],
        mut ways: Vec<Way>,
    ) -> Option<Vec<Way>> {
        for &block in region {
            let mut next = Vec::new();
            for way in ways {
                if way.end == End::Through {
                    self.enter(&way);
                    next.extend(self.through_block(search, block, way.share)?);
                } else {
                    next.push(way);
                }
            }
            ways = next;
            if ways.len() > MAX_WAYS {
                return None;
            }
        }
        Some(ways)
    }

    fn through_block(&mut self, search: &mut Search<'a>, block: BlockId, share: f64) -> Option<Vec<Way>> {
        if let BlockKind::Branch(branch) = &self.setting.program.blocks[block].kind
            && matches!(branch.kind, BranchKind::If | BranchKind::Conditional)
        {
            return self.forked(search, block, branch, share);
        }
        let before = self.frame().escapes.len();
        let path = self.block(block, search.path.clone()).ok()?;
        let mut escapes = self.frame().escapes.split_off(before);
        match (path.is_unreachable(), escapes.pop()) {
            (false, None) => Some(vec![self.here(share, End::Through)]),
            (true, Some(only)) if escapes.is_empty() => {
                self.state = only.state;
                let target = search.l.target;
                let end = match only.jump {
                    Jump::Continue(to) if to == target => End::Continue,
                    Jump::Break(to) if to == target => End::Break,
                    _ => End::Outward,
                };
                Some(vec![self.here(share, end)])
            }
            _ => None,
        }
    }

    /// Each arm of a branch on its own.
    fn forked(&mut self, search: &mut Search<'a>, id: BlockId, branch: &'a Branch, share: f64) -> Option<Vec<Way>> {
        let (arms, none) = self.arm_shares(search, id, branch)?;
        let entry = self.here(share, End::Through);
        let mut ways = Vec::new();
        for (arm, &p) in branch.arms.iter().zip(&arms).filter(|(_, p)| **p > 0.0) {
            let begun = Way { share: share * p, state: entry.state.clone(), values: entry.values.clone(), ..entry };
            for way in self.ways(search, &arm.region, vec![begun])? {
                self.enter(&way);
                if let (Some(result), Some(value)) = (branch.result, &arm.value) {
                    let value = self.operand(value);
                    self.frame().values.insert(result, value);
                }
                ways.push(self.here(way.share, way.end));
            }
        }
        if none > 0.0 {
            ways.push(Way { share: share * none, ..entry });
        }
        Some(ways)
    }

    /// How likely each arm is, and that none is; certain where the condition is known.
    fn arm_shares(&mut self, search: &mut Search<'a>, id: BlockId, branch: &Branch) -> Option<(Vec<f64>, f64)> {
        let value = self.operand(&branch.condition);
        let Some(truth) = self.symbols.truth(&value) else {
            let guess = self.likelihoods(id, branch);
            let given = self.annotated_probability(id).is_some();
            search.assumed |= !given && guess.grounds != Grounds::Parts { assumed: false };
            return Some((guess.arms, guess.none));
        };
        let truth = decided(&truth)?;
        let taken = |labels: &[ArmLabel]| labels.contains(&ArmLabel::True) == truth;
        let arms: Vec<f64> = branch.arms.iter().map(|arm| f64::from(u8::from(taken(&arm.labels)))).collect();
        let none = if arms.contains(&1.0) { 0.0 } else { 1.0 };
        Some((arms, none))
    }
}
