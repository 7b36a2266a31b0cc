//! Groups: ordered sets of tasks, and what MPI does with them.

use chronos_activity::TaskId;
use std::sync::Arc;

/// An ordered set of tasks; a rank is a position in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    members: Arc<[TaskId]>,
}

/// Result of comparing two groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The same members in the same order.
    Identical,
    /// The same members in another order.
    Similar,
    /// Other members.
    Unequal,
}

impl Group {
    /// A group of these tasks, by rank.
    pub fn new(members: impl IntoIterator<Item = TaskId>) -> Self {
        Self { members: members.into_iter().collect() }
    }

    /// The group of `MPI_COMM_WORLD`: all tasks in their order.
    pub fn world(tasks: usize) -> Self {
        Self::new((0..tasks).map(<TaskId as chronos_base::ids::Id>::new))
    }

    /// The tasks, by rank.
    pub fn members(&self) -> &Arc<[TaskId]> {
        &self.members
    }

    /// Number of members.
    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// The task with this rank; `None` outside.
    pub fn task(&self, rank: usize) -> Option<TaskId> {
        self.members.get(rank).copied()
    }

    /// The rank of a task; `None` where it is no member.
    pub fn rank(&self, task: TaskId) -> Option<usize> {
        let same = chronos_base::ids::Id::index(task);
        if self.members.get(same) == Some(&task) {
            return Some(same);
        }
        self.members.iter().position(|&member| member == task)
    }

    /// Whether the task is a member.
    pub fn contains(&self, task: TaskId) -> bool {
        self.rank(task).is_some()
    }

    /// The members with these ranks, in this order; `Err` with the first rank that is outside or
    /// named twice.
    pub fn include(&self, ranks: &[i64]) -> Result<Self, i64> {
        let positions = self.positions(ranks)?;
        Ok(Self::new(positions.into_iter().map(|rank| self.members[rank])))
    }

    /// All members but those with these ranks.
    pub fn exclude(&self, ranks: &[i64]) -> Result<Self, i64> {
        let without = self.positions(ranks)?;
        let kept = (0..self.size()).filter(|rank| !without.contains(rank));
        Ok(Self::new(kept.map(|rank| self.members[rank])))
    }

    fn positions(&self, ranks: &[i64]) -> Result<Vec<usize>, i64> {
        let mut seen = vec![false; self.size()];
        let place = |&rank: &i64| {
            let position = usize::try_from(rank).ok().filter(|&p| p < seen.len()).ok_or(rank)?;
            if std::mem::replace(&mut seen[position], true) { Err(rank) } else { Ok(position) }
        };
        ranks.iter().map(place).collect()
    }

    /// `MPI_Group_union`: the members of `self`, then the others of `other`, in their orders.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let added = other.members.iter().filter(|&&task| !self.contains(task));
        Self::new(self.members.iter().chain(added).copied())
    }

    /// `MPI_Group_intersection`: members of both, in the order of `self`.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self::new(self.members.iter().copied().filter(|&task| other.contains(task)))
    }

    /// `MPI_Group_difference`: members of `self` that are not in `other`, in the order of `self`.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        Self::new(self.members.iter().copied().filter(|&task| !other.contains(task)))
    }

    /// `MPI_Group_compare`.
    pub fn compare(&self, other: &Self) -> Comparison {
        if self.members == other.members {
            Comparison::Identical
        } else if self.size() == other.size() && self.members.iter().all(|&task| other.contains(task)) {
            Comparison::Similar
        } else {
            Comparison::Unequal
        }
    }
}

/// The ranks that `(first, last, stride)` names, last included where it is hit. `None` for stride 0.
pub fn range(first: i64, last: i64, stride: i64) -> Option<Vec<i64>> {
    if stride == 0 {
        return None;
    }
    let inside = |&rank: &i64| if stride > 0 { rank <= last } else { rank >= last };
    Some(std::iter::successors(Some(first), |rank| rank.checked_add(stride)).take_while(inside).collect())
}

/// Groups that a split makes: for each colour, ascending, the members that gave it, ordered by key
/// and then by old rank. `None` as colour: in no group.
pub fn split(old: &Group, choices: &[(Option<i64>, i64)]) -> Vec<(i64, Group)> {
    let mut chosen: Vec<(i64, i64, usize)> =
        choices.iter().enumerate().filter_map(|(rank, &(colour, key))| Some((colour?, key, rank))).collect();
    chosen.sort_unstable();
    chosen
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| (same[0].0, Group::new(same.iter().filter_map(|&(_, _, rank)| old.task(rank)))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(ranks: &[u32]) -> Group {
        Group::new(ranks.iter().map(|&rank| TaskId(rank)))
    }

    #[test]
    fn set_operations_keep_the_first_order() {
        let (a, b) = (tasks(&[3, 1, 2]), tasks(&[2, 5, 3]));
        assert_eq!(a.union(&b), tasks(&[3, 1, 2, 5]));
        assert_eq!(a.intersection(&b), tasks(&[3, 2]));
        assert_eq!(a.difference(&b), tasks(&[1]));
    }

    #[test]
    fn include_and_exclude() {
        let group = tasks(&[4, 5, 6, 7]);
        assert_eq!(group.include(&[3, 0]), Ok(tasks(&[7, 4])));
        assert_eq!(group.exclude(&[1, 2]), Ok(tasks(&[4, 7])));
        assert_eq!(group.include(&[0, 4]), Err(4));
        assert_eq!(group.include(&[1, 1]), Err(1));
    }

    #[test]
    fn comparisons() {
        assert_eq!(tasks(&[1, 2]).compare(&tasks(&[1, 2])), Comparison::Identical);
        assert_eq!(tasks(&[1, 2]).compare(&tasks(&[2, 1])), Comparison::Similar);
        assert_eq!(tasks(&[1, 2]).compare(&tasks(&[1, 3])), Comparison::Unequal);
    }

    #[test]
    fn ranges_run_both_ways() {
        assert_eq!(range(1, 7, 2), Some(vec![1, 3, 5, 7]));
        assert_eq!(range(6, 1, -3), Some(vec![6, 3]));
        assert_eq!(range(0, 5, 0), None);
    }

    #[test]
    fn split_orders_by_key_and_old_rank() {
        let choices = [(Some(1), 5), (Some(0), 0), (None, 0), (Some(1), 2), (Some(1), 5)];
        let groups = split(&Group::world(5), &choices);
        assert_eq!(groups, [(0, tasks(&[1])), (1, tasks(&[3, 0, 4]))]);
    }
}
