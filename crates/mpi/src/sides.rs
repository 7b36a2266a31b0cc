//! The two groups of an intercommunicator.

use super::Group;
use chronos_activity::TaskId;

/// Two groups without a common member: each addresses the other by its ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    groups: [Group; 2],
}

impl Sides {
    /// `None` where one is empty or a task is in both.
    pub fn new(first: Group, second: Group) -> Option<Self> {
        let apart = first.intersection(&second).size() == 0 && first.size() > 0 && second.size() > 0;
        apart.then_some(Self { groups: [first, second] })
    }

    /// All tasks: those of the first group, then those of the second.
    pub fn all(&self) -> Group {
        self.groups[0].union(&self.groups[1])
    }

    fn is_first(&self, task: TaskId) -> bool {
        self.groups[0].contains(task)
    }

    /// The local group of `task`: its own.
    pub fn local(&self, task: TaskId) -> &Group {
        &self.groups[usize::from(!self.is_first(task))]
    }

    /// The remote group of `task`: the one that it addresses (MPI 4.0, 7.6).
    pub fn remote(&self, task: TaskId) -> &Group {
        &self.groups[usize::from(self.is_first(task))]
    }

    /// Positions of the remote group among all.
    pub fn remote_positions(&self, task: TaskId) -> std::ops::Range<usize> {
        let first = self.groups[0].size();
        if self.is_first(task) { first..first + self.groups[1].size() } else { 0..first }
    }

    /// What remains of both when only these tasks stay, in their order; `None` where one side has nobody left.
    pub fn restricted(&self, to: &Group) -> Option<Self> {
        let kept = |side: &Group| Group::new(to.members().iter().copied().filter(|&task| side.contains(task)));
        Self::new(kept(&self.groups[0]), kept(&self.groups[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(ranks: &[u32]) -> Group {
        Group::new(ranks.iter().map(|&rank| TaskId(rank)))
    }

    #[test]
    fn each_side_looks_at_the_other() {
        let sides = Sides::new(tasks(&[4, 1]), tasks(&[3])).expect("they are apart");
        assert_eq!(sides.all(), tasks(&[4, 1, 3]));
        assert_eq!((sides.local(TaskId(1)), sides.remote(TaskId(1))), (&tasks(&[4, 1]), &tasks(&[3])));
        assert_eq!((sides.remote_positions(TaskId(1)), sides.remote_positions(TaskId(3))), (2..3, 0..2));
        assert_eq!(sides.restricted(&tasks(&[3, 1])), Sides::new(tasks(&[1]), tasks(&[3])));
        assert_eq!(sides.restricted(&tasks(&[4])), None);
        assert_eq!(Sides::new(tasks(&[1, 2]), tasks(&[2])), None);
    }
}
